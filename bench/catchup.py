"""A new voter joins: how long it needs for a log of 1,000,000 records, and for a snapshot of 200,000 partitions.

Three controllers of one make get the log or the snapshot, then a fourth starts with an empty directory and
controller.quorum.auto.join.enable. Counted from the start of its process: when the leader first hears of it, when it
has all that the leader had, when it is a voter. Megabytes are those of the leader's files. Meanwhile the leader is
pinged every few milliseconds, and the slowest answer shows how long its event loop did not turn; the same before the
newcomer came stands beside it. Of ours the longest stall that the leader itself measured meanwhile is shown too.

    bin/bench catchup [--records 1000000] [--partitions 200000] [--makes stock,ours]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from bench._broker import PlaceholderBroker
from bench._makes import HTTP_KEY, MAKES, end_in_order_when_told
from bench._scrape import longest_stall_ms, scrape
from bench._writers import TOPIC_RESOURCE, percentile
from compat.node import Node
from compat.process import wait_until
from compat.quorum import Quorum, connect, describe_quorum
from kafkaproto.client import Client
from kafkaproto.error_codes import describe
from kafkaproto.messages import (
    ApiVersionsRequest,
    CreateTopicsRequest,
    CreateTopicsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from kafkaproto.snapshot import parse_snapshot_file_name

VOTERS = 3
NEWCOMER_ID = 4
NEVER = str(2**62)
"""Bytes of records between two snapshots that no log here has."""
BYTES_BETWEEN_SNAPSHOTS = 4 * 1024 * 1024
ALTERED_TOPICS = 500
ALTERED_KEYS = ("retention.ms", "flush.ms", "segment.ms", "delete.retention.ms")
"""Changed for each of the topics in one request, which makes 2,000 records."""
PARTITIONS_PER_TOPIC = 2000
PING_INTERVAL_S = 0.002
QUIET_S = 3.0
GIVE_UP_S = 600.0
SNAPSHOT_TIMEOUT_S = 120.0
REQUEST_TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """How one newcomer did."""

    filled_s: float
    """What it took to write the log, or the partitions and their snapshot."""
    megabytes: float
    heard_s: float
    """Until the leader knew of it: the start of its process."""
    caught_up_s: float
    voter_s: float
    ping_before_ms: tuple[float, float]
    """p99 and slowest answer of the leader while it had nothing to do."""
    ping_ms: tuple[float, float]
    """The same while the newcomer caught up."""
    stall_ms: float | None
    """The longest time in which the leader's event loop did not turn, rounded up; only ours tells."""

    @property
    def megabytes_per_second(self) -> float:
        """From being heard of to having it all."""
        return self.megabytes / (self.caught_up_s - self.heard_s)


class Pinger:
    """Asks a node something that costs nothing, again and again, in a thread."""

    def __init__(self, node: Node) -> None:
        self._client = connect(node.bootstrap_controller, timeout_ms=REQUEST_TIMEOUT_MS)
        self._stopped = threading.Event()
        self._latencies_ms: list[float] = []
        self._thread = threading.Thread(target=self._ping, daemon=True)

    def __enter__(self) -> Pinger:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._stopped.set()
        self._thread.join()
        self._client.close()

    def take(self) -> tuple[float, float]:
        """p99 and maximum since the last call."""
        taken, self._latencies_ms = self._latencies_ms, []
        return percentile(sorted(taken), 0.99), max(taken, default=float("nan"))

    def _ping(self) -> None:
        request = ApiVersionsRequest(client_software_name="bench", client_software_version="1")
        while not self._stopped.wait(PING_INTERVAL_S):
            begin = time.perf_counter()
            self._client.send(request, 4)
            self._latencies_ms.append((time.perf_counter() - begin) * 1000)


def create_topics(client: Client, names: list[str], partitions: int) -> None:
    """Create topics of so many partitions each, in one request."""
    topics = [
        CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
        for name in names
    ]
    response = client.send(CreateTopicsRequest(topics=topics, timeout_ms=REQUEST_TIMEOUT_MS))
    assert isinstance(response, CreateTopicsResponse)
    for result in response.topics:
        if result.error_code:
            raise LookupError(f"CreateTopics: {describe(result.error_code).name} {result.error_message}")


