"""The sources of metadata for ``kafka-metadata-shell``: a snapshot, a directory with a metadata log, or a running
quorum.

Each source is read up to an offset, or to its end. Files do not say what is committed, so a log in a directory counts
as committed to its end, as in Kafka's shell. A running quorum is read as an observer reads it, with FetchSnapshot and
Fetch, but with the replica id of a reader (-1), which no leader counts as a replica. Uncommitted records are not read.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import StopReason, parse_segment_file_name
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.control import ControlRecordType, decode_control_record
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto.snapshot import ControlRecord, SnapshotId, parse_snapshot_file_name, snapshot_file_name
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import METADATA_LOG_NAME
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import MetadataLoader
from kafkaproto_server.metadata.image.snapshot import image_from_values
from kafkaproto_server.shell.process.image_building import no_garbage
from kafkaproto_server.shell.storage.log.scan import FileScan
from kafkaproto_server.shell.storage.metadata.snapshot_file import (
    BOOTSTRAP_SNAPSHOT_ID,
    read_snapshot_file,
    take_header,
)

_SNAPSHOT_NAMES = "<end offset>-<epoch>.checkpoint"


class SourceError(Exception):
    """The requested metadata does not exist, or cannot be read. The message says what and where."""


def image_of_snapshot(disk: Disk, path: str, snapshot_id: SnapshotId) -> ClusterImage:
    """The image in a snapshot's file. Raises SourceError, OSError, CorruptFileError."""
    return image_of_records(read_snapshot_file(disk, path), path, snapshot_id)


def image_of_records(
    records: Iterable[ControlRecord | bytes], where: str, snapshot_id: SnapshotId
) -> ClusterImage:
    """The image that the records of a snapshot, header first, describe. Raises SourceError."""
    records = iter(records)
    header = take_header(records)
    values = (record for record in records if isinstance(record, bytes))
    try:
        with no_garbage():
            return image_from_values(
                values,
                offset=snapshot_id.end_offset - 1,
                epoch=snapshot_id.epoch,
                timestamp_ms=header.last_contained_log_timestamp,
            )
    except (ReplayError, RemoteProtocolError) as error:
        raise SourceError(f"{where}: {error}") from error


class ImageReplay:
    """Replays batches on an image, up to an offset if one is given."""

    def __init__(self, where: str, at: int | None) -> None:
        self._where = where
        self._at = at
        self._loader = MetadataLoader()
        self.epoch = -1
        """Leader epoch of the last record that was read."""

    @property
    def image(self) -> ClusterImage:
        """The newest state, without an open metadata transaction."""
        return self._loader.image

    @property
    def next_offset(self) -> int:
        """The offset at which the next batch has to begin."""
        return self._loader.next_offset

    @property
    def is_done(self) -> bool:
        """Whether the given offset was reached; always False without one."""
        return self._at is not None and self.next_offset > self._at

    def load_snapshot(self, image: ClusterImage) -> None:
        """Begin with a snapshot's image."""
        self.epoch = image.epoch
        self._loader.load_snapshot(image)

    def take(self, batch: RecordBatchView) -> None:
        """Replay a batch. If it contains the given offset, it is replayed only up to that. Raises SourceError."""
        try:
            self._take(batch)
            self.epoch = batch.partition_leader_epoch
        except (ReplayError, RemoteProtocolError) as error:
            raise SourceError(f"{self._where}, batch of offset {batch.base_offset}: {error}") from error

    def _take(self, batch: RecordBatchView) -> None:
        last_offset = batch.last_offset if self._at is None else min(batch.last_offset, self._at)
        if last_offset < self.next_offset:
            return
        if batch.base_offset > self.next_offset:
            raise SourceError(
                f"{self._where} has no record of offset {self.next_offset}: offset {batch.base_offset} follows"
            )
        if batch.is_control:
            self._loader.load_control_batch(
                last_offset=last_offset, epoch=batch.partition_leader_epoch, timestamp_ms=batch.max_timestamp
            )
            return
        records = [
            decode_metadata_record(record.value or b"")[0]
            for record in batch.records()
            if self.next_offset <= record.offset <= last_offset
        ]
        self._loader.load_batch(
            base_offset=self.next_offset,
            epoch=batch.partition_leader_epoch,
            timestamp_ms=batch.max_timestamp,
            records=records,
        )


# -- files ---------------------------------------------------------------------------------------------------------


