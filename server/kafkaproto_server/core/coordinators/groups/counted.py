"""Groups of one kind by name, and how many of them are in each state.

The numbers are for metrics, which must not walk over fifty thousand groups. So each group is counted once: it knows as
what. Whoever changes a group says so (`CountedGroups.changed`); to put a group here, to replace it or to remove it
counts by itself. A partition that is unloaded takes its groups and their numbers along.

Apache Kafka walks over all groups once a minute (GroupMetadataManager.updateGroupSizeCounter).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol, TypeVar


class Counted(Protocol):
    """A group of any kind."""

    counted: enum.Enum | None
    """The state as which it is counted; None if it is not among the groups."""

    @property
    def state(self) -> enum.Enum:
        """Its state."""


class GroupCounts(NamedTuple):
    """The number of groups of each kind by state, and that of their offsets."""

    classic: Mapping[enum.Enum, int]
    consumer: Mapping[enum.Enum, int]
    share: Mapping[enum.Enum, int]
    streams: Mapping[enum.Enum, int]
    offsets: int


GroupT = TypeVar("GroupT", bound=Counted)


class CountedGroups(dict[str, GroupT]):
    """Groups by their ids. They change by the methods below and ``[]`` only."""

    def __init__(self, states: Iterable[enum.Enum]) -> None:
        super().__init__()
        self.by_state: dict[enum.Enum, int] = dict.fromkeys(states, 0)
        """The number of groups in each state."""

    def __setitem__(self, group_id: str, group: GroupT) -> None:
        before = self.get(group_id)
        if before is not None:
            self._leave(before)
        super().__setitem__(group_id, group)
        group.counted = group.state
        self.by_state[group.counted] += 1

    def __delitem__(self, group_id: str) -> None:
        self._leave(self[group_id])
        super().__delitem__(group_id)

    def discard(self, group_id: str) -> GroupT | None:
        """Remove a group and return it; None if there is none."""
        group = self.get(group_id)
        if group is not None:
            del self[group_id]
        return group

    def empty(self) -> CountedGroups[GroupT]:
        """An empty table to take the place of this one."""
        table: CountedGroups[GroupT] = CountedGroups(())
        table.by_state = dict.fromkeys(self.by_state, 0)
        return table

    def let_go(self, most: int) -> int:
        """Remove so many groups. Returns how many more there might have been. The table is of no other use."""
        while self and most > 0:
            self.popitem()[1].counted = None
            most -= 1
        return most

    def changed(self, group: GroupT) -> None:
        """A group may be in another state. One that is not here does not count."""
        before, now = group.counted, group.state
        if before is not now and before is not None:
            self.by_state[before] -= 1
            self.by_state[now] += 1
            group.counted = now

    def _leave(self, group: GroupT) -> None:
        assert group.counted is not None, "it is counted"
        self.by_state[group.counted] -= 1
        group.counted = None
