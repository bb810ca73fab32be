"""Who may commit and fetch offsets of a group: each kind of group has rules of its own."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup
from kafkaproto_server.core.coordinators.groups.classic.groups import ClassicGroups
from kafkaproto_server.core.coordinators.groups.consumer.commits import PartitionCheck
from kafkaproto_server.core.coordinators.groups.consumer.commits import (
    check_commit as check_consumer_commit,
)
from kafkaproto_server.core.coordinators.groups.consumer.commits import (
    check_fetch as check_consumer_fetch,
)
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.streams.commits import (
    check_commit as check_streams_commit,
)
from kafkaproto_server.core.coordinators.groups.streams.commits import (
    check_fetch as check_streams_fetch,
)
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.requests.offset_requests import Committer, OffsetReader

AnyGroup: TypeAlias = ClassicGroup | ConsumerGroup | StreamsGroup


def check_commit(
    group: AnyGroup | None,
    committer: Committer,
    topics: Topics,
    classic: ClassicGroups,
    *,
    is_transactional: bool,
) -> PartitionCheck:
    """The check for each partition that is to be committed. Raises CoordinatorError."""
    if isinstance(group, ClassicGroup):
        classic.check_commit(group, committer, is_transactional=is_transactional)
        return _accept
    if group is None:
        return _accept
    if isinstance(group, ConsumerGroup):
        check = partial(check_consumer_commit, group)
    else:
        check = partial(check_streams_commit, group, topics)
    return check(
        member_id=committer.member_id,
        member_epoch=committer.generation,
        instance_id=committer.group_instance_id,
        version=committer.version,
        is_transactional=is_transactional,
    )


def check_fetch(group: AnyGroup | None, reader: OffsetReader) -> None:
    """Raises CoordinatorError unless a reader may fetch the offsets of a group."""
    if isinstance(group, ConsumerGroup):
        check_consumer_fetch(group, member_id=reader.member_id, member_epoch=reader.member_epoch)
    elif isinstance(group, StreamsGroup):
        check_streams_fetch(group, member_id=reader.member_id, member_epoch=reader.member_epoch)


def _accept(topic_id: bytes, index: int) -> None:
    """All partitions are fine."""
