"""Changing the whole set of voters in single steps: which step comes when, and what ends a run."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.tools.quorum.access import ChangeResult, QuorumUnavailable, ResponseLost
from kafkaproto_server.tools.quorum.voter_alteration import (
    ABSENT_LIMIT_S,
    LIVE_WITHIN_MS,
    UNREACHABLE_LIMIT_S,
    Add,
    Alteration,
    AlterationError,
    AlterationWait,
    Remove,
    next_step,
    view_of,
)
from tests.tools.support.quorum_model import Progress, QuorumModel, key

SILENT = Progress(lag=50, fetched_ms_ago=LIVE_WITHIN_MS + 1, caught_up_ms_ago=LIVE_WITHIN_MS + 1)
NEVER_SEEN = Progress(lag=1_001, fetched_ms_ago=None, caught_up_ms_ago=None)
TIMED_OUT = ChangeResult(error=ErrorCode.REQUEST_TIMED_OUT, message="another change is not committed yet")


def model(
    voters: Iterable[int] = (1, 2, 3),
    observers: Iterable[int] = (4, 5, 6),
    leader_id: int = 2,
    **progress: Progress,
) -> QuorumModel:
    """A quorum; ``n4=Progress(...)`` says how far node 4 is."""
    return QuorumModel(
        voters=[key(each) for each in voters],
        observers=[key(each) for each in observers],
        leader_id=leader_id,
        progress={int(name[1:]): each for name, each in progress.items()},
    )


class Time:
    """A clock that goes by sleeping only."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        assert self.now_s < 10_000, "the run does not come to its end"


def run(quorum: QuorumModel, *target: int) -> list[str]:
    """Run to the target; the lines shown."""
    lines: list[str] = []
    time = Time()
    Alteration(quorum, frozenset(target), lines.append, sleep=time.sleep, monotonic=lambda: time.now_s).run()
    return lines


def step(quorum: QuorumModel, *target: int) -> str | None:
    """The next step as +ID or -ID, or the reason to wait."""
    found = next_step(view_of(quorum.describe()), frozenset(target))
    match found:
        case Add(replica=replica):
            return f"+{replica.key.id}"
        case Remove(replica=replica):
            return f"-{replica.key.id}"
        case AlterationWait(reason=reason):
            return reason
    return None


def test_new_voters_come_first_and_the_leader_goes_last() -> None:
    quorum = model()
    lines = run(quorum, 4, 5, 6)
    assert quorum.changes == ["+4", "+5", "+6", "-3", "-1", "-2"]
    assert quorum.voter_ids == [4, 5, 6]
    assert lines[0] == "added 4 (directory AAAAAAAAAAAAAAAAAAAABA) in 0 ms; voters 1,2,3,4"
    assert lines[-2] == "removed 2 (directory AAAAAAAAAAAAAAAAAAAAAg) in 0 ms; voters 4,5,6"
    assert lines[-1] == "the voters are 4,5,6; 4 leads"


def test_a_target_that_is_reached_needs_nothing() -> None:
    quorum = model()
    assert run(quorum, 3, 2, 1) == ["the voters are 1,2,3; 2 leads"]
    assert quorum.changes == []


def test_the_readiest_new_voter_is_added_first() -> None:
    quorum = model(n4=Progress(lag=20), n5=Progress(lag=3), n6=Progress(lag=3, caught_up_ms_ago=500))
    assert step(quorum, 4, 5, 6) == "+5"


def test_a_new_voter_that_is_behind_is_waited_for_and_nobody_is_removed_meanwhile() -> None:
    behind = Progress(lag=700, caught_up_ms_ago=LIVE_WITHIN_MS + 1)
    quorum = model(n4=behind)
    assert step(quorum, 4) == "waiting for a new replica to catch up: 4 is 700 records behind"
    assert step(quorum, 4, 5) == "+5"

    def catch_up() -> None:
        quorum.progress[4] = Progress()

    quorum.before_describing = [lambda: None] * 5 + [catch_up]
    lines = run(quorum, 4)
    # Told once, not with every look.
    assert lines[0] == "waiting for a new replica to catch up: 4 is 700 records behind"
    assert lines[1].startswith("added 4 ")
    assert quorum.changes == ["+4", "-3", "-1", "-2"]


def test_a_voter_that_is_silent_or_behind_goes_before_others() -> None:
    assert step(model((1, 2, 3, 4), (), n1=SILENT), 2, 4) == "-1"
    assert step(model((1, 2, 3, 4), (), n1=NEVER_SEEN, n3=SILENT), 2, 4) == "-1"
    assert step(model((1, 2, 3, 4), (), n1=Progress(lag=9)), 2, 4) == "-1"
    assert step(model((1, 2, 3, 4, 5), (), n1=NEVER_SEEN, n3=SILENT), 2, 4, 5) == "-1"


