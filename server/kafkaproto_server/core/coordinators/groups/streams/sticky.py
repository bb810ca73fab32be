"""The assignor "sticky": which member gets which task, as Apache Kafka 4.4.0 computes it (`StickyTaskAssignor`).

Each task is active at exactly one member. A task stays where it is active, else it goes where its state is, as long as
that member has fewer tasks than its share; what is left goes to the process with the least tasks for each member. Tasks
with a state also get standby replicas, at other processes; tags of clients have no influence in this release.

A share is what is left, divided by the members that have less than their share, and rounded up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kafkaproto_server.core.coordinators.groups.streams.java_order import PriorityQueue, hash_map_order
from kafkaproto_server.requests.streams_group_requests import TaskSets, tasks_of

Task: TypeAlias = tuple[str, int]
"""Subtopology and partition."""


class StreamsMemberSpec(NamedTuple):
    """A member, as far as the assignor looks at it."""

    member_id: str
    process_id: str
    active: frozenset[Task]
    """What it has now."""
    standby: frozenset[Task]
    offsets: Mapping[Task, int]
    """How far the states on its disk are, for tasks of which it said so."""


class SubtopologySpec(NamedTuple):
    subtopology_id: str
    task_count: int
    is_stateful: bool


class _Process:
    """The tasks of a process: of all its members."""

    def __init__(self) -> None:
        self.tasks: set[Task] = set()
        self.counts: dict[str, int] = {}
        """By member id."""
        self._total = 0
        self._by_load: PriorityQueue[tuple[int, str]] | None = None

    @property
    def load(self) -> float:
        return self._total / len(self.counts)

    def add(self, member_id: str, task: Task) -> int:
        """Give a member a task. Returns how many it has now."""
        self._by_load = None
        return self._add(member_id, task)

    def _add(self, member_id: str, task: Task) -> int:
        self._total += 1
        self.tasks.add(task)
        self.counts[member_id] += 1
        return self.counts[member_id]

    def add_to_least_loaded(self, task: Task) -> tuple[str, int]:
        """Give the member with the least tasks one more. Returns its id, and how many it has now."""
        if self._by_load is None:
            members = ((self.counts[each], each) for each in hash_map_order(self.counts))
            self._by_load = PriorityQueue(_first, members)
        _, member_id = self._by_load.poll()
        count = self._add(member_id, task)
        self._by_load.add((count, member_id))
        return member_id, count


def _first(pair: tuple[int, str]) -> int:
    return pair[0]


class _Share:
    """How many tasks a member may have."""

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks = tasks
        self._members = members
        self.size = self._divide()

    def _divide(self) -> int:
        return -(-self._tasks // self._members) if self._members else 0

    def took(self, count: int) -> None:
        """A member has so many tasks now. If that is its share, the others share what is left."""
        if count == self.size:
            self._members -= 1
            self._tasks -= count
            self.size = self._divide()


class _Assignment:
    """One assignment in the making."""

    def __init__(
        self,
        members: Sequence[StreamsMemberSpec],
        subtopologies: Sequence[SubtopologySpec],
        standby_replicas: int,
    ) -> None:
        known = {each.member_id: each for each in members}
        self._members = [known[each] for each in hash_map_order(known)]
        self._active_tasks = [
            (each.subtopology_id, index) for each in subtopologies for index in range(each.task_count)
        ]
        stateful = frozenset(each.subtopology_id for each in subtopologies if each.is_stateful)
        self._stateful_tasks = [each for each in self._active_tasks if each[0] in stateful]
        self._replicas = standby_replicas
        all_tasks = len(self._active_tasks) + standby_replicas * len(self._stateful_tasks)
        self._active_share = _Share(len(self._active_tasks), len(members))
        self._share = _Share(all_tasks, len(members))
        self._processes: dict[str, _Process] = {}
        self._process_of: dict[str, _Process] = {}
        self._were_active: dict[Task, str] = {}
        """The member at which a task is active now."""
        self._have_state: dict[Task, list[str]] = {}
        """The members that have the state of a task: those with a standby task first, then the most advanced ones."""
        self.active: dict[str, list[Task]] = {each: [] for each in known}
        self.standby: dict[str, list[Task]] = {each: [] for each in known}
        self._look_at_members()

    def _look_at_members(self) -> None:
        candidates: dict[Task, list[tuple[int, int, str]]] = {}
        for member in self._members:
            process = self._processes.setdefault(member.process_id, _Process())
            process.counts[member.member_id] = 0
            self._process_of[member.member_id] = process
            self._were_active.update(dict.fromkeys(member.active, member.member_id))
            for task in member.standby:
                offset = member.offsets.get(task, 0)
                candidates.setdefault(task, []).append((0, -offset, member.member_id))
            for task, offset in member.offsets.items():
                if task not in member.standby:
                    candidates.setdefault(task, []).append((1, -offset, member.member_id))
        for task, found in candidates.items():
            # Of equal ones, the one that came first.
            self._have_state[task] = [
                member_id for _, _, member_id in sorted(found, key=lambda each: each[:2])
            ]

    def _by_load(self) -> PriorityQueue[_Process]:
        order = hash_map_order(
            (each.process_id for each in self._members), len(self._members), by_computing=True
        )
        return PriorityQueue(lambda each: each.load, [self._processes[each] for each in order])

    def _took(self, count: int) -> None:
        self._share.took(count)

    def assign_active(self) -> None:
        """Give every task to a member."""
        rest = sorted(self._active_tasks, key=_partition_first)
        rest = [each for each in rest if not self._keep_active(each, self._were_active.get(each))]
        rest = [each for each in rest if not self._keep_active(each, self._least_loaded(each))]
        queue = self._by_load()
        for task in sorted(rest):
            process = queue.poll()
            member_id, count = process.add_to_least_loaded(task)
            self.active[member_id].append(task)
            self._active_share.took(count)
            self._took(count)
            queue.add(process)

    def _keep_active(self, task: Task, member_id: str | None) -> bool:
        """Whether a member gets a task because it has it, or its state."""
        if member_id is None:
            return False
        process = self._process_of[member_id]
        if process.counts[member_id] >= self._active_share.size:
            return False
        count = process.add(member_id, task)
        self.active[member_id].append(task)
        self._active_share.took(count)
        self._took(count)
        return True

    def _least_loaded(self, task: Task, *, is_standby: bool = False) -> str | None:
        """Of the members with the state of a task, the first one; a later one if its process and itself have less."""
        found: str | None = None
        least = (0.0, 0)
        for member_id in self._have_state.get(task, ()):
            process = self._process_of[member_id]
            if is_standby and task in process.tasks:
                continue
            load, count = process.load, process.counts[member_id]
            if found is None or (load < least[0] and count < least[1]):
                found, least = member_id, (load, count)
        return found

    def assign_standby(self) -> None:
        """Give tasks with a state standby replicas, as far as there are other processes."""
        rest = []
        for task in sorted(self._stateful_tasks, key=_partition_first, reverse=True):
            missing = self._replicas
            while missing and self._keep_standby(task):
                missing -= 1
            if missing:
                rest.append((task, missing))
        queue = self._by_load()
        for task, missing in sorted(rest, reverse=True):
            for _ in range(missing):
                if not self._add_standby(queue, task):
                    break

    def _keep_standby(self, task: Task) -> bool:
        """Whether a member gets a standby replica because it had the task, or has its state."""
        before = self._were_active.get(task)
        if before is not None and self._may_be_standby(task, before):
            self._give_standby(task, before)
            return True
        candidate = self._least_loaded(task, is_standby=True)
        if candidate is not None and self._may_be_standby(task, candidate):
            self._give_standby(task, candidate)
            return True
        return False

    def _may_be_standby(self, task: Task, member_id: str) -> bool:
        process = self._process_of[member_id]
        return task not in process.tasks and process.counts[member_id] < self._share.size

    def _give_standby(self, task: Task, member_id: str) -> None:
        self._took(self._process_of[member_id].add(member_id, task))
        self.standby[member_id].append(task)

    def _add_standby(self, queue: PriorityQueue[_Process], task: Task) -> bool:
        """Whether a process could take a standby replica: the least loaded one that does not have the task."""
        passed = []
        is_given = False
        while queue and not is_given:
            process = queue.poll()
            passed.append(process)
            if task not in process.tasks:
                member_id, count = process.add_to_least_loaded(task)
                self.standby[member_id].append(task)
                self._took(count)
                is_given = True
        for process in reversed(passed):
            queue.add(process)
        return is_given


def _partition_first(task: Task) -> tuple[int, str]:
    return task[1], task[0]


def assign_sticky(
    members: Sequence[StreamsMemberSpec], subtopologies: Sequence[SubtopologySpec], standby_replicas: int
) -> dict[str, TaskSets]:
    """The tasks of each member. Where nothing else decides, the order of members does, as far as their hash codes do
    not."""
    assignment = _Assignment(members, subtopologies, standby_replicas)
    if members:
        assignment.assign_active()
        if standby_replicas:
            assignment.assign_standby()
    return {
        each.member_id: TaskSets(
            grouped(assignment.active[each.member_id]), grouped(assignment.standby[each.member_id])
        )
        for each in members
    }


def grouped(tasks: Iterable[Task]) -> Mapping[str, frozenset[int]]:
    found: dict[str, list[int]] = {}
    for subtopology_id, index in tasks:
        found.setdefault(subtopology_id, []).append(index)
    return tasks_of(found.items())
