"""Decides a partition's leader, ISR and ELR when replicas come and go (KIP-455, KIP-858, KIP-966).

`partition_change` makes the decision (Apache Kafka: ``PartitionChangeBuilder``).

A replica is *acceptable* as a leader if its broker is active and its directory is online. It is a *valid*
leader if it is acceptable and a member of the target ISR or, if that is empty, of the eligible leader
replicas (ELR).

- The present leader stays if it is valid; else the first valid replica in order of assignment is elected. A
  preferred election asks the first replica before the present leader.
- Else, with ELR on and neither ISR nor ELR left, the last known leader, if it is acceptable: an unclean
  election, but of the replica that is likely to miss least.
- Else, if the topic allows unclean elections, the first acceptable replica.
- Else nobody leads. Without ELR the ISR then stays as it was, so that it is never written empty.

A replica that is elected uncleanly becomes the whole ISR, in recovery. With ELR on, replicas that leave an ISR below
min.insync.replicas move to the ELR: they hold all acknowledged records, and may lead again.

A reassignment is complete once the target ISR holds all added replicas, and at least one replica that stays. If more
replicas are removed than added, it has to hold all replicas that stay. Replicas that were added and are now to be
removed again count as neither added nor removed. The change that completes the reassignment also takes the removed
replicas away, and elects a new leader if the leader is among them. A removed replica is no longer eligible; Apache
Kafka's controllers leave it in the ELR if the ISR shrinks below min.insync.replicas by its removal.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from kafkaproto.message import Message
from kafkaproto.messages import PartitionChangeRecord
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.controller.partitions.placement import directory_for_new_replica
from kafkaproto_server.core.controller.values.topic_configs import TopicConfigs
from kafkaproto_server.metadata.image.apply_topics import (
    NO_LEADER_CHANGE,
    NO_RECOVERY_STATE_CHANGE,
    merge_partition,
)
from kafkaproto_server.metadata.image.entries import RECOVERING, PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import DIRECTORIES_LEVEL


class Election(enum.Enum):
    """Which replicas an election may choose."""

    CLEAN = "clean"
    """Only a replica that holds all acknowledged records (or the last known leader, see the module's head)."""
    PREFERRED = "preferred"
    """As clean, but the first replica before all others."""
    UNCLEAN = "unclean"
    """Any acceptable replica, if there is no better one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadershipRules:
    """The rules by which a topic's partitions get their leaders, besides the partitions' own state."""

    is_acceptable: Callable[[PartitionImage, int], bool]
    """Whether the partition's replica on that broker may lead."""
    election: Election
    elr_enabled: bool
    min_isr: int
    """min.insync.replicas of the topic, at most the number of replicas of its first partition; a partition with
    fewer replicas needs no more than it has."""
    new_directory: Callable[[int], bytes] | None
    """Directory id of a new replica on a broker; None if the metadata.version does not record directories yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The wanted state of a partition, elections aside; None in a field says that it stays as it is."""

    isr: tuple[int, ...] | None = None
    replicas: tuple[int, ...] | None = None
    adding: tuple[int, ...] | None = None
    removing: tuple[int, ...] | None = None
    recovery_state: int | None = None
    directories: Mapping[int, bytes] = field(default_factory=dict)
    """By broker id, the new directory ids of replicas that moved."""
    lost_replicas: Sequence[int] = ()
    """Replicas that may have lost acknowledged records (their brokers crashed): they may not be in the ELR."""


@dataclass(slots=True, kw_only=True)
class _Target:
    """The state that a partition will have, worked out step by step. ``leader`` is the present one until an election
    changes it.
    """

    leader: int
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    last_known_elr: tuple[int, ...]
    replicas: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]
    unclean: bool = False


