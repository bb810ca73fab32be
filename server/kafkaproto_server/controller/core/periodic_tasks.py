"""What the active controller does every so often by itself.

A task is a function of the newest image: it gives the records that it wants written, at most so many a run. After a
run that was full it runs again shortly, so that other events come in between; after one that failed in a way that
nobody foresaw it is left alone for some minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kafkaproto.message import Message
from kafkaproto_server.controller.commands.delegation_tokens import MAX_REMOVED_TOKENS, expired_token_records
from kafkaproto_server.controller.partitions.leader_balance import (
    MAX_ELECTIONS_PER_RUN,
    preferred_leaders,
    unclean_leaders,
)
from kafkaproto_server.controller.values.config import ControllerConfig
from kafkaproto_server.controller.values.settings import TopicSettings
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.types import Steps

AGAIN_MS = 10
"""Pause after a run that left something to do."""
AFTER_FAILURE_MS = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSituation:
    """Everything that a task may look at."""

    image: ClusterImage
    """The newest state, with what is not committed yet."""
    settings: TopicSettings
    wall_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodicTask:
    """Something to do every so often."""

    name: str
    interval_ms: Callable[[ControllerConfig], int]
    """0 for never."""
    run: Callable[[TaskSituation], Steps[list[Message]]]
    full_run: int
    """As many records as this are a sign that there is more to do."""


def _balance_interval_ms(config: ControllerConfig) -> int:
    if not config.auto_leader_rebalance_enable:
        return 0
    return config.leader_imbalance_check_interval_seconds * 1000


def _token_expiry_interval_ms(config: ControllerConfig) -> int:
    # Without the key there are no tokens.
    return config.delegation_token_expiry_check_interval_ms if config.delegation_token_secret_key else 0


PERIODIC_TASKS: tuple[PeriodicTask, ...] = (
    PeriodicTask(
        name="the election of preferred leaders",
        interval_ms=_balance_interval_ms,
        run=lambda situation: preferred_leaders(situation.image, situation.settings),
        full_run=MAX_ELECTIONS_PER_RUN,
    ),
    PeriodicTask(
        name="the unclean election of leaders",
        interval_ms=lambda config: config.unclean_leader_election_interval_ms,
        run=lambda situation: unclean_leaders(situation.image, situation.settings),
        full_run=MAX_ELECTIONS_PER_RUN,
    ),
    PeriodicTask(
        name="the expiry of delegation tokens",
        interval_ms=_token_expiry_interval_ms,
        run=lambda situation: expired_token_records(situation.image, situation.wall_ms),
        full_run=MAX_REMOVED_TOKENS,
    ),
)


class TaskSchedule:
    """When each task is due. None is while the controller is not active, nor before its run before has ended."""

    __slots__ = ("_config", "_due_ms", "_running", "next_deadline_ms")

    def __init__(self, config: ControllerConfig) -> None:
        self._config = config
        self._due_ms: dict[int, int] = {}
        self._running: set[int] = set()
        self.next_deadline_ms: int | None = None
        """When the next task is due, None while none is."""

    def start(self, now_ms: int) -> None:
        """Every task comes up after its interval."""
        self.stop()
        for number, task in enumerate(PERIODIC_TASKS):
            interval_ms = task.interval_ms(self._config)
            if interval_ms > 0:
                self._due_ms[number] = now_ms + interval_ms
        self._look_ahead()

    def stop(self) -> None:
        """No task comes up any more, and none runs."""
        self._due_ms = {}
        self._running.clear()
        self._look_ahead()

    def take_due(self, now_ms: int) -> list[PeriodicTask]:
        """The tasks that are due, each put off by its interval, and until `ended` is called for it."""
        due: list[PeriodicTask] = []
        if self.next_deadline_ms is None or self.next_deadline_ms > now_ms:
            return due
        for number, due_ms in self._due_ms.items():
            if due_ms <= now_ms and number not in self._running:
                task = PERIODIC_TASKS[number]
                self._due_ms[number] = now_ms + task.interval_ms(self._config)
                self._running.add(number)
                due.append(task)
        self._look_ahead()
        return due

    def ended(self, task: PeriodicTask) -> None:
        """A run has ended, well or not: the task may come up again."""
        self._running.discard(PERIODIC_TASKS.index(task))
        self._look_ahead()

    def repeat(self, task: PeriodicTask, due_ms: int) -> None:
        """Have a task come up at another time than after its interval."""
        self._due_ms[PERIODIC_TASKS.index(task)] = due_ms
        self._look_ahead()

    def _look_ahead(self) -> None:
        self.next_deadline_ms = min(
            (due_ms for number, due_ms in self._due_ms.items() if number not in self._running), default=None
        )
