"""Large messages are let go in steps, whole, and whatever becomes of their connection."""

from __future__ import annotations

import gc
import sys

import pytest

from kafkaproto.messages import AlterPartitionRequest, MetadataRequest
from kafkaproto_server.requests import release as message_release
from kafkaproto_server.requests.release import is_large, release_steps

Topic = AlterPartitionRequest.TopicData
Partition = AlterPartitionRequest.PartitionData


def large_request(partitions: int) -> AlterPartitionRequest:
    """All partitions in one topic."""
    return AlterPartitionRequest(
        topics=[Topic(partitions=[Partition(partition_index=number) for number in range(partitions)])]
    )


def test_a_message_is_large_by_its_elements_at_all_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_release, "MANY_ELEMENTS", 10)
    assert not is_large(large_request(9))
    assert is_large(large_request(10))
    assert not is_large(MetadataRequest(topics=None))


def test_no_step_frees_more_than_a_few_elements() -> None:
    count = 1_000
    steps = release_steps([large_request(count)])
    gc.collect()
    gc.disable()
    try:
        freed = []
        before = sys.getallocatedblocks()
        for _ in steps:
            now = sys.getallocatedblocks()
            freed.append(before - now)
            before = now
    finally:
        gc.enable()
    assert len(freed) >= count // 100
    assert max(freed) < 800
    assert sum(freed) > count


def test_what_somebody_else_holds_stays_as_it_is() -> None:
    request = large_request(3)
    topic = request.topics[0]
    messages = [request]
    for _ in release_steps(messages):
        pass
    assert messages == []
    assert [each.partition_index for each in topic.partitions] == [0, 1, 2]
    assert request.topics == [topic]
