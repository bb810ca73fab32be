"""The classic groups of one partition of the internal topic."""

from __future__ import annotations

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicState
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.values import Surroundings


class ClassicTable:
    """The groups that there are, and their states. A group that is not here is no more, whoever still holds it."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.groups: CountedGroups[ClassicGroup] = CountedGroups(ClassicState)
        self._surroundings = surroundings

    def unload(self) -> CountedGroups[ClassicGroup]:
        """Another broker coordinates these groups now: from now on there are none. Returns them."""
        groups, self.groups = self.groups, self.groups.empty()
        return groups

    def is_current(self, group: ClassicGroup) -> bool:
        """Whether the group is still there, and this broker its coordinator."""
        return self.groups.get(group.group_id) is group

    def become(self, group: ClassicGroup, state: ClassicState) -> None:
        """A group is in another state from now on."""
        group.become(state, self._surroundings.wall_ms())
        self.groups.changed(group)
