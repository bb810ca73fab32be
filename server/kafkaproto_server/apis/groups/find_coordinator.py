"""FindCoordinator (10), versions 0-6, broker listeners.

Which broker coordinates a group, a transactional id (from version 1 on), or a partition of a share group (from 6 on):
the one that leads the partition of an internal topic in which the key belongs. Up to version 3 a request has one key,
from 4 on many (KIP-699). If the topic does not exist, it is created, and clients ask again. The sender needs DESCRIBE
on the group or the transactional id, and CLUSTER_ACTION on the cluster for a share group's partitions.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.messages import FindCoordinatorRequest, FindCoordinatorResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.coordinator_places import (
    TOPIC_OF_KEY_TYPE,
    parsed_share_key,
    partition_of,
)
from kafkaproto_server.requests.refusals import Refusal

Coordinator = FindCoordinatorResponse.Coordinator

_FIRST_WITH_MANY = 4
_FIRST_WITH_SHARE = 6
_NO_PORT = -1
_RESOURCES = {
    GROUPS_TOPIC: (Operation.DESCRIBE, ResourceType.GROUP, ErrorCode.GROUP_AUTHORIZATION_FAILED),
    TRANSACTIONS_TOPIC: (
        Operation.DESCRIBE,
        ResourceType.TRANSACTIONAL_ID,
        ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ),
}


def handle_find_coordinator(
    request: FindCoordinatorRequest, context: RequestContext, services: Services
) -> FindCoordinatorResponse | Steps[FindCoordinatorResponse]:
    topic = TOPIC_OF_KEY_TYPE.get(request.key_type)
    is_wrong = topic is None or (topic == SHARE_TOPIC and context.api_version < _FIRST_WITH_SHARE)
    if context.api_version >= _FIRST_WITH_MANY:
        return _find_many(request, None if is_wrong else topic, context, services)
    found = _find(request.key, request.key_type, None if is_wrong else topic, context, services)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=found.error_message,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _find_many(
    request: FindCoordinatorRequest, topic: str | None, context: RequestContext, services: Services
) -> Steps[FindCoordinatorResponse]:
    response = FindCoordinatorResponse()
    for key in request.coordinator_keys:
        response.coordinators.append(_find(key, request.key_type, topic, context, services))
        yield
    return response


def _find(
    key: str, key_type: int, topic: str | None, context: RequestContext, services: Services
) -> Coordinator:
    if topic is None:
        return _error(key, ErrorCode.INVALID_REQUEST, f"There are no coordinators of type {key_type}.")
    place = key
    if topic == SHARE_TOPIC:
        if not is_allowed(context, services, Operation.CLUSTER_ACTION):
            return _error(key, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
        try:
            place = parsed_share_key(key)
        except ValueError as error:
            text = f"{quoted(key)} is not a partition of a share group: {error}."
            return _error(key, ErrorCode.INVALID_REQUEST, text)
    else:
        operation, resource_type, denied = _RESOURCES[topic]
        if not is_allowed(context, services, operation, resource_type, key):
            return _error(key, denied)
    image = services.metadata.image().topic_by_name(topic)
    if image is None:
        # Clients ask again after this error, and find the topic then.
        services.controller.create_internal_topic(topic)
        return _error(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    partition = image.partitions.get(partition_of(place, len(image.partitions)))
    leader = NO_NODE if partition is None else partition.leader
    endpoint = services.metadata.endpoint(leader, context.listener_name)
    if endpoint is None:
        return _error(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return Coordinator(key=key, node_id=leader, host=endpoint.host, port=endpoint.port, error_message=None)


def _error(key: str, code: ErrorCode, message: str | None = None) -> Coordinator:
    return Coordinator(
        key=key,
        error_code=code,
        error_message=message or describe(code).message,
        node_id=NO_NODE,
        host="",
        port=_NO_PORT,
    )


def refuse(request: FindCoordinatorRequest, refusal: Refusal) -> Steps[FindCoordinatorResponse]:
    """The error for each key."""
    response = FindCoordinatorResponse()
    if refusal.version < _FIRST_WITH_MANY:
        response = FindCoordinatorResponse(error_code=refusal.code, node_id=NO_NODE, host="", port=_NO_PORT)
    for key in request.coordinator_keys:
        response.coordinators.append(_error(key, refusal.code))
        yield
    return response


API = Api(
    key=ApiKey.FIND_COORDINATOR,
    bounds=ITEMS,
    broker=Served(handler=handle_find_coordinator, access=of_items(Operation.DESCRIBE, ResourceType.GROUP)),
    refuse=refuse,
)
