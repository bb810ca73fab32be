"""What a broker does when it cannot write the checkpoints of a log directory."""

from __future__ import annotations

import errno

from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.storage.directories.offset_checkpoints import RECOVERY_POINTS
from tests.apis.support.replicas import PATH, BrokerReplicas


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
