"""The same requests about share groups to a node of Apache Kafka 4.4.0 and to ours: the same responses, and records.

Which of equal members gets which partition is each server's own; Apache Kafka's hash tables decide, and they depend on
random ids. So if there may be several members, only whether there is an assignment is compared, and in the end whether
all partitions are in one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import zip_longest
from typing import Any

import pytest

from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.message import Message
from tests.compat.support.dialogues import Talk, records_of, without_messages
from tests.compat.support.nodes import create, delete_topics, led_topics, make_node

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

TOPICS = ("t", "u", "v")
PARTITIONS = 2
"""Of each topic."""
GROUP_PARTITIONS = 3
SEEDS = range(4)
STEPS = 40
WAIT_S = 60.0
OVERRIDES = {
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": str(GROUP_PARTITIONS),
    "share.coordinator.state.topic.num.partitions": "2",
    "broker.rack": "rack-1",
    # Two assignments may follow each other at once, and a heartbeat's response waits for its own.
    "group.share.assignment.interval.ms": "0",
    "group.share.assignor.offload.enable": "false",
    "group.share.max.size": "4",
}
LOADS = {14, 15, 16}
"""What a coordinator says that is about to begin."""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """A node of Apache Kafka and one of ours, with topics and coordinators."""
    nodes = [make_node(make, tmp_path_factory.mktemp(make.kind), OVERRIDES) for make in (StockNode, OurNode)]
    try:
        for node in nodes:
            node.start()
            for topic in TOPICS:
                create(node, topic)
            wait_until(lambda node=node: _is_coordinated(node), WAIT_S, "coordinators")  # type: ignore[misc]
        yield nodes[0], nodes[1]
    finally:
        for node in nodes:
            node.close()


def _is_coordinated(node: Node) -> bool:
    with Probe(node.bootstrap_server) as probe:
        found: Any = probe.ask(kafka.FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]), 4)
        listed: Any = probe.ask(kafka.ListGroupsRequest(), 4)
        if found.coordinators[0].error_code or listed.error_code:
            return False
        codes = set()
        for group in "abcdefg":
            altered: Any = probe.ask(_altered(f"warm-{group}", {"t": {0: 0, 1: 0}}), 0)
            codes |= {altered.error_code}
            codes |= {each.error_code for topic in altered.responses for each in topic.partitions}
    return codes == {0}


def _altered(group: str, offsets: dict[str, dict[int, int]]) -> Message:
    request = kafka.AlterShareGroupOffsetsRequest
    return request(
        group_id=group,
        topics=[
            request.Topic(
                topic_name=name,
                partitions=[
                    request.Partition(partition_index=index, start_offset=offset)
                    for index, offset in of_topic.items()
                ],
            )
            for name, of_topic in offsets.items()
        ],
    )


def beat(talk: Talk, group: str, member_id: str, epoch: int, *names: str, **fields: Any) -> Any:
    """A heartbeat."""
    values: dict[str, Any] = {"group_id": group, "member_id": member_id, "member_epoch": epoch}
    if names:
        values["subscribed_topic_names"] = list(names)
    return talk.ask(kafka.ShareGroupHeartbeatRequest(**{**values, **fields}), 1)


def beat_until_next(talk: Talk, group: str, member_id: str, epoch: int) -> None:
    """Heartbeats until the member has the next epoch: that a partition has a state may count a moment later."""
    wait_until(
        lambda: beat(talk, group, member_id, epoch).member_epoch == epoch + 1, WAIT_S, f"epoch {epoch + 1}"
    )


def initialized(talk: Talk, group: str) -> dict[str, int]:
    """How many partitions of each topic have a state."""
    asked = kafka.DescribeShareGroupOffsetsRequest.Group(group_id=group, topics=None)
    response: Any = talk.probe.ask(kafka.DescribeShareGroupOffsetsRequest(groups=[asked]), 1)
    return {each.topic_name: len(each.partitions) for each in response.groups[0].topics}


def settle(talk: Talk, group: str, *names: str) -> None:
    """Wait until all partitions of topics have a state."""
    wanted = dict.fromkeys(names, PARTITIONS)
    wait_until(lambda: initialized(talk, group) == wanted, WAIT_S, f"states of {names}")


def describe(talk: Talk, group: str) -> None:
    """All that can be asked about the offsets of a group, and about the group."""
    request = kafka.DescribeShareGroupOffsetsRequest
    some = [request.Topic(topic_name=name, partitions=[0, 1]) for name in ("t", "v", "missing")]
    for version in (0, 1):
        for topics in (None, [], some):
            talk.ask(request(groups=[request.Group(group_id=group, topics=topics)]), version)
    talk.ask(kafka.ShareGroupDescribeRequest(group_ids=[group, "unknown", ""]), 1)
    talk.ask(kafka.ShareGroupDescribeRequest(group_ids=[group], include_authorized_operations=True), 1)


def delete_offsets(talk: Talk, group: str, *names: str) -> None:
    """DeleteShareGroupOffsets."""
    request = kafka.DeleteShareGroupOffsetsRequest
    talk.ask(request(group_id=group, topics=[request.Topic(topic_name=each) for each in names]), 0)


def listed(talk: Talk, *groups: str) -> None:
    """ListGroups, of share groups, and of groups in states."""
    every: tuple[dict[str, Any], ...] = (
        {"types_filter": ["share"]},
        {"types_filter": ["Share"], "states_filter": ["Empty"]},
        {"types_filter": ["consumer"]},
        {"states_filter": ["stable"]},
    )
    for filters in every:
        response: Any = talk.probe.ask(kafka.ListGroupsRequest(**filters), 5)
        found = sorted(
            (each.group_id, each.protocol_type, each.group_state, each.group_type)
            for each in response.groups
            if each.group_id in groups
        )
        talk.told.append(f"{filters}: {found}")


def about_members(talk: Talk) -> None:
    """One member's life, and what is refused."""
    beat(talk, "one", "a", 0, "t")
    settle(talk, "one", "t")
    beat(talk, "one", "a", 2)
    beat(talk, "one", "a", 2)
    for epoch in (0, 1, 2, 3, 4, 9):
        beat(talk, "one", "a", epoch)
        beat(talk, "one", "a", epoch, "t")
    beat(talk, "one", "a", 3, "t", "missing", rack_id="r")
    describe(talk, "one")
    listed(talk, "one")
    beat(talk, "one", "a", 4, "u")
    settle(talk, "one", "t", "u")
    beat(talk, "one", "a", 5)
    beat(talk, "one", "a", 0, "t", "u")
    describe(talk, "one")
    for member_id, epoch in (("x", 1), ("", 1), ("", 0), (" ", 0), ("a", -2), ("a", -3), ("m" * 37, 0)):
        beat(talk, "one", member_id, epoch, "t")
    beat(talk, "one", "b", 0)
    beat(talk, "one", "b", 0, subscribed_topic_names=[])
    beat(talk, "one", "b", 0, "t", rack_id="")
    beat(talk, "unknown", "a", 1)
    beat(talk, "unknown", "a", -1)
    beat(talk, "", "a", 0, "t")
    beat(talk, "one", "x", -1)
    beat(talk, "one", "a", -1)
    beat(talk, "one", "a", -1)
    beat(talk, "one", "a", 3)
    describe(talk, "one")
    listed(talk, "one")
    beat(talk, "one", "c", 0, "t")
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["one"]), 2)
    beat(talk, "one", "c", -1)
    for version in range(4):
        talk.ask(kafka.DeleteGroupsRequest(groups_names=["one", "unknown"]), version)
    describe(talk, "one")


