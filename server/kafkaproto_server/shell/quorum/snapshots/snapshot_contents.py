"""What a snapshot holds: makes its bytes of an image, and an image and control records of what was read from it.

Nothing here waits or touches a file, so the simulator uses it unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafkaproto.records.control import encode_control_record
from kafkaproto.snapshot import ControlRecord, SnapshotId, build_snapshot
from kafkaproto_server.core.raft.values.control import RecordedControl
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.core.raft.wire import recorded_control
from kafkaproto_server.metadata.image.collector import no_garbage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.snapshot import image_from_values, image_values
from kafkaproto_server.shell.storage.metadata.bootstrap import voters_record
from kafkaproto_server.shell.storage.metadata.snapshot_file import take_header

BATCH_BYTES = 16 * 1024
"""Size of the batches in a snapshot. Encoding one takes some tenths of a millisecond, and nothing else gets a turn
meanwhile; Kafka allows 8 MiB."""


def snapshot_id_of_image(image: ClusterImage) -> SnapshotId:
    """The id of the snapshot that holds the image."""
    # The end is exclusive (KIP-630).
    return SnapshotId(epoch=image.epoch, end_offset=image.offset + 1)


def snapshot_pieces(
    image: ClusterImage, *, kraft_version: int, voters: VoterSet | None, timestamp_ms: int
) -> Iterator[bytes]:
    """The bytes of a snapshot of ``image``, a piece at a time. A piece may be empty.

    ``kraft_version`` and ``voters`` are those in force at the snapshot's end, ``timestamp_ms`` is the time of writing.
    """
    return build_snapshot(
        image_values(image),
        epoch=image.epoch,
        timestamp_ms=timestamp_ms,
        last_contained_log_timestamp=image.timestamp_ms,
        kraft_version=kraft_version,
        # Static voters are in no snapshot: at kraft.version 0 each node has them in its
        # configuration.
        voters=None if voters is None else voters_record(voters.voters),
        max_batch_bytes=BATCH_BYTES,
    )


def image_of_snapshot(records: Iterator[ControlRecord | bytes], snapshot_id: SnapshotId) -> ClusterImage:
    """The image in a snapshot with these records.

    Raises RemoteProtocolError if a record is of an unknown kind, ReplayError if records contradict each other.
    Exceptions of ``records`` pass through.
    """
    # It holds the time of the newest record, by which retention judges a snapshot's age.
    header = take_header(records)
    values = (record for record in records if isinstance(record, bytes))
    # An image of many partitions is made of objects without cycles. The collector would walk over
    # them again and again.
    with no_garbage():
        return image_from_values(
            values,
            offset=snapshot_id.end_offset - 1,
            epoch=snapshot_id.epoch,
            timestamp_ms=header.last_contained_log_timestamp,
        )


def controls_of_snapshot(
    records: Iterable[ControlRecord | bytes], end_offset: int
) -> tuple[RecordedControl, ...]:
    """KRAFT_VERSION and KRAFT_VOTERS of a snapshot with these records, with the offset right before its end.

    Exceptions of ``records`` pass through.
    """
    found = []
    for record in records:
        # They follow the header; the records after them may be many.
        if not isinstance(record, ControlRecord):
            break
        # Encoded again, so that records of a snapshot and of the log go through one decoder.
        key, value = encode_control_record(record.type, record.message)
        control = recorded_control(end_offset - 1, key, value)
        if control is not None:
            found.append(control)
    return tuple(found)
