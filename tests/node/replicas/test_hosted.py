"""What a broker does when it cannot write the checkpoints of a log directory."""

from __future__ import annotations

import errno

from kafkaproto_server.image.image import ClusterImage
from tests.apis.support.replicas import PATH, BrokerReplicas


def test_checkpoints_that_cost_too_many_descriptors_do_not_cost_the_directory() -> None:
    broker = BrokerReplicas(1, ClusterImage)
    manager, disk = broker.manager, broker.disk
    disk.fail("create", ".tmp", errno.EMFILE)
    manager.replicas.write_checkpoints()
    assert not manager._failures
    assert not disk.exists(f"{PATH}/recovery-point-offset-checkpoint")
    manager.replicas.write_checkpoints()
    assert disk.exists(f"{PATH}/recovery-point-offset-checkpoint")
    disk.fail("create", ".tmp", errno.EIO)
    manager.replicas.write_checkpoints()
    assert [path for path, _ in manager._failures] == [PATH]
