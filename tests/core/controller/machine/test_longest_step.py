"""No step of a change is long, however many partitions the change has: other events wait for each step.

Time is no measure in a test. These count the lines of the server that a step runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import kafkaproto_server
from kafkaproto.message import Message
from kafkaproto.messages import (
    DeleteTopicsRequest,
    ElectLeadersRequest,
    IncrementalAlterConfigsRequest,
    UnregisterBrokerRequest,
)
from tests.core.controller.support.harness import Harness

assert kafkaproto_server.__file__ is not None, "the server is a package of files"
SERVER = str(Path(kafkaproto_server.__file__).parent)
PARTITIONS = 600
MOST_LINES = 600
"""Of a step. The longest steps make and encode the records of a few partitions; one that goes through all partitions
runs more lines."""
CHEAP = frozenset(
    {
        "ClusterImage.elr_enabled",
        "ClusterImage.partition",
        "_end_of_partitions",
        "append_steps.<locals>.<listcomp>",
        "count_elections",
        "load_steps",
    }
)
"""Not counted: these go through all records of a batch in one step on purpose, since they do so little with each."""


class Lines:
    """Counts the lines of the server that are run."""

    def __init__(self) -> None:
        self.count = 0

    def of(self, work: Callable[[], object]) -> int:
        self.count = 0
        # Coverage may have a trace function of its own.
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            work()
        finally:
            sys.settrace(before)
        return self.count

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        is_counted = code.co_filename.startswith(SERVER) and code.co_qualname not in CHEAP
        return self._line if is_counted else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        self.count += event == "line"
        return self._line


def cluster() -> Harness:
    """Three brokers and a topic with many partitions, of which broker 1 leads one in two."""
    harness = Harness()
    harness.start_brokers(1, 2, 3)
    harness.create_topic("t", *([1, 2, 3] if index % 2 else [2, 1, 3] for index in range(PARTITIONS)))
    return harness


def longest_step(harness: Harness, request: Message) -> int:
    harness.controller._changes._steps_per_slice = 1
    harness.in_slices = True
    lines = Lines()
    longest = lines.of(lambda: harness.send(request))
    steps = 0
    while harness.controller.has_work:
        longest = max(longest, lines.of(harness.work))
        steps += 1
    assert steps > PARTITIONS / 20, "it is a long change"
    return longest


def config(value: str) -> Message:
    request = IncrementalAlterConfigsRequest
    altered = request.AlterableConfig(name="min.insync.replicas", config_operation=0, value=value)
    resource = request.AlterConfigsResource(resource_type=2, resource_name="t", configs=[altered])
    return request(resources=[resource])


@pytest.mark.parametrize(
    "request_",
    [
        UnregisterBrokerRequest(broker_id=3),
        DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name="t")], timeout_ms=1000),
        config("3"),
    ],
    ids=["unregister a broker", "delete a topic", "raise min ISR"],
)
def test_a_change_of_many_partitions(request_: Message) -> None:
    assert longest_step(cluster(), request_) < MOST_LINES


def test_a_broker_is_fenced_and_comes_back() -> None:
    harness = cluster()
    assert longest_step(harness, harness.heartbeat_request(1, want_fence=True)) < MOST_LINES


def test_preferred_leaders_are_elected() -> None:
    harness = cluster()
    harness.heartbeat(1, want_fence=True)
    harness.heartbeat(1)
    for index in range(PARTITIONS):
        if index % 2:
            harness.alter_partition("t", index, isr=[(each, -1) for each in (1, 2, 3)])
    request = ElectLeadersRequest(election_type=0, topic_partitions=None, timeout_ms=1000)
    assert longest_step(harness, request) < MOST_LINES
