"""The coordinator of transactions on this broker: one shard for each partition of ``__transaction_state`` that it
leads."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.coordinator import TRANSACTION_RECORDS
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.config.settings import SettingsTable
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.coordinator import TransactionCoordinator
from kafkaproto_server.core.coordinators.transactions.values import MarkerPorts
from kafkaproto_server.core.coordinators.values import CoordinatorError, Surroundings
from kafkaproto_server.metadata.features import TRANSACTION_VERSION
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import TRANSACTIONS_TOPIC
from kafkaproto_server.shell.coordinators.led import LedPartitions
from kafkaproto_server.shell.replicas.coordinators.coordinator_loading import Loading
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from kafkaproto_server.shell.replicas.files.hosted import Hosted

NewProducerId = Callable[[Callable[[int | None], None]], None]
"""Calls its argument with a producer id, or with None if there is none now."""


TRANSACTIONS = SettingsTable(
    TransactionConfig,
    {
        "max_timeout_ms": "transaction.max.timeout.ms",
        "expiration_ms": "transactional.id.expiration.ms",
        "abort_interval_ms": "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        "remove_interval_ms": "transaction.remove.expired.transaction.cleanup.interval.ms",
        "two_phase_commit_enable": "transaction.two.phase.commit.enable",
    },
)


class TransactionCoordinators:
    """All shards of this broker. See `LedPartitions` for what it is made of."""

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
        def transaction_version() -> int:
            return image().features.get(TRANSACTION_VERSION, 0)

        def make_shard(log: PartitionLog, epoch: int) -> TransactionCoordinator:
            return TransactionCoordinator(
                config,
                log,
                surroundings,
                coordinator_epoch=epoch,
                transaction_version=transaction_version,
                next_producer_id=self._next_producer_id,
                ports=markers,
            )

        self._new_producer_id = new_producer_id
        self.led: LedPartitions[TransactionCoordinator] = LedPartitions(
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

    def of(self, transactional_id: str) -> TransactionCoordinator:
        """The coordinator of a transactional id. Raises CoordinatorError."""
        if not transactional_id:
            # Kafka finds this wrong before it looks for the coordinator.
            raise CoordinatorError(ErrorCode.INVALID_REQUEST)
        return self.led.of(transactional_id)

    def all(self) -> Iterator[TransactionCoordinator]:
        """Those of all partitions that this broker leads. Raises CoordinatorError while one is being loaded."""
        return self.led.all()
