"""The end of a move between log directories: the copy takes the replica's place (KIP-113, KIP-858).

The changes of the replica's log are held back until the copy has the last of them; then they are done in the new
place. To clients that is a short pause. Kafka does the same under the partition's lock
(Partition.maybeReplaceCurrentWithFutureReplica, LogManager.replaceCurrentWithFutureLog).

The copy gets the replica's name first, and then the former directory is renamed. So a crash in between leaves two
replicas, of which the one that the metadata has recorded has all. In the other order a crash would leave a deleted
replica and a copy, which the next start takes for an unfinished one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.shell.replicas.files.checkpointed import CHECKPOINTS
from kafkaproto_server.shell.replicas.files.disk_jobs import HeldJobs
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.log_settings import LogSettings
from kafkaproto_server.shell.replicas.files.move_jobs import MovingReplica
from kafkaproto_server.shell.storage.directories.partition_directories import directory_name
from kafkaproto_server.shell.storage.log.copying import settle_copy
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.topic_log import TopicLog


class MoveSwitch:
    """Lets copies take the place of one broker's replicas."""

    def __init__(
        self,
        replicas: HostedReplicas,
        disk: Disk,
        settings: CurrentSettings[LogSettings],
        call_in: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``call_in`` calls a function after so many milliseconds."""
        self._replicas = replicas
        self._directories = replicas.directories
        self._disk = disk
        self._settings = settings
        self._call_in = call_in
        # Logs that replicas have left. Threads may still be reading there.
        self._left: dict[Log, None] = {}

    def hold(self, moving: MovingReplica, drained: Callable[[], None]) -> None:
        """Keep the jobs of a replica from now on. ``drained`` is called once those are done that were put before."""
        hosted = moving.hosted
        # First the lane is exchanged, and then the end of the old one awaited: nothing can be put in between, since
        # both are done in one turn of the event loop.
        moving.is_held = True
        hosted.lane = HeldJobs()
        self._directories.await_jobs(hosted.directory_id, drained)

    def release(self, moving: MovingReplica) -> None:
        """Have the jobs done that were kept, if they were."""
        if moving.is_held:
            moving.is_held = False
            self._release(moving.hosted)

    def _release(self, hosted: Hosted) -> None:
        # In the order in which they were put. The lane is that of the directory where the replica is by now.
        held, hosted.lane = hosted.lane, self._directories.lanes[hosted.directory_id]
        assert isinstance(held, HeldJobs), "jobs were kept"
        for job in held.waiting:
            hosted.lane.put(job)

    def settling(self, moving: MovingReplica, log: TopicLog, source: TopicLog) -> Callable[[], TopicLog]:
        """The work of a thread: it gives the copy the replica's name, and what the replica knows beside its records.
        It returns the copy as it is opened then, and raises OSError and StorageError."""
        return partial(
            settle_copy,
            self._disk,
            log,
            self.path_in_use(moving),
            # Its own epochs are those of records only. A leader's epoch may have none yet.
            epochs=source.log.epoch_starts,
            config=moving.hosted.settings.log,
            producer_expiration_ms=self._settings().producer_expiration_ms,
        )

    def path_in_use(self, moving: MovingReplica) -> str:
        """Where the replica is once it has moved."""
        name = directory_name(*moving.hosted.key)
        return f"{self._directories.paths[moving.target_id]}/{name}"

    def take_place(self, moving: MovingReplica, log: TopicLog, source: TopicLog) -> bytes:
        """The copy, which has its name by now, is the replica. Returns the id of the directory that the replica has
        left: what is there is deleted, and what was kept is done."""
        assert moving.is_held, "the copy has all, and nothing is added meanwhile"
        hosted = moving.hosted
        # Whoever holds the `TopicLog` reads the new files from now on.
        former = source.continue_as(log.log)
        self._left[former] = None
        self._call_in(self._settings().delete_delay_ms, partial(self._leave, former))
        former_id, hosted.directory_id = hosted.directory_id, moving.target_id
        self._release(hosted)
        path = f"{self._directories.paths[former_id]}/{directory_name(*hosted.key)}"
        checkpoints = self._replicas.checkpoints
        # Before the former directory gets another name: what a checkpoint has and no directory would look like a loss.
        checkpoints.give_up(former_id, hosted.key)
        self._replicas.unused.discard(former_id, path, hosted.key, self._directories.lanes[former_id])
        for checkpoint in CHECKPOINTS:
            checkpoints.write(moving.target_id, checkpoint)
        # The copy has no producer snapshot: without one, the next start would read all of its batches.
        self._replicas.changes.has_rolled(hosted)
        return former_id

    def _leave(self, former: Log) -> None:
        """Close the files of a log that moved away."""
        # Readers have had the time that a deleted file stays.
        del self._left[former]
        former.abandon()

    def leave_all(self) -> None:
        """Close all files of logs that moved away. To be called when no thread reads any more."""
        for log in self._left:
            log.abandon()
