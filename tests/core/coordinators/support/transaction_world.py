"""A coordinator of transactions with its log, and brokers that take its markers as leaders of partitions do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import TransactionLogValue
from kafkaproto.records.coordinator import TRANSACTION_RECORDS
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.coordinator import (
    ADDITION_WAIT_MS,
    TransactionCoordinator,
)
from kafkaproto_server.core.coordinators.transactions.values import MarkerResults, TransactionMarker
from kafkaproto_server.requests.transaction_requests import (
    AddPartitionsValues,
    EndTxnValues,
    InitProducerIdValues,
    ProducerOutcome,
    TopicPartition,
)
from tests.core.coordinators.support.transaction_log import MemoryLog, World

P0, P1, P2 = (TopicPartition("topic", index) for index in range(3))
OFFSETS = TopicPartition("__consumer_offsets", 7)


@dataclass
class SentMarkers:
    """A WriteTxnMarkers request under way."""

    broker_id: int
    markers: Sequence[TransactionMarker]
    done: Callable[[MarkerResults | None], None]


@dataclass
class Leader:
    """What the leader of a partition knows of producers."""

    coordinator_epoch: int = -1
    epochs: dict[int, int] = field(default_factory=dict)
    open: dict[int, list[object]] = field(default_factory=dict)
    """What each producer wrote in its open transaction."""
    ended: list[tuple[list[object], bool]] = field(default_factory=list)
    """What was in each transaction, and whether it was committed."""

    def write(self, producer_id: int, epoch: int, what: object) -> bool:
        """Take a record, unless the producer is fenced."""
        if epoch < self.epochs.get(producer_id, -1):
            return False
        self.epochs[producer_id] = epoch
        self.open.setdefault(producer_id, []).append(what)
        return True

    def mark(self, marker: TransactionMarker) -> ErrorCode:
        """End a producer's transaction."""
        if marker.coordinator_epoch < self.coordinator_epoch:
            return ErrorCode.TRANSACTION_COORDINATOR_FENCED
        epoch = self.epochs.get(marker.producer_id, -1)
        is_open = marker.producer_id in self.open
        if marker.producer_epoch < epoch:
            return ErrorCode.INVALID_PRODUCER_EPOCH
        if marker.transaction_version >= 2 and marker.producer_epoch == epoch:
            # The marker of a transaction has a bumped epoch; the same one again is a repetition.
            return ErrorCode.INVALID_PRODUCER_EPOCH if is_open else ErrorCode.NONE
        self.coordinator_epoch = marker.coordinator_epoch
        self.epochs[marker.producer_id] = marker.producer_epoch
        if is_open:
            self.ended.append((self.open.pop(marker.producer_id), marker.is_commit))
        return ErrorCode.NONE


class Brokers:
    """The ports of the coordinator to other brokers."""

    def __init__(self) -> None:
        self.leaders: dict[TopicPartition, int] = {P0: 1, P1: 2, P2: 1, OFFSETS: 3}
        self.logs = {each: Leader() for each in self.leaders}
        self.requests: list[SentMarkers] = []

    def leader_of(self, partition: TopicPartition) -> int | None:
        return self.leaders.get(partition)

    def send_markers(
        self,
        broker_id: int,
        markers: Sequence[TransactionMarker],
        done: Callable[[MarkerResults | None], None],
    ) -> None:
        self.requests.append(SentMarkers(broker_id, markers, done))

    def write(self, request: SentMarkers) -> MarkerResults:
        """Let the broker of a request write its markers."""
        return {
            marker.producer_id: {
                each: (
                    self.logs[each].mark(marker)
                    if self.leaders.get(each) == request.broker_id
                    else ErrorCode.NOT_LEADER_OR_FOLLOWER
                )
                for each in marker.partitions
            }
            for marker in request.markers
        }

    def respond(self) -> None:
        """Let all brokers write what is under way, and what follows from that."""
        while self.requests:
            request = self.requests.pop(0)
            request.done(self.write(request))

    def refuse(self, code: ErrorCode) -> None:
        """Each broker responds to what is under way with this code for each partition."""
        requests, self.requests = self.requests, []
        for request in requests:
            request.done({each.producer_id: dict.fromkeys(each.partitions, code) for each in request.markers})

    @property
    def sent(self) -> list[tuple[int, list[tuple[int, int, bool, tuple[TopicPartition, ...]]]]]:
        """Broker, and producer id, epoch, end and partitions of each marker, of what is under way."""
        return [
            (
                request.broker_id,
                [
                    (each.producer_id, each.producer_epoch, each.is_commit, each.partitions)
                    for each in request.markers
                ],
            )
            for request in self.requests
        ]


