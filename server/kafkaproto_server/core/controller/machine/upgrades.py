"""Commands that wait until the quorum has raised kraft.version, or has refused to.

Apache Kafka: ``FeatureControlManager``, which asks the Raft client at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kafkaproto_server.core.controller.values.events import CommandReceived


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingUpgrade:
    command: CommandReceived
    level: int
    """The level that the quorum was asked for."""


class WaitingUpgrades:
    """All commands that wait for the quorum: seldom more than one, so there is no index by time."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[int, WaitingUpgrade] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, command: CommandReceived, level: int) -> None:
        """Keep a command until it is taken."""
        assert command.command_id not in self._waiting, f"command {command.command_id} waits already"
        self._waiting[command.command_id] = WaitingUpgrade(command=command, level=level)

    def take(self, command_id: int) -> WaitingUpgrade | None:
        """Take the command that the quorum has decided on; None if it was taken before for another reason."""
        # The quorum's answer may come after the time limit or the end of leadership. By then the
        # command has had its response.
        return self._waiting.pop(command_id, None)

    def take_expired(self, now_ms: int) -> Iterator[CommandReceived]:
        """Take the commands whose time limit has passed."""
        for command in [waiting.command for waiting in self._waiting.values()]:
            deadline_ms = command.context.deadline_ms
            if deadline_ms is not None and deadline_ms <= now_ms:
                del self._waiting[command.command_id]
                yield command

    def take_all(self) -> Iterator[CommandReceived]:
        """Take all commands, in the order they came."""
        taken, self._waiting = self._waiting, {}
        for waiting in taken.values():
            yield waiting.command

    def next_deadline_ms(self) -> int | None:
        """The earliest time limit; None if no waiting command has one."""
        if not self._waiting:
            return None
        deadlines = (waiting.command.context.deadline_ms for waiting in self._waiting.values())
        return min((deadline for deadline in deadlines if deadline is not None), default=None)
