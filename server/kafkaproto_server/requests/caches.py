"""Caches for parts of responses that are too expensive to make anew for each request. A part is kept as long as the
images from which it was made are current.

Images are persistent: an object that did not change between two images is the same object. So the identity of an object
shows whether a part made from it is still valid. All caches are bounded in bytes or entries. Any entry may be missing;
it is then made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.sorting import sorted_steps

MAX_TOPIC_BYTES: Final = 64 * 1024 * 1024
"""Limit for the bytes of the encoded topics that are kept: enough for some 1,000,000 partitions."""
MAX_TOPIC_VIEWS: Final = 4
"""The number of views (version and listener) for which encoded topics are kept. Most clients of a cluster are of the
same few kinds."""
ENTRY_OVERHEAD_BYTES: Final = 400
"""Memory of a kept topic beside its encoded bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTopic:
    """A topic's image and its encoded part of a response."""

    topic: TopicImage
    data: bytes
    healthy: int
    """The number of error codes 0 in it."""
    errors: Mapping[int, int]
    """The number of each other error code in it."""


class EncodedTopics:
    """The encoded topics of one view: one version of a response, for one listener, as of one set of brokers."""

    def __init__(self, brokers: object) -> None:
        self.brokers = brokers
        self.by_id: dict[bytes, KeptTopic] = {}
        self.size = 0

    def get(self, topic: TopicImage) -> KeptTopic | None:
        """The entry of a topic if it was made from this same image; else None."""
        found = self.by_id.get(topic.topic_id)
        return found if found is not None and found.topic is topic else None

    def keep(self, kept: KeptTopic) -> None:
        """Keep the encoded bytes of a topic, in place of those of its former image."""
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
        """The cache of a view for the image's brokers. It becomes the view that was used last."""
        found = self._views.pop(view, None)
        # Deleted topics stay in the cache. It is not worth looking for them until they are many.
        if (
            found is None
            or found.brokers is not image.brokers
            or len(found.by_id) > 2 * len(image.topics) + 100
        ):
            # Make a new cache and leave the old one alone: a request that uses the former image may still add to it.
            found = EncodedTopics(image.brokers)
        self._views[view] = found
        if len(self._views) > MAX_TOPIC_VIEWS:
            del self._views[next(iter(self._views))]
        return found

    def has_room(self) -> bool:
        """Whether another topic may be kept. Drops the view that was unused for the longest time if the limit is
        exceeded."""
        total = sum(view.size for view in self._views.values())
        if total > MAX_TOPIC_BYTES and len(self._views) > 1:
            total -= self._views.pop(next(iter(self._views))).size
        return total <= MAX_TOPIC_BYTES

    def topic_names(self, image: ClusterImage) -> Steps[list[str]]:
        """The names of all topics in order. The caller must not change the list."""
        if self._names_of is not image.topic_ids:
            names = yield from sorted_steps(image.topic_ids)
            self._names_of, self._names = image.topic_ids, names
        return self._names

    def configs_at(self, *made_of: object) -> dict[Any, Any]:
        """The place to keep values that follow from these objects, under few keys. It is empty if the last call named
        other objects."""
        if [*map(id, made_of)] != [*map(id, self._configs_of)]:
            self._configs_of, self._configs = made_of, {}
        return self._configs
