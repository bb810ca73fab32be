"""One bounded run: three brokers of ours under load and faults, then calm, then everything is held together."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from compat.chaos.account import Found, Log, Place, Promised, Written, account, in_offset_order, missed
from compat.chaos.faults import Ground, SmallDisk, sequences
from compat.chaos.load import LibrdkafkaReading, consume_to
from compat.chaos.workers import READERS, Worker
from compat.cluster import FIRST_BROKER_ID, Cluster, CombinedCluster, wait_until_whole
from compat.kafka.tools import run_tool
from compat.network import Network
from compat.node import Node
from compat.ours import OurNode
from compat.runs.disks import NodeFaultError, check_no_faults
from compat.runs.telling import Tell
from compat.topic_logs import LogsDifferError, check_files, compare_logs, producer_epochs

TOPICS = {"idempotent": True, "retrying": False}
"""Whether their producers are idempotent."""
PARTITIONS = 4
BYTES_A_RECORD = 1_000
"""More than a record of the load is on average."""
SMALLEST_DISK = 48 << 20
SETTINGS = {
    "broker.session.timeout.ms": "4000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "4000",
    "leader.imbalance.check.interval.seconds": "10",
    "log.flush.offset.checkpoint.interval.ms": "5000",
}
SMALL_SEGMENTS = ("--config", "segment.bytes=1048576", "--config", "min.insync.replicas=2")
SAMPLE_S = 1.0
CALM_S = 120.0


@dataclass(slots=True, kw_only=True)
class ChaosResult:
    """What happened in a run, and what is wrong."""

    faults: dict[str, int] = field(default_factory=dict)
    producers: list[tuple[Promised, Found]] = field(default_factory=list)
    given_up: dict[str, int] = field(default_factory=dict)
    """How often a client locked itself up, by consumer, and another one went on."""
    replicas: int = 0
    replica_bytes: int = 0
    memory: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Bytes of each node: at most, and in the end."""
    calm_s: float = 0.0
    """From the last fault's end to all replicas in sync."""
    violations: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The table."""
        rows = [f"{'faults':32}{'count':>8}"]
        rows += [f"  {kind:30}{count:>8}" for kind, count in sorted(self.faults.items())]
        columns = ("sent", "acknowledged", "failed", "lost", "doubled", "again", "disorder", "longest gap")
        rows.append(f"{'producers':28}" + "".join(f"{each:>14}" for each in columns))
        for promised, found in self.producers:
            cells = [
                f"{promised.sent:,}",
                f"{promised.count:,}",
                f"{promised.failed.total():,}",
                f"{len(found.lost)}",
                f"{len(found.doubled)}",
                f"{len(found.again)}",
                f"{len(found.out_of_order)}",
                f"{promised.longest_gap_s:.1f} s",
            ]
            rows.append(f"  {promised.name:26}" + "".join(f"{each:>14}" for each in cells))
            if promised.failed:
                rows.append(f"    failed: {dict(promised.failed)}, sessions: {promised.sessions}")
        rows += [f"{name}: locked itself up {count} times" for name, count in self.given_up.items() if count]
        rows.append(f"{'memory of nodes':28}{'at most':>14}{'in the end':>14}")
        for node_id, (most, last) in sorted(self.memory.items()):
            rows.append(f"  {node_id:<26}{most >> 20:>10} MiB{last >> 20:>10} MiB")
        rows.append(f"calm after the last fault: {self.calm_s:.1f} s")
        rows.append(f"replicas compared: {self.replicas}, {self.replica_bytes:,} bytes")
        rows += [f"WRONG: {each}" for each in self.violations] or ["nothing is wrong"]
        return rows


class MemoryWatch(threading.Thread):
    """Samples what the nodes' processes hold."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Not started yet."""
        super().__init__(name="memory", daemon=True)
        self._nodes = nodes
        self._stop_asked = threading.Event()
        self.seen: dict[int, tuple[int, int]] = {}

    def run(self) -> None:
        """Until stopped."""
        while not self._stop_asked.wait(SAMPLE_S):
            for node in self._nodes:
                if (pid := node.running_pid) is not None and (held := _resident_bytes(pid)):
                    self.seen[node.node_id] = (max(held, self.seen.get(node.node_id, (0, 0))[0]), held)

    def stop(self) -> None:
        """Samples no more."""
        self._stop_asked.set()
        self.join()


def _resident_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:")), 0)


