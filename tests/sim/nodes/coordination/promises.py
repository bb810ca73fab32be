"""What members of groups, and producers of transactions, were promised, and whether it was kept.

A promise of a group counts as long as the partition of ``__consumer_offsets`` in which it lives has lost nothing that
was acknowledged: see `tests.sim.nodes.data.ledger` on partitions that are excused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import trio

from kafkaproto_server.core.coordinators.groups.classic import group as classic_group
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.requests.coordinator_places import partition_of
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.coordination.offsets import NO_OFFSET, NOTHING, Commit, OffsetHistory
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant

SESSION_S = 3.0
REBALANCE_S = 8.0
_MARGIN_S = 0.2
"""A coordinator counts a session from the moment at which it takes the heartbeat."""

Term = tuple[int, int, int]
"""Host, its life, and the leader epoch in which it coordinates."""


@dataclass(slots=True)
class _Holder:
    """A member of a consumer group, as it sees itself."""

    heard_s: float
    """When it sent the last heartbeat that the newest coordinator answered."""
    places: set[Place] = field(default_factory=set)
    doubt_s: float | None = None
    """When it sent the first heartbeat whose response it has not taken, if that may have said to give something up."""


class Coordinators:
    """Which hosts coordinate, by what their brokers lead."""

    def __init__(self, ledger: Ledger, partitions: Mapping[str, int]) -> None:
        """``partitions`` has the number of each internal topic."""
        self._ledger = ledger
        self._partitions = partitions

    def place(self, topic: str, key: str) -> Place:
        """Where the coordinator of a group or a transactional id lives."""
        return topic, partition_of(key, self._partitions[topic])

    def term(self, host: Host, place: Place) -> Term | None:
        """The term of a host that coordinates as the newest one; None if it does not."""
        self._ledger.note_elections()
        for each, at, hosted in self._ledger.replicas():
            partition = hosted.partition
            if each is host and at == place and partition.role is Role.LEADER:
                is_newest = partition.leader_epoch == self._ledger.known[place].leader_epoch
                return (host.id, host.life, partition.leader_epoch) if is_newest else None
        return None

    def knows_what_is_committed(self, host: Host, place: Place) -> bool:
        """Whether the high watermark of a leader has reached the end that its log had when it was elected. Before, it
        may be lower than what the former leader acknowledged."""
        return any(
            hosted.partition.high_watermark >= hosted.partition.leader_epoch_start
            for each, at, hosted in self._ledger.replicas()
            if each is host and at == place and hosted.partition.role is Role.LEADER
        )

    def is_excused(self, place: Place) -> bool:
        """See `Ledger.is_excused`."""
        return self._ledger.is_excused(place)


class GroupPromises:
    """Of one group."""

    def __init__(self, group_id: str, coordinators: Coordinators, counts: Counter[str]) -> None:
        self.group_id = group_id
        self.counts = counts
        self._coordinators = coordinators
        self.place = coordinators.place(GROUPS_TOPIC, group_id)
        self.offsets: dict[Place, OffsetHistory] = {}
        self._assignments: dict[int, dict[str, frozenset[Place]]] = {}
        """What members of a classic group were told, by generation and member."""
        self._sent: dict[int, list[Mapping[str, frozenset[Place]]]] = {}
        """What leaders assigned."""
        self._generations: list[tuple[float, int]] = []
        """When members were told of each generation, if it was the newest."""
        self._holders: dict[str, _Holder] = {}
        self._takers: dict[Place, tuple[str, float]] = {}
        """The last member to take each partition in a consumer group, and when."""
        self._subscribed: dict[str, dict[str, float]] = {}
        """By member, the topics that it certainly is subscribed to, and since when."""

    def term(self, host: Host) -> Term | None:
        """See `Coordinators.term`."""
        return self._coordinators.term(host, self.place)

    def knows_what_is_committed(self, host: Host) -> bool:
        """See `Coordinators.knows_what_is_committed`."""
        return self._coordinators.knows_what_is_committed(host, self.place)

    def violated(self, invariant: NodeInvariant, what: str) -> None:
        """Raise ViolationError, unless the group's partition is excused."""
        if not self._coordinators.is_excused(self.place):
            raise ViolationError(invariant, f"group {self.group_id}: {what}")

    def unexpected(self, who: str, what: str) -> None:
        """A client was told what no client expects."""
        self.violated(NodeInvariant.EXPECTED_ERRORS, f"{who}: {what}")

    # -- offsets -------------------------------------------------------------------------------------------------

    def history(self, place: Place) -> OffsetHistory:
        """Of one partition."""
        return self.offsets.setdefault(place, OffsetHistory())

    def begin_commit(self, place: Place, offset: int, metadata: str) -> Commit:
        """A commit is sent."""
        commit = Commit(metadata, offset, trio.current_time())
        self.history(place).commits[metadata] = commit
        return commit

    def begin_deletion(self, place: Place) -> Commit:
        """The deletion of an offset is asked for."""
        deletion = Commit(NOTHING, NO_OFFSET, trio.current_time())
        self.history(place).deletions.append(deletion)
        return deletion

    def committed(self, place: Place, commit: Commit, member: str, generation: int | None) -> None:
        """A member's commit was acknowledged. ``generation`` is that of the member, in a classic group."""
        self.acknowledged(commit)
        newest = max((each for told, each in self._generations if told < commit.sent), default=-1)
        if generation is not None and self._counted_on(generation) < newest:
            what = f"{member} commits in generation {generation}, and {newest} was there before"
            self.violated(NodeInvariant.ONE_OWNER, what)
        taker, since = self._takers.get(place, (member, 0.0))
        if generation is None and taker != member and since < commit.sent:
            self.violated(NodeInvariant.ONE_OWNER, f"{member} commits for {place}, which {taker} has taken")

    def acknowledged(self, commit: Commit) -> None:
        """A commit was acknowledged, by itself or with its transaction."""
        commit.answered = trio.current_time()
        self.counts["offsets committed"] += 1

    def read(self, place: Place, metadata: str, offset: int, sent: float) -> None:
        """The newest coordinator has told of an offset."""
        self.counts["offsets fetched"] += 1
        problem = self.history(place).read(metadata, offset, sent, trio.current_time())
        if problem is not None:
            self.violated(NodeInvariant.OFFSETS_STAY, f"{place} {problem}")

    # -- classic groups ------------------------------------------------------------------------------------------

    @property
    def _newest_generation(self) -> int:
        return max((each for _, each in self._generations), default=-1)

    def _counted_on(self, generation: int) -> int:
        """A generation's number if numbers did not begin anew behind the last one. A member may be some generations
        behind the newest one, or ahead of what members were told so far."""
        last = classic_group.MAX_GENERATION
        return generation + max(0, (self._newest_generation + last // 2 - generation) // last) * last

    def assigned_by_leader(self, generation: int, assignment: Mapping[str, frozenset[Place]]) -> None:
        """A leader sends an assignment, by instance ids or member ids."""
        self._sent.setdefault(self._counted_on(generation), []).append(assignment)

    def assigned(
        self, generation: int, member: str, places: frozenset[Place], *, is_newest: bool = True
    ) -> bool:
        """A member got its assignment, perhaps from the newest coordinator. Returns whether it may use that."""
        self.counts["classic assignments"] += 1
        generation = self._counted_on(generation)
        if generation > self._newest_generation:
            self._generations.append((trio.current_time(), generation))
        told = self._assignments.setdefault(generation, {})
        others = {place: each for each, own in told.items() if each != member for place in own}
        twice = sorted(places & others.keys())
        if twice:
            what = f"in generation {generation}, {member} has {twice}, and so has {others[twice[0]]}"
            self.violated(NodeInvariant.ONE_OWNER, what)
        if told.setdefault(member, places) != places:
            what = (
                f"in generation {generation}, {member} has {sorted(places)}, and had {sorted(told[member])}"
            )
            self.violated(NodeInvariant.ONE_OWNER, what)
        sent = self._sent.get(generation, [])
        if not any(each.get(member, frozenset()) == places for each in sent):
            what = f"in generation {generation}, {member} has {sorted(places)}; leaders sent {sent}"
            self.violated(NodeInvariant.ONE_OWNER, what)
        return True

    # -- consumer groups -----------------------------------------------------------------------------------------

    def heard(self, member: str, sent_s: float) -> None:
        """The newest coordinator has answered a member's heartbeat."""
        self._holders.setdefault(member, _Holder(sent_s)).heard_s = sent_s

    def took(self, member: str, places: frozenset[Place]) -> None:
        """A member begins with partitions that the newest coordinator gives it."""
        self.counts["consumer assignments"] += 1
        now = trio.current_time()
        for other, holder in self._holders.items():
            both = sorted(places & holder.places)
            if other != member and both and self.holds(other, now):
                what = f"{member} is given {both}, which {other} has; it was heard at {holder.heard_s:.3f}"
                self.violated(NodeInvariant.ONE_OWNER, what)
        self._holders[member].places |= places
        for place in places:
            self._takers[place] = (member, now)

    def gave_up(self, member: str, places: frozenset[Place]) -> None:
        """A member has no more to do with partitions, and is about to say so."""
        if member in self._holders:
            self._holders[member].places -= places

    def gone(self, member: str) -> None:
        """A member has left, was told that it is none, or has crashed."""
        self._holders.pop(member, None)
        self._subscribed.pop(member, None)

    def in_doubt(self, member: str, sent_s: float) -> None:
        """A member has not taken the response to a heartbeat, and is not told again what was in it."""
        holder = self._holders.get(member)
        if holder is not None and holder.doubt_s is None:
            holder.doubt_s = sent_s

    def holds(self, member: str, now: float) -> bool:
        """Whether nobody can have fenced a member: it keeps what it has."""
        holder = self._holders.get(member)
        if holder is None or now - holder.heard_s >= SESSION_S - _MARGIN_S:
            return False
        return holder.doubt_s is None or now - holder.doubt_s < REBALANCE_S - _MARGIN_S

    # -- subscriptions -------------------------------------------------------------------------------------------

    def subscribes(self, member: str, topics: Collection[str]) -> None:
        """A member is about to say that it subscribes to these topics, and to no others."""
        known = self._subscribed.get(member, {})
        self._subscribed[member] = {topic: since for topic, since in known.items() if topic in topics}

    def subscribed(self, member: str, topics: Collection[str]) -> None:
        """The newest coordinator has taken that."""
        known, now = self._subscribed.get(member, {}), trio.current_time()
        self._subscribed[member] = {topic: known.get(topic, now) for topic in topics}

    def deleted(self, place: Place, sent: float) -> None:
        """The newest coordinator has deleted the offset of a partition, on a request that was sent at a time."""
        self.counts["offsets deleted"] += 1
        now = trio.current_time()
        for member, topics in self._subscribed.items():
            if topics.get(place[0], now) < sent and self.holds(member, now):
                what = f"the offset of {place} is deleted, and {member} is subscribed to the topic"
                self.violated(NodeInvariant.SUBSCRIBED_IS_KEPT, what)


class MixedPromises(GroupPromises):
    """Of a group whose members change protocol: members of both have partitions as members of consumer groups do."""

    def assigned_by_leader(self, generation: int, assignment: Mapping[str, frozenset[Place]]) -> None:
        """It may be the coordinator that assigns."""

    def assigned(
        self, generation: int, member: str, places: frozenset[Place], *, is_newest: bool = True
    ) -> bool:
        """See `GroupPromises`. Only the newest coordinator knows what others have."""
        if is_newest:
            self.took(member, places)
        return is_newest

    def committed(self, place: Place, commit: Commit, member: str, generation: int | None) -> None:
        """See `GroupPromises`. Generations begin anew when the last member has gone."""
        super().committed(place, commit, member, None)


@dataclass(slots=True)
class Transaction:
    """One transaction of one instance of a producer."""

    name: str
    transactional_id: str
    instance: str
    values: dict[bytes, Place] = field(default_factory=dict)
    """What it has written, all of it acknowledged, and where."""
    commit_sent: float | None = None
    ended: float | None = None
    """When the response to its end came."""
    is_committed: bool = False
    """Whether the coordinator has said so."""
    is_aborted: bool = False
    """Whether it certainly is not committed."""


class TransactionPromises:
    """Of all transactional producers."""

    def __init__(
        self, coordinators: Coordinators, counts: Counter[str], is_excused: Callable[[], bool]
    ) -> None:
        """``is_excused`` says whether records of clients were lost in a way that Kafka allows."""
        self.counts = counts
        self._coordinators = coordinators
        self._is_excused = is_excused
        self._transactions: dict[str, Transaction] = {}
        self._instances: dict[str, list[tuple[float, str]]] = {}
        """When each instance of a transactional id got its producer epoch, in that order."""

    def violated(self, transactional_id: str, invariant: NodeInvariant, what: str) -> None:
        """Raise ViolationError, unless what it rests on is excused."""
        place = self._coordinators.place(TRANSACTIONS_TOPIC, transactional_id)
        if not self._coordinators.is_excused(place) and not self._is_excused():
            raise ViolationError(invariant, f"{transactional_id}: {what}")

    def unexpected(self, transactional_id: str, what: str) -> None:
        """A producer was told what none expects."""
        self.violated(transactional_id, NodeInvariant.EXPECTED_ERRORS, what)

    def initialized(self, transactional_id: str, instance: str) -> None:
        """An instance has an epoch: those before it are fenced."""
        self.counts["producers initialized"] += 1
        self._instances.setdefault(transactional_id, []).append((trio.current_time(), instance))

    def begin(self, transactional_id: str, instance: str) -> Transaction:
        """An instance begins a transaction."""
        name = f"{instance}.{len(self._transactions)}"
        transaction = Transaction(name, transactional_id, instance)
        self._transactions[name] = transaction
        return transaction

    def commits(self, transaction: Transaction) -> None:
        """The commit is sent for the first time."""
        if transaction.commit_sent is None:
            transaction.commit_sent = trio.current_time()

    def committed(self, transaction: Transaction) -> None:
        """The commit was acknowledged."""
        self.counts["transactions committed"] += 1
        assert transaction.commit_sent is not None
        transaction.ended, transaction.is_committed = trio.current_time(), True
        successor = self._successor(transaction)
        if successor is not None:
            what = f"{transaction.name} is committed, and {successor} had fenced it before"
            self.violated(transaction.transactional_id, NodeInvariant.FENCED_WRITES_NOTHING, what)

    def aborted(self, transaction: Transaction) -> None:
        """The transaction is not committed, and will not be."""
        self.counts["transactions aborted"] += 1
        transaction.is_aborted = True

    def _successor(self, transaction: Transaction) -> str | None:
        """Who had fenced the transaction before its commit was sent."""
        began = next(
            at
            for at, instance in self._instances[transaction.transactional_id]
            if instance == transaction.instance
        )
        sent = transaction.commit_sent
        for at, instance in self._instances[transaction.transactional_id]:
            if at > began and sent is not None and at < sent:
                return instance
        return None

    def seen(self, place: Place, value: bytes) -> None:
        """A reader of what is committed was shown a record."""
        self.counts["committed records read"] += 1
        transaction = self._transactions[value.split()[0].decode()]
        problem = None
        if transaction.commit_sent is None:
            problem = "whose commit nobody has asked for"
        elif transaction.is_aborted:
            problem = "which was aborted"
        if problem is not None:
            what = f"a reader of {place} sees {value!r} of {transaction.name}, {problem}"
            self.violated(transaction.transactional_id, NodeInvariant.ABORTED_IS_HIDDEN, what)
        successor = self._successor(transaction)
        if successor is not None:
            what = f"a reader of {place} sees {value!r}, and {successor} had fenced {transaction.name} before"
            self.violated(transaction.transactional_id, NodeInvariant.FENCED_WRITES_NOTHING, what)

    def check_at_last(self, shown: Mapping[Place, list[bytes]], done: Mapping[Place, int]) -> None:
        """Raise ViolationError unless what is shown of the partitions follows from the transactions.

        ``shown`` is what a reader of what is committed got, ``done`` is how far the source partitions are processed.
        """
        places: dict[bytes, Place] = {}
        sources: Counter[tuple[str, int]] = Counter()
        for place, values in shown.items():
            for value in values:
                _, source, offset, transactional_id = value.decode().split()
                if value in places:
                    self.violated(transactional_id, NodeInvariant.EXACTLY_ONCE, f"{value!r} is there twice")
                places[value] = place
                sources[source, int(offset)] += 1
        for transaction in self._transactions.values():
            self._check_whole(transaction, places)
        for (topic, index), end in done.items():
            name = f"{topic}-{index}"
            wrong = [at for at in range(end) if sources.pop((name, at), 0) != 1]
            if wrong:
                what = f"{name} is processed up to {end}, and {wrong[:10]} have not one result"
                self.violated(self._any_id, NodeInvariant.EXACTLY_ONCE, what)
        if sources:
            what = f"{sorted(sources)[:10]} have results, and are not processed"
            self.violated(self._any_id, NodeInvariant.EXACTLY_ONCE, what)

    @property
    def _any_id(self) -> str:
        return next(iter(self._instances))

    def _check_whole(self, transaction: Transaction, places: Mapping[bytes, Place]) -> None:
        found = [value for value in transaction.values if value in places]
        is_whole = len(found) == len(transaction.values)
        if (transaction.is_committed and not is_whole) or (found and not is_whole):
            missing = sorted(transaction.values.keys() - set(found))
            what = f"{transaction} has lost {missing}"
            self.violated(transaction.transactional_id, NodeInvariant.EXACTLY_ONCE, what)
