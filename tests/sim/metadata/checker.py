"""What must hold of every committed image: on each node, from one to the next, and between nodes."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from server.image.image import (
    LOST_DIRECTORY,
    MIGRATING_DIRECTORY,
    UNASSIGNED_DIRECTORY,
    ClusterImage,
    PartitionImage,
)
from server.types import NO_NODE, OffsetAndEpoch
from tests.sim.checkers.invariants import ViolationError

if TYPE_CHECKING:
    from tests.sim.metadata.node import Node


class MetadataInvariant(enum.Enum):
    """What must hold of the cluster's metadata, whatever happens to the quorum."""

    ONE_IMAGE = "two nodes' images at one offset are equal"
    LEADER_IN_ISR = "a partition's leader is in its ISR, or nobody leads"
    ISR_WITHIN_REPLICAS = "ISR and ELR are apart, and within the replicas"
    PARTITION_EPOCHS_RISE = "leader epochs and partition epochs never go back"
    LEADER_CHANGE_RAISES_EPOCH = "another leader has a later leader epoch"
    FENCED_LEADS_NOTHING = (
        "a fenced broker, or one that shuts down, leads nothing and is in no ISR with others"
    )
    BROKER_EPOCHS_RISE = "a broker's epoch never goes back"
    DIRECTORY_KNOWN = "a replica's directory is one of its broker's, or reserved"
    OFFLINE_DIRECTORY_LEADS_NOTHING = (
        "no leader lies in a directory that its broker cannot read (KIP-858: LeaderIsOnline)"
    )
    LINEARIZABLE = (
        "what administrators saw is what one cluster would have shown them, one step after the other"
    )
    UNFENCED_AT_LAST = "in a healed cluster every live broker is unfenced"
    NO_FAILURE = "no command fails in a way that nobody foresaw"


class ImageChecker:
    """Sees every image that a node publishes."""

    def __init__(self) -> None:
        self._by_offset: dict[int, ClusterImage] = {}
        self._of_snapshot: dict[OffsetAndEpoch, ClusterImage] = {}
        self._newest = ClusterImage()
        self.images = 0
        """How many different ones there were."""

    @property
    def newest(self) -> ClusterImage:
        """The furthest image that anybody published."""
        return self._newest

    def published(self, node: Node, image: ClusterImage) -> None:
        """A node shows an image."""
        known = self._by_offset.get(image.offset)
        if known is not None:
            if known != image:
                raise ViolationError(
                    MetadataInvariant.ONE_IMAGE, f"node {node.id} shows another image at {image.offset}"
                )
            return
        self._by_offset[image.offset] = image
        self.images += 1
        if image.offset > self._newest.offset:
            self._check_step(self._newest, image)
            self._newest = image

    # -- snapshots -----------------------------------------------------------------------------------------------

    def snapshot_begun(self, node: Node, snapshot_id: OffsetAndEpoch, image: ClusterImage) -> None:
        """A node writes a snapshot of an image."""
        if self._of_snapshot.setdefault(snapshot_id, image) != image:
            raise ViolationError(
                MetadataInvariant.ONE_IMAGE, f"node {node.id} writes another snapshot {snapshot_id}"
            )

    def of_snapshot(self, snapshot_id: OffsetAndEpoch) -> ClusterImage:
        """The image that a snapshot holds."""
        return self._of_snapshot[snapshot_id]

    # -- one image, and the one before ---------------------------------------------------------------------------

    def _check_step(self, before: ClusterImage, image: ClusterImage) -> None:
        if image.brokers is not before.brokers:
            for broker_id, broker in image.brokers.items():
                known = before.brokers.get(broker_id)
                if known is not None and broker.epoch < known.epoch:
                    raise ViolationError(
                        MetadataInvariant.BROKER_EPOCHS_RISE,
                        f"{broker_id} from {known.epoch} to {broker.epoch}",
                    )
        for topic_id, topic in image.topics.items():
            known_topic = before.topics.get(topic_id)
            for index, partition in topic.partitions_in_order():
                where = f"{topic.name}-{index} at {image.offset}"
                self._check_partition(image, partition, where)
                if known_topic is not None and index in known_topic.partitions:
                    self._check_change(known_topic.partitions[index], partition, where)

    @staticmethod
    def _check_partition(image: ClusterImage, partition: PartitionImage, where: str) -> None:
        def require(holds: bool, invariant: MetadataInvariant) -> None:
            if not holds:
                raise ViolationError(invariant, f"{where}: {partition}")

        leader, isr, elr = partition.leader, set(partition.isr), set(partition.elr)
        require(leader == NO_NODE or leader in isr, MetadataInvariant.LEADER_IN_ISR)
        require(isr | elr <= set(partition.replicas) and not isr & elr, MetadataInvariant.ISR_WITHIN_REPLICAS)
        if leader != NO_NODE:
            broker = image.brokers.get(leader)
            require(
                broker is not None and broker.is_active(),
                MetadataInvariant.FENCED_LEADS_NOTHING,
            )
            assert broker is not None
            require(
                broker.has_online_directory(partition.directory_of(leader)),
                MetadataInvariant.OFFLINE_DIRECTORY_LEADS_NOTHING,
            )
        for replica, directory in zip(partition.replicas, partition.directories, strict=True):
            owner = image.brokers.get(replica)
            reserved = directory in (UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY, LOST_DIRECTORY)
            elsewhere = any(
                directory in broker.directories
                for broker_id, broker in image.brokers.items()
                if broker_id != replica
            )
            require(reserved or owner is None or not elsewhere, MetadataInvariant.DIRECTORY_KNOWN)

    @staticmethod
    def _check_change(before: PartitionImage, after: PartitionImage, where: str) -> None:
        if after is before:
            return
        if after.leader_epoch < before.leader_epoch or after.partition_epoch < before.partition_epoch:
            raise ViolationError(MetadataInvariant.PARTITION_EPOCHS_RISE, f"{where}: {before}, then {after}")
        if after.leader != before.leader and after.leader_epoch == before.leader_epoch:
            raise ViolationError(
                MetadataInvariant.LEADER_CHANGE_RAISES_EPOCH, f"{where}: {before}, then {after}"
            )
