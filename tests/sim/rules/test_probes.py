"""Probes count the moments at which a rule decides, and change nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.planting.support.modules import imported
from tests.sim.rules.moments import ENOUGH, Found, Recorder
from tests.sim.rules.probes import _shadow, watched_in
from tests.sim.rules.table import Rule

SOURCE = """
LIMIT = 10
calls = []

def ask(value):
    calls.append(value)
    return value

def both(a, b):
    return a and b

def either(a, b, c):
    if a or (b and not c):
        return "blocked"
    return "goes on"

def asks(a, b):
    return a and ask(b)

def asks_first(a, b):
    return ask(a) and b

def needs(record):
    return record is not None and record["offset"] > LIMIT

def guard(value):
    if value > LIMIT:
        raise ValueError(value)
    return value

def bounded(value):
    return min(value, LIMIT)

def latest(values):
    return max((each for each in values), default=-1)

def filtered(values, bound):
    return [each for each in values if each > 0 and each < bound]

def nested(values, a):
    return a or any(each > 0 and each < LIMIT for each in values)

class Log:
    def __init__(self, end):
        self.end = end

    @property
    def is_behind(self):
        return self.end < LIMIT

    def waits(self, is_open):
        return is_open and self.is_behind

async def pauses(a, wait):
    return await wait(a) and a > 1