def partition_change(
    topic_id: bytes, index: int, partition: PartitionImage, goal: Goal, rules: LeadershipRules
) -> PartitionChangeRecord | None:
    """The record that moves a partition to the goal and elects a leader if needed; None if nothing changes.

    Only this function decides on leaders, ISRs, ELRs, directories and the end of reassignments.
    """
    # The order is that of Kafka's PartitionChangeBuilder. The end of a reassignment changes the
    # ISR, on which the ELR rests; both decide who may lead.
    target = _target(partition, goal)
    _finish_reassignment(target)
    _choose_elr(target, partition, rules, goal.lost_replicas)
    # The election has to see the new directories: the same record may say that a directory is
    # offline, or that a lost replica was found.
    _elect(target, _with_directories(partition, goal.directories), rules)
    _remember_last_leader(target, partition, rules)
    # Without ELR, a partition that no replica can lead keeps its ISR, for the replica that comes back first.
    isr = target.isr if target.isr or rules.elr_enabled else partition.isr
    assert target.leader in (NO_NODE, *isr), (
        f"broker {target.leader} would lead from outside of the ISR {isr}"
    )
    assert not {*target.elr} & {*isr}, f"ELR {target.elr} and ISR {isr} share a replica"
    lists = (
        _if_changed(partition.isr, isr),
        _if_changed(partition.replicas, target.replicas),
        _if_changed(partition.removing_replicas, target.removing),
        _if_changed(partition.adding_replicas, target.adding),
        _if_changed(partition.elr, target.elr),
        _if_changed(partition.last_known_elr, target.last_known_elr),
    )
    directories = _directories_to_record(partition, goal, target, rules)
    leader = _leader_to_record(partition, target)
    recovery_state = _recovery_state_to_record(partition, goal, target)
    stays = (leader, recovery_state, directories) == (NO_LEADER_CHANGE, NO_RECOVERY_STATE_CHANGE, None)
    # Every PartitionChangeRecord raises the partition epoch. An empty one would make the leader's
    # next AlterPartition fail with INVALID_UPDATE_VERSION for nothing.
    if stays and lists == _NO_LISTS:
        return None
    return PartitionChangeRecord(
        partition_id=index,
        topic_id=topic_id,
        isr=lists[0],
        leader=leader,
        replicas=lists[1],
        removing_replicas=lists[2],
        adding_replicas=lists[3],
        leader_recovery_state=recovery_state,
        directories=directories,
        eligible_leader_replicas=lists[4],
        last_known_elr=lists[5],
    )


_NO_LISTS = (None,) * 6


def _if_changed(old: tuple[int, ...], new: tuple[int, ...]) -> list[int] | None:
    # In the record, null says "no change" and an empty list says "empty". To mix them up would
    # clear an ISR.
    return None if new == old else list(new)


def _leader_to_record(partition: PartitionImage, target: _Target) -> int:
    if target.leader != partition.leader:
        return target.leader
    # A shrunk ISR does not raise the leader epoch. Kafka does that only below metadata.version
    # 3.6-IV0, because brokers needed it then (KAFKA-15021).
    if target.replicas == partition.replicas:
        return NO_LEADER_CHANGE
    # Naming the leader starts a new leader epoch, so that no broker takes a removed replica for a follower.
    drops_replicas = any(replica not in target.replicas for replica in partition.replicas)
    return target.leader if drops_replicas else NO_LEADER_CHANGE


def _recovery_state_to_record(partition: PartitionImage, goal: Goal, target: _Target) -> int:
    # An unclean election overrides what the request says: a new leader cannot have recovered yet.
    state = RECOVERING if target.unclean else goal.recovery_state
    if state is None or state == partition.leader_recovery_state:
        return NO_RECOVERY_STATE_CHANGE
    return state


def _directories_to_record(
    partition: PartitionImage, goal: Goal, target: _Target, rules: LeadershipRules
) -> list[bytes] | None:
    """The directories of all replicas, in the replicas' order; None if none of them changes."""
    # The record lists the directories of all replicas or none. To repeat them without a change
    # costs 16 bytes a replica.
    if rules.new_directory is None or (not goal.directories and target.replicas == partition.replicas):
        return None
    # New places over the recorded ones. A replica that is in neither is new, and gets what its broker has.
    known = {**dict(zip(partition.replicas, partition.directories, strict=True)), **goal.directories}
    directories = tuple(
        known[replica] if replica in known else rules.new_directory(replica) for replica in target.replicas
    )
    return None if directories == partition.directories else list(directories)


def _target(partition: PartitionImage, goal: Goal) -> _Target:
    """The goal, with the present state in the fields that it leaves out."""
    return _Target(
        leader=partition.leader,
        isr=partition.isr if goal.isr is None else goal.isr,
        # The ELR does not carry over: `_choose_elr` derives it anew from the old ELR and the old
        # ISR.
        elr=(),
        last_known_elr=partition.last_known_elr,
        replicas=partition.replicas if goal.replicas is None else goal.replicas,
        adding=partition.adding_replicas if goal.adding is None else goal.adding,
        removing=partition.removing_replicas if goal.removing is None else goal.removing,
    )


