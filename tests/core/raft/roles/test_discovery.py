"""Nobody asks who leads from the end of a log that a snapshot is about to replace."""

from __future__ import annotations

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.roles import discovery
from tests.core.raft.support.leader_fixture import Harness


def test_while_a_snapshot_is_being_installed_nobody_is_asked() -> None:
    harness = Harness(1, 2, 3)
    core = harness.core
    harness.take()
    harness.requests.clear()
    core.installing = OffsetAndEpoch(offset=20, epoch=4)
    discovery.tick(core, 5000)
    harness.take()
    assert harness.requests == {}
    core.installing = None
    discovery.tick(core, 5000)
    harness.take()
    assert len(harness.requests) == 1
