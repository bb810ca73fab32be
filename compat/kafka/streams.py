"""A Kafka Streams application as a process, and how exact the counts are that it writes.

`compat/kafka/WordCount.java` writes each count of a word as a record. So what a read_committed consumer sees of one
word is 1, 2, 3 and so on up to how often the word is in the input. A line that is counted twice, that is lost, or that
a fenced instance counts breaks this row.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition

from compat.kafka.jvm import STREAMS, TOOL_OPTIONS, ClassArchive, class_path
from compat.kafka.programs import program_command, program_jar
from compat.process import ServerProcess, WaitedTooLongError

PROGRAM = Path(__file__).with_name("WordCount.java")
POLL_S = 0.2
PRODUCED_S = 60.0
STOP_S = 90.0
VOWELS, CONSONANTS = "aeiouy", "bdfgklmnprst"
SETTINGS = {"commit.interval.ms": "100", "num.stream.threads": "2"}
CLASSIC_SETTINGS = {
    # A member that was killed is missed for so long; Streams does not leave its group when it is closed, either. With
    # the protocol of streams groups, the broker says it.
    "session.timeout.ms": "2000",
    "heartbeat.interval.ms": "500",
}
STREAMS_PROTOCOL = {"group.protocol": "streams"}


class WordCount:
    """The application; an instance that starts with the folder of one that is dead continues with its state."""

    def __init__(
        self,
        servers: str,
        folder: Path,
        *,
        name: str,
        source: str,
        target: str,
        pause_ms: int,
        settings: Mapping[str, str],
    ) -> None:
        """``name`` is the application id; it rests for ``pause_ms`` after each line of the topic ``source``."""
        self.folder = folder
        self.state = folder / "state"
        self._name = name
        is_classic = "group.protocol" not in settings
        given = {**SETTINGS, **(CLASSIC_SETTINGS if is_classic else {}), **settings}
        self._arguments = [
            *(servers, name, source, target, str(self.state), str(pause_ms)),
            *(f"{key}={value}" for key, value in given.items()),
        ]
        self._starts = 0
        self._archive: ClassArchive | None = None
        self._process: ServerProcess | None = None
        folder.mkdir(parents=True)

    @property
    def process(self) -> ServerProcess:
        """That of the latest start."""
        assert self._process is not None, "the application was never started"
        return self._process

    def start(self) -> None:
        """Starts it and returns at once."""
        self._starts += 1
        jars = class_path(STREAMS)
        self._archive = ClassArchive(program_jar(PROGRAM, jars).stem, jars)
        options = [*TOOL_OPTIONS, *self._archive.options]
        command = program_command(PROGRAM, self._arguments, jars, options)
        log = self.folder / f"{self._name}-{self._starts}"
        self._process = ServerProcess(command, log, self.folder, {})

    def failures(self) -> list[str]:
        """The errors that ended threads of the latest start."""
        lines = self.process.out_path.read_text().splitlines()
        return [line for line in lines if line.startswith("failed")]

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()

    def stop(self) -> None:
        """Has it close itself, as an operator would. Raises WaitedTooLongError."""
        self.process.terminate(STOP_S)
        self.process.wait_for_line(self.process.out_path, "closed true", STOP_S)
        if self._archive is not None:
            self._archive.keep()

    def close(self) -> None:
        """Leaves no process behind."""
        if self._process is not None:
            self._process.kill()


def words(number: int) -> tuple[str, str]:
    """The two words of a line."""
    return CONSONANTS[number % len(CONSONANTS)], VOWELS[number % len(VOWELS)]


def write_lines(servers: str, topic: str, numbers: range) -> None:
    """Writes a line of two words for each number."""
    producer = Producer({"bootstrap.servers": servers, "acks": "all"})
    for number in numbers:
        producer.produce(topic, key=str(number).encode(), value=" ".join(words(number)).encode())
    assert producer.flush(PRODUCED_S) == 0


def exact_counts(numbers: range) -> dict[str, list[int]]:
    """What is to be seen of each word if each line was counted once."""
    counts: dict[str, list[int]] = {}
    for number in numbers:
        for word in words(number):
            counts.setdefault(word, []).append(len(counts.get(word, [])) + 1)
    return counts


class Counts:
    """What a read_committed consumer has seen of the output: each word's counts, in their order."""

    def __init__(self, servers: str, topic: str, partitions: int) -> None:
        """Reads from the beginning."""
        self.seen: dict[str, list[int]] = {}
        self._ended: set[int] = set()
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": f"reader-of-{topic}",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "isolation.level": "read_committed",
            }
        )
        self._beginning = [TopicPartition(topic, each, OFFSET_BEGINNING) for each in range(partitions)]
        self._consumer.assign(self._beginning)

    @property
    def total(self) -> int:
        """How many records it has seen."""
        return sum(map(len, self.seen.values()))

    def _read_one(self) -> None:
        message = self._consumer.poll(POLL_S)
        if message is None:
            return
        error = message.error()
        partition = message.partition()
        assert partition is not None
        if error is not None:
            if error.code() == KafkaError._PARTITION_EOF:
                self._ended.add(partition)
            return
        self._ended.discard(partition)
        key, value = message.key(), message.value()
        assert key is not None
        assert value is not None
        self.seen.setdefault(key.decode(), []).append(int(value))

    def wait_for(self, total: int, timeout_s: float) -> None:
        """Until it has seen so many records. Raises WaitedTooLongError."""
        deadline = time.monotonic() + timeout_s
        while self.total < total:
            if time.monotonic() > deadline:
                raise WaitedTooLongError(f"waited {timeout_s} s for {total} counts, and saw {self.total}")
            self._read_one()

    def read_to_the_end(self, timeout_s: float) -> dict[str, list[int]]:
        """Everything again from the beginning, when nobody writes any more. Raises WaitedTooLongError."""
        deadline = time.monotonic() + timeout_s
        # An end that was told is not told again before there is more.
        self._consumer.assign(self._beginning)
        self.seen.clear()
        self._ended.clear()
        while len(self._ended) < len(self._beginning):
            if time.monotonic() > deadline:
                raise WaitedTooLongError(f"waited {timeout_s} s for the ends, and saw those of {self._ended}")
            self._read_one()
        return self.seen

    def close(self) -> None:
        """Ends the consumer."""
        self._consumer.close()
