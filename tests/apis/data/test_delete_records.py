"""DeleteRecords. What the responses are in each case was compared with those of a node of Apache Kafka 4.4.0 to the
same requests (`tests/compat/test_delete_records.py`).

Tests: `shell.replicas.requests.deletions`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteRecordsRequest
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.data import DeletionItem, DeletionResult
from tests.apis.support.data_broker import ME, OTHER, THIRD, DataBroker, batch, only_partition, wanted
from tests.apis.support.replicas import PATH

EARLIEST = -2
HIGH_WATERMARK = -1
Item = DeleteRecordsRequest.DeleteRecordsPartition
Topic = DeleteRecordsRequest.DeleteRecordsTopic


def deletion(*items: tuple[str, int, int], timeout_ms: int = 1000) -> DeleteRecordsRequest:
    """A request; each item is a topic, a partition and an offset."""
    request = DeleteRecordsRequest(timeout_ms=timeout_ms)
    for name, index, offset in items:
        request.topics.append(Topic(name=name, partitions=[Item(partition_index=index, offset=offset)]))
    return request


def delete(
    broker: DataBroker, name: str, offset: int, *, index: int = 0, version: int = 2
) -> tuple[int, int]:
    """Error code and low watermark."""
    return result(broker.ask(deletion((name, index, offset)), version))


def result(response: Any) -> tuple[int, int]:
    found = only_partition(response.topics)
    return found.error_code, found.low_watermark


@pytest.fixture
def broker() -> DataBroker:
    """There is the topic t with five records, of which only this broker has a replica."""
    broker = DataBroker()
    broker.topic("t")
    for count in (2, 3):
        assert broker.produce("t", batch(*[b"v"] * count)).error_code == 0
    return broker


@pytest.fixture
def replicated() -> DataBroker:
    """The topic t has three replicas, and both followers have its two records."""
    broker = DataBroker()
    broker.topic("t", [ME, OTHER, THIRD])
    broker.produce("t", batch(b"1", b"2"))
    for follower in (OTHER, THIRD):
        follow(broker, follower, 0)
    return broker


def follow(broker: DataBroker, follower: int, log_start_offset: int, offset: int = 2) -> None:
    """A follower asks for more, and tells its log start."""
    epoch = broker.harness.image.brokers[follower].epoch
    asked = wanted(0, offset, log_start_offset=log_start_offset)
    assert broker.fetch("t", asked, replica_id=follower, replica_epoch=epoch).error_code == 0


@pytest.mark.parametrize("version", range(3))
@pytest.mark.parametrize(("offset", "start"), [(0, 0), (1, 1), (3, 3), (5, 5), (HIGH_WATERMARK, 5)])
def test_the_log_starts_at_the_offset(broker: DataBroker, offset: int, start: int, version: int) -> None:
    assert delete(broker, "t", offset, version=version) == (0, start)
    assert broker.offset("t", EARLIEST).offset == start
    assert broker.fetch("t", wanted(0, start)).log_start_offset == start
    if start:
        assert broker.fetch("t", wanted(0, start - 1)).error_code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_the_log_start_does_not_move_back(broker: DataBroker) -> None:
    assert delete(broker, "t", 3) == (0, 3)
    assert delete(broker, "t", 1) == (0, 3)
    assert broker.offset("t", EARLIEST).offset == 3


@pytest.mark.parametrize("offset", [6, 2**62, -2])
def test_an_offset_that_is_not_committed_is_refused(broker: DataBroker, offset: int) -> None:
    assert delete(broker, "t", offset) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1)
    assert broker.offset("t", EARLIEST).offset == 0


def test_records_that_followers_do_not_have_stay(replicated: DataBroker) -> None:
    replicated.produce("t", batch())
    assert delete(replicated, "t", 3) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1)


def test_only_the_leader_deletes(broker: DataBroker) -> None:
    broker.topic("elsewhere", [OTHER])
    broker.topic("followed", [OTHER, ME])
    for name in ("elsewhere", "followed"):
        assert delete(broker, name, 0) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)
    assert delete(broker, "t", 0, index=1) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert delete(broker, "unknown", 0) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)


@pytest.mark.parametrize(
    ("policy", "code"),
    [("delete", 0), ("compact", ErrorCode.POLICY_VIOLATION), ("compact,delete", 0)],
)
def test_the_topics_policy_has_to_allow_it(broker: DataBroker, policy: str, code: int) -> None:
    broker.topic("p", **{"cleanup.policy": policy})
    broker.produce("p", batch())
    assert delete(broker, "p", HIGH_WATERMARK) == (code, -1 if code else 1)


def test_internal_topics_are_left_alone(broker: DataBroker) -> None:
    broker.topic("__consumer_offsets")
    assert delete(broker, "__consumer_offsets", 0) == (ErrorCode.INVALID_TOPIC_EXCEPTION, -1)


def test_who_may_not_delete_the_topic_is_refused(broker: DataBroker) -> None:
    broker.allow((Operation.DELETE, ResourceType.TOPIC, "t"))
    assert delete(broker, "t", 1) == (0, 1)
    assert delete(broker, "unknown", 1) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, -1)
    broker.allow((Operation.WRITE, ResourceType.TOPIC, "t"), (Operation.DELETE, ResourceType.TOPIC, "u"))
    assert delete(broker, "t", 2) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, -1)
    assert broker.replicas.partition("t", 0).log_start_offset == 1


def test_a_partition_that_is_named_twice_gets_one_response(broker: DataBroker) -> None:
    response = broker.ask(deletion(("t", 0, 1), ("u", 0, 1), ("t", 0, 4)), 2)
    assert [(topic.name, len(topic.partitions)) for topic in response.topics] == [("t", 1), ("u", 1)]
    assert response.topics[0].partitions[0].low_watermark == 4


def test_a_directory_that_fails_is_told(broker: DataBroker) -> None:
    # The only segment with records goes.
    broker.topic("u", **{"segment.bytes": "1048576"})
    for _ in range(2):
        broker.produce("u", batch(b"v" * 600_000))
    broker.replicas.disk.fail("rename", ".log")
    assert delete(broker, "u", 1) == (ErrorCode.KAFKA_STORAGE_ERROR, -1)
    assert [path for path, _ in broker.replicas.manager.directory_failures.waiting] == [PATH]


# --- followers ---


def test_the_response_waits_for_the_followers(replicated: DataBroker) -> None:
    found = replicated.send(deletion(("t", 0, 2)), 2)
    assert replicated.replicas.partition("t", 0).log_start_offset == 2
    follow(replicated, OTHER, 2)
    assert not found
    follow(replicated, THIRD, 1)
    assert not found
    follow(replicated, THIRD, 2)
    assert [result(each) for each in found] == [(0, 2)]


def test_a_deletion_that_has_succeeded_does_not_time_out(replicated: DataBroker) -> None:
    replicated.replicas.follow()
    item = DeletionItem(topic_id=replicated.topic_id("t"), index=0, offset=2)
    found: list[DeletionResult] = []
    replicated.replicas.manager.delete_records(item, 500, found.append)
    for follower in (OTHER, THIRD):
        follow(replicated, follower, 2)
    replicated.replicas.pass_time(500)
    assert found == [DeletionResult(code=ErrorCode.NONE, low_watermark=2)]


def test_the_time_may_be_over_before(replicated: DataBroker) -> None:
    found = replicated.send(deletion(("t", 0, 2), timeout_ms=500), 2)
    follow(replicated, OTHER, 2)
    replicated.replicas.pass_time(499)
    assert not found
    replicated.replicas.pass_time(1)
    # The low watermark is that of the beginning of the wait.
    assert [result(each) for each in found] == [(ErrorCode.REQUEST_TIMED_OUT, 0)]
    assert not replicated.replicas.partition("t", 0)._deletions
    follow(replicated, THIRD, 2)
    assert len(found) == 1


@pytest.mark.parametrize("timeout_ms", [0, 10])
def test_the_time_is_the_followers(broker: DataBroker, timeout_ms: int) -> None:
    # Clients may give no time at all. A slow disk of the leader takes none of it, as in Kafka.
    broker.replicas.workers.hold()
    found = broker.send(deletion(("t", 0, 3), timeout_ms=timeout_ms), 2)
    broker.replicas.pass_time(1000)
    broker.replicas.workers.release()
    assert [result(each) for each in found] == [(0, 3)]


def test_no_time_is_over_once_the_leader_has_deleted_its_records(replicated: DataBroker) -> None:
    found = replicated.send(deletion(("t", 0, 2), timeout_ms=0), 2)
    replicated.replicas.pass_time(0)
    assert [result(each) for each in found] == [(ErrorCode.REQUEST_TIMED_OUT, 0)]
    assert replicated.replicas.partition("t", 0).log_start_offset == 2


def test_nobody_waits_for_a_follower_whose_broker_is_dead(replicated: DataBroker) -> None:
    found = replicated.send(deletion(("t", 0, 1)), 2)
    follow(replicated, OTHER, 1)
    assert not found
    replicated.harness.heartbeat(THIRD, want_fence=True)
    replicated.replicas.follow()
    assert [result(each) for each in found] == [(0, 1)]


def test_a_leader_that_is_none_any_more_says_so(replicated: DataBroker) -> None:
    found = replicated.send(deletion(("t", 0, 1)), 2)
    replicated.harness.heartbeat(ME, want_fence=True)
    replicated.replicas.follow()
    assert [result(each) for each in found] == [(ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)]


def test_a_follower_hears_of_the_new_log_start_at_once(replicated: DataBroker) -> None:
    epoch = replicated.harness.image.brokers[OTHER].epoch
    request = replicated.fetch_request(
        ("t", [wanted(0, 2, log_start_offset=0)]), replica_id=OTHER, replica_epoch=epoch, max_wait_ms=500
    )
    session = replicated.ask(structs_replaced(request, session_epoch=0, max_wait_ms=0), 18).session_id
    waiting = replicated.fetch_request(
        replica_id=OTHER, replica_epoch=epoch, max_wait_ms=500, session_id=session, session_epoch=1
    )
    found = replicated.send(waiting, 18)
    assert not found
    replicated.send(deletion(("t", 0, 1)), 2)
    replicated.replicas.pass_time(500)
    assert only_partition(found[0].responses).log_start_offset == 1


def structs_replaced(request: Any, **fields: Any) -> Any:
    """The request with other values."""
    for name, value in fields.items():
        setattr(request, name, value)
    return request
