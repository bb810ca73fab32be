"""What the disks have of partitions and brokers: the committed records of metadata logs, and the images of snapshots.

Who asks does so again and again, so each batch and each snapshot is read once, until its file is another one, or was
changed anywhere but at its end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name, segment_file_name
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
)
from kafkaproto.records.batch import RecordBatchView, iterate_batches
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.snapshots.snapshotting import read_image
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from tests.sim.disk import _Node
from tests.sim.nodes.disks import LOG_DIRECTORY
from tests.sim.nodes.host import Host

PartitionId: TypeAlias = tuple[bytes, int]
"""Topic id and partition index."""

_FENCE = 1
"""In a BrokerRegistrationChangeRecord."""


@dataclass(slots=True, eq=False)
class Batch:
    """What one batch of records says."""

    base_offset: int
    reach: int
    """The highest next offset of the batches of the segment up to this one."""
    changes: dict[PartitionId, list[PartitionRecord | PartitionChangeRecord]]
    out: frozenset[int]
    """Brokers that it fences, or that register with it."""
    registered: dict[int, bytes]
    """The incarnation of each of those that register."""


@dataclass(slots=True, eq=False)
class _Segment:
    node: _Node
    rewrites: int
    end: int = 0
    """Up to which position it was read."""
    reach: int = 0
    """The highest next offset so far."""
    changes: defaultdict[PartitionId, list[Batch]] = field(default_factory=lambda: defaultdict(list))
    registrations: list[Batch] = field(default_factory=list)
    damaged: list[tuple[int, int, RemoteProtocolError]] = field(default_factory=list)
    """Base offset and reach of each batch whose records cannot be read."""
    broken: RemoteProtocolError | None = None
    """Why nothing can be read behind its end."""

    def holds(self, node: _Node) -> bool:
        """Whether all that was read of it is still there."""
        return self.node is node and self.rewrites == node.rewrites

    def read_on(self) -> None:
        """Read what was added."""
        data = self.node.data
        if len(data) == self.end:
            return
        self.broken = None
        begin, added = self.end, bytes(memoryview(data)[self.end :])
        try:
            for batch in iterate_batches(added):
                self._read(batch)
                self.end = begin + batch.position + batch.size_in_bytes
        except RemoteProtocolError as error:
            self.broken = error

    def _read(self, batch: RecordBatchView) -> None:
        self.reach = max(self.reach, batch.next_offset)
        if batch.is_control:
            return
        try:
            records = [decode_metadata_record(record.value or b"")[0] for record in batch.records()]
        except RemoteProtocolError as error:
            self.damaged.append((batch.base_offset, self.reach, error))
            return
        said = _batch(batch.base_offset, self.reach, records)
        for partition_id in said.changes:
            self.changes[partition_id].append(said)
        if said.registered:
            self.registrations.append(said)

    def check(self, begin: int, committed: int) -> None:
        """Raise RemoteProtocolError if a committed batch from an offset on cannot be read."""
        for base_offset, reach, error in self.damaged:
            if reach <= committed and base_offset >= begin:
                raise error
        if self.broken is not None and self.reach <= committed:
            raise self.broken


def _batch(base_offset: int, reach: int, records: list[Message]) -> Batch:
    changes: dict[PartitionId, list[PartitionRecord | PartitionChangeRecord]] = {}
    out: set[int] = set()
    registered: dict[int, bytes] = {}
    for each in records:
        if isinstance(each, PartitionRecord | PartitionChangeRecord):
            changes.setdefault((each.topic_id, each.partition_id), []).append(each)
        elif isinstance(each, RegisterBrokerRecord):
            registered[each.broker_id] = bytes(each.incarnation_id)
            out.add(each.broker_id)
        elif isinstance(each, BrokerRegistrationChangeRecord) and each.fenced == _FENCE:
            out.add(each.broker_id)
    return Batch(base_offset, reach, changes, frozenset(out), registered)


class MetadataLog:
    """That of one host, whose node runs."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._segments: dict[int, _Segment] = {}
        self._images: dict[str, tuple[_Node, int, int, ClusterImage | Exception]] = {}
        """By path: the file, its rewrites and its size when the image was read, or what kept it from being read."""

    @property
    def _committed(self) -> int:
        assert self._host.quorum is not None, "the node runs"
        return self._host.quorum.published.high_watermark

    def changes(self, partition_id: PartitionId, begin: int) -> Iterator[Batch]:
        """The committed batches from an offset on with records of a partition. Raises RemoteProtocolError if a batch
        from there on is damaged."""
        for segment in self._read(begin):
            for batch in segment.changes.get(partition_id, ()):
                if batch.reach > self._committed:
                    break
                if batch.base_offset >= begin:
                    yield batch

    def registered(self, broker_id: int, begin: int, end: int) -> bytes | None:
        """The incarnation that registered last as a broker, in a batch between two offsets."""
        found = None
        for segment in self._read(begin):
            for batch in segment.registrations:
                if begin <= batch.base_offset < end:
                    found = batch.registered.get(broker_id, found)
        return found

    def begins_by(self, offset: int) -> bool:
        """Whether nothing is missing from an offset on."""
        return any(base <= offset for base in self._bases())

    def _bases(self) -> list[int]:
        """Where each segment begins."""
        found = (
            parse_segment_file_name(name, LOG_SUFFIX)
            for name in self._host.disk._names.children.get(LOG_DIRECTORY, ())
        )
        return sorted(base for base in found if base is not None)

    def _read(self, begin: int) -> Iterator[_Segment]:
        """The segments of what is committed."""
        names = self._host.disk._names
        for base in self._bases():
            node = names[f"{LOG_DIRECTORY}/{segment_file_name(base)}"]
            segment = self._segments.get(base)
            if segment is None or not segment.holds(node):
                segment = self._segments[base] = _Segment(node, node.rewrites)
            segment.read_on()
            segment.check(begin, self._committed)
            yield segment
            if segment.reach > self._committed:
                return

    def images(self) -> Iterator[tuple[int, ClusterImage]]:
        """End offset and image of each snapshot, the newest first. Raises RemoteProtocolError or StorageError if one is
        damaged."""
        store = SnapshotStore(self._host.disk, LOG_DIRECTORY)
        with self._host.disk.looked_at():
            snapshot_ids = store.ids()
        for snapshot_id in sorted(snapshot_ids, key=lambda each: each.end_offset, reverse=True):
            if snapshot_id == BOOTSTRAP_SNAPSHOT_ID:
                continue
            path = store.path(snapshot_id)
            node = self._host.disk._names[path]
            state = node, node.rewrites, len(node.data)
            known = self._images.get(path)
            if known is None or known[:3] != state:
                try:
                    with self._host.disk.looked_at():
                        found: ClusterImage | Exception = read_image(store, snapshot_id)
                except (RemoteProtocolError, StorageError) as error:
                    found = error
                for gone in self._images.keys() - self._host.disk._names.keys():
                    del self._images[gone]
                known = self._images[path] = (*state, found)
            image = known[3]
            if isinstance(image, Exception):
                raise image
            yield snapshot_id.end_offset, image
