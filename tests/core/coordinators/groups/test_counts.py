"""How many groups are in each state, and what is counted of them: always what a recount of all groups would say.

Tests: `core.coordinators.groups.counted`.
"""

from __future__ import annotations

import enum
import random
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import GroupMetadataKey, GroupMetadataValue
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicState
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup, ConsumerState
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.groups.shard import GroupShard
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroupState
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup, StreamsState
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import HeartbeatValues
from kafkaproto_server.requests.group_requests import SyncValues
from kafkaproto_server.requests.share_group_requests import ShareHeartbeatValues
from kafkaproto_server.requests.streams_group_requests import StreamsHeartbeatValues
from tests.core.coordinators.support.groups import DELAY_MS, SESSION_MS, Groups
from tests.core.coordinators.support.offsets import of
from tests.core.coordinators.support.share_groups import ShareCoordinator
from tests.core.coordinators.support.streams import joining

NAMES = [f"g{number}" for number in range(6)]
MEMBERS = ["m0", "m1", "m2"]
SEEDS = 12
STEPS = 250
TURN_LIMIT_S = 0.05


def consumer_state(group: ConsumerGroup) -> ConsumerState:
    """The state by looking at all members."""
    if not group.members:
        return ConsumerState.EMPTY
    if group.epoch > group.assignment_epoch:
        return ConsumerState.ASSIGNING
    members = group.members.values()
    is_stable = all(each.is_reconciled_to(group.assignment_epoch) for each in members)
    return ConsumerState.STABLE if is_stable else ConsumerState.RECONCILING


def streams_state(group: StreamsGroup) -> StreamsState:
    """The same of a streams group."""
    if not group.members:
        return StreamsState.EMPTY
    if group.topology is None or group.topology.epoch != group.validated_topology_epoch:
        return StreamsState.NOT_READY
    if group.epoch > group.assignment_epoch:
        return StreamsState.ASSIGNING
    members = group.members.values()
    is_stable = all(each.is_reconciled_to(group.assignment_epoch) for each in members)
    return StreamsState.STABLE if is_stable else StreamsState.RECONCILING


def assert_counted(shard: GroupShard) -> None:
    """The counters are what a walk over all groups finds."""
    counts = shard.counts
    assert +Counter(counts.classic) == Counter(each.state for each in shard._classic.groups.values())
    assert +Counter(counts.consumer) == Counter(map(consumer_state, shard._consumer.groups.values()))
    assert +Counter(counts.streams) == Counter(map(streams_state, shard._streams.groups.values()))
    assert +Counter(counts.share) == Counter(each.state for each in shard.share.groups.groups.values())
    assert counts.offsets == sum(1 for _ in shard._offsets.logged.table)
    assert all(each >= 0 for kind in counts[:4] for each in kind.values())


def share_joins(group_id: str) -> ShareHeartbeatValues:
    """A member joins a share group."""
    return ShareHeartbeatValues(
        group_id=group_id, member_id="m", member_epoch=0, subscribed_topic_names=("a",)
    )


