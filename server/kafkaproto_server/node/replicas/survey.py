"""What lies in a log directory when the broker starts: partitions, checkpoints, what is to be removed."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import msgspec

from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.directories.offset_checkpoints import (
    CLEANED,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    TopicPartition,
    read_offsets,
)
from kafkaproto_server.storage.directories.partition_directories import parse_directory_name
from kafkaproto_server.storage.errors import CorruptFileError
from kafkaproto_server.storage.log.topic_log import read_topic_id
from kafkaproto_server.types import METADATA_LOG_NAME

_log = logging.getLogger("kafkaproto.server.replicas")


class DirectorySurvey(msgspec.Struct, frozen=True, kw_only=True):
    """What a directory holds."""

    is_clean: bool
    """Whether the broker stopped in order: nothing has to be recovered."""
    partitions: Mapping[tuple[bytes, int], str]
    """The name of each partition's directory, by topic id and partition."""
    recovery_points: Mapping[TopicPartition, int]
    log_starts: Mapping[TopicPartition, int]
    high_watermarks: Mapping[TopicPartition, int]
    cleaned: Mapping[TopicPartition, int] = msgspec.field(default_factory=dict)
    """Up to where each log is compacted."""


def survey_directory(disk: Disk, path: str, *, is_clean: bool) -> DirectorySurvey:
    """Read what is in a log directory. Raises OSError."""
    partitions: dict[tuple[bytes, int], str] = {}
    for name in disk.list_directory(path):
        found = parse_directory_name(name)
        if found is None or found.suffix or name == METADATA_LOG_NAME:
            continue
        try:
            topic_id = read_topic_id(disk, f"{path}/{name}")
        except CorruptFileError as error:
            _log.warning("%s", error)
            continue
        if topic_id is not None:
            partitions[topic_id, found.partition] = name
    return DirectorySurvey(
        is_clean=is_clean,
        partitions=partitions,
        recovery_points=_offsets(disk, path, RECOVERY_POINTS),
        log_starts=_offsets(disk, path, LOG_STARTS),
        high_watermarks=_offsets(disk, path, HIGH_WATERMARKS),
        cleaned=_offsets(disk, path, CLEANED),
    )


def _offsets(disk: Disk, path: str, name: str) -> dict[TopicPartition, int]:
    try:
        return read_offsets(disk, path, name)
    except ValueError as error:
        # Without it more is read, and the high watermark is learnt again.
        _log.warning("%s", error)
        return {}
