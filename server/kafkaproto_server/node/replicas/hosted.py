"""The replicas that the metadata places on this broker: opens and makes their logs, sets aside what is not theirs.

`broker.replica_directories` says which replica belongs in which directory. What lies in the directories already is read
once at the start (`survey`). A log is opened by a job of its directory (`disk_jobs`); until then its partition is in no
role, and clients ask again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial

from kafkaproto_server.broker.directories import LogDirectories
from kafkaproto_server.image.entries import PartitionImage
from kafkaproto_server.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.node.replicas.disk_jobs import DiskJob, do_jobs
from kafkaproto_server.node.replicas.survey import DirectorySurvey
from kafkaproto_server.node.replicas.topic_settings import TopicSettings
from kafkaproto_server.node.threads import Jobs, Workers
from kafkaproto_server.ports import Clock, Disk, Rng
from kafkaproto_server.replica.partition import Partition, Role
from kafkaproto_server.storage.directories.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    TopicPartition,
    write_offsets,
)
from kafkaproto_server.storage.directories.partition_directories import (
    DELETE_SUFFIX,
    directory_name,
    set_aside_name,
)
from kafkaproto_server.storage.errors import StorageError, is_shortage
from kafkaproto_server.storage.log.topic_log import Found, TopicLog

_log = logging.getLogger("kafkaproto.server.replicas")

PartitionId = tuple[bytes, int]
"""(topic id, partition index)"""


class Hosted:
    """One replica on this broker."""

    __slots__ = (
        "directory_id",
        "image",
        "is_being_cut",
        "is_gone",
        "lane",
        "log",
        "partition",
        "recovery_point",
        "settings",
    )

    def __init__(
        self, partition: Partition, directory_id: bytes, lane: Jobs[DiskJob], settings: TopicSettings
    ) -> None:
        self.partition = partition
        self.directory_id = directory_id
        self.lane = lane
        self.settings = settings
        self.log: TopicLog | None = None
        """None until it is open, and after it was closed."""
        self.image: PartitionImage | None = None
        """The newest state in the metadata."""
        self.recovery_point = 0
        """What lies before is durable."""
        self.is_being_cut = False
        """Whether a job cuts its log: what the metadata says meanwhile is applied to what is left."""
        self.is_gone = False
        """Whether it was deleted, or moved away, while its log was being opened."""


class HostedReplicas:
    """All replicas of one broker, by topic id and partition."""

    def __init__(
        self,
        *,
        disk: Disk,
        clock: Clock,
        rng: Rng,
        workers: Workers,
        directories: LogDirectories,
        surveys: dict[bytes, DirectorySurvey],
        producer_expiration_ms: int,
        applied: Callable[[Hosted], None],
        directory_failed: Callable[[str, str], None],
    ) -> None:
        """``surveys`` has what lies in each directory that works, by its id. ``applied`` is called when a partition's
        log is open or its image has changed."""
        self._disk = disk
        self._clock = clock
        self._rng = rng
        self._paths = {
            each.directory_id: each.path for each in directories.all if each.directory_id in surveys
        }
        self._lanes: dict[bytes, Jobs[DiskJob]] = {each: workers.lane(do_jobs) for each in surveys}
        self._surveys = surveys
        self._producer_expiration_ms = producer_expiration_ms
        self._applied = applied
        self._directory_failed = directory_failed
        self._opening = 0
        self.by_id: dict[PartitionId, Hosted] = {}

    @property
    def are_open(self) -> bool:
        """Whether no log is being opened."""
        return self._opening == 0

    def __iter__(self) -> Iterator[Hosted]:
        return iter(self.by_id.values())

    def path_of(self, hosted: Hosted) -> str:
        """The log directory that a replica is in."""
        return self._paths[hosted.directory_id]

    def get(self, topic_id: bytes, index: int) -> Hosted | None:
        """The replica of a partition; None if this broker has none."""
        return self.by_id.get((topic_id, index))

    def add(
        self, partition: Partition, image: PartitionImage, directory_id: bytes, settings: TopicSettings
    ) -> None:
        """Open the log of a replica, or begin one."""
        hosted = Hosted(partition, directory_id, self._lanes[directory_id], settings)
        hosted.image = image
        hosted.recovery_point = self._surveys[directory_id].recovery_points.get(
            (partition.topic, partition.index), 0
        )
        self.by_id[partition.topic_id, partition.index] = hosted
        survey = self._surveys[directory_id]
        name = directory_name(partition.topic, partition.index)
        key = (partition.topic, partition.index)
        self._opening += 1
        hosted.lane.put(
            DiskJob(
                partial(
                    self._open,
                    f"{self._paths[directory_id]}/{name}",
                    partition.topic_id,
                    settings,
                    survey.recovery_points.get(key, 0),
                    survey.log_starts.get(key, 0),
                    survey.is_clean,
                ),
                partial(self._opened, hosted, survey.high_watermarks.get(key, 0)),
                partial(self._not_opened, hosted),
            )
        )

    def _open(
        self,
        path: str,
        topic_id: bytes,
        settings: TopicSettings,
        recovery_point: int,
        log_start_offset: int,
        is_clean: bool,
    ) -> tuple[TopicLog, Found]:
        log = TopicLog.open(
            self._disk,
            path,
            topic_id=topic_id,
            config=settings.log,
            recovery_point=recovery_point,
            log_start_offset=log_start_offset,
            is_clean=is_clean,
            producer_expiration_ms=self._producer_expiration_ms,
        )
        return log, log.found(self._clock.wall_ms())

    def _opened(self, hosted: Hosted, high_watermark: int, result: tuple[TopicLog, Found]) -> None:
        self._opening -= 1
        log, found = result
        if log.log.recovery_note is not None:
            _log.warning("%s", log.log.recovery_note)
        if hosted.is_gone:
            log.log.abandon()
            return
        hosted.log = log
        hosted.partition.opened(
            log_start_offset=found.log_start_offset,
            log_end_offset=found.log_end_offset,
            epochs=LeaderEpochs(found.epoch_starts),
            producers=found.producers,
            aborted=found.aborted,
            high_watermark=high_watermark,
        )
        self._applied(hosted)

    def apply(self, hosted: Hosted) -> None:
        """Give a replica the newest state in the metadata."""
        self._applied(hosted)

    def _not_opened(self, hosted: Hosted, error: Exception) -> None:
        self._opening -= 1
        self.failed(hosted, error)

    def failed(self, hosted: Hosted, error: Exception) -> None:
        """Its log cannot be used: its files are wrong, or its directory fails."""
        hosted.partition.failed()
        # Without a free descriptor, nothing is known of the directory.
        if isinstance(error, StorageError) or (isinstance(error, OSError) and is_shortage(error)):
            _log.error("%s", error)
        else:
            self._directory_failed(self._paths[hosted.directory_id], str(error))

    def remove(self, topic_id: bytes, index: int) -> Hosted | None:
        """Delete a replica: its directory is renamed, and its files are removed later. Returns what it was."""
        hosted = self.by_id.pop((topic_id, index), None)
        if hosted is None:
            return None
        hosted.is_gone = True
        partition, log = hosted.partition, hosted.log
        partition.failed()
        hosted.log = None
        path = self._paths[hosted.directory_id]
        name = set_aside_name(partition.topic, index, self._rng.uuid(), DELETE_SUFFIX)
        hosted.lane.put(
            DiskJob(
                partial(
                    self._set_aside,
                    log,
                    f"{path}/{directory_name(partition.topic, index)}",
                    f"{path}/{name}",
                ),
                lambda _: None,
                partial(self.failed, hosted),
            )
        )
        return hosted

    def _set_aside(self, log: TopicLog | None, source: str, target: str) -> None:
        if log is not None:
            log.log.abandon()
        if self._disk.exists(source):
            self._disk.rename(source, target)

    def close_all(self, done: Callable[[], None]) -> None:
        """Close all logs in order, and write the checkpoints; ``done`` is called at the end."""
        left = len(self._lanes)
        if not left:
            done()

        def closed(_: object) -> None:
            nonlocal left
            left -= 1
            if not left:
                done()

        for hosted in self:
            log, hosted.log = hosted.log, None
            if log is not None:
                hosted.lane.put(
                    DiskJob(
                        partial(log.close, hosted.partition.producers),
                        lambda _: None,
                        partial(self.failed, hosted),
                    )
                )
        for directory_id, lane in self._lanes.items():
            lane.put(DiskJob(partial(self._write_checkpoints, directory_id, is_closed=True), closed, closed))

    def write_checkpoints(self) -> None:
        """Write the checkpoints of all directories."""
        for directory_id, lane in self._lanes.items():
            path = self._paths[directory_id]
            lane.put(
                DiskJob(
                    partial(self._write_checkpoints, directory_id, is_closed=False),
                    lambda _: None,
                    partial(self._checkpoints_failed, path),
                )
            )

    def _checkpoints_failed(self, path: str, error: Exception) -> None:
        # Without a free descriptor, nothing is known of the directory: they are written the next time.
        if isinstance(error, OSError) and is_shortage(error):
            _log.error("%s", error)
        else:
            self._directory_failed(path, str(error))

    def _write_checkpoints(self, directory_id: bytes, *, is_closed: bool) -> None:
        recovery_points: dict[TopicPartition, int] = {}
        log_starts: dict[TopicPartition, int] = {}
        high_watermarks: dict[TopicPartition, int] = {}
        for hosted in tuple(self.by_id.values()):
            partition = hosted.partition
            if hosted.directory_id != directory_id or partition.role is Role.OFFLINE:
                continue
            key = (partition.topic, partition.index)
            recovery_points[key] = partition.log_end_offset if is_closed else hosted.recovery_point
            high_watermarks[key] = partition.high_watermark
            if partition.log_start_offset:
                log_starts[key] = partition.log_start_offset
        path = self._paths[directory_id]
        if is_closed:
            # Once for all logs. Only then may the checkpoints say that everything is durable.
            self._disk.sync_file_system(path)
        write_offsets(self._disk, path, RECOVERY_POINTS, recovery_points)
        write_offsets(self._disk, path, LOG_STARTS, log_starts)
        write_offsets(self._disk, path, HIGH_WATERMARKS, high_watermarks)
