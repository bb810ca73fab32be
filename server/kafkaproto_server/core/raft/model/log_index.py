"""The core's picture of its log: its start and end offset, the start of each leader epoch, and the snapshots.

It reads no file. It begins with what recovery found, and every write that the core hands out changes it. So it is ahead
of the disk by the writes that are not durable yet.

Apache Kafka: ``KafkaRaftLog`` and ``LeaderEpochFileCache``.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.epoch_start import EpochStart


@dataclass(frozen=True, slots=True, kw_only=True)
class Diverging:
    """A Fetch position that is not in this log: the response names the end up to which the two logs may agree."""

    end: OffsetAndEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsSnapshot:
    """A Fetch position that this log cannot serve any more: the response names the latest snapshot."""

    snapshot: OffsetAndEpoch


class LogIndex:
    """Offsets and epochs of one log; ``epoch_starts`` ascend in both epoch and offset."""

    def __init__(
        self,
        *,
        start_offset: int,
        end_offset: int,
        epoch_starts: Sequence[EpochStart] = (),
        snapshots: Sequence[tuple[OffsetAndEpoch, int]] = (),
    ) -> None:
        # Recovery reconciles log, epochs and snapshots. If it failed to, this node must not tell
        # others what it holds.
        assert 0 <= start_offset <= end_offset, f"log starts at {start_offset} and ends at {end_offset}"
        self.start_offset = start_offset
        self.end_offset = end_offset
        self._epochs = [entry.epoch for entry in epoch_starts]
        self._starts = [entry.start_offset for entry in epoch_starts]
        self._snapshots: dict[OffsetAndEpoch, int] = {
            snapshot: size_bytes for snapshot, size_bytes in snapshots if snapshot.offset >= start_offset
        }
        """Sizes in bytes by id, ascending. A snapshot that ends before the log start is left out: a replica that
        fetched it could not continue with this log."""
        _check_ascending("epochs", self._epochs)
        _check_ascending("start offsets of epochs", self._starts)
        _check_ascending("end offsets of snapshots", [snapshot.offset for snapshot in self._snapshots])
        if self._starts:
            # An epoch without a record would make this log win votes against logs that hold more.
            assert self._starts[-1] < end_offset, (
                f"epoch {self._epochs[-1]} starts at {self._starts[-1]}, but the log ends at {end_offset}"
            )
        assert not self._snapshots or next(reversed(self._snapshots)).offset <= end_offset, (
            f"a snapshot is ahead of the log, which ends at {end_offset}"
        )
        # What lay before the start is nowhere else: without a snapshot it would be lost (KIP-630).
        assert start_offset == 0 or self._snapshots, (
            f"log starts at {start_offset}, and no snapshot reaches that far"
        )

    @property
    def last_epoch(self) -> int:
        """Epoch of the last record; if the log holds none, that of the latest snapshot; else 0."""
        if self._epochs:
            return self._epochs[-1]
        # Right after a snapshot was installed the log is empty. As in Kafka, the node then fetches,
        # and asks for votes, with the epoch of the snapshot.
        latest = self.latest_snapshot
        return latest.epoch if latest is not None else 0

    @property
    def end(self) -> OffsetAndEpoch:
        """End offset and last epoch. Of two logs, the one with the greater value is more up to date (KIP-595)."""
        return OffsetAndEpoch(epoch=self.last_epoch, offset=self.end_offset)

    @property
    def earliest_snapshot(self) -> OffsetAndEpoch | None:
        """The oldest snapshot on disk; None if there is none."""
        return next(iter(self._snapshots), None)

    @property
    def latest_snapshot(self) -> OffsetAndEpoch | None:
        """The newest snapshot on disk; None if there is none."""
        return next(reversed(self._snapshots), None)

    def snapshot_size(self, snapshot: OffsetAndEpoch) -> int | None:
        """Size in bytes; None if there is no such snapshot."""
        return self._snapshots.get(snapshot)

    def end_offset_for_epoch(self, epoch: int) -> OffsetAndEpoch:
        """The largest epoch in the log that is not above ``epoch``, with the offset at which it ends.

        The last epoch ends at the log's end offset. If ``epoch`` is older than all epochs of the log, it ends where the
        first of them starts; but if the oldest snapshot ends there too, the result is that snapshot's epoch and end.
        """
        position = bisect_right(self._epochs, epoch)
        if position == len(self._epochs):
            return OffsetAndEpoch(epoch=self.last_epoch, offset=self.end_offset)
        if position > 0:
            # An epoch ends where the next one with records starts. Those between have had no
            # leader, or one whose records are not in this log.
            return OffsetAndEpoch(epoch=self._epochs[position - 1], offset=self._starts[position])
        earliest = self.earliest_snapshot
        # The records before the start are gone. The snapshot that ends there still knows the epoch
        # of the last of them.
        if earliest is not None and earliest.offset == self._starts[0]:
            return earliest
        return OffsetAndEpoch(epoch=epoch, offset=self._starts[0])

    def validate(self, fetch_offset: int, last_fetched_epoch: int) -> Diverging | NeedsSnapshot | None:
        """What a leader with this log responds to a Fetch position (KIP-595, KIP-630).

        None if the position is in the log, Diverging if the logs differ before it, NeedsSnapshot if the replica has to
        fetch the latest snapshot first.
        """
        latest, earliest = self.latest_snapshot, self.earliest_snapshot
        # A new replica gets the snapshot even if the log still starts at 0, as in Kafka: it is
        # shorter than the records that it stands for.
        if fetch_offset == 0:
            if latest is not None:
                return NeedsSnapshot(snapshot=latest)
            return None
        if earliest is not None and (
            # Its next record was cleaned up here.
            fetch_offset < self.start_offset
            # Its last record differs from the one before the start, so the logs diverge at a place
            # that this log does not have any more.
            or (fetch_offset == self.start_offset and last_fetched_epoch != earliest.epoch)
            # All its records are older than all epochs that this log has left.
            or last_fetched_epoch < earliest.epoch
        ):
            # The latest, not the earliest: it leaves the fewest records to fetch.
            assert latest is not None, "there is an earliest snapshot and no latest one"
            return NeedsSnapshot(snapshot=latest)
        end = self.end_offset_for_epoch(last_fetched_epoch)
        # The replica has an epoch that this log lacks, or more records of it than this log. Either
        # was appended by a leader whose records did not survive, so they have to go.
        if end.epoch != last_fetched_epoch or end.offset < fetch_offset:
            return Diverging(end=end)
        return None

    def truncation_offset(self, diverging: OffsetAndEpoch) -> int:
        """Where to truncate this log, given the end up to which the leader says that the logs may agree."""
        if diverging.epoch == 0:
            # No leader has epoch 0, so no record is of it, and there is nothing to compare. Kafka
            # does the same.
            return min(diverging.offset, self.end_offset)
        own = self.end_offset_for_epoch(diverging.epoch)
        # If both logs have the epoch, they agree up to the shorter end of it. If this log lacks it,
        # it is cut at the end of the epoch before: the next Fetch names that one, and so each round
        # trip settles an epoch.
        return min(own.offset, diverging.offset) if own.epoch == diverging.epoch else own.offset

    def append(self, *, epoch: int, base_offset: int, next_offset: int) -> None:
        """Note a batch at the log's end; asserts that it continues the log and is of no older epoch."""
        assert base_offset == self.end_offset, (
            f"append at {base_offset} to a log that ends at {self.end_offset}"
        )
        assert next_offset > base_offset, f"append of no records at {base_offset}"
        # A leader appends in its own epoch only, and a follower checks first (`follower`). Epochs
        # that went back would make two different logs look alike.
        assert epoch >= self.last_epoch, f"append in epoch {epoch} to a log in epoch {self.last_epoch}"
        if not self._epochs or epoch > self._epochs[-1]:
            self._epochs.append(epoch)
            self._starts.append(base_offset)
        self.end_offset = next_offset

    def truncate_to(self, end_offset: int) -> None:
        """Forget everything from ``end_offset`` on."""
        assert self.start_offset <= end_offset <= self.end_offset, (
            f"truncation to {end_offset} of a log from {self.start_offset} to {self.end_offset}"
        )
        # An epoch goes with its first record. If it stayed, this node would win votes for records
        # that it no longer has.
        while self._starts and self._starts[-1] >= end_offset:
            self._starts.pop()
            self._epochs.pop()
        self.end_offset = end_offset
        assert not self._starts or self._starts[-1] < end_offset, f"an epoch without records at {end_offset}"

    def install(self, snapshot: OffsetAndEpoch, size_bytes: int) -> None:
        """Forget everything: the log is empty and starts at the end of a fetched snapshot."""
        assert snapshot.offset >= self.start_offset, (
            f"log start {self.start_offset} goes back to {snapshot.offset}"
        )
        # Nothing of the old log stays, not even what lies behind the snapshot: this log may have
        # diverged before, and the leader has said only what is up to the snapshot's end.
        self._epochs = []
        self._starts = []
        self.start_offset = self.end_offset = snapshot.offset
        self._snapshots = {snapshot: size_bytes}

    def add_snapshot(self, snapshot: OffsetAndEpoch, size_bytes: int) -> None:
        """Note a snapshot that this node wrote of its own log.

        It is ignored unless it is newer than all others: a later one may have been fetched while it was being written.
        """
        latest = self.latest_snapshot
        if latest is not None and snapshot.offset <= latest.offset:
            return
        # Only what this log holds can be in a snapshot of it.
        assert snapshot.offset <= self.end_offset, (
            f"a snapshot to offset {snapshot.offset} of a log that ends at {self.end_offset}"
        )
        self._snapshots[snapshot] = size_bytes

    def move_start(self, start_offset: int) -> None:
        """Note that the log was cleaned up to the end of a snapshot, which is now the oldest snapshot.

        Nothing changes if a snapshot that was fetched meanwhile has moved the log start further already.
        """
        if start_offset <= self.start_offset:
            return
        assert start_offset <= self.end_offset, (
            f"start moves to {start_offset} in a log that ends at {self.end_offset}"
        )
        self._snapshots = {
            snapshot: size for snapshot, size in self._snapshots.items() if snapshot.offset >= start_offset
        }
        earliest = self.earliest_snapshot
        assert earliest is not None, f"log starts at {start_offset}, and no snapshot reaches that far"
        self.start_offset = start_offset
        # The epoch of the record at the new start stays, with the start as its first offset:
        # Kafka's epoch cache does the same. Else the log could not say of which epoch its first
        # records are.
        gone = bisect_right(self._starts, start_offset) - 1
        assert gone >= 0, f"records before {start_offset} are of no known epoch"
        # The rest of the epoch that the new start falls into stays, unless the log ends there.
        keep_from = gone if start_offset < self.end_offset else gone + 1
        self._epochs = self._epochs[keep_from:]
        self._starts = self._starts[keep_from:]
        if self._starts:
            self._starts[0] = start_offset


def _check_ascending(what: str, values: list[int]) -> None:
    assert all(low < high for low, high in itertools.pairwise(values)), f"{what} {values} do not ascend"
