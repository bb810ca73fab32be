"""What a broker refuses of a request that alters configs, and how the rest gets its answer.

Tests: `apis.admin.config_changes`, `config.keys.lists`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.requests.context import NoResponse
from tests.apis.support.services import Calls, context, responses_of, services, settled

TOPIC, BROKER, BROKER_LOGGER = 2, 4, 8
SET, DELETE, APPEND = 0, 1, 2
REFUSED = ErrorCode.INVALID_REQUEST


def incremental(
    *resources: tuple[int, str, Sequence[tuple[str, int, str | None]]], validate_only: bool = False
) -> IncrementalAlterConfigsRequest:
    """A request from (type, name, [(key, operation, value)])."""
    return IncrementalAlterConfigsRequest(
        resources=[
            IncrementalAlterConfigsRequest.AlterConfigsResource(
                resource_type=resource_type,
                resource_name=name,
                configs=[
                    IncrementalAlterConfigsRequest.AlterableConfig(
                        name=key, config_operation=operation, value=value
                    )
                    for key, operation, value in configs
                ],
            )
            for resource_type, name, configs in resources
        ],
        validate_only=validate_only,
    )


def complete(*resources: tuple[int, str, Sequence[tuple[str, str | None]]]) -> AlterConfigsRequest:
    """A request from (type, name, [(key, value)])."""
    return AlterConfigsRequest(
        resources=[
            AlterConfigsRequest.AlterConfigsResource(
                resource_type=resource_type,
                resource_name=name,
                configs=[
                    AlterConfigsRequest.AlterableConfig(name=key, value=value) for key, value in configs
                ],
            )
            for resource_type, name, configs in resources
        ]
    )


def send(request: Message, calls: Calls) -> Any:
    asked = context(request, 1, kind=ListenerKind.BROKER)
    return settled(dispatch(request, asked, services(calls=calls)))


def codes(response: Any) -> list[tuple[str, int]]:
    return [(each.resource_name, each.error_code) for each in response.responses]


GOOD = [("retention.ms", SET, "1")]


@pytest.mark.parametrize(
    "request_message",
    [
        incremental((TOPIC, "a", [("retention.ms", SET, "1"), ("retention.ms", DELETE, None)])),
        incremental((TOPIC, "a", [("retention.ms", SET, None)])),
        incremental((TOPIC, "a", [("cleanup.policy", APPEND, None)])),
        incremental((BROKER, "2", GOOD)),
        incremental((BROKER, "one", GOOD)),
        incremental((BROKER_LOGGER, "2", [("root", SET, "DEBUG")])),
        complete((BROKER_LOGGER, "1", [("root", "DEBUG")])),
        incremental((3, "a", GOOD)),
        complete((TOPIC, "a", [("retention.ms", "1"), ("retention.ms", "2")])),
        complete((TOPIC, "a", [("retention.ms", None)])),
    ],
)
def test_what_is_wrong_in_any_case_is_refused_without_asking_the_controller(
    request_message: IncrementalAlterConfigsRequest | AlterConfigsRequest,
) -> None:
    calls = Calls()
    response = send(request_message, calls)
    (result,) = response.responses
    resource = request_message.resources[0]
    assert (result.resource_type, result.resource_name) == (resource.resource_type, resource.resource_name)
    assert (result.error_code, bool(result.error_message)) == (REFUSED, True)
    assert calls.forwarded == []


@pytest.mark.parametrize(
    "request_message",
    [
        incremental(),
        incremental((TOPIC, "a", [("retention.ms", DELETE, None)]), (BROKER, "", GOOD), (BROKER, "1", GOOD)),
        incremental((16, "metrics", []), (32, "group", [])),
        complete((TOPIC, "a", [("retention.ms", "1")])),
    ],
)
def test_a_request_with_nothing_wrong_is_forwarded_as_it_is(request_message: Message) -> None:
    calls = Calls()
    reply = send(request_message, calls)
    if not isinstance(reply, Deferred):
        assert reply == IncrementalAlterConfigsResponse()
        assert calls.forwarded == []
        return
    assert reply is calls.replies[0]
    assert [asked for asked, _ in calls.forwarded] == [request_message]


def mixed() -> IncrementalAlterConfigsRequest:
    return incremental(
        (TOPIC, "a", GOOD),
        (TOPIC, "b", GOOD),
        (TOPIC, "a", GOOD),
        (TOPIC, "c", GOOD),
        (BROKER, "9", GOOD),
        validate_only=True,
    )


def test_only_the_rest_is_forwarded_and_all_is_answered_in_order() -> None:
    calls = Calls()
    reply = send(mixed(), calls)
    ((forwarded, asked),) = calls.forwarded
    assert forwarded == incremental((TOPIC, "b", GOOD), (TOPIC, "c", GOOD), validate_only=True)
    assert asked.principal == "User:alice"
    result = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse
    calls.replies[0].resolve(
        IncrementalAlterConfigsResponse(
            responses=[
                result(resource_type=TOPIC, resource_name="c", error_code=3, error_message="unknown"),
                result(resource_type=TOPIC, resource_name="b", error_message=None),
            ]
        )
    )
    (response,) = responses_of(reply)
    response.encode(1)
    assert codes(response) == [("a", REFUSED), ("b", 0), ("a", REFUSED), ("c", 3), ("9", REFUSED)]
    assert [response.responses[index].error_message for index in (1, 3)] == [None, "unknown"]


def test_what_the_controller_does_not_answer_is_answered_all_the_same() -> None:
    calls = Calls()
    reply = send(mixed(), calls)
    calls.replies[0].resolve(IncrementalAlterConfigsResponse())
    (response,) = responses_of(reply)
    lost = ErrorCode.UNKNOWN_SERVER_ERROR
    assert codes(response) == [("a", REFUSED), ("b", lost), ("a", REFUSED), ("c", lost), ("9", REFUSED)]


def test_the_older_request_gets_the_older_response() -> None:
    calls = Calls()
    bad = (TOPIC, "b", [("retention.ms", None)])
    reply = send(complete((TOPIC, "a", [("retention.ms", "1")]), bad), calls)
    told = AlterConfigsResponse.AlterConfigsResourceResponse(resource_type=TOPIC, resource_name="a")
    calls.replies[0].resolve(AlterConfigsResponse(responses=[told]))
    (response,) = responses_of(reply)
    assert isinstance(response, AlterConfigsResponse)
    assert codes(response) == [("a", 0), ("b", REFUSED)]


def test_where_no_controller_answers_the_client_gets_no_response() -> None:
    calls = Calls()
    reply = send(mixed(), calls)
    calls.replies[0].resolve(NoResponse(reason="its versions differ"))
    assert responses_of(reply) == [NoResponse(reason="its versions differ")]
