"""FindCoordinator, JoinGroup, SyncGroup, Heartbeat, LeaveGroup, DescribeGroups, ListGroups, ConsumerGroupHeartbeat and
ConsumerGroupDescribe: what each version says, and who may ask.

Tests: `apis.groups.consumer_group_describe`, `apis.groups.consumer_group_heartbeat`, `apis.groups.describe_groups`,
`apis.groups.find_coordinator`, `apis.groups.heartbeat`, `apis.groups.join_group`, `apis.groups.leave_group`,
`apis.groups.sync_group`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupHeartbeatRequest,
    DescribeGroupsRequest,
    FindCoordinatorRequest,
    HeartbeatRequest,
    JoinGroupRequest,
    LeaveGroupRequest,
    ListGroupsRequest,
    MetadataRequest,
    SyncGroupRequest,
)
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from kafkaproto_server.metadata.security.acls import CLUSTER_NAME, Operation, ResourceType
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from tests.apis.support.data_broker import ME, OTHER, DataBroker
from tests.apis.support.services import Calls, with_changes
from tests.core.controller.support.harness import SET, alter_configs_request

SHARE_KEY = "g:AAECAwQFBgcICQoLDA0ODw:0"
"""A partition of a share group."""

NONE = ErrorCode.NONE
GROUP, TOPIC, CLUSTER = ResourceType.GROUP, ResourceType.TOPIC, ResourceType.CLUSTER
GROUP_OPERATIONS = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11
"""READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS."""


def join(broker: DataBroker, version: int = 9, **fields: Any) -> Any:
    """The response to a JoinGroup, once the timers had their turn."""
    values = {
        "group_id": "g",
        "protocol_type": "consumer",
        "session_timeout_ms": 10_000,
        "rebalance_timeout_ms": 20_000 if version else -1,
        "protocols": [JoinGroupRequest.Protocol(name="range", metadata=b"subscription")],
    }
    found = broker.send(JoinGroupRequest(**{**values, **fields}), version)
    broker.replicas.pass_time(0)
    (response,) = found
    return response


def joined(broker: DataBroker, version: int = 9) -> Any:
    """The response to the JoinGroup of a member that has an id, or needs none."""
    response = join(broker, version)
    if response.error_code == ErrorCode.MEMBER_ID_REQUIRED:
        response = join(broker, version, member_id=response.member_id)
    assert response.error_code == NONE
    return response


def sync(broker: DataBroker, member_id: str, version: int = 5, **fields: Any) -> Any:
    """The response to a SyncGroup of the leader."""
    assignment = SyncGroupRequest.Assignment(member_id=member_id, assignment=b"all")
    values: dict[str, Any] = {
        "group_id": "g",
        "member_id": member_id,
        "generation_id": 1,
        "assignments": [assignment],
    }
    if version >= 5:
        values |= {"protocol_type": "consumer", "protocol_name": "range"}
    return broker.ask(SyncGroupRequest(**{**values, **fields}), version)


@pytest.fixture
def member_id(broker: DataBroker) -> str:
    """The one member of the stable group g."""
    found = joined(broker).member_id
    assert sync(broker, found).error_code == NONE
    assert isinstance(found, str)
    return found


# -- FindCoordinator


@pytest.mark.parametrize("version", range(7))
def test_the_leader_of_a_groups_partition_coordinates_it(broker: DataBroker, version: int) -> None:
    if version < 4:
        found = broker.ask(FindCoordinatorRequest(key="g", key_type=0), version)
    else:
        found, other = broker.ask(
            FindCoordinatorRequest(key_type=0, coordinator_keys=["g", "h"]), version
        ).coordinators
        assert (found.key, other.key, other.node_id) == ("g", "h", ME)
    endpoint = broker.services.metadata.endpoint(ME, "PLAINTEXT")
    assert endpoint is not None
    assert (found.error_code, found.node_id, found.host, found.port) == (
        NONE,
        ME,
        endpoint.host,
        endpoint.port,
    )
    assert not found.error_message


def with_calls(broker: DataBroker) -> Calls:
    """What the broker's handlers ask of the controller from now on."""
    calls = Calls()
    broker.services = with_changes(broker.services, create_internal_topic=calls.internal.append)
    return calls


