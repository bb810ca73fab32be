"""What the handlers of one node may use of it: its ports, filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkaproto.api import ApiKey
from kafkaproto.message import Message
from kafkaproto_server.apis.cluster.describe_cluster import endpoint_of
from kafkaproto_server.apis.ports.controller import ControllerPort, QuorumPort
from kafkaproto_server.apis.ports.node import LogDirectoryStatus, MetadataPort, NodePort
from kafkaproto_server.apis.ports.services import ABSENT, Services
from kafkaproto_server.apis.table import timeout_ms
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.config.log_levels import logger_levels, set_logger_levels
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.core.controller.values.events import CommandContext
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.authorizer import Authorizer, AuthorizerConfig, CurrentAuthorizer
from kafkaproto_server.node.broker_data import BrokerData
from kafkaproto_server.node.machine import NodeMachine
from kafkaproto_server.node.startup import OpenedNode
from kafkaproto_server.requests.context import RequestContext, Response
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.to_controller.forwarding import Forwarder
from kafkaproto_server.shell.to_controller.streams_topics import StreamsTopics


def services_of(
    config: Config,
    opened: OpenedNode,
    machine: NodeMachine,
    *,
    forwarder: Forwarder,
    log_directories: Callable[[], Sequence[LogDirectoryStatus]],
    data: BrokerData | None,
) -> Services:
    """The ports of a node. ``data`` is None if it is no broker: what only brokers have is refused then."""
    quorum = opened.quorum
    return Services(
        node=NodePort(
            id=config.node_id,
            cluster_id=opened.cluster_id,
            choose=machine.rng.below,
            static_config=config.properties.values,
            logger_levels=logger_levels,
            set_logger_levels=set_logger_levels,
            log_directories=log_directories,
        ),
        metadata=metadata_port(lambda: quorum.published.image, _authorizer(config, quorum)),
        controller=_controller_port(config, quorum, machine, forwarder, data),
        quorum=QuorumPort(
            leader=lambda: quorum.published.leader,
            kraft_version=lambda: quorum.kraft_version,
            describe=quorum.describe_quorum,
            answer=quorum.raft_request,
        ),
        # Listeners for controllers have no API that uses these.
        replicas=ABSENT if data is None else data.manager,
        fetches=ABSENT if data is None else data.manager.fetches,
        questions=ABSENT if data is None else data.manager.questions,
        producer_ids=ABSENT if data is None else data.producer_ids,
        groups=ABSENT if data is None else data.coordination.groups,
        transactions=ABSENT if data is None else data.coordination.transactions,
        share_state=ABSENT if data is None else data.coordination.share.coordinators,
        shares=ABSENT if data is None else data.coordination.share_partitions,
    )


def metadata_port(
    image: Callable[[], ClusterImage], authorizer: Callable[[], Authorizer | None]
) -> MetadataPort:
    """The port to the metadata; ``image`` returns the newest committed one."""

    def endpoint(broker_id: int, listener_name: str) -> Endpoint | None:
        broker = image().brokers.get(broker_id)
        return None if broker is None or broker.fenced else endpoint_of(broker, listener_name)

    def rack(broker_id: int) -> str | None:
        broker = image().brokers.get(broker_id)
        return None if broker is None else broker.rack

    return MetadataPort(image=image, authorizer=authorizer, endpoint=endpoint, rack=rack)


def current_authorizer(config: Config) -> CurrentAuthorizer | None:
    """The node's authorizer; None if it has none."""
    if not config.authorizer_class_name:
        return None
    authorizer_config = AuthorizerConfig(
        super_users=config.super_users,
        allow_everyone_if_no_acl_found=config.allow_everyone_if_no_acl_found,
    )
    return CurrentAuthorizer(authorizer_config)


def _authorizer(config: Config, quorum: QuorumDriver) -> Callable[[], Authorizer | None]:
    current = current_authorizer(config)

    def authorizer() -> Authorizer | None:
        if current is None:
            return None
        # An image from an early part of the log may lack an ACL that was added since, or hold one that was removed.
        if not quorum.published.is_current:
            return current.while_loading(quorum.peer_hosts())
        return current.at(quorum.published.image.acl_index)

    return authorizer


def _controller_port(
    config: Config, quorum: QuorumDriver, machine: NodeMachine, forwarder: Forwarder, data: BrokerData | None
) -> ControllerPort:
    now_ms = machine.clock.now_ms

    def submit(request: Message, context: RequestContext) -> Deferred[Response]:
        limit_ms = timeout_ms(request)
        if context.api_key == ApiKey.BROKER_HEARTBEAT:
            # The response to a heartbeat has to arrive before the next one is due.
            limit_ms = config.broker_heartbeat_interval_ms // 2
        deadline_ms = None if limit_ms is None else now_ms() + max(0, limit_ms)
        return quorum.submit(request, context.api_version, _command_context(context, deadline_ms))

    return ControllerPort(
        submit=submit,
        forward=forwarder.forward,
        served_versions=forwarder.controller_versions,
        auto_create_topics=config.auto_create_topics_enable,
        num_partitions=config.num_partitions,
        default_replication_factor=config.default_replication_factor,
        create_internal_topic=_no_topics if data is None else data.create_internal_topic,
        create_topics=forwarder.create_topics,
        create_streams_topics=StreamsTopics(forwarder, now_ms).create,
    )


def _command_context(context: RequestContext, deadline_ms: int | None) -> CommandContext:
    return CommandContext(
        listener_name=context.listener_name,
        principal=context.principal,
        client_host=context.client_host,
        client_id=context.client_id,
        deadline_ms=deadline_ms,
    )


def _no_topics(name: str) -> None:
    raise AssertionError(f"{name} is asked for by brokers only")
