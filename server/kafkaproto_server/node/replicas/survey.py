"""What lies in a log directory when the broker starts: partitions, checkpoints, what is to be removed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import msgspec

from kafkaproto.directory_files import PARTITION_METADATA_NAME, torn_topic_id
from kafkaproto_server.broker.start_table import FoundReplica
from kafkaproto_server.ports import Disk
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
    parse_directory_name,
)
from kafkaproto_server.storage.errors import CorruptFileError
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


def survey_directory(disk: Disk, path: str, directory_id: bytes, *, is_clean: bool) -> DirectorySurvey:
    """Read what is in a log directory. Raises OSError.

    A future copy whose topic id is damaged is a stray: a power loss may leave that of a copy that was just begun, and
    nobody would ever remove it.
    """
    replicas: list[FoundReplica] = []
    deleted = []
    for name in disk.list_directory(path):
        found = parse_directory_name(name)
        if found is not None and found.suffix == DELETE_SUFFIX:
            deleted.append(name)
        if found is None or found.suffix not in ("", FUTURE_SUFFIX) or name == METADATA_LOG_NAME:
            continue
        is_future, is_damaged = found.suffix == FUTURE_SUFFIX, False
        torn_id: str | None = None
        try:
            topic_id = read_topic_id(disk, f"{path}/{name}")
        except CorruptFileError as error:
            _log.warning("%s", error)
            topic_id, is_damaged = None, not is_future
            torn_id = torn_topic_id(disk.read_file(f"{path}/{name}/{PARTITION_METADATA_NAME}"))
        replicas.append(
            FoundReplica(
                directory_id=directory_id,
                name=name,
                topic=found.topic,
                index=found.partition,
                topic_id=topic_id,
                is_future=is_future,
                is_damaged=is_damaged,
                torn_id=torn_id,
            )
        )
    return DirectorySurvey(
        is_clean=is_clean,
        found=tuple(replicas),
        recovery_points=_offsets(disk, path, RECOVERY_POINTS),
        log_starts=_offsets(disk, path, LOG_STARTS),
        high_watermarks=_offsets(disk, path, HIGH_WATERMARKS),
        deleted=deleted,
        cleaned=_offsets(disk, path, CLEANED),
    )


def _offsets(disk: Disk, path: str, name: str) -> dict[TopicPartition, int]:
    try:
        return read_offsets(disk, path, name)
    except ValueError as error:
        # Without it more is read, and the high watermark is learnt again.
        _log.warning("%s", error)
        return {}
