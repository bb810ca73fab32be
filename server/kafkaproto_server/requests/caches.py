"""What responses are made of and would cost time to make for each request: kept while the images it follows from
last.

Images are persistent: what did not change between two of them is the same object. So an object's identity tells
whether what was made of it still holds. Everything here is bounded in bytes or entries, and nothing of it has to be
there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kafkaproto_server.image.entries import TopicImage
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.image.sorting import sorted_steps
from kafkaproto_server.types import Steps

MAX_TOPIC_BYTES: Final = 64 * 1024 * 1024
"""Encoded topics that are kept, in bytes: some 1,000,000 partitions."""
MAX_TOPIC_VIEWS: Final = 4
"""Versions and listeners for which encoded topics are kept: most clients of a cluster are of the same few kinds."""
ENTRY_OVERHEAD_BYTES: Final = 400
"""What keeping an encoded topic costs beside its bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTopic:
    """A topic and its part of a response."""

    topic: TopicImage
    data: bytes
    healthy: int
    """How often it says error code 0."""
    errors: Mapping[int, int]
    """How often it says others."""


class EncodedTopics:
    """The encoded topics of one view: a version of a response, as a listener shows it by certain brokers."""

    def __init__(self, brokers: object) -> None:
        self.brokers = brokers
        self.by_id: dict[bytes, KeptTopic] = {}
        self.size = 0

    def get(self, topic: TopicImage) -> KeptTopic | None:
        """What is kept of a topic in this state."""
        found = self.by_id.get(topic.topic_id)
        return found if found is not None and found.topic is topic else None

    def keep(self, kept: KeptTopic) -> None:
        """Keep a topic's bytes instead of those of its former state."""
        topic_id = kept.topic.topic_id
        former = self.by_id.get(topic_id)
        if former is not None:
            self.size -= len(former.data) + ENTRY_OVERHEAD_BYTES
        self.by_id[topic_id] = kept
        self.size += len(kept.data) + ENTRY_OVERHEAD_BYTES


class ResponseCaches:
    """The caches of one node."""

    def __init__(self) -> None:
        self._views: dict[object, EncodedTopics] = {}
        self._names_of: object = None
        self._names: list[str] = []
        self._configs_of: tuple[object, ...] = ()
        self._configs: dict[Any, Any] = {}

    def topics_for(self, view: object, image: ClusterImage) -> EncodedTopics:
        """The encoded topics of a view by an image's brokers, the most recently asked for last."""
        found = self._views.pop(view, None)
        # Deleted topics leave their bytes behind; there is no need to look for them before there are many.
        if (
            found is None
            or found.brokers is not image.brokers
            or len(found.by_id) > 2 * len(image.topics) + 100
        ):
            # A new one: a request that works by the former image may still add to the other.
            found = EncodedTopics(image.brokers)
        self._views[view] = found
        if len(self._views) > MAX_TOPIC_VIEWS:
            del self._views[next(iter(self._views))]
        return found

    def has_room(self) -> bool:
        """Whether another topic may be kept; forgets the view that was not asked for longest if that helps."""
        total = sum(view.size for view in self._views.values())
        if total > MAX_TOPIC_BYTES and len(self._views) > 1:
            total -= self._views.pop(next(iter(self._views))).size
        return total <= MAX_TOPIC_BYTES

    def topic_names(self, image: ClusterImage) -> Steps[list[str]]:
        """The names of all topics in order; not to be changed."""
        if self._names_of is not image.topic_ids:
            names = yield from sorted_steps(image.topic_ids)
            self._names_of, self._names = image.topic_ids, names
        return self._names

    def configs_at(self, *made_of: object) -> dict[Any, Any]:
        """Where to keep what follows from these objects, under few keys; empty if it was asked for others before."""
        if [*map(id, made_of)] != [*map(id, self._configs_of)]:
            self._configs_of, self._configs = made_of, {}
        return self._configs
