"""Requests of members of classic groups that were replaced, are of another generation, or want what there is not."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, ClassVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerProtocolSubscription,
    DeleteGroupsRequest,
    HeartbeatRequest,
    JoinGroupRequest,
    LeaveGroupRequest,
    OffsetCommitRequest,
    OffsetDeleteRequest,
    OffsetFetchRequest,
    ShareGroupHeartbeatRequest,
    SyncGroupRequest,
    TxnOffsetCommitRequest,
)
from tests.sim.nodes.late.cases import (
    MEMBER_GONE,
    PRODUCER_GONE,
    SECOND_TOPIC,
    TOPIC,
    Case,
    Scene,
    case,
    changed,
)

_TYPE, _PROTOCOL = "consumer", "range"
_INSTANCE = "late-instance"
_LONG_METADATA = "m" * 5000
_SUBSCRIPTION = struct.pack(">h", 1) + bytes(ConsumerProtocolSubscription(topics=[TOPIC]).encode(1))


def commit_topics(request: Any, known_id: bytes, version: int, **other: Any) -> list[Any]:
    """One partition of OffsetCommit or TxnOffsetCommit, with some other fields. ``known_id`` is that of the topic."""
    index, metadata = other.get("partition_index", 0), other.get("committed_metadata", "")
    partition = request.Partition(partition_index=index, committed_offset=1, committed_metadata=metadata)
    topic = request.Topic(partitions=[partition])
    if version < 10:
        topic.name = other.get("name", TOPIC)
    else:
        topic.topic_id = other.get("topic_id", known_id)
    return [topic]


def delete_offsets(group_id: str, topic: str = TOPIC) -> OffsetDeleteRequest:
    """Of one partition."""
    partition = OffsetDeleteRequest.Partition(partition_index=0)
    return OffsetDeleteRequest(
        group_id=group_id, topics=[OffsetDeleteRequest.Topic(name=topic, partitions=[partition])]
    )


def fetch_offsets(group_id: str, topic_id: bytes, **other: Any) -> OffsetFetchRequest:
    """Of one partition."""
    topic = OffsetFetchRequest.Topics(topic_id=topic_id, partition_indexes=[0])
    group = changed(OffsetFetchRequest.Group, {"group_id": group_id, "topics": [topic]}, other)
    return OffsetFetchRequest(groups=[group])


class ClassicScene(Scene):
    """One static member, and the one before it that had the same instance id."""

    GONE = MEMBER_GONE | PRODUCER_GONE
    SESSION_S = 20.0

    member_id = old_id = ""
    generation = -1
    producer = (-1, -1)

    def join(self, **other: Any) -> JoinGroupRequest:
        """As the member joins again."""
        return changed(
            JoinGroupRequest,
            {
                "group_id": self.name,
                "session_timeout_ms": int(self.SESSION_S * 1000),
                "rebalance_timeout_ms": 8000,
                "member_id": self.member_id,
                "group_instance_id": _INSTANCE,
                "protocol_type": _TYPE,
                "protocols": [JoinGroupRequest.Protocol(name=_PROTOCOL, metadata=_SUBSCRIPTION)],
            },
            other,
        )

    def _of_member(self, **other: Any) -> dict[str, Any]:
        return {
            "group_id": self.name,
            "generation_id": self.generation,
            "member_id": self.member_id,
            "group_instance_id": _INSTANCE,
            **other,
        }

    def sync(self, **other: Any) -> SyncGroupRequest:
        """As the member asks for its assignment."""
        return SyncGroupRequest(
            **self._of_member(**{"protocol_type": _TYPE, "protocol_name": _PROTOCOL, **other})
        )

    def heartbeat(self, **other: Any) -> HeartbeatRequest:
        """As the member does."""
        return HeartbeatRequest(**self._of_member(**other))

    def leave(self, **other: Any) -> LeaveGroupRequest:
        """As the member does."""
        fields = {"member_id": self.member_id, "group_instance_id": _INSTANCE}
        group_id = other.pop("group_id", self.name)
        return LeaveGroupRequest(
            group_id=group_id, members=[changed(LeaveGroupRequest.MemberIdentity, fields, other)]
        )

    def commit(self, version: int = 10, **other: Any) -> OffsetCommitRequest:
        """As the member does."""
        topics = commit_topics(OffsetCommitRequest, self.topic_id, version, **other)
        who = ("group_id", "member_id", "group_instance_id", "generation_id_or_member_epoch")
        return changed(
            OffsetCommitRequest,
            {
                "group_id": self.name,
                "generation_id_or_member_epoch": self.generation,
                "member_id": self.member_id,
                "group_instance_id": _INSTANCE,
                "topics": topics,
            },
            {name: value for name, value in other.items() if name in who},
        )

    def commit_in_transaction(self, **other: Any) -> TxnOffsetCommitRequest:
        """As the member's producer does."""
        producer_id, epoch = self.producer
        return changed(
            TxnOffsetCommitRequest,
            {
                "transactional_id": self.name,
                "group_id": self.name,
                "producer_id": producer_id,
                "producer_epoch": epoch,
                "generation_id_or_member_epoch": self.generation,
                "member_id": self.member_id,
                "group_instance_id": _INSTANCE,
                "topics": commit_topics(TxnOffsetCommitRequest, self.topic_id, 5),
            },
            other,
        )

    async def begin(self) -> None:
        """Join, and join again as a client does that was started anew."""
        joined = await self.must(self.join(member_id=""), within_s=12)
        self.member_id, self.generation = joined.member_id, joined.generation_id
        assignment = SyncGroupRequest.Assignment(member_id=self.member_id, assignment=b"\0\0\0\0\0\0")
        await self.must(self.sync(assignments=[assignment]), within_s=12)
        self.old_id = self.member_id
        joined = await self.must(self.join(member_id=""), within_s=12)
        self.member_id, self.generation = joined.member_id, joined.generation_id
        self.producer = await self.begin_transaction()
        await self.must(self.sync(), within_s=12)

    async def look(self) -> None:
        """See `Scene`."""
        await self.must(self.heartbeat())

    async def end(self) -> None:
        """Leave, and delete the group."""
        await self.must(self.leave())
        await self.end_transaction(self.producer)
        await self.delete_group()

    CASES: ClassVar[Sequence[Case]] = (
        case(
            "JoinGroup: unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.join(member_id="unknown", group_instance_id=None),
        ),
        case(
            "JoinGroup: the member before", ErrorCode.FENCED_INSTANCE_ID, lambda s: s.join(member_id=s.old_id)
        ),
        case(
            "JoinGroup: the member before, without its instance",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.join(member_id=s.old_id, group_instance_id=None),
        ),
        case(
            "JoinGroup: unknown instance",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.join(group_instance_id="unknown"),
        ),
        case(
            "JoinGroup: other protocol type",
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            lambda s: s.join(protocol_type="connect"),
        ),
        case(
            "JoinGroup: no protocol type",
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            lambda s: s.join(protocol_type=""),
        ),
        case(
            "JoinGroup: no common protocol",
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            lambda s: s.join(protocols=[JoinGroupRequest.Protocol(name="other", metadata=_SUBSCRIPTION)]),
        ),
        case("JoinGroup: no protocol", ErrorCode.INCONSISTENT_GROUP_PROTOCOL, lambda s: s.join(protocols=[])),
        case(
            "JoinGroup: session too short",
            ErrorCode.INVALID_SESSION_TIMEOUT,
            lambda s: s.join(session_timeout_ms=499),
        ),
        case(
            "JoinGroup: session too long",
            ErrorCode.INVALID_SESSION_TIMEOUT,
            lambda s: s.join(session_timeout_ms=1_800_001),
        ),
        case("JoinGroup: no group", ErrorCode.INVALID_GROUP_ID, lambda s: s.join(group_id="")),
        case(
            "SyncGroup: unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.sync(member_id="unknown", group_instance_id=None),
        ),
        case(
            "SyncGroup: the member before", ErrorCode.FENCED_INSTANCE_ID, lambda s: s.sync(member_id=s.old_id)
        ),
        case(
            "SyncGroup: older generation",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.sync(generation_id=s.generation - 1),
        ),
        case(
            "SyncGroup: newer generation",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.sync(generation_id=s.generation + 1),
        ),
        case(
            "SyncGroup: other protocol type",
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            lambda s: s.sync(protocol_type="connect"),
        ),
        case(
            "SyncGroup: other protocol",
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            lambda s: s.sync(protocol_name="other"),
        ),
        case("SyncGroup: no group", ErrorCode.INVALID_GROUP_ID, lambda s: s.sync(group_id="")),
        case(
            "Heartbeat: unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.heartbeat(member_id="unknown", group_instance_id=None),
            may_pass_at_load=True,
        ),
        case(
            "Heartbeat: the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.heartbeat(member_id=s.old_id),
            may_pass_at_load=True,
        ),
        case(
            "Heartbeat: unknown instance",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.heartbeat(group_instance_id="unknown"),
            may_pass_at_load=True,
        ),
        case(
            "Heartbeat: older generation",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.heartbeat(generation_id=s.generation - 1),
            may_pass_at_load=True,
        ),
        case(
            "Heartbeat: newer generation",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.heartbeat(generation_id=s.generation + 1),
            may_pass_at_load=True,
        ),
        case("Heartbeat: no group", ErrorCode.INVALID_GROUP_ID, lambda s: s.heartbeat(group_id="")),
        case(
            "LeaveGroup: unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.leave(member_id="unknown", group_instance_id=None),
        ),
        case(
            "LeaveGroup: the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.leave(member_id=s.old_id),
        ),
        case("LeaveGroup: no group", ErrorCode.INVALID_GROUP_ID, lambda s: s.leave(group_id="")),
        case(
            "OffsetCommit: unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.commit(member_id="unknown", group_instance_id=None),
        ),
        case(
            "OffsetCommit: the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.commit(member_id=s.old_id),
        ),
        case(
            "OffsetCommit: older generation",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.commit(generation_id_or_member_epoch=s.generation - 1),
        ),
        case(
            "OffsetCommit: newer generation",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.commit(generation_id_or_member_epoch=s.generation + 1),
        ),
        case(
            "OffsetCommit: no member, while there are some",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.commit(generation_id_or_member_epoch=-1, member_id="", group_instance_id=None),
        ),
        case(
            "OffsetCommit: metadata too large",
            ErrorCode.OFFSET_METADATA_TOO_LARGE,
            lambda s: s.commit(committed_metadata=_LONG_METADATA),
        ),
        case(
            "OffsetCommit: unknown topic",
            ErrorCode.UNKNOWN_TOPIC_ID,
            lambda s: s.commit(topic_id=bytes(15) + b"\1"),
        ),
        case(
            "OffsetCommit: unknown topic, by its name",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            lambda s: s.commit(version=9, name="unknown"),
            9,
        ),
        case(
            "OffsetCommit: unknown partition",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            lambda s: s.commit(partition_index=99),
        ),
        case(
            "OffsetCommit: unknown group, by a member",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: s.commit(group_id=f"{s.name}-unknown"),
        ),
        case(
            "OffsetCommit: unknown group, by an older client",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.commit(version=8, group_id=f"{s.name}-unknown"),
            8,
        ),
        case(
            "TxnOffsetCommit: unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.commit_in_transaction(member_id="unknown", group_instance_id=None),
            4,
        ),
        case(
            "TxnOffsetCommit: the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.commit_in_transaction(member_id=s.old_id),
            4,
        ),
        case(
            "TxnOffsetCommit: older generation",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.commit_in_transaction(generation_id_or_member_epoch=s.generation - 1),
            4,
        ),
        case(
            "TxnOffsetCommit: unknown group, by a member",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.commit_in_transaction(group_id=f"{s.name}-unknown"),
            4,
        ),
        case(
            "TxnOffsetCommit: unknown producer",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.commit_in_transaction(producer_id=10**9),
            4,
        ),
        case(
            "TxnOffsetCommit: newer producer epoch",
            (ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH),
            lambda s: s.commit_in_transaction(producer_epoch=s.producer[1] + 1),
            4,
        ),
        case(
            "OffsetDelete: subscribed topic",
            ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
            lambda s: delete_offsets(s.name),
        ),
        case(
            "OffsetDelete: unknown group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: delete_offsets(f"{s.name}-unknown"),
        ),
        case("OffsetDelete: no group", ErrorCode.INVALID_GROUP_ID, lambda s: delete_offsets("")),
        case(
            "DeleteGroups: with members",
            ErrorCode.NON_EMPTY_GROUP,
            lambda s: DeleteGroupsRequest(groups_names=[s.name]),
        ),
        case(
            "DeleteGroups: unknown group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: DeleteGroupsRequest(groups_names=[f"{s.name}-unknown"]),
        ),
        case(
            "ConsumerGroupHeartbeat: to a classic group",
            (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNKNOWN_MEMBER_ID),
            lambda s: ConsumerGroupHeartbeatRequest(group_id=s.name, member_id=s.member_id, member_epoch=1),
        ),
        case(
            "ShareGroupHeartbeat: to a classic group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: ShareGroupHeartbeatRequest(
                group_id=s.name, member_id="late", member_epoch=0, subscribed_topic_names=[SECOND_TOPIC]
            ),
        ),
    )
