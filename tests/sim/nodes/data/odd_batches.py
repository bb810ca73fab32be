"""A client that sends batches as no client of Kafka writes them, and what is hard to read: all that was once sent to
Apache Kafka to see what it responds (`tests.core.replicas.support.produce_answers`).

Their topics are their own. What Kafka refuses has to be refused, whoever leads and whatever has failed; what it takes
may be refused here, as leaders change, clocks jump and producers have sent something before.
"""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import trio

from kafkaproto.connection import IncomingResponse
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ProduceRequest, ProduceResponse
from tests.core.replicas.support.produce_answers import Answer, answers, expected_error, topics
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.link import ClusterView, Link, LinkLostError, make_topic
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.network import NetHost

PREFIX = "odd-"
"""Of the topics."""
TOPICS = 4
"""Of a run; each takes some of the brokers' descriptors."""
LARGEST_BYTES = 20_000
"""Narrow links carry little more in the time that a client waits."""
PAUSE_S = 0.2
"""Mean."""
RESPONSE_S = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OddBatch:
    """What is sent, and whether it has to be refused."""

    answer: Answer
    is_refused: bool


@functools.cache
def odd_batches() -> Mapping[str, Sequence[OddBatch]]:
    """By topic."""
    found: dict[str, list[OddBatch]] = {}
    for answer in answers():
        if len(answer.sent) > LARGEST_BYTES:
            continue
        error = expected_error(answer)
        # Which timestamps are too old or too young depends on the day.
        is_refused = error not in (ErrorCode.NONE, ErrorCode.INVALID_TIMESTAMP)
        found.setdefault(answer.topic, []).append(OddBatch(answer=answer, is_refused=is_refused))
    return found


class OddProducer:
    """Sends them one by one, until it is over."""

    def __init__(
        self, net: NetHost, hosts: Sequence[Host], rng: random.Random, counts: Counter[str], replicas: int
    ) -> None:
        """``counts``: of what became of them. ``replicas``: of each topic."""
        self._net = net
        self._hosts = [host for host in hosts if host.is_broker]
        self._rng = rng
        self._counts = counts
        self._replicas = replicas
        self._names = rng.sample(sorted(odd_batches()), TOPICS)
        self._view = ClusterView()
        self.address = net.address
        self.is_over = False

    async def run(self) -> None:
        """Make the topics, and send."""
        for name in self._names:
            configs = dict(topics()[name])
            await make_topic(self._net, self._hosts, f"{PREFIX}{name}", 1, self._replicas, configs)
        while not self.is_over:
            await trio.sleep(self._rng.expovariate(1 / PAUSE_S))
            name = self._rng.choice(self._names)
            leader, _ = self._view.leaders.get((f"{PREFIX}{name}", 0), (-1, -1))
            hosts = [host for host in self._hosts if host.id == leader]
            link = None
            try:
                link = await Link.connect(self._net, *hosts or self._rng.sample(self._hosts, 1))
                if hosts:
                    await self._send(link, name)
                else:
                    await self._view.look(link, [f"{PREFIX}{each}" for each in self._names], RESPONSE_S)
            except LinkLostError:
                self._view.leaders.clear()
            finally:
                if link is not None:
                    link.close()

    async def _send(self, link: Link, name: str) -> None:
        odd = self._rng.choice(odd_batches()[name])
        answer = odd.answer
        request = ProduceRequest(
            transactional_id=None,
            acks=self._rng.choice((-1, 1)),
            timeout_ms=1000,
            topic_data=[
                ProduceRequest.TopicProduceData(
                    name=f"{PREFIX}{name}",
                    partition_data=[ProduceRequest.PartitionProduceData(index=0, records=answer.sent)],
                )
            ],
        )
        link.send(request, answer.version)
        event = await link.receive(RESPONSE_S)
        assert isinstance(event, IncomingResponse)
        assert isinstance(event.response, ProduceResponse)
        (told,) = (each for topic in event.response.responses for each in topic.partition_responses)
        code = ErrorCode(told.error_code)
        self._counts["odd batches taken" if code is ErrorCode.NONE else "odd batches refused"] += 1
        if code is ErrorCode.NOT_LEADER_OR_FOLLOWER:
            self._view.leaders.clear()
        if code is ErrorCode.NONE and odd.is_refused:
            what = (
                f"node {link.host.id} takes a batch that Apache Kafka refuses: {answer.topic}, {answer.name}"
            )
            raise ViolationError(NodeInvariant.ODD_BATCHES_REFUSED, what)
