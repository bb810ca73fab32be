"""One streams group: its topology, its members, its target assignment, and which process has which task.

What is kept in records changes by `StreamsGroup.replay` only. No decision is made here; `streams.heartbeat` has them.

The epochs are those of consumer groups: the group epoch grows whenever members, topics or settings change, the
assignment epoch is the one for which the target was made, and each member follows with an epoch of its own (KIP-1071).
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from kafkaproto.message import Message
from kafkaproto.messages import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupHeartbeatResponse,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMemberValue,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMetadataValue,
    StreamsGroupTopologyKey,
    StreamsGroupTopologyValue,
)
from kafkaproto_server.core.coordinators.groups.modern.group import NO_EPOCH, ReconcilingGroup
from kafkaproto_server.core.coordinators.groups.revocations import RevocationWatch
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import ConfiguredTopology
from kafkaproto_server.core.coordinators.groups.streams.member import HeldTasks, StreamsMember
from kafkaproto_server.core.coordinators.groups.streams.sticky import Task
from kafkaproto_server.core.coordinators.groups.streams.topology import Topology, check_topology
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.streams_group_requests import Tasks, TaskSets, tasks_of

FIRST_EPOCH = 1
"""The group epoch and the assignment epoch of a group that was just made."""
NO_TARGET = TaskSets()


class StreamsState(enum.Enum):
    """The state of a group, by the names that Kafka's tools print."""

    EMPTY = "Empty"
    NOT_READY = "NotReady"
    """Topics are missing or wrong."""
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class TaskOffsets(msgspec.Struct, frozen=True):
    """What a member said of its states on disk. In memory only."""

    offsets: Mapping[Task, int] = {}
    end_offsets: Mapping[Task, int] = {}


