"""Producers: several batches in flight, sent again in their order until they are acknowledged, as Kafka's do it."""

from __future__ import annotations

import random
import struct
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import trio

from kafkaproto.connection import IncomingResponse
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import InitProducerIdRequest, InitProducerIdResponse, ProduceRequest, ProduceResponse
from kafkaproto.records.batch import NewRecord, build_batch
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import ClusterView, Link, LinkLostError, Place
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.network import NetHost

MOST_IN_FLIGHT = 5
"""Of one partition: a broker remembers so many batches of a producer."""
RESPONSE_S = 4.0
FIRST_VERSION_WITH_TOPIC_IDS = 13
_CRC_AT = 17
_RETRIED = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)


@dataclass(slots=True, eq=False)
class Sent:
    """A batch on its way."""

    records: list[NewRecord]
    timestamp_ms: int
    compression: int
    data: bytes = b""
    """As it is sent in an epoch of the producer."""
    producer: tuple[int, int] = (-1, -1)
    sequence: int = -1
    lives: dict[int, int] = field(default_factory=dict)
    """The hosts that it was sent to in that epoch, with their lives when that was done for the first time."""

    @property
    def count(self) -> int:
        return len(self.records)

    @property
    def end(self) -> tuple[tuple[int, int], int]:
        """The epoch and sequence of what follows."""
        return self.producer, self.sequence + self.count

    @property
    def crc(self) -> int:
        return int(struct.unpack_from(">I", self.data, _CRC_AT)[0])

    def number(self, producer: tuple[int, int], sequence: int) -> None:
        """Give it its place in an epoch of the producer."""
        self.producer, self.sequence = producer, sequence
        self.lives = {}
        self.data = build_batch(
            self.records,
            base_offset=0,
            timestamp_ms=self.timestamp_ms,
            compression=self.compression,
            producer_id=producer[0],
            producer_epoch=producer[1],
            base_sequence=sequence,
        )


