"""What is sent to a topic to learn how a leader checks it: batches in every form, right and wrong.

`record_answers` sends them to a node of Apache Kafka; `../data/produce_answers.json` holds what was sent and what it
responded. Times are relative to ``now_ms``, because Kafka compares them with its own clock.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kafkaproto.primitives import write_varint, write_varlong
from kafkaproto.records.batch import HEADER_SIZE, LENGTH_END, NewRecord, RecordBatchView, build_batch
from kafkaproto.records.compression import Compression, compress
from kafkaproto.records.crc32c import crc32c
from tests.kafkaproto.support.golden_batches import OLD_BATCHES

HOUR_MS = 3_600_000
NEWEST = 12
"""The newest version of Produce that names topics; 13 has their ids."""

TOPICS: Mapping[str, Mapping[str, str]] = {
    "plain": {},
    "compacted": {"cleanup.policy": "compact"},
    "append-time": {"message.timestamp.type": "LogAppendTime"},
    "compacted-append-time": {"cleanup.policy": "compact,delete", "message.timestamp.type": "LogAppendTime"},
    "uncompressed": {"compression.type": "uncompressed"},
    "gzip": {"compression.type": "gzip"},
    "snappy": {"compression.type": "snappy"},
    "lz4": {"compression.type": "lz4"},
    "zstd": {"compression.type": "zstd"},
    "gzip-append-time": {"compression.type": "gzip", "message.timestamp.type": "LogAppendTime"},
    "gzip-compacted": {"compression.type": "gzip", "cleanup.policy": "compact"},
    "small": {"max.message.bytes": "1000"},
    "small-uncompressed": {"max.message.bytes": "1000", "compression.type": "uncompressed"},
    "small-segments": {"segment.bytes": "1048576", "max.message.bytes": "4000000"},
    "recent": {
        "message.timestamp.before.max.ms": str(HOUR_MS),
        "message.timestamp.after.max.ms": str(HOUR_MS),
    },
    "recent-append-time": {
        "message.timestamp.before.max.ms": str(HOUR_MS),
        "message.timestamp.type": "LogAppendTime",
    },
    "small-records": {"max.decompressed.message.bytes": "1000"},
    "small-records-gzip": {"max.decompressed.message.bytes": "1000", "compression.type": "gzip"},
    "small-records-compacted": {"max.decompressed.message.bytes": "1000", "cleanup.policy": "compact"},
}
"""Topics by name, with the configs that they need."""


class Case(NamedTuple):
    """One batch, or something else, for one partition."""

    name: str
    topic: str
    version: int
    records: bytes | None
    transactional_id: str | None = None


def with_header(batch: bytes, *, crc: int | None = None, **fields: int) -> bytes:
    """The batch with other header fields and, unless one is given, the crc that fits them."""
    header = RecordBatchView(batch).header()._replace(**fields)
    checked = struct.pack(">hiqqqhii", *header[5:])
    if crc is None:
        crc = crc32c(batch[HEADER_SIZE:], crc32c(checked))
    return struct.pack(">qiibI", *header[:4], crc) + checked + batch[HEADER_SIZE:]


def with_body(batch: bytes, body: bytes, **fields: int) -> bytes:
    """The batch's header in front of other bytes, with the length and, unless others are given, the fields it has."""
    length = struct.pack(">i", HEADER_SIZE - LENGTH_END + len(body))
    return with_header(batch[:8] + length + batch[LENGTH_END:HEADER_SIZE] + body, **fields)


def raw_record(
    offset_delta: int = 0,
    key: bytes | None = b"k",
    value: bytes = b"v",
    timestamp_delta: int = 0,
    attributes: int = 0,
) -> bytes:
    """One record with any deltas and attributes, without headers."""
    inner = bytearray((attributes,))
    write_varlong(inner, timestamp_delta)
    write_varint(inner, offset_delta)
    write_varint(inner, -1 if key is None else len(key))
    inner += key or b""
    write_varint(inner, len(value))
    inner += value + b"\0"
    outer = bytearray()
    write_varint(outer, len(inner))
    return bytes(outer + inner)


