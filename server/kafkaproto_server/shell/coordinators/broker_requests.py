"""Requests of coordinators and leaders to other brokers: one connection to each broker, and one request at a time.

What is to be sent to a broker while a request is under way goes into the next one. So a busy broker gets few and large
requests, and an idle one gets each at once. Items that no request can hold together have a lane each; lanes take turns.
Nothing is sent twice: whoever hands something over hears that there was no response, and decides.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import trio

from kafkaproto.errors import LocalProtocolError
from kafkaproto.message import Message
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.shell.net.peers import PeerChannel, PeerError
from kafkaproto_server.shell.net.streams import Connect

_log = logging.getLogger("kafkaproto.server.coordinators")

MAX_QUEUED = 10_000
"""Items that wait for one broker; with more, it counts as one that does not respond."""
MAX_ELEMENTS = 10_000
"""With so many, a request is full. The last item may exceed it as far again; a broker takes 20,000 and more."""
BACKOFF = Backoff(first_ms=50, longest_ms=1_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherBrokers:
    """How a broker reaches the others."""

    broker_id: int
    """Its own."""
    endpoint: Callable[[int], Endpoint | None]
    """That of a broker for other brokers."""
    rng: Rng
    connect: Connect
    timeout_ms: Callable[[], int]
    """Of a request."""


class Item(Protocol):
    """A part of a request."""

    @property
    def key(self) -> Hashable:
        """By which the response names it. A request has each key once."""

    @property
    def elements(self) -> int:
        """How many elements of a request it takes."""


ItemT = TypeVar("ItemT", bound=Item)


class BrokerRequests(Generic[ItemT]):
    """The queues of all brokers, for one kind of request."""

    def __init__(
        self,
        others: OtherBrokers,
        purpose: str,
        *,
        max_elements: int = MAX_ELEMENTS,
        request: Callable[[Sequence[ItemT]], Message],
        responded: Callable[[Sequence[ItemT], Message | None], None],
        lane: Callable[[ItemT], Hashable] = lambda item: None,
    ) -> None:
        """``purpose`` is part of the client id. ``responded`` gets the items of a request with its response; None if
        there was none. A request has items of one ``lane``."""
        self.others = others
        self.client_id = f"broker-{others.broker_id}-{purpose}"
        self.max_elements = max_elements
        self.request = request
        self.responded = responded
        self.lane = lane
        self._queues: dict[int, _Queue[ItemT]] = {}
        self._nursery: trio.Nursery | None = None

    def send(self, broker_id: int, item: ItemT) -> None:
        """Send an item with the next request to a broker."""
        assert self._nursery is not None, "it runs"
        queue = self._queues.get(broker_id)
        if queue is None:
            queue = self._queues[broker_id] = _Queue(self, broker_id)
            self._nursery.start_soon(queue.run)
        if queue.waiting < MAX_QUEUED:
            queue.add(item)
        else:
            self.responded([item], None)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            await trio.sleep_forever()


class _Queue(Generic[ItemT]):
    """What is to be sent to one broker."""

    def __init__(self, owner: BrokerRequests[ItemT], broker_id: int) -> None:
        self._owner = owner
        self._broker_id = broker_id
        self._peer: PeerChannel | None = None
        self._has_failed = False
        self._lanes: dict[Hashable, deque[ItemT]] = {}
        self.waiting = 0
        """The number of items in all lanes."""
        self._wake = trio.Event()

    def add(self, item: ItemT) -> None:
        """Send an item with the next request of its lane."""
        self._lanes.setdefault(self._owner.lane(item), deque()).append(item)
        self.waiting += 1
        self._wake.set()

    async def run(self) -> None:
        """Send what there is, until cancelled."""
        while True:
            self._wake = trio.Event()
            if not self._lanes:
                await self._wake.wait()
            items = self._next()
            self._owner.responded(items, await self._exchange(items))

    def _next(self) -> list[ItemT]:
        """The items of the next request, in order. One whose key is among them already waits for the one after."""
        lane = next(iter(self._lanes))
        items = self._lanes.pop(lane)
        taken: list[ItemT] = []
        kept: deque[ItemT] = deque()
        keys: set[Hashable] = set()
        elements = 0
        while items and elements < self._owner.max_elements:
            item = items.popleft()
            if item.key in keys:
                kept.append(item)
            else:
                keys.add(item.key)
                taken.append(item)
                elements += item.elements
        items.extendleft(reversed(kept))
        if items:
            # Behind the other lanes.
            self._lanes[lane] = items
        self.waiting -= len(taken)
        return taken

    async def _exchange(self, items: Sequence[ItemT]) -> Message | None:
        peer = self._connected()
        if peer is None:
            await trio.lowlevel.checkpoint()
            return None
        try:
            response = await peer.send(self._owner.request(items), timeout_ms=self._owner.others.timeout_ms())
        except (PeerError, LocalProtocolError) as error:
            if not self._has_failed:
                _log.info("broker %d: %s", self._broker_id, error)
            self._has_failed = True
            return None
        self._has_failed = False
        return response

    def _connected(self) -> PeerChannel | None:
        endpoint = self._owner.others.endpoint(self._broker_id)
        if endpoint is None:
            return None
        if self._peer is None or (self._peer.host, self._peer.port) != (endpoint.host, endpoint.port):
            if self._peer is not None:
                self._peer.close()
            self._peer = PeerChannel(
                endpoint.host,
                endpoint.port,
                client_id=self._owner.client_id,
                backoff=BACKOFF,
                rng=self._owner.others.rng,
                connect=self._owner.others.connect,
            )
        return self._peer
