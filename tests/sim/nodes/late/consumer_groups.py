"""Heartbeats of members of consumer groups that are behind, ahead, replaced or confused, and of other kinds."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, ClassVar

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ConsumerGroupHeartbeatRequest,
    DeleteGroupsRequest,
    HeartbeatRequest,
    JoinGroupRequest,
    LeaveGroupRequest,
    OffsetCommitRequest,
    ShareGroupHeartbeatRequest,
    SyncGroupRequest,
    TxnOffsetCommitRequest,
)
from tests.sim.nodes.coordination.promises import SESSION_S
from tests.sim.nodes.late.cases import (
    MEMBER_GONE,
    PARTITIONS,
    PRODUCER_GONE,
    TOPIC,
    Case,
    NotBegunError,
    Scene,
    case,
    changed,
)
from tests.sim.nodes.late.classic_groups import commit_topics, delete_offsets, fetch_offsets

JOINS, LEAVES, LEAVES_FOR_A_WHILE = 0, -1, -2
"""Member epochs."""
INSTANCE = "late-instance"
TRIES = 15
"""Heartbeats until a member has all partitions."""
_NO_MEMBER = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_ID_NOT_FOUND)

Request = ConsumerGroupHeartbeatRequest


class ConsumerScene(Scene):
    """One static member, and the one before it that had the same instance id and left for a while."""

    GONE = (
        MEMBER_GONE
        | PRODUCER_GONE
        | {ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.STALE_MEMBER_EPOCH, ErrorCode.UNRELEASED_INSTANCE_ID}
    )
    SESSION_S = SESSION_S

    member_id = old_id = ""
    epoch = JOINS
    producer = (-1, -1)

    def new_id(self) -> str:
        """Of a member."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def heartbeat(self, **other: Any) -> Request:
        """As the member does."""
        fields = {
            "group_id": self.name,
            "member_id": self.member_id,
            "member_epoch": self.epoch,
            "instance_id": INSTANCE,
        }
        return changed(Request, fields, other)

    def join(self, **other: Any) -> Request:
        """As the member does."""
        fields = {
            "member_epoch": JOINS,
            "rebalance_timeout_ms": 8000,
            "subscribed_topic_names": [TOPIC],
            "topic_partitions": [],
            **other,
        }
        return self.heartbeat(**fields)

    def owned(self, *indexes: int) -> list[Request.TopicPartitions]:
        """Partitions of the topic, for a heartbeat."""
        return [Request.TopicPartitions(topic_id=self.topic_id, partitions=list(indexes))]

    def commit(self, version: int = 10, **other: Any) -> OffsetCommitRequest:
        """As the member does."""
        fields = {
            "group_id": self.name,
            "generation_id_or_member_epoch": self.epoch,
            "member_id": self.member_id,
            "topics": commit_topics(OffsetCommitRequest, self.topic_id, version),
        }
        return changed(OffsetCommitRequest, fields, other)

    def commit_in_transaction(self, **other: Any) -> TxnOffsetCommitRequest:
        """As the member's producer does."""
        fields = {
            "transactional_id": self.name,
            "group_id": self.name,
            "producer_id": self.producer[0],
            "producer_epoch": self.producer[1],
            "generation_id_or_member_epoch": self.epoch,
            "member_id": self.member_id,
            "topics": commit_topics(TxnOffsetCommitRequest, self.topic_id, 5),
        }
        return changed(TxnOffsetCommitRequest, fields, other)

    async def begin(self) -> None:
        """Join, leave for a while, and come back as another member with the same instance id."""
        self.old_id, self.member_id = self.new_id(), self.new_id()
        await self.must(self.join(member_id=self.old_id))
        await self.must(self.heartbeat(member_id=self.old_id, member_epoch=LEAVES_FOR_A_WHILE))
        response = await self.must(self.join())
        for _ in range(TRIES):
            self.epoch = response.member_epoch
            if response.assignment is not None and response.assignment.topic_partitions:
                break
            await trio.sleep(0.1)
            response = await self.must(self.heartbeat(topic_partitions=[]))
        else:
            raise NotBegunError
        await self.must(self.heartbeat(topic_partitions=self.owned(*range(PARTITIONS))))
        await self.must(
            fetch_offsets(self.name, self.topic_id, member_id=self.member_id, member_epoch=self.epoch)
        )
        self.producer = await self.begin_transaction()

    async def look(self) -> None:
        """See `Scene`."""
        response = await self.must(self.heartbeat())
        if response.member_epoch != self.epoch:
            raise NotBegunError

    async def end(self) -> None:
        """Leave, and delete the group."""
        await self.must(self.heartbeat(member_epoch=LEAVES))
        await self.end_transaction(self.producer)
        await self.delete_group()

    CASES: ClassVar[Sequence[Case]] = (
        case(
            "ConsumerGroupHeartbeat: no group", ErrorCode.INVALID_REQUEST, lambda s: s.heartbeat(group_id="")
        ),
        case(
            "ConsumerGroupHeartbeat: blank group",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(group_id="  "),
        ),
        case(
            "ConsumerGroupHeartbeat: no member",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(member_id=""),
        ),
        case(
            "ConsumerGroupHeartbeat: no member joins",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(member_id="", instance_id=None),
        ),
        case(
            "ConsumerGroupHeartbeat: blank instance",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(instance_id=" "),
        ),
        case(
            "ConsumerGroupHeartbeat: blank rack",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(rack_id=" "),
        ),
        case(
            "ConsumerGroupHeartbeat: epoch -3",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(member_epoch=-3),
        ),
        case(
            "ConsumerGroupHeartbeat: leaves for a while without an instance",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(member_epoch=LEAVES_FOR_A_WHILE, instance_id=None),
        ),
        case(
            "ConsumerGroupHeartbeat: joins without a rebalance timeout",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(rebalance_timeout_ms=-1),
        ),
        case(
            "ConsumerGroupHeartbeat: joins with partitions",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(topic_partitions=s.owned(0)),
        ),
        case(
            "ConsumerGroupHeartbeat: joins without a word of partitions",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(topic_partitions=None),
        ),
        case(
            "ConsumerGroupHeartbeat: joins without a subscription",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(subscribed_topic_names=None),
        ),
        case(
            "ConsumerGroupHeartbeat: unknown assignor",
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            lambda s: s.heartbeat(server_assignor="unknown"),
        ),
        case(
            "ConsumerGroupHeartbeat: a regular expression that is none",
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            lambda s: s.heartbeat(subscribed_topic_regex="(late-"),
        ),
        case(
            "ConsumerGroupHeartbeat: unknown member",
            _NO_MEMBER,
            lambda s: s.heartbeat(member_id=s.new_id(), instance_id=None),
        ),
        case(
            "ConsumerGroupHeartbeat: unknown instance",
            _NO_MEMBER,
            lambda s: s.heartbeat(instance_id="unknown"),
        ),
        case(
            "ConsumerGroupHeartbeat: the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.heartbeat(member_id=s.old_id),
        ),
        case(
            "ConsumerGroupHeartbeat: the member before, without its instance",
            _NO_MEMBER,
            lambda s: s.heartbeat(member_id=s.old_id, instance_id=None),
        ),
        case(
            "ConsumerGroupHeartbeat: the member before joins again",
            ErrorCode.UNRELEASED_INSTANCE_ID,
            lambda s: s.join(member_id=s.old_id),
        ),
        case(
            "ConsumerGroupHeartbeat: the member before leaves",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.heartbeat(member_id=s.old_id, member_epoch=LEAVES_FOR_A_WHILE),
        ),
        case(
            "ConsumerGroupHeartbeat: an unknown member leaves",
            _NO_MEMBER,
            lambda s: s.heartbeat(member_id=s.new_id(), member_epoch=LEAVES, instance_id=None),
        ),
        case(
            "ConsumerGroupHeartbeat: newer epoch",
            ErrorCode.FENCED_MEMBER_EPOCH,
            lambda s: s.heartbeat(member_epoch=s.epoch + 1),
        ),
        case(
            "ConsumerGroupHeartbeat: older epoch",
            ErrorCode.FENCED_MEMBER_EPOCH,
            lambda s: s.heartbeat(member_epoch=s.epoch - 1),
        ),
        case(
            "ConsumerGroupHeartbeat: older epoch, with partitions that it has not",
            ErrorCode.FENCED_MEMBER_EPOCH,
            lambda s: s.heartbeat(member_epoch=s.epoch - 1, topic_partitions=s.owned(0, PARTITIONS)),
        ),
        case(
            "ConsumerGroupHeartbeat: epoch 1",
            ErrorCode.FENCED_MEMBER_EPOCH,
            lambda s: s.heartbeat(member_epoch=1, topic_partitions=s.owned(0)),
        ),
        case(
            "JoinGroup: to a consumer group, the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.classic_join(member_id=s.old_id, group_instance_id=INSTANCE),
        ),
        case(
            "JoinGroup: to a consumer group, other protocol type",
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            lambda s: s.classic_join(protocol_type="connect"),
        ),
        case(
            "JoinGroup: to a consumer group, a protocol that is none",
            (ErrorCode.INCONSISTENT_GROUP_PROTOCOL, ErrorCode.UNKNOWN_MEMBER_ID),
            lambda s: s.classic_join(protocols=[JoinGroupRequest.Protocol(name="range", metadata=b"\0")]),
        ),
        case(
            "SyncGroup: to a consumer group",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: SyncGroupRequest(
                group_id=s.name,
                generation_id=s.epoch,
                member_id=s.member_id,
                protocol_type="consumer",
                protocol_name="range",
            ),
        ),
        case(
            "Heartbeat: to a consumer group",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: HeartbeatRequest(group_id=s.name, generation_id=s.epoch, member_id=s.member_id),
            may_pass_at_load=True,
        ),
        case(
            "Heartbeat: to a consumer group, the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: HeartbeatRequest(
                group_id=s.name, generation_id=s.epoch, member_id=s.old_id, group_instance_id=INSTANCE
            ),
            may_pass_at_load=True,
        ),
        case(
            "LeaveGroup: to a consumer group, unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: LeaveGroupRequest(
                group_id=s.name, members=[LeaveGroupRequest.MemberIdentity(member_id=s.new_id())]
            ),
        ),
        case(
            "LeaveGroup: to a consumer group, the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: LeaveGroupRequest(
                group_id=s.name,
                members=[LeaveGroupRequest.MemberIdentity(member_id=s.old_id, group_instance_id=INSTANCE)],
            ),
        ),
        case(
            "OffsetCommit: unknown member of a consumer group",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.commit(member_id=s.new_id()),
        ),
        case(
            "OffsetCommit: no member of a consumer group",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.commit(member_id="", generation_id_or_member_epoch=-1),
        ),
        case(
            "OffsetCommit: newer member epoch",
            ErrorCode.STALE_MEMBER_EPOCH,
            lambda s: s.commit(generation_id_or_member_epoch=s.epoch + 1),
        ),
        case(
            "OffsetCommit: member epoch from before the partition",
            ErrorCode.STALE_MEMBER_EPOCH,
            lambda s: s.commit(generation_id_or_member_epoch=1),
        ),
        case(
            "OffsetCommit: older client in a consumer group",
            ErrorCode.UNSUPPORTED_VERSION,
            lambda s: s.commit(version=8),
            8,
        ),
        case(
            "TxnOffsetCommit: unknown member of a consumer group",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.commit_in_transaction(member_id=s.new_id()),
            4,
        ),
        case(
            "TxnOffsetCommit: newer member epoch",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.commit_in_transaction(generation_id_or_member_epoch=s.epoch + 1),
            4,
        ),
        case(
            "TxnOffsetCommit: member epoch from before the partition",
            ErrorCode.ILLEGAL_GENERATION,
            lambda s: s.commit_in_transaction(generation_id_or_member_epoch=1),
            4,
        ),
        case(
            "OffsetFetch: unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: fetch_offsets(s.name, s.topic_id, member_id=s.new_id(), member_epoch=s.epoch),
        ),
        case(
            "OffsetFetch: older member epoch",
            ErrorCode.STALE_MEMBER_EPOCH,
            lambda s: fetch_offsets(s.name, s.topic_id, member_id=s.member_id, member_epoch=s.epoch - 1),
        ),
        case(
            "OffsetFetch: newer member epoch",
            ErrorCode.STALE_MEMBER_EPOCH,
            lambda s: fetch_offsets(s.name, s.topic_id, member_id=s.member_id, member_epoch=s.epoch + 1),
        ),
        case(
            "OffsetDelete: subscribed topic of a consumer group",
            ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
            lambda s: delete_offsets(s.name),
        ),
        case(
            "DeleteGroups: consumer group with members",
            ErrorCode.NON_EMPTY_GROUP,
            lambda s: DeleteGroupsRequest(groups_names=[s.name]),
        ),
        case(
            "ShareGroupHeartbeat: to a consumer group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: ShareGroupHeartbeatRequest(
                group_id=s.name, member_id=s.new_id(), member_epoch=JOINS, subscribed_topic_names=[TOPIC]
            ),
        ),
    )

    def classic_join(self, **other: Any) -> JoinGroupRequest:
        """As a member of the other protocol."""
        fields = {
            "group_id": self.name,
            "session_timeout_ms": 3000,
            "rebalance_timeout_ms": 8000,
            "member_id": "unknown",
            "protocol_type": "consumer",
            "protocols": [JoinGroupRequest.Protocol(name="range", metadata=b"\0\0\0\0\0\0\0\0\0\0")],
        }
        return changed(JoinGroupRequest, fields, other)
