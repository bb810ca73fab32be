"""What becomes of batches that a broker's leaders take: results, checks in threads, and records of its own.

Tests: `shell.replicas.requests.append_counts`, `shell.replicas.requests.append_requests`,
`shell.replicas.requests.log_writes`, `shell.replicas.requests.own_batches`.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from random import Random

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches
from kafkaproto.records.limits import most_decompressed_bytes
from kafkaproto_server.core.log_state.producer_state_entry import ProducerRefused
from kafkaproto_server.core.replicas.partition import PartitionError
from kafkaproto_server.requests.data import ProduceItem, ProduceResult
from kafkaproto_server.requests.sender import MAX_RECORD_ERRORS
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.requests.append_requests import AppendRequest
from kafkaproto_server.shell.replicas.requests.appends import (
    MAX_COMPRESSED_BYTES_AT_ONCE,
    MAX_UNITS_AT_ONCE,
)
from kafkaproto_server.shell.replicas.requests.host_lane import HostLane
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, only_partition, wanted
from tests.core.controller.support.harness import TIMESTAMP_MS
from tests.core.replicas.support.produce_cases import with_header

GZIP, ZSTD = 1, 4


def hosted(broker: DataBroker) -> Hosted:
    found = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert found is not None
    return found


def written(broker: DataBroker, sequence: int, epoch: int = 0, *, transactional: bool = True) -> int:
    """Producer 7 writes a batch, with which no coordinator has to do. Returns the error code."""
    sent = batch(producer_id=7, producer_epoch=epoch, base_sequence=sequence, transactional=transactional)
    item = ProduceItem(topic_id=broker.topic_id("t"), index=0, records=sent, allows_zstd=True)
    results: list[ProduceResult] = []
    broker.replicas.follow()
    broker.replicas.manager.produce([item], acks=1, timeout_ms=0, done=results.extend)
    (result,) = results
    return result.code


def test_two_results_of_one_partition_are_not_the_results_of_two() -> None:
    results: list[ProduceResult] = []
    request = AppendRequest(2, results.extend)
    first, later = (ProduceResult(code=ErrorCode.NONE, base_offset=offset) for offset in (5, 6))
    for result in (first, later):
        request.place(0)(result)
    assert results == []
    request.place(1)(later)
    assert results == [first, later]


def test_a_request_that_is_over_does_not_keep_what_it_came_from() -> None:
    class Sender:
        def done(self, results: Sequence[ProduceResult]) -> None:
            assert len(results) == 1

    sender = Sender()
    request = AppendRequest(1, sender.done)
    known = weakref.ref(sender)
    del sender
    request.place(0)(ProduceResult(code=ErrorCode.NONE, base_offset=5))
    # Its timer knows it for as long as its timeout is.
    assert request.is_over
    assert known() is None


def records(count: int, *, headers: int = 0, compression: int = 0) -> bytes:
    """A batch whose records have different sizes."""
    return build_batch(
        [NewRecord(b"k", bytes(index % 7), [("", None)] * headers) for index in range(count)],
        base_offset=0,
        timestamp_ms=TIMESTAMP_MS,
        compression=compression,
    )


@pytest.mark.parametrize("compression", [0, GZIP, ZSTD])
@pytest.mark.parametrize(
    ("count", "headers", "in_thread"), [(10, 0, False), (500, 0, False), (2_000, 0, True), (1, 5_000, True)]
)
def test_the_records_of_large_batches_are_checked_in_a_thread(
    count: int, headers: int, compression: int, *, in_thread: bool
) -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    broker.replicas.workers.hold()
    sent = records(count, headers=headers, compression=compression)
    found = broker.send(broker.produce_request(("t", 0, sent), acks=1), 13)
    assert len(broker.replicas.manager._checks) == in_thread
    broker.replicas.workers.release()
    assert only_partition(found[0].responses).error_code == 0


def test_a_batch_that_decompresses_to_much_is_checked_in_a_thread() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    broker.replicas.workers.hold()
    broker.send(broker.produce_request(("t", 0, batch(bytes(600_000), compression=ZSTD))), 13)
    assert len(broker.replicas.manager._checks) == 1


def test_only_so_many_records_of_a_request_are_checked_in_the_event_loop() -> None:
    broker = DataBroker()
    broker.topic("t", *[[ME]] * 32)
    broker.replicas.follow()
    broker.replicas.workers.hold()
    broker.send(broker.produce_request(*(("t", index, records(500)) for index in range(32)), acks=1), 13)
    assert len(broker.replicas.manager._checks) == 32 - MAX_UNITS_AT_ONCE // 500 - 1


@pytest.mark.parametrize(("compression", "waiting"), [(0, 0), (ZSTD, 32 - 8)])
def test_only_so_many_bytes_of_a_request_are_decompressed_in_the_event_loop(
    compression: int, waiting: int
) -> None:
    broker = DataBroker()
    broker.topic("t", *[[ME]] * 32)
    broker.replicas.follow()
    broker.replicas.workers.hold()
    content = Random(1).randbytes(MAX_COMPRESSED_BYTES_AT_ONCE // 8 - 200)
    sent = batch(content, compression=compression)
    broker.send(broker.produce_request(*(("t", index, sent) for index in range(32)), acks=1), 13)
    assert len(broker.replicas.manager._checks) == waiting


CLAIMS = {"the append time": 0x08 | ZSTD, "no key": ZSTD}


@pytest.mark.parametrize("wrong", CLAIMS)
def test_a_response_names_so_many_refused_records_and_one_of_each_batch(wrong: str) -> None:
    broker = DataBroker()
    broker.topic("t", *[[ME]] * 40, **{"cleanup.policy": "compact"})
    broker.replicas.follow()
    count = MAX_RECORD_ERRORS // 2 + 1
    keyless = build_batch([NewRecord(None, b"")] * count, base_offset=0, timestamp_ms=0, compression=ZSTD)
    sent = with_header(keyless, attributes=CLAIMS[wrong])
    request = broker.produce_request(*(("t", index, sent) for index in range(40)), acks=1)
    (response,) = broker.send(request, 13)
    named = [len(each.record_errors) for each in response.responses[0].partition_responses]
    assert sorted(named, reverse=True) == [count, MAX_RECORD_ERRORS - count, *[1] * 38]


def checks(broker: DataBroker) -> HostLane:
    return broker.replicas.manager._checks


def test_only_compressed_records_are_counted_as_what_they_may_become() -> None:
    broker = DataBroker()
    broker.topic("t", [ME], [ME])
    broker.replicas.follow()
    broker.replicas.workers.hold()
    plain, packed = records(2_000), records(2_000, compression=GZIP)
    broker.send(broker.produce_request(("t", 0, plain), ("t", 1, packed), acks=1), 13)
    (works,) = checks(broker)._hosts.values()
    assert [each.size for each in works] == [len(plain), most_decompressed_bytes(len(packed))]


@pytest.mark.parametrize("acks", [0, 1, -1])
def test_what_was_not_checked_when_the_connection_ends_is_dropped(acks: int) -> None:
    broker = DataBroker()
    broker.topic("t", *[[ME]] * 20)
    broker.replicas.follow()
    broker.replicas.workers.hold()
    request = broker.produce_request(*(("t", index, records(3_000)) for index in range(20)), acks=acks)
    reply = broker.start_waiting(request, 13)
    assert len(checks(broker)) == 20
    reply.abandon()
    broker.replicas.workers.release()
    assert len(checks(broker)) == 0
    assert broker.replicas.written == 0
    # Others are served, and the partitions are as they were.
    assert broker.produce("t", batch(b"a")).base_offset == 0


def test_checks_of_a_host_that_has_many_let_those_of_others_be_done() -> None:
    broker = DataBroker()
    broker.topic("t", *[[ME]] * 21)
    broker.replicas.follow()
    workers = broker.replicas.workers
    workers.hold()
    many = broker.produce_request(*(("t", index, records(30_000)) for index in range(20)), acks=1)
    broker.send(many, 13, client_host="10.0.0.1")
    found = broker.send(broker.produce_request(("t", 20, records(2_000)), acks=1), 13, client_host="10.0.0.2")
    turns = 0
    while len(checks(broker)) == 21:
        assert workers.do_one(lambda count: 0)
        turns += 1
    # A turn of the first, which was under way, and its own.
    assert turns == 2
    workers.release()
    assert only_partition(found[0].responses).error_code == 0


def test_reads_do_not_wait_for_checks() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    workers, read = broker.replicas.workers, list[str]()
    workers.hold()
    broker.send(broker.produce_request(("t", 0, records(30_000)), acks=1), 13)
    broker.replicas.read_in_thread(read.append)
    assert workers.do_one(lambda lanes: 0 if lanes == 2 else -lanes)
    assert (read, len(checks(broker))) == (["read"], 1)


def test_that_a_transaction_is_unknown_comes_before_other_errors_of_its_producer() -> None:
    # The producer would retry what can never succeed.
    broker = DataBroker()
    broker.topic("t")
    assert written(broker, 0, epoch=2, transactional=False) == 0
    for sequence, epoch in ((5, 2), (0, 1)):
        assert written(broker, sequence, epoch) == ErrorCode.INVALID_TXN_STATE


def test_a_gap_in_a_transaction_is_refused() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.trust_producers()
    assert written(broker, 0) == 0
    assert written(broker, 5) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert broker.replicas.written == 1


def test_a_batch_that_was_written_long_ago_is_acknowledged_again_at_once() -> None:
    # It does not wait for what the disk has to do now.
    broker = DataBroker()
    broker.topic("t")
    assert written(broker, 0, transactional=False) == 0
    broker.replicas.workers.hold()
    assert written(broker, 0, transactional=False) == 0


def test_a_batch_that_is_sent_again_and_not_replicated_in_time_names_its_offset() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    assert broker.produce("t", batch(b"before")).error_code == 0
    assert written(broker, 0, transactional=False) == 0
    sent = batch(producer_id=7, producer_epoch=0, base_sequence=0)
    found = broker.send(broker.produce_request(("t", 0, sent), acks=-1, timeout_ms=300), 13)
    broker.replicas.pass_time(300)
    response = only_partition(found[0].responses)
    assert (response.error_code, response.base_offset) == (ErrorCode.REQUEST_TIMED_OUT, 1)


def test_nothing_is_written_if_too_few_are_in_sync_once_a_thread_has_checked_the_records() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER], **{"cleanup.policy": "compact", "min.insync.replicas": "2"})
    broker.replicas.follow()
    broker.replicas.workers.hold()
    found = broker.send(broker.produce_request(("t", 0, records(2_000, compression=GZIP)), acks=-1), 13)
    broker.harness.heartbeat(OTHER, want_fence=True)
    broker.replicas.follow()
    assert found == []
    broker.replicas.workers.release()
    assert only_partition(found[0].responses).error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert broker.replicas.written == 0


def test_once_others_may_lead_the_broker_itself_writes_nothing() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    broker.replicas.is_session_over = True
    with pytest.raises(PartitionError) as caught:
        broker.replicas.manager._appends.own.append_own(
            hosted(broker), [NewRecord(b"k", b"v")], compression=0
        )
    assert caught.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert broker.replicas.written == 0


def test_records_of_the_broker_itself_are_limited_by_the_topics_max_message_bytes() -> None:
    broker = DataBroker()
    broker.topic("t", max_message_bytes="200")
    broker.replicas.follow()
    appends = broker.replicas.manager._appends.own
    with pytest.raises(PartitionError) as caught:
        appends.append_own(hosted(broker), [NewRecord(b"k", bytes(200))], compression=0)
    assert caught.value.code is ErrorCode.MESSAGE_TOO_LARGE
    assert broker.replicas.written == 0
    assert appends.append_own(hosted(broker), [NewRecord(b"k", bytes(10))], compression=0) == 1


def test_records_of_the_broker_itself_are_a_transactions_only_if_they_have_a_producer() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    appends, partition = broker.replicas.manager._appends.own, hosted(broker).partition
    assert appends.append_own(hosted(broker), [NewRecord(b"k", b"v")], compression=0) == 1
    assert partition.producers.first_unstable_offset is None
    # Producer ids begin with 0.
    assert appends.append_own(hosted(broker), [NewRecord(b"k", b"v")], 0, 0, compression=0) == 2
    assert partition.producers.is_in_transaction(0, 0)
    headers = [each.header() for each in iterate_batches(broker.fetch("t", wanted()).records)]
    assert [(each.producer_id, each.base_sequence, each.is_transactional) for each in headers] == [
        (-1, -1, False),
        (0, 0, True),
    ]


def test_the_broker_itself_writes_nothing_for_a_producer_that_was_replaced() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    appends, records = broker.replicas.manager._appends.own, [NewRecord(b"k", b"v")]
    assert appends.append_own(hosted(broker), records, 7, 1, compression=0) == 1
    with pytest.raises(ProducerRefused) as caught:
        appends.append_own(hosted(broker), records, 7, 0, compression=0)
    assert caught.value.code is ErrorCode.INVALID_PRODUCER_EPOCH
    assert appends.append_own(hosted(broker), records, 7, 1, compression=0) == 2


def test_what_the_coordinator_said_holds_no_more_once_the_broker_itself_has_begun_the_transaction() -> None:
    # A batch that was on its way until the transaction has ended would begin it again.
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    appends, partition = broker.replicas.manager._appends.own, hosted(broker).partition
    epoch = partition.leader_epoch
    guard = partition.verifications.begin(7, 0, 0, bumps_epoch=True, leader_epoch=epoch, now_ms=0)
    assert partition.verifications.is_valid(7, guard, epoch)
    appends.append_own(hosted(broker), [NewRecord(b"k", b"v")], 7, 0, compression=0)
    assert not partition.verifications.is_valid(7, guard, epoch)


def test_after_a_clean_stop_the_records_of_the_broker_itself_are_not_read_again() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    appends = broker.replicas.manager._appends.own
    assert appends.append_own(hosted(broker), [NewRecord(b"k", b"v")], compression=0) == 1
    broker.replicas.stop()
    assert f"{1:020}.snapshot" in broker.replicas.disk.list_directory("/logs/t-0")
