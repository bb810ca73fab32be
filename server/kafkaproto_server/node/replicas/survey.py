"""What lies in a log directory when the broker starts: partitions, checkpoints, what is to be removed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import msgspec

from kafkaproto.directory_files import PARTITION_METADATA_NAME, torn_topic_id
from kafkaproto_server.broker.start_table import FoundReplica
from kafkaproto_server.node.replicas.checkpointed import Checkpointed
from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.directories.boot_file import is_of_this_boot
from kafkaproto_server.storage.directories.offset_checkpoints import (
    CLEANED,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    TopicPartition,
    read_offsets,
)
from kafkaproto_server.storage.directories.partition_directories import (
    DELETE_SUFFIX,
    FUTURE_SUFFIX,
    PartitionDirectory,
    parse_directory_name,
)
from kafkaproto_server.storage.errors import CorruptFileError, of_log
from kafkaproto_server.storage.log.partition_metadata import check_has_no_records
from kafkaproto_server.storage.log.topic_log import read_topic_id
from kafkaproto_server.types import METADATA_LOG_NAME

_log = logging.getLogger("kafkaproto.server.replicas")


class DirectorySurvey(msgspec.Struct, frozen=True, kw_only=True):
    """What a directory holds."""

    is_clean: bool
    """Whether the broker stopped in order: nothing has to be recovered."""
    found: tuple[FoundReplica, ...]
    """The directories of replicas, and their future copies."""
    recovery_points: Mapping[TopicPartition, int]
    log_starts: Mapping[TopicPartition, int]
    high_watermarks: Mapping[TopicPartition, int]
    deleted: Sequence[str] = ()
    """The names of directories whose replicas were deleted, and that are to be removed."""
    cleaned: Mapping[TopicPartition, int] = msgspec.field(default_factory=dict)
    """Up to where each log is compacted."""
    is_of_boot: bool = False
    """Whether it says that the machine has run on since all of its logs were open."""
    is_kept: bool = False
    """Whether all that the broker wrote has to be there: it stopped in order, or the machine has run on since."""

    def checkpointed(self, topic: str, index: int) -> Checkpointed:
        """What the checkpoints say of a replica."""
        key = (topic, index)
        return Checkpointed(
            recovery_point=self.recovery_points.get(key, 0),
            log_start_offset=self.log_starts.get(key, 0),
            high_watermark=self.high_watermarks.get(key, 0),
        )


def survey_directory(disk: Disk, path: str, directory_id: bytes, *, is_clean: bool) -> DirectorySurvey:
    """Read what is in a log directory. Raises OSError.

    A future copy whose topic id is damaged is a stray: a power loss may leave that of a copy that was just begun, and
    nobody would ever remove it.
    """
    replicas: list[FoundReplica] = []
    deleted = []
    is_of_boot = is_of_this_boot(disk, path)
    is_kept = is_of_boot or is_clean
    recovery_points = _offsets(disk, path, RECOVERY_POINTS)
    for name in disk.list_directory(path):
        found = parse_directory_name(name)
        if found is not None and found.suffix == DELETE_SUFFIX:
            deleted.append(name)
        if found is None or found.suffix not in ("", FUTURE_SUFFIX) or name == METADATA_LOG_NAME:
            continue
        reached = recovery_points.get((found.topic, found.partition), 0)
        replica = _replica(disk, path, directory_id, name, found, may_lack_id=not (is_kept or reached))
        replicas.append(replica)
    return DirectorySurvey(
        is_clean=is_clean,
        found=tuple(replicas),
        recovery_points=recovery_points,
        log_starts=_offsets(disk, path, LOG_STARTS),
        high_watermarks=_offsets(disk, path, HIGH_WATERMARKS),
        deleted=deleted,
        cleaned=_offsets(disk, path, CLEANED),
        is_kept=is_kept,
        is_of_boot=is_of_boot,
    )


def _replica(
    disk: Disk, path: str, directory_id: bytes, name: str, found: PartitionDirectory, *, may_lack_id: bool
) -> FoundReplica:
    directory, is_future = f"{path}/{name}", found.suffix == FUTURE_SUFFIX
    topic_id: bytes | None = None
    torn_id: str | None = None
    is_damaged = False
    try:
        with of_log(directory):
            topic_id = read_topic_id(disk, directory)
            if topic_id is None and not is_future and not may_lack_id:
                check_has_no_records(disk, directory)
    except CorruptFileError as error:
        _log.warning("%s", error)
        topic_id, is_damaged = None, not is_future
        torn_id = _torn_id(disk, f"{directory}/{PARTITION_METADATA_NAME}")
    return FoundReplica(
        directory_id=directory_id,
        name=name,
        topic=found.topic,
        index=found.partition,
        topic_id=topic_id,
        is_future=is_future,
        is_damaged=is_damaged,
        torn_id=torn_id,
    )


def _torn_id(disk: Disk, path: str) -> str | None:
    try:
        return torn_topic_id(disk.read_file(path))
    except OSError:
        # Nothing says whose log it is but the directory's name.
        return ""


def _offsets(disk: Disk, path: str, name: str) -> dict[TopicPartition, int]:
    try:
        return read_offsets(disk, path, name)
    except ValueError as error:
        # Without it more is read, and the high watermark is learnt again.
        _log.warning("%s", error)
        return {}
