"""Snapshots of the metadata log as bytes and names (KIP-630). This module does no I/O, as `log` does none.

``00000000000000000100-0000000003.checkpoint`` holds the state as of all records below offset 100; the last of these is
of epoch 3. The file consists of batches whose offsets count from 0. The first is a control batch with SNAPSHOT_HEADER,
followed by KRAFT_VERSION and KRAFT_VOTERS if the quorum has them. Then come batches of metadata records, then a
control batch with SNAPSHOT_FOOTER. The two files that formatting a directory makes have the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import MAX_OFFSET, BatchScan
from kafkaproto.message import Message
from kafkaproto.messages import (
    KRaftVersionRecord,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
)
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import HEADER_SIZE, PlainRecord, Record, RecordBatchView, build_batch
from kafkaproto.records.control import ControlRecordType, decode_control_record, encode_control_record

MAX_BATCH_BYTES = 8 * 1024 * 1024
"""Most bytes of a batch that `build_snapshot` makes; a batch with a single record may be larger."""
_RECORD_OVERHEAD = 19
"""Most bytes that a record takes beside its value: three varints of 5 bytes, and 4 single bytes."""

_MAX_EPOCH = 0x7FFF_FFFF
_FILE_NAME = re.compile(r"([0-9]{20})-([0-9]{10})\.checkpoint")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class SnapshotId:
    """Identifies a snapshot by the state that it holds. Ids compare by epoch first."""

    epoch: int
    """Leader epoch of the last record before ``end_offset``."""
    end_offset: int
    """The first offset that the snapshot does not contain."""


class ControlRecord(NamedTuple):
    """One control record of a snapshot."""

    type: ControlRecordType
    message: Message


def snapshot_file_name(snapshot_id: SnapshotId) -> str:
    """The name of a complete snapshot's file."""
    return f"{snapshot_id.end_offset:020d}-{snapshot_id.epoch:010d}.checkpoint"


def parse_snapshot_file_name(name: str) -> SnapshotId | None:
    """The snapshot id in a file name; None if it is not the name of a complete snapshot."""
    match = _FILE_NAME.fullmatch(name)
    if match is None or int(match[1]) > MAX_OFFSET or int(match[2]) > _MAX_EPOCH:
        return None
    return SnapshotId(epoch=int(match[2]), end_offset=int(match[1]))


def build_snapshot(
    records: Iterable[bytes],
    *,
    epoch: int,
    timestamp_ms: int,
    last_contained_log_timestamp: int,
    kraft_version: int = 0,
    voters: VotersRecord | None = None,
    max_batch_bytes: int = MAX_BATCH_BYTES,
) -> Iterator[bytes]:
    """The batches of a snapshot, to be written one after the other.

    ``records`` are framed metadata records; ``epoch`` is that of the snapshot's id. An empty element of ``records`` is
    no record: it becomes an empty batch at once, so that a caller which writes in slices can pause there too.
    ``kraft_version`` and ``voters`` are those in force at the end offset; both are left out if the version is 0.
    Raises LocalProtocolError if one of them cannot be encoded.
    """
    header = SnapshotHeaderRecord(last_contained_log_timestamp=last_contained_log_timestamp)
    controls = [_control(ControlRecordType.SNAPSHOT_HEADER, header)]
    if kraft_version > 0:
        version = KRaftVersionRecord(kraft_version=kraft_version)
        controls.append(_control(ControlRecordType.KRAFT_VERSION, version))
        # As in Kafka, the version is written, and the voters if they are known at that offset.
        if voters is not None:
            controls.append(_control(ControlRecordType.KRAFT_VOTERS, voters))
    yield build_batch(
        controls, base_offset=0, partition_leader_epoch=epoch, timestamp_ms=timestamp_ms, control=True
    )
    # Offsets count from 0: those of the log are not in the file, except in its name.
    offset = len(controls)
    for batch in _group(records, max_batch_bytes):
        if not batch:
            yield b""
            continue
        yield build_batch(batch, base_offset=offset, partition_leader_epoch=epoch, timestamp_ms=timestamp_ms)
        offset += len(batch)
    yield build_batch(
        [_control(ControlRecordType.SNAPSHOT_FOOTER, SnapshotFooterRecord())],
        base_offset=offset,
        partition_leader_epoch=epoch,
        timestamp_ms=timestamp_ms,
        control=True,
    )


