"""Spark's own Kafka connector against a stock broker whose controllers are ours: sink, source and stream."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from compat.cluster import Cluster
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.ours import OurNode
from compat.process import wait_until
from compat.spark.jars import connector_jars
from compat.spark.submit import submit
from tests.compat.stock_brokers_support import SMALL_HEAP, WAIT_S, is_whole, read_all

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("spark_kafka.py")
TOPICS = ("alerts", "carried")
PARTITIONS = 2
COUNT = 50


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Three controllers of ours and a stock broker, with the topics."""
    overrides = {"auto.create.topics.enable": "false", "offsets.topic.replication.factor": "1"}
    with Cluster(
        OurNode,
        lambda folder, properties: StockNode(folder, properties, SMALL_HEAP),
        tmp_path,
        brokers=1,
        broker_overrides=overrides,
    ) as made:
        made.format()
        made.start()
        for topic in TOPICS:
            run_tool(
                "kafka-topics", "--bootstrap-server", made.servers, "--create", "--topic", topic,
                "--partitions", str(PARTITIONS), "--replication-factor", "1",
            ).output()  # fmt: skip
            wait_until(lambda topic=topic: is_whole(made, topic, PARTITIONS), WAIT_S, f"{topic} to be led")
        yield made


def test_sink_source_and_stream_carry_every_record_once(cluster: Cluster, tmp_path: Path) -> None:
    checkpoint = str(tmp_path / "checkpoint")
    found = submit(
        PROGRAM,
        *(cluster.servers, checkpoint, *TOPICS, str(COUNT)),
        master="local[2]",
        folder=tmp_path,
        jars=connector_jars(),
    )
    expected = sorted(f"alert-{number}" for number in range(COUNT))
    assert found["values"] == expected
    for topic in TOPICS:
        assert sorted(read_all(cluster.servers, topic, PARTITIONS)) == expected
