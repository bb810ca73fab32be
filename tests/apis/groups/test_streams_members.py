"""StreamsGroupHeartbeat, StreamsGroupDescribe and StreamsGroupTopologyDescriptionUpdate: what each version says, who
may ask, and which topics are created.

Tests: `apis.groups.list_groups`, `apis.groups.streams_group_describe`,
`apis.groups.streams_group_topology_description_update`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ListGroupsRequest,
    StreamsGroupDescribeRequest,
    StreamsGroupHeartbeatRequest,
    StreamsGroupTopologyDescriptionUpdateRequest,
)
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from kafkaproto_server.metadata.security.acls import CLUSTER_NAME, Operation, ResourceType
from tests.apis.support.data_broker import DataBroker
from tests.apis.support.services import with_changes
from tests.core.controller.support.harness import SET, alter_configs_request

NONE = ErrorCode.NONE
GROUP, TOPIC, CLUSTER = ResourceType.GROUP, ResourceType.TOPIC, ResourceType.CLUSTER
Request = StreamsGroupHeartbeatRequest
MISSING_INTERNAL_TOPICS = 3
READS = (
    (Operation.READ, GROUP, "new"),
    *((Operation.DESCRIBE, TOPIC, name) for name in ("t", "made", "sunk")),
)


@pytest.fixture
def created(broker: DataBroker) -> list[Any]:
    """The topics that are to be created, with the time for which errors are told; no creation fails."""
    found: list[Any] = []

    def create(topics: Any, context: Any, told_for_ms: int) -> list[tuple[str, str]]:
        found.append((topics, context.principal, told_for_ms))
        return []

    broker.services = with_changes(broker.services, create_streams_topics=create)
    change = ("streams.initial.rebalance.delay.ms", SET, "0")
    broker.harness.call(alter_configs_request(GROUP_RESOURCE, "new", change))
    return found


def subtopology(**fields: Any) -> Request.Subtopology:
    return Request.Subtopology(**{"subtopology_id": "0", "source_topics": ["t"], **fields})


def beat(broker: DataBroker, version: int = 1, **fields: Any) -> Any:
    """The response to a heartbeat, by default to that of a member that joins."""
    values: dict[str, Any] = {
        "group_id": "new",
        "member_id": "m",
        "member_epoch": 0,
        "endpoint_information_epoch": -1,
        "rebalance_timeout_ms": 20_000,
        "topology": Request.Topology(epoch=1, subtopologies=[subtopology()]),
        "active_tasks": [],
        "standby_tasks": [],
        "warmup_tasks": [],
        "process_id": "p",
    }
    return broker.ask(Request(**{**values, **fields}), version)


def stateful(**fields: Any) -> Request.Topology:
    info = Request.TopicInfo(
        name="made",
        replication_factor=1,
        topic_configs=[Request.KeyValue(key="cleanup.policy", value="compact")],
    )
    return Request.Topology(
        epoch=1,
        subtopologies=[
            subtopology(state_changelog_topics=[info], repartition_sink_topics=["sunk"], **fields)
        ],
    )


@pytest.mark.usefixtures("created")
@pytest.mark.parametrize("version", [0, 1])
def test_a_member_hears_of_its_tasks(broker: DataBroker, version: int) -> None:
    response = beat(broker, version)
    assert (response.error_code, response.member_id, response.member_epoch) == (NONE, "m", 2)
    (tasks,) = response.active_tasks
    assert (tasks.subtopology_id, tasks.partitions) == ("0", [0, 1])
    assert response.status == []
    # Version 0 has the lag in another field, which Apache Kafka leaves out.
    lag = response.acceptable_recovery_lag if version else response.acceptable_recovery_lag_legacy
    assert lag == (10_000 if version else 0)
    response = beat(broker, version, member_epoch=-1, topology=None)
    assert (response.error_code, response.member_epoch, response.status) == (NONE, -1, [])


@pytest.mark.usefixtures("created")
def test_all_that_a_member_says_is_kept(broker: DataBroker) -> None:
    beat(
        broker,
        instance_id="i",
        rack_id="r",
        user_endpoint=Request.Endpoint(host="h", port=65535),
        client_tags=[Request.KeyValue(key="zone", value="z")],
    )
    offset = Request.TaskOffset(subtopology_id="0", partition=1, offset=7)
    told: dict[str, Any] = {
        "member_epoch": 2,
        "topology": None,
        "instance_id": "i",
        "task_offsets": [offset],
        "task_end_offsets": [offset],
    }
    assert beat(broker, **told).error_code == NONE
    (group,) = broker.ask(StreamsGroupDescribeRequest(group_ids=["new"]), 1).groups
    (member,) = group.members
    assert (member.instance_id, member.rack_id, member.process_id) == ("i", "r", "p")
    assert (member.user_endpoint.host, member.user_endpoint.port) == ("h", 65535)
    assert [(each.key, each.value) for each in member.client_tags] == [("zone", "z")]
    assert [each.offset for each in member.task_offsets + member.task_end_offsets] == [7, 7]
    assert member.client_host.startswith("/")


def test_internal_topics_are_created_for_the_member(broker: DataBroker, created: list[Any]) -> None:
    response = beat(broker, topology=stateful())
    assert [each.status_code for each in response.status] == [MISSING_INTERNAL_TOPICS]
    (((topic,), principal, told_for_ms),) = created
    assert (topic.name, topic.num_partitions, topic.replication_factor) == ("made", 2, 1)
    assert [(each.name, each.value) for each in topic.configs] == [("cleanup.policy", "compact")]
    assert (principal, told_for_ms) == ("User:alice", 10_000)


def test_a_member_hears_why_a_topic_is_not_created(broker: DataBroker, created: list[Any]) -> None:
    broker.services = with_changes(
        broker.services, create_streams_topics=lambda *_: [("made", "too many replicas")]
    )
    (status,) = beat(broker, topology=stateful()).status
    assert "'made' (too many replicas)" in status.status_detail
    assert created == []


@pytest.mark.parametrize(
    "need",
    [(Operation.CREATE, TOPIC, "made"), (Operation.CREATE, CLUSTER, CLUSTER_NAME)],
    ids=["topic", "cluster"],
)
def test_who_may_create_internal_topics(broker: DataBroker, created: list[Any], need: Any) -> None:
    broker.allow(*READS)
    (status,) = beat(broker, topology=stateful()).status
    assert "may not create 'made'" in status.status_detail
    assert created == []
    broker.allow(*READS, need)
    beat(broker, member_id="n", topology=stateful())
    assert len(created) == 1


@pytest.mark.usefixtures("created")
def test_who_may_join(broker: DataBroker) -> None:
    broker.allow(*READS[1:])
    assert beat(broker).error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    for missing in READS[1:]:
        broker.allow(*(each for each in READS if each != missing))
        assert beat(broker, topology=stateful()).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    broker.allow(*READS)
    assert beat(broker, topology=stateful()).error_code == NONE


@pytest.mark.parametrize("name", ["__consumer_offsets", "a b", "", "x" * 250])
@pytest.mark.parametrize("field", ["source_topics", "repartition_sink_topics"])
def test_topics_that_no_topology_can_use_are_refused(broker: DataBroker, field: str, name: str) -> None:
    response = beat(
        broker, topology=Request.Topology(epoch=1, subtopologies=[subtopology(**{field: [name]})])
    )
    assert response.error_code == ErrorCode.STREAMS_INVALID_TOPOLOGY
    assert response.error_message


@pytest.mark.usefixtures("created")
def test_who_may_describe_a_streams_group(broker: DataBroker) -> None:
    beat(broker, topology=stateful())
    request = StreamsGroupDescribeRequest(group_ids=["new", "unknown", ""], include_topology_description=True)
    for needs, code in (
        ([each for each in READS if each[1] is TOPIC], ErrorCode.GROUP_AUTHORIZATION_FAILED),
        ([(Operation.DESCRIBE, GROUP, "new")], ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        ([(Operation.DESCRIBE, GROUP, "new"), *READS[1:]], NONE),
    ):
        broker.allow(*needs)
        found, _, _ = broker.ask(request, 1).groups
        assert found.error_code == code
        assert (found.topology is not None) is (code is NONE)
        assert found.topology_description_status == (1 if code is NONE else 0)
    broker.allow((Operation.DESCRIBE, GROUP, "unknown"), (Operation.DESCRIBE, GROUP, ""))
    codes = [each.error_code for each in broker.ask(request, 1).groups]
    assert codes[1:] == [ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.INVALID_GROUP_ID]


@pytest.mark.usefixtures("created")
def test_groups_that_are_not_ready_are_found_by_both_names(broker: DataBroker) -> None:
    beat(broker, topology=stateful())
    for state in ("NotReady", "not_ready", "NOT_READY"):
        (found,) = broker.ask(ListGroupsRequest(states_filter=[state], types_filter=["Streams"]), 5).groups
        assert (found.group_id, found.group_state, found.group_type) == ("new", "NotReady", "streams")


def test_descriptions_of_topologies_are_refused(broker: DataBroker) -> None:
    update = StreamsGroupTopologyDescriptionUpdateRequest
    request = update(group_id="new", member_id="m", topology_description=update.TopologyDescription())
    assert broker.ask(request, 0).error_code == ErrorCode.UNSUPPORTED_VERSION
    broker.allow((Operation.READ, GROUP, "other"))
    assert broker.ask(request, 0).error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    broker.services = with_changes(broker.services, serves_streams_groups=lambda: False)
    assert broker.ask(request, 0).error_code == ErrorCode.UNSUPPORTED_VERSION


def test_without_the_feature_there_are_no_streams_groups(broker: DataBroker) -> None:
    broker.services = with_changes(broker.services, serves_streams_groups=lambda: False)
    assert beat(broker).error_code == ErrorCode.UNSUPPORTED_VERSION
    (found,) = broker.ask(StreamsGroupDescribeRequest(group_ids=["new"]), 1).groups
    assert found.error_code == ErrorCode.UNSUPPORTED_VERSION