def make(records: Sequence[NewRecord], now_ms: int, compression: int = 0, producer_id: int = -1) -> bytes:
    """The batch as a producer sends it: base offset 0, no leader epoch; with a producer id, its first batch."""
    is_idempotent = producer_id >= 0
    return build_batch(
        records,
        base_offset=0,
        partition_leader_epoch=-1,
        timestamp_ms=now_ms,
        compression=compression,
        producer_id=producer_id,
        producer_epoch=2 if is_idempotent else -1,
        base_sequence=0 if is_idempotent else -1,
    )


def cases(now_ms: int) -> Iterator[Case]:
    """All of them; no two have the same name."""
    yield from _forms(now_ms)
    yield from _headers(now_ms)
    yield from _producers(now_ms)
    yield from _attributes(now_ms)
    yield from _timestamps(now_ms)
    yield from _append_times(now_ms)
    yield from _bodies(now_ms)
    yield from _sizes(now_ms)
    yield from _compacted(now_ms)
    yield from _recompressed(now_ms)


def _three(now_ms: int) -> list[NewRecord]:
    return [
        NewRecord(b"a", b"one" * 10, timestamp_ms=now_ms - 20),
        NewRecord(b"b", b"two" * 10, [("trace", b"on"), ("empty", None)], timestamp_ms=now_ms),
        NewRecord(b"c", None, timestamp_ms=now_ms - 10),
    ]


def _forms(now_ms: int) -> Iterator[Case]:
    good = make(_three(now_ms), now_ms)

    def case(name: str, records: bytes | None, version: int = NEWEST) -> Case:
        return Case(name, "plain", version, records)

    for version in (3, 6, 7, 8, 9, NEWEST):
        yield case(f"one batch in version {version}", good, version)
    yield case("null instead of records", None)
    yield case("no bytes", b"")
    yield case("7 bytes", good[:7])
    yield case("12 bytes", good[:12])
    yield case("17 bytes", good[:17])
    yield case("a header without its last byte", good[:60])
    yield case("a batch without its last byte", good[:-1])
    for length in (-(2**31), -1, 0, 13, 14, 48, 2**31 - 1):
        yield case(f"batch length {length}", good[:8] + struct.pack(">i", length) + good[12:])
    yield case("14 bytes of length 14 at the end", good[:8] + struct.pack(">i", 14) + good[12:26])
    yield case("48 bytes of length 48 at the end", good[:8] + struct.pack(">i", 48) + good[12:60])
    yield case("a batch and 1 byte", good + b"x")
    yield case("a batch and 11 zero bytes", good + bytes(11))
    yield case("a batch and 12 zero bytes", good + bytes(12))
    yield case("a batch and a part of another", good + good[:-1])
    yield case("a batch and the first 16 bytes of another", good + good[:16])
    yield case("a batch and a part of one with magic 9", good + good[:16] + b"\x09" + good[17:-1])
    yield case("a damaged batch and 12 zero bytes", with_header(good, crc=1) + bytes(12))
    yield case("two batches", good + good)
    yield case("two batches, the second one damaged", good + with_header(good, crc=1))
    yield case("two batches, the first one with base offset 1", with_header(good, base_offset=1) + good)
    for magic, old in OLD_BATCHES:
        yield case(f"messages with magic {magic}, {len(old)} bytes", old)
    for magic in (-128, -1, 0, 1, 3, 127):
        yield case(f"magic {magic}", with_header(good, magic=magic))
    yield case("magic 3 in version 3", with_header(good, magic=3), 3)
    yield case("magic 1 in version 3", with_header(good, magic=1), 3)


def _headers(now_ms: int) -> Iterator[Case]:
    good = make(_three(now_ms), now_ms)

    def case(name: str, records: bytes) -> Case:
        return Case(name, "plain", NEWEST, records)

    yield case("a wrong crc", with_header(good, crc=1))
    yield case("a wrong last byte", good[:-1] + b"\x02")
    yield case("a wrong crc and base offset 1", with_header(good, crc=1, base_offset=1))
    yield case("a wrong crc and a wrong count", with_header(good, crc=1, record_count=7))
    for epoch in (-2, 0, 7):
        yield case(f"leader epoch {epoch}", with_header(good, partition_leader_epoch=epoch))
    for offset in (-(2**63), -1, 1, 2**63 - 1):
        yield case(f"base offset {offset}", with_header(good, base_offset=offset))
    for count, delta in (
        (0, 0), (0, -1), (0, 2), (-1, 2), (-1, -2), (2, 2), (4, 2), (3, 3), (3, 1), (3, -1), (1, -(2**31)),
        (-(2**31), 2**31 - 1), (2**31 - 1, 2**31 - 2),
    ):  # fmt: skip
        yield case(
            f"{count} records, last offset delta {delta}",
            with_header(good, record_count=count, last_offset_delta=delta),
        )
    yield case("a header without records", with_body(good, b"", record_count=0, last_offset_delta=-1))
    yield case(
        "a header without records that claims one", with_body(good, b"", record_count=1, last_offset_delta=0)
    )


