"""The files of one node's metadata log as a controller leaves them: segments, indexes, snapshots, checkpoints.

A follower's log ends some batches before its leader's. So new batches of a replica wait in a short queue, and at the
end each replica drops as many of the newest batches as it lags behind.
"""

from __future__ import annotations

import json
from collections import deque
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
from kafkaproto.messages import QuorumStateData
from kafkaproto.snapshot import SnapshotId, snapshot_file_name
from kafkaproto_server.base.types import METADATA_TOPIC, METADATA_TOPIC_ID

INDEX_INTERVAL_BYTES = 4096
WRITE_BYTES = 1 << 20
MAX_LAG_BATCHES = 32
"""How many of the newest batches wait, so that a replica may end before them."""
DATA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One batch of the log, on its way into the files."""

    data: bytes
    base_offset: int
    next_offset: int
    epoch: int
    timestamp_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticSnapshot:
    """A snapshot, on its way into a file."""

    id: SnapshotId
    batches: Sequence[bytes]


@dataclass(slots=True, kw_only=True)
class _Segment:
    """The segment that is being written."""

    base_offset: int
    path: Path
    size: int = 0
    unwritten: bytearray = field(default_factory=bytearray)
    indexed_position: int = 0
    offset_entries: bytearray = field(default_factory=bytearray)
    time_entries: bytearray = field(default_factory=bytearray)
    newest: TimeIndexEntry
    """The largest timestamp so far, and where."""
    indexed_timestamp: int = -1


class SyntheticReplica:
    """The metadata log of one node, written from its beginning to its end."""

    def __init__(
        self, directory: Path, *, cluster_id: str, node_id: int, directory_id: bytes, segment_bytes: int
    ) -> None:
        """Create the directory; raises FileExistsError if there is a log in it already."""
        self.node_id = node_id
        self._log = directory / f"{METADATA_TOPIC}-0"
        self._log.mkdir(parents=True)
        self._segment_bytes = segment_bytes
        self._waiting: deque[Batch | SyntheticSnapshot] = deque()
        self._waiting_batches = 0
        self._segment: _Segment | None = None
        self._epochs: list[tuple[int, int]] = []
        self.end_offset = 0
        meta = {
            "version": "1",
            "cluster.id": cluster_id,
            "node.id": str(node_id),
            "directory.id": uuids.to_text(directory_id),
        }
        lines = "".join(f"{key}={value}\n" for key, value in meta.items())
        (directory / "meta.properties").write_text(f"#\n#synthetic\n{lines}")
        topic_id = uuids.to_text(METADATA_TOPIC_ID)
        (self._log / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")

    def add(self, entry: Batch | SyntheticSnapshot) -> None:
        """Take in the next batch, or a snapshot of all that was taken in."""
        self._waiting.append(entry)
        if isinstance(entry, Batch):
            self._waiting_batches += 1
        while self._waiting_batches > MAX_LAG_BATCHES:
            self._write_next()

    def finish(self, *, lag_batches: int, leader_id: int, leader_directory_id: bytes, epoch: int) -> None:
        """Write all but the newest batches, and what a node leaves at its end."""
        assert lag_batches <= MAX_LAG_BATCHES, f"a lag of {lag_batches} batches"
        while self._waiting_batches > lag_batches or (
            self._waiting and isinstance(self._waiting[0], SyntheticSnapshot)
        ):
            self._write_next()
        self._close_segment()
        epochs = "".join(f"{epoch} {start}\n" for epoch, start in self._epochs)
        (self._log / "leader-epoch-checkpoint").write_text(f"0\n{len(self._epochs)}\n{epochs}")
        state = QuorumStateData(
            leader_id=leader_id,
            leader_epoch=epoch,
            voted_id=leader_id,
            voted_directory_id=leader_directory_id,
        )
        document = {**state.to_json(DATA_VERSION), "data_version": DATA_VERSION}
        (self._log / "quorum-state").write_text(json.dumps(document, separators=(",", ":")))

    def _write_next(self) -> None:
        entry = self._waiting.popleft()
        if isinstance(entry, Batch):
            self._waiting_batches -= 1
            self._append(entry)
            return
        with (self._log / snapshot_file_name(entry.id)).open("xb") as file:
            file.writelines(entry.batches)

    def _append(self, batch: Batch) -> None:
        segment = self._segment
        if segment is None or segment.size + len(batch.data) > self._segment_bytes:
            segment = self._roll(batch)
        if batch.timestamp_ms > segment.newest.timestamp:
            segment.newest = TimeIndexEntry(batch.timestamp_ms, batch.next_offset - 1)
        if segment.size - segment.indexed_position > INDEX_INTERVAL_BYTES:
            entry = OffsetIndexEntry(batch.next_offset - 1, segment.size)
            segment.offset_entries += encode_offset_index_entry(segment.base_offset, entry)
            segment.indexed_position = segment.size
            _index_time(segment)
        if not self._epochs or self._epochs[-1][0] != batch.epoch:
            self._epochs.append((batch.epoch, batch.base_offset))
        segment.unwritten += batch.data
        segment.size += len(batch.data)
        if len(segment.unwritten) >= WRITE_BYTES:
            _write(segment)
        self.end_offset = batch.next_offset

    def _roll(self, batch: Batch) -> _Segment:
        self._close_segment()
        self._segment = _Segment(
            base_offset=batch.base_offset,
            path=self._log / segment_file_name(batch.base_offset),
            newest=TimeIndexEntry(-1, batch.base_offset),
        )
        return self._segment

    def _close_segment(self) -> None:
        segment = self._segment
        if segment is None:
            return
        _write(segment)
        _index_time(segment)
        for suffix, entries in (
            (OFFSET_INDEX_SUFFIX, segment.offset_entries),
            (TIME_INDEX_SUFFIX, segment.time_entries),
        ):
            (self._log / segment_file_name(segment.base_offset, suffix)).write_bytes(entries)
        self._segment = None


def _write(segment: _Segment) -> None:
    with segment.path.open("ab", buffering=0) as file:
        file.write(segment.unwritten)
    segment.unwritten = bytearray()


def _index_time(segment: _Segment) -> None:
    """One more entry of the time index, unless the last one says as much."""
    if segment.newest.timestamp > segment.indexed_timestamp:
        segment.time_entries += encode_time_index_entry(segment.base_offset, segment.newest)
        segment.indexed_timestamp = segment.newest.timestamp
