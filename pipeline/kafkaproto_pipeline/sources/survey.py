"""What the log of one replica has: its whole batches, the epochs of its offsets, the voter sets in it, what is damaged.

All bytes are read once (`inspection`). The result for a file is kept as long as the file does not change, because a
stream asks again every few moments; if a segment has grown, only what was added is read.

A log that ends earlier than it once did lacks records, however whole the rest is. What shows how far it went: the
snapshots, which are made of it, and the files beside it (`directories.Reached`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kafkaproto import uuids
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import (
    LeaderChangeMessage,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
)
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.control import decode_control_record
from kafkaproto_pipeline.inspection import (
    GAP,
    TORN,
    WRONG_EPOCH,
    BatchHeader,
    Fault,
    Inspection,
    Read,
    first_header,
    inspect,
)
from kafkaproto_pipeline.sources.committed import Committed, CommittedVoter, Lineage, VoterLog, committed_of
from kafkaproto_pipeline.sources.directories import (
    Reached,
    ReplicaOnDisk,
    SegmentOnDisk,
    SnapshotOnDisk,
    read_quorum_state,
)
from kafkaproto_pipeline.sources.segment_files import OpenFile, inspect_segment

_ZERO_UUID = bytes(16)
_NEVER_MS = (1 << 63) - 1
_MAX_CONTROL_BATCH_BYTES = 8 * 1024 * 1024

Voters = tuple[CommittedVoter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentFacts:
    """The content of one segment."""

    segment: SegmentOnDisk
    following: int | None
    """The offset with which the next segment begins."""
    inspection: Inspection
    faults: tuple[Fault, ...] = ()
    """What is wrong with it as a part of the log."""

    @property
    def next_offset(self) -> int:
        """The offset after its last whole batch."""
        return self.inspection.next_offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Offsets between two segments that no bytes stand for, or that both have."""

    offset: int
    next_offset: int
    text: str
    is_followed: bool
    """Whether the second segment has records, by which the first missing offset is noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaLog:
    """The content of one replica's log."""

    replica: ReplicaOnDisk
    segments: tuple[SegmentFacts, ...]
    lineage: Lineage
    voter_sets: tuple[Voters, ...]
    """The voter sets that may be in force, the newest last."""
    gaps: tuple[Gap, ...] = ()

    def faults(self) -> Iterator[tuple[SegmentFacts, Fault]]:
        """All damage, with its segment, in the order of the log. A torn end is none."""
        for facts in self.segments:
            for fault in facts.faults:
                if not fault.is_torn:
                    yield facts, fault


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFacts:
    """The content of one snapshot."""

    snapshot: SnapshotOnDisk
    inspection: Inspection
    faults: tuple[Fault, ...]
    """What is wrong with it; nothing if it is whole."""


@dataclass(slots=True)
class Memory:
    """Results for files, kept as long as the files do not change."""

    segments: dict[str, SegmentFacts] = field(default_factory=dict)
    snapshots: dict[SnapshotOnDisk, SnapshotFacts] = field(default_factory=dict)
    voters: dict[tuple[str, int, int | None], tuple[SegmentOnDisk, tuple[Voters, ...]]] = field(
        default_factory=dict
    )
    compared: dict[tuple[str, str], tuple[SegmentOnDisk, ...]] = field(default_factory=dict)
    """The segments of two directories when their logs were found to be the same."""
    placed: dict[SnapshotOnDisk, tuple[SegmentOnDisk, tuple[Fault, ...]]] = field(default_factory=dict)
    """The last segment of the log to which a snapshot was compared, and what does not fit."""


