"""The check of batches from producers: honest and damaged ones, against a slow model, and how long it may look.

`test_produce_answers` compares it with Apache Kafka.

Tests: `requests.sender`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import HEADER_SIZE, NewRecord, RecordBatchView, TimestampType
from kafkaproto.records.compression import Compression, compress
from kafkaproto.records.record import read_records
from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.core.replicas.incoming_batches import (
    BatchRefused,
    IncomingBatch,
    check_header,
    check_records,
    stamp,
)
from kafkaproto_server.core.replicas.incoming_rules import IncomingRules, incoming_rules
from kafkaproto_server.requests.sender import MAX_RECORD_ERRORS, Sender
from tests.core.replicas.support.incoming import check_incoming
from tests.core.replicas.support.produce_cases import HOUR_MS, make, raw_record, with_body, with_header

NOW_MS = 1_800_000_000_000
PLAIN = incoming_rules({})
COMPACTED = incoming_rules({"cleanup.policy": "compact"})
APPEND_TIME = incoming_rules({"message.timestamp.type": "LogAppendTime"})
EPOCH_BYTES = range(12, 16)
"""Of the leader epoch, which the leader overwrites; it is neither checked nor covered by the crc."""

TIMES = st.one_of(
    st.just(-1),
    st.integers(NOW_MS - 3 * HOUR_MS, NOW_MS + 3 * HOUR_MS),
    st.sampled_from([NOW_MS - HOUR_MS, NOW_MS - HOUR_MS - 1, NOW_MS + HOUR_MS, NOW_MS + HOUR_MS + 1]),
)
RECORDS = st.lists(
    st.builds(
        NewRecord,
        st.none() | st.binary(max_size=70),
        st.none() | st.binary(max_size=200),
        st.lists(st.tuples(st.text(max_size=3), st.none() | st.binary(max_size=3)), max_size=2),
        st.just(NOW_MS) | TIMES,
    ),
    min_size=1,
    max_size=80,
)
CODECS = st.sampled_from(Compression)
TOPICS = st.fixed_dictionaries(
    {},
    optional={
        "cleanup.policy": st.sampled_from(["compact", "compact,delete"]),
        "compression.type": st.sampled_from(["uncompressed", "gzip", "snappy", "lz4", "zstd"]),
        "message.timestamp.type": st.just("LogAppendTime"),
        "message.timestamp.before.max.ms": st.just(str(HOUR_MS)),
        "message.timestamp.after.max.ms": st.sampled_from(["0", str(2 * HOUR_MS)]),
    },
)


def few(count: int = 3, key: bytes | None = b"key") -> list[NewRecord]:
    return [NewRecord(key, b"value %d" % index, timestamp_ms=NOW_MS - index) for index in range(count)]


def refusal(
    records: bytes, rules: IncomingRules = PLAIN, *, allows_zstd: bool = True, now_ms: int = NOW_MS
) -> BatchRefused:
    with pytest.raises(BatchRefused) as caught:
        check_incoming(records, rules, now_ms, allows_zstd=allows_zstd)
    assert caught.value.message
    return caught.value


def stored(batch: IncomingBatch, base_offset: int = 0, leader_epoch: int = 0) -> bytes:
    return b"".join(stamp(batch, base_offset, leader_epoch))


# A batch as producers send it


@given(records=RECORDS, codec=CODECS, base_offset=st.integers(0, 2**63 - 81), epoch=st.integers(0, 2**31 - 1))
def test_batch_of_a_plain_topic_changes_only_in_offset_and_epoch(
    records: list[NewRecord], codec: Compression, base_offset: int, epoch: int
) -> None:
    sent = make([record._replace(timestamp_ms=NOW_MS) for record in records], NOW_MS, codec)
    batch = check_incoming(sent, PLAIN, NOW_MS)
    assert not batch.is_rewritten
    assert batch.header == RecordBatchView(sent).header()
    written = stored(batch, base_offset, epoch)
    view = RecordBatchView(written)
    view.check()
    assert (view.base_offset, view.partition_leader_epoch) == (base_offset, epoch)
    assert written[8:12] + written[16:] == sent[8:12] + sent[16:]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_what_is_stored_is_the_memory_of_the_request(kind: type[bytes | bytearray | memoryview]) -> None:
    sent = make(few(), NOW_MS)
    records = kind(sent)
    (part,) = check_incoming(records, PLAIN, NOW_MS).parts
    assert isinstance(part, memoryview)
    assert part.obj is (sent if kind is memoryview else records)


def test_part_of_another_batch_is_cut_off() -> None:
    sent = make(few(), NOW_MS)
    for length in (1, 11, 12, 17, 61, len(sent) - 1):
        batch = check_incoming(sent + sent[:length], PLAIN, NOW_MS)
        assert stored(batch, leader_epoch=-1) == sent


# Damage


@pytest.mark.parametrize("codec", list(Compression))
@pytest.mark.parametrize("rules", [PLAIN, COMPACTED, APPEND_TIME], ids=["plain", "compacted", "append time"])
def test_no_damaged_byte_passes_but_those_of_the_leader_epoch(
    codec: Compression, rules: IncomingRules
) -> None:
    sent = make(few(), NOW_MS, codec)
    rng = random.Random(codec)
    for position in range(len(sent)):
        for damage in {1, 0x80, rng.randrange(1, 256)}:
            damaged = bytearray(sent)
            damaged[position] ^= damage
            if position in EPOCH_BYTES:
                check_incoming(damaged, rules, NOW_MS)
            else:
                refused = refusal(bytes(damaged), rules)
                assert refused.code in (ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_RECORD), position


@given(data=st.data(), records=RECORDS, codec=CODECS)
def test_no_damage_of_some_bytes_passes(
    data: st.DataObject, records: list[NewRecord], codec: Compression
) -> None:
    sent = make(records, NOW_MS, codec)
    damaged = bytearray(sent)
    positions = [position for position in range(len(sent)) if position not in EPOCH_BYTES]
    for position in data.draw(st.sets(st.sampled_from(positions), min_size=1, max_size=3)):
        damaged[position] ^= data.draw(st.integers(1, 255))
    assert refusal(bytes(damaged)).code in (ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_RECORD)


@pytest.mark.parametrize("codec", list(Compression))
def test_batch_that_is_cut_anywhere_is_none(codec: Compression) -> None:
    sent = make(few(), NOW_MS, codec)
    for length in range(len(sent)):
        assert refusal(sent[:length]).code == ErrorCode.INVALID_RECORD


@given(records=st.binary(max_size=200), start=st.sampled_from([b"", make(few(), NOW_MS)[:21]]))
def test_any_bytes_are_refused_or_taken(records: bytes, start: bytes) -> None:
    refusal(start + records)


@given(records=st.binary(max_size=120), codec=CODECS, topic=TOPICS, count=st.integers(1, 20))
def test_any_bytes_instead_of_records_are_refused_or_taken(
    records: bytes, codec: Compression, topic: dict[str, str], count: int
) -> None:
    sent = with_body(make(few(count), NOW_MS, codec), records)
    try:
        check_incoming(sent, incoming_rules(topic), NOW_MS)
    except BatchRefused as refused:
        reason = refused
    else:
        return
    assert reason.code in (ErrorCode.INVALID_RECORD, ErrorCode.INVALID_TIMESTAMP)


@pytest.mark.parametrize("codec", list(Compression))
def test_several_batches_are_refused(codec: Compression) -> None:
    sent = make(few(), NOW_MS, codec)
    for count in (2, 3, 50):
        assert refusal(sent * count).code == ErrorCode.INVALID_RECORD


def test_zstd_is_refused_where_the_version_does_not_have_it() -> None:
    sent = make(few(), NOW_MS, Compression.ZSTD)
    assert refusal(sent, allows_zstd=False).code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert check_incoming(sent, PLAIN, NOW_MS)


@pytest.mark.parametrize(
    ("codec", "content"),
    [
        (Compression.GZIP, bytes(2**20)),
        (Compression.SNAPPY, bytes(2**20)),
        (Compression.LZ4, bytes(2**20)),
        (Compression.ZSTD, bytes(2**24)),
    ],
)
def test_count_of_the_header_is_possible_for_what_compresses_best(codec: Compression, content: bytes) -> None:
    few_bytes = compress(codec, content)
    most = len(content) // 7
    header = make(few(), NOW_MS, codec)
    sent = with_body(header, few_bytes, record_count=most, last_offset_delta=most - 1)
    assert check_header(sent, PLAIN, Sender())
    claimed = 2**31 - 1
    sent = with_body(header, few_bytes[:100], record_count=claimed, last_offset_delta=claimed - 1)
    with pytest.raises(BatchRefused, match="100 bytes cannot be 2147483647 records"):
        check_header(sent, PLAIN, Sender())


def test_uncompressed_records_take_at_least_seven_bytes_each() -> None:
    header = make(few(), NOW_MS)
    assert check_header(with_body(header, bytes(76), record_count=10, last_offset_delta=9), PLAIN, Sender())
    with pytest.raises(BatchRefused, match="76 bytes cannot be 11 records"):
        check_header(with_body(header, bytes(76), record_count=11, last_offset_delta=10), PLAIN, Sender())


# What may be read for one request


def headers_of_one_record(count: int) -> list[NewRecord]:
    return [NewRecord(b"k", b"v", [("", None)] * count, NOW_MS)]


def test_small_batch_with_very_many_headers_is_refused_before_they_are_read() -> None:
    bomb = make(headers_of_one_record(65_536) * 31, NOW_MS, Compression.ZSTD)
    assert len(bomb) < 2_000
    sender = Sender(request_bytes=50 * len(bomb))
    assert sender.budget.units < 700_000
    assert sender.bytes_left < 30 * 2**20
    with pytest.raises(BatchRefused, match="more than may be read"):
        check_incoming(bomb, PLAIN, NOW_MS, sender=sender)
    for _ in range(49):
        with pytest.raises(BatchRefused, match="more than"):
            check_incoming(bomb, PLAIN, NOW_MS, sender=sender)
    assert sender.budget.units >= 0
    assert sender.bytes_left == 0


def test_batches_of_a_request_share_what_may_be_read() -> None:
    batch = make(headers_of_one_record(60_000), NOW_MS, Compression.ZSTD)
    sender = Sender(request_bytes=10)
    for _ in range(3):
        assert check_incoming(batch, PLAIN, NOW_MS, sender=sender)
    with pytest.raises(BatchRefused) as refused:
        check_incoming(batch, PLAIN, NOW_MS, sender=sender)
    assert refused.value.code is ErrorCode.INVALID_RECORD
    # Another request has its own.
    assert check_incoming(batch, PLAIN, NOW_MS, sender=Sender(request_bytes=10))


def test_records_of_one_size_count_as_well() -> None:
    sender = Sender(request_bytes=10)
    sender.budget.units = 5
    assert check_incoming(make(few(), NOW_MS), PLAIN, NOW_MS, sender=sender)
    with pytest.raises(BatchRefused):
        check_incoming(make(few(), NOW_MS), PLAIN, NOW_MS, sender=sender)


def test_batches_of_a_request_share_what_they_may_decompress_to() -> None:
    batch = make([NewRecord(b"key", bytes(3 * 2**20), timestamp_ms=NOW_MS)], NOW_MS, Compression.ZSTD)
    sender = Sender(request_bytes=1000)
    for _ in range(5):
        assert check_incoming(batch, PLAIN, NOW_MS, sender=sender)
    with pytest.raises(BatchRefused, match="more than the"):
        check_incoming(batch, PLAIN, NOW_MS, sender=sender)


@pytest.mark.parametrize("size", [7, 100])
def test_what_is_sent_uncompressed_never_reaches_the_limits(size: int) -> None:
    # Seven bytes are the smallest record, and two the smallest header.
    sent = make([NewRecord(None, bytes(size - 7), timestamp_ms=NOW_MS)] * 2000, NOW_MS)
    sender = Sender(request_bytes=len(sent))
    sender.budget.units -= 200_000
    assert check_incoming(sent, PLAIN, NOW_MS, sender=sender)
    sent = make(headers_of_one_record(60_000), NOW_MS)
    sender = Sender(request_bytes=len(sent))
    sender.budget.units -= 100_000
    assert check_incoming(sent, PLAIN, NOW_MS, sender=sender)


@pytest.mark.parametrize("codec", list(Compression))
def test_records_are_checked_in_short_steps(codec: Compression) -> None:
    records = [NewRecord(b"%d" % index, bytes(index % 5), timestamp_ms=NOW_MS) for index in range(10_000)]
    steps = check_records(
        check_header(make(records, NOW_MS, codec), PLAIN, Sender()), PLAIN, lambda: NOW_MS, Sender()
    )
    assert 5 < sum(1 for _ in steps) < 15


def test_topic_that_looks_at_each_record_does_so_in_steps() -> None:
    sent = make([NewRecord(None, bytes(index % 5), timestamp_ms=NOW_MS) for index in range(5_000)], NOW_MS)
    steps = check_records(check_header(sent, COMPACTED, Sender()), COMPACTED, lambda: NOW_MS, Sender())
    for _ in range(10):
        next(steps)
    with pytest.raises(BatchRefused):
        run_to_end(steps)


ROW_TIMES = st.lists(
    st.tuples(st.integers(1, 80), st.sampled_from([0, 1, 63, 64, 200, 9000]), st.integers(0, 1)),
    min_size=1,
    max_size=3,
)


@given(
    data=st.data(),
    key=st.none() | st.binary(max_size=70),
    sizes=st.sampled_from([(20, 20), (50, 58), (0, 300)]),
    headers=st.sampled_from([[]] * 4 + [[("a", b"b")]]),
    rows=ROW_TIMES,
    codec=CODECS,
)
def test_damaged_records_are_refused_in_each_compression_and_honest_ones_taken(
    data: st.DataObject,
    key: bytes | None,
    sizes: tuple[int, int],
    headers: list[tuple[str, bytes]],
    rows: list[tuple[int, int, int]],
    codec: Compression,
) -> None:
    times = [NOW_MS + time + index * step for count, time, step in rows for index in range(count)]
    records = [
        NewRecord(key, bytes(sizes[0] + index * 7 % (sizes[1] - sizes[0] + 1)), headers, time)
        for index, time in enumerate(times)
    ]
    sent = make(records, NOW_MS, codec)
    assert stored(check_incoming(sent, PLAIN, NOW_MS), leader_epoch=-1) == sent
    plain = bytearray(make(records, NOW_MS)[HEADER_SIZE:])
    for _ in range(data.draw(st.integers(1, 2))):
        plain[data.draw(st.integers(0, len(plain) - 1))] ^= data.draw(st.sampled_from([1, 2, 0x80, 0xFF]))
    base = RecordBatchView(sent).base_timestamp
    try:
        read = list(read_records(bytes(plain), len(records), 0, base, None))
    except RemoteProtocolError:
        read = []
    damaged = with_body(sent, compress(codec, bytes(plain)))
    is_honest = [each.offset for each in read] == list(range(len(records)))
    if is_honest and all(abs(each.timestamp - NOW_MS) < HOUR_MS for each in read):
        view = RecordBatchView(stored(check_incoming(damaged, PLAIN, NOW_MS)))
        assert view.max_timestamp == max(each.timestamp for each in read)
    else:
        refusal(damaged)


# Records that the topic asks about


def wrong_records(records: Sequence[NewRecord], rules: IncomingRules) -> dict[int, ErrorCode]:
    """The indexes of the records that the topic does not take, each with the error that it alone would have."""
    wrong = {}
    for index, record in enumerate(records):
        assert record.timestamp_ms is not None
        distance_ms = record.timestamp_ms - NOW_MS
        is_in_range = -rules.timestamp_before_max_ms <= distance_ms <= rules.timestamp_after_max_ms
        if rules.is_compacted and record.key is None:
            wrong[index] = ErrorCode.INVALID_RECORD
        elif (
            rules.timestamp_type is TimestampType.CREATE_TIME
            and record.timestamp_ms != -1
            and not is_in_range
        ):
            wrong[index] = ErrorCode.INVALID_TIMESTAMP
    return wrong


@given(records=RECORDS, codec=CODECS, topic=TOPICS, producer_id=st.sampled_from([-1, 7]))
def test_records_are_refused_or_stored_as_a_slow_model_says(
    records: list[NewRecord], codec: Compression, topic: dict[str, str], producer_id: int
) -> None:
    rules = incoming_rules(topic)
    sent = make(records, NOW_MS, codec, producer_id)
    wrong = wrong_records(records, rules)
    if wrong:
        refused = refusal(sent, rules)
        assert [error.batch_index for error in refused.record_errors] == list(wrong)
        of_timestamp = ErrorCode.INVALID_TIMESTAMP in wrong.values()
        assert refused.code == (ErrorCode.INVALID_TIMESTAMP if of_timestamp else ErrorCode.INVALID_RECORD)
        return
    batch = check_incoming(sent, rules, NOW_MS)
    view = RecordBatchView(stored(batch))
    view.check()
    is_append_time = rules.timestamp_type is TimestampType.LOG_APPEND_TIME
    times = [NOW_MS if is_append_time else record.timestamp_ms for record in records]
    found = list(view.records())
    assert [each[0] for each in found] == list(range(len(records)))
    assert [each[1] for each in found] == times
    assert [each[2:] for each in found] == [(each.key, each.value, tuple(each.headers)) for each in records]
    assert view.header() == batch.header._replace(partition_leader_epoch=0)
    assert (view.producer_id, view.record_count) == (producer_id, len(records))
    assert view.compression == (codec if rules.compression is None else rules.compression)
    assert view.timestamp_type == rules.timestamp_type
    assert view.max_timestamp == max(each.timestamp for each in found)


@pytest.mark.parametrize("policy", ["delete", "compact"])
def test_new_header_keeps_the_attributes_that_mean_something(policy: str) -> None:
    rules = incoming_rules({"cleanup.policy": policy, "message.timestamp.type": "LogAppendTime"})
    sent = with_header(make(few(), NOW_MS, Compression.LZ4), attributes=0x7FD0 | Compression.LZ4)
    batch = check_incoming(sent, rules, NOW_MS + 5)
    assert batch.header.attributes == 0x50 | 8 | Compression.LZ4
    assert batch.header.max_timestamp == NOW_MS + 5


def test_timestamp_decides_the_error_of_a_batch_wherever_it_is() -> None:
    late = NewRecord(b"key", b"v", timestamp_ms=NOW_MS + 2 * HOUR_MS)
    keyless = NewRecord(None, b"v", timestamp_ms=NOW_MS)
    for records in ([late, keyless], [keyless, late], [keyless, late, keyless]):
        refused = refusal(make(records, NOW_MS), COMPACTED)
        assert refused.code == ErrorCode.INVALID_TIMESTAMP
        assert [error.batch_index for error in refused.record_errors] == list(range(len(records)))


@pytest.mark.parametrize("rules", [PLAIN, COMPACTED, APPEND_TIME], ids=["plain", "compacted", "append time"])
@pytest.mark.parametrize("codec", list(Compression))
def test_claim_of_the_append_time_is_refused_before_records_are_looked_at(
    codec: Compression, rules: IncomingRules
) -> None:
    sent = with_header(make(few(), NOW_MS, codec), attributes=8 | codec)
    with pytest.raises(BatchRefused) as caught:
        check_header(sent, rules, Sender())
    assert caught.value.code == ErrorCode.INVALID_TIMESTAMP
    assert [error.batch_index for error in caught.value.record_errors] == [0, 1, 2]


def test_claim_of_the_append_time_names_so_many_records_at_most() -> None:
    claimed = 2**31 - 1
    body = compress(Compression.ZSTD, bytes(100)) + bytes(600_000)
    header = make(few(), NOW_MS, Compression.ZSTD)
    sent = with_body(header, body, record_count=claimed, last_offset_delta=claimed - 1, attributes=8 | 4)
    assert len(refusal(sent).record_errors) == MAX_RECORD_ERRORS


def test_max_timestamp_of_the_header_is_corrected_when_records_are_read() -> None:
    sent = with_header(make(few(), NOW_MS), max_timestamp=NOW_MS - 1)
    for rules in (PLAIN, COMPACTED):
        batch = check_incoming(sent, rules, NOW_MS)
        assert batch.is_rewritten
        assert batch.header.max_timestamp == NOW_MS
    assert len(batch.parts) == 2


@pytest.mark.parametrize("codec", [Compression.NONE, Compression.GZIP])
@pytest.mark.parametrize(
    ("base", "delta", "timestamp"),
    [(NOW_MS, 2**63 - 1, None), (2**63 - 1, 2**63 - 1, -2), (-1, -(2**63), 2**63 - 1)],
)
def test_timestamp_that_wraps_counts_as_what_it_becomes(
    codec: Compression, base: int, delta: int, timestamp: int | None
) -> None:
    body = compress(codec, raw_record() + raw_record(1, timestamp_delta=delta))
    sent = with_body(
        make(few(1), NOW_MS),
        body,
        record_count=2,
        last_offset_delta=1,
        base_timestamp=base,
        max_timestamp=NOW_MS - 1,
        attributes=codec,
    )
    rules = incoming_rules({"message.timestamp.after.max.ms": str(2**63 - 1), "cleanup.policy": "compact"})
    if timestamp is None:
        # Earlier than `message.timestamp.before.max.ms` allows.
        refused = refusal(sent, rules)
        assert refused.code == ErrorCode.INVALID_TIMESTAMP
        assert [error.batch_index for error in refused.record_errors] == [1]
        return
    view = RecordBatchView(stored(check_incoming(sent, rules, NOW_MS)))
    assert [record.timestamp for record in view.records()] == [base, timestamp]
    assert view.max_timestamp == max(base, timestamp)


def test_transaction_stays_one_in_another_compression() -> None:
    sent = with_header(make(few(), NOW_MS, producer_id=5), attributes=0x50)
    batch = check_incoming(sent, incoming_rules({"compression.type": "zstd"}), NOW_MS)
    assert batch.header.attributes == Compression.ZSTD | 0x10


def test_level_of_the_topic_is_used() -> None:
    sent = make([NewRecord(b"key-%d" % index, b"value" * (index % 50)) for index in range(500)], NOW_MS)
    sizes = [
        check_incoming(
            sent, incoming_rules({"compression.type": "gzip", "compression.gzip.level": level}), NOW_MS
        ).header.batch_length
        for level in ("9", "1")
    ]
    assert sizes[0] < sizes[1] < len(sent)


# Limits


def test_limits_of_size_are_met_exactly() -> None:
    sent = make(few(), NOW_MS)
    size = len(sent)
    for name, code in (
        ("max_message_bytes", ErrorCode.MESSAGE_TOO_LARGE),
        ("segment_bytes", ErrorCode.RECORD_LIST_TOO_LARGE),
    ):
        for rules in (PLAIN, COMPACTED, APPEND_TIME):
            assert check_incoming(sent, changed(rules, **{name: size}), NOW_MS)
            assert refusal(sent, changed(rules, **{name: size - 1})).code == code


def test_limits_hold_for_the_batch_in_its_new_compression() -> None:
    sent = make([NewRecord(b"key", bytes(5000))], NOW_MS, Compression.GZIP)
    rules = incoming_rules({"compression.type": "uncompressed"})
    size = len(stored(check_incoming(sent, rules, NOW_MS)))
    assert size > 5000
    for name, code in (
        ("max_message_bytes", ErrorCode.MESSAGE_TOO_LARGE),
        ("segment_bytes", ErrorCode.RECORD_LIST_TOO_LARGE),
    ):
        assert check_incoming(sent, changed(rules, **{name: size}), NOW_MS)
        assert refusal(sent, changed(rules, **{name: size - 1})).code == code


@pytest.mark.parametrize("codec", [Compression.GZIP, Compression.LZ4, Compression.ZSTD])
def test_batch_that_decompresses_to_too_much_is_refused(codec: Compression) -> None:
    bomb = make([NewRecord(b"key", bytes(30 * 2**20), timestamp_ms=NOW_MS)], NOW_MS, codec)
    assert len(bomb) < 30 * 2**20 / 200
    assert "more than" in refusal(bomb, COMPACTED).message
    with pytest.raises(BatchRefused, match="more than"):
        check_incoming(bomb, COMPACTED, NOW_MS, sender=Sender(request_bytes=2**30))
    small = make([NewRecord(b"key", bytes(3 * 2**20), timestamp_ms=NOW_MS)], NOW_MS, codec)
    assert check_incoming(small, COMPACTED, NOW_MS)
    # What shrinks less may be larger.
    large = make([NewRecord(b"key", random.Random(1).randbytes(2**17) + bytes(2**23))], NOW_MS, codec)
    assert check_incoming(large, COMPACTED, NOW_MS)


def test_record_errors_are_limited() -> None:
    late = [NewRecord(None, b"v", timestamp_ms=NOW_MS)] * (MAX_RECORD_ERRORS + 5)
    refused = refusal(make(late, NOW_MS), COMPACTED)
    assert refused.code == ErrorCode.INVALID_RECORD
    assert [error.batch_index for error in refused.record_errors] == list(range(MAX_RECORD_ERRORS))
    late.append(NewRecord(b"key", b"v", timestamp_ms=NOW_MS + 2 * HOUR_MS))
    refused = refusal(make(late, NOW_MS), COMPACTED)
    assert refused.code == ErrorCode.INVALID_TIMESTAMP
    assert len(refused.record_errors) == MAX_RECORD_ERRORS


def changed(rules: IncomingRules, **fields: int) -> IncomingRules:
    """The rules with other limits."""
    names = IncomingRules.__struct_fields__
    return IncomingRules(**{**{name: getattr(rules, name) for name in names}, **fields})
