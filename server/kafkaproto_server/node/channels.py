"""The channels of a node to the active controller."""

from __future__ import annotations

from kafkaproto_server.config.node_config import Config
from kafkaproto_server.node.machine import NodeMachine
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.to_controller.channel import ControllerChannel


class NodeChannels:
    """Makes them, and closes them with the node. Each kind of request has a channel of its own, because a channel sends
    one request at a time."""

    def __init__(self, config: Config, quorum: QuorumDriver, machine: NodeMachine) -> None:
        self._client_id = str(config.node_id)
        self._listener_name = config.controller_listener_names[0]
        self._quorum = quorum
        self._machine = machine
        self._channels: list[ControllerChannel] = []

    def new(self) -> ControllerChannel:
        quorum = self._quorum
        channel = ControllerChannel(
            client_id=self._client_id,
            locate=lambda: quorum.leader_endpoint(self._listener_name),
            news=lambda: quorum.published.changed,
            rng=self._machine.rng,
            connect=self._machine.network.connect,
        )
        self._channels.append(channel)
        return channel

    def close(self) -> None:
        for channel in self._channels:
            channel.close()
