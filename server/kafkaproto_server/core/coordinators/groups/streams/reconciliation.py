"""A member's next step towards the target assignment: revoke, wait, take.

A member goes to the target's epoch only after it has revoked what the target takes away from it. It gets an active task
only when no member has it or still has to give it up. No process has a task twice, since the members of a process share
the folders of the states. A member that has a task may change its role without giving it up: an active task becomes a
standby one at once, standby and warm-up tasks become each other, and one that becomes active stays what it is until
then. Apache Kafka has this in `streams.CurrentAssignmentBuilder`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup, each_task
from kafkaproto_server.core.coordinators.groups.streams.member import (
    NOTHING,
    HeldTasks,
    StreamsMember,
    StreamsMemberState,
)
from kafkaproto_server.core.coordinators.groups.streams.sticky import Task, grouped
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.streams_group_requests import Tasks, TaskSets

_Epochs: TypeAlias = dict[Task, int]


def next_step(
    member: StreamsMember,
    group: StreamsGroup,
    *,
    target_epoch: int,
    target: TaskSets,
    reported: TaskSets | None,
) -> StreamsMember:
    """The member after this step; an equal one if it cannot or need not go further.

    ``group`` says which processes have which tasks, ``reported`` is what the member says it has (None if it does not
    say).

    Raises CoordinatorError (FENCED_MEMBER_EPOCH) if the member has to begin anew.
    """
    step = _StreamsStep(member, group, target_epoch, target, reported)
    if member.state is StreamsMemberState.STABLE:
        return member if member.epoch == target_epoch else step.towards_target(member.epoch)
    if member.state is StreamsMemberState.UNREVOKED_TASKS:
        if step.may_have(member.revoking):
            return member
        return step.towards_target(member.epoch + 1)
    if member.state is StreamsMemberState.UNRELEASED_TASKS:
        return step.towards_target(member.epoch)
    # After a downgrade of this broker.
    if reported is None or reported != TaskSets():
        raise CoordinatorError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            "The state of the member is unknown. It must abandon all its tasks and rejoin.",
        )
    return step.towards_target(target_epoch)


class _Replicas:
    """The standby tasks of a member, or its warm-up tasks, before and after a step."""

    def __init__(self, own: Tasks, target: Tasks) -> None:
        self.own = set(each_task(own))
        wanted = set(each_task(target))
        self.kept = self.own & wanted
        self.lost = self.own - wanted
        self.missing = wanted - self.own
        self.free: set[Task] = set()

    def take_now(self, tasks: Iterable[Task]) -> set[Task]:
        """Take those of these tasks that are to be taken, and are free, before anything is revoked."""
        taken = self.free.intersection(tasks)
        self.free -= taken
        self.kept |= taken
        return taken


class _StreamsStep:
    """What one step is decided by."""

    def __init__(
        self,
        member: StreamsMember,
        group: StreamsGroup,
        target_epoch: int,
        target: TaskSets,
        reported: TaskSets | None,
    ) -> None:
        self._member = member
        self._group = group
        self._target_epoch = target_epoch
        self._reported = reported
        self._own: _Epochs = _flat(member.assigned)
        self._wanted = frozenset(each_task(target.active))
        self._standby = _Replicas(member.assigned.standby, target.standby)
        self._warmup = _Replicas(member.assigned.warmup, target.warmup)

    def may_have(self, held: HeldTasks) -> bool:
        """Whether the member may still have one of these tasks: it reports one, or does not report."""
        if self._reported is None:
            return True
        tasks, reported = held.without_epochs(), self._reported
        return (
            _meet(tasks.active, reported.active)
            or _meet(tasks.standby, reported.standby)
            or _meet(tasks.warmup, reported.warmup)
        )

    def towards_target(self, epoch: int) -> StreamsMember:
        """``epoch`` is the member's as long as it has something to revoke."""
        own, wanted, standby, warmup = self._own, self._wanted, self._standby, self._warmup
        kept = {task: given for task, given in own.items() if task in wanted}
        lost = {task: given for task, given in own.items() if task not in wanted}
        missing = wanted - own.keys()
        free = {task for task in missing if self._is_free_to_run(task)}
        standby.free = {task for task in standby.missing if self._is_free_for_standby(task)}
        warmup.free = {task for task in warmup.missing if self._is_free_for_warmup(task)}
        has_unreleased = len(free) + len(standby.free) + len(warmup.free) < len(missing) + len(
            standby.missing
        ) + len(warmup.missing)
        standby.take_now(own)
        standby.lost -= warmup.take_now(standby.own)
        warmup.lost -= standby.take_now(warmup.own)
        for replicas in (standby, warmup):
            replicas.lost -= wanted
        revoking = HeldTasks(_nested(lost), grouped(sorted(standby.lost)), grouped(sorted(warmup.lost)))
        has_to_revoke = not revoking.is_empty and self.may_have(revoking)
        promoted = set() if has_to_revoke else free
        for replicas in (standby, warmup):
            replicas.kept |= (replicas.own & wanted) - promoted
        if has_to_revoke:
            assigned = HeldTasks(_nested(kept), grouped(sorted(standby.kept)), grouped(sorted(warmup.kept)))
            return self._member.at_epoch(epoch, StreamsMemberState.UNREVOKED_TASKS, assigned, revoking)
        kept.update(dict.fromkeys(free, self._target_epoch))
        assigned = HeldTasks(
            _nested(kept),
            grouped(sorted(standby.kept | standby.free)),
            grouped(sorted(warmup.kept | warmup.free)),
        )
        state = StreamsMemberState.UNRELEASED_TASKS if has_unreleased else StreamsMemberState.STABLE
        return self._member.at_epoch(self._target_epoch, state, assigned, NOTHING)

    def _is_free_to_run(self, task: Task) -> bool:
        return (
            task not in self._group.active_owners
            and not self._another_has_standby(task)
            and not self._another_has_warmup(task)
        )

    def _is_free_for_standby(self, task: Task) -> bool:
        is_run_here = self._is_run_here(task) and task not in self._own
        return not is_run_here and not self._has_standby_here(task) and not self._another_has_warmup(task)

    def _is_free_for_warmup(self, task: Task) -> bool:
        return (
            not self._is_run_here(task)
            and not self._another_has_standby(task)
            and not self._has_warmup_here(task)
        )

    def _is_run_here(self, task: Task) -> bool:
        return self._group.active_owners.get(task) == self._member.process_id

    def _has_standby_here(self, task: Task) -> bool:
        return (task, self._member.process_id) in self._group.standby_owners

    def _has_warmup_here(self, task: Task) -> bool:
        return (task, self._member.process_id) in self._group.warmup_owners

    def _another_has_standby(self, task: Task) -> bool:
        """Whether another member of the process has it as a standby task."""
        return task not in self._standby.own and self._has_standby_here(task)

    def _another_has_warmup(self, task: Task) -> bool:
        return task not in self._warmup.own and self._has_warmup_here(task)


def _meet(some: Tasks, others: Tasks) -> bool:
    return any(not partitions.isdisjoint(others.get(each, ())) for each, partitions in some.items())


def _flat(held: HeldTasks) -> _Epochs:
    return {
        (subtopology_id, index): epoch
        for subtopology_id, epochs in held.active.items()
        for index, epoch in epochs.items()
    }


def _nested(epochs: _Epochs) -> dict[str, dict[int, int]]:
    """In the order of the tasks: that of a set is another one in each process, and would be seen in responses."""
    found: dict[str, dict[int, int]] = {}
    for (subtopology_id, index), epoch in sorted(epochs.items()):
        found.setdefault(subtopology_id, {})[index] = epoch
    return found
