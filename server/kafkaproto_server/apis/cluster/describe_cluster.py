"""DescribeCluster (60), versions 0-2, broker and controller listeners.

A broker lists the live brokers, with their endpoints for the listener on which the request came in; in version 2 also
fenced ones, if the request asks for them. It names itself as controller while it is not fenced, since every broker
forwards requests to the controller. A controller lists the registered controllers, and names the quorum's leader if
that is one of them (KIP-919). To ask one kind of listener for the other kind of endpoint is MISMATCHED_ENDPOINT_TYPE.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeClusterRequest, DescribeClusterResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import OPERATIONS_NOT_ASKED, cluster_authorized_operations
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.cluster.shown_controller import shown_controller
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.types import NO_NODE, Endpoint, ListenerKind
from kafkaproto_server.metadata.image.entries import BrokerRegistration
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import CONTROLLER_REGISTRATION_LEVEL
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext

BROKERS = 1
CONTROLLERS = 2
_WORDS = {BROKERS: "brokers", CONTROLLERS: "controllers"}


def handle_describe_cluster(
    request: DescribeClusterRequest, context: RequestContext, services: Services
) -> DescribeClusterResponse:
    """Return the cluster as this kind of listener shows it."""
    own_type = BROKERS if context.listener_kind is ListenerKind.BROKER else CONTROLLERS
    if request.endpoint_type != own_type:
        return _refuse_type(request.endpoint_type, own_type, context.api_version)
    image = services.metadata.image()
    if own_type == BROKERS:
        brokers = _brokers(image, context.listener_name, request.include_fenced_brokers)
        alive = [broker.broker_id for broker in brokers if not broker.is_fenced]
        controller_id = shown_controller(alive, services.node)
    elif image.metadata_version < CONTROLLER_REGISTRATION_LEVEL:
        # Without registrations, the endpoints of the controllers are unknown.
        return DescribeClusterResponse(
            error_code=ErrorCode.UNSUPPORTED_VERSION,
            error_message="Direct-to-controller communication needs metadata.version 3.7-IV0 or later.",
        )
    else:
        brokers = _controllers(image, context.listener_name)
        leader_id = services.quorum.leader().leader_id
        controller_id = leader_id if any(node.broker_id == leader_id for node in brokers) else NO_NODE
    return DescribeClusterResponse(
        endpoint_type=own_type,
        cluster_id=services.node.cluster_id,
        controller_id=controller_id,
        brokers=brokers,
        cluster_authorized_operations=(
            cluster_authorized_operations(context, services)
            if request.include_cluster_authorized_operations
            else OPERATIONS_NOT_ASKED
        ),
    )


def _refuse_type(asked: int, own_type: int, version: int) -> DescribeClusterResponse:
    known = asked in _WORDS
    code = ErrorCode.MISMATCHED_ENDPOINT_TYPE if known else ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
    asked_for = _WORDS.get(asked, f"endpoint type {asked}")
    return DescribeClusterResponse(
        # Version 0 has no endpoint types, and its clients do not know the newer errors (KIP-919).
        error_code=ErrorCode.INVALID_REQUEST if version == 0 else code,
        error_message=f"The request asked for {asked_for}, but it was sent to a listener of {_WORDS[own_type]}.",
    )


def _brokers(
    image: ClusterImage, listener_name: str, include_fenced: bool
) -> list[DescribeClusterResponse.DescribeClusterBroker]:
    result = []
    for broker in image.brokers_in_order():
        endpoint = endpoint_of(broker, listener_name)
        if endpoint is not None and (include_fenced or not broker.fenced):
            result.append(
                DescribeClusterResponse.DescribeClusterBroker(
                    broker_id=broker.broker_id,
                    host=endpoint.host,
                    port=endpoint.port,
                    rack=broker.rack,
                    is_fenced=broker.fenced,
                )
            )
    return result


def _controllers(
    image: ClusterImage, listener_name: str
) -> list[DescribeClusterResponse.DescribeClusterBroker]:
    result = []
    for controller in image.controllers_in_order():
        for endpoint in controller.endpoints:
            if endpoint.name == listener_name:
                result.append(
                    DescribeClusterResponse.DescribeClusterBroker(
                        broker_id=controller.controller_id, host=endpoint.host, port=endpoint.port
                    )
                )
    return result


def endpoint_of(broker: BrokerRegistration, listener_name: str) -> Endpoint | None:
    """A broker's endpoint for a listener; None if it has none."""
    return next((endpoint for endpoint in broker.endpoints if endpoint.name == listener_name), None)


API = Api(
    key=ApiKey.DESCRIBE_CLUSTER,
    bounds=SMALL,
    broker=Served(handler=handle_describe_cluster, access=None),
    controller=Served(handler=handle_describe_cluster, access=Access(operation=Operation.ALTER)),
)
