"""Who is served: the operation that each api needs, and what answers leave out.

Tests: `apis.access`, `apis.admin.create_partitions`, `apis.admin.create_topics`, `apis.admin.delete_topics`,
`apis.brokers.allocate_producer_ids`, `apis.brokers.alter_partition`, `apis.brokers.assign_replicas_to_dirs`,
`apis.brokers.controller_registration`, `apis.cluster.unregister_broker`, `apis.cluster.unregister_controller`.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddRaftVoterRequest,
    AlterConfigsRequest,
    AlterConfigsResponse,
    ApiVersionsRequest,
    CreateAclsRequest,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DescribeClusterRequest,
    DescribeConfigsRequest,
    DescribeTopicPartitionsRequest,
    FetchRequest,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
    MetadataRequest,
    PartitionRecord,
    RegisterControllerRecord,
    TopicRecord,
)
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.image.entries import AccessControlEntry
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.acls import Operation, PermissionType, ResourceType
from kafkaproto_server.metadata.security.authorizer import Authorizer, LoadingAuthorizer
from kafkaproto_server.requests.context import NoResponse
from tests.apis.support.services import (
    Calls,
    context,
    decoded_response,
    image_of,
    responses_of,
    services,
    settled,
)
from tests.metadata.security.support.acl_making import acl, authorizer

BROKER, CONTROLLER = ListenerKind.BROKER, ListenerKind.CONTROLLER
CLUSTER_ACTION, ALTER, DESCRIBE = Operation.CLUSTER_ACTION, Operation.ALTER, Operation.DESCRIBE
ALTER_CONFIGS, DESCRIBE_CONFIGS = Operation.ALTER_CONFIGS, Operation.DESCRIBE_CONFIGS
DENIED = ErrorCode.TOPIC_AUTHORIZATION_FAILED


def allowing(*operations: Operation, **fields: Any) -> Authorizer:
    """An authorizer that lets alice do this to the cluster, or to the resource that the fields give."""
    resource = {"resource_type": ResourceType.CLUSTER, "resource_name": "kafka-cluster", **fields}
    return authorizer(*(acl(operation=operation, **resource) for operation in operations))


def serve(
    request: Message,
    version: int,
    guard: Authorizer | None,
    *,
    kind: ListenerKind = BROKER,
    image: ClusterImage | None = None,
    calls: Calls | None = None,
    response: Message | NoResponse | None = None,
    **changes: Any,
) -> Any:
    """What comes of a request by alice; ``answer`` is the controller's to what reaches it."""
    calls = Calls() if calls is None else calls
    asked = context(request, version, kind=kind)
    known = image_of([]) if image is None else image
    reply = settled(dispatch(request, asked, services(known, calls, authorizer=lambda: guard, **changes)))
    if response is not None and calls.replies:
        calls.replies[-1].resolve(response)
    return next((decoded_response(each, request, version) for each in responses_of(reply)), None)


def test_brokers_forward_without_asking() -> None:
    calls = Calls()
    serve(CreateTopicsRequest(), 7, authorizer(), calls=calls)
    assert len(calls.forwarded) == 1


# --- topics on controllers ---


def topic_acl(name: str, *operations: Operation, **fields: Any) -> list[AccessControlEntry]:
    return [acl(resource_name=name, operation=operation, **fields) for operation in operations]


def creations(*names: str) -> CreateTopicsRequest:
    return CreateTopicsRequest(
        topics=[
            CreateTopicsRequest.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
            for name in names
        ]
    )


def created(*names: str) -> CreateTopicsResponse:
    return CreateTopicsResponse(
        topics=[
            CreateTopicsResponse.CreatableTopicResult(
                name=name,
                num_partitions=1,
                replication_factor=1,
                configs=[CreateTopicsResponse.CreatableTopicConfigs(name="k", value="v")],
            )
            for name in names
        ]
    )


def test_topics_that_may_not_be_created_are_not_asked_for() -> None:
    guard = authorizer(*topic_acl("a", Operation.CREATE, DESCRIBE_CONFIGS))
    calls = Calls()
    response = serve(
        creations("b", "a", "c", "b"), 7, guard, kind=CONTROLLER, calls=calls, response=created("a")
    )
    ((asked, _),) = calls.submitted
    assert isinstance(asked, CreateTopicsRequest)
    assert [topic.name for topic in asked.topics] == ["a"]
    shown = [(topic.name, topic.error_code, topic.num_partitions) for topic in response.topics]
    assert shown == [("a", 0, 1), ("b", DENIED, -1), ("c", DENIED, -1)]
    assert response.topics[1].error_message == "User:alice from 10.0.0.7 may not CREATE the TOPIC b."