def survey(replica: ReplicaOnDisk, memory: Memory | None = None) -> ReplicaLog:
    """Read what a replica has. Raises InputError."""
    memory = memory if memory is not None else Memory()
    segments = []
    for index, segment in enumerate(replica.segments):
        is_last = index + 1 == len(replica.segments)
        following = None if is_last else replica.segments[index + 1].base_offset
        segments.append(_facts(segment, following, memory))
    segments, gaps = _in_one_log(replica, segments)
    lineage = _lineage(replica, segments)
    return ReplicaLog(
        replica=replica,
        segments=tuple(segments),
        lineage=lineage,
        voter_sets=_voter_sets(replica, segments, lineage, memory),
        gaps=tuple(gaps),
    )


def examine(snapshot: SnapshotOnDisk, memory: Memory) -> SnapshotFacts:
    """Whether a snapshot is whole: its batches, its header and its footer. Raises InputError."""
    known = memory.snapshots.get(snapshot)
    if known is None:
        known = memory.snapshots[snapshot] = _snapshot_facts(snapshot)
    return known


def what_is_committed(logs: Sequence[ReplicaLog], high_watermark: int | None) -> Committed:
    """What is committed according to all replicas together. Raises InputError."""
    voter_logs = [
        VoterLog(
            node_id=log.replica.node_id,
            directory_id=log.replica.directory_id,
            lineage=log.lineage,
            quorum_epoch=None if log.replica.quorum_state is None else log.replica.quorum_state.leader_epoch,
        )
        for log in logs
    ]
    is_one_moment = all(
        read_quorum_state(log.replica.directory) == log.replica.quorum_state
        for log in logs
        if os.path.isdir(log.replica.directory)
    )
    sets = dict.fromkeys(voters for log in logs for voters in log.voter_sets)
    return committed_of(
        voter_logs,
        sets,
        [snapshot.id for log in logs for snapshot in log.replica.snapshots],
        high_watermark=high_watermark,
        is_one_moment=is_one_moment,
    )


def batch_at(log: ReplicaLog, offset: int) -> tuple[BatchHeader | None, int, int]:
    """The whole batch that holds an offset (None if there is none), and the latest timestamps of the batch before it
    and of the one behind it, as far as the segment has them. Raises InputError.
    """
    for facts in log.segments:
        if not facts.segment.base_offset <= offset < facts.next_offset:
            continue
        with OpenFile(facts.segment.path) as file:
            places = file.places(facts.inspection)
            before: BatchHeader | None = None
            for header in places.scan_to(offset):
                if header.base_offset <= offset < header.next_offset:
                    behind = next(places.scan(header.end_position), None)
                    latest_ms = _NEVER_MS if behind is None else behind.max_timestamp_ms
                    return header, (before or header).max_timestamp_ms, latest_ms
                if header.base_offset > offset:
                    break
                before = header
    return None, 0, _NEVER_MS


def snapshot_time(snapshot: SnapshotOnDisk) -> int | None:
    """The last contained log timestamp, in milliseconds, of a snapshot's header; None if it cannot be read.

    Raises InputError if the file is gone.
    """
    for record in _snapshot_controls(snapshot.path, snapshot.size_bytes):
        if isinstance(record, SnapshotHeaderRecord):
            return record.last_contained_log_timestamp
    return None


# -- segments --------------------------------------------------------------------------------------------------


def _facts(segment: SegmentOnDisk, following: int | None, memory: Memory) -> SegmentFacts:
    known = memory.segments.get(segment.path)
    if known is None or known.segment != segment or known.following != following:
        has_grown = known is not None and known.segment.size_bytes < segment.size_bytes
        before = known.inspection if known is not None and has_grown else None
        found = inspect_segment(segment, following, before)
        known = memory.segments[segment.path] = SegmentFacts(
            segment=segment, following=following, inspection=found
        )
    return known


