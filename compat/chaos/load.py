"""Producers and consumers of two clients, at a modest rate, in threads of this process.

A producer that its client declares unusable begins another session. No value is sent twice by us.
"""

from __future__ import annotations

import abc
import ctypes
import itertools
import logging
import random
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from compat.chaos.account import Place, Promised, Written, make_value, read_value

with warnings.catch_warnings():
    # It reads its schemas by a function that Python has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer, KafkaProducer
    from kafka import TopicPartition as PythonPartition
    from kafka.errors import KafkaError as PythonError
    from kafka.errors import KafkaTimeoutError as PythonTimeoutError

TICK_S = 0.05
FLUSH_S = 180.0
"""More than the 120 s after which every record has succeeded or failed."""
KEPT_ERRORS = 5
SIGN_OF_LIFE_MS = 1_000
"""A main thread of librdkafka that works tells of itself so often."""
SILENT_S = 30.0
"""A consumer of librdkafka whose main thread has not told of itself for so long is given up."""
DELIVERY_MS = 120_000
SIZES = (20, 200, 200, 2_000)
"""Of the padding of values, in bytes."""

# What they say of nodes that are gone is no news.
logging.getLogger("kafka").setLevel(logging.CRITICAL)

ClientT = TypeVar("ClientT")
Told = Callable[[int, str | None], None]
"""Takes the offset of an acknowledged record, or what went wrong."""


class Producing(Protocol):
    """One session of a client's producer."""

    def send(self, partition: int, value: bytes, told: Told) -> None:
        """Sends, or raises BufferError. `told` is called from any thread."""

    def flush(self) -> None:
        """Returns when everything has succeeded or failed."""


class PythonProducing:
    """kafka-python."""

    def __init__(self, servers: str, topic: str, *, is_idempotent: bool) -> None:
        """Connects."""
        self._topic = topic
        self._producer = KafkaProducer(
            bootstrap_servers=servers.split(","),
            acks="all",
            enable_idempotence=is_idempotent,
            compression_type="gzip" if is_idempotent else None,
            linger_ms=5,
            delivery_timeout_ms=DELIVERY_MS,
            request_timeout_ms=10_000,
            max_block_ms=10_000,
        )

    def send(self, partition: int, value: bytes, told: Told) -> None:
        """See Producing."""
        try:
            future = self._producer.send(self._topic, value, partition=partition)
        except PythonError as error:
            raise BufferError(str(error)) from error
        future.add_callback(lambda metadata: told(metadata.offset, None))
        future.add_errback(lambda error: told(-1, type(error).__name__))

    def flush(self) -> None:
        """See Producing."""
        # What neither succeeds nor fails in that time was never acknowledged.
        with suppress(PythonError):
            self._producer.flush(FLUSH_S)
        with suppress(PythonError):
            self._producer.close(10)


class LibrdkafkaProducing:
    """confluent-kafka."""

    def __init__(self, servers: str, topic: str, *, is_idempotent: bool) -> None:
        """Connects."""
        self._topic = topic
        self._producer = Producer(
            {
                "bootstrap.servers": servers,
                "acks": "all",
                "enable.idempotence": is_idempotent,
                "compression.type": "lz4" if is_idempotent else "zstd",
                "linger.ms": 5,
                "delivery.timeout.ms": DELIVERY_MS,
                "socket.timeout.ms": 10_000,
                "log_level": 0,
            }
        )

    def send(self, partition: int, value: bytes, told: Told) -> None:
        """See Producing."""

        def done(error: KafkaError | None, message: Message) -> None:
            offset = message.offset()
            told(-1 if offset is None else offset, None if error is None else error.name())

        self._producer.poll(0)
        try:
            self._producer.produce(self._topic, value, partition=partition, callback=done)
        except KafkaException as error:
            raise BufferError(str(error)) from error

    def flush(self) -> None:
        """See Producing."""
        self._producer.flush(FLUSH_S)


MAKERS: dict[str, Callable[..., Producing]] = {
    "kafka-python": PythonProducing,
    "librdkafka": LibrdkafkaProducing,
}
FATAL = frozenset(
    {"_FATAL", "OUT_OF_ORDER_SEQUENCE_NUMBER", "OutOfOrderSequenceNumberError", "_PURGE_QUEUE"}
    | {"InvalidProducerEpochError", "ProducerFencedError", "UnknownProducerIdError", "INVALID_PRODUCER_EPOCH"}
)
"""After which a session may not go on."""


