"""Metadata where the recording of test_stock_answers.py does not reach: creating what is missed, and who is chosen."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreateTopicsRequest, MetadataRequest
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.context import RequestContext
from tests.apis.support.services import CLUSTER_ID, Calls, ask, golden

IMAGE = golden().image
UNKNOWN_ID = bytes(range(16))
Topic = MetadataRequest.Topic


def named(*names: str, **more: Any) -> MetadataRequest:
    return MetadataRequest(topics=[Topic(name=name) for name in names], **more)


def creations(
    request: MetadataRequest, version: int = 12, **changes: Any
) -> list[tuple[CreateTopicsRequest, RequestContext]]:
    """The requests for topics that a Metadata request led to."""
    calls = Calls()
    ask(request, version, IMAGE, calls=calls, **changes)
    result = []
    for created, context in calls.created:
        assert isinstance(created, CreateTopicsRequest)
        result.append((created, context))
    return result


@pytest.mark.parametrize("version", range(14))
def test_topics_that_are_missed_are_asked_for_with_the_brokers_defaults(version: int) -> None:
    ((request, context),) = creations(named("new", "beta", "newer", "new", "a b"), version)
    assert [(t.name, t.num_partitions, t.replication_factor) for t in request.topics] == [
        ("new", 3, 2),
        ("newer", 3, 2),
    ]
    assert all(not topic.assignments and not topic.configs for topic in request.topics)
    assert (request.timeout_ms, request.validate_only) == (30_000, False)
    assert (context.principal, context.client_id, context.correlation_id) == ("User:alice", "a client", 101)


@pytest.mark.parametrize(("config", "asked"), [(2**31 - 1, 2**15 - 1), (-(2**31), -1), (0, 0)])
def test_a_default_that_no_request_can_hold_is_asked_for_as_far_as_possible(config: int, asked: int) -> None:
    ((request, _),) = creations(named("new"), default_replication_factor=config)
    assert [topic.replication_factor for topic in request.topics] == [asked]


def test_the_response_still_says_that_a_topic_that_is_being_created_is_unknown() -> None:
    (topic,) = ask(named("new"), 12, IMAGE).topics
    assert (topic.error_code, topic.name, topic.topic_id, topic.partitions) == (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        "new",
        ZERO_UUID,
        [],
    )


@pytest.mark.parametrize(
    ("request_", "changes"),
    [
        (named("new", allow_auto_topic_creation=False), {}),
        (named("new"), {"auto_create_topics": False}),
        (named("beta", "a b", "", "__transaction_state"), {}),
        (MetadataRequest(topics=None), {}),
        (MetadataRequest(topics=[Topic(name=None, topic_id=UNKNOWN_ID), Topic(name="new")]), {}),
    ],
    ids=["the client forbids it", "the broker forbids it", "none to create", "all topics", "by id"],
)
def test_nothing_is_created_where_it_is_not_allowed_or_there_is_nothing_to_create(
    request_: MetadataRequest, changes: dict[str, Any]
) -> None:
    assert creations(request_, **changes) == []


def test_topics_by_id_come_with_their_names() -> None:
    ids = [IMAGE.topic_ids["zeta"], IMAGE.topic_ids["beta"], IMAGE.topic_ids["zeta"]]
    request = MetadataRequest(topics=[Topic(name=None, topic_id=each) for each in ids])
    response = ask(request, 12, IMAGE)
    assert [(topic.name, topic.topic_id) for topic in response.topics] == [("zeta", ids[0]), ("beta", ids[1])]


def test_topics_and_partitions_come_in_order() -> None:
    response = ask(MetadataRequest(topics=None), 12, IMAGE)
    names = [topic.name for topic in response.topics]
    assert names == sorted(IMAGE.topic_ids)
    for topic in response.topics:
        assert [each.partition_index for each in topic.partitions] == list(range(len(topic.partitions)))


def test_a_broker_names_itself_as_controller_while_it_is_alive() -> None:
    assert ask(MetadataRequest(topics=[]), 12, IMAGE, id=4).controller_id == 4


@pytest.mark.parametrize("node_id", [2, 9])
def test_a_broker_that_is_fenced_or_unknown_names_any_of_those_alive(node_id: int) -> None:
    for choose, expected in ((lambda limit: limit - 1, 5), (lambda limit: 0, 1)):
        response = ask(MetadataRequest(topics=[]), 12, IMAGE, choose=choose, id=node_id)
        assert response.controller_id == expected


def test_without_a_broker_alive_there_is_no_controller() -> None:
    response = ask(MetadataRequest(topics=[]), 12, ClusterImage())
    assert (response.brokers, response.controller_id, response.cluster_id) == ([], -1, CLUSTER_ID)


def test_an_old_client_is_shown_only_replicas_it_can_reach() -> None:
    """Partition 0 of alpha is whole, of 1 broker 2 is fenced, 2 is led by broker 3, which lacks the listener."""
    partitions = ask(named("alpha"), 0, IMAGE).topics[0].partitions
    assert [(each.error_code, each.leader_id, each.replica_nodes, each.isr_nodes) for each in partitions] == [
        (ErrorCode.NONE, 1, [1, 4], [1, 4]),
        (ErrorCode.REPLICA_NOT_AVAILABLE, 4, [4], [4]),
        (ErrorCode.LEADER_NOT_AVAILABLE, -1, [1], [1]),
    ]


@pytest.mark.parametrize(
    ("version", "error"), [(5, ErrorCode.LEADER_NOT_AVAILABLE), (6, ErrorCode.LISTENER_NOT_FOUND)]
)
def test_a_leader_without_the_listener_has_an_error_of_its_own_from_version_6_on(
    version: int, error: ErrorCode
) -> None:
    partition = ask(named("alpha"), version, IMAGE).topics[0].partitions[2]
    assert (partition.error_code, partition.leader_id, partition.offline_replicas) == (error, -1, [3])
