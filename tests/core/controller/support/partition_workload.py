"""Random requests about partitions that exist: what their leaders, their brokers and administrators ask for."""

from __future__ import annotations

import random

from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    AssignReplicasToDirsRequest,
    ElectLeadersRequest,
)
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, PartitionImage, TopicImage
from tests.core.controller.support.harness import Harness, directory

_BROKERS = (1, 2, 3, 4)


def _some_topic(rng: random.Random, harness: Harness) -> TopicImage | None:
    names = sorted(harness.image.topic_ids)
    return harness.image.topic_by_name(rng.choice(names)) if names else None


def _some_partition(rng: random.Random, topic: TopicImage) -> tuple[int, PartitionImage]:
    index = rng.choice(sorted(topic.partitions))
    return index, topic.partitions[index]


def alter_partition(rng: random.Random, harness: Harness) -> Message | None:
    """Mostly what a leader may ask for: another ISR of active replicas, or the end of its recovery."""
    topic = _some_topic(rng, harness)
    if topic is None:
        return None
    index, partition = _some_partition(rng, topic)
    brokers = harness.image.brokers
    active = [each for each in partition.replicas if each in brokers and brokers[each].is_active()]
    isr = [each for each in active if each == partition.leader or rng.random() < 0.7]
    rng.shuffle(isr)
    fields: dict[str, object] = {"isr": isr if rng.random() < 0.95 else [*isr, rng.choice(_BROKERS)]}
    if rng.random() < 0.7:
        fields["leader_recovery_state"] = 0
    match rng.randint(0, 25):
        case 0:
            fields["leader_epoch"] = partition.leader_epoch + rng.choice((-1, 1))
        case 1:
            fields["partition_epoch"] = partition.partition_epoch + rng.choice((-1, 1))
        case 2:
            fields["leader_recovery_state"] = rng.choice((1, 2))
        case 3:
            fields["broker_id"] = rng.choice(_BROKERS)
        case 4:
            fields["isr"] = [(each, brokers[each].epoch - rng.randint(0, 1)) for each in isr]
    return harness.alter_partition_request(topic.name, index, **fields)


def elect_leaders(rng: random.Random, harness: Harness) -> Message | None:
    """Preferred and unclean elections, for some partitions or all of them."""
    topic = _some_topic(rng, harness)
    asked = None
    if topic is not None and rng.random() < 0.7:
        indexes = [_some_partition(rng, topic)[0], rng.randint(-1, 3)]
        asked = [ElectLeadersRequest.TopicPartitions(topic=topic.name, partitions=indexes)]
    return ElectLeadersRequest(election_type=rng.choice((0, 0, 1, 1, 2)), topic_partitions=asked)


def reassign(rng: random.Random, harness: Harness) -> Message | None:
    """Other replicas for a partition, or none: taking that back."""
    topic = _some_topic(rng, harness)
    if topic is None:
        return None
    partitions = []
    for _ in range(rng.choice((1, 1, 2))):
        index, _ = _some_partition(rng, topic)
        registered = sorted(harness.image.brokers)
        replicas: list[int] | None = rng.sample(registered, rng.randint(0, len(registered)))
        if rng.random() < 0.3:
            replicas = None
        partitions.append(
            AlterPartitionReassignmentsRequest.ReassignablePartition(
                partition_index=index if rng.random() < 0.95 else 9, replicas=replicas
            )
        )
    return AlterPartitionReassignmentsRequest(
        topics=[AlterPartitionReassignmentsRequest.ReassignableTopic(name=topic.name, partitions=partitions)],
        allow_replication_factor_change=rng.random() < 0.8,
    )


def assign_directories(rng: random.Random, harness: Harness) -> Message | None:
    """A broker puts a replica into one of its directories, or into one that is gone."""
    topic = _some_topic(rng, harness)
    if topic is None or not harness.image.brokers:
        return None
    index, partition = _some_partition(rng, topic)
    broker_id = rng.choice((*partition.replicas, *sorted(harness.image.brokers)))
    broker = harness.image.brokers.get(broker_id)
    return AssignReplicasToDirsRequest(
        broker_id=broker_id,
        broker_epoch=-1 if broker is None else broker.epoch,
        directories=[
            AssignReplicasToDirsRequest.DirectoryData(
                id=rng.choice(
                    (*(directory(broker_id, number) for number in (0, 0, 0, 1, 1, 2)), LOST_DIRECTORY)
                ),
                topics=[
                    AssignReplicasToDirsRequest.TopicData(
                        topic_id=topic.topic_id,
                        partitions=[AssignReplicasToDirsRequest.PartitionData(partition_index=index)],
                    )
                ],
            )
        ],
    )
