"""Opens the logs of a broker's replicas, or makes them (HostedLogLoader in Apache Kafka).

A log is opened by a job of its directory. Until then its partition is in no role, and clients ask again. What a log
must have, and what follows if it has less, is in `shell.storage.log.reached`; what is known of it comes from the
checkpoints (`checkpointed`) and from the survey of its directory.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from kafkaproto_server.base.ports import Clock, Disk
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.shell.replicas.files.checkpointed import Checkpointed
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.log_settings import LogSettings
from kafkaproto_server.shell.replicas.files.renames import Renames
from kafkaproto_server.shell.replicas.files.topic_settings import TopicSettings
from kafkaproto_server.shell.replicas.files.working_directories import WorkingDirectories
from kafkaproto_server.shell.storage.directories.partition_directories import directory_name
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.topic_state import Found

_log = logging.getLogger("kafkaproto.server.replicas")


class HostedLogLoader:
    """Opens the logs of one broker."""

    def __init__(
        self,
        disk: Disk,
        clock: Clock,
        directories: WorkingDirectories,
        renames: Renames,
        settings: CurrentSettings[LogSettings],
        *,
        opened: Callable[[Hosted, TopicLog, Found], None],
        failed: Callable[[Hosted, Exception], None],
    ) -> None:
        """``opened`` is called with a log that is open, and with what was found in it; ``failed`` if it could not be
        opened."""
        self._disk = disk
        self._clock = clock
        self._directories = directories
        self._renames = renames
        self._settings = settings
        self._opened_log = opened
        self._failed = failed
        self._opening = 0

    @property
    def are_open(self) -> bool:
        """Whether no log is being opened."""
        return self._opening == 0

    def open(self, hosted: Hosted, *, is_kept: bool = False, is_clean: bool = False) -> None:
        """Have the log of a replica opened. ``is_kept``: all that was ever appended has to be there. ``is_clean``: and
        it was closed in order."""
        partition = hosted.partition
        path = f"{self._directories.paths[hosted.directory_id]}/{directory_name(*hosted.key)}"
        # Counted from here on: the broker is not unfenced before all its logs are open, or it would lead what it cannot
        # serve.
        self._opening += 1
        hosted.lane.put(
            DiskJob(
                partial(
                    self._open,
                    path,
                    # A copy that becomes the replica lies under another name.
                    hosted.found_path or path,
                    partition.topic_id,
                    hosted.settings,
                    hosted.checkpointed,
                    is_kept,
                    is_clean,
                    hosted.key in self._directories.surveys[hosted.directory_id].cleaned,
                    self._settings().producer_expiration_ms,
                ),
                partial(self._opened, hosted),
                partial(self._not_opened, hosted),
            )
        )

    def _open(
        self,
        path: str,
        found_path: str,
        topic_id: bytes,
        settings: TopicSettings,
        known: Checkpointed,
        is_kept: bool,
        is_clean: bool,
        was_compacted: bool,
        producer_expiration_ms: int,
    ) -> tuple[TopicLog, Found]:
        """The work of the thread. It gets values and no replica: the event loop changes those meanwhile."""
        # It may be under its name already, if the log is opened for a second time.
        if found_path != path and self._disk.exists(found_path):
            # A future copy becomes the replica. Durably, before anything is appended: it would be taken for an
            # unfinished copy again.
            self._renames.durably(found_path, path)
        log = TopicLog.open(
            self._disk,
            path,
            topic_id=topic_id,
            config=settings.log,
            recovery_point=known.recovery_point,
            # Segments may begin before it: DeleteRecords deletes whole segments only.
            log_start_offset=known.log_start_offset,
            # A log that was closed in order has a checkpoint, unless an administrator gave up what it says.
            is_clean=is_clean and known.recovery_point > 0,
            reached=known.reached(is_kept=is_kept),
            # A log that was compacted once may have gaps, though its topic is not compacted any more.
            is_kept=is_kept,
            was_compacted=was_compacted,
            producer_expiration_ms=producer_expiration_ms,
        )
        # Here and not in the event loop: producers and epochs of a large log take long to read.
        return log, log.found(self._clock.wall_ms())

    def _opened(self, hosted: Hosted, result: tuple[TopicLog, Found]) -> None:
        self._opening -= 1
        assert self._opening >= 0, "a log was opened that nobody asked for"
        log, found = result
        if log.log.recovery_note is not None:
            _log.warning("%s", log.log.recovery_note)
        self._opened_log(hosted, log, found)

    def _not_opened(self, hosted: Hosted, error: Exception) -> None:
        self._opening -= 1
        assert self._opening >= 0, "a log failed that nobody asked for"
        self._failed(hosted, error)