def _finish_reassignment(target: _Target) -> None:
    """Remove the replicas that are to be removed, once the others no longer need them."""
    if not target.adding and not target.removing:
        return
    isr = tuple(replica for replica in target.isr if replica not in target.removing)
    replicas = tuple(replica for replica in target.replicas if replica not in target.removing)
    # A replica in both was added by an earlier target and is not wanted any more. To wait for it
    # would hold up the reassignment for a copy that is thrown away.
    coming, going = {*target.adding} - {*target.removing}, {*target.removing} - {*target.adding}
    # With fewer replicas than before, each of them has to hold what the removed ones held.
    needed = {*replicas} if len(going) > len(coming) else coming
    # To remove replicas before the new ones are in sync could remove the only complete copies.
    if isr and needed <= {*isr}:
        # All four in one record: a reader never sees removed replicas that are still to be removed.
        target.isr, target.replicas = isr, replicas
        target.adding = target.removing = ()


def _choose_elr(
    target: _Target, partition: PartitionImage, rules: LeadershipRules, lost_replicas: Sequence[int]
) -> None:
    """Choose the ELR, before any election. If the ISR has min.insync.replicas, nobody else need be eligible."""
    if rules.elr_enabled and len(target.isr) < rules.min_isr:
        # A partition may have fewer replicas than min_isr. With all of them in the ISR, nobody is left to be eligible.
        # Below min.insync.replicas no record with acks=all is acknowledged. So whoever leaves the
        # ISR from here on misses nothing that was (KIP-966).
        left = {*partition.elr, *partition.isr} - {*target.isr, *lost_replicas}
        # Sorted, because a set has no order of its own: the same seed has to lead to the same
        # bytes.
        target.elr = tuple(sorted(left & {*target.replicas}))
    elif not rules.elr_enabled and not partition.isr and not target.isr:
        # Kept from when ELR was on, as long as nobody has led since. Once somebody leads, more may be acknowledged
        # than these replicas have: without ELR, nothing here tells when.
        target.elr = tuple(
            replica for replica in partition.elr if replica in {*target.replicas} - {*lost_replicas}
        )


def _elect(target: _Target, partition: PartitionImage, rules: LeadershipRules) -> None:
    # With anybody in the ISR the ELR is not asked: its members are behind, though they have all that was acknowledged.
    eligible = target.isr or target.elr
    # The present leader comes first: a change that does not concern it must not move clients to
    # another broker.
    candidates = (partition.leader, *target.replicas)
    if rules.election is Election.PREFERRED:
        # As in Kafka only the first replica is preferred; if it cannot lead, the present leader stays.
        candidates = (target.replicas[0], *candidates)
    for replica in candidates:
        if replica in eligible and rules.is_acceptable(partition, replica):
            target.leader = replica
            if replica not in target.isr:
                target.isr = (replica,)
                # ISR and ELR have no common member. As in Kafka, the others stay in the ELR until a
                # later change finds that the ISR has min.insync.replicas.
                target.elr = (
                    tuple(each for each in target.elr if each != replica) if rules.elr_enabled else ()
                )
            return
    # Without this, a partition whose whole ISR crashed would stay offline for ever, although the
    # replica that led last is back. Kafka does this without the topic's consent, too.
    if rules.elr_enabled and not eligible and len(partition.last_known_elr) == 1:
        (last_leader,) = partition.last_known_elr
        # Kafka keeps one last known leader, and so does this server: more would be a guess which of them has most.
        if last_leader in target.replicas and rules.is_acceptable(partition, last_leader):
            _lead_uncleanly(target, last_leader)
            return
    if rules.election is Election.UNCLEAN:
        # In the order of assignment, as in Kafka: nobody knows here which log is the longest (KIP-966 leaves that for
        # later).
        for replica in target.replicas:
            if rules.is_acceptable(partition, replica):
                _lead_uncleanly(target, replica)
                return
    # No leader is better than one that lacks acknowledged records.
    target.leader = NO_NODE


def _lead_uncleanly(target: _Target, leader: int) -> None:
    target.leader, target.isr, target.elr, target.unclean = leader, (leader,), (), True


