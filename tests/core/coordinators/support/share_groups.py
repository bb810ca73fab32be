"""A coordinator of share groups with made-up topics and a persister in memory, and what its members ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup
from kafkaproto_server.core.coordinators.groups.share.service import ShareGroupService
from kafkaproto_server.requests.consumer_group_requests import Partitions
from kafkaproto_server.requests.share_group_requests import (
    AlteredTopic,
    DeletedTopic,
    ShareHeartbeatOutcome,
    ShareHeartbeatValues,
    TopicIdPartition,
)
from tests.core.coordinators.support.consumers import topic_id
from tests.core.coordinators.support.groups import Groups

GROUP = "group"
SESSION_MS = 45_000
INTERVAL_MS = 5_000
"""Between two heartbeats."""
TURN_MS = 10
"""Until the persister has responded, and what follows is written."""


class ShareCoordinator(Groups):
    """The coordinator. Its log commits at once, unless a test says otherwise."""

    def __init__(self, counts: Mapping[str, int] | None = None, **config: Any) -> None:
        super().__init__(**config)
        self.topics.counts = {"a": 2} if counts is None else dict(counts)

    @property
    def share(self) -> ShareGroupService:
        """What is tested."""
        return self.shard.share

    @property
    def group(self) -> ShareGroup:
        """The group of most tests."""
        return self.share.groups.groups[GROUP]

    def send(self, member_id: str, epoch: int, *names: str, **fields: Any) -> list[ShareHeartbeatOutcome]:
        """A heartbeat. Returns the list that gets the response."""
        heard: list[ShareHeartbeatOutcome] = []
        values = {
            "group_id": GROUP,
            "member_id": member_id,
            "member_epoch": epoch,
            "subscribed_topic_names": names or None,
        }
        self.share.heartbeat(ShareHeartbeatValues(**{**values, **fields}), heard.append)
        return heard

    def pulse(self, member_id: str, epoch: int, *names: str, **fields: Any) -> ShareHeartbeatOutcome:
        """A heartbeat and its response; then states are initialized."""
        (outcome,) = self.send(member_id, epoch, *names, **fields)
        self.advance(TURN_MS)
        return outcome

    def settle(self, *member_ids: str) -> dict[str, Partitions]:
        """Let members beat until all have what the newest target gives them."""
        for _ in range(3):
            for member_id in member_ids or sorted(self.group.members):
                self.advance(1_000)
                self.pulse(member_id, self.group.members[member_id].epoch)
        return {member_id: member.assigned for member_id, member in self.group.members.items()}

    def records_of(self, act: Callable[[], object]) -> list[tuple[Message, Message | None]]:
        """The records that are written meanwhile."""
        before = len(self.log.records())
        act()
        return self.log.records()[before:]

    def alter(self, offsets: Mapping[str, Mapping[int, int]], group: str = GROUP) -> dict[str, Any]:
        """AlterShareGroupOffsets: the code, or the code of each partition."""
        found: list[tuple[ErrorCode, Iterable[AlteredTopic]]] = []
        self.share.alter(group, offsets, lambda code, message, topics: found.append((code, topics)))
        self.advance(TURN_MS)
        ((code, topics),) = found
        return (
            {"": code}
            if code
            else {each.topic: {one.partition: one.code for one in each.partitions} for each in topics}
        )

    def forget(self, *names: str, group: str = GROUP) -> dict[str | None, ErrorCode]:
        """DeleteShareGroupOffsets: the code, or the code of each topic."""
        found: list[tuple[ErrorCode, Iterable[DeletedTopic]]] = []
        self.share.delete_offsets(group, names, lambda code, message, topics: found.append((code, topics)))
        self.advance(TURN_MS)
        ((code, topics),) = found
        return {"": code} if code else {each.topic: each.code for each in topics}

    def delete(self, group: str = GROUP) -> ErrorCode:
        """DeleteGroups."""
        codes: list[ErrorCode] = []
        self.shard.delete(group, codes.append)
        self.advance(TURN_MS)
        (code,) = codes
        return code

    def change_topic(self, name: str, count: int | None) -> None:
        """A topic changes, and the coordinator is told so."""
        is_new = count is not None and name not in self.topics.counts
        self.topics.change(name, count)
        self.shard.topics_changed([name], has_new=is_new)
        if count is None:
            self.shard.topics_deleted([(name, topic_id(name))])
        self.advance(TURN_MS)


def all_of(name: str, count: int) -> set[TopicIdPartition]:
    """The partitions of a topic."""
    return {TopicIdPartition(topic_id(name), index) for index in range(count)}


def flat(partitions: Partitions) -> set[TopicIdPartition]:
    """The same, one by one."""
    return {TopicIdPartition(each, index) for each, indexes in partitions.items() for index in indexes}


def persistent(group: ShareGroup | None) -> object:
    """What of a group has to survive."""
    if group is None:
        return None
    return (
        group.epoch,
        group.metadata_hash,
        group.assignment_epoch,
        group.assignment_wall_ms,
        group.members,
        group.targets,
        group.states,
        group.name_counts,
    )