def test_no_step_is_taken_that_would_cost_the_majority() -> None:
    # Of 1,2,3,4 three are needed, and only 2 and 4 are there.
    quorum = model(n1=SILENT, n3=SILENT)
    assert step(quorum, 1, 2, 3, 4) == (
        "waiting for voters 1,3 to fetch: without them the next step would cost the majority"
    )
    # Without 3, two of 1 and 2 are needed.
    quorum = model((1, 2, 3), (), n1=SILENT)
    assert (
        step(quorum, 1, 2)
        == "waiting for voters 1 to fetch: without them the next step would cost the majority"
    )
    # Without 1, the two others are enough.
    assert step(quorum, 2, 3) == "-1"
    # The leader counts itself, wherever its own entry stands.
    assert step(model((1, 2), (), n2=NEVER_SEEN), 2) == "-1"


def test_the_newest_directory_of_a_node_is_the_one_that_is_added() -> None:
    quorum = model()
    quorum.observers.append(key(4, directory=44))
    quorum.progress[4] = Progress()
    states = {each.key: each for each in view_of(quorum.describe()).observers}
    assert {key(4), key(4, directory=44)} <= set(states)
    view = view_of(quorum.describe())
    older = next(each for each in view.observers if each.key == key(4))
    stale = type(older)(key=older.key, lag=0, fetched_ms_ago=9_000, caught_up_ms_ago=10)
    others = tuple(each for each in view.observers if each.key != key(4))
    found = next_step(
        type(view)(leader_id=2, voters=view.voters, observers=(stale, *others)), frozenset({1, 2, 3, 4})
    )
    assert isinstance(found, Add)
    assert found.replica.key == key(4, directory=44)


def test_a_target_that_does_not_run_is_named_after_a_while() -> None:
    quorum = model(observers=(4,))
    with pytest.raises(AlterationError, match="5,6 must run as observers of this quorum"):
        run(quorum, 4, 5, 6)
    assert quorum.changes == []


def test_a_target_that_was_not_heard_of_for_a_moment_is_waited_for() -> None:
    quorum = model(observers=(4,))

    def start() -> None:
        quorum.observers.append(key(5))

    quorum.before_describing = [lambda: None] * int(ABSENT_LIMIT_S) + [start]
    run(quorum, 1, 2, 3, 4, 5)
    assert quorum.voter_ids == [1, 2, 3, 4, 5]


def test_a_broker_cannot_become_a_voter() -> None:
    quorum = model(observers=(101,))
    quorum.brokers = frozenset({101})
    with pytest.raises(AlterationError, match="node 101 is no controller"):
        run(quorum, 1, 2, 101)
    assert quorum.changes == []


def test_static_voters_cannot_be_altered() -> None:
    quorum = model(observers=())
    quorum.voters = [key(each, directory=0) for each in (1, 2, 3)]
    with pytest.raises(AlterationError, match=r"upgrade --feature kraft.version=1"):
        run(quorum, 1, 2)


@pytest.mark.parametrize(
    "outcome",
    [
        TIMED_OUT,
        ChangeResult(error=ErrorCode.VOTER_NOT_FOUND, message="x"),
        ResponseLost("lost"),
        QuorumUnavailable("no leader"),
        ConnectionError("gone"),
    ],
    ids=repr,
)
def test_a_change_of_unknown_outcome_is_looked_at_and_made_again_if_it_was_not(
    outcome: ChangeResult | Exception,
) -> None:
    quorum = model()
    quorum.outcomes = [outcome, outcome]
    lines = run(quorum, 4, 5, 6)
    assert quorum.voter_ids == [4, 5, 6]
    # An exception came after the change was made, a refusal in its place.
    repeated = 0 if isinstance(outcome, Exception) else 2
    assert len(quorum.changes) == 6 + repeated
    assert sum("looking again" in line for line in lines) == (2 if isinstance(outcome, Exception) else 1)


def test_a_change_that_was_made_and_taken_back_is_no_change_by_somebody_else() -> None:
    """The new leader did not have the record."""
    quorum = model()

    def take_back() -> None:
        quorum.voters.remove(key(4))
        quorum.observers.append(key(4))
        quorum.leader_id = 1

    quorum.outcomes = [ResponseLost("lost")]
    quorum.before_describing = [lambda: None, take_back]
    run(quorum, 4, 5, 6)
    assert quorum.changes == ["+4", "+4", "+5", "+6", "-3", "-2", "-1"]