@pytest.mark.parametrize(
    ("key_type", "key", "topic"),
    [(0, "g", GROUPS_TOPIC), (1, "t", TRANSACTIONS_TOPIC), (2, SHARE_KEY, SHARE_TOPIC)],
)
def test_a_coordinators_topic_is_made_when_it_is_missed(key_type: int, key: str, topic: str) -> None:
    broker = DataBroker()
    calls = with_calls(broker)
    request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
    (found,) = broker.ask(request, 6).coordinators
    assert (found.error_code, found.node_id) == (ErrorCode.COORDINATOR_NOT_AVAILABLE, -1)
    assert calls.internal == [topic]


def test_clients_that_ask_for_an_internal_topic_make_it_as_the_broker_does() -> None:
    broker = DataBroker()
    calls = with_calls(broker)
    request = MetadataRequest(
        topics=[MetadataRequest.Topic(name=GROUPS_TOPIC)], allow_auto_topic_creation=True
    )
    (topic,) = broker.ask(request, 12).topics
    assert (topic.error_code, topic.is_internal) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, True)
    assert calls.internal == [GROUPS_TOPIC]


@pytest.mark.parametrize(
    ("version", "key_type", "key"), [(6, 3, "g"), (5, 2, SHARE_KEY), (6, 2, "g"), (3, 3, "g")]
)
def test_a_key_has_a_type_and_a_form(broker: DataBroker, version: int, key_type: int, key: str) -> None:
    if version < 4:
        found = broker.ask(FindCoordinatorRequest(key=key, key_type=key_type), version)
    else:
        request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
        (found,) = broker.ask(request, version).coordinators
    assert found.error_code == ErrorCode.INVALID_REQUEST
    assert found.error_message


def test_who_may_find_a_coordinator(broker: DataBroker) -> None:
    broker.allow((Operation.DESCRIBE, GROUP, "g"))
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=["g", "secret"])
    codes = [each.error_code for each in broker.ask(request, 4).coordinators]
    assert codes == [NONE, ErrorCode.GROUP_AUTHORIZATION_FAILED]
    request = FindCoordinatorRequest(key_type=1, coordinator_keys=["t"])
    (found,) = broker.ask(request, 4).coordinators
    assert found.error_code == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    request = FindCoordinatorRequest(key_type=2, coordinator_keys=[SHARE_KEY])
    (found,) = broker.ask(request, 6).coordinators
    assert found.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED


def test_a_partition_without_a_leader_has_no_coordinator() -> None:
    broker = DataBroker()
    broker.topic(GROUPS_TOPIC, [OTHER])
    broker.harness.heartbeat(OTHER, want_fence=True)
    (found,) = broker.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]), 4).coordinators
    assert found.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE


# -- members of classic groups


@pytest.mark.parametrize("version", range(10))
def test_each_version_joins(broker: DataBroker, version: int) -> None:
    response = join(broker, version)
    if version >= 4:
        assert response.error_code == ErrorCode.MEMBER_ID_REQUIRED
        assert response.generation_id == -1
        response = join(broker, version, member_id=response.member_id)
    assert (response.error_code, response.generation_id, response.protocol_name) == (NONE, 1, "range")
    assert response.leader == response.member_id
    (member,) = response.members
    assert (member.member_id, bytes(member.metadata)) == (response.member_id, b"subscription")
    if version >= 7:
        assert response.protocol_type == "consumer"


def test_in_version_0_the_session_timeout_is_that_of_rebalances(broker: DataBroker) -> None:
    first = joined(broker, 0)
    sync(broker, first.member_id, 0)
    waiting = broker.send(
        JoinGroupRequest(
            group_id="g",
            protocol_type="consumer",
            session_timeout_ms=10_000,
            protocols=[JoinGroupRequest.Protocol(name="range")],
        ),
        0,
    )
    for _ in range(3):
        broker.replicas.pass_time(3_333)
        broker.ask(HeartbeatRequest(group_id="g", generation_id=1, member_id=first.member_id), 0)
        assert waiting == []
    broker.replicas.pass_time(1)
    assert waiting[0].generation_id == 2


