"""What somebody must be allowed to do for a request to be served (KIP-11), and how the answer leaves out the rest.

Without an authorizer (authorizer.class.name empty) everybody may do everything. Most requests of administrators,
and those that nodes send each other, need one operation on the cluster: `apis.table.dispatch` refuses them
as a whole. Where Kafka answers item by item, the functions here take away what is not allowed, have the rest
served, and add the refusals to the answer, after the others.

A broker forwards without asking: the active controller decides, by the principal in the envelope.
"""

from __future__ import annotations

import copy
import enum
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from kafkaproto_server.apis.context import Reply, RequestContext, Services, changed
from kafkaproto_server.error_texts import MAX_QUOTED_LENGTH
from kafkaproto_server.image.image import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from kafkaproto_server.security.acls import CLUSTER_NAME, OPERATIONS, Operation, ResourceType
from kafkaproto_server.types import ZERO_UUID, Steps

Handler = Callable[[Any, RequestContext, Services], Reply]

Refuse = Callable[[Message, ErrorCode, str | None, int], Message]
"""As `Services.refuse`."""

_log = logging.getLogger("kafkaproto.server.authorizer")

_REFUSED_A_STEP = 32
"""Items that are refused in one step."""

OPERATIONS_NOT_ASKED = -(2**31)
"""Stands in an answer in place of authorized operations that the request did not ask for (KIP-430)."""


class CheckedBy(enum.Enum):
    """Where the check of an api is made."""

    DISPATCH = "before the handler: the whole request is refused"
    HANDLER = "in the handler, item by item"
    CONTROLLER = "by the active controller, under the client's principal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The operation that an api needs, on what type of resource, and who checks it."""

    operation: Operation
    resource_type: ResourceType = ResourceType.CLUSTER
    checked_by: CheckedBy = CheckedBy.DISPATCH


def is_allowed(
    context: RequestContext,
    services: Services,
    operation: Operation,
    resource_type: ResourceType = ResourceType.CLUSTER,
    resource_name: str = CLUSTER_NAME,
) -> bool:
    """Whether the sender of a request may do something to a resource; the cluster unless another is given."""
    authorizer = services.authorizer()
    return authorizer is None or authorizer.authorize(
        context.principal, context.client_host, operation, resource_type, resource_name
    )


def may_at_all(context: RequestContext, services: Services, access: Access) -> bool:
    """Whether there can be anything that the sender of a request may do as its api asks; False is certain."""
    authorizer = services.authorizer()
    if authorizer is None:
        return True
    types = [access.resource_type] if access.resource_type is not ResourceType.ANY else _TYPES_WITH_CONFIGS
    # What one may do to the cluster may stand for doing it to whatever is in it.
    return any(
        authorizer.may_on_any(context.principal, context.client_host, access.operation, resource_type)
        for resource_type in (*types, ResourceType.CLUSTER)
    )


def denial(
    context: RequestContext,
    operation: Operation,
    resource_type: ResourceType = ResourceType.CLUSTER,
    resource_name: str = CLUSTER_NAME,
) -> str:
    """What to say to somebody who may not do something; `log_denials` logs it."""
    text = (
        f"{context.principal[:MAX_QUOTED_LENGTH]} from {context.client_host} may not {operation.name} the"
        f" {resource_type.name} {resource_name[:MAX_QUOTED_LENGTH]}."
    )
    denials = context.denials
    denials.count += 1
    denials.first = denials.first or text
    return text


def log_denials(context: RequestContext) -> None:
    """Log what the sender of a request may not do, in one line: it may have named thousands of things."""
    denials = context.denials
    if denials.count == 1:
        _log.info("api key %d: %r", context.api_key, denials.first)
    elif denials.count:
        _log.info("api key %d: %r And %d more.", context.api_key, denials.first, denials.count - 1)


def refusal(
    request: Message, access: Access | None, context: RequestContext, services: Services
) -> Reply | None:
    """The answer to a request whose sender may not be served at all, None where the handler is to go on."""
    if access is None or access.checked_by is CheckedBy.CONTROLLER:
        return None
    if access.checked_by is CheckedBy.HANDLER and knows_acls(services):
        return None
    if is_allowed(context, services, access.operation):
        return None
    code, message = cluster_refusal(context, services, access.operation)
    return refused_in_steps(request, code, message, context, services.refuse)


def knows_acls(services: Services) -> bool:
    """Whether the cluster's ACLs are known; a node that starts has to load them first."""
    authorizer = services.authorizer()
    return authorizer is None or authorizer.is_loaded


def cluster_refusal(
    context: RequestContext, services: Services, operation: Operation
) -> tuple[ErrorCode, str]:
    """What to say to somebody who may not do something in the cluster.

    NOT_CONTROLLER while the ACLs are not known, since such a node cannot be the active controller: clients and brokers
    then ask again. A Raft client of Apache Kafka stops its node for CLUSTER_AUTHORIZATION_FAILED.
    """
    if knows_acls(services):
        return ErrorCode.CLUSTER_AUTHORIZATION_FAILED, denial(context, operation)
    return ErrorCode.NOT_CONTROLLER, "This node has not loaded the cluster's ACLs yet."


