"""Clients write much to three brokers; in the middle the leader is killed; then everything is read back.

The brokers are ours, or Apache Kafka's to compare.
Each client is a program of its own that takes lines as records (`load` in its folder, Kafka's console tools), so all
write the same values, and what they read is judged here: which keys are there, how often, in what order, and whether
each value is whole. The leader is killed once the partitions' high watermarks add up to half of the records. Until then
the client gets the last quarter line by line, so the leader does not die too late, and something is always on its way.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, TopicPartition

from compat.cluster import Cluster, CombinedCluster, partitions, wait_until_whole
from compat.kafka.tools import tool_command
from compat.node import Node
from compat.ours import OurNode
from compat.parity.jars import tools_release
from compat.process import wait_until
from compat.quorum import NodeClass, connect
from compat.runs.telling import Tell
from kafkaproto.error_codes import describe
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
)

COMPAT = Path(__file__).resolve().parents[1]
PARTITIONS = 3
VALUE_BYTES = 1_000
BATCH_BYTES = 64 * 1024
"""Of the tools, as in the other clients' programs; by themselves they send 16 KiB."""
POOL_BYTES = 64 * 1024
KEY_DIGITS = 9
CREATE_TIMEOUT_MS = 30_000
AWAY_S = 2.0
WRITE_S = 1_800.0
POLL_S = 0.1
TRICKLE_S = 0.002
"""Between the lines of the last quarter, until the leader is dead."""
PERFORMANCE_S = 4
"""How long the tool that makes its own records takes at least: it cannot be held back, so it is told to be slow."""
ALL_ACKS = ("all", "1", "0")
COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
SETTINGS = {
    "broker.session.timeout.ms": "4000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "5000",
    "log.segment.delete.delay.ms": "1000",
}
CONSOLE, PERFORMANCE = "console tools", "perf tools"


