"""Tells the coordinators of groups which topics have changed, from one image of the metadata to the next.

Images share what did not change between them, so that each topic costs one comparison. A large cluster has many topics,
and its metadata change all the time: the comparison takes turns with other work, and has a pause behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import msgspec
import trio
from immutables import Map

from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.shell.quorum.image.published import Published

TOPICS_AT_ONCE = 2_000
PAUSE_S = 0.02

Topics = Map[bytes, TopicImage]


class TopicChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What has changed between two images."""

    deleted: list[tuple[str, bytes]]
    """Name and id of topics that are no more."""
    changed: list[str]
    """Names of topics that are new, no more, or have other partitions, or partitions with other replicas."""
    has_new: bool


def differences(old: Topics, new: Topics) -> Iterator[TopicChanges | None]:
    """A step for each topic; the last one returns what has changed."""
    changed: dict[str, None] = {}
    deleted: list[tuple[str, bytes]] = []
    kept = 0
    for topic_id, topic in new.items():
        before = old.get(topic_id)
        kept += before is not None
        if before is None or (before is not topic and _is_another(before, topic)):
            changed[topic.name] = None
        yield None
    if kept < len(old):
        for topic_id, topic in old.items():
            if topic_id not in new:
                deleted.append((topic.name, topic_id))
                changed[topic.name] = None
            yield None
    yield TopicChanges(deleted=deleted, changed=list(changed), has_new=kept < len(new))


def _is_another(before: TopicImage, topic: TopicImage) -> bool:
    if len(before.partitions) != len(topic.partitions):
        return True
    return any(
        partition is not before.partitions.get(index)
        and (index not in before.partitions or partition.replicas != before.partitions[index].replicas)
        for index, partition in topic.partitions.items()
    )


class TopicWatch:
    """Looks at each new image."""

    def __init__(
        self, published: Published, is_needed: Callable[[], bool], tell: Callable[[TopicChanges], None]
    ) -> None:
        """Without need, as on a broker that coordinates nothing, images are passed over."""
        self._published = published
        self._is_needed = is_needed
        self._tell = tell
        self._known = published.image.topics

    async def run(self) -> None:
        while True:
            event = self._published.changed
            newest = self._published.image.topics
            if newest is self._known:
                await event.wait()
            elif not self._is_needed():
                self._known = newest
            else:
                await self._compare(differences(self._known, newest))
                self._known = newest
                await trio.sleep(PAUSE_S)

    async def _compare(self, steps: Iterable[TopicChanges | None]) -> None:
        rest = iter(steps)
        while True:
            *_, last = islice(rest, TOPICS_AT_ONCE)
            if last is not None:
                if last.changed:
                    self._tell(last)
                return
            await trio.lowlevel.checkpoint()
