"""The changes that the active controller makes by the clock alone: its periodic tasks, and NoOpRecords.

A NoOpRecord moves the high watermark on while nobody changes anything (KIP-835). So lags of replicas can be measured in
an idle cluster, and brokers see that the controller still commits.

Apache Kafka: ``PeriodicTaskControlManager``, and the task ``writeNoOpRecord`` of ``QuorumController``.
"""

from __future__ import annotations

from functools import partial

from kafkaproto.messages import NoOpRecord
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import earliest
from kafkaproto_server.core.controller.machine import periodic_tasks
from kafkaproto_server.core.controller.machine.change_processor import ChangeProcessor
from kafkaproto_server.core.controller.machine.changes import Change
from kafkaproto_server.core.controller.machine.log_states import LogStates
from kafkaproto_server.core.controller.machine.situations import Situations
from kafkaproto_server.core.controller.values.command import CommandResult
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.topic_configs import TopicConfigs


class PeriodicChanges:
    """When each of them is due. None is while the controller is not active."""

    def __init__(
        self, config: ControllerConfig, log: LogStates, changes: ChangeProcessor, situations: Situations
    ) -> None:
        self._log = log
        self._changes = changes
        self._situations = situations
        self._no_op_interval_ms = config.metadata_max_idle_interval_ms
        self._no_op_ms: int | None = None
        self._tasks = periodic_tasks.TaskSchedule(config)

    def start(self, now_ms: int) -> None:
        """Make everything due after its interval."""
        # 0 turns it off, as in Kafka.
        if self._no_op_interval_ms > 0:
            self._no_op_ms = now_ms + self._no_op_interval_ms
        self._tasks.start(now_ms)

    def stop(self) -> None:
        """Make nothing due any more."""
        self._no_op_ms = None
        self._tasks.stop()

    def next_deadline_ms(self) -> int | None:
        """When the next of them is due; None if none is."""
        return earliest(self._no_op_ms, self._tasks.next_deadline_ms)

    def add_due(self, now_ms: int) -> None:
        """Add the changes that are due to those that wait."""
        if self._no_op_ms is not None and self._no_op_ms <= now_ms:
            self._no_op_ms = now_ms + self._no_op_interval_ms
            # What is worked on, or waits, moves the log on itself. If it writes nothing after all, the next turn is
            # half a second away.
            if not self._changes.is_busy:
                no_op = CommandResult(records=(NoOpRecord(),))
                self._changes.waiting.add(Change(name=NoOpRecord.NAME, decide=lambda: no_op))
        for task in self._tasks.take_due(now_ms):
            self._changes.waiting.add(
                Change(
                    name=task.name,
                    decide=partial(self._run_task, task),
                    done=partial(self._task_done, task),
                    ended=partial(self._tasks.ended, task),
                    failed=partial(self._task_failed, task),
                )
            )

    def _run_task(self, task: periodic_tasks.PeriodicTask) -> Steps[CommandResult]:
        # The image of the moment at which its turn comes: the task may have waited for a long change.
        image = self._log.newest.latest
        configs = TopicConfigs(image, self._situations.inherited)
        situation = periodic_tasks.TaskSituation(
            image=image, configs=configs, wall_ms=self._situations.wall_ms
        )
        records = yield from task.run(situation)
        # Each record of a run stands for itself, so the run may take several batches.
        assert len(records) <= task.full_run, f"{task.name} has a limit"
        return CommandResult(records=records, atomic=False)

    def _task_done(self, task: periodic_tasks.PeriodicTask, record_count: int) -> None:
        # Not at once: what waits gets its turn between two runs.
        if record_count >= task.full_run:
            self._tasks.repeat(task, self._situations.now_ms + periodic_tasks.AGAIN_MS)

    def _task_failed(self, task: periodic_tasks.PeriodicTask) -> None:
        self._tasks.repeat(task, self._situations.now_ms + periodic_tasks.AFTER_FAILURE_MS)
