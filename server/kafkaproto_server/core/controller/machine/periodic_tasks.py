"""Periodic tasks that the active controller runs by itself.

A task is a function of the newest image: it returns the records that it wants to write, up to a limit per run. After a
full run it runs again after a short pause, so that other events come in between. After an unforeseen error it pauses
for some minutes.

Apache Kafka: ``PeriodicTaskControlManager``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kafkaproto.message import Message
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.commands.delegation_tokens import (
    MAX_REMOVED_TOKENS,
    expired_token_records,
)
from kafkaproto_server.core.controller.partitions.leader_balance import (
    MAX_ELECTIONS_PER_RUN,
    preferred_leaders,
    unclean_leaders,
)
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.topic_configs import TopicConfigs
from kafkaproto_server.metadata.image.image import ClusterImage

# The pause of Kafka's PeriodicTaskControlManager for a task that wants to go on.
AGAIN_MS = 10
"""Pause after a full run, which may have left something to do."""
# The same as in Kafka's PeriodicTaskControlManager. A fault will most likely come again, and each
# run costs time and a report.
AFTER_FAILURE_MS = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSituation:
    """Everything that a task may look at."""

    image: ClusterImage
    """The newest image, including what is not committed yet."""
    configs: TopicConfigs
    wall_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodicTask:
    name: str
    interval_ms: Callable[[ControllerConfig], int]
    """0 for never."""
    run: Callable[[TaskSituation], Steps[list[Message]]]
    full_run: int
    """If a run has this many records, there may be more to do."""


def _balance_interval_ms(config: ControllerConfig) -> int:
    # The operator then moves leaders by ElectLeaders, and the controller must not undo that.
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
        run=lambda situation: preferred_leaders(situation.image, situation.configs),
        full_run=MAX_ELECTIONS_PER_RUN,
    ),
    PeriodicTask(
        name="the unclean election of leaders",
        interval_ms=lambda config: config.unclean_leader_election_interval_ms,
        run=lambda situation: unclean_leaders(situation.image, situation.configs),
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
    """When each task is due. No task is due while the controller is not active, or while its last run continues."""

    __slots__ = ("_config", "_due_ms", "_running", "next_deadline_ms")

    def __init__(self, config: ControllerConfig) -> None:
        self._config = config
        self._due_ms: dict[int, int] = {}
        self._running: set[int] = set()
        self.next_deadline_ms: int | None = None
        """When the next task is due; None if none is."""

    def start(self, now_ms: int) -> None:
        """Make every task due after its interval."""
        # Runs of an earlier leadership were dropped without their `ended`.
        self.stop()
        for number, task in enumerate(PERIODIC_TASKS):
            interval_ms = task.interval_ms(self._config)
            if interval_ms > 0:
                self._due_ms[number] = now_ms + interval_ms
        self._look_ahead()

    def stop(self) -> None:
        """Make no task due, and forget the runs that have not ended."""
        self._due_ms = {}
        self._running.clear()
        self._look_ahead()

    def take_due(self, now_ms: int) -> list[PeriodicTask]:
        """The tasks that are due. Each is due again after its interval, but not before `ended` is called for it."""
        due: list[PeriodicTask] = []
        if self.next_deadline_ms is None or self.next_deadline_ms > now_ms:
            return due
        for number, due_ms in self._due_ms.items():
            # A run may take longer than the interval. More runs would only wait in line, each with
            # a search through all partitions.
            if due_ms <= now_ms and number not in self._running:
                task = PERIODIC_TASKS[number]
                self._due_ms[number] = now_ms + task.interval_ms(self._config)
                # Until `ended`, whatever the interval says.
                self._running.add(number)
                due.append(task)
        self._look_ahead()
        return due

    def ended(self, task: PeriodicTask) -> None:
        """Note that a run has ended, with or without success: the task may become due again."""
        self._running.discard(PERIODIC_TASKS.index(task))
        self._look_ahead()

    def repeat(self, task: PeriodicTask, due_ms: int) -> None:
        """Make a task due at ``due_ms`` instead of after its interval."""
        self._due_ms[PERIODIC_TASKS.index(task)] = due_ms
        self._look_ahead()

    def _look_ahead(self) -> None:
        self.next_deadline_ms = min(
            (due_ms for number, due_ms in self._due_ms.items() if number not in self._running), default=None
        )
