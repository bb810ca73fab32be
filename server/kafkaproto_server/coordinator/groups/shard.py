"""The groups of one partition of ``__consumer_offsets``, as long as this broker leads it.

A group has one of several kinds, and its name stands for all of them: a group that was made by one protocol refuses the
requests of another as long as it has members. What a request says of its group is looked up here; the kinds decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import GroupMetadataKey, GroupMetadataValue
from kafkaproto_server.coordinator.groups.classic import ClassicGroups
from kafkaproto_server.coordinator.groups.classic_group import ClassicGroup, ClassicState
from kafkaproto_server.coordinator.groups.config import GroupConfig
from kafkaproto_server.coordinator.values import CoordinatorError, CoordinatorLog, Surroundings
from kafkaproto_server.requests.group_requests import (
    UNKNOWN_MEMBER,
    DescribedGroup,
    DescribedMember,
    GroupListing,
    Joined,
    JoinOutcome,
    JoinValues,
    Synced,
    SyncOutcome,
    SyncValues,
)


class GroupShard:
    """The coordinator of these groups."""

    def __init__(
        self, config: Callable[[], GroupConfig], log: CoordinatorLog, surroundings: Surroundings
    ) -> None:
        self._config = config
        self._groups: dict[str, ClassicGroup] = {}
        self._classic = ClassicGroups(
            config, log, surroundings, lambda group: self._groups.get(group.group_id) is group
        )

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None, offset: int, producer_id: int) -> None:
        """Take a record over, while the partition is read."""
        if isinstance(key, GroupMetadataKey):
            if value is None:
                self._groups.pop(key.group, None)
            else:
                assert isinstance(value, GroupMetadataValue), "it is the key's value"
                self._groups[key.group] = ClassicGroup.from_record(key.group, value)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """The end of a producer's transaction is at this offset."""

    def loaded(self) -> None:
        """Everything is read: requests are served from now on."""
        for group in self._groups.values():
            self._classic.begin_sessions(group)

    def unload(self) -> None:
        """Another broker coordinates these groups now."""
        groups, self._groups = self._groups, {}
        for group in groups.values():
            self._classic.end(group, ErrorCode.NOT_COORDINATOR)

    # -- members of classic groups -------------------------------------------------------------------------------

    def join(self, group_id: str, values: JoinValues, joined: Joined) -> None:
        """See `ClassicGroups.join`; errors are told by ``joined`` as well."""
        try:
            self._check_join(group_id, values)
            group = self._groups.get(group_id)
            if group is None:
                if values.member_id != UNKNOWN_MEMBER:
                    raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
                group = self._groups[group_id] = ClassicGroup(group_id=group_id)
            self._classic.join(group, values, joined)
        except CoordinatorError as error:
            is_new_id = error.code is ErrorCode.MEMBER_ID_REQUIRED
            member_id = error.message or "" if is_new_id else values.member_id
            joined(JoinOutcome(error.code, member_id))

    def _check_join(self, group_id: str, values: JoinValues) -> None:
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        config = self._config()
        if not config.min_session_timeout_ms <= values.session_timeout_ms <= config.max_session_timeout_ms:
            raise CoordinatorError(ErrorCode.INVALID_SESSION_TIMEOUT)
        if not values.protocol_type or not values.protocols:
            raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)

    def sync(self, group_id: str, values: SyncValues, synced: Synced) -> None:
        """See `ClassicGroups.sync`; errors are told by ``synced`` as well."""
        try:
            self._classic.sync(self._group(group_id), values, synced)
        except CoordinatorError as error:
            synced(SyncOutcome(error.code))

    def heartbeat(self, group_id: str, member_id: str, instance_id: str | None, generation: int) -> ErrorCode:
        """See `ClassicGroups.heartbeat`."""
        try:
            self._classic.heartbeat(self._group(group_id), member_id, instance_id, generation)
        except CoordinatorError as error:
            return error.code
        return ErrorCode.NONE

    def leave(self, group_id: str, members: Iterable[tuple[str, str | None]]) -> list[ErrorCode]:
        """See `ClassicGroups.leave`. Raises CoordinatorError."""
        return self._classic.leave(self._group(group_id), members)

    def _group(self, group_id: str) -> ClassicGroup:
        """A group with members, or that had some. Raises CoordinatorError."""
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        group = self._groups.get(group_id)
        if group is None:
            raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
        return group

    # -- administrators ------------------------------------------------------------------------------------------

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order."""
        for group in self._groups.values():
            yield GroupListing(group.group_id, group.protocol_type or "", group.state.value, "Classic")

    def described(self, group_id: str) -> DescribedGroup:
        """A classic group, or why there is none of this name."""
        group = self._groups.get(group_id)
        if group is None:
            return DescribedGroup(
                code=ErrorCode.GROUP_ID_NOT_FOUND,
                message=f"Group {group_id} not found.",
                state=ClassicState.DEAD.value,
            )
        is_stable = group.state is ClassicState.STABLE
        return DescribedGroup(
            state=group.state.value,
            protocol_type=group.protocol_type or "",
            protocol=(group.protocol or "") if is_stable else "",
            members=[
                DescribedMember(
                    each.member_id,
                    each.group_instance_id,
                    each.client_id,
                    each.client_host,
                    # Between two generations nobody knows what counts.
                    each.metadata_of(group.protocol or "") if is_stable else b"",
                    each.assignment if is_stable else b"",
                )
                for each in group.members.values()
            ],
        )
