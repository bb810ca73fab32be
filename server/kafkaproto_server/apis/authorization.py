"""Checks what the sender of a request is allowed to do (KIP-11), and takes out of a request the items that are not
allowed.

Without an authorizer (authorizer.class.name empty) everybody may do everything. Most administrative requests, and those
between nodes, require one operation on the cluster: `apis.serving` refuses such a request as a whole. If Kafka decides
item by item, the handler removes the items that are not allowed (`allowed_items`), serves the rest, and appends the
refusals to the response.

A broker forwards requests without checking. The active controller checks them with the principal in the envelope.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.apis.access import Access, CheckedBy
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.error_texts import MAX_QUOTED_LENGTH
from kafkaproto_server.base.later import Steps, T
from kafkaproto_server.metadata.image.entries import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from kafkaproto_server.metadata.security.acls import CLUSTER_NAME, OPERATIONS, Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal

R = TypeVar("R")

_log = logging.getLogger("kafkaproto.server.authorizer")

OPERATIONS_NOT_ASKED = -(2**31)
"""The value of the authorized operations in a response if the request did not ask for them (KIP-430)."""


def is_allowed(
    context: RequestContext,
    services: Services,
    operation: Operation,
    resource_type: ResourceType = ResourceType.CLUSTER,
    resource_name: str = CLUSTER_NAME,
) -> bool:
    """Whether the sender of a request may perform an operation on a resource; by default on the cluster."""
    authorizer = services.metadata.authorizer()
    return authorizer is None or authorizer.authorize(
        context.principal, context.client_host, operation, resource_type, resource_name
    )


def may_nothing(context: RequestContext, services: Services, access: Access) -> bool:
    """Whether the sender certainly may do nothing that this API does. True is certain; False says nothing: the handler
    decides."""
    authorizer = services.metadata.authorizer()
    if authorizer is None:
        return False
    types = [access.resource_type] if access.resource_type is not ResourceType.ANY else _TYPES_WITH_CONFIGS
    # An operation on the cluster may imply the same operation on what the cluster contains.
    return all(
        authorizer.may_on_none(context.principal, context.client_host, access.operation, resource_type)
        for resource_type in (*types, ResourceType.CLUSTER)
    )


def denial(
    context: RequestContext,
    operation: Operation,
    resource_type: ResourceType = ResourceType.CLUSTER,
    resource_name: str = CLUSTER_NAME,
) -> str:
    """The message for a sender who may not do something; also counts the denial for `log_denials`."""
    text = (
        f"{context.principal[:MAX_QUOTED_LENGTH]} from {context.client_host} may not {operation.name} the"
        f" {resource_type.name} {resource_name[:MAX_QUOTED_LENGTH]}."
    )
    denials = context.denials
    denials.count += 1
    denials.first = denials.first or text
    return text


def log_denials(context: RequestContext) -> None:
    """Log what the sender was denied, in one line for the whole request: a request may name thousands of resources."""
    denials = context.denials
    if denials.count == 1:
        # With %r: a client chooses principal and names, and a line break in them would forge log
        # lines.
        _log.info("api key %d: %r", context.api_key, denials.first)
    elif denials.count:
        _log.info("api key %d: %r And %d more.", context.api_key, denials.first, denials.count - 1)


def whole_refusal(access: Access | None, context: RequestContext, services: Services) -> Refusal | None:
    """Why the request must be refused as a whole; None if the handler is to serve it."""
    if access is None or access.checked_by is CheckedBy.CONTROLLER:
        return None
    if access.checked_by is CheckedBy.HANDLER and knows_acls(services):
        return None
    if any(is_allowed(context, services, each) for each in access.operations):
        return None
    return cluster_refusal(context, services, access.operation)


def knows_acls(services: Services) -> bool:
    """Whether this node knows the cluster's ACLs. A starting node has to load them first."""
    authorizer = services.metadata.authorizer()
    return authorizer is None or authorizer.is_loaded


def cluster_refusal(context: RequestContext, services: Services, operation: Operation) -> Refusal:
    """The refusal for a sender who may not perform an operation on the cluster.

    Its code is CLUSTER_AUTHORIZATION_FAILED, or NOT_CONTROLLER while this node does not know the ACLs. Such a node
    cannot be the active controller, and NOT_CONTROLLER makes clients and brokers retry. A Raft client of Apache Kafka,
    in contrast, stops its node at CLUSTER_AUTHORIZATION_FAILED.
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
    """The operations that the sender may perform on a resource, as a bit field: bit n is the operation with number n
    (KIP-430)."""
    return sum(
        1 << operation
        for operation in OPERATIONS[resource_type]
        if is_allowed(context, services, operation, resource_type, resource_name)
    )


def cluster_authorized_operations(context: RequestContext, services: Services) -> int:
    """The operations that the sender may perform on the cluster; 0 if it may not describe the cluster."""
    # As in Kafka: without DESCRIBE the sender learns nothing about its other rights.
    if not is_allowed(context, services, Operation.DESCRIBE):
        return 0
    return authorized_operations(context, services, ResourceType.CLUSTER, CLUSTER_NAME)


def allowed_items(
    items: Iterable[T], *, refuse: Callable[[T], R | None], key: Callable[[T], Hashable]
) -> Steps[tuple[list[T], list[R]]]:
    """Two lists: the items for which ``refuse`` returns None, and the results of ``refuse`` for the others. If several
    refused items have the same ``key``, the first one is checked and has a result; the others are left out."""
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


# --- configs ---

_CONFIG_RESOURCES = {
    TOPIC_RESOURCE: (ResourceType.TOPIC, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    GROUP_RESOURCE: (ResourceType.GROUP, ErrorCode.GROUP_AUTHORIZATION_FAILED),
    BROKER_RESOURCE: (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    BROKER_LOGGER_RESOURCE: (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    CLIENT_METRICS_RESOURCE: (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
}
"""By type of config resource: the type of resource whose ACLs protect its configs, and the error code of a refusal."""
_TYPES_WITH_CONFIGS = (ResourceType.TOPIC, ResourceType.GROUP)
"""The types of resources, besides the cluster, whose ACLs protect configs."""


def config_problem(
    config_type: int, config_name: str, operation: Operation, context: RequestContext, services: Services
) -> tuple[ErrorCode, str] | None:
    """Why the sender may not access the configs of a resource; None if it may, or if the type is unknown."""
    known = _CONFIG_RESOURCES.get(config_type)
    # Whoever decides on the resource refuses an unknown type, with an error that names the type.
    if known is None:
        return None
    resource_type, code = known
    name = CLUSTER_NAME if resource_type is ResourceType.CLUSTER else config_name
    if is_allowed(context, services, operation, resource_type, name):
        return None
    return code, denial(context, operation, resource_type, name)


ALL_CONFIG_RESOURCES = frozenset(_CONFIG_RESOURCES)
"""The types of resources that have configs."""