def _producers(now_ms: int) -> Iterator[Case]:
    good = make(_three(now_ms), now_ms)

    def case(name: str, **fields: int) -> Case:
        return Case(name, "plain", NEWEST, with_header(good, **fields))

    for number, (epoch, sequence) in enumerate(
        ((0, 0), (0, -1), (0, -(2**31)), (-1, 0), (-1, -1), (-2, 0), (2**15 - 1, 0), (0, 2**31 - 1))
    ):
        yield case(
            f"producer id, epoch {epoch}, sequence {sequence}",
            producer_id=1000 + number,
            producer_epoch=epoch,
            base_sequence=sequence,
        )
    yield case("no producer id, epoch 5", producer_epoch=5)
    yield case("no producer id, sequence 5", base_sequence=5)
    yield case("no producer id, epoch -5, sequence -5", producer_epoch=-5, base_sequence=-5)
    yield case("producer id -2", producer_id=-2)
    yield case("producer id -2, epoch 0, sequence 0", producer_id=-2, producer_epoch=0, base_sequence=0)
    for name, attributes in (("transactional", 0x10), ("transactional and control", 0x30)):
        for transactional_id in (None, "a-transaction"):
            batch = with_header(good, attributes=attributes)
            about = "" if transactional_id is None else ", with a transactional id"
            yield Case(f"{name} without a producer id{about}", "plain", NEWEST, batch, transactional_id)


def _attributes(now_ms: int) -> Iterator[Case]:
    good = make(_three(now_ms), now_ms)

    def case(name: str, version: int = NEWEST, **fields: int) -> Case:
        return Case(name, "plain", version, with_header(good, **fields))

    yield case("control", attributes=0x20)
    yield case(
        "control and transactional", attributes=0x30, producer_id=900, producer_epoch=0, base_sequence=0
    )
    yield case("control and a wrong count", attributes=0x20, record_count=2)
    yield case("delete horizon", attributes=0x40)
    yield case("unused attribute bits", attributes=0x7F80)
    yield case("attributes with the highest bit", attributes=-(2**15))
    for codec in (5, 6, 7):
        for version in (3, 6, 7, NEWEST):
            yield case(f"compression {codec} in version {version}", version, attributes=codec)
    yield case("compression 5 and a wrong crc", attributes=5, crc=1)
    yield case("compression 5 and base offset 1", attributes=5, base_offset=1)
    yield case("compression 5, control", attributes=0x25)
    zstd = make(_three(now_ms), now_ms, Compression.ZSTD)
    for version in (3, 6, 7):
        yield Case(f"zstd in version {version}", "plain", version, zstd)
    yield Case("zstd with a wrong crc in version 6", "plain", 6, with_header(zstd, crc=1))
    yield Case("two zstd batches in version 6", "plain", 6, zstd + zstd)


def _timestamps(now_ms: int) -> Iterator[Case]:
    old = now_ms - 3 * HOUR_MS
    late = now_ms + 3 * HOUR_MS
    for topic in ("plain", "recent", "append-time", "recent-append-time"):
        for name, time_ms in (
            ("now", now_ms),
            ("none", -1),
            ("old", old),
            ("late", late),
            ("negative", -5),
            ("0", 0),
        ):
            yield Case(
                f"timestamp {name}",
                topic,
                NEWEST,
                make([NewRecord(b"k", b"v", timestamp_ms=time_ms)], now_ms),
            )
        times = (now_ms, old, now_ms, late, -1)
        mixed = make([NewRecord(b"k", b"v", timestamp_ms=each) for each in times], now_ms)
        yield Case("timestamps now, old, now, late, none", topic, NEWEST, mixed)
        good = make(_three(now_ms), now_ms)
        for name, field in (("base", "base_timestamp"), ("max", "max_timestamp")):
            for when, time_ms in (
                ("none", -1),
                ("old", old),
                ("late", late),
                ("the smallest", -(2**63)),
                ("the largest", 2**63 - 1),
            ):
                yield Case(
                    f"{name} timestamp of the header {when}",
                    topic,
                    NEWEST,
                    with_header(good, **{field: time_ms}),
                )