class Life:
    """Groups of all kinds that share a few names, and what happens to them at random."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.groups = ShareCoordinator(
            {"a": 2, "b": 3},
            consumer_migration_policy="bidirectional",
            streams_assignment_interval_ms=1_000,
        )
        self.seen: Counter[enum.Enum] = Counter()

    @property
    def shard(self) -> GroupShard:
        return self.groups.shard

    def step(self) -> None:
        """Something happens to one of the groups."""
        act = self.rng.choice(
            (
                *(self.classic, self.consumer, self.streams, self.share) * 3,
                self.offsets,
                self.end,
                self.time_passes,
                self.trouble,
            )
        )
        with suppress(CoordinatorError):
            act(self.rng.choice(NAMES))
        self.groups.advance(10)
        for kind in self.shard.counts[:4]:
            self.seen.update({state: 1 for state, number in kind.items() if number})

    def classic(self, name: str) -> None:
        group, rng = self.shard._classic.groups.get(name), self.rng
        if group is None or not group.members or rng.random() < 0.3:
            for _ in range(2):
                self.groups.join(group=name)
            self.groups.advance(rng.choice((1, 2 * DELAY_MS)))
        elif rng.random() < 0.2:
            self.shard.leave(name, [(rng.choice(list(group.members)), None)])
        elif rng.random() < 0.2:
            self.groups.join(rng.choice(list(group.members)), group=name)
        else:
            values = {"group_instance_id": None, "protocol_type": "consumer", "protocol": "range"}
            for member_id in tuple(group.members):
                asked = SyncValues(member_id=member_id, generation=group.generation, assignments=(), **values)
                self.shard.sync(name, asked, lambda outcome: None)

    def consumer(self, name: str) -> None:
        member_id, rng = rng_member(self.rng), self.rng
        group = self.shard._consumer.groups.get(name)
        member = None if group is None else group.members.get(member_id)
        values: dict[str, Any] = {"group_id": name, "member_id": member_id}
        if member is None:
            values |= {
                "member_epoch": 0,
                "rebalance_timeout_ms": 1_000,
                "topic_partitions": {},
                "subscribed_topic_names": (rng.choice("ab"),),
            }
        elif rng.random() < 0.3:
            values["member_epoch"] = -1
        else:
            values["member_epoch"] = member.epoch
            values["topic_partitions"] = {each: tuple(indexes) for each, indexes in member.assigned.items()}
        self.shard.consumer_heartbeat(HeartbeatValues(**values), lambda outcome: None)

    def streams(self, name: str) -> None:
        member_id, rng = rng_member(self.rng), self.rng
        group = self.shard._streams.groups.get(name)
        member = None if group is None else group.members.get(member_id)
        values: dict[str, Any] = {"group_id": name, "member_id": member_id}
        if member is None:
            values |= {"member_epoch": 0, **joining(member_id)}
        elif rng.random() < 0.3:
            values["member_epoch"] = -1
        else:
            values["member_epoch"] = member.epoch
        self.shard.streams_heartbeat(StreamsHeartbeatValues(**values), lambda outcome: None)

    def share(self, name: str) -> None:
        member_id, rng = rng_member(self.rng), self.rng
        group = self.shard.share.groups.groups.get(name)
        member = None if group is None else group.members.get(member_id)
        if member is None:
            self.groups.send(member_id, 0, "a", group_id=name)
        else:
            self.groups.send(member_id, -1 if rng.random() < 0.3 else member.epoch, group_id=name)

    def offsets(self, name: str) -> None:
        if self.rng.random() < 0.6:
            self.groups.commit(of("a", self.rng.randrange(3), 7), group=name)
        elif self.rng.random() < 0.5:
            self.groups.delete_offsets("a", 0, 1, group=name)
        else:
            self.groups.commit_in_transaction(5, of("a", 0, 8), group=name)
            self.groups.end(5, is_commit=self.rng.random() < 0.5)

    def end(self, name: str) -> None:
        self.shard.delete(name, lambda code: None)

    def time_passes(self, name: str) -> None:
        self.groups.advance(self.rng.choice((1, 1_000, SESSION_MS + 1, 50_000, 700_000)))

    def trouble(self, name: str) -> None:
        """The coordinator moves, topics change, or the log takes or commits nothing for a while."""
        groups, rng = self.groups, self.rng
        match rng.randrange(4):
            case 0:
                old = self.shard
                groups.move()
                assert not any(number for kind in old.counts[:4] for number in kind.values())
            case 1:
                groups.change_topic(rng.choice("ab"), rng.choice((None, 2, 4)))
            case 2:
                groups.log.refusal = None if groups.log.refusal else ErrorCode.NOT_ENOUGH_REPLICAS
            case _:
                groups.log.commits_at_once = not groups.log.commits_at_once
                groups.log.commit()


def rng_member(rng: random.Random) -> str:
    """One of the members."""
    return rng.choice(MEMBERS)


def test_counters_are_what_a_recount_finds_whatever_happens() -> None:
    seen: Counter[enum.Enum] = Counter()
    for seed in range(SEEDS):
        life = Life(seed)
        for _ in range(STEPS):
            life.step()
            assert_counted(life.shard)
        seen += life.seen
    # Else the test says little. No group stays dead.
    states = (*ClassicState, *ConsumerState, *ShareGroupState, *StreamsState)
    assert [each for each in states if not seen[each]] == [ClassicState.DEAD]


def test_a_coordinator_that_moves_takes_its_groups_along_and_leaves_what_was_done() -> None:
    groups = Groups()
    groups.consumer()
    groups.commit(of("a", 0, 7), group="simple")
    before = groups.shard
    counted = groups.metrics.offset_commits, groups.metrics.consumer_rebalances
    groups.move()
    assert counted == (1, 1)
    # Reading the records counts nothing.
    assert (groups.metrics.offset_commits, groups.metrics.consumer_rebalances) == counted
    assert not any(before.counts.consumer.values())
    assert groups.shard.counts.consumer[ConsumerState.STABLE] == 1
    assert groups.shard.counts.classic[ClassicState.EMPTY] == 1
    assert groups.shard.counts.offsets == 1


def test_a_member_whose_record_is_read_twice_counts_once() -> None:
    groups = Groups()
    groups.consumer(group="consumer")
    groups.streams(group="streams")
    for entry in tuple(groups.log.entries):
        groups.shard.replay(*groups.log.decoded(entry), entry.offset, -1)
    for entry in groups.log.entries[-2:] * 2:
        groups.shard.replay(*groups.log.decoded(entry), entry.offset, -1)
    assert_counted(groups.shard)
    assert groups.shard.counts.consumer[ConsumerState.STABLE] == 1
    assert groups.shard.counts.streams[StreamsState.STABLE] == 1


def test_what_the_log_refuses_is_not_counted() -> None:
    groups = ShareCoordinator()
    groups.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    groups.consumer()
    groups.streams(group="streams")
    with pytest.raises(CoordinatorError):
        groups.share.groups.heartbeat(share_joins("share"), lambda outcome: None)
    groups.commit(of("a", 0, 7), group="simple")
    groups.commit_in_transaction(5, of("a", 0, 7), group="simple")
    assert groups.metrics == GroupMetrics()
    assert not any(number for kind in groups.shard.counts[:4] for number in kind.values())
    groups.log.refusal = None
    groups.consumer()
    groups.streams(group="streams")
    groups.share.groups.heartbeat(share_joins("share"), lambda outcome: None)
    groups.commit(of("a", 0, 7), of("a", 1, 7), group="simple")
    groups.commit_in_transaction(5, of("a", 0, 7), group="simple")
    assert groups.metrics == GroupMetrics(
        offset_commits=3, consumer_rebalances=1, share_rebalances=1, streams_rebalances=1
    )


def test_an_expression_that_matches_topics_makes_another_rebalance() -> None:
    groups = Groups()
    groups.consumer(subscribed_topic_names=None, subscribed_topic_regex="a.*")
    assert groups.metrics.consumer_rebalances == 1
    groups.advance(1)
    assert groups.metrics.consumer_rebalances == 2


def test_members_that_leave_are_no_rebalance() -> None:
    groups = Groups()
    groups.consumer("m")
    groups.consumer("m2")
    groups.consumer("m", -1)
    assert groups.metrics.consumer_rebalances == 2


def test_a_life_of_groups_counts_as_a_node_of_apache_kafka_has_counted_it() -> None:
    """A node of 4.4.0 was sent the same requests; these were its offset-commit-count, offset-deletion-count,
    group-completed-rebalance-count, consumer-group-rebalance-count, share-group-rebalance-count and offset-count."""
    groups = ShareCoordinator()
    for member_id in ("m", "m2"):
        groups.consumer(member_id, group="g")
    groups.consumer("m", -1, group="g")
    groups.commit(of("a", 0, 3), of("a", 1, 3), group="simple")
    groups.delete_offsets("a", 0, 7, group="simple")
    groups.stable(1)
    for member_id in ("m", "m2"):
        groups.send(member_id, 0, "a", group_id="s")
    groups.send("m2", -1, group_id="s")
    assert groups.metrics == GroupMetrics(
        offset_commits=2,
        offset_deletions=1,
        completed_rebalances=1,
        consumer_rebalances=2,
        share_rebalances=2,
    )
    assert groups.shard.counts.offsets == 1


def test_a_classic_group_has_rebalanced_once_its_members_have_their_assignment() -> None:
    groups = Groups()
    groups.joined(2)
    assert groups.metrics.completed_rebalances == 0
    groups = Groups()
    groups.stable(2)
    assert groups.metrics.completed_rebalances == 1


def test_offsets_that_administrators_delete_and_that_expire_are_told_apart() -> None:
    groups = Groups(offsets_retention_ms=1_000, offsets_retention_check_interval_ms=60_000)
    groups.commit(of("a", 0, 7), of("a", 1, 7), of("a", 2, 7))
    groups.delete_offsets("a", 0, 9)
    assert (groups.metrics.offset_deletions, groups.metrics.offsets_expired) == (1, 0)
    groups.advance(200_000)
    assert (groups.metrics.offset_deletions, groups.metrics.offsets_expired) == (1, 2)
    assert groups.shard.counts.offsets == 0
    assert not any(groups.shard.counts.classic.values())


def test_numbers_of_fifty_thousand_groups_cost_no_walk() -> None:
    groups = Groups()
    for number in range(50_000):
        groups.shard.replay(
            GroupMetadataKey(group=f"g{number}"), GroupMetadataValue(protocol_type="consumer"), number, -1
        )
    began = time.process_time()
    for _ in range(100):
        counts = groups.shard.counts
    took = time.process_time() - began
    assert counts.classic[ClassicState.EMPTY] == 50_000
    # A walk takes several milliseconds each time.
    assert took < TURN_LIMIT_S


def test_a_group_that_is_replaced_counts_once_and_one_that_is_gone_no_more() -> None:
    groups: CountedGroups[ClassicGroup] = CountedGroups(ClassicState)
    first, second = ClassicGroup(group_id="g"), ClassicGroup(group_id="g", state=ClassicState.STABLE)
    groups["g"] = first
    groups["g"] = second
    assert +Counter(groups.by_state) == {ClassicState.STABLE: 1}
    first.become(ClassicState.DEAD, 0)
    groups.changed(first)
    assert +Counter(groups.by_state) == {ClassicState.STABLE: 1}
    assert groups.discard("g") is second
    assert groups.discard("g") is None
    groups["g"] = second
    left, groups = groups, groups.empty()
    assert left.let_go(2) == 1
    second.become(ClassicState.DEAD, 0)
    groups.changed(second)
    assert not +Counter(groups.by_state)
