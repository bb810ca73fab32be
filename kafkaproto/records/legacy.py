"""Batches of the message formats 0 and 1, which brokers before 0.11 wrote: a view of one, and of its records.

No release of Apache Kafka 4 writes these formats (KIP-724), but all read them: a disk may have them still. A log is a
sequence of messages, each with an offset. A message whose attributes name a compression is a wrapper: its value holds
the messages of its records, compressed (KIP-31, KIP-32)::

    offset  field            type
    0       offset           int64   of a wrapper: that of its last record
    8       message length   int32   bytes that follow this field
    12      crc              uint32  CRC-32 of everything from the magic on
    16      magic            int8    0 or 1; at the same place in format 2
    17      attributes       int8    bits 0-2 compression; 3 timestamp type, in format 1 only
    18      timestamp        int64   format 1 only; of a wrapper: the largest of its records, or the time of the append
            key              int32 length (-1 null), bytes
            value            int32 length (-1 null), bytes

The messages in a wrapper of format 0 have their own offsets. Those in one of format 1 count from any number; the last
one has the wrapper's offset. Brokers have left wrappers whose messages are of the other format (KAFKA-4298), so each
message is read by its own magic.

In format 0, the LZ4 frame has a wrong checksum in its header: it covers the frame's magic number, too (KAFKA-3160).

Apache Kafka has all of this in AbstractLegacyRecordBatch and LegacyRecord.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from struct import Struct
from struct import error as StructError
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import (
    COMPRESSION_MASK,
    DELETE_HORIZON_BIT,
    LENGTH_END,
    MAGIC,
    MAGIC_OFFSET,
    TIMESTAMP_TYPE_BIT,
    BatchHeader,
    RecordBatchView,
    TimestampType,
    sealed,
)
from kafkaproto.records.compression import MAX_DECOMPRESSED_BYTES, Compression, compress, decompress
from kafkaproto.records.kept import StoredRecord
from kafkaproto.records.record import Record, encode_kept_records

MIN_MESSAGE_LENGTH = 14
"""Least length of a message of format 0: crc, magic, attributes and two lengths."""
_MIN_LENGTHS = (MIN_MESSAGE_LENGTH, MIN_MESSAGE_LENGTH + 8)
"""By magic."""
_NO_TIMESTAMP = -1
NO_EPOCH = -1
"""The leader epoch of such a batch."""
_NO_PRODUCER = (-1, -1, -1)
"""Producer id, producer epoch and base sequence."""
_CRC_OFFSET = 12
_TIMESTAMP_OFFSET = 18
_MAX_OFFSET = 2**63 - 1

_HEAD: Callable[[Buffer, int], tuple[int, ...]] = Struct(">qiIBB").unpack_from
_INT64: Callable[[Buffer, int], tuple[int]] = Struct(">q").unpack_from
_INT32: Callable[[Buffer, int], tuple[int]] = Struct(">i").unpack_from

_LZ4_FRAME_MAGIC = b"\x04\x22\x4d\x18"
_LZ4_CONTENT_SIZE_BIT = 0x08


class MessageHead(NamedTuple):
    """What a message says of itself before its key."""

    offset: int
    size_in_bytes: int
    """Bytes of the whole message, with its offset and length."""
    crc: int
    magic: int
    attributes: int
    """The bits that mean something in its format."""
    timestamp: int
    """Milliseconds since the epoch; -1 in format 0."""

    @property
    def body_offset(self) -> int:
        """Where the key begins, counted from the message's first byte."""
        return _TIMESTAMP_OFFSET + (8 if self.magic else 0)


class Message(NamedTuple):
    """A record, and what else its message says."""

    record: Record
    magic: int
    crc: int
    is_valid: bool
    """Whether the checksum is right. That of a message in a wrapper is no part of `LegacyBatchView.check`."""


