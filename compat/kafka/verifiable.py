"""Apache Kafka's verifiable producer and consumer, and the account of what the one was promised and the other got.

The producer sends 0, 1, 2, ... and prints for each whether, and at which offset, it was acknowledged. Left alone it
neither retries nor is idempotent: it sets ``retries=0``, which turns idempotence off. Settings given here win.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from compat.kafka.tools import run_tool, tool_command
from compat.process import ServerProcess

RETRYING = {"retries": "2147483647", "enable.idempotence": "false"}
"""A record whose acknowledgement went astray is sent again, and may then be there twice."""
IDEMPOTENT = {"retries": "2147483647", "enable.idempotence": "true"}
"""A record that is sent again is there once, as long as the brokers keep what they know of the producer."""

SESSION_TIMEOUT_MS = 6000
"""Of members with the classic protocol; the brokers' own setting decides for the other one. The program ends if its
group has given it up, so a busy machine must not make it late."""
FIRST_RECORD_S = 90.0
STOP_S = 180.0
"""More than `delivery.timeout.ms`, 120 s by default, after which the last record has succeeded or failed."""
READ_S = 600.0


class ReadShortError(Exception):
    """A consumer ended before it had all that the leaders have; the text has both numbers."""


class LostRecordError(Exception):
    """A record is not where, or not as often, as its producer was told; the text says whose and which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record where it lies: as a producer was told, or as a consumer found it."""

    value: str
    partition: int
    offset: int
    """-1 where the producer was told that the broker had it already, without where."""


@dataclass(slots=True, kw_only=True)
class Sent:
    """What became of all that a producer sent."""

    acknowledged: list[Record] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    """How many, by the exception's class."""
    longest_gap_s: float = 0.0
    """Between two acknowledgements."""

    @property
    def produced(self) -> int:
        """All that were sent."""
        return len(self.acknowledged) + self.failed.total()


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What was acknowledged beside what can be read."""

    acknowledged: int
    consumed: int
    lost: tuple[str, ...]
    """Values that were acknowledged and are nowhere."""
    misplaced: tuple[str, ...]
    """Values that are somewhere, but not where they were acknowledged."""
    duplicates: int
    """Records beyond the first of their value."""
    unacknowledged: int
    """Values that can be read though nobody was promised that."""


def account(acknowledged: Iterable[Record], consumed: Iterable[Record]) -> Account:
    """Holds the two against each other; the order of neither matters."""
    promised = list(acknowledged)
    found = {(record.partition, record.offset): record.value for record in consumed}
    values = set(found.values())
    kept = [record for record in promised if record.value in values]
    return Account(
        acknowledged=len(promised),
        consumed=len(found),
        lost=tuple(record.value for record in promised if record.value not in values),
        misplaced=tuple(
            record.value
            for record in kept
            if record.offset >= 0 and found.get((record.partition, record.offset)) != record.value
        ),
        duplicates=len(found) - len(values),
        unacknowledged=len(values - {record.value for record in promised}),
    )


def check_account(name: str, found: Account, *, may_be_twice: bool) -> None:
    """Raises LostRecordError if what was acknowledged is not there, or something is there twice that may not be."""
    wrong = {"lost": found.lost, "not where they were acknowledged": found.misplaced}
    texts = [
        f"{len(values)} of {found.acknowledged} {what}, among them {', '.join(values[:10])}"
        for what, values in wrong.items()
        if values
    ]
    if found.duplicates and not may_be_twice:
        texts.append(f"{found.duplicates} records more than values")
    if texts:
        raise LostRecordError(f"producer {name}: {'; '.join(texts)}")


class VerifiableProducer:
    """A producer that runs until it is told to stop."""

    def __init__(
        self, folder: Path, servers: str, topic: str, *, throughput: int, settings: Mapping[str, str]
    ) -> None:
        """Starts it; `throughput` is in records a second. Its settings and what it prints are kept in `folder`."""
        folder.mkdir(parents=True)
        configuration = folder / "producer.properties"
        configuration.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        command, _ = tool_command(
            "kafka-verifiable-producer",
            [
                "--bootstrap-server", servers, "--topic", topic, "--acks", "-1",
                "--throughput", str(throughput), "--max-messages", "-1", "--command-config", str(configuration),
            ],
        )  # fmt: skip
        self._process = ServerProcess(command, folder / "producer", folder, {})

    def wait_for_first(self) -> None:
        """Until a record is acknowledged. Raises ProcessDiedError or WaitedTooLongError."""
        self._process.wait_for_line(self._process.out_path, '"producer_send_success"', FIRST_RECORD_S)

    def stop(self) -> Sent:
        """Has it send no more, waits for what is under way, and tells what became of everything.

        Raises WaitedTooLongError if it does not end.
        """
        self._process.terminate(STOP_S)
        with self._process.out_path.open() as lines:
            return sent(map(json.loads, lines))

    def close(self) -> None:
        """Leaves no process behind."""
        self._process.kill()


class VerifiableConsumer:
    """A member of a group, which commits after each poll and runs until it is told to stop, or killed."""

    def __init__(self, folder: Path, servers: str, topic: str, *, group: str, protocol: str) -> None:
        """Starts it; ``protocol`` is classic or consumer. What it prints is kept in ``folder``."""
        folder.mkdir(parents=True)
        arguments = ["--bootstrap-server", servers, "--topic", topic, "--group-id", group, "--verbose"]
        arguments += ["--reset-policy", "earliest", "--group-protocol", protocol]
        if protocol == "classic":
            configuration = folder / "consumer.properties"
            configuration.write_text(f"heartbeat.interval.ms={SESSION_TIMEOUT_MS // 4}\n")
            arguments += [
                "--session-timeout",
                str(SESSION_TIMEOUT_MS),
                "--command-config",
                str(configuration),
            ]
        command, _ = tool_command("kafka-verifiable-consumer", arguments)
        self._process = ServerProcess(command, folder / "consumer", folder, {})

    def wait_until_started(self) -> None:
        """Until it asks for its partitions. Raises ProcessDiedError or WaitedTooLongError."""
        self._process.wait_for_line(self._process.out_path, '"startup_complete"', FIRST_RECORD_S)

    def _events(self, beginning: str) -> list[Mapping[str, Any]]:
        """The events whose names begin so, in their order."""
        # Most lines are records, and reading them as JSON takes longest. The last line may still be incomplete.
        lines = self._process.out_path.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if f'"name":"{beginning}' in line and line.endswith("\n")]

    def records(self) -> list[Record]:
        """What it has got so far."""
        return [_record(event) for event in self._events("record_data")]

    def partitions(self) -> set[int]:
        """The partitions that it has now."""
        owned: set[int] = set()
        for event in self._events("partitions_"):
            found = {each["partition"] for each in event["partitions"]}
            owned = owned | found if event["name"] == "partitions_assigned" else owned - found
        return owned

    def failed_commits(self) -> list[str]:
        """The errors of commits that were refused."""
        return [event["error"] for event in self._events("offsets_committed") if not event["success"]]

    def stop(self) -> None:
        """Has it leave its group. Raises WaitedTooLongError or ProcessDiedError."""
        self._process.terminate(STOP_S)
        self._process.wait_for_line(self._process.out_path, '"shutdown_complete"', STOP_S)

    def kill(self) -> None:
        """kill -9: its group is not told."""
        self._process.kill()

    def close(self) -> None:
        """Leaves no process behind."""
        self._process.kill()


def sent(events: Iterable[Mapping[str, Any]]) -> Sent:
    """What a producer's lines say."""
    result = Sent()
    times_ms: list[int] = []
    for event in events:
        if event["name"] == "producer_send_success":
            result.acknowledged.append(_record(event))
            times_ms.append(event["timestamp"])
        elif event["name"] == "producer_send_error":
            result.failed[event["exception"]] += 1
    result.longest_gap_s = max((after - before for before, after in pairwise(times_ms)), default=0) / 1000
    return result


def read_all(servers: str, topic: str) -> list[Record]:
    """Every record that a verifiable consumer gets from the start to the ends that the leaders name.

    Raises ReadShortError if it gets fewer, ToolFailedError, or subprocess.TimeoutExpired if it gets stuck.
    """
    ends = run_tool("kafka-get-offsets", "--bootstrap-server", servers, "--topic", topic).output()
    count = sum(int(line.rpartition(":")[2]) for line in ends.splitlines())
    if not count:
        return []
    printed = run_tool(
        "kafka-verifiable-consumer", "--bootstrap-server", servers, "--topic", topic, "--group-id", f"reader-{topic}",
        "--reset-policy", "earliest", "--max-messages", str(count), "--verbose",
        timeout_s=READ_S,
    ).output()  # fmt: skip
    records = list(_records(printed))
    found = len({(record.partition, record.offset) for record in records})
    if found != count:
        raise ReadShortError(f"{topic}: {found} of {count} records were read")
    return records


def _records(printed: str) -> Iterator[Record]:
    for event in map(json.loads, printed.splitlines()):
        if event["name"] == "record_data":
            yield _record(event)


def _record(event: Mapping[str, Any]) -> Record:
    return Record(value=event["value"], partition=event["partition"], offset=event["offset"])
