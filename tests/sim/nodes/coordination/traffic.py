"""All clients of groups and transactions in one run.

Records go into the partitions of one topic; the workers of a group write a result for each into those of another, in
transactions. Members of two more groups, one of each protocol, only commit offsets, and so do those of a streams group.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import trio

from kafkaproto.messages import IncrementalAlterConfigsRequest
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from tests.sim.nodes.coordination.classic_members import ClassicMember
from tests.sim.nodes.coordination.client import CoordinatedClient
from tests.sim.nodes.coordination.consumer_members import ConsumerMember
from tests.sim.nodes.coordination.dead_letters import (
    DEAD_LETTERS,
    NODE_CONFIG,
    TOPIC_CONFIG,
    DeadLetterChecker,
    DeadLetterOptions,
    draw_dead_letters,
)
from tests.sim.nodes.coordination.moving_members import MovingMember
from tests.sim.nodes.coordination.offset_administrators import OffsetAdministrator
from tests.sim.nodes.coordination.promises import (
    Coordinators,
    GroupPromises,
    MixedPromises,
    TransactionPromises,
)
from tests.sim.nodes.coordination.readers import CommittedReader
from tests.sim.nodes.coordination.share_members import LOCK_S, ShareMember
from tests.sim.nodes.coordination.share_promises import SharePromises
from tests.sim.nodes.coordination.streams_members import StreamsMember
from tests.sim.nodes.coordination.streams_promises import StreamsPromises
from tests.sim.nodes.coordination.streams_traffic import (
    STREAMS_GROUP,
    StreamsOptions,
    StreamsTraffic,
    draw_streams,
)
from tests.sim.nodes.coordination.work import Counting, Work, fetch_offsets
from tests.sim.nodes.coordination.workers import ReadProcessWrite
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import LinkLostError, Place, make_topic
from tests.sim.nodes.data.logs import PREFIX
from tests.sim.nodes.data.operators import Mover
from tests.sim.nodes.data.producers import Producer
from tests.sim.nodes.data.traffic import CONFIG as DATA_CONFIG
from tests.sim.nodes.data.traffic import WITH_NEW_EPOCHS
from tests.sim.nodes.directories.options import FIRST_WITH_DIRECTORIES
from tests.sim.nodes.host import Host
from tests.sim.nodes.late.clients import LateClient, Programme
from tests.sim.nodes.late.options import WITH_LATE_REQUESTS
from tests.sim.nodes.network import Net, NetHost

FIRST_WITH_COORDINATORS = 2_000_000
"""From this seed on, all runs have groups and transactions, but for those of `WITH_NEW_EPOCHS` and those with several
directories; none have below. Those of `WITH_LATE_REQUESTS` have some, too."""
FIRST_WITH_STREAMS = 3_000_000
"""From this seed on, all of those have a streams group, and somebody deletes offsets; fewer have the other groups."""
FIRST_WITH_SHARES = 2_500_000
"""From this seed on, all of them have a share group as well, members of groups that change protocol, and others that
subscribe by regular expressions; none have below."""
FIRST_WITH_DEAD_LETTERS = 2_750_000
"""From this seed on, and below those with streams groups, the share group has a dead-letter topic; it has none in all
others."""
CONFIG: Mapping[str, str] = {
    **DATA_CONFIG,
    "group.min.session.timeout.ms": "500",
    "group.initial.rebalance.delay.ms": "300",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": "3000",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "300",
    "group.consumer.assignment.interval.ms": "200",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
    "log.cleaner.enable": "false",
}
"""Smaller than the defaults, so that all of it happens within seconds."""
DELIVERIES = 10
"""How often a share group without dead letters delivers a record at most."""
SHARE_CONFIG: Mapping[str, str] = {
    "group.share.min.session.timeout.ms": "1000",
    "group.share.session.timeout.ms": "3000",
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.heartbeat.interval.ms": "300",
    "group.share.assignment.interval.ms": "200",
    "group.share.initialize.retry.interval.ms": "1000",
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.record.lock.duration.ms": str(int(LOCK_S * 1000)),
    "share.coordinator.snapshot.update.records.per.snapshot": "5",
    "share.coordinator.state.topic.prune.interval.ms": "1000",
    "share.coordinator.cold.partition.snapshot.interval.ms": "2000",
}
CLEANING_CONFIG: Mapping[str, str] = {
    "log.cleaner.enable": "true",
    "log.cleaner.backoff.ms": "1000",
    "log.cleaner.min.cleanable.ratio": "0.1",
    "log.cleaner.delete.retention.ms": "1000",
}
"""Where coordinators read what compaction has left."""
SOURCE, RESULT = f"{PREFIX}source", f"{PREFIX}result"
SHARE_GROUP = "sharers"
_INTERNAL_PARTITIONS = 2
_MIN_ISR = 2

Member = ClassicMember | ConsumerMember | MovingMember | StreamsMember


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinationOptions:
    """What a seed draws of groups and transactions."""

    partitions: int
    """Of the topics of records."""
    replicas: int
    segment_bytes: int
    classic: int
    """Members of the classic group."""
    consumers: int
    """Members of the consumer group."""
    workers: int
    are_workers_classic: bool
    has_zombies: bool
    """Whether two workers have one transactional id."""
    readers: int
    moves: bool
    """Whether somebody has other replicas lead."""
    cleans: bool
    """Whether the topics of coordinators are compacted."""
    sharers: int
    """Members of the share group."""
    movers: int
    """Members of the group whose members change protocol."""
    uses_expressions: bool
    """Whether members of the consumer group subscribe by regular expressions."""
    keeps_ids: bool = False
    """Whether workers that begin anew may ask for the next epoch of the producer id that they have (KIP-360)."""
    dead_letters: DeadLetterOptions | None = None
    """None if what the share group rejects is gone."""
    streams: StreamsOptions | None = None
    """None without a streams group; then nobody deletes offsets, either."""
    late_clients: int = 0
    """Clients whose requests come too late, or to the wrong one."""

    @property
    def deliveries(self) -> int:
        """How often the share group delivers a record at most."""
        return DELIVERIES if self.dead_letters is None else self.dead_letters.deliveries

    @property
    def _share_config(self) -> Mapping[str, str]:
        return {**SHARE_CONFIG, "group.share.delivery.count.limit": str(self.deliveries)}

    @property
    def config(self) -> Mapping[str, str]:
        """Of the nodes."""
        return {
            **CONFIG,
            **(CLEANING_CONFIG if self.cleans else {}),
            **(self._share_config if self.sharers else {}),
            **(NODE_CONFIG if self.dead_letters else {}),
            **(self.streams.config if self.streams else {}),
        }


def draw_coordination(seed: int, brokers: int) -> CoordinationOptions | None:
    """The options of a seed; None for a run without groups."""
    rng = random.Random(f"coordination options {seed}")
    if seed in WITH_LATE_REQUESTS:
        return _with_late_requests(rng, min(3, brokers))
    if not FIRST_WITH_COORDINATORS <= seed < FIRST_WITH_DIRECTORIES or seed in WITH_NEW_EPOCHS:
        return None
    if seed >= FIRST_WITH_STREAMS:
        return _with_streams(rng, min(3, brokers))
    return CoordinationOptions(
        partitions=rng.randint(2, 3),
        replicas=min(3, brokers),
        segment_bytes=rng.choice((1500, 6000, 2**30)),
        classic=rng.choice((0, 2, 3)),
        consumers=rng.choice((0, 2, 3)),
        workers=rng.choice((0, 2, 3)),
        are_workers_classic=rng.random() < 0.6,
        has_zombies=rng.random() < 0.5,
        readers=rng.randint(1, 2),
        moves=rng.random() < 0.6,
        cleans=rng.random() < 0.4,
        sharers=rng.choice((2, 3)) if seed >= FIRST_WITH_SHARES else 0,
        movers=rng.choice((0, 2, 3)) if seed >= FIRST_WITH_SHARES else 0,
        uses_expressions=seed >= FIRST_WITH_SHARES and rng.random() < 0.5,
        dead_letters=draw_dead_letters(seed) if seed >= FIRST_WITH_DEAD_LETTERS else None,
    )


def _with_streams(rng: random.Random, replicas: int) -> CoordinationOptions:
    """Each run has a streams group, and some of the others."""
    return CoordinationOptions(
        partitions=rng.randint(2, 3),
        replicas=replicas,
        segment_bytes=rng.choice((1500, 6000, 2**30)),
        classic=rng.choice((0, 0, 2)),
        consumers=rng.choice((0, 2)),
        workers=rng.choice((0, 0, 2)),
        are_workers_classic=rng.random() < 0.3,
        has_zombies=rng.random() < 0.5,
        readers=1,
        moves=rng.random() < 0.7,
        cleans=rng.random() < 0.4,
        sharers=rng.choice((0, 0, 0, 2)),
        movers=rng.choice((0, 0, 2)),
        uses_expressions=rng.random() < 0.2,
        streams=draw_streams(rng),
    )


def _with_late_requests(rng: random.Random, replicas: int) -> CoordinationOptions:
    """There is little beside the late requests."""
    return CoordinationOptions(
        partitions=2,
        replicas=replicas,
        segment_bytes=rng.choice((1500, 6000, 2**30)),
        classic=rng.choice((0, 0, 0, 2)),
        consumers=rng.choice((0, 0, 0, 2)),
        workers=rng.choice((0, 0, 0, 2)),
        are_workers_classic=rng.random() < 0.5,
        has_zombies=False,
        readers=1,
        moves=rng.random() < 0.6,
        cleans=rng.random() < 0.4,
        sharers=1,
        movers=0,
        uses_expressions=False,
        late_clients=3,
    )


class CoordinationTraffic:
    """The clients, and what they were promised."""

    def __init__(self, seed: int, options: CoordinationOptions, net: Net, hosts: Sequence[Host]) -> None:
        self._rng = random.Random(f"coordination {seed}")
        self._options = options
        self._net = net
        self._all_hosts = hosts
        self._hosts = [host for host in hosts if host.is_broker]
        self._operator = net.host("coordination-operator")
        self._topics = {
            SOURCE: options.partitions,
            RESULT: options.partitions,
            GROUPS_TOPIC: _INTERNAL_PARTITIONS,
            TRANSACTIONS_TOPIC: _INTERNAL_PARTITIONS,
        }
        if options.sharers:
            self._topics[SHARE_TOPIC] = _INTERNAL_PARTITIONS
        if options.dead_letters is not None:
            self._topics[DEAD_LETTERS] = options.dead_letters.partitions
        self._places = [(name, index) for name, count in self._topics.items() for index in range(count)]
        self._sources, self._results = self._places_of(SOURCE), self._places_of(RESULT)
        internal = [*self._places_of(GROUPS_TOPIC), *self._places_of(TRANSACTIONS_TOPIC)]
        self.ledger = Ledger(
            hosts, self._rng, dict.fromkeys(self._places, _MIN_ISR), internal if options.cleans else ()
        )
        self.counts: Counter[str] = self.ledger.counts
        self._coordinators = Coordinators(self.ledger, self._topics)
        self._transactions = TransactionPromises(
            self._coordinators,
            self.counts,
            self._is_any_excused,
        )
        self._groups: dict[str, GroupPromises] = {}
        self._members: list[Member] = []
        self._addresses = [self._operator.address]
        self._add_members()
        self._producer = Producer(
            self._host("source"), hosts, self.ledger, self._seeded(), self._sources, acks=-1
        )
        self._readers = [
            CommittedReader(
                self._host(f"reader{number}"),
                hosts,
                self.ledger,
                self._seeded(),
                self._results,
                self._transactions,
                reads_anywhere=number == 1,
            )
            for number in range(options.readers)
        ]
        self._movers = [
            Mover(self._host("coordination-mover"), hosts, self.ledger, self._seeded(), self._places)
            for _ in range(options.moves)
        ]
        self._deserter = self._worker(
            "deserter", self._client("deserter"), adds_itself=self._rng.random() < 0.5
        )
        self.shared = SharePromises(SHARE_GROUP, options.deliveries, self._is_any_excused, self.counts)
        self._sharers = [self._sharer(number) for number in range(options.sharers)]
        letters = options.dead_letters
        self._dead_letters = None if letters is None else DeadLetterChecker(letters, self.shared, self.ledger)
        self._streams: StreamsTraffic | None = None
        self._administrators: list[OffsetAdministrator] = []
        if options.streams is not None:
            self._add_streams(options.streams)
        self._late = self._late_clients(seed)
        self._is_over = self._has_deserted = False
        self._are_topics_made = False
        self._committed: dict[str, dict[Place, int]] = {}
        """What a client that is no member has fetched of each group at last."""

    def _late_clients(self, seed: int) -> list[LateClient]:
        programme = Programme(random.Random(f"late programme {seed}"))
        return [
            LateClient(
                self._host(f"late{number}"),
                self._all_hosts,
                random.Random(f"late requests {number} {seed}"),
                programme,
                self.counts,
                self._options.replicas,
                self._is_any_excused,
            )
            for number in range(self._options.late_clients)
        ]

    def _places_of(self, topic: str) -> list[Place]:
        return [place for place in self._places if place[0] == topic]

    def _is_any_excused(self) -> bool:
        """Whether some partition has lost records, in a way that Kafka allows. Then nobody knows what follows from
        that: transactions of lost coordinators stay open, and offsets may lie behind the ends of logs."""
        return any(self._coordinators.is_excused(each) for each in self._places)

    def _seeded(self) -> random.Random:
        return random.Random(self._rng.getrandbits(64))

    def _host(self, name: str) -> NetHost:
        host = self._net.host(name)
        self._addresses.append(host.address)
        return host

    def _add_members(self) -> None:
        options = self._options
        for number in range(options.classic):
            self._add("classic", number, is_classic=True)
        for number in range(options.consumers):
            self._add("consumers", number, is_classic=False)
        for number in range(options.workers):
            self._add("workers", number, is_classic=options.are_workers_classic)
        for number in range(options.movers):
            self._add_mover(number)

    def _group(self, group_id: str) -> GroupPromises:
        if group_id not in self._groups:
            promises = MixedPromises if group_id == "movers" else GroupPromises
            self._groups[group_id] = promises(group_id, self._coordinators, self.counts)
        return self._groups[group_id]

    def _client(self, name: str) -> CoordinatedClient:
        return CoordinatedClient(self._host(name), self._all_hosts, self._seeded())

    def _worker(
        self, transactional_id: str, client: CoordinatedClient, *, adds_itself: bool
    ) -> ReadProcessWrite:
        return ReadProcessWrite(
            client,
            self._group("workers"),
            self._seeded(),
            self._transactions,
            self._results,
            transactional_id=transactional_id,
            adds_itself=adds_itself,
            keeps_id=self._options.keeps_ids,
        )

    def _add(self, group_id: str, number: int, *, is_classic: bool) -> None:
        group, client = self._group(group_id), self._client(f"{group_id}{number}")
        rng, is_worker = self._seeded(), group_id == "workers"
        work: Work
        if is_worker:
            is_twin = self._options.has_zombies and number == self._options.workers - 1
            work = self._worker(f"worker{0 if is_twin else number}", client, adds_itself=rng.random() < 0.4)
        else:
            work = Counting(client, group, self._seeded())
        topics = [SOURCE] if is_worker else [SOURCE, RESULT]
        instance_id = f"{group_id}-{number}" if rng.random() < 0.3 else None
        if is_classic:
            self._members.append(
                ClassicMember(
                    client, group, work, rng, topics, self._options.partitions, instance_id=instance_id
                )
            )
        else:
            self._members.append(
                ConsumerMember(
                    client,
                    group,
                    work,
                    rng,
                    topics,
                    instance_id=instance_id,
                    uses_expression=group_id == "consumers" and self._options.uses_expressions,
                )
            )

    def _add_mover(self, number: int) -> None:
        group, client = self._group("movers"), self._client(f"mover{number}")
        work, rng, topics = Counting(client, group, self._seeded()), self._seeded(), [SOURCE, RESULT]
        partitions = self._options.partitions
        self._members.append(
            MovingMember(
                lambda: ClassicMember(client, group, work, rng, topics, partitions, instance_id=None),
                lambda: ConsumerMember(client, group, work, rng, topics, instance_id=None),
                self._seeded(),
            )
        )

    def _sharer(self, number: int) -> ShareMember:
        return ShareMember(
            self._client(f"sharer{number}"),
            self.shared,
            self.ledger,
            self._seeded(),
            [SOURCE],
            weights=(16, 3, 1) if self._options.dead_letters is None else (6, 3, 3),
        )

    def _add_streams(self, options: StreamsOptions) -> None:
        """The streams group, and who deletes offsets: of groups whose offsets are not those of transactions."""
        group = StreamsPromises(STREAMS_GROUP, self._coordinators, self.counts)
        self._streams = StreamsTraffic(
            options, group, self._client, self._seeded(), (SOURCE, RESULT), self._options.partitions
        )
        self._groups[STREAMS_GROUP] = group
        self._members += self._streams.members
        others = [each for group_id, each in self._groups.items() if group_id != "workers"]
        self._administrators.append(
            OffsetAdministrator(
                self._client("offset-administrator"),
                self._group("alone"),
                others,
                self._seeded(),
                [*self._sources, *self._results],
            )
        )

    @property
    def addresses(self) -> list[str]:
        """Of all clients."""
        return self._addresses

    async def run(self) -> None:
        """Make the topics, and run all clients."""
        for name, count in self._topics.items():
            configs = {
                "min.insync.replicas": str(_MIN_ISR),
                # Clocks jump by an hour and more.
                "message.timestamp.after.max.ms": str(2**63 - 1),
            }
            if name in (GROUPS_TOPIC, TRANSACTIONS_TOPIC):
                configs["cleanup.policy"] = "compact"
            elif name == SHARE_TOPIC:
                configs["retention.ms"] = "-1"
            elif name == DEAD_LETTERS:
                configs |= TOPIC_CONFIG
            await make_topic(self._operator, self._hosts, name, count, self._options.replicas, configs)
        if self._sharers:
            await self._configure_share_group()
        self._are_topics_made = True
        async with trio.open_nursery() as nursery:
            clients = (self._producer, *self._readers, *self._movers, *self._members, *self._sharers)
            for client in (*clients, *self._administrators, *self._late):
                nursery.start_soon(client.run)
            nursery.start_soon(self._desert)

    async def _configure_share_group(self) -> None:
        """Have the share group begin with the first records, and keep dead letters if it has any."""
        dead_letters = self._options.dead_letters
        configs = {
            "share.auto.offset.reset": "earliest",
            **({} if dead_letters is None else dead_letters.group_config),
        }
        request = IncrementalAlterConfigsRequest(
            resources=[
                IncrementalAlterConfigsRequest.AlterConfigsResource(
                    resource_type=GROUP_RESOURCE,
                    resource_name=SHARE_GROUP,
                    configs=[
                        IncrementalAlterConfigsRequest.AlterableConfig(name=key, value=value)
                        for key, value in configs.items()
                    ],
                )
            ]
        )
        client = CoordinatedClient(self._operator, self._all_hosts, self._seeded())
        is_done = False
        while not is_done:
            try:
                response = await client.ask(self._rng.choice(self._hosts), request)
                is_done = not response.responses[0].error_code
            except LinkLostError:
                pass
            await trio.sleep(0.1)
        client.close()

    async def _desert(self) -> None:
        """Once the faults are over, somebody leaves a transaction open, which has to be aborted."""
        while not self._is_over:
            await trio.sleep(0.5)
        while not self._has_deserted:
            self._has_deserted = await self._deserter.leave_open()
        self._deserter.client.close()

    def finish(self) -> None:
        """The faults are over: have the members do what is left."""
        self._producer.is_over = self._is_over = True
        for mover in self._movers:
            mover.is_over = True
        for administrator in self._administrators:
            administrator.is_over = True
        for late in self._late:
            late.is_over = True
        for reader in self._readers:
            reader.catches_up = True
        for member in self._members:
            member.is_calm = member.work.is_calm = True
        for sharer in self._sharers:
            sharer.is_calm = True
        if self._options.has_zombies and self._options.workers:
            # The other one goes on; what this one leaves open has to be aborted.
            [*_, twin] = (each for each in self._members if each.group.group_id == "workers")
            twin.is_over = True

    def end(self) -> None:
        """Have all clients end."""
        for reader in self._readers:
            reader.is_over = True
        for member in self._members:
            member.is_over = True
        for sharer in self._sharers:
            sharer.is_over = True

    def unfinished(self) -> list[str]:
        """What is left to be done in a cluster at rest."""
        if not self._are_topics_made:
            return ["topics are not made"]
        found = self.ledger.unsettled()
        if not self._has_deserted:
            found.append(self._deserter.state)
        if not self._producer.is_done:
            found.append(self._producer.state)
        found += [each.state for each in self._late if not each.has_ended]
        for group_id in self._groups:
            found += self._unsettled(group_id)
        if self._is_any_excused():
            return found
        found += [each.work.state for each in self._running() if not each.work.is_done]
        if self._sharers:
            found += self._unshared()
        for place in self._sources if self._options.workers else ():
            ends = self.ledger.ends_of(place)
            owners = [
                each.work
                for each in self._running()
                if each.group.group_id == "workers" and place in each.assigned
            ]
            if {each.positions.get(place) for each in owners} != ends:
                said = [(each.state, each.positions) for each in owners]
                found.append(f"{place}: log ends at {sorted(ends)}, the workers: {said}")
        for place in self._results:
            ends = self.ledger.ends_of(place)
            positions = {each.positions[place].offset for each in self._readers}
            if positions != ends:
                found.append(f"{place}: readers are at {sorted(positions)}, logs end at {sorted(ends)}")
        # To look for letters takes longer than all the rest.
        return found or ([] if self._dead_letters is None else self._dead_letters.missing())

    def _unshared(self) -> list[str]:
        """What the share group has left to do."""
        found = []
        for place in self._sources:
            missing = self.shared.unresolved(place, max(self.ledger.ends_of(place)))
            if missing and self._dead_letters is not None:
                letters = self._dead_letters.found()
                missing = [each for each in missing if (place, each) not in letters]
            if missing:
                found.append(f"{place}: nobody has acknowledged {missing[:10]}")
        if found:
            found += [each.state for each in self._sharers]
        return found

    def _running(self) -> list[Member]:
        return [each for each in self._members if not each.is_over]

    def _unsettled(self, group_id: str) -> list[str]:
        """What keeps a group from rest: all its partitions belong to one member each."""
        if group_id == STREAMS_GROUP and self._streams is not None:
            return self._streams.unsettled()
        members = [each for each in self._running() if each.group.group_id == group_id]
        if not members:
            return []
        owned = Counter(place for each in members for place in each.assigned)
        wanted = self._sources if group_id == "workers" else [*self._sources, *self._results]
        generations = {each.generation for each in members if isinstance(each, ClassicMember)}
        is_settled = (
            all(each.is_settled for each in members)
            and len(generations) <= 1
            and owned == Counter(dict.fromkeys(wanted, 1))
        )
        if is_settled:
            return []
        return [
            f"{group_id}: {[(each.client.name, each.is_settled, sorted(each.assigned)) for each in members]}"
        ]

    async def check_at_last(self) -> None:
        """Raise ViolationError for what was promised and is not so, in a cluster at rest."""
        self.ledger.look()
        self.ledger.check_at_last()
        if self._is_any_excused():
            return
        if self._dead_letters is not None:
            self._dead_letters.check_at_last()
        client = CoordinatedClient(self._operator, self._all_hosts, self._seeded())
        for group_id, group in self._groups.items():
            places = self._sources if group_id == "workers" else [*self._sources, *self._results]
            self._committed[group_id] = {}
            while self._committed[group_id].keys() != set(places):
                try:
                    found = await fetch_offsets(client, group, places, who=None, is_stable=True)
                except LinkLostError:
                    await trio.sleep(0.1)
                    continue
                if isinstance(found, dict):
                    self._committed[group_id] = found
        client.close()
        if self._options.workers:
            shown = {place: self._readers[0].shown[place] for place in self._results}
            done = {place: max(end, 0) for place, end in self._committed["workers"].items()}
            self._transactions.check_at_last(shown, done)