def test_who_may_create_in_the_cluster_may_create_every_topic_but_not_read_its_settings() -> None:
    response = serve(creations("a"), 7, allowing(Operation.CREATE), kind=CONTROLLER, response=created("a"))
    (topic,) = response.topics
    assert (topic.error_code, topic.topic_config_error_code) == (0, DENIED)
    assert (topic.num_partitions, topic.replication_factor, topic.configs) == (-1, -1, [])


@pytest.mark.parametrize(("number", "more"), [(1, ""), (1000, " And 999 more.")])
def test_what_one_request_may_not_is_one_line(
    number: int, more: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    names = [f"topic-{each}" for each in range(number)]
    serve(creations(*names), 7, authorizer(), kind=CONTROLLER)
    assert caplog.messages == [
        f"api key 19: 'User:alice from 10.0.0.7 may not CREATE the TOPIC topic-0.'{more}"
    ]


def test_nothing_left_to_be_done_is_not_asked_for() -> None:
    calls = Calls()
    response = serve(creations("a"), 7, authorizer(), kind=CONTROLLER, calls=calls)
    assert [topic.error_code for topic in response.topics] == [DENIED]
    assert calls.submitted == []


def test_a_request_is_not_changed_by_what_is_taken_from_it() -> None:
    request = creations("b", "a")
    guard = authorizer(*topic_acl("a", Operation.CREATE))
    serve(request, 7, guard, kind=CONTROLLER, response=created("a"))
    assert [topic.name for topic in request.topics] == ["b", "a"]


def test_no_response_stays_none() -> None:
    guard = authorizer(*topic_acl("a", Operation.CREATE))
    none = NoResponse(reason="x")
    assert serve(creations("b", "a"), 7, guard, kind=CONTROLLER, response=none) is none


TOPIC_IDS = {name: bytes([number]) * 16 for number, name in enumerate(("a", "b", "c"), 1)}
TOPICS = image_of(
    record
    for name, topic_id in TOPIC_IDS.items()
    for record in (
        TopicRecord(name=name, topic_id=topic_id),
        PartitionRecord(partition_id=0, topic_id=topic_id, replicas=[1], isr=[1], leader=1),
    )
)


def deletions(*named: tuple[str | None, bytes]) -> DeleteTopicsRequest:
    return DeleteTopicsRequest(
        topics=[
            DeleteTopicsRequest.DeleteTopicState(name=name, topic_id=topic_id) for name, topic_id in named
        ]
    )


def test_topics_are_deleted_where_that_is_allowed_and_hidden_where_they_may_not_be_described() -> None:
    guard = authorizer(
        *topic_acl("a", Operation.DELETE), *topic_acl("b", DESCRIBE), *topic_acl("x", DESCRIBE)
    )
    zero, unknown = bytes(16), b"?" * 16
    request = deletions(
        ("a", zero),
        ("b", zero),
        ("c", zero),
        ("x", zero),
        ("y", zero),
        (None, TOPIC_IDS["a"]),
        (None, TOPIC_IDS["b"]),
        (None, TOPIC_IDS["c"]),
        (None, unknown),
    )
    calls = Calls()
    response = serve(
        request, 6, guard, kind=CONTROLLER, image=TOPICS, calls=calls, response=DeleteTopicsResponse()
    )
    ((asked, _),) = calls.submitted
    assert isinstance(asked, DeleteTopicsRequest)
    assert [(topic.name, topic.topic_id) for topic in asked.topics] == [
        ("a", zero),
        ("x", zero),
        (None, TOPIC_IDS["a"]),
        (None, unknown),
    ]
    assert [(each.name, each.topic_id, each.error_code) for each in response.responses] == [
        ("b", TOPIC_IDS["b"], DENIED),
        ("c", zero, DENIED),
        ("y", zero, DENIED),
        ("b", TOPIC_IDS["b"], DENIED),
        (None, TOPIC_IDS["c"], DENIED),
    ]


def test_topics_are_deleted_by_names_alone_in_old_versions() -> None:
    guard = authorizer(*topic_acl("a", Operation.DELETE))
    calls = Calls()
    request = DeleteTopicsRequest(topic_names=["b", "a"])
    response = serve(
        request, 5, guard, kind=CONTROLLER, image=TOPICS, calls=calls, response=DeleteTopicsResponse()
    )
    ((asked, _),) = calls.submitted
    assert isinstance(asked, DeleteTopicsRequest)
    assert asked.topic_names == ["a"]
    assert [(each.name, each.error_code) for each in response.responses] == [("b", DENIED)]
    response.encode(5)


def test_who_may_delete_in_the_cluster_may_delete_every_topic() -> None:
    calls = Calls()
    request = deletions(("a", bytes(16)), (None, TOPIC_IDS["b"]))
    serve(request, 6, allowing(Operation.DELETE), kind=CONTROLLER, image=TOPICS, calls=calls)
    assert [asked for asked, _ in calls.submitted] == [request]


def test_topics_grow_where_they_may_be_altered() -> None:
    guard = authorizer(*topic_acl("a", ALTER))
    request = CreatePartitionsRequest(
        topics=[CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=3) for name in "bab"]
    )
    received = CreatePartitionsResponse(
        results=[CreatePartitionsResponse.CreatePartitionsTopicResult(name="a")]
    )
    response = serve(request, 3, guard, kind=CONTROLLER, response=received)
    assert [(each.name, each.error_code) for each in response.results] == [("a", 0), ("b", DENIED)]