def about_offsets(talk: Talk) -> None:
    """Offsets that are set, read and deleted."""
    for group in ("two", "two", ""):
        talk.ask(_altered(group, {"t": {0: 5, 1: 0, 7: 0}, "u": {1: 3}, "missing": {0: 0}}), 0)
    describe(talk, "two")
    listed(talk, "two")
    talk.ask(_altered("nothing", {"missing": {0: 0}}), 0)
    talk.ask(_altered("nothing", {}), 0)
    describe(talk, "nothing")
    delete_offsets(talk, "two", "t", "missing", "v")
    delete_offsets(talk, "two", "t")
    delete_offsets(talk, "two")
    delete_offsets(talk, "unknown", "t")
    delete_offsets(talk, "", "t")
    describe(talk, "two")
    beat(talk, "two", "a", 0, "u")
    settle(talk, "two", "u")
    beat(talk, "two", "a", 2)
    talk.ask(_altered("two", {"t": {0: 5}}), 0)
    delete_offsets(talk, "two", "u")
    describe(talk, "two")
    beat(talk, "two", "a", -1)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["two", "nothing"]), 2)
    describe(talk, "two")


def about_strange_offsets(talk: Talk) -> None:
    """Offsets that nobody means, and subscriptions to nothing."""
    for offset in (-1, -2, 2**62, 2**63 - 1, -(2**63)):
        talk.ask(_altered("strange", {"t": {0: offset}}), 0)
        describe(talk, "strange")
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["strange"]), 2)
    beat(talk, "strange", "a", 0, "t", "t", "missing")
    beat(talk, "strange", "a", -1)
    delete_offsets(talk, "strange", "missing", "u")
    beat(talk, "strange", "b", 0, "missing")
    for epoch in (0, 1, 2):
        beat(talk, "strange", "b", epoch, subscribed_topic_names=[])
    describe(talk, "strange")