def alter_topics(client: Client, names: list[str], value: int) -> None:
    """One config record for each of the keys of each topic, in one request."""
    configs = [
        IncrementalAlterConfigsRequest.AlterableConfig(name=key, config_operation=0, value=str(value))
        for key in ALTERED_KEYS
    ]
    resources = [
        IncrementalAlterConfigsRequest.AlterConfigsResource(
            resource_type=TOPIC_RESOURCE, resource_name=name, configs=configs
        )
        for name in names
    ]
    response = client.send(IncrementalAlterConfigsRequest(resources=resources))
    assert isinstance(response, IncrementalAlterConfigsResponse)
    for result in response.responses:
        if result.error_code:
            raise LookupError(f"IncrementalAlterConfigs: {describe(result.error_code).name}")


def log_end(client: Client) -> int:
    """The leader's own log end offset."""
    answer = describe_quorum(client)
    return max(voter.log_end_offset for voter in answer.current_voters)


class Filled:
    """A leader's connection over which its log is filled."""

    def __init__(self, leader: Node) -> None:
        self.leader = leader
        self.client = connect(leader.bootstrap_controller, timeout_ms=REQUEST_TIMEOUT_MS)
        self._altered = [f"altered-{number}" for number in range(ALTERED_TOPICS)]
        self._values = count(10**9)
        create_topics(self.client, self._altered, 1)

    def alter(self) -> None:
        """Append a batch of config records."""
        alter_topics(self.client, self._altered, next(self._values))

    def records(self, number: int) -> None:
        """Fill the log up to so many records."""
        while log_end(self.client) < number:
            self.alter()

    def partitions(self, number: int) -> None:
        """Create so many partitions, and have the leader write a snapshot of them all."""
        for topic in range(number // PARTITIONS_PER_TOPIC):
            create_topics(self.client, [f"large-{topic}"], PARTITIONS_PER_TOPIC)
        target = log_end(self.client)
        begin = log_bytes(self.leader)
        # A node writes one once enough has come after the last.
        while log_bytes(self.leader) < begin + 2 * BYTES_BETWEEN_SNAPSHOTS:
            self.alter()
        wait_until(
            lambda: newest_snapshot(self.leader)[0] >= target,
            SNAPSHOT_TIMEOUT_S,
            "a snapshot of all partitions",
        )


def newest_snapshot(node: Node) -> tuple[int, int]:
    """End offset and size of a node's newest snapshot."""
    found = [(0, 0)]
    for path in node.metadata_log_directory.glob("*.checkpoint"):
        snapshot = parse_snapshot_file_name(path.name)
        if snapshot is not None:
            found.append((snapshot.end_offset, path.stat().st_size))
    return max(found)


def log_bytes(node: Node) -> int:
    """Size of all segments of a node's log."""
    return sum(path.stat().st_size for path in node.metadata_log_directory.glob("*.log"))


def join(
    quorum: Quorum, filled: Filled, properties: Mapping[str, str], *, size_bytes: int, filled_s: float
) -> Joined:
    """Have a newcomer join, and watch it from the leader."""
    leader, client = filled.leader, filled.client
    newcomer = quorum.newcomer(NEWCOMER_ID, {**properties, "controller.quorum.auto.join.enable": "true"})
    heard = caught_up = 0.0
    stall = None
    http = leader.properties.get(HTTP_KEY)
    with Pinger(leader) as pinger:
        pinger.take()
        time.sleep(QUIET_S)
        before = pinger.take()
        target = log_end(client)
        at_begin = scrape(http) if http is not None else {}
        begin = time.perf_counter()
        starting = threading.Thread(target=newcomer.start, kwargs={"timeout_s": GIVE_UP_S})
        starting.start()
        for is_voter, end_offset in watch(client):
            now = time.perf_counter() - begin
            heard = heard or now
            if end_offset >= target and not caught_up:
                caught_up = now
                during = pinger.take()
                if http is not None:
                    stall = longest_stall_ms(at_begin, scrape(http))
            if is_voter:
                break
        voter = time.perf_counter() - begin
        starting.join()
    return Joined(
        filled_s=filled_s,
        megabytes=size_bytes / 1e6,
        heard_s=heard,
        caught_up_s=caught_up,
        voter_s=voter,
        ping_before_ms=before,
        ping_ms=during,
        stall_ms=stall,
    )


def watch(client: Client) -> Iterator[tuple[bool, int]]:
    """Whether the newcomer is a voter and how far it is, each time the leader tells of it."""
    end = time.monotonic() + GIVE_UP_S
    while time.monotonic() < end:
        answer = describe_quorum(client)
        for replicas, are_voters in ((answer.current_voters, True), (answer.observers, False)):
            for replica in replicas:
                if replica.replica_id == NEWCOMER_ID:
                    yield are_voters, replica.log_end_offset
        time.sleep(0.01)
    raise TimeoutError(f"node {NEWCOMER_ID} did not join within {GIVE_UP_S} s")


def run(make: str, folder: Path, what: str, amount: int) -> Joined:
    """One newcomer to a quorum of one make."""
    between = NEVER if what == "log" else str(BYTES_BETWEEN_SNAPSHOTS)
    properties = {
        "metadata.log.max.record.bytes.between.snapshots": between,
        "metadata.log.max.snapshot.interval.ms": "0",
    }
    with ExitStack() as stack:
        quorum = stack.enter_context(Quorum(MAKES[make], folder, VOTERS, properties))
        quorum.format()
        quorum.start()
        stack.enter_context(PlaceholderBroker(quorum.leader))
        filled = Filled(quorum.leader())
        begin = time.perf_counter()
        if what == "log":
            filled.records(amount)
            size = log_bytes(filled.leader)
        else:
            filled.partitions(amount)
            size = newest_snapshot(filled.leader)[1]
        return join(quorum, filled, properties, size_bytes=size, filled_s=time.perf_counter() - begin)


def line(make: str, what: str, joined: Joined) -> str:
    """One line of the table."""
    stall = "" if joined.stall_ms is None else f"{f'<={joined.stall_ms:g}':>9}"
    return (
        f"{make:7}{what:10}{joined.filled_s:>9.1f}{joined.megabytes:>8.1f}{joined.heard_s:>9.2f}{joined.caught_up_s:>11.2f}"
        f"{joined.voter_s:>9.2f}{joined.megabytes_per_second:>8.1f}"
        f"{joined.ping_before_ms[0]:>9.1f}/{joined.ping_before_ms[1]:<7.1f}"
        f"{joined.ping_ms[0]:>8.1f}/{joined.ping_ms[1]:<7.1f}{stall}"
    )


def main() -> None:
    """Run both makes and print the table, then one line of JSON."""
    end_in_order_when_told()
    parser = argparse.ArgumentParser(prog="bin/bench catchup", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--records", type=int, default=1_000_000, help="records of the log (1000000); 0: none"
    )
    parser.add_argument("--partitions", type=int, default=200_000, help="of the snapshot (200000); 0: none")
    parser.add_argument("--makes", type=lambda text: text.split(","), default=list(MAKES))
    arguments = parser.parse_args()
    results: dict[str, dict[str, float]] = {}
    print(
        f"{'':17}{'filled s':>9}{'MB':>8}{'heard s':>9}{'has all s':>11}{'voter s':>9}{'MB/s':>8}"
        f"{'ping ms quiet':>17}{'catching up':>16}{'stall ms':>9}   (ping: p99/slowest)"
    )
    for what, amount in (("log", arguments.records), ("snapshot", arguments.partitions)):
        for make in arguments.makes if amount else ():
            with tempfile.TemporaryDirectory() as folder:
                joined = run(make, Path(folder), what, amount)
            print(line(make, what, joined), flush=True)
            results[f"{make} {what}"] = {
                "filled_s": round(joined.filled_s, 1),
                "MB": round(joined.megabytes, 1),
                "caught_up_s": round(joined.caught_up_s, 2),
                "voter_s": round(joined.voter_s, 2),
                "MB/s": round(joined.megabytes_per_second, 1),
                "slowest_ping_ms": round(joined.ping_ms[1], 1),
                **({} if joined.stall_ms is None else {"stall_ms": joined.stall_ms}),
            }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