"""


RULES = {
    "both": ("a", "b"),
    "either": ("a", "b and (not c)", "b", "not c"),
    "asks": ("a", "ask(b)"),
    "asks_first": ("b",),
    "needs": ("record is not None", "record['offset'] > LIMIT"),
    "guard": ("value > LIMIT",),
    "bounded": ("min(value, LIMIT)",),
    "latest": ("max((each for each in values), default=-1)",),
    "filtered": ("each < bound", "each > 0"),
    "nested": ("a", "each > 0", "each < LIMIT"),
    "Log.waits": ("is_open",),
    "Log.is_behind": ("self.end < LIMIT",),
    "pauses": ("a > 1",),
}


def rule(function: str, expression: str) -> Rule:
    return Rule(
        row="sample.txt:1",
        room="sample",
        path="sample.py",
        function=function,
        expression=expression,
        cost="Something is lost.",
    )


class Sample:
    """The module, while all of its rules are watched."""

    def __init__(self, module: ModuleType, recorder: Recorder) -> None:
        self.module: Any = module
        self.recorder = recorder

    def found(self, function: str, expression: str) -> Found:
        """What was counted for a rule since the last call, for any."""
        return self.recorder.found().get(rule(function, expression).key, Found(0, 0, 0, ()))


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    with imported(tmp_path_factory.mktemp("watched") / "watched_module.py", SOURCE) as made:
        yield made


@pytest.fixture(scope="module")
def sample(module: ModuleType) -> Iterator[Sample]:
    """Once for all tests: to find the live functions of a module takes some tenths of a second."""
    rules = [rule(function, each) for function, found in RULES.items() for each in found]
    with watched_in({module: rules}) as recorder:
        yield Sample(module, recorder)
    assert not hasattr(module, "_rules")
    assert module.both.__code__.co_names == ()


@pytest.mark.parametrize(
    ("name", "expression", "arguments", "expected"),
    [
        # The last operand decides if those before it do not.
        ("both", "b", [(True, True), (True, False), (False, False)], (2, 1, 0)),
        # The first one decides only if those behind it do not.
        ("both", "a", [(True, True), (False, True), (False, False)], (3, 1, 0)),
        ("either", "a", [(True, False, False), (True, True, False), (False, False, False)], (3, 1, 0)),
        ("either", "b and (not c)", [(False, True, False), (True, True, False), (False, True, True)], (2, 1, 0)),
        ("either", "b", [(False, True, False), (False, False, False), (False, False, True)], (3, 1, 0)),
        ("either", "not c", [(False, True, False), (False, True, True), (False, False, True)], (2, 1, 0)),
        # What stands behind it would call a function, which is not done.
        ("asks", "a", [(False, True), (True, True)], (2, 0, 1)),
        ("asks_first", "b", [(True, False), (False, False)], (1, 1, 0)),
        # Without the guard, what stands behind it raises.
        ("needs", "record is not None", [(None,), ({"offset": 11},)], (2, 0, 0)),
        ("needs", "record['offset'] > LIMIT", [(None,), ({"offset": 9},)], (1, 1, 0)),
        ("bounded", "min(value, LIMIT)", [(1,), (10,), (11,), (12,)], (4, 1, 0)),
        ("bounded", "min(value, LIMIT)", [(11,), (12,)], (2, 0, 0)),
        ("latest", "max((each for each in values), default=-1)", [([1, 2],), ([3, 1],), ([],), ([2],)], (4, 1, 0)),
        ("filtered", "each < bound", [([-1, 1, 5, 9], 6)], (3, 1, 0)),
        ("filtered", "each > 0", [([-1, 1, 5, 9], 6)], (4, 1, 0)),
    ],
)  # fmt: skip
def test_a_rule_decides_at_these_moments(
    sample: Sample,
    name: str,
    expression: str,
    arguments: list[tuple[Any, ...]],
    expected: tuple[int, int, int],
) -> None:
    for each in arguments:
        getattr(sample.module, name)(*each)
    assert sample.found(name, expression)[:3] == expected


def test_a_guard_decides_if_it_has_both_values(sample: Sample) -> None:
    sample.module.guard(1)
    sample.module.guard(2)
    assert sample.found("guard", "value > LIMIT")[:3] == (2, 0, 0)
    sample.module.guard(1)
    sample.module.guard(2)
    with pytest.raises(ValueError, match="11"):
        sample.module.guard(11)
    assert sample.found("guard", "value > LIMIT")[:3] == (3, 1, 0)


def test_conditions_within_conditions_are_watched_apart(sample: Sample) -> None:
    for values, a in (([5, 20], False), ([-1], False), ([5], True)):
        sample.module.nested(values, a)
    found = sample.recorder.found()
    assert found[rule("nested", "each > 0").key][:3] == (2, 1, 0)
    # What stands behind it is no plain look.
    assert found[rule("nested", "a").key][:3] == (3, 0, 1)


def test_shadows_are_not_counted_as_if_they_had_happened(sample: Sample) -> None:
    assert not sample.module.Log(1).waits(False)
    assert not sample.module.Log(11).waits(False)
    assert sample.recorder.found() == {rule("Log.waits", "is_open").key: Found(2, 1, 0, ())}


@pytest.mark.parametrize(
    "text",
    ["a.b[1:c] + len(d) > max(e, -1)", "a.get(b)", "a.is_empty()", "a.has_room(b, c=d)", "abs(a) in (b, c)"],
)
def test_what_only_looks_is_a_shadow(text: str) -> None:
    assert _shadow(ast.parse(text, mode="eval").body) is not None


@pytest.mark.parametrize(
    "text",
    [
        "a.pop()",
        "ask(a)",
        "is_empty(a)",
        "a + ask(b)",
        "len(ask(a))",
        "a.pop().is_empty()",
        "a.is_empty(b.pop())",
        "a.is_in(b=ask(c))",
        "a.is_in(**b)",
        "a[ask(b)]",
        "await a",
        "(a := b)",
        "[each for each in a]",
    ],
)
def test_what_may_have_effects_is_no_shadow(text: str) -> None:
    assert _shadow(ast.parse(text, mode="eval").body) is None


def test_shadows_are_left_alone_once_the_rule_was_seen_to_decide_often_enough(sample: Sample) -> None:
    active: tuple[str, ...] = ()
    sample.recorder.active = lambda: active
    for _ in range(2 * ENOUGH):
        sample.module.Log(1).waits(False)
    active = ("kill",)
    sample.module.Log(1).waits(False)
    assert sample.found("Log.waits", "is_open") == Found(2 * ENOUGH + 1, ENOUGH + 1, 0, ("kill",))
    sample.recorder.active = tuple


def test_what_is_watched_has_the_same_values_and_effects(sample: Sample) -> None:
    sample.module.calls.clear()
    assert [sample.module.asks(a, b) for a, b in ((0, 1), (2, 0), (2, 3), ("", 1))] == [0, 0, 3, ""]
    assert sample.module.calls == [0, 3]
    assert sample.found("asks", "ask(b)")[:3] == (2, 1, 0)


def test_conditions_that_wait_are_watched(sample: Sample) -> None:
    async def wait(value: int) -> int:
        return value

    for value in (0, 1, 2):
        with pytest.raises(StopIteration):
            sample.module.pauses(value, wait).send(None)
    assert sample.found("pauses", "a > 1")[:3] == (2, 1, 0)


def test_what_goes_on_beside_is_noted(sample: Sample) -> None:
    active: tuple[str, ...] = ()
    sample.recorder.active = lambda: active
    sample.module.both(True, False)
    active = ("kill",)
    sample.module.both(True, True)
    assert sample.found("both", "b") == Found(2, 1, 0, ())
    sample.module.both(True, False)
    assert sample.found("both", "b") == Found(1, 1, 0, ("kill",))
    assert sample.recorder.found() == {}
    sample.recorder.active = tuple
