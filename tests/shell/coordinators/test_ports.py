"""The ports of a broker's coordinators: errors if the coordinator is on another broker or not loaded yet, which kinds
of groups are served, and what coordinators learn of topics and configs.

Tests: `shell.coordinators.groups.groups`, `shell.coordinators.groups.settings`,
`shell.coordinators.groups.share_offsets`, `shell.coordinators.share_state.share_state`,
`shell.coordinators.surroundings`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.requests.coordinator_places import partition_of
from kafkaproto_server.requests.error_codes import error_codes
from kafkaproto_server.requests.offset_requests import Committer
from kafkaproto_server.requests.share_group_requests import ShareHeartbeatValues
from kafkaproto_server.requests.share_state import ShareStateResult
from kafkaproto_server.requests.transaction_requests import (
    InitProducerIdValues,
)
from kafkaproto_server.shell.coordinators.groups.settings import current_group_configs
from kafkaproto_server.shell.coordinators.groups.share_offsets import ShareOffsetReader
from kafkaproto_server.shell.coordinators.groups.topic_watch import TopicChanges
from kafkaproto_server.shell.coordinators.share_state.share_state import SHARE_STATE
from kafkaproto_server.shell.coordinators.surroundings import NodeSurroundings
from tests.apis.support.data_broker import ME, OTHER, DataBroker
from tests.apis.support.replicas import COMMIT_TIMEOUT_MS, HandClock
from tests.apis.support.services import Changed, with_changes
from tests.core.controller.support.harness import SeededRng, update_features_request
from tests.core.coordinators.support.offsets import of

HEARTBEAT = kafka.HeartbeatRequest(group_id="g", member_id="m", generation_id=1)
INIT = InitProducerIdValues(transactional_id="id", transaction_timeout_ms=1_000, version=5)
LOADING = {ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}
UPGRADE, UNSAFE_DOWNGRADE = 1, 3
"""Types of changes of a feature."""


def of_groups(broker: DataBroker) -> list[Message]:
    """A request of each API that a coordinator of groups serves, as far as all of it is refused without one."""
    offset = kafka.OffsetCommitRequest.Partition(partition_index=0, committed_offset=1)
    topic = kafka.OffsetCommitRequest.Topic(topic_id=broker.topic_id("t"), partitions=[offset])
    leaving = kafka.LeaveGroupRequest.MemberIdentity(member_id="m")
    protocol = kafka.JoinGroupRequest.Protocol(name="range", metadata=b"")
    return [
        kafka.JoinGroupRequest(group_id="g", protocol_type="consumer", protocols=[protocol]),
        kafka.SyncGroupRequest(group_id="g", protocol_type="consumer", protocol_name="range"),
        kafka.LeaveGroupRequest(group_id="g", members=[leaving]),
        kafka.DescribeGroupsRequest(groups=["g"]),
        kafka.OffsetCommitRequest(group_id="g", topics=[topic]),
        kafka.OffsetFetchRequest(groups=[kafka.OffsetFetchRequest.Group(group_id="g", topics=None)]),
        kafka.OffsetDeleteRequest(group_id="g"),
        kafka.DeleteGroupsRequest(groups_names=["g"]),
        kafka.ConsumerGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=1),
        kafka.ConsumerGroupDescribeRequest(group_ids=["g"]),
        kafka.StreamsGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=1),
        kafka.StreamsGroupDescribeRequest(group_ids=["g"]),
        kafka.ShareGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=1),
        kafka.ShareGroupDescribeRequest(group_ids=["g"]),
        kafka.DescribeShareGroupOffsetsRequest(
            groups=[kafka.DescribeShareGroupOffsetsRequest.Group(group_id="g", topics=None)]
        ),
        kafka.AlterShareGroupOffsetsRequest(group_id="g"),
        kafka.DeleteShareGroupOffsetsRequest(group_id="g"),
    ]


def of_transactions(broker: DataBroker) -> list[Message]:
    """The same for transactions."""
    asks = kafka.AddPartitionsToTxnRequest
    topic = asks.AddPartitionsToTxnTopic(name="t", partitions=[0])
    transactions = [
        asks.AddPartitionsToTxnTransaction(transactional_id="id", verify_only=verifies, topics=[topic])
        for verifies in (False, True)
    ]
    return [
        kafka.InitProducerIdRequest(transactional_id="id", transaction_timeout_ms=1_000),
        asks(transactions=transactions),
        kafka.AddOffsetsToTxnRequest(transactional_id="id", group_id="g"),
        kafka.EndTxnRequest(transactional_id="id"),
        kafka.DescribeTransactionsRequest(transactional_ids=["id"]),
    ]


def of_share_states(broker: DataBroker) -> list[Message]:
    """The same for states of share partitions."""
    requests: list[Message] = []
    for request, topic in (
        (kafka.InitializeShareGroupStateRequest, "InitializeStateData"),
        (kafka.ReadShareGroupStateRequest, "ReadStateData"),
        (kafka.ReadShareGroupStateSummaryRequest, "ReadStateSummaryData"),
        (kafka.WriteShareGroupStateRequest, "WriteStateData"),
        (kafka.DeleteShareGroupStateRequest, "DeleteStateData"),
    ):
        made: Any = request
        named = getattr(made, topic)(
            topic_id=broker.topic_id("t"), partitions=[made.PartitionData(partition=0)]
        )
        requests.append(made(group_id="g", topics=[named]))
    return requests


KINDS = [(GROUPS_TOPIC, of_groups), (TRANSACTIONS_TOPIC, of_transactions), (SHARE_TOPIC, of_share_states)]


def codes(broker: DataBroker, requests: Sequence[Message]) -> dict[str, set[int]]:
    """The errors in the response to each request, by its name."""
    served = {name: lambda: True for name in ("serves_consumer_groups", "serves_share_groups")}
    broker.services = with_changes(broker.services, serves_streams_groups=lambda: True, **served)
    found = {}
    for request in requests:
        version = type(request).MAX_VERSION
        response = broker.ask(request, version)
        assert isinstance(response, Message), request
        found[request.NAME] = {int(code) for code in error_codes(response) if code}
    return found


@pytest.mark.parametrize(("topic", "requests"), KINDS, ids=[name for name, _ in KINDS])
@pytest.mark.parametrize("leader", [OTHER, None], ids=["another broker leads", "there is no topic"])
def test_the_coordinator_is_on_another_broker(
    topic: str, requests: Callable[[DataBroker], list[Message]], leader: int | None
) -> None:
    broker = DataBroker()
    broker.topic("t")
    if leader is not None:
        broker.topic(topic, [leader])
    broker.replicas.follow()
    asked = [*requests(broker), *([HEARTBEAT] if topic == GROUPS_TOPIC else [])]
    said = codes(broker, asked)
    assert {name: found for name, found in said.items() if found != {ErrorCode.NOT_COORDINATOR}} == {}


def unloaded(topic: str) -> DataBroker:
    """A broker that leads the topic of coordinators, and has not read it yet."""
    broker = DataBroker()
    broker.topic("t")
    broker.topic(topic)
    broker.replicas.follow()
    replicas = broker.replicas
    led: Any = {
        GROUPS_TOPIC: replicas.groups.led,
        TRANSACTIONS_TOPIC: replicas.transactions.coordinators.led,
        SHARE_TOPIC: replicas.share.coordinators.led,
    }[topic]
    led._led[0].loading = object()
    return broker


@pytest.mark.parametrize(("topic", "requests"), KINDS, ids=[name for name, _ in KINDS])
def test_the_coordinator_is_not_loaded_yet(
    topic: str, requests: Callable[[DataBroker], list[Message]]
) -> None:
    broker = unloaded(topic)
    said = codes(broker, requests(broker))
    assert {name: found for name, found in said.items() if found != LOADING} == {}
    # The heartbeat of a classic member is accepted while its group is loaded.
    lists = [HEARTBEAT, kafka.ListGroupsRequest(), kafka.ListTransactionsRequest()]
    assert codes(broker, lists) == {
        "HeartbeatRequest": set() if topic == GROUPS_TOPIC else {ErrorCode.NOT_COORDINATOR},
        "ListGroupsRequest": LOADING if topic == GROUPS_TOPIC else set(),
        "ListTransactionsRequest": LOADING if topic == TRANSACTIONS_TOPIC else set(),
    }


def test_a_commit_in_a_transaction_whose_group_is_elsewhere_by_then_is_refused_for_each_partition() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.replicas.follow()
    transactions = Changed(
        broker.services.transactions,
        verify_offsets=lambda group_id, producer, asks, told: told(ErrorCode.NONE),
    )
    broker.services = with_changes(broker.services, transactions=transactions)
    commit = kafka.TxnOffsetCommitRequest
    partition = commit.Partition(partition_index=0, committed_offset=1)
    topic = commit.Topic(name="t", topic_id=broker.topic_id("t"), partitions=[partition])
    request = commit(transactional_id="id", group_id="g", topics=[topic])
    assert codes(broker, [request]) == {request.NAME: {ErrorCode.NOT_COORDINATOR}}


def test_a_transaction_without_a_name_is_a_wrong_request_wherever_it_is_coordinated() -> None:
    request = kafka.DescribeTransactionsRequest(transactional_ids=[""])
    assert codes(DataBroker(), [request]) == {request.NAME: {ErrorCode.INVALID_REQUEST}}


def test_a_producer_has_to_ask_again_while_there_is_no_id_for_it() -> None:
    broker = DataBroker()
    broker.topic(TRANSACTIONS_TOPIC)
    broker.replicas.follow()
    coordinators = broker.replicas.transactions.coordinators
    coordinators._new_producer_id = lambda take: take(None)
    said: list[Any] = []
    coordinators.of("id").init_producer_id(INIT, said.append)
    assert [each.code for each in said] == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]


@pytest.mark.parametrize("level", [0, 1])
def test_what_the_features_of_the_cluster_allow_is_served(level: int) -> None:
    broker = DataBroker()
    for feature in ("group.version", "share.version", "streams.version"):
        if broker.harness.image.features.get(feature, 0) != level:
            broker.harness.call(
                update_features_request((feature, level, UPGRADE if level else UNSAFE_DOWNGRADE))
            )
        assert broker.harness.image.features.get(feature, 0) == level
    groups = broker.replicas.groups
    assert groups.serves_consumer_groups() is bool(level)
    assert groups.serves_streams_groups() is bool(level)
    assert groups.serves_share_groups() is bool(level)
    assert broker.replicas.share_partitions.serves_share_groups() is bool(level)


def test_what_the_configs_do_not_name_is_not_served() -> None:
    broker = DataBroker(group_coordinator_rebalance_protocols="classic")
    for feature in ("group.version", "streams.version"):
        broker.harness.call(update_features_request((feature, 1, UPGRADE)))
    assert not broker.replicas.groups.serves_consumer_groups()
    assert not broker.replicas.groups.serves_streams_groups()


def test_settings_are_those_of_the_configs_as_they_are_now() -> None:
    configs = NodeConfigs(static={"group.max.size": "7", "offsets.retention.minutes": "3"})
    groups = current_group_configs(lambda: configs)
    group_config = groups.classic
    assert (group_config().max_size, groups.offsets().retention_ms) == (7, 180_000)
    assert group_config() is group_config(), "they are computed once"
    share_config = CurrentSettings(SHARE_STATE, lambda: configs)
    assert share_config() is share_config()
    configs = NodeConfigs(
        static={
            "group.max.size": "8",
            "share.coordinator.snapshot.update.records.per.snapshot": "9",
        }
    )
    assert group_config().max_size == 8
    assert share_config().updates_per_snapshot == 9


def test_the_place_of_a_groups_offsets_is_known_before_there_is_a_topic() -> None:
    broker = DataBroker(offsets_topic_num_partitions="40")
    port = broker.replicas.transactions
    assert port.offsets_partition("group") == (GROUPS_TOPIC, partition_of("group", 40))
    broker.topic(GROUPS_TOPIC, [ME], [ME], [ME])
    assert port.offsets_partition("group") == (GROUPS_TOPIC, partition_of("group", 3))


@pytest.mark.parametrize("topic", [GROUPS_TOPIC, SHARE_TOPIC])
def test_coordinators_need_to_hear_of_topics_only_where_they_are(topic: str) -> None:
    broker = DataBroker()
    replicas = broker.replicas
    coordinators = replicas.groups if topic == GROUPS_TOPIC else replicas.share.coordinators
    assert not coordinators.is_needed()
    broker.topic(topic)
    replicas.follow()
    assert coordinators.is_needed()


def test_groups_hear_of_topics_that_change_and_forget_the_offsets_of_those_that_are_deleted() -> None:
    broker = DataBroker()
    topic_id = broker.topic("t")
    broker.topic(GROUPS_TOPIC)
    replicas = broker.replicas
    replicas.follow()
    groups = replicas.groups
    groups.of("g").commit(
        "g", Committer(version=9), [of("t", 0, 1, topic_id=topic_id)], -1, lambda *said: None
    )
    replicas.call_due()
    shard = groups.led.of("g")
    changed: list[tuple[list[str], bool]] = []
    shard.topics_changed = (  # type: ignore[method-assign]
        lambda names, *, has_new: changed.append((list(names), has_new))
    )
    groups.topics_changed(TopicChanges(deleted=[], changed=["t"], has_new=True))
    assert (changed, shard.counts.offsets) == ([(["t"], True)], 1)
    groups.topics_changed(TopicChanges(deleted=[("t", topic_id)], changed=["t"], has_new=False))
    replicas.call_due()
    assert (changed[1:], shard.counts.offsets) == ([(["t"], False)], 0)


def test_the_share_coordinator_forgets_the_states_of_topics_that_are_deleted() -> None:
    broker = DataBroker()
    topic_id = broker.topic("t")
    broker.topic(SHARE_TOPIC)
    replicas = broker.replicas
    replicas.follow()
    key = SharePartitionKey("g", topic_id, 0)
    coordinator = replicas.share.coordinators.of(key)
    epochs: list[int | None] = []

    def read() -> None:
        coordinator.read_summary(key, lambda found: epochs.append(epoch_of(found)))
        replicas.call_due()

    def epoch_of(found: ShareStateResult) -> int | None:
        return None if found.state is None else found.state.state_epoch

    coordinator.initialize(key, 1, 0, lambda found: None)
    replicas.call_due()
    read()
    replicas.share.coordinators.topics_deleted([topic_id])
    replicas.call_due()
    read()
    # Of what has no state, the epoch is 0.
    assert epochs == [1, 0]


def test_there_are_no_share_states_of_partitions_that_do_not_exist() -> None:
    broker = DataBroker()
    topic_id = broker.topic("t", [ME], [ME])
    broker.topic(SHARE_TOPIC)
    broker.replicas.follow()
    said: list[ErrorCode] = []
    for index in (1, 2):
        key = SharePartitionKey("g", topic_id, index)
        broker.replicas.share.coordinators.of(key).initialize(
            key, 1, 0, lambda found: said.append(found.code)
        )
    assert said == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


def test_share_offsets_that_may_be_lost_are_not_described() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.topic(GROUPS_TOPIC, [ME, OTHER])
    broker.replicas.follow()
    groups = broker.replicas.groups
    values = ShareHeartbeatValues(group_id="g", member_id="m", member_epoch=0, subscribed_topic_names=("t",))
    groups.of("g").share.heartbeat(values, lambda outcome: None)
    said: list[ErrorCode] = []
    groups.describe_share_offsets("g", None, lambda code, topics: said.append(code))
    assert said == []
    broker.replicas.pass_time(COMMIT_TIMEOUT_MS)
    assert said == [ErrorCode.COORDINATOR_NOT_AVAILABLE]


def test_only_partitions_that_exist_are_asked_for() -> None:
    broker = DataBroker()
    topic_id = broker.topic("t", [ME], [ME])
    searched: list[Any] = []
    lags = SimpleNamespace(find=lambda group_id, partitions, found: searched.append(list(partitions)))
    offsets = ShareOffsetReader(lambda: broker.harness.image, broker.replicas.groups.of, cast(Any, lags))
    topics = {"t": [1, 5, 1], "nowhere": [0]}
    offsets.describe("g", topics, lambda *said: None)
    assert searched == [[(topic_id, 1)]]


def test_a_timer_that_comes_too_early_is_set_again() -> None:
    clock = HandClock()
    calls: list[tuple[int, Callable[[], None]]] = []
    surroundings = NodeSurroundings(
        clock, SeededRng(), lambda at_ms, call: calls.append((at_ms, call)), lambda work, done: done(work())
    )
    done: list[int] = []
    at_ms = clock.now_ms() + 10
    surroundings.call_at(at_ms, lambda: done.append(clock.now_ms()))
    for passed_ms in (9, 1):
        clock.now += passed_ms
        (due_ms, call), calls[:] = calls[0], []
        assert due_ms == at_ms
        call()
    assert (done, calls) == ([at_ms], [])
