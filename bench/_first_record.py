"""A consumer in a group of its own: from the start of its process to the first record."""

from __future__ import annotations

import statistics
import subprocess
import time
from pathlib import Path

from confluent_kafka import Producer

from bench._data_servers import Servers
from bench._group_servers import Brokers
from bench._parts import Measurements
from bench._tansu import Tansu

TOPIC = "work"
PARTITIONS = 3
TIMEOUT_S = 120.0
ROUNDS = 5


def first_record(implementation: str, folder: Path) -> Measurements:
    """kcat as a group's only member, each time in another group, the first time by itself: its broker has no topic for
    offsets then."""
    if implementation == "tansu":
        with Tansu(folder) as tansu:
            return _read(Servers(tansu.address, [tansu.pid], 1))
    with Brokers(implementation, folder, 1, {}) as brokers:
        return _read(brokers.servers)


def _read(servers: Servers) -> Measurements:
    servers.create(TOPIC, PARTITIONS)
    producer = Producer({"bootstrap.servers": servers.address, "log_level": 0})
    for index in range(PARTITIONS):
        producer.produce(TOPIC, b"x", partition=index)
    producer.flush(TIMEOUT_S)
    taken_s = []
    for number in range(ROUNDS + 1):
        command = ["kcat", "-q", "-E", "-b", servers.address, "-o", "beginning", "-c", "1"]
        begin = time.perf_counter()
        subprocess.run(
            [*command, "-G", f"group-{number}", TOPIC],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
        )
        taken_s.append(time.perf_counter() - begin)
    return {"first member, s": taken_s[0], "later members, s": statistics.median(taken_s[1:])}
