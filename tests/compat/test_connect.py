"""Kafka Connect, unchanged: a distributed worker takes a file into a topic, and the topic into a file.

The expectations are what Apache Kafka's nodes lead to (KAFKAPROTO_COMPAT_NODE=stock).
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from compat.kafka.connect import TOPICS, ConnectWorker, file_sink, file_source
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.process import wait_until
from compat.runs.exactly_once import read

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

WAIT_S = 180.0


def append(path: Path, numbers: range) -> None:
    with path.open("a") as file:
        file.writelines(f"line {number}\n" for number in numbers)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def test_a_file_becomes_a_topic_and_a_file_though_the_worker_dies(
    impatient_node: Node, tmp_path: Path
) -> None:
    """The source is exactly-once: what it read of the file is committed with the records. The sink may repeat."""
    servers = impatient_node.bootstrap_server
    source, sink = tmp_path / "source.txt", tmp_path / "sink.txt"
    append(source, range(1000))
    with closing(ConnectWorker(servers, tmp_path / "worker", name="workers")) as worker:
        worker.start()
        worker.configure("from-file", file_source(source, "file-lines"))
        worker.configure("to-file", file_sink(sink, "file-lines"))
        wait_until(lambda: len(lines(sink)) >= 1000, WAIT_S, "the first lines")
        append(source, range(1000, 2000))
        worker.kill()
        worker.start()
        wait_until(lambda: "line 1999" in lines(sink), WAIT_S, "the last line")
        expected = [f"line {number}" for number in range(2000)]
        assert read(servers, "file-lines", 1) == Counter(expected)
        assert list(dict.fromkeys(lines(sink))) == expected
        (read_so_far,) = worker.ask("/connectors/from-file/offsets")["offsets"]
        assert read_so_far["offset"] == {"position": source.stat().st_size}
        for connector in ("from-file", "to-file"):
            worker.wait_until_running(connector)
            worker.ask(f"/connectors/{connector}", method="DELETE")
        wait_until(lambda: worker.ask("/connectors") == [], WAIT_S, "the connectors to be gone")
        worker.stop()
    for each in TOPICS:
        topic = f"workers-{each}"
        described = run_tool(
            "kafka-topics", "--bootstrap-server", servers, "--describe", "--topic", topic
        ).output()
        assert "cleanup.policy=compact" in described
