"""The persister: which share coordinator it asks, what a request holds, and when it tries again.

Tests: `shell.coordinators.share_state.services`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.metadata.topic_names import SHARE_TOPIC
from kafkaproto_server.requests.share_state import (
    ACKNOWLEDGED,
    ShareState,
    ShareStateResult,
    StateBatch,
)
from kafkaproto_server.shell.coordinators.share_state import persister as module
from kafkaproto_server.shell.coordinators.share_state.persister import (
    ELEMENTS_AT_ONCE,
    MAX_TRIES,
    SharePersister,
)
from tests.apis.support.data_broker import ME, OTHER, DataBroker
from tests.node.support.edge_rng import EdgeRng

GROUP = "g"
OK = ErrorCode.NONE
LOST = ErrorCode.COORDINATOR_NOT_AVAILABLE
LONG_MS = 30_000
"""Longer than between any two tries."""
BATCHES = (StateBatch(6, 7, ACKNOWLEDGED, 1), StateBatch(9, 9, ACKNOWLEDGED, 2))
STATE = ShareState(1, 5, 3, BATCHES)


class Persisting:
    """Broker 1 has a persister; requests to other brokers are kept."""

    def __init__(self, *coordinators: int) -> None:
        self.broker = DataBroker()
        self.topic_id = self.broker.topic("t", [ME], [ME])
        if coordinators:
            self.broker.topic(SHARE_TOPIC, *([each] for each in coordinators))
        self.broker.replicas.follow()
        share = self.broker.replicas.share
        assert isinstance(share.persister, SharePersister)
        self.persister = share.persister
        self.created: list[str] = []
        self.persister._create_topic = self.created.append
        self.sent: list[tuple[int, Any]] = []
        self.persister._requests.send = (  # type: ignore[method-assign]
            lambda broker_id, item: self.sent.append((broker_id, item))
        )
        self.results: list[ShareStateResult] = []

    def turn(self, wait_ms: int = 0) -> None:
        """Let time pass, and do what is due."""
        replicas = self.broker.replicas
        replicas.clock.now += wait_ms
        replicas.call_due()
        replicas.call_due()

    def initialize(self, partition: int = 0) -> None:
        self.persister.initialize(GROUP, self.topic_id, partition, 1, 5, self.results.append)

    def read(self, partition: int = 0, epoch: int = 2) -> None:
        self.persister.read(GROUP, self.topic_id, partition, epoch, self.results.append)

    def write(self, partition: int = 0, group: str = GROUP) -> None:
        self.persister.write(group, self.topic_id, partition, STATE, 2, self.results.append)

    def summary(self, partition: int = 0) -> None:
        self.persister.read_summary(GROUP, self.topic_id, partition, 2, self.results.append)

    def delete(self, partition: int = 0) -> None:
        self.persister.delete(GROUP, self.topic_id, partition, self.results.append)

    def respond(self, response: Any) -> None:
        """The response to all that was sent."""
        calls = [call for _, call in self.sent]
        self.sent.clear()
        self.persister._responded(calls, response)

    def request(self) -> Any:
        """What was sent, as its receiver reads it."""
        request = module._request([call for _, call in self.sent])
        version = type(request).MAX_VERSION
        decoded, _ = type(request).decode(request.encode(version), version)
        return decoded


def test_the_coordinator_on_this_broker_is_asked_a_moment_later() -> None:
    persisting = Persisting(ME, ME)
    for ask in (
        persisting.initialize,
        persisting.read,
        persisting.write,
        persisting.summary,
        persisting.read,
    ):
        ask()
        assert not persisting.results
        persisting.turn()
        assert persisting.results.pop().code is OK
    persisting.summary()
    persisting.turn()
    assert persisting.results == [ShareStateResult(OK, None, ShareState(1, 5, 3), 2)]
    persisting.read()
    persisting.turn()
    assert persisting.results[1] == ShareStateResult(OK, None, STATE)
    persisting.delete()
    persisting.read()
    persisting.turn()
    assert [each.code for each in persisting.results[2:]] == [OK, ErrorCode.INVALID_REQUEST]
    assert not persisting.sent


def test_another_broker_is_asked_for_all_partitions_of_a_group_at_once() -> None:
    persisting = Persisting(OTHER)
    persisting.write(0)
    persisting.write(1)
    persisting.write(0, group="h")
    persisting.read(0)
    persisting.turn()
    assert {broker_id for broker_id, _ in persisting.sent} == {OTHER}
    calls = [call for _, call in persisting.sent]
    assert len({call.lane for call in calls}) == 3
    assert calls[0].lane == calls[1].lane
    assert calls[0].elements == 4
    del persisting.sent[2:]
    request = persisting.request()
    assert request.group_id == GROUP
    assert [bytes(each.topic_id) for each in request.topics] == [persisting.topic_id]
    for index, partition in enumerate(request.topics[0].partitions):
        assert (partition.partition, partition.state_epoch, partition.leader_epoch) == (index, 1, 2)
        assert (partition.start_offset, partition.delivery_complete_count) == (5, 3)
        assert [
            (each.first_offset, each.last_offset, each.delivery_state, each.delivery_count)
            for each in partition.state_batches
        ] == list(BATCHES)


def test_what_the_other_requests_hold_and_what_comes_of_them() -> None:
    persisting = Persisting(OTHER)
    topic_id = persisting.topic_id
    persisting.initialize()
    persisting.turn()
    asked = persisting.request().topics[0].partitions[0]
    assert (asked.state_epoch, asked.start_offset) == (1, 5)
    initialized = kafka.InitializeShareGroupStateResponse
    place = initialized.PartitionResult(partition=0)
    persisting.respond(
        initialized(results=[initialized.InitializeStateResult(topic_id=topic_id, partitions=[place])])
    )
    persisting.read()
    persisting.turn()
    assert persisting.request().topics[0].partitions[0].leader_epoch == 2
    read = kafka.ReadShareGroupStateResponse
    batch = read.StateBatch(first_offset=6, last_offset=7, delivery_state=2, delivery_count=1)
    found = read.PartitionResult(partition=0, state_epoch=1, start_offset=5, state_batches=[batch])
    persisting.respond(read(results=[read.ReadStateResult(topic_id=topic_id, partitions=[found])]))
    persisting.summary()
    persisting.turn()
    summary = kafka.ReadShareGroupStateSummaryResponse
    seen = summary.PartitionResult(
        partition=0, state_epoch=1, leader_epoch=2, start_offset=5, delivery_complete_count=3
    )
    persisting.respond(
        summary(results=[summary.ReadStateSummaryResult(topic_id=topic_id, partitions=[seen])])
    )
    persisting.delete()
    persisting.turn()
    assert persisting.request().topics[0].partitions[0].partition == 0
    deleted = kafka.DeleteShareGroupStateResponse
    gone = deleted.PartitionResult(partition=0)
    persisting.respond(deleted(results=[deleted.DeleteStateResult(topic_id=topic_id, partitions=[gone])]))
    assert persisting.results == [
        ShareStateResult(OK),
        ShareStateResult(OK, None, ShareState(1, 5, -1, BATCHES[:1])),
        ShareStateResult(OK, None, ShareState(1, 5, 3), 2),
        ShareStateResult(OK),
    ]


def refused(persisting: Persisting, code: int, message: str | None = None) -> Any:
    response = kafka.ReadShareGroupStateResponse
    place = response.PartitionResult(partition=0, error_code=code, error_message=message)
    return response(results=[response.ReadStateResult(topic_id=persisting.topic_id, partitions=[place])])


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.FENCED_LEADER_EPOCH),
        (ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_REQUEST),
        (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
        (999, ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_a_refusal_is_told_at_once(code: int, told: ErrorCode) -> None:
    persisting = Persisting(OTHER)
    persisting.read()
    persisting.turn()
    persisting.respond(refused(persisting, code, "why"))
    assert persisting.results == [ShareStateResult(told, "why")]


def test_what_a_response_leaves_out_is_in_doubt() -> None:
    persisting = Persisting(OTHER)
    persisting.read(1)
    persisting.turn()
    persisting.respond(refused(persisting, OK))
    assert [each.code for each in persisting.results] == [ErrorCode.UNKNOWN_SERVER_ERROR]


@pytest.mark.parametrize(
    "code",
    [
        LOST,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        None,
    ],
)
def test_it_tries_again_five_times_ever_later(code: ErrorCode | None) -> None:
    persisting = Persisting(OTHER)
    persisting.read()
    persisting.turn()
    for number in range(MAX_TRIES):
        persisting.respond(None if code is None else refused(persisting, code))
        if number < MAX_TRIES - 1:
            least_ms = (2_000 << number) * 4 // 5
            persisting.turn(least_ms - 1)
            assert not persisting.sent
            persisting.turn(least_ms)
            assert len(persisting.sent) == 1
        assert len(persisting.results) == (number == MAX_TRIES - 1)
    assert persisting.results[0].code is (code or ErrorCode.NETWORK_EXCEPTION)
    assert persisting.results[0].message


@pytest.mark.parametrize(("is_greatest", "delays"), [(False, (1_600, 3_200)), (True, (2_400, 4_800))])
def test_tries_are_a_fifth_earlier_or_later(is_greatest: bool, delays: tuple[int, ...]) -> None:
    persisting = Persisting(OTHER)
    persisting.persister._rng = EdgeRng(is_greatest=is_greatest)
    persisting.read()
    persisting.turn()
    for delay_ms in delays:
        persisting.respond(None)
        persisting.turn(delay_ms - 1)
        assert not persisting.sent
        persisting.turn(1)
        assert len(persisting.sent) == 1


def test_without_the_topic_it_asks_for_it_and_searches_again() -> None:
    persisting = Persisting()
    persisting.read()
    persisting.turn()
    assert persisting.created == [SHARE_TOPIC]
    persisting.broker.topic(SHARE_TOPIC, [OTHER])
    persisting.broker.replicas.follow()
    persisting.turn(2_500)
    assert len(persisting.sent) == 1
    assert not persisting.results


def test_it_gives_up_if_there_is_no_topic() -> None:
    persisting = Persisting()
    persisting.read()
    for _ in range(MAX_TRIES + 2):
        persisting.turn(LONG_MS)
    assert [each.code for each in persisting.results] == [LOST]
    assert len(persisting.created) == MAX_TRIES


def test_without_a_leader_there_is_no_coordinator() -> None:
    persisting = Persisting(OTHER)
    persisting.broker.harness.heartbeat(OTHER, want_fence=True)
    persisting.read()
    for _ in range(MAX_TRIES + 2):
        persisting.turn(LONG_MS)
    assert not persisting.sent
    assert [each.code for each in persisting.results] == [LOST]


def test_searches_and_requests_are_counted_by_themselves() -> None:
    persisting = Persisting()
    persisting.read()
    persisting.turn()
    for _ in range(MAX_TRIES - 2):
        persisting.turn(LONG_MS)
    persisting.broker.topic(SHARE_TOPIC, [OTHER])
    persisting.broker.replicas.follow()
    persisting.turn(LONG_MS)
    persisting.respond(None)
    persisting.broker.harness.heartbeat(OTHER, want_fence=True)
    for _ in range(MAX_TRIES):
        assert not persisting.results
        persisting.turn(LONG_MS)
    assert [each.code for each in persisting.results] == [LOST]
    assert persisting.results


def test_many_calls_take_many_turns() -> None:
    persisting = Persisting(OTHER)
    count = 3 * ELEMENTS_AT_ONCE
    for _ in range(count):
        persisting.read()
    sent = []
    while len(persisting.sent) < count:
        persisting.broker.replicas.clock.now += 1
        persisting.broker.replicas.call_due()
        sent.append(len(persisting.sent))
    assert sent[0] == ELEMENTS_AT_ONCE // 2
    assert len(sent) == 6
