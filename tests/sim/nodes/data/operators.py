"""Operators: who deletes the oldest records now and then, and who has other replicas lead."""

from __future__ import annotations

import abc
import random
from collections.abc import Sequence
from typing import Any

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    ElectLeadersRequest,
)
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Link, LinkLostError, Place
from tests.sim.nodes.host import Host
from tests.sim.nodes.network import NetHost

DELETION_PAUSE_S = 1.5
MOVE_PAUSE_S = 0.6
"""Means."""
RESPONSE_S = 4.0
HIGH_WATERMARK = -1
_PREFERRED = 0


class _Operator(abc.ABC):
    """One client, with a connection for each thing that it does."""

    pause_s: float

    def __init__(
        self,
        net: NetHost,
        hosts: Sequence[Host],
        ledger: Ledger,
        rng: random.Random,
        places: Sequence[Place],
    ) -> None:
        self._net = net
        self._hosts = [host for host in hosts if host.is_broker]
        self._ledger = ledger
        self._rng = rng
        self._places = places
        self.address = net.address
        self.is_over = False

    async def run(self) -> None:
        """Do it again and again."""
        while not self.is_over:
            await trio.sleep(self._rng.expovariate(1 / self.pause_s))
            host, link = self._rng.choice(self._hosts), None
            try:
                link = await Link.connect(self._net, host)
                await self._act(link, self._rng.choice(self._places))
            except LinkLostError:
                continue
            finally:
                if link is not None:
                    link.close()

    @abc.abstractmethod
    async def _act(self, link: Link, place: Place) -> None:
        """Do it once, to this partition."""


class Deleter(_Operator):
    """Deletes records."""

    pause_s = DELETION_PAUSE_S

    def __init__(self, *given: Any, is_bold: bool = False) -> None:
        """``is_bold``: it also deletes a part of a batch, and what is not committed."""
        super().__init__(*given)
        self._is_bold = is_bold

    def _offset(self, place: Place) -> int:
        batches = self._ledger.known[place].shown
        shown = sorted(batches)
        if self._is_bold and shown and self._rng.random() < 0.1:
            return batches[shown[-1]][0] + self._rng.randint(1, 20)
        early = shown[: len(shown) // 2]
        if not early or self._rng.random() >= 0.8:
            return HIGH_WATERMARK
        offset = self._rng.choice(early)
        return self._rng.randrange(offset, batches[offset][0]) if self._is_bold else offset

    async def _act(self, link: Link, place: Place) -> None:
        """Ask whoever this is; only a leader does it."""
        offset = self._offset(place)
        partition = DeleteRecordsRequest.DeleteRecordsPartition(partition_index=place[1], offset=offset)
        response = await link.ask(
            DeleteRecordsRequest(
                topics=[DeleteRecordsRequest.DeleteRecordsTopic(name=place[0], partitions=[partition])],
                timeout_ms=self._rng.choice((100, 3000)),
            ),
            RESPONSE_S,
        )
        assert isinstance(response, DeleteRecordsResponse)
        result = response.topics[0].partitions[0]
        if result.error_code == ErrorCode.NONE:
            self._ledger.counts["deletions"] += 1
            if not offset <= result.low_watermark <= self._ledger.start_of(place):
                what = f"{result.low_watermark} is the low watermark once all before {offset} is deleted"
                self._ledger.refused(place, what)


class Mover(_Operator):
    """Has any replica of the ISR lead: puts it first, and asks for an election."""

    def __init__(self, *given: Any, pause_s: float = MOVE_PAUSE_S) -> None:
        super().__init__(*given)
        self.pause_s = pause_s

    async def _act(self, link: Link, place: Place) -> None:
        replicas = next(
            (list(each.partition.replicas) for _, at, each in self._ledger.replicas() if at == place), []
        )
        self._rng.shuffle(replicas)
        partition = AlterPartitionReassignmentsRequest.ReassignablePartition(
            partition_index=place[1], replicas=replicas
        )
        topic = AlterPartitionReassignmentsRequest.ReassignableTopic(name=place[0], partitions=[partition])
        await link.ask(AlterPartitionReassignmentsRequest(topics=[topic], timeout_ms=2000), RESPONSE_S)
        led = ElectLeadersRequest.TopicPartitions(topic=place[0], partitions=[place[1]])
        request = ElectLeadersRequest(election_type=_PREFERRED, topic_partitions=[led], timeout_ms=2000)
        await link.ask(request, RESPONSE_S)
        self._ledger.counts["moves"] += 1
