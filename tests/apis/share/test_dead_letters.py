"""Dead letters at a broker: when they are written, where, and what becomes of them if they cannot be (KIP-1191).

Tests: `shell.share_partitions.dead_letters`.
"""

from __future__ import annotations

from typing import Any, cast

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.share_partitions.dead_letters import DeadLetter
from kafkaproto_server.requests.share_requests import ShareKey
from kafkaproto_server.requests.share_state import StateBatch
from kafkaproto_server.shell.share_partitions import dead_letters
from kafkaproto_server.shell.share_partitions.dead_letters import _covering, _LetterEntry
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError, StorageError
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from tests.apis.support.burying import (
    ACCEPT,
    ARCHIVED,
    ARCHIVING,
    QUEUE,
    REJECT,
    RELEASE,
    Burying,
    HeldTransport,
    offset_of,
)
from tests.apis.support.data_broker import ME, OTHER
from tests.apis.support.sharing import LOCK_MS, acquired, partition_of
from tests.node.support.edge_rng import EdgeRng


@pytest.fixture
def burying() -> Burying:
    return Burying()


def test_rejected_records_are_in_the_topic_before_they_are_archived(burying: Burying) -> None:
    burying.write(b"a", b"b", b"c")
    burying.begin()
    found = burying.send_acknowledgement(1, 0, 1, REJECT)
    assert burying.persister.writes[0][0].batches == (StateBatch(0, 1, ARCHIVING, 1),)
    burying.settle()
    # Not before that is persisted.
    assert burying.letters() == []
    assert found == []
    burying.persister.written()
    assert partition_of(found[0]).error_code == 0
    burying.settle()
    assert burying.offsets() == [0, 1]
    assert burying.persister.writes[0][0].batches == (StateBatch(0, 1, ARCHIVED, 1),)
    assert burying.persister.writes[0][0].delivery_complete_count == 2
    burying.persister.written()
    assert len(burying.node) == 0
    assert (burying.node.counts["g"].records, burying.node.counts["g"].produced) == (2, 1)


@pytest.mark.parametrize("copies", [False, True])
def test_keys_and_values_are_copied_if_the_group_wants_that(copies: bool) -> None:
    burying = Burying(copies=copies)
    burying.write(b"a", b"b")
    burying.begin()
    burying.reject(0, 1)
    expected = [(b"k", b"a"), (b"k", b"b")] if copies else [(None, None)] * 2
    assert [(each.key, each.value) for each in burying.letters()] == expected


def test_records_whose_last_lock_expires_are_written_too(burying: Burying) -> None:
    burying.write(b"a")
    burying.begin()
    burying.broker.replicas.pass_time(LOCK_MS)
    burying.persister.written()
    assert acquired(burying.fetch(1)) == [(0, 0, 2)]
    burying.broker.replicas.pass_time(LOCK_MS)
    burying.settle()
    assert burying.letters() == []
    assert burying.persister.written(ErrorCode.NETWORK_EXCEPTION).batches == (StateBatch(0, 0, ARCHIVING, 2),)
    burying.settle()
    (record,) = burying.letters()
    assert record.headers[-1] == (
        "__dlq.errors.message",
        b"Offset delivery count exceeded the threshold.",
    )
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 2),)


def test_records_that_a_member_leaves_behind_after_the_last_delivery_are_written(burying: Burying) -> None:
    burying.write(b"a")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, RELEASE)
    burying.persister.written()
    assert acquired(burying.fetch(2)) == [(0, 0, 2)]
    burying.send_fetch(-1)
    burying.persister.written()
    burying.settle()
    assert burying.offsets() == [0]


def test_below_level_2_nothing_is_written() -> None:
    burying = Burying(level=1)
    burying.write(b"a", b"b")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, REJECT)
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 1),)
    burying.settle()
    assert burying.letters() == []
    assert burying.persister.writes == []


def test_what_could_not_be_persisted_is_not_written(burying: Burying) -> None:
    burying.write(b"a")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, REJECT)
    burying.persister.written(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    burying.settle()
    assert burying.letters() == []


def test_records_whose_last_lock_expires_while_a_change_waits_are_written(burying: Burying) -> None:
    burying.write(b"a")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, RELEASE)
    burying.persister.written()
    assert acquired(burying.fetch(2)) == [(0, 0, 2)]
    burying.send_acknowledgement(3, 0, 0, ACCEPT)
    burying.broker.replicas.pass_time(LOCK_MS)
    burying.persister.written(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    burying.settle()
    assert burying.offsets() == [0]
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 2),)


