"""The same requests about groups to a node of Apache Kafka 4.4.0 and to ours: the same responses, the same records.

Member ids are random, so they are told by the order in which they came up.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import pytest
import xxhash

from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.message import Message
from kafkaproto_server.core.coordinators.groups.topics import group_hash, topic_hash
from tests.compat.support.dialogues import Talk, records_of, without_messages
from tests.compat.support.nodes import create, make_node

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

TOPIC = "t"
PARTITIONS = 3
RACK = "rack-1"
WAIT_S = 60.0
OVERRIDES = {
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": str(PARTITIONS),
    "broker.rack": RACK,
    # Two assignments may follow each other at once.
    "group.consumer.assignment.interval.ms": "0",
    # A heartbeat's response waits for the assignment that it has brought about.
    "group.consumer.assignor.offload.enable": "false",
}
LOADS = {14, 15, 16}
"""What a coordinator says that is about to begin."""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """A node of Apache Kafka and one of ours, with the topic t and a coordinator of groups each."""
    nodes = [make_node(make, tmp_path_factory.mktemp(make.kind), OVERRIDES) for make in (StockNode, OurNode)]
    try:
        for node in nodes:
            node.start()
            create(node, TOPIC)
            wait_until(lambda node=node: _is_coordinated(node), WAIT_S, "a coordinator")  # type: ignore[misc]
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
        fetch = kafka.OffsetFetchRequest(
            groups=[kafka.OffsetFetchRequest.Group(group_id=each, topics=None) for each in "abcdefg"]
        )
        offsets: Any = probe.ask(fetch, 8)
        return not {each.error_code for each in offsets.groups} & LOADS


def commit(talk: Talk, group: str, version: int, *partitions: int, **fields: Any) -> None:
    by_id = version >= 10
    request = kafka.OffsetCommitRequest(
        group_id=group,
        topics=[
            kafka.OffsetCommitRequest.Topic(
                name="" if by_id else TOPIC,
                topic_id=talk.topic_id if by_id else bytes(16),
                partitions=[
                    kafka.OffsetCommitRequest.Partition(
                        partition_index=each, committed_offset=each + 5, committed_metadata="m"
                    )
                    for each in partitions
                ],
            )
        ],
        **fields,
    )
    talk.ask(request, version)


def fetch(talk: Talk, group: str, version: int, *, is_all: bool = False, name: str = TOPIC) -> None:
    if version < 8:
        topics = [kafka.OffsetFetchRequest.Topic(name=name, partition_indexes=[0, 1, 7])]
        talk.ask(kafka.OffsetFetchRequest(group_id=group, topics=None if is_all else topics), version)
        return
    by_id = version >= 10
    topic_id = talk.topic_id if name == TOPIC else b"\x09" * 16
    asked = kafka.OffsetFetchRequest.Topics(
        name="" if by_id else name, topic_id=topic_id if by_id else bytes(16), partition_indexes=[0, 1, 7]
    )
    group_request = kafka.OffsetFetchRequest.Group(group_id=group, topics=None if is_all else [asked])
    talk.ask(kafka.OffsetFetchRequest(groups=[group_request]), version)


def about_offsets(talk: Talk) -> None:
    """Simple groups: all versions, and what is refused."""
    for version in range(2, 11):
        commit(talk, f"simple-{version}", version, 0, 1, 7)
    for version in range(1, 11):
        fetch(talk, "simple-6", version)
        fetch(talk, "unknown", version)
        fetch(talk, "simple-6", version, name="missing")
        if version >= 2:
            fetch(talk, "simple-6", version, is_all=True)
            fetch(talk, "unknown", version, is_all=True)
    commit(talk, "", 9, 0)
    fetch(talk, "", 9)
    for version in (8, 9):
        commit(talk, "nobody", version, 0, generation_id_or_member_epoch=1, member_id="m")
        commit(talk, "simple-6", version, 0, generation_id_or_member_epoch=1, member_id="m")
    deletion = kafka.OffsetDeleteRequest
    for group in ("simple-6", "unknown", ""):
        for name in (TOPIC, "missing"):
            partitions = [deletion.Partition(partition_index=each) for each in (0, 7)]
            talk.ask(deletion(group_id=group, topics=[deletion.Topic(name=name, partitions=partitions)]), 0)
    talk.ask(kafka.DescribeGroupsRequest(groups=["simple-6", "unknown", ""]), 5)
    talk.ask(kafka.DescribeGroupsRequest(groups=["simple-6", "unknown"]), 6)
    for version in range(4):
        talk.ask(kafka.DeleteGroupsRequest(groups_names=[f"simple-{version + 2}", "unknown"]), version)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=[""]), 2)


def join(talk: Talk, group: str, version: int, member_id: str = "", **fields: Any) -> Any:
    metadata = (1).to_bytes(2, "big") + kafka.ConsumerProtocolSubscription(topics=[TOPIC]).encode(1)
    values: dict[str, Any] = {
        "group_id": group,
        "member_id": member_id,
        "protocol_type": "consumer",
        "session_timeout_ms": 10_000,
        "protocols": [kafka.JoinGroupRequest.Protocol(name="range", metadata=metadata)],
    }
    if version >= 1:
        values["rebalance_timeout_ms"] = 20_000
    return talk.ask(kafka.JoinGroupRequest(**{**values, **fields}), version)


def list_groups(talk: Talk, group: str, version: int, **filters: Any) -> None:
    """How a list of the groups has this one; the others may be those of another script."""
    response: Any = talk.probe.ask(kafka.ListGroupsRequest(**filters), version)
    found = [repr(without_messages(each, {})) for each in response.groups if each.group_id == group]
    talk.told.append(f"ListGroups v{version} {filters}: {response.error_code} {found}")


def about_classic_members(talk: Talk) -> None:
    """One member: every version of every request, static members, and what is refused."""
    for version in range(10):
        group = f"classic-{version}"
        joined = join(talk, group, version)
        if version >= 4:
            joined = join(talk, group, version, joined.member_id)
        assignment = kafka.SyncGroupRequest.Assignment(member_id=joined.member_id, assignment=b"all")
        sync_version = min(version, 5)
        named: dict[str, Any] = {}
        if sync_version >= 5:
            named = {"protocol_type": "consumer", "protocol_name": "range"}
        sync = kafka.SyncGroupRequest(
            group_id=group,
            generation_id=1,
            member_id=joined.member_id,
            assignments=[assignment],
            **named,
        )
        talk.ask(sync, sync_version)
        for generation in (1, 2):
            beat = kafka.HeartbeatRequest(
                group_id=group, generation_id=generation, member_id=joined.member_id
            )
            talk.ask(beat, min(version, 4))
        commit(talk, group, 9, 0, generation_id_or_member_epoch=1, member_id=joined.member_id)
        commit(talk, group, 9, 0, generation_id_or_member_epoch=2, member_id=joined.member_id)
        commit(talk, group, 9, 0)
        join(talk, group, version, "nobody")
        join(talk, group, version, joined.member_id, protocol_type="other")
        talk.ask(kafka.DescribeGroupsRequest(groups=[group]), min(version, 6))
        list_groups(talk, group, min(version, 5))
        talk.ask(kafka.DeleteGroupsRequest(groups_names=[group]), 2)
        leave = kafka.LeaveGroupRequest
        if version >= 3:
            members = [leave.MemberIdentity(member_id=each) for each in (joined.member_id, "nobody")]
            talk.ask(leave(group_id=group, members=members), min(version, 5))
        else:
            talk.ask(leave(group_id=group, member_id=joined.member_id), version)
        talk.ask(kafka.DescribeGroupsRequest(groups=[group]), 5)
    wrong: list[dict[str, Any]] = [
        {"session_timeout_ms": 1},
        {"protocol_type": ""},
        {"protocols": []},
        {"group_id": ""},
        {"member_id": "nobody"},
    ]
    for fields in wrong:
        join(talk, "refused", 9, **fields)


def about_static_members(talk: Talk) -> None:
    """A static member that starts anew."""
    static = {"group_instance_id": "i"}
    joined = join(talk, "static", 9, **static)
    assignment = kafka.SyncGroupRequest.Assignment(member_id=joined.member_id, assignment=b"all")
    sync = {
        "group_id": "static",
        "generation_id": 1,
        "group_instance_id": "i",
        "protocol_type": "consumer",
        "protocol_name": "range",
    }
    talk.ask(
        kafka.SyncGroupRequest(member_id=joined.member_id, assignments=[assignment], **sync),  # type: ignore[arg-type]
        5,
    )
    again = join(talk, "static", 9, **static)
    talk.ask(kafka.SyncGroupRequest(member_id=again.member_id, **sync), 5)  # type: ignore[arg-type]
    for member_id in (joined.member_id, again.member_id):
        beat = kafka.HeartbeatRequest(
            group_id="static", generation_id=1, member_id=member_id, group_instance_id="i"
        )
        talk.ask(beat, 4)
        fields = {"group_instance_id": "i", "member_id": member_id}
        commit(talk, "static", 9, 0, generation_id_or_member_epoch=1, **fields)
    leave = kafka.LeaveGroupRequest
    members = [leave.MemberIdentity(member_id="", group_instance_id=each) for each in ("x", "i")]
    talk.ask(leave(group_id="static", members=members), 5)


def beat(talk: Talk, group: str, member_id: str, epoch: int, **fields: Any) -> Any:
    values: dict[str, Any] = {"group_id": group, "member_id": member_id, "member_epoch": epoch}
    if epoch == 0:
        values |= {
            "rebalance_timeout_ms": 30_000,
            "subscribed_topic_names": [TOPIC],
            "topic_partitions": [],
        }
    return talk.ask(kafka.ConsumerGroupHeartbeatRequest(**{**values, **fields}), 1)


def about_consumer_groups(talk: Talk) -> None:
    """Two members share; commits and fetches by epoch; what is refused."""
    beat(talk, "new", "a", 0)
    owned = kafka.ConsumerGroupHeartbeatRequest.TopicPartitions
    beat(talk, "new", "a", 2, topic_partitions=[owned(topic_id=talk.topic_id, partitions=[0, 1])])
    for epoch in (0, 1, 2, 9):
        commit(talk, "new", 9, 0, generation_id_or_member_epoch=epoch, member_id="a")
    commit(talk, "new", 8, 0, generation_id_or_member_epoch=2, member_id="a")
    commit(talk, "new", 9, 0)
    for member_id, epoch in (("a", 1), ("a", 2), ("x", 1), (None, -1)):
        group = kafka.OffsetFetchRequest.Group(
            group_id="new", member_id=member_id, member_epoch=epoch, topics=None
        )
        talk.ask(kafka.OffsetFetchRequest(groups=[group]), 9)
    beat(talk, "new", "b", 0)
    beat(talk, "new", "a", 2, topic_partitions=[owned(topic_id=talk.topic_id, partitions=[0, 1])])
    beat(talk, "new", "a", 2, topic_partitions=[owned(topic_id=talk.topic_id, partitions=[0])])
    beat(talk, "new", "b", 3, topic_partitions=[])
    for epoch in (0, 1):
        talk.ask(kafka.ConsumerGroupDescribeRequest(group_ids=["new", "unknown", "simple-9"]), epoch)
    for member_id, epoch in (("a", 7), ("x", 1), ("", 1), ("a", -3), ("a", -2)):
        beat(talk, "new", member_id, epoch)
    beat(talk, "unknown", "a", 1)
    beat(talk, "", "a", 0)
    for fields in (
        {"rebalance_timeout_ms": -1},
        {"subscribed_topic_names": None},
        {"topic_partitions": None},
        {"server_assignor": "unknown"},
        {"subscribed_topic_regex": "("},
        {"instance_id": ""},
        {"rack_id": ""},
    ):
        beat(talk, "refused", "a", 0, **fields)
    talk.ask(kafka.DescribeGroupsRequest(groups=["new"]), 5)
    for types in ([], ["Consumer"], ["consumer"], ["CLASSIC"], ["Unknown"], ["CONSUMER", "share"]):
        list_groups(talk, "new", 5, types_filter=types)
    for states in (["Stable"], ["RECONCILING"], ["reconciling"], ["nothing"], ["Assigning", "Reconciling"]):
        list_groups(talk, "new", 5, states_filter=states)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["new"]), 2)
    for member_id in ("a", "b"):
        beat(talk, "new", member_id, -1)
    talk.ask(kafka.ConsumerGroupDescribeRequest(group_ids=["new"]), 1)
    # The group becomes a classic one, and a consumer group again.
    joined = join(talk, "new", 9)
    join(talk, "new", 9, joined.member_id)
    talk.ask(
        kafka.LeaveGroupRequest(
            group_id="new", members=[kafka.LeaveGroupRequest.MemberIdentity(member_id=joined.member_id)]
        ),
        5,
    )
    fetch(talk, "new", 9, is_all=True)
    beat(talk, "new", "c", 0)
    beat(talk, "new", "c", -1)
    fetch(talk, "new", 9, is_all=True)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["new"]), 2)


def about_removed_members(talk: Talk) -> None:
    """LeaveGroup of members of the new protocol, by ids and by instance ids alone, as administrators remove them."""
    leave = kafka.LeaveGroupRequest
    describe = kafka.ConsumerGroupDescribeRequest

    def remove(group: str, version: int, *members: tuple[str, str | None]) -> None:
        named = [
            leave.MemberIdentity(member_id=each, group_instance_id=instance) for each, instance in members
        ]
        talk.ask(leave(group_id=group, members=named), version)
        talk.ask(describe(group_ids=[group]), 1)

    for version in range(6):
        group = f"left-{version}"
        beat(talk, group, "a", 0)
        beat(talk, group, "b", 0, instance_id="i")
        if version >= 3:
            remove(group, version, ("a", None), ("a", None), ("x", None), ("b", "x"))
            remove(group, version, ("", "i"), ("", "x"))
        else:
            for member_id in ("a", "b", "b"):
                talk.ask(leave(group_id=group, member_id=member_id), version)
        talk.ask(describe(group_ids=[group]), 1)
        talk.ask(kafka.DeleteGroupsRequest(groups_names=[group]), 2)
    beat(talk, "away", "a", 0, instance_id="i")
    beat(talk, "away", "a", -2, instance_id="i")
    remove("away", 5, ("", "i"))
    share = {"member_id": "m", "member_epoch": 0, "subscribed_topic_names": [TOPIC]}
    talk.ask(kafka.ShareGroupHeartbeatRequest(group_id="left-share", **share), 1)  # type: ignore[arg-type]
    remove("left-share", 5, ("m", None), ("", "i"))


def about_members_that_revoke(talk: Talk) -> None:
    """A member has its partitions until it says that it has given them up."""
    owned = kafka.ConsumerGroupHeartbeatRequest.TopicPartitions
    for member_id, epoch, partitions in (
        ("a", 0, []),
        ("b", 0, []),
        ("a", 2, [0, 1]),
        ("a", 2, None),
        ("a", 2, [0]),
        ("b", 3, []),
    ):
        given: dict[str, Any] = {} if partitions is None else {"topic_partitions": []}
        if partitions:
            given["topic_partitions"] = [owned(topic_id=talk.topic_id, partitions=partitions)]
        beat(talk, "revoking", member_id, epoch, **given)
        talk.ask(kafka.ConsumerGroupDescribeRequest(group_ids=["revoking"]), 1)


def about_odd_heartbeats(talk: Talk) -> None:
    """What a heartbeat must say, for each kind of group."""
    owned = kafka.ConsumerGroupHeartbeatRequest.TopicPartitions
    topics: list[Any] = [[], [owned(topic_id=talk.topic_id)], [owned(topic_id=bytes(16))]]
    odd: list[dict[str, Any]] = [{"topic_partitions": each} for each in (None, *topics)]
    odd += [
        {name: text}
        for name in ("instance_id", "rack_id", "group_id", "member_id", "server_assignor")
        for text in ("", " ", "\t", "\x00", "\u00a0", "x" * 300)
    ]
    odd += [{"rebalance_timeout_ms": each} for each in (-1, 0, -2)]
    odd += [{"subscribed_topic_names": each} for each in (None, [""], [TOPIC, TOPIC], ["a b"])]
    for number, fields in enumerate(odd):
        for epoch in (0, 1, -1, -2, -3):
            values = {"group_id": f"odd-{number}-{epoch}", "member_id": "m", **fields}
            beat(talk, values.pop("group_id"), values.pop("member_id"), epoch, **values)
    for member_id in ("", " ", "\u00a0", "x" * 36, "x" * 37):
        for epoch in (0, 1, -1, -2):
            share = {"group_id": f"odd-share-{len(member_id)}", "member_id": member_id, "member_epoch": epoch}
            for names in (None, [], [TOPIC]):
                asked = kafka.ShareGroupHeartbeatRequest(subscribed_topic_names=names, **share)  # type: ignore[arg-type]
                talk.ask(asked, 1)


@pytest.mark.parametrize(
    "script",
    [
        about_offsets,
        about_classic_members,
        about_static_members,
        about_consumer_groups,
        about_removed_members,
        about_members_that_revoke,
        about_odd_heartbeats,
    ],
    ids=lambda each: each.__name__,
)
def test_both_say_the_same(both: tuple[Node, Node], script: Any) -> None:
    with Talk(both[0], TOPIC) as stock, Talk(both[1], TOPIC) as ours:
        script(stock)
        script(ours)
    assert len(ours.told) == len(stock.told)
    differences = [(one, other) for one, other in zip(stock.told, ours.told, strict=True) if one != other]
    assert not differences, "\n\n".join(f"stock {one}\nours  {other}" for one, other in differences)


# -- records


def test_the_hash_of_a_groups_topics_is_apache_kafkas(both: tuple[Node, Node]) -> None:
    for node in both:
        with Talk(node, TOPIC) as talk:
            assert beat(talk, "hashed", "m", 0).error_code == 0
        hashes = [
            value.metadata_hash
            for _, value, _ in records_of(node, "hashed", PARTITIONS)
            if isinstance(value, kafka.ConsumerGroupMetadataValue)
        ]
        of_topic = topic_hash(xxhash.xxh3_64_intdigest, talk.topic_id, TOPIC, [[RACK], [RACK]])
        assert hashes == [group_hash(xxhash.xxh3_64_intdigest, {TOPIC: of_topic})]


def commit_in_transaction(node: Node, group: str) -> None:
    """Commit an offset of the group with a transaction; the request has the topic's name only."""

    def producer() -> Any:
        with Probe(node.bootstrap_server) as probe:
            request = kafka.InitProducerIdRequest(transactional_id=group, transaction_timeout_ms=60_000)
            return probe.ask(request, 4)

    def is_coordinated() -> bool:
        with Probe(node.bootstrap_server) as probe:
            probe.ask(kafka.FindCoordinatorRequest(key_type=1, coordinator_keys=[group]), 4)
        return bool(producer().error_code == 0)

    wait_until(is_coordinated, WAIT_S, "a coordinator of transactions")
    begun = producer()
    identity = {
        "transactional_id": group,
        "producer_id": begun.producer_id,
        "producer_epoch": begun.producer_epoch,
    }
    topic = kafka.TxnOffsetCommitRequest.Topic(
        name=TOPIC,
        partitions=[
            kafka.TxnOffsetCommitRequest.Partition(
                partition_index=0, committed_offset=7, committed_metadata="m"
            )
        ],
    )
    with Probe(node.bootstrap_server) as probe:
        added: Any = probe.ask(kafka.AddOffsetsToTxnRequest(group_id=group, **identity), 3)
        committed: Any = probe.ask(
            kafka.TxnOffsetCommitRequest(group_id=group, topics=[topic], **identity), 3
        )
        ended: Any = probe.ask(kafka.EndTxnRequest(committed=True, **identity), 3)
    codes = added.error_code, committed.topics[0].partitions[0].error_code, ended.error_code
    assert codes == (0, 0, 0)


