"""The assignor: every task once, replicas elsewhere, shares that are even, tasks that stay where they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.coordinators.groups.streams.group import each_task
from kafkaproto_server.core.coordinators.groups.streams.sticky import (
    StreamsMemberSpec,
    SubtopologySpec,
    Task,
    assign_sticky,
)
from kafkaproto_server.requests.streams_group_requests import TaskSets


def member(member_id: str, process_id: str, **fields: Any) -> StreamsMemberSpec:
    given_fields = {"active": frozenset(), "standby": frozenset(), "offsets": {}, **fields}
    return StreamsMemberSpec(member_id, process_id, **given_fields)


def tasks(subtopology_id: str, *indexes: int) -> frozenset[Task]:
    return frozenset((subtopology_id, each) for each in indexes)


def active(found: dict[str, TaskSets], member_id: str) -> frozenset[Task]:
    return frozenset(each_task(found[member_id].active))


def standby(found: dict[str, TaskSets], member_id: str) -> frozenset[Task]:
    return frozenset(each_task(found[member_id].standby))


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[StreamsMemberSpec], list[SubtopologySpec], int]:
    """Members that may have tasks, and states of them, in any way."""
    subtopologies = [
        SubtopologySpec(str(number), draw(st.integers(1, 6)), draw(st.booleans()))
        for number in range(draw(st.integers(1, 3)))
    ]
    all_tasks = [(each.subtopology_id, index) for each in subtopologies for index in range(each.task_count)]
    left = set(all_tasks)
    members = []
    for number in range(draw(st.integers(1, 7))):
        had = frozenset(
            each for each in draw(st.lists(st.sampled_from(all_tasks), max_size=6)) if each in left
        )
        left -= had
        replicas = frozenset(draw(st.lists(st.sampled_from(all_tasks), max_size=3))) - had
        offsets = draw(st.dictionaries(st.sampled_from(all_tasks), st.integers(0, 3), max_size=3))
        process = f"p{draw(st.integers(0, 3))}"
        members.append(StreamsMemberSpec(f"m{number}", process, had, replicas, offsets))
    return members, subtopologies, draw(st.integers(0, 2))


def test_members_that_have_their_share_leave_the_rest_to_the_others() -> None:
    found = assign_sticky(
        [
            member("m0", "p0", active=tasks("0", 0, 1)),
            member("m1", "p1", standby=tasks("0", 0), offsets={("0", 0): 3, ("0", 1): 1}),
            member("m2", "p2"),
        ],
        [SubtopologySpec("0", 2, True)],
        1,
    )
    assert {each: (active(found, each), standby(found, each)) for each in found} == {
        "m0": (tasks("0", 0), tasks("0", 1)),
        "m1": (tasks("0", 1), frozenset()),
        "m2": (frozenset(), tasks("0", 0)),
    }


@given(situations())
def test_what_holds_of_every_assignment(
    situation: tuple[list[StreamsMemberSpec], list[SubtopologySpec], int],
) -> None:
    members, subtopologies, replicas = situation
    found = assign_sticky(members, subtopologies, replicas)
    assert found == assign_sticky(list(members), subtopologies, replicas)
    all_tasks = {(each.subtopology_id, index) for each in subtopologies for index in range(each.task_count)}
    stateful = {each.subtopology_id for each in subtopologies if each.is_stateful}
    processes = {each.process_id for each in members}
    # Each task is active exactly once.
    counts = Counter(each for one in members for each in active(found, one.member_id))
    assert counts == Counter(dict.fromkeys(all_tasks, 1))
    # No process has a task twice; there are as many replicas as processes allow, and only of tasks with a state.
    at_process = Counter(
        (one.process_id, each)
        for one in members
        for each in active(found, one.member_id) | standby(found, one.member_id)
    )
    assert set(at_process.values()) <= {1}
    standbys = Counter(each for one in members for each in standby(found, one.member_id))
    wanted = min(replicas, len(processes) - 1)
    assert standbys == Counter({each: wanted for each in all_tasks if each[0] in stateful and wanted})
    assert not any(one.warmup for one in found.values())


@given(situations())
def test_an_assignment_that_was_taken_stays(
    situation: tuple[list[StreamsMemberSpec], list[SubtopologySpec], int],
) -> None:
    members, subtopologies, _ = situation
    first = assign_sticky(members, subtopologies, 0)
    again = [
        StreamsMemberSpec(one.member_id, one.process_id, active(first, one.member_id), frozenset(), {})
        for one in members
    ]
    second = assign_sticky(again, subtopologies, 0)
    share = -(-sum(each.task_count for each in subtopologies) // len(members))
    if all(len(active(first, one.member_id)) <= share for one in members):
        moved = sum(len(active(first, one.member_id) - active(second, one.member_id)) for one in members)
        # A member with its whole share makes that of the others smaller, by one at most.
        assert moved <= len(members)


@given(st.integers(1, 8), st.integers(1, 40))
def test_tasks_of_single_processes_are_spread_evenly(members: int, count: int) -> None:
    specs = [member(f"m{each}", f"p{each}") for each in range(members)]
    found = assign_sticky(specs, [SubtopologySpec("0", count, False)], 0)
    sizes = [len(active(found, each.member_id)) for each in specs]
    assert max(sizes) - min(sizes) <= 1


def test_tasks_stay_where_they_are_active() -> None:
    specs = [member("m1", "p1", active=tasks("0", 1, 3)), member("m2", "p2", active=tasks("0", 0, 2))]
    found = assign_sticky(specs, [SubtopologySpec("0", 4, False)], 0)
    assert active(found, "m1") == tasks("0", 1, 3)


def test_a_new_member_takes_what_is_more_than_the_share_of_another() -> None:
    specs = [member("m1", "p1", active=tasks("0", 0, 1, 2)), member("m2", "p2")]
    found = assign_sticky(specs, [SubtopologySpec("0", 3, False)], 0)
    assert active(found, "m1") == tasks("0", 0, 1)
    assert active(found, "m2") == tasks("0", 2)


def test_a_task_goes_where_its_state_is() -> None:
    stateful = [SubtopologySpec("0", 2, True)]
    specs = [member("m1", "p1"), member("m2", "p2", standby=tasks("0", 0)), member("m3", "p3")]
    assert active(assign_sticky(specs, stateful, 0), "m2") == tasks("0", 0)
    # The one that is further comes first; a standby task counts more than what lies on a disk.
    specs = [
        member("m1", "p1", offsets={("0", 0): 5}),
        member("m2", "p2", offsets={("0", 0): 7}),
        member("m3", "p3", standby=tasks("0", 0)),
    ]
    assert active(assign_sticky(specs, stateful, 0), "m3") == tasks("0", 0)
    assert active(assign_sticky(specs[:2], stateful, 0), "m2") >= tasks("0", 0)


def test_the_member_that_ran_a_task_keeps_a_replica_of_it() -> None:
    specs = [
        member("m1", "p1", active=tasks("0", 0, 1)),
        member("m2", "p2"),
        member("m3", "p3"),
    ]
    found = assign_sticky(specs, [SubtopologySpec("0", 2, True)], 1)
    (moved,) = tasks("0", 0, 1) - active(found, "m1")
    assert moved in standby(found, "m1")


def test_a_replica_goes_where_the_state_is_unless_the_task_runs_there() -> None:
    specs = [
        member("m1", "p1", active=tasks("0", 0), offsets={("0", 0): 9}),
        member("m2", "z", offsets={("0", 0): 5}),
        # It would be the first of the least loaded ones.
        member("m3", "a"),
    ]
    found = assign_sticky(specs, [SubtopologySpec("0", 1, True)], 1)
    assert standby(found, "m2") == tasks("0", 0)


@pytest.mark.parametrize(
    ("members", "task_count", "answer"),
    [
        (3, 2, {"m1": ([0], []), "m2": ([], [1]), "m3": ([1], [0])}),
        (3, 4, {"m1": ([0], [2, 3]), "m2": ([2], [1]), "m3": ([1, 3], [0])}),
        (4, 4, {"m1": ([2], [1]), "m2": ([3], [0]), "m3": ([1], [2]), "m4": ([0], [3])}),
    ],
)
def test_replicas_of_a_new_group_are_where_apache_kafka_has_them(
    members: int, task_count: int, answer: dict[str, tuple[list[int], list[int]]]
) -> None:
    """Kafka deals them out from the last task to the first. The answers are those of its assignor in 4.4.0."""
    specs = [member(f"m{each}", f"p{each}") for each in range(1, members + 1)]
    found = assign_sticky(specs, [SubtopologySpec("0", task_count, True)], 1)
    assert {each: (active(found, each), standby(found, each)) for each in found} == {
        each: (tasks("0", *active_ones), tasks("0", *replicas))
        for each, (active_ones, replicas) in answer.items()
    }


def test_members_of_a_process_share_its_tasks_and_have_no_replica_of_them() -> None:
    specs = [member("m1", "p"), member("m2", "p")]
    found = assign_sticky(specs, [SubtopologySpec("0", 4, True)], 1)
    assert [len(active(found, each)) for each in ("m1", "m2")] == [2, 2]
    assert not standby(found, "m1")
    assert not standby(found, "m2")


def test_nobody_gets_nothing() -> None:
    assert assign_sticky([], [SubtopologySpec("0", 4, True)], 1) == {}