def read_snapshot(buffer: Buffer) -> Iterator[ControlRecord | bytes]:
    """The records of a whole snapshot: control records decoded, metadata records still framed.

    Raises RemoteProtocolError, with a position in ``buffer``, if a batch is not valid, the header is not the first
    record, the footer is not the last, or a metadata record has a key or no value. Whether the footer is there is
    known only at the end. So the records count only if nothing was raised.
    """
    scan = BatchScan(buffer)
    return records_of_snapshot(_with_positions(scan))


def _with_positions(scan: BatchScan) -> Iterator[tuple[int, RecordBatchView]]:
    for batch in scan:
        yield batch.position, batch
    if scan.fault is not None:
        raise scan.fault


def records_of_snapshot(
    batches: Iterable[tuple[int, RecordBatchView]], *, controls_only: bool = False
) -> Iterator[ControlRecord | bytes]:
    """The same for a snapshot that comes as batches. Each batch is checked already, and comes with its position in the
    file.

    ``controls_only`` leaves out metadata records and does not look at them. Exceptions of ``batches`` pass through.
    """
    last: ControlRecord | bytes | None = None
    end = 0
    for position, batch in batches:
        end = position + batch.size_in_bytes
        has_ended = _is(last, ControlRecordType.SNAPSHOT_FOOTER)
        # The first batch and what follows the footer are examined all the same: the form depends on
        # them.
        if controls_only and not batch.is_control and last is not None and not has_ended:
            continue
        for record in _records(position, batch):
            current = _decode(record, batch.is_control, position)
            if _is(last, ControlRecordType.SNAPSHOT_FOOTER):
                raise RemoteProtocolError("a record follows the snapshot's footer", offset=position)
            if _is(current, ControlRecordType.SNAPSHOT_HEADER) != (last is None):
                raise RemoteProtocolError(
                    "a snapshot begins with SNAPSHOT_HEADER and has no other", offset=position
                )
            yield current
            last = current
    # A file that was cut off at a batch's end is valid up to there. Only the footer shows that it
    # is whole.
    if not _is(last, ControlRecordType.SNAPSHOT_FOOTER):
        raise RemoteProtocolError("the snapshot ends without SNAPSHOT_FOOTER", offset=end)


def _records(position: int, batch: RecordBatchView) -> Iterator[Record]:
    try:
        yield from batch.records()
    except RemoteProtocolError as error:
        if error.offset is not None:
            error.offset += position - batch.position
        raise


def _control(record_type: ControlRecordType, message: Message) -> PlainRecord:
    key, value = encode_control_record(record_type, message)
    return key, value, ()


def _group(records: Iterable[bytes], max_batch_bytes: int) -> Iterator[list[PlainRecord]]:
    batch: list[PlainRecord] = []
    size = HEADER_SIZE
    for record in records:
        if not record:
            yield []
            continue
        if batch and size + _RECORD_OVERHEAD + len(record) > max_batch_bytes:
            yield batch
            batch = []
            size = HEADER_SIZE
        batch.append((None, record, ()))
        size += _RECORD_OVERHEAD + len(record)
    if batch:
        yield batch


def _decode(record: Record, is_control: bool, position: int) -> ControlRecord | bytes:
    if is_control:
        try:
            return ControlRecord(*decode_control_record(record.key, record.value))
        except RemoteProtocolError as error:
            error.offset = position
            raise
    if record.key is not None or not record.value:
        raise RemoteProtocolError(
            f"metadata record {record.offset} of the snapshot has a key or no value", offset=position
        )
    return record.value


def _is(record: ControlRecord | bytes | None, record_type: ControlRecordType) -> bool:
    return isinstance(record, ControlRecord) and record.type is record_type
