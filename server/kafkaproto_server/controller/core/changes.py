"""Changes of the metadata: what the controller does one after the other.

A change is a command, a broker's end, or what time brings. It is decided, in steps where that can take long, and then
its records are encoded, replayed and appended, in steps as well. Until it is done nothing else changes the image. A
change that is still being decided has changed nothing, and can be dropped.

Others wait, in the order in which they came; but changes of a broker's state are *urgent*. Clients of that broker wait
for them, so they go ahead of commands, and interrupt one that is not decided yet, which is then begun anew. At most
`MAX_AHEAD` of them go ahead of the command that is first in line. After that the command is carried out and not
interrupted. So every command is begun at most `MAX_AHEAD` times more, and an urgent change waits for the others of its
kind and for one command at most.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from kafkaproto_server.controller.values.command import Decision
from kafkaproto_server.controller.values.events import CommandReceived
from kafkaproto_server.purgatory import Purgatory

MAX_WAITING_CHANGES = 10_000
"""More commands than this are refused: whoever asked has to ask again."""
MAX_AHEAD = 64
"""Urgent changes that go ahead of one command, or interrupt it. Few enough that brokers which change their state all
the time do not keep commands from being carried out; enough for the loss of a rack."""
COMMAND_TIMEOUT_MS = 60_000
"""How long a command may take that names no time limit: Kafka's clients give up by then (default.api.timeout.ms)."""


def _nothing(*_: object) -> None:
    """For what is left to nobody."""


@dataclass(slots=True, kw_only=True, eq=False)
class Change:
    """One change, from its arrival to its end."""

    name: str
    """What reports call it: the request's name, or the task's."""
    decide: Callable[[], Decision | None]
    """Begins to decide, on the image of that moment; None where there is nothing to be done any more."""
    done: Callable[[int], None] = _nothing
    """Called once all records are appended, with how many they were."""
    ended: Callable[[], None] = _nothing
    """Called once at the end, however it comes to that, unless leadership is lost."""
    failed: Callable[[], None] = _nothing
    """Called where it failed by a mistake of ours; all that it had appended is taken back."""
    is_wanted: Callable[[], bool] = lambda: True
    """Asked when its turn comes, and again and again while it is decided: it is dropped if the reason is gone."""
    command: CommandReceived | None = None
    """What is to be answered; None where nobody waits, or waits no more."""
    is_vital: bool = False
    """Whether nothing can go on without it: a mistake of ours in it is raised, and nothing goes ahead of it."""
    is_urgent: bool = False
    """Whether it goes ahead of those that are not."""
    times_passed: int = 0
    """How many urgent changes went ahead of it while it was first in line, or interrupted it."""
    is_decided: bool = False
    """Whether its records are being appended: there is no way back then."""

    @property
    def may_be_passed(self) -> bool:
        """Whether urgent changes may go ahead of it."""
        return not self.is_urgent and not self.is_vital and self.times_passed < MAX_AHEAD

    @property
    def deadline_ms(self) -> int | None:
        """When whoever waits for it gives up; None where nobody does."""
        return None if self.command is None else self.command.context.deadline_ms


def with_deadline(command: CommandReceived, now_ms: int) -> tuple[CommandReceived, int]:
    """The command with a time limit, its own or `COMMAND_TIMEOUT_MS`; and the limit."""
    deadline_ms = command.context.deadline_ms
    if deadline_ms is not None:
        return command, deadline_ms
    deadline_ms = now_ms + COMMAND_TIMEOUT_MS
    return msgspec.structs.replace(
        command, context=msgspec.structs.replace(command.context, deadline_ms=deadline_ms)
    ), deadline_ms


class WaitingChanges:
    """The changes that wait: the urgent ones, and then the others, each in the order in which they came."""

    __slots__ = ("_urgent", "_waiting")

    def __init__(self) -> None:
        # They need no time limits: nobody waits for the answer to one, but for that to a heartbeat which is begun as it
        # comes.
        self._urgent: deque[Change] = deque()
        self._waiting: Purgatory[Change] = Purgatory()

    def __len__(self) -> int:
        return len(self._urgent) + len(self._waiting)

    def add(self, change: Change) -> None:
        """Put a change behind all others of its kind."""
        if change.is_urgent:
            self._urgent.append(change)
        else:
            self._waiting.add(change, change.deadline_ms)

    def put_back(self, change: Change) -> None:
        """Put a change that was taken and is not urgent before all others of its kind again."""
        assert not change.is_urgent, f"{change.name} is not to be interrupted"
        self._waiting.add_first(change, change.deadline_ms)

    def interrupts(self, change: Change) -> bool:
        """Whether one that waits has to go ahead of a change which is worked on."""
        return bool(self._urgent) and not change.is_decided and change.may_be_passed

    def take_first(self) -> Change | None:
        """Take the one whose turn it is, None where there is none."""
        first = self._waiting.first
        if self._urgent and (first is None or first.may_be_passed):
            if first is not None:
                first.times_passed += 1
            return self._urgent.popleft()
        return None if first is None else self._waiting.take_first()

    def take_expired(self, now_ms: int) -> Iterator[Change]:
        """Take those whose time limit has passed, the earliest limit first."""
        return self._waiting.take_expired(now_ms)

    def take_all(self) -> list[Change]:
        """Take every one, in order."""
        taken = [*self._urgent, *self._waiting.take_all()]
        self._urgent.clear()
        return taken

    def next_deadline_ms(self) -> int | None:
        """The earliest time limit, None where no change that waits has one."""
        return self._waiting.next_deadline_ms()
