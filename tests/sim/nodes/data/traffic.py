"""All clients of records in one run."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import trio

from tests.sim.nodes.data.consumers import Consumer
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place, make_topic
from tests.sim.nodes.data.logs import PREFIX
from tests.sim.nodes.data.new_epochs import EpochProducer
from tests.sim.nodes.data.odd_batches import OddProducer
from tests.sim.nodes.data.operators import MOVE_PAUSE_S, Deleter, Mover
from tests.sim.nodes.data.producers import Producer
from tests.sim.nodes.data.tables import TABLE, TOPIC_CONFIG, Tables, TableWriter
from tests.sim.nodes.host import Host
from tests.sim.nodes.network import Net

CONFIG: Mapping[str, str] = {
    "replica.lag.time.max.ms": "2000",
    "replica.high.watermark.checkpoint.interval.ms": "1000",
    "replica.fetch.wait.max.ms": "200",
    "replica.fetch.backoff.ms": "200",
    "replica.socket.timeout.ms": "3000",
    "log.initial.task.delay.ms": "500",
    "log.retention.check.interval.ms": "500",
    "log.flush.offset.checkpoint.interval.ms": "1000",
    "log.flush.start.offset.checkpoint.interval.ms": "1000",
}
"""Smaller than the defaults, so that all of it happens within seconds."""


FIRST_WITH_RECORDS = 1_000_000
"""From this seed on, all runs have records, up to those that have groups; of the others, some."""
WITH_NEW_EPOCHS = range(3_250_000, 3_500_000)
"""Seeds whose runs have records, and idempotent producers that begin new epochs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """What a seed draws of records."""

    partitions: int
    """Of each of two topics; the second one has ``min.insync.replicas`` 1."""
    replicas: int
    segment_bytes: int
    idempotent: int
    """Producers with acks=all."""
    others: int
    """Producers with acks=1."""
    consumers: int
    reads_anywhere: bool
    """Whether consumers read from followers, too."""
    deletes: bool
    """Whether somebody deletes records."""
    retention_bytes: int
    """Of each partition; -1 for no limit."""
    moves: bool
    """Whether somebody has other replicas lead."""
    are_java: tuple[bool, ...] = ()
    """Whether each of the idempotent producers begins new epochs as the Java client does, and not as librdkafka; empty
    if they begin none."""
    movers: int = 0
    """Clients that have other replicas lead, beside the one of ``moves``, each those of one partition."""
    deletes_boldly: bool = False
    """Whether who deletes records names parts of batches, too, and what is not committed."""
    move_pause_s: float = MOVE_PAUSE_S
    """The mean time between two of their moves."""
    table_keys: int = 0
    """Of a compacted topic; 0 for none."""
    has_odd_batches: bool = False
    """Whether somebody sends what Apache Kafka refuses, or finds hard to read."""


def draw_data(seed: int, brokers: int) -> DataOptions | None:
    """The options of a seed; None for a run without records."""
    rng = random.Random(f"data options {seed}")
    if seed < FIRST_WITH_RECORDS and (brokers < 2 or rng.random() < 0.65):
        return None
    partitions = rng.randint(1, 3)
    segment_bytes = rng.choice((1500, 6000, 2**30))
    options = DataOptions(
        partitions=partitions,
        replicas=min(3, brokers),
        segment_bytes=segment_bytes,
        idempotent=rng.randint(1, 2),
        others=rng.choice((0, 1)),
        consumers=rng.randint(1, 2),
        reads_anywhere=rng.random() < 0.4,
        deletes=rng.random() < 0.3,
        retention_bytes=3000 if segment_bytes == 1500 and rng.random() < 0.4 else -1,
        moves=rng.random() < 0.4,
    )
    if seed not in WITH_NEW_EPOCHS:
        return options
    return replace(options, are_java=tuple(rng.random() < 0.4 for _ in range(options.idempotent)))


