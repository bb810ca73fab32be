"""Finishes at the next start what a crash interrupted when segments were deleted, and notices what somebody removed."""

from __future__ import annotations

from kafkaproto.directory_files import DELETED_SUFFIX
from kafkaproto.log import (
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    parse_segment_file_name,
    segment_file_name,
)
from kafkaproto.transaction_index import TRANSACTION_INDEX_SUFFIX
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.index import TimeIndex
from kafkaproto_server.shell.storage.log.reached import TOPIC_REMEDY
from kafkaproto_server.shell.storage.log.recovery import RecoveryPolicy

_INDEX_SUFFIXES = (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX)


def remove_leftovers(disk: Disk, directory: str, names: list[str], policy: RecoveryPolicy) -> None:
    """Remove the files in a log's directory that are marked as deleted, and indexes whose segment is gone. ``names``
    are those in the directory. Raises StorageError if the segment of an index was not deleted, and OSError."""
    segments = {base for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None}
    # Apache Kafka renames the .log file first when it deletes a segment. A crash between may leave the indexes of a
    # segment that does not exist any more.
    orphans = [
        (name, base)
        for name in names
        for suffix in _INDEX_SUFFIXES
        if (base := parse_segment_file_name(name, suffix)) is not None and base not in segments
    ]
    deleted = [name for name in names if name.endswith(DELETED_SUFFIX)]
    if policy.cuts_damage and policy.is_kept:
        for name, base in orphans:
            # Compaction deletes a segment, with its indexes, and makes another one of the same name. If this index was
            # deleted before, that deletion was complete, and says nothing of the segment that came later.
            was_deleted = (
                segment_file_name(base) + DELETED_SUFFIX in deleted and name + DELETED_SUFFIX not in deleted
            )
            if not was_deleted and _has_entries(disk, f"{directory}/{name}"):
                raise StorageError(
                    f"{directory}/{segment_file_name(base)}: the file is gone, but {name} is there and has entries:"
                    f" records that were there are gone. {TOPIC_REMEDY}"
                )
    # What is marked shows until the end that the others were deleted, too.
    for name in (*(name for name, _ in orphans), *deleted):
        # Not synced: what comes back is removed by the next start.
        disk.remove(f"{directory}/{name}")


def _has_entries(disk: Disk, path: str) -> bool:
    """Whether an index does not begin with zeros: it is preallocated."""
    if path.endswith(TRANSACTION_INDEX_SUFFIX):
        # It is removed for itself.
        return False
    file = disk.open_read_only(path)
    try:
        return any(file.read_at(0, TimeIndex.ENTRY_SIZE))
    finally:
        file.close()
