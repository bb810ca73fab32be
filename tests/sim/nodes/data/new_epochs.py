"""Producers that begin new epochs of their own, as Kafka's clients do (KIP-360), and keep sending while responses come.

If a batch is refused because one before it was refused, librdkafka begins a new epoch in all partitions; the Java
client sends both again. If the oldest batch is refused, librdkafka gives up, and the Java client begins a new epoch in
that partition; the others follow once nothing of the old epoch waits. Both begin one if they give up a batch. What
waits is then numbered anew from 0. So a record that was written, but not acknowledged, may be written again. Brokers
promise only that each record is there once in an epoch.
"""

from __future__ import annotations

from typing import Any

import trio

from tests.sim.nodes.data.link import Link, Place
from tests.sim.nodes.data.producers import MOST_IN_FLIGHT, RESPONSE_S, Producer, Sent

_EXPIRED_SHARE = 0.02
"""The part of the turns in which the oldest batch of a partition is given up."""
_PAUSED_SHARE = 0.3
"""The part of the requests behind which the next one waits a moment: what a broker may do has changed until then."""
_MOST_MORE = 20
"""Batches that are sent while responses come."""


class EpochProducer(Producer):
    """One client, with acks=all."""

    def __init__(self, *given: Any, is_java: bool, **more: Any) -> None:
        """``is_java``: as the Java client, and not as librdkafka."""
        super().__init__(*given, acks=-1, **more)
        self._is_java = is_java
        self._epochs = dict.fromkeys(self._queues, 0)
        """The epoch of what waits for each partition."""
        self._gaps: list[Place] = []
        """Partitions that want a new epoch."""
        self._more = 0

    async def _begin(self) -> bool:
        self._gaps.clear()
        has_begun = await super()._begin()
        if self._producer is not None:
            self._epochs = dict.fromkeys(self._queues, self._producer[1])
        return has_begun

    def _number_batch(self, place: Place, sent: Sent) -> None:
        assert self._producer is not None, "batches are made for a producer id"
        producer_id, epoch = self._producer
        if not self._queues[place] and self._epochs[place] < epoch:
            self._epochs[place] = epoch
            self._sequences[place] = 0
        sent.number((producer_id, self._epochs[place]), self._sequences[place])
        self._sequences[place] += sent.count

    async def _pause(self, link: Link) -> None:
        if self._rng.random() < _PAUSED_SHARE:
            await link.flush(RESPONSE_S)
            await trio.sleep(self._rng.uniform(0.01, 0.3))

    def _send_more(
        self, link: Link, batches: dict[int, dict[Place, Sent]], version: int, places: list[Place]
    ) -> None:
        for place in places:
            queue = self._queues[place]
            in_flight = sum(place in named for named in batches.values())
            if (
                self._producer is not None
                and not self.is_over
                and self._has_been_acknowledged[place]
                # Something was refused: it is sent again once nothing is in flight.
                and in_flight == len(queue) < MOST_IN_FLIGHT
                and self._more < _MOST_MORE
                and self._rng.random() < 0.6
            ):
                sent = self._new_batch(place)
                queue.append(sent)
                batches[self._send_batches(link, {place: sent}, version)] = {place: sent}
                self._more += 1

    def _out_of_order(self, place: Place, sent: Sent) -> None:
        self._ledger.counts["batches out of order"] += 1
        is_oldest = sent is self._queues[place][0]
        if is_oldest and not self._is_java:
            self._begin_again()
        elif is_oldest or not self._is_java:
            self._gaps.append(place)

    def _between_requests(self) -> None:
        self._more = 0
        for place, queue in self._queues.items():
            if queue and queue[0].lives and self._rng.random() < _EXPIRED_SHARE:
                queue.popleft()
                self._ledger.counts["batches given up"] += 1
                self._gaps.append(place)
        gaps, self._gaps = self._gaps, []
        if gaps and self._producer is not None:
            producer_id, epoch = self._producer
            self._producer = producer_id, epoch + 1
            self._ledger.counts["epochs begun"] += 1
            for place in gaps if self._is_java else self._queues:
                self._number_anew(place, epoch + 1)

    def _number_anew(self, place: Place, epoch: int) -> None:
        self._epochs[place] = epoch
        self._sequences[place] = 0
        for sent in self._queues[place]:
            if self._ledger.shows(place, sent.producer, sent.sequence):
                self._ledger.counts["written in two epochs"] += 1
            self._number_batch(place, sent)
