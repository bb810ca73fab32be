"""Dead letters: which records become one, when they are archived, and what is written of them. What a node of Apache
Kafka writes is compared in `tests/compat/test_same_dead_letters.py`.

Tests: `core.share_partitions.source_records`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.compression import Compression
from kafkaproto.records.record import Record
from kafkaproto_server.core.log_state.compaction import stored_records
from kafkaproto_server.core.share_partitions import dead_letters
from kafkaproto_server.core.share_partitions.acknowledging import (
    Acknowledgement,
    acknowledge,
    complete,
    release,
)
from kafkaproto_server.core.share_partitions.acquiring import LogBatch, Wanted, acquire
from kafkaproto_server.core.share_partitions.dead_letters import (
    DeadLetter,
    Origin,
    Round,
    TopicRules,
    next_round,
    refusal,
    spent_letters,
)
from kafkaproto_server.core.share_partitions.expiring import expire
from kafkaproto_server.core.share_partitions.in_flight import StateChange
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.core.share_partitions.settings import ShareSettings
from kafkaproto_server.core.share_partitions.source_records import (
    MAX_UNSEEN,
    READS,
    SourcePlace,
    SourceRecords,
)
from kafkaproto_server.requests.share_state import ShareState, StateBatch
from tests.core.replicas.support.produce_cases import with_body, with_header

LOCK_MS = 1_000
ARCHIVING, ARCHIVED = 3, 4
ORIGIN = Origin(topic="t", partition=3, group_id="g")
MAX_BYTES = 10_000


def loaded(*batches: StateBatch, start_offset: int = 0, topic: str = "dlq.t") -> SharePartition:
    settings = ShareSettings(record_lock_duration_ms=LOCK_MS, delivery_count_limit=2, dead_letter_topic=topic)
    return SharePartition(ShareState(1, start_offset, batches=batches), start_offset, settings)


def fetched(topic: str = "dlq.t", deliveries: int = 1) -> SharePartition:
    """Ten records, which ada has."""
    core = loaded(topic=topic)
    for delivery in range(deliveries):
        assert take(core) == [(0, 9, delivery + 1)]
        if delivery + 1 < deliveries:
            expire(core, LOCK_MS * (delivery + 1))
    return core


def take(core: SharePartition) -> list[tuple[int, int, int]]:
    wanted = Wanted(member_id="ada", max_records=10, batch_size=10, is_record_limit=False)
    return [tuple(each) for each in acquire(core, wanted, 0, [LogBatch(0, 9)], (), 0)]  # type: ignore[misc]


def say(core: SharePartition, first: int, last: int, *types: int) -> StateChange:
    change = StateChange()
    acknowledge(core, "ada", [Acknowledgement(first, last, types)], change, 0)
    return change


# --- records that become letters ---


def test_rejected_records_are_archived_once_they_are_written() -> None:
    core = fetched()
    change = say(core, 0, 3, 3)
    assert change.batches == [StateBatch(0, 3, ARCHIVING, 1)]
    assert change.letters == [DeadLetter(0, 3, 1, True)]
    assert not complete(core, change, is_kept=True, now_ms=0)
    assert (core.start_offset, core.delivery_complete_count) == (0, 0)
    assert core.archive_letters(change.letters) == (StateBatch(0, 3, ARCHIVED, 1),)
    assert core.delivery_complete_count == 4
    assert core.move_start()
    assert (core.start_offset, core.delivery_complete_count) == (4, 0)
    assert core.archive_letters(change.letters) == ()


def test_nobody_gets_records_that_are_being_archived() -> None:
    core = fetched()
    complete(core, say(core, 0, 9, 3), is_kept=True, now_ms=0)
    expire(core, LOCK_MS)
    assert core.next_fetch_offset() == 10
    assert take(core) == []
    assert core.in_flight_count == 10


def test_without_a_topic_records_are_archived_at_once() -> None:
    core = fetched(topic="")
    change = say(core, 0, 3, 3)
    assert (change.batches, change.letters) == ([StateBatch(0, 3, ARCHIVED, 1)], [])


def test_gaps_and_accepted_records_are_no_letters() -> None:
    core = fetched()
    change = say(core, 0, 2, 0, 1, 2)
    assert change.letters == []
    assert [each.delivery_state for each in change.batches] == [ARCHIVED, 2, 0]


def test_the_last_delivery_becomes_a_letter_however_it_ends() -> None:
    core = fetched(deliveries=2)
    assert say(core, 0, 1, 2, 3).letters == [DeadLetter(0, 0, 2, False), DeadLetter(1, 1, 2, True)]
    assert release(core, "ada").letters == [DeadLetter(2, 9, 2, False)]
    core = fetched(deliveries=2)
    assert core.next_fetch_offset() == 10
    batches = expire(core, 2 * LOCK_MS)
    assert batches == (StateBatch(0, 9, ARCHIVING, 2),)
    assert spent_letters(batches) == [DeadLetter(0, 9, 2, False)]
    assert not core.looks_for_available


def test_what_expires_before_the_last_delivery_is_no_letter() -> None:
    assert spent_letters(expire(fetched(), LOCK_MS)) == []


def test_what_could_not_be_persisted_is_taken_back() -> None:
    core = fetched()
    change = say(core, 0, 3, 3)
    complete(core, change, is_kept=False, now_ms=0)
    assert core.archive_letters(change.letters) == ()
    assert say(core, 0, 3, 1).batches == [StateBatch(0, 3, 2, 1)]


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_what_is_taken_back_after_the_last_lock_is_a_letter(kind: int) -> None:
    core = fetched(deliveries=2)
    change = say(core, 0, 3, kind)
    complete(core, change, is_kept=False, now_ms=2 * LOCK_MS)
    assert change.letters == [DeadLetter(0, 3, 2, False)]
    assert core.delivery_complete_count == 0
    assert core.archive_letters(change.letters) == (StateBatch(0, 3, ARCHIVED, 2),)
    assert core.move_start()
    assert (core.start_offset, core.delivery_complete_count) == (4, 0)
    core = fetched(deliveries=2)
    change = say(core, 0, 9, kind)
    core.log_start_moved(4)
    complete(core, change, is_kept=False, now_ms=2 * LOCK_MS)
    assert change.letters == [DeadLetter(4, 9, 2, False)]


def test_what_is_taken_back_counts_as_it_is() -> None:
    core = fetched(deliveries=2)
    change = say(core, 0, 3, 2)
    core.settings = ShareSettings(record_lock_duration_ms=LOCK_MS, delivery_count_limit=2)
    complete(core, change, is_kept=False, now_ms=2 * LOCK_MS)
    # The group has no dead-letter topic any more.
    assert (change.letters, core.delivery_complete_count) == ([], 4)


def test_records_that_the_log_has_lost_are_no_letters() -> None:
    core = fetched(deliveries=2)
    core.log_start_moved(4)
    assert say(core, 0, 9, 3).letters == [DeadLetter(4, 9, 2, True)]
    core = fetched(deliveries=2)
    core.log_start_moved(4)
    assert spent_letters(expire(core, 2 * LOCK_MS)) == [DeadLetter(4, 9, 2, False)]


def test_records_that_are_lost_while_they_are_written_do_not_count() -> None:
    core = fetched()
    change = say(core, 0, 9, 3)
    complete(core, change, is_kept=True, now_ms=0)
    core.log_start_moved(4)
    core.archive_letters(change.letters)
    assert core.delivery_complete_count == 6
    assert core.move_start()
    assert (core.start_offset, core.delivery_complete_count) == (10, 0)


def test_a_part_of_what_is_being_archived_may_be_written_before_the_rest() -> None:
    core = loaded(StateBatch(0, 9, ARCHIVING, 1))
    assert core.archive_letters([DeadLetter(0, 3, 1, True)]) == (StateBatch(0, 3, ARCHIVED, 1),)
    assert core.move_start()
    assert core.start_offset == 4
    assert core.archive_letters([DeadLetter(4, 9, 1, True)]) == (StateBatch(4, 9, ARCHIVED, 1),)


def test_a_batch_that_is_written_as_a_whole_has_no_state_for_each_offset() -> None:
    core = loaded(StateBatch(0, 3, ARCHIVING, 1), StateBatch(4, 9, ARCHIVING, 1))
    core.archive_letters([DeadLetter(0, 6, 1, True)])
    assert [batch.is_tracked for batch in core.in_flight] == [False, True]


def test_a_new_leader_writes_the_letters_that_are_left() -> None:
    core = loaded(
        StateBatch(0, 3, ARCHIVING, 1),
        StateBatch(4, 4, 0, 1),
        StateBatch(5, 6, ARCHIVING, 2),
        StateBatch(7, 7, ARCHIVED, 2),
    )
    assert core.letters_left() == [DeadLetter(0, 3, 1, True), DeadLetter(5, 6, 2, False)]
    assert core.next_fetch_offset() == 4
    assert core.delivery_complete_count == 1


# --- which topics may be used ---


@pytest.mark.parametrize(
    ("topic", "rules", "word"),
    [
        ("", {}, "no dead-letter topic"),
        ("__dlq", {"prefix": ""}, "begins with __"),
        ("dlq.t", {"is_enabled": False}, "group.enable"),
        ("dlq.t", {"exists": False}, "does not exist"),
        ("other", {}, "does not begin with dlq."),
        ("dlq.t", {}, None),
        ("other", {"prefix": ""}, None),
        ("dlq.t", {"exists": False, "is_enabled": False, "may_be_created": True}, None),
    ],
)
def test_topics(topic: str, rules: dict[str, object], word: str | None) -> None:
    known = {"prefix": "dlq.", "may_be_created": False, "exists": True, "is_enabled": True, **rules}
    found = refusal(topic, TopicRules(**known))  # type: ignore[arg-type]
    assert (found is None) if word is None else (found is not None and word in found)


# --- what is written ---


def records_of(made: Round) -> list[Record]:
    view = RecordBatchView(made.records)
    view.check()
    found = list(view.records())
    assert len(found) == made.size
    return found


def offsets_of(made: Round) -> list[int]:
    return [int(dict(each.headers)["__dlq.errors.offset"] or b"") for each in records_of(made)]


class Everything(SourceRecords):
    """As if there were a record at each offset."""

    def first_from(self, offset: int, last: int) -> int:
        return offset


def everything() -> SourceRecords:
    return Everything(lambda offset: b"", 0, MAX_BYTES)


def test_headers_say_where_a_record_comes_from() -> None:
    letters = [DeadLetter(7, 7, 2, True), DeadLetter(9, 9, 5, False)]
    made = next_round(ORIGIN, letters, everything(), MAX_BYTES, 1_234, is_copied=False)
    assert (made.complete, made.rest) == (2, None)
    first, second = records_of(made)
    assert (first.key, first.value, first.timestamp) == (None, None, 1_234)
    assert first.headers == (
        ("__dlq.errors.topic", b"t"),
        ("__dlq.errors.partition", b"3"),
        ("__dlq.errors.offset", b"7"),
        ("__dlq.errors.group", b"g"),
        ("__dlq.errors.delivery.count", b"2"),
        ("__dlq.errors.message", b"Offset rejected by client."),
    )
    assert second.headers[2:] == (
        ("__dlq.errors.offset", b"9"),
        ("__dlq.errors.group", b"g"),
        ("__dlq.errors.delivery.count", b"5"),
        ("__dlq.errors.message", b"Offset delivery count exceeded the threshold."),
    )


@pytest.mark.parametrize("max_bytes", [61 + 1_000, 3_000, 1_000_000])
def test_many_letters_need_several_rounds(max_bytes: int) -> None:
    letters = [
        DeadLetter(0, 1_499, 1, True),
        DeadLetter(2_000, 2_000, 1, True),
        DeadLetter(2_002, 2_009, 2, False),
    ]
    offsets: list[int] = []
    while letters:
        made = next_round(ORIGIN, letters, everything(), max_bytes, 0, is_copied=False)
        assert len(made.records) <= max_bytes
        assert made.size <= 1_000
        offsets += offsets_of(made)
        letters = letters[made.complete :]
        if made.rest is not None:
            letters[0] = made.rest
    assert offsets == [*range(1_500), 2_000, *range(2_002, 2_010)]


def test_a_single_record_may_be_too_large() -> None:
    made = next_round(ORIGIN, [DeadLetter(0, 1, 1, True)], everything(), 100, 0, is_copied=False)
    assert (offsets_of(made), made.complete, made.rest) == ([0], 0, DeadLetter(1, 1, 1, True))


def test_a_letter_of_which_a_round_has_nothing_is_not_in_it() -> None:
    letters = [DeadLetter(0, 0, 1, True), DeadLetter(1, 1, 1, True)]
    made = next_round(ORIGIN, letters, everything(), 100, 0, is_copied=False)
    # If the round is given up, so are the letters that it has, and no others.
    assert (offsets_of(made), made.complete, made.rest) == ([0], 1, None)


def test_a_round_is_not_as_large_as_a_topic_with_large_batches_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dead_letters, "ROUND_BYTES", 3_000)
    made = next_round(ORIGIN, [DeadLetter(0, 99, 1, True)], everything(), 1_000_000, 0, is_copied=False)
    assert 1 < made.size < 100
    assert len(made.records) <= 3_000


def test_a_round_is_as_large_as_it_may_be_and_not_larger() -> None:
    # What a batch, a record and a header may have besides their contents.
    headers = {
        "__dlq.errors.topic": "t",
        "__dlq.errors.partition": "3",
        "__dlq.errors.group": "g",
        "__dlq.errors.offset": "0",
        "__dlq.errors.delivery.count": "1",
        "__dlq.errors.message": "Offset rejected by client.",
    }
    log = Log(batch("value", "value", "value"))
    contents = len("key-value" + "value")
    size = 40 + sum(10 + len(key) + len(value) for key, value in headers.items()) + contents
    letters = [DeadLetter(0, 2, 1, True)]
    assert next_round(ORIGIN, letters, log.source(), 61 + 3 * size - 1, 0, is_copied=True).size == 2
    assert next_round(ORIGIN, letters, log.source(), 61 + 3 * size, 0, is_copied=True).size == 3
    one = [DeadLetter(0, 0, 1, True)]
    fitting = len(next_round(ORIGIN, one, log.source(), MAX_BYTES, 0, is_copied=True).records)
    for max_bytes, value in ((fitting, b"value"), (fitting - 1, None)):
        (record,) = records_of(next_round(ORIGIN, one, log.source(), max_bytes, 0, is_copied=True))
        assert record.value == value


class Log:
    """Some batches, of which a read returns two."""

    def __init__(self, *batches: bytes) -> None:
        self.batches: list[bytes] = []
        self.reads: list[int] = []
        end = 0
        for each in batches:
            view = RecordBatchView(each)
            begin = max(end, view.base_offset)
            self.batches.append(begin.to_bytes(8, "big") + each[8:])
            end = begin + view.last_offset_delta + 1

    def read(self, offset: int) -> bytes:
        self.reads.append(offset)
        views = [each for each in self.batches if RecordBatchView(each).last_offset >= offset]
        return b"".join(views[:2])

    def source(
        self, log_start: int = 0, max_bytes: int = MAX_BYTES, place: SourcePlace | None = None
    ) -> SourceRecords:
        return SourceRecords(self.read, log_start, max_bytes, place)


def batch(*values: str, compression: int = 0, base_offset: int = 0) -> bytes:
    records = [NewRecord(f"key-{each}".encode(), each.encode(), [("own", b"header")]) for each in values]
    return build_batch(records, base_offset=base_offset, timestamp_ms=5, compression=compression)


NOTHING = "no record"


def values(source: SourceRecords, offsets: Sequence[int]) -> Iterator[str | None]:
    """Values of the records at some offsets; None for one that is not copied, NOTHING if there is none."""
    for each in offsets:
        if source.first_from(each, each) != each:
            yield NOTHING
            continue
        key, value = source.copy()
        assert (key is None) == (value is None)
        assert key is None or key == b"key-" + (value or b"")
        yield None if value is None else value.decode()


def test_copies_have_key_and_value() -> None:
    log = Log(batch("a", "b"), batch("c", "d", compression=Compression.ZSTD), batch("e"), batch("f"))
    made = next_round(ORIGIN, [DeadLetter(1, 5, 1, True)], log.source(), MAX_BYTES, 0, is_copied=True)
    assert [(each.key, each.value) for each in records_of(made)] == [
        (b"key-%c" % letter, b"%c" % letter) for letter in b"bcdef"
    ]
    assert [len(each.headers) for each in records_of(made)] == [6] * 5
    assert log.reads == [1, 4]


def test_what_gets_too_large_by_its_headers_is_told() -> None:
    log = Log(batch("x" * 500, "small"), batch("y" * 400))
    letters = [DeadLetter(0, 2, 1, True)]
    found: list[int | None] = []
    while letters:
        made = next_round(ORIGIN, letters, log.source(max_bytes=1_200), 1_200, 0, is_copied=True)
        assert len(made.records) <= 1_200
        found += [None if each.value is None else len(each.value) for each in records_of(made)]
        letters = [] if made.rest is None else [made.rest]
    assert found == [None, 5, 400]


def test_each_batch_is_read_once_and_only_where_it_is_needed() -> None:
    log = Log(*(batch(str(each)) for each in range(8)))
    assert list(values(log.source(), [1, 6, 7])) == ["1", "6", "7"]
    assert log.reads == [1, 6]


def test_offsets_may_go_back() -> None:
    log = Log(batch("a", "b", "c"), batch("d"))
    source = log.source()
    assert list(values(source, [2, 0, 3, 1])) == ["c", "a", "d", "b"]
    assert list(values(source, [1, 0, 0, 2, 1])) == ["b", "a", "a", "c", "b"]


def test_offsets_without_a_record_are_no_letters() -> None:
    log = Log(batch("a"), batch("c", base_offset=2), batch("d"))
    assert list(values(log.source(), [0, 1, 2, 3])) == ["a", NOTHING, "c", "d"]
    source = log.source()
    assert [source.first_from(each, 3) for each in range(4)] == [0, 2, 2, 3]
    assert log.source().first_from(1, 1) == 2


def test_records_that_compaction_has_removed_from_a_batch_are_no_letters() -> None:
    kept = stored_records(RecordBatchView(batch("a", "b", "c"))).keep(b"\1\0\1", delete_horizon_ms=None)
    assert list(values(Log(bytes(kept)).source(), [0, 1, 2])) == ["a", NOTHING, "c"]


def test_what_the_log_has_lost_is_not_looked_for() -> None:
    log = Log(batch("a"), batch("b"), batch("c"))
    assert list(values(log.source(log_start=1), [0, 1])) == [None, "b"]
    assert log.reads == [1]


def test_large_records_and_compressed_batches_that_are_large_are_told() -> None:
    big = "x" * 600
    log = Log(
        batch(big, "small", compression=Compression.GZIP),
        batch(big, "small"),
        batch(big, "small", big, compression=Compression.GZIP),
        batch(big * 2, "small"),
    )
    found = list(values(log.source(max_bytes=1_300), range(9)))
    assert found == [big, "small", big, "small", None, None, None, None, "small"]


def test_damaged_records_are_no_letters() -> None:
    damaged = bytearray(batch("a", "b", compression=Compression.GZIP))
    damaged[75] ^= 0xFF
    log = Log(bytes(damaged), batch("c"))
    assert list(values(log.source(), [0, 1, 2])) == [NOTHING, NOTHING, "c"]
    # Something is there, and cannot be read.
    source = SourceRecords(lambda offset: batch("a") + bytes(100), 0, MAX_BYTES)
    assert list(values(source, [0, 1])) == ["a", None]


def test_a_large_record_may_be_far_from_its_base_timestamp() -> None:
    # The topic has LogAppendTime, so nobody looks at what the producer says of the time.
    far = bytearray(batch("x" * 600, "small"))
    far[22] |= 0x08
    far[27:35] = (-(2**63)).to_bytes(8, "big", signed=True)
    assert list(values(Log(bytes(far)).source(max_bytes=500), [0, 1])) == [None, "small"]


# Batches that claim more than they have


def lying(claimed: int, *values: str, compression: int = 0, count: int | None = None) -> bytes:
    """A batch with some records that takes many offsets, as older releases stored it."""
    honest = batch(*values, compression=compression)
    return with_header(
        honest, last_offset_delta=claimed - 1, record_count=claimed if count is None else count
    )


def all_rounds(
    log: Log, *letters: DeadLetter, log_start: int = 0, is_copied: bool = True
) -> tuple[list[int], int]:
    """The offsets that get a dead letter, and the number of rounds."""
    left, place = list(letters), None
    offsets: list[int] = []
    rounds = 0
    while left:
        made = next_round(ORIGIN, left, log.source(log_start, place=place), MAX_BYTES, 0, is_copied=is_copied)
        rounds += 1
        assert rounds < 1_000
        if made.size:
            offsets += offsets_of(made)
        else:
            assert made.records == b""
        left, place = left[made.complete :], made.place
        if made.rest is not None:
            left[0] = made.rest
    return offsets, rounds


@pytest.mark.parametrize("is_copied", [False, True])
@pytest.mark.parametrize("claimed", [1_029_851, 2**31 - 1])
@pytest.mark.parametrize("compression", [Compression.NONE, Compression.ZSTD])
def test_only_records_of_a_lying_batch_get_letters(
    compression: int, claimed: int, *, is_copied: bool
) -> None:
    for count in (None, 3):
        log = Log(lying(claimed, "a", "b", "c", compression=compression, count=count), batch("d"))
        letter = DeadLetter(0, claimed, 1, True)
        assert all_rounds(log, letter, is_copied=is_copied) == ([0, 1, 2, claimed], 1)


def test_a_batch_without_records_gets_no_letters() -> None:
    empty = with_body(batch("a"), b"", record_count=0, last_offset_delta=2**31 - 2)
    log = Log(empty, batch("b"))
    assert all_rounds(log, DeadLetter(5, 2**31 - 2, 1, True)) == ([], 1)
    assert all_rounds(log, DeadLetter(5, 2**31 - 1, 1, True)) == ([2**31 - 1], 1)


def test_of_a_long_range_that_the_log_has_lost_only_the_last_get_letters() -> None:
    log = Log(batch("a", base_offset=2**31))
    found, _ = all_rounds(log, DeadLetter(0, 2**31, 1, True), log_start=2**31)
    assert found == [*range(2**31 - MAX_UNSEEN, 2**31), 2**31]
    found, _ = all_rounds(log, DeadLetter(10, 19, 1, True), log_start=2**31)
    assert found == list(range(10, 20))


def test_of_a_long_range_that_cannot_be_read_only_the_last_get_letters() -> None:
    found, _ = all_rounds(Log(), DeadLetter(0, 2**31, 1, True))
    assert found == list(range(2**31 + 1 - MAX_UNSEEN, 2**31 + 1))


def test_of_a_batch_that_is_too_long_when_it_is_decompressed_only_the_last_get_letters() -> None:
    bomb = batch("x" * 9_000_000, compression=Compression.ZSTD)
    claimed = 2**31 - 1
    log = Log(with_header(bomb, last_offset_delta=claimed - 1, record_count=claimed), batch("b"))
    found, _ = all_rounds(log, DeadLetter(0, claimed, 1, True))
    assert found == [*range(claimed - MAX_UNSEEN, claimed), claimed]


def test_a_round_reads_only_so_much_where_there_are_no_records() -> None:
    empty = with_body(batch("a"), b"", record_count=0, last_offset_delta=0)
    # A read returns two of them.
    log = Log(*[empty] * (5 * READS), batch("b"))
    assert all_rounds(log, DeadLetter(0, 5 * READS, 1, True)) == ([5 * READS], 3)


def test_rounds_go_on_in_a_batch_where_the_one_before_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_letters, "ROUND_RECORDS", 10)
    log = Log(batch(*(str(each) for each in range(40))))
    letters = [DeadLetter(0, 24, 1, True), DeadLetter(30, 39, 1, True), DeadLetter(3, 5, 1, True)]
    found, rounds = all_rounds(log, *letters)
    assert found == [*range(25), *range(30, 40), 3, 4, 5]
    assert rounds == 4
    made = next_round(ORIGIN, letters, log.source(), MAX_BYTES, 0, is_copied=True)
    assert made.place is not None
    assert (made.place.offset, made.place.number) == (10, 10)
    # A letter before the place is found all the same.
    again = log.source(place=made.place)
    assert list(values(again, [3, 12, 4])) == ["3", "12", "4"]
