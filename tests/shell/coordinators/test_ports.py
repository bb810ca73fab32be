"""The ports of a broker's coordinators: errors if the coordinator is on another broker or not loaded yet, which kinds
of groups are served, and what coordinators learn of topics and configs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.requests.consumer_group_requests import HeartbeatValues
from kafkaproto_server.requests.coordinator_places import partition_of
from kafkaproto_server.requests.group_requests import JoinValues, SyncValues
from kafkaproto_server.requests.offset_requests import Committer, OffsetReader, ProducerKey
from kafkaproto_server.requests.share_group_requests import ShareHeartbeatValues
from kafkaproto_server.requests.share_state import Result, ShareState
from kafkaproto_server.requests.streams_group_requests import StreamsHeartbeatValues
from kafkaproto_server.requests.transaction_requests import (
    AddPartitionsValues,
    EndTxnValues,
    InitProducerIdValues,
    ListValues,
    TopicPartition,
)
from kafkaproto_server.shell.coordinators.groups.groups import CurrentGroupConfig
from kafkaproto_server.shell.coordinators.groups.share_groups import ShareGroupCoordinators
from kafkaproto_server.shell.coordinators.groups.topic_watch import TopicChanges
from kafkaproto_server.shell.coordinators.share_state.share_state import CurrentShareConfig
from kafkaproto_server.shell.coordinators.surroundings import NodeSurroundings
from tests.apis.support.data_broker import ME, OTHER, DataBroker
from tests.apis.support.replicas import COMMIT_TIMEOUT_MS, HandClock
from tests.core.controller.support.harness import SeededRng, update_features_request
from tests.core.coordinators.support.offsets import of

P0 = TopicPartition("t", 0)
JOIN = JoinValues(
    member_id="",
    group_instance_id=None,
    client_id="client",
    client_host="/10.0.0.7",
    protocol_type="consumer",
    protocols=(("range", b""),),
    session_timeout_ms=10_000,
    rebalance_timeout_ms=10_000,
    needs_known_id=False,
    knows_skipping=True,
)
SYNC = SyncValues(
    member_id="m",
    group_instance_id=None,
    generation=1,
    protocol_type="consumer",
    protocol="range",
    assignments=(),
)
INIT = InitProducerIdValues(transactional_id="id", transaction_timeout_ms=1_000, version=5)
ADD = AddPartitionsValues(
    transactional_id="id", producer_id=7, producer_epoch=0, partitions=frozenset([P0]), version=5
)
END = EndTxnValues(transactional_id="id", producer_id=7, producer_epoch=0, committed=True, version=5)
UPGRADE, UNSAFE_DOWNGRADE = 1, 3
"""Types of changes of a feature."""


def asked(ask: Callable[[Callable[..., None]], Any]) -> Any:
    """The error code of a call, in what it returns or gives its callback."""
    told: list[Any] = []
    returned = ask(lambda *said: told.append(said[0]))
    (found,) = told or [returned]
    if isinstance(found, Mapping):
        (found,) = set(found.values())
    response = getattr(found, "response", found)
    return getattr(response, "error_code", getattr(response, "code", response))


def of_groups(broker: DataBroker) -> dict[str, Any]:
    """The error code of each call of the groups' ports."""
    port, share = broker.replicas.groups.port, broker.replicas.groups.share_port
    producer = ProducerKey(producer_id=7, producer_epoch=0)
    calls: dict[str, Callable[[Callable[..., None]], Any]] = {
        "join": lambda told: port.join("g", JOIN, told),
        "sync": lambda told: port.sync("g", SYNC, told),
        "heartbeat": lambda told: port.heartbeat("g", "m", None, 1),
        "leave": lambda told: port.leave("g", [("m", None)]),
        "described": lambda told: port.described("g"),
        "commit": lambda told: port.commit_offsets("g", Committer(version=9), [of("t", 0, 1)], -1, told),
        "commit in transaction": lambda told: port.commit_in_transaction(
            "g", Committer(version=3), [of("t", 0, 1)], producer, told
        ),
        "fetch": lambda told: port.fetch_offsets("g", OffsetReader(require_stable=False), None, told),
        "delete offsets": lambda told: port.delete_offsets("g", [], told),
        "delete": lambda told: port.delete_group("g", told),
        "consumer heartbeat": lambda told: port.consumer_heartbeat(
            HeartbeatValues(group_id="g", member_id="m", member_epoch=1), told
        ),
        "consumer described": lambda told: port.consumer_described("g"),
        "streams heartbeat": lambda told: port.streams_heartbeat(
            StreamsHeartbeatValues(group_id="g", member_id="m", member_epoch=1), told
        ),
        "streams described": lambda told: port.streams_described("g"),
        "share heartbeat": lambda told: share.share_heartbeat(
            ShareHeartbeatValues(group_id="g", member_id="m", member_epoch=1), told
        ),
        "share described": lambda told: share.share_described("g"),
        "describe share offsets": lambda told: share.describe_share_offsets("g", None, told),
        "alter share offsets": lambda told: share.alter_share_offsets("g", {}, told),
        "delete share offsets": lambda told: share.delete_share_offsets("g", [], told),
    }
    return {name: asked(call) for name, call in calls.items()}