def test_a_leader_writes_what_the_one_before_it_has_left(burying: Burying) -> None:
    burying.write(b"a", b"b", b"c")
    burying.persister.state = burying.persister.state._replace(
        batches=(
            StateBatch(0, 0, ARCHIVING, 1),
            StateBatch(1, 1, ARCHIVED, 1),
            StateBatch(2, 2, ARCHIVING, 2),
        )
    )
    burying.send_fetch(0)
    burying.persister.loaded()
    burying.settle()
    assert [dict(each.headers)["__dlq.errors.message"] for each in burying.letters()] == [
        b"Offset rejected by client.",
        b"Offset delivery count exceeded the threshold.",
    ]
    written = burying.persister.written()
    assert written.batches == (StateBatch(0, 0, ARCHIVED, 1), StateBatch(2, 2, ARCHIVED, 2))
    assert burying.fetch(1) is None
    # Nothing is in flight any more.
    burying.write(b"d")
    assert acquired(burying.fetch(2)) == [(3, 3, 1)]


def test_records_that_were_deleted_are_told_by_their_offsets() -> None:
    burying = Burying(copies=True)
    burying.write(b"a", b"b")
    burying.begin()
    burying.broker.replicas.partition("t", 0)
    hosted = burying.broker.replicas.manager.replicas.get(burying.topic_id, 0)
    assert hosted is not None
    hosted.partition.log_start_offset = 1
    burying.reject(0, 1)
    assert [(offset_of(each), each.value) for each in burying.letters()] == [(0, None), (1, b"b")]


def test_a_new_leader_copies_what_it_does_not_know_to_be_committed() -> None:
    burying = Burying(copies=True)
    burying.write(b"a", b"b")
    burying.begin()
    hosted = burying.broker.replicas.manager.replicas.get(burying.topic_id, 0)
    assert hosted is not None
    hosted.partition.high_watermark = 0
    burying.reject(0, 1)
    assert [each.value for each in burying.letters()] == [b"a", b"b"]


def test_a_batch_that_is_larger_than_a_read_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_letters, "READ_BYTES", 10)
    burying = Burying(copies=True)
    burying.write(b"a", b"b")
    burying.begin()
    burying.reject(0, 1)
    assert [each.value for each in burying.letters()] == [b"a", b"b"]