@pytest.mark.parametrize("version", range(6))
def test_each_version_syncs(broker: DataBroker, version: int) -> None:
    response = sync(broker, joined(broker).member_id, version)
    assert (response.error_code, bytes(response.assignment)) == (NONE, b"all")
    if version >= 5:
        assert (response.protocol_type, response.protocol_name) == ("consumer", "range")


def test_a_sync_has_to_name_the_protocol(broker: DataBroker) -> None:
    response = sync(broker, joined(broker).member_id, protocol_name=None)
    assert response.error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize("version", range(5))
def test_each_version_beats(broker: DataBroker, member_id: str, version: int) -> None:
    for generation, code in ((1, NONE), (2, ErrorCode.ILLEGAL_GENERATION)):
        request = HeartbeatRequest(group_id="g", generation_id=generation, member_id=member_id)
        assert broker.ask(request, version).error_code == code


@pytest.mark.parametrize("version", range(6))
def test_each_version_leaves(broker: DataBroker, member_id: str, version: int) -> None:
    if version < 3:
        response = broker.ask(LeaveGroupRequest(group_id="g", member_id=member_id), version)
        assert response.error_code == NONE
        response = broker.ask(LeaveGroupRequest(group_id="g", member_id=member_id), version)
        assert response.error_code == ErrorCode.UNKNOWN_MEMBER_ID
    else:
        members = [LeaveGroupRequest.MemberIdentity(member_id=each) for each in (member_id, "nobody")]
        response = broker.ask(LeaveGroupRequest(group_id="g", members=members), version)
        assert response.error_code == NONE
        assert [(each.member_id, each.error_code) for each in response.members] == [
            (member_id, NONE),
            ("nobody", ErrorCode.UNKNOWN_MEMBER_ID),
        ]


@pytest.mark.parametrize(
    ("request_", "version"),
    [
        (SyncGroupRequest(group_id="g", protocol_type="consumer", protocol_name="range"), 5),
        (HeartbeatRequest(group_id="g"), 4),
        (LeaveGroupRequest(group_id="g"), 5),
        (JoinGroupRequest(group_id="g", member_id="m"), 9),
        (ConsumerGroupHeartbeatRequest(group_id="g"), 1),
    ],
)
def test_members_have_to_read_the_group(broker: DataBroker, request_: Any, version: int) -> None:
    broker.allow((Operation.DESCRIBE, GROUP, "g"))
    response = broker.ask(request_, version)
    assert response.error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_while_a_group_is_loaded_its_members_wait(broker: DataBroker, member_id: str) -> None:
    broker.start_again()
    broker.replicas.follow()
    loading = broker.replicas.groups.led
    (led,) = loading._led.values()
    assert led.loading is None
    # As if it were not read to its end.
    led.loading = object()  # type: ignore[assignment]
    request = HeartbeatRequest(group_id="g", generation_id=1, member_id=member_id)
    # It has nothing to do but to live.
    assert broker.ask(request, 4).error_code == NONE
    loads = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert join(broker).error_code == loads
    assert sync(broker, member_id).error_code == loads
    assert broker.ask(ListGroupsRequest(), 5).error_code == loads
    broker.services = with_changes(broker.services, serves_consumer_groups=lambda: True)
    assert beat(broker).error_code == loads
    (found,) = broker.ask(DescribeGroupsRequest(groups=["g"]), 6).groups
    assert found.error_code == loads
    led.loading = None
    assert broker.ask(request, 4).error_code == NONE


# -- descriptions and lists


@pytest.mark.parametrize("version", range(7))
def test_each_version_describes(broker: DataBroker, member_id: str, version: int) -> None:
    request = DescribeGroupsRequest(groups=["g", "unknown"], include_authorized_operations=version >= 3)
    found, unknown = broker.ask(request, version).groups
    assert (found.error_code, found.group_state, found.protocol_type, found.protocol_data) == (
        NONE,
        "Stable",
        "consumer",
        "range",
    )
    (member,) = found.members
    assert (member.member_id, member.client_id, member.client_host) == (member_id, "a client", "/10.0.0.7")
    assert (bytes(member.member_metadata), bytes(member.member_assignment)) == (b"subscription", b"all")
    if version >= 3:
        assert found.authorized_operations == GROUP_OPERATIONS
    assert unknown.group_state == "Dead"
    assert unknown.error_code == (ErrorCode.GROUP_ID_NOT_FOUND if version >= 6 else NONE)


