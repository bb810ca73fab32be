"""Producers and coordinators of transactions under random faults.

Producers begin, write, end, come back after having been replaced, and time out. Appends are refused, commits are late
or lost, leaders change, markers and their responses are lost or repeated, and the coordinator moves at any moment.
After each step and at the end:

- a transaction ends exactly one way in all partitions that it wrote to, and the way that its producer was told;
- a producer that is told that it is fenced has changed nothing;
- the epochs of a producer id never go back, and the ids of a transactional id neither;
- once leaders respond, every transaction ends, and nothing is lost when another coordinator reads the log.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import TransactionLogKey, TransactionLogValue
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.transaction_requests import (
    EndTxnValues,
    InitProducerIdValues,
    ProducerOutcome,
    TopicPartition,
)
from tests.core.coordinators.support.transaction_world import P0, P1, P2, TransactionWorld

IDS = ("a", "b")
PARTITIONS = (P0, P1, P2)
FENCING = frozenset(
    {
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        ErrorCode.INVALID_TXN_STATE,
    }
)
RARELY = st.sampled_from([False, False, False, True])
CONFIG = TransactionConfig(expiration_ms=600_000, remove_interval_ms=300_000)


@dataclass(eq=False)
class Work:
    """What a producer writes in one transaction."""

    wrote: set[TopicPartition] = field(default_factory=set)
    told: bool | None = None
    """Whether its producer was told that it is committed, or aborted; None if it does not know."""


@dataclass(eq=False)
class Producer:
    """A process that uses a transactional id. Others may use the same one, before and after."""

    transactional_id: str
    is_old: bool
    """Whether it knows no epoch bumps."""
    identity: tuple[int, int] | None = None
    work: Work = field(default_factory=Work)
    granted: set[TopicPartition] = field(default_factory=set)
    wants_commit: bool | None = None
    """How it ends its transaction; None while that is open."""
    is_waiting: bool = False
    is_fenced: bool = False

    @property
    def is_ready(self) -> bool:
        return self.identity is not None and not self.is_waiting and not self.is_fenced

    def begun(self, outcome: ProducerOutcome) -> None:
        """Take the response to an InitProducerId request."""
        self.is_waiting = False
        if outcome.code is ErrorCode.NONE:
            self.identity = outcome.producer_id, outcome.producer_epoch
            self._next()
        elif outcome.code in FENCING:
            self.is_fenced = True

    def ended(self, outcome: ProducerOutcome) -> None:
        """Take the response to an EndTxn request."""
        self.is_waiting = False
        if outcome.code is ErrorCode.NONE:
            self.work.told = self.wants_commit
            if outcome.producer_id != -1:
                self.identity = outcome.producer_id, outcome.producer_epoch
            self._next()
        elif outcome.code in FENCING:
            self.is_fenced = True

    def _next(self) -> None:
        self.work = Work()
        self.granted = set()
        self.wants_commit = None


class TransactionMachine(RuleBasedStateMachine):
    """One partition of ``__transaction_state`` with two transactional ids and three producers for each."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting_adds: list[tuple[Producer, Work, TopicPartition, list[ErrorCode]]] = []

    @initialize(
        version=st.sampled_from([0, 1, 2, 2, 2]),
        epoch=st.sampled_from([3, 32_763, 32_765]),
        old=st.lists(st.booleans(), min_size=6, max_size=6),
    )
    def begin_world(self, version: int, epoch: int, old: list[bool]) -> None:
        self.world = TransactionWorld(transaction_version=version, config=CONFIG)
        value = TransactionLogValue(
            producer_id=500,
            producer_epoch=epoch,
            transaction_timeout_ms=30_000,
            transaction_partitions=None,
            transaction_last_update_timestamp_ms=self.world.wall_ms(),
            transaction_start_timestamp_ms=-1,
        )
        self.world.log.append([Record(TransactionLogKey(transactional_id="b"), value, 0)])
        self.world.move()
        self.old = old
        self.producers = [self._new_producer(index) for index in range(6)]
        self.works: list[Work] = []

    def _new_producer(self, index: int) -> Producer:
        return Producer(IDS[index % 2], self.old[index] or self.world.transaction_version < 2)

    # -- producers -----------------------------------------------------------------------------------------------

    def _ask(self, request: Callable[[Callable[[ErrorCode], None]], None]) -> None:
        """Send a request. If its response says at once that the producer is fenced, nothing was written."""
        before = len(self.world.log.records)
        codes: list[ErrorCode] = []
        request(codes.append)
        if codes and codes[0] in FENCING:
            assert len(self.world.log.records) == before, "a fenced producer has changed something"

    def _init(self, producer: Producer, *, recovers: bool) -> None:
        identity = (producer.identity or (-1, -1)) if recovers else (-1, -1)
        values = InitProducerIdValues(
            transactional_id=producer.transactional_id,
            transaction_timeout_ms=30_000,
            producer_id=identity[0],
            producer_epoch=identity[1],
            version=5,
        )
        producer.is_waiting = True

        def request(told: Callable[[ErrorCode], None]) -> None:
            def done(outcome: ProducerOutcome) -> None:
                producer.begun(outcome)
                told(outcome.code)

            self.world.coordinator.init_producer_id(values, done)

        self._ask(request)

    @rule(index=st.integers(0, 5), is_new=st.booleans())
    def begin(self, index: int, is_new: bool) -> None:
        """A producer begins, or tries again to begin."""
        producer = self.producers[index]
        if is_new or producer.is_fenced:
            producer = self.producers[index] = self._new_producer(index)
        if not producer.is_waiting and producer.identity is None:
            self._init(producer, recovers=False)

    @rule(index=st.integers(0, 5))
    def recover(self, index: int) -> None:
        """A producer gives its transaction up and asks for the next epoch."""
        producer = self.producers[index]
        if producer.is_ready and producer.wants_commit is None:
            self._init(producer, recovers=True)

    @rule(index=st.integers(0, 5), partition=st.sampled_from(PARTITIONS))
    def add(self, index: int, partition: TopicPartition) -> None:
        """A producer adds a partition."""
        producer = self.producers[index]
        if not producer.is_ready or producer.wants_commit is not None:
            return
        assert producer.identity is not None
        producer.is_waiting = True
        work = producer.work
        before = len(self.world.log.records)
        codes = self.world.add(
            producer.identity,
            partition,
            transactional_id=producer.transactional_id,
            version=3 if producer.is_old else 5,
        )
        if codes and codes[0] in FENCING:
            assert len(self.world.log.records) == before, "a fenced producer has changed something"
        self.waiting_adds.append((producer, work, partition, codes))
        self._take_adds()

    def _take_adds(self) -> None:
        """Give producers the responses that have come."""
        kept = []
        for producer, work, partition, codes in self.waiting_adds:
            if not codes:
                kept.append((producer, work, partition, codes))
                continue
            producer.is_waiting = False
            if codes[0] is ErrorCode.NONE:
                assert producer.work is work, "a producer sends one request at a time"
                producer.granted.add(partition)
            elif codes[0] in FENCING:
                producer.is_fenced = True
        self.waiting_adds = kept

    @rule(index=st.integers(0, 5), partition=st.sampled_from(PARTITIONS))
    def write(self, index: int, partition: TopicPartition) -> None:
        """A producer writes to a partition, whose leader asks the coordinator first."""
        producer = self.producers[index]
        if (
            partition not in producer.granted
            or producer.identity is None
            or producer.wants_commit is not None
        ):
            return
        verified = self.world.verify(producer.identity, partition, transactional_id=producer.transactional_id)
        if verified[partition] is not ErrorCode.NONE:
            return
        if self.world.brokers.logs[partition].write(*producer.identity, producer.work):
            producer.work.wrote.add(partition)
            if producer.work not in self.works:
                self.works.append(producer.work)

    @rule(index=st.integers(0, 5), commit=st.booleans())
    def end(self, index: int, commit: bool) -> None:
        """A producer ends its transaction, or asks again for an end that it was not told of."""
        producer = self.producers[index]
        if not producer.is_ready or not producer.granted:
            return
        assert producer.identity is not None
        if producer.wants_commit is None:
            producer.wants_commit = commit
        values = EndTxnValues(
            transactional_id=producer.transactional_id,
            producer_id=producer.identity[0],
            producer_epoch=producer.identity[1],
            committed=producer.wants_commit,
            version=4 if producer.is_old else 5,
        )
        producer.is_waiting = True

        def request(told: Callable[[ErrorCode], None]) -> None:
            def done(outcome: ProducerOutcome) -> None:
                producer.ended(outcome)
                told(outcome.code)

            self.world.coordinator.end(values, done)

        self._ask(request)

    @rule(
        index=st.integers(0, 5),
        partitions=st.lists(st.sampled_from(PARTITIONS), min_size=1, unique=True),
        commit=st.sampled_from([True, True, False, None]),
    )
    def transact(self, index: int, partitions: list[TopicPartition], commit: bool | None) -> None:
        """A producer does all that it has to do for a transaction, as far as it gets."""
        self.begin(index, False)
        for each in partitions:
            self.add(index, each)
            self.write(index, each)
        if commit is not None:
            self.end(index, commit)

    # -- the log, the leaders and time ---------------------------------------------------------------------------

    @rule(refuses=RARELY, commits=st.booleans(), ids=st.booleans())
    def weather(self, refuses: bool, commits: bool, ids: bool) -> None:
        """The log and the source of producer ids work, or do not."""
        self.world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS if refuses else None
        self.world.log.commits_at_once = commits
        self.world.holds_ids = not ids

    @rule(count=st.integers(1, 3), gives_up=st.booleans())
    def commit(self, count: int, gives_up: bool) -> None:
        """Replicas get records, or nobody waits for them any longer."""
        log = self.world.log
        if gives_up:
            log.give_up(ErrorCode.REQUEST_TIMED_OUT)
        else:
            log.commit(min(len(log.records), log.committed + count))
        self._take_adds()

    @rule()
    def give_ids(self) -> None:
        self.world.give_ids()
        self._take_adds()

    @precondition(lambda self: bool(self.world.brokers.requests))
    @rule(index=st.integers(0, 9), arrives=st.booleans(), responds=st.booleans())
    def deliver(self, index: int, arrives: bool, responds: bool) -> None:
        """A request for markers arrives, is lost, or its response is lost."""
        requests = self.world.brokers.requests
        request = requests.pop(index % len(requests))
        results = self.world.brokers.write(request) if arrives else None
        request.done(results if responds else None)
        self._take_adds()

    @rule()
    def calm(self) -> None:
        """Everything works for a moment."""
        self._heal()
        self._settle()

    def _heal(self) -> None:
        self.world.log.refusal = None
        self.world.log.commits_at_once = True
        self.world.holds_ids = False
        for index, each in enumerate(PARTITIONS):
            self.world.brokers.leaders[each] = index

    def _settle(self) -> None:
        """Let happen what is due soon."""
        self.world.give_ids()
        self.world.log.commit()
        self.world.brokers.respond()
        self.world.advance(100)
        self.world.brokers.respond()
        self.world.log.commit()
        self._take_adds()

    @rule(partition=st.sampled_from(PARTITIONS), leader=st.integers(-1, 2))
    def lead(self, partition: TopicPartition, leader: int) -> None:
        """Another broker leads, or none."""
        self.world.brokers.leaders[partition] = leader

    @rule(duration_ms=st.sampled_from([100, 10_000, 35_000, 950_000]))
    def wait(self, duration_ms: int) -> None:
        self.world.advance(duration_ms)
        self._take_adds()

    @rule(count=st.integers(0, 3))
    def move(self, count: int) -> None:
        """Another broker coordinates, which has some of the records that were not committed."""
        log = self.world.log
        self.world.coordinator.unload()
        log.commit(min(len(log.records), log.committed + count))
        self.world.move()
        self._take_adds()

    # -- what has to hold ----------------------------------------------------------------------------------------

    @invariant()
    def epochs_never_go_back(self) -> None:
        last: dict[str, tuple[int, int]] = {}
        for record in self.world.log.records:
            assert isinstance(record.key, TransactionLogKey)
            if isinstance(record.value, TransactionLogValue):
                identity = record.value.producer_id, record.value.producer_epoch
                assert identity >= last.get(record.key.transactional_id, (-1, -1))
                last[record.key.transactional_id] = identity

    @invariant()
    def each_transaction_ends_one_way(self) -> None:
        ends: dict[int, set[bool]] = {}
        for log in self.world.brokers.logs.values():
            ended_here: set[int] = set()
            for works, is_commit in log.ended:
                for work in works:
                    assert isinstance(work, Work)
                    ends.setdefault(self.works.index(work), set()).add(is_commit)
                    ended_here.add(self.works.index(work))
            for works in log.open.values():
                for work in works:
                    assert isinstance(work, Work)
                    assert self.works.index(work) not in ended_here, "something came behind the marker"
        for index, ways in ends.items():
            assert len(ways) == 1, "a transaction is torn"
            assert self.works[index].told in (None, *ways), "its producer was told something else"

    def teardown(self) -> None:
        if not hasattr(self, "works"):
            return
        world = self.world
        self._heal()
        for _ in range(8):
            self._settle()
            world.advance(10_000)
        self._settle()
        self.each_transaction_ends_one_way()
        for transactional_id in IDS:
            assert world.state(transactional_id) in (
                "Empty",
                "CompleteCommit",
                "CompleteAbort",
                "TRANSACTIONAL_ID_NOT_FOUND",
            )
        for partition in PARTITIONS:
            log = world.brokers.logs[partition]
            assert not log.open, "something is never stable"
            ended = {id(work) for works, _ in log.ended for work in works}
            for work in self.works:
                assert (partition in work.wrote) == (id(work) in ended)
        states, markers = world.coordinator._states, world.coordinator._ends._markers
        assert (states._before, states._waiting, states._awaiting_ids) == ({}, {}, set()), "something waits"
        assert (markers._endings, markers._queues, markers._busy) == ({}, {}, set()), "markers are left"
        assert (markers.leaderless, world.coordinator.unwritten_completions) == (0, 0)
        before = [world.coordinator.describe(each) for each in IDS]
        world.move()
        assert [world.coordinator.describe(each) for each in IDS] == before, "something is lost by reading"


TransactionMachine.TestCase.settings = settings(
    max_examples=150,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestTransactions = TransactionMachine.TestCase