# --- settings ---

TOPIC, BROKER_CONFIG, LOGGER, METRICS, GROUP, NO_TYPE = 2, 4, 8, 16, 32, 99
RESOURCES = [(TOPIC, "a"), (BROKER_CONFIG, "1"), (LOGGER, "1"), (METRICS, "m"), (GROUP, "g"), (NO_TYPE, "n")]
CLUSTER_DENIED = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
ALL_DENIED = [
    (TOPIC, "a", DENIED),
    (BROKER_CONFIG, "1", CLUSTER_DENIED),
    (LOGGER, "1", CLUSTER_DENIED),
    (METRICS, "m", CLUSTER_DENIED),
    (GROUP, "g", ErrorCode.GROUP_AUTHORIZATION_FAILED),
]


def shown(results: list[Any]) -> list[tuple[int, str, int]]:
    return [(each.resource_type, each.resource_name, each.error_code) for each in results]


@pytest.mark.parametrize("kind", ListenerKind)
def test_settings_are_described_where_those_of_the_resource_may_be(kind: ListenerKind) -> None:
    request = DescribeConfigsRequest(
        resources=[
            DescribeConfigsRequest.DescribeConfigsResource(resource_type=number, resource_name=name)
            for number, name in RESOURCES
        ]
    )
    # A type that nobody knows has an error of its own.
    unknown = (NO_TYPE, "n", ErrorCode.INVALID_REQUEST)
    response = serve(request, 4, authorizer(), kind=kind, image=TOPICS)
    assert shown(response.results) == [unknown, *ALL_DENIED]
    assert all(not each.configs for each in response.results)
    allowed = serve(request, 4, authorizer(*topic_acl("a", DESCRIBE_CONFIGS)), kind=kind, image=TOPICS)
    assert shown(allowed.results) == [(TOPIC, "a", 0), unknown, *ALL_DENIED[1:]]
    assert allowed.results[0].configs
    of_cluster = serve(request, 4, allowing(ALTER_CONFIGS), kind=kind, image=TOPICS)
    denied = [each for each in shown(of_cluster.results) if each[2] in (CLUSTER_DENIED, DENIED)]
    assert denied == ALL_DENIED[:1]


@pytest.mark.parametrize(
    ("request_class", "response_class", "resource"),
    [
        (AlterConfigsRequest, AlterConfigsResponse, AlterConfigsRequest.AlterConfigsResource),
        (
            IncrementalAlterConfigsRequest,
            IncrementalAlterConfigsResponse,
            IncrementalAlterConfigsRequest.AlterConfigsResource,
        ),
    ],
)
def test_settings_are_altered_where_those_of_the_resource_may_be(
    request_class: Any, response_class: Any, resource: Any
) -> None:
    request = request_class(
        resources=[
            resource(resource_type=number, resource_name=name, configs=[]) for number, name in RESOURCES
        ]
    )
    guard = authorizer(*topic_acl("a", ALTER_CONFIGS))
    calls = Calls()
    received = response_class(
        responses=[
            response_class.AlterConfigsResourceResponse(resource_type=number, resource_name=name)
            for number, name in ((TOPIC, "a"), (NO_TYPE, "n"))
        ]
    )
    response = serve(request, 1, guard, kind=CONTROLLER, image=TOPICS, calls=calls, response=received)
    ((asked, _),) = calls.submitted
    assert [each.resource_type for each in asked.resources] == [TOPIC, NO_TYPE]  # type: ignore[attr-defined]
    assert shown(response.responses) == [(TOPIC, "a", 0), (NO_TYPE, "n", 0), *ALL_DENIED[1:]]


