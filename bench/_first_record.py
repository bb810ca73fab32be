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
GIVE_UP_S = 60.0
"""A consumer that has nothing by then is not waited for."""
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
    first_s = _taken_s(servers, "group-0")
    if first_s >= GIVE_UP_S:
        return {"first member, s": first_s, "later members, s": first_s}
    later_s = [_taken_s(servers, f"group-{number}") for number in range(1, ROUNDS + 1)]
    return {"first member, s": first_s, "later members, s": statistics.median(later_s)}


def _taken_s(servers: Servers, group_id: str) -> float:
    """Seconds until a consumer has a record; `GIVE_UP_S` if it has none by then. Raises CalledProcessError."""
    command = ["kcat", "-q", "-E", "-b", servers.address, "-o", "beginning", "-c", "1"]
    begin = time.perf_counter()
    try:
        subprocess.run(
            [*command, "-G", group_id, TOPIC],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=GIVE_UP_S,
        )
    except subprocess.TimeoutExpired:
        return GIVE_UP_S
    return time.perf_counter() - begin
