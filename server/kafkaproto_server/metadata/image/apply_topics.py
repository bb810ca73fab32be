"""Replays the records of topics and partitions: each function returns the image after one record.

`metadata.image.replay` has the table of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec
from immutables import Map, MapMutation

from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.metadata.image.entries import (
    MIGRATING_DIRECTORY,
    RECOVERED,
    RECOVERING,
    TOPIC_RESOURCE,
    PartitionImage,
    TopicImage,
)
from kafkaproto_server.metadata.image.errors import Contradiction
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.partition_counts import Tally
from kafkaproto_server.metadata.image.topic_names import with_name, without_name

if TYPE_CHECKING:
    from kafkaproto import messages

# Record types.
PARTITION = 3
PARTITION_CHANGE = 5

NO_LEADER_CHANGE = -2
"""PartitionChangeRecord.Leader if leader and leader epoch stay; -1 says that nobody leads."""
NO_RECOVERY_STATE_CHANGE = -1

PARTITIONS_PER_STEP = 16
"""How many partitions one step looks at, if one of them takes a microsecond or two."""


def add_topic(image: ClusterImage, record: messages.TopicRecord, offset: int) -> ClusterImage:
    if record.name in image.topic_ids:
        # With two ids under one name, requests by name and by id would be about different topics.
        raise Contradiction(f"topic {record.name!r} exists")
    # Ids are random, and drawn anew if one is taken: a second one is no chance.
    if record.topic_id in image.topics:
        raise Contradiction(f"topic id {record.topic_id.hex()} belongs to another topic")
    topic = TopicImage(name=record.name, topic_id=record.topic_id, partitions=Map())
    return msgspec.structs.replace(
        image,
        topics=image.topics.set(record.topic_id, topic),
        topic_ids=image.topic_ids.set(record.name, record.topic_id),
        ambiguous_names=with_name(image.ambiguous_names, record.name),
    )


def _topic(image: ClusterImage, topic_id: bytes) -> TopicImage:
    topic = image.topics.get(topic_id)
    if topic is None:
        raise Contradiction(f"no topic has the id {topic_id.hex()}")
    return topic


def remove_topic(image: ClusterImage, record: messages.RemoveTopicRecord, offset: int) -> Steps[ClusterImage]:
    topic = _topic(image, record.topic_id)
    # Configs are by name: the record has only the id, and the name is free from here on.
    assert image.topic_ids.get(topic.name) == record.topic_id, f"the name {topic.name!r} is of another topic"
    resource = (TOPIC_RESOURCE, topic.name)
    tally = Tally()
    # In any order: sums do not depend on it.
    for number, partition in enumerate(topic.partitions.values()):
        tally.add(partition, -1)
        if number % PARTITIONS_PER_STEP == 0:
            yield
    return msgspec.structs.replace(
        image,
        partition_counts=tally.applied(image.partition_counts),
        topics=image.topics.delete(record.topic_id),
        topic_ids=image.topic_ids.delete(topic.name),
        ambiguous_names=without_name(image.ambiguous_names, topic.name),
        # No record removes them one by one. If they stayed, a new topic of that name would inherit
        # them.
        configs=image.configs.delete(resource) if resource in image.configs else image.configs,
    )


def _recovery_state(state: int) -> int:
    if state not in (RECOVERED, RECOVERING):
        # Kafka's LeaderRecoveryState has no other value either. A guess could tell a leader that it
        # has recovered when it has not.
        raise Contradiction(f"LeaderRecoveryState is {state}, neither 0 nor 1")
    return state


class PartitionReplay:
    """Replays PartitionRecords and PartitionChangeRecords, many of which come in a row when brokers come and go.

    The image gets the changes at the end, once per topic and not once per record.
    """

    __slots__ = ("_image", "_partitions", "_tally")

    def __init__(self, image: ClusterImage) -> None:
        self._image = image
        # By topic id, and only of topics that the run is about.
        self._partitions: dict[bytes, MapMutation[int, PartitionImage]] = {}
        self._tally = Tally()

    def replay(self, record: messages.PartitionRecord | messages.PartitionChangeRecord) -> None:
        """Replay one record; raises Contradiction if it contradicts the image."""
        topic = _topic(self._image, record.topic_id)
        partitions = self._partitions.get(record.topic_id)
        if partitions is None:
            # A mutation changes a private copy of the map in place, so older images keep their
            # partitions.
            partitions = self._partitions[record.topic_id] = topic.partitions.mutate()
        old = partitions.get(record.partition_id)
        if record.API_KEY == PARTITION_CHANGE:
            new = _changed_partition(topic, old, cast("messages.PartitionChangeRecord", record))
        else:
            new = _new_partition(cast("messages.PartitionRecord", record))
        # Also for a PartitionRecord: it replaces a partition that exists, and the counts must not
        # have it twice.
        if old is not None:
            self._tally.add(old, -1)
        self._tally.add(new)
        partitions[record.partition_id] = new

    def finish_steps(self) -> Steps[ClusterImage]:
        """The image with all replayed records."""
        # Nothing of the run is in this image: a contradiction in the midst of it leaves it as it was.
        image = self._image
        topics = image.topics.mutate()
        for topic_id, partitions in self._partitions.items():
            # Each topic once, however many of its partitions the run has changed.
            topics[topic_id] = msgspec.structs.replace(image.topics[topic_id], partitions=partitions.finish())
            yield
        counts = self._tally.applied(image.partition_counts)
        return msgspec.structs.replace(image, topics=topics.finish(), partition_counts=counts)


def set_partition(image: ClusterImage, record: messages.PartitionRecord, offset: int) -> ClusterImage:
    partitions = PartitionReplay(image)
    partitions.replay(record)
    return run_to_end(partitions.finish_steps())


def _new_partition(record: messages.PartitionRecord) -> PartitionImage:
    # Versions before 1 have no directories: no broker had reported any when such a record was written.
    directories = tuple(record.directories) or (MIGRATING_DIRECTORY,) * len(record.replicas)
    if len(directories) != len(record.replicas):
        raise Contradiction(f"{len(directories)} directories for {len(record.replicas)} replicas")
    return PartitionImage(
        replicas=tuple(record.replicas),
        directories=directories,
        isr=tuple(record.isr),
        removing_replicas=tuple(record.removing_replicas),
        adding_replicas=tuple(record.adding_replicas),
        leader=record.leader,
        leader_recovery_state=_recovery_state(record.leader_recovery_state),
        # Both epochs come with the record: a snapshot has partitions in the midst of their lives.
        leader_epoch=record.leader_epoch,
        partition_epoch=record.partition_epoch,
        elr=tuple(record.eligible_leader_replicas or ()),
        last_known_elr=tuple(record.last_known_elr or ()),
    )


def _changed_directories(old: PartitionImage, replicas: tuple[int, ...]) -> tuple[bytes, ...]:
    # A record without directories may still change the replicas: those that stay keep their directories.
    known = dict(zip(old.replicas, old.directories, strict=True))
    # A new replica of a record without directories is in the state of before KIP-858: nobody has said where it is.
    return tuple(known.get(replica, MIGRATING_DIRECTORY) for replica in replicas)


def merge_partition(old: PartitionImage, record: messages.PartitionChangeRecord) -> PartitionImage:
    """A partition after a change; the fields that the record leaves out stay as they were.

    Every change raises the partition epoch by one. If the record names a leader, even the present one, it raises the
    leader epoch, too. Raises ValueError if the record is not consistent in itself.
    """
    replicas = old.replicas if record.replicas is None else tuple(record.replicas)
    if record.directories is None:
        directories = old.directories if record.replicas is None else _changed_directories(old, replicas)
    else:
        directories = tuple(record.directories)
        if len(directories) != len(replicas):
            raise ValueError(f"{len(directories)} directories for {len(replicas)} replicas")
    state = record.leader_recovery_state
    if state not in (RECOVERED, RECOVERING, NO_RECOVERY_STATE_CHANGE):
        raise ValueError(f"LeaderRecoveryState is {state}, none of 0, 1 and -1")
    # Even the same leader counts: the controller names it to start a new leader epoch. Kafka:
    # PartitionRegistration.merge.
    names_leader = record.leader != NO_LEADER_CHANGE
    return PartitionImage(
        replicas=replicas,
        directories=directories,
        # Null leaves a list as it was, an empty list empties it. With ELR an ISR may be empty (KIP-966).
        isr=_changed(old.isr, record.isr),
        removing_replicas=_changed(old.removing_replicas, record.removing_replicas),
        adding_replicas=_changed(old.adding_replicas, record.adding_replicas),
        leader=record.leader if names_leader else old.leader,
        leader_recovery_state=old.leader_recovery_state if state == NO_RECOVERY_STATE_CHANGE else state,
        leader_epoch=old.leader_epoch + 1 if names_leader else old.leader_epoch,
        # The record does not hold the epochs. Every node counts them alike, because all replay the
        # same records.
        partition_epoch=old.partition_epoch + 1,
        elr=_changed(old.elr, record.eligible_leader_replicas),
        last_known_elr=_changed(old.last_known_elr, record.last_known_elr),
    )


def _changed(old: tuple[int, ...], new: list[int] | None) -> tuple[int, ...]:
    return old if new is None else tuple(new)


def change_partition(
    image: ClusterImage, record: messages.PartitionChangeRecord, offset: int
) -> ClusterImage:
    partitions = PartitionReplay(image)
    partitions.replay(record)
    return run_to_end(partitions.finish_steps())


def _changed_partition(
    topic: TopicImage, old: PartitionImage | None, record: messages.PartitionChangeRecord
) -> PartitionImage:
    # A PartitionRecord would make it; a change of what does not exist has no meaning.
    if old is None:
        raise Contradiction(f"topic {topic.name!r} has no partition {record.partition_id}")
    try:
        return merge_partition(old, record)
    except ValueError as error:
        raise Contradiction(f"{topic.name}-{record.partition_id}: {error}") from None


def clear_elr(image: ClusterImage, record: messages.ClearElrRecord, offset: int) -> Steps[ClusterImage]:
    # An empty name stands for all topics: the cluster's min.insync.replicas has changed.
    if record.topic_name:
        topic = image.topic_by_name(record.topic_name)
        if topic is None:
            raise Contradiction(f"topic {record.topic_name!r} does not exist")
        cleared = yield from _without_elr(topic)
        return msgspec.structs.replace(image, topics=image.topics.set(topic.topic_id, cleared))
    topics = image.topics.mutate()
    for topic_id, topic in image.topics.items():
        # Also topics with a value of their own: the record does not say who inherits.
        topics[topic_id] = yield from _without_elr(topic)
    return msgspec.structs.replace(image, topics=topics.finish())


def _without_elr(topic: TopicImage) -> Steps[TopicImage]:
    partitions = topic.partitions.mutate()
    for number, (index, partition) in enumerate(topic.partitions.items()):
        # Only these change, so only their partition epoch rises. Else each change of the config
        # would make all leaders' next AlterPartition fail.
        if partition.elr or partition.last_known_elr:
            partitions[index] = msgspec.structs.replace(
                partition, elr=(), last_known_elr=(), partition_epoch=partition.partition_epoch + 1
            )
        if number % PARTITIONS_PER_STEP == 0:
            yield
    return msgspec.structs.replace(topic, partitions=partitions.finish())
