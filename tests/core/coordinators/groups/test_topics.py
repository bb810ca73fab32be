"""Hashes of topics and groups: what they cover, and in which bytes."""

from __future__ import annotations

import msgspec
import pytest
from immutables import Map

from kafkaproto_server.core.coordinators.groups.topics import (
    NO_TOPIC_HASH,
    ImageTopics,
    TopicView,
    group_hash,
    topic_hash,
)
from kafkaproto_server.metadata.image.entries import BrokerRegistration, PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.core.coordinators.support.consumers import short_hash

TOPIC_ID = bytes(range(16))


class Hashed:
    """Keeps what is hashed."""

    def __init__(self) -> None:
        self.data: list[bytes] = []

    def __call__(self, data: bytes) -> int:
        self.data.append(data)
        return len(self.data)


def test_bytes_of_a_topic() -> None:
    hashed = Hashed()
    assert topic_hash(hashed, TOPIC_ID, "ab", [["r"], []]) == 1
    assert (
        hashed.data
        == [
            b"\0"  # version of the hash
            + TOPIC_ID[7::-1]
            + TOPIC_ID[:7:-1]
            + b"a\0b\0\x02\0\0\0"  # name and its length
            + b"\x02\0\0\0"  # partitions
            + b"\0\0\0\0"
            + b"\x01\0\0\0r\0\x01\0\0\0"  # a partition and its rack
            + b"\x01\0\0\0"
        ]
    )


def test_bytes_of_a_group() -> None:
    hashed = Hashed()
    assert group_hash(hashed, {}) == 0
    assert group_hash(hashed, {"b": -1, "a": 2}) == 1
    assert hashed.data == [b"\x02" + bytes(7) + b"\xff" * 8]


def test_hashes_are_signed() -> None:
    assert group_hash(lambda data: 2**64 - 1, {"a": 1}) == -1
    assert group_hash(lambda data: 2**63 - 1, {"a": 1}) == 2**63 - 1


def broker(broker_id: int, rack: str | None) -> BrokerRegistration:
    return BrokerRegistration(
        broker_id=broker_id,
        incarnation_id=bytes(16),
        epoch=1,
        endpoints=(),
        features=(),
        rack=rack,
        fenced=False,
        in_controlled_shutdown=False,
        directories=(),
        cordoned_directories=None,
    )


def image(racks: dict[int, str | None], *replicas: tuple[int, ...]) -> ClusterImage:
    partitions = Map(
        {
            index: PartitionImage(replicas=each, directories=(bytes(16),) * len(each), isr=each)
            for index, each in enumerate(replicas)
        }
    )
    return ClusterImage(
        offset=7,
        brokers=Map({each: broker(each, rack) for each, rack in racks.items()}),
        topics=Map({TOPIC_ID: TopicImage(name="a", topic_id=TOPIC_ID, partitions=partitions)}),
        topic_ids=Map({"a": TOPIC_ID}),
    )


def test_topics_of_an_image() -> None:
    topics = ImageTopics(lambda: image({1: None}, (1,), (1,)), short_hash)
    assert topics.by_name("a") == topics.by_id(TOPIC_ID) == TopicView(TOPIC_ID, "a", 2)
    assert topics.by_name("b") is topics.by_id(bytes(16)) is None
    assert list(topics.names()) == ["a"]
    assert topics.version() == 7
    assert topics.hash_of("b") == NO_TOPIC_HASH


def test_racks_of_a_partition_are_hashed_in_order() -> None:
    now = image({1: "r2", 2: "r1", 3: "r2", 4: None}, (1, 2, 3), (4,))
    topics = ImageTopics(lambda: now, short_hash)
    assert topics.hash_of("a") == topic_hash(short_hash, TOPIC_ID, "a", [["r1", "r2", "r2"], []])


@pytest.mark.parametrize(
    "later",
    [image({1: "r", 2: "s"}, (2,)), image({1: "r", 2: "s"}, (1,), (1,)), image({1: "s", 2: "s"}, (1,))],
)
def test_a_hash_follows_partitions_and_racks(later: ClusterImage) -> None:
    now = image({1: "r", 2: "s"}, (1,))
    topics = ImageTopics(lambda: now, short_hash)
    before = topics.hash_of("a")
    now = later
    assert topics.hash_of("a") not in (before, NO_TOPIC_HASH)


def test_hashes_of_topics_that_are_gone_are_forgotten() -> None:
    now = image({1: "r"}, (1,))
    hashed = Hashed()
    topics = ImageTopics(lambda: now, hashed)
    topics.hash_of("a")
    other_id = bytes(15) + b"\1"
    other = msgspec.structs.replace(now.topics[TOPIC_ID], name="b", topic_id=other_id)
    # The brokers are other ones, though their racks are the same.
    later = msgspec.structs.replace(
        image({1: "r"}, (1,)), topics=Map({other_id: other}), topic_ids=Map({"b": other_id})
    )
    for brokers in (now.brokers, later.brokers):
        now = msgspec.structs.replace(later, brokers=brokers)
        topics.hash_of("b")
    topics.hash_of("b")
    now = msgspec.structs.replace(later, brokers=image({1: "r", 2: None}).brokers)
    topics.hash_of("b")
    assert topics._hashes.keys() == {other_id}
    assert len(hashed.data) == 2


def test_a_hash_is_computed_once() -> None:
    now = image({1: "r"}, (1,))
    hashed = Hashed()
    topics = ImageTopics(lambda: now, hashed)
    topics.hash_of("a")
    now = msgspec.structs.replace(now, offset=8, brokers=Map({1: broker(1, "r"), 2: broker(2, None)}))
    topics.hash_of("a")
    assert len(hashed.data) == 1
