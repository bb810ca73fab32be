"""Logs that are cut, and checkpoints that cannot be written."""

from __future__ import annotations

import errno

from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.storage.directories.offset_checkpoints import RECOVERY_POINTS
from tests.apis.support.data_broker import DataBroker
from tests.apis.support.replicas import PATH, BrokerReplicas
from tests.controller.support.harness import TIMESTAMP_MS


def test_checkpoints_that_cost_too_many_descriptors_do_not_cost_the_directory() -> None:
    broker = BrokerReplicas(1, ClusterImage)
    manager, disk = broker.manager, broker.disk
    disk.fail("create", ".tmp", errno.EMFILE)
    manager.replicas.write_checkpoint(RECOVERY_POINTS)
    assert not manager._failures
    assert not disk.exists(f"{PATH}/{RECOVERY_POINTS}")
    manager.replicas.write_checkpoint(RECOVERY_POINTS)
    assert disk.exists(f"{PATH}/{RECOVERY_POINTS}")
    disk.fail("create", ".tmp", errno.EIO)
    manager.replicas.write_checkpoint(RECOVERY_POINTS)
    assert [path for path, _ in manager._failures] == [PATH]


def test_a_cut_takes_back_what_producers_wrote_behind_it() -> None:
    broker = DataBroker()
    broker.topic("t")
    for sequence in range(3):
        batch = build_batch(
            [NewRecord(key=b"k", value=b"v")],
            base_offset=0,
            timestamp_ms=TIMESTAMP_MS,
            producer_id=7,
            producer_epoch=0,
            base_sequence=sequence,
        )
        assert broker.produce("t", batch).error_code == 0
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas
    assert hosted.log is not None
    replicas.was_cut(hosted, hosted.log.truncate_to(1, TIMESTAMP_MS))
    assert [each.last_sequence for each in hosted.partition.producers.active()] == [0]
