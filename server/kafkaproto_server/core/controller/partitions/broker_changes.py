"""The partitions that the coming or going of a broker affects, and the records that change them.

`partition_change` decides about each partition. This module finds the partitions, and says who comes or goes. The
image counts what each broker leads and is in sync for (`metadata.image.partition_counts`), so a broker that has nothing
costs no search.

Apache Kafka: ``ReplicationControlManager`` (``generateLeaderAndIsrUpdates``) and ``BrokersToIsrs``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from kafkaproto.message import Message
from kafkaproto.messages import PartitionChangeRecord
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.controller.partitions.partitions import (
    Goal,
    LeadershipRules,
    leadership_rules,
    partition_change,
)
from kafkaproto_server.core.controller.values.topic_configs import TopicConfigs
from kafkaproto_server.metadata.image.apply_topics import PARTITIONS_PER_STEP
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.sorting import sorted_steps

Located = tuple[TopicImage, int, PartitionImage]
"""A partition with its topic and its index."""


def partitions_where(image: ClusterImage, holds: Callable[[PartitionImage], bool]) -> Steps[deque[Located]]:
    """The partitions for which ``holds`` is true, by topic name and partition index.

    This goes through all partitions, so ask ``metadata.image.partition_counts`` first whether there can be any.
    """
    # A deque, so that the caller can free it bit by bit while going through it: to free it at once takes long.
    found: deque[Located] = deque()
    # The maps iterate in hash order, which differs between processes. Records must not depend on
    # it, or a failure could not be repeated from its seed.
    for name in (yield from sorted_steps(image.topic_ids)):
        topic = image.topics[image.topic_ids[name]]
        # Sort by index only if there is anything to sort.
        indexes = []
        for number, (index, partition) in enumerate(topic.partitions.items()):
            if holds(partition):
                indexes.append(index)
            if number % PARTITIONS_PER_STEP == 0:
                yield
        in_order = indexes if len(indexes) <= 1 else (yield from sorted_steps(indexes))
        for number, index in enumerate(in_order):
            found.append((topic, index, topic.partitions[index]))
            if number % PARTITIONS_PER_STEP == 0:
                yield
    return found


def leads_any_partition(image: ClusterImage, broker_id: int) -> bool:
    """Whether the broker leads at least one partition."""
    # Kafka's ReplicationControlManager asks BrokersToIsrs for this. A search here would cost each
    # heartbeat a pass through all partitions.
    return broker_id in image.partition_counts.led


def changes_without(image: ClusterImage, configs: TopicConfigs, broker_id: int) -> Steps[list[Message]]:
    """Records that take the broker out of every ISR and leadership. The broker has lost no records."""
    if broker_id not in image.partition_counts.in_sync:
        return []
    affected = yield from partitions_where(image, lambda partition: broker_id in partition.isr)
    return (yield from _changes(image, configs, affected, leaving=broker_id))


def changes_without_crashed(
    image: ClusterImage, configs: TopicConfigs, broker_id: int
) -> Steps[list[Message]]:
    """As `changes_without`, for a broker that may have lost acknowledged records: it leaves every ELR too."""
    # Without ELR, Kafka's controllers treat a crashed broker like a fenced one, too: there is no
    # list of complete replicas outside of the ISR that it would have to leave.
    if not image.elr_enabled:
        return (yield from changes_without(image, configs, broker_id))
    affected = yield from partitions_where(
        image, lambda partition: broker_id in partition.isr or broker_id in partition.elr
    )
    return (yield from _changes(image, configs, affected, leaving=broker_id, lost_replicas=(broker_id,)))


def changes_without_directories(
    image: ClusterImage, configs: TopicConfigs, broker_id: int, directories: Sequence[bytes]
) -> Steps[list[Message]]:
    """Records that take the broker out of the partitions in directories that it can no longer read."""
    if broker_id not in image.partition_counts.in_sync:
        return []
    # The directory that the metadata records counts. A replica that was not assigned yet is reported by
    # AssignReplicasToDirs.
    lost = {*directories}
    affected = yield from partitions_where(
        image, lambda partition: broker_id in partition.isr and partition.directory_of(broker_id) in lost
    )
    # It keeps its place in the ELR, as in Kafka: an election looks at the directory, too, and passes over a replica
    # that is offline.
    return (yield from _changes(image, configs, affected, leaving=broker_id))


def changes_without_old_elr(image: ClusterImage) -> Steps[list[Message]]:
    """Records that empty each ELR of an earlier time when ELR was on, where somebody has led since. ELR is off."""
    # Where nobody has led since, the ISR is still empty. There the ELR has the only replicas that hold all, and stays.
    affected = yield from partitions_where(image, lambda partition: bool(partition.elr and partition.isr))
    records: list[Message] = []
    while affected:
        topic, index, _ = affected.popleft()
        records.append(
            PartitionChangeRecord(topic_id=topic.topic_id, partition_id=index, eligible_leader_replicas=[])
        )
        yield
    return records


def changes_with(image: ClusterImage, configs: TopicConfigs, broker_id: int) -> Steps[list[Message]]:
    """Records that give leaderless partitions a leader once the broker is unfenced."""
    if not image.partition_counts.leaderless:
        return []
    # Only partitions without a leader: the broker's replicas elsewhere are not in sync yet. Their
    # leaders take them into the ISR by AlterPartition.
    leaderless = yield from partitions_where(image, lambda partition: partition.leader == NO_NODE)
    return (yield from _changes(image, configs, leaderless, joining=broker_id))


def _changes(
    image: ClusterImage,
    configs: TopicConfigs,
    partitions: deque[Located],
    *,
    joining: int = NO_NODE,
    leaving: int = NO_NODE,
    lost_replicas: Sequence[int] = (),
) -> Steps[list[Message]]:
    """Records for these partitions, which are taken from the deque. The image shows the brokers before the change.

    ``joining`` counts as active even if the image says otherwise, ``leaving`` never does.
    """
    assert NO_NODE in (joining, leaving), f"broker {joining} comes while {leaving} goes"
    records: list[Message] = []
    rules_of: dict[bytes, LeadershipRules] = {}
    while partitions:
        topic, index, partition = partitions.popleft()
        # Once a topic: the configs are looked up by layers, and a broker may be in thousands of partitions of one.
        rules = rules_of.get(topic.topic_id)
        if rules is None:
            rules = leadership_rules(image, configs, topic, joining=joining, leaving=leaving)
            rules_of[topic.topic_id] = rules
        # The ISR may come out empty. `partition_change` decides what that means: with ELR it stays empty, without it
        # keeps its last members.
        isr = tuple(replica for replica in partition.isr if replica != leaving)
        goal = Goal(isr=isr, lost_replicas=lost_replicas)
        record = partition_change(topic.topic_id, index, partition, goal, rules)
        if record is not None:
            records.append(record)
        yield
    return records