def test_a_group_that_is_named_twice_is_described_once(broker: DataBroker, member_id: str) -> None:
    found = broker.ask(DescribeGroupsRequest(groups=["g", "h", "g"]), 6).groups
    assert [each.group_id for each in found] == ["g", "h"]
    consumers = broker.ask(ConsumerGroupDescribeRequest(group_ids=["g", "h", "g"]), 1).groups
    assert [each.group_id for each in consumers] == ["g", "h"]


def test_who_may_describe_groups(broker: DataBroker, member_id: str) -> None:
    broker.allow((Operation.DESCRIBE, GROUP, "g"))
    found = broker.ask(DescribeGroupsRequest(groups=["g", "secret"]), 6).groups
    assert [each.error_code for each in found] == [NONE, ErrorCode.GROUP_AUTHORIZATION_FAILED]


@pytest.mark.parametrize("version", range(6))
def test_each_version_lists(broker: DataBroker, member_id: str, version: int) -> None:
    (group,) = broker.ask(ListGroupsRequest(), version).groups
    assert (group.group_id, group.protocol_type) == ("g", "consumer")
    if version >= 4:
        assert group.group_state == "Stable"
    if version >= 5:
        assert group.group_type == "classic"


def test_lists_have_filters(broker: DataBroker, member_id: str) -> None:
    beat(broker, group_id="new")

    def listed(states: list[str], types: list[str]) -> list[str]:
        request = ListGroupsRequest(states_filter=states, types_filter=types)
        return sorted(each.group_id for each in broker.ask(request, 5).groups)

    assert listed([], []) == ["g", "new"]
    assert listed(["stable"], []) == ["g", "new"]
    assert listed(["Empty"], []) == []
    assert listed([], ["consumer"]) == ["new"]
    assert listed([], ["CLASSIC"]) == ["g"]
    assert listed(["Stable"], ["share"]) == []


def test_one_lists_what_one_may_describe(broker: DataBroker, member_id: str) -> None:
    beat(broker, group_id="secret")
    for needs, expected in (
        ((Operation.DESCRIBE, GROUP, "g"), ["g"]),
        ((Operation.DESCRIBE, CLUSTER, CLUSTER_NAME), ["g", "secret"]),
        ((Operation.READ, TOPIC, "t"), []),
    ):
        broker.allow(needs)
        response = broker.ask(ListGroupsRequest(), 5)
        assert response.error_code == NONE
        assert sorted(each.group_id for each in response.groups) == expected


# -- consumer groups


def beat(broker: DataBroker, version: int = 1, **fields: Any) -> Any:
    """The response to the heartbeat of a member that joins, unless ``fields`` say otherwise."""
    values = {
        "group_id": "new",
        "member_id": "m" if version else "",
        "member_epoch": 0,
        "rebalance_timeout_ms": 10_000,
        "subscribed_topic_names": ["t"],
        "topic_partitions": [],
    }
    return broker.ask(ConsumerGroupHeartbeatRequest(**{**values, **fields}), version)


@pytest.mark.parametrize("version", [0, 1])
def test_a_member_joins_lives_and_leaves(broker: DataBroker, version: int) -> None:
    response = beat(broker, version)
    assert (response.error_code, response.member_epoch, response.heartbeat_interval_ms) == (NONE, 2, 5_000)
    assert (response.member_id == "m") is (version == 1)
    (topic,) = response.assignment.topic_partitions
    assert (topic.topic_id, topic.partitions) == (broker.topic_id("t"), [0, 1])
    owned = [
        ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=topic.topic_id, partitions=topic.partitions)
    ]
    response = beat(
        broker,
        version,
        member_id=response.member_id,
        member_epoch=2,
        rebalance_timeout_ms=-1,
        subscribed_topic_names=None,
        topic_partitions=owned,
    )
    assert (response.error_code, response.member_epoch, response.assignment) == (NONE, 2, None)
    response = beat(broker, version, member_id=response.member_id, member_epoch=-1)
    assert (response.error_code, response.member_epoch) == (NONE, -1)


def test_a_member_that_joins_lists_no_topics_even_without_partitions(broker: DataBroker) -> None:
    listed = [ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=broker.topic_id("t"), partitions=[])]
    assert beat(broker, 1, topic_partitions=listed).error_code == ErrorCode.INVALID_REQUEST


