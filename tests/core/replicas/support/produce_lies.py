"""Batches whose header and checksum are right, and whose records are not those that the header claims: each kind in
each compression, and in the ways in which producers send. They are sent and recorded as `produce_cases` are.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafkaproto.primitives import write_varint, write_varlong
from kafkaproto.records.batch import HEADER_SIZE, NewRecord
from kafkaproto.records.compression import Compression, compress
from tests.core.replicas.support.produce_cases import (
    HOUR_MS,
    NEWEST,
    Case,
    make,
    raw_record,
    with_body,
    with_header,
)

TOPICS_OF_ALL = ("plain", "compacted", "append-time")
"""Each kind goes to the first one in each compression, to the others in two."""


def lies(now_ms: int) -> Iterator[Case]:
    """All of them; no two of a topic have the same name."""
    for codec in Compression:
        header = make([NewRecord(b"k", b"v")] * 3, now_ms, codec)
        topics = TOPICS_OF_ALL if codec in (Compression.NONE, Compression.ZSTD) else TOPICS_OF_ALL[:1]
        for name, body in kinds(now_ms):
            batch = with_body(header, compress(codec, body))
            for topic in topics:
                yield Case(f"lie: {name}, {codec.name}", topic, NEWEST, batch)
        if codec:
            for name, body in _packed(codec):
                yield Case(f"lie: {name}, {codec.name}", "plain", NEWEST, with_body(header, body))
    yield from _of_producers(now_ms)


def kinds(now_ms: int) -> Iterator[tuple[str, bytes]]:
    """The bytes of what claims to be three records. Some are three records nevertheless."""
    yield from _whole_bodies(now_ms)
    yield from _lengths()
    yield from _deltas(now_ms)
    yield from _keys_and_values()
    yield from _headers()


def _record(*parts: bytes, length: int | None = None) -> bytes:
    """A record with any bytes; ``length`` instead of the right one."""
    inner = b"".join(parts)
    return _varint(len(inner) if length is None else length) + inner


def _varint(value: int) -> bytes:
    out = bytearray()
    write_varint(out, value)
    return bytes(out)


def _varlong(value: int) -> bytes:
    out = bytearray()
    write_varlong(out, value)
    return bytes(out)


_REST = raw_record(1) + raw_record(2)


def _whole_bodies(now_ms: int) -> Iterator[tuple[str, bytes]]:
    three = raw_record(0) + _REST
    yield "three records", three
    yield "one record of three", raw_record(0)
    yield "two records of three", raw_record(0) + raw_record(1)
    yield "four records of three", three + raw_record(3)
    yield "nothing", b""
    yield "a zero byte behind", three + b"\0"
    yield "a batch behind", three + make([NewRecord(b"k", b"v")], now_ms)
    yield "the last byte missing", three[:-1]
    yield "half of the last record missing", three[: len(raw_record(0)) * 2 + 4]
    nested = make([NewRecord(b"k", b"v")] * 3, now_ms)
    yield "a batch in place of the records", nested
    yield "a compressed batch in place of the records", make([NewRecord(b"k", b"v")] * 3, now_ms, 4)
    yield "only the header of a batch", nested[:HEADER_SIZE]
    yield "zeros", bytes(64)
    yield "bytes of 255", b"\xff" * 64
    yield "bytes of 128", b"\x80" * 64
    yield "noise", bytes(index * 89 % 251 for index in range(200))
    yield "the records backwards", raw_record(2) + raw_record(1) + raw_record(0)
    yield "the first record three times", raw_record(0) * 3


def _lengths() -> Iterator[tuple[str, bytes]]:
    good = raw_record(0)[1:]
    for length in (-(2**31), -2, -1, 0, 1, 5, len(good) - 1, len(good) + 1, 100, 2**31 - 1):
        yield f"first record of length {length}", _varint(length) + good + _REST
        yield (
            f"last record of length {length}",
            raw_record(0) + raw_record(1) + _varint(length) + raw_record(2)[1:],
        )
    yield "a length of five bytes", b"\x90\x80\x80\x80\x00"[:4] + b"\x00" + good + _REST
    yield "a length of six bytes", b"\x90\x80\x80\x80\x80\x00" + good + _REST
    yield "a length that does not end", b"\x80" * 11


def _deltas(now_ms: int) -> Iterator[tuple[str, bytes]]:
    for deltas in (
        (0, 0, 0),
        (0, 0, 1),
        (1, 2, 3),
        (0, 2, 4),
        (0, 1, 1),
        (2, 1, 0),
        (0, 1, -1),
        (0, 1, 2**31 - 1),
    ):
        yield f"offset deltas {deltas}", b"".join(raw_record(each) for each in deltas)
    yield (
        "an offset delta of six bytes",
        _record(b"\0\0", b"\x80\x80\x80\x80\x80\x00", b"\x02k\x02v\0") + _REST,
    )
    yield "a timestamp delta of eleven bytes", _record(b"\0", b"\x80" * 10 + b"\0", b"\0\x02k\x02v\0") + _REST
    for name, delta in (
        ("largest", 2**63 - 1),
        ("smallest", -(2**63)),
        ("that makes a negative timestamp", -now_ms - 100),
        ("of three hours", 3 * HOUR_MS),
        ("of minus three hours", -3 * HOUR_MS),
    ):
        yield (
            f"a timestamp delta {name}",
            raw_record(0) + raw_record(1, timestamp_delta=delta) + raw_record(2),
        )
    yield "attributes of 255", raw_record(0, attributes=255) + _REST


def _keys_and_values() -> Iterator[tuple[str, bytes]]:
    start = b"\0\0\0"
    for length in (-(2**31), -2, 2, 50, 2**31 - 1):
        yield f"a key of length {length}", _record(start, _varint(length), b"k\x02v\0") + _REST
        yield f"a value of length {length}", _record(start, b"\x02k", _varint(length), b"v\0") + _REST
    yield "a null key and a null value", _record(start, b"\x01\x01\0") + _REST
    yield "an empty key and an empty value", _record(start, b"\0\0\0") + _REST
    yield "a null key with two bytes of length", _record(start, b"\x81\0\x02v\0") + _REST
    yield "no value", _record(start, b"\x02k") + _REST
    yield "no header count", _record(start, b"\x02k\x02v") + _REST
    yield "a byte behind the headers", _record(start, b"\x02k\x02v\0x") + _REST
    yield "a value up to the next record", _record(start, b"\x02k", _varint(7), b"v\0", length=7) + _REST


def _headers() -> Iterator[tuple[str, bytes]]:
    start = b"\0\0\0\x02k\x02v"
    one = b"\x02h\x02w"
    for count in (-(2**31), -2, -1, 2, 3, 70_000, 2**31 - 1):
        yield f"{count} headers of one", _record(start, _varint(count), one) + _REST
    yield "a header", _record(start, b"\x02", one) + _REST
    yield "no header of one", _record(start, b"\0", one) + _REST
    yield "a header without key", _record(start, b"\x02\x01\x02w") + _REST
    yield "a header with an empty key", _record(start, b"\x02\x00\x02w") + _REST
    yield "a header with a null value", _record(start, b"\x02\x02h\x01") + _REST
    yield "a header key of length -2", _record(start, b"\x02\x03\x02w") + _REST
    yield "a header value of length -2", _record(start, b"\x02\x02h\x03") + _REST
    yield "a header key beyond the record", _record(start, b"\x02\x40h\x02w") + _REST
    yield "a header value beyond the record", _record(start, b"\x02\x02h\x40w") + _REST
    yield "a header key that is no UTF-8", _record(start, b"\x02\x02\xff\x02w") + _REST
    yield "a thousand headers", _record(start, _varint(1000), one * 1000) + _REST


def _packed(codec: int) -> Iterator[tuple[str, bytes]]:
    """What is no compressed data, or not all of it."""
    three = raw_record(0) + _REST
    packed = compress(codec, three)
    yield "plain records that claim a compression", three
    yield "garbage instead of compressed data", bytes(index * 89 % 251 for index in range(100))
    yield "no compressed data", b""
    yield "the first bytes of compressed data", packed[:3]
    yield "compressed data without the last byte", packed[:-1]
    yield "compressed data twice", packed + packed
    yield "garbage behind compressed data", packed + b"xyz"
    yield "zeros behind compressed data", packed + bytes(20)
    yield "compressed compressed data", compress(codec, packed)
    other = Compression.GZIP if codec != Compression.GZIP else Compression.ZSTD
    yield "data in another compression", compress(other, three)


def _of_producers(now_ms: int) -> Iterator[Case]:
    """Some kinds sent by an idempotent producer, as control records and in headers that lie about the count."""
    some = ("two records of three", "first record of length -1", "offset deltas (0, 0, 1)", "zeros")
    number = 5_000
    for codec in (Compression.NONE, Compression.ZSTD):
        for name, body in kinds(now_ms):
            if name not in some:
                continue
            number += 1
            header = make([NewRecord(b"k", b"v")] * 3, now_ms, codec, number)
            batch = with_body(header, compress(codec, body))
            yield Case(f"lie: idempotent, {name}, {codec.name}", "plain", NEWEST, batch)
            control = with_header(batch, attributes=0x20 | codec)
            yield Case(f"lie: control, {name}, {codec.name}", "plain", NEWEST, control)
        good = make([NewRecord(b"k", b"v")] * 3, now_ms, codec)
        for count in (1, 2, 4, 5, 100, 2**31 - 1):
            batch = with_header(good, record_count=count, last_offset_delta=count - 1)
            yield Case(f"lie: {count} records that are three, {codec.name}", "plain", NEWEST, batch)
            batch = with_header(good, last_offset_delta=count - 1)
            yield Case(f"lie: last offset delta {count - 1}, {codec.name}", "plain", NEWEST, batch)
        for field in ("base_timestamp", "max_timestamp"):
            batch = with_header(good, **{field: now_ms - 3 * HOUR_MS})
            yield Case(f"lie: {field} three hours ago, {codec.name}", "plain", NEWEST, batch)