def _append_times(now_ms: int) -> Iterator[Case]:
    old = now_ms - 3 * HOUR_MS
    for codec in (Compression.NONE, Compression.GZIP):
        good = make(_three(now_ms), now_ms, codec)
        stamped = with_header(good, attributes=codec | 8)
        for topic in ("plain", "append-time", "recent", "gzip", "gzip-append-time"):
            yield Case(f"create time, {codec.name}", topic, NEWEST, good)
            yield Case(f"append time, {codec.name}", topic, NEWEST, stamped)
            yield Case(
                f"append time, old, {codec.name}", topic, NEWEST, with_header(stamped, max_timestamp=old)
            )
            yield Case(
                f"append time, none, {codec.name}", topic, NEWEST, with_header(stamped, max_timestamp=-1)
            )
    good = make(_three(now_ms), now_ms)
    yield Case("delete horizon", "append-time", NEWEST, with_header(good, attributes=0x40))
    yield Case("unused attribute bits", "append-time", NEWEST, with_header(good, attributes=0x7F80))
    producer = with_header(good, producer_id=800, producer_epoch=1, base_sequence=0)
    yield Case("an idempotent producer", "append-time", NEWEST, producer)


def _bodies(now_ms: int) -> Iterator[Case]:
    for codec in (Compression.NONE, Compression.GZIP):
        # The header fits three records with its base timestamp.
        header = make([NewRecord(b"k", b"v")] * 3, now_ms, codec)
        for topic in ("plain", "gzip", "compacted"):
            for name, body in _record_bytes(now_ms):
                batch = with_body(header, compress(codec, body))
                yield Case(f"{name}, {codec.name}", topic, NEWEST, batch)
            if codec:
                for name, body in _compressed_bytes():
                    yield Case(name, topic, NEWEST, with_body(header, body))


def _record_bytes(now_ms: int) -> Iterator[tuple[str, bytes]]:
    three = [raw_record(0), raw_record(1), raw_record(2)]
    rest = b"".join(three[1:])
    yield "three records", b"".join(three)
    yield "two records of three", b"".join(three[:2])
    yield "four records of three", b"".join([*three, raw_record(3)])
    yield "a byte behind the records", b"".join(three) + b"x"
    yield "the same offset deltas", raw_record(0) * 3
    yield "offset deltas that fall", b"".join(three[::-1])
    yield "offset deltas from 5 on", raw_record(5) + raw_record(6) + raw_record(7)
    yield "records with attributes", raw_record(0, attributes=3) + rest
    yield "records of zeros", bytes(30)
    yield "records of noise", bytes(range(100, 180))
    yield "a timestamp beyond the header's", raw_record(0, timestamp_delta=1000) + rest
    yield "a timestamp before the header's", raw_record(0, timestamp_delta=-1000) + rest
    yield "a timestamp out of range", raw_record(0, timestamp_delta=2 * HOUR_MS) + rest
    yield "a timestamp that is none", raw_record(0) + raw_record(1, timestamp_delta=-1 - now_ms) + three[2]


def _compressed_bytes() -> Iterator[tuple[str, bytes]]:
    three = b"".join((raw_record(0), raw_record(1), raw_record(2)))
    packed = compress(Compression.GZIP, three)
    yield "damaged data", b"\x1f\x8b" + b"x" * 20
    yield "data cut short", packed[:-12]
    yield "data followed by others", packed + b"xyz"
    yield "uncompressed data", three
    yield "no data", b""