def read_head(buffer: Buffer, position: int) -> MessageHead:
    """The head of the message at a position; the rest of it need not be in the buffer. Raises RemoteProtocolError if
    its magic is not 0 or 1, its length is impossible, or the buffer ends before the key."""
    try:
        offset, length, crc, magic, attributes = _HEAD(buffer, position)
        if magic >= MAGIC:
            raise RemoteProtocolError(f"magic {magic} is not 0 or 1", offset=position + MAGIC_OFFSET)
        if length < _MIN_LENGTHS[magic]:
            raise RemoteProtocolError(
                f"a message of format {magic} cannot have length {length}", offset=position + 8
            )
        timestamp = _INT64(buffer, position + _TIMESTAMP_OFFSET)[0] if magic else _NO_TIMESTAMP
    except StructError:
        raise RemoteProtocolError(
            f"{len(buffer) - position} bytes are no message of format 0 or 1", offset=position
        ) from None
    attributes &= COMPRESSION_MASK | TIMESTAMP_TYPE_BIT if magic else COMPRESSION_MASK
    return MessageHead(offset, length + LENGTH_END, crc, magic, attributes, timestamp)


class LegacyBatchView(RecordBatchView):
    """A view of one message of format 0 or 1 in a buffer, and of the records in it if it is a wrapper.

    If a view exists, the bytes at its position hold a whole message: the constructor raises RemoteProtocolError if the
    bytes end first, the length is impossible or the magic is another. Trust the content only after `check`; what is
    compressed was not looked at even then.

    A wrapper does not say where its records begin, nor how many they are. So its base offset is that of its last
    record, as if it had no other: `first_offset` is the true one. It has no leader epoch and no producer.
    """

    __slots__ = ("_first_offset", "_head")

    def __init__(self, buffer: Buffer, position: int = 0) -> None:
        head = read_head(buffer, position)
        if head.size_in_bytes > len(buffer) - position:
            raise RemoteProtocolError(
                f"a message of {head.size_in_bytes} bytes has only {len(buffer) - position}",
                offset=position + 8,
            )
        self._buffer = buffer
        self.position = position
        self._head = head
        self._first_offset: int | None = None

    def header(self) -> BatchHeader:
        """What a header of format 2 would say. The count of records is 1 also for a wrapper."""
        head = self._head
        return BatchHeader(
            head.offset,
            head.size_in_bytes - LENGTH_END,
            NO_EPOCH,
            head.magic,
            head.crc,
            head.attributes,
            0,
            head.timestamp,
            head.timestamp,
            *_NO_PRODUCER,
            1,
        )

    @property
    def first_offset(self) -> int:
        """Offset of the first record. It is found by reading them; if they cannot be read, it is that of the last."""
        if self._first_offset is None:
            self._first_offset = self._head.offset
            with suppress(RemoteProtocolError):
                self._first_offset = next(self.records()).offset
        return self._first_offset

    @property
    def partition_leader_epoch(self) -> int:
        """-1: the format has none."""
        return NO_EPOCH

    @property
    def magic(self) -> int:
        """The number of the format, 0 or 1."""
        return self._head.magic

    @property
    def crc(self) -> int:
        """The checksum in the message."""
        return self._head.crc

    @property
    def attributes(self) -> int:
        """Compression and timestamp type."""
        return self._head.attributes

    @property
    def timestamp_type(self) -> TimestampType:
        """The origin of the records' timestamps. Those of format 0 have none."""
        return TimestampType(self._head.attributes >> 3 & 1)

    @property
    def delete_horizon_ms(self) -> int | None:
        """None: the format has none."""
        return None

    @property
    def last_offset_delta(self) -> int:
        """0, see the class."""
        return 0

    @property
    def last_offset(self) -> int:
        """Offset of the last record."""
        return self._head.offset

    @property
    def next_offset(self) -> int:
        """The first offset after the batch."""
        return self._head.offset + 1

    @property
    def base_timestamp(self) -> int:
        """The timestamp of the message."""
        return self._head.timestamp

    @property
    def max_timestamp(self) -> int:
        """Latest timestamp of the records, or the time of the append; -1 in format 0."""
        return self._head.timestamp

    @property
    def producer_id(self) -> int:
        """-1: the format has none."""
        return -1

    @property
    def producer_epoch(self) -> int:
        """-1: the format has none."""
        return -1

    @property
    def base_sequence(self) -> int:
        """-1: the format has none."""
        return -1

    @property
    def record_count(self) -> int:
        """1, see the class."""
        return 1

    def check(self) -> None:
        """Raise RemoteProtocolError unless the crc is right, key and value fill the message, a wrapper has a value, and
        the offset is one."""
        head = self._head
        found = zlib.crc32(self.raw[MAGIC_OFFSET:])
        if found != head.crc:
            raise RemoteProtocolError(
                f"the crc of the message with offset {head.offset} is {found:#010x}, it says {head.crc:#010x}",
                offset=self.position + _CRC_OFFSET,
            )
        if not 0 <= head.offset < _MAX_OFFSET:
            raise RemoteProtocolError(
                f"no offset is {head.offset}, as that of a message", offset=self.position
            )
        _, start, _ = self._body()
        if start < 0 and head.attributes & COMPRESSION_MASK:
            raise RemoteProtocolError(f"the wrapper with offset {head.offset} is empty", offset=self.position)

    def records(self, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES) -> Iterator[Record]:
        """The records one after the other; keys and values are copies.

        Raises RemoteProtocolError, before the first record or between two, if the bytes are no messages, or if they
        decompress to more than ``max_decompressed_bytes``.
        """
        head = self._head
        if not head.attributes & COMPRESSION_MASK:
            yield _record(self._buffer, self.position, head, head.offset, head.timestamp)
            return
        data = self.plain_records(max_decompressed_bytes)
        try:
            yield from _inner_records(data, head)
        except RemoteProtocolError as error:
            self._locate(error)
            raise

    def messages(self, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES) -> Iterator[Message]:
        """The records with the checksums of their messages. Raises RemoteProtocolError as `records` does."""
        head = self._head
        data, outer = self.plain_records(max_decompressed_bytes), head
        is_wrapper = bool(head.attributes & COMPRESSION_MASK)
        position = 0
        for record in self.records(max_decompressed_bytes):
            head = _inner_head(data, position) if is_wrapper else outer
            end = position + head.size_in_bytes
            found = zlib.crc32(memoryview(data)[position + MAGIC_OFFSET : end])
            yield Message(record, head.magic, head.crc, found == head.crc)
            position = end

    def plain_records(self, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES) -> bytes:
        """The messages of all records, decompressed; those of a message that is no wrapper are the message itself.
        Raises RemoteProtocolError if they are damaged, or more than ``max_decompressed_bytes``."""
        head = self._head
        codec = head.attributes & COMPRESSION_MASK
        if not codec:
            return bytes(self.raw)
        _, start, end = self._body()
        value = memoryview(self._buffer)[max(start, 0) : end]
        try:
            if start < 0:
                raise RemoteProtocolError("the wrapper is empty")
            if codec > Compression.LZ4:
                raise RemoteProtocolError(f"format {head.magic} has no compression {codec}, only 0 to 3")
            if codec == Compression.LZ4 and head.magic == 0:
                return decompress(codec, with_right_checksum(value), max_decompressed_bytes)
            return decompress(codec, value, max_decompressed_bytes)
        except RemoteProtocolError as error:
            self._locate(error)
            raise

    def _body(self) -> tuple[bytes | None, int, int]:
        """The key, and where the value begins and ends; it begins at -1 if it is null."""
        return _body(self._buffer, self.position, self._head)

    def _locate(self, error: RemoteProtocolError) -> None:
        """Let an error of the records say where they are."""
        error.where = f"wrapper with offset {self._head.offset}"
        if error.offset is not None:
            error.reason += f" (at byte {error.offset} of the decompressed messages)"
        error.offset = self.position


