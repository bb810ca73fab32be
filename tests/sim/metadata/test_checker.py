"""What the simulator sees of images, though it looks again only at what is another object than before."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from immutables import Map

from kafkaproto_server.metadata.image.entries import (
    UNASSIGNED_DIRECTORY,
    BrokerRegistration,
    PartitionImage,
    TopicImage,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import ImageChecker, MetadataInvariant

FIRST: Any = SimpleNamespace(id=1)
SECOND: Any = SimpleNamespace(id=2)
BROKERS = {
    broker_id: BrokerRegistration(
        broker_id=broker_id,
        epoch=broker_id,
        incarnation_id=bytes([broker_id] * 16),
        endpoints=(),
        features=(),
        rack=None,
        fenced=False,
        in_controlled_shutdown=False,
        directories=(),
        cordoned_directories=None,
    )
    for broker_id in (1, 2)
}
PARTITION = PartitionImage(
    replicas=(1, 2), directories=(UNASSIGNED_DIRECTORY,) * 2, isr=(1, 2), leader=1, leader_epoch=3
)
ONE, OTHER = b"1" * 16, b"2" * 16


def image(offset: int = 1, **changes: PartitionImage) -> ClusterImage:
    """An image of two topics with two partitions each, all of it new objects; ``changes`` of their first partitions."""
    topics = {
        topic_id: TopicImage(
            name=name,
            topic_id=topic_id,
            partitions=Map({0: changes.get(name, PARTITION), 1: msgspec.structs.replace(PARTITION)}),
        )
        for name, topic_id in (("one", ONE), ("other", OTHER))
    }
    return ClusterImage(offset=offset, brokers=Map(BROKERS), topics=Map(topics))


def changed(before: ClusterImage, **changes: PartitionImage) -> ClusterImage:
    """The next image: what did not change is the same object."""
    topics = before.topics
    for topic_id, topic in before.topics.items():
        if topic.name in changes:
            partitions = topic.partitions.set(0, changes[topic.name])
            topics = topics.set(topic_id, msgspec.structs.replace(topic, partitions=partitions))
    return msgspec.structs.replace(before, offset=before.offset + 1, topics=topics)


def with_leader(leader: int, leader_epoch: int = 4) -> PartitionImage:
    return msgspec.structs.replace(PARTITION, leader=leader, leader_epoch=leader_epoch)


def test_images_of_two_nodes_are_compared_whatever_was_equal_before() -> None:
    checker = ImageChecker()
    ones, others = image(), image()
    for number in range(3):
        checker.published(FIRST, ones)
        checker.published(SECOND, others)
        ones, others = (changed(each, one=with_leader(1, 4 + number)) for each in (ones, others))
    checker.published(FIRST, ones)
    wrong = changed(others, other=with_leader(2, 9)).topics
    with pytest.raises(ViolationError) as caught:
        checker.published(SECOND, msgspec.structs.replace(others, topics=wrong))
    assert caught.value.invariant is MetadataInvariant.ONE_IMAGE


def test_what_stays_as_it_was_while_another_node_goes_on_is_noticed() -> None:
    checker = ImageChecker()
    ones, others = image(), image()
    checker.published(FIRST, ones)
    checker.published(SECOND, others)
    checker.published(FIRST, changed(ones, one=with_leader(2)))
    with pytest.raises(ViolationError) as caught:
        checker.published(SECOND, changed(others))
    assert caught.value.invariant is MetadataInvariant.ONE_IMAGE


@pytest.mark.parametrize(
    "difference",
    [
        {"topics": Map({ONE: image().topics[ONE]})},
        {"topics": image().topics.set(b"3" * 16, image().topics[ONE])},
        {"topics": image(other=with_leader(2)).topics},
        {"brokers": Map({1: BROKERS[1]})},
        {"next_producer_id": 7},
    ],
)
def test_a_difference_in_any_field_is_noticed(difference: dict[str, Any]) -> None:
    checker = ImageChecker()
    ones, others = image(), image()
    checker.published(FIRST, ones)
    checker.published(SECOND, others)
    # What was equal stays on one side, and becomes something else on the other.
    checker.published(FIRST, changed(ones))
    with pytest.raises(ViolationError) as caught:
        checker.published(SECOND, msgspec.structs.replace(changed(others), **difference))
    assert caught.value.invariant is MetadataInvariant.ONE_IMAGE


@pytest.mark.parametrize(
    ("partition", "invariant"),
    [
        (with_leader(2, 4), None),
        (with_leader(2, 3), MetadataInvariant.LEADER_CHANGE_RAISES_EPOCH),
        (with_leader(1, 2), MetadataInvariant.PARTITION_EPOCHS_RISE),
        (msgspec.structs.replace(PARTITION, isr=(2,)), MetadataInvariant.LEADER_IN_ISR),
    ],
)
def test_the_change_of_one_partition_is_checked(
    partition: PartitionImage, invariant: MetadataInvariant | None
) -> None:
    checker = ImageChecker()
    before = image()
    checker.published(FIRST, before)
    with nullcontext() if invariant is None else pytest.raises(ViolationError) as caught:
        checker.published(FIRST, changed(before, other=partition))
    assert (None if caught is None else caught.value.invariant) is invariant


def test_partitions_that_did_not_change_are_checked_among_other_brokers() -> None:
    checker = ImageChecker()
    before = image()
    checker.published(FIRST, before)
    fenced = before.brokers.set(1, msgspec.structs.replace(BROKERS[1], fenced=True))
    with pytest.raises(ViolationError) as caught:
        checker.published(FIRST, msgspec.structs.replace(changed(before), brokers=fenced))
    assert caught.value.invariant is MetadataInvariant.FENCED_LEADS_NOTHING