def test_a_regular_expression_matches_what_the_sender_may_see(broker: DataBroker) -> None:
    broker.topic("t2")
    broker.topic("secret")
    broker.allow(
        *((Operation.READ, GROUP, "new"), (Operation.DESCRIBE, TOPIC, "t"), (Operation.DESCRIBE, TOPIC, "t2"))
    )
    response = beat(broker, subscribed_topic_names=None, subscribed_topic_regex=".*")
    assert (response.error_code, response.assignment.topic_partitions) == (NONE, [])
    broker.replicas.pass_time(2_000)
    response = beat(broker, member_epoch=2, rebalance_timeout_ms=-1, subscribed_topic_names=None)
    assert {each.topic_id for each in response.assignment.topic_partitions} == {
        broker.topic_id("t"),
        broker.topic_id("t2"),
    }


@pytest.mark.parametrize("regex", ["(", "a**", "(?=a)", "((((a{100}){100}){100}){100})", "\\1"])
def test_what_is_no_regular_expression_is_refused(broker: DataBroker, regex: str) -> None:
    response = beat(broker, subscribed_topic_names=None, subscribed_topic_regex=regex)
    assert response.error_code == ErrorCode.INVALID_REGULAR_EXPRESSION
    assert regex in response.error_message


def test_topics_that_are_named_have_to_be_visible(broker: DataBroker) -> None:
    broker.allow((Operation.READ, GROUP, "new"), (Operation.DESCRIBE, TOPIC, "t"))
    assert beat(broker).error_code == NONE
    response = beat(broker, subscribed_topic_names=["t", "secret"])
    assert response.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_what_is_set_for_a_group_counts(broker: DataBroker) -> None:
    change = ("consumer.heartbeat.interval.ms", SET, "7000")
    broker.harness.call(alter_configs_request(GROUP_RESOURCE, "new", change))
    assert beat(broker).heartbeat_interval_ms == 7_000
    assert beat(broker, group_id="other").heartbeat_interval_ms == 5_000


@pytest.mark.parametrize("version", [0, 1])
def test_a_consumer_group_is_described(broker: DataBroker, member_id: str, version: int) -> None:
    beat(broker, rack_id="r1")
    request = ConsumerGroupDescribeRequest(group_ids=["new", "g", "x"], include_authorized_operations=True)
    found, classic, unknown = broker.ask(request, version).groups
    assert (found.error_code, found.group_state, found.assignor_name) == (NONE, "Stable", "uniform")
    assert (found.group_epoch, found.assignment_epoch) == (2, 2)
    assert found.authorized_operations == GROUP_OPERATIONS
    (member,) = found.members
    assert (member.member_id, member.rack_id, member.member_epoch) == ("m", "r1", 2)
    (topic,) = member.assignment.topic_partitions
    assert (topic.topic_name, topic.partitions) == ("t", [0, 1])
    if version >= 1:
        assert member.member_type == 1
    assert classic.error_code == unknown.error_code == ErrorCode.GROUP_ID_NOT_FOUND


def test_who_may_describe_a_consumer_group(broker: DataBroker) -> None:
    beat(broker)
    for needs, code in (
        ([(Operation.DESCRIBE, TOPIC, "t")], ErrorCode.GROUP_AUTHORIZATION_FAILED),
        ([(Operation.DESCRIBE, GROUP, "new")], ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        ([(Operation.DESCRIBE, GROUP, "new"), (Operation.DESCRIBE, TOPIC, "t")], NONE),
    ):
        broker.allow(*needs)
        (found,) = broker.ask(ConsumerGroupDescribeRequest(group_ids=["new"]), 1).groups
        assert found.error_code == code
        assert bool(found.members) is (code is NONE)


def test_without_the_feature_there_are_no_consumer_groups(broker: DataBroker) -> None:
    broker.services = with_changes(broker.services, serves_consumer_groups=lambda: False)
    assert beat(broker).error_code == ErrorCode.UNSUPPORTED_VERSION
    (found,) = broker.ask(ConsumerGroupDescribeRequest(group_ids=["new"]), 1).groups
    assert found.error_code == ErrorCode.UNSUPPORTED_VERSION
