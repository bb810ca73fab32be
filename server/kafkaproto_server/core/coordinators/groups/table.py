"""All groups of one partition by name. A name stands for one group, of one kind.

A simple group only has offsets: it is a classic group without a protocol, and its offsets are all that is kept of it.
So a name that has offsets has a group, too. Apache Kafka has the groups of all kinds in one map of
GroupMetadataManager.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup
from kafkaproto_server.core.coordinators.groups.classic.groups import ClassicGroups
from kafkaproto_server.core.coordinators.groups.config import GroupConfigs
from kafkaproto_server.core.coordinators.groups.consumer.heartbeat import ConsumerGroups
from kafkaproto_server.core.coordinators.groups.consumer.settings import consumer_settings_of
from kafkaproto_server.core.coordinators.groups.counted import GroupCounts
from kafkaproto_server.core.coordinators.groups.kinds import GroupKind
from kafkaproto_server.core.coordinators.groups.offsets.logged import OffsetsLog
from kafkaproto_server.core.coordinators.groups.offsets.offsets import OffsetMetadataManager
from kafkaproto_server.core.coordinators.groups.problems import problems_of
from kafkaproto_server.core.coordinators.groups.setup import ModernSetup
from kafkaproto_server.core.coordinators.groups.share.heartbeat import ShareGroups
from kafkaproto_server.core.coordinators.groups.share.settings import share_group_settings_of
from kafkaproto_server.core.coordinators.groups.streams.config import streams_settings_of
from kafkaproto_server.core.coordinators.groups.streams.heartbeat import StreamsGroups
from kafkaproto_server.core.coordinators.values import ComputingSurroundings, CoordinatorError, Record
from kafkaproto_server.requests.group_requests import GroupListing
from kafkaproto_server.requests.offset_requests import Committer, OffsetCommitPartition, OffsetReader
from kafkaproto_server.requests.share_state import Persister

FIRST_COMMIT_WITH_NOT_FOUND = 9
"""The first version of OffsetCommit whose clients know GROUP_ID_NOT_FOUND."""


class _GroupKey(Protocol):
    group_id: str


class GroupTable:
    """The groups of all kinds."""

    def __init__(
        self,
        configs: GroupConfigs,
        log: OffsetsLog,
        surroundings: ComputingSurroundings,
        setup: ModernSetup,
        persister: Persister,
        metrics: GroupMetrics,
    ) -> None:
        """``persister`` keeps the states of share groups' partitions."""
        self._log = log
        self.offsets = OffsetMetadataManager(configs.offsets, log, surroundings, metrics)
        self.classic = ClassicGroups(configs.classic, log, surroundings, metrics)
        self.classic.has_offsets = self.offsets.logged.has_any
        self.consumer = ConsumerGroups(
            settings=lambda group_id: consumer_settings_of(configs.consumer(), setup.own_config(group_id)),
            topics=setup.topics,
            compile_regex=setup.compile_regex,
            log=log,
            surroundings=surroundings,
            metrics=metrics,
        )
        self.streams = StreamsGroups(
            settings=lambda group_id: streams_settings_of(configs.streams(), setup.own_config(group_id)),
            topics=setup.topics,
            log=log,
            surroundings=surroundings,
            metrics=metrics,
        )
        self.share = ShareGroups(
            settings=lambda group_id: share_group_settings_of(configs.share(), setup.own_config(group_id)),
            topics=setup.topics,
            log=log,
            surroundings=surroundings,
            metrics=metrics,
            persister=persister,
        )
        self.modern: tuple[GroupKind, ...] = (self.consumer, self.streams, self.share)
        """The kinds whose members are assigned by the coordinator."""
        self._kinds: tuple[GroupKind, ...] = (self.classic, *self.modern)
        self._by_key: dict[type[Message], GroupKind] = {
            key_type: kind for kind in self.modern for key_type in kind.key_types
        }

    def kind_of(self, group_id: str) -> GroupKind | None:
        """The kind of group that has a name; None if none has."""
        return next((kind for kind in self._kinds if group_id in kind.groups), None)

    def existing(self, group_id: str) -> GroupKind:
        """The kind of a group. Raises CoordinatorError (GROUP_ID_NOT_FOUND)."""
        kind = self.kind_of(group_id)
        if kind is None:
            raise CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {quoted(group_id)} not found.")
        return kind

    def names(self) -> list[str]:
        """The names of all groups."""
        return [group_id for kind in self._kinds for group_id in kind.groups]

    def names_with_offsets(self) -> list[str]:
        """The names of all groups whose members commit offsets."""
        return [group_id for kind in self._kinds if kind.keeps_offsets for group_id in kind.groups]

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order. Each is looked at when its turn comes."""
        for kind in self._kinds:
            yield from kind.listed()

    def counts(self) -> GroupCounts:
        """How many groups and offsets there are. Read it at once: the numbers go on changing."""
        return GroupCounts(
            classic=self.classic.groups.by_state,
            consumer=self.consumer.groups.by_state,
            share=self.share.groups.by_state,
            streams=self.streams.groups.by_state,
            offsets=self.offsets.logged.size,
        )

    def described_values(self, group_id: str) -> int:
        """How many values the description of a group holds, about; 0 if there is none of this name."""
        kind = self.kind_of(group_id)
        return 0 if kind is None else kind.described_values(group_id)

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None) -> None:
        """Take over a record of a group whose members are assigned by the coordinator."""
        kind = self._by_key.get(type(key))
        if kind is None:
            return
        group_id = cast("_GroupKey", key).group_id
        if value is not None:
            self._forget_simple(group_id)
        kind.replay(group_id, key, value)
        if kind.keeps_offsets:
            self.know_left(group_id)

    def _forget_simple(self, group_id: str) -> None:
        """Records of another kind of group follow. If only offsets are known so far, those of them that are older than
        that group stay with it."""
        classic = self.classic.groups.get(group_id)
        if classic is not None and classic.protocol_type is None:
            del self.classic.groups[group_id]

    def take_over(self) -> list[str]:
        """Everything is read. Returns what made no sense, and was mended."""
        for kind in self._kinds:
            kind.take_over(self._log.end_offset)
        return problems_of(kind.groups for kind in self._kinds)

    def begin_sessions(self, group_id: str) -> None:
        """All members of a group, if it is still there, have their whole sessions from now on."""
        kind = self.kind_of(group_id)
        if kind is not None:
            kind.begin_sessions(group_id)

    def check_commit(
        self,
        group_id: str,
        committer: Committer,
        partitions: Sequence[OffsetCommitPartition],
        *,
        is_transactional: bool,
    ) -> None:
        """Raises CoordinatorError unless the offsets of all these partitions may be committed."""
        kind = self.kind_of(group_id)
        if kind is not None:
            check = kind.check_commit(group_id, committer, is_transactional=is_transactional)
            for each in partitions:
                check(each.topic_id, each.partition)
        elif committer.generation >= 0:
            is_told = committer.version >= FIRST_COMMIT_WITH_NOT_FOUND and not is_transactional
            raise CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND if is_told else ErrorCode.ILLEGAL_GENERATION)

    def check_fetch(self, group_id: str, reader: OffsetReader) -> None:
        """Raises CoordinatorError unless a reader may fetch the offsets of a group. None has those of one that does not
        exist."""
        kind = self.kind_of(group_id)
        if kind is not None:
            kind.check_fetch(group_id, reader)

    # -- groups that come and go ---------------------------------------------------------------------------------

    def know(self, group_id: str) -> None:
        """A group has offsets: it exists."""
        if self.kind_of(group_id) is None:
            self.classic.groups[group_id] = ClassicGroup(group_id=group_id)

    def know_left(self, group_id: str) -> None:
        """The group may be gone, or was not there; if there are offsets of it, it is a simple group."""
        if self.offsets.logged.has_any(group_id):
            self.know(group_id)

    def deletion_records(self, group_id: str) -> list[Record]:
        """The records that remove a group. Raises CoordinatorError (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP)."""
        return self.existing(group_id).deletion_records(group_id)

    def remove(self, group_id: str) -> None:
        """Remove a group without members; its offsets stay. Raises CoordinatorError, after which it is still there."""
        records = self.deletion_records(group_id)
        self._log.append(records)
        self.forget(group_id, records)

    def forget(self, group_id: str, records: Sequence[Record]) -> None:
        """The records that remove a group are written."""
        kind = self.existing(group_id)
        for record in records:
            kind.replay(group_id, record.key, record.value)
        self.know_left(group_id)
