"""Changes of the metadata. The controller works on one after the other.

A change is a command, the fencing of a broker, or a periodic task. The controller decides it, in steps if that can take
long, and then encodes, replays and appends its records, in steps, too. Until it is done nothing else changes the image.
A change that is not decided yet has changed nothing, and can be dropped.

Other changes wait in the order in which they came, but changes of a broker's state are *urgent*: clients of that broker
wait for them. Urgent changes go ahead of commands, and interrupt a command that is not decided yet; it is begun anew
later. At most `MAX_AHEAD` of them go ahead of the command that is first in line. Then it is carried out without
interruption. So every command is begun anew at most `MAX_AHEAD` times, and an urgent change waits only for earlier
urgent changes and for at most one command.

Apache Kafka: ``ControllerWriteEvent`` and ``KafkaEventQueue``, which has no urgent events but lets some go first
(``prepend``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from kafkaproto_server.base.purgatory import Purgatory
from kafkaproto_server.core.controller.values.command import Decision
from kafkaproto_server.core.controller.values.events import CommandReceived

# Without a limit, one change of some seconds lets clients that repeat their requests fill the
# memory.
MAX_WAITING_CHANGES = 10_000
"""If so many changes wait, further commands are refused; their senders have to repeat them."""
MAX_AHEAD = 64
"""Urgent changes that go ahead of one command, or interrupt it. Few enough that brokers that change their state all the
time do not block commands; enough for the loss of a rack."""
COMMAND_TIMEOUT_MS = 60_000
"""Time limit of a command that names none: Kafka's clients give up by then (default.api.timeout.ms)."""


def _nothing(*_: object) -> None:
    """The default callback: does nothing."""


@dataclass(slots=True, kw_only=True, eq=False)
class Change:
    """One change, from its arrival to its end."""

    name: str
    """Its name in reports: that of the request or the task."""
    decide: Callable[[], Decision | None]
    """Begins the decision, on the image of that moment; returns None if nothing needs to be done any more."""
    done: Callable[[int], None] = _nothing
    """Called once all records are appended, with their number."""
    ended: Callable[[], None] = _nothing
    """Called once at the end, with or without success, unless leadership is lost."""
    failed: Callable[[], None] = _nothing
    """Called if it failed by a fault of this server; the records that it had appended are aborted."""
    is_wanted: Callable[[], bool] = lambda: True
    """Called when its turn comes, and repeatedly while it is decided; if it returns False, the change is dropped."""
    command: CommandReceived | None = None
    """The command that needs a response; None if nobody waits for one, or no longer."""
    # Only the activation: with an open transaction or without metadata.version, every later
    # decision would be wrong.
    is_vital: bool = False
    """Whether nothing can continue without it: its failure is raised, and nothing goes ahead of it."""
    is_urgent: bool = False
    """Whether it goes ahead of changes that are not urgent."""
    times_passed: int = 0
    """How many urgent changes went ahead of it while it was first in line, or interrupted it."""
    is_decided: bool = False
    """Whether its records are being appended: then it can no longer be dropped."""

    @property
    def may_be_passed(self) -> bool:
        """Whether urgent changes may go ahead of it."""
        return not self.is_urgent and not self.is_vital and self.times_passed < MAX_AHEAD

    @property
    def deadline_ms(self) -> int | None:
        """When the sender of its command gives up; None if nobody waits for it."""
        return None if self.command is None else self.command.context.deadline_ms


def with_deadline(command: CommandReceived, now_ms: int) -> tuple[CommandReceived, int]:
    """The command with a time limit, its own or `COMMAND_TIMEOUT_MS`; and the limit."""
    deadline_ms = command.context.deadline_ms
    # A command without a limit would wait for ever behind a quorum that has lost its majority.
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
        # Urgent changes need no time limits: nobody waits for their responses, except for that to a heartbeat which is
        # begun as it comes.
        self._urgent: deque[Change] = deque()
        self._waiting: Purgatory[Change] = Purgatory()

    def __len__(self) -> int:
        return len(self._urgent) + len(self._waiting)

    def add(self, change: Change) -> None:
        """Add a change behind all others of its kind (urgent or not)."""
        if change.is_urgent:
            assert not change.is_decided, f"{change.name} is under way already"
            self._urgent.append(change)
        else:
            self._waiting.add(change, change.deadline_ms)

    def put_back(self, change: Change) -> None:
        """Put a change that was taken, and is not urgent, back in front of all others of its kind."""
        assert not change.is_urgent, f"{change.name} is not to be interrupted"
        assert not change.is_decided, f"{change.name} is half appended"
        # In front: it had its turn. At the end, whatever came meanwhile would overtake it.
        self._waiting.add_first(change, change.deadline_ms)

    def interrupts(self, change: Change) -> bool:
        """Whether a waiting change has to go ahead of the change that is being worked on."""
        # Once records are appended, the change has to be completed: others would be decided on half
        # of it.
        return bool(self._urgent) and not change.is_decided and change.may_be_passed

    def take_first(self) -> Change | None:
        """Take the change whose turn it is; None if none waits."""
        first = self._waiting.first
        if self._urgent and (first is None or first.may_be_passed):
            if first is not None:
                # Only the first in line counts: the others wait for it anyway.
                first.times_passed += 1
            return self._urgent.popleft()
        return None if first is None else self._waiting.take_first()

    def take_expired(self, now_ms: int) -> Iterator[Change]:
        """Take the changes whose time limit has passed, the earliest limit first."""
        return self._waiting.take_expired(now_ms)

    def take_all(self) -> list[Change]:
        """Take all changes, in order."""
        taken = [*self._urgent, *self._waiting.take_all()]
        self._urgent.clear()
        return taken

    def next_deadline_ms(self) -> int | None:
        """The earliest time limit; None if no waiting change has one."""
        return self._waiting.next_deadline_ms()