def load_file(disk: Disk, path: str, at: int | None) -> ClusterImage:
    """The image in a snapshot or in a log's first segment. Raises SourceError, OSError, CorruptFileError.

    A file's content, not its name, decides which of them it is: a copied file may have any name. But only its name says
    which offset a snapshot represents. If it does not, as with ``bootstrap.checkpoint``, the offset is -1.
    """
    epoch = _epoch_of_snapshot(disk, path)
    if epoch is None:
        replay = ImageReplay(path, at)
        _replay_segment(disk, path, replay)
        return _finished(replay, path, at)
    named = parse_snapshot_file_name(path.rpartition("/")[2])
    if at is not None and named is None:
        raise SourceError(
            f"{path} is a snapshot whose name, unlike {_SNAPSHOT_NAMES}, tells no offset; leave out --at"
        )
    if named is not None and at not in (None, named.end_offset - 1):
        raise SourceError(
            f"{path} holds the state at offset {named.end_offset - 1} and no other; "
            "give the directory that it lies in for what its log holds"
        )
    return image_of_snapshot(disk, path, named or SnapshotId(epoch=epoch, end_offset=0))


def _epoch_of_snapshot(disk: Disk, path: str) -> int | None:
    """The epoch of a file that begins as a snapshot does; None for one that begins as a log. Raises SourceError."""
    file = disk.open_read_only(path)
    try:
        scan = FileScan(file)
        first = next(iter(scan), None)
    finally:
        file.close()
    if first is None:
        reason = "it is empty" if scan.fault is None else f"at byte {scan.valid_end}: {scan.fault}"
        raise SourceError(
            f"{path} is neither a snapshot, {_SNAPSHOT_NAMES}, nor a segment, <offset>.log: {reason}"
        )
    _, batch = first
    if not batch.is_control:
        return None
    try:
        record = next(batch.records())
        kind, _ = decode_control_record(record.key, record.value)
    except RemoteProtocolError as error:
        raise SourceError(f"{path} at byte 0: {error}") from error
    return batch.partition_leader_epoch if kind is ControlRecordType.SNAPSHOT_HEADER else None


def load_directory(disk: Disk, directory: str, at: int | None) -> ClusterImage:
    """The image at the end of a metadata log, or at one of its offsets: the newest snapshot up to there, and the log
    after it. The directory is that of the log, or the node's directory that contains it. Raises SourceError, OSError,
    CorruptFileError."""
    names = disk.list_directory(directory)
    if METADATA_LOG_NAME in names:
        return load_directory(disk, f"{directory}/{METADATA_LOG_NAME}", at)
    segments = sorted((base, name) for name in names if (base := parse_segment_file_name(name)) is not None)
    found = sorted(each for name in names if (each := parse_snapshot_file_name(name)) is not None)
    if not segments and not found:
        raise SourceError(
            f"{directory} holds neither snapshots nor a log; metadata lies in {METADATA_LOG_NAME}"
        )
    replay = ImageReplay(directory, at)
    # The snapshot that formatting writes contains no metadata, and represents no offset.
    snapshots = [each for each in found if each != BOOTSTRAP_SNAPSHOT_ID]
    usable = [each for each in snapshots if at is None or each.end_offset <= at + 1]
    if usable:
        path = f"{directory}/{snapshot_file_name(usable[-1])}"
        replay.load_snapshot(image_of_snapshot(disk, path, usable[-1]))
    elif at is not None and snapshots and (not segments or segments[0][0] > 0):
        raise SourceError(
            f"{directory} does not hold offset {at} any more: it begins at {snapshots[0].end_offset - 1}"
        )
    for index, (_, name) in enumerate(segments):
        is_needed = index + 1 == len(segments) or segments[index + 1][0] > replay.next_offset
        if is_needed and not replay.is_done:
            _replay_segment(disk, f"{directory}/{name}", replay)
    return _finished(replay, directory, at)


def _replay_segment(disk: Disk, path: str, replay: ImageReplay) -> None:
    file = disk.open_read_only(path)
    try:
        scan = FileScan(file)
        for _, batch in scan:
            if replay.is_done:
                return
            replay.take(batch)
        # An incomplete batch is one that a server is still writing, or that it would cut off.
        if scan.fault is not None and scan.stop_reason is not StopReason.PARTIAL:
            raise SourceError(
                f"{path} is damaged at byte {scan.valid_end}: {scan.fault}; "
                f"--at {replay.next_offset - 1} shows what is before"
            )
    finally:
        file.close()


def _finished(replay: ImageReplay, where: str, at: int | None) -> ClusterImage:
    if at is not None and not replay.is_done:
        raise SourceError(f"{where} ends at offset {replay.next_offset - 1}; there is no offset {at} yet")
    return replay.image
