"""Changes that wait: their order, their time limits, and what is kept of them."""

from __future__ import annotations

import pytest

from kafkaproto.messages import CreateTopicsRequest
from kafkaproto_server.core.controller.machine import changes
from kafkaproto_server.core.controller.machine.changes import Change, WaitingChanges
from kafkaproto_server.core.controller.values.events import CommandContext, CommandReceived


def urgent(number: int) -> Change:
    return Change(name=f"urgent {number}", decide=lambda: None, is_urgent=True)


def names(waiting: WaitingChanges) -> list[str]:
    """Of all that wait, as their turn comes."""
    taken = []
    while (change := waiting.take_first()) is not None:
        taken.append(change.name)
    return taken


def change(number: int, *, deadline_ms: int | None = None) -> Change:
    context = CommandContext(
        listener_name="CONTROLLER",
        principal="User:a",
        client_host="127.0.0.1",
        client_id=None,
        deadline_ms=deadline_ms,
    )
    command = CommandReceived(command_id=number, request=CreateTopicsRequest(), version=7, context=context)
    return Change(name=str(number), decide=lambda: None, command=command)


def test_changes_are_taken_in_their_order_and_expire_by_their_limits() -> None:
    waiting = WaitingChanges()
    for number, deadline_ms in enumerate((300, None, 100, 200)):
        waiting.add(change(number, deadline_ms=deadline_ms))
    assert waiting.next_deadline_ms() == 100
    assert [each.name for each in waiting.take_expired(200)] == ["2", "3"]
    first = waiting.take_first()
    assert first is not None
    assert first.name == "0"
    assert waiting.next_deadline_ms() is None
    assert len(waiting) == 1


def test_urgent_changes_go_ahead_of_the_first_in_line_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MAX_AHEAD", 2)
    waiting = WaitingChanges()
    for number in range(2):
        waiting.add(change(number))
    for number in range(5):
        waiting.add(urgent(number))
    assert len(waiting) == 7
    assert names(waiting) == ["urgent 0", "urgent 1", "0", "urgent 2", "urgent 3", "1", "urgent 4"]


def test_a_change_that_was_interrupted_is_the_first_of_its_kind_and_keeps_its_time_limit() -> None:
    waiting = WaitingChanges()
    for number, deadline_ms in enumerate((200, 100)):
        waiting.add(change(number, deadline_ms=deadline_ms))
    first = waiting.take_first()
    assert first is not None
    assert not waiting.interrupts(first)
    waiting.add(urgent(0))
    assert waiting.interrupts(first)
    waiting.put_back(first)
    assert waiting.next_deadline_ms() == 100
    assert [each.name for each in waiting.take_expired(100)] == ["1"]
    assert waiting.next_deadline_ms() == 200
    assert names(waiting) == ["urgent 0", "0"]


@pytest.mark.parametrize(
    "reason",
    ["it is urgent itself", "it is decided", "it was passed too often", "nothing can go on without it"],
)
def test_some_changes_are_not_interrupted(reason: str) -> None:
    waiting = WaitingChanges()
    waiting.add(urgent(0))
    worked_on = urgent(1) if reason == "it is urgent itself" else change(0)
    worked_on.is_decided = reason == "it is decided"
    worked_on.times_passed = changes.MAX_AHEAD if reason == "it was passed too often" else 0
    worked_on.is_vital = reason == "nothing can go on without it"
    assert not waiting.interrupts(worked_on)
    assert [each.name for each in waiting.take_all()] == ["urgent 0"]
    assert len(waiting) == 0


def test_nothing_goes_ahead_of_what_nothing_can_go_on_without() -> None:
    waiting = WaitingChanges()
    activation = change(0)
    activation.is_vital = True
    waiting.add(activation)
    waiting.add(urgent(0))
    assert names(waiting) == ["0", "urgent 0"]
