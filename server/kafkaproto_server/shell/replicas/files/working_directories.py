"""The log directories that worked when the broker started: where each one is, what lay in it, and its lanes.

A directory has two lanes (`disk_jobs`). All changes of its logs are jobs of the first one, so that each log has one
writer. The second one is for work that may take long and changes no log: an append would wait for it otherwise.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.shell.process.threads import Jobs, Workers
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob, DiskLane, do_jobs
from kafkaproto_server.shell.replicas.files.failed_logs import is_of_log
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey

_log = logging.getLogger("kafkaproto.server.replicas")


class WorkingDirectories:
    """The log directories of one broker that worked when it started. They may have failed since."""

    def __init__(
        self,
        configured: LogDirectories,
        surveys: Mapping[bytes, DirectorySurvey],
        workers: Workers,
        report: Callable[[str, str], None],
    ) -> None:
        """``surveys`` has what lies in each directory that works, by its id. ``report`` is called with the path of a
        directory that has failed, and the problem."""
        self.configured = configured
        """All directories of the broker, as they are now: also those that did not work when it started."""
        self.surveys = surveys
        # A directory that did not work at the start may have no id. Nothing is done in it until the next start.
        self.paths = {
            each.directory_id: each.path
            for each in configured.all
            if each.directory_id is not None and each.directory_id in surveys
        }
        # Whatever is to be done in a directory has a path to do it at.
        assert self.paths.keys() == surveys.keys(), "a directory was surveyed that the broker does not have"
        # One lane a directory, and not one for all: a slow disk makes only its own logs wait.
        self.lanes = {each: DiskLane(workers) for each in surveys}
        self.background: Mapping[bytes, Jobs[DiskJob]] = {each: workers.lane(do_jobs) for each in surveys}
        """For what may take long, and changes no log."""
        self._report = report

    def is_online(self, directory_id: bytes) -> bool:
        """Whether it works still."""
        return self.configured.is_online(directory_id)

    def put_job(self, directory_id: bytes, work: Callable[[], object]) -> None:
        """Have something done in the lane of a directory. An error is that of the directory."""

        def failed(error: Exception) -> None:
            self.failed(directory_id, error)

        self.lanes[directory_id].put(DiskJob(work, lambda _: None, failed))

    def await_jobs(self, directory_id: bytes, done: Callable[[], None]) -> None:
        """Call ``done`` once all jobs are done that a directory's lane has now, also if they fail. A lane is a queue:
        that is when a job is done that does nothing."""
        self.lanes[directory_id].put(DiskJob(_nothing, lambda _: done(), lambda error: None))

    def failed(self, directory_id: bytes, error: Exception) -> None:
        """A directory's disk had an error, or a log in it is damaged."""
        # Without a free descriptor, nothing is known of the directory. Apache Kafka takes it offline all the same.
        if is_of_log(error):
            _log.error("%s", error)
        else:
            self._report(self.paths[directory_id], str(error))


def _nothing() -> None:
    """For a place in a lane."""