def _in_one_log(
    replica: ReplicaOnDisk, found: Sequence[SegmentFacts]
) -> tuple[list[SegmentFacts], list[Gap]]:
    """The segments with what is wrong with them as parts of one log, and the offsets between them that are missing."""
    segments: list[SegmentFacts] = []
    gaps: list[Gap] = []
    epoch: int | None = None
    for facts in found:
        inspection = facts.inspection
        faults = list(inspection.faults)
        first = inspection.first
        begins = None
        if epoch is not None and first is not None:
            goes_on = first.epoch == epoch or (first.epoch > epoch and first.is_control)
            if not goes_on:
                begins = f"{WRONG_EPOCH} is {first.epoch}: that of the segment before is {epoch}"
        if begins is not None and not any(each.position == 0 for each in faults):
            offset = facts.segment.base_offset
            faults.insert(
                0, Fault(position=0, end_position=0, offset=offset, next_offset=offset, reason=begins)
            )
        if inspection.epochs:
            epoch = inspection.epochs[-1][0]
        if facts.following is not None:
            faults, gap = _before_another(facts, faults, found[len(segments) + 1])
            gaps += [gap] if gap is not None else []
        segments.append(replace(facts, faults=tuple(faults)))
    if segments:
        segments[-1] = _ending(replica, segments[-1])
    return segments, gaps


def _before_another(
    facts: SegmentFacts, faults: list[Fault], behind: SegmentFacts
) -> tuple[list[Fault], Gap | None]:
    """The faults of a segment that another one follows: no write was under way at its end."""
    following = behind.segment.base_offset
    if facts.inspection.has_rest and facts.next_offset <= following:
        *others, rest = faults
        reason = rest.reason.removeprefix(TORN)
        rest = replace(rest, next_offset=following, reason=reason, is_torn=False, is_open=False)
        return [*others, rest], None
    if facts.next_offset == following:
        return faults, None
    what = (
        f"offsets {facts.next_offset} to {following - 1} are missing"
        if facts.next_offset < following
        else "they overlap"
    )
    text = (
        f"{facts.segment.path} ends before offset {facts.next_offset}, and the next segment, "
        f"{behind.segment.path}, begins at {following}: {what}"
    )
    is_followed = behind.next_offset > following > facts.next_offset
    return faults, Gap(offset=facts.next_offset, next_offset=following, text=text, is_followed=is_followed)


def _ending(replica: ReplicaOnDisk, facts: SegmentFacts) -> SegmentFacts:
    """The last segment, and that it ends earlier than the log once did, if something shows that."""
    signs = [each for each in replica.reached if each.offset > facts.next_offset or _has_more(each, facts)]
    if replica.snapshots and replica.is_whole:
        newest = max(replica.snapshots, key=lambda each: each.id.end_offset)
        if newest.id.end_offset > facts.next_offset:
            signs.append(Reached(offset=newest.id.end_offset, file=os.path.basename(newest.path)))
    if not signs:
        return facts
    furthest = max(signs, key=lambda each: (each.offset, each.is_segment))
    faults = list(facts.faults)
    if faults and not faults[-1].is_torn and facts.inspection.has_rest:
        faults[-1] = replace(faults[-1], next_offset=furthest.offset)
    else:
        # The bytes of a torn end may have been more records than those that the file tells of.
        has_rest = any(each.is_torn for each in faults)
        faults = [each for each in faults if not each.is_torn]
        has_more = has_rest or any(each.is_segment for each in signs)
        faults.append(replace(missing_end(facts, furthest), is_open=has_more))
    return replace(facts, faults=tuple(faults))


def _has_more(sign: Reached, facts: SegmentFacts) -> bool:
    return sign.is_segment and sign.offset == facts.next_offset


def missing_end(facts: SegmentFacts, sign: Reached) -> Fault:
    """The fault of a log whose last segment ends earlier than a file shows that it once did."""
    end = facts.inspection.end_position
    what = f"offsets {facts.next_offset} to {sign.offset - 1} are missing"
    if sign.is_segment or sign.offset == facts.next_offset + 1:
        what = f"offset {facts.next_offset} and all behind it are missing"
    return Fault(
        position=end,
        end_position=end,
        offset=facts.next_offset,
        next_offset=sign.offset,
        reason=f"{GAP}{what}: the log ends here, and {sign.file} shows that it was longer",
        is_open=sign.is_segment,
    )


