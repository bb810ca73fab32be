"""Heartbeats of members of share groups that are behind, ahead or confused, and what administrators may not do to a
group with members."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, ClassVar

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterShareGroupOffsetsRequest,
    ConsumerGroupHeartbeatRequest,
    DeleteGroupsRequest,
    DeleteShareGroupOffsetsRequest,
    JoinGroupRequest,
    OffsetCommitRequest,
    ShareGroupHeartbeatRequest,
    StreamsGroupHeartbeatRequest,
)
from tests.sim.nodes.late.cases import MEMBER_GONE, TOPIC, Case, NotBegunError, Scene, case, changed
from tests.sim.nodes.late.classic_groups import commit_topics
from tests.sim.nodes.late.consumer_groups import JOINS, LEAVES, TRIES
from tests.sim.nodes.late.streams_groups import StreamsScene

SESSION_S = 3.0
Request = ShareGroupHeartbeatRequest


class ShareGroupScene(Scene):
    """One member."""

    GONE = MEMBER_GONE | {ErrorCode.FENCED_MEMBER_EPOCH}
    SESSION_S = SESSION_S

    member_id = ""
    epoch = JOINS
    subscribed: ClassVar[str] = TOPIC

    def new_id(self) -> str:
        """Of a member."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def heartbeat(self, **other: Any) -> Request:
        """As the member does."""
        fields = {"group_id": self.name, "member_id": self.member_id, "member_epoch": self.epoch}
        return changed(Request, fields, other)

    def alter_offsets(self, group_id: str) -> AlterShareGroupOffsetsRequest:
        """As an administrator does."""
        topic = AlterShareGroupOffsetsRequest.Topic(
            topic_name=TOPIC,
            partitions=[AlterShareGroupOffsetsRequest.Partition(partition_index=0, start_offset=1)],
        )
        return AlterShareGroupOffsetsRequest(group_id=group_id, topics=[topic])

    async def begin(self) -> None:
        """Join, and wait for partitions."""
        self.member_id = self.new_id()
        response = await self.must(self.heartbeat(subscribed_topic_names=[self.subscribed]))
        for _ in range(TRIES):
            self.epoch = response.member_epoch
            if response.assignment is not None and response.assignment.topic_partitions:
                return
            await trio.sleep(0.1)
            response = await self.must(self.heartbeat(subscribed_topic_names=[self.subscribed]))
        raise NotBegunError

    async def look(self) -> None:
        """See `Scene`."""
        response = await self.must(self.heartbeat())
        self.epoch = response.member_epoch

    async def end(self) -> None:
        """Leave, and delete the group."""
        await self.must(self.heartbeat(member_epoch=LEAVES))
        await self.delete_group()

    CASES: ClassVar[Sequence[Case]] = (
        case(
            "ShareGroupHeartbeat: no member", ErrorCode.INVALID_REQUEST, lambda s: s.heartbeat(member_id="")
        ),
        case("ShareGroupHeartbeat: no group", ErrorCode.INVALID_REQUEST, lambda s: s.heartbeat(group_id="")),
        case(
            "ShareGroupHeartbeat: blank rack", ErrorCode.INVALID_REQUEST, lambda s: s.heartbeat(rack_id=" ")
        ),
        case(
            "ShareGroupHeartbeat: epoch -2", ErrorCode.INVALID_REQUEST, lambda s: s.heartbeat(member_epoch=-2)
        ),
        case(
            "ShareGroupHeartbeat: joins without a subscription",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(member_epoch=JOINS),
        ),
        case(
            "ShareGroupHeartbeat: unknown member",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.heartbeat(member_id=s.new_id()),
        ),
        case(
            "ShareGroupHeartbeat: an unknown member leaves",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.heartbeat(member_id=s.new_id(), member_epoch=LEAVES),
        ),
        case(
            "ShareGroupHeartbeat: newer epoch",
            ErrorCode.FENCED_MEMBER_EPOCH,
            lambda s: s.heartbeat(member_epoch=s.epoch + 5),
        ),
        case(
            "ShareGroupHeartbeat: unknown group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: s.heartbeat(group_id=f"{s.name}-unknown"),
        ),
        case(
            "OffsetCommit: to a share group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: OffsetCommitRequest(
                group_id=s.name, topics=commit_topics(OffsetCommitRequest, s.topic_id, 10)
            ),
        ),
        case(
            "JoinGroup: to a share group",
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            lambda s: JoinGroupRequest(
                group_id=s.name,
                session_timeout_ms=3000,
                rebalance_timeout_ms=8000,
                member_id="unknown",
                protocol_type="consumer",
                protocols=[JoinGroupRequest.Protocol(name="range", metadata=b"")],
            ),
        ),
        case(
            "ConsumerGroupHeartbeat: to a share group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: ConsumerGroupHeartbeatRequest(
                group_id=s.name,
                member_id=s.new_id(),
                member_epoch=JOINS,
                rebalance_timeout_ms=8000,
                subscribed_topic_names=[TOPIC],
                topic_partitions=[],
            ),
        ),
        case(
            "StreamsGroupHeartbeat: to a share group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: StreamsGroupHeartbeatRequest(
                group_id=s.name,
                member_id=s.new_id(),
                member_epoch=JOINS,
                rebalance_timeout_ms=8000,
                topology=StreamsScene.topology(),
                active_tasks=[],
                standby_tasks=[],
                warmup_tasks=[],
                process_id="late-process",
                client_tags=[],
            ),
        ),
        case(
            "AlterShareGroupOffsets: with members",
            ErrorCode.NON_EMPTY_GROUP,
            lambda s: s.alter_offsets(s.name),
        ),
        case(
            "DeleteShareGroupOffsets: with members",
            ErrorCode.NON_EMPTY_GROUP,
            lambda s: DeleteShareGroupOffsetsRequest(
                group_id=s.name, topics=[DeleteShareGroupOffsetsRequest.Topic(topic_name=TOPIC)]
            ),
        ),
        case(
            "DeleteShareGroupOffsets: unknown group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: DeleteShareGroupOffsetsRequest(
                group_id=f"{s.name}-unknown",
                topics=[DeleteShareGroupOffsetsRequest.Topic(topic_name=TOPIC)],
            ),
        ),
        case(
            "DeleteGroups: share group with members",
            ErrorCode.NON_EMPTY_GROUP,
            lambda s: DeleteGroupsRequest(groups_names=[s.name]),
        ),
    )
