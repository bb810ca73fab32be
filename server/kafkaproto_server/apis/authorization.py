"""What somebody must be allowed to do for a request to be served (KIP-11), and how the answer leaves out the rest.

Without an authorizer (authorizer.class.name empty) everybody may do everything. Most requests of administrators,
and those that nodes send each other, need one operation on the cluster: `apis.serving` refuses them as a
whole. Where Kafka answers item by item, handlers take away what is not allowed (`allowed_items`), have the rest served,
and add the refusals to the response, after the others.

A broker forwards without asking: the active controller decides, by the principal in the envelope.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.apis.access import Access, CheckedBy
from kafkaproto_server.error_texts import MAX_QUOTED_LENGTH
from kafkaproto_server.image.entries import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.ports import Services
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.security.acls import CLUSTER_NAME, OPERATIONS, Operation, ResourceType
from kafkaproto_server.types import Steps, T

R = TypeVar("R")

_log = logging.getLogger("kafkaproto.server.authorizer")

OPERATIONS_NOT_ASKED = -(2**31)
"""Stands in an answer in place of authorized operations that the request did not ask for (KIP-430)."""


def is_allowed(
    context: RequestContext,
    services: Services,
    operation: Operation,
    resource_type: ResourceType = ResourceType.CLUSTER,
    resource_name: str = CLUSTER_NAME,
) -> bool:
    """Whether the sender of a request may do something to a resource; the cluster unless another is given."""
    authorizer = services.metadata.authorizer()
    return authorizer is None or authorizer.authorize(
        context.principal, context.client_host, operation, resource_type, resource_name
    )


def may_at_all(context: RequestContext, services: Services, access: Access) -> bool:
    """Whether there can be anything that the sender of a request may do as its api asks; False is certain."""
    authorizer = services.metadata.authorizer()
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


def whole_refusal(access: Access | None, context: RequestContext, services: Services) -> Refusal | None:
    """Why the sender of a request may not be served at all; None if the handler is to be asked."""
    if access is None or access.checked_by is CheckedBy.CONTROLLER:
        return None
    if access.checked_by is CheckedBy.HANDLER and knows_acls(services):
        return None
    if is_allowed(context, services, access.operation):
        return None
    return cluster_refusal(context, services, access.operation)


def knows_acls(services: Services) -> bool:
    """Whether the cluster's ACLs are known; a node that starts has to load them first."""
    authorizer = services.metadata.authorizer()
    return authorizer is None or authorizer.is_loaded


def cluster_refusal(context: RequestContext, services: Services, operation: Operation) -> Refusal:
    """What to say to somebody who may not do something in the cluster.

    NOT_CONTROLLER while the ACLs are not known, since such a node cannot be the active controller: clients and brokers
    then ask again. A Raft client of Apache Kafka stops its node for CLUSTER_AUTHORIZATION_FAILED.
    """
    if knows_acls(services):
        return Refusal(
            code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
            message=denial(context, operation),
            version=context.api_version,
        )
    return Refusal(
        code=ErrorCode.NOT_CONTROLLER,
        message="This node has not loaded the cluster's ACLs yet.",
        version=context.api_version,
    )


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


def allowed_items(
    items: Iterable[T], *, refuse: Callable[[T], R | None], key: Callable[[T], Hashable]
) -> Steps[tuple[list[T], list[R]]]:
    """The items of a request that ``refuse`` gives None for, and what it gives for the others. Of items with the same
    ``key`` that are refused, one is asked about and has a result."""
    kept: list[T] = []
    refused: dict[Hashable, R] = {}
    for item in items:
        if key(item) in refused:
            continue
        result = refuse(item)
        if result is None:
            kept.append(item)
        else:
            refused[key(item)] = result
        yield
    return kept, [*refused.values()]


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


ALL_CONFIG_RESOURCES = frozenset(_CONFIG_RESOURCES)
"""Types of resources that have configs."""
