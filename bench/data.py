"""Records through brokers: Apache Kafka, ours, and tansu, one after the other with the same client.

- throughput: one broker, one partition and twelve; kcat (librdkafka) writes a file of records and reads them back.
  1 KB records in batches of 128 KB, with acks=1 and acks=all, and 100 B records in batches of 16 KB. MB/s, and the
  share of a core that the server took while it did.
- replicated: three brokers, replication 3, acks=all, the same.
- latency: three brokers, replication 3, acks=all, 10,000 records a second of 100 B: from send to acknowledgement.

tansu keeps records in memory here, and knows no replicas: it takes part in the first.

    bin/bench data [--parts throughput,replicated,latency] [--implementations stock,ours,tansu] [--megabytes 200]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from confluent_kafka import KafkaError, Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from bench._implementations import IMPLEMENTATIONS, end_in_order_when_told
from bench._parts import Measurements, run_parts
from bench._tansu import Tansu
from bench._writers import percentile
from compat.cluster import Cluster
from compat.node import combined_properties

PARTS = ("throughput", "replicated", "latency")
KINDS = ("stock", "ours", "tansu")
CLIENT_TIMEOUT_S = 300.0
CREATE_TIMEOUT_S = 60.0
MEGABYTE = 1_000_000
RECORDS_A_SECOND = 10_000
LATENCY_S = 10.0
WARM_S = 3.0
LARGE = (1_000, 131_072)
"""Size of records and of batches, in bytes."""
SMALL = (100, 16_384)
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class Servers:
    """Brokers under measurement: where they are, and what processor time they took."""

    def __init__(self, address: str, pids: Sequence[int], replicas: int) -> None:
        self.address = address
        self._pids = tuple(pids)
        self.replicas = replicas

    def cpu_s(self) -> float:
        """Processor time of all processes so far."""
        total = 0
        for pid in self._pids:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS_A_SECOND

    def create(self, topic: str, partitions: int) -> None:
        """Create a topic on all of them. Raises KafkaException."""
        made = NewTopic(topic, num_partitions=partitions, replication_factor=self.replicas)
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        for future in admin.create_topics([made], operation_timeout=CREATE_TIMEOUT_S).values():
            future.result(CREATE_TIMEOUT_S)
        time.sleep(1.0)


def records_file(folder: Path, size: int, megabytes: int) -> Path:
    """A file of lines, each a record of that size."""
    path = folder / f"records-{size}"
    line = (b"0123456789abcdef" * (size // 16 + 1))[: size - 8]
    with path.open("wb") as file:
        for number in range(megabytes * MEGABYTE // size):
            file.write(b"%08d%s\n" % (number % 10**8, line))
    return path


def kcat(*arguments: str) -> float:
    """Run kcat to its end; returns seconds. Raises CalledProcessError, TimeoutExpired."""
    started = time.perf_counter()
    subprocess.run(
        ["kcat", "-q", *arguments],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        timeout=CLIENT_TIMEOUT_S,
    )
    return time.perf_counter() - started


def through(
    servers: Servers, folder: Path, *, partitions: int, acks: str, kind: tuple[int, int], megabytes: int
) -> Measurements:
    """Write a file of records and read them back."""
    size, batch_bytes = kind
    topic = f"t-{partitions}-{acks}-{size}"
    servers.create(topic, partitions)
    path = records_file(folder, size, megabytes)
    written = ["-X", f"acks={acks}", "-X", f"batch.size={batch_bytes}", "-X", "linger.ms=5"]
    written += ["-X", "queue.buffering.max.messages=1000000", "-X", "queue.buffering.max.kbytes=1000000"]
    name = f"{size} B, {partitions} partitions, acks={acks}"
    before = servers.cpu_s()
    seconds = kcat("-P", "-b", servers.address, "-t", topic, "-l", str(path), *written)
    after = servers.cpu_s()
    found = {f"in MB/s: {name}": megabytes / seconds, f"in, cores: {name}": (after - before) / seconds}
    read = ["-X", "fetch.message.max.bytes=10485760", "-X", "queued.min.messages=1000000"]
    seconds = kcat("-C", "-b", servers.address, "-t", topic, "-o", "beginning", "-e", *read)
    found[f"out MB/s: {name}"] = megabytes / seconds
    found[f"out, cores: {name}"] = (servers.cpu_s() - after) / seconds
    path.unlink()
    return found


def throughput(servers: Servers, folder: Path, megabytes: int) -> Measurements:
    """Records of two sizes, on one partition and on twelve."""
    found: Measurements = {}
    acks = ("1", "all") if servers.replicas == 1 else ("all",)
    for partitions in (1, 12):
        for each in acks:
            found |= through(
                servers, folder, partitions=partitions, acks=each, kind=LARGE, megabytes=megabytes
            )
    found |= through(servers, folder, partitions=1, acks="all", kind=SMALL, megabytes=megabytes // 4)
    return found


def latency(servers: Servers, folder: Path, megabytes: int) -> Measurements:
    """Records at a fixed rate: how long until each is acknowledged."""
    servers.create("latency", 6)
    producer = Producer({"bootstrap.servers": servers.address, "acks": "all", "linger.ms": 1, "log_level": 0})
    taken_ms: list[float] = []
    failed: list[str] = []
    begun = time.perf_counter()
    value = b"x" * 100

    def acknowledged(sent: float, error: KafkaError | None, message: Message) -> None:
        now = time.perf_counter()
        if error is not None:
            failed.append(str(error))
        elif sent - begun >= WARM_S:
            taken_ms.append((now - sent) * 1000)

    before, sent = servers.cpu_s(), 0
    while (passed := time.perf_counter() - begun) < WARM_S + LATENCY_S:
        while sent < passed * RECORDS_A_SECOND:
            at = time.perf_counter()
            producer.produce("latency", value, partition=sent % 6, on_delivery=partial(acknowledged, at))
            sent += 1
        producer.poll(0.0005)
    producer.flush(CLIENT_TIMEOUT_S)
    if failed:
        raise SystemExit(f"{len(failed)} records failed: {failed[0]}")
    taken_ms.sort()
    return {
        "records": float(sent),
        "p50, ms": percentile(taken_ms, 0.5),
        "p99, ms": percentile(taken_ms, 0.99),
        "slowest, ms": taken_ms[-1],
        "cores": (servers.cpu_s() - before) / (WARM_S + LATENCY_S),
    }


Measure = Callable[[Servers, Path, int], Measurements]


def alone(measure: Measure, megabytes: int, implementation: str, folder: Path) -> Measurements:
    """Measure one broker."""
    if implementation == "tansu":
        with Tansu(folder) as tansu:
            return measure(Servers(tansu.address, [tansu.pid], 1), folder, megabytes)
    node = IMPLEMENTATIONS[implementation](folder / "node", combined_properties(folder / "node" / "data"))
    node.format("bench-data-cluster-0000")
    node.start()
    try:
        return measure(Servers(node.bootstrap_server, [node.process.pid], 1), folder, megabytes)
    finally:
        node.close()


def three(measure: Measure, megabytes: int, implementation: str, folder: Path) -> Measurements:
    """Measure three brokers, with a controller of their own make."""
    make = IMPLEMENTATIONS[implementation]
    with Cluster(make, make, folder, controllers=1) as cluster:
        cluster.format()
        cluster.start()
        pids = [node.process.pid for node in cluster.brokers.values()]
        return measure(Servers(cluster.servers, pids, 3), folder, megabytes)


def main() -> None:
    """Measure, and print a table for each part."""
    parser = argparse.ArgumentParser(prog="bin/bench data", description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(KINDS))
    parser.add_argument("--megabytes", type=int, default=200, help="for each measurement; default: 200")
    arguments = parser.parse_args()
    unknown = [each for each in arguments.parts if each not in PARTS]
    unknown += [each for each in arguments.implementations if each not in KINDS]
    if unknown:
        parser.error(
            f"unknown: {', '.join(unknown)}; parts: {', '.join(PARTS)}; implementations: {', '.join(KINDS)}"
        )
    end_in_order_when_told()
    size = arguments.megabytes
    parts: Mapping[str, Callable[[str, Path], Measurements]] = {
        "throughput": partial(alone, throughput, size),
        "replicated": partial(three, throughput, size),
        "latency": partial(three, latency, size),
    }
    for part in arguments.parts:
        # tansu keeps no replicas.
        chosen = [each for each in arguments.implementations if part == "throughput" or each != "tansu"]
        run_parts(parts, [part], chosen)


if __name__ == "__main__":
    main()