def _snapshot_facts(snapshot: SnapshotOnDisk) -> SnapshotFacts:
    with OpenFile(snapshot.path) as file:
        found = inspect(file.read, snapshot.size_bytes, 0, has_epochs=False)
        faults = snapshot_faults(found, file.read)
        for header in (found.first, found.last):
            if not faults and header is not None and header.epoch != snapshot.id.epoch:
                what = f"be of epoch {snapshot.id.epoch}, as its name says: its batches are of epoch {header.epoch}"
                faults = (misfit(what),)
        return SnapshotFacts(snapshot=snapshot, inspection=found, faults=faults)


def misfit(what: str) -> Fault:
    """The fault of a snapshot that is not the one that its name, or the log, says."""
    reason = f"the snapshot cannot {what}"
    return Fault(position=0, end_position=0, offset=0, next_offset=0, reason=reason)


def snapshot_faults(found: Inspection, read: Read) -> tuple[Fault, ...]:
    """What is wrong with a snapshot that was inspected; nothing if it is whole."""
    faults = [replace(each, is_torn=False, reason=each.reason.removeprefix(TORN)) for each in found.faults]
    if not any(each.position == 0 for each in faults) and not _holds(read, found.first, 0):
        faults.insert(0, _not_whole(0, 0, "begin with its header"))
    if not found.has_rest and not _holds(read, found.last, -1):
        faults.append(_not_whole(found.end_position, found.next_offset, "end with its footer"))
    return tuple(faults)


def _holds(read: Read, header: BatchHeader | None, place: int) -> bool:
    """Whether the first record of a batch (place 0) is a snapshot's header, or the last one (-1) its footer."""
    if header is None or not header.is_control:
        return False
    records = list(_controls(read, header))
    kind = SnapshotHeaderRecord if place == 0 else SnapshotFooterRecord
    return bool(records) and isinstance(records[place], kind)


def _not_whole(position: int, offset: int, what: str) -> Fault:
    return Fault(
        position=position,
        end_position=position,
        offset=offset,
        next_offset=offset,
        reason=f"the snapshot does not {what}: it is not whole",
    )


def _lineage(replica: ReplicaOnDisk, segments: Sequence[SegmentFacts]) -> Lineage:
    epochs: list[tuple[int, int]] = []
    for facts in segments:
        for each in facts.inspection.epochs:
            # If an epoch goes back, it is the higher one that is wrong.
            while epochs and epochs[-1][0] > each[0]:
                epochs.pop()
            if not epochs or each[0] > epochs[-1][0]:
                epochs.append(each)
    newest = replica.snapshots[-1].id if replica.snapshots else None
    if not segments:
        if newest is None:
            return Lineage(start=0, end=0)
        return Lineage(
            start=newest.end_offset, end=newest.end_offset, epochs=((newest.epoch, newest.end_offset),)
        )
    start, end = segments[0].segment.base_offset, segments[-1].next_offset
    if not epochs and newest is not None and newest.end_offset == start:
        epochs.append((newest.epoch, start))
    return Lineage(start=start, end=end, epochs=tuple(epochs))


# -- voters ----------------------------------------------------------------------------------------------------


