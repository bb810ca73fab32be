"""A coordinator that cannot read its partition: the disk fails, or the log is closed meanwhile."""

from __future__ import annotations

import errno

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetFetchRequest
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from tests.apis.groups.test_offsets import commit
from tests.apis.support.data_broker import DataBroker
from tests.sim.disk import MemoryFile


@pytest.fixture
def loading(broker: DataBroker) -> Hosted:
    """The partition of a coordinator that has offsets to read, and has not read them yet."""
    assert commit(broker, ("t", 0, 5)) == [("t", 0, ErrorCode.NONE)]
    hosted = broker.replicas.manager.replicas.get(broker.topic_id(GROUPS_TOPIC), 0)
    assert hosted is not None
    broker.replicas.workers.hold()
    led = broker.replicas.groups.led
    led._unload(0)
    led.role_changed(hosted)
    assert led.counts.loading == 1
    return hosted


def told(broker: DataBroker) -> int:
    """What a client is told that asks for offsets."""
    group = OffsetFetchRequest.Group(group_id="g", topics=None)
    code = broker.ask(OffsetFetchRequest(groups=[group]), 9).groups[0].error_code
    assert isinstance(code, int)
    return code


def test_a_disk_that_cannot_be_read_costs_the_partition_so_that_another_broker_coordinates(
    broker: DataBroker, loading: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: MemoryFile, position: int, length: int) -> bytes:
        raise OSError(errno.EIO, "the disk is broken")

    monkeypatch.setattr(MemoryFile, "read_at", fail)
    broker.replicas.workers.release()
    assert loading.partition.role is Role.OFFLINE
    assert told(broker) == ErrorCode.NOT_COORDINATOR


def test_a_log_that_is_closed_meanwhile_is_coordinated_by_nobody(broker: DataBroker, loading: Hosted) -> None:
    assert loading.log is not None
    loading.log.log.abandon()
    broker.replicas.workers.release()
    assert told(broker) == ErrorCode.NOT_COORDINATOR
    # The replica itself has no fault.
    assert loading.partition.role is Role.LEADER
