"""A coordinator of groups that reads records which make no sense: requests get codes, and nothing else happens.

Tests: `core.coordinators.groups.problems`.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from kafkaproto.messages import GroupMetadataKey, GroupMetadataValue
from kafkaproto.records.coordinator import GROUP_RECORDS
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicState
from kafkaproto_server.core.coordinators.groups.problems import EPOCH_LIMIT, is_epoch
from kafkaproto_server.core.coordinators.values import Record, RecordError
from kafkaproto_server.requests.consumer_group_requests import HeartbeatValues
from kafkaproto_server.requests.group_requests import SyncValues
from kafkaproto_server.requests.offset_requests import OffsetCommitPartition
from tests.core.coordinators.support.consumers import topic_id
from tests.core.coordinators.support.foreign_records import GROUPS, INSTANCES, MEMBERS, METADATA, Foreign
from tests.core.coordinators.support.groups import SESSION_MS, Groups
from tests.core.coordinators.support.share_groups import ShareCoordinator

SEEDS = 60
RECORDS = 40
REQUESTS = 60
STEPS_MS = (1, 1_000, 60_000, 700_000)
LONG_MS = 2 * 3_600_000
OFFSET = OffsetCommitPartition(topic="a", topic_id=topic_id("a"), partition=0, committed_offset=9)
EPOCHS = (-2, -1, 0, 1, 2, 3, 2**31 - 1)


class Life:
    """A coordinator that has read such records, and those who ask it."""

    def __init__(self, seed: int, kinds: dict[int, str]) -> None:
        self.rng = random.Random(seed)
        self.world = ShareCoordinator({"a": 2, "b": 1}, consumer_migration_policy="bidirectional")
        self.world.shard.unload()
        self.world.shard = self.world._new()
        foreign = Foreign(self.rng, kinds)
        for _ in range(RECORDS):
            data, offset = foreign.record(), self.world.log.end_offset
            producer_id = self.rng.choice((-1, -1, 7))
            try:
                self.world.shard.replay(*foreign.decoded(data), offset, producer_id)
            except RecordError:
                # The partition would not be loaded.
                continue
            self.world.log.append_foreign(*data, producer_id)
            if self.rng.random() < 0.1:
                is_commit = self.rng.random() < 0.5
                self.world.shard.marker(7, is_commit, self.world.log.append_marker(7, is_commit))
        self.world.shard.loaded()

    def ask(self) -> None:
        """One request, of any kind."""
        rng, world = self.rng, self.world
        group, member = rng.choice(GROUPS), rng.choice(MEMBERS)
        instance, epoch = rng.choice((None, None, *INSTANCES)), rng.choice(EPOCHS)
        shard = world.shard
        protocols = ((rng.choice(("range", "roundrobin")), rng.choice(METADATA)),)
        requests = (
            lambda: world.join(member, group=group, group_instance_id=instance, protocols=protocols),
            lambda: world.join(group=group, group_instance_id=instance, needs_known_id=rng.random() < 0.5),
            lambda: shard.sync(group, self.syncing(member, instance, epoch), lambda synced: None),
            lambda: shard.heartbeat(group, member, instance, epoch),
            lambda: shard.leave(group, [(member, instance)]),
            lambda: world.commit(OFFSET, group=group, member_id=member, generation=epoch),
            lambda: world.commit(OFFSET, group=group),
            lambda: world.commit_in_transaction(7, OFFSET, group=group),
            lambda: world.fetch(group, is_stable=rng.random() < 0.5, member_id=member, member_epoch=epoch),
            lambda: world.delete_offsets("a", 0, group=group),
            lambda: shard.delete(group, lambda code: None),
            lambda: shard.consumer_heartbeat(
                self.beating(group, member, instance, epoch), lambda heard: None
            ),
            lambda: world.streams(member, epoch, group=group, instance_id=instance),
            lambda: world.send(member, epoch, "a", group_id=group),
            lambda: world.share.alter(group, {"a": {0: 3}}, lambda *altered: None),
            lambda: world.share.delete_offsets(group, ["a", "gone"], lambda *deleted: None),
            lambda: world.share.initialized(group, lambda *found: None),
            lambda: world.change_topic(rng.choice(("a", "b")), rng.choice((None, 1, 3))),
            self.describe,
        )
        rng.choice(requests)()

    def syncing(self, member: str, instance: str | None, epoch: int) -> SyncValues:
        """SyncGroup."""
        return SyncValues(
            member_id=member,
            group_instance_id=instance,
            generation=epoch,
            protocol_type=None,
            protocol=None,
            assignments=((member, b"x"),),
        )

    def beating(self, group: str, member: str, instance: str | None, epoch: int) -> HeartbeatValues:
        """ConsumerGroupHeartbeat."""
        return HeartbeatValues(
            group_id=group,
            member_id=member or "new",
            member_epoch=epoch,
            instance_id=instance,
            rebalance_timeout_ms=self.rng.choice((-1, 1_000)),
            subscribed_topic_names=self.rng.choice((None, ("a",), ("a", "gone"))),
            subscribed_topic_regex=self.rng.choice((None, None, "a.*", "")),
            topic_partitions=self.rng.choice((None, {}, {topic_id("a"): (0,)})),
        )

    def describe(self) -> None:
        """What administrators ask."""
        shard = self.world.shard
        tuple(shard.listed())
        for group in GROUPS:
            shard.described(group)
            shard.consumer_described(group)
            shard.streams_described(group)
            shard.share.described(group)


CLASSIC = {each: GROUP_RECORDS[each] for each in (1, 2)}
CONSUMER = {each: name for each, name in GROUP_RECORDS.items() if name.startswith("ConsumerGroup")}
SHARE = {each: name for each, name in GROUP_RECORDS.items() if name.startswith("ShareGroup")}
STREAMS = {each: name for each, name in GROUP_RECORDS.items() if name.startswith("StreamsGroup")}


@pytest.mark.parametrize("kinds", [CLASSIC, CONSUMER, SHARE, STREAMS, GROUP_RECORDS], ids=len)
def test_what_makes_no_sense_does_no_harm(kinds: dict[int, str]) -> None:
    for seed in range(SEEDS):
        life = Life(seed, kinds)
        for _ in range(REQUESTS):
            life.ask()
            if life.rng.random() < 0.3:
                life.world.advance(life.rng.choice(STEPS_MS))
        life.world.advance(LONG_MS)
        life.world.move()
        life.world.advance(LONG_MS)


Member = GroupMetadataValue.MemberMetadata


def member(member_id: str, **fields: Any) -> Member:
    """A member of a classic group's record."""
    return Member(**{"member_id": member_id, "rebalance_timeout": 1_000, "session_timeout": 1_000, **fields})


