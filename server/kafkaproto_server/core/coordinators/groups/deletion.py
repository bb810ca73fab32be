"""The deletion of groups with their offsets (DeleteGroups), except for share groups.

What removes a group and its offsets is one batch, so that all of it is gone or nothing. If that is too large for a
batch, or would take too long, the offsets go first, in several batches and turns. Meanwhile nobody joins the group: it
is deleted to the end, unless a batch fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.offsets.offsets import OffsetMetadataManager
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record, Surroundings
from kafkaproto_server.requests.offset_requests import GroupDeleted


class GroupDeletions:
    """The groups that are being deleted."""

    def __init__(
        self,
        offsets: OffsetMetadataManager,
        surroundings: Surroundings,
        records_of: Callable[[str], list[Record]],
        forget: Callable[[str, Sequence[Record]], None],
    ) -> None:
        """``records_of`` are the records that remove a group; it raises CoordinatorError if the group does not exist or
        has members. ``forget`` is called when these are written."""
        self._offsets = offsets
        self._surroundings = surroundings
        self._records_of = records_of
        self._forget = forget
        self._in_part: set[str] = set()
        """Groups of which some offsets are gone."""
        self._is_over = False

    def check(self, group_id: str) -> None:
        """Raises CoordinatorError (COORDINATOR_LOAD_IN_PROGRESS) if nobody may join a group now."""
        if group_id in self._in_part:
            message = f"Group {quoted(group_id)} is being deleted."
            raise CoordinatorError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, message)

    def unload(self) -> None:
        """Another broker coordinates these groups now."""
        self._is_over = True

    def delete(self, group_id: str, deleted: GroupDeleted) -> None:
        """Delete a group that has no members. ``deleted`` is called now or later; errors are told by it as well."""
        try:
            records = self._records_of(group_id)
            if not self._offsets.is_deleted_at_once(group_id):
                self._in_part.add(group_id)
                self._offsets.delete_some(group_id)
                self._surroundings.call_at(
                    self._surroundings.now_ms() + 1, partial(self._delete_rest, group_id, deleted)
                )
                return
            self._offsets.delete_group(group_id, deleted, last=records)
        except CoordinatorError as error:
            self._in_part.discard(group_id)
            deleted(error.code)
        else:
            self._in_part.discard(group_id)
            self._forget(group_id, records)

    def _delete_rest(self, group_id: str, deleted: GroupDeleted) -> None:
        if self._is_over:
            deleted(ErrorCode.NOT_COORDINATOR)
        else:
            self.delete(group_id, deleted)