def refused_in_steps(
    request: Message, code: ErrorCode, message: str | None, context: RequestContext, refuse: Refuse
) -> Reply:
    """The response that says an error for all that a request asks for; made in steps if that is much.

    What a long request names twice, far apart, may be refused twice.
    """
    lists = [
        field.attribute
        for field in request.schema().root.fields
        if field.array and len(getattr(request, field.attribute) or ()) > _REFUSED_A_STEP
    ]
    if not lists:
        return refuse(request, code, message, context.api_version)
    return _refused_piece_by_piece(
        request, lists, lambda piece: refuse(piece, code, message, context.api_version)
    )


def _refused_piece_by_piece(
    request: Message, lists: list[str], refuse: Callable[[Message], Message]
) -> Steps[Message]:
    rest = copy.copy(request)
    for attribute in lists:
        setattr(rest, attribute, [])
    response = refuse(rest)
    results = [field.attribute for field in response.schema().root.fields if field.array]
    empty = copy.copy(rest)
    for field in request.schema().root.fields:
        if field.array:
            setattr(empty, field.attribute, [])
    for attribute in lists:
        items = getattr(request, attribute)
        for start in range(0, len(items), _REFUSED_A_STEP):
            piece = copy.copy(empty)
            setattr(piece, attribute, items[start : start + _REFUSED_A_STEP])
            refused = refuse(piece)
            for result in results:
                more = getattr(refused, result)
                if more:
                    getattr(response, result).extend(more)
            yield
    return response


def authorized_operations(
    context: RequestContext, services: Services, resource_type: ResourceType, resource_name: str
) -> int:
    """What the sender may do to a resource, bit n standing for the operation of number n (KIP-430)."""
    return sum(
        1 << operation
        for operation in OPERATIONS[resource_type]
        if is_allowed(context, services, operation, resource_type, resource_name)
    )


def cluster_authorized_operations(context: RequestContext, services: Services) -> int:
    """What the sender may do to the cluster; nothing is told to who may not describe it."""
    if not is_allowed(context, services, Operation.DESCRIBE):
        return 0
    return authorized_operations(context, services, ResourceType.CLUSTER, CLUSTER_NAME)


# --- taking items away from a request ---


def _serve_allowed(
    request: Any,
    *,
    items: str,
    results: str,
    refuse: Callable[[Any], Any | None],
    key: Callable[[Any], object],
    serve: Callable[[Any], Reply],
) -> Steps[Reply]:
    """Have the items of a request served that ``refuse`` gives None for, and add what it gives for the others.

    ``items`` and ``results`` name the fields of request and response; of items with the same ``key`` one is asked
    about and answered.
    """
    kept: list[Any] = []
    refused: dict[object, Any] = {}
    for item in getattr(request, items):
        if key(item) in refused:
            continue
        result = refuse(item)
        if result is None:
            kept.append(item)
        else:
            refused[key(item)] = result
        yield
    if not refused:
        return serve(request)
    if not kept:
        api = api_by_key(request.API_KEY)
        assert api is not None
        response: Message = api.response_class(**{results: list(refused.values())})
        return response
    rest = copy.copy(request)
    setattr(rest, items, kept)

    def add(response: Message) -> Message:
        getattr(response, results).extend(refused.values())
        return response

    return changed(serve(rest), add)


# --- topics, on controllers ---


def handle_create_topics(request: CreateTopicsRequest, context: RequestContext, services: Services) -> Reply:
    """CREATE on the cluster or on each topic; the settings of a new topic are for who may describe them."""
    if services.authorizer() is None:
        return services.submit(request, context)
    may_create_any = is_allowed(context, services, Operation.CREATE)

    def refuse(topic: CreateTopicsRequest.CreatableTopic) -> CreateTopicsResponse.CreatableTopicResult | None:
        asked = (Operation.CREATE, ResourceType.TOPIC, topic.name)
        if may_create_any or is_allowed(context, services, *asked):
            return None
        return CreateTopicsResponse.CreatableTopicResult(
            name=topic.name,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message=denial(context, *asked),
        )

    def hide_settings(response: Message) -> Steps[Message]:
        assert isinstance(response, CreateTopicsResponse)
        for topic in response.topics:
            yield
            asked = (Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC, topic.name)
            if topic.error_code == ErrorCode.NONE and not is_allowed(context, services, *asked):
                topic.num_partitions = topic.replication_factor = -1
                topic.configs = []
                topic.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        return response

    reply = _serve_allowed(
        request,
        items="topics",
        results="topics",
        refuse=refuse,
        key=lambda topic: topic.name,
        serve=lambda rest: services.submit(rest, context),
    )
    return changed(reply, hide_settings)


