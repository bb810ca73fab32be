"""Record batches of magic 2: a view of one that lies in a buffer, and building one.

A batch is a header of 61 bytes and its records, which may be compressed as one block (KIP-98, KIP-482)::

    offset  field                   type
    0       base offset             int64
    8       batch length            int32   bytes that follow this field
    12      partition leader epoch  int32   outside the checksum, so that a leader can stamp it
    16      magic                   int8    2; at the same place in the older formats
    17      crc                     uint32  CRC-32C of everything from the attributes on
    21      attributes              int16   bits 0-2 compression, 3 timestamp type, 4 transactional,
                                            5 control, 6 delete horizon
    23      last offset delta       int32
    27      base timestamp          int64   milliseconds; the delete horizon if bit 6 is set
    35      max timestamp           int64
    43      producer id             int64
    51      producer epoch          int16
    53      base sequence           int32
    57      record count            int32
    61      records                         see `record`

The older message formats, magic 0 and 1, are recognized by their magic and refused here. No broker of Kafka 4 accepts
them (KIP-724), but disks may have them still: `legacy` reads them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from struct import error as StructError
from typing import NamedTuple

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer
from kafkaproto.records.compression import MAX_DECOMPRESSED_BYTES, compress, decompress
from kafkaproto.records.crc32c import crc32c
from kafkaproto.records.record import (
    NewRecord,
    PlainRecord,
    Record,
    encode_records,
    read_records,
    timestamp_of,
)

__all__ = [
    "HEADER_SIZE",
    "LENGTH_END",
    "MAGIC",
    "MAGIC_OFFSET",
    "BatchHeader",
    "NewRecord",
    "PlainRecord",
    "Record",
    "RecordBatchView",
    "TimestampType",
    "assign_offsets",
    "build_batch",
    "iterate_batches",
]

MAGIC = 2
HEADER_SIZE = 61
LENGTH_END = 12
"""End of the length field; the batch length counts from here."""
MAGIC_OFFSET = 16

CRC_START = 21
_MIN_OLD_MESSAGE_LENGTH = 14
"""In magic 0, crc, magic, attributes and two lengths follow the length field; no message is shorter."""

COMPRESSION_MASK = 0x07
TIMESTAMP_TYPE_BIT = 0x08
_TRANSACTIONAL_BIT = 0x10
CONTROL_BIT = 0x20
DELETE_HORIZON_BIT = 0x40

_MAX_OFFSET = 2**63 - 1

_INT64: Callable[[Buffer, int], tuple[int]] = Struct(">q").unpack_from
_INT32: Callable[[Buffer, int], tuple[int]] = Struct(">i").unpack_from
_UINT32: Callable[[Buffer, int], tuple[int]] = Struct(">I").unpack_from
_INT16: Callable[[Buffer, int], tuple[int]] = Struct(">h").unpack_from
_BEFORE_CRC = Struct(">qiibI")
_AFTER_CRC = Struct(">hiqqqhii")
_HEADER: Callable[[Buffer, int], tuple[int, ...]] = Struct(">qiibIhiqqqhii").unpack_from
_BASE_OFFSET = Struct(">q")
_EPOCH = Struct(">i")


class TimestampType(enum.IntEnum):
    """The origin of the records' timestamps: the producer, or the log that they were appended to."""

    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


