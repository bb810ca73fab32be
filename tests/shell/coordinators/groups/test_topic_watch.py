"""Which topics have changed from one image of the metadata to the next, and who is told."""

from __future__ import annotations

import pytest
import trio
from immutables import Map

from kafkaproto.messages import CreatePartitionsRequest, DeleteTopicsRequest
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.shell.coordinators.groups import topic_watch as module
from kafkaproto_server.shell.coordinators.groups.topic_watch import TopicChanges, TopicWatch, differences
from kafkaproto_server.shell.quorum.image.published import Published
from tests.core.controller.support.harness import Harness


def changes(harness: Harness, before: Map[bytes, TopicImage]) -> TopicChanges:
    """What has changed since an earlier image."""
    *_, last = differences(before, harness.image.topics)
    assert last is not None
    return last


def cluster() -> Harness:
    """Two brokers, and the topics a and b."""
    harness = Harness(metadata_version=33)
    harness.start_brokers(0, 1)
    harness.create_topic("a", [0, 1])
    harness.create_topic("b", [0, 1])
    return harness


def delete(harness: Harness, name: str) -> None:
    state = DeleteTopicsRequest.DeleteTopicState(name=name)
    harness.call(DeleteTopicsRequest(topics=[state], timeout_ms=1000))


def test_new_and_deleted_topics_are_told() -> None:
    harness = cluster()
    before = harness.image.topics
    b_id = harness.image.topic_ids["b"]
    harness.create_topic("c", [0])
    found = changes(harness, before)
    assert (found.changed, found.deleted, found.has_new) == (["c"], [], True)
    before = harness.image.topics
    delete(harness, "b")
    found = changes(harness, before)
    assert (found.changed, found.deleted, found.has_new) == (["b"], [("b", b_id)], False)
    before = harness.image.topics
    harness.create_topic("b", [1])
    delete(harness, "a")
    found = changes(harness, before)
    assert sorted(found.changed) == ["a", "b"]
    assert ([name for name, _ in found.deleted], found.has_new) == (["a"], True)


def test_new_partitions_are_told_and_new_leaders_are_not() -> None:
    harness = cluster()
    before = harness.image.topics
    harness.heartbeat(0, want_fence=True)
    assert harness.image.topics is not before
    assert changes(harness, before).changed == []
    before = harness.image.topics
    added = CreatePartitionsRequest.CreatePartitionsTopic(name="a", count=2, assignments=None)
    harness.heartbeat(0)
    harness.call(CreatePartitionsRequest(topics=[added], timeout_ms=1000))
    found = changes(harness, before)
    assert (found.changed, found.deleted, found.has_new) == (["a"], [], False)


@pytest.mark.trio
async def test_many_topics_are_compared_in_turns(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: object
) -> None:
    monkeypatch.setattr(module, "TOPICS_AT_ONCE", 2)
    harness = cluster()
    published = Published(image=harness.image)
    told: list[TopicChanges] = []
    turns = 0

    async def checkpoint() -> None:
        nonlocal turns
        turns += 1

    watch = TopicWatch(published, lambda: True, told.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch.run)
        for name in "cde":
            harness.create_topic(name, [0])
        published.image = harness.image
        monkeypatch.setattr(trio.lowlevel, "checkpoint", checkpoint)
        published.notify()
        await trio.sleep(1)
        monkeypatch.undo()
        # Nothing that a coordinator cares for.
        harness.heartbeat(0, want_fence=True)
        published.image = harness.image
        published.notify()
        await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert [sorted(each.changed) for each in told] == [["c", "d", "e"]]
    assert turns == 2


@pytest.mark.trio
async def test_a_coordinator_is_told_and_a_broker_without_one_is_not(autojump_clock: object) -> None:
    harness = cluster()
    published = Published(image=harness.image)
    told: list[TopicChanges] = []
    is_needed = False
    watch = TopicWatch(published, lambda: is_needed, told.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch.run)
        for name in ("passed-over", "told"):
            harness.create_topic(name, [0])
            published.image = harness.image
            published.notify()
            await trio.sleep(1)
            is_needed = True
        nursery.cancel_scope.cancel()
    assert [each.changed for each in told] == [["told"]]
