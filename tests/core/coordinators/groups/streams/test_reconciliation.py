"""One step of a member: roles that change without a task being given up, and tasks of a process that wait."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto_server.core.coordinators.groups.streams import records as write
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup
from kafkaproto_server.core.coordinators.groups.streams.member import (
    HeldTasks,
    StreamsMember,
    StreamsMemberState,
)
from kafkaproto_server.core.coordinators.groups.streams.reconciliation import next_step
from kafkaproto_server.requests.streams_group_requests import TaskSets, tasks_of

ROLES = ("active", "standby", "warmup")


def held(
    active: tuple[int, ...] = (), standby: tuple[int, ...] = (), warmup: tuple[int, ...] = ()
) -> HeldTasks:
    """Tasks of the subtopology s, given in epoch 1."""
    return HeldTasks(
        {"s": dict.fromkeys(active, 1)} if active else {},
        tasks_of([("s", standby)]),
        tasks_of([("s", warmup)]),
    )


def sets(
    active: tuple[int, ...] = (), standby: tuple[int, ...] = (), warmup: tuple[int, ...] = ()
) -> TaskSets:
    return TaskSets(*(tasks_of([("s", each)]) for each in (active, standby, warmup)))


def group_of(*members: StreamsMember) -> StreamsGroup:
    group = StreamsGroup("g")
    for each in members:
        for record in (write.member_record("g", each), write.current_record("g", each)):
            group.replay(record.key, record.value)
    return group


def member(member_id: str = "m", process_id: str = "p", **fields: Any) -> StreamsMember:
    return StreamsMember(member_id=member_id, process_id=process_id, **{"epoch": 1, **fields})


def step(
    mine: StreamsMember,
    target: TaskSets,
    *others: StreamsMember,
    reported: TaskSets | None = None,
    epoch: int = 2,
) -> StreamsMember:
    return next_step(mine, group_of(mine, *others), target_epoch=epoch, target=target, reported=reported)


def test_nothing_is_done_without_a_new_target() -> None:
    mine = member(assigned=held(active=(0,)))
    assert step(mine, sets(active=(1,)), epoch=1) is mine


@pytest.mark.parametrize("role", ROLES)
def test_what_the_target_takes_away_is_revoked_first(role: str) -> None:
    mine = member(assigned=held(**{role: (0, 1)}))
    after = step(mine, sets(**{role: (0,)}))
    assert (after.epoch, after.state) == (1, StreamsMemberState.UNREVOKED_TASKS)
    assert after.assigned == held(**{role: (0,)})
    assert after.revoking == held(**{role: (1,)})
    # It says nothing, or still has it.
    assert step(after, sets(**{role: (0,)})) is after
    assert step(after, sets(**{role: (0,)}), reported=sets(**{role: (1,)})) is after
    done = step(after, sets(**{role: (0,)}), reported=sets(**{role: (0,)}))
    assert (done.epoch, done.state) == (2, StreamsMemberState.STABLE)
    assert done.revoking.is_empty


def test_a_member_that_has_more_to_revoke_is_one_epoch_further() -> None:
    mine = member(assigned=held(active=(0, 1)))
    once = step(mine, sets(active=(0,)))
    again = step(once, sets(), reported=sets(active=(0,)), epoch=5)
    assert (again.epoch, again.state, again.revoking) == (
        2,
        StreamsMemberState.UNREVOKED_TASKS,
        held(active=(0,)),
    )


def test_a_member_that_has_given_up_a_task_already_need_not_be_asked() -> None:
    mine = member(assigned=held(active=(0, 1)))
    after = step(mine, sets(active=(0,)), reported=sets(active=(0,)))
    assert (after.epoch, after.state) == (2, StreamsMemberState.STABLE)


def test_an_active_task_waits_until_no_member_has_it() -> None:
    other = member("o", "q", assigned=held(active=(0,)))
    after = step(member(), sets(active=(0, 1)), other)
    assert (after.epoch, after.state) == (2, StreamsMemberState.UNRELEASED_TASKS)
    assert after.assigned.active == {"s": {1: 2}}
    gone = member("o", "q", revoking=held(active=(0,)), state=StreamsMemberState.UNREVOKED_TASKS)
    assert step(after, sets(active=(0, 1)), gone).assigned.active == {"s": {1: 2}}
    done = step(after, sets(active=(0, 1)))
    assert (done.assigned.active, done.state) == ({"s": {0: 2, 1: 2}}, StreamsMemberState.STABLE)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("of_other", ROLES)
def test_no_process_has_a_task_twice(role: str, of_other: str) -> None:
    other = member("o", assigned=held(**{of_other: (0,)}))
    after = step(member(), sets(**{role: (0,)}), other)
    assert (after.state, after.assigned) == (StreamsMemberState.UNRELEASED_TASKS, held())


@pytest.mark.parametrize("role", ["standby", "warmup"])
@pytest.mark.parametrize("of_other", ROLES)
def test_replicas_are_free_for_other_processes(role: str, of_other: str) -> None:
    other = member("o", "q", assigned=held(**{of_other: (0,)}))
    after = step(member(), sets(**{role: (0,)}), other)
    assert (after.state, after.assigned) == (StreamsMemberState.STABLE, held(**{role: (0,)}))


def test_an_active_task_becomes_a_standby_one_at_once() -> None:
    mine = member(assigned=held(active=(0,)))
    after = step(mine, sets(standby=(0,)))
    assert after.state is StreamsMemberState.UNREVOKED_TASKS
    assert (after.assigned, after.revoking) == (held(standby=(0,)), held(active=(0,)))
    done = step(after, sets(standby=(0,)), reported=sets(standby=(0,)))
    assert (done.state, done.assigned) == (StreamsMemberState.STABLE, held(standby=(0,)))


@pytest.mark.parametrize(("before", "after"), [("standby", "warmup"), ("warmup", "standby")])
def test_replicas_change_their_role_without_being_revoked(before: str, after: str) -> None:
    done = step(member(assigned=held(**{before: (0,)})), sets(**{after: (0,)}))
    assert (done.epoch, done.state, done.assigned) == (2, StreamsMemberState.STABLE, held(**{after: (0,)}))


@pytest.mark.parametrize("role", ["standby", "warmup"])
def test_a_replica_that_becomes_active_stays_one_until_then(role: str) -> None:
    other = member("o", "q", assigned=held(active=(0,)))
    mine = member(assigned=held(**{role: (0,)}))
    after = step(mine, sets(active=(0,)), other)
    assert (after.state, after.assigned) == (StreamsMemberState.UNRELEASED_TASKS, held(**{role: (0,)}))
    done = step(after, sets(active=(0,)))
    assert done.state is StreamsMemberState.STABLE
    assert done.assigned == HeldTasks({"s": {0: 2}}, {}, {})


@pytest.mark.parametrize("role", ["standby", "warmup"])
def test_a_replica_is_not_promoted_before_everything_is_revoked(role: str) -> None:
    mine = member(assigned=held(active=(1,), **{role: (0,)}))
    after = step(mine, sets(active=(0,)))
    assert after.state is StreamsMemberState.UNREVOKED_TASKS
    assert (after.assigned, after.revoking) == (held(**{role: (0,)}), held(active=(1,)))


def test_a_task_stays_with_whoever_a_later_record_gave_it_to() -> None:
    """Compaction may have taken the record in which the first one gave it up."""
    first, second = member("o", "q", assigned=held(active=(0,))), member("n", "r", assigned=held(active=(0,)))
    group = group_of(first, second)
    for record in write.removal_records("g", "o"):
        group.replay(record.key, record.value)
    assert group.active_owners == {("s", 0): "r"}


def test_a_member_whose_process_is_not_known_holds_nothing_back() -> None:
    unknown = member("o", assigned=held(active=(0,)))
    group = StreamsGroup("g")
    record = write.current_record("g", unknown)
    group.replay(record.key, record.value)
    assert group.active_owners == {}
    assert group.members["o"].process_id is None


def test_tasks_are_in_the_order_of_their_subtopologies() -> None:
    ids = [f"s{number}" for number in range(10)]
    many = tasks_of((each, (0, 1)) for each in reversed(ids))
    for role in range(3):
        given = TaskSets(*(many if each == role else {} for each in range(3)))
        after = step(member(), given)
        tasks = (after.assigned.active, after.assigned.standby, after.assigned.warmup)[role]
        assert list(tasks) == ids
        lost = step(after, sets(), epoch=3).revoking
        assert list((lost.active, lost.standby, lost.warmup)[role]) == ids
