"""AlterConfigs (33, versions 0-2) and IncrementalAlterConfigs (44, 0-1) on broker listeners.

The active controller decides, but some mistakes a broker refuses by itself, as Kafka's do: a resource or a key
that is named twice, a null where a value belongs, another node's settings, a type of resource that does not
exist. Only the other resources are forwarded; the answers come in the order of the request.

Not done: the levels of loggers, which stay as they were started with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from server.apis.configs import CLUSTER_DEFAULT, is_node
from server.apis.context import Answer, NoAnswer, Reply, RequestContext, Services
from server.image.image import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from server.types import Deferred

_DELETE = 1
_MAX_QUOTED_LENGTH = 200

_Request: TypeAlias = AlterConfigsRequest | IncrementalAlterConfigsRequest
_Response: TypeAlias = AlterConfigsResponse | IncrementalAlterConfigsResponse
_RESPONSE_CLASSES: dict[type[_Request], Any] = {
    AlterConfigsRequest: AlterConfigsResponse,
    IncrementalAlterConfigsRequest: IncrementalAlterConfigsResponse,
}


def handle_alter_configs(request: _Request, context: RequestContext, services: Services) -> Reply:
    """Refuse what is wrong in any case, and have the active controller change the rest."""
    resources: Sequence[Any] = request.resources
    times_named = Counter((each.resource_type, each.resource_name) for each in resources)
    refusals = [_refusal(each, times_named, services.node_id) for each in resources]
    passed: list[Any] = [each for each, refusal in zip(resources, refusals, strict=True) if refusal is None]
    if not passed:
        return _answer(request, refusals, {})
    if len(passed) == len(refusals):
        return services.forward(request, context)
    rest = type(request)(resources=passed, validate_only=request.validate_only)
    reply: Deferred[Answer] = Deferred()

    def merge(answer: Answer) -> None:
        if isinstance(answer, NoAnswer):
            reply.resolve(answer)
            return
        assert isinstance(answer, AlterConfigsResponse | IncrementalAlterConfigsResponse)
        answered = {(each.resource_type, each.resource_name): each for each in answer.responses}
        reply.resolve(_answer(request, refusals, answered))

    services.forward(rest, context).on_done(merge)
    return reply


def _refusal(resource: Any, times_named: Counter[tuple[int, str]], node_id: int) -> str | None:
    """Why a resource is not passed on, None where it is."""
    resource_type, name = resource.resource_type, resource.resource_name
    if times_named[resource_type, name] > 1:
        return "The resource is named twice."
    keys = [config.name for config in resource.configs]
    if len(keys) != len(frozenset(keys)):
        return "A key is named twice."
    nulls = [each.name for each in resource.configs if each.value is None and not _is_deletion(each)]
    if nulls:
        return f"Null is no value: {', '.join(nulls)[:_MAX_QUOTED_LENGTH]}"
    if resource_type == BROKER_LOGGER_RESOURCE:
        return "The levels of loggers cannot be changed by requests."
    if resource_type == BROKER_RESOURCE and name != CLUSTER_DEFAULT and not is_node(name, node_id):
        return f"This node passes on its own settings only: {name[:_MAX_QUOTED_LENGTH]!r} must be {node_id} or empty."
    if resource_type not in (TOPIC_RESOURCE, BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, GROUP_RESOURCE):
        return f"Resource type {resource_type} is unknown."
    return None


def _is_deletion(config: Any) -> bool:
    return isinstance(config, IncrementalAlterConfigsRequest.AlterableConfig) and (
        config.config_operation == _DELETE
    )


def _answer(
    request: _Request, refusals: Sequence[str | None], answered: dict[tuple[int, str], Any]
) -> _Response:
    """An answer to the whole request, from our own refusals and what the controller answered to the rest."""
    response_class = _RESPONSE_CLASSES[type(request)]
    resources: Sequence[Any] = request.resources
    responses = []
    for resource, refusal in zip(resources, refusals, strict=True):
        resource_type, name = resource.resource_type, resource.resource_name
        code, message = ErrorCode.INVALID_REQUEST, refusal
        if refusal is None:
            told = answered.get((resource_type, name))
            code = ErrorCode.UNKNOWN_SERVER_ERROR if told is None else told.error_code
            message = None if told is None else told.error_message
        responses.append(
            response_class.AlterConfigsResourceResponse(
                error_code=code, error_message=message, resource_type=resource_type, resource_name=name
            )
        )
    response: _Response = response_class(responses=responses)
    return response
