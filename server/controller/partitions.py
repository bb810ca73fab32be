"""Who leads a partition and who is in sync, when replicas come and go (KIP-966 included).

A replica is *acceptable* as a leader if its broker is active and its directory is online. It is a *valid*
leader if it is acceptable and a member of the target ISR or, where that is empty, of the eligible leader
replicas (ELR).

- The present leader stays if it is valid; else the first valid replica in order of assignment is elected.
- Else, with ELR on and neither ISR nor ELR left, the last known leader, if it is acceptable: an unclean
  election, but of the replica that is likely to miss least.
- Else, where the topic allows unclean elections, the first acceptable replica.
- Else nobody leads. Without ELR the ISR then stays as it was, so that it is never written empty.

Whoever is elected uncleanly becomes the whole ISR, in recovery. With ELR on, replicas that leave an ISR below
min.insync.replicas move to the ELR: they hold all that was acknowledged, and may lead again.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kafkaproto.messages import PartitionChangeRecord
from server.controller.settings import TopicSettings
from server.image.apply_topics import NO_LEADER_CHANGE, NO_RECOVERY_STATE_CHANGE
from server.image.image import RECOVERING, ClusterImage, PartitionImage, TopicImage
from server.types import NO_NODE


class Election(enum.Enum):
    """How far an election may go."""

    CLEAN = "clean"
    """Only a replica that holds everything acknowledged (or is the last known leader, see above)."""
    UNCLEAN = "unclean"
    """Any acceptable replica, if there is no better one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadershipRules:
    """What decides about one partition, besides its own state."""

    is_acceptable: Callable[[int], bool]
    """Whether the replica on that broker may lead."""
    election: Election
    elr_enabled: bool
    min_isr: int
    """min.insync.replicas of the topic, at most the number of replicas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """Where a partition is heading. ``leader`` is the present one until an election says otherwise."""

    leader: int
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    last_known_elr: tuple[int, ...]
    unclean: bool = False


def partition_change(
    topic_id: bytes,
    index: int,
    partition: PartitionImage,
    target_isr: Sequence[int],
    rules: LeadershipRules,
    *,
    lost_replicas: Sequence[int] = (),
) -> PartitionChangeRecord | None:
    """The record that moves a partition to the target ISR and elects as needed; None where nothing changes.

    ``lost_replicas`` are those that may have lost acknowledged records (their brokers crashed): they may
    not be in the ELR.
    """
    target = _elect(partition, _with_elr(partition, tuple(target_isr), rules, lost_replicas), rules)
    target = _with_last_known_leader(partition, target, rules)
    # Without ELR the ISR of a partition that nobody can lead stays, for the replica that comes back first.
    isr = target.isr if target.isr or rules.elr_enabled else partition.isr
    starts_recovery = target.unclean and partition.leader_recovery_state != RECOVERING
    record = PartitionChangeRecord(
        partition_id=index,
        topic_id=topic_id,
        isr=_if_changed(partition.isr, isr),
        leader=NO_LEADER_CHANGE if target.leader == partition.leader else target.leader,
        leader_recovery_state=RECOVERING if starts_recovery else NO_RECOVERY_STATE_CHANGE,
        eligible_leader_replicas=_if_changed(partition.elr, target.elr),
        last_known_elr=_if_changed(partition.last_known_elr, target.last_known_elr),
    )
    nothing = PartitionChangeRecord(partition_id=index, topic_id=topic_id)
    return None if record == nothing else record


def _if_changed(old: tuple[int, ...], new: tuple[int, ...]) -> list[int] | None:
    return None if new == old else list(new)


def _with_elr(
    partition: PartitionImage,
    target_isr: tuple[int, ...],
    rules: LeadershipRules,
    lost_replicas: Sequence[int],
) -> _Target:
    """The target before any election: with enough in sync nobody else need be eligible."""
    elr: tuple[int, ...] = ()
    if rules.elr_enabled and len(target_isr) < rules.min_isr:
        excluded = {*target_isr, *lost_replicas}
        elr = tuple(sorted({*partition.elr, *partition.isr} - excluded))
    return _Target(leader=partition.leader, isr=target_isr, elr=elr, last_known_elr=partition.last_known_elr)


def _elect(partition: PartitionImage, target: _Target, rules: LeadershipRules) -> _Target:
    eligible = target.isr or target.elr
    candidates = (partition.leader, *partition.replicas)
    for replica in candidates:
        if replica in eligible and rules.is_acceptable(replica):
            return _led_by(target, replica)
    if rules.elr_enabled and not eligible and len(partition.last_known_elr) == 1:
        (last_leader,) = partition.last_known_elr
        if rules.is_acceptable(last_leader):
            return _led_uncleanly_by(last_leader)
    if rules.election is Election.UNCLEAN:
        for replica in partition.replicas:
            if rules.is_acceptable(replica):
                return _led_uncleanly_by(replica)
    return _Target(leader=NO_NODE, isr=target.isr, elr=target.elr, last_known_elr=target.last_known_elr)


def _led_by(target: _Target, leader: int) -> _Target:
    if leader in target.isr:
        return _Target(leader=leader, isr=target.isr, elr=target.elr, last_known_elr=target.last_known_elr)
    elr = tuple(replica for replica in target.elr if replica != leader)
    return _Target(leader=leader, isr=(leader,), elr=elr, last_known_elr=target.last_known_elr)


def _led_uncleanly_by(leader: int) -> _Target:
    return _Target(leader=leader, isr=(leader,), elr=(), last_known_elr=(), unclean=True)


def _with_last_known_leader(partition: PartitionImage, target: _Target, rules: LeadershipRules) -> _Target:
    """Remember who led when the last leader goes, and forget it when there is one again."""
    last_known = target.last_known_elr
    if not rules.elr_enabled or target.leader != NO_NODE:
        last_known = ()
    elif partition.leader != NO_NODE:
        last_known = (partition.leader,)
    return _Target(
        leader=target.leader,
        isr=target.isr,
        elr=target.elr,
        last_known_elr=last_known,
        unclean=target.unclean,
    )


# --- all partitions that a change of one broker touches ---

Located = tuple[TopicImage, int, PartitionImage]
"""A partition with its topic and its index."""


def all_partitions(image: ClusterImage) -> Iterator[Located]:
    """Every partition, by topic name and partition index."""
    for topic in image.topics_in_order():
        for index, partition in topic.partitions_in_order():
            yield topic, index, partition


def leads_any_partition(image: ClusterImage, broker_id: int) -> bool:
    """Whether the broker leads at least one partition."""
    return any(partition.leader == broker_id for _, _, partition in all_partitions(image))


def changes_without(
    image: ClusterImage, settings: TopicSettings, broker_id: int
) -> list[PartitionChangeRecord]:
    """What makes the broker leave every ISR and every leadership, in good order: it has lost nothing."""
    affected = (each for each in all_partitions(image) if broker_id in each[2].isr)
    return _changes(image, settings, affected, leaving=broker_id)


def changes_without_crashed(
    image: ClusterImage, settings: TopicSettings, broker_id: int
) -> list[PartitionChangeRecord]:
    """As `changes_without`, for a broker that may have lost acknowledged records: it leaves every ELR too."""
    affected = (
        each for each in all_partitions(image) if broker_id in each[2].isr or broker_id in each[2].elr
    )
    return _changes(image, settings, affected, leaving=broker_id, lost_replicas=(broker_id,))


def changes_without_directories(
    image: ClusterImage, settings: TopicSettings, broker_id: int, directories: Sequence[bytes]
) -> list[PartitionChangeRecord]:
    """What makes the broker leave those partitions that lie in directories which it cannot read any more."""
    affected = (
        each
        for each in all_partitions(image)
        if broker_id in each[2].isr and each[2].directory_of(broker_id) in directories
    )
    return _changes(image, settings, affected, leaving=broker_id)


def changes_with(image: ClusterImage, settings: TopicSettings, broker_id: int) -> list[PartitionChangeRecord]:
    """What gives leaderless partitions a leader once the broker is unfenced."""
    leaderless = (each for each in all_partitions(image) if each[2].leader == NO_NODE)
    return _changes(image, settings, leaderless, joining=broker_id)


def _changes(
    image: ClusterImage,
    settings: TopicSettings,
    partitions: Iterable[Located],
    *,
    joining: int = NO_NODE,
    leaving: int = NO_NODE,
    lost_replicas: Sequence[int] = (),
) -> list[PartitionChangeRecord]:
    """Records for these partitions, the image still showing the brokers as they were.

    ``joining`` counts as active whatever the image says, ``leaving`` never does.
    """
    records = []
    for topic, index, partition in partitions:
        rules = leadership_rules(image, settings, topic, partition, joining=joining, leaving=leaving)
        target_isr = [replica for replica in partition.isr if replica != leaving]
        record = partition_change(
            topic.topic_id, index, partition, target_isr, rules, lost_replicas=lost_replicas
        )
        if record is not None:
            records.append(record)
    return records


def leadership_rules(
    image: ClusterImage,
    settings: TopicSettings,
    topic: TopicImage,
    partition: PartitionImage,
    *,
    joining: int = NO_NODE,
    leaving: int = NO_NODE,
) -> LeadershipRules:
    """The rules for one partition as the image has them."""

    def is_acceptable(broker_id: int) -> bool:
        broker = image.brokers.get(broker_id)
        if broker is None or broker_id == leaving or broker_id not in partition.replicas:
            return False
        active = broker_id == joining or broker.is_active()
        return active and broker.has_online_directory(partition.directory_of(broker_id))

    unclean = settings.unclean_election_enabled(topic.name)
    # Stock controllers hold all partitions of a topic against the replicas of the first.
    replica_count = min(len(partition.replicas), len(topic.partitions[0].replicas))
    return LeadershipRules(
        is_acceptable=is_acceptable,
        election=Election.UNCLEAN if unclean else Election.CLEAN,
        elr_enabled=image.elr_enabled,
        min_isr=min(settings.min_insync_replicas(topic.name), replica_count),
    )
