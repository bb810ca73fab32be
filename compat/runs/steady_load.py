"""What clients write while the nodes of a cluster are replaced, and the account of it.

A producer with acks=all writes numbers to each partition of a topic; a group reads them and commits its offsets; a
transactional producer writes numbers to another topic and commits offsets of a second group with them, and aborts some.
At the end all that was acknowledged has to be there, once and in order, and both groups have to have the offsets that
were committed last.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from compat.process import wait_until

KEPT, PAID = "kept", "paid"
"""The topic of the producer with acks=all, and that of the transactions."""
PARTITIONS = 3
READERS, PAYERS = "readers", "payers"
"""The group that reads, and that whose offsets are committed in transactions."""
PAUSE_S = 0.05
"""Between two records, and between two transactions."""
MORE = 20
"""What has to be acknowledged, consumed and committed between two changes."""
WAIT_S = 120.0
REQUEST_S = 60.0
STUCK_S = 10.0
"""librdkafka 2.x may wait a minute for a group's coordinator that has left the metadata, even if it is back."""
NOWHERE = -1
"""In place of an offset."""
TIMES_ABORTED = 5
"""Every fifth transaction is aborted."""


class SteadyLoadError(Exception):
    """Something acknowledged is missing, doubled, out of order or shown too early; or a client failed for good."""


class _StuckError(Exception):
    """A producer waits for a broker that it does not look for any more: another one has to take its place."""