class Producer:
    """One client. With acks=all it is idempotent; with acks=1 it sends each batch once, and is promised nothing."""

    def __init__(
        self,
        net: NetHost,
        hosts: Sequence[Host],
        ledger: Ledger,
        rng: random.Random,
        places: Sequence[Place],
        *,
        acks: int,
    ) -> None:
        self._net = net
        self._hosts = [host for host in hosts if host.is_broker]
        self._ledger = ledger
        self._rng = rng
        self._acks = acks
        self._view = ClusterView()
        self._links: dict[int, Link] = {}
        self._number = 0
        self._producer: tuple[int, int] | None = None
        self._queues: dict[Place, deque[Sent]] = {place: deque() for place in places}
        self._sequences: dict[Place, int] = dict.fromkeys(places, 0)
        self._has_been_acknowledged: dict[Place, bool] = dict.fromkeys(places, False)
        self._appended: dict[Place, Sent] = {}
        """The batch of each partition that a broker has appended last, by its response."""
        self._told: dict[Place, int] = {}
        """The newest error codes."""
        self.address = net.address
        self.is_over = False
        """Send what there is, and one more batch to each partition, and end."""
        self.is_done = False

    @property
    def state(self) -> str:
        """What it waits for, in words."""
        queues = {place: [each.sequence for each in queue] for place, queue in self._queues.items() if queue}
        return f"{self._net.name} {self._producer} produces {queues} to {self._view.leaders}, was told {self._told}"

    async def run(self) -> None:
        """Produce."""
        is_last = False
        while True:
            await trio.sleep(self._rng.expovariate(1 / 0.15))
            if self._acks == -1 and self._producer is None and not await self._begin():
                continue
            for place, queue in self._queues.items():
                for _ in range(1 if self.is_over else self._rng.choice((0, 0, 1, 1, 2, 4))):
                    if len(queue) < MOST_IN_FLIGHT and not is_last:
                        queue.append(self._new_batch(place))
            is_last = is_last or self.is_over
            await self._send_to_one()
            self._between_requests()
            if is_last and not any(self._queues.values()):
                break
        for link in self._links.values():
            link.close()
        self.is_done = True

    def _between_requests(self) -> None:
        """Nothing is in flight."""

    def _new_records(self, place: Place, count: int) -> list[NewRecord]:
        records = []
        for _ in range(count):
            self._number += 1
            value = f"{self._net.name} {self._number} ".encode() + bytes(self._rng.choice((0, 10, 300)))
            records.append(NewRecord(key=b"key", value=value))
        return records

    def _new_batch(self, place: Place) -> Sent:
        records = self._new_records(place, self._rng.choice((1, 1, 2, 5)))
        sent = Sent(
            records, round(trio.current_time() * 1000) + 1_800_000_000_000, self._rng.choice((0, 0, 1))
        )
        self._number_batch(place, sent)
        return sent

    def _number_batch(self, place: Place, sent: Sent) -> None:
        sent.number(self._producer or (-1, -1), self._sequences[place] if self._producer else -1)
        self._sequences[place] += sent.count

    async def _begin(self) -> bool:
        """Get a producer id."""
        host = self._rng.choice(self._hosts)
        try:
            response = await (await self._link(host)).ask(
                InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=2**31 - 1), RESPONSE_S
            )
        except LinkLostError:
            self._hang_up(host.id)
            return False
        assert isinstance(response, InitProducerIdResponse)
        if response.error_code:
            return False
        self._producer = (response.producer_id, response.producer_epoch)
        return True

    async def _link(self, host: Host) -> Link:
        if host.id not in self._links:
            self._links[host.id] = await Link.connect(self._net, host)
        return self._links[host.id]

    def _hang_up(self, host_id: int) -> None:
        link = self._links.pop(host_id, None)
        if link is not None:
            link.close()

    # -- batches -------------------------------------------------------------------------------------------------

    async def _send_to_one(self) -> None:
        waiting = [place for place, queue in self._queues.items() if queue]
        leaders = sorted({self._view.leaders[each][0] for each in waiting if each in self._view.leaders})
        hosts = [host for host in self._hosts if host.id in leaders]
        if not hosts:
            await self._learn()
            return
        host = self._rng.choice(hosts)
        places = [each for each in waiting if self._view.leaders.get(each, (-1, -1))[0] == host.id]
        try:
            is_current = await self._send(await self._link(host), places)
        except LinkLostError:
            self._hang_up(host.id)
            is_current = False
        if not is_current or self._rng.random() < 0.05:
            await self._learn()
        if self._rng.random() < 0.02:
            self._hang_up(host.id)

    async def _learn(self) -> None:
        host = self._rng.choice(self._hosts)
        try:
            names = list(dict.fromkeys(name for name, _ in self._queues))
            await self._view.look(await self._link(host), names, RESPONSE_S)
        except LinkLostError:
            self._hang_up(host.id)

    async def _send(self, link: Link, places: list[Place]) -> bool:
        """Send what waits for a broker, and take the responses. Returns whether the broker leads all of it."""
        low, high = link.versions_of(ProduceRequest)
        version = high if self._rng.random() < 0.6 else self._rng.randint(low, high)
        batches: dict[int, dict[Place, Sent]] = {}
        is_one_by_one = self._rng.random() < 0.1
        depth = max(len(self._queues[each]) for each in places)
        for number in range(1 if is_one_by_one else depth):
            named = {
                place: self._queues[place][number]
                for place in places
                # Of a producer that a leader does not know, it takes any sequence for the first.
                if number < (len(self._queues[place]) if self._has_been_acknowledged[place] else 1)
            }
            if named:
                batches[self._send_batches(link, named, version)] = named
                await self._pause(link)
        if self._acks != -1:
            for place in places:
                self._queues[place].clear()
        is_current = True
        while batches:
            event = await link.receive(RESPONSE_S)
            assert isinstance(event, IncomingResponse)
            assert isinstance(event.response, ProduceResponse)
            is_current &= self._take(event.response, batches.pop(event.correlation_id), version, link)
            self._send_more(link, batches, version, places)
        return is_current

    async def _pause(self, link: Link) -> None:
        """Before the next request is sent."""

    def _send_batches(self, link: Link, named: dict[Place, Sent], version: int) -> int:
        """The request's correlation id."""
        for sent in named.values():
            sent.lives.setdefault(link.host.id, link.life)
        return link.send(self._request(named, version), version)

    def _send_more(
        self, link: Link, batches: dict[int, dict[Place, Sent]], version: int, places: list[Place]
    ) -> None:
        """A response came; ``batches`` are in flight."""

    def _request(self, named: dict[Place, Sent], version: int) -> ProduceRequest:
        topics: dict[str, ProduceRequest.TopicProduceData] = {}
        for (name, index), sent in named.items():
            if name not in topics:
                topics[name] = ProduceRequest.TopicProduceData()
                if version >= FIRST_VERSION_WITH_TOPIC_IDS:
                    topics[name].topic_id = self._view.topic_ids[name]
                else:
                    topics[name].name = name
                topics[name].partition_data = []
            topics[name].partition_data.append(
                ProduceRequest.PartitionProduceData(index=index, records=sent.data)
            )
        return ProduceRequest(
            transactional_id=None,
            acks=self._acks,
            timeout_ms=self._rng.choice((50, 500, 3000)),
            topic_data=list(topics.values()),
        )

    def _take(self, response: ProduceResponse, named: dict[Place, Sent], version: int, link: Link) -> bool:
        names = {topic_id: name for name, topic_id in self._view.topic_ids.items()}
        is_current = True
        for topic in response.responses:
            name = names[topic.topic_id] if version >= FIRST_VERSION_WITH_TOPIC_IDS else topic.name
            for each in topic.partition_responses:
                place = (name, each.index)
                is_current &= self._take_one(place, named[place], each, link)
        return is_current

    def _take_one(
        self, place: Place, sent: Sent, each: ProduceResponse.PartitionProduceResponse, link: Link
    ) -> bool:
        if self._acks != -1:
            return not each.error_code
        queue = self._queues[place]
        if sent not in queue:
            # The session it belonged to is over.
            return True
        self._told[place] = each.error_code
        if each.base_offset >= 0 or each.error_code == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND:
            self._appended[place] = sent
        if each.error_code == ErrorCode.NONE:
            self._acknowledged(place, each.base_offset, sent)
            # An earlier one may have timed out, and be there all the same.
            queue.remove(sent)
            self._has_been_acknowledged[place] = True
            return True
        if each.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
            self._check_refusal(place, sent, link)
            self._out_of_order(place, sent)
        elif each.error_code not in _RETRIED:
            self._ledger.refused(place, f"a producer was told {each.error_code}, {each.error_message}")
            self._begin_again()
        return False

    def _acknowledged(self, place: Place, base_offset: int, sent: Sent) -> None:
        self._ledger.acknowledged(place, base_offset, sent.crc)

    def _check_refusal(self, place: Place, sent: Sent, link: Link) -> None:
        """Raise ViolationError if a broker did not take a batch for the next one, or for one that it has, and had no
        reason.

        A leader that has read its producers from a snapshot knows only the last batch of each, as Kafka's; it may
        refuse an older one that it has.
        """
        before = self._appended.get(place)
        if sent is self._queues[place][0]:
            if not self._ledger.holds(place, sent.producer, sent.sequence):
                what = f"{sent.producer} may not continue with sequence {sent.sequence}"
                self._ledger.refused(place, what, NodeInvariant.ONCE_AND_IN_ORDER)
            must_be_known = sent
        elif before is not None and before.end == (sent.producer, sent.sequence):
            must_be_known = before
        else:
            return
        life = must_be_known.lives.get(link.host.id)
        if life == link.life and self._ledger.must_know(
            place, link.host, life, must_be_known.producer, must_be_known.sequence
        ):
            what = (
                f"node {link.host.id} does not remember sequence {must_be_known.sequence} of {sent.producer}"
            )
            self._ledger.refused(place, what, NodeInvariant.ONCE_AND_IN_ORDER)

    def _out_of_order(self, place: Place, sent: Sent) -> None:
        """A batch does not follow, because one before it was refused; or it is the oldest."""
        if sent is self._queues[place][0]:
            self._begin_again()

    def _begin_again(self) -> None:
        """Begin another session."""
        self._ledger.counts["producers begun again"] += 1
        self._producer = None
        for each, queue in self._queues.items():
            queue.clear()
            self._sequences[each] = 0
            self._has_been_acknowledged[each] = False
