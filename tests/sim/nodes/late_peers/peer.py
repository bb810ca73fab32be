"""Somebody whose knowledge of the cluster is outdated: a broker of before its restart, a leader that leads no more, an
operator who has slept. It sends what has to be refused, and looks at what comes back.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import trio

from kafkaproto.connection import IncomingResponse
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.requests.error_codes import error_codes
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.link import Link, LinkLostError
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.late_peers import administrators, brokers, controllers, voters
from tests.sim.nodes.late_peers.cases import Asked, Case, Known, NotNowError
from tests.sim.nodes.network import NetHost

WITH_LATE_PEERS = range(3_700_000, 3_800_000)
"""Seeds whose runs have records, and such a peer."""
CASES: tuple[Case, ...] = (*controllers.CASES, *voters.CASES, *brokers.CASES, *administrators.CASES)
LANES = 3
"""So many requests it has under way."""
PAUSE_S = 0.04
"""Of each lane; mean."""
RESPONSE_S = 2.0


class LatePeer:
    """Sends one late request after the other, until it is over. Some of it goes on while nodes do not respond."""

    def __init__(
        self, net: NetHost, hosts: Sequence[Host], rng: random.Random, refused: Counter[str]
    ) -> None:
        """``refused`` gets the responses that have come, by case."""
        self._net = net
        self._hosts = hosts
        self._rng = rng
        self._refused = refused
        self._waiting: list[Case] = []
        self.address = net.address
        self.is_over = False

    async def run(self) -> None:
        """All cases in turn, again and again, in another order each time."""
        async with trio.open_nursery() as nursery:
            for _ in range(LANES):
                nursery.start_soon(self._send_all)

    async def _send_all(self) -> None:
        links: dict[tuple[int, int], Link] = {}
        try:
            while True:
                await trio.sleep(self._rng.expovariate(1 / PAUSE_S))
                if self.is_over:
                    return
                if not self._waiting:
                    self._waiting = self._rng.sample(CASES, len(CASES))
                await self._try(self._waiting.pop(), links)
        finally:
            for link in links.values():
                link.close()

    async def _try(self, case: Case, links: dict[tuple[int, int], Link]) -> None:
        quorum = self._rng.choice(self._hosts).quorum
        if quorum is None:
            return
        try:
            asked = case.ask(Known(self._hosts, quorum.published.image, self._rng))
        except NotNowError:
            return
        place, life = (asked.host.id, asked.port), asked.host.life
        try:
            link = links.get(place)
            if link is None:
                link = links[place] = await Link.connect(self._net, asked.host, port=asked.port)
            if asked.host.life != life:
                # What is older than what the last process knew may be what this one knows.
                raise LinkLostError
            response = await self._exchange(link, asked, case.version)
        except LinkLostError:
            lost = links.pop(place, None)
            if lost is not None:
                lost.close()
            return
        check(case, place, asked.request, response)
        self._refused[case.name] += 1

    async def _exchange(self, link: Link, asked: Asked, version: int | None) -> Message:
        if asked.opening is not None:
            asked.take(asked.request, await self._response(link, asked.opening, None))
        return await self._response(link, asked.request, version)

    async def _response(self, link: Link, request: Any, version: int | None) -> Message:
        link.send(request, version)
        event = await link.receive(RESPONSE_S)
        assert isinstance(event, IncomingResponse)
        return event.response


def check(case: Case, place: tuple[int, int], request: Message, response: Message) -> None:
    """Raise ViolationError if a late request was taken, or refused with an error that is not right. ``place``: node and
    port."""
    found = {ErrorCode(code) for code in error_codes(response)} - {ErrorCode.NONE}
    if found and found <= case.errors:
        return
    said = ", ".join(sorted(each.name for each in found)) or "takes it"
    what = f"node {place[0]}, port {place[1]}, is asked by {case.name}: {said}; {request}; {response}"
    raise ViolationError(NodeInvariant.LATE_REQUESTS_REFUSED, what)
