"""Reads control records and images from the metadata log's directory.

Everything here blocks and runs in a worker thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from kafkaproto.records.batch import iterate_batches
from kafkaproto.snapshot import SnapshotId
from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.control import RecordedControl
from kafkaproto_server.core.raft.wire import recorded_control
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.snapshots.snapshot_contents import controls_of_snapshot
from kafkaproto_server.shell.quorum.snapshots.snapshotting import read_image
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore

READ_BYTES = 1024 * 1024
"""How much of the log is read at once."""


def position_of(snapshot_id: SnapshotId) -> OffsetAndEpoch:
    """A snapshot's id in the form of the Raft core."""
    return OffsetAndEpoch(offset=snapshot_id.end_offset, epoch=snapshot_id.epoch)


def snapshot_id_of(position: OffsetAndEpoch) -> SnapshotId:
    """A snapshot's id in the form of storage."""
    return SnapshotId(end_offset=position.offset, epoch=position.epoch)


def snapshot_controls(snapshots: SnapshotStore, snapshot_id: SnapshotId) -> tuple[RecordedControl, ...]:
    """KRAFT_VERSION and KRAFT_VOTERS of a snapshot, with the offset right before the snapshot's end.

    Raises CorruptFileError, FileNotFoundError.
    """
    with closing(snapshots.read(snapshot_id)) as records:
        return controls_of_snapshot(records, snapshot_id.end_offset)


def log_controls(log: Log, start_offset: int) -> Iterator[RecordedControl]:
    """KRAFT_VERSION and KRAFT_VOTERS records of the log from an offset on."""
    # What lies before is in a snapshot.
    offset = max(start_offset, log.log_start_offset)
    while offset < log.log_end_offset:
        for batch in iterate_batches(log.read(offset, READ_BYTES)):
            # Data batches are passed over undecoded, or a start would read every record of the log.
            if batch.is_control:
                for record in batch.records():
                    control = recorded_control(record.offset, record.key, record.value)
                    # A read begins with the batch that holds the offset, which may begin before it.
                    if control is not None and control.offset >= start_offset:
                        yield control
            # By batches, so that each read begins where one ends.
            offset = batch.next_offset


def newest_image(snapshots: SnapshotStore) -> ClusterImage | None:
    """The image in the newest snapshot; None if there is no snapshot yet.

    Raises as `read_image` does, but not for a file that has been deleted meanwhile.
    """
    # The 0-0 snapshot holds voters, and records that the first active controller writes into the log. Until it has
    # done that, they are not the cluster's metadata.
    while (latest := snapshots.latest()) is not None and latest != BOOTSTRAP_SNAPSHOT_ID:
        try:
            return read_image(snapshots, latest)
        except FileNotFoundError:
            # The log cleaner has deleted it, so there is a newer one.
            continue
    return None
