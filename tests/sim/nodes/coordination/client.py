"""A client of coordinators: its connections, what it knows of leaders, and where its coordinators are."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from kafkaproto.connection import IncomingResponse
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import FindCoordinatorRequest, FindCoordinatorResponse
from tests.sim.nodes.data.link import ClusterView, Link, LinkLostError
from tests.sim.nodes.host import Host
from tests.sim.nodes.network import NetHost

RESPONSE_S = 4.0
GROUP, TRANSACTION = 0, 1
"""Types of keys."""
LOOK_AGAIN = frozenset(
    {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    }
)
"""Said by brokers that do not coordinate, or cannot at the moment."""


class CoordinatedClient:
    """One process, which does one thing at a time. What asks raises LinkLostError if there is no response."""

    def __init__(self, net: NetHost, hosts: Sequence[Host], rng: random.Random) -> None:
        self.name = net.address
        self.view = ClusterView()
        self._net = net
        self._hosts = [host for host in hosts if host.is_broker]
        self._rng = rng
        self._links: dict[int, Link] = {}
        self._coordinators: dict[tuple[int, str], int] = {}

    async def ask(
        self, host: Host, request: Message, *, version: int | None = None, within_s: float = RESPONSE_S
    ) -> Any:
        """The response of a broker."""
        try:
            if host.id not in self._links:
                self._links[host.id] = await Link.connect(self._net, host)
            link = self._links[host.id]
            link.send(request, version)
            event = await link.receive(within_s)
        except LinkLostError:
            self.hang_up(host.id)
            raise
        assert isinstance(event, IncomingResponse)
        return event.response

    def hang_up(self, host_id: int) -> None:
        """Close the connection to a host."""
        link = self._links.pop(host_id, None)
        if link is not None:
            link.close()

    def close(self) -> None:
        """Close all connections, and forget everything, as a process does that ends."""
        for host_id in list(self._links):
            self.hang_up(host_id)
        self._coordinators.clear()

    async def learn(self, topics: list[str]) -> None:
        """Ask for the leaders of topics."""
        host = self._rng.choice(self._hosts)
        try:
            if host.id not in self._links:
                self._links[host.id] = await Link.connect(self._net, host)
            await self.view.look(self._links[host.id], topics, RESPONSE_S)
        except LinkLostError:
            self.hang_up(host.id)
            raise
        if not self.view.topic_ids.keys() >= set(topics):
            # The broker does not know of them yet; a coordinator may.
            raise LinkLostError

    def host(self, host_id: int) -> Host:
        """A broker by its id. Raises LinkLostError if there is none: nobody leads, for example."""
        found = next((each for each in self._hosts if each.id == host_id), None)
        if found is None:
            raise LinkLostError
        return found

    async def coordinator(self, key_type: int, key: str) -> Host:
        """The broker that coordinates, as far as another broker knows."""
        if (key_type, key) not in self._coordinators:
            request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
            response = await self.ask(self._rng.choice(self._hosts), request)
            assert isinstance(response, FindCoordinatorResponse)
            (found,) = response.coordinators
            if found.error_code:
                raise LinkLostError
            self._coordinators[key_type, key] = found.node_id
        return self.host(self._coordinators[key_type, key])

    async def ask_coordinator(
        self,
        key_type: int,
        key: str,
        request: Message,
        *,
        version: int | None = None,
        within_s: float = RESPONSE_S,
    ) -> Any:
        """The response of the coordinator."""
        host = await self.coordinator(key_type, key)
        try:
            return await self.ask(host, request, version=version, within_s=within_s)
        except LinkLostError:
            self.forget(key_type, key)
            raise

    def forget(self, key_type: int, key: str) -> None:
        """The broker does not coordinate, or is not there."""
        self._coordinators.pop((key_type, key), None)