def test_a_broker_asks_for_its_own_loggers_only() -> None:
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource
    request = IncrementalAlterConfigsRequest(
        resources=[
            resource(resource_type=number, resource_name=name, configs=[])
            for number, name in ((TOPIC, "a"), (LOGGER, "1"))
        ]
    )
    calls = Calls()
    received = IncrementalAlterConfigsResponse()
    response = serve(request, 1, authorizer(), calls=calls, response=received)
    ((asked, _),) = calls.forwarded
    assert [each.resource_type for each in asked.resources] == [TOPIC]  # type: ignore[attr-defined]
    assert shown(response.responses)[-1] == (LOGGER, "1", CLUSTER_DENIED)


# --- metadata ---


def names_and_errors(topics: list[Any]) -> list[tuple[str | None, int]]:
    return [(topic.name, topic.error_code) for topic in topics]


def metadata(guard: Authorizer, *names: str, calls: Calls | None = None, **fields: Any) -> Any:
    topics = [MetadataRequest.Topic(name=name) for name in names] or None
    request = MetadataRequest(**{"topics": topics, "allow_auto_topic_creation": False, **fields})
    return serve(request, 12, guard, image=TOPICS, calls=calls)


def test_metadata_of_all_topics_leaves_out_what_may_not_be_described() -> None:
    guard = authorizer(*topic_acl("a", Operation.READ), *topic_acl("c", DESCRIBE))
    assert names_and_errors(metadata(guard).topics) == [
        ("a", 0),
        ("c", 0),
    ]


def test_metadata_of_named_topics_says_no_more_than_that_they_may_not_be_described() -> None:
    guard = authorizer(*topic_acl("a", DESCRIBE))
    topics = metadata(guard, "a", "b", "x").topics
    assert names_and_errors(topics) == [("a", 0), ("b", DENIED), ("x", DENIED)]
    assert [topic.topic_id for topic in topics[1:]] == [bytes(16)] * 2
    assert not topics[1].partitions


def test_metadata_by_id_does_not_tell_the_name() -> None:
    by_id = [MetadataRequest.Topic(name=None, topic_id=TOPIC_IDS[name]) for name in "ab"]
    guard = authorizer(*topic_acl("a", DESCRIBE))
    topics = metadata(guard, topics=by_id).topics
    assert names_and_errors(topics) == [("a", 0), (None, DENIED)]
    assert topics[1].topic_id == TOPIC_IDS["b"]


@pytest.mark.parametrize("of_cluster", [True, False])
def test_missing_topics_are_created_for_who_may_create_them(of_cluster: bool) -> None:
    may_create = (
        [acl(resource_type=ResourceType.CLUSTER, resource_name="kafka-cluster", operation=Operation.CREATE)]
        if of_cluster
        else topic_acl("x", Operation.CREATE)
    )
    guard = authorizer(acl(resource_name="*", operation=DESCRIBE), *may_create)
    calls = Calls()
    topics = metadata(guard, "a", "x", "y", calls=calls, allow_auto_topic_creation=True).topics
    missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert names_and_errors(topics) == [("a", 0), ("x", missing), ("y", missing if of_cluster else DENIED)]
    ((asked, _),) = calls.created
    assert isinstance(asked, CreateTopicsRequest)
    assert [topic.name for topic in asked.topics] == (["x", "y"] if of_cluster else ["x"])


def bits(*operations: Operation) -> int:
    return sum(1 << operation for operation in operations)


