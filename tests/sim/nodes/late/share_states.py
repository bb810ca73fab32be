"""What leaders of share partitions ask share coordinators for, with epochs that are over, or of what there is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    DeleteShareGroupStateRequest,
    InitializeShareGroupStateRequest,
    ReadShareGroupStateRequest,
    ReadShareGroupStateSummaryRequest,
    WriteShareGroupStateRequest,
)
from kafkaproto_server.requests.coordinator_places import share_key
from tests.sim.nodes.late.cases import PARTITIONS, Case, Scene, case, changed, done

_SHARE = 2
"""Type of keys."""
_EPOCH = 5
"""Of the state, and of its leader."""
_UNKNOWN_ID = b"unknown-topic-id"

Write = WriteShareGroupStateRequest


class ShareStateScene(Scene):
    """A state in some epoch, written by a leader in some epoch."""

    GONE = frozenset({ErrorCode.FENCED_STATE_EPOCH, ErrorCode.INVALID_REQUEST})
    SESSION_S = 20.0

    def initialize(self, **other: Any) -> InitializeShareGroupStateRequest:
        """As the group coordinator does."""
        topic_id = other.pop("topic_id", self.topic_id)
        fields = {"partition": 0, "state_epoch": _EPOCH, "start_offset": 0, **other}
        partition = InitializeShareGroupStateRequest.PartitionData(**fields)
        topic = InitializeShareGroupStateRequest.InitializeStateData(
            topic_id=topic_id, partitions=[partition]
        )
        return InitializeShareGroupStateRequest(group_id=self.name, topics=[topic])

    def read(self, **other: Any) -> ReadShareGroupStateRequest:
        """As the leader does."""
        topic_id = other.pop("topic_id", self.topic_id)
        partition = ReadShareGroupStateRequest.PartitionData(
            **{"partition": 0, "leader_epoch": _EPOCH, **other}
        )
        topic = ReadShareGroupStateRequest.ReadStateData(topic_id=topic_id, partitions=[partition])
        return ReadShareGroupStateRequest(group_id=self.name, topics=[topic])

    def summary(self, **other: Any) -> ReadShareGroupStateSummaryRequest:
        """As the group coordinator does."""
        topic_id = other.pop("topic_id", self.topic_id)
        fields = {"partition": 0, "leader_epoch": _EPOCH, **other}
        partition = ReadShareGroupStateSummaryRequest.PartitionData(**fields)
        topic = ReadShareGroupStateSummaryRequest.ReadStateSummaryData(
            topic_id=topic_id, partitions=[partition]
        )
        return ReadShareGroupStateSummaryRequest(group_id=self.name, topics=[topic])

    def write(self, **other: Any) -> Write:
        """As the leader does."""
        topic_id = other.pop("topic_id", self.topic_id)
        fields = {
            "partition": 0,
            "state_epoch": _EPOCH,
            "leader_epoch": _EPOCH,
            "start_offset": 0,
            "state_batches": [state_batch()],
            **other,
        }
        topic = Write.WriteStateData(topic_id=topic_id, partitions=[Write.PartitionData(**fields)])
        return Write(group_id=self.name, topics=[topic])

    def delete(self, **other: Any) -> DeleteShareGroupStateRequest:
        """As the group coordinator does."""
        topic_id = other.pop("topic_id", self.topic_id)
        partition = DeleteShareGroupStateRequest.PartitionData(**{"partition": 0, **other})
        topic = DeleteShareGroupStateRequest.DeleteStateData(topic_id=topic_id, partitions=[partition])
        return DeleteShareGroupStateRequest(group_id=self.name, topics=[topic])

    async def send(self, request: Message, version: int | None = None) -> Any:
        """See `Scene`."""
        asked: Any = request
        (topic,) = asked.topics
        key = share_key(self.name, topic.topic_id, topic.partitions[0].partition)
        return await self.of_coordinator(_SHARE, key, request, version)

    async def begin(self) -> None:
        """Initialize and write it."""
        done(await self.send(self.initialize()))
        done(await self.send(self.write()))
        await self.look()

    async def look(self) -> None:
        """See `Scene`."""
        sent_s = trio.current_time()
        done(await self.send(self.read()))
        self.heard_s = sent_s

    async def end(self) -> None:
        """Delete it."""
        done(await self.send(self.delete()))

    CASES: ClassVar[Sequence[Case]] = (
        case(
            "InitializeShareGroupState: older epoch",
            ErrorCode.FENCED_STATE_EPOCH,
            lambda s: s.initialize(state_epoch=_EPOCH - 1),
        ),
        case(
            "InitializeShareGroupState: epoch -2",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.initialize(state_epoch=-2),
        ),
        case(
            "InitializeShareGroupState: partition -1",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.initialize(partition=-1),
        ),
        case(
            "InitializeShareGroupState: unknown topic",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            lambda s: s.initialize(topic_id=_UNKNOWN_ID),
        ),
        case(
            "InitializeShareGroupState: unknown partition",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            lambda s: s.initialize(partition=PARTITIONS),
        ),
        case(
            "ReadShareGroupState: older leader",
            ErrorCode.FENCED_LEADER_EPOCH,
            lambda s: s.read(leader_epoch=_EPOCH - 1),
        ),
        case(
            "ReadShareGroupState: leader epoch -1",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.read(leader_epoch=-1),
        ),
        case("ReadShareGroupState: partition -1", ErrorCode.INVALID_REQUEST, lambda s: s.read(partition=-1)),
        case("ReadShareGroupState: no state", ErrorCode.INVALID_REQUEST, lambda s: s.read(partition=1)),
        case(
            "ReadShareGroupState: unknown topic",
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_REQUEST),
            lambda s: s.read(topic_id=_UNKNOWN_ID),
        ),
        case(
            "ReadShareGroupStateSummary: partition -1",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.summary(partition=-1),
        ),
        case(
            "ReadShareGroupStateSummary: unknown topic",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            lambda s: s.summary(topic_id=_UNKNOWN_ID),
        ),
        case(
            "WriteShareGroupState: older leader",
            ErrorCode.FENCED_LEADER_EPOCH,
            lambda s: s.write(leader_epoch=_EPOCH - 1),
        ),
        case(
            "WriteShareGroupState: older state",
            ErrorCode.FENCED_STATE_EPOCH,
            lambda s: s.write(state_epoch=_EPOCH - 1),
        ),
        case(
            "WriteShareGroupState: leader epoch -1",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.write(leader_epoch=-1),
        ),
        case(
            "WriteShareGroupState: state epoch -2",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.write(state_epoch=-2),
        ),
        case(
            "WriteShareGroupState: partition -1", ErrorCode.INVALID_REQUEST, lambda s: s.write(partition=-1)
        ),
        case("WriteShareGroupState: no state", ErrorCode.INVALID_REQUEST, lambda s: s.write(partition=1)),
        case(
            "WriteShareGroupState: a batch that ends before it begins",
            (ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_SERVER_ERROR),
            lambda s: s.write(state_batches=[state_batch(), state_batch(first_offset=9, last_offset=8)]),
        ),
        case(
            "WriteShareGroupState: unknown delivery state",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.write(state_batches=[state_batch(delivery_state=9)]),
        ),
        case(
            "WriteShareGroupState: unknown topic",
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_REQUEST),
            lambda s: s.write(topic_id=_UNKNOWN_ID),
        ),
        case(
            "DeleteShareGroupState: partition -1", ErrorCode.INVALID_REQUEST, lambda s: s.delete(partition=-1)
        ),
        case(
            "DeleteShareGroupState: unknown topic",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            lambda s: s.delete(topic_id=_UNKNOWN_ID),
        ),
    )


def state_batch(**other: int) -> Write.StateBatch:
    """Records that were delivered once."""
    fields = {"first_offset": 0, "last_offset": 3, "delivery_state": 0, "delivery_count": 1}
    return changed(Write.StateBatch, fields, other)