def view_of_batch(buffer: Buffer, position: int = 0) -> RecordBatchView:
    """A view of the batch at a position, whatever its format. Raises RemoteProtocolError as the views do."""
    magic = position + MAGIC_OFFSET
    is_old = magic < len(buffer) and buffer[magic] < MAGIC
    return LegacyBatchView(buffer, position) if is_old else RecordBatchView(buffer, position)


def iterate_stored_batches(buffer: Buffer, start: int = 0) -> Iterator[RecordBatchView]:
    """A view of every whole batch of a topic, whatever its format, beginning at ``start``; a partial one at the end is
    left out. For batches of format 2, this is `batch.iterate_batches`.

    Raises RemoteProtocolError if a batch's length is impossible or its magic is not 0, 1 or 2.
    """
    position = start
    end = len(buffer)
    while end - position >= LENGTH_END:
        length = _INT32(buffer, position + 8)[0]
        if length < MIN_MESSAGE_LENGTH:
            raise RemoteProtocolError(f"a record batch cannot have length {length}", offset=position + 8)
        if length > end - position - LENGTH_END:
            return
        if buffer[position + MAGIC_OFFSET] < MAGIC:
            yield LegacyBatchView(buffer, position)
        else:
            yield RecordBatchView(buffer, position)
        position += LENGTH_END + length