def _sizes(now_ms: int) -> Iterator[Case]:
    def sized(size: int) -> bytes:
        empty = make([NewRecord(b"k", b"v" * 500)], now_ms)
        return make([NewRecord(b"k", b"v" * (500 + size - len(empty)))], now_ms)

    for size in (1000, 1001):
        yield Case(f"a batch of {size} bytes", "small", NEWEST, sized(size))
    yield Case("a batch of 1001 bytes with a wrong crc", "small", NEWEST, with_header(sized(1001), crc=1))
    yield Case(
        "a batch of 1001 bytes with base offset 1", "small", NEWEST, with_header(sized(1001), base_offset=1)
    )
    yield Case("a batch of 1000 bytes and 20 others", "small", NEWEST, sized(1000) + b"\xff" * 11)
    compressed = make([NewRecord(b"k", b"v" * 2000)], now_ms, Compression.GZIP)
    for topic in ("small", "small-uncompressed"):
        yield Case("a batch that decompresses to 2000 bytes", topic, NEWEST, compressed)
    for value_size in (900, 992, 993, 2000):
        for codec in Compression:
            batch = make([NewRecord(b"k", b"v" * value_size)] * 3, now_ms, codec)
            for topic in ("small-records", "small-records-gzip", "small-records-compacted"):
                yield Case(f"values of {value_size} bytes, {codec.name}", topic, NEWEST, batch)
    for size in (1 << 20, (1 << 20) + 70):
        value = b"v" * (size - len(make([NewRecord(b"k", b"v" * 1000000)], now_ms)) + 1000000)
        batch = make([NewRecord(b"k", value)], now_ms)
        yield Case(f"a batch of {len(batch)} bytes", "small-segments", NEWEST, batch)


def _compacted(now_ms: int) -> Iterator[Case]:
    old = now_ms - 3 * HOUR_MS
    keyless = [NewRecord(key, b"v" * 30, timestamp_ms=now_ms) for key in (None, b"", b"k", None, b"k")]
    many = [NewRecord(None, b"v", timestamp_ms=now_ms)] * 5
    for topic in ("compacted", "compacted-append-time", "gzip-compacted"):
        for codec in Compression:
            yield Case(f"records with keys, {codec.name}", topic, NEWEST, make(_three(now_ms), now_ms, codec))
            yield Case(
                f"records 0 and 3 without keys, {codec.name}", topic, NEWEST, make(keyless, now_ms, codec)
            )
        yield Case("five records without keys", topic, NEWEST, make(many, now_ms))
        yield Case("no key in version 3", topic, 3, make(many, now_ms))
        yield Case("no key in version 7", topic, 7, make(many, now_ms))
        yield Case("no key, control", topic, NEWEST, with_header(make(many, now_ms), attributes=0x20))
        mixed = [
            NewRecord(None, b"v", timestamp_ms=now_ms),
            NewRecord(b"k", b"v", timestamp_ms=now_ms + 3 * HOUR_MS),
        ]
        yield Case("no key, and a late timestamp", topic, NEWEST, make(mixed, now_ms))
        both = [
            NewRecord(None, b"v", timestamp_ms=old + 6 * HOUR_MS),
            NewRecord(b"k", b"v", timestamp_ms=now_ms),
        ]
        yield Case("no key and a late timestamp in one record", topic, NEWEST, make(both, now_ms))


def _recompressed(now_ms: int) -> Iterator[Case]:
    for topic in ("uncompressed", "gzip", "snappy", "lz4", "zstd", "gzip-append-time"):
        for number, codec in enumerate(Compression):
            yield Case(
                f"a batch of a producer, {codec.name}", topic, NEWEST, make(_three(now_ms), now_ms, codec)
            )
            idempotent = make(_three(now_ms), now_ms, codec, 2000 + number)
            yield Case(f"an idempotent producer, {codec.name}", topic, NEWEST, idempotent)
        plain = make(_three(now_ms), now_ms)
        yield Case(
            "a late timestamp",
            topic,
            NEWEST,
            make([NewRecord(None, b"", timestamp_ms=now_ms + 3 * HOUR_MS)], now_ms),
        )
        yield Case("delete horizon", topic, NEWEST, with_header(plain, attributes=0x40))
        yield Case("unused attribute bits", topic, NEWEST, with_header(plain, attributes=0x7F80))
        yield Case(
            "max timestamp of the header wrong", topic, NEWEST, with_header(plain, max_timestamp=now_ms - 40)
        )
        yield Case("a wrong crc", topic, NEWEST, with_header(plain, crc=1))
        yield Case("zstd in version 6", topic, 6, make(_three(now_ms), now_ms, Compression.ZSTD))