def of_transactions(broker: DataBroker) -> dict[str, Any]:
    """The error code of each call of the transactions' port."""
    port = broker.replicas.transactions.port
    calls: dict[str, Callable[[Callable[..., None]], Any]] = {
        "init": lambda told: port.init_producer_id(INIT, told),
        "add": lambda told: port.add_partitions(ADD, told),
        "verify": lambda told: port.verify_partitions(ADD),
        "end": lambda told: port.end_transaction(END, told),
        "describe": lambda told: port.describe_transaction("id"),
    }
    return {name: asked(call) for name, call in calls.items()}


def of_share_states(broker: DataBroker) -> dict[str, Any]:
    """The error code of each call of the share coordinator's port."""
    port, topic_id = broker.replicas.share.port, broker.topic_id("t")
    calls: dict[str, Callable[[Callable[..., None]], Any]] = {
        "initialize": lambda told: port.initialize_state("g", topic_id, 0, 1, 0, told),
        "read": lambda told: port.read_state("g", topic_id, 0, 1, told),
        "read summary": lambda told: port.read_state_summary("g", topic_id, 0, 1, told),
        "write": lambda told: port.write_state("g", topic_id, 0, ShareState(1, 0), 1, told),
        "delete": lambda told: port.delete_state("g", topic_id, 0, told),
    }
    return {name: asked(call) for name, call in calls.items()}


KINDS = [(GROUPS_TOPIC, of_groups), (TRANSACTIONS_TOPIC, of_transactions), (SHARE_TOPIC, of_share_states)]


@pytest.mark.parametrize(("topic", "ask"), KINDS, ids=[name for name, _ in KINDS])
@pytest.mark.parametrize("leader", [OTHER, None], ids=["another broker leads", "there is no topic"])
def test_the_coordinator_is_on_another_broker(
    topic: str, ask: Callable[[DataBroker], dict[str, Any]], leader: int | None
) -> None:
    broker = DataBroker()
    broker.topic("t")
    if leader is not None:
        broker.topic(topic, [leader])
    broker.replicas.follow()
    assert set(ask(broker).values()) == {ErrorCode.NOT_COORDINATOR}


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


@pytest.mark.parametrize(("topic", "ask"), KINDS, ids=[name for name, _ in KINDS])
def test_the_coordinator_is_not_loaded_yet(topic: str, ask: Callable[[DataBroker], dict[str, Any]]) -> None:
    broker = unloaded(topic)
    loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    said = ask(broker)
    # The heartbeat of a classic member is accepted while its group is loaded.
    assert said.pop("heartbeat", ErrorCode.NONE) is ErrorCode.NONE
    assert set(said.values()) == {loading}
    groups, transactions = broker.replicas.groups.port, broker.replicas.transactions.port
    assert (groups.listed() is loading) is (topic == GROUPS_TOPIC)
    assert (transactions.list_transactions(ListValues()) is loading) is (topic == TRANSACTIONS_TOPIC)


def test_a_transaction_without_a_name_is_a_wrong_request_wherever_it_is_coordinated() -> None:
    broker = DataBroker()
    port = broker.replicas.transactions.port
    assert asked(lambda told: port.describe_transaction("")) == ErrorCode.INVALID_REQUEST