@pytest.mark.parametrize(
    "error", [OSError("broken"), StorageError("closed"), OffsetOutOfRangeError("t", 0, 1, 1)], ids=repr
)
def test_what_cannot_be_read_is_told_by_its_offset(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(log: TopicLog, *arguments: Any, **options: Any) -> bytes:
        raise error

    burying = Burying(copies=True)
    burying.write(b"a")
    burying.begin()
    monkeypatch.setattr(TopicLog, "read_records", fail)
    burying.reject(0, 0)
    monkeypatch.undo()
    assert [(offset_of(each), each.value) for each in burying.letters()] == [(0, None)]


def test_offsets_without_a_record_are_archived_and_nothing_is_written(
    burying: Burying, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compaction has removed the second record since a member had it."""
    transport = burying.hold()
    burying.write(b"a", b"b", b"c")
    burying.begin()
    read = TopicLog.read_records

    def read_compacted(log: TopicLog, offset: int, *arguments: Any, **options: Any) -> Any:
        return read(log, 2 if offset == 1 else offset, *arguments, **options)

    monkeypatch.setattr(TopicLog, "read_records", read_compacted)
    burying.reject(1, 1)
    assert transport.batches == []
    assert burying.persister.written().batches == (StateBatch(1, 1, ARCHIVED, 1),)
    assert len(burying.node) == 0
    # The next round is not held up.
    burying.reject(2, 2, epoch=2)
    assert transport.written() == [2]


def test_only_so_many_groups_have_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_letters, "MAX_GROUPS", 2)
    node = Burying().node
    for group_id in "abac":
        node.counts_of(group_id).records += 1
    assert {group_id: each.records for group_id, each in node.counts.items()} == {"b": 1, "c": 1}


def test_a_letter_that_is_told_of_twice_is_archived_once(burying: Burying) -> None:
    burying.write(b"a", b"b")
    burying.begin()
    burying.reject(0, 0)
    (led,) = burying.broker.replicas.share_partitions.partitions()
    assert len(burying.persister.writes) == 1
    led.letters_written([DeadLetter(0, 0, 1, True)])
    assert len(burying.persister.writes) == 1


def test_letters_that_wait_already_cover_another_one_if_they_have_all_of_its_offsets() -> None:
    cases: list[tuple[list[tuple[int, int]], tuple[int, int], list[int]]] = [
        ([], (0, 3), []),
        ([(0, 3)], (0, 3), [0]),
        ([(0, 3)], (1, 2), [0]),
        ([(0, 1), (2, 3), (4, 9)], (1, 4), [0, 1, 2]),
        ([(0, 1), (2, 3), (4, 9)], (2, 3), [1]),
        ([(0, 1), (3, 4)], (0, 4), []),
        ([(0, 1), (2, 3)], (2, 4), []),
        ([(2, 3)], (1, 3), []),
        ([(5, 6)], (1, 3), []),
    ]
    for known, letter, expected in cases:
        entries = [_LetterEntry(DeadLetter(*each, 1, True), cast(Any, None)) for each in known]
        assert _covering(entries, DeadLetter(*letter, 1, True)) == [entries[each] for each in expected]


def test_the_partition_has_the_number_of_the_source_modulo_their_count() -> None:
    burying = Burying(has_topic=False)
    burying.queue([OTHER], [OTHER], [ME])
    burying.topic_id = burying.broker.topic("u", *[[ME]] * 6)
    transport = burying.hold()
    key = ShareKey("g", burying.topic_id, 5)
    burying.broker.replicas.follow()
    led = burying.broker.replicas.share_partitions._led.get_or_load(key)
    burying.node.write(led, [DeadLetter(0, 0, 1, True)])
    burying.settle()
    ((leader, topic, index, _, _),) = transport.batches
    assert (leader, topic.name, index) == (ME, QUEUE, 2)


# --- if the topic is not fit, or not there ---


def given_up(burying: Burying, caplog: pytest.LogCaptureFixture, reason: str) -> None:
    """Records are archived, and not written."""
    burying.write(b"a", b"b")
    burying.begin()
    burying.reject(0, 0)
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 1),)
    assert reason in caplog.text
    assert len(burying.node) == 0


def test_a_topic_that_is_not_enabled(caplog: pytest.LogCaptureFixture) -> None:
    burying = Burying(has_topic=False)
    burying.queue(errors_deadletterqueue_group_enable="false")
    given_up(burying, caplog, "does not have errors.deadletterqueue.group.enable=true")
    assert burying.letters() == []


def test_a_topic_with_another_prefix(caplog: pytest.LogCaptureFixture) -> None:
    burying = Burying(errors_deadletterqueue_topic_name_prefix="other.")
    given_up(burying, caplog, "does not begin with other.")
    assert burying.letters() == []


def test_names_do_not_begin_lines_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    burying = Burying(has_topic=False)
    burying.configure("errors.deadletterqueue.topic.name", "dlq\nERROR")
    given_up(burying, caplog, "dlq\\nERROR does not exist")
    (record,) = caplog.records
    assert "\n" not in record.getMessage()
    assert record.getMessage().startswith("share group 'g': 1 ranges")


def test_a_missing_topic(caplog: pytest.LogCaptureFixture) -> None:
    given_up(Burying(has_topic=False), caplog, "does not exist")


def test_a_missing_topic_is_created_once() -> None:
    burying = Burying(has_topic=False, errors_deadletterqueue_auto_create_topics_enable="true")
    transport = burying.hold()
    burying.write_letters(2)
    ((name, created),) = transport.creations
    assert name == QUEUE
    burying.queue()
    transport.creations.clear()
    created(ErrorCode.NONE, None)
    burying.broker.replicas.pass_time(3_000)
    burying.settle()
    assert transport.creations == []
    assert transport.written() + transport.written() == [0, 1]


@pytest.mark.parametrize(
    ("code", "tries"), [(ErrorCode.NETWORK_EXCEPTION, 5), (ErrorCode.TOPIC_ALREADY_EXISTS, 5), (44, 1)]
)
def test_a_topic_that_cannot_be_created(
    code: ErrorCode, tries: int, caplog: pytest.LogCaptureFixture
) -> None:
    burying = Burying(has_topic=False, errors_deadletterqueue_auto_create_topics_enable="true")
    transport = burying.hold()
    burying.write(b"a", b"b")
    burying.begin()
    burying.reject(0, 0)
    for _ in range(tries):
        ((_, created),) = transport.creations
        transport.creations.clear()
        created(ErrorCode(code), "a reason")
        burying.broker.replicas.pass_time(40_000)
        burying.settle()
    assert transport.creations == []
    batches = [each.batches for each, _ in burying.persister.writes]
    assert (StateBatch(0, 0, ARCHIVED, 1),) in batches
    assert "a reason" in caplog.text


# --- if it cannot be written ---


def fail(burying: Burying, transport: HeldTransport, times: int) -> None:
    """What is written is lost so many times, and is tried again. No member has a lock that could expire meanwhile."""
    for _ in range(times):
        transport.written(ErrorCode.NETWORK_EXCEPTION)
        burying.broker.replicas.pass_time(40_000)
        burying.settle()


def test_what_can_be_repeated_is_tried_five_times(burying: Burying, caplog: pytest.LogCaptureFixture) -> None:
    transport = burying.hold()
    burying.write(b"a", b"b")
    burying.begin()
    burying.reject(0, 0)
    delays = []
    for _ in range(4):
        assert transport.written(ErrorCode.NOT_LEADER_OR_FOLLOWER) == [0]
        delays.append(0)
        while not transport.batches:
            delays[-1] += 100
            burying.broker.replicas.pass_time(100)
            burying.settle()
    for expected, delay in zip((2_000, 4_000, 8_000, 16_000), delays, strict=True):
        assert 0.8 * expected <= delay <= 1.2 * expected + 100
    transport.written(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    burying.settle()
    assert "are archived and not in a dead-letter topic" in caplog.text
    assert burying.persister.writes[-1][0].batches == (StateBatch(0, 0, ARCHIVED, 1),)
    counts = burying.node.counts["g"]
    assert (counts.records, counts.produced, counts.failed) == (0, 5, 1)


@pytest.mark.parametrize("code", [ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND])
def test_what_too_few_replicas_have_is_written_again(burying: Burying, code: ErrorCode) -> None:
    transport = burying.hold()
    burying.write(b"a")
    burying.begin()
    burying.reject(0, 0)
    assert transport.written(code) == [0]
    burying.broker.replicas.pass_time(3_000)
    burying.settle()
    assert transport.written() == [0]


def test_the_tries_of_a_later_round_count_anew(burying: Burying, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_letters, "ROUND_RECORDS", 1)
    transport = burying.hold()
    burying.write(b"a", b"b")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, REJECT)
    burying.send_acknowledgement(2, 1, 1, REJECT)
    burying.persister.written()
    burying.persister.written()
    burying.settle()
    fail(burying, transport, 4)
    assert transport.written(ErrorCode.MESSAGE_TOO_LARGE) == [0]
    burying.settle()
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 1),)
    fail(burying, transport, 4)
    assert transport.written() == [1]


def test_what_cannot_be_repeated_is_not_tried_again(burying: Burying) -> None:
    transport = burying.hold()
    burying.write(b"a")
    burying.begin()
    burying.reject(0, 0)
    assert transport.written(ErrorCode.MESSAGE_TOO_LARGE) == [0]
    burying.settle()
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 1),)
    burying.broker.replicas.pass_time(40_000)
    burying.settle()
    assert transport.batches == []


@pytest.mark.parametrize(("is_greatest", "delays"), [(False, (1_600, 3_200)), (True, (2_400, 4_800))])
def test_tries_are_a_fifth_earlier_or_later(
    burying: Burying, is_greatest: bool, delays: tuple[int, ...]
) -> None:
    burying.node.rng = EdgeRng(is_greatest=is_greatest)
    transport = burying.hold()
    burying.write(b"a")
    burying.begin()
    burying.reject(0, 0)
    for delay_ms in delays:
        transport.written(ErrorCode.NETWORK_EXCEPTION)
        burying.broker.replicas.pass_time(delay_ms - 1)
        assert transport.batches == []
        burying.broker.replicas.pass_time(1)
        assert len(transport.batches) == 1


def test_a_share_partition_goes_on_while_its_letters_are_not_written(burying: Burying) -> None:
    transport = burying.hold()
    burying.configure("share.partition.max.record.locks", "100")
    for _ in range(10):
        burying.write(*([b"a"] * 12))
    assert sum(last - first + 1 for first, last, _ in acquired(burying.begin())) == 100
    burying.reject(0, 89)
    burying.send_acknowledgement(2, 90, 99, ACCEPT)
    burying.persister.written()
    # No more records get in flight than may be: letters wait as records, not in memory.
    assert burying.fetch(3) is None
    assert len(transport.batches) == 1
    assert transport.written() == list(range(90))
    burying.persister.written()
    assert acquired(burying.fetch(4)) == [(100, 119, 1)]


def test_without_a_leader_it_is_tried_again() -> None:
    burying = Burying(has_topic=False)
    burying.queue([OTHER])
    burying.broker.harness.heartbeat(OTHER, want_fence=True)
    transport = burying.hold()
    burying.write(b"a")
    burying.begin()
    burying.reject(0, 0)
    assert transport.batches == []
    burying.broker.harness.heartbeat(OTHER)
    burying.broker.replicas.pass_time(40_000)
    burying.settle()
    assert transport.written() == [0]


def test_only_so_many_rounds_are_on_the_way_to_one_broker(
    burying: Burying, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_letters, "ROUNDS_AT_ONCE", 2)
    transport = burying.hold()
    burying.write_letters(5)
    found = []
    for waiting in (2, 2, 2, 2, 1):
        assert len(transport.batches) == waiting
        found += transport.written()
        burying.settle()
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert transport.batches == []
    assert (burying.node._waiting, burying.node._on_the_way, burying.node._outboxes) == ({}, {}, {})


def test_clients_do_not_wait_for_rounds(burying: Burying) -> None:
    burying.write(b"a")
    burying.begin()
    workers = burying.broker.replicas.workers
    workers.hold()
    burying.reject(0, 0)
    read: list[str] = []
    burying.broker.replicas.read_in_thread(read.append)
    # The oldest job of the lane of the reads.
    assert workers.do_one(lambda count: 0)
    assert read == ["read"]
    assert burying.letters() == []
    workers.release()
    burying.settle()
    assert burying.offsets() == [0]


def test_who_waits_for_a_turn_and_needs_it_no_more_lets_others_in(
    burying: Burying, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_letters, "ROUNDS_AT_ONCE", 1)
    transport = burying.hold()
    burying.write_letters(4)
    burying.configure("errors.deadletterqueue.topic.name", "dlq.nowhere")
    transport.written()
    burying.settle()
    assert transport.batches == []
    assert len(burying.node) == 0


def test_many_letters_are_given_up_in_pieces(burying: Burying, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_letters, "ROUND_RECORDS", 2)
    burying.configure("errors.deadletterqueue.topic.name", "dlq.nowhere")
    burying.write(*[b"a"] * 5)
    burying.begin()
    for epoch, offset in enumerate(range(5), 1):
        burying.send_acknowledgement(epoch, offset, offset, REJECT)
    for _ in range(5):
        burying.persister.written()
    burying.settle()
    assert [len(each.batches) for each, _ in burying.persister.writes] == [2, 2, 1]


def test_many_letters_are_written_in_rounds(burying: Burying, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.core.share_partitions.dead_letters.ROUND_RECORDS", 4)
    transport = burying.hold()
    burying.write(*[b"a"] * 10)
    burying.begin()
    burying.reject(0, 9)
    assert transport.written() == [0, 1, 2, 3]
    burying.settle()
    assert burying.persister.writes == []
    fail(burying, transport, 4)
    assert transport.written() == [4, 5, 6, 7]
    burying.settle()
    # The tries of each round count by themselves.
    fail(burying, transport, 4)
    assert transport.written() == [8, 9]
    written = burying.persister.written()
    assert [each[2] for each in written.batches] == [ARCHIVED] * len(written.batches)
    assert (written.batches[0].first_offset, written.batches[-1].last_offset) == (0, 9)