def handle_delete_topics(request: DeleteTopicsRequest, context: RequestContext, services: Services) -> Reply:
    """DELETE on the cluster or on each topic; a name that may not be described is not known to exist."""
    if is_allowed(context, services, Operation.DELETE):
        return services.submit(request, context)
    image = services.image()

    def may(operation: Operation, name: str) -> bool:
        return is_allowed(context, services, operation, ResourceType.TOPIC, name)

    def refused(name: str | None, topic_id: bytes) -> DeleteTopicsResponse.DeletableTopicResult:
        return DeleteTopicsResponse.DeletableTopicResult(
            name=name,
            topic_id=topic_id,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message=denial(context, Operation.DELETE, ResourceType.TOPIC, name or ""),
        )

    def refuse_name(name: str) -> DeleteTopicsResponse.DeletableTopicResult | None:
        if not may(Operation.DESCRIBE, name):
            return refused(name, ZERO_UUID)
        # Who may describe it may know that it does not exist, as the controller then says.
        if may(Operation.DELETE, name) or name not in image.topic_ids:
            return None
        return refused(name, image.topic_ids[name])

    def refuse(
        topic: DeleteTopicsRequest.DeleteTopicState,
    ) -> DeleteTopicsResponse.DeletableTopicResult | None:
        if topic.name is not None:
            return refuse_name(topic.name)
        found = image.topics.get(topic.topic_id)
        if found is None or may(Operation.DELETE, found.name):
            return None
        return refused(found.name if may(Operation.DESCRIBE, found.name) else None, topic.topic_id)

    return _serve_allowed(
        request,
        items="topics",
        results="responses",
        refuse=refuse,
        key=lambda topic: (topic.name, topic.topic_id),
        serve=lambda rest: _serve_allowed(
            rest,
            items="topic_names",
            results="responses",
            refuse=refuse_name,
            key=lambda name: name,
            serve=lambda last: services.submit(last, context),
        ),
    )


def handle_create_partitions(
    request: CreatePartitionsRequest, context: RequestContext, services: Services
) -> Reply:
    """ALTER on each topic."""

    def refuse(
        topic: CreatePartitionsRequest.CreatePartitionsTopic,
    ) -> CreatePartitionsResponse.CreatePartitionsTopicResult | None:
        asked = (Operation.ALTER, ResourceType.TOPIC, topic.name)
        if is_allowed(context, services, *asked):
            return None
        return CreatePartitionsResponse.CreatePartitionsTopicResult(
            name=topic.name,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message=denial(context, *asked),
        )

    return _serve_allowed(
        request,
        items="topics",
        results="results",
        refuse=refuse,
        key=lambda topic: topic.name,
        serve=lambda rest: services.submit(rest, context),
    )


# --- settings ---

_CONFIG_RESOURCES = {
    TOPIC_RESOURCE: (ResourceType.TOPIC, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    GROUP_RESOURCE: (ResourceType.GROUP, ErrorCode.GROUP_AUTHORIZATION_FAILED),
    BROKER_RESOURCE: (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    BROKER_LOGGER_RESOURCE: (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    CLIENT_METRICS_RESOURCE: (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
}
"""Whose ACLs the settings of a resource go by, and how they are refused, by type of config resource."""
_TYPES_WITH_CONFIGS = (ResourceType.TOPIC, ResourceType.GROUP)
"""Types beside the cluster whose ACLs settings go by."""


def config_problem(
    config_type: int, config_name: str, operation: Operation, context: RequestContext, services: Services
) -> tuple[ErrorCode, str] | None:
    """Why the settings of a resource are not for the sender; None where they are, or nobody knows the type."""
    known = _CONFIG_RESOURCES.get(config_type)
    if known is None:
        return None
    resource_type, code = known
    name = CLUSTER_NAME if resource_type is ResourceType.CLUSTER else config_name
    if is_allowed(context, services, operation, resource_type, name):
        return None
    return code, denial(context, operation, resource_type, name)


_RESULT_CLASSES: dict[int | None, type[Any]] = {
    AlterConfigsRequest.API_KEY: AlterConfigsResponse.AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest.API_KEY: IncrementalAlterConfigsResponse.AlterConfigsResourceResponse,
}


def authorized_configs(
    handler: Handler, resource_types: frozenset[int] = frozenset(_CONFIG_RESOURCES)
) -> Handler:
    """``handler`` for AlterConfigs or IncrementalAlterConfigs, for the resources whose topic, group or cluster the
    sender may do that to; resources of other types than ``resource_types`` are passed on unasked."""

    def handle(request: Any, context: RequestContext, services: Services) -> Reply:
        if services.authorizer() is None:
            return handler(request, context, services)
        result_class = _RESULT_CLASSES[request.API_KEY]

        def refuse(resource: Any) -> Any | None:
            if resource.resource_type not in resource_types:
                return None
            resource_type, name = resource.resource_type, resource.resource_name
            problem = config_problem(resource_type, name, Operation.ALTER_CONFIGS, context, services)
            if problem is None:
                return None
            return result_class(
                error_code=problem[0],
                error_message=problem[1],
                resource_type=resource_type,
                resource_name=name,
            )

        return _serve_allowed(
            request,
            items="resources",
            results="responses",
            refuse=refuse,
            key=lambda resource: (resource.resource_type, resource.resource_name),
            serve=lambda rest: handler(rest, context, services),
        )

    return handle