def test_a_producer_has_to_ask_again_while_there_is_no_id_for_it() -> None:
    broker = DataBroker()
    broker.topic(TRANSACTIONS_TOPIC)
    broker.replicas.follow()
    coordinators = broker.replicas.transactions.coordinators
    coordinators._new_producer_id = lambda take: take(None)
    said: list[Any] = []
    coordinators.init_producer_id(INIT, said.append)
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
    groups, share = broker.replicas.groups.port, broker.replicas.groups.share_port
    assert groups.serves_consumer_groups() is bool(level)
    assert groups.serves_streams_groups() is bool(level)
    assert share.serves_share_groups() is bool(level)
    assert broker.replicas.share_partitions.port().serves_share_partitions() is bool(level)


def test_what_the_configs_do_not_name_is_not_served() -> None:
    broker = DataBroker(group_coordinator_rebalance_protocols="classic")
    for feature in ("group.version", "streams.version"):
        broker.harness.call(update_features_request((feature, 1, UPGRADE)))
    assert not broker.replicas.groups.port.serves_consumer_groups()
    assert not broker.replicas.groups.port.serves_streams_groups()


def test_settings_are_those_of_the_configs_as_they_are_now() -> None:
    configs = NodeConfigs(static={"group.max.size": "7", "offsets.retention.minutes": "3"})
    group_config = CurrentGroupConfig(lambda: configs)
    assert (group_config().max_size, group_config().offsets_retention_ms) == (7, 180_000)
    assert group_config() is group_config(), "they are computed once"
    share_config = CurrentShareConfig(lambda: configs)
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
    port = broker.replicas.transactions.port
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
    groups.port.commit_offsets(
        "g", Committer(version=9), [of("t", 0, 1, topic_id=topic_id)], -1, lambda *said: None
    )
    replicas.call_due()
    shard = groups.led.shard("g")
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
    port = replicas.share.port
    epochs: list[int | None] = []

    def read() -> None:
        port.read_state_summary("g", topic_id, 0, 1, lambda found: epochs.append(epoch_of(found)))
        replicas.call_due()

    def epoch_of(found: Result) -> int | None:
        return None if found.state is None else found.state.state_epoch

    port.initialize_state("g", topic_id, 0, 1, 0, lambda found: None)
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
    codes: list[ErrorCode] = []
    for index in (1, 2):
        broker.replicas.share.port.initialize_state(
            "g", topic_id, index, 1, 0, lambda found: codes.append(found.code)
        )
    assert codes == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


def test_share_offsets_that_may_be_lost_are_not_described() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.topic(GROUPS_TOPIC, [ME, OTHER])
    broker.replicas.follow()
    share = broker.replicas.groups.share_port
    values = ShareHeartbeatValues(group_id="g", member_id="m", member_epoch=0, subscribed_topic_names=("t",))
    share.share_heartbeat(values, lambda outcome: None)
    codes: list[ErrorCode] = []
    share.describe_share_offsets("g", None, lambda code, topics: codes.append(code))
    assert codes == []
    broker.replicas.pass_time(COMMIT_TIMEOUT_MS)
    assert codes == [ErrorCode.COORDINATOR_NOT_AVAILABLE]


def test_only_partitions_that_exist_are_asked_for() -> None:
    broker = DataBroker()
    topic_id = broker.topic("t", [ME], [ME])
    searched: list[Any] = []
    lags = SimpleNamespace(find=lambda group_id, partitions, found: searched.append(list(partitions)))
    coordinators = ShareGroupCoordinators(
        lambda: broker.harness.image, broker.replicas.groups.led.shard, cast(Any, lags)
    )
    topics = {"t": [1, 5, 1], "nowhere": [0]}
    coordinators.port.describe_share_offsets("g", topics, lambda *said: None)
    assert searched == [[(topic_id, 1)]]


def test_a_timer_that_comes_too_early_is_set_again() -> None:
    clock = HandClock()
    calls: list[tuple[int, Callable[[], None]]] = []
    surroundings = NodeSurroundings(clock, SeededRng(), lambda at_ms, call: calls.append((at_ms, call)))
    done: list[int] = []
    at_ms = clock.now_ms() + 10
    surroundings.call_at(at_ms, lambda: done.append(clock.now_ms()))
    for passed_ms in (9, 1):
        clock.now += passed_ms
        (due_ms, call), calls[:] = calls[0], []
        assert due_ms == at_ms
        call()
    assert (done, calls) == ([at_ms], [])
