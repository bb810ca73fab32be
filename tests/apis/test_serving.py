"""What is decided about a request before its body is read: its size, its sender's rights, its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError, TooManyElementsError
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    AlterPartitionRequest,
    CreateAclsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    ElectLeadersRequest,
    EnvelopeResponse,
    MetadataRequest,
    ProduceRequest,
)
from kafkaproto_server.apis.serving import MAX_REFUSED_BODY_BYTES, SHORT_BODY_BYTES, serve
from kafkaproto_server.apis.table import APIS, TABLE, bounds_of, frame_limit
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.security.authorizer import LoadingAuthorizer
from kafkaproto_server.requests.context import RefusedRequestError, UnreadRequest
from tests.apis.cluster.test_envelope import wrapped
from tests.apis.support.services import Calls, context, responses_of, services
from tests.metadata.security.support.acl_making import acl, authorizer

BROKER, CONTROLLER = ListenerKind.BROKER, ListenerKind.CONTROLLER
DENIED = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
MANY = 100_000
LONG_NAME = "a-topic-with-a-name-of-its-own"
SOCKET_REQUEST_MAX_BYTES = 100 * 1024 * 1024
"""Kafka's default of ``socket.request.max.bytes``."""
MOST_ELEMENTS = 600_000
"""Reassignments of 100,000 partitions have as many."""


def serving(
    request: Message,
    version: int,
    kind: ListenerKind,
    calls: Calls | None = None,
    *,
    read: list[Message] | None = None,
    body: bytes | None = None,
    guard: Any = None,
) -> list[Any]:
    """What comes of a request by alice; ``read`` gets the messages that were decoded."""
    asked = context(request, version, kind=kind)
    known = services(calls=calls, authorizer=lambda: guard)
    decoded = (lambda message: None) if read is None else read.append
    data = b"head" + (request.encode(version) if body is None else body)
    return responses_of(serve(data, 4, asked, known, decoded))


def deletions(count: int, name: str = "") -> DeleteTopicsRequest:
    return DeleteTopicsRequest(topic_names=[name] * count)


def reassignments(count: int) -> AlterPartitionReassignmentsRequest:
    topic = AlterPartitionReassignmentsRequest.ReassignableTopic(name="a")
    return AlterPartitionReassignmentsRequest(topics=[topic] * count)


# --- rights come first ---


def test_a_long_request_of_a_sender_without_rights_is_refused_unread() -> None:
    read: list[Message] = []
    (response,) = serving(reassignments(MANY), 0, CONTROLLER, read=read, guard=authorizer())
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert (response.error_code, response.responses, read) == (DENIED, [], [])


def test_a_long_request_before_the_acls_are_known_is_to_be_asked_again() -> None:
    loading = LoadingAuthorizer(frozenset({"User:root"}), frozenset())
    (response,) = serving(reassignments(MANY), 0, CONTROLLER, guard=loading)
    assert response.error_code == ErrorCode.NOT_CONTROLLER


