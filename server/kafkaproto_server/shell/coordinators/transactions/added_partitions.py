"""Asks the coordinator of a transaction whether partitions take part in it, or to add them (KIP-890).

The coordinator may be on this broker; otherwise it is asked by AddPartitionsToTxn, many transactions in one request.
Kafka has this in AddPartitionsToTxnManager.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.message import Message
from kafkaproto.messages import AddPartitionsToTxnRequest, AddPartitionsToTxnResponse
from kafkaproto_server.base.metrics.coordinators import VerificationMetrics
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import TRANSACTIONS_TOPIC
from kafkaproto_server.requests.coordinator_places import partition_of
from kafkaproto_server.requests.transaction_requests import (
    AddPartitionsValues,
    AsksCoordinator,
    PartitionCodes,
    Producer,
    TopicPartition,
    by_topic,
)
from kafkaproto_server.shell.coordinators.broker_requests import BrokerRequests, OtherBrokers
from kafkaproto_server.shell.coordinators.transactions.transactions import TransactionCoordinators

MAX_ELEMENTS = 1_000
"""Of one request: some 30 KiB. Of a sender that may do no more than CLUSTER_ACTION, a broker reads up to 64 KiB
(`apis.serving`)."""
BATCHED_VERSION = 4
"""The first version of AddPartitionsToTxn that brokers use."""

Done = Callable[[PartitionCodes], None]
"""Takes the partitions that are not part of the transaction, each with the reason."""


class _Question(msgspec.Struct, frozen=True):
    """What is asked of one transaction."""

    producer: Producer
    partitions: tuple[TopicPartition, ...]
    asks: AsksCoordinator
    done: Done

    @property
    def key(self) -> str:
        return self.producer.transactional_id

    @property
    def elements(self) -> int:
        """One for the transaction, and at most two for each partition."""
        return 1 + 2 * len(self.partitions)


class AddedPartitions:
    """Asks for all partitions that this broker leads."""

    def __init__(
        self,
        others: OtherBrokers,
        *,
        image: Callable[[], ClusterImage],
        coordinators: TransactionCoordinators,
        metrics: VerificationMetrics,
        clock: Clock,
    ) -> None:
        self._broker_id = others.broker_id
        self._image = image
        self._coordinators = coordinators
        self._metrics = metrics
        self._clock = clock
        self._requests: BrokerRequests[_Question] = BrokerRequests(
            others,
            "add-partitions",
            max_elements=MAX_ELEMENTS,
            request=_request,
            responded=_responded,
        )
        self.run = self._requests.run

    def ask(
        self, producer: Producer, partitions: Sequence[TopicPartition], asks: AsksCoordinator, done: Done
    ) -> None:
        """Ask the coordinator of a transaction. ``done`` is called once, now or later."""
        question = _Question(producer, tuple(partitions), asks, self._counted(done))
        topic = self._image().topic_by_name(TRANSACTIONS_TOPIC)
        index = None if topic is None else partition_of(producer.transactional_id, len(topic.partitions))
        partition = None if topic is None or index is None else topic.partitions.get(index)
        leader = NO_NODE if partition is None else partition.leader
        if leader == NO_NODE:
            question.done(dict.fromkeys(partitions, ErrorCode.COORDINATOR_NOT_AVAILABLE))
        elif leader == self._broker_id:
            self._ask_here(question)
        else:
            self._requests.send(leader, question)

    def _counted(self, done: Done) -> Done:
        began_ms = self._clock.now_ms()

        def answered(refused: PartitionCodes) -> None:
            self._metrics.times.add((self._clock.now_ms() - began_ms) / 1000)
            self._metrics.failures += len(refused)
            done(refused)

        return answered

    def _ask_here(self, question: _Question) -> None:
        producer = question.producer
        values = AddPartitionsValues(
            transactional_id=producer.transactional_id,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            partitions=frozenset(question.partitions),
            version=BATCHED_VERSION,
            bumps_epoch=True,
        )

        def added(code: ErrorCode) -> None:
            _tell(question, dict.fromkeys(question.partitions, code))

        try:
            coordinator = self._coordinators.of(producer.transactional_id)
        except CoordinatorError as error:
            added(error.code)
            return
        if question.asks.adds:
            coordinator.add_partitions(values, added)
        else:
            _tell(question, coordinator.verify_partitions(values))


def _request(questions: Sequence[_Question]) -> AddPartitionsToTxnRequest:
    return AddPartitionsToTxnRequest(
        transactions=[
            AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction(
                transactional_id=each.producer.transactional_id,
                producer_id=each.producer.producer_id,
                producer_epoch=each.producer.producer_epoch,
                verify_only=not each.asks.adds,
                topics=[
                    AddPartitionsToTxnRequest.AddPartitionsToTxnTopic(name=topic, partitions=indexes)
                    for topic, indexes in by_topic(each.partitions).items()
                ],
            )
            for each in questions
        ]
    )


def _responded(questions: Sequence[_Question], response: Message | None) -> None:
    if response is None:
        for each in questions:
            _tell(each, dict.fromkeys(each.partitions, ErrorCode.NETWORK_EXCEPTION))
        return
    assert isinstance(response, AddPartitionsToTxnResponse), "it is the response to AddPartitionsToTxn"
    if response.error_code:
        code = describe(response.error_code).code
        if code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
            # That this broker may not ask is not the producer's fault.
            code = ErrorCode.INVALID_TXN_STATE
        for each in questions:
            _tell(each, dict.fromkeys(each.partitions, code))
        return
    results = {
        transaction.transactional_id: {
            TopicPartition(topic.name, each.partition_index): describe(each.partition_error_code).code
            for topic in transaction.topic_results
            for each in topic.results_by_partition
        }
        for transaction in response.results_by_transaction
    }
    for each in questions:
        found = results.get(each.key, {})
        # What the response leaves out is in doubt.
        _tell(each, {key: found.get(key, ErrorCode.UNKNOWN_SERVER_ERROR) for key in each.partitions})


def _tell(question: _Question, codes: Mapping[TopicPartition, ErrorCode]) -> None:
    question.done(
        {
            partition: _told(code, question.asks)
            for partition, code in codes.items()
            if code is not ErrorCode.NONE
        }
    )


def _told(code: ErrorCode, asks: AsksCoordinator) -> ErrorCode:
    """The code that a producer expects from a leader."""
    if code is ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    if code is ErrorCode.TRANSACTION_ABORTABLE and not asks.knows_abortable:
        return ErrorCode.INVALID_TXN_STATE
    return code
