"""Heartbeats of members of streams groups that are behind, ahead, replaced or confused."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, ClassVar

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ConsumerGroupHeartbeatRequest,
    DeleteGroupsRequest,
    JoinGroupRequest,
    OffsetCommitRequest,
    StreamsGroupHeartbeatRequest,
)
from tests.sim.nodes.late.cases import (
    MEMBER_GONE,
    PARTITIONS,
    TOPIC,
    Case,
    NotBegunError,
    Scene,
    case,
    changed,
)
from tests.sim.nodes.late.classic_groups import commit_topics, delete_offsets, fetch_offsets
from tests.sim.nodes.late.consumer_groups import INSTANCE, JOINS, LEAVES, LEAVES_FOR_A_WHILE, TRIES

_PROCESS = "late-process"
_SUBTOPOLOGY = "0"

Request = StreamsGroupHeartbeatRequest


class StreamsScene(Scene):
    """One static member, and the one before it that had the same instance id and left for a while."""

    GONE = MEMBER_GONE | {
        ErrorCode.FENCED_MEMBER_EPOCH,
        ErrorCode.STALE_MEMBER_EPOCH,
        ErrorCode.UNRELEASED_INSTANCE_ID,
    }
    SESSION_S = 20.0
    """The default is longer."""

    member_id = old_id = ""
    epoch = JOINS

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
            "rebalance_timeout_ms": -1,
        }
        return changed(Request, fields, other)

    def join(self, **other: Any) -> Request:
        """As the member does."""
        fields = {
            "member_epoch": JOINS,
            "rebalance_timeout_ms": 8000,
            "topology": self.topology(),
            "active_tasks": [],
            "standby_tasks": [],
            "warmup_tasks": [],
            "process_id": _PROCESS,
            "client_tags": [],
            **other,
        }
        return self.heartbeat(**fields)

    @staticmethod
    def topology(**other: Any) -> Request.Topology:
        """Of an application that reads a topic."""
        return Request.Topology(epoch=0, subtopologies=[subtopology(**other)])

    def commit(self, **other: Any) -> OffsetCommitRequest:
        """As the member does."""
        fields = {
            "group_id": self.name,
            "generation_id_or_member_epoch": self.epoch,
            "member_id": self.member_id,
            "topics": commit_topics(OffsetCommitRequest, self.topic_id, 10),
        }
        return changed(OffsetCommitRequest, fields, other)

    async def begin(self) -> None:
        """Join, leave for a while, and come back as another member with the same instance id."""
        self.old_id, self.member_id = self.new_id(), self.new_id()
        await self.must(self.join(member_id=self.old_id))
        await self.must(self.heartbeat(member_id=self.old_id, member_epoch=LEAVES_FOR_A_WHILE))
        response = await self.must(self.join())
        for _ in range(TRIES * 3):
            self.epoch = response.member_epoch
            if response.active_tasks:
                break
            await trio.sleep(0.1)
            response = await self.must(self.report())
        else:
            raise NotBegunError
        await self.must(self.report(active_tasks=tasks(*range(PARTITIONS))))
        await self.must(
            fetch_offsets(self.name, self.topic_id, member_id=self.member_id, member_epoch=self.epoch)
        )

    def report(self, **other: Any) -> Request:
        """A heartbeat with the member's tasks."""
        fields = {"active_tasks": [], "standby_tasks": [], "warmup_tasks": [], **other}
        return self.heartbeat(**fields)

    async def look(self) -> None:
        """See `Scene`."""
        response = await self.must(self.heartbeat())
        if response.member_epoch != self.epoch:
            raise NotBegunError

    async def end(self) -> None:
        """Leave, and delete the group."""
        await self.must(self.heartbeat(member_epoch=LEAVES))
        await self.delete_group()

    CASES: ClassVar[Sequence[Case]] = (
        case(
            "StreamsGroupHeartbeat: no member", ErrorCode.INVALID_REQUEST, lambda s: s.heartbeat(member_id="")
        ),
        case(
            "StreamsGroupHeartbeat: no group", ErrorCode.INVALID_REQUEST, lambda s: s.heartbeat(group_id="")
        ),
        case(
            "StreamsGroupHeartbeat: blank instance",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(instance_id=" "),
        ),
        case(
            "StreamsGroupHeartbeat: blank rack", ErrorCode.INVALID_REQUEST, lambda s: s.heartbeat(rack_id=" ")
        ),
        case(
            "StreamsGroupHeartbeat: epoch -3",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(member_epoch=-3),
        ),
        case(
            "StreamsGroupHeartbeat: leaves for a while without an instance",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(member_epoch=LEAVES_FOR_A_WHILE, instance_id=None),
        ),
        case(
            "StreamsGroupHeartbeat: joins without a rebalance timeout",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(rebalance_timeout_ms=-1),
        ),
        case(
            "StreamsGroupHeartbeat: joins with tasks",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(active_tasks=tasks(0)),
        ),
        case(
            "StreamsGroupHeartbeat: joins without a topology",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(topology=None),
        ),
        case(
            "StreamsGroupHeartbeat: a topology after it has joined",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(topology=s.topology()),
        ),
        case(
            "StreamsGroupHeartbeat: source topics by a regular expression",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.join(topology=s.topology(source_topic_regex=["late-.*"])),
        ),
        case(
            "StreamsGroupHeartbeat: copartitioned topics that nobody reads",
            ErrorCode.STREAMS_INVALID_TOPOLOGY,
            lambda s: s.join(
                topology=s.topology(copartition_groups=[Request.CopartitionGroup(source_topics=[9])])
            ),
        ),
        case(
            "StreamsGroupHeartbeat: tasks of one role",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(active_tasks=[]),
        ),
        case(
            "StreamsGroupHeartbeat: a client tag twice",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(client_tags=[Request.KeyValue(key="a", value=each) for each in "bc"]),
        ),
        case(
            "StreamsGroupHeartbeat: unknown task",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.report(active_tasks=tasks(PARTITIONS)),
        ),
        case(
            "StreamsGroupHeartbeat: unknown subtopology",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.report(active_tasks=[Request.TaskIds(subtopology_id="unknown", partitions=[0])]),
        ),
        case(
            "StreamsGroupHeartbeat: offsets of a task twice",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.heartbeat(
                task_offsets=[
                    Request.TaskOffset(subtopology_id=_SUBTOPOLOGY, partition=0, offset=each)
                    for each in (1, 2)
                ]
            ),
        ),
        case(
            "StreamsGroupHeartbeat: unknown member",
            (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_ID_NOT_FOUND),
            lambda s: s.heartbeat(member_id=s.new_id(), instance_id=None),
        ),
        case(
            "StreamsGroupHeartbeat: unknown instance",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.heartbeat(instance_id="unknown"),
        ),
        case(
            "StreamsGroupHeartbeat: the member before",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.heartbeat(member_id=s.old_id),
        ),
        case(
            "StreamsGroupHeartbeat: the member before joins again",
            ErrorCode.UNRELEASED_INSTANCE_ID,
            lambda s: s.join(member_id=s.old_id),
        ),
        case(
            "StreamsGroupHeartbeat: the member before leaves",
            ErrorCode.FENCED_INSTANCE_ID,
            lambda s: s.heartbeat(member_id=s.old_id, member_epoch=LEAVES_FOR_A_WHILE),
        ),
        case(
            "StreamsGroupHeartbeat: newer epoch",
            ErrorCode.FENCED_MEMBER_EPOCH,
            lambda s: s.heartbeat(member_epoch=s.epoch + 1),
        ),
        case(
            "StreamsGroupHeartbeat: older epoch",
            ErrorCode.FENCED_MEMBER_EPOCH,
            lambda s: s.heartbeat(member_epoch=s.epoch - 1),
        ),
        case(
            "StreamsGroupHeartbeat: older epoch, with tasks that it has not",
            ErrorCode.FENCED_MEMBER_EPOCH,
            lambda s: s.report(member_epoch=s.epoch - 1, standby_tasks=tasks(0)),
        ),
        case(
            "OffsetCommit: unknown member of a streams group",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.commit(member_id=s.new_id()),
        ),
        case(
            "OffsetCommit: no member of a streams group",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: s.commit(member_id="", generation_id_or_member_epoch=-1),
        ),
        case(
            "OffsetCommit: newer member epoch in a streams group",
            ErrorCode.STALE_MEMBER_EPOCH,
            lambda s: s.commit(generation_id_or_member_epoch=s.epoch + 1),
        ),
        case(
            "OffsetCommit: member epoch from before the task",
            ErrorCode.STALE_MEMBER_EPOCH,
            lambda s: s.commit(generation_id_or_member_epoch=1),
        ),
        case(
            "OffsetFetch: unknown member of a streams group",
            ErrorCode.UNKNOWN_MEMBER_ID,
            lambda s: fetch_offsets(s.name, s.topic_id, member_id=s.new_id(), member_epoch=s.epoch),
        ),
        case(
            "OffsetFetch: older member epoch in a streams group",
            ErrorCode.STALE_MEMBER_EPOCH,
            lambda s: fetch_offsets(s.name, s.topic_id, member_id=s.member_id, member_epoch=s.epoch - 1),
        ),
        case(
            "OffsetDelete: topic of a streams group",
            ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
            lambda s: delete_offsets(s.name),
        ),
        case(
            "DeleteGroups: streams group with members",
            ErrorCode.NON_EMPTY_GROUP,
            lambda s: DeleteGroupsRequest(groups_names=[s.name]),
        ),
        case(
            "JoinGroup: to a streams group",
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
            "ConsumerGroupHeartbeat: to a streams group",
            ErrorCode.GROUP_ID_NOT_FOUND,
            lambda s: ConsumerGroupHeartbeatRequest(
                group_id=s.name, member_id=s.member_id, member_epoch=s.epoch
            ),
        ),
    )


def subtopology(**other: Any) -> Request.Subtopology:
    """One that reads a topic."""
    fields = {
        "subtopology_id": _SUBTOPOLOGY,
        "source_topics": [TOPIC],
        "source_topic_regex": [],
        "state_changelog_topics": [],
        "repartition_sink_topics": [],
        "repartition_source_topics": [],
        "copartition_groups": [],
    }
    return Request.Subtopology(**{**fields, **other})


def tasks(*indexes: int) -> list[Request.TaskIds]:
    """Of the subtopology."""
    return [Request.TaskIds(subtopology_id=_SUBTOPOLOGY, partitions=list(indexes))]