def test_what_a_client_may_do_is_told_where_it_asks() -> None:
    guard = authorizer(
        *topic_acl("a", Operation.READ, ALTER_CONFIGS),
        acl(resource_type=ResourceType.CLUSTER, resource_name="kafka-cluster", operation=ALTER),
    )
    request = MetadataRequest(
        topics=[MetadataRequest.Topic(name=name) for name in "ab"],
        allow_auto_topic_creation=False,
        include_topic_authorized_operations=True,
        include_cluster_authorized_operations=True,
    )
    response = serve(request, 10, guard, image=TOPICS)
    assert [topic.topic_authorized_operations for topic in response.topics] == [
        bits(Operation.READ, DESCRIBE, ALTER_CONFIGS, DESCRIBE_CONFIGS),
        -(2**31),
    ]
    assert response.cluster_authorized_operations == bits(ALTER, DESCRIBE)


@pytest.mark.parametrize(
    ("guard", "told"),
    [
        (None, bits(*(Operation(number) for number in (5, 7, 8, 9, 10, 11, 12)))),
        (allowing(Operation.ALL), bits(*(Operation(number) for number in (5, 7, 8, 9, 10, 11, 12)))),
        (allowing(Operation.CREATE), 0),
        (allowing(Operation.CREATE, DESCRIBE), bits(Operation.CREATE, DESCRIBE)),
        (authorizer(), 0),
    ],
)
def test_a_broker_tells_what_may_be_done_to_the_cluster_to_who_may_describe_it(
    guard: Authorizer | None, told: int
) -> None:
    request = DescribeClusterRequest(include_cluster_authorized_operations=True)
    response = serve(request, 2, guard)
    assert (response.error_code, response.cluster_authorized_operations) == (0, told)


def test_a_controller_describes_the_cluster_to_who_may_alter_it() -> None:
    request = DescribeClusterRequest(endpoint_type=2, include_cluster_authorized_operations=True)
    image = image_of([RegisterControllerRecord(controller_id=1, incarnation_id=bytes(16))])
    assert serve(request, 2, authorizer(), kind=CONTROLLER, image=image).error_code == CLUSTER_DENIED
    response = serve(request, 2, allowing(ALTER), kind=CONTROLLER, image=image)
    assert response.error_code != CLUSTER_DENIED


def test_topic_partitions_leave_out_what_may_not_be_described() -> None:
    guard = authorizer(*topic_acl("b", Operation.WRITE))
    everything = serve(DescribeTopicPartitionsRequest(), 0, guard, image=TOPICS)
    assert names_and_errors(everything.topics) == [("b", 0)]
    assert everything.topics[0].topic_authorized_operations == bits(Operation.WRITE, DESCRIBE)
    named = DescribeTopicPartitionsRequest(
        topics=[DescribeTopicPartitionsRequest.TopicRequest(name=name) for name in ("a", "b", "x")]
    )
    response = serve(named, 0, guard, image=TOPICS)
    assert names_and_errors(response.topics) == [("b", 0), ("a", DENIED), ("x", DENIED)]
    assert {topic.topic_id for topic in response.topics[1:]} == {bytes(16)}


def test_denials_count_as_they_do_for_every_resource() -> None:
    deny = acl(resource_name="b", operation=DESCRIBE, permission_type=PermissionType.DENY)
    guard = authorizer(acl(resource_name="*", operation=Operation.ALL), deny)
    assert names_and_errors(metadata(guard).topics) == [("a", 0), ("c", 0)]


# --- before the ACLs are known ---


@pytest.mark.parametrize(
    "request_",
    [FetchRequest(), AddRaftVoterRequest(), creations("a"), CreateAclsRequest(), DescribeConfigsRequest()],
)
def test_a_node_that_does_not_know_the_acls_serves_nobody_and_is_asked_again(request_: Message) -> None:
    calls = Calls()
    loading = LoadingAuthorizer(frozenset({"User:root"}), frozenset())
    response = serve(request_, request_.MAX_VERSION, loading, kind=CONTROLLER, calls=calls)
    codes = {each.error_code for each in getattr(response, "topics", ())} or {
        getattr(response, "error_code", ErrorCode.NOT_CONTROLLER)
    }
    assert codes == {ErrorCode.NOT_CONTROLLER}
    assert calls == Calls()


def test_a_node_that_does_not_know_the_acls_tells_its_versions_and_forwards() -> None:
    calls = Calls()
    loading = LoadingAuthorizer(frozenset(), frozenset())
    assert serve(ApiVersionsRequest(), 0, loading, kind=CONTROLLER).error_code == ErrorCode.NONE
    serve(CreateTopicsRequest(), 7, loading, calls=calls)
    assert len(calls.forwarded) == 1
