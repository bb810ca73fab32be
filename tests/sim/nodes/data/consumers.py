"""Consumers: each follows all partitions from the first record on, with fetch sessions and leader epochs (KIP-320).

Some read from any replica, not only from leaders (KIP-392)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import FetchRequest, FetchResponse, ShareFetchResponse
from kafkaproto_server.core.replicas.fetcher_session import FetcherSession
from kafkaproto_server.requests.fetch_requests import PartitionFetch, fetch_topics, forgotten_topics
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import ClusterView, Link, LinkLostError, Place
from tests.sim.nodes.data.logs import batch_at
from tests.sim.nodes.host import Host
from tests.sim.nodes.network import NetHost

RESPONSE_S = 4.0
CATCHING_UP_BYTES = 20_000
_LOOK_AGAIN = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)


@dataclass(slots=True)
class _Position:
    offset: int = 0
    epoch: int = -1
    """Of the last record; -1 if none was read."""


class Consumer:
    """One client."""

    isolation_level = 0

    def __init__(
        self,
        net: NetHost,
        hosts: Sequence[Host],
        ledger: Ledger,
        rng: random.Random,
        places: Sequence[Place],
        *,
        reads_anywhere: bool,
    ) -> None:
        """``reads_anywhere``: also from followers."""
        self._reads_anywhere = reads_anywhere
        self._net = net
        self._hosts = [host for host in hosts if host.is_broker]
        self._ledger = ledger
        self._rng = rng
        self._view = ClusterView()
        self._links: dict[int, tuple[Link, FetcherSession]] = {}
        self.positions = {place: _Position() for place in places}
        self.address = net.address
        self.catches_up = False
        """Read much at a time: the producers are at their end."""
        self.is_over = False

    async def run(self) -> None:
        """Consume."""
        while not self.is_over:
            await trio.sleep(self._rng.expovariate(1 / 0.1))
            leaders = sorted({leader for leader, _ in self._view.leaders.values()})
            hosts = [host for host in self._hosts if self._reads_anywhere or host.id in leaders]
            if not hosts or len(self._view.leaders) < len(self.positions) or self._rng.random() < 0.1:
                await self._learn()
                continue
            host = self._rng.choice(hosts)
            try:
                if not await self._fetch(host):
                    await self._learn()
            except LinkLostError:
                self._hang_up(host.id)
                await self._learn()
        for host_id in list(self._links):
            self._hang_up(host_id)

    async def _link(self, host: Host) -> tuple[Link, FetcherSession]:
        if host.id not in self._links:
            self._links[host.id] = (await Link.connect(self._net, host), FetcherSession())
        return self._links[host.id]

    def _hang_up(self, host_id: int) -> None:
        if host_id in self._links:
            self._links.pop(host_id)[0].close()

    async def _learn(self) -> None:
        host = self._rng.choice(self._hosts)
        try:
            names = list(dict.fromkeys(name for name, _ in self.positions))
            await self._view.look((await self._link(host))[0], names, RESPONSE_S)
        except LinkLostError:
            self._hang_up(host.id)

    async def _fetch(self, host: Host) -> bool:
        """Fetch once from a broker. Returns whether it leads what it was believed to lead."""
        link, session = await self._link(host)
        asked = self._want(session, host.id)
        if not len(session):
            return False
        wanted = session.next_request()
        request = FetchRequest(
            replica_id=-1,
            max_wait_ms=500 if self.catches_up else self._rng.choice((0, 50, 500)),
            min_bytes=1 if self.catches_up else self._rng.choice((0, 1, 1000)),
            max_bytes=max(self._rng.choice((500, 1 << 20)), CATCHING_UP_BYTES if self.catches_up else 0),
            isolation_level=self.isolation_level,
            session_id=wanted.session_id,
            session_epoch=wanted.session_epoch,
            topics=fetch_topics(wanted.partitions),
            forgotten_topics_data=forgotten_topics(wanted.forgotten),
        )
        response = await link.ask(request, RESPONSE_S)
        assert isinstance(response, FetchResponse)
        found = {
            (topic.topic_id, each.partition_index): each
            for topic in response.responses
            for each in topic.partitions
        }
        is_usable = session.handle_response(
            error_code=response.error_code, session_id=response.session_id, keys=found.keys()
        )
        names = {topic_id: name for name, topic_id in self._view.topic_ids.items()}
        is_current = True
        for (topic_id, index), data in found.items() if is_usable else ():
            place = (names[topic_id], index)
            is_current &= self._take(place, link, asked[place], data)
        return is_current

    def _want(self, session: FetcherSession, host_id: int) -> dict[Place, int]:
        """Say what is wanted of a broker. Returns the partitions, with the leader epoch of each."""
        asked = {}
        for place, position in self.positions.items():
            topic_id = self._view.topic_ids[place[0]]
            leader, epoch = self._view.leaders[place]
            if leader != host_id and not self._reads_anywhere:
                session.forget((topic_id, place[1]))
                continue
            asked[place] = epoch
            session.want(
                PartitionFetch(
                    topic_id=topic_id,
                    topic_name=None,
                    index=place[1],
                    fetch_offset=position.offset,
                    max_bytes=CATCHING_UP_BYTES if self.catches_up else 700,
                    current_leader_epoch=epoch,
                    # A follower that has less is not another log.
                    last_fetched_epoch=-1 if self._reads_anywhere else position.epoch,
                )
            )
        return asked

    def _take(self, place: Place, link: Link, epoch: int, data: FetchResponse.PartitionData) -> bool:
        position = self.positions[place]
        if data.error_code in _LOOK_AGAIN:
            return False
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            start = self._ledger.start_of(place)
            if position.offset < start:
                self.positions[place] = _Position(start)
                return True
            is_follower = self._view.leaders[place] != (link.host.id, epoch)
            if is_follower or not self._ledger.is_open(link.host, place) or link.host.life != link.life:
                # A follower that has less, or a leader of whose deletions nothing is known any more.
                return False
        if data.error_code or data.diverging_epoch.epoch >= 0:
            what = f"node {link.host.id} says {data.error_code}, {data.diverging_epoch}"
            self._ledger.refused(place, f"a consumer is at {position}, and {what}")
            self.positions[place] = _Position()
            return False
        self._ledger.told(place, self.address, link.host, link.life, epoch, data.high_watermark)
        records, at = b"".join(pieces(data)), 0
        self._took(place, position.offset, records, data)
        while (found := batch_at(records, at)) is not None:
            batch, size = found
            at += size
            if batch.next_offset > position.offset:
                if batch.base_offset > position.offset:
                    self._ledger.refused(place, f"a consumer at {position} gets {batch}")
                self._ledger.consumed(place, batch)
                position.offset, position.epoch = batch.next_offset, batch.epoch
        if position.offset > data.high_watermark and at:
            self._ledger.refused(
                place, f"a consumer gets records up to {position}, {data.high_watermark} is committed"
            )
        return True

    def _took(self, place: Place, offset: int, records: bytes, data: FetchResponse.PartitionData) -> None:
        """What the response has for a consumer that is at an offset."""


def pieces(data: FetchResponse.PartitionData | ShareFetchResponse.PartitionData) -> list[bytes]:
    """The records of a response, as they came."""
    records = data.records
    if not records:
        return []
    return [bytes(each) for each in records] if isinstance(records, list) else [bytes(records)]