class TransactionWorld(World):
    """One partition of ``__transaction_state`` and its coordinator, which may move."""

    def __init__(self, *, transaction_version: int = 2, config: TransactionConfig | None = None) -> None:
        super().__init__()
        self.transaction_version = transaction_version
        self.config = config or TransactionConfig()
        self.log = MemoryLog(TRANSACTION_RECORDS)
        self.brokers = Brokers()
        self.epoch = 0
        self.next_id = 1000
        self.id_refusal: ErrorCode | None = None
        self.holds_ids = False
        """Whether producer ids wait for `give_ids`."""
        self._id_requests: list[Callable[[ErrorCode, int], None]] = []
        self.coordinator = self._load()

    def _next_producer_id(self, call: Callable[[ErrorCode, int], None]) -> None:
        self._id_requests.append(call)
        if not self.holds_ids:
            self.give_ids()

    def give_ids(self) -> None:
        """Hand out the producer ids that were asked for."""
        requests, self._id_requests = self._id_requests, []
        for call in requests:
            if self.id_refusal is not None:
                call(self.id_refusal, -1)
            else:
                self.next_id += 1
                call(ErrorCode.NONE, self.next_id)

    def begin_loading(self) -> TransactionCoordinator:
        """A coordinator that has read everything, and does not know that."""
        self.epoch += 1
        coordinator = TransactionCoordinator(
            lambda: self.config,
            self.log,
            self,
            coordinator_epoch=self.epoch,
            transaction_version=lambda: self.transaction_version,
            next_producer_id=self._next_producer_id,
            ports=self.brokers,
        )
        for record in self.log.records:
            coordinator.replay(record.key, record.value, 0, -1)
        return coordinator

    def _load(self) -> TransactionCoordinator:
        coordinator = self.begin_loading()
        coordinator.loaded()
        return coordinator

    def move(self) -> None:
        """Another broker coordinates. What is not committed is lost; requests under way stay so."""
        self.coordinator.unload()
        self.log.truncate()
        self.coordinator = self._load()

    # -- requests, whose responses are here if nothing has to be waited for ---------------------------------------

    def init(
        self,
        transactional_id: str = "a",
        *,
        timeout_ms: int = 60_000,
        expected: tuple[int, int] = (-1, -1),
        version: int = 5,
        enable_2pc: bool = False,
        keep_prepared: bool = False,
    ) -> list[ProducerOutcome]:
        """The responses of an InitProducerId request."""
        outcomes: list[ProducerOutcome] = []
        self.coordinator.init_producer_id(
            InitProducerIdValues(
                transactional_id=transactional_id,
                transaction_timeout_ms=timeout_ms,
                producer_id=expected[0],
                producer_epoch=expected[1],
                version=version,
                enable_2pc=enable_2pc,
                keep_prepared_txn=keep_prepared,
            ),
            outcomes.append,
        )
        return outcomes

    def begin(self, transactional_id: str = "a", *, timeout_ms: int = 60_000) -> tuple[int, int]:
        """The identity of a producer that has begun."""
        (outcome,) = self.init(transactional_id, timeout_ms=timeout_ms)
        assert outcome.code is ErrorCode.NONE
        return outcome.producer_id, outcome.producer_epoch

    def add(
        self,
        producer: tuple[int, int],
        *partitions: TopicPartition,
        transactional_id: str = "a",
        version: int | None = None,
        bumps_epoch: bool | None = None,
    ) -> list[ErrorCode]:
        """The responses of an AddPartitionsToTxn request."""
        codes: list[ErrorCode] = []
        self.coordinator.add_partitions(
            AddPartitionsValues(
                transactional_id=transactional_id,
                producer_id=producer[0],
                producer_epoch=producer[1],
                partitions=frozenset(partitions),
                version=3 if version is None else version,
                bumps_epoch=self.transaction_version >= 2 if bumps_epoch is None else bumps_epoch,
            ),
            codes.append,
        )
        return codes

    def add_at_last(
        self, producer: tuple[int, int], *partitions: TopicPartition, transactional_id: str = "a"
    ) -> list[ErrorCode]:
        """As `add`, until the coordinator does not wait any longer for what is under way."""
        codes = self.add(producer, *partitions, transactional_id=transactional_id)
        self.advance(ADDITION_WAIT_MS)
        return codes

    def verify(
        self, producer: tuple[int, int], *partitions: TopicPartition, transactional_id: str = "a"
    ) -> dict[TopicPartition, ErrorCode]:
        """The response to a request that only verifies."""
        return self.coordinator.verify_partitions(
            AddPartitionsValues(
                transactional_id=transactional_id,
                producer_id=producer[0],
                producer_epoch=producer[1],
                partitions=frozenset(partitions),
                version=5,
            )
        )

    def end(
        self,
        producer: tuple[int, int],
        *,
        commit: bool = True,
        transactional_id: str = "a",
        version: int | None = None,
    ) -> list[ProducerOutcome]:
        """The responses of an EndTxn request."""
        outcomes: list[ProducerOutcome] = []
        self.coordinator.end(
            EndTxnValues(
                transactional_id=transactional_id,
                producer_id=producer[0],
                producer_epoch=producer[1],
                committed=commit,
                version=(5 if self.transaction_version >= 2 else 4) if version is None else version,
            ),
            outcomes.append,
        )
        return outcomes

    # -- what is to be seen ----------------------------------------------------------------------------------------

    def state(self, transactional_id: str = "a") -> str:
        """The name of the state; the name of the error if there is none."""
        found = self.coordinator.describe(transactional_id)
        return found.transaction_state or ErrorCode(found.error_code).name

    def identity(self, transactional_id: str = "a") -> tuple[int, int]:
        """Producer id and epoch."""
        found = self.coordinator.describe(transactional_id)
        return found.producer_id, found.producer_epoch

    @property
    def last_value(self) -> TransactionLogValue:
        """The value of the last record."""
        value = self.log.records[-1].value
        assert isinstance(value, TransactionLogValue)
        return value
