"""A new target assignment: what it is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kafkaproto_server.core.coordinators.groups.modern.targets import targets_for_present
from kafkaproto_server.core.coordinators.groups.streams.config import NUM_STANDBY_REPLICAS
from kafkaproto_server.core.coordinators.groups.streams.group import TaskOffsets, each_task
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import ConfiguredTopology
from kafkaproto_server.core.coordinators.groups.streams.java_order import hash_map_order
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMember
from kafkaproto_server.core.coordinators.groups.streams.sticky import (
    StreamsMemberSpec,
    SubtopologySpec,
    assign_sticky,
)
from kafkaproto_server.requests.streams_group_requests import TaskSets

ASSIGNOR = "sticky"
"""The name of the only assignor of this broker."""
_NOTHING = TaskOffsets()


class StreamsQuestion(NamedTuple):
    """What targets are made from. None of it changes, so that another thread may answer."""

    members: Mapping[str, StreamsMember]
    offsets: Mapping[str, TaskOffsets]
    """By member id."""
    configured: ConfiguredTopology
    assignment_configs: Mapping[str, str]

    @property
    def standby_replicas(self) -> int:
        """How many standby replicas each task with a state should have."""
        return int(self.assignment_configs.get(NUM_STANDBY_REPLICAS, "0"))

    @property
    def size(self) -> int:
        """To which the time for an answer is about proportional."""
        return len(self.members) + self.configured.task_count * (1 + self.standby_replicas)

    def answer(self) -> dict[str, TaskSets]:
        """The target of each of these members: nothing as long as topics are missing."""
        if not self.configured.is_ready:
            return {member_id: TaskSets() for member_id in self.members}
        subtopologies = [
            SubtopologySpec(subtopology_id, each.task_count, bool(each.changelogs))
            for subtopology_id, each in self.configured.subtopologies.items()
        ]
        specs = [
            StreamsMemberSpec(
                member_id,
                member.process_id or "",
                frozenset(each_task(member.assigned.without_epochs().active)),
                frozenset(each_task(member.assigned.standby)),
                self.offsets.get(member_id, _NOTHING).offsets,
            )
            for member_id, member in self.members.items()
        ]
        return assign_sticky(specs, subtopologies, self.standby_replicas)

    def for_present(
        self, targets: Mapping[str, TaskSets], members: Mapping[str, StreamsMember]
    ) -> dict[str, TaskSets]:
        """The answer for those who are members by now."""
        return targets_for_present(targets, self.members, members)


def in_order(targets: Mapping[str, TaskSets]) -> dict[str, TaskSets]:
    """The targets in the order of their records, which is that of Java's hash tables."""
    return {member_id: targets[member_id] for member_id in hash_map_order(sorted(targets))}
