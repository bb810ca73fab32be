"""Elections that metrics tell of: what the records of an append say, and that the controller says so with it."""

from __future__ import annotations

from immutables import Map

from kafkaproto.messages import NoOpRecord, PartitionChangeRecord
from kafkaproto_server.core.controller.values.election_counts import ElectionCounts, count_elections
from kafkaproto_server.metadata.image.entries import (
    ELR_FEATURE,
    RECOVERED,
    RECOVERING,
    PartitionImage,
    TopicImage,
)
from kafkaproto_server.metadata.image.image import ClusterImage

TOPIC_ID = bytes(range(16))


def image_with(*, elr: tuple[int, ...], elr_level: int = 1) -> ClusterImage:
    """One partition of three replicas that nobody leads."""
    partition = PartitionImage(replicas=(1, 2, 3), directories=(bytes(16),) * 3, isr=(), leader=-1, elr=elr)
    topic = TopicImage(name="t", topic_id=TOPIC_ID, partitions=Map({0: partition}))
    return ClusterImage(
        features=Map({ELR_FEATURE: elr_level}), topics=Map({TOPIC_ID: topic}), topic_ids=Map({"t": TOPIC_ID})
    )


def elected(leader: int, recovery: int = -1) -> PartitionChangeRecord:
    return PartitionChangeRecord(
        partition_id=0, topic_id=TOPIC_ID, leader=leader, isr=[leader], leader_recovery_state=recovery
    )


def test_a_leader_that_has_to_recover_was_elected_uncleanly() -> None:
    assert count_elections(image_with(elr=()), [elected(2, RECOVERING)]) == ElectionCounts(unclean=1)


def test_a_leader_from_the_elr_is_another_thing() -> None:
    assert count_elections(image_with(elr=(2,)), [elected(2)]) == ElectionCounts(from_elr=1)
    assert count_elections(image_with(elr=(2,), elr_level=0), [elected(2)]) == ElectionCounts()


def test_what_elects_nobody_otherwise_does_not_count() -> None:
    records = [
        NoOpRecord(),
        elected(3),
        PartitionChangeRecord(partition_id=0, topic_id=TOPIC_ID, leader=-1, isr=[]),
        # A leader that has recovered, and is the same as before.
        PartitionChangeRecord(partition_id=0, topic_id=TOPIC_ID, leader_recovery_state=RECOVERED),
        # One that has not, and is the same as before.
        PartitionChangeRecord(partition_id=0, topic_id=TOPIC_ID, leader_recovery_state=RECOVERING),
    ]
    assert count_elections(image_with(elr=(2,)), records) == ElectionCounts()
