"""Logs that ran short or are damaged: when each is opened again, and what the controllers are told.

Tests: `shell.replicas.files.unopened`.
"""

from __future__ import annotations

from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.files.failed_logs import FAILURES_UNTIL_LOST, FailedLogs
from kafkaproto_server.shell.replicas.timers import Timers
from tests.apis.support.replicas import HandClock

REPLICA: PartitionId = (bytes(16), 0)
LONG_MS = 60_000


class Logs:
    """The failed logs of a broker, which are tried again when time passes."""

    def __init__(self) -> None:
        self._clock = HandClock()
        self._timers = Timers(self._clock)
        self.opened: list[PartitionId] = []
        self.told: list[bool] = []
        self.failed = FailedLogs(
            self._clock,
            self._timers.add,
            self.opened.append,
            lambda replica, is_lost: self.told.append(is_lost),
        )

    def pass_time(self) -> None:
        self._clock.now += LONG_MS
        self._timers.call_due()


def test_a_log_several_of_whose_jobs_ran_short_is_opened_again_once() -> None:
    logs = Logs()
    for _ in range(FAILURES_UNTIL_LOST):
        logs.failed.ran_short(REPLICA)
    logs.pass_time()
    assert (logs.opened, logs.told) == ([REPLICA], [])
    # The next shortage is another one.
    logs.failed.ran_short(REPLICA)
    logs.pass_time()
    assert logs.opened == [REPLICA] * 2


def test_a_replica_is_reported_as_lost_once_until_its_log_is_open() -> None:
    logs = Logs()
    for _ in range(2):
        logs.failed.damaged(REPLICA)
    assert logs.told == [True]
    for _ in range(2):
        logs.failed.opened(REPLICA)
    assert logs.told == [True, False]
    logs.failed.damaged(REPLICA)
    assert logs.told == [True, False, True]
