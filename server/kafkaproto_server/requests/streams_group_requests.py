"""What requests of members of streams groups say, and what they get (KIP-1071): between the handlers of their APIs and
the coordinator.

A task is a subtopology with a partition number. A member runs tasks in one of three roles: active tasks process
records, standby tasks keep a copy of a state, warm-up tasks make one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from kafkaproto.messages import CreateTopicsRequest, StreamsGroupHeartbeatResponse, StreamsGroupTopologyValue

JOIN_EPOCH = 0
"""The member epoch of a member that joins."""
LEAVE_EPOCH = -1
"""The member epoch of a member that leaves for good."""
LEAVE_STATIC_EPOCH = -2
"""The member epoch of a static member that leaves and will be back within its session timeout."""

Tasks: TypeAlias = Mapping[str, frozenset[int]]
"""Partition numbers by subtopology. No subtopology is without partitions."""
NO_TASKS: Tasks = {}
TaskLists: TypeAlias = Sequence[tuple[str, Sequence[int]]]
"""Tasks as requests have them."""
Offsets: TypeAlias = Sequence[tuple[str, int, int]]
"""Subtopology, partition and the sum of the offsets of its changelogs, as requests have them."""


class TaskSets(msgspec.Struct, frozen=True):
    active: Tasks = NO_TASKS
    standby: Tasks = NO_TASKS
    warmup: Tasks = NO_TASKS


class UserEndpoint(NamedTuple):
    """Where a member answers interactive queries."""

    host: str
    port: int


class StreamsHeartbeatValues(msgspec.Struct, frozen=True, kw_only=True):
    """What a StreamsGroupHeartbeat request says. None stands for what did not change since the last one."""

    group_id: str
    member_id: str
    member_epoch: int
    endpoint_epoch: int = 0
    """The EndpointInformationEpoch that the member knows."""
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    topology: StreamsGroupTopologyValue | None = None
    """In the form of its record."""
    active_tasks: TaskLists | None = None
    standby_tasks: TaskLists | None = None
    warmup_tasks: TaskLists | None = None
    process_id: str | None = None
    user_endpoint: UserEndpoint | None = None
    client_tags: Sequence[tuple[str, str]] | None = None
    task_offsets: Offsets | None = None
    task_end_offsets: Offsets | None = None
    shutdown_application: bool = False
    client_id: str = ""
    client_host: str = ""
    version: int = 1

    @property
    def owned(self) -> TaskSets | None:
        """The tasks that the member has; None if it does not say."""
        if self.active_tasks is None or self.standby_tasks is None or self.warmup_tasks is None:
            return None
        return TaskSets(
            tasks_of(self.active_tasks), tasks_of(self.standby_tasks), tasks_of(self.warmup_tasks)
        )


class StreamsHeartbeatOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The response to a StreamsGroupHeartbeat request."""

    response: StreamsGroupHeartbeatResponse
    missing_topics: Sequence[CreateTopicsRequest.CreatableTopic] = ()
    """Internal topics of the application that are to be created."""


StreamsHeard: TypeAlias = Callable[[StreamsHeartbeatOutcome], None]


def tasks_of(lists: Iterable[tuple[str, Iterable[int]]]) -> Tasks:
    """Tasks from lists as messages have them."""
    found: dict[str, frozenset[int]] = {}
    for subtopology_id, partitions in lists:
        united = found.get(subtopology_id, frozenset()).union(partitions)
        if united:
            found[subtopology_id] = united
    return found