class Load(threading.Thread):
    """One producer that counts up, over all partitions of its topic, until it is told to stop."""

    def __init__(
        self,
        client: str,
        servers: str,
        topic: str,
        partitions: int,
        *,
        is_idempotent: bool,
        rate: float,
        seed: int,
    ) -> None:
        """Not started yet. `rate` is in records a second; the seed decides the values' sizes."""
        kind = "idempotent" if is_idempotent else "retrying"
        super().__init__(name=f"{client}-{kind}", daemon=True)
        self.promised = Promised(name=self.name, is_idempotent=is_idempotent)
        self._make: Callable[[], Producing] = lambda: MAKERS[client](
            servers, topic, is_idempotent=is_idempotent
        )
        self._topic, self._partitions, self._rate = topic, partitions, rate
        self._random = random.Random(f"{self.name} {seed}")
        self._lock = threading.Lock()
        self._stop_asked = threading.Event()
        self._is_broken = threading.Event()
        self._last = time.monotonic()
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Sends until `stop`."""
        try:
            self._last = time.monotonic()
            while (session := begun(self._make, self._stop_asked)) is not None:
                self._run_session(session)
        except BaseException as error:
            self.failure = error

    @property
    def is_under_way(self) -> bool:
        """Whether anything was acknowledged. Raises what the thread ended with."""
        if self.failure is not None:
            raise self.failure
        with self._lock:
            return self.promised.count > 0

    def stop(self) -> None:
        """Sends no more, and waits for what is under way. Raises what the thread ended with."""
        self._stop_asked.set()
        self.join()
        if self.failure is not None:
            raise self.failure
        self.promised.longest_gap_s = max(self.promised.longest_gap_s, time.monotonic() - self._last)

    def _run_session(self, session: Producing) -> None:
        self._is_broken.clear()
        began, sent = time.monotonic(), 0
        while not self._stop_asked.is_set() and not self._is_broken.is_set():
            due = int((time.monotonic() - began) * self._rate)
            if due - sent > self._rate:
                # Nothing could be sent for a while; it is not made up for.
                began, sent = time.monotonic(), 0
                continue
            for _ in range(due - sent):
                if not self._send_one(session):
                    break
            sent = due
            time.sleep(TICK_S)
        session.flush()
        with self._lock:
            self.promised.sessions += not self._stop_asked.is_set()

    def _send_one(self, session: Producing) -> bool:
        number = self.promised.sent
        partition = number % self._partitions
        written = Written(self.name, self.promised.sessions, number)
        place = (self._topic, partition)
        padding = self._random.randbytes(self._random.choice(SIZES) // 2).hex().encode()
        try:
            session.send(
                partition,
                make_value(written, padding),
                lambda offset, error: self._take(place, written, offset, error),
            )
        except BufferError as error:
            if "_FATAL" in str(error):
                self._is_broken.set()
            return False
        self.promised.sent += 1
        return True

    def _take(self, place: Place, written: Written, offset: int, error: str | None) -> None:
        now = time.monotonic()
        with self._lock:
            if error is not None:
                self.promised.failed[error] += 1
                if error in FATAL:
                    self._is_broken.set()
                return
            self.promised.longest_gap_s = max(self.promised.longest_gap_s, now - self._last)
            self._last = now
            self.promised.acknowledged.setdefault(place, []).append((offset, written))


class Reading(threading.Thread, abc.ABC):
    """A consumer without a group that reads all partitions from their starts."""

    def __init__(self, client: str, servers: str, places: Sequence[Place]) -> None:
        """Not started yet."""
        super().__init__(name=f"consumer of {client}", daemon=True)
        self._servers, self._places = servers, places
        self._end_asked = threading.Event()
        self.records: dict[Place, list[tuple[int, Written]]] = {place: [] for place in places}
        """As delivered."""
        self.failure: BaseException | None = None
        self.given_up = 0
        """Consumers whose client locked itself up."""
        self.told: deque[str] = deque(maxlen=KEPT_ERRORS)
        """The newest errors that the client told of and went on from."""

    def run(self) -> None:
        """Reads until `stop`."""
        try:
            self._read()
        except BaseException as error:
            self.failure = error

    def position(self, place: Place) -> int:
        """Behind the last record that was delivered. Raises what the thread ended with."""
        if self.failure is not None:
            raise self.failure
        delivered = self.records[place]
        return delivered[-1][0] + 1 if delivered else 0

    def stop(self) -> None:
        """Reads no more."""
        self._end_asked.set()
        self.join()

    @abc.abstractmethod
    def _read(self) -> None: ...


class LibrdkafkaReading(Reading):
    """confluent-kafka.

    Its threads can lock each other up when a broker leaves the metadata (librdkafka issue 5476, see
    `compat/confluent_kafka/FINDINGS.md`). Such a consumer is given up, and another one goes on where it was. A consumer
    that is alive and delivers nothing is not.
    """

    def __init__(self, servers: str, places: Sequence[Place], *, silent_s: float = SILENT_S) -> None:
        """See Reading."""
        super().__init__("librdkafka", servers, places)
        self._silent_s = silent_s
        self._alive = 0.0

    def _read(self) -> None:
        consumer = self._begin()
        while not self._end_asked.is_set():
            for message in consumer.consume(1000, 0.2):
                self._take(message)
            if time.monotonic() - self._alive > self._silent_s:
                self.given_up += 1
                # Nothing may destroy it, for that would wait for its threads.
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(consumer))
                consumer = self._begin()
        consumer.close()

    def _begin(self) -> Consumer:
        settings: dict[str, Any] = {
            "bootstrap.servers": self._servers,
            "group.id": "reader",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "check.crcs": True,
            "fetch.wait.max.ms": 200,
            "log_level": 0,
            "statistics.interval.ms": SIGN_OF_LIFE_MS,
            "stats_cb": self._hear,
        }
        self._hear()
        consumer = Consumer(settings)
        consumer.assign([TopicPartition(*place, self.position(place)) for place in self._places])
        return consumer

    def _hear(self, _statistics: str = "") -> None:
        self._alive = time.monotonic()

    def _take(self, message: Message) -> None:
        error = message.error()
        if error is not None:
            if error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError._FATAL):
                raise KafkaException(error)
            where = f"{message.topic()}-{message.partition()} offset {message.offset()}"
            self.told.append(f"{error.name()} {error.str()} ({where})")
            return
        topic, partition, offset, value = (
            message.topic(),
            message.partition(),
            message.offset(),
            message.value(),
        )
        assert topic is not None
        assert partition is not None
        assert offset is not None
        assert value is not None
        self.records[topic, partition].append((offset, read_value(bytes(value))))


class PythonReading(Reading):
    """kafka-python."""

    def __init__(self, servers: str, places: Sequence[Place]) -> None:
        """See Reading."""
        super().__init__("kafka-python", servers, places)

    def _read(self) -> None:
        consumer = begun(self._connected, self._end_asked)
        if consumer is None:
            return
        assigned = [PythonPartition(topic, number) for topic, number in self._places]
        consumer.assign(assigned)
        for each in assigned:
            consumer.seek(each, 0)
        while not self._end_asked.is_set():
            for where, messages in consumer.poll(200).items():
                into = self.records[where.topic, where.partition]
                into.extend((message.offset, read_value(message.value)) for message in messages)
        consumer.close()

    def _connected(self) -> KafkaConsumer:
        return KafkaConsumer(
            bootstrap_servers=self._servers.split(","),
            group_id=None,
            auto_offset_reset="none",
            fetch_max_wait_ms=200,
            request_timeout_ms=10_000,
        )


def begun(make: Callable[[], ClientT], stop: threading.Event) -> ClientT | None:
    """A client of kafka-python, which gives up connecting after 30 s, perhaps all of them with a broker that is paused.
    It is made until one succeeds; None if it is to stop first.
    """
    while not stop.is_set():
        with suppress(PythonTimeoutError):
            return make()
    return None


def consume_to(readings: Sequence[Reading], ends: dict[Place, int], timeout_s: float) -> list[str]:
    """Waits until all have delivered everything below these offsets; who has not, a line each."""
    deadline = time.monotonic() + timeout_s
    behind = list(itertools.product(readings, ends))
    while behind and time.monotonic() < deadline:
        time.sleep(TICK_S)
        behind = [(each, place) for each, place in behind if each.position(place) < ends[place]]
    told = {each.name: f"{each.name} was told: {'; '.join(each.told)}" for each, _ in behind if each.told}
    return [
        f"{each.name} stays at offset {each.position(place)} of {place[0]}-{place[1]}, which ends at {ends[place]}"
        for each, place in behind
    ] + list(told.values())
