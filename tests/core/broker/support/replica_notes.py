"""Notes what a broker's replicas are told of the metadata, in place of the replicas."""

from __future__ import annotations

from kafkaproto_server.core.broker.replica_directories import ReplicaMoves
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage


class ReplicaNotes:
    """A `ReplicaListener` whose logs are always open."""

    are_open = True

    def __init__(self) -> None:
        self.placed: dict[tuple[bytes, int], bytes | None] = {}
        """The directory of each replica that was told last."""
        self.lost_all: dict[tuple[bytes, int], bytes] = {}
        """Those of which nothing was left."""
        self.times_placed = 0
        """How often all replicas were told that the broker had when it started."""
        self.strays: list[str] = []
        """The names of what was to be set aside."""
        self.futures: list[str] = []
        """The names of copies of moves that had not ended."""
        self.order: list[str | bytes] = []
        """These names, and the topic ids of replicas, in the order in which they came."""

    def attach(self, moves: ReplicaMoves) -> None:
        self.moves = moves

    def replica_changed(
        self, topic: TopicImage, index: int, partition: PartitionImage, directory_id: bytes | None
    ) -> None:
        self.placed[topic.topic_id, index] = directory_id
        self.order.append(topic.topic_id)

    def replica_lost_all(
        self, topic: TopicImage, index: int, partition: PartitionImage, directory_id: bytes
    ) -> None:
        self.lost_all[topic.topic_id, index] = directory_id

    def replicas_placed(self) -> None:
        self.times_placed += 1

    def replica_removed(self, topic_id: bytes, index: int) -> None:
        assert (topic_id, index) in {**self.placed, **self.lost_all}
        self.placed.pop((topic_id, index), None)
        self.lost_all.pop((topic_id, index), None)

    def found_stray(self, found: FoundReplica) -> None:
        self.strays.append(found.name)
        self.order.append(found.name)

    def found_future(self, found: FoundReplica) -> None:
        self.futures.append(found.name)
        self.order.append(found.name)
