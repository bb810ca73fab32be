"""The coordinator of transactions on this broker: one shard for each partition of ``__transaction_state`` that it
leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import DescribeTransactionsResponse
from kafkaproto.records.coordinator import TRANSACTION_RECORDS
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.coordinator import TransactionCoordinator
from kafkaproto_server.core.coordinators.transactions.describe import not_described, unknown_states
from kafkaproto_server.core.coordinators.transactions.values import MarkerPorts
from kafkaproto_server.core.coordinators.values import CoordinatorError, Surroundings
from kafkaproto_server.metadata.features import TRANSACTION_VERSION
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import TRANSACTIONS_TOPIC
from kafkaproto_server.requests.transaction_requests import (
    AddPartitionsValues,
    EndTxnValues,
    InitProducerIdValues,
    ListedTransactions,
    ListValues,
    ProducerDone,
    ProducerOutcome,
    Told,
    TopicPartition,
)
from kafkaproto_server.shell.coordinators.led import LedPartitions
from kafkaproto_server.shell.replicas.coordinators.coordinator_loading import Loading
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.topic_settings import is_on, number_of

NewProducerId = Callable[[Callable[[int | None], None]], None]
"""Calls its argument with a producer id, or with None if there is none now."""


def transaction_config(configs: NodeConfigs) -> TransactionConfig:
    """The settings of the coordinator, from the broker's configs."""
    return TransactionConfig(
        max_timeout_ms=number_of(configs, "transaction.max.timeout.ms"),
        expiration_ms=number_of(configs, "transactional.id.expiration.ms"),
        abort_interval_ms=number_of(configs, "transaction.abort.timed.out.transaction.cleanup.interval.ms"),
        remove_interval_ms=number_of(configs, "transaction.remove.expired.transaction.cleanup.interval.ms"),
        two_phase_commit_enable=is_on(configs, "transaction.two.phase.commit.enable"),
    )


class _Shard:
    """A coordinator as `LedPartitions` has it."""

    def __init__(self, coordinator: TransactionCoordinator) -> None:
        self.coordinator = coordinator
        self.loaded = coordinator.loaded
        self.unload = coordinator.unload

    def replay(self, key: Message, value: Message | None, offset: int, producer_id: int) -> None:
        """Take a record over. Nobody writes to the topic in a transaction."""
        self.coordinator.replay(key, value)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """No transaction has a part in the topic; a marker that comes all the same means nothing."""


class TransactionCoordinators:
    """All shards of this broker."""

    def __init__(
        self,
        *,
        image: Callable[[], ClusterImage],
        config: Callable[[], TransactionConfig],
        surroundings: Surroundings,
        new_producer_id: NewProducerId,
        markers: MarkerPorts,
        make_log: Callable[[Hosted], PartitionLog],
        load: Callable[..., Loading],
        load_times: Histogram,
    ) -> None:
        """See `LedPartitions`."""

        def transaction_version() -> int:
            return image().features.get(TRANSACTION_VERSION, 0)

        def make_shard(log: PartitionLog, epoch: int) -> _Shard:
            return _Shard(
                TransactionCoordinator(
                    config,
                    log,
                    surroundings,
                    coordinator_epoch=epoch,
                    transaction_version=transaction_version,
                    next_producer_id=self._next_producer_id,
                    ports=markers,
                )
            )

        self._new_producer_id = new_producer_id
        self.led: LedPartitions[_Shard] = LedPartitions(
            TRANSACTIONS_TOPIC,
            TRANSACTION_RECORDS,
            image=image,
            make_log=make_log,
            make_shard=make_shard,
            load=load,
            load_times=load_times,
            # What the former leader decided may not be committed yet, and markers may follow only then.
            waits_for_commit=True,
        )

    def _next_producer_id(self, take: Callable[[ErrorCode, int], None]) -> None:
        def taken(producer_id: int | None) -> None:
            if producer_id is None:
                take(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, -1)
            else:
                take(ErrorCode.NONE, producer_id)

        self._new_producer_id(taken)

    def _of(self, transactional_id: str) -> TransactionCoordinator:
        """The coordinator of a transactional id. Raises CoordinatorError."""
        if not transactional_id:
            # Kafka says so whoever coordinates.
            raise CoordinatorError(ErrorCode.INVALID_REQUEST)
        return self.led.shard(transactional_id).coordinator

    # -- producers -----------------------------------------------------------------------------------------------

    def init_producer_id(self, values: InitProducerIdValues, done: ProducerDone) -> None:
        """See `TransactionCoordinator.init_producer_id`."""
        try:
            coordinator = self._of(values.transactional_id)
        except CoordinatorError as error:
            done(ProducerOutcome(code=error.code))
        else:
            coordinator.init_producer_id(values, done)

    def add_partitions(self, values: AddPartitionsValues, done: Told) -> None:
        """See `TransactionCoordinator.add_partitions`."""
        try:
            coordinator = self._of(values.transactional_id)
        except CoordinatorError as error:
            done(error.code)
        else:
            coordinator.add_partitions(values, done)

    def verify_partitions(self, values: AddPartitionsValues) -> Mapping[TopicPartition, ErrorCode]:
        """See `TransactionCoordinator.verify_partitions`."""
        try:
            return self._of(values.transactional_id).verify_partitions(values)
        except CoordinatorError as error:
            return dict.fromkeys(values.partitions, error.code)

    def end(self, values: EndTxnValues, done: ProducerDone) -> None:
        """See `TransactionCoordinator.end`."""
        try:
            coordinator = self._of(values.transactional_id)
        except CoordinatorError as error:
            done(ProducerOutcome(code=error.code))
        else:
            coordinator.end(values, done)

    # -- administrators ------------------------------------------------------------------------------------------

    def described_partitions(self, transactional_id: str) -> int:
        """See `TransactionCoordinator.described_partitions`."""
        try:
            return self._of(transactional_id).described_partitions(transactional_id)
        except CoordinatorError:
            return 0

    def described(self, transactional_id: str) -> DescribeTransactionsResponse.TransactionState:
        """See `TransactionCoordinator.describe`."""
        try:
            return self._of(transactional_id).describe(transactional_id)
        except CoordinatorError as error:
            return not_described(transactional_id, error.code)

    def listed(self, values: ListValues) -> ErrorCode | ListedTransactions:
        """The transactions of all shards; COORDINATOR_LOAD_IN_PROGRESS while one of them is loaded."""
        if self.led.is_loading:
            return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        found = [each.coordinator.list_transactions(values) for each in self.led.loaded_shards()]
        return ListedTransactions(unknown_states(values.state_filters), chain.from_iterable(found))