def _remember_last_leader(target: _Target, partition: PartitionImage, rules: LeadershipRules) -> None:
    """Remember the last leader when it goes, and forget it when there is a leader again. Only with ELR on."""
    # Without ELR the ISR is never empty, so it names the replicas that may lead again.
    if not rules.elr_enabled:
        return
    if target.leader != NO_NODE:
        target.last_known_elr = ()
    # Only when it goes: the next change of a partition without a leader must not overwrite the name with -1.
    elif partition.leader != NO_NODE:
        target.last_known_elr = (partition.leader,)


class PartitionChanges:
    """Changes that a command makes to partitions one after the other; each starts from the result of those before."""

    def __init__(self, image: ClusterImage, configs: TopicConfigs) -> None:
        self.records: list[Message] = []
        self._image = image
        self._configs = configs
        self._changed: dict[tuple[bytes, int], PartitionImage] = {}
        self._rules: dict[tuple[bytes, Election | None], LeadershipRules] = {}

    def partition(self, topic: TopicImage, index: int) -> PartitionImage | None:
        """A partition after the changes so far; None if the topic has no such partition."""
        return self._changed.get((topic.topic_id, index)) or topic.partitions.get(index)

    def change(
        self, topic: TopicImage, index: int, goal: Goal, *, election: Election | None = None
    ) -> PartitionImage | None:
        """Move an existing partition to the goal, and elect a leader if needed.

        Returns the changed partition, None if nothing changed. If ``election`` is None, the topic's configs decide
        whether an election may be unclean.
        """
        partition = self.partition(topic, index)
        assert partition is not None, f"{topic.name}-{index} does not exist"
        key = topic.topic_id, election
        if key not in self._rules:
            self._rules[key] = leadership_rules(self._image, self._configs, topic, election=election)
        # The same function decides for requests, heartbeats and periodic tasks. Kafka has one
        # PartitionChangeBuilder for the same reason: rules in two places would drift apart.
        record = partition_change(topic.topic_id, index, partition, goal, self._rules[key])
        if record is None:
            return None
        self.records.append(record)
        # By the function that replay uses, so that the epochs in a response are those that every
        # node will have.
        changed = self._changed[topic.topic_id, index] = merge_partition(partition, record)
        return changed


def _with_directories(partition: PartitionImage, directories: Mapping[int, bytes]) -> PartitionImage:
    """The partition with some replicas in other directories, as elections have to see it."""
    if not directories:
        return partition
    moved = (
        directories.get(replica, directory)
        for replica, directory in zip(partition.replicas, partition.directories, strict=True)
    )
    return msgspec.structs.replace(partition, directories=tuple(moved))


def leadership_rules(
    image: ClusterImage,
    configs: TopicConfigs,
    topic: TopicImage,
    *,
    election: Election | None = None,
    joining: int = NO_NODE,
    leaving: int = NO_NODE,
) -> LeadershipRules:
    """The rules for one topic's partitions by the image. Without ``election``, the topic's configs decide whether an
    election may be unclean."""

    def is_acceptable(partition: PartitionImage, broker_id: int) -> bool:
        broker = image.brokers.get(broker_id)
        # Names of brokers that were unregistered, or of replicas that were removed, may remain in
        # the last known ELR.
        if broker is None or broker_id == leaving or broker_id not in partition.replicas:
            return False
        # The record that unfences the broker precedes these, but the image does not show it yet.
        active = broker_id == joining or broker.is_active()
        return active and broker.has_online_directory(partition.directory_of(broker_id))

    def new_directory(broker_id: int) -> bytes:
        return directory_for_new_replica(image, broker_id)

    if election is None:
        # Kafka reads this config wherever the controller elects by itself: at fencings, registrations and unfencings.
        unclean = configs.unclean_election_enabled(topic.name)
        election = Election.UNCLEAN if unclean else Election.CLEAN
    return LeadershipRules(
        is_acceptable=is_acceptable,
        election=election,
        elr_enabled=image.elr_enabled,
        # As in Apache Kafka, the number of replicas of the first partition limits it for all partitions.
        min_isr=min(configs.min_insync_replicas(topic.name), len(topic.partitions[0].replicas)),
        new_directory=new_directory if image.metadata_version >= DIRECTORIES_LEVEL else None,
    )