_OF_TIME = {"commit_timestamp", "current_state_timestamp", "assignment_timestamp", "metadata_hash"}


def test_both_write_the_same_records(both: tuple[Node, Node]) -> None:
    seen = []
    for node in both:
        with Talk(node, TOPIC) as talk:
            commit(talk, "same", 9, 0)
            commit(talk, "same", 10, 1)
            commit(talk, "same", 4, 0, retention_time_ms=1_000_000)
            static = {"group_instance_id": "i"}
            joined = join(talk, "same-classic", 9, **static)
            sync = kafka.SyncGroupRequest(
                group_id="same-classic",
                generation_id=1,
                member_id=joined.member_id,
                group_instance_id="i",
                protocol_type="consumer",
                protocol_name="range",
                assignments=[
                    kafka.SyncGroupRequest.Assignment(member_id=joined.member_id, assignment=b"all")
                ],
            )
            talk.ask(sync, 5)
            beat(talk, "same-new", "m", 0, rack_id="r", server_assignor="range")
            commit_in_transaction(node, "same-transaction")
        found = []
        for group in ("same", "same-classic", "same-new", "same-transaction"):
            for key, value, version in records_of(node, group, PARTITIONS):
                text = f"{_told(key)} {_told(value)} v{version}"
                text = text.replace(joined.member_id, "<member>")
                found.append(text.replace(repr(talk.topic_id), "<topic>"))
        seen.append(found)
    stock, ours = seen
    differences = [pair for pair in zip_longest(stock, ours) if pair[0] != pair[1]]
    assert not differences, "\n\n".join(
        f"stock {one}\nours  {other}" for one, other in zip_longest(stock, ours)
    )


def _told(message: Message | None) -> str:
    if message is None:
        return "None"
    told = without_messages(message, {})
    # Committed a moment later; only whether there is an expiry is compared.
    if "expire_timestamp" in told:
        told["expire_timestamp"] = told["expire_timestamp"] > 0
    return repr({name: value for name, value in told.items() if name not in _OF_TIME})
