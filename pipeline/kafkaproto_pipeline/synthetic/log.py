"""The log of a synthetic history while it grows: what its leader appends, when, and to the files of which replicas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafkaproto.message import Message
from kafkaproto.messages import VotersRecord
from kafkaproto.records.batch import PlainRecord, build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import SnapshotId, build_snapshot
from kafkaproto_pipeline.synthetic.files import Batch, SyntheticReplica, SyntheticSnapshot
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import CORDONED_DIRECTORIES_LEVEL, record_version
from kafkaproto_server.metadata.image.snapshot import image_values

METADATA_VERSION = CORDONED_DIRECTORIES_LEVEL
"""The cluster runs at the newest level that the image knows."""
KRAFT_VERSION = 1
MAX_RECORDS_PER_BATCH = 10_000
"""As many as a controller writes at once; what takes more goes into several batches."""


class HistoryLog:
    """Appends to every replica. ``now_ms`` is the clock, which the history sets."""

    def __init__(self, replicas: Sequence[SyntheticReplica], start_ms: int, voters: VotersRecord) -> None:
        self._replicas = replicas
        self._voters = voters
        self.now_ms = start_ms
        self.next_offset = 0
        self.epoch = 0
        self.size = 0
        """Bytes of all batches."""
        self.record_count = 0
        self.batch_count = 0

    def append(self, records: Sequence[Message]) -> None:
        """Write metadata records, in one batch if they fit."""
        for start in range(0, len(records), MAX_RECORDS_PER_BATCH):
            part = records[start : start + MAX_RECORDS_PER_BATCH]
            self._append(
                [
                    (None, encode_metadata_record(each, record_version(each, METADATA_VERSION)), ())
                    for each in part
                ],
                control=False,
            )

    def append_control(self, records: Iterable[tuple[ControlRecordType, Message]]) -> None:
        """Write records of the quorum itself, in one batch."""
        self._append([(*encode_control_record(kind, message), ()) for kind, message in records], control=True)

    def snapshot(self, image: ClusterImage) -> None:
        """Have every replica write a snapshot of the image, which is that of the log's end."""
        batches = build_snapshot(
            image_values(image),
            epoch=self.epoch,
            timestamp_ms=self.now_ms,
            last_contained_log_timestamp=self.now_ms,
            kraft_version=KRAFT_VERSION,
            voters=self._voters,
        )
        snapshot_id = SnapshotId(epoch=self.epoch, end_offset=self.next_offset)
        snapshot = SyntheticSnapshot(id=snapshot_id, batches=list(batches))
        for replica in self._replicas:
            replica.add(snapshot)

    def _append(self, records: Sequence[PlainRecord], *, control: bool) -> None:
        data = build_batch(
            records,
            base_offset=self.next_offset,
            partition_leader_epoch=self.epoch,
            timestamp_ms=self.now_ms,
            control=control,
        )
        batch = Batch(
            data=data,
            base_offset=self.next_offset,
            next_offset=self.next_offset + len(records),
            epoch=self.epoch,
            timestamp_ms=self.now_ms,
        )
        for replica in self._replicas:
            replica.add(batch)
        self.next_offset = batch.next_offset
        self.size += len(data)
        self.record_count += len(records)
        self.batch_count += 1
