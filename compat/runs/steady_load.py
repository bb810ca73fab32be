"""What clients write while the nodes of a cluster are replaced, and the account of it.

A producer with acks=all writes numbers to each partition of a topic; a group reads them and commits its offsets; an
application of Apache Kafka's Java clients copies them to another topic in transactions that commit its offsets as well,
and aborts every third (`exactly_once`). At the end all that was acknowledged has to be there, once and in order, all of
it was copied once, and the groups have the offsets that were committed last.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from compat.process import ServerProcess, wait_until
from compat.runs.exactly_once import Copying, read

MEMBER = Path(__file__).resolve().parents[1] / "kafka_python" / "member.py"
"""Not librdkafka's consumer, which can lock itself up when a broker leaves the metadata."""
KEPT, COPIED = "kept", "copied"
"""The topic of the producer with acks=all, and that of the application."""
PARTITIONS = 3
READERS, COPIERS = "readers", "copiers"
"""The group that reads, and the application's, which is its transactional id as well."""
PAUSE_S = 0.05
"""Between two records."""
MORE, TRANSACTIONS = 20, 3
"""Records that have to be acknowledged and read, and transactions to be committed, between two changes."""
ENDLESS = 1 << 30
"""The application ends with the load."""
WAIT_S = 120.0
REQUEST_S = 60.0
NOWHERE = -1
"""In place of an offset."""


class SteadyLoadError(Exception):
    """Something acknowledged is missing, doubled, out of order or shown too early; or a client failed for good."""


class SteadyLoad:
    """Runs in a thread and two processes, as a context manager; `check` ends it."""

    def __init__(self, servers: str, folder: Path) -> None:
        """The topics `KEPT` and `COPIED` are there already; nothing is sent yet. ``folder`` is for the application."""
        self._servers, self._folder = servers, folder
        self._copying: Copying | None = None
        self._reader: ServerProcess | None = None
        self._settings: dict[str, str | int | float | bool] = {"bootstrap.servers": servers, "log_level": 0}
        self._stop = threading.Event()
        self._producing = threading.Thread(target=self._guarded, args=(self._produce,), daemon=True)
        self._failed: list[str] = []
        self.acknowledged: dict[int, dict[int, int]] = defaultdict(dict)
        """Offset by number, of each partition of `KEPT`."""
        self.longest_gap_s = 0.0
        """Between two acknowledgements, whichever partition."""

    @property
    def records(self) -> int:
        """The number of records that were acknowledged with acks=all."""
        return sum(map(len, self.acknowledged.values()))

    @property
    def read(self) -> int:
        """The number of records that the group read."""
        return 0 if self._reader is None else self._reader.out_path.read_text().count('"what": "read"')

    @property
    def committed(self) -> dict[int, int]:
        """The offsets that the group committed last."""
        assert self._reader is not None
        events = map(json.loads, self._reader.out_path.read_text().splitlines())
        return {each["partition"]: each["offset"] for each in events if each["what"] == "committed"}

    @property
    def committed_transactions(self) -> int:
        """The number of transactions that the application committed."""
        return self._lines("committed")

    @property
    def aborted_transactions(self) -> int:
        """The number of those that it aborted."""
        return self._lines("aborted")

    def _lines(self, beginning: str) -> int:
        return 0 if self._copying is None else len(self._copying.lines(beginning))

    def __enter__(self) -> SteadyLoad:
        self._copying = Copying(
            self._servers, self._folder, name=COPIERS, source=KEPT, target=COPIED, count=ENDLESS
        )
        command = [sys.executable, "-W", "ignore", str(MEMBER), self._servers, KEPT, READERS]
        self._reader = ServerProcess(command, self._folder / "reader", self._folder, {})
        self._producing.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._end()
        if self._copying is not None:
            self._copying.close()
        if self._reader is not None:
            self._reader.kill()

    def wait_for_more(self) -> None:
        """Until more was acknowledged, read and copied. Raises SteadyLoadError, WaitedTooLongError."""
        records, read = self.records + MORE, self.read + MORE
        transactions = self.committed_transactions + TRANSACTIONS
        wait_until(
            lambda: (
                bool(self._failed)
                or (
                    self.records >= records
                    and self.read >= read
                    and self.committed_transactions >= transactions
                )
            ),
            WAIT_S,
            f"{MORE} records to be acknowledged and read, and {TRANSACTIONS} transactions",
        )
        if self._failed:
            raise SteadyLoadError("; ".join(self._failed))

    def check(self) -> None:
        """End the load, and look at what is there. Raises SteadyLoadError."""
        self._end()
        if self._failed:
            raise SteadyLoadError("; ".join(self._failed))
        kept = self._values(KEPT)
        self._check_kept(kept)
        assert self._reader is not None
        self._reader.terminate(WAIT_S)
        self._check_offsets(READERS, self.committed)
        ends = {partition: 1 + max(values) for partition, values in kept.items()}
        wait_until(
            lambda: self._offsets(COPIERS, ends) == ends, WAIT_S, f"the group {COPIERS} to be at {ends}"
        )
        self._check_copied(kept)

    # -- the threads ---------------------------------------------------------------------------------------------------

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (KafkaException, SteadyLoadError) as error:
            self._failed.append(f"{work.__name__}: {error}")

    def _end(self) -> None:
        self._stop.set()
        if self._producing.is_alive():
            self._producing.join(WAIT_S)

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

    def _check_kept(self, kept: Mapping[int, Mapping[int, int]]) -> None:
        for partition, values in kept.items():
            numbers = list(values.values())
            if numbers != sorted(set(numbers)):
                raise SteadyLoadError(f"{KEPT}-{partition}: records are doubled or out of order")
            for number, offset in self.acknowledged[partition].items():
                if values.get(offset) != number and (offset != NOWHERE or number not in numbers):
                    raise SteadyLoadError(
                        f"{KEPT}-{partition}: {number} was acknowledged at {offset}; there is {values.get(offset)}"
                    )

    def _check_copied(self, kept: Mapping[int, Mapping[int, int]]) -> None:
        expected = Counter(str(number) for values in kept.values() for number in values.values())
        found = read(self._servers, COPIED, PARTITIONS)
        if found != expected:
            raise SteadyLoadError(
                f"{COPIED}: {sorted((expected - found).elements())} are missing,"
                f" {sorted((found - expected).elements())} too many"
            )

    def _check_offsets(self, group: str, expected: Mapping[int, int]) -> None:
        found = self._offsets(group, expected)
        # A commit without a response may have come through.
        if any(found[partition] < offset for partition, offset in expected.items()):
            raise SteadyLoadError(f"group {group} committed {dict(expected)}, and has {found}")

    def _offsets(self, group: str, partitions: Iterable[int]) -> dict[int, int]:
        consumer = Consumer({**self._settings, "group.id": group})
        try:
            asked = [TopicPartition(KEPT, each) for each in partitions]
            return {each.partition: each.offset for each in consumer.committed(asked, REQUEST_S)}
        finally:
            consumer.close()
