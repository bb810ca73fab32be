"""The directories of replicas that are not in use any more (KIP-113, KIP-858).

What was deleted, or moved away, is renamed to ``-delete`` and removed later (LogManager.asyncDelete in Apache Kafka).
What is no replica of this broker is renamed to ``-stray`` and stays: it may be all that is left of somebody's records.
"""

from __future__ import annotations

import logging
from functools import partial

from kafkaproto_server.base.ports import Rng
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.shell.process.threads import Jobs
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.log_settings import LogSettings
from kafkaproto_server.shell.replicas.files.removals import Removals
from kafkaproto_server.shell.replicas.files.renames import Renames
from kafkaproto_server.shell.replicas.files.working_directories import WorkingDirectories
from kafkaproto_server.shell.storage.directories.partition_directories import (
    DELETE_SUFFIX,
    STRAY_SUFFIX,
    set_aside_name,
)
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.offset_checkpoints import TopicPartition

_log = logging.getLogger("kafkaproto.server.replicas")


class UnusedDirectories:
    """The directories that one broker's replicas have left."""

    def __init__(
        self,
        rng: Rng,
        directories: WorkingDirectories,
        renames: Renames,
        removals: Removals,
        settings: CurrentSettings[LogSettings],
    ) -> None:
        self._rng = rng
        self._directories = directories
        self._renames = renames
        self._removals = removals
        self._settings = settings
        # What the last run of the broker did not come to remove. The delay begins anew, as in Kafka.
        for directory_id, survey in directories.surveys.items():
            paths = [f"{directories.paths[directory_id]}/{name}" for name in survey.deleted]
            removals.later(directory_id, paths, settings().delete_delay_ms)

    def discard(
        self,
        directory_id: bytes,
        path: str,
        key: TopicPartition,
        lane: Jobs[DiskJob],
        log: Log | None = None,
    ) -> None:
        """Have the directory of a replica or of a copy renamed in a lane, and removed later. ``log`` is what is still
        open of it."""
        # With a new id in its name: a topic may be deleted and made again any number of times before the removal.
        target = (
            f"{self._directories.paths[directory_id]}/{set_aside_name(*key, self._rng.uuid(), DELETE_SUFFIX)}"
        )

        def renamed(is_renamed: bool) -> None:
            # A directory that was never made, or has failed, has nothing to remove.
            if is_renamed:
                self._removals.later(directory_id, [target], self._settings().delete_delay_ms)

        # In that lane: what was put before for the replica finds its files under the old name.
        work = partial(self._renames.deleted, directory_id, log, path, target)
        lane.put(DiskJob(work, renamed, partial(self._directories.failed, directory_id)))

    def discard_future(self, found: FoundReplica) -> None:
        """Delete a copy that a move left when the broker stopped."""
        directory_id = found.directory_id
        path = f"{self._directories.paths[directory_id]}/{found.name}"
        self.discard(directory_id, path, (found.topic, found.index), self._directories.lanes[directory_id])

    def set_aside(self, found: FoundReplica) -> None:
        """Rename what lies in a directory and is no replica of this broker. It stays there for the administrator."""
        # With an id, as what is deleted: strays of one name may come again and again, and none may replace another.
        path = self._directories.paths[found.directory_id]
        name = self.stray_name((found.topic, found.index))
        _log.warning("%s/%s is no replica of this broker and is renamed to %s", path, found.name, name)
        work = partial(self._renames.stray, found.directory_id, f"{path}/{found.name}", f"{path}/{name}")
        self._directories.put_job(found.directory_id, work)

    def stray_name(self, key: TopicPartition) -> str:
        """A name for what is set aside of a replica."""
        return set_aside_name(*key, self._rng.uuid(), STRAY_SUFFIX)
