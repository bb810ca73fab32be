"""Directories of metadata logs for tests: batches of given epochs, cut into segments, with indexes and snapshots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kafkaproto import uuids
from kafkaproto.log import (
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    OffsetIndexEntry,
    TimeIndexEntry,
    encode_offset_index_entry,
    encode_time_index_entry,
    segment_file_name,
)
from kafkaproto.messages import LeaderChangeMessage, TopicRecord, VotersRecord
from kafkaproto.records.batch import PlainRecord, build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import SnapshotId, build_snapshot, snapshot_file_name
from kafkaproto_pipeline.views.wanted import Wanted

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
START_MS = 1_700_000_000_000
STEP_MS = 1000
"""Between two offsets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One batch: a leader's first, or ``count`` topics named by offset and epoch."""

    epoch: int
    count: int = 1
    voters: tuple[int, ...] | None = None
    """Makes it the first batch of a leader, or with ``is_voters_record`` a change of the voters."""
    is_voters_record: bool = False


@dataclass(slots=True, kw_only=True)
class Files:
    """How a log is cut into files."""

    segment_batches: int = 1000
    """Batches in a segment."""
    index_every: int = 3
    """Batches between two index entries; 0 for no index."""
    start: int = 0
    """Segments that end at or below this offset are left out."""
    snapshots: Sequence[SnapshotId] = field(default_factory=tuple)
    snapshot_voters: tuple[int, ...] | None = None
    """What the snapshots tell of the voters."""


def voters_record(voters: tuple[int, ...]) -> VotersRecord:
    """A voter set that tells no directories."""
    return VotersRecord(voters=[VotersRecord.Voter(voter_id=each, endpoints=[]) for each in voters])


def topic_name(offset: int, epoch: int) -> str:
    """The topic that the record of this offset and epoch is about."""
    return f"topic-{offset}-{epoch}"


def encode(batch: Batch, offset: int) -> bytes:
    """The bytes of a batch at an offset."""
    records: list[PlainRecord] = []
    if batch.is_voters_record and batch.voters is not None:
        key, value = encode_control_record(ControlRecordType.KRAFT_VOTERS, voters_record(batch.voters))
        records.append((key, value, ()))
    elif batch.voters is not None:
        voters = [LeaderChangeMessage.Voter(voter_id=each) for each in batch.voters]
        message = LeaderChangeMessage(leader_id=batch.voters[0], voters=voters, granting_voters=voters)
        records.append((*encode_control_record(ControlRecordType.LEADER_CHANGE, message), ()))
    else:
        for index in range(batch.count):
            number = offset + index
            record = TopicRecord(name=topic_name(number, batch.epoch), topic_id=number.to_bytes(16, "big"))
            records.append((None, encode_metadata_record(record, 0), ()))
    return bytes(
        build_batch(
            records,
            base_offset=offset,
            partition_leader_epoch=batch.epoch,
            timestamp_ms=START_MS + offset * STEP_MS,
            control=batch.voters is not None,
        )
    )


def write_log(directory: Path, batches: Sequence[Batch], files: Files | None = None) -> int:
    """Write the segments of a log and its indexes; returns the log's end."""
    files = files or Files()
    directory.mkdir(parents=True, exist_ok=True)
    offset = 0
    for first in range(0, len(batches), files.segment_batches):
        base = offset
        data, index, times = bytearray(), bytearray(), bytearray()
        for number, batch in enumerate(batches[first : first + files.segment_batches], 1):
            encoded = encode(batch, offset)
            offset += 1 if batch.voters is not None else batch.count
            if files.index_every and number % files.index_every == 0:
                index += encode_offset_index_entry(base, OffsetIndexEntry(offset - 1, len(data)))
                time = START_MS + (offset - (1 if batch.voters is not None else batch.count)) * STEP_MS
                times += encode_time_index_entry(base, TimeIndexEntry(time, offset - 1))
            data += encoded
        if offset > files.start:
            (directory / segment_file_name(base)).write_bytes(data)
            if files.index_every:
                (directory / segment_file_name(base, OFFSET_INDEX_SUFFIX)).write_bytes(index + bytes(80))
                (directory / segment_file_name(base, TIME_INDEX_SUFFIX)).write_bytes(times + bytes(120))
    for snapshot in files.snapshots:
        write_snapshot(directory, snapshot, voters=files.snapshot_voters)
    return offset


def write_snapshot(
    directory: Path, snapshot: SnapshotId, records: int = 3, voters: tuple[int, ...] | None = None
) -> None:
    """A snapshot of some topics."""
    values = [
        encode_metadata_record(TopicRecord(name=f"snapshot-{index}", topic_id=index.to_bytes(16, "big")), 0)
        for index in range(records)
    ]
    content = build_snapshot(
        values,
        epoch=snapshot.epoch,
        timestamp_ms=START_MS + snapshot.end_offset * STEP_MS,
        last_contained_log_timestamp=START_MS + (snapshot.end_offset - 1) * STEP_MS,
        kraft_version=0 if voters is None else 1,
        voters=None if voters is None else voters_record(voters),
        max_batch_bytes=100,
    )
    (directory / snapshot_file_name(snapshot)).write_bytes(b"".join(content))


def write_node(
    folder: Path,
    batches: Sequence[Batch],
    files: Files | None = None,
    *,
    node_id: int = 1,
    cluster_id: str = CLUSTER_ID,
    quorum_epoch: int | None = None,
) -> Path:
    """A node's log directory; returns it."""
    write_log(folder / "__cluster_metadata-0", batches, files)
    (folder / "meta.properties").write_text(
        f"#\nnode.id={node_id}\ndirectory.id={directory_id(node_id)}\nversion=1\ncluster.id={cluster_id}\n"
    )
    if quorum_epoch is not None:
        write_quorum_state(folder, quorum_epoch)
    return folder


def write_quorum_state(folder: Path, epoch: int) -> None:
    """What the node promised."""
    state = {
        "leaderId": -1,
        "leaderEpoch": epoch,
        "votedId": -1,
        "votedDirectoryId": uuids.to_text(bytes(16)),
        "data_version": 1,
    }
    (folder / "__cluster_metadata-0" / "quorum-state").write_text(json.dumps(state))


def directory_id(node_id: int) -> str:
    """The id of a node's directory, as text."""
    return uuids.to_text((node_id + 1 << 64).to_bytes(16, "big"))


def wanted(*columns: str, mode: str = "PERMISSIVE") -> Wanted:
    """All rows, with these columns of the view of topics."""
    return Wanted(
        view="TopicRecord",
        columns=columns or ("offset", "partitionLeaderEpoch", "nodeId", "committed", "name"),
        record_types=None,
        start_offset=0,
        end_offset=None,
        start_timestamp_ms=None,
        end_timestamp_ms=None,
        committed_end=0,
        mode=mode,
    )
