"""Old images go a little at a time, and no earlier than others have let go of them."""

from __future__ import annotations

import gc
import weakref

import pytest
import trio
import trio.testing
from immutables import Map

from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.image import image_release
from kafkaproto_server.shell.quorum.image.image_release import KEPT_S, MANY_RECORDS, ImageRelease

pytestmark = pytest.mark.trio


class Mark:
    """Goes with the topic that it belongs to."""


def image(offset: int, count: int, marks: list[weakref.ref[Mark]] | None = None) -> ClusterImage:
    topics = {}
    for number in range(count):
        mark = Mark()
        if marks is not None:
            marks.append(weakref.ref(mark))
        partition = PartitionImage(replicas=(), directories=(mark,), isr=())  # type: ignore[arg-type]
        topic_id = number.to_bytes(16)
        topics[topic_id] = TopicImage(name=str(number), topic_id=topic_id, partitions=Map({0: partition}))
    return ClusterImage(offset=offset, topics=Map(topics))


async def test_the_topics_of_an_old_image_are_dropped_one_after_the_other(
    autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_release, "SLICE_S", 0.0)
    release = ImageRelease()
    marks: list[weakref.ref[Mark]] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(release.run)
        release.replaced(image(1, 5, marks), image(1 + MANY_RECORDS, 5))
        await trio.sleep(KEPT_S - 1)
        gc.collect()
        assert all(mark() is not None for mark in marks)
        left = []
        await trio.sleep(1)
        while len(release) or any(mark() is not None for mark in marks):
            left.append(sum(mark() is not None for mark in marks))
            await trio.sleep(image_release.PAUSE_S / 2)
        assert sorted(set(left), reverse=True) == left[:1] + sorted(set(left[1:]) - {left[0]}, reverse=True)
        assert len(set(left)) > 2
        nursery.cancel_scope.cancel()


async def test_an_image_that_comes_later_is_dropped_as_well(autojump_clock: trio.abc.Clock) -> None:
    release = ImageRelease()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(release.run)
        for number in range(2):
            await trio.testing.wait_all_tasks_blocked()
            release.replaced(image(1 + number, 5), image(1 + number + MANY_RECORDS, 5))
            assert len(release) == 1
            await trio.sleep(KEPT_S + 1)
            assert len(release) == 0
        nursery.cancel_scope.cancel()


async def test_images_that_are_much_alike_are_nothing_to_be_careful_about() -> None:
    release = ImageRelease()
    old = image(1, 2)
    release.replaced(old, image(MANY_RECORDS, 2))
    release.replaced(old, old.at(1 + MANY_RECORDS, 1, 1))
    assert len(release) == 0
