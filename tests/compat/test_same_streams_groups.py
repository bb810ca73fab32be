"""The same requests about streams groups to Apache Kafka 4.4.0 and to our node: the same responses and records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from compat.kafka.stock import StockNode
from compat.node import Node, combined_properties
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.coordinator import GROUP_RECORDS, decode_coordinator_record
from kafkaproto_server.requests.coordinator_places import partition_of
from tests.compat.support.nodes import CLUSTER_ID, create, make_node
from tests.compat.support.streams_talk import (
    WAIT_S,
    Heartbeat,
    Talk,
    differences,
    plain,
    subtopology,
    topology,
    wait_for_coordinator,
)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SOURCE, OTHER, THREE = "t", "u", "three"
OVERRIDES = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "3",
}
PLAIN = topology(subtopology("0", [SOURCE]))
SEEDS, STEPS = 6, 80
SEED_OF_RECORDS = 100
ADDRESS: dict[str, Any] = {
    "user_endpoint": Heartbeat.Endpoint(host="h", port=9),
    "client_tags": [Heartbeat.KeyValue(key=each, value="v") for each in ("z", "a")],
    "rack_id": "r",
    "instance_id": "i",
}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """A node of Apache Kafka and one of ours, with two topics and a coordinator of groups each."""
    nodes = [make_node(make, tmp_path_factory.mktemp(make.kind), OVERRIDES) for make in (StockNode, OurNode)]
    try:
        for node in nodes:
            node.start()
            create(node, SOURCE)
            create(node, OTHER)
            create_with(node, THREE, 3)
            wait_for_coordinator(node)
        yield nodes[0], nodes[1]
    finally:
        for node in nodes:
            node.close()


def create_with(node: Node, name: str, partitions: int) -> None:
    """Create a topic with so many partitions."""
    topic = kafka.CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=1
    )
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(kafka.CreateTopicsRequest(topics=[topic], timeout_ms=10_000), 7)
    assert [each.error_code for each in response.topics] == [0]

    def is_led() -> bool:
        asked = kafka.MetadataRequest(topics=[kafka.MetadataRequest.Topic(name=name)])
        with Probe(node.bootstrap_server) as probe:
            found: Any = probe.ask(asked, 12)
        return all(each.error_code == 0 and len(each.partitions) == partitions for each in found.topics)

    wait_until(is_led, WAIT_S, f"a leader of {name}")


def owned(**roles: list[tuple[str, list[int]]]) -> dict[str, Any]:
    """What a member reports of its tasks."""
    return {
        f"{role}_tasks": [
            Heartbeat.TaskIds(subtopology_id=each, partitions=partitions)
            for each, partitions in roles.get(role, [])
        ]
        for role in ("active", "standby", "warmup")
    }


def about_members(talk: Talk) -> None:
    """Two members share; epochs, what is refused, and other requests about the group."""
    talk.beat("g", "a", 0, topology=PLAIN)
    talk.beat("g", "a", 2, **owned(active=[("0", [0, 1])]))
    talk.beat("g", "a", 2, version=0)
    talk.beat("g", "b", 0, version=0, topology=PLAIN)
    talk.beat("g", "a", 2)
    talk.beat("g", "a", 2, **owned(active=[("0", [0, 1])]))
    talk.beat("g", "a", 2, **owned(active=[("0", [0])]))
    talk.beat("g", "b", 3, **owned())
    for version in (0, 1):
        request = kafka.StreamsGroupDescribeRequest(group_ids=["g", "unknown", ""])
        talk.ask(request, version)
    for member_id, epoch in (("a", 7), ("x", 1), ("", 1), ("a", -3), ("a", -2), ("a", 1), ("a", 2)):
        talk.beat("g", member_id, epoch)
    talk.beat("unknown", "a", 1)
    talk.beat("unknown", "a", -1)
    talk.beat("", "a", 0, topology=PLAIN)
    talk.ask(kafka.DescribeGroupsRequest(groups=["g"]), 6)
    talk.ask(kafka.ConsumerGroupDescribeRequest(group_ids=["g"]), 1)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["g"]), 2)
    for member_id in ("a", "b"):
        talk.beat("g", member_id, -1)
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["g"]), 1)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["g"]), 2)
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["g"]), 1)


def about_refusals(talk: Talk) -> None:
    """What makes no sense, at both versions."""
    regex = subtopology("0", [SOURCE])
    regex.source_topic_regex = ["t.*"]
    wrong: list[dict[str, Any]] = [
        {"rebalance_timeout_ms": -1},
        {"topology": None},
        {"active_tasks": None},
        {"standby_tasks": None},
        {"warmup_tasks": None},
        owned(active=[("0", [0])]),
        {"instance_id": ""},
        {"rack_id": " "},
        {"group_id": " "},
        {"member_id": " "},
        {"topology": topology(regex)},
        {"topology": topology(subtopology("0", ["__consumer_offsets"]))},
        {"topology": topology(subtopology("0", ["a b"]))},
        {"topology": topology(subtopology("0", [SOURCE], changelogs=["."]))},
        {"topology": topology(subtopology("0"))},
        {"topology": topology(subtopology("0", [SOURCE], repartition={"r": 0}))},
        {"topology": topology(subtopology("0", [SOURCE], sinks=["r"], repartition={"r": 0}))},
        {"topology": topology(subtopology("0", [], sinks=["r"], repartition={"r": 0}))},
    ]
    with_count = subtopology("0", [SOURCE], changelogs=["c"])
    with_count.state_changelog_topics[0].partitions = 1
    wrong.append({"topology": topology(with_count)})
    for fields in wrong:
        for version in (0, 1):
            talk.beat("refused", "a", 0, version, **{"topology": PLAIN, **fields})
    talk.beat("lives", "a", 0, topology=PLAIN)
    for fields in (
        {"topology": PLAIN},
        {"active_tasks": []},
        {"standby_tasks": [], "warmup_tasks": []},
        owned(active=[("x", [0])]),
        owned(active=[("0", [2])]),
        owned(standby=[("0", [-1])]),
        {"task_offsets": [Heartbeat.TaskOffset(subtopology_id="0", partition=0, offset=1)] * 2},
        {"rebalance_timeout_ms": 5, "process_id": "other"},
        {"client_tags": [Heartbeat.KeyValue(key="k", value="v")]},
    ):
        talk.beat("lives", "a", 2, **fields)
    other = topology(subtopology("0", [OTHER]))
    newer = topology(subtopology("0", [SOURCE]), epoch=2)
    for each in (other, newer, topology(subtopology("0", [SOURCE]), epoch=0)):
        talk.beat("lives", "b", 0, topology=each)
        talk.beat("lives", "b", 6)
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["lives"]), 1)
    update = kafka.StreamsGroupTopologyDescriptionUpdateRequest
    talk.ask(
        update(
            group_id="lives",
            member_id="a",
            topology_epoch=1,
            topology_description=update.TopologyDescription(),
        ),
        0,
    )
    describe = kafka.StreamsGroupDescribeRequest
    talk.ask(
        describe(group_ids=["lives"], include_authorized_operations=True, include_topology_description=True),
        1,
    )


def about_static_members(talk: Talk) -> None:
    """Static members leave for a while, come back under another id, and are replaced."""
    static: dict[str, Any] = {"instance_id": "i", "topology": PLAIN}
    talk.beat("static", "a", 0, **static)
    talk.beat("static", "b", 0, topology=PLAIN)
    talk.beat("static", "a", 2, instance_id="i", **owned(active=[("0", [0])]))
    talk.beat("static", "b", 3)
    talk.beat("static", "c", 0, **static)
    talk.beat("static", "c", 3, instance_id="i")
    talk.beat("static", "a", 3, instance_id="x")
    talk.beat("static", "a", -2)
    talk.beat("static", "a", -2, instance_id="i")
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["static"]), 1)
    talk.beat("static", "a", 3, instance_id="i")
    talk.beat("static", "c", 0, **{**static, "process_id": "p-a"})
    talk.beat("static", "c", 3, instance_id="i", **owned(active=[("0", [0])]))
    talk.beat("static", "c", -2, instance_id="i")
    talk.beat("static", "d", 0, **static)
    talk.beat("static", "d", 4, instance_id="i")
    talk.beat("static", "d", -1, instance_id="x")
    talk.beat("static", "d", -1, instance_id="i")
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["static"]), 1)


def about_endpoints(talk: Talk) -> None:
    """Endpoints, offsets of tasks, tags, and an application that is to end."""
    endpoint = Heartbeat.Endpoint(host="h", port=65535)
    tags = [Heartbeat.KeyValue(key="zone", value="z")]
    offset = Heartbeat.TaskOffset
    talk.beat("ends", "a", 0, topology=PLAIN, user_endpoint=endpoint, client_tags=tags, rack_id="r")
    talk.beat("ends", "a", 2, endpoint_information_epoch=0)
    talk.beat(
        "ends",
        "a",
        2,
        task_offsets=[offset(subtopology_id="0", partition=1, offset=7)],
        task_end_offsets=[offset(subtopology_id="0", partition=1, offset=9)],
    )
    talk.beat("ends", "b", 0, topology=PLAIN, user_endpoint=Heartbeat.Endpoint(host="g", port=1))
    talk.beat("ends", "a", 2, endpoint_information_epoch=1, **owned(active=[("0", [0, 1])]))
    talk.beat("ends", "a", 2, endpoint_information_epoch=1, **owned(active=[("0", [0])]))
    talk.beat("ends", "b", 3, endpoint_information_epoch=2)
    talk.beat("ends", "b", 3, endpoint_information_epoch=3, user_endpoint=endpoint)
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["ends"]), 1)
    talk.beat("ends", "b", 3, shutdown_application=True)
    talk.beat("ends", "a", 3)
    talk.beat("ends", "a", -1, shutdown_application=True)
    talk.beat("ends", "b", 3)
    talk.beat("ends", "b", -1)
    talk.beat("ends", "a", 0, topology=PLAIN)
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["ends"]), 1)


def commit(talk: Talk, group: str, version: int, member_id: str, epoch: int, topic: str, index: int) -> None:
    """An OffsetCommit for one partition."""
    request = kafka.OffsetCommitRequest
    partition = request.Partition(partition_index=index, committed_offset=5, committed_metadata="m")
    talk.ask(
        request(
            group_id=group,
            member_id=member_id,
            generation_id_or_member_epoch=epoch,
            topics=[request.Topic(name=topic, partitions=[partition])],
        ),
        version,
    )


def about_offsets(talk: Talk) -> None:
    """Commits and fetches by epoch, and deletions."""
    talk.beat("off", "a", 0, topology=PLAIN)
    talk.beat("off", "b", 0, topology=PLAIN)
    talk.beat("off", "a", 2, **owned(active=[("0", [0, 1])]))
    for version, member_id, epoch, topic, index in (
        (9, "a", 2, SOURCE, 0),
        (9, "a", 1, SOURCE, 0),
        (9, "a", 3, SOURCE, 0),
        (9, "a", 0, SOURCE, 0),
        (9, "x", 2, SOURCE, 0),
        (9, "", -1, SOURCE, 0),
        (9, "b", 3, OTHER, 0),
        (9, "b", 2, OTHER, 0),
        (9, "b", 2, SOURCE, 1),
        (8, "a", 2, SOURCE, 0),
    ):
        commit(talk, "off", version, member_id, epoch, topic, index)
    for asked, epoch in (("a", 1), ("a", 2), ("x", 1), (None, -1)):
        group = kafka.OffsetFetchRequest.Group(
            group_id="off", member_id=asked, member_epoch=epoch, topics=None
        )
        talk.ask(kafka.OffsetFetchRequest(groups=[group]), 9)
    deletion = kafka.OffsetDeleteRequest
    for name in (SOURCE, OTHER):
        topics = [deletion.Topic(name=name, partitions=[deletion.Partition(partition_index=0)])]
        talk.ask(deletion(group_id="off", topics=topics), 0)
    for member_id in ("a", "b"):
        talk.beat("off", member_id, -1)
    commit(talk, "off", 9, "", -1, SOURCE, 0)
    commit(talk, "off", 9, "a", 2, SOURCE, 0)
    topics = [deletion.Topic(name=SOURCE, partitions=[deletion.Partition(partition_index=0)])]
    talk.ask(deletion(group_id="off", topics=topics), 0)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["off"]), 2)


def join_classic(talk: Talk, group: str, member_id: str = "") -> Any:
    """A JoinGroup of a consumer."""
    metadata = (1).to_bytes(2, "big") + kafka.ConsumerProtocolSubscription(topics=[SOURCE]).encode(1)
    request = kafka.JoinGroupRequest
    return talk.probe.ask(
        request(
            group_id=group,
            member_id=member_id,
            protocol_type="consumer",
            session_timeout_ms=10_000,
            rebalance_timeout_ms=20_000,
            protocols=[request.Protocol(name="range", metadata=metadata)],
        ),
        3,
    )


def about_other_kinds(talk: Talk) -> None:
    """Requests of other protocols about a streams group, and the reverse."""
    talk.beat("kind", "a", 0, topology=PLAIN)
    talk.told.append(str(join_classic(talk, "kind").error_code))
    request = kafka.ConsumerGroupHeartbeatRequest
    joins: dict[str, Any] = {
        "member_id": "c",
        "member_epoch": 0,
        "rebalance_timeout_ms": 1_000,
        "subscribed_topic_names": [SOURCE],
        "topic_partitions": [],
    }
    talk.ask(request(group_id="kind", **joins), 1)
    talk.ask(request(group_id="kind", member_id="a", member_epoch=2), 1)
    talk.ask(kafka.SyncGroupRequest(group_id="kind", generation_id=2, member_id="a"), 3)
    talk.ask(kafka.HeartbeatRequest(group_id="kind", generation_id=2, member_id="a"), 3)
    leave = kafka.LeaveGroupRequest
    talk.ask(leave(group_id="kind", members=[leave.MemberIdentity(member_id="a")]), 3)
    talk.beat("kind", "a", -1)
    talk.ask(request(group_id="kind", **joins), 1)
    # A classic group takes the place of an empty streams group, and the reverse.
    joined = join_classic(talk, "kind")
    talk.told.append(str((joined.error_code, joined.generation_id)))
    talk.beat("kind", "a", 0, topology=PLAIN)
    talk.beat("kind", "a", 2)
    talk.probe.ask(leave(group_id="kind", members=[leave.MemberIdentity(member_id=joined.member_id)]), 3)
    talk.beat("kind", "a", 2)
    talk.beat("kind", "a", 0, topology=PLAIN)
    commit(talk, "simple", 9, "", -1, SOURCE, 0)
    talk.beat("simple", "a", 0, topology=PLAIN)
    group = kafka.OffsetFetchRequest.Group(group_id="simple", topics=None)
    talk.ask(kafka.OffsetFetchRequest(groups=[group]), 9)
    talk.probe.ask(request(group_id="consumers", **joins), 1)
    talk.beat("consumers", "a", 0, topology=PLAIN)
    talk.beat("consumers", "a", 1)
    talk.ask(request(group_id="consumers", member_id="c", member_epoch=-1), 1)
    talk.beat("consumers", "a", 0, topology=PLAIN)
    talk.beat("unready", "a", 0, topology=topology(subtopology("0", ["missing"])))
    for states, types in ((["Stable"], ["streams"]), ([], ["Streams"]), (["not_ready"], [])):
        found: Any = talk.probe.ask(kafka.ListGroupsRequest(states_filter=states, types_filter=types), 5)
        listed = [plain(each) for each in found.groups if each.group_id in ("kind", "simple", "unready")]
        talk.told.append(repr(sorted(listed, key=repr)))


def set_group_config(talk: Talk, group: str, **values: str) -> None:
    """Set keys of a group, until its coordinator has them."""
    _set_known(talk, group, values)
    # Apache Kafka tells of a key before its coordinator has it. It hands images to one part of the broker after the
    # other, so what one image had is everywhere once anything of a later one is told.
    _set_known(talk, f"after-{group}", values)


def _set_known(talk: Talk, group: str, values: Mapping[str, str]) -> None:
    """Set keys of a group, until the node tells of them."""
    request = kafka.IncrementalAlterConfigsRequest
    configs = [
        request.AlterableConfig(name=key.replace("_", "."), config_operation=0, value=value)
        for key, value in values.items()
    ]
    resource = request.AlterConfigsResource(resource_type=32, resource_name=group, configs=configs)
    response: Any = talk.probe.ask(request(resources=[resource]), 1)
    assert [each.error_code for each in response.responses] == [0], response
    resources = kafka.DescribeConfigsRequest.DescribeConfigsResource(resource_type=32, resource_name=group)

    def is_known() -> bool:
        found: Any = talk.probe.ask(kafka.DescribeConfigsRequest(resources=[resources]), 4)
        known = {each.name: each.value for each in found.results[0].configs}
        return all(known.get(key.replace("_", ".")) == value for key, value in values.items())

    wait_until(is_known, WAIT_S, "the configuration of a group")


def wait_for_topics(talk: Talk, group: str, member_id: str) -> None:
    """Until the member hears that nothing is missing any more."""

    def is_complete() -> bool:
        response: Any = talk.probe.ask(Heartbeat(group_id=group, member_id=member_id, member_epoch=2), 1)
        # With the topics the epoch has grown, and the member with it.
        return response.error_code == 0 and not response.status and response.member_epoch > 2

    wait_until(is_complete, WAIT_S, "internal topics")


def about_topics(talk: Talk) -> None:
    """Missing topics, wrong numbers of partitions, and what follows for tasks."""
    configs = {"cleanup.policy": "compact", "segment.ms": "600000"}
    for number, parts in enumerate(
        (
            [subtopology("0", ["missing"], changelogs=["c"])],
            [subtopology("0", ["missing", SOURCE]), subtopology("1", ["gone"])],
            [subtopology("0", [SOURCE, THREE], copartition=[([0, 1], [])])],
            [subtopology("0", [SOURCE], changelogs=[OTHER], configs=configs), subtopology("1", [THREE])],
            [subtopology("0", [SOURCE], changelogs=[THREE])],
            [
                subtopology("0", [THREE], sinks=["wrong-1"]),
                subtopology("1", [SOURCE], repartition={"wrong-1": 5}, copartition=[([0], [0])]),
            ],
            [subtopology("0", [THREE], repartition={"wrong-1": 5, "wrong-2": 6}, copartition=[([], [0, 1])])],
        )
    ):
        talk.beat(f"topics-{number}", "a", 0, topology=topology(*parts))
        talk.beat(f"topics-{number}", "a", 2)
        talk.beat(f"topics-{number}", "b", 0, 0, topology=topology(*parts))
        talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=[f"topics-{number}"]), 1)


CREATED = [
    "made-chain-1",
    "made-chain-2",
    "made-changelog",
    "made-other-changelog",
    "made-fixed",
    "made-flexible",
    "made-wide",
]


def about_internal_topics(talk: Talk) -> None:
    """Internal topics are created as the topology says, and members get their tasks."""
    parts = topology(
        subtopology(
            "0", [SOURCE], sinks=["made-fixed", "made-flexible", "made-wide"], changelogs=["made-changelog"]
        ),
        subtopology(
            "1",
            [THREE],
            repartition={"made-flexible": 0},
            changelogs=["made-other-changelog"],
            copartition=[([0], [0])],
            configs={"cleanup.policy": "compact", "message.timestamp.type": "CreateTime"},
        ),
        subtopology("2", [], repartition={"made-fixed": 4}),
        subtopology("3", [], repartition={"made-wide": 0}, configs={"retention.ms": "-1"}),
        # Its number depends on the order in which subtopologies are looked at.
        subtopology("4", [SOURCE], repartition={"made-chain-1": 0}, sinks=["made-chain-2"]),
        subtopology("5", [THREE], sinks=["made-chain-1"]),
        subtopology("6", [], repartition={"made-chain-2": 0}),
    )
    told = len(talk.told)
    talk.beat("made", "a", 0, topology=parts)
    wait_for_topics(talk, "made", "a")
    del talk.told[told:]
    response: Any = talk.probe.ask(
        kafka.MetadataRequest(topics=[kafka.MetadataRequest.Topic(name=each) for each in CREATED]), 12
    )
    talk.told.append(
        str(sorted((each.name, each.error_code, len(each.partitions)) for each in response.topics))
    )
    resources = kafka.DescribeConfigsRequest.DescribeConfigsResource
    asked = [resources(resource_type=2, resource_name=each) for each in CREATED]
    configs: Any = talk.probe.ask(kafka.DescribeConfigsRequest(resources=asked), 4)
    own = [
        (each.resource_name, one.name, one.value)
        for each in configs.results
        for one in each.configs
        if one.config_source == 1
    ]
    talk.told.append(str(sorted(own)))
    talk.beat("made", "a", 0, topology=parts)
    set_group_config(talk, "made", streams_num_standby_replicas="1")
    talk.beat("made", "b", 0, topology=parts)
    described: Any = talk.probe.ask(kafka.StreamsGroupDescribeRequest(group_ids=["made"]), 1)
    (group,) = described.groups
    talk.told.append(str(sorted((each.member_id, plain(each.target_assignment)) for each in group.members)))
    talk.told.append(str(plain(group.topology)))


SCRIPTS = [
    about_members,
    about_refusals,
    about_static_members,
    about_endpoints,
    about_offsets,
    about_other_kinds,
    about_topics,
    about_internal_topics,
]


STATEFUL = topology(
    subtopology("0", [SOURCE], changelogs=["r-0-changelog"]),
    subtopology("1", [THREE], changelogs=["r-1-changelog"]),
    subtopology("2", [OTHER, THREE]),
)
ROLES = ("active", "standby", "warmup")


class Member:
    """A member of a seeded dialogue: what it was told last, and what it has."""

    def __init__(self, talk: Talk, group: str, name: str, chance: Random) -> None:
        self.talk, self.group, self.name, self.chance = talk, group, name, chance
        self.incarnation = 0
        self.epoch = 0
        self.wanted: dict[str, list[tuple[str, list[int]]]] = {}
        self.owned = self.wanted
        self.instance: dict[str, Any] = {"instance_id": name} if name in "ab" else {}
        self.process = f"p{chance.randrange(3)}"

    @property
    def member_id(self) -> str:
        """Static members have another one with each life."""
        return f"{self.name}{self.incarnation}" if self.instance else self.name

    def act(self) -> None:
        """One heartbeat of some kind."""
        kind = self.chance.choice(["beat"] * 5 + ["silent"] * 2 + ["lazy", "leave", "away", "old", "offsets"])
        if self.epoch == 0:
            self._send(0, topology=STATEFUL, process_id=self.process, **self._endpoint())
        elif kind == "leave":
            self._send(-1)
            self.begin_anew()
        elif kind == "away" and self.instance:
            self._send(-2)
            self.begin_anew()
            self.incarnation += 1
        elif kind == "old":
            self._send(self.epoch - 1, **owned(**self.owned))
        elif kind == "offsets":
            offsets = [
                Heartbeat.TaskOffset(subtopology_id=each, partition=0, offset=self.chance.randrange(9))
                for each in ("0", "1")
            ]
            self._send(self.epoch, task_offsets=offsets)
        elif kind == "silent":
            self._send(self.epoch)
        else:
            if kind == "beat":
                self.owned = self.wanted
            self._send(self.epoch, **owned(**self.owned))

    def _endpoint(self) -> dict[str, Any]:
        has_one = self.chance.random() < 0.3
        return {"user_endpoint": Heartbeat.Endpoint(host=self.name, port=1)} if has_one else {}

    def _send(self, epoch: int, **fields: Any) -> None:
        response = self.talk.beat(self.group, self.member_id, epoch, **{**self.instance, **fields})
        if response.error_code:
            self.begin_anew()
        elif epoch >= 0:
            self.epoch = response.member_epoch
            if response.active_tasks is not None:
                self.wanted = {
                    role: [
                        (each.subtopology_id, each.partitions) for each in getattr(response, f"{role}_tasks")
                    ]
                    for role in ROLES
                }

    def begin_anew(self) -> None:
        """It is no member any more."""
        self.epoch, self.wanted = 0, {}
        self.owned = self.wanted


def play(talk: Talk, seed: int, steps: int) -> None:
    """Some members act in turn."""
    chance, group = Random(seed), f"seeded-{seed}"
    set_group_config(talk, group, streams_num_standby_replicas=str(seed % 3))
    members = [Member(talk, group, name, chance) for name in "abcde"]
    for step in range(steps):
        chance.choice(members[: 2 + step // 8]).act()
        if step % 10 == 9:
            described: Any = talk.probe.ask(kafka.StreamsGroupDescribeRequest(group_ids=[group]), 1)
            talk.told.append(repr(plain(described)))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_both_say_the_same_in_seeded_dialogues(both: tuple[Node, Node], seed: int) -> None:
    with Talk(both[0]) as stock, Talk(both[1]) as ours:
        for talk in (stock, ours):
            talk.beat("warm", "a", 0, topology=STATEFUL)
            if seed == 0:
                wait_for_topics(talk, "warm", "a")
            talk.told.clear()
            play(talk, seed, STEPS)
    assert not (found := differences(stock, ours)), found


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda each: each.__name__)
def test_both_say_the_same(both: tuple[Node, Node], script: Any) -> None:
    with Talk(both[0]) as stock, Talk(both[1]) as ours:
        script(stock)
        script(ours)
    assert not (found := differences(stock, ours)), found


# -- records

_OF_TIME = {"assignment_timestamp", "metadata_hash"}


def records_of(node: Node, group: str) -> list[str]:
    """Key, value and version of the value of each record of a group, without what depends on time."""
    request = kafka.FetchRequest
    partition = request.FetchPartition(
        partition=partition_of(group, 3), fetch_offset=0, partition_max_bytes=1 << 26
    )
    asked = request(
        max_wait_ms=100,
        min_bytes=1,
        topics=[request.FetchTopic(topic="__consumer_offsets", partitions=[partition])],
    )
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(asked, 12)
    found = []
    for view in iterate_batches(bytes(response.responses[0].partitions[0].records)):
        for record in () if view.header().is_control else view.records():
            decoded = decode_coordinator_record(GROUP_RECORDS, record.key or b"", record.value)
            if getattr(decoded.key, "group_id", None) == group:
                version = b"" if record.value is None else bytes(record.value[:2])
                value = {} if decoded.value is None else plain(decoded.value)
                told = {name: each for name, each in value.items() if name not in _OF_TIME}
                found.append(f"{decoded.key.NAME} {plain(decoded.key)} {version.hex()} {told}")
    return found


def test_both_write_the_same_records(both: tuple[Node, Node]) -> None:
    seen = []
    for node in both:
        with Talk(node) as talk:
            play(talk, SEED_OF_RECORDS, STEPS)
            talk.beat("kept", "a", 0, topology=PLAIN, **ADDRESS)
            talk.beat("kept", "a", -1, instance_id="i")
            talk.ask(kafka.DeleteGroupsRequest(groups_names=["kept"]), 2)
        seen.append([records_of(node, group) for group in (f"seeded-{SEED_OF_RECORDS}", "kept")])
    for stock, ours in zip(*seen, strict=True):
        assert ours == stock


# -- taking over


def described(node: Node, group: str) -> Any:
    """A group without what is in memory only: numbers of internal topics, and offsets that members reported."""
    with Probe(node.bootstrap_server) as probe:
        found: Any = probe.ask(kafka.StreamsGroupDescribeRequest(group_ids=[group]), 1)
    return plain(found.groups[0])


def test_each_make_takes_over_the_groups_of_the_other(tmp_path: Path) -> None:
    """A node of ours, one of Apache Kafka and again one of ours run on the same files."""
    properties = {**combined_properties(tmp_path / "data"), **OVERRIDES}
    first = OurNode(tmp_path / "first", properties)
    first.format(CLUSTER_ID)
    known: Any = None
    for number, make in enumerate((OurNode, StockNode, OurNode)):
        node = make(tmp_path / str(number), properties)
        try:
            node.start()
            if known is None:
                create(node, SOURCE)
            wait_for_coordinator(node)
            with Talk(node) as talk:
                if known is None:
                    talk.beat("taken", "m0", 0, topology=PLAIN, **ADDRESS)
                    epoch = 2
                else:
                    assert described(node, "taken") == known
                    epoch = known["group_epoch"]
                mine = talk.beat("taken", "m0", epoch, instance_id="i", **owned(active=[("0", [0, 1])]))
                assert (mine.error_code, mine.member_epoch) == (0, epoch)
                # It leaves and is back, with everything that it had.
                assert talk.beat("taken", "m0", -2, instance_id="i").error_code == 0
                back = talk.beat("taken", "m0", 0, topology=PLAIN, **ADDRESS)
                assert [each.partitions for each in back.active_tasks] == [[0, 1]]
            known = described(node, "taken")
            node.stop()
        finally:
            node.close()
