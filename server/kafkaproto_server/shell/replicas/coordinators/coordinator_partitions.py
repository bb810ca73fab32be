"""The partitions of internal topics as their coordinators use them: loaded once, then written to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.shell.replicas.coordinators.coordinator_loading import Loading
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob, do_jobs
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.local_node import LocalMachine
from kafkaproto_server.shell.replicas.requests.appends import Appends
from kafkaproto_server.shell.replicas.timers import Timers


class CoordinatorPartitions:
    """What the coordinators on one broker want of its replicas."""

    def __init__(
        self,
        replicas: HostedReplicas,
        appends: Appends,
        machine: LocalMachine,
        timers: Timers,
        unknown: Callable[[bytes, int], ErrorCode],
    ) -> None:
        """``unknown`` says why there is no open log of a partition here."""
        self._replicas = replicas
        self._appends = appends
        self._clock = machine.clock
        self._timers = timers
        self._unknown = unknown
        # A coordinator may compute for a second, an assignment for example: reads do not wait for that.
        self._lane = machine.workers.lane(do_jobs)

    def log(
        self,
        hosted: Hosted,
        timeout_ms: Callable[[], int],
        commit_times: Histogram,
        compression: Callable[[], int] = lambda: 0,
    ) -> PartitionLog:
        """The partition as its coordinator sees it: see `PartitionLog`."""
        return PartitionLog(
            hosted, self._appends.own, self._clock, self._timers, timeout_ms, commit_times, compression
        )

    def load(self, hosted: Hosted, names: Mapping[int, str], **calls: Any) -> Loading:
        return Loading(
            hosted,
            names,
            timers=self._timers,
            in_thread=self.compute,
            read_failed=self._replicas.read_failed,
            **calls,
        )

    def compute(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Do a coordinator's work in a thread, and call ``done`` with the result in the event loop."""
        self._lane.put(DiskJob(work, done, _raise))

    def leading(self, topic_id: bytes, index: int) -> Partition:
        """A partition that this broker leads. Raises PartitionError."""
        hosted = self._replicas.get(topic_id, index)
        if hosted is None or hosted.log is None:
            raise PartitionError(self._unknown(topic_id, index))
        hosted.partition.check_leader()
        return hosted.partition


def _raise(error: Exception) -> None:
    """No disk is touched in that lane: an error of one is a mistake of this program, and ends it."""
    raise error