@pytest.mark.parametrize("count", [3, 600, MANY // 10])
@pytest.mark.parametrize(
    ("request_class", "field", "version"),
    [(CreateTopicsRequest, "topics", 7), (CreateAclsRequest, "creations", 3)],
    ids=["items are looked at", "all is looked at"],
)
def test_before_the_acls_are_known_all_that_is_asked_for_is_to_be_asked_again_at_any_length(
    request_class: type[Message], field: str, version: int, count: int
) -> None:
    item = {"topics": CreateTopicsRequest.CreatableTopic, "creations": CreateAclsRequest.AclCreation}[field]
    items = [item(**{"name" if field == "topics" else "principal": f"{index}"}) for index in range(count)]
    request = request_class(**{field: items})
    loading = LoadingAuthorizer(frozenset({"User:root"}), frozenset())
    (response,) = serving(request, version, CONTROLLER, guard=loading)
    results = response.topics if field == "topics" else response.results
    assert [each.error_code for each in results] == [ErrorCode.NOT_CONTROLLER] * count


def test_before_the_acls_are_known_super_users_are_served_at_any_length() -> None:
    calls = Calls()
    loading = LoadingAuthorizer(frozenset({"User:alice"}), frozenset())
    assert serving(deletions(MANY // 10, "abcdefgh"), 5, CONTROLLER, calls, guard=loading) == []
    assert len(calls.submitted) == 1


def test_a_refusal_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    creations = CreateAclsRequest(creations=[CreateAclsRequest.AclCreation()] * 600)
    serving(creations, 3, CONTROLLER, guard=authorizer())
    assert [each.getMessage().count("And") for each in caplog.records] == [0]


def test_a_long_request_that_is_no_such_request_is_refused_without_looking() -> None:
    (response,) = serving(reassignments(0), 0, CONTROLLER, body=b"\xff" * 1_000_000, guard=authorizer())
    assert response.error_code == DENIED


@pytest.mark.parametrize("count", [3, 600])
def test_a_refusal_that_names_each_thing_is_made_by_reading_if_that_is_little(count: int) -> None:
    creations = CreateAclsRequest(creations=[CreateAclsRequest.AclCreation()] * count)
    (response,) = serving(creations, 3, CONTROLLER, guard=authorizer())
    assert [each.error_code for each in response.results] == [DENIED] * count


def test_a_refusal_that_names_each_thing_is_not_made_if_that_is_much() -> None:
    creations = CreateAclsRequest(creations=[CreateAclsRequest.AclCreation()] * MANY)
    read: list[Message] = []
    with pytest.raises(RefusedRequestError, match=r"CreateAclsRequest: \d+ bytes are not read\. User:alice"):
        serving(creations, 3, CONTROLLER, read=read, guard=authorizer())
    assert read == []


@pytest.mark.parametrize("name", ["a", "abcdefgh"])
def test_items_of_a_sender_without_any_right_to_the_kind_are_read_up_to_a_size(name: str) -> None:
    count = 10_000
    request = deletions(count, name)
    size = len(request.encode(5))
    if size <= MAX_REFUSED_BODY_BYTES:
        (response,) = serving(request, 5, CONTROLLER, guard=authorizer())
        assert [each.error_code for each in response.responses] == [ErrorCode.TOPIC_AUTHORIZATION_FAILED]
    else:
        with pytest.raises(RefusedRequestError, match="may not DELETE the TOPIC"):
            serving(request, 5, CONTROLLER, guard=authorizer())


def test_items_are_read_of_who_has_a_right_to_some() -> None:
    calls = Calls()
    guard = authorizer(*(acl(resource_name="abcdefgh", operation=each) for each in (Operation.DELETE, 8)))
    assert serving(deletions(10_000, "abcdefgh"), 5, CONTROLLER, calls, guard=guard) == []
    ((request, _),) = calls.submitted
    assert request == deletions(10_000, "abcdefgh")


# --- bounds ---


def test_as_many_elements_as_the_bound_are_served_and_one_more_is_refused() -> None:
    most = bounds_of(20).max_elements
    calls = Calls()
    assert serving(deletions(most), 5, CONTROLLER, calls) == []
    assert len(calls.submitted) == 1
    read: list[Message] = []
    with pytest.raises(
        TooManyElementsError, match=rf"DeleteTopicsRequest\.topic_names: more than the {most}"
    ):
        serving(deletions(most + 1), 5, CONTROLLER, calls, read=read)
    assert (len(calls.submitted), read) == (1, [])


def test_a_frame_beyond_the_bytes_of_its_api_is_refused() -> None:
    limit = frame_limit(60)
    asked = context(kind=BROKER, version=1, api_key=60)
    with pytest.raises(RemoteProtocolError, match=rf"the frame has {limit + 5} bytes, {limit} are allowed"):
        serve(b"\0" * (limit + 5), 4, asked, services())


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind in TABLE for key in TABLE[kind]])
def test_every_api_has_bounds_of_its_own(kind: ListenerKind, key: int) -> None:
    # Records are not taken apart, so a frame full of them costs no more than its bytes; all else becomes objects.
    is_of_records = key == ProduceRequest.API_KEY
    most = SOCKET_REQUEST_MAX_BYTES if is_of_records else 17 * 1024 * 1024
    assert 64 * 1024 <= frame_limit(key, kind) <= most
    assert bounds_of(key, kind).max_elements <= MOST_ELEMENTS
    # Nothing that is served goes by the bounds of what is not.
    assert key in APIS


def isr_changes(count: int) -> AlterPartitionRequest:
    data = AlterPartitionRequest.PartitionData(new_isr_with_epochs=[AlterPartitionRequest.BrokerState()] * 3)
    return AlterPartitionRequest(
        topics=[AlterPartitionRequest.TopicData(partitions=[data] * 10)] * (count // 10)
    )


def elections(count: int) -> ElectLeadersRequest:
    topic = ElectLeadersRequest.TopicPartitions(topic=LONG_NAME, partitions=[0])
    return ElectLeadersRequest(topic_partitions=[topic] * count)


def named_reassignments(count: int) -> AlterPartitionReassignmentsRequest:
    kind = AlterPartitionReassignmentsRequest
    topic = kind.ReassignableTopic(
        name=LONG_NAME, partitions=[kind.ReassignablePartition(replicas=[1, 2, 3])]
    )
    return kind(topics=[topic] * count)


def metadata_of(count: int) -> MetadataRequest:
    return MetadataRequest(topics=[MetadataRequest.Topic(name=LONG_NAME)] * count)


@pytest.mark.parametrize(
    ("make", "count", "kind", "version"),
    [
        (isr_changes, 100_000, CONTROLLER, 3),
        (elections, 100_000, CONTROLLER, 2),
        (named_reassignments, 100_000, CONTROLLER, 0),
        (metadata_of, 50_000, BROKER, 9),
    ],
)
def test_what_users_of_large_clusters_send_is_within_the_bounds(
    make: Callable[[int], Message], count: int, kind: ListenerKind, version: int
) -> None:
    request = make(count)
    read: list[Message] = []
    serving(request, version, kind, read=read)
    assert read == [request]


# --- what is passed on ---


def test_a_long_request_is_passed_on_as_it_came() -> None:
    calls = Calls()
    read: list[Message] = []
    body = b"\x7f" * (SHORT_BODY_BYTES + 1)
    assert serving(CreateTopicsRequest(), 7, BROKER, calls, read=read, body=body) == []
    ((unread, _),) = calls.forwarded
    assert unread == UnreadRequest(api_key=19, frame=b"head" + body, body_offset=4, message=None)  # type: ignore[comparison-overlap]
    assert read == []


def test_a_short_request_is_looked_at_before_it_is_passed_on() -> None:
    calls = Calls()
    with pytest.raises(RemoteProtocolError, match="CreateTopicsRequest"):
        serving(CreateTopicsRequest(), 7, BROKER, calls, body=b"\x7f" * 10)
    assert calls.forwarded == []


@pytest.mark.parametrize("count", [bounds_of(20).max_elements + 1, MAX_REFUSED_BODY_BYTES])
def test_what_is_refused_unread_in_an_envelope_does_not_close_the_brokers_connection(count: int) -> None:
    guard = authorizer(
        acl(
            principal="User:alice",
            resource_type=ResourceType.CLUSTER,
            resource_name="kafka-cluster",
            operation=Operation.CLUSTER_ACTION,
        )
    )
    (response,) = serving(wrapped(deletions(count), 5), 0, CONTROLLER, guard=guard)
    assert isinstance(response, EnvelopeResponse)
    assert (response.error_code, response.response_data) == (ErrorCode.INVALID_REQUEST, None)
