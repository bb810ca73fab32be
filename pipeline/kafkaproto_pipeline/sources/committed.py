"""Finds out from files alone which records of a log are known to be committed.

No file holds the high watermark. Any of four things shows that records are committed:

* A snapshot. It is made of committed records only, so everything below its end offset is committed.
* A majority of the voters holds a record, and the logs of all voters are given. The record is committed if no voter
  without it can be elected any more. A voter grants its vote only to a log that is at least as up to date as its own,
  by last epoch, then end offset (Raft section 5.4.1). So take each voter that lacks the record: if its log is less up
  to date than the log of every member of some majority that holds the record, no member of that majority votes for it.
  That a majority holds a record is not enough (section 5.4.2, figure 8): a voter with a later epoch in its log may
  still be elected and cut the record off.
* A majority of the voters holds a record and is still in the record's epoch. A leader of a later epoch would need the
  vote of one of them. A vote already given would show in that voter's ``quorum-state``; from now on, the voter votes
  only for a log that has the record. This rule needs neither the files of the other voters, nor files of one moment.
* The user says so (option ``highWatermark``).

One node's files of a quorum of several voters prove no more than that node's newest snapshot. A leader's first record,
or records of a later epoch, prove nothing: a leader needs the votes of a majority, not its records, and appends before
it commits. If the voter is alone in its quorum, its log is the majority.

The second rule is about one moment, but the files of a running quorum are read one after the other. So the rule is
used only if no voter's ``quorum-state`` changed meanwhile; it changes before a vote or a new epoch has any effect.

A voter set counts from its append on, committed or not, and differs from the set before it by one voter. So a majority
of each set that may be in force has to hold the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kafkaproto.snapshot import SnapshotId


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Which epoch each offset of a log is of. The same offset and epoch in two logs is the same record, and all before
    it is the same, too: that is what Raft's log matching promises."""

    start: int
    end: int
    epochs: tuple[tuple[int, int], ...] = ()
    """Each epoch and its first offset here; both ascend. If the log is empty, the epoch of the record
    before its start.
    """

    @property
    def last(self) -> tuple[int, int]:
        """Last epoch and end offset: what says how up to date a log is."""
        return (self.epochs[-1][0] if self.epochs else -1, self.end)

    def epoch_at(self, offset: int) -> int | None:
        """The epoch of a record; None if the record is not in the log."""
        if not self.start <= offset < self.end:
            return None
        return next((epoch for epoch, first in reversed(self.epochs) if first <= offset), None)

    def until(self, end: int) -> Lineage:
        """The log as it would be if it ended there."""
        return Lineage(start=self.start, end=end, epochs=tuple(each for each in self.epochs if each[1] < end))

    def holds(self, point: SnapshotId) -> bool:
        """Whether the log has the last record of a snapshot."""
        return self.epoch_at(point.end_offset - 1) == point.epoch

    def common_end(self, other: Lineage) -> int:
        """The offset at which the two logs part; below it they are the same. This log's start if they have nothing in
        common.
        """
        found = self.start
        theirs = {epoch: (start, end) for epoch, start, end in other.runs()}
        for epoch, start, end in self.runs():
            if epoch in theirs:
                their_start, their_end = theirs[epoch]
                # The other log's run of this epoch may begin where this one ends. Its first record then follows the
                # last one here, and the logs do not contradict each other up to that end.
                if their_start == end < other.end:
                    found = max(found, end)
                if min(end, their_end) > max(start, their_start):
                    found = max(found, min(end, their_end))
        return found

    def runs(self) -> list[tuple[int, int, int]]:
        """Epoch, first offset and end offset of each run of records of one epoch."""
        ends = [first for _, first in self.epochs[1:]] + [self.end]
        return [(epoch, first, end) for (epoch, first), end in zip(self.epochs, ends, strict=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedVoter:
    """A member of a voter set."""

    node_id: int
    directory_id: str | None
    """None if the voter set does not have it, as with kraft.version 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterLog:
    """The log of a node that may be a voter."""

    node_id: int | None
    directory_id: str | None
    lineage: Lineage
    quorum_epoch: int | None
    """The epoch in the node's ``quorum-state``."""

    def is_of(self, voter: CommittedVoter) -> bool:
        """Whether this is the voter's log."""
        same_directory = None in (self.directory_id, voter.directory_id) or (
            self.directory_id == voter.directory_id
        )
        return self.node_id == voter.node_id and same_directory


def majority_end(
    logs: Sequence[VoterLog], voter_sets: Iterable[Sequence[CommittedVoter]], *, is_one_moment: bool
) -> tuple[int, Lineage] | None:
    """The end up to which a majority of each voter set makes a log committed, and a log that has all records up to
    there.

    None if this is not known of any offset. ``is_one_moment`` says that no voter's state changed while the logs were
    read.
    """
    ends: list[tuple[int, Lineage]] = []
    for voters in voter_sets:
        found = _majority_end(logs, voters, is_one_moment)
        if found is None:
            return None
        ends.append(found)
    return min(ends, key=lambda each: each[0], default=None)


def lacks_majority(logs: Sequence[VoterLog], voter_sets: Iterable[Sequence[CommittedVoter]]) -> bool:
    """Whether the logs of a majority are not given, of some voter set or because the voters are unknown. Then only
    snapshots show what is committed.
    """
    sets = list(voter_sets)
    return not sets or any(len(_given(logs, voters)) < _majority(voters) for voters in sets)


def _majority(voters: Sequence[CommittedVoter]) -> int:
    return len(voters) // 2 + 1


def _given(logs: Sequence[VoterLog], voters: Sequence[CommittedVoter]) -> list[VoterLog]:
    """The logs of these voters that can be relied on."""
    found = []
    for voter in voters:
        of_voter = [log for log in logs if log.is_of(voter)]
        # If there are two copies of one voter's log, one is older, and neither can be relied on.
        if len(of_voter) == 1:
            found.append(of_voter[0])
    return found


def _majority_end(
    logs: Sequence[VoterLog], voters: Sequence[CommittedVoter], is_one_moment: bool
) -> tuple[int, Lineage] | None:
    given, needed = _given(logs, voters), _majority(voters)
    if len(given) < needed:
        return None
    best = max(given, key=lambda log: log.lineage.last).lineage
    holds_until = [(log.lineage.common_end(best), log) for log in given]
    for end in sorted({end for end, _ in holds_until}, reverse=True):
        holders = [log for held, log in holds_until if held >= end]
        others = [log for held, log in holds_until if held < end]
        if len(holders) < needed or end <= best.start:
            continue
        in_epoch = [log for log in holders if log.quorum_epoch == best.epoch_at(end - 1)]
        if len(in_epoch) >= needed:
            return end, best
        is_whole = len(given) == len(voters) and (is_one_moment or len(voters) == 1)
        if is_whole and _none_can_win(holders, others, needed):
            return end, best
    return None


def _none_can_win(holders: Sequence[VoterLog], others: Sequence[VoterLog], needed: int) -> bool:
    """Whether every member of the most up-to-date majority of the holders refuses its vote to each of the others."""
    weakest = sorted((log.lineage.last for log in holders), reverse=True)[needed - 1]
    return all(log.lineage.last < weakest for log in others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What is known to be committed."""

    lineage: Lineage
    """The log that ``end`` refers to."""
    end: int
    """Offsets of that log below this are committed."""
    snapshots: tuple[SnapshotId, ...]
    """All known snapshots. A log that has the last record of one is committed up to there."""
    lacks_majority: bool = False
    """Whether only snapshots show what is committed, because the logs of too few voters are given."""

    def end_in(self, log: Lineage) -> int:
        """The end of the committed records of a log; records after it may be uncommitted."""
        vouched = [point.end_offset for point in self.snapshots if log.holds(point)]
        return max([min(self.end, log.common_end(self.lineage)), *vouched, log.start])


def committed_of(
    logs: Sequence[VoterLog],
    voter_sets: Iterable[Sequence[CommittedVoter]],
    snapshots: Iterable[SnapshotId],
    *,
    high_watermark: int | None,
    is_one_moment: bool,
) -> Committed:
    """What is known to be committed of the most up-to-date of the logs. At least one log must be given."""
    best = max((log.lineage for log in logs), key=lambda lineage: lineage.last)
    points, sets = tuple(sorted(set(snapshots))), list(voter_sets)
    ends = [point.end_offset for point in points if best.holds(point) or point.end_offset <= best.start]
    found = majority_end(logs, sets, is_one_moment=is_one_moment)
    if found is not None:
        end, lineage = found
        ends.append(min(end, best.common_end(lineage)))
    if high_watermark is not None:
        ends.append(min(high_watermark, best.end))
    return Committed(
        lineage=best,
        end=max(ends, default=best.start),
        snapshots=points,
        lacks_majority=lacks_majority(logs, sets),
    )
