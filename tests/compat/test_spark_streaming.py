"""Spark Structured Streaming reads a topic and writes another one by Spark's own Kafka connector, with a checkpoint.

Its sink is at least once: what a batch had written before it was ended comes again after a restart. So each record has
to be in one batch of the checkpoint, and may be twice in the output only if it is in the batch that was ended.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest
from confluent_kafka import Producer

from compat.node import Node
from compat.process import wait_until
from compat.spark.jars import connector_jars
from compat.spark.standalone import QUICK_JVM
from tests.compat.support.nodes import PARTITIONS, create, make_node, node_class
from tests.compat.support.stock_brokers import read_all

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

PROGRAM = Path(__file__).resolve().parents[2] / "compat" / "spark" / "stream.py"
WAIT_S = 120.0
RECORDS = 100


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """A node of its own, since transactions leave a topic behind."""
    made = make_node(node_class(), tmp_path / "node")
    try:
        made.start()
        yield made
    finally:
        made.close()


def write(servers: str, topic: str, first: int, *, commits: bool = True) -> None:
    """A transaction with so many numbers, in both partitions in turn."""
    producer = Producer({"bootstrap.servers": servers, "transactional.id": topic})
    producer.init_transactions(WAIT_S)
    producer.begin_transaction()
    for number in range(first, first + RECORDS):
        producer.produce(topic, str(number).encode(), partition=number % PARTITIONS)
    producer.flush(WAIT_S)
    if commits:
        producer.commit_transaction(WAIT_S)
    else:
        producer.abort_transaction(WAIT_S)


@contextmanager
def streaming(
    servers: str, source: str, target: str, folder: Path, *flags: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Spark with the stream. At the end it is killed, its Java process too."""
    jars = ",".join(map(str, connector_jars()))
    command = [
        *(sys.executable, str(PROGRAM), jars, QUICK_JVM, servers, source, target),
        *(str(folder / "checkpoint"), *flags),
    ]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LAUNCHER_OPTS": QUICK_JVM}
    with (folder / "spark.log").open("ab") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
    try:
        yield process
    finally:
        # The process may be over, and with it the group.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def batches(folder: Path, source: str) -> list[dict[str, int]]:
    """The end offsets of each batch in the checkpoint, by partition."""
    paths = sorted((folder / "checkpoint" / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    assert [int(path.name) for path in paths] == [*range(len(paths))]
    return [json.loads(path.read_text().splitlines()[2])[source] for path in paths]


def committed_batches(folder: Path) -> int:
    """How many batches the checkpoint says are done."""
    return len(list((folder / "checkpoint" / "commits").glob("[0-9]*")))


def test_a_stream_that_is_killed_resumes_from_its_checkpoint(node: Node, tmp_path: Path) -> None:
    servers, source, target = node.bootstrap_server, "numbers", "doubled"
    for each in (source, target):
        create(node, each)
    write(servers, source, 0)
    write(servers, source, 10_000, commits=False)
    with streaming(servers, source, target, tmp_path) as spark:
        wait_until(
            lambda: committed_batches(tmp_path) >= 2 or spark.poll() is not None, WAIT_S, "two batches"
        )
        assert spark.poll() is None, (tmp_path / "spark.log").read_text()[-4_000:]
    planned, done = batches(tmp_path, source), committed_batches(tmp_path)
    assert max(planned[-1].values()) < RECORDS // PARTITIONS, "it was killed in the middle"
    write(servers, source, RECORDS)
    with streaming(servers, source, target, tmp_path, "--available-now") as spark:
        assert spark.wait(WAIT_S) == 0, (tmp_path / "spark.log").read_text()[-4_000:]

    # The offsets of a transaction's end are its marker's; the aborted numbers lie between the others.
    ends = batches(tmp_path, source)
    assert ends[: len(planned)] == planned
    last = {str(index): 3 * (RECORDS // PARTITIONS + 1) for index in range(PARTITIONS)}
    assert ends[-1] == last
    assert all(before[key] <= after[key] for before, after in pairwise(ends) for key in last)
    values = Counter(int(each) for each in read_all(servers, target, PARTITIONS))
    assert values.keys() == {2 * number for number in range(2 * RECORDS)}
    # A batch that was planned and not done was made again, from the same offsets.
    repeated = {value // 2 for value, count in values.items() if count > 1}
    begun = planned[done - 1]
    assert all(
        len(planned) > done
        and begun[str(number % PARTITIONS)] <= number // PARTITIONS < planned[-1][str(number % PARTITIONS)]
        for number in repeated
    )
    assert max(values.values()) <= 2
