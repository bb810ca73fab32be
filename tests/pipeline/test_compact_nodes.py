"""A compacted log in the place of the log: Kafka's dump tool and shell read it, and our controller goes on from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from kafkaproto.log import BatchScan
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto.snapshot import ControlRecord, read_snapshot
from pipeline.datasource import KraftDataSource
from pipeline.jobs import state
from pipeline.jobs.compact import write_snapshot
from server.image.digest import digest
from server.image.image import ClusterImage
from server.image.loader import MetadataLoader
from server.image.snapshot import image_from_values
from tests.compat.quorum_support import dumped
from tests.compat.support import SERVES_TIMEOUT_S, SHORT_SESSION, create, led_topics, make_node
from tests.compat.test_metadata_shell import recorded_session

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

FIRST_SEGMENT = "00000000000000000000"
TOPICS = ("kept", "other")
OF_THE_LOG = (".log", ".index", ".timeindex", ".snapshot")


def _replayed(log: Path) -> ClusterImage:
    """What the server makes of a log that was never cut off."""
    loader = MetadataLoader()
    for batch in BatchScan(log.read_bytes()):
        place = {"epoch": batch.partition_leader_epoch, "timestamp_ms": batch.max_timestamp}
        if batch.is_control:
            loader.load_control_batch(last_offset=batch.next_offset - 1, **place)
            continue
        records = [decode_metadata_record(record.value or b"")[0] for record in batch.records()]
        loader.load_batch(base_offset=batch.base_offset, records=records, **place)
    return loader.image


def test_a_node_goes_on_from_it(spark: SparkSession, tmp_path: Path) -> None:
    node = make_node(OurNode, tmp_path / "node", SHORT_SESSION)
    try:
        node.start()
        for topic in TOPICS:
            create(node, topic, {"retention.ms": "1000"})
        topics = led_topics(node)
        node.stop()
        image = _replayed(node.metadata_log_directory / f"{FIRST_SEGMENT}.log")
        path = _compacted(spark, node, tmp_path / "compacted")
        assert path.name == f"{image.offset + 1:020d}-{image.epoch:010d}.checkpoint"
        _check(path, image)

        for each in node.metadata_log_directory.iterdir():
            if each.suffix in OF_THE_LOG or each.name == "leader-epoch-checkpoint":
                each.unlink()
        path.rename(node.metadata_log_directory / path.name)
        node.start()
        wait_until(lambda: led_topics(node) == topics, SERVES_TIMEOUT_S, "the node to lead the topics")
        create(node, "later")
    finally:
        node.close()


def _compacted(spark: SparkSession, node: Node, folder: Path) -> Path:
    spark.dataSource.register(KraftDataSource)
    rows = spark.read.format("kraft").options(view="typed", asOf="latest").load(str(node.data_directory))
    (written,) = write_snapshot(rows, str(folder)).collect()
    state.forget(rows)
    return Path(written.file)


def _check(path: Path, image: ClusterImage) -> None:
    """Our own reading of the file, and Kafka's."""
    header, *rest = read_snapshot(path.read_bytes())
    assert isinstance(header, ControlRecord)
    assert header.message.last_contained_log_timestamp == image.timestamp_ms
    values = [each for each in rest if isinstance(each, bytes)]
    read = image_from_values(values, offset=image.offset, epoch=image.epoch, timestamp_ms=image.timestamp_ms)
    assert digest(read) == digest(image)
    (dump,) = dumped(path)
    assert dump.count(" payload: {") == len(values)
    (shown,) = recorded_session(path, ["ls /image/topics/byName"])
    assert sorted(shown.output.split()) == sorted(TOPICS)
    for control in ("SnapshotHeader", "KRaftVersion", "KRaftVoters", "SnapshotFooter"):
        assert dump.count(f"[] {control}") == 1, control
