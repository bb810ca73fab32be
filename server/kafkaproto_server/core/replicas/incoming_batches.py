"""Check the record batch that a producer sends for a partition, before the leader assigns its offsets.

There are two parts:

- `check_header` reads the header once, compares its fields and the checksum. It touches no record and copies nothing.
- `check_records` goes through the records, and writes the batch anew if that is needed. It may take long (a megabyte
  takes milliseconds), so it is done in steps of at most half a millisecond, each in any thread; only to decompress a
  large batch, or to compress one anew, is one step, and the first one takes up to a millisecond.

The batch is stored as Apache Kafka stores it. With LogAppendTime, the header gets the time of the append and a new
checksum. With another compression than the topic's, the batch gets a new body. If the max timestamp of the header is
not that of the records, `check_records` corrects it. All else stays as it was sent.

A batch is believed only as far as its records were counted: they are as many as the header says, each is well formed,
their offsets count from 0, and nothing follows them. Apache Kafka does the same, but takes wrong offsets in
uncompressed batches.

Apache Kafka has this in ProduceRequest.validateRecords, UnifiedLog.analyzeAndValidateRecords and LogValidator. The
error codes are those of 4.4.0, in the order of its checks. Bytes that make Kafka's own code fail, so that it responds
with UNKNOWN_SERVER_ERROR, get the code that says what is wrong with them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from contextlib import suppress
from struct import Struct
from typing import Final, NamedTuple, NoReturn

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import Buffer, wrap_int64
from kafkaproto.records.alike import RecordSurvey, survey_alike
from kafkaproto.records.batch import (
    COMPRESSION_MASK,
    CONTROL_BIT,
    CRC_START,
    HEADER_SIZE,
    LENGTH_END,
    MAGIC,
    MAGIC_OFFSET,
    BatchHeader,
    RecordBatchView,
)
from kafkaproto.records.compression import Compression, TooLongError, compress, decompress
from kafkaproto.records.crc32c import crc32c
from kafkaproto.records.limits import most_decompressed_bytes
from kafkaproto.records.survey import record_heads, survey_records
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.replicas.incoming_rules import UNLIMITED_RECORD_BYTES, IncomingRules
from kafkaproto_server.requests.sender import Sender

NO_TIMESTAMP: Final = -1
"""Of a record whose producer set no timestamp."""

_MIN_OLD_MESSAGE_LENGTH: Final = 14
"""The shortest length that Kafka takes for the one of a message in the formats before magic 2."""
_LENGTH_OFFSET: Final = 8
_ATTRIBUTES_FIELD: Final = BatchHeader._fields.index("attributes")
"""The checksum covers this field of the header and all that follow."""
_TIMESTAMP_TYPE_BIT: Final = 0x08
_TRANSACTIONAL_BIT: Final = 0x10
_DELETE_HORIZON_BIT: Final = 0x40
_KEPT_BITS: Final = COMPRESSION_MASK | _TRANSACTIONAL_BIT | _DELETE_HORIZON_BIT
"""Attributes that a new header keeps; the bits that mean nothing are dropped, as in Kafka."""
_MIN_RECORD_BYTES: Final = 7
_COMPARED_WITHOUT_COPY_BYTES: Final = 512
_READ_WITHOUT_COPY_BYTES: Final = 4096
"""Bytes are taken faster from a copy in one piece. If records have this size or more, the copy is what takes long."""
_SHORT_BYTES: Final = 16 * 1024
"""So much is compressed anew in the first step."""
_SHORT_PLAIN_BYTES: Final = (0, 192 * 1024, 512 * 1024, 512 * 1024, 512 * 1024)
"""By compression: a batch that decompresses to no more than this does so in the first step. That takes less than half a
millisecond, and to leave a batch to a thread takes nearly as long."""
_USUALLY_SHRUNK: Final = 3
"""A batch that is larger than such a part of that is not tried, as it may well decompress to more."""
_RECORDS_A_STEP: Final = 512
_MIN_INT64: Final = -(2**63)
_MAX_INT64: Final = 2**63 - 1
_MAX_EXPANSION: Final = (1, 1032, 22, 255, 32768)
"""By compression: how many bytes one byte of compressed records can stand for at most."""

_INT32 = Struct(">i")
_UP_TO_MAGIC = Struct(">qii")
_MAGIC_AND_CRC = Struct(">bI")
_AFTER_CRC = Struct(">hiqqqhii")


class WrongRecord(NamedTuple):
    """Why one record of a batch was refused."""

    batch_index: int
    """The number of the record in its batch."""
    message: str


class Fault(enum.Enum):
    """What is wrong with a batch, as Kafka's metrics distinguish it."""

    FORM = enum.auto()
    """The bytes are not one batch that this version of the request may have. Kafka refuses them before anything is
    counted."""
    SIZE = enum.auto()
    """The batch is larger than ``max.message.bytes``."""
    SEGMENT_SIZE = enum.auto()
    """The batch is larger than a segment."""
    CHECKSUM = enum.auto()
    HEADER = enum.auto()
    """A count, offset or sequence number that no batch of a producer has."""
    RECORDS = enum.auto()
    """Anything else."""


