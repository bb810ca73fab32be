"""The common part of AlterConfigs and IncrementalAlterConfigs.

The active controller decides, but a broker refuses some mistakes itself, as Kafka's brokers do: a resource or key that
is named twice, a null value, the configs of another node, an unknown resource type. The levels of loggers belong to
each node, so broker and controller change them locally (`admin.logger_levels`); AlterConfigs cannot. Only the other
resources are forwarded. The results are in the order of the request.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from kafkaproto_server.apis.admin.describe_configs import CLUSTER_DEFAULT, is_node
from kafkaproto_server.apis.admin.logger_levels import Outcome, change_logger_levels
from kafkaproto_server.apis.authorization import ALL_CONFIG_RESOURCES, allowed_items, config_problem
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.error_texts import MAX_MESSAGE_LENGTH, MAX_QUOTED_LENGTH, quoted
from kafkaproto_server.base.later import Deferred, Steps, T
from kafkaproto_server.config.dynamic import problem_of_change
from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from kafkaproto_server.config.keys.lists import has_repeated, with_entries, without_entries
from kafkaproto_server.config.keys.model import ConfigType
from kafkaproto_server.config.keys.validate import validate_broker_config
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.metadata.image.entries import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import HandlerResult, RequestContext, Response, changed
from kafkaproto_server.requests.refusals import Refusal, refuse_each_once

MAX_KEYS = 1_000
"""The number of keys of one resource that one request may change: Kafka has some 300 for a broker, and a few for each
listener."""
ELEMENTS_FORWARDED = 4_000
"""Resources and keys that are forwarded in one request: encoding it and decoding its response takes some milliseconds.
Each resource is changed, or refused, independently, so it does not matter which others are in the same request."""
RESOURCES_AT_ONCE = 64
"""Up to this many resources are examined without steps."""

_SET, _DELETE, _APPEND, _SUBTRACT = range(4)
_LIST_CHANGES = {_APPEND: with_entries, _SUBTRACT: without_entries}
_RESOURCE_TYPES = (
    TOPIC_RESOURCE,
    BROKER_RESOURCE,
    BROKER_LOGGER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
)

_Request: TypeAlias = AlterConfigsRequest | IncrementalAlterConfigsRequest
_Response: TypeAlias = AlterConfigsResponse | IncrementalAlterConfigsResponse
_RESPONSE_CLASSES: dict[type[_Request], Any] = {
    AlterConfigsRequest: AlterConfigsResponse,
    IncrementalAlterConfigsRequest: IncrementalAlterConfigsResponse,
}


def handle_on_broker(request: _Request, context: RequestContext, services: Services) -> Steps[HandlerResult]:
    """On a broker listener: refuse what is wrong in any case, and forward the rest to the active controller."""
    resources: Sequence[Any] = request.resources
    times_named: Counter[tuple[int, str]] = Counter()
    for each in resources:
        times_named[each.resource_type, each.resource_name] += 1
        yield
    outcomes: list[Outcome | None] = []
    levels: list[Mapping[str, str | None]] = []
    for resource in resources:
        refusal = yield from _refusal(request, resource, times_named, services.node.id)
        if refusal is not None:
            outcomes.append((ErrorCode.INVALID_REQUEST, refusal))
        else:
            outcome = _own_outcome(request, resource, services, levels) or _broker_outcome(resource, services)
            outcomes.append(outcome)
        yield
    for each in levels:
        services.node.set_logger_levels(each)
    if not resources:
        return (yield from _answer(request, (), {}))
    return _pass_on(
        request, outcomes, lambda rest: services.controller.forward(rest, context), ELEMENTS_FORWARDED
    )


def handle_on_controller(request: _Request, context: RequestContext, services: Services) -> HandlerResult:
    """On a controller listener: change this node's loggers; this node's controller decides on the rest."""
    if len(request.resources) <= RESOURCES_AT_ONCE and not any(
        each.resource_type == BROKER_LOGGER_RESOURCE for each in request.resources
    ):
        return services.controller.submit(request, context)
    return _change_own(request, context, services)


def _change_own(request: _Request, context: RequestContext, services: Services) -> Steps[HandlerResult]:
    resources: Sequence[Any] = request.resources
    outcomes: list[Outcome | None] = []
    levels: list[Mapping[str, str | None]] = []
    for resource in resources:
        outcomes.append(_own_outcome(request, resource, services, levels))
        yield
    for each in levels:
        services.node.set_logger_levels(each)
    return _pass_on(request, outcomes, lambda rest: services.controller.submit(rest, context), None)


def _pass_on(
    request: _Request,
    outcomes: Sequence[Outcome | None],
    send: Callable[[_Request], Deferred[Response]],
    most_elements: int | None,
) -> HandlerResult:
    """Send the resources that have no result yet, and make the whole response once their results are known.

    ``most_elements`` is the largest number of resources and keys in one request; None for no limit.
    """
    resources: Sequence[Any] = request.resources
    rest: list[Any] = [each for each, outcome in zip(resources, outcomes, strict=True) if outcome is None]
    if not rest and resources:
        return _answer(request, outcomes, {})
    answered: dict[tuple[int, str], Any] = {}
    pieces = [rest] if most_elements is None else _pieces(rest, most_elements)
    # The usual case: the controller's response is the whole response and passes unchanged.
    if len(rest) == len(resources) and len(pieces) <= 1:
        return send(request)

    def send_next(number: int) -> HandlerResult:
        if number == len(pieces):
            return _answer(request, outcomes, answered)

        def merge(response: Message) -> HandlerResult:
            assert isinstance(response, AlterConfigsResponse | IncrementalAlterConfigsResponse)
            answered.update(((each.resource_type, each.resource_name), each) for each in response.responses)
            return send_next(number + 1)

        piece = type(request)(resources=pieces[number], validate_only=request.validate_only)
        # One piece after the other: the pieces of one request should not compete for the
        # controller.
        return changed(send(piece), merge)

    return send_next(0)


def _pieces(resources: list[Any], most_elements: int) -> list[list[Any]]:
    """The resources in order, split into lists with few resources and keys each."""
    pieces: list[list[Any]] = []
    left = 0
    for resource in resources:
        elements = 1 + len(resource.configs)
        if elements > left:
            pieces.append([])
            left = most_elements
        pieces[-1].append(resource)
        left -= elements
    return pieces


def _own_outcome(
    request: _Request, resource: Any, services: Services, levels: list[Mapping[str, str | None]]
) -> Outcome | None:
    """The result for a resource of this node itself; None for resources that the active controller changes. The changes
    are added to ``levels``: they are made only after the whole request was examined."""
    if resource.resource_type != BROKER_LOGGER_RESOURCE or isinstance(request, AlterConfigsRequest):
        return None
    name = resource.resource_name
    if not is_node(name, services.node.id):
        problem = f"The levels of its loggers only a node itself can change: {quoted(name)} must be"
        return ErrorCode.INVALID_REQUEST, f"{problem} {services.node.id}."
    if len(resource.configs) > MAX_KEYS:
        return ErrorCode.INVALID_REQUEST, _too_many_keys(resource)
    return change_logger_levels(
        resource.configs,
        validate_only=request.validate_only,
        levels=services.node.logger_levels(),
        set_levels=levels.append,
    )


def _broker_outcome(resource: Any, services: Services) -> Outcome | None:
    """Why this broker could not use the new values; None if it can."""
    if resource.resource_type != BROKER_RESOURCE:
        return None
    image, node_id = services.metadata.image(), str(services.node.id)
    layers = {name: image.config(BROKER_RESOURCE, name) for name in (CLUSTER_DEFAULT, node_id)}
    name = CLUSTER_DEFAULT if resource.resource_name == CLUSTER_DEFAULT else node_id
    changed = _values_after(resource, layers[name])
    for config in resource.configs:
        if config.name in changed:
            problem = validate_broker_config(
                config.name, changed[config.name], cluster_default=name == CLUSTER_DEFAULT
            )
            if problem is not None:
                return ErrorCode.INVALID_REQUEST, problem[:MAX_MESSAGE_LENGTH]
    before, after = (
        NodeConfigs(
            static=services.node.static_config,
            dynamic_default=each[CLUSTER_DEFAULT],
            dynamic_broker=each[node_id],
        )
        for each in (layers, {**layers, name: changed})
    )
    problem = problem_of_change(before, after, [config.name for config in resource.configs])
    return None if problem is None else (ErrorCode.INVALID_REQUEST, problem[:MAX_MESSAGE_LENGTH])


def _values_after(resource: Any, current: Mapping[str, str]) -> dict[str, str]:
    """The values of a resource after the change, without operations that the controller refuses."""
    if isinstance(resource, AlterConfigsRequest.AlterConfigsResource):
        return {config.name: config.value or "" for config in resource.configs}
    values = dict(current)
    for config in resource.configs:
        definition = BROKER_KEYS.get(config.name)
        if config.config_operation == _SET:
            values[config.name] = config.value
        elif config.config_operation == _DELETE:
            values.pop(config.name, None)
        elif (
            config.config_operation in _LIST_CHANGES
            and definition is not None
            and definition.type is ConfigType.LIST
        ):
            value = values.get(config.name, definition.default or "")
            # A new entry that is appended twice is refused, as it is in a new value.
            new = ",".join(each for each in config.value.split(",") if each not in value.split(","))
            is_refused = config.config_operation == _APPEND and has_repeated(new)
            change = _LIST_CHANGES[config.config_operation]
            values[config.name] = new if is_refused else change(value, config.value)
    return values


def _refusal(
    request: _Request, resource: Any, times_named: Counter[tuple[int, str]], node_id: int
) -> Steps[str | None]:
    """Why a broker does not forward a resource; None if it does."""
    resource_type, name = resource.resource_type, resource.resource_name
    if times_named[resource_type, name] > 1:
        return f"The resource of type {resource_type} and name {quoted(name)} is named twice."
    if len(resource.configs) > MAX_KEYS:
        return _too_many_keys(resource)
    nulls = []
    times_set: Counter[str] = Counter()
    for each in resource.configs:
        times_set[each.name] += 1
        if each.value is None and not _is_deletion(each):
            nulls.append(each.name)
        yield
    for key, times in times_set.items():
        if times > 1:
            return f"The key {quoted(key)} is named twice."
    if nulls:
        return f"Null is no value: {', '.join(nulls)[:MAX_QUOTED_LENGTH]}"
    if resource_type == BROKER_RESOURCE and name != CLUSTER_DEFAULT and not is_node(name, node_id):
        return f"This node passes on its own configs only: {quoted(name)} must be {node_id} or empty."
    if resource_type == BROKER_LOGGER_RESOURCE and isinstance(request, AlterConfigsRequest):
        return "The levels of loggers can only be changed one by one, by IncrementalAlterConfigs."
    if resource_type not in _RESOURCE_TYPES:
        return f"Resource type {resource_type} is unknown."
    return None


def _too_many_keys(resource: Any) -> str:
    return f"One resource can have {MAX_KEYS} keys changed at once, not {len(resource.configs)}."


def _is_deletion(config: Any) -> bool:
    return isinstance(config, IncrementalAlterConfigsRequest.AlterableConfig) and (
        config.config_operation == _DELETE
    )


def _answer(
    request: _Request, outcomes: Sequence[Outcome | None], answered: dict[tuple[int, str], Any]
) -> Steps[_Response]:
    """The response to the whole request, from the results of this node and those of the controller."""
    response_class = _RESPONSE_CLASSES[type(request)]
    resources: Sequence[Any] = request.resources
    responses = []
    for resource, outcome in zip(resources, outcomes, strict=True):
        resource_type, name = resource.resource_type, resource.resource_name
        if outcome is not None:
            code, message = outcome
        else:
            told = answered.get((resource_type, name))
            # A controller of another release might leave a resource out. The client has to get a
            # result for it all the same.
            code = ErrorCode.UNKNOWN_SERVER_ERROR if told is None else told.error_code
            message = None if told is None else told.error_message
        responses.append(
            response_class.AlterConfigsResourceResponse(
                error_code=code, error_message=message, resource_type=resource_type, resource_name=name
            )
        )
        yield
    response: _Response = response_class(responses=responses)
    return response


# --- access and refusals ---


def submit(request: _Request, context: RequestContext, services: Services) -> HandlerResult:
    """On a controller listener: this node's controller decides."""
    return services.controller.submit(request, context)


