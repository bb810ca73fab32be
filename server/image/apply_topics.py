"""What records of topics and partitions do to an image. The table is in `server.image.replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from immutables import Map

from server.image.copying import copy_with
from server.image.errors import Contradiction
from server.image.image import (
    MIGRATING_DIRECTORY,
    RECOVERED,
    RECOVERING,
    TOPIC_RESOURCE,
    ClusterImage,
    PartitionImage,
    TopicImage,
)

if TYPE_CHECKING:
    from kafkaproto import messages

NO_LEADER_CHANGE = -2
"""PartitionChangeRecord.Leader where leader and leader epoch stay; -1 says that nobody leads."""
NO_RECOVERY_STATE_CHANGE = -1


def add_topic(image: ClusterImage, record: messages.TopicRecord, offset: int) -> ClusterImage:
    if record.name in image.topic_ids:
        raise Contradiction(f"topic {record.name!r} exists")
    if record.topic_id in image.topics:
        raise Contradiction(f"topic id {record.topic_id.hex()} belongs to another topic")
    topic = TopicImage(name=record.name, topic_id=record.topic_id, partitions=Map())
    return copy_with(
        image,
        topics=image.topics.set(record.topic_id, topic),
        topic_ids=image.topic_ids.set(record.name, record.topic_id),
    )


def _topic(image: ClusterImage, topic_id: bytes) -> TopicImage:
    topic = image.topics.get(topic_id)
    if topic is None:
        raise Contradiction(f"no topic has the id {topic_id.hex()}")
    return topic


def remove_topic(image: ClusterImage, record: messages.RemoveTopicRecord, offset: int) -> ClusterImage:
    topic = _topic(image, record.topic_id)
    resource = (TOPIC_RESOURCE, topic.name)
    return copy_with(
        image,
        topics=image.topics.delete(record.topic_id),
        topic_ids=image.topic_ids.delete(topic.name),
        configs=image.configs.delete(resource) if resource in image.configs else image.configs,
    )


def _with_partition(
    image: ClusterImage, topic: TopicImage, index: int, partition: PartitionImage
) -> ClusterImage:
    changed = copy_with(topic, partitions=topic.partitions.set(index, partition))
    return copy_with(image, topics=image.topics.set(topic.topic_id, changed))


def _recovery_state(state: int) -> int:
    if state not in (RECOVERED, RECOVERING):
        raise Contradiction(f"LeaderRecoveryState is {state}, neither 0 nor 1")
    return state


def set_partition(image: ClusterImage, record: messages.PartitionRecord, offset: int) -> ClusterImage:
    topic = _topic(image, record.topic_id)
    # Versions before 1 have no directories: the broker had not told any when such a record was written.
    directories = tuple(record.directories) or (MIGRATING_DIRECTORY,) * len(record.replicas)
    if len(directories) != len(record.replicas):
        raise Contradiction(f"{len(directories)} directories for {len(record.replicas)} replicas")
    partition = PartitionImage(
        replicas=tuple(record.replicas),
        directories=directories,
        isr=tuple(record.isr),
        removing_replicas=tuple(record.removing_replicas),
        adding_replicas=tuple(record.adding_replicas),
        leader=record.leader,
        leader_recovery_state=_recovery_state(record.leader_recovery_state),
        leader_epoch=record.leader_epoch,
        partition_epoch=record.partition_epoch,
        elr=tuple(record.eligible_leader_replicas or ()),
        last_known_elr=tuple(record.last_known_elr or ()),
    )
    return _with_partition(image, topic, record.partition_id, partition)


def _changed_directories(old: PartitionImage, replicas: tuple[int, ...]) -> tuple[bytes, ...]:
    # A record of before the directories were told may still change the replicas: who stays keeps its own.
    known = dict(zip(old.replicas, old.directories, strict=True))
    return tuple(known.get(replica, MIGRATING_DIRECTORY) for replica in replicas)


def merge_partition(old: PartitionImage, record: messages.PartitionChangeRecord) -> PartitionImage:
    """A partition after a change: what the record leaves out stays as it was.

    Every change raises the partition epoch by one; naming a leader, even the one that leads already, raises
    the leader epoch too. Raises ValueError where the record is not consistent in itself.
    """
    replicas = old.replicas if record.replicas is None else tuple(record.replicas)
    if record.directories is None:
        directories = _changed_directories(old, replicas)
    else:
        directories = tuple(record.directories)
        if len(directories) != len(replicas):
            raise ValueError(f"{len(directories)} directories for {len(replicas)} replicas")
    state = record.leader_recovery_state
    if state not in (RECOVERED, RECOVERING, NO_RECOVERY_STATE_CHANGE):
        raise ValueError(f"LeaderRecoveryState is {state}, none of 0, 1 and -1")
    names_leader = record.leader != NO_LEADER_CHANGE
    return PartitionImage(
        replicas=replicas,
        directories=directories,
        isr=_changed(old.isr, record.isr),
        removing_replicas=_changed(old.removing_replicas, record.removing_replicas),
        adding_replicas=_changed(old.adding_replicas, record.adding_replicas),
        leader=record.leader if names_leader else old.leader,
        leader_recovery_state=old.leader_recovery_state if state == NO_RECOVERY_STATE_CHANGE else state,
        leader_epoch=old.leader_epoch + 1 if names_leader else old.leader_epoch,
        partition_epoch=old.partition_epoch + 1,
        elr=_changed(old.elr, record.eligible_leader_replicas),
        last_known_elr=_changed(old.last_known_elr, record.last_known_elr),
    )


def _changed(old: tuple[int, ...], new: list[int] | None) -> tuple[int, ...]:
    return old if new is None else tuple(new)


def change_partition(
    image: ClusterImage, record: messages.PartitionChangeRecord, offset: int
) -> ClusterImage:
    topic = _topic(image, record.topic_id)
    old = topic.partitions.get(record.partition_id)
    if old is None:
        raise Contradiction(f"topic {topic.name!r} has no partition {record.partition_id}")
    try:
        new = merge_partition(old, record)
    except ValueError as error:
        raise Contradiction(f"{topic.name}-{record.partition_id}: {error}") from None
    return _with_partition(image, topic, record.partition_id, new)


def clear_elr(image: ClusterImage, record: messages.ClearElrRecord, offset: int) -> ClusterImage:
    if record.topic_name:
        topic = image.topic_by_name(record.topic_name)
        if topic is None:
            raise Contradiction(f"topic {record.topic_name!r} does not exist")
        return copy_with(image, topics=image.topics.set(topic.topic_id, _without_elr(topic)))
    topics = image.topics.mutate()
    for topic_id, topic in image.topics.items():
        topics[topic_id] = _without_elr(topic)
    return copy_with(image, topics=topics.finish())


def _without_elr(topic: TopicImage) -> TopicImage:
    partitions = topic.partitions.mutate()
    for index, partition in topic.partitions.items():
        if partition.elr or partition.last_known_elr:
            partitions[index] = copy_with(
                partition, elr=(), last_known_elr=(), partition_epoch=partition.partition_epoch + 1
            )
    return copy_with(topic, partitions=partitions.finish())