class BatchHeader(NamedTuple):
    """All fields of a batch's header, read at once (`RecordBatchView.header`)."""

    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def last_offset(self) -> int:
        """Offset of the last record."""
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """The first offset after the batch."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def compression(self) -> int:
        """A number of `Compression`, or one of 5 to 7, which mean nothing."""
        return self.attributes & COMPRESSION_MASK

    @property
    def is_transactional(self) -> bool:
        """Whether the batch belongs to a transaction."""
        return self.attributes & _TRANSACTIONAL_BIT != 0

    @property
    def is_control(self) -> bool:
        """Whether the records are control records."""
        return self.attributes & CONTROL_BIT != 0

    @property
    def has_producer_id(self) -> bool:
        """Whether an idempotent producer sent the batch."""
        return self.producer_id >= 0


class RecordBatchView:
    """A view of one batch in a buffer. Fields are read when asked for, nothing is copied.

    If a view exists, the bytes at its position hold a whole batch of magic 2: the constructor raises
    RemoteProtocolError if the bytes end first, the length is impossible or the magic is another. Trust the content
    only after `check`. The view shares the buffer, so it shows what is later written into it.
    """

    __slots__ = ("_buffer", "position")

    position: int
    """The position in the buffer at which the batch starts."""

    def __init__(self, buffer: Buffer, position: int = 0) -> None:
        left = len(buffer) - position
        # The magic is at the same place in all formats, so it can be read before anything else is
        # trusted.
        if left <= MAGIC_OFFSET:
            raise RemoteProtocolError(f"{left} bytes are no record batch", offset=position)
        magic = buffer[position + MAGIC_OFFSET]
        if magic != MAGIC:
            raise _wrong_magic(magic, position)
        length = _INT32(buffer, position + 8)[0]
        # A shorter length would let a view end before its own header does.
        if length < HEADER_SIZE - LENGTH_END:
            raise RemoteProtocolError(f"a record batch cannot have length {length}", offset=position + 8)
        if length > left - LENGTH_END:
            raise RemoteProtocolError(
                f"a record batch of length {length} has only {left - LENGTH_END} bytes", offset=position + 8
            )
        self._buffer = buffer
        self.position = position

    def header(self) -> BatchHeader:
        """All fields of the header. To read them at once takes less time than to read two of them one by one."""
        return BatchHeader._make(_HEADER(self._buffer, self.position))

    @property
    def base_offset(self) -> int:
        """Offset of the first record; it does not change if compaction removes that record."""
        return _INT64(self._buffer, self.position)[0]

    @property
    def first_offset(self) -> int:
        """The base offset. Batches of older formats have another one (`legacy`)."""
        return _INT64(self._buffer, self.position)[0]

    @property
    def batch_length(self) -> int:
        """The length field: bytes of the batch that follow it."""
        return _INT32(self._buffer, self.position + 8)[0]

    @property
    def size_in_bytes(self) -> int:
        """Bytes of the whole batch."""
        return _INT32(self._buffer, self.position + 8)[0] + LENGTH_END

    @property
    def partition_leader_epoch(self) -> int:
        """Epoch of the leader that appended the batch; -1 if no leader has appended it yet. The crc does
        not cover it.
        """
        return _INT32(self._buffer, self.position + 12)[0]

    @property
    def magic(self) -> int:
        """The number of the format, always 2."""
        return self._buffer[self.position + MAGIC_OFFSET]

    @property
    def crc(self) -> int:
        """The checksum in the header."""
        return _UINT32(self._buffer, self.position + 17)[0]

    @property
    def attributes(self) -> int:
        """All attribute bits."""
        return _INT16(self._buffer, self.position + CRC_START)[0]

    @property
    def compression(self) -> int:
        """A number of `Compression`, or one of 5 to 7, which mean nothing."""
        return self.attributes & COMPRESSION_MASK

    @property
    def timestamp_type(self) -> TimestampType:
        """The origin of the records' timestamps."""
        return TimestampType(self.attributes >> 3 & 1)

    @property
    def is_transactional(self) -> bool:
        """Whether the batch belongs to a transaction."""
        return self.attributes & _TRANSACTIONAL_BIT != 0

    @property
    def is_control(self) -> bool:
        """Whether the records are control records."""
        return self.attributes & CONTROL_BIT != 0

    @property
    def delete_horizon_ms(self) -> int | None:
        """When compaction may remove the batch's tombstones; None if compaction has not set it yet (KIP-534)."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON_BIT else None

    @property
    def last_offset_delta(self) -> int:
        """Offset of the last record, counted from the base offset."""
        return _INT32(self._buffer, self.position + 23)[0]

    @property
    def last_offset(self) -> int:
        """Offset of the last record."""
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """The first offset after the batch."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def base_timestamp(self) -> int:
        """The timestamp that the records' deltas are relative to, in milliseconds."""
        return _INT64(self._buffer, self.position + 27)[0]

    @property
    def max_timestamp(self) -> int:
        """Latest timestamp of the records, or the time of the append, in milliseconds."""
        return _INT64(self._buffer, self.position + 35)[0]

    @property
    def producer_id(self) -> int:
        """Id of an idempotent producer; -1 for none."""
        return _INT64(self._buffer, self.position + 43)[0]

    @property
    def producer_epoch(self) -> int:
        """Epoch of that producer; -1 for none."""
        return _INT16(self._buffer, self.position + 51)[0]

    @property
    def base_sequence(self) -> int:
        """The producer's sequence number of the first record; -1 for none."""
        return _INT32(self._buffer, self.position + 53)[0]

    @property
    def record_count(self) -> int:
        """The number of records according to the header; `records` checks it."""
        return _INT32(self._buffer, self.position + 57)[0]

    @property
    def raw(self) -> memoryview:
        """The bytes of the whole batch, not copied."""
        return memoryview(self._buffer)[self.position : self.position + self.size_in_bytes]

    def check(self) -> None:
        """Raise RemoteProtocolError unless the crc is right, no count in the header is negative, and the offsets are
        int64s."""
        # The crc comes first: the fields below are only worth a look if the bytes are those that
        # were sent.
        found = crc32c(self.raw[CRC_START:])
        if found != self.crc:
            raise RemoteProtocolError(
                f"the crc of the record batch with base offset {self.base_offset} is {found:#010x},"
                f" its header says {self.crc:#010x}",
                offset=self.position + 17,
            )
        if self.last_offset_delta < 0:
            raise RemoteProtocolError(
                f"a record batch cannot have last offset delta {self.last_offset_delta}",
                offset=self.position + 23,
            )
        if self.next_offset > _MAX_OFFSET:
            raise RemoteProtocolError(
                f"no offset is {self.last_offset}, as the last one of a record batch", offset=self.position
            )
        if self.record_count < 0:
            raise RemoteProtocolError(
                f"a record batch cannot have {self.record_count} records", offset=self.position + 57
            )

    def records(self, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES) -> Iterator[Record]:
        """The records one after the other; keys and values are copies.

        Raises RemoteProtocolError, before the first record or between two, if the bytes do not hold as many records as
        the header says, or if they decompress to more than ``max_decompressed_bytes``.
        """
        data = self.plain_records(max_decompressed_bytes)
        # With LogAppendTime, the header has the one timestamp that counts for all records.
        append_time = self.max_timestamp if self.attributes & TIMESTAMP_TYPE_BIT else None
        try:
            yield from read_records(
                data, self.record_count, self.base_offset, self.base_timestamp, append_time
            )
        except RemoteProtocolError as error:
            self._locate(error)
            raise

    def plain_records(self, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES) -> bytes:
        """The bytes of all records, decompressed. Raises RemoteProtocolError if they are damaged, or more than
        ``max_decompressed_bytes``."""
        body = memoryview(self._buffer)[self.position + HEADER_SIZE : self.position + self.size_in_bytes]
        try:
            return decompress(self.compression, body, max_decompressed_bytes)
        except RemoteProtocolError as error:
            self._locate(error)
            raise

    def _locate(self, error: RemoteProtocolError) -> None:
        """Let an error of the records say where they are."""
        error.where = f"record batch with base offset {self.base_offset}"
        if error.offset is not None and self.compression:
            error.reason += f" (at byte {error.offset} of the decompressed records)"
            error.offset = None
        error.offset = self.position + HEADER_SIZE + (error.offset or 0)