class LegacyStoredRecords:
    """The records of one batch of format 0 or 1, as compaction goes through them (see `kept.StoredRecords`)."""

    def __init__(self, batch: LegacyBatchView, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES) -> None:
        self._batch = batch
        self._max_decompressed_bytes = max_decompressed_bytes

    def __iter__(self) -> Iterator[StoredRecord]:
        """Raises RemoteProtocolError if they cannot be decompressed or read, or if their offsets do not ascend: no
        batch of format 2 can hold such records."""
        before = -1
        for record in self._batch.records(self._max_decompressed_bytes):
            if record.offset <= before:
                raise RemoteProtocolError(
                    f"offset {record.offset} follows offset {before} in a wrapper",
                    offset=self._batch.position,
                )
            before = record.offset
            yield StoredRecord(record.offset, record.key, record.value is None)

    def keep(self, is_kept: Sequence[int], *, delete_horizon_ms: int | None = None) -> bytes:
        """A batch of format 2 with only those records whose item in ``is_kept`` is not 0, at least one. The compression
        is the same; the batch begins with the first record that is kept, and ends with the last.

        All records have to be read before. Apache Kafka 4 does the same (MemoryRecords.filterTo). Raises
        LocalProtocolError if the batch cannot be written.
        """
        batch = self._batch
        out = bytearray()
        first: Record | None = None
        last_offset, count, latest, base_timestamp = 0, 0, _NO_TIMESTAMP, 0
        for kept, record in zip(is_kept, batch.records(self._max_decompressed_bytes), strict=True):
            if not kept:
                continue
            if first is None:
                first = record
                base_timestamp = record.timestamp if delete_horizon_ms is None else delete_horizon_ms
            # One at a time: a small wrapper may have a million records.
            out += encode_kept_records([record], first.offset, base_timestamp)
            last_offset, count, latest = record.offset, count + 1, max(latest, record.timestamp)
        assert first is not None, "a record is kept"
        attributes = batch.attributes
        if delete_horizon_ms is not None:
            attributes |= DELETE_HORIZON_BIT
        fields = (attributes, last_offset - first.offset, base_timestamp, latest, *_NO_PRODUCER, count)
        return sealed(compress(batch.compression, bytes(out)), first.offset, NO_EPOCH, fields)