class SteadyLoad:
    """Runs in three threads as a context manager; `check` ends it."""

    def __init__(self, servers: str) -> None:
        """The topics `KEPT` and `PAID` are there already; nothing is sent yet."""
        self._settings: dict[str, str | int | float | bool] = {"bootstrap.servers": servers, "log_level": 0}
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._guarded, args=(each,), daemon=True)
            for each in (self._produce, self._read, self._pay)
        ]
        self._failed: list[str] = []
        self.acknowledged: dict[int, dict[int, int]] = defaultdict(dict)
        """Offset by number, of each partition of `KEPT`."""
        self.read = 0
        self.committed: dict[int, int] = {}
        """The offsets that `READERS` committed last."""
        self.paid: list[int] = []
        """The numbers of the transactions that were committed."""
        self.aborted = 0
        self.longest_gap_s = 0.0
        """Between two acknowledgements, whichever partition."""

    @property
    def records(self) -> int:
        """The number of records that were acknowledged with acks=all."""
        return sum(map(len, self.acknowledged.values()))

    def __enter__(self) -> SteadyLoad:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._end()

    def wait_for_more(self) -> None:
        """Until more was acknowledged, read and paid. Raises SteadyLoadError, WaitedTooLongError."""
        records, read, paid = self.records + MORE, self.read + MORE, len(self.paid) + MORE // 4
        wait_until(
            lambda: (
                bool(self._failed)
                or (self.records >= records and self.read >= read and len(self.paid) >= paid)
            ),
            WAIT_S,
            f"{MORE} records to be acknowledged and read, and {MORE // 4} transactions",
        )
        if self._failed:
            raise SteadyLoadError("; ".join(self._failed))

    def check(self) -> None:
        """End the load, and look at what is there. Raises SteadyLoadError."""
        self._end()
        if self._failed:
            raise SteadyLoadError("; ".join(self._failed))
        self._check_kept()
        self._check_paid()
        self._check_offsets(READERS, self.committed)
        if self.paid:
            self._check_offsets(PAYERS, {0: self.paid[-1]})

    # -- the threads ---------------------------------------------------------------------------------------------------

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (KafkaException, SteadyLoadError) as error:
            self._failed.append(f"{work.__name__}: {error}")

    def _end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _produce(self) -> None:
        producer = Producer(
            {**self._settings, "acks": "all", "enable.idempotence": True, "delivery.timeout.ms": 120_000}
        )
        last_s = time.monotonic()

        def delivered(error: KafkaError | None, message: Message) -> None:
            nonlocal last_s
            value, partition, offset = message.value(), message.partition(), message.offset()
            if error is not None or value is None or partition is None:
                self._failed.append(f"a record was not acknowledged: {error}")
                return
            now_s = time.monotonic()
            self.longest_gap_s, last_s = max(self.longest_gap_s, now_s - last_s), now_s
            # Of a batch that was sent twice, a producer is told that it is there, but not where.
            self.acknowledged[partition][int(value)] = NOWHERE if offset is None else offset

        number = 0
        while not self._stop.is_set():
            producer.produce(KEPT, str(number).encode(), partition=number % PARTITIONS, on_delivery=delivered)
            producer.poll(PAUSE_S)
            number += 1
        if left := producer.flush(WAIT_S):
            raise SteadyLoadError(f"{left} records were not acknowledged")

    def _read(self) -> None:
        consumer = Consumer(
            {
                **self._settings,
                "group.id": READERS,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        consumer.subscribe([KEPT])
        while not self._stop.is_set():
            # Errors are of the moment: a broker that is away, a coordinator that moves. What counts is the end.
            found = [each for each in consumer.consume(500, timeout=0.1) if each.error() is None]
            self.read += len(found)
            if not found:
                continue
            try:
                offsets = consumer.commit(asynchronous=False)
            except KafkaException:
                continue
            for each in offsets or ():
                # A partition with nothing to commit has a negative offset.
                if each.error is None and each.offset >= 0:
                    self.committed[each.partition] = each.offset
        consumer.close()

    def _pay(self) -> None:
        producer = self._transactional()
        reader = Consumer({**self._settings, "group.id": PAYERS})
        number = 0
        while not self._stop.wait(PAUSE_S):
            number += 1
            try:
                is_committed = self._paid(producer, reader, number)
            except _StuckError:
                # Whoever takes its place aborts what it left open.
                producer, is_committed = self._transactional(), False
            if is_committed:
                self.paid.append(number)
            else:
                self.aborted += 1
        reader.close()

    def _transactional(self) -> Producer:
        settings = {**self._settings, "transactional.id": "payments", "transaction.timeout.ms": 60_000}
        producer = Producer(settings)
        _patiently(lambda: producer.init_transactions(REQUEST_S))
        return producer

    @staticmethod
    def _paid(producer: Producer, reader: Consumer, number: int) -> bool:
        """Whether a transaction was committed. If not, it was aborted. Raises _StuckError."""
        producer.begin_transaction()
        try:
            for partition in range(PARTITIONS):
                producer.produce(PAID, str(number).encode(), partition=partition)
            offsets, group = [TopicPartition(KEPT, 0, number)], reader.consumer_group_metadata()
            try:
                _patiently(lambda: producer.send_offsets_to_transaction(offsets, group, STUCK_S))
            except KafkaException as error:
                if error.args[0].code() == KafkaError._TIMED_OUT:
                    raise _StuckError from error
                raise
            if number % TIMES_ABORTED:
                _patiently(lambda: producer.commit_transaction(REQUEST_S))
                return True
        except KafkaException as error:
            if not error.args[0].txn_requires_abort():
                raise
        _patiently(lambda: producer.abort_transaction(REQUEST_S))
        return False

    # -- the account ---------------------------------------------------------------------------------------------------

    def _values(self, topic: str) -> dict[int, dict[int, int]]:
        """The number at each offset of each partition, of committed records, by offset."""
        consumer = Consumer({**self._settings, "group.id": "account", "isolation.level": "read_committed"})
        try:
            found: dict[int, dict[int, int]] = {each: {} for each in range(PARTITIONS)}
            consumer.assign([TopicPartition(topic, each, 0) for each in found])
            ends = {
                each: consumer.get_watermark_offsets(TopicPartition(topic, each), timeout=REQUEST_S)[1]
                for each in found
            }

            def are_read() -> bool:
                for message in consumer.consume(1000, timeout=0.1):
                    value, partition, offset = message.value(), message.partition(), message.offset()
                    if message.error() is None and value is not None:
                        assert partition is not None
                        assert offset is not None
                        found[partition][offset] = int(value)
                places = consumer.position([TopicPartition(topic, each) for each in found])
                return all(each.offset >= ends[each.partition] for each in places)

            wait_until(are_read, WAIT_S, f"{topic} to be read to {ends}")
        finally:
            consumer.close()
        return found

    def _check_kept(self) -> None:
        for partition, values in self._values(KEPT).items():
            numbers = list(values.values())
            if numbers != sorted(set(numbers)):
                raise SteadyLoadError(f"{KEPT}-{partition}: records are doubled or out of order")
            for number, offset in self.acknowledged[partition].items():
                if values.get(offset) != number and (offset != NOWHERE or number not in numbers):
                    raise SteadyLoadError(
                        f"{KEPT}-{partition}: {number} was acknowledged at {offset}; there is {values.get(offset)}"
                    )

    def _check_paid(self) -> None:
        for partition, values in self._values(PAID).items():
            if list(values.values()) != self.paid:
                wrong = sorted(set(values.values()) ^ set(self.paid))
                raise SteadyLoadError(
                    f"{PAID}-{partition}: transactions are lost, doubled or too many: {wrong}"
                )

    def _check_offsets(self, group: str, expected: Mapping[int, int]) -> None:
        consumer = Consumer({**self._settings, "group.id": group})
        try:
            asked = [TopicPartition(KEPT, each) for each in expected]
            found = {each.partition: each.offset for each in consumer.committed(asked, REQUEST_S)}
        finally:
            consumer.close()
        if found != dict(expected):
            raise SteadyLoadError(f"group {group} committed {dict(expected)}, and has {found}")


def _patiently(ask: Callable[[], None]) -> None:
    """Call again while the error may pass, unless the call itself took all its time. Raises KafkaException."""
    deadline_s = time.monotonic() + WAIT_S
    while True:
        try:
            ask()
            return
        except KafkaException as error:
            is_passing = error.args[0].retriable() and error.args[0].code() != KafkaError._TIMED_OUT
            if not is_passing or time.monotonic() > deadline_s:
                raise
        time.sleep(PAUSE_S)