def about_other_kinds(talk: Talk) -> None:
    """What the requests of one protocol get from a group of another."""
    beat(talk, "shared", "a", 0, "t")
    settle(talk, "shared", "t")
    offset_commit = kafka.OffsetCommitRequest
    partitions = [offset_commit.Partition(partition_index=0, committed_offset=5)]
    topics = [offset_commit.Topic(name="t", partitions=partitions)]
    protocol = kafka.JoinGroupRequest.Protocol(name="range", metadata=b"")
    joining: dict[str, Any] = {
        "protocol_type": "consumer",
        "session_timeout_ms": 10_000,
        "rebalance_timeout_ms": 10_000,
        "protocols": [protocol],
    }
    for is_empty in (False, True):
        for version in (2, 8, 9):
            for epoch in (-1, 2):
                talk.ask(
                    offset_commit(group_id="shared", generation_id_or_member_epoch=epoch, topics=topics),
                    version,
                )
        for member_id in ("", "a"):
            talk.ask(kafka.JoinGroupRequest(group_id="shared", member_id=member_id, **joining), 5)
        talk.ask(kafka.SyncGroupRequest(group_id="shared", generation_id=1, member_id="a"), 3)
        talk.ask(kafka.HeartbeatRequest(group_id="shared", generation_id=1, member_id="a"), 3)
        leaving = [kafka.LeaveGroupRequest.MemberIdentity(member_id="a")]
        talk.ask(kafka.LeaveGroupRequest(group_id="shared", members=leaving), 3)
        for version in (8, 9):
            asked = kafka.OffsetFetchRequest.Topics(name="t", partition_indexes=[0])
            group = kafka.OffsetFetchRequest.Group(group_id="shared", topics=[asked])
            talk.ask(kafka.OffsetFetchRequest(groups=[group]), version)
        deletion = kafka.OffsetDeleteRequest
        deleted = deletion.Topic(name="t", partitions=[deletion.Partition(partition_index=0)])
        talk.ask(deletion(group_id="shared", topics=[deleted]), 0)
        talk.ask(kafka.DescribeGroupsRequest(groups=["shared"]), 5)
        talk.ask(kafka.DescribeGroupsRequest(groups=["shared"]), 6)
        talk.ask(kafka.ConsumerGroupDescribeRequest(group_ids=["shared"]), 1)
        for epoch in (0, 2, -1):
            consumer: dict[str, Any] = {"group_id": "shared", "member_id": "a", "member_epoch": epoch}
            if epoch == 0:
                consumer |= {
                    "rebalance_timeout_ms": 9,
                    "topic_partitions": [],
                    "subscribed_topic_names": ["t"],
                }
            talk.ask(kafka.ConsumerGroupHeartbeatRequest(**consumer), 1)
        if not is_empty:
            beat(talk, "shared", "a", -1)
    talk.ask(offset_commit(group_id="simple", topics=topics), 9)
    consumer = {"group_id": "consumer", "member_id": "a", "rebalance_timeout_ms": 9, "topic_partitions": []}
    talk.ask(kafka.ConsumerGroupHeartbeatRequest(subscribed_topic_names=["t"], **consumer), 1)
    for group_id in ("simple", "consumer"):
        for epoch in (0, 2, -1):
            beat(talk, group_id, "a", epoch, "t")
        describe(talk, group_id)
        talk.ask(_altered(group_id, {"t": {0: 0}}), 0)
        delete_offsets(talk, group_id, "t")
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["simple", "shared"]), 2)


@pytest.mark.parametrize(
    "script",
    [about_members, about_offsets, about_strange_offsets, about_other_kinds],
    ids=lambda each: each.__name__,
)
def test_both_say_the_same(both: tuple[Node, Node], script: Any) -> None:
    compare(both, script)