_Handler: TypeAlias = Callable[[_Request, RequestContext, Services], HandlerResult]


def authorized(handler: _Handler, resource_types: frozenset[int] = ALL_CONFIG_RESOURCES) -> _Handler:
    """Restrict ``handler`` to the resources whose configs the sender may change, by the ACLs of topic, group or
    cluster. Resources of types that are not in ``resource_types`` are passed on unchecked."""

    def handle(request: _Request, context: RequestContext, services: Services) -> HandlerResult:
        if services.metadata.authorizer() is None:
            return handler(request, context, services)
        return _authorized(request, context, services, handler, resource_types)

    return handle


def _authorized(
    request: _Request,
    context: RequestContext,
    services: Services,
    handler: _Handler,
    resource_types: frozenset[int],
) -> Steps[HandlerResult]:
    result_class = _RESPONSE_CLASSES[type(request)].AlterConfigsResourceResponse

    def refuse(resource: Any) -> Any | None:
        if resource.resource_type not in resource_types:
            return None
        resource_type, name = resource.resource_type, resource.resource_name
        problem = config_problem(resource_type, name, Operation.ALTER_CONFIGS, context, services)
        if problem is None:
            return None
        return result_class(
            error_code=problem[0], error_message=problem[1], resource_type=resource_type, resource_name=name
        )

    resources: Sequence[Any] = request.resources
    kept, refused = yield from allowed_items(
        resources, refuse=refuse, key=lambda resource: (resource.resource_type, resource.resource_name)
    )
    if not refused:
        return handler(request, context, services)
    response_class = _RESPONSE_CLASSES[type(request)]
    if not kept:
        response: Message = response_class(responses=refused)
        return response
    # A shallow copy: the request itself may still be needed for a refusal of all its resources.
    rest = copy.copy(request)
    rest.resources = kept

    def add(response: Message) -> Message:
        assert isinstance(response, AlterConfigsResponse | IncrementalAlterConfigsResponse)
        responses: list[Any] = response.responses
        responses.extend(refused)
        return response

    return changed(handler(rest, context, services), add)


def refuse_resources(request: _Request, result_class: type[T], refusal: Refusal) -> Steps[list[T]]:
    """One result with the error for each resource."""

    def result(resource: tuple[int, str]) -> T:
        make: Any = result_class
        made: T = make(
            error_code=refusal.code,
            error_message=refusal.message,
            resource_type=resource[0],
            resource_name=resource[1],
        )
        return made

    resources: Sequence[Any] = request.resources
    named = ((each.resource_type, each.resource_name) for each in resources)
    return (yield from refuse_each_once(named, result))