def iterate_batches(buffer: Buffer, start: int = 0) -> Iterator[RecordBatchView]:
    """A view of every whole batch, beginning at ``start``; a partial one at the end is left out.

    Raises RemoteProtocolError if a batch's length is impossible or its magic is not 2. Contents are not checked, so a
    length that is wrong but possible looks like a partial batch, or leads to bytes that are no batch. If that matters,
    call `check` on each view before you take the next one.
    """
    position = start
    end = len(buffer)
    while end - position >= LENGTH_END:
        length = _INT32(buffer, position + 8)[0]
        # The limit of the oldest format: a message of magic 0 or 1 is refused for its magic, not
        # its length.
        if length < _MIN_OLD_MESSAGE_LENGTH:
            raise RemoteProtocolError(f"a record batch cannot have length {length}", offset=position + 8)
        if length > end - position - LENGTH_END:
            return
        yield RecordBatchView(buffer, position)
        position += LENGTH_END + length


def build_batch(
    records: Sequence[NewRecord | PlainRecord],
    *,
    base_offset: int,
    partition_leader_epoch: int = 0,
    timestamp_ms: int,
    compression: int = 0,
    control: bool = False,
    transactional: bool = False,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    timestamp_type: int = TimestampType.CREATE_TIME,
    delete_horizon_ms: int | None = None,
) -> bytes:
    """One whole batch whose records have consecutive offsets, the first ``base_offset``.

    ``timestamp_ms`` is the timestamp of records that have none, and of all of them with LOG_APPEND_TIME. Raises
    LocalProtocolError if there is no record, or a number does not fit in its field.
    """
    if not records:
        raise LocalProtocolError("a record batch needs at least one record")
    attributes = compression
    if timestamp_type:
        attributes |= TIMESTAMP_TYPE_BIT
    if transactional:
        attributes |= _TRANSACTIONAL_BIT
    if control:
        attributes |= CONTROL_BIT
    base_timestamp = timestamp_of(records[0], timestamp_ms)
    if delete_horizon_ms is not None:
        attributes |= DELETE_HORIZON_BIT
        # The delete horizon takes the place of the base timestamp (KIP-534).
        base_timestamp = delete_horizon_ms
    plain, max_timestamp = encode_records(records, base_timestamp, timestamp_ms)
    body = compress(compression, plain)
    count = len(records)
    return sealed(
        body,
        base_offset,
        partition_leader_epoch,
        (
            attributes,
            count - 1,
            base_timestamp,
            timestamp_ms if timestamp_type else max_timestamp,
            producer_id,
            producer_epoch,
            base_sequence,
            count,
        ),
    )


