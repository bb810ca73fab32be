"""What the share coordinator says of requests that cannot be, and what it counts."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.share_state import AVAILABLE
from tests.core.coordinators.support.share_world import KEY, TOPIC_ID, ShareWorld

OK, INVALID = ErrorCode.NONE, ErrorCode.INVALID_REQUEST
NAMES = ("initialize", "read", "summary", "write", "delete")


@pytest.mark.parametrize("name", NAMES)
def test_a_partition_is_not_negative_and_exists(name: str) -> None:
    world = ShareWorld()
    for index, code, text in (
        (-1, INVALID, "The partition -1 is negative."),
        (4, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "There is no partition 4 of a topic"),
    ):
        key = KEY._replace(partition=index)
        if index == 4:
            # Else it cannot be read or written anyway.
            world.partitions[TOPIC_ID] = 5
            assert world.initialize(key=key).code is OK
            world.partitions[TOPIC_ID] = 4
        before = world.names
        result = getattr(world, name)(key=key)
        assert result.code is code
        assert world.names == before, "what is refused has not happened"
        assert (result.message or "").startswith(text)


@pytest.mark.parametrize(
    ("name", "fields", "text"),
    [
        ("initialize", {"epoch": -1}, "The state epoch -1 is negative."),
        ("read", {"leader_epoch": -1}, "The leader epoch -1 is negative."),
        ("write", {"leader_epoch": -1}, "The leader epoch -1 is negative."),
        ("write", {"epoch": -1}, "The state epoch -1 is negative."),
    ],
)
def test_epochs_are_not_negative(name: str, fields: dict[str, Any], text: str) -> None:
    world = ShareWorld()
    world.initialize(epoch=0)
    result = getattr(world, name)(**fields)
    assert (result.code, result.message) == (INVALID, text)
    zero = dict.fromkeys(fields, 0)
    assert getattr(world, name)(**{"epoch": 0, **zero} if name != "read" else zero).code is OK


def test_writes_are_counted_and_those_that_succeed_are_timed() -> None:
    world = ShareWorld(commits_at_once=False)
    world.log.commits_at_once = True
    world.initialize()
    world.summary()
    assert (world.metrics.writes, world.metrics.write_latencies.count) == (0, 0)
    # A new leader epoch is written.
    world.read(leader_epoch=2)
    assert (world.metrics.writes, world.metrics.write_latencies.count) == (1, 0)
    world.read(leader_epoch=2)
    world.write((0, 1, AVAILABLE, 1), leader_epoch=2)
    assert (world.metrics.writes, world.metrics.write_latencies.count) == (2, 1)
    world.write((0, 1, AVAILABLE, 1), leader_epoch=1)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    world.write((0, 1, AVAILABLE, 1), leader_epoch=2)
    assert (world.metrics.writes, world.metrics.write_latencies.count) == (2, 1)
    world.log.refusal = None
    world.delete()
    assert (world.metrics.writes, world.metrics.write_latencies.count) == (2, 1)
