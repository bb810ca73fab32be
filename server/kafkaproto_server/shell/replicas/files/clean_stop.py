"""Closes all logs of a broker in order, so that the next start need not look for what is missing.

Kafka's clean shutdown: LogManager.shutdown writes the checkpoints and then a file that says so. Here the node writes
that file (`shell.storage.directories.clean_shutdown_file`), for the directories of which nothing is unread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import structs

from kafkaproto_server.base.later import Gather
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.shell.replicas.files.checkpointed import Checkpointed, PartitionId
from kafkaproto_server.shell.replicas.files.checkpoints import Checkpoints
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.unopened import UnopenedReplicas
from kafkaproto_server.shell.replicas.files.working_directories import WorkingDirectories
from kafkaproto_server.shell.storage.offset_checkpoints import TopicPartition


class CleanStop:
    """The stop of one broker's logs."""

    def __init__(
        self,
        replicas: Mapping[PartitionId, Hosted],
        directories: WorkingDirectories,
        checkpoints: Checkpoints,
        unopened: UnopenedReplicas,
        failed: Callable[[Hosted, Exception], None],
    ) -> None:
        """``failed`` is called with a replica whose log could not be closed."""
        self._replicas = replicas
        self._directories = directories
        self._checkpoints = checkpoints
        self._unopened = unopened
        self._failed = failed
        self.has_begun = False
        """Whether logs are being closed: none is opened from now on."""

    def begin(self, done: Callable[[], None]) -> None:
        """Close all logs in order, and write the checkpoints; ``done`` is called at the end."""
        # First of all: a log that is being opened now is abandoned when that is done, and none is opened after it.
        self.has_begun = True
        directories = Gather(done)
        for hosted in self._replicas.values():
            log = hosted.log
            # Those that are not open keep in the checkpoints what was known of them when the broker started.
            if log is not None:
                # While there is still a log to ask: the checkpoints are written when it is closed.
                hosted.checkpointed = hosted.offsets()
                hosted.is_closed = True
                hosted.log = None
                # In a directory that has failed nothing is written: the next start finds it as the failure left it.
                is_online = self._directories.is_online(hosted.directory_id)
                hosted.lane.put(
                    DiskJob(
                        partial(log.close, hosted.partition.producers) if is_online else log.log.abandon,
                        lambda _: None,
                        partial(self._failed, hosted),
                    )
                )
        for directory_id, lane in self._directories.lanes.items():
            directories.asked()
            # Behind the closes in the lane of the directory. One that fails counts as well: the stop waits for nobody.
            lane.put(
                DiskJob(
                    partial(self._write_closed, directory_id),
                    lambda _: directories.came(),
                    lambda _: directories.came(),
                )
            )
        # A broker without a working directory has nothing to wait for.
        directories.all_asked()

    def _write_closed(self, directory_id: bytes) -> None:
        """Write the checkpoints of a directory whose logs are closed. The work of its thread."""
        closed: list[tuple[TopicPartition, Checkpointed]] = []
        for hosted in tuple(self._replicas.values()):
            if hosted.directory_id == directory_id:
                offsets = hosted.checkpointed
                # What failed to close is offline, and may lack what was not synced before.
                if hosted.is_closed and hosted.partition.role is not Role.OFFLINE:
                    end_offset = hosted.partition.log_end_offset
                    offsets = structs.replace(offsets, recovery_point=end_offset)
                closed.append((hosted.key, offsets))
        self._checkpoints.write_closed(directory_id, closed)

    @property
    def unread_directories(self) -> frozenset[bytes]:
        """The directories in which a crash before this start may have left damage that nobody has looked at: logs that
        were not opened, or not closed in order. And those with replicas that still lack what they once had. To be asked
        after the stop."""
        unread = set(self._unopened.directory_ids())
        unread.update(hosted.directory_id for hosted in self._replicas.values() if not hosted.is_closed)
        incomplete = {hosted.directory_id for hosted in self._replicas.values() if hosted.is_anew}
        surveys = self._directories.surveys
        # If the last stop was clean, what was not opened since is as that stop left it.
        return frozenset(each for each in unread if not surveys[each].is_clean) | incomplete
