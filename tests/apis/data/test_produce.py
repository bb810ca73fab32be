"""Produce: what is written, and when and what the broker responds. What the errors look like in each case was compared
with the responses of a node of Apache Kafka 4.4.0 to the same requests."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteTopicsRequest, ProduceRequest
from kafkaproto_server.apis.data.produce import ITEMS_AT_ONCE
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import NoResponse, Unanswered
from kafkaproto_server.shell.process.log_limit import LIMITED_LOGGERS
from kafkaproto_server.shell.replicas.requests.appends import REFUSED_AGAIN_MS
from tests.apis.support.data_broker import (
    ME,
    OTHER,
    THIRD,
    DataBroker,
    batch,
    batches,
    only_partition,
    stored,
    wanted,
)
from tests.core.controller.support.harness import TIMESTAMP_MS

ZSTD = 4
VERSIONS = range(3, 14)


def idempotent(sequence: int, *values: bytes, producer_id: int = 7, epoch: int = 0, **fields: Any) -> bytes:
    return batch(*values, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence, **fields)


# --- acks ---


@pytest.mark.parametrize("version", VERSIONS)
def test_with_acks_1_the_response_has_the_first_offset(broker: DataBroker, version: int) -> None:
    broker.produce("t", batch(b"a", b"b"), version=version)
    found = broker.produce("t", batch(b"c"), version=version)
    assert (found.error_code, found.base_offset, found.log_append_time_ms) == (0, 2, -1)
    assert found.log_start_offset == (0 if version >= 5 else -1)


def test_with_acks_1_the_response_waits_for_the_write_and_not_for_followers(replicated: DataBroker) -> None:
    replicated.produce("t", batch())
    replicated.replicas.workers.hold()
    found = replicated.send(replicated.produce_request(("t", 0, batch())), 13)
    # However long that takes: the timeout is for replication.
    replicated.replicas.pass_time(60_000)
    assert found == []
    replicated.replicas.workers.release()
    assert only_partition(found[0].responses).base_offset == 1


def test_with_acks_0_there_is_no_response(broker: DataBroker) -> None:
    assert isinstance(broker.ask(broker.produce_request(("t", 0, batch()), acks=0), 13), Unanswered)
    assert broker.replicas.written == 1


@pytest.mark.parametrize(
    "parts",
    [[("t", 5, batch())], [("t", 0, batch()), ("unknown", 0, batch())], [("t", 0, b"wrong")]],
    ids=["unknown partition", "one of two", "no batch"],
)
def test_with_acks_0_an_error_closes_the_connection(
    broker: DataBroker, parts: list[tuple[str, int, bytes]]
) -> None:
    response = broker.ask(broker.produce_request(*parts, acks=0, version=12), 12)
    assert isinstance(response, NoResponse)
    assert "produce without acks" in response.reason


def test_with_acks_all_the_response_waits_for_the_replicas_in_sync(replicated: DataBroker) -> None:
    found = replicated.send(replicated.produce_request(("t", 0, batch(b"a", b"b")), acks=-1), 13)
    replicated.replicate("t", 1)
    assert found == []
    replicated.replicate("t", 2)
    partition = only_partition(found[0].responses)
    assert (partition.error_code, partition.base_offset) == (0, 0)


def test_with_acks_all_the_response_does_not_wait_for_longer_than_the_timeout(replicated: DataBroker) -> None:
    request = replicated.produce_request(("t", 0, batch()), acks=-1, timeout_ms=300)
    found = replicated.send(request, 13)
    replicated.replicas.pass_time(299)
    assert found == []
    replicated.replicas.pass_time(1)
    partition = only_partition(found[0].responses)
    assert partition.error_code == ErrorCode.REQUEST_TIMED_OUT
    # What was written stays written, and the response says where.
    assert (partition.base_offset, partition.log_start_offset) == (0, 0)
    assert replicated.replicas.written == 1


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_without_time_nothing_is_waited_for(replicated: DataBroker, timeout_ms: int) -> None:
    found = replicated.send(replicated.produce_request(("t", 0, batch()), acks=-1, timeout_ms=timeout_ms), 13)
    replicated.replicas.pass_time(0)
    assert only_partition(found[0].responses).error_code == ErrorCode.REQUEST_TIMED_OUT


def test_who_waits_for_replicas_hears_that_the_leader_is_another_one(replicated: DataBroker) -> None:
    found = replicated.send(replicated.produce_request(("t", 0, batch()), acks=-1), 13)
    replicated.harness.heartbeat(ME, want_fence=True)
    replicated.replicas.follow()
    partition = only_partition(found[0].responses)
    assert (partition.error_code, partition.current_leader.leader_id) == (
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        OTHER,
    )


@pytest.mark.parametrize("is_written", [True, False])
@pytest.mark.parametrize("acks", [1, -1])
def test_who_waits_for_a_replica_that_is_deleted_hears_why(
    replicated: DataBroker, acks: int, is_written: bool
) -> None:
    """As Apache Kafka's DelayedProduce: by what the metadata says of the partition."""
    manager = replicated.replicas.manager
    for is_known, code in (
        (True, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (False, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ):
        topic_id = replicated.topic("known" if is_known else "deleted", [ME, OTHER])
        replicated.replicas.follow()
        if not is_written:
            replicated.replicas.workers.hold()
        name = "known" if is_known else "deleted"
        found = replicated.send(replicated.produce_request((name, 0, batch()), acks=acks), 13)
        if is_known:
            # It was moved to other brokers.
            manager.replica_removed(topic_id, 0)
        else:
            topics = [DeleteTopicsRequest.DeleteTopicState(name=name)]
            replicated.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
            replicated.replicas.follow()
        replicated.replicas.workers.release()
        if acks == 1 and is_written:
            code = ErrorCode.NONE
        assert only_partition(found[0].responses).error_code == code


def test_too_few_in_sync_are_told_before_what_may_be_wrong_with_a_batch(broker: DataBroker) -> None:
    """Else a producer with two requests under way would hear of missing sequence numbers, begin a new epoch, and write
    again what an earlier request has written."""
    broker.topic("safe", [ME, OTHER], min_insync_replicas="2")
    assert broker.produce("safe", idempotent(0, b"a"), acks=1).error_code == 0
    broker.harness.heartbeat(OTHER, want_fence=True)
    wrong = idempotent(2, b"c"), idempotent(0, b"a"), spoiled()
    for each in (idempotent(1, b"b"), *wrong):
        assert broker.produce("safe", each, acks=-1).error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    told = [broker.produce("safe", each, acks=1).error_code for each in wrong]
    assert told == [ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, 0, ErrorCode.CORRUPT_MESSAGE]


def test_with_acks_all_nothing_is_written_if_too_few_replicas_are_in_sync(broker: DataBroker) -> None:
    broker.topic("safe", [ME, OTHER], min_insync_replicas="2")
    broker.harness.heartbeat(OTHER, want_fence=True)
    assert broker.produce("safe", batch(), acks=-1).error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert broker.replicas.written == 0
    assert broker.produce("safe", batch(), acks=1).error_code == 0


@pytest.mark.parametrize("acks", [-2, 2, 32767])
def test_other_acks_are_refused(broker: DataBroker, acks: int) -> None:
    request = broker.produce_request(("t", 0, batch()), ("unknown", 0, batch()), acks=acks, version=12)
    first, second = broker.ask(request, 12).responses
    assert first.partition_responses[0].error_code == ErrorCode.INVALID_REQUIRED_ACKS
    assert second.partition_responses[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert broker.replicas.written == 0


# --- what is named ---


@pytest.mark.parametrize(
    ("name", "index", "version", "code"),
    [
        ("unknown", 0, 12, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("unknown", 0, 13, ErrorCode.UNKNOWN_TOPIC_ID),
        ("t", 1, 12, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", 1, 13, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", -1, 13, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_what_is_not_known_is_refused(
    broker: DataBroker, name: str, index: int, version: int, code: ErrorCode
) -> None:
    found = broker.produce(name, batch(), index, version=version)
    assert (found.error_code, found.base_offset, found.log_start_offset) == (code, -1, -1)
    assert found.error_message is None


@pytest.mark.parametrize("assignment", [[OTHER, ME], [OTHER, THIRD]], ids=["follows", "has no replica"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_hears_from_version_10_on_whom_it_should_have_asked(
    broker: DataBroker, assignment: list[int], version: int
) -> None:
    broker.topic("theirs", assignment)
    request = broker.produce_request(("theirs", 0, batch()), version=version)
    response = broker.ask(request, version)
    found = only_partition(response.responses)
    assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    leader = (found.current_leader.leader_id, found.current_leader.leader_epoch)
    endpoints = [(each.node_id, each.host, each.port, each.rack) for each in response.node_endpoints]
    if version >= 10:
        assert leader == (OTHER, 0)
        assert endpoints == [(OTHER, "127.0.0.1", 9000, "r0")]
    else:
        assert leader == (-1, -1)
        assert endpoints == []


def test_of_a_leader_that_is_away_no_address_is_told(broker: DataBroker) -> None:
    broker.topic("theirs", [OTHER])
    broker.harness.heartbeat(OTHER, want_fence=True)
    response = broker.ask(broker.produce_request(("theirs", 0, batch())), 13)
    found = only_partition(response.responses)
    assert (found.error_code, found.current_leader.leader_id) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)
    assert response.node_endpoints == []


def test_the_error_of_one_partition_is_not_that_of_another(broker: DataBroker) -> None:
    broker.topic("two", [ME], [ME])
    parts = [("two", 0, batch()), ("two", 7, batch()), ("two", 1, b"wrong"), ("unknown", 0, batch())]
    response = broker.ask(broker.produce_request(*parts, ("t", 0, batch()), version=12), 12)
    assert [
        (topic.name, each.index, each.error_code)
        for topic in response.responses
        for each in topic.partition_responses
    ] == [
        ("two", 0, 0),
        ("two", 7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("two", 1, ErrorCode.INVALID_RECORD),
        ("unknown", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", 0, 0),
    ]


@pytest.mark.parametrize("acks", [1, -1])
def test_a_long_request_is_served_in_steps_and_has_one_response(broker: DataBroker, acks: int) -> None:
    count = 3 * ITEMS_AT_ONCE + 1
    broker.topic("wide", *([ME] for _ in range(count)))
    broker.produce("wide", batch(b"before"), ITEMS_AT_ONCE)
    parts = [("wide", index, batch(b"%d" % index)) for index in (*range(count), count)]
    found = only_topic(broker.ask(broker.produce_request(*parts, acks=acks), 13).responses)
    assert [each.index for each in found] == list(range(count + 1))
    assert [each.base_offset for each in found] == [int(index == ITEMS_AT_ONCE) for index in range(count)] + [
        -1
    ]
    assert found[-1].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert batches(broker.fetch("wide", wanted(count - 1)).records) == [(0, 0, [b"%d" % (count - 1)])]


def only_topic(topics: list[Any]) -> Any:
    (topic,) = topics
    return topic.partition_responses


def test_of_a_partition_that_is_named_twice_the_last_records_count(broker: DataBroker) -> None:
    request = broker.produce_request(("t", 0, batch(b"first")), ("t", 0, batch(b"second")))
    other = broker.produce_request(("t", 0, batch(b"third")))
    request.topic_data += other.topic_data
    assert only_partition(broker.ask(request, 13).responses).base_offset == 0
    assert batches(broker.fetch("t").records) == [(0, 0, [b"third"])]


def test_a_request_for_nothing_is_in_order(broker: DataBroker) -> None:
    assert broker.ask(broker.produce_request(), 13).responses == []
    topic = ProduceRequest.TopicProduceData(topic_id=broker.topic_id("t"))
    assert broker.ask(ProduceRequest(acks=1, topic_data=[topic]), 13).responses == []


# --- rights ---


@pytest.mark.parametrize("version", [12, 13])
def test_writing_needs_write_on_the_topic(broker: DataBroker, version: int) -> None:
    broker.topic("other")
    broker.allow((Operation.WRITE, ResourceType.TOPIC, "t"))
    parts = [("t", 0, batch()), ("other", 0, batch()), ("unknown", 0, batch())]
    response = broker.ask(broker.produce_request(*parts, version=version), version)
    assert [only_partition([each]).error_code for each in response.responses] == [
        0,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        # By a name, it must not come out whether a topic exists. An id says nothing.
        ErrorCode.TOPIC_AUTHORIZATION_FAILED if version == 12 else ErrorCode.UNKNOWN_TOPIC_ID,
    ]
    assert broker.replicas.written == 1


def test_kafkas_own_topics_are_written_by_the_admin_client_only(broker: DataBroker) -> None:
    broker.topic("__consumer_offsets")
    request = broker.produce_request(("__consumer_offsets", 0, batch()))
    refused = only_partition(broker.ask(request, 13).responses)
    assert (refused.error_code, broker.replicas.written_of_groups) == (ErrorCode.INVALID_TOPIC_EXCEPTION, 0)
    served = only_partition(broker.ask(request, 13, client_id="__admin_client").responses)
    assert (served.error_code, broker.replicas.written_of_groups) == (0, 1)


# --- transactions ---

TRANSACTIONAL = idempotent(0, transactional=True)


@pytest.mark.parametrize("transactional_id", [None, "mine"])
def test_transactional_records_need_write_on_their_transactional_id(
    broker: DataBroker, transactional_id: str | None
) -> None:
    broker.allow((Operation.WRITE, ResourceType.TOPIC, "*"))
    request = broker.produce_request(("t", 0, TRANSACTIONAL), ("unknown", 0, batch()))
    request.transactional_id = transactional_id
    # The whole request is refused.
    assert [only_partition([each]).error_code for each in broker.ask(request, 13).responses] == [
        ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    ] * 2
    request.acks = 0
    assert isinstance(broker.ask(request, 13), NoResponse)
    assert broker.replicas.written == 0


def test_a_transactional_id_alone_makes_no_transaction(broker: DataBroker) -> None:
    request = broker.produce_request(("t", 0, batch()))
    request.transactional_id = "mine"
    broker.allow((Operation.WRITE, ResourceType.TOPIC, "t"))
    assert only_partition(broker.ask(request, 13).responses).error_code == 0


# --- idempotent producers ---


@pytest.mark.parametrize("acks", [1, -1])
def test_a_batch_that_is_sent_again_is_not_written_again(broker: DataBroker, acks: int) -> None:
    broker.produce("t", batch(b"before"))
    first = idempotent(0, b"a", b"b")
    assert broker.produce("t", first, acks=acks).base_offset == 1
    assert broker.produce("t", idempotent(2, b"c"), acks=acks).base_offset == 3
    again = broker.produce("t", first, acks=acks)
    assert (again.error_code, again.base_offset, again.log_start_offset) == (0, 1, 0)
    # As Kafka's, though the topic does not have LogAppendTime.
    assert again.log_append_time_ms == TIMESTAMP_MS
    assert broker.replicas.written == 4


def test_the_response_to_a_batch_that_is_sent_again_waits_for_the_replicas_too(
    replicated: DataBroker,
) -> None:
    request = replicated.produce_request(("t", 0, idempotent(0)), acks=-1)
    first, second = replicated.send(request, 13), replicated.send(request, 13)
    assert (first, second) == ([], [])
    replicated.replicate("t", 1)
    assert [only_partition(each[0].responses).base_offset for each in (first, second)] == [0, 0]


@pytest.mark.parametrize("fails", [False, True])
def test_a_batch_that_is_sent_again_is_not_acknowledged_before_it_is_written(
    broker: DataBroker, fails: bool
) -> None:
    broker.produce("t", batch())
    request = broker.produce_request(("t", 0, idempotent(0)), acks=1)
    broker.replicas.workers.hold()
    if fails:
        broker.replicas.disk.fail("write", ".log")
    first, second = broker.send(request, 13), broker.send(request, 13)
    assert (first, second) == ([], [])
    broker.replicas.workers.release()
    codes = [only_partition(each[0].responses).error_code for each in (first, second)]
    assert codes == [ErrorCode.KAFKA_STORAGE_ERROR if fails else 0] * 2


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (idempotent(5, epoch=2), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (idempotent(1, epoch=1), ErrorCode.INVALID_PRODUCER_EPOCH),
        (idempotent(1, epoch=3), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (idempotent(0, epoch=3), ErrorCode.NONE),
    ],
    ids=["gap", "older epoch", "new epoch with another sequence", "new epoch"],
)
def test_a_batch_that_is_not_the_producers_next_one_is_refused(
    broker: DataBroker, sent: bytes, code: ErrorCode
) -> None:
    broker.produce("t", idempotent(0, epoch=2))
    found = broker.produce("t", sent)
    assert (found.error_code, found.log_start_offset) == (code, 0)
    assert broker.replicas.written == (1 if code else 2)


def test_the_log_says_why_a_producers_batches_are_refused(
    broker: DataBroker, caplog: pytest.LogCaptureFixture
) -> None:
    """What a client makes of it, a new epoch or its end, is seen elsewhere. A request causes one line at most."""
    caplog.set_level(logging.INFO)
    assert "kafkaproto.server.producers" in LIMITED_LOGGERS
    broker.topic("u", [ME])
    broker.produce("t", idempotent(0, b"a", b"b", epoch=2))
    broker.produce("u", idempotent(0, epoch=2))
    assert broker.produce("t", idempotent(0, b"a", b"b", epoch=2)).error_code == 0
    assert caplog.messages == []
    broker.produce("t", idempotent(5, epoch=2))
    broker.produce("t", idempotent(2, epoch=1))
    epoch = broker.harness.image.topics[broker.topic_id("t")].partitions[0].leader_epoch
    start = f"t-0, leader epoch {epoch}: refused a batch of client 'a client' at 10.0.0.7 with"
    assert caplog.messages == [
        f"{start} OUT_OF_ORDER_SEQUENCE_NUMBER: producer 7 wrote sequence 5 in epoch 2, the last one is 1 in epoch 2",
        f"{start} INVALID_PRODUCER_EPOCH: producer 7 wrote sequence 2 in epoch 1, its current epoch is 2, with last"
        " sequence 1",
    ]
    caplog.clear()
    wrong = idempotent(9, epoch=2)
    broker.ask(broker.produce_request(("t", 0, wrong), ("u", 0, wrong), ("t", 1, wrong)), 13)
    (line,) = caplog.messages
    assert line.startswith(start)
    assert line.endswith("; and those of 1 more partitions")


# --- what topics take ---


def test_a_batch_is_limited_by_the_topics_max_message_bytes(broker: DataBroker) -> None:
    broker.topic("small", max_message_bytes="200")
    found = broker.produce("small", batch(bytes(200)))
    assert (found.error_code, broker.replicas.written) == (ErrorCode.MESSAGE_TOO_LARGE, 0)
    assert "200" in found.error_message
    assert found.log_start_offset == -1
    assert broker.produce("small", batch(bytes(10))).error_code == 0


def test_with_log_append_time_the_broker_sets_the_time_and_says_so(broker: DataBroker) -> None:
    broker.topic("dated", message_timestamp_type="LogAppendTime")
    found = broker.produce("dated", batch(b"a", timestamp_ms=5))
    assert found.log_append_time_ms == broker.replicas.clock.wall_ms()
    records = bytes(broker.fetch("dated").records)
    assert batches(records) == [(0, 0, [b"a"])]
    assert int.from_bytes(records[35:43], "big") == broker.replicas.clock.wall_ms()


def spoiled() -> bytes:
    sent = bytearray(batch())
    sent[-1] ^= 1
    return bytes(sent)


@pytest.mark.parametrize(
    ("records", "code"),
    [
        (None, ErrorCode.INVALID_RECORD),
        (b"", ErrorCode.INVALID_RECORD),
        (b"wrong", ErrorCode.INVALID_RECORD),
        (batch() + batch(), ErrorCode.INVALID_RECORD),
        (bytes(2000), ErrorCode.CORRUPT_MESSAGE),
        (spoiled(), ErrorCode.CORRUPT_MESSAGE),
    ],
    ids=["null", "empty", "no batch", "two batches", "zeros", "wrong checksum"],
)
def test_what_is_no_good_batch_is_refused_and_from_version_8_on_it_is_told_why(
    broker: DataBroker, records: bytes | None, code: ErrorCode
) -> None:
    assert broker.produce("t", records, version=7).error_message is None
    found = broker.produce("t", records, version=8)
    assert (found.error_code, found.base_offset) == (code, -1)
    assert found.error_message
    assert broker.replicas.written == 0


def test_a_log_that_takes_no_records_still_tells_its_start(broker: DataBroker) -> None:
    broker.topic("safe", [ME, OTHER], min_insync_replicas="2")
    later = b"\x00" * 7 + b"\x01" + batch()[8:]
    found = broker.produce("safe", later)
    assert (found.error_code, found.log_start_offset) == (ErrorCode.INVALID_RECORD, 0)
    broker.harness.heartbeat(OTHER, want_fence=True)
    found = broker.produce("safe", batch(), acks=-1)
    assert (found.error_code, found.log_start_offset) == (ErrorCode.NOT_ENOUGH_REPLICAS, 0)


@pytest.mark.parametrize("version", [7, 8])
def test_refused_records_are_named_from_version_8_on(broker: DataBroker, version: int) -> None:
    broker.topic("compacted", cleanup_policy="compact")
    found = broker.produce("compacted", batch(b"a", b"b", key=None), version=version)
    assert (found.error_code, found.log_start_offset) == (ErrorCode.INVALID_RECORD, 0)
    assert [each.batch_index for each in found.record_errors] == ([0, 1] if version == 8 else [])
    assert all(each.batch_index_error_message for each in found.record_errors)


@pytest.mark.parametrize(
    ("version", "code"), [(6, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE), (7, ErrorCode.NONE)]
)
def test_zstd_is_taken_from_version_7_on(broker: DataBroker, version: int, code: ErrorCode) -> None:
    assert broker.produce("t", batch(compression=ZSTD), version=version).error_code == code


@pytest.mark.parametrize("compression", range(5))
def test_records_are_stored_as_they_were_sent(broker: DataBroker, compression: int) -> None:
    sent = [batch(b"a" * 100, b"b", compression=compression), batch(b"c")]
    for each in sent:
        broker.produce("t", each)
    assert bytes(broker.fetch("t").records) == stored(sent[0], 0) + stored(sent[1], 2)


def test_a_disk_that_fails_is_told(broker: DataBroker) -> None:
    broker.produce("t", batch())
    broker.replicas.disk.fail("write", ".log")
    assert broker.produce("t", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    # It is not asked again.
    assert broker.produce("t", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR


def test_nothing_is_taken_once_others_may_lead(broker: DataBroker) -> None:
    assert broker.produce("t", batch()).error_code == 0
    broker.replicas.is_session_over = True
    refused = broker.produce("t", batch())
    assert refused.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert broker.replicas.written == 1
    broker.replicas.is_session_over = False
    assert broker.produce("t", batch()).error_code == 0


def test_a_gap_that_the_end_of_its_session_has_made_is_not_told(broker: DataBroker) -> None:
    """Apache Kafka's broker would have taken the batch before. librdkafka would begin a new epoch, and write again what
    was written and not acknowledged yet."""
    broker.produce("t", idempotent(0))
    broker.replicas.is_session_over = True
    assert broker.produce("t", idempotent(1)).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    broker.replicas.is_session_over = False
    assert broker.produce("t", idempotent(2)).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert [broker.produce("t", idempotent(sequence)).error_code for sequence in (1, 2)] == [0, 0]
    assert broker.produce("t", idempotent(3, epoch=1)).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    broker.replicas.pass_time(REFUSED_AGAIN_MS)
    assert broker.produce("t", idempotent(4)).error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
