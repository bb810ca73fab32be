"""A compacted log in the place of the log: controllers of both implementations start from it and go on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from kafkaproto.snapshot import read_snapshot
from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs import state
from kafkaproto_pipeline.jobs.compact import write_snapshot
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.snapshot import image_from_values
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.tools.shell.sources import load_file
from tests.compat.support.nodes import SERVES_TIMEOUT_S, SHORT_SESSION, create, led_topics, make_node

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

OF_THE_LOG = ("*.log", "*.index", "*.timeindex", "*.snapshot", "*.checkpoint", "leader-epoch-checkpoint")


def compacted(spark: SparkSession, node: Node, folder: Path) -> Path:
    """The snapshot file of the node's log."""
    spark.dataSource.register(KraftDataSource)
    rows = spark.read.format("kraft").options(view="state", asOf="latest").load(str(node.data_directory))
    (written,) = write_snapshot(rows, str(folder)).collect()
    state.forget(rows)
    return Path(written.file)


def with_snapshot_only(make: type[Node], node: Node, folder: Path, snapshot: Path) -> Node:
    """A node of any make that has what this one has, but for its metadata log the snapshot alone."""
    shutil.copytree(node.data_directory, folder / "data")
    log = folder / "data" / node.metadata_log_directory.name
    for pattern in OF_THE_LOG:
        for path in log.glob(pattern):
            path.unlink()
    shutil.copy(snapshot, log)
    return make(folder, {**node.properties, "log.dirs": str(folder / "data")})


def test_nodes_of_both_makes_go_on_from_it(spark: SparkSession, tmp_path: Path) -> None:
    node = make_node(OurNode, tmp_path / "node", SHORT_SESSION)
    try:
        node.start()
        create(node, "kept", {"retention.ms": "1000"})
        topics = led_topics(node)
        node.stop()
    finally:
        node.close()
    (log,) = node.metadata_log_directory.glob("*.log")
    image = load_file(OsDisk(), str(log), None)
    snapshot = compacted(spark, node, tmp_path / "compacted")
    end = image.offset + 1
    assert snapshot.name == f"{end:020d}-{image.epoch:010d}.checkpoint"
    values = [each for each in read_snapshot(snapshot.read_bytes()) if isinstance(each, bytes)]
    read = image_from_values(values, offset=image.offset, epoch=image.epoch, timestamp_ms=image.timestamp_ms)
    assert digest(read) == digest(image)

    for make in (OurNode, StockNode):
        go_on(with_snapshot_only(make, node, tmp_path / make.kind, snapshot), topics, end)


def go_on(node: Node, topics: dict[str, bytes], end_offset: int) -> None:
    """The node leads what the snapshot tells of, takes on more, and writes that behind the snapshot."""
    try:
        node.start()
        wait_until(lambda: led_topics(node) == topics, SERVES_TIMEOUT_S, f"{node.kind} to lead the topics")
        create(node, "later")
        segments = [path.name for path in node.metadata_log_directory.glob("*.log")]
        assert segments == [f"{end_offset:020d}.log"]
    finally:
        node.close()
