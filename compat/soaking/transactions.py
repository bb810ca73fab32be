"""Transactions: a producer that copies a topic exactly once and aborts every third time; many that come and go."""

from __future__ import annotations

import time
from collections import deque

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from compat.soaking.load import Ground, Lines, Load, check_code
from compat.soaking.places import TRANSACTION, coordinator_of, leader_of
from compat.soaking.records import COPIED, KEPT, PARTITIONS
from compat.soaking.tally import SoakLossError
from kafkaproto.messages import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProduceRequest,
    ProduceResponse,
)
from kafkaproto.records.batch import NewRecord, build_batch

COPIERS = "copiers"
"""The group, which is the transactional id as well."""
FINISHED = "finished"
"""The topic of producers that come and go."""
REQUEST_S = 60.0
EVERY_ABORTED = 3
COMMITTED = 1
"""Of three transactions, the one with this remainder."""
MAX_UNSURE = 100


class Copying(Load):
    """Copies `KEPT` to `COPIED`, each partition to the same, in transactions with their offsets."""

    INTERVAL_S = 1.5
    MAX_RECORDS = 500

    def __init__(self, ground: Ground) -> None:
        """Begins when the thread does."""
        super().__init__("transactions", ground)
        self.aborted = 0
        self._tries = 0
        self._consumer: Consumer | None = None
        self._producer: Producer | None = None

    def step(self) -> None:
        """See Load."""
        if self._producer is None:
            self._producer = self._begun()
        if self._consumer is None:
            self._consumer = self._assigned()
        messages = self._consumer.consume(self.MAX_RECORDS, 0.01)
        for message in messages:
            if (error := message.error()) is not None:
                self._begin_anew()
                raise KafkaException(error)
        if not messages:
            return
        self._tries += 1
        try:
            self._producer.begin_transaction()
            for message in messages:
                partition, value = message.partition(), message.value()
                assert partition is not None
                self._producer.produce(COPIED, value, partition=partition)
            if self._tries % EVERY_ABORTED == 0:
                self._producer.flush(REQUEST_S)
                self._producer.abort_transaction(REQUEST_S)
                self.aborted += 1
                self._go_back()
                return
            places = self._consumer.position([TopicPartition(KEPT, each) for each in range(PARTITIONS)])
            read = [each for each in places if each.offset >= 0]
            self._producer.send_offsets_to_transaction(
                read, self._consumer.consumer_group_metadata(), REQUEST_S
            )
            self._producer.commit_transaction(REQUEST_S)
            self.done += 1
        except KafkaException:
            self._begin_anew()
            raise

    def _begun(self) -> Producer:
        settings = {"transactional.id": COPIERS, "transaction.timeout.ms": 60_000, "compression.type": "zstd"}
        producer = Producer({**self.ground.settings, **settings})
        producer.init_transactions(REQUEST_S)
        return producer

    def _assigned(self) -> Consumer:
        """A consumer that continues where the last transaction that was committed ends."""
        consumer = Consumer({**self.ground.reading, "group.id": COPIERS, "auto.offset.reset": "error"})
        try:
            places = [TopicPartition(KEPT, each) for each in range(PARTITIONS)]
            committed = consumer.committed(places, REQUEST_S)
            consumer.assign([TopicPartition(KEPT, each.partition, max(0, each.offset)) for each in committed])
        except KafkaException:
            consumer.close()
            raise
        return consumer

    def _go_back(self) -> None:
        """The next step begins where the last transaction that was committed ends."""
        assert self._consumer is not None
        places = [TopicPartition(KEPT, each) for each in range(PARTITIONS)]
        for each in self._consumer.committed(places, REQUEST_S):
            self._consumer.seek(TopicPartition(KEPT, each.partition, max(0, each.offset)))

    def _begin_anew(self) -> None:
        """After a failure nobody knows what was committed: the next producer ends it, the next consumer asks."""
        self._producer = None
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None

    def close(self) -> None:
        """See Load."""
        if self._consumer is not None:
            self._consumer.close()
        self._producer = None