class ClientsDeathsError(Exception):
    """A record with acks=all is lost, doubled, out of order or damaged, or a client failed; the text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The programs of one client."""

    write: Callable[[str, str, str, str, int], list[str]]
    """The command that writes: servers, topic, compression, acks, number of records."""
    read: Callable[[str, str, Sequence[int]], list[list[str]]] | None
    """The commands that read, by servers, topic and end offsets; None if it reads by consumer groups only."""
    compressions: Sequence[str] = COMPRESSIONS
    has_lines: bool = True
    """Whether it takes lines from standard input; otherwise it makes records up, which can only be counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row of the table, before it is run."""

    client: str
    compression: str
    acks: str
    megabytes: int

    @property
    def records(self) -> int:
        """How many are written."""
        return max(1, self.megabytes * 1_000_000 // VALUE_BYTES)


@dataclass(slots=True, kw_only=True)
class Row:
    """What came of a case."""

    case: Case
    version: str = ""
    at_death: int | None = None
    """The records that were committed when the leader was killed; None if it was not."""
    seconds: float = 0.0
    """Of writing, the leader's death included."""
    failed: int = 0
    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0
    damaged: int = 0
    read_by: str = ""
    problems: list[str] = field(default_factory=list)

    def cells(self) -> tuple[str, ...]:
        """As in the table."""
        numbers = (self.failed, self.lost, self.doubled, self.out_of_order, self.damaged)
        case = self.case
        return (
            self.version,
            case.compression,
            case.acks,
            f"{case.megabytes:,}",
            "none" if self.at_death is None else f"{self.at_death:,}",
            f"{self.seconds:.1f}",
            *map(str, numbers),
            self.read_by,
        )


HEADS = (
    "client",
    "compression",
    "acks",
    "MB",
    "at death",
    "seconds",
    "failed",
    "lost",
    "doubled",
    "disorder",
    "damaged",
    "read by",
)
WIDTHS = (24, 12, 5, 7, 10, 9, 8, 8, 9, 10, 9, 16)


def table(rows: Sequence[Row]) -> list[str]:
    """All rows as text."""
    lines = [HEADS, *(row.cells() for row in rows)]
    return ["".join(f"{cell:>{width}}" for cell, width in zip(line, WIDTHS, strict=True)) for line in lines]


# -- the clients -------------------------------------------------------------------------------------------------------


def _of_program(*program: str) -> Client:
    """One of our programs, all of which take the same arguments."""

    def write(servers: str, topic: str, compression: str, acks: str, _: int) -> list[str]:
        return [*program, "write", servers, topic, compression, acks]

    def read(servers: str, topic: str, ends: Sequence[int]) -> list[list[str]]:
        return [[*program, "read", servers, topic, ",".join(map(str, ends))]]

    return Client(write=write, read=read)


def _script(folder: str) -> Client:
    return _of_program(sys.executable, str(COMPAT / folder / "load.py"))


# The producer's own defaults. The console producer has 1.5 s and 3 attempts, and drops what it could not send by then.
CONSOLE_RETRIES = ("--request-timeout-ms", "30000", "--message-send-max-retries", str(2**31 - 1))


def _write_by_console(servers: str, topic: str, compression: str, acks: str, _: int) -> list[str]:
    arguments = [
        *("--bootstrap-server", servers, "--topic", topic, "--compression-codec", compression),
        *("--reader-property", "parse.key=true"),
        *CONSOLE_RETRIES,
        *("--batch-size", str(BATCH_BYTES)),
        *("--command-property", f"acks={acks}"),
        *("--command-property", f"enable.idempotence={str(acks == 'all').lower()}"),
    ]
    return tool_command("kafka-console-producer", arguments)[0]


def _read_by_console(servers: str, topic: str, ends: Sequence[int]) -> list[list[str]]:
    shown = [
        word
        for name in ("partition", "offset", "key")
        for word in ("--formatter-property", f"print.{name}=true")
    ]
    return [
        tool_command(
            "kafka-console-consumer",
            [
                *("--bootstrap-server", servers, "--topic", topic, "--partition", str(number)),
                *("--offset", "earliest", "--max-messages", str(end), "--timeout-ms", "60000", *shown),
            ],
        )[0]
        for number, end in enumerate(ends)
        if end
    ]


def _write_by_performance(servers: str, topic: str, compression: str, acks: str, records: int) -> list[str]:
    arguments = [
        *("--bootstrap-server", servers, "--topic", topic, "--num-records", str(records)),
        *("--record-size", str(VALUE_BYTES), "--throughput", str(max(1, records // PERFORMANCE_S))),
        *("--command-property", f"compression.type={compression}"),
        *("--command-property", f"batch.size={BATCH_BYTES}"),
        *("--command-property", f"acks={acks}"),
        *("--command-property", f"enable.idempotence={str(acks == 'all').lower()}"),
    ]
    return tool_command("kafka-producer-perf-test", arguments)[0]


CLIENTS: Mapping[str, Client] = {
    "kafka-python": _script("kafka_python"),
    "confluent-kafka": _script("confluent_kafka"),
    "aiokafka": _script("aiokafka"),
    "kafkajs": replace(
        _of_program("node", str(COMPAT / "kafkajs" / "load.js")), read=None, compressions=("none", "gzip")
    ),
    "franz-go": _of_program(str(COMPAT / ".cache" / "go" / "load")),
    CONSOLE: Client(write=_write_by_console, read=_read_by_console),
    PERFORMANCE: Client(write=_write_by_performance, read=None, has_lines=False),
}
READ_BY_OTHERS = "confluent-kafka"
"""Who reads what a client wrote that reads by groups only."""


# -- records -----------------------------------------------------------------------------------------------------------

_POOL = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz      ", k=POOL_BYTES)).encode()


def value_of(number: int) -> bytes:
    """The value of the record with that number: text that can be compressed, in one line."""
    start = number * 7919 % (POOL_BYTES - VALUE_BYTES)
    return b"%0*d " % (KEY_DIGITS, number) + _POOL[start : start + VALUE_BYTES - KEY_DIGITS - 1]


def judge(row: Row, lines: Iterator[tuple[int, int, int | None]], failed: frozenset[int]) -> None:
    """Counts what is wrong with what was read: (partition, number, checksum or None if it is right) of each record."""
    count = row.case.records
    seen = bytearray(count)
    last: dict[int, int] = {}
    for partition, number, checksum in lines:
        if not 0 <= number < count or (checksum is not None and checksum != zlib.crc32(value_of(number))):
            row.damaged += 1
            continue
        if seen[number]:
            row.doubled += 1
        elif number < last.get(partition, -1):
            row.out_of_order += 1
        seen[number] = 1
        last[partition] = max(number, last.get(partition, -1))
    row.failed = len(failed)
    row.lost = sum(not each for number, each in enumerate(seen) if number not in failed)


def violations(row: Row) -> list[str]:
    """What must not be: nothing is damaged, and with acks=all nothing is lost, doubled or out of order.

    A row says nothing if no leader died, so this must not be either.
    """
    numbers = {"damaged": row.damaged}
    if row.case.acks == "all":
        numbers |= {
            "failed": row.failed,
            "lost": row.lost,
            "doubled": row.doubled,
            "out of order": row.out_of_order,
        }
    alive = ["the writer was done before the leader died"] if row.at_death is None else []
    return [*(f"{count} records {what}" for what, count in numbers.items() if count), *alive, *row.problems]


# -- one case ----------------------------------------------------------------------------------------------------------


class Scene:
    """Three brokers, for one case after the other."""

    def __init__(self, cluster: Cluster, folder: Path, tell: Tell) -> None:
        """The cluster runs already."""
        self._cluster, self._folder, self._notify = cluster, folder, tell
        self._number = 0

    def run(self, case: Case) -> Row:
        """One row. Raises WaitedTooLongError and ProcessDiedError if the broker does not come back."""
        self._number += 1
        topic = f"load-{self._number}"
        client = CLIENTS[case.client]
        row = Row(case=case, version=case.client)
        self._create(topic)
        try:
            failed = self._write(client, topic, row)
            wait_until_whole(self._cluster.running_brokers(), {topic: PARTITIONS})
            ends = self._ends(topic)
            judge(row, self._read(client, topic, ends, row), failed)
        finally:
            self._delete(topic)
        return row

    def _write(self, client: Client, topic: str, row: Row) -> frozenset[int]:
        """The numbers that the client says have failed."""
        case = row.case
        command = client.write(self._cluster.servers, topic, case.compression, case.acks, case.records)
        errors = self._folder / f"{topic}-write.err"
        death = threading.Thread(
            target=self._kill_in_the_middle,
            args=(topic, row, dead := threading.Event(), done := threading.Event()),
        )
        began = time.monotonic()
        with (
            errors.open("wb") as err,
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, env=_environment()
            ) as running,
        ):
            death.start()
            try:
                feeder = threading.Thread(
                    target=feed, args=(running, case.records if client.has_lines else 0, dead)
                )
                feeder.start()
                assert running.stdout is not None
                printed = running.stdout.read().decode()
                code = running.wait(WRITE_S)
                feeder.join()
            finally:
                running.kill()
                row.seconds = time.monotonic() - began
                done.set()
                death.join()
        said = errors.read_text(errors="replace")
        if code != 0:
            row.problems.append(f"the writer ended with exit code {code}: {said[-500:]}")
            return frozenset()
        if client.has_lines and case.client != CONSOLE:
            told = json.loads(printed)
            row.version = told["client"]
            return frozenset(map(int, told["failed"]))
        row.version = f"{case.client} {tools_release()}"
        if "ERROR" in said:
            row.problems.append(next(line for line in said.splitlines() if "ERROR" in line))
        return frozenset()

    def _kill_in_the_middle(self, topic: str, row: Row, dead: threading.Event, done: threading.Event) -> None:
        """Kills the leader of a partition once half of the records are committed, and starts it again."""
        while (committed := sum(self._ends(topic))) < row.case.records // 2:
            if done.wait(POLL_S):
                return
        leader_id = partitions(self._cluster.servers.split(",")[0], [topic])[topic, 0].leader_id
        node = self._cluster.brokers[leader_id]
        node.kill()
        row.at_death = committed
        dead.set()
        time.sleep(AWAY_S)
        node.start()

    def _read(
        self, client: Client, topic: str, ends: Sequence[int], row: Row
    ) -> Iterator[tuple[int, int, int | None]]:
        commands = client.read
        row.read_by = row.case.client if commands else READ_BY_OTHERS
        if commands is None:
            commands = CLIENTS[READ_BY_OTHERS].read
            assert commands is not None
        for command in commands(self._cluster.servers, topic, ends):
            errors = self._folder / f"{topic}-read.err"
            with (
                errors.open("wb") as err,
                subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, env=_environment()) as running,
            ):
                assert running.stdout is not None
                for counted, line in enumerate(running.stdout):
                    if client.has_lines:
                        yield _parse(line, is_console=row.read_by == CONSOLE)
                    else:
                        # Made up by the tool: they can only be counted, and more than were written are doubled ones.
                        yield int(line.split(b"\t")[0]), min(counted, row.case.records - 1), None
            if running.returncode != 0:
                row.problems.append(
                    f"the reader ended with {running.returncode}: {errors.read_text()[-500:]}"
                )

    def _ends(self, topic: str) -> list[int]:
        """The high watermarks; zeros while a partition has no leader."""
        settings = {"bootstrap.servers": self._cluster.servers, "group.id": "ends", "log_level": 0}
        consumer = Consumer(settings)
        try:
            found = []
            for number in range(PARTITIONS):
                watermarks = None
                with suppress(KafkaException):
                    watermarks = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=10.0)
                found.append(watermarks[1] if watermarks else 0)
            return found
        finally:
            consumer.close()

    def _create(self, topic: str) -> None:
        wanted = CreateTopicsRequest.CreatableTopic(
            name=topic,
            num_partitions=PARTITIONS,
            replication_factor=3,
            configs=[CreateTopicsRequest.CreatableTopicConfig(name="min.insync.replicas", value="2")],
        )
        with connect(self._any_server(), timeout_ms=CREATE_TIMEOUT_MS) as client:
            response = client.send(CreateTopicsRequest(topics=[wanted], timeout_ms=CREATE_TIMEOUT_MS))
        assert isinstance(response, CreateTopicsResponse)
        if code := response.topics[0].error_code:
            raise ClientsDeathsError(f"{topic} was not created: {describe(code).name}")
        wait_until_whole(self._cluster.running_brokers(), {topic: PARTITIONS})

    def _delete(self, topic: str) -> None:
        with connect(self._any_server(), timeout_ms=CREATE_TIMEOUT_MS) as client:
            wanted = DeleteTopicsRequest.DeleteTopicState(name=topic)
            client.send(DeleteTopicsRequest(topics=[wanted], timeout_ms=CREATE_TIMEOUT_MS))

    def _any_server(self) -> str:
        running: list[Node] = self._cluster.running_brokers()
        return running[0].bootstrap_server


def _environment() -> dict[str, str]:
    return {**os.environ, "NODE_PATH": str(COMPAT / ".cache" / "kafkajs" / "node_modules")}


def feed(running: subprocess.Popen[bytes], count: int, dead: threading.Event) -> None:
    """Writes the lines, those of the last quarter slowly until the leader is dead."""
    assert running.stdin is not None
    with suppress(BrokenPipeError), running.stdin as into:
        for number in range(count):
            if number >= count * 3 // 4 and not dead.is_set():
                into.flush()
                dead.wait(TRICKLE_S)
            into.write(b"%0*d\t%s\n" % (KEY_DIGITS, number, value_of(number)))


def _parse(line: bytes, *, is_console: bool) -> tuple[int, int, int | None]:
    parts = line.rstrip(b"\n").split(b"\t")
    try:
        if is_console:
            # Partition:0, Offset:7, the key and the value itself.
            return int(parts[0].removeprefix(b"Partition:")), int(parts[2]), zlib.crc32(parts[3])
        return int(parts[0]), int(parts[2]), int(parts[3], 16)
    except (ValueError, IndexError):
        return -1, -1, None


def cases(
    names: Sequence[str], *, megabytes: int, large: int, only: Sequence[str] = COMPRESSIONS
) -> Iterator[Case]:
    """Each compression with each acks, with so many megabytes; and one of each client with `large`. 0 is for no row.

    `only` names the compressions of the rows with `megabytes`.
    """
    for turn, name in enumerate(CLIENTS):
        if name not in names:
            continue
        compressions = CLIENTS[name].compressions
        for compression, acks in product(compressions, ALL_ACKS) if megabytes else ():
            if compression in only:
                yield Case(client=name, compression=compression, acks=acks, megabytes=megabytes)
        if large:
            compression = compressions[turn % len(compressions)]
            yield Case(client=name, compression=compression, acks="all", megabytes=large)


def run(folder: Path, wanted: Sequence[Case], *, tell: Tell, make_node: NodeClass = OurNode) -> list[Row]:
    """A row for each case, on nodes of this class.

    Raises ClientsDeathsError, ProcessDiedError and WaitedTooLongError.
    """
    rows = []
    with CombinedCluster(make_node, folder, overrides=SETTINGS) as cluster:
        cluster.format()
        cluster.start()
        scene = Scene(cluster, folder, tell)
        for case in wanted:
            row = scene.run(case)
            tell(" ".join(row.cells()))
            for problem in violations(row):
                tell(f"  WRONG: {problem}")
            rows.append(row)
            wait_until(
                lambda: len(cluster.running_brokers()) == len(cluster.brokers), AWAY_S, "all brokers to run"
            )
    return rows
