"""Checks of every committed image: on each node, from one image to the next, and between nodes."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.image.entries import (
    LOST_DIRECTORY,
    MIGRATING_DIRECTORY,
    UNASSIGNED_DIRECTORY,
    PartitionImage,
)
from kafkaproto_server.metadata.image.image import _COMPARED_OF_IMAGES, ClusterImage
from tests.sim.checkers.invariants import ViolationError

if TYPE_CHECKING:
    from tests.sim.metadata.node import Node


class MetadataInvariant(enum.Enum):
    """What must hold of the cluster's metadata, whatever happens to the quorum; those named AT_LAST, a while after
    everything healed. Of log directories they say what KIP-858 promises.
    """

    ONE_IMAGE = "two nodes' images at one offset are equal"
    SNAPSHOT_GIVES_BACK = "what a snapshot gives back equals the image that it was made of"
    LEADER_IN_ISR = "a partition's leader is in its ISR, or nobody leads"
    ISR_WITHIN_REPLICAS = "ISR and ELR are apart, and within the replicas"
    PARTITION_EPOCHS_RISE = "leader epochs and partition epochs never go back"
    LEADER_CHANGE_RAISES_EPOCH = "another leader has a later leader epoch"
    FENCED_LEADS_NOTHING = "a fenced broker, or one that shuts down, leads nothing and is in no leader's ISR"
    CONTACTS_WERE_HEARD = "a controller counts a broker as heard of only when a heartbeat of it came"
    HEARTBEATS_COUNT = (
        "a heartbeat of a broker with a session counts, whatever its controller works on when it comes"
    )
    FENCING_GOES_FIRST = "no command is begun while the fencing of a silent broker waits"
    ANSWERING_NEVER_PROVEN_DEAD = "a broker that answers is never fenced by a proof of its death"
    UNFENCED_ONCE_READ = "a broker is unfenced only once it has said that it has read its own registration"
    OTHER_EPOCHS_CHANGE_NOTHING = (
        "a broker's request of an older or a future epoch changes nothing, and gets the error for that epoch"
    )
    BROKER_EPOCHS_RISE = "a broker's epoch never goes back, and is higher for another incarnation"
    DIRECTORY_KNOWN = "a replica's directory is one of its broker's, or reserved"
    OFFLINE_DIRECTORY_LEADS_NOTHING = "no leader lies in a directory that its broker cannot read (KIP-858)"
    UNFENCED_ONCE_ASSIGNED = (
        "a broker with several directories serves once the metadata say where its replicas lie (KIP-858)"
    )
    DIRECTORIES_KNOWN_AT_LAST = (
        "in a healed cluster the metadata say of each replica where its broker has it (KIP-858)"
    )
    LINEARIZABLE = (
        "what administrators saw is what one cluster would have shown them, one step after the other"
    )
    ACKNOWLEDGED_STAYS = "what is there in the end is what was acknowledged, and nothing that was refused"
    REFUSED_NEVER_APPEARS = "nothing of a request that has to be refused is recorded, nor is it acknowledged"
    PRODUCER_IDS_ONCE = "no producer id is given out twice"
    UNFENCED_AT_LAST = "in a healed cluster every live broker is unfenced"
    FENCED_AT_LAST = (
        "in a healed cluster a broker that is dead is fenced, whoever becomes the active controller"
    )
    PREFERRED_AT_LAST = "in a healed cluster preferred replicas that are in sync lead"
    EXPIRED_AT_LAST = "in a healed cluster expired delegation tokens are gone"
    NO_FAILURE = "no command fails in a way that nobody foresaw"


class ImageChecker:
    """Sees every image that a node publishes."""

    def __init__(self) -> None:
        self._by_offset: dict[int, ClusterImage] = {}
        self._equal: dict[int, tuple[ClusterImage, ClusterImage]] = {}
        """By node, the last image that it showed after another node, and that one, which is equal."""
        self._newest = ClusterImage()
        self._incarnations: dict[int, tuple[int, bytes]] = {}
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
            if not _are_equal(known, image, self._equal.get(node.id)):
                raise ViolationError(
                    MetadataInvariant.ONE_IMAGE, f"node {node.id} shows another image at {image.offset}"
                )
            self._equal[node.id] = known, image
            return
        self._by_offset[image.offset] = image
        self.images += 1
        if image.offset > self._newest.offset:
            self._check_step(self._newest, image)
            self._newest = image

    # -- one image, and the one before ---------------------------------------------------------------------------

    def _check_step(self, before: ClusterImage, image: ClusterImage) -> None:
        has_other_brokers = image.brokers is not before.brokers
        if has_other_brokers:
            self._check_epochs(image)
        for topic_id, topic in image.topics.items():
            known_topic = before.topics.get(topic_id)
            # What is the same object among the same brokers was checked with the image before.
            if topic is known_topic and not has_other_brokers:
                continue
            for index, partition in topic.partitions_in_order():
                known = None if known_topic is None else known_topic.partitions.get(index)
                if partition is known and not has_other_brokers:
                    continue
                where = f"{topic.name}-{index} at {image.offset}"
                self._check_partition(image, partition, where)
                if known is not None:
                    self._check_change(known, partition, where)

    def _check_epochs(self, image: ClusterImage) -> None:
        for broker in image.brokers_in_order():
            epoch, incarnation = self._incarnations.get(broker.broker_id, (-1, b""))
            is_same = broker.incarnation_id == incarnation
            # The same registration again is allowed: it may come twice, with the broker unregistered in between.
            if broker.epoch < epoch or (broker.epoch == epoch and not is_same):
                raise ViolationError(
                    MetadataInvariant.BROKER_EPOCHS_RISE,
                    f"{broker.broker_id} from {epoch} to {broker.epoch}",
                )
            self._incarnations[broker.broker_id] = broker.epoch, broker.incarnation_id

    @staticmethod
    def _check_partition(image: ClusterImage, partition: PartitionImage, where: str) -> None:
        def require(holds: bool, invariant: MetadataInvariant) -> None:
            if not holds:
                raise ViolationError(invariant, f"{where}: {partition}")

        leader, isr, elr = partition.leader, set(partition.isr), set(partition.elr)
        require(leader == NO_NODE or leader in isr, MetadataInvariant.LEADER_IN_ISR)
        require(isr | elr <= set(partition.replicas) and not isr & elr, MetadataInvariant.ISR_WITHIN_REPLICAS)
        if leader != NO_NODE:
            members = [image.brokers.get(replica) for replica in isr]
            require(
                all(member is not None and member.is_active() for member in members),
                MetadataInvariant.FENCED_LEADS_NOTHING,
            )
            broker = image.brokers[leader]
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


def _are_equal(
    one: ClusterImage, other: ClusterImage, before: tuple[ClusterImage, ClusterImage] | None
) -> bool:
    """Whether two images are equal. ``before`` are two that are: what both have of them is not compared again."""
    if before is None:
        return one == other
    for name in _COMPARED_OF_IMAGES:
        ones, others = getattr(one, name), getattr(other, name)
        was_one, was_other = getattr(before[0], name), getattr(before[1], name)
        if ones is was_one and others is was_other:
            continue
        if name != "topics":
            if ones != others:
                return False
        elif len(ones) != len(others):
            return False
        else:
            for topic_id, topic in ones.items():
                found = others.get(topic_id)
                is_known = topic is was_one.get(topic_id) and found is was_other.get(topic_id)
                if not is_known and topic != found:
                    return False
    return True
