"""Changes that wait: their order, their time limits, and what is kept of them."""

from __future__ import annotations

from kafkaproto.messages import CreateTopicsRequest
from server.controller.changes import Change, WaitingChanges
from server.controller.events import CommandContext, CommandReceived


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


def test_changes_that_need_not_wait_leave_nothing_behind() -> None:
    waiting = WaitingChanges()
    for number in range(1000):
        waiting.add(change(number, deadline_ms=60_000))
        assert waiting.take_first() is not None
    assert len(waiting._by_deadline) == 0
