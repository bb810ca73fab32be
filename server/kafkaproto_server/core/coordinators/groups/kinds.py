"""What is asked of the groups of any kind: a kind is a folder whose class implements `GroupKind`, and a row of
`GroupTable`.

Apache Kafka asks most of this of each group itself, by its interface Group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.groups.offsets.expiration import Expiration
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record
from kafkaproto_server.requests.group_requests import GroupListing
from kafkaproto_server.requests.offset_requests import Committer, OffsetReader

PartitionCheck: TypeAlias = Callable[[bytes, int], None]
"""Takes the id of a topic and the index of a partition; raises CoordinatorError if its offset is not to be taken."""


def accept(topic_id: bytes, index: int) -> None:
    """All partitions are fine."""


def not_of_kind(group_id: str, kind: str) -> CoordinatorError:
    """The error for a request to a group of another kind."""
    return CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {quoted(group_id)} is not a {kind} group.")


class GroupKind(Protocol):
    """The groups of one kind, in one partition of the internal topic. Where a group is named, it is one of them."""

    @property
    def groups(self) -> CountedGroups[Any]:
        """By their names. Each has ``members``, besides what `Counted` and `MaybeMended` ask for."""

    @property
    def key_types(self) -> tuple[type[Message], ...]:
        """The types of keys of their records."""

    @property
    def keeps_offsets(self) -> bool:
        """Whether their members commit offsets. If not, nothing expires, and a group keeps its name until it is
        deleted, even if it has no members."""

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, group_id: str, key: Message, value: Message | None) -> None:
        """Take over a record of a group, which may be new or about to go."""

    def take_over(self, end_offset: int) -> None:
        """Everything up to an offset is read."""

    def begin_sessions(self, group_id: str) -> None:
        """All members of a group have their whole sessions from now on."""

    def unload(self) -> CountedGroups[Any]:
        """Another broker coordinates these groups now. Returns them, to be freed some at a time."""

    def topics_changed(self, changed: frozenset[str], group_id: str) -> None:
        """Topics of these names were made, deleted, or have other partitions or racks. The group may be gone."""

    def deletion_records(self, group_id: str) -> list[Record]:
        """The records that remove a group; whoever asks for them appends and replays them.

        Raises CoordinatorError (NON_EMPTY_GROUP).
        """

    # -- offsets -------------------------------------------------------------------------------------------------

    def check_commit(self, group_id: str, committer: Committer, *, is_transactional: bool) -> PartitionCheck:
        """The check for each partition that is to be committed. Raises CoordinatorError."""

    def check_fetch(self, group_id: str, reader: OffsetReader) -> None:
        """Raises CoordinatorError unless a reader may fetch the offsets of a group."""

    def uses_topic(self, group_id: str) -> Callable[[str], bool]:
        """Whether members of a group may read a topic, so that its offsets are in use. Raises CoordinatorError if
        nothing may be deleted of the group."""

    def expiration(self, group_id: str) -> Expiration | None:
        """The rule for the offsets of a group; None if none of them expires now."""

    # -- administrators ------------------------------------------------------------------------------------------

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order. Each is looked at when its turn comes."""

    def described_values(self, group_id: str) -> int:
        """How many values the description of a group holds, about."""
