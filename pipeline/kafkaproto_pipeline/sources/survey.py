"""What the log of one replica has: the ends of its segments, the epochs of its offsets, and the voter sets in it.

All of it is read from batch headers and a few control records. The result for a segment is kept as long as its file
does not change, because a stream asks again every few moments.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kafkaproto import uuids
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import LeaderChangeMessage, SnapshotHeaderRecord, VotersRecord
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.control import decode_control_record
from kafkaproto_pipeline.sources.committed import Committed, CommittedVoter, Lineage, VoterLog, committed_of
from kafkaproto_pipeline.sources.directories import (
    InputError,
    ReplicaOnDisk,
    SegmentOnDisk,
    SnapshotOnDisk,
    open_file,
    read_quorum_state,
)
from kafkaproto_pipeline.sources.headers import BatchHeader, End, SegmentHeaders

_ZERO_UUID = bytes(16)
_MAX_CONTROL_BATCH_BYTES = 8 * 1024 * 1024

Voters = tuple[CommittedVoter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentFacts:
    """The content of one segment, from its headers."""

    segment: SegmentOnDisk
    end: End
    epochs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaLog:
    """The content of one replica's log."""

    replica: ReplicaOnDisk
    segments: tuple[SegmentFacts, ...]
    lineage: Lineage
    voter_sets: tuple[Voters, ...]
    """The voter sets that may be in force, the newest last."""


@dataclass(slots=True)
class Memory:
    """Results for files, kept as long as the files do not change."""

    segments: dict[SegmentOnDisk, SegmentFacts] = field(default_factory=dict)
    voters: dict[tuple[SegmentOnDisk, int, int | None], tuple[Voters, ...]] = field(default_factory=dict)


def survey(replica: ReplicaOnDisk, memory: Memory | None = None, *, allows_gaps: bool = False) -> ReplicaLog:
    """Read what a replica has. Raises InputError, also if segments are missing in the middle.

    ``allows_gaps`` says that the caller finds missing offsets by the records that follow them.
    """
    memory = memory if memory is not None else Memory()
    segments = []
    for segment in replica.segments:
        facts = memory.segments.get(segment)
        if facts is None:
            facts = memory.segments[segment] = _facts(segment)
        segments.append(facts)
    _check_no_gap(segments, allows_gaps)
    lineage = _lineage(replica, segments)
    return ReplicaLog(
        replica=replica,
        segments=tuple(segments),
        lineage=lineage,
        voter_sets=_voter_sets(replica, segments, lineage, memory),
    )


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


def snapshot_time(snapshot: SnapshotOnDisk) -> int | None:
    """The last contained log timestamp, in milliseconds, of a snapshot's header; None if it cannot be read.

    Raises InputError if the file is gone.
    """
    for record in _snapshot_controls(snapshot.path, snapshot.size_bytes):
        if isinstance(record, SnapshotHeaderRecord):
            return record.last_contained_log_timestamp
    return None


# -- segments --------------------------------------------------------------------------------------------------


def _facts(segment: SegmentOnDisk) -> SegmentFacts:
    with SegmentHeaders(segment) as headers:
        return SegmentFacts(segment=segment, end=headers.end(), epochs=tuple(headers.epochs()))


def _check_no_gap(segments: Sequence[SegmentFacts], allows_gaps: bool) -> None:
    for facts, following in itertools.pairwise(segments):
        end = facts.end
        if allows_gaps and following.end.next_offset > following.segment.base_offset:
            continue
        # Damage at its end is reported when it is read; only whole batches are checked here.
        if end.position < facts.segment.size_bytes or end.next_offset == following.segment.base_offset:
            continue
        what = (
            f"offsets {end.next_offset} to {following.segment.base_offset - 1} are missing"
            if end.next_offset < following.segment.base_offset
            else "they overlap"
        )
        raise InputError(
            f"{facts.segment.path} ends before offset {end.next_offset}, and the next segment, "
            f"{following.segment.path}, begins at {following.segment.base_offset}: {what}"
        )


def _lineage(replica: ReplicaOnDisk, segments: Sequence[SegmentFacts]) -> Lineage:
    epochs: list[tuple[int, int]] = []
    for facts in segments:
        epochs += [each for each in facts.epochs if not epochs or each[0] > epochs[-1][0]]
    newest = replica.snapshots[-1].id if replica.snapshots else None
    if not segments:
        if newest is None:
            return Lineage(start=0, end=0)
        return Lineage(
            start=newest.end_offset, end=newest.end_offset, epochs=((newest.epoch, newest.end_offset),)
        )
    start, end = segments[0].segment.base_offset, segments[-1].end.next_offset
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
        if facts.end.next_offset > begin
        for voters in _sets_of_segment(facts, max(begin, facts.segment.base_offset), None, memory)
    ]
    sets = [] if newest is None else _sets_of_snapshot(newest.path)
    if not sets:
        sets = [
            voters
            for first in last_epochs
            for facts in segments
            if first < begin and facts.segment.base_offset <= first < facts.end.next_offset
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
    key = (facts.segment, begin, end)
    if key not in memory.voters:
        memory.voters[key] = tuple(_voters_in(facts.segment, begin, end))
    return memory.voters[key]


def _voters_in(segment: SegmentOnDisk, begin: int, end: int | None) -> Iterator[Voters]:
    before: Voters | None = None
    with SegmentHeaders(segment) as headers:
        for header in headers.scan(*headers.find(begin)):
            if end is not None and header.base_offset >= end:
                return
            if not header.is_control:
                continue
            for message in _controls(segment.path, header):
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
    with SegmentHeaders(SegmentOnDisk(base_offset=0, path=path, size_bytes=size_bytes)) as headers:
        header = headers.header_at(0)
    if header is not None and header.is_control:
        yield from _controls(path, header)


def _controls(path: str, header: BatchHeader) -> Iterator[Message]:
    """The control records of a batch. Those that cannot be read are left out; reading the log will report them."""
    if header.size_bytes > _MAX_CONTROL_BATCH_BYTES:
        return
    file = open_file(path)
    try:
        data = os.pread(file, header.size_bytes, header.position)
    finally:
        os.close(file)
    try:
        for record in RecordBatchView(data).records():
            yield decode_control_record(record.key, record.value)[1]
    except RemoteProtocolError:
        return
