"""Transactions: as many as one producer, or fifty, get done, and how long a commit takes at a fixed rate."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from confluent_kafka import KafkaException, Producer

from bench._group_servers import TRANSACTIONS, Brokers
from bench._parts import Measurements
from bench._writers import percentile

TOPIC = "work"
PARTITIONS = 12
VALUE = b"x" * 100
TIMEOUT_S = 120.0
WARM_TRANSACTIONS = 5
SECONDS = 10.0
MANY = 50
PACED = 50
"""Transactions a second of all producers together, which every server under measurement can do."""


class _Producer:
    """A transactional producer that notes how long its commits and its whole transactions take."""

    def __init__(self, address: str, number: int) -> None:
        self._number = number
        settings = {
            "bootstrap.servers": address,
            "transactional.id": f"bench-{number}",
            "linger.ms": 0,
            "log_level": 0,
        }
        self._producer = Producer(settings)
        self.commits_ms: list[float] = []
        self.all_ms: list[float] = []

    def begin(self) -> None:
        """Be ready, as after a while."""
        self._producer.init_transactions(TIMEOUT_S)
        for _ in range(WARM_TRANSACTIONS):
            self.transact()
        self.commits_ms.clear()
        self.all_ms.clear()

    def transact(self) -> None:
        """One record in a transaction."""
        begin = time.perf_counter()
        self._producer.begin_transaction()
        self._producer.produce(TOPIC, VALUE, partition=self._number % PARTITIONS)
        self._producer.flush(TIMEOUT_S)
        between = time.perf_counter()
        self._producer.commit_transaction(TIMEOUT_S)
        end = time.perf_counter()
        self.commits_ms.append((end - between) * 1000)
        self.all_ms.append((end - begin) * 1000)


def transactions(implementation: str, folder: Path, brokers: int) -> Measurements:
    """On so many brokers, each partition with as many replicas."""
    with Brokers(implementation, folder, brokers, {}) as servers:
        servers.servers.create(TOPIC, PARTITIONS)
        servers.coordinator("bench-0", TRANSACTIONS)
        found = _run(servers, 1, "one producer")
        found |= _run(servers, MANY, f"{MANY} producers")
        return found | _run(servers, MANY, f"{PACED} a second", MANY / PACED)


def _run(servers: Brokers, count: int, what: str, interval_s: float = 0.0) -> Measurements:
    """Have so many producers do transactions without pause, or each one in every interval."""
    producers = [_Producer(servers.servers.address, number) for number in range(count)]
    begun = [0.0, 0.0]

    def begin() -> None:
        begun[:] = time.perf_counter(), servers.servers.cpu_s()

    ready = threading.Barrier(count, action=begin)
    failed: list[BaseException] = []

    def work(number: int, producer: _Producer) -> None:
        try:
            producer.begin()
            ready.wait(TIMEOUT_S)
            due = interval_s * number / count
            while (passed := time.perf_counter() - begun[0]) < SECONDS:
                if passed < due:
                    time.sleep(due - passed)
                producer.transact()
                due += interval_s
        except (KafkaException, threading.BrokenBarrierError) as error:
            failed.append(error)
            ready.abort()

    threads = [threading.Thread(target=work, args=each) for each in enumerate(producers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    seconds, cpu = time.perf_counter() - begun[0], servers.servers.cpu_s() - begun[1]
    commits = sorted(each for producer in producers for each in producer.commits_ms)
    wholes = sorted(each for producer in producers for each in producer.all_ms)
    return {
        f"{what}: transactions a second": len(commits) / seconds,
        f"{what}: commit p50, ms": percentile(commits, 0.5),
        f"{what}: commit p99, ms": percentile(commits, 0.99),
        f"{what}: transaction p50, ms": percentile(wholes, 0.5),
        f"{what}: transaction p99, ms": percentile(wholes, 0.99),
        f"{what}: CPU ms each": cpu * 1000 / len(commits),
    }