def run(
    folder: Path,
    *,
    seconds: float,
    seed: int,
    tell: Tell,
    is_combined: bool = False,
    rate: float = 500.0,
    pace: tuple[float, float] = (2.0, 8.0),
    has_small_disk: bool = True,
) -> ChaosResult:
    """Faults for so many seconds, at `rate` records a second in all. What is wrong is in the result.

    A small disk needs root. Raises WaitedTooLongError, ProcessDiedError and ToolFailedError if the cluster does not
    come up or come back.
    """
    result = ChaosResult()
    with ExitStack() as stack:
        network = stack.enter_context(Network())
        full_id = 1 if is_combined else FIRST_BROKER_ID
        cluster = _cluster(folder, network, full_id if has_small_disk else None, is_combined=is_combined)
        disk = None
        if has_small_disk:
            size = SMALLEST_DISK + int(seconds * rate * BYTES_A_RECORD)
            disk = stack.enter_context(SmallDisk(cluster.brokers[full_id].data_directories[-1], size))
        stack.enter_context(cluster)
        cluster.format()
        cluster.start()
        _create_topics(cluster)
        nodes = {**cluster.quorum.nodes, **cluster.brokers}
        ground = Ground(nodes=nodes, network=network, small_disk=disk, full_id=full_id, tell=tell, pace=pace)
        memory = MemoryWatch(list(nodes.values()))
        memory.start()
        workers = [
            Worker(client, cluster.servers, TOPICS, PARTITIONS, rate=rate / 4, seed=seed)
            for client in READERS
        ]
        for worker in workers:
            stack.callback(worker.close)
        for worker in workers:
            worker.until_under_way()
        tell(f"seed {seed}: load is on")
        _let_faults_happen(ground, seed, seconds)
        result.faults = dict(ground.counts)
        began = time.monotonic()
        wait_until_whole(cluster.running_brokers(), dict.fromkeys(TOPICS, PARTITIONS))
        result.calm_s = time.monotonic() - began
        tell(f"all replicas are in sync {result.calm_s:.1f} s after the last fault")
        promised = [each for worker in workers for each in worker.stop_producers()]
        memory.stop()
        result.memory = memory.seen
        log = _hold_together(cluster, workers, result)
        _check_files(cluster, folder, result, tell)
        epochs = producer_epochs(next(iter(cluster.brokers.values())), TOPICS)
        for each in promised:
            found = account(each, log, epochs)
            result.producers.append((each, found))
            result.violations += found.violations(each)
    return result


def _cluster(folder: Path, network: Network, full_id: int | None, *, is_combined: bool) -> Cluster:
    directories = {} if full_id is None else {full_id: 2}
    if is_combined:
        return CombinedCluster(
            OurNode, folder, overrides=SETTINGS, log_directories=directories, network=network
        )
    return Cluster(
        OurNode,
        OurNode,
        folder,
        controller_overrides=SETTINGS,
        broker_overrides=SETTINGS,
        log_directories=directories,
        network=network,
    )


def _create_topics(cluster: Cluster) -> None:
    for topic in TOPICS:
        run_tool(
            *("kafka-topics", "--bootstrap-server", cluster.servers, "--create", "--topic", topic),
            *("--partitions", str(PARTITIONS), "--replication-factor", "3", *SMALL_SEGMENTS),
        ).output()
    wait_until_whole(cluster.running_brokers(), dict.fromkeys(TOPICS, PARTITIONS))


def _let_faults_happen(ground: Ground, seed: int, seconds: float) -> None:
    """Returns when every fault has ended. Raises what the first of them raised."""
    running = sequences(ground, seed)
    for each in running:
        each.start()
    ground.stop.wait(seconds)
    ground.stop.set()
    for each in running:
        each.join()
    for each in running:
        if each.failure is not None:
            raise each.failure


def _hold_together(cluster: Cluster, workers: Sequence[Worker], result: ChaosResult) -> Log:
    """What was consumed meanwhile, and what a new consumer reads, which is returned."""
    places = [(topic, number) for topic in TOPICS for number in range(PARTITIONS)]
    ends = _ends(cluster.servers, places)
    last = LibrdkafkaReading(cluster.servers, places)
    last.start()
    result.violations += consume_to([last], ends, CALM_S)
    last.stop()
    log = _in_order(last.name, last.records, result)
    for worker in workers:
        consumed = worker.consume_to(ends)
        name = f"consumer of {worker.client}"
        result.given_up[name] = consumed.given_up
        result.violations += [
            *consumed.problems,
            *missed(name, _in_order(name, consumed.records, result), log),
        ]
    return log


def _in_order(name: str, records: Mapping[Place, Sequence[tuple[int, Written]]], result: ChaosResult) -> Log:
    """Records by offset; offsets that came again are violations."""
    log = {}
    for place, delivered in records.items():
        log[place], backwards = in_offset_order(delivered)
        if backwards:
            result.violations.append(
                f"{name}, {place[0]}-{place[1]}: {backwards} records at offsets that were passed already"
            )
    return log


def _ends(servers: str, places: Sequence[Place]) -> dict[Place, int]:
    settings: dict[str, Any] = {"bootstrap.servers": servers, "group.id": "ends", "log_level": 0}
    consumer = Consumer(settings)
    found = {}
    for topic, number in places:
        watermarks = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=CALM_S)
        assert watermarks is not None
        found[topic, number] = watermarks[1]
    consumer.close()
    return found


def _check_files(cluster: Cluster, folder: Path, result: ChaosResult, tell: Tell) -> None:
    """All replicas are the same, their files are in order, and no node spoke of a fault of its own."""
    nodes = list(cluster.brokers.values())
    wait_until_whole(nodes, dict.fromkeys(TOPICS, PARTITIONS))
    # The last node with both roles would have no quorum to tell that it goes.
    stopped = nodes[:-1] if cluster.brokers is cluster.quorum.nodes else nodes
    for node in stopped:
        node.stop()
    for node in nodes:
        node.kill()
    for topic in TOPICS:
        try:
            replicas, size = compare_logs(nodes, topic)
            result.replicas += replicas
            result.replica_bytes += size
            for node in stopped:
                check_files(node, topic, is_deep=False)
        except LogsDifferError as error:
            result.violations.append(str(error))
    try:
        check_no_faults(folder)
    except NodeFaultError as error:
        result.violations.append(str(error))
    tell("files are compared")