class PassingTransactions(Load):
    """Transactional ids that are used once: their transactions are committed, aborted, or left to their time-out."""

    INTERVAL_S = 5.0
    TIMEOUT_MS = 5_000
    """Of a transaction that is left open; the coordinator aborts it."""

    def __init__(self, ground: Ground) -> None:
        """No connection yet."""
        super().__init__("transactional ids", ground)
        self._lines = Lines(ground.brokers)
        self._number = 0
        self._expected: deque[int] = deque()
        """Numbers that are committed and were not read yet."""
        self._unsure: deque[int] = deque(maxlen=MAX_UNSURE)
        """Numbers that may be committed."""
        self._consumer = Consumer(
            {**ground.reading, "group.id": "reader-of-finished", "auto.offset.reset": "error"}
        )
        self._consumer.assign([TopicPartition(FINISHED, 0, 0)])

    def step(self) -> None:
        """See Load."""
        self._read()
        self._number += 1
        self._unsure.append(self._number)
        self._transact()
        self._unsure.pop()
        if self._number % EVERY_ABORTED == COMMITTED:
            self._expected.append(self._number)
        self.done += 1

    def _transact(self) -> None:
        name = f"passing-{self.ground.seed}-{self._number}"
        coordinator = coordinator_of(self._lines, TRANSACTION, name)
        begun = self._lines.ask(
            coordinator, InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=self.TIMEOUT_MS)
        )
        assert isinstance(begun, InitProducerIdResponse)
        check_code("InitProducerId", begun.error_code)
        self._add(coordinator, name, begun)
        self._write(name, begun)
        if self._number % EVERY_ABORTED:
            ended = self._lines.ask(
                coordinator,
                EndTxnRequest(
                    transactional_id=name,
                    producer_id=begun.producer_id,
                    producer_epoch=begun.producer_epoch,
                    committed=self._number % EVERY_ABORTED == COMMITTED,
                ),
            )
            assert isinstance(ended, EndTxnResponse)
            check_code("EndTxn", ended.error_code)

    def _read(self) -> None:
        """What consumers with read_committed see: what was committed, each once and in order, and nothing else."""
        for message in self._consumer.consume(1_000, 0.01):
            if (error := message.error()) is not None:
                raise KafkaException(error)
            value = message.value()
            assert isinstance(value, bytes)
            number = int(value.rsplit(b"-", 1)[1])
            if self._expected and number == self._expected[0]:
                self._expected.popleft()
            elif number not in self._unsure or number % EVERY_ABORTED != COMMITTED:
                expected = self._expected[0] if self._expected else None
                raise SoakLossError(f"{self.name}: transaction {number} is there, expected was {expected}")

    def unread(self) -> int:
        """How many committed transactions nobody has read; for the end, when the thread has ended."""
        self._read()
        return len(self._expected)

    def _add(self, coordinator: str, name: str, begun: InitProducerIdResponse) -> None:
        """By version 3, the newest that clients send."""
        topic = AddPartitionsToTxnRequest.AddPartitionsToTxnTopic(name=FINISHED, partitions=[0])
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=name,
            v3_and_below_producer_id=begun.producer_id,
            v3_and_below_producer_epoch=begun.producer_epoch,
            v3_and_below_topics=[topic],
        )
        added = self._lines.ask(coordinator, request, 3)
        assert isinstance(added, AddPartitionsToTxnResponse)
        codes = [
            one.partition_error_code
            for each in added.results_by_topic_v3_and_below
            for one in each.results_by_partition
        ]
        check_code("AddPartitionsToTxn", codes[0])

    def _write(self, name: str, begun: InitProducerIdResponse) -> None:
        batch = build_batch(
            [NewRecord(key=None, value=name.encode())],
            base_offset=0,
            timestamp_ms=int(time.time() * 1000),
            producer_id=begun.producer_id,
            producer_epoch=begun.producer_epoch,
            base_sequence=0,
            transactional=True,
        )
        partition = ProduceRequest.PartitionProduceData(index=0, records=batch)
        request = ProduceRequest(
            transactional_id=name,
            acks=-1,
            timeout_ms=30_000,
            topic_data=[ProduceRequest.TopicProduceData(name=FINISHED, partition_data=[partition])],
        )
        leader = leader_of(self._lines, FINISHED, 0)
        written = self._lines.ask(leader, request, 11)
        assert isinstance(written, ProduceResponse)
        check_code(f"Produce of {name}", written.responses[0].partition_responses[0].error_code)

    def close(self) -> None:
        """See Load."""
        self._lines.close()

    def close_reader(self) -> None:
        """After the last `unread`."""
        self._consumer.close()
