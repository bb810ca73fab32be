"""ListConfigResources (74), versions 0-1, broker listeners (KIP-1142; version 0 was ListClientMetricsResources).

Version 0 lists the client metrics subscriptions. Version 1 names the wanted types; no name means all types. For groups
and subscriptions, it lists those that have configs. For brokers and their loggers, it lists all brokers, also fenced
ones, that have the listener on which the request came in. For topics, it lists all topics. The response is
UNSUPPORTED_VERSION, which has no field for a reason, for a type that does not exist or that version 0 cannot request.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ListConfigResourcesRequest, ListConfigResourcesResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.entries import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext

_TYPES = (
    GROUP_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    TOPIC_RESOURCE,
)
"""In the order in which Apache Kafka lists them."""


def handle_list_config_resources(
    request: ListConfigResourcesRequest, context: RequestContext, services: Services
) -> Steps[ListConfigResourcesResponse]:
    """List the resources of the wanted types."""
    supported = _TYPES if context.api_version > 0 else (CLIENT_METRICS_RESOURCE,)
    wanted = request.resource_types or supported
    # The whole request is refused, as in Kafka: the response has one error and none for each type.
    if not set(wanted) <= set(supported):
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    image = services.metadata.image()
    response = ListConfigResourcesResponse()
    for resource_type in _TYPES:
        if resource_type not in wanted:
            continue
        names = yield from _names(resource_type, image, context.listener_name, services)
        for name in names:
            response.config_resources.append(
                ListConfigResourcesResponse.ConfigResource(resource_name=name, resource_type=resource_type)
            )
            yield
    return response


def _names(
    resource_type: int, image: ClusterImage, listener_name: str, services: Services
) -> Steps[list[str]]:
    if resource_type == TOPIC_RESOURCE:
        return (yield from services.metadata.caches.topic_names(image))
    if resource_type in (BROKER_RESOURCE, BROKER_LOGGER_RESOURCE):
        return [
            str(broker.broker_id)
            for broker in image.brokers_in_order()
            if any(endpoint.name == listener_name for endpoint in broker.endpoints)
        ]
    found = []
    for type_, name in image.configs:
        if type_ == resource_type:
            found.append(name)
        yield
    return (yield from sorted_steps(found))


API = Api(
    key=ApiKey.LIST_CONFIG_RESOURCES,
    bounds=SMALL,
    broker=Served(handler=handle_list_config_resources, access=Access(operation=Operation.DESCRIBE_CONFIGS)),
)
