"""Members of share groups that fetch and acknowledge in sessions that are not theirs, or what they do not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import ShareAcknowledgeRequest, ShareFetchRequest
from tests.sim.nodes.coordination.share_promises import ACCEPT
from tests.sim.nodes.late.cases import SECOND_TOPIC, Case, NotBegunError, case, changed, done
from tests.sim.nodes.late.share_groups import ShareGroupScene
from tests.sim.nodes.late.transactions import batch, produce

_OPENS, _CLOSES = 0, -1
"""Session epochs."""
_RENEW = 4
_RECORDS = 6
_PLACE = SECOND_TOPIC, 0
_FAR = 10**6
"""Offsets that nobody has reached."""
_SESSION = (ErrorCode.INVALID_SHARE_SESSION_EPOCH,)
_NO_SESSION = (ErrorCode.SHARE_SESSION_NOT_FOUND,)
_NOT_HELD = (ErrorCode.INVALID_RECORD_STATE, ErrorCode.INVALID_REQUEST)

Range = tuple[int, int, list[int]]
"""First and last offset, and what is said of the records."""


class ShareRecordsScene(ShareGroupScene):
    """A member that has acquired some records and accepted one, and another one that has a session and no records."""

    GONE = ShareGroupScene.GONE | {
        ErrorCode.SHARE_SESSION_NOT_FOUND,
        ErrorCode.INVALID_SHARE_SESSION_EPOCH,
        ErrorCode.SHARE_SESSION_LIMIT_REACHED,
        ErrorCode.INVALID_RECORD_STATE,
        ErrorCode.FENCED_STATE_EPOCH,
    }
    SESSION_S = 2.0
    """So long the records belong to the member."""

    subscribed = SECOND_TOPIC

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.other_id = self.new_id()
        self.sessions: dict[str, int] = {}
        """The epoch that the broker expects next, by member."""
        self.first = self.last = -1
        """What the member has acquired."""

    @property
    def share_topic_id(self) -> bytes:
        """Of the topic with the records."""
        return self.client.view.topic_ids[SECOND_TOPIC]

    def _fields(self, other: dict[str, Any]) -> dict[str, Any]:
        member_id = other.get("member_id", self.member_id)
        return {
            "group_id": self.name,
            "member_id": member_id,
            "share_session_epoch": self.sessions.get(member_id, 1),
        }

    def fetch(self, *ranges: Range, **other: Any) -> ShareFetchRequest:
        """As a member does, that acknowledges ranges with it."""
        topic_id, index = other.pop("topic_id", self.share_topic_id), other.pop("index", 0)
        partition = ShareFetchRequest.FetchPartition(
            partition_index=index, acknowledgement_batches=_ranges(ShareFetchRequest, ranges)
        )
        topics = [ShareFetchRequest.FetchTopic(topic_id=topic_id, partitions=[partition])]
        limits = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 1 << 20, "max_records": 3, "batch_size": 3}
        return changed(ShareFetchRequest, {**self._fields(other), **limits, "topics": topics}, other)

    def say(self, *ranges: Range, **other: Any) -> ShareAcknowledgeRequest:
        """As a member acknowledges ranges."""
        topic_id, index = other.pop("topic_id", self.share_topic_id), other.pop("index", 0)
        partition = ShareAcknowledgeRequest.AcknowledgePartition(
            partition_index=index, acknowledgement_batches=_ranges(ShareAcknowledgeRequest, ranges)
        )
        topics = [ShareAcknowledgeRequest.AcknowledgeTopic(topic_id=topic_id, partitions=[partition])]
        return changed(ShareAcknowledgeRequest, {**self._fields(other), "topics": topics}, other)

    @property
    def held(self) -> Range:
        """The first of the member's records."""
        return self.first, self.first, [ACCEPT]

    async def send(self, request: Message, version: int | None = None) -> Any:
        """See `Scene`. Responses without an error of the whole request continue the session."""
        asked: Any = request
        response = await self.of_leader(_PLACE, request, version)
        epoch = asked.share_session_epoch
        if not response.error_code and epoch != _CLOSES:
            self.sessions[asked.member_id] = epoch + 1
        return response

    async def begin(self) -> None:
        """Join, produce, acquire, accept one record, and open the session of another member."""
        await super().begin()
        for _ in range(8):
            response = await self.send(
                self.fetch(share_session_epoch=self.sessions.get(self.member_id, _OPENS))
            )
            sent_s = trio.current_time()
            (found,) = [
                each
                for topic in done(response).responses
                for each in topic.partitions
                if each.acquired_records
            ][:1] or [None]
            if (
                found is not None
                and found.acquired_records[0].last_offset > found.acquired_records[0].first_offset
            ):
                break
            records = batch((-1, -1), -1, transactional=False, records=_RECORDS)
            done(await self.of_leader(_PLACE, produce(SECOND_TOPIC, 0, records), 12))
        else:
            raise NotBegunError
        self.first, self.last = found.acquired_records[0].first_offset, found.acquired_records[0].last_offset
        done(await self.send(self.say((self.last, self.last, [ACCEPT]))))
        await self.send(self.fetch(member_id=self.other_id, share_session_epoch=_OPENS, max_records=1))
        self.heard_s = sent_s

    async def look(self) -> None:
        """See `Scene`: its records are others' by now."""
        raise NotBegunError

    async def end(self) -> None:
        """Leave, and close the session."""
        await super().end()
        await self.send(self.say(share_session_epoch=_CLOSES))

    CASES: ClassVar[Sequence[Case]] = (
        case(
            "ShareFetch: older session epoch",
            _SESSION,
            lambda s: s.fetch(share_session_epoch=s.sessions[s.member_id] - 1),
        ),
        case(
            "ShareFetch: newer session epoch",
            _SESSION,
            lambda s: s.fetch(share_session_epoch=s.sessions[s.member_id] + 1),
        ),
        case("ShareFetch: unknown member", _NO_SESSION, lambda s: s.fetch(member_id=s.new_id())),
        case(
            "ShareFetch: an unknown member ends its session",
            _NO_SESSION,
            lambda s: s.fetch(member_id=s.new_id(), share_session_epoch=_CLOSES),
        ),
        case(
            "ShareFetch: acknowledges with a new session",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.fetch(s.held, member_id=s.new_id(), share_session_epoch=_OPENS),
        ),
        case("ShareFetch: no group", ErrorCode.INVALID_REQUEST, lambda s: s.fetch(group_id=None)),
        case("ShareFetch: no member", ErrorCode.INVALID_REQUEST, lambda s: s.fetch(member_id="")),
        case(
            "ShareFetch: member id too long", ErrorCode.INVALID_REQUEST, lambda s: s.fetch(member_id="m" * 99)
        ),
        case(
            "ShareFetch: renews and fetches", ErrorCode.INVALID_REQUEST, lambda s: s.fetch(is_renew_ack=True)
        ),
        case(
            "ShareFetch: acknowledges what was not fetched",
            _NOT_HELD,
            lambda s: s.fetch((_FAR, _FAR, [ACCEPT])),
        ),
        case(
            "ShareFetch: acknowledges another's record",
            _NOT_HELD,
            lambda s: s.fetch(s.held, member_id=s.other_id),
        ),
        case(
            "ShareFetch: unknown type", ErrorCode.INVALID_REQUEST, lambda s: s.fetch((s.first, s.first, [5]))
        ),
        case(
            "ShareAcknowledge: opens a session", _SESSION, lambda s: s.say(s.held, share_session_epoch=_OPENS)
        ),
        case(
            "ShareAcknowledge: older session epoch",
            _SESSION,
            lambda s: s.say(s.held, share_session_epoch=s.sessions[s.member_id] - 1),
        ),
        case(
            "ShareAcknowledge: newer session epoch",
            _SESSION,
            lambda s: s.say(s.held, share_session_epoch=s.sessions[s.member_id] + 1),
        ),
        case("ShareAcknowledge: unknown member", _NO_SESSION, lambda s: s.say(s.held, member_id=s.new_id())),
        case(
            "ShareAcknowledge: an unknown member ends its session",
            _NO_SESSION,
            lambda s: s.say(member_id=s.new_id(), share_session_epoch=_CLOSES),
        ),
        case("ShareAcknowledge: no group", ErrorCode.INVALID_REQUEST, lambda s: s.say(s.held, group_id=None)),
        case("ShareAcknowledge: no member", ErrorCode.INVALID_REQUEST, lambda s: s.say(s.held, member_id="")),
        case("ShareAcknowledge: another's record", _NOT_HELD, lambda s: s.say(s.held, member_id=s.other_id)),
        case(
            "ShareAcknowledge: another's records",
            _NOT_HELD,
            lambda s: s.say((s.first, s.last, [ACCEPT]), member_id=s.other_id),
        ),
        case("ShareAcknowledge: accepted before", _NOT_HELD, lambda s: s.say((s.last, s.last, [ACCEPT]))),
        case(
            "ShareAcknowledge: all, one accepted before",
            _NOT_HELD,
            lambda s: s.say((s.first, s.last, [ACCEPT])),
        ),
        case(
            "ShareAcknowledge: what was not fetched", _NOT_HELD, lambda s: s.say((_FAR, _FAR + 1, [ACCEPT]))
        ),
        case(
            "ShareAcknowledge: also what was not fetched",
            _NOT_HELD,
            lambda s: s.say((s.first, _FAR, [ACCEPT])),
        ),
        case(
            "ShareAcknowledge: unknown type",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.say((s.first, s.first, [5])),
        ),
        case(
            "ShareAcknowledge: type -1", ErrorCode.INVALID_REQUEST, lambda s: s.say((s.first, s.first, [-1]))
        ),
        case("ShareAcknowledge: no type", ErrorCode.INVALID_REQUEST, lambda s: s.say((s.first, s.first, []))),
        case(
            "ShareAcknowledge: too many types",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.say((s.first, s.first, [ACCEPT] * 3)),
        ),
        case(
            "ShareAcknowledge: a range turned round",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.say((s.last, s.last - 1, [ACCEPT])),
        ),
        case(
            "ShareAcknowledge: ranges out of order",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.say((s.first + 1, s.first + 1, [ACCEPT]), s.held),
        ),
        case(
            "ShareAcknowledge: renews without a word",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.say((s.first, s.first, [_RENEW])),
        ),
        case(
            "ShareAcknowledge: an older client renews",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.say((s.first, s.first, [_RENEW])),
            1,
        ),
        case(
            "ShareAcknowledge: renews another's record",
            _NOT_HELD,
            lambda s: s.say((s.first, s.first, [_RENEW]), member_id=s.other_id, is_renew_ack=True),
        ),
        case(
            "ShareAcknowledge: unknown topic",
            ErrorCode.UNKNOWN_TOPIC_ID,
            lambda s: s.say(s.held, topic_id=b"unknown-topic-id"),
        ),
        case(
            "ShareAcknowledge: unknown partition",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            lambda s: s.say(s.held, index=99),
        ),
        case(
            "ShareAcknowledge: a topic that the group has not",
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NOT_LEADER_OR_FOLLOWER),
            lambda s: s.say(s.held, topic_id=s.topic_id),
        ),
    )


def _ranges(request: Any, ranges: tuple[Range, ...]) -> list[Any]:
    return [
        request.AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=types)
        for first, last, types in ranges
    ]
