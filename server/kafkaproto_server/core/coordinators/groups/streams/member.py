"""One member of a streams group: a value that is replaced when its records are replayed."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from kafkaproto.messages import StreamsGroupCurrentMemberAssignmentValue, StreamsGroupMemberMetadataValue
from kafkaproto_server.requests.streams_group_requests import (
    LEAVE_STATIC_EPOCH,
    NO_TASKS,
    Tasks,
    TaskSets,
    UserEndpoint,
    tasks_of,
)

ActiveTasks: TypeAlias = Mapping[str, Mapping[int, int]]
"""By subtopology and partition: the member epoch at which the member got the task (KIP-1251)."""
NO_ACTIVE_TASKS: ActiveTasks = {}
_TaskIds = StreamsGroupCurrentMemberAssignmentValue.TaskIds


class StreamsMemberState(enum.IntEnum):
    """How far a member is on its way to the target assignment, by the numbers in records."""

    STABLE = 1
    """It has what the target assignment of its epoch gives it."""
    UNREVOKED_TASKS = 2
    """It has to revoke tasks before it may go to the next epoch."""
    UNRELEASED_TASKS = 3
    """It is in the target's epoch, and waits for tasks that others have not given up yet."""
    UNKNOWN = 127
    """A later release wrote a state that this one does not know."""


class HeldTasks(msgspec.Struct, frozen=True):
    """Tasks of a member by their role."""

    active: ActiveTasks = NO_ACTIVE_TASKS
    standby: Tasks = NO_TASKS
    warmup: Tasks = NO_TASKS

    @property
    def is_empty(self) -> bool:
        return not (self.active or self.standby or self.warmup)

    def without_epochs(self) -> TaskSets:
        return TaskSets(
            {each: frozenset(epochs) for each, epochs in self.active.items()}, self.standby, self.warmup
        )


NOTHING = HeldTasks()


class StreamsMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member. Equal members have equal records."""

    member_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = -1
    process_id: str | None = None
    """None if only its assignment is known: compaction may have taken what came before."""
    user_endpoint: UserEndpoint | None = None
    client_tags: tuple[tuple[str, str], ...] = ()
    """In the order of their keys."""
    epoch: int = 0
    previous_epoch: int = 0
    """A request may still have this epoch: the response with the current one may be lost."""
    state: StreamsMemberState = StreamsMemberState.STABLE
    assigned: HeldTasks = NOTHING
    """What it has or should take now."""
    revoking: HeldTasks = NOTHING
    """What it should give up, and has not yet."""

    @property
    def must_revoke(self) -> bool:
        """Whether it is here and has to revoke something within its rebalance timeout."""
        return self.state is StreamsMemberState.UNREVOKED_TASKS and self.epoch >= 0

    @property
    def is_stable(self) -> bool:
        """Whether it has what the target assignment of its epoch gives it."""
        return self.state is StreamsMemberState.STABLE

    def is_reconciled_to(self, epoch: int) -> bool:
        """Whether it has all that the target assignment of an epoch gives it."""
        return self.is_stable and self.epoch == epoch

    def at_epoch(
        self, epoch: int, state: StreamsMemberState, assigned: HeldTasks, revoking: HeldTasks = NOTHING
    ) -> StreamsMember:
        """The member one step further."""
        return msgspec.structs.replace(
            self,
            epoch=epoch,
            previous_epoch=self.epoch,
            state=state,
            assigned=assigned,
            revoking=revoking,
        )

    def away(self) -> StreamsMember:
        """A static member that leaves and will be back: it keeps its tasks until its session ends."""
        active = {each: dict.fromkeys(epochs, 0) for each, epochs in self.assigned.active.items()}
        assigned = HeldTasks(active, self.assigned.standby, self.assigned.warmup)
        return msgspec.structs.replace(self, epoch=LEAVE_STATIC_EPOCH, assigned=assigned, revoking=NOTHING)

    def with_metadata(self, value: StreamsGroupMemberMetadataValue) -> StreamsMember:
        """The member with what a record says of it."""
        endpoint = value.user_endpoint
        return msgspec.structs.replace(
            self,
            instance_id=value.instance_id,
            rack_id=value.rack_id,
            client_id=value.client_id,
            client_host=value.client_host,
            rebalance_timeout_ms=value.rebalance_timeout_ms,
            topology_epoch=value.topology_epoch,
            process_id=value.process_id,
            user_endpoint=None if endpoint is None else UserEndpoint(endpoint.host, endpoint.port),
            client_tags=tuple(sorted((each.key, each.value) for each in value.client_tags)),
        )

    def with_assignment(self, value: StreamsGroupCurrentMemberAssignmentValue) -> StreamsMember:
        """The member with the assignment that a record gives it."""
        epoch = value.member_epoch
        return msgspec.structs.replace(
            self,
            epoch=epoch,
            previous_epoch=value.previous_member_epoch,
            state=_state(value.state),
            assigned=HeldTasks(
                _active(value.active_tasks, epoch), _tasks(value.standby_tasks), _tasks(value.warmup_tasks)
            ),
            revoking=HeldTasks(
                _active(value.active_tasks_pending_revocation, epoch),
                _tasks(value.standby_tasks_pending_revocation),
                _tasks(value.warmup_tasks_pending_revocation),
            ),
        )

    def without_assignment(self) -> StreamsMember:
        """The member after a tombstone for its assignment: it is about to be removed."""
        return msgspec.structs.replace(self, epoch=-1, previous_epoch=-1, assigned=NOTHING, revoking=NOTHING)


def _state(number: int) -> StreamsMemberState:
    return (
        StreamsMemberState(number)
        if number in StreamsMemberState._value2member_map_
        else StreamsMemberState.UNKNOWN
    )


def _tasks(lists: Iterable[_TaskIds]) -> Tasks:
    return tasks_of((each.subtopology_id, each.partitions) for each in lists)


def _active(lists: Sequence[_TaskIds], default_epoch: int) -> ActiveTasks:
    """Older releases wrote no epochs; then those tasks count as if they were given in the member's epoch."""
    found: dict[str, dict[int, int]] = {}
    for each in lists:
        epochs = each.assignment_epochs
        if epochs is None or len(epochs) != len(each.partitions):
            epochs = [default_epoch] * len(each.partitions)
        if each.partitions:
            found.setdefault(each.subtopology_id, {}).update(zip(each.partitions, epochs, strict=True))
    return found