class DataTraffic:
    """Producers, consumers, and the ledger that they keep."""

    def __init__(self, seed: int, options: DataOptions, net: Net, hosts: Sequence[Host]) -> None:
        rng = random.Random(f"data {seed}")
        self._options = options
        self._hosts = [host for host in hosts if host.is_broker]
        self._operator = net.host("data-operator")
        self._min_isr = {f"{PREFIX}two": 2, f"{PREFIX}one": 1}
        places = [(name, index) for name in self._min_isr for index in range(options.partitions)]
        tables = [(TABLE, 0)] if options.table_keys else []
        self._min_isr.update((name, 2) for name, _ in tables)
        min_isr = {place: self._min_isr[place[0]] for place in (*places, *tables)}
        self.ledger = Ledger(hosts, rng, min_isr, tables)
        self._tables = Tables(self.ledger)
        self.producers = [
            self._producer(number, net, hosts, random.Random(rng.getrandbits(64)), places)
            for number in range(options.idempotent + options.others)
        ]
        self.producers += [
            TableWriter(
                net.host("table-writer"),
                hosts,
                self.ledger,
                random.Random(f"tables {seed}"),
                tables,
                tables=self._tables,
                keys=options.table_keys,
            )
            for _ in tables
        ]
        self._places = places
        self.consumers = [
            Consumer(
                net.host(f"consumer{number}"),
                hosts,
                self.ledger,
                random.Random(rng.getrandbits(64)),
                places,
                reads_anywhere=options.reads_anywhere and number == 0,
            )
            for number in range(options.consumers)
        ]
        self._operators = self._make_operators(seed, net, hosts, rng)
        self._odd_producers = [
            OddProducer(
                net.host("odd-producer"),
                hosts,
                random.Random(f"odd batches {seed}"),
                self.ledger.counts,
                options.replicas,
            )
            for _ in range(options.has_odd_batches)
        ]
        self._are_topics_made = False

    def _make_operators(
        self, seed: int, net: Net, hosts: Sequence[Host], rng: random.Random
    ) -> list[Deleter | Mover]:
        options, places = self._options, self._places
        deleter = partial(Deleter, is_bold=options.deletes_boldly)
        kinds: list[tuple[str, Callable[..., Deleter | Mover]]] = []
        if options.deletes:
            kinds.append(("deleter", deleter))
        if options.moves:
            kinds.append(("mover", Mover))
        operators = [
            kind(net.host(name), hosts, self.ledger, random.Random(rng.getrandbits(64)), places)
            for name, kind in kinds
        ]
        operators += [
            Mover(
                net.host(f"mover{number}"),
                hosts,
                self.ledger,
                random.Random(f"mover {number} {seed}"),
                # Its leaders lead again before what they were told in their earlier terms is forgotten.
                [places[number % len(places)]],
                pause_s=options.move_pause_s,
            )
            for number in range(options.movers)
        ]
        return operators

    def _producer(
        self, number: int, net: Net, hosts: Sequence[Host], rng: random.Random, places: Sequence[Place]
    ) -> Producer:
        options, host = self._options, net.host(f"producer{number}")
        if number < len(options.are_java):
            is_java = options.are_java[number]
            return EpochProducer(host, hosts, self.ledger, rng, places, is_java=is_java)
        acks = -1 if number < options.idempotent else 1
        return Producer(host, hosts, self.ledger, rng, places, acks=acks)

    @property
    def addresses(self) -> list[str]:
        """Of all clients."""
        clients: list[Producer | Consumer | Deleter | Mover | OddProducer] = [
            *self.producers,
            *self.consumers,
            *self._operators,
            *self._odd_producers,
        ]
        return [self._operator.address, *(each.address for each in clients)]

    async def run(self) -> None:
        """Make the topics, and run all clients."""
        for name, min_isr in self._min_isr.items():
            await make_topic(
                self._operator,
                self._hosts,
                name,
                1 if name == TABLE else self._options.partitions,
                self._options.replicas,
                {
                    **(TOPIC_CONFIG if name == TABLE else {}),
                    "min.insync.replicas": str(min_isr),
                    "retention.bytes": str(self._options.retention_bytes),
                    # Clocks jump by an hour and more.
                    "message.timestamp.after.max.ms": str(2**63 - 1),
                },
            )
        self._are_topics_made = True
        async with trio.open_nursery() as nursery:
            for producer in self.producers:
                nursery.start_soon(producer.run)
            for client in (*self.consumers, *self._operators, *self._odd_producers):
                nursery.start_soon(client.run)

    def finish(self) -> None:
        """Have the producers send what there is, and end."""
        for client in (*self.producers, *self._operators, *self._odd_producers):
            client.is_over = True
        for consumer in self.consumers:
            consumer.catches_up = True

    async def check_at_last(self) -> None:
        """Raise ViolationError for what is lost, doubled or out of order in a cluster at rest."""
        self.ledger.look()
        self.ledger.check_at_last()
        self._tables.check_at_last()

    def end(self) -> None:
        """Have the consumers end."""
        for consumer in self.consumers:
            consumer.is_over = True

    def unfinished(self) -> list[str]:
        """What is left to be done in a cluster at rest."""
        if not self._are_topics_made:
            return ["topics are not made"]
        found = [each.state for each in self.producers if not each.is_done]
        found += self.ledger.unsettled()
        if found:
            return found
        for place in self._places:
            ends = self.ledger.ends_of(place)
            positions = {each.positions[place].offset for each in self.consumers}
            if positions != ends:
                found.append(f"{place}: consumers are at {sorted(positions)}, logs end at {sorted(ends)}")
        return found