def test_a_refused_change_ends_the_run() -> None:
    quorum = model()
    quorum.outcomes = [ChangeResult(error=ErrorCode.INVALID_REQUEST, message="no such listener")]
    with pytest.raises(AlterationError, match=r"adding 4 .*INVALID_REQUEST: no such listener"):
        run(quorum, 4, 5, 6)


def test_a_change_by_somebody_else_ends_the_run() -> None:
    quorum = model()

    def remove_three() -> None:
        quorum.remove_voter(key(3), "MkU3OEVBNTcwNTJENDM2Qg")

    quorum.before_describing = [lambda: None, remove_three]
    with pytest.raises(AlterationError, match="somebody else changes them") as caught:
        run(quorum, 4, 5, 6)
    assert "1 (directory AAAAAAAAAAAAAAAAAAAAAQ), 2 (" in str(caught.value)
    assert quorum.changes == ["+4", "-3"]
    # The same command goes on from there.
    run(quorum, 4, 5, 6)
    assert quorum.voter_ids == [4, 5, 6]


def test_two_runs_at_once_do_not_both_go_on() -> None:
    quorum = model(observers=(4, 5, 6, 7, 8, 9))
    time = Time()

    def other_run() -> None:
        other = Alteration(
            quorum, frozenset({7, 8, 9}), lambda line: None, sleep=time.sleep, monotonic=lambda: time.now_s
        )
        other.run()

    quorum.before_describing = [lambda: None, lambda: None, other_run]
    with pytest.raises(AlterationError, match="somebody else"):
        run(quorum, 4, 5, 6)
    assert quorum.voter_ids == [7, 8, 9]


def test_a_run_that_was_broken_off_goes_on_with_the_same_target() -> None:
    for stop_after in range(6):
        quorum = model()

        def give_up() -> None:
            raise KeyboardInterrupt

        quorum.before_describing = [lambda: None] * (1 + stop_after) + [give_up]
        with pytest.raises(KeyboardInterrupt):
            run(quorum, 4, 5, 6)
        begun = len(quorum.changes)
        run(quorum, 4, 5, 6)
        assert quorum.voter_ids == [4, 5, 6]
        assert len(quorum.changes) == 6 >= begun


def test_another_target_midway_leads_there_from_where_things_stand() -> None:
    quorum = model((1, 2, 3, 4), (5, 6, 7))
    run(quorum, 2, 3, 7)
    assert quorum.changes == ["+7", "-4", "-1"]
    assert quorum.voter_ids == [2, 3, 7]


def test_without_a_leader_the_run_waits_and_then_gives_up() -> None:
    quorum = model()

    def nobody() -> None:
        raise QuorumUnavailable("the quorum has no leader that is registered")

    quorum.before_describing = [nobody] * 3
    assert run(quorum, 1, 2, 3)[0] == "waiting for a leader: the quorum has no leader that is registered"
    quorum.before_describing = [nobody] * round(2 * UNREACHABLE_LIMIT_S + 2)
    with pytest.raises(AlterationError, match="no leader answers: the quorum has no leader"):
        run(quorum, 1, 2, 3)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_every_target_is_reached_by_single_steps_that_keep_a_live_majority(data: st.DataObject) -> None:
    ids = st.sets(st.integers(1, 9), min_size=1, max_size=6)
    voters, target = data.draw(ids, "voters"), data.draw(ids, "target")
    silent = data.draw(st.sets(st.sampled_from(sorted(voters - target or {99})), max_size=2), "silent") - {99}
    if 2 * len(voters - silent) <= len(voters) or 2 * len((voters | target) - silent) <= len(voters | target):
        return
    leader_id = data.draw(st.sampled_from(sorted(voters - silent)), "leader")
    quorum = model(
        sorted(voters),
        sorted(set(range(1, 10)) - voters),
        leader_id,
        **{f"n{each}": SILENT for each in silent},
    )
    seen = [set(voters)]

    def note() -> None:
        seen.append(set(quorum.voter_ids))

    quorum.before_describing = [note] * 100
    run(quorum, *target)
    assert set(quorum.voter_ids) == target
    assert len(quorum.changes) == len(voters ^ target)
    for before, after in itertools.pairwise(seen):
        assert len(before ^ after) <= 1
        assert 2 * len(after - silent) > len(after), (before, after, silent)
    if leader_id not in target:
        assert quorum.changes[-1] == f"-{leader_id}"