def _inner_records(data: bytes, wrapper: MessageHead) -> Iterator[Record]:
    """The records of a wrapper of which ``data`` are the decompressed messages."""
    if not data:
        raise RemoteProtocolError("a wrapper holds no message", offset=0)
    # The last message says what the offsets of all of them count from.
    shift = 0
    if wrapper.magic and wrapper.offset:
        shift = wrapper.offset - _last_offset(data)
    position = 0
    append_time = wrapper.timestamp if wrapper.attributes & TIMESTAMP_TYPE_BIT else None
    while position < len(data):
        head = _inner_head(data, position)
        if head.attributes & COMPRESSION_MASK:
            raise RemoteProtocolError("a wrapper holds a wrapper", offset=position)
        offset = head.offset + shift
        if not 0 <= offset <= wrapper.offset:
            raise RemoteProtocolError(
                f"a message with offset {offset} in a wrapper with offset {wrapper.offset}", offset=position
            )
        timestamp = append_time if append_time is not None and head.magic else head.timestamp
        yield _record(data, position, head, offset, timestamp)
        position += head.size_in_bytes


def _last_offset(data: bytes) -> int:
    position, offset = 0, 0
    while position < len(data):
        head = _inner_head(data, position)
        offset = head.offset
        position += head.size_in_bytes
    return offset


def _inner_head(data: bytes, position: int) -> MessageHead:
    head = read_head(data, position)
    if head.size_in_bytes > len(data) - position:
        raise RemoteProtocolError("a wrapper ends inside a message", offset=position)
    return head


def _record(buffer: Buffer, position: int, head: MessageHead, offset: int, timestamp: int) -> Record:
    key, start, end = _body(buffer, position, head)
    return Record(offset, timestamp, key, None if start < 0 else bytes(buffer[start:end]), ())


def _body(buffer: Buffer, position: int, head: MessageHead) -> tuple[bytes | None, int, int]:
    """The key of a whole message, and where its value begins and ends; it begins at -1 if it is null. Raises
    RemoteProtocolError unless the two fill the message."""
    end = position + head.size_in_bytes
    at = position + head.body_offset
    key: bytes | None = None
    length = _INT32(buffer, at)[0]
    at += 4
    if length < -1 or at + max(length, 0) + 4 > end:
        raise RemoteProtocolError(f"no key of {length} bytes fits in the message", offset=position)
    if length >= 0:
        key = bytes(buffer[at : at + length])
        at += length
    length = _INT32(buffer, at)[0]
    at += 4
    if length < -1 or at + max(length, 0) != end:
        raise RemoteProtocolError(f"no value of {length} bytes fits in the message", offset=position)
    return key, at if length >= 0 else -1, end


def with_right_checksum(frame: Buffer) -> bytes:
    """An LZ4 frame with the header checksum that its format wants, whatever it had. What is no frame stays as it is."""
    data = bytearray(frame)
    if data[: len(_LZ4_FRAME_MAGIC)] == _LZ4_FRAME_MAGIC and len(data) > len(_LZ4_FRAME_MAGIC):
        start = len(_LZ4_FRAME_MAGIC)
        end = start + (10 if data[start] & _LZ4_CONTENT_SIZE_BIT else 2)
        if end < len(data):
            data[end] = _xxh32_of_few(data[start:end]) >> 8 & 0xFF
    return bytes(data)


def _xxh32_of_few(data: bytes | bytearray) -> int:
    """The hash xxHash32 of fewer than 16 bytes, with seed 0."""
    assert len(data) < 16, "longer input is hashed in another way"
    value = 374761393 + len(data)
    whole = len(data) & ~3
    for position in range(0, whole, 4):
        value += int.from_bytes(data[position : position + 4], "little") * 3266489917
        value = _rotated(value, 17) * 668265263
    for byte in data[whole:]:
        value += byte * 374761393
        value = _rotated(value, 11) * 2654435761
    value &= 0xFFFF_FFFF
    value = (value ^ value >> 15) * 2246822519 & 0xFFFF_FFFF
    value = (value ^ value >> 13) * 3266489917 & 0xFFFF_FFFF
    return value ^ value >> 16


def _rotated(value: int, bits: int) -> int:
    value &= 0xFFFF_FFFF
    return (value << bits | value >> 32 - bits) & 0xFFFF_FFFF