@pytest.mark.parametrize(
    ("members", "fields", "left", "problem"),
    [
        ([member("m1"), member("m2")], {}, "m1 m2", None),
        ([member("m1"), member("m2")], {"leader": "ghost"}, "m1 m2", "leader 'ghost'"),
        ([member("m1")], {"protocol": None}, "", "no protocol"),
        ([member("m1")], {"protocol_type": ""}, "", "no protocol"),
        ([member("m1"), member("m1")], {}, "m1", "twice"),
        ([member("m1", group_instance_id="i"), member("m2", group_instance_id="i")], {}, "m1", "twice"),
        ([member("m1", session_timeout=0)], {}, "", "no session timeout"),
        ([member(""), member("m1")], {}, "m1", "no id"),
    ],
)
def test_a_classic_group_keeps_what_makes_sense(
    members: list[Member], fields: dict[str, Any], left: str, problem: str | None
) -> None:
    given = {"protocol_type": "consumer", "generation": 5, "protocol": "range", "leader": "m1", **fields}
    group = ClassicGroup.from_record("g", GroupMetadataValue(members=members, **given))
    assert " ".join(group.members) == left
    assert group.state is (ClassicState.STABLE if left else ClassicState.EMPTY)
    assert group.leader_id == ("m1" if left else None)
    assert group.problem is problem or (problem and group.problem and problem in group.problem)


def test_a_group_that_had_to_be_mended_keeps_its_offsets_and_is_told_of_once() -> None:
    groups = Groups()
    groups.commit(OFFSET)
    value = GroupMetadataValue(protocol_type="consumer", protocol=None, members=[member("m1")])
    groups.log.append([Record(GroupMetadataKey(group="group"), value, 3)])
    shard = groups._new()
    for entry in groups.log.entries:
        shard.replay(*groups.log.decoded(entry), entry.offset, entry.producer_id)
    assert shard.loaded() == [
        "What is known of group 'group' had to be mended: it has members and no protocol."
    ]
    groups.shard = shard
    assert groups.described().state == "Empty"
    assert groups.fetch() == {("a", 0): (9, -1, "")}


def test_a_group_whose_record_names_no_protocol_type_stays_when_an_id_expires() -> None:
    groups = Groups()
    groups.log.append([Record(GroupMetadataKey(group="group"), GroupMetadataValue(generation=5), 3)])
    groups.shard = groups._new()
    for entry in groups.log.entries:
        groups.shard.replay(*groups.log.decoded(entry), entry.offset, entry.producer_id)
    groups.shard.loaded()
    groups.join(needs_known_id=True)
    groups.advance(SESSION_MS)
    assert [name for name, *_ in groups.listed()] == ["group"]


def test_epochs_that_a_group_may_have() -> None:
    for epoch, is_fine in ((-2, False), (-1, True), (EPOCH_LIMIT - 1, True), (EPOCH_LIMIT, False)):
        assert is_epoch(epoch) is is_fine