def sealed(body: bytes, base_offset: int, partition_leader_epoch: int, after_crc: tuple[int, ...]) -> bytes:
    """The bytes of a batch: its length and crc follow from the rest. ``after_crc`` has the other fields of the header,
    from the attributes on. Raises LocalProtocolError if a number does not fit in its field."""
    try:
        checked = _AFTER_CRC.pack(*after_crc)
        crc = crc32c(body, crc32c(checked))
        length = HEADER_SIZE - LENGTH_END + len(body)
        start = _BEFORE_CRC.pack(base_offset, length, partition_leader_epoch, MAGIC, crc)
    except StructError as error:
        raise LocalProtocolError(f"a number does not fit in the header of a record batch: {error}") from None
    return b"".join((start, checked, body))


def assign_offsets(batch: bytearray | memoryview, base_offset: int, partition_leader_epoch: int) -> None:
    """Write base offset and leader epoch into a batch that starts at the first byte. The leader decides both; the crc
    covers neither.
    """
    # In place: the leader stamps what a producer sent, without a copy and without a new crc.
    _BASE_OFFSET.pack_into(batch, 0, base_offset)
    _EPOCH.pack_into(batch, LENGTH_END, partition_leader_epoch)


def _wrong_magic(magic: int, position: int) -> RemoteProtocolError:
    offset = position + MAGIC_OFFSET
    if magic < MAGIC:
        return RemoteProtocolError(
            f"message format with magic {magic} is too old, only magic 2 is supported", offset=offset
        )
    return RemoteProtocolError(f"a record batch cannot have magic {magic}, only 2", offset=offset)
