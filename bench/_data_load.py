"""Loads of records on brokers: as much as goes, a fixed rate, many connections, many readers."""

from __future__ import annotations

import mmap
import os
import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from confluent_kafka import KafkaError, Message, Producer

from bench import _raw_clients
from bench._data_servers import Servers
from bench._parts import Measurements
from bench._raw_clients import Batches, Reader, Visitor, read_all
from bench._writers import percentile
from compat.ports import free_port
from compat.process import wait_until

CLIENT_TIMEOUT_S = 300.0
MEGABYTE = 1_000_000
ROUNDS = 3
"""The first one warms up, and is not counted."""
LARGE = (1_000, 131_072)
"""Size of records and of batches, in bytes."""
SMALL = (100, 16_384)
RECORDS_A_SECOND = 10_000
LATENCY_S = 10.0
LOOKS = 17
"""Of so many records the time of one is taken; no multiple of partitions."""
LINGER_MS = 5
"""The default of producers since Apache Kafka 4.0."""
WARM_S = 3.0
VISITORS = 500
VISIT_S = 1.0
READERS = (1, 5, 20)
READ_S = 4.0
READ_BYTES = 1 << 20
TOPIC_BYTES = 100 * MEGABYTE


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
    """Write a file of records and read them back, again and again: the medians."""
    size, batch_bytes = kind
    path = records_file(folder, size, megabytes)
    written = ["-X", f"acks={acks}", "-X", f"batch.size={batch_bytes}", "-X", "linger.ms=5"]
    written += ["-X", "queue.buffering.max.messages=1000000", "-X", "queue.buffering.max.kbytes=1000000"]
    read = ["-X", "fetch.message.max.bytes=10485760", "-X", "queued.min.messages=1000000"]
    name = f"{size} B, {partitions} partitions, acks={acks}"
    rounds: list[Measurements] = []
    for number in range(ROUNDS):
        topic = f"t-{partitions}-{acks}-{size}-{number}"
        servers.create(topic, partitions)
        before = servers.cpu_s()
        in_s = kcat("-P", "-b", servers.address, "-t", topic, "-l", str(path), *written)
        between = servers.cpu_s()
        out_s = kcat("-C", "-b", servers.address, "-t", topic, "-o", "beginning", "-e", *read)
        after = servers.cpu_s()
        rounds.append(
            {
                f"in MB/s: {name}": megabytes / in_s,
                f"in, CPU s a GB: {name}": (between - before) / megabytes * 1000,
                f"out MB/s: {name}": megabytes / out_s,
                f"out, CPU s a GB: {name}": (after - between) / megabytes * 1000,
            }
        )
    path.unlink()
    return {key: statistics.median(each[key] for each in rounds[1:]) for key in rounds[0]}


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


def capacity(servers: Servers, folder: Path, megabytes: int) -> Measurements:
    """What a broker takes and gives if clients cost next to nothing."""
    found: Measurements = {}
    for size, batch_bytes in (LARGE, SMALL):
        batches = Batches(size, batch_bytes)
        topic = f"capacity-{size}"
        servers.create(topic, 1)
        total = megabytes * MEGABYTE // (1 if size == LARGE[0] else 4)
        for counts in (False, True):
            begin, cpu = time.perf_counter(), servers.cpu_s()
            _raw_clients.write(servers.address, topic, 1, batches, total_bytes=total, acks=-1)
            seconds, cpu = time.perf_counter() - begin, servers.cpu_s() - cpu
            if counts:
                found[f"in MB/s: {size} B in {batch_bytes} B"] = total / seconds / MEGABYTE
                found[f"in, cores: {size} B in {batch_bytes} B"] = cpu / seconds
        for counts in (False, True):
            cpu = servers.cpu_s()
            rate = read_all([Reader(servers.address, topic, 0, batches, READ_BYTES)], READ_S)
            if counts:
                found[f"out MB/s: {size} B in {batch_bytes} B"] = rate
                found[f"out, cores: {size} B in {batch_bytes} B"] = (servers.cpu_s() - cpu) / READ_S
    return found


def latency(servers: Servers, folder: Path) -> Measurements:
    """Records at a fixed rate: how long until each is acknowledged."""
    servers.create("latency", 3)
    settings = {"bootstrap.servers": servers.address, "acks": "all", "linger.ms": LINGER_MS, "log_level": 0}
    producer = Producer({**settings, "queue.buffering.max.messages": 10_000_000})
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
            # The client has its share of the processors: it looks at some records only.
            look = partial(acknowledged, at) if sent % LOOKS == 0 else None
            producer.produce("latency", value, partition=sent % 3, on_delivery=look)
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


