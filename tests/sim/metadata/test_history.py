"""Histories that one cluster could have produced, and histories that none could."""

from __future__ import annotations

import random

import pytest

from tests.sim.metadata.history import Call, is_linearizable
from tests.sim.metadata.models import LOOK, Operation, SettingModel, TopicModel

CREATE, DELETE, EXISTS = Operation("create", 1), Operation("delete"), Operation("exists")


def call(operation: Operation, called_at: int, answered_at: int | None = None, response: object = 0) -> Call:
    return Call(operation=operation, called_at=called_at, answered_at=answered_at, response=response)


def holds(*calls: Call) -> bool:
    return is_linearizable(list(calls), TopicModel(), None)


def test_one_thing_after_the_other() -> None:
    assert holds(call(CREATE, 0, 1), call(CREATE, 2, 3, 36), call(DELETE, 4, 5), call(DELETE, 6, 7, 3))
    assert not holds(call(CREATE, 0, 1), call(CREATE, 2, 3))
    assert not holds(call(CREATE, 0, 1), call(DELETE, 2, 3, 3))


def test_what_went_on_at_the_same_time_may_have_any_order() -> None:
    assert holds(call(CREATE, 0, 5, 36), call(CREATE, 1, 4))
    assert holds(call(CREATE, 0, 5), call(CREATE, 1, 4, 36))
    assert not holds(call(CREATE, 0, 5), call(CREATE, 1, 4))


def test_what_was_answered_before_is_seen() -> None:
    assert not holds(call(CREATE, 0, 1), call(EXISTS, 2, 3, 0))
    assert holds(call(CREATE, 0, 3), call(EXISTS, 2, 4, 0), call(EXISTS, 5, 6, 36))


@pytest.mark.parametrize(("response", "is_possible"), [(0, True), (36, True)])
def test_what_nobody_heard_of_may_have_happened_or_not(response: int, is_possible: bool) -> None:
    assert holds(call(CREATE, 0), call(EXISTS, 5, 6, response)) is is_possible


def test_what_nobody_heard_of_may_happen_late_but_once() -> None:
    assert holds(call(CREATE, 0), call(EXISTS, 5, 6, 0), call(EXISTS, 7, 8, 36))
    assert not holds(call(CREATE, 0), call(EXISTS, 5, 6, 36), call(EXISTS, 7, 8, 0))


def test_what_was_acknowledged_is_there_in_the_end() -> None:
    assert holds(call(CREATE, 0, 1), call(Operation("set", 7), 2, 3), call(LOOK, 4, 5, (1, 7)))
    assert not holds(call(CREATE, 0, 1), call(Operation("set", 7), 2, 3), call(LOOK, 4, 5, (1, 0)))
    assert not holds(call(CREATE, 0, 1), call(LOOK, 4, 5, None))
    assert holds(call(CREATE, 0), call(LOOK, 4, 5, (1, 0)))
    assert holds(call(CREATE, 0), call(LOOK, 4, 5, None))


def test_a_setting_is_used_and_removed_while_it_is_there() -> None:
    def fits(*calls: Call) -> bool:
        return is_linearizable(list(calls), SettingModel(present=1, absent=62), 0)

    put, use, remove = Operation("set", 5), Operation("use"), Operation("remove")
    assert fits(call(use, 0, 1, 62), call(put, 2, 3), call(use, 4, 5, 1), call(remove, 6, 7, 1))
    assert fits(call(put, 0, 1), call(remove, 2, 3, 1), call(remove, 4, 5, 62), call(LOOK, 6, 7, 0))
    assert not fits(call(put, 0, 1), call(remove, 2, 3, 62))
    assert not fits(call(put, 0, 1), call(remove, 2, 3, 1), call(use, 4, 5, 1))
    assert not fits(call(put, 0, 1), call(LOOK, 2, 3, 4))


@pytest.mark.parametrize("seed", range(30))
def test_what_a_model_answers_is_found_possible_whatever_overlaps(seed: int) -> None:
    rng = random.Random(seed)
    model, state = TopicModel(), None
    calls = []
    for moment in range(0, 200, 10):
        operation = rng.choice([CREATE, DELETE, EXISTS, Operation("set", moment), Operation("grow", 2)])
        state, response = model.apply(state, operation)
        assert isinstance(response, int)
        heard = None if rng.random() < 0.2 else moment + rng.randint(1, 40)
        calls.append(call(operation, max(0, moment - rng.randint(0, 40)), heard, response))
    assert is_linearizable(calls, model, None)
    known = [each for each in calls if each.answered_at is not None]
    wrong = rng.choice([each for each in known if each.operation is EXISTS] or [calls[0]])
    if wrong in known and all(each is wrong or each.answered_at is not None for each in calls):
        wrong.response = 99
        assert not is_linearizable(calls, model, None)