class BatchRefused(Exception):
    """The batch is not appended; the response has the code, the message and the record errors."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        record_errors: tuple[WrongRecord, ...] = (),
        *,
        fault: Fault = Fault.RECORDS,
        keyless: int = 0,
    ) -> None:
        """``keyless`` is the number of records that need a key and have none."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.record_errors = record_errors
        self.fault = fault
        self.keyless = keyless


class IncomingBatch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A batch of a producer that passed the checks of its header, or all of them."""

    header: BatchHeader
    """As it will be stored, but for base offset and leader epoch."""
    parts: tuple[Buffer, ...]
    """What follows the leader epoch (from the magic on), in pieces. They share the memory of the request."""
    is_rewritten: bool = False
    """Whether the header, and perhaps the records, are not those that the producer sent."""


def check_header(
    records: Buffer, rules: IncomingRules, sender: Sender, *, allows_zstd: bool = True
) -> IncomingBatch:
    """The one batch in ``records``, the bytes that a Produce request has for a partition. `check_records` has to see it
    before it may be stored.

    A part of another batch at the end is cut off. Produce allows zstd from version 7 on (KIP-110).

    Raises BatchRefused with

    - INVALID_RECORD if there is no whole batch, more than one, or one in an old format; if its base offset is not 0,
      its count of records is impossible, it is a control batch, or it has a producer id without a sequence number
    - CORRUPT_MESSAGE for a length or magic that no batch has, or a wrong checksum
    - INVALID_TIMESTAMP with record errors, if the producer claims that its timestamps are those of the append
    - UNSUPPORTED_COMPRESSION_TYPE for zstd where it is not allowed, and for a compression that does not exist
    - MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE if it is larger than ``max.message.bytes`` or a segment.
    """
    try:
        header = RecordBatchView(records).header()
    except RemoteProtocolError:
        raise _why_no_batch(records) from None
    size = header.batch_length + LENGTH_END
    # No client of those versions knows it (KIP-110).
    if header.attributes & COMPRESSION_MASK == Compression.ZSTD and not allows_zstd:
        _refuse(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, "zstd needs version 7 of Produce", Fault.FORM)
    # What is not a whole batch is cut off, as in Kafka.
    if size != len(records) and _size_at(records, size) is not None:
        _refuse(ErrorCode.INVALID_RECORD, "more than one record batch for a partition", Fault.FORM)
    if header.base_offset != 0:
        _refuse(ErrorCode.INVALID_RECORD, f"the base offset has to be 0, not {header.base_offset}")
    # Before the checksum, which takes time in proportion to the size.
    if size > rules.max_message_bytes:
        raise _too_large(size, rules)
    view = memoryview(records)
    if crc32c(view[CRC_START:size]) != header.crc:
        _refuse(ErrorCode.CORRUPT_MESSAGE, "the crc of the record batch is wrong", Fault.CHECKSUM)
    # Behind the checksum: fields of damaged bytes say nothing about the producer.
    _check_fields(header, sender)
    return IncomingBatch(header=header, parts=(view[MAGIC_OFFSET:size],))


def check_at_once(
    batch: IncomingBatch, rules: IncomingRules, wall_ms: Callable[[], int], sender: Sender
) -> IncomingBatch | None:
    """`check_records` for what most producers send: not compressed, and of one size. None if this batch is another one,
    or something may be wrong with it; then nothing was counted.

    Raises BatchRefused with RECORD_LIST_TOO_LARGE.
    """
    header = batch.header
    count = header.record_count
    # What has to be decompressed or compressed may take long, and belongs to a thread.
    if header.attributes & COMPRESSION_MASK or rules.compression or count > sender.budget.units:
        return None
    body = memoryview(batch.parts[0])[HEADER_SIZE - MAGIC_OFFSET :]
    data = body if len(body) >= _COMPARED_WITHOUT_COPY_BYTES * count else bytes(body)
    survey = survey_alike(data, count)
    if survey is None:
        return None
    now_ms = wall_ms()
    latest = _check_survey(header, data, survey, rules, now_ms, sender)
    # Each record has to be looked at, which may take more than one step.
    if not isinstance(latest, int):
        return None
    sender.budget.units -= count
    return _as_stored(batch, body, latest, rules, now_ms)


def check_records(
    batch: IncomingBatch, rules: IncomingRules, wall_ms: Callable[[], int], sender: Sender
) -> Steps[IncomingBatch]:
    """The batch as it is to be stored, after a look at all of its records. What is read counts for the sender.
    ``wall_ms`` is asked for the time once the records are known to be right.

    Raises BatchRefused with

    - INVALID_RECORD if the bytes are not the records that the header claims, one of them is larger than
      ``max.decompressed.message.bytes``, or they decompress to more than a hundred times their size; if the request has
      more records and headers than `records.limits` allows; with record errors, if a record without key is for a
      compacted topic
    - INVALID_TIMESTAMP with record errors, if a timestamp is too early or too late
    - MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE if the batch is too large in its new compression.
    """
    header = batch.header
    count = header.record_count
    codec = header.attributes & COMPRESSION_MASK
    body = memoryview(batch.parts[0])[HEADER_SIZE - MAGIC_OFFSET :]
    # Without compression, a record is no larger than what was sent, and ``max.message.bytes`` bounds that.
    longest = rules.max_decompressed_message_bytes if codec else UNLIMITED_RECORD_BYTES
    try:
        data: Buffer
        if codec != Compression.NONE:
            data = yield from _plain(codec, body, sender)
            survey = _survey_alike(data, count, longest, sender)
        else:
            data = body if len(body) >= _READ_WITHOUT_COPY_BYTES * count else bytes(body)
            survey = None
        if survey is None:
            survey = yield from survey_records(data, count, longest, sender.budget)
        now_ms = wall_ms()
        found = _check_survey(header, data, survey, rules, now_ms, sender)
        latest = found if isinstance(found, int) else (yield from found)
    except RemoteProtocolError as error:
        raise BatchRefused(ErrorCode.INVALID_RECORD, str(error)) from None
    # Never for "producer", nor if the batch has the topic's codec already: whatever its level is, it stays as it was
    # sent.
    if rules.compression is not None and rules.compression != codec:
        # To compress is the longest step of all, and a thread may take it.
        if len(data) > _SHORT_BYTES:
            yield
        packed = memoryview(compress(rules.compression, bytes(data), rules.compression_level))
        # Checked again: in another compression a batch may be larger than it was.
        if HEADER_SIZE + len(packed) > rules.max_message_bytes:
            raise _too_large(HEADER_SIZE + len(packed), rules)
        attributes = header.attributes & _TRANSACTIONAL_BIT | rules.compression
        max_timestamp = now_ms if rules.timestamp_type else latest
        return _with_new_header(header, packed, attributes, max_timestamp, rules)
    return _as_stored(batch, body, latest, rules, now_ms)


def _survey_alike(data: Buffer, count: int, longest: int, sender: Sender) -> RecordSurvey | None:
    """The survey of decompressed records that are alike, which counts for the sender."""
    # Left to the slower survey, which stops at the record that is one too many.
    if count > sender.budget.units or len(data) > longest:
        return None
    survey = survey_alike(data, count)
    if survey is not None:
        sender.budget.units -= count
    return survey


def _as_stored(
    batch: IncomingBatch, body: memoryview, latest: int, rules: IncomingRules, now_ms: int
) -> IncomingBatch:
    """The batch, or the same records with another header. ``latest`` is the largest timestamp of the records."""
    header = batch.header
    max_timestamp = now_ms if rules.timestamp_type else latest
    # A producer may write what it likes there, and consumers look for offsets by it.
    if max_timestamp != header.max_timestamp or rules.timestamp_type:
        return _with_new_header(header, body, header.attributes & _KEPT_BITS, max_timestamp, rules)
    _check_segment(header.batch_length + LENGTH_END, rules)
    return batch


def _plain(codec: int, body: memoryview, sender: Sender) -> Steps[bytes]:
    """The decompressed records. Raises RemoteProtocolError if they are more than a batch, or a request, may have."""
    # Kafka has no such limit: it decompresses a little at a time.
    most = min(most_decompressed_bytes(len(body)), sender.bytes_left)
    taken = most
    try:
        data = b""
        short = _SHORT_PLAIN_BYTES[codec]
        if len(body) * _USUALLY_SHRUNK <= short:
            with suppress(TooLongError):
                data = decompress(codec, body, min(most, short))
        if not data:
            yield
            data = decompress(codec, body, most)
        taken = len(data)
    finally:
        # It took as long as the most that may be, if it failed.
        sender.bytes_left -= taken
    return data


def stamp(batch: IncomingBatch, base_offset: int, leader_epoch: int) -> list[Buffer]:
    """The bytes to store, as buffers for one gathered write. Both numbers are outside of the checksum."""
    return [_UP_TO_MAGIC.pack(base_offset, batch.header.batch_length, leader_epoch), *batch.parts]


def _check_fields(header: BatchHeader, sender: Sender) -> None:
    """Refuse what no producer sends, though the checksum is right."""
    codec = header.attributes & COMPRESSION_MASK
    count = header.record_count
    if codec > Compression.ZSTD:
        _refuse(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"there is no compression {codec}")
    # Offsets are given out by the delta. Were it larger than the count, the log would have gaps, and a producer could
    # use offsets up at will.
    if count <= 0 or header.last_offset_delta != count - 1:
        _refuse(
            ErrorCode.INVALID_RECORD,
            f"{count} records cannot have last offset delta {header.last_offset_delta}",
            Fault.HEADER,
        )
    if header.attributes & CONTROL_BIT:
        _refuse(ErrorCode.INVALID_RECORD, "clients may not send control records", Fault.HEADER)
    if header.producer_id >= 0 and header.base_sequence < 0:
        _refuse(
            ErrorCode.INVALID_RECORD,
            f"producer {header.producer_id} cannot have sequence number {header.base_sequence}",
            Fault.HEADER,
        )
    body_bytes = header.batch_length - (HEADER_SIZE - LENGTH_END)
    # Before anything is decompressed: the count is what a sender claims.
    if count * _MIN_RECORD_BYTES > body_bytes * _MAX_EXPANSION[codec]:
        _refuse(ErrorCode.INVALID_RECORD, f"{body_bytes} bytes cannot be {count} records")
    # Its records would have the append time of the producer's choice, unchecked by the topic's limits.
    if header.attributes & _TIMESTAMP_TYPE_BIT:
        message = "a producer may not set the timestamp type to LogAppendTime"
        errors = tuple(WrongRecord(index, message) for index in range(min(count, sender.most_record_errors)))
        raise BatchRefused(ErrorCode.INVALID_TIMESTAMP, f"all records are refused: {message}", errors)


def _size_at(records: Buffer, position: int) -> int | None:
    """The size of the batch at a position, or None if no whole one is there.

    Raises BatchRefused with CORRUPT_MESSAGE if its length or magic are those of no format.
    """
    left = len(records) - position
    if left < LENGTH_END:
        return None
    length = _INT32.unpack_from(records, position + _LENGTH_OFFSET)[0]
    if length < _MIN_OLD_MESSAGE_LENGTH:
        _refuse(ErrorCode.CORRUPT_MESSAGE, f"a record batch cannot have length {length}", Fault.FORM)
    if left <= MAGIC_OFFSET:
        return None
    magic = records[position + MAGIC_OFFSET]
    if magic > MAGIC:
        _refuse(ErrorCode.CORRUPT_MESSAGE, f"a record batch cannot have magic {magic}", Fault.FORM)
    size: int = length + LENGTH_END
    return size if size <= left else None


def _why_no_batch(records: Buffer) -> BatchRefused:
    """Why the bytes do not begin with a whole batch of magic 2."""
    size = _size_at(records, 0)
    code = ErrorCode.INVALID_RECORD
    if size is None:
        why = "there is no whole record batch"
    elif records[MAGIC_OFFSET] < MAGIC:
        why = "the message format is too old, only magic 2 is supported"
    else:
        code, why = ErrorCode.CORRUPT_MESSAGE, f"{size} bytes are too few for a record batch"
    return BatchRefused(code, why, fault=Fault.FORM)


def _check_survey(
    header: BatchHeader,
    data: Buffer,
    survey: RecordSurvey,
    rules: IncomingRules,
    now_ms: int,
    sender: Sender,
) -> int | Steps[int]:
    """The largest timestamp of the records, if each record is one that the topic takes, or the steps of a look at each
    one that find it."""
    earliest = header.base_timestamp + survey.min_timestamp_delta
    latest = header.base_timestamp + survey.max_timestamp_delta
    if earliest < _MIN_INT64 or latest > _MAX_INT64:
        # A timestamp wraps, so it may be any of the others that is the earliest or the latest.
        return _check_each_record(header, data, rules, now_ms, sender)
    # A record without timestamp looks like an early one here.
    is_suspect = not rules.timestamp_type and (
        earliest < now_ms - rules.timestamp_before_max_ms or latest > now_ms + rules.timestamp_after_max_ms
    )
    # Only then each record is looked at alone: the response has to name those that are wrong (KIP-467).
    if is_suspect or (rules.is_compacted and not survey.all_have_keys):
        return _check_each_record(header, data, rules, now_ms, sender)
    return max(latest, NO_TIMESTAMP)


def _check_each_record(
    header: BatchHeader, data: Buffer, rules: IncomingRules, now_ms: int, sender: Sender
) -> Steps[int]:
    """The largest timestamp. Raises BatchRefused with the records that are not as the topic wants them, if there are
    any."""
    earliest, latest = now_ms - rules.timestamp_before_max_ms, now_ms + rules.timestamp_after_max_ms
    code = None
    keyless = 0
    largest = NO_TIMESTAMP
    errors: list[WrongRecord] = []
    for index, (delta, has_key) in enumerate(record_heads(data, header.record_count)):
        if index % _RECORDS_A_STEP == _RECORDS_A_STEP - 1:
            yield
        timestamp = wrap_int64(header.base_timestamp + delta)
        largest = max(largest, timestamp)
        if rules.is_compacted and not has_key:
            message = "a compacted topic needs a key in each record"
            code = code or ErrorCode.INVALID_RECORD
            keyless += 1
        # With LogAppendTime what the producer set does not matter. A record without a timestamp passes, as in Kafka.
        elif not rules.timestamp_type and timestamp != NO_TIMESTAMP and not earliest <= timestamp <= latest:
            message = f"timestamp {timestamp} is not in the range from {earliest} to {latest}"
            # One wrong timestamp decides the code of the whole batch, as in Kafka.
            code = ErrorCode.INVALID_TIMESTAMP
        else:
            continue
        # A million errors of one request would be a larger response than the request.
        if len(errors) < sender.most_record_errors:
            errors.append(WrongRecord(index, message))
    if code is not None:
        about = f"record {errors[0].batch_index}: {errors[0].message}"
        message = f"records of the batch are refused, the first one is {about}"
        raise BatchRefused(code, message, tuple(errors), keyless=keyless)
    return largest


def _with_new_header(
    header: BatchHeader, body: memoryview, attributes: int, max_timestamp: int, rules: IncomingRules
) -> IncomingBatch:
    """The batch with other attributes, max timestamp and records. The attributes come without a timestamp type and get
    that of the topic.
    """
    attributes |= rules.timestamp_type << 3
    length = HEADER_SIZE - LENGTH_END + len(body)
    _check_segment(length + LENGTH_END, rules)
    new_header = header._replace(batch_length=length, attributes=attributes, max_timestamp=max_timestamp)
    checked = _AFTER_CRC.pack(*new_header[_ATTRIBUTES_FIELD:])
    crc = crc32c(body, crc32c(checked))
    new_header = new_header._replace(crc=crc)
    parts = (_MAGIC_AND_CRC.pack(MAGIC, crc) + checked, body)
    return IncomingBatch(header=new_header, parts=parts, is_rewritten=True)


def _check_segment(size: int, rules: IncomingRules) -> None:
    if size > rules.segment_bytes:
        _refuse(
            ErrorCode.RECORD_LIST_TOO_LARGE,
            f"{size} bytes do not fit in a segment of {rules.segment_bytes}",
            Fault.SEGMENT_SIZE,
        )


def _too_large(size: int, rules: IncomingRules) -> BatchRefused:
    return BatchRefused(
        ErrorCode.MESSAGE_TOO_LARGE,
        f"the record batch has {size} bytes, max.message.bytes is {rules.max_message_bytes}",
        fault=Fault.SIZE,
    )


def _refuse(code: ErrorCode, message: str, fault: Fault = Fault.RECORDS) -> NoReturn:
    raise BatchRefused(code, message, fault=fault)