def connections(servers: Servers, folder: Path) -> Measurements:
    """Many connections, each of which writes a record and reads it back once a second."""
    servers.create("visits", 12)
    records = Batches(1_000, 1_000).data
    visitors = [Visitor(servers.address, "visits", number % 12, records) for number in range(VISITORS)]
    selector = selectors.DefaultSelector()
    for visitor in visitors:
        selector.register(visitor.stream, selectors.EVENT_READ, visitor)
    begin, cpu = time.perf_counter(), servers.cpu_s()
    idle = set(visitors)
    late = number = 0
    while (passed := time.perf_counter() - begin) < WARM_S + LATENCY_S:
        while number < passed * VISITORS / VISIT_S:
            visitor = visitors[number % VISITORS]
            number += 1
            if visitor in idle:
                idle.discard(visitor)
                visitor.begin()
            else:
                late += 1
        for key, _ in selector.select(0.001):
            if key.data.go_on():
                idle.add(key.data)
    cpu = servers.cpu_s() - cpu
    selector.close()
    for visitor in visitors:
        visitor.stream.close()
    # As many as belong to the time in which all was warm.
    taken_ms = sorted(ms for visitor in visitors for ms in visitor.taken_ms[int(2 * WARM_S / VISIT_S) :])
    return {
        "requests": float(len(taken_ms)),
        "p50, ms": percentile(taken_ms, 0.5),
        "p99, ms": percentile(taken_ms, 0.99),
        "slowest, ms": taken_ms[-1],
        "visits left out": float(late),
        "cores": cpu / passed,
    }


def fan_out(servers: Servers, folder: Path) -> Measurements:
    """Consumers that all read the same records, beside a loop of sendfile that knows no Kafka."""
    batches = Batches(1_000, 65_536)
    servers.create("fan-out", 1)
    _raw_clients.write(servers.address, "fan-out", 1, batches, total_bytes=TOPIC_BYTES, acks=-1)
    found: Measurements = {}
    for count in READERS:
        readers = [Reader(servers.address, "fan-out", 0, batches, READ_BYTES) for _ in range(count)]
        found[f"{count} consumers, MB/s"] = rate = read_all(readers, READ_S)
        bare = bare_sendfile(folder, count)
        found[f"{count} consumers, bare sendfile MB/s"] = bare
        found[f"{count} consumers, share of it"] = rate / bare
    return found


def bare_sendfile(folder: Path, count: int) -> float:
    """MB a second of a server that answers each byte with a piece of a file, by sendfile."""
    path = folder / "piece"
    if not path.exists():
        path.write_bytes(os.urandom(READ_BYTES) * (TOPIC_BYTES // READ_BYTES))
    port = free_port()
    server = subprocess.Popen([sys.executable, "-m", "bench._data_load", str(path), str(port)])
    try:
        wait_until(lambda: _accepts(port), CLIENT_TIMEOUT_S, "the loop of sendfile")
        streams = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
        return _drain(streams)
    finally:
        server.kill()
        server.wait()


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def _drain(streams: Sequence[socket.socket]) -> float:
    selector = selectors.DefaultSelector()
    buffer = mmap.mmap(-1, READ_BYTES)
    missing: dict[socket.socket, int] = {}
    for stream in streams:
        selector.register(stream, selectors.EVENT_READ, stream)
        stream.sendall(b"x")
        missing[stream] = READ_BYTES
    received = 0

    def take(stream: socket.socket) -> int:
        """As the reader of a broker: a response is taken whole before the next connection's."""
        while missing[stream]:
            missing[stream] -= stream.recv_into(memoryview(buffer)[: missing[stream]])
        missing[stream] = READ_BYTES
        return READ_BYTES

    begin = time.perf_counter()
    while (passed := time.perf_counter() - begin) < READ_S:
        for key, _ in selector.select(1):
            received += take(key.data)
            key.data.sendall(b"x")
    for stream in streams:
        take(stream)
        stream.close()
    selector.close()
    return received / passed / MEGABYTE


def _serve_pieces(path: str, port: int) -> None:
    selector = selectors.DefaultSelector()
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    selector.register(listener, selectors.EVENT_READ)
    descriptor = os.open(path, os.O_RDONLY)
    size = os.fstat(descriptor).st_size
    at: dict[socket.socket, int] = {}
    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                stream, _ = listener.accept()
                selector.register(stream, selectors.EVENT_READ)
                at[stream] = 0
                continue
            stream = key.fileobj  # type: ignore[assignment]
            if not stream.recv(1):
                selector.unregister(stream)
                continue
            sent = 0
            while sent < READ_BYTES:
                sent += os.sendfile(stream.fileno(), descriptor, at[stream] + sent, READ_BYTES - sent)
            at[stream] = (at[stream] + READ_BYTES) % size


if __name__ == "__main__":
    _serve_pieces(sys.argv[1], int(sys.argv[2]))
