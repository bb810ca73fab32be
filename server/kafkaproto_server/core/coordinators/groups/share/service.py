"""The share groups of one partition of ``__consumer_offsets``, as the rest of the server asks for them: errors are told
by the callbacks as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareGroupDescribeResponse
from kafkaproto_server.core.coordinators.groups.kinds import not_of_kind
from kafkaproto_server.core.coordinators.groups.share.describe import (
    described_share_group,
    unknown_share_group,
)
from kafkaproto_server.core.coordinators.groups.share.heartbeat import ShareGroups
from kafkaproto_server.core.coordinators.groups.share.offsets import ShareOffsets, Told
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.share_group_requests import (
    NewOffsets,
    ShareHeard,
    ShareHeartbeatOutcome,
    ShareHeartbeatValues,
    ShareOffsetsAltered,
    ShareOffsetsDeleted,
    TopicIdPartition,
)


class ShareGroupService:
    def __init__(self, groups: ShareGroups, is_other: Callable[[str], bool]) -> None:
        """``is_other`` says whether a name stands for a group of another kind."""
        self.groups = groups
        self._is_other = is_other
        self._offsets = ShareOffsets(groups)

    def __contains__(self, group_id: str) -> bool:
        """Whether a name stands for a share group."""
        return group_id in self.groups.groups

    def _check(self, group_id: str) -> None:
        """Raises CoordinatorError (GROUP_ID_NOT_FOUND) if the group is of another kind, even an empty one."""
        if self._is_other(group_id):
            raise not_of_kind(group_id, "share")

    def heartbeat(self, values: ShareHeartbeatValues, heard: ShareHeard) -> None:
        try:
            self._check(values.group_id)
            self.groups.heartbeat(values, heard)
        except CoordinatorError as error:
            heard(ShareHeartbeatOutcome(code=error.code, message=error.message))

    def initialized(
        self, group_id: str, found: Callable[[ErrorCode, Sequence[TopicIdPartition]], None]
    ) -> None:
        """The partitions of a group that have a state, when that is committed."""
        partitions = self._offsets.initialized(group_id)
        self.groups.when_committed(lambda code: found(code, partitions if code is ErrorCode.NONE else ()))

    def alter(self, group_id: str, offsets: NewOffsets, altered: ShareOffsetsAltered) -> None:
        try:
            self._check(group_id)
            self._offsets.alter(group_id, offsets, altered)
        except CoordinatorError as error:
            altered(error.code, error.message, ())

    def delete_offsets(self, group_id: str, names: Sequence[str], deleted: ShareOffsetsDeleted) -> None:
        try:
            self._offsets.delete(group_id, names, deleted)
        except CoordinatorError as error:
            deleted(error.code, error.message, ())

    def delete_group(self, group_id: str, deleted: Told) -> None:
        """See `ShareOffsets.delete_group`. Raises CoordinatorError."""
        self._offsets.delete_group(group_id, deleted)

    def described(self, group_id: str) -> ShareGroupDescribeResponse.DescribedGroup:
        """A share group, or that there is none of this name."""
        group = self.groups.groups.get(group_id)
        return (
            unknown_share_group(group_id)
            if group is None
            else described_share_group(group, self.groups.topics)
        )
