"""Produce in transactions: the first records of a transaction in a partition are taken only if its coordinator knows
that the partition takes part (KIP-890; see `core.replicas.verification`).

Clients up to version 11 of Produce have added the partition themselves, and the leader asks whether that is so. From
version 12 on the leader has it added. While the end of the producer's former transaction is under way, the coordinator
refuses; it is asked again for a short time, since clients would wait longer.

Kafka has this in ReplicaManager.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import msgspec
from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.ports import Buffer, Clock
from kafkaproto_server.base.types import BATCH_HEADER_BYTES
from kafkaproto_server.config.settings import SettingsTable
from kafkaproto_server.core.coordinators.values import told_code
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.requests.data import Produced, ProduceItem, ProduceResult
from kafkaproto_server.requests.transaction_requests import (
    AsksCoordinator,
    PartitionCodes,
    Producer,
    Told,
    TopicPartition,
)
from kafkaproto_server.shell.coordinators.transactions.added_partitions import AddedPartitions

NO_SEQUENCE = -1
_PRODUCER = struct.Struct(">qhi")
_PRODUCER_AT = 43
_ATTRIBUTES_AT = 22
_TRANSACTIONAL_BIT = 0x10

_NOT_VERIFIED = frozenset(
    {
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)
"""Codes after which a producer would look for another leader, or not send again. With NOT_ENOUGH_REPLICAS it does."""


class VerificationSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The broker's configs that say whether, and for how long, a coordinator is asked."""

    is_enabled: bool
    retry_backoff_ms: int
    max_retry_backoff_ms: int
    """In all, and not for one pause, as in Apache Kafka."""
    request_timeout_ms: int


VERIFICATION = SettingsTable(
    VerificationSettings,
    {
        "is_enabled": "transaction.partition.verification.enable",
        "retry_backoff_ms": "add.partitions.to.txn.retry.backoff.ms",
        "max_retry_backoff_ms": "add.partitions.to.txn.retry.backoff.max.ms",
        "request_timeout_ms": "request.timeout.ms",
    },
)


