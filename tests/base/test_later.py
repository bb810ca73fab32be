"""Replies that are decided later: who waits is told of the value, or of why there is none; and their parts."""

from __future__ import annotations

import gc
import weakref

import pytest

from kafkaproto_server.base.later import Deferred, Gather


def test_who_waits_is_told_in_the_order_of_asking_and_later_ones_at_once() -> None:
    reply: Deferred[int] = Deferred()
    told: list[tuple[str, int]] = []
    reply.on_done(lambda value: told.append(("first", value)))
    reply.on_done(lambda value: told.append(("second", value)))
    assert told == []
    reply.resolve(5)
    reply.on_done(lambda value: told.append(("late", value)))
    assert told == [("first", 5), ("second", 5), ("late", 5)]


def test_a_failure_is_told_to_who_takes_it_before_and_after() -> None:
    reply: Deferred[int] = Deferred()
    error = ValueError("no value")
    told: list[object] = []
    reply.on_done(told.append, told.append)
    reply.fail(error)
    reply.on_done(told.append, told.append)
    assert told == [error, error]


def test_a_failure_that_nobody_takes_is_raised() -> None:
    reply: Deferred[int] = Deferred()
    reply.on_done(lambda value: None)
    with pytest.raises(ValueError, match="no value"):
        reply.fail(ValueError("no value"))


@pytest.mark.parametrize("first", ["resolve", "fail"])
def test_a_reply_is_decided_once(first: str) -> None:
    reply: Deferred[object] = Deferred()
    getattr(reply, first)(ValueError())
    for again in (reply.resolve, reply.fail):
        with pytest.raises(AssertionError, match="twice"):
            again(ValueError())


def test_a_changed_reply_has_the_changed_value() -> None:
    reply: Deferred[int] = Deferred()
    told: list[int] = []
    reply.then(lambda value: value + 1).then(lambda value: value * 10).on_done(told.append)
    reply.resolve(5)
    assert told == [60]


def test_a_change_that_fails_fails_the_changed_reply_and_not_who_decides() -> None:
    reply: Deferred[int] = Deferred()
    told: list[Exception] = []
    reply.then(lambda value: value // 0).then(lambda value: value + 1).on_done(
        lambda value: None, told.append
    )
    reply.resolve(5)
    assert [type(each) for each in told] == [ZeroDivisionError]


def test_what_fails_in_taking_the_value_is_no_failure_of_the_change() -> None:
    reply: Deferred[int] = Deferred()
    told: list[Exception] = []

    def take(value: int) -> None:
        raise ValueError("broken")

    reply.then(lambda value: value).on_done(take, told.append)
    with pytest.raises(ValueError, match="broken"):
        reply.resolve(5)
    assert told == []


def gathered() -> tuple[Gather, list[str]]:
    """One that notes when it is complete."""
    told: list[str] = []
    return Gather(lambda: told.append("complete")), told


def test_parts_that_come_at_once_complete_nothing_before_all_are_asked_for() -> None:
    gather, told = gathered()
    for _ in range(3):
        gather.asked()
        gather.came()
        assert told == []
    gather.all_asked()
    assert told == ["complete"]


def test_the_last_part_completes_what_was_asked_for() -> None:
    gather, told = gathered()
    gather.asked()
    gather.asked()
    gather.all_asked()
    gather.came()
    assert told == []
    gather.came()
    assert told == ["complete"]


def test_nothing_asked_for_is_complete_at_once() -> None:
    gather, told = gathered()
    gather.all_asked()
    assert told == ["complete"]


@pytest.mark.parametrize("act", ["asked", "came", "all_asked"])
def test_nothing_happens_to_what_is_complete(act: str) -> None:
    gather, _ = gathered()
    gather.all_asked()
    with pytest.raises(AssertionError):
        getattr(gather, act)()


def test_what_is_complete_refers_to_nothing() -> None:
    class Asked:
        def __init__(self) -> None:
            self.gather = Gather(self.complete)

        def complete(self) -> None:
            pass

    asked = Asked()
    asked.gather.all_asked()
    there = weakref.ref(asked)
    gc.disable()
    try:
        del asked
        assert there() is None
    finally:
        gc.enable()
