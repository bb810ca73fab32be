"""ListOffsets. What the responses are in each case was compared with those of a node of Apache Kafka 4.4.0 to the same
requests.

Tests: `shell.replicas.followers.offsets`, `shell.replicas.requests.offset_searches`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ListOffsetsRequest
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.data import ProduceItem
from tests.apis.support.data_broker import ME, OTHER, THIRD, DataBroker, batch, only_partition

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING_UPLOAD = range(-1, -7, -1)
VERSIONS = range(1, 12)
READ_COMMITTED = 1
TIMES_MS = (100, 300, 200, 300, 250)
"""Of the records in the topic t, which are two batches."""

Query = ListOffsetsRequest.ListOffsetsPartition


@pytest.fixture
def broker(broker: DataBroker) -> DataBroker:
    """There are five records in the topic t."""
    for times_ms in (TIMES_MS[:2], TIMES_MS[2:]):
        records = [NewRecord(key=b"k", value=b"v", timestamp_ms=each) for each in times_ms]
        assert broker.produce("t", build_batch(records, base_offset=0, timestamp_ms=0)).error_code == 0
    return broker


@pytest.fixture
def replicated(replicated: DataBroker) -> DataBroker:
    """There are two records in the topic t, of which broker 0 has the first."""
    for time_ms in (100, 200):
        assert replicated.produce("t", batch(timestamp_ms=time_ms)).error_code == 0
    replicated.replicate("t", 1)
    return replicated


def result(found: Any) -> tuple[int, int, int, int]:
    return found.error_code, found.offset, found.timestamp, found.leader_epoch


# --- special timestamps ---


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("timestamp", "first_version", "expected"),
    [
        (LATEST, 1, (0, 5, -1, 0)),
        (EARLIEST, 1, (0, 0, -1, 0)),
        (MAX_TIMESTAMP, 7, (0, 1, 300, 0)),
        (EARLIEST_LOCAL, 8, (0, 0, -1, 0)),
        (LATEST_TIERED, 9, (0, -1, -1, -1)),
        (EARLIEST_PENDING_UPLOAD, 11, (0, -1, -1, -1)),
        (-7, 12, None),
        (-(2**63), 12, None),
    ],
)
def test_special_timestamps_are_known_from_a_version_on(
    broker: DataBroker, timestamp: int, first_version: int, expected: tuple[int, int, int, int], version: int
) -> None:
    found = result(broker.offset("t", timestamp, version=version))
    if version < first_version:
        assert found == (ErrorCode.UNSUPPORTED_VERSION, -1, -1, -1)
    elif version < 4:
        # The leader epoch is not told yet.
        assert found == (*expected[:3], -1)
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [
        (LATEST, (0, 0, -1, 0)),
        (EARLIEST, (0, 0, -1, 0)),
        (EARLIEST_LOCAL, (0, 0, -1, 0)),
        (MAX_TIMESTAMP, (0, -1, -1, -1)),
        (0, (0, -1, -1, -1)),
    ],
)
def test_an_empty_log_has_a_beginning_and_an_end(
    broker: DataBroker, timestamp: int, expected: tuple[int, int, int, int]
) -> None:
    broker.topic("empty")
    assert result(broker.offset("empty", timestamp)) == expected


def test_what_is_not_known_to_any_version_is_refused_before_the_partition_is_looked_for(
    broker: DataBroker,
) -> None:
    assert broker.offset("unknown", -7).error_code == ErrorCode.UNSUPPORTED_VERSION


# --- times ---


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [(0, (0, 100)), (100, (0, 100)), (101, (1, 300)), (300, (1, 300)), (301, (-1, -1)), (2**62, (-1, -1))],
)
def test_the_first_record_from_a_time_on_is_found(
    broker: DataBroker, timestamp: int, expected: tuple[int, int], version: int
) -> None:
    found = broker.offset("t", timestamp, version=version)
    assert (found.error_code, found.offset, found.timestamp) == (0, *expected)
    assert found.leader_epoch == (0 if version >= 4 and expected[0] >= 0 else -1)


# --- what is not replicated ---


@pytest.mark.parametrize(("replica_id", "offset"), [(-1, 1), (OTHER, 2), (-2, 2)])
def test_consumers_see_what_is_replicated_and_replicas_all(
    replicated: DataBroker, replica_id: int, offset: int
) -> None:
    assert replicated.offset("t", LATEST, replica_id=replica_id).offset == offset
    is_seen = offset == 2
    assert replicated.offset("t", 150, replica_id=replica_id).offset == (1 if is_seen else -1)
    assert replicated.offset("t", MAX_TIMESTAMP, replica_id=replica_id).offset == (1 if is_seen else -1)


def test_with_read_committed_an_open_transaction_is_the_end(broker: DataBroker) -> None:
    broker.trust_producers()
    sent = batch(producer_id=7, producer_epoch=0, base_sequence=0, transactional=True, timestamp_ms=900)
    item = ProduceItem(topic_id=broker.topic_id("t"), index=0, records=sent, allows_zstd=True)
    broker.services.replicas.produce([item], 1, 1000, lambda results: None)
    for level, end, late in ((0, 6, 5), (READ_COMMITTED, 5, -1)):
        assert broker.offset("t", LATEST, isolation_level=level).offset == end
        assert broker.offset("t", 900, isolation_level=level).offset == late


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("timestamp", "is_told"),
    [(LATEST, False), (MAX_TIMESTAMP, False), (200, False), (100, True), (EARLIEST, True)],
)
def test_a_new_leader_does_not_tell_an_end_that_may_go_back(
    replicated: DataBroker, timestamp: int, is_told: bool, version: int
) -> None:
    replicated.lead_anew("t")
    found = replicated.offset("t", timestamp, version=version)
    if timestamp == MAX_TIMESTAMP and version < 7:
        assert found.error_code == ErrorCode.UNSUPPORTED_VERSION
    elif is_told:
        assert (found.error_code, found.offset) == (0, 0)
    else:
        code = ErrorCode.OFFSET_NOT_AVAILABLE if version >= 5 else ErrorCode.LEADER_NOT_AVAILABLE
        assert (found.error_code, found.offset) == (code, -1)
    # Others than consumers are told, and once the follower has the log, so are consumers.
    assert replicated.offset("t", LATEST, replica_id=OTHER).offset == 2
    replicated.replicate("t", 2)
    assert result(replicated.offset("t", LATEST)) == (0, 2, -1, 2)


# --- what is refused ---


@pytest.mark.parametrize(
    ("name", "index", "code"),
    [
        ("unknown", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("followed", 0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        ("theirs", 0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
@pytest.mark.parametrize("timestamp", [LATEST, EARLIEST, 100])
def test_the_leader_has_to_be_asked(
    broker: DataBroker, name: str, index: int, code: ErrorCode, timestamp: int
) -> None:
    broker.topic("followed", [OTHER, ME])
    broker.topic("theirs", [OTHER, THIRD])
    assert result(broker.offset(name, timestamp, index)) == (code, -1, -1, -1)


@pytest.mark.parametrize(
    ("epoch", "code"),
    [
        (-5, ErrorCode.FENCED_LEADER_EPOCH),
        (-1, ErrorCode.NONE),
        (1, ErrorCode.FENCED_LEADER_EPOCH),
        (2, ErrorCode.NONE),
        (3, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_the_leader_epoch_has_to_be_the_present_one(
    replicated: DataBroker, epoch: int, code: ErrorCode
) -> None:
    replicated.lead_anew("t")
    assert replicated.offset("t", EARLIEST, leader_epoch=epoch).error_code == code


def request_for(*topics: tuple[str, list[int]]) -> ListOffsetsRequest:
    """A request for the latest offsets of partitions."""
    return ListOffsetsRequest(
        replica_id=-1,
        topics=[
            ListOffsetsRequest.ListOffsetsTopic(
                name=name, partitions=[Query(partition_index=each, timestamp=LATEST) for each in indexes]
            )
            for name, indexes in topics
        ],
    )


def codes(broker: DataBroker, request: ListOffsetsRequest) -> list[tuple[str, int, int]]:
    return [
        (topic.name, each.partition_index, each.error_code)
        for topic in broker.ask(request, 11).topics
        for each in topic.partitions
    ]


@pytest.mark.parametrize(
    "topics", [[("t", [0, 1, 0])], [("t", [0]), ("t", [1, 0])]], ids=["in one entry", "in two"]
)
def test_a_partition_that_is_named_twice_has_one_response_and_no_offset(
    broker: DataBroker, topics: list[tuple[str, list[int]]]
) -> None:
    assert codes(broker, request_for(*topics)) == [
        ("t", 0, ErrorCode.INVALID_REQUEST),
        ("t", 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]


def test_a_partition_that_is_named_twice_and_must_not_be_seen_is_refused_for_that(broker: DataBroker) -> None:
    broker.allow()
    assert codes(broker, request_for(("t", [0, 0]))) == [("t", 0, ErrorCode.TOPIC_AUTHORIZATION_FAILED)]


@pytest.mark.parametrize("level", [-1, 2, 127])
def test_another_isolation_level_is_refused(broker: DataBroker, level: int) -> None:
    assert broker.offset("t", LATEST, isolation_level=level).error_code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("operation", [Operation.DESCRIBE, Operation.READ, Operation.WRITE])
def test_asking_needs_describe_on_the_topic(broker: DataBroker, operation: Operation) -> None:
    broker.topic("other")
    broker.allow((operation, ResourceType.TOPIC, "t"))
    assert codes(broker, request_for(("t", [0]), ("other", [0]), ("unknown", [0]))) == [
        ("t", 0, ErrorCode.NONE),
        ("other", 0, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        ("unknown", 0, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    ]


def test_a_request_for_nothing_is_in_order(broker: DataBroker) -> None:
    assert broker.ask(request_for(), 11).topics == []
    assert broker.ask(request_for(("t", [])), 11).topics == []


def test_the_response_comes_when_the_disk_was_read(broker: DataBroker) -> None:
    broker.replicas.workers.hold()
    request = request_for(("t", [0]))
    request.topics[0].partitions[0].timestamp = 100
    found = broker.send(request, 11)
    assert found == []
    broker.replicas.workers.release()
    assert only_partition(found[0].topics).offset == 0


def test_a_log_that_is_closed_before_it_was_read_is_looked_for_elsewhere(broker: DataBroker) -> None:
    broker.replicas.workers.hold()
    request = request_for(("t", [0]))
    request.topics[0].partitions[0].timestamp = 100
    found = broker.send(request, 11)
    # As the thread of its directory does for a replica that was deleted.
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    assert hosted.log is not None
    hosted.log.log.abandon()
    broker.replicas.workers.release()
    assert only_partition(found[0].topics).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_what_others_read_does_not_wait_for_a_search(broker: DataBroker) -> None:
    workers, read = broker.replicas.workers, list[str]()
    workers.hold()
    request = request_for(("t", [0]))
    request.topics[0].partitions[0].timestamp = 100
    found = broker.send(request, 11)
    broker.replicas.read_in_thread(read.append)
    # The first lane that has a job.
    assert workers.do_one(lambda lanes: 0 if lanes == 2 else -lanes)
    assert (read, found) == (["read"], [])
    workers.release()
    assert only_partition(found[0].topics).offset == 0