class TransactionalAppends:
    """Produce requests of transactional producers. See `TransactionPort.produce`."""

    def __init__(
        self,
        *,
        added: AddedPartitions,
        leading: Callable[[bytes, int], Partition],
        produce: Callable[[Sequence[ProduceItem], int, int, Produced], None],
        clock: Clock,
        call_at: Callable[[int, Callable[[], None]], None],
        settings: Callable[[], VerificationSettings],
    ) -> None:
        """``leading`` returns a partition that this broker leads, by topic id and index, or raises PartitionError.
        ``produce`` appends, with acks and timeout."""
        self._added = added
        self._leading = leading
        self._produce = produce
        self._clock = clock
        self._call_at = call_at
        self._settings = settings

    def produce(
        self,
        items: Sequence[ProduceItem],
        transactional_id: str,
        asks: AsksCoordinator,
        acks: int,
        timeout_ms: int,
        done: Produced,
    ) -> None:
        found = {position: _producer(item.records) for position, item in enumerate(items)}
        sequences = {position: each for position, each in found.items() if each is not None}
        identities = {(producer_id, epoch) for producer_id, epoch, _ in sequences.values()}
        if len(identities) > 1:
            code = ErrorCode.INVALID_PRODUCER_ID_MAPPING
            message = "Transactional records contained more than one producer ID"
            done([ProduceResult(code=code, message=message)] * len(items))
            return

        def verified(guards: Mapping[int, object], errors: Mapping[int, ErrorCode]) -> None:
            self._append(items, guards, errors, asks, acks, timeout_ms, done)

        if not identities or not (asks.adds or self.verifies()):
            verified({}, {})
            return
        ((producer_id, epoch),) = identities
        producer = Producer(transactional_id, producer_id, epoch)
        places = {
            position: (items[position].topic_id, items[position].index, sequence)
            for position, (_, _, sequence) in sequences.items()
        }
        self.verify(producer, places, asks, verified)

    def verifies(self) -> bool:
        return self._settings().is_enabled

    def verify(
        self,
        producer: Producer,
        places: Mapping[int, tuple[bytes, int, int]],
        asks: AsksCoordinator,
        done: Callable[[Mapping[int, object], Mapping[int, ErrorCode]], None],
    ) -> None:
        """Ask the coordinator for the partitions in which the producer has no open transaction.

        ``places`` has topic id, index and first sequence of each batch, by any number. ``done`` gets, by the same
        numbers, the guards of those for which the coordinator was asked, and the errors of those that must not be
        appended.
        """
        settings = self._settings()
        until_ms = self._clock.now_ms() + min(settings.max_retry_backoff_ms, settings.request_timeout_ms)
        pause_ms = settings.retry_backoff_ms

        def ask() -> None:
            guards, names, errors = self._begin(producer, places, asks)
            if not names:
                done(guards, errors)
                return

            def answered(refused: PartitionCodes) -> None:
                now_ms = self._clock.now_ms()
                if ErrorCode.CONCURRENT_TRANSACTIONS in refused.values() and now_ms < until_ms:
                    self._call_at(now_ms + pause_ms, ask)
                    return
                of_these = {position: refused[name] for position, name in names.items() if name in refused}
                for position, code in of_these.items():
                    if code is ErrorCode.INVALID_PRODUCER_ID_MAPPING:
                        self._forget(producer, places[position], guards[position])
                done(guards, {**errors, **of_these})

            self._added.ask(producer, tuple(names.values()), asks, answered)

        ask()

    def _forget(self, producer: Producer, place: tuple[bytes, int, int], guard: object) -> None:
        topic_id, index, _ = place
        with suppress(PartitionError):
            self._leading(topic_id, index).verifications.refused(producer.producer_id, guard)

    def verify_offsets(
        self, topic_id: bytes, index: int, producer: Producer, asks: AsksCoordinator, told: Told
    ) -> None:
        """Ask the coordinator for a partition of ``__consumer_offsets``, to which this broker appends for a producer.

        ``told`` gets NONE if the offsets may be appended in the same turn, or the code for the client.
        """
        if not (asks.adds or self.verifies()):
            told(ErrorCode.NONE)
            return

        def verified(guards: Mapping[int, object], errors: Mapping[int, ErrorCode]) -> None:
            code = errors.get(0, ErrorCode.NONE)
            if code is ErrorCode.NONE and self.verifies():
                code = self._check(topic_id, index, producer, guards.get(0))
            told(told_code(code))

        self.verify(producer, {0: (topic_id, index, NO_SEQUENCE)}, asks, verified)

    def _check(self, topic_id: bytes, index: int, producer: Producer, guard: object | None) -> ErrorCode:
        """What is checked of clients' records when they are appended."""
        try:
            partition = self._leading(topic_id, index)
        except PartitionError as error:
            return error.code
        is_known = partition.producers.is_in_transaction(
            producer.producer_id, producer.producer_epoch
        ) or partition.verifications.is_valid(producer.producer_id, guard, partition.leader_epoch)
        return ErrorCode.NONE if is_known else ErrorCode.INVALID_TXN_STATE

    def _begin(
        self, producer: Producer, places: Mapping[int, tuple[bytes, int, int]], asks: AsksCoordinator
    ) -> tuple[dict[int, object], dict[int, TopicPartition], dict[int, ErrorCode]]:
        """Guards and names of the partitions for which the coordinator has to be asked, and errors of others."""
        guards: dict[int, object] = {}
        names: dict[int, TopicPartition] = {}
        errors: dict[int, ErrorCode] = {}
        for position, (topic_id, index, sequence) in places.items():
            try:
                partition = self._leading(topic_id, index)
            except PartitionError as error:
                errors[position] = error.code
                continue
            if partition.producers.is_in_transaction(producer.producer_id, producer.producer_epoch):
                continue
            guards[position] = partition.verifications.begin(
                producer.producer_id,
                producer.producer_epoch,
                sequence,
                bumps_epoch=asks.adds,
                leader_epoch=partition.leader_epoch,
                now_ms=self._clock.wall_ms(),
            )
            names[position] = TopicPartition(partition.topic, index)
        return guards, names, errors

    def _append(
        self,
        items: Sequence[ProduceItem],
        guards: Mapping[int, object],
        errors: Mapping[int, ErrorCode],
        asks: AsksCoordinator,
        acks: int,
        timeout_ms: int,
        done: Produced,
    ) -> None:
        results = {position: _refused(code, asks) for position, code in errors.items()}
        rest = [position for position in range(len(items)) if position not in results]

        def appended(found: list[ProduceResult]) -> None:
            results.update(zip(rest, found, strict=True))
            done([results[position] for position in range(len(items))])

        if not rest:
            appended([])
            return
        guarded = [structs.replace(items[each], guard=guards.get(each)) for each in rest]
        self._produce(guarded, acks, timeout_ms, appended)


def _producer(records: Buffer) -> tuple[int, int, int] | None:
    """Producer id, epoch and first sequence of a transactional batch; None for another one."""
    if len(records) < BATCH_HEADER_BYTES or not records[_ATTRIBUTES_AT] & _TRANSACTIONAL_BIT:
        return None
    producer_id, epoch, sequence = _PRODUCER.unpack_from(records, _PRODUCER_AT)
    return None if producer_id < 0 else (producer_id, epoch, sequence)


def _refused(code: ErrorCode, asks: AsksCoordinator) -> ProduceResult:
    """What a producer is told if its partition could not be verified."""
    if code is ErrorCode.INVALID_TXN_STATE:
        return ProduceResult(code=code, message="Partition was not added to the transaction")
    if code in _NOT_VERIFIED or (code is ErrorCode.CONCURRENT_TRANSACTIONS and not asks.adds):
        message = (
            f"Unable to verify the partition has been added to the transaction. Underlying error: {code.name}"
        )
        return ProduceResult(code=ErrorCode.NOT_ENOUGH_REPLICAS, message=message)
    return ProduceResult(code=code)
