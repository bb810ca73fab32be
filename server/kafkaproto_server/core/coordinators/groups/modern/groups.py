"""The groups of one kind whose members are assigned by the coordinator, and follow by heartbeats.

What is the same for consumer, share and streams groups is here: their records are taken over, their members' sessions
begin, targets are computed, and what is decided is appended and replayed before a response waits for it. What a
heartbeat does is decided by each kind.

The assignment of a large group is computed in a thread; until it is there, members keep what they have. That depends on
the size alone, whatever `consumer.assignor.offload.enable` and its siblings say.

Apache Kafka has this in GroupMetadataManager, where each kind has its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any, ClassVar, Generic, TypeVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.groups.modern.group import ModernGroup
from kafkaproto_server.core.coordinators.groups.modern.settings import ModernSettings
from kafkaproto_server.core.coordinators.groups.modern.targets import Question
from kafkaproto_server.core.coordinators.groups.sessions import SessionWatches
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import (
    ComputingSurroundings,
    CoordinatorError,
    CoordinatorLog,
    Record,
)
from kafkaproto_server.requests.group_requests import GroupListing

SIZE_AT_ONCE = 2_000
"""Partitions or tasks, and topics of members, that are assigned at once: about 10 ms. With more, it is done beside the
loop."""


GroupT = TypeVar("GroupT", bound=ModernGroup[Any, Any, Any])
SettingsT = TypeVar("SettingsT", bound=ModernSettings)


class ModernGroups(ABC, Generic[GroupT, SettingsT]):
    """The groups of one kind, in one partition of the internal topic. Its subclasses are of a `GroupKind` each."""

    kind: ClassVar[str]
    """Protocol type and type of these groups in lists."""
    states: ClassVar[type[Enum]]
    sessions: SessionWatches[GroupT, Any, Any]
    """When members are fenced."""

    def __init__(
        self,
        settings: Callable[[str], SettingsT],
        topics: Topics,
        log: CoordinatorLog,
        surroundings: ComputingSurroundings,
        metrics: GroupMetrics,
    ) -> None:
        """``settings`` returns the settings of a group."""
        self.groups: CountedGroups[GroupT] = CountedGroups(self.states)
        self.topics = topics
        self.surroundings = surroundings
        self._settings = settings
        self._log = log
        self._metrics = metrics
        self._last_end_offset = 0

    # -- life ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def _new_group(self, group_id: str) -> GroupT:
        """A group without records."""

    @abstractmethod
    def _replay(self, group: GroupT, key: Message, value: Message | None) -> bool:
        """Let a group take a record over. Returns whether it is still there."""

    def replay(self, group_id: str, key: Message, value: Message | None) -> None:
        """Take over a record of a group: while the partition is read, and after each append."""
        group = self.groups.get(group_id)
        if group is None:
            if value is None:
                return
            group = self.groups[group_id] = self._new_group(group_id)
        if not self._replay(group, key, value):
            self._forget(group_id)
        else:
            self.groups.changed(group)

    def _forget(self, group_id: str) -> None:
        del self.groups[group_id]

    def take_over(self, end_offset: int) -> None:
        """Everything up to an offset is read."""
        if self.groups:
            self._last_end_offset = end_offset

    def begin_sessions(self, group_id: str) -> None:
        """All members of a group have their whole sessions from now on."""
        group = self.groups[group_id]
        timeout_ms = self._settings(group_id).session_timeout_ms
        for member_id, member in group.members.items():
            self.sessions.begin(group, member_id, member, self._session_timeout_ms(member, timeout_ms))

    def _session_timeout_ms(self, member: Any, timeout_ms: int) -> int:
        """How long the session of a member is; ``timeout_ms`` is what the group's settings say."""
        return timeout_ms

    def unload(self) -> CountedGroups[GroupT]:
        """Another broker coordinates these groups now. Returns them, to be freed some at a time."""
        groups, self.groups = self.groups, self.groups.empty()
        return groups

    def topics_changed(self, changed: frozenset[str], group_id: str) -> None:
        """Topics of these names were made, deleted, or have other partitions or racks. A group that uses one of them
        looks at its topics again."""
        group = self.groups.get(group_id)
        if group is not None:
            group.note_changed_topics(changed)

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order. Each is looked at when its turn comes."""
        for each in tuple(self.groups.values()):
            yield GroupListing(each.group_id, self.kind, each.state.value, self.kind)

    def is_current(self, group: GroupT) -> bool:
        """Whether the group is still there, and this broker its coordinator."""
        return self.groups.get(group.group_id) is group

    def group(self, group_id: str) -> GroupT:
        """A group. Raises CoordinatorError (GROUP_ID_NOT_FOUND)."""
        group = self.groups.get(group_id)
        if group is None:
            raise CoordinatorError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"There is no {self.kind} group {quoted(group_id)}."
            )
        return group

    def empty_group(self, group_id: str) -> GroupT:
        """A group without members. Raises CoordinatorError (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP)."""
        group = self.group(group_id)
        if group.members:
            raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
        return group

    # -- targets -------------------------------------------------------------------------------------------------

    @abstractmethod
    def _target_records(self, group: GroupT, targets: Mapping[str, Any], epoch: int) -> list[Record]:
        """The records that give these members their targets, which were made for an epoch."""

    def _is_assignment_due(self, group: GroupT, settings: SettingsT) -> bool:
        """Not right after the last one: that way, many members that join together get one assignment (KIP-1263)."""
        passed_ms = self.surroundings.wall_ms() - group.assignment_wall_ms
        # A time in the future is another broker's clock's, and says nothing.
        return not 0 <= passed_ms < settings.assignment_interval_ms

    def _assign_later(
        self, group: GroupT, epoch: int, asked: Question, answer: Callable[[], Mapping[str, Any]]
    ) -> None:
        """Have the targets of a group computed for its epoch. Until they are there, members keep what they have."""
        group.is_assigning = True

        def assigned(targets: Mapping[str, Any]) -> None:
            group.is_assigning = False
            # The group may be empty now: then a later epoch is assigned.
            if not self.is_current(group) or epoch <= group.assignment_epoch:
                return
            present = asked.for_present(targets, group.members)
            # If they cannot be written, one of the next heartbeats begins again.
            with suppress(CoordinatorError):
                self.write(group.group_id, self._target_records(group, present, epoch))

        self.surroundings.compute(answer, assigned)

    # -- the log -------------------------------------------------------------------------------------------------

    def write(self, group_id: str, records: Sequence[Record]) -> None:
        """Append records and take them over. Raises CoordinatorError, after which nothing has changed."""
        self._last_end_offset = self._log.append(records)
        for record in records:
            self.replay(group_id, record.key, record.value)

    def when_committed(self, call: Callable[[ErrorCode], None]) -> None:
        """Call ``call`` when all records up to now are committed: a response that needed no record of its own may show
        what earlier records said."""
        self._log.when_committed(self._last_end_offset, call)