def compare(both: tuple[Node, Node], script: Any) -> None:
    """Have the same dialogue with both."""
    told = []
    for node in both:
        with Talk(node, "t") as talk:
            script(talk)
        told.append(talk.told)
    differences = [(one, other) for one, other in zip_longest(*told) if one != other]
    assert not differences, "\n\n".join(f"stock {one}\nours  {other}" for one, other in differences)


class Members:
    """Random members of one group; the same for each node."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, talk: Talk) -> None:
        chance = random.Random(self.seed)
        group = f"random-{self.seed}"
        epochs: dict[str, int] = {}
        subscribed: dict[str, tuple[str, ...]] = {}
        known: set[str] = set()
        for _ in range(STEPS):
            member_id = chance.choice("abcde")
            epoch = epochs.get(member_id, 0)
            if member_id in epochs and chance.random() < 0.15:
                epoch = -1
            elif chance.random() < 0.1:
                epoch = max(0, epoch + chance.choice((-2, -1, 1)))
            names: tuple[str, ...] = ()
            if epoch == 0 or chance.random() < 0.3:
                names = tuple(chance.sample(TOPICS, chance.randrange(1, 3)))
            response = self._beat(talk, group, member_id, epoch, names)
            if response.error_code:
                continue
            if epoch == -1:
                del epochs[member_id], subscribed[member_id]
                continue
            epochs[member_id] = response.member_epoch
            subscribed[member_id] = names or subscribed[member_id]
            known.update(*subscribed.values())
            settle(talk, group, *known)
        self._settle(talk, group)

    def _beat(self, talk: Talk, group: str, member_id: str, epoch: int, names: tuple[str, ...]) -> Any:
        response = beat(talk, group, member_id, epoch, *names)
        # Otherwise it depends on what the member gets.
        is_told = response.assignment is not None if epoch == 0 or names else None
        talk.told[-1] = (
            f"{member_id} {epoch} {names}: {response.error_code} {response.member_id} {response.member_epoch}"
            f" {response.heartbeat_interval_ms} {is_told}"
        )
        return response

    def _settle(self, talk: Talk, group: str) -> None:
        """Everybody takes over what there is: all partitions have a member."""
        described: Any = None
        for _ in range(3):
            described = talk.probe.ask(kafka.ShareGroupDescribeRequest(group_ids=[group]), 1)
            for member in described.groups[0].members:
                talk.probe.ask(
                    kafka.ShareGroupHeartbeatRequest(
                        group_id=group, member_id=member.member_id, member_epoch=member.member_epoch
                    ),
                    1,
                )
        assigned = {
            (each.topic_name, index)
            for one in described.groups[0].members
            for each in one.assignment.topic_partitions
            for index in each.partitions
        }
        talk.told.append(f"{described.groups[0].group_epoch}: {sorted(assigned)}")


@pytest.mark.parametrize("seed", SEEDS)
def test_random_members_are_told_the_same(both: tuple[Node, Node], seed: int) -> None:
    compare(both, Members(seed))


_OF_TIME = {"assignment_timestamp"}


def test_both_write_the_same_records(both: tuple[Node, Node]) -> None:
    found = []
    for node in both:
        create(node, "gone")
        with Talk(node, "t") as talk:
            names = {topic_id: name for name, topic_id in led_topics(node).items()}
            beat(talk, "same", "m", 0, "t", rack_id="r")
            settle(talk, "same", "t")
            beat_until_next(talk, "same", "m", 2)
            assert beat(talk, "same", "m", 3, "t", "gone").member_epoch == 4, talk.told
            settle(talk, "same", "t", "gone")
            beat_until_next(talk, "same", "m", 4)
            delete_topics(node, ["gone"])
            wait_until(partial(_has_records, node, 22), WAIT_S, "the end of a topic")
            beat(talk, "same", "m", 5)
            beat(talk, "same", "m", -1)
            talk.ask(_altered("same", {"t": {0: 5}, "u": {1: 3}}), 0)
            settle_some(talk, "same", {"t": 2, "u": 1})
            delete_offsets(talk, "same", "u", "v")
            talk.ask(kafka.DeleteGroupsRequest(groups_names=["same"]), 2)
        told = [
            f"{_told(key, names)} {_told(value, names)} v{version}"
            for key, value, version in records_of(node, "same", GROUP_PARTITIONS)
        ]
        found.append(told)
    stock, ours = found
    assert stock == ours, "\n\n".join(
        f"stock {one}\nours  {other}" for one, other in zip_longest(stock, ours)
    )


def _has_records(node: Node, count: int) -> bool:
    return len(records_of(node, "same", GROUP_PARTITIONS)) >= count


def settle_some(talk: Talk, group: str, wanted: dict[str, int]) -> None:
    """Wait until so many partitions of each topic have a state."""
    wait_until(lambda: initialized(talk, group) == wanted, WAIT_S, f"states of {wanted}")


def _told(message: Message | None, names: Mapping[bytes, str]) -> str:
    if message is None:
        return "None"
    told = without_messages(message, names)
    # The hash covers the topics' ids, which differ.
    has = {name: bool(told[name]) for name in ("metadata_hash",) if name in told}
    return repr({**{name: value for name, value in told.items() if name not in _OF_TIME}, **has})


def _look(node: Node) -> list[str]:
    """The group ``lasting`` and its offsets, once it has a coordinator."""
    wait_until(partial(_is_loaded, node), WAIT_S, "a coordinator")
    with Talk(node, "t") as talk:
        describe(talk, "lasting")
    return talk.told


def _is_loaded(node: Node) -> bool:
    with Probe(node.bootstrap_server) as probe:
        found: Any = probe.ask(kafka.ShareGroupDescribeRequest(group_ids=["lasting"]), 1)
        request = kafka.DescribeShareGroupOffsetsRequest
        asked = request.Group(group_id="lasting", topics=None)
        offsets: Any = probe.ask(request(groups=[asked]), 1)
    return found.groups[0].error_code not in LOADS and offsets.groups[0].error_code not in LOADS


def test_nodes_of_either_kind_take_a_group_over_from_each_other(both: tuple[Node, Node]) -> None:
    """On one directory, one after the other. Here, because the node of Apache Kafka stops meanwhile."""
    stock = both[0]
    with Talk(stock, "t") as talk:
        talk.ask(_altered("lasting", {"t": {0: 5, 1: 6}}), 0)
        beat(talk, "lasting", "m", 0, "t", "u")
        settle(talk, "lasting", "t", "u")
        beat(talk, "lasting", "m", 2)
    left = _look(stock)
    stock.stop()
    with closing(OurNode(stock.directory, stock.properties)) as ours:
        ours.start()
        assert _look(ours) == left
        with Talk(ours, "t") as talk:
            assert beat(talk, "lasting", "m", 3).member_epoch == 3
            assert beat(talk, "lasting", "m", 3, "t", "u", "v").member_epoch == 4
            settle(talk, "lasting", "t", "u", "v")
            assert beat(talk, "lasting", "m", 4).member_epoch == 5
        left = _look(ours)
    stock.start()
    assert _look(stock) == left
    with Talk(stock, "t") as talk:
        assert beat(talk, "lasting", "m", 5).member_epoch == 5
        assert beat(talk, "lasting", "m", -1).error_code == 0
        deleted = talk.ask(kafka.DeleteGroupsRequest(groups_names=["lasting"]), 2)
        assert [each.error_code for each in deleted.results] == [0]


def test_without_the_feature_nobody_is_served(both: tuple[Node, Node]) -> None:
    """The last one: the feature stays off."""
    update = kafka.UpdateFeaturesRequest.FeatureUpdateKey
    for node in both:
        with Probe(node.bootstrap_server) as probe:
            off = update(feature="share.version", max_version_level=0, upgrade_type=2)
            assert probe.ask(kafka.UpdateFeaturesRequest(feature_updates=[off]), 1).error_code == 0  # type: ignore[attr-defined]
        wait_until(partial(_serves_nobody, node), WAIT_S, "the end of the feature")
    compare(both, about_nothing)


def _serves_nobody(node: Node) -> bool:
    with Probe(node.bootstrap_server) as probe:
        found: Any = probe.ask(kafka.ShareGroupDescribeRequest(group_ids=["g"]), 1)
    return bool(found.groups[0].error_code == 35)


def about_nothing(talk: Talk) -> None:
    """All requests, and which are advertised."""
    beat(talk, "g", "m", 0, "t")
    describe(talk, "g")
    talk.ask(_altered("g", {"t": {0: 0}}), 0)
    delete_offsets(talk, "g", "t")
    versions: Any = talk.probe.ask(kafka.ApiVersionsRequest(), 0)
    shown = [(each.api_key, each.min_version, each.max_version) for each in versions.api_keys]
    talk.told.append(str([each for each in shown if each[0] in (76, 77, 90, 91, 92)]))
