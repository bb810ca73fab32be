"""What a node does for its controller beside the quorum's task: it keeps the controller registered, warns if its voter
is unknown to the quorum, and proves that brokers are dead whose heartbeats stay away."""

from __future__ import annotations

import trio

from kafkaproto.directory_files import META_PROPERTIES_NAME
from kafkaproto_server.base.types import Endpoint, ReplicaKey
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.node.machine import NodeMachine
from kafkaproto_server.node.startup import OpenedNode
from kafkaproto_server.shell.quorum.broker_probe import BrokerProbe, Prober
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.quorum.voter_watch import voter_problem, warn_of_voter_problem
from kafkaproto_server.shell.to_controller.channel import ControllerChannel
from kafkaproto_server.shell.to_controller.registration import keep_registered


async def watch_voter(config: Config, opened: OpenedNode) -> None:
    """Warn of a voter that the quorum does not know, until cancelled."""
    key = ReplicaKey(id=config.node_id, directory_id=opened.metadata_directory_id)
    path = f"{config.metadata_log_dir}/{META_PROPERTIES_NAME}"
    quorum = opened.quorum
    await warn_of_voter_problem(
        lambda: voter_problem(key, quorum.voters, path, follows=quorum.follows_leader)
    )


def start_probe(
    nursery: trio.Nursery, config: Config, quorum: QuorumDriver, machine: NodeMachine
) -> BrokerProbe | None:
    """Looks after brokers whose heartbeats stay away; None if this node does not."""
    if not (config.is_controller and config.broker_death_proof_enable):
        return None
    probe = BrokerProbe(
        published=quorum.published,
        report=quorum.broker_failed,
        heartbeat_interval_ms=config.broker_heartbeat_interval_ms,
        clock=machine.clock,
        prober=Prober(machine.network),
    )
    nursery.start_soon(probe.run)
    return probe


async def keep_controller_registered(
    config: Config,
    incarnation_id: bytes,
    endpoints: tuple[Endpoint, ...],
    channel: ControllerChannel,
    published: Published,
) -> None:
    """Register the controller, with the endpoints that are advertised, whenever the metadata lack it, until
    cancelled."""
    await keep_registered(
        node_id=config.node_id,
        incarnation_id=incarnation_id,
        endpoints=endpoints,
        features=supported_ranges(),
        channel=channel,
        published=published,
    )
