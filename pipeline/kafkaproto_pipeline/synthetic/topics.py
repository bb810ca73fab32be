"""Topics of a synthetic history: created one by one, in large batches, or in transactions; grown, moved, deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    ConfigRecord,
    EndTransactionRecord,
    PartitionRecord,
    TopicRecord,
)
from kafkaproto_pipeline.synthetic.cluster import NO_LEADER, SyntheticPartition, SyntheticTopic
from kafkaproto_pipeline.synthetic.world import World
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE

_DOMAINS = ("orders", "payments", "clicks", "inventory", "shipments", "users", "audit", "sensors", "prices")
_KINDS = ("events", "changelog", "commands", "dead-letters", "enriched", "hourly", "raw")
_RETENTION_MS = ("86400000", "604800000", "2592000000")
PARTITIONS = (1, 1, 3, 3, 6, 6, 12, 24, 48)
REPLICATION_FACTORS = (1, 2, 3, 3, 3, 3, 3, 3, 3, 3)
TOPICS_IN_A_BATCH = (5, 40)
TOPICS_IN_A_TRANSACTION = (2, 12)
MOVE_MS = (5_000, 400_000)
PARTITIONS_IN_A_MOVE = (1, 12)


class TopicLives:
    """What happens to topics, with all that the controller writes because of it."""

    def __init__(self, world: World, wanted_partitions: int) -> None:
        """As many partitions are created, and later deleted, as keep the cluster about that large."""
        self._world = world
        self._cluster = world.cluster
        self._rng = world.rng
        self._wanted = wanted_partitions
        self._created = 0

    def fill(self) -> None:
        """The topics that the history begins with, in large batches."""
        while len(self._cluster.partitions) * 2 < self._wanted:
            self.create_batch()

    def create(self) -> None:
        """A single topic, at times with configs."""
        if len(self._cluster.partitions) < self._wanted:
            self._world.append(self._new_topic())

    def create_batch(self) -> None:
        """Many topics by one request."""
        records: list[Message] = []
        for _ in range(self._rng.randint(*TOPICS_IN_A_BATCH)):
            if len(self._cluster.partitions) < self._wanted:
                records += self._new_topic()
        self._world.append(records)

    def create_in_transaction(self) -> None:
        """Many topics, a batch each, that count together."""
        if len(self._cluster.partitions) < self._wanted:
            self._world.append([BeginTransactionRecord(name="Create topics")])
            for _ in range(self._rng.randint(*TOPICS_IN_A_TRANSACTION)):
                self._world.append(self._new_topic())
            self._world.append([EndTransactionRecord()])

    def abort_transaction(self, interrupt: Callable[[], None]) -> None:
        """The same, but the transaction is aborted; at times because the controller changes in the middle."""
        self._world.append([BeginTransactionRecord(name="Create topics")])
        for _ in range(self._rng.randint(*TOPICS_IN_A_TRANSACTION)):
            topic = self._topic()
            count = self._rng.choice(PARTITIONS)
            changes = [self._partition(topic, index) for index in range(count)]
            records = [
                PartitionRecord(
                    partition_id=each.index,
                    topic_id=topic.topic_id,
                    replicas=each.replicas,
                    isr=each.isr,
                    leader=each.leader,
                    directories=each.directories,
                )
                for each in changes
            ]
            self._world.append([TopicRecord(name=topic.name, topic_id=topic.topic_id), *records])
        if self._rng.random() < 0.5:
            interrupt()
            self._world.append([AbortTransactionRecord(reason="the controller changed")])
        else:
            self._world.append([AbortTransactionRecord(reason="a batch could not be written")])

    def delete(self) -> None:
        """One topic goes, at times several."""
        if len(self._cluster.partitions) * 2 < self._wanted:
            return
        records: list[Message] = []
        for _ in range(min(20, int(self._rng.paretovariate(1.5)))):
            if self._cluster.partitions:
                topic = self._rng.choice(self._cluster.partitions).topic
                records.append(self._cluster.remove_topic(topic))
        self._world.append(records)

    def grow(self) -> None:
        """A topic gets more partitions."""
        if 0 < len(self._cluster.partitions) < self._wanted:
            topic = self._rng.choice(self._cluster.partitions).topic
            first = len(topic.partitions)
            factor = len(topic.partitions[0].replicas)
            self._world.append(
                [
                    self._cluster.add_partition(self._partition(topic, index, factor))
                    for index in range(first, first + self._rng.choice((1, 2, 6)))
                ]
            )

    def move(self) -> None:
        """Some partitions are reassigned; a while later they are done, or it is cancelled."""
        active = self._cluster.active_brokers()
        moved: dict[SyntheticPartition, None] = {}
        changes: list[Message] = []
        for _ in range(self._rng.randint(*PARTITIONS_IN_A_MOVE) if self._cluster.partitions else 0):
            partition = self._rng.choice(self._cluster.partitions)
            free = [each for each in active if each not in partition.replicas]
            if partition in moved or partition.adding or partition.leader == NO_LEADER or not free:
                continue
            added = self._rng.choice(free)
            removed = self._rng.choice(partition.replicas)
            directory = self._rng.choice(self._cluster.brokers[added].directories)
            changes.append(
                self._cluster.change(
                    partition,
                    replicas=[*partition.replicas, added],
                    directories=[*partition.directories, directory],
                    adding=[added],
                    removing=[removed],
                )
            )
            moved[partition] = None
        self._world.append(changes)
        for partition in moved:
            self._world.after(self._rng.uniform(*MOVE_MS), partial(self._finish_move, partition))

    def _finish_move(self, partition: SyntheticPartition) -> None:
        if partition.place < 0:
            return
        (added,), (removed,) = partition.adding, partition.removing
        is_done = partition.leader != NO_LEADER and self._cluster.is_usable(partition, added)
        dropped, kept = (removed, added) if is_done else (added, removed)
        replicas = [each for each in partition.replicas if each != dropped]
        directories = [
            directory
            for broker_id, directory in zip(partition.replicas, partition.directories, strict=True)
            if broker_id != dropped
        ]
        isr = [each for each in partition.isr if each != dropped]
        if is_done and kept not in isr:
            isr.append(kept)
        changes: dict[str, int] = {}
        if partition.leader == dropped:
            changes["leader"] = isr[0] if isr else NO_LEADER
        self._world.append(
            [
                self._cluster.change(
                    partition,
                    isr=None if isr == partition.isr else isr,
                    replicas=replicas,
                    directories=directories,
                    adding=[],
                    removing=[],
                    **changes,
                )
            ]
        )

    def _topic(self) -> SyntheticTopic:
        self._created += 1
        name = f"{self._rng.choice(_DOMAINS)}.{self._rng.choice(_KINDS)}.{self._created}"
        return SyntheticTopic(name=name, topic_id=self._rng.randbytes(16))

    def _new_topic(self) -> list[Message]:
        topic = self._topic()
        self._cluster.topics[topic.name] = topic
        records: list[Message] = [TopicRecord(name=topic.name, topic_id=topic.topic_id)]
        if self._rng.random() < 0.3:
            records += self.configs(topic)
        factor = min(self._rng.choice(REPLICATION_FACTORS), len(self._cluster.active_brokers()))
        for index in range(self._rng.choice(PARTITIONS)):
            records.append(self._cluster.add_partition(self._partition(topic, index, factor)))
        return records

    def configs(self, topic: SyntheticTopic) -> list[Message]:
        """Configs of a topic, set anew."""
        values = {"retention.ms": self._rng.choice(_RETENTION_MS)}
        if self._rng.random() < 0.4:
            values["cleanup.policy"] = self._rng.choice(("compact", "delete", "compact,delete"))
        self._cluster.configs.setdefault((TOPIC_RESOURCE, topic.name), {}).update(values)
        return [
            ConfigRecord(resource_type=TOPIC_RESOURCE, resource_name=topic.name, name=key, value=value)
            for key, value in values.items()
        ]

    def _partition(self, topic: SyntheticTopic, index: int, factor: int = 3) -> SyntheticPartition:
        active = self._cluster.active_brokers()
        start = self._rng.randrange(len(active))
        step = self._rng.randint(1, max(1, len(active) // factor))
        count = min(factor, len(active))
        replicas = [active[(start + step * place) % len(active)] for place in range(count)]
        return SyntheticPartition(
            topic=topic,
            index=index,
            replicas=replicas,
            directories=[self._rng.choice(self._cluster.brokers[each].directories) for each in replicas],
            isr=list(replicas),
            leader=replicas[0],
        )