def _voter_sets(
    replica: ReplicaOnDisk, segments: Sequence[SegmentFacts], lineage: Lineage, memory: Memory
) -> tuple[Voters, ...]:
    """The newest voter set in a log, and the sets that it may follow without being committed.

    Everything below the newest snapshot is committed, so the set of the snapshot stands for all earlier ones. Without
    a snapshot, each leader's first record has the set of its time, and those of the last two epochs stand for all
    earlier ones.
    """
    newest = replica.snapshots[-1] if replica.snapshots else None
    last_epochs = [first for _, first in lineage.epochs[-2:]] or [lineage.start]
    begin = max(last_epochs[0], 0 if newest is None else newest.id.end_offset)
    found = [
        voters
        for facts in segments
        if facts.next_offset > begin
        for voters in _sets_of_segment(facts, max(begin, facts.segment.base_offset), None, memory)
    ]
    sets = [] if newest is None else _sets_of_snapshot(newest.path)
    if not sets:
        sets = [
            voters
            for first in last_epochs
            for facts in segments
            if first < begin and facts.segment.base_offset <= first < facts.next_offset
            for voters in _sets_of_segment(facts, first, first + 1, memory)
        ]
    if not sets and not found and replica.voters_path is not None:
        sets = _sets_of_snapshot(replica.voters_path)
    if not sets and not found and replica.quorum_state is not None and replica.quorum_state.voters:
        sets = [
            tuple(
                CommittedVoter(node_id=node_id, directory_id=None) for node_id in replica.quorum_state.voters
            )
        ]
    # The set before the newest may still be in force; a set from before the snapshot is not.
    return tuple(dict.fromkeys([*sets[-1:], *found][-2:]))


def _sets_of_segment(facts: SegmentFacts, begin: int, end: int | None, memory: Memory) -> tuple[Voters, ...]:
    """The voter sets in the batches from one offset to another (None for the end)."""
    key = (facts.segment.path, begin, end)
    known = memory.voters.get(key)
    if known is None or known[0] != facts.segment:
        known = memory.voters[key] = facts.segment, tuple(_voters_in(facts, begin, end))
    return known[1]


def _voters_in(facts: SegmentFacts, begin: int, end: int | None) -> Iterator[Voters]:
    before: Voters | None = None
    with OpenFile(facts.segment.path) as file:
        for header in facts.inspection.controls:
            if header.next_offset <= begin:
                continue
            if end is not None and header.base_offset >= end:
                return
            for message in _controls(file.read, header):
                voters = _voters(message)
                if voters is not None and not (before and _same_nodes(before, voters)):
                    yield voters
                    before = voters


def _same_nodes(one: Voters, other: Voters) -> bool:
    """Whether two voter sets are the same; one of them may have no directory ids."""
    if [voter.node_id for voter in one] != [voter.node_id for voter in other]:
        return False
    pairs = zip(one, other, strict=True)
    return all(a.directory_id in (b.directory_id, None) or b.directory_id is None for a, b in pairs)


def _voters(message: Message) -> Voters | None:
    if not isinstance(message, VotersRecord | LeaderChangeMessage):
        return None
    found = []
    for each in message.voters:
        directory = each.voter_directory_id
        text = None if bytes(directory) == _ZERO_UUID else uuids.to_text(directory)
        found.append(CommittedVoter(node_id=each.voter_id, directory_id=text))
    return tuple(sorted(found, key=lambda voter: (voter.node_id, voter.directory_id or "")))


def _sets_of_snapshot(path: str) -> list[Voters]:
    size = os.stat(path).st_size if os.path.exists(path) else 0
    found = (_voters(message) for message in _snapshot_controls(path, size))
    return [voters for voters in found if voters is not None]


def _snapshot_controls(path: str, size_bytes: int) -> Iterator[Message]:
    """The control records at the beginning of a snapshot."""
    with OpenFile(path) as file:
        header = first_header(file.read, size_bytes)
        if header is not None and header.is_control:
            yield from _controls(file.read, header)


def _controls(read: Read, header: BatchHeader) -> Iterator[Message]:
    """The control records of a batch. Those that cannot be read are left out; reading the log will report them."""
    if header.size_bytes > _MAX_CONTROL_BATCH_BYTES:
        return
    try:
        for record in RecordBatchView(read(header.position, header.size_bytes)).records():
            yield decode_control_record(record.key, record.value)[1]
    except RemoteProtocolError:
        return
