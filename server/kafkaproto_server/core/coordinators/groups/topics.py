"""What a consumer group needs to know of topics, and the hash by which it sees that they have changed.

The hash of a topic covers its id, its name, its partitions and the racks of their replicas; the hash of a group covers
those of the topics that it subscribes to, in order of their names. The group keeps its hash as part of its record.
Another one means that partitions have to be assigned anew. The bytes that are hashed, and the hash function (XXH3 with
64 bits), are Apache Kafka's (`coordinator.group.Utils`): no group rebalances only because it moves between its brokers
and ours.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage

Hash64 = Callable[[bytes], int]
"""XXH3 with 64 bits and no seed, as an unsigned number. For Python, the package xxhash has it."""

NO_TOPIC_HASH = 0
"""Stands for the hash of a topic that does not exist; such topics are not in a group's hash."""
NO_TOPICS_HASH = 0
"""The hash of a group without a subscribed topic that exists."""
_TOPIC_HASH_VERSION = 0
_INT64_LIMIT = 1 << 63

_uuid = struct.Struct(">qq")
_byte_int64_int64 = struct.Struct("<bqq")
_int32 = struct.Struct("<i")
_int64 = struct.Struct("<q")


class TopicView(NamedTuple):
    """A topic, as far as assignors need it."""

    topic_id: bytes
    name: str
    partition_count: int


class Topics(Protocol):
    """The topics of the cluster."""

    def by_name(self, name: str) -> TopicView | None:
        """The topic of this name."""

    def by_id(self, topic_id: bytes) -> TopicView | None:
        """The topic of this id."""

    def names(self) -> Iterable[str]:
        """The names of all topics, in no order."""

    def version(self) -> int:
        """A number that grows whenever topics change."""

    def hash_of(self, name: str) -> int:
        """The hash of a topic (`topic_hash`); NO_TOPIC_HASH if there is none of this name."""

    def hash_of_all(self, names: Iterable[str]) -> int:
        """The hash of a group that subscribes to these topics (`group_hash`)."""


class ImageTopics:
    """The topics of the cluster's metadata. Hashes are kept until what they cover changes."""

    def __init__(self, image: Callable[[], ClusterImage], hash64: Hash64) -> None:
        self._image = image
        self._hash64 = hash64
        self._racks: dict[int, str] = {}
        self._racks_of: object = None
        self._hashes: dict[bytes, tuple[TopicImage, int]] = {}

    def by_name(self, name: str) -> TopicView | None:
        """The topic of this name."""
        return _view(self._image().topic_by_name(name))

    def by_id(self, topic_id: bytes) -> TopicView | None:
        """The topic of this id."""
        return _view(self._image().topics.get(topic_id))

    def names(self) -> Iterable[str]:
        """The names of all topics, in no order."""
        return self._image().topic_ids

    def version(self) -> int:
        """The offset of the metadata."""
        return self._image().offset

    def hash_of(self, name: str) -> int:
        """The hash of a topic."""
        image = self._image()
        topic = image.topic_by_name(name)
        if topic is None:
            return NO_TOPIC_HASH
        self._look_at_racks(image)
        known = self._hashes.get(topic.topic_id)
        if known is not None and known[0] is topic:
            return known[1]
        racks = [
            sorted(self._racks[each] for each in partition.replicas if each in self._racks)
            for _, partition in topic.partitions_in_order()
        ]
        found = topic_hash(self._hash64, topic.topic_id, name, racks)
        self._hashes[topic.topic_id] = topic, found
        return found

    def hash_of_all(self, names: Iterable[str]) -> int:
        """The hash of a group that subscribes to these topics."""
        return group_hash(self._hash64, {name: self.hash_of(name) for name in names})

    def _look_at_racks(self, image: ClusterImage) -> None:
        if image.brokers is self._racks_of:
            return
        self._racks_of = image.brokers
        racks = {each.broker_id: each.rack for each in image.brokers_in_order() if each.rack is not None}
        if racks != self._racks:
            self._racks = racks
            self._hashes.clear()
        if len(self._hashes) > len(image.topics):
            self._hashes = {key: each for key, each in self._hashes.items() if key in image.topics}


def _view(topic: TopicImage | None) -> TopicView | None:
    return None if topic is None else TopicView(topic.topic_id, topic.name, len(topic.partitions))


def topic_hash(hash64: Hash64, topic_id: bytes, name: str, racks: Iterable[list[str]]) -> int:
    """The hash of a topic. ``racks`` has, for each partition in order, the racks of its replicas in ascending order."""
    partitions = bytearray()
    count = 0
    for count, names in enumerate(racks, start=1):
        partitions += _int32.pack(count - 1)
        for rack in names:
            text = _string(rack)
            # The length is there twice: in front of the rack, and behind it as for every string.
            partitions += text[-_int32.size :] + text
    head = _byte_int64_int64.pack(_TOPIC_HASH_VERSION, *_uuid.unpack(topic_id))
    return _signed(hash64(head + _string(name) + _int32.pack(count) + bytes(partitions)))


def group_hash(hash64: Hash64, hashes: Mapping[str, int]) -> int:
    """The hash of a group, by the hashes of its topics. Those that do not exist are not in it."""
    existing = {name: each for name, each in hashes.items() if each != NO_TOPIC_HASH}
    if not existing:
        return NO_TOPICS_HASH
    return _signed(hash64(b"".join(_int64.pack(existing[name]) for name in sorted(existing))))


def _string(text: str) -> bytes:
    units = text.encode("utf-16-le", "surrogatepass")
    return units + _int32.pack(len(units) // 2)


def _signed(value: int) -> int:
    return value - 2 * _INT64_LIMIT if value >= _INT64_LIMIT else value
