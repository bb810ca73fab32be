"""The checkpoints of a log directory: an offset for each partition in it.

- ``recovery-point-offset-checkpoint``: what lies before is durable; after a crash, only what lies behind is read.
- ``log-start-offset-checkpoint``: where the log starts, if that is not where its first segment does.
- ``replication-offset-checkpoint``: the high watermark.
- ``cleaner-offset-checkpoint``: up to where the log is compacted.

The form is that of all checkpoints (`kafkaproto.directory_files`), with entries ``topic partition offset``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from kafkaproto.directory_files import decode_checkpoint, encode_checkpoint
from kafkaproto.log import MAX_OFFSET
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import replace_file

RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
LOG_STARTS: Final = "log-start-offset-checkpoint"
HIGH_WATERMARKS: Final = "replication-offset-checkpoint"
CLEANED: Final = "cleaner-offset-checkpoint"

TopicPartition: TypeAlias = tuple[str, int]


def write_offsets(disk: Disk, directory: str, name: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Replace a checkpoint, durably on return. Raises OSError."""
    entries = [(topic, index, offset) for (topic, index), offset in offsets.items()]
    replace_file(disk, directory, name, encode_checkpoint(entries))


def read_offsets(disk: Disk, directory: str, name: str) -> dict[TopicPartition, int]:
    """The offsets of a checkpoint; none if there is no file, or if it is empty. Raises ValueError for any other content
    that is not valid, and OSError."""
    path = f"{directory}/{name}"
    if not disk.exists(path):
        return {}
    content = disk.read_file(path)
    # Apache Kafka creates the file empty and fills it later.
    if not content:
        return {}
    offsets: dict[TopicPartition, int] = {}
    try:
        for topic, index, offset in decode_checkpoint(content):
            key, value = (topic, int(index)), int(offset)
            if not 0 <= value <= MAX_OFFSET:
                raise ValueError(f"{value} is no offset, for {topic}-{index}")
            if offsets.setdefault(key, value) != value:
                raise ValueError(f"two offsets for {topic}-{index}: {offsets[key]} and {value}")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return offsets


def are_whole(disk: Disk, directory: str) -> bool:
    """Whether a directory has the checkpoints that a broker leaves there when it stops in order, and they can be read.
    Raises OSError."""
    try:
        offsets = {name: read_offsets(disk, directory, name) for name in (RECOVERY_POINTS, HIGH_WATERMARKS)}
    except ValueError:
        return False
    # Also of no logs. Apache Kafka leaves the other one empty then.
    return _has_content(disk, directory) and bool(offsets[HIGH_WATERMARKS]) >= bool(offsets[RECOVERY_POINTS])


def _has_content(disk: Disk, directory: str) -> bool:
    path = f"{directory}/{RECOVERY_POINTS}"
    return disk.exists(path) and bool(disk.read_file(path))
