"""Places the replicas of new partitions: striped over racks, and over the brokers of each rack.

The leader comes from the first rack, counted from a moving start, that has an unfenced broker. The other replicas go
round the racks from the same start, one per rack, and skip the leader's rack once. Within a rack, unfenced brokers come
before fenced ones, and each partition starts one broker further. The start among the racks also moves by one per
partition. Both starts are random at first. After as many partitions as there are unfenced brokers, the order of racks
and brokers is shuffled; otherwise the same brokers would always share partitions.

Brokers without a rack form one rack, which comes first.

Apache Kafka: ``StripedReplicaPlacer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.core.controller.values.command import ApiError
from kafkaproto_server.metadata.image.entries import (
    MIGRATING_DIRECTORY,
    UNASSIGNED_DIRECTORY,
    BrokerRegistration,
    PartitionImage,
)
from kafkaproto_server.metadata.image.image import ClusterImage

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class UsableBroker:
    """A broker that may get new replicas."""

    broker_id: int
    rack: str | None
    fenced: bool


def usable_brokers(image: ClusterImage) -> list[UsableBroker]:
    """Brokers that may get new replicas, by id: not those that are shutting down or have all directories cordoned.

    A broker that has shut down may, like any fenced broker: it comes back, or its replicas are reassigned.
    """
    return [
        UsableBroker(broker_id=broker.broker_id, rack=broker.rack, fenced=broker.fenced)
        for broker in image.brokers_in_order()
        # A broker in controlled shutdown gives up its leaderships at this moment. A cordoned
        # directory takes no new replicas, so a broker with no other cannot hold one (KIP-1066).
        if (broker.fenced or not broker.in_controlled_shutdown) and not is_cordoned(broker)
    ]


def is_cordoned(broker: BrokerRegistration) -> bool:
    """Whether all directories of a broker are cordoned, so that it can hold no new replica (KIP-1066)."""
    # Without this, a broker that never reported directories would count as fully cordoned.
    if not broker.directories or not broker.cordoned_directories:
        return False
    return all(directory in broker.cordoned_directories for directory in broker.directories)


def place(
    brokers: Sequence[UsableBroker], partition_count: int, replication_factor: int, rng: Rng
) -> Steps[list[tuple[int, ...]]]:
    """Broker ids of each new partition's replicas; the first of them is unfenced.

    Raises ApiError (INVALID_REPLICATION_FACTOR) if there are too few brokers, or all of them are fenced.
    """
    assert partition_count > 0, f"{partition_count} partitions to place"
    assert replication_factor > 0, f"replication factor {replication_factor}"
    # Also the reason why `next_partition` ends: each broker is taken at most once for a partition.
    if replication_factor > len(brokers):
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"Replication factor {replication_factor} needs as many brokers; {len(brokers)} take replicas.",
        )
    # A topic with no leader at all would exist, but every produce request to it would fail.
    if all(broker.fenced for broker in brokers):
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR, "Every broker that could take replicas is fenced."
        )
    racks = _Racks(brokers, rng)
    placed = []
    for _ in range(partition_count):
        placed.append(racks.next_partition(replication_factor))
        yield
    return placed


class _Ring:
    """Brokers of one rack, all fenced or all unfenced, taken in turn."""

    __slots__ = ("_brokers", "_partition", "_start", "_taken")

    def __init__(self, brokers: list[int], rng: Rng) -> None:
        self._brokers = brokers
        # With a fixed start, the first broker of each rack would get the first partition of every
        # topic.
        self._start = rng.below(len(brokers)) if brokers else 0
        self._taken = 0
        self._partition = 0

    def __len__(self) -> int:
        return len(self._brokers)

    def take(self, partition: int) -> int | None:
        """The next broker for this partition; None once it has taken all of them."""
        # Kafka's StripedReplicaPlacer keeps the place by such an epoch, too: a ring that was asked
        # several times for one partition still moves by one.
        if partition != self._partition:
            self._partition = partition
            self._start += 1
            self._taken = 0
        if self._taken == len(self._brokers):
            return None
        broker_id = self._brokers[(self._start + self._taken) % len(self._brokers)]
        self._taken += 1
        return broker_id

    def shuffle(self, rng: Rng) -> None:
        _shuffle(self._brokers, rng)


class _Rack:
    __slots__ = ("fenced", "unfenced")

    def __init__(self, brokers: list[UsableBroker], rng: Rng) -> None:
        self.unfenced = _Ring([broker.broker_id for broker in brokers if not broker.fenced], rng)
        self.fenced = _Ring([broker.broker_id for broker in brokers if broker.fenced], rng)

    def take(self, partition: int) -> int | None:
        """The next broker for this partition, unfenced ones first; None once all have been taken for it."""
        broker_id = self.unfenced.take(partition)
        return self.fenced.take(partition) if broker_id is None else broker_id


class _Racks:
    """All racks, and the rack at which the next partition starts."""

    def __init__(self, brokers: Sequence[UsableBroker], rng: Rng) -> None:
        by_name: dict[str, list[UsableBroker]] = {}
        for broker in sorted(brokers, key=lambda each: each.broker_id):
            by_name.setdefault(broker.rack or "", []).append(broker)
        # By name and by id, as in Kafka: with the same random numbers, the same cluster gets the same placement.
        self._racks = [_Rack(by_name[name], rng) for name in sorted(by_name)]
        # With a fixed start, the first partition of each topic would be led in the same rack.
        self._start = rng.below(len(self._racks))
        self._unfenced_count = sum(len(rack.unfenced) for rack in self._racks)
        self._partition = 0
        self._rng = rng

    def next_partition(self, replication_factor: int) -> tuple[int, ...]:
        """Replicas of the next partition, the leader first."""
        if self._partition > 0:
            self._start += 1
            # By then the same combinations of brokers come again. If they always shared partitions,
            # the loss of one broker would load the same few others.
            if self._unfenced_count > 1 and self._partition % self._unfenced_count == 0:
                self._shuffle()
        # From the moving start, so that leaders are spread over the racks as evenly as replicas are.
        order = [self._racks[(self._start + i) % len(self._racks)] for i in range(len(self._racks))]
        # The first replica is the preferred leader. On a fenced broker the partition would begin
        # with an election.
        leader_rack = next(rack for rack in order if len(rack.unfenced))
        leader = leader_rack.unfenced.take(self._partition)
        assert leader is not None, "an unfenced broker leads"
        replicas = [leader]
        skipped: _Rack | None = leader_rack
        position = 0
        while len(replicas) < replication_factor:
            rack = order[position % len(order)]
            position += 1
            # The leader has taken its rack's turn. To take a second replica there before the other
            # racks have one would weaken what racks are for.
            if rack is skipped:
                skipped = None
                continue
            broker_id = rack.take(self._partition)
            if broker_id is not None:
                replicas.append(broker_id)
        # At the end: all replicas of a partition are taken under one number, so each ring moves by one.
        assert len({*replicas}) == len(replicas), f"replicas {replicas} name a broker twice"
        self._partition += 1
        return tuple(replicas)

    def _shuffle(self) -> None:
        _shuffle(self._racks, self._rng)
        for rack in self._racks:
            rack.unfenced.shuffle(self._rng)
            rack.fenced.shuffle(self._rng)


def _shuffle(items: list[T], rng: Rng) -> None:
    # Not random.shuffle: all randomness comes from the node's Rng, so that a seed repeats a run.
    for last in range(len(items) - 1, 0, -1):
        other = rng.below(last + 1)
        items[last], items[other] = items[other], items[last]


def new_partition(image: ClusterImage, replicas: Sequence[int]) -> PartitionImage:
    """A new partition on these brokers: the active ones are in sync, and the first of these leads.

    Raises ApiError (INVALID_REPLICA_ASSIGNMENT) if none of them is active.
    """
    assert replicas, "a partition has at least one replica"
    # A new partition is empty, so every active replica is complete. A fenced one may be down, and
    # would keep the high watermark back.
    isr = tuple(
        replica for replica in replicas if replica in image.brokers and image.brokers[replica].is_active()
    )
    if not isr:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"Every broker of assignment {list(replicas)} is fenced or shutting down, so none can lead.",
        )
    return PartitionImage(
        replicas=tuple(replicas),
        directories=tuple(directory_for_new_replica(image, replica) for replica in replicas),
        isr=isr,
        leader=isr[0],
    )


def directory_for_new_replica(image: ClusterImage, broker_id: int) -> bytes:
    """Directory id of a new replica on a broker (KIP-858); a real directory only if the broker has exactly one."""
    broker = image.brokers.get(broker_id)
    if broker is None:
        return UNASSIGNED_DIRECTORY
    if not broker.directories:
        return MIGRATING_DIRECTORY
    # With several directories the broker itself chooses and reports it by AssignReplicasToDirs:
    # only it knows how full they are.
    return broker.directories[0] if len(broker.directories) == 1 else UNASSIGNED_DIRECTORY