@dataclass(slots=True)
class StreamsGroup(ReconcilingGroup[StreamsMember, TaskSets, RevocationWatch]):
    """A group. It may have no member: then it only has offsets."""

    epoch: int = FIRST_EPOCH
    validated_topology_epoch: int = NO_EPOCH
    """The epoch of the topology whose topics are as they have to be."""
    assignment_configs: Mapping[str, str] = field(default_factory=dict)
    """The settings of the assignor at the last change of the epoch."""
    stored_description_epoch: int = NO_EPOCH
    """Of what a plugin of Apache Kafka stored; kept for its brokers."""
    failed_description_epoch: int = NO_EPOCH
    assignment_epoch: int = FIRST_EPOCH
    topology: Topology | None = None
    active_owners: dict[Task, str] = field(default_factory=dict)
    """The process that has a task as an active one, or has not given it up yet."""
    standby_owners: Counter[tuple[Task, str]] = field(default_factory=Counter)
    """The processes that have standby tasks."""
    warmup_owners: Counter[tuple[Task, str]] = field(default_factory=Counter)
    configured: ConfiguredTopology | None = None
    """What follows from the topology. In memory only."""
    is_fresh: bool = False
    """Whether its topics have not changed since they were looked at. In memory only."""
    task_offsets: dict[str, TaskOffsets] = field(default_factory=dict)
    """By member id. In memory only."""
    shutdown_member_id: str | None = None
    """The member that asked the whole application to end. In memory only, until the group is empty."""
    endpoint_epoch: int = 0
    """Grows with each change of what members say of their endpoints and tasks. In memory only."""
    endpoint_parts: dict[str, StreamsGroupHeartbeatResponse.EndpointToPartitions] = field(
        default_factory=dict
    )
    """What is said of the endpoints of members, by member id. In memory only."""

    # -- questions -----------------------------------------------------------------------------------------------

    @property
    def state(self) -> StreamsState:
        """The state, which follows from the epochs."""
        if not self.members:
            return StreamsState.EMPTY
        if self.topology is None or self.topology.epoch != self.validated_topology_epoch:
            return StreamsState.NOT_READY
        if self.epoch > self.assignment_epoch:
            return StreamsState.ASSIGNING
        return StreamsState.STABLE if self.is_reconciled else StreamsState.RECONCILING

    def reads_topic(self, name: str) -> bool:
        """Whether members may read a topic: its offsets are in use then."""
        return bool(self.members) and self.topology is not None and name in self.topology.subtopology_of

    def note_changed_topics(self, names: frozenset[str]) -> None:
        """These topics have changed: the group looks at its topics again if its topology needs one of them."""
        if self.topology is not None and not names.isdisjoint(self.topology.required_topics):
            self.is_fresh = False

    def configure(self, configured: ConfiguredTopology) -> None:
        """Note what follows from the topology and the topics as they are now."""
        self.configured = configured
        self.endpoint_parts.clear()

    # -- records -------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None) -> bool:
        """Take a record over. Returns whether the group is still there.

        A record may be about something that is not known (any more): compaction removes records that others followed.
        """
        match key:
            case StreamsGroupMetadataKey():
                if value is None:
                    return False
                assert isinstance(value, StreamsGroupMetadataValue), "it is the key's value"
                self._replay_epoch(value)
                self._replay_configs(value)
            case StreamsGroupTopologyKey():
                assert value is None or isinstance(value, StreamsGroupTopologyValue), "it is the key's value"
                self._replay_topology(value)
            case StreamsGroupTargetAssignmentMetadataKey():
                assert value is None or isinstance(value, StreamsGroupTargetAssignmentMetadataValue), (
                    "it is the key's value"
                )
                self._replay_assignment_epoch(value)
            case StreamsGroupTargetAssignmentMemberKey():
                assert value is None or isinstance(value, StreamsGroupTargetAssignmentMemberValue), (
                    "it is the key's value"
                )
                self._replay_target(key.member_id, None if value is None else _target(value))
            case StreamsGroupMemberMetadataKey():
                self._replay_member(key.member_id, value)
            case StreamsGroupCurrentMemberAssignmentKey():
                self._replay_current(key.member_id, value)
        return True

    def _replay_topology(self, value: StreamsGroupTopologyValue | None) -> None:
        self.topology = self.configured = None
        if value is not None:
            try:
                check_topology(value)
            except CoordinatorError as error:
                # The next member that joins brings another one.
                self.problem = error.message
            else:
                self.topology = Topology(value)

    def _replay_configs(self, value: StreamsGroupMetadataValue) -> None:
        self.validated_topology_epoch = value.validated_topology_epoch
        self.assignment_configs = {each.key: each.value for each in value.last_assignment_configs or ()}
        self.stored_description_epoch = value.stored_description_topology_epoch
        self.failed_description_epoch = value.failed_description_topology_epoch

    def _new_member(self, member_id: str) -> StreamsMember:
        return StreamsMember(member_id=member_id)

    def _note(self, member: StreamsMember) -> None:
        ReconcilingGroup._note(self, member)
        if member.process_id is not None:
            for held in (member.assigned, member.revoking):
                self._own(held, member.process_id)

    def _own(self, held: HeldTasks, process_id: str) -> None:
        for subtopology_id, epochs in held.active.items():
            self.active_owners.update(((subtopology_id, index), process_id) for index in epochs)
        self.standby_owners.update((each, process_id) for each in each_task(held.standby))
        self.warmup_owners.update((each, process_id) for each in each_task(held.warmup))

    def _forget(self, member: StreamsMember) -> None:
        ReconcilingGroup._forget(self, member)
        self.task_offsets.pop(member.member_id, None)
        if not self.members:
            self.shutdown_member_id = None

    def _release(self, member: StreamsMember) -> None:
        ReconcilingGroup._release(self, member)
        self.endpoint_parts.pop(member.member_id, None)
        process_id = member.process_id
        if process_id is None:
            return
        for held in (member.assigned, member.revoking):
            # Only what is still its own: a later record may have given a task to another process already, if the
            # record in which this member gave it up was compacted away.
            for subtopology_id, epochs in held.active.items():
                for index in epochs:
                    if self.active_owners.get((subtopology_id, index)) == process_id:
                        del self.active_owners[subtopology_id, index]
            for owners, tasks in ((self.standby_owners, held.standby), (self.warmup_owners, held.warmup)):
                for task in each_task(tasks):
                    owners[task, process_id] -= 1
                    if owners[task, process_id] <= 0:
                        del owners[task, process_id]


def each_task(tasks: Tasks) -> list[Task]:
    """The tasks one by one."""
    return [(subtopology_id, index) for subtopology_id, partitions in tasks.items() for index in partitions]


def _target(value: StreamsGroupTargetAssignmentMemberValue) -> TaskSets:
    return TaskSets(
        *(
            tasks_of((each.subtopology_id, each.partitions) for each in tasks)
            for tasks in (value.active_tasks, value.standby_tasks, value.warmup_tasks)
        )
    )
