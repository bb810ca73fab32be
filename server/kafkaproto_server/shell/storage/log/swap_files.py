"""Puts a segment that compaction has made in the place of others, so that a crash at any moment loses nothing.

1. The new files are written and synced under their names with the suffix ``.cleaned``. After a crash they are removed.
2. They are renamed to ``.swap``. From the moment on that no ``.cleaned`` is left, a start completes what follows.
3. The files of the old segments are renamed to ``.deleted``, and removed later.
4. The suffix ``.swap`` is taken away.

At a start, what the new segment covers may still be there under its old names, and is removed (`complete_swaps`).
Apache Kafka has this in LocalLog.replaceSegments and LogLoader.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.log import (
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    parse_segment_file_name,
    segment_file_name,
)
from kafkaproto.transaction_index import TRANSACTION_INDEX_SUFFIX
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.log import batch_walk
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.log.transaction_index_files import delete_index

CLEANED_SUFFIX = ".cleaned"
SWAP_SUFFIX = ".swap"
_SUFFIXES = (LOG_SUFFIX, OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX)


def remove_cleaned(disk: Disk, directory: str) -> None:
    """Remove the files of a cleaning that came to nothing. Raises OSError."""
    for name in disk.list_directory(directory):
        if name.endswith(CLEANED_SUFFIX):
            disk.remove(f"{directory}/{name}")


def swap_in(disk: Disk, directory: str, gone: Sequence[Segment], cleaned: Segment) -> list[str]:
    """Put the files of a new segment in the place of those of old ones, durably on return. Returns the paths of the old
    files, which are to be removed later. Raises OSError."""
    deleted = []
    _begin_swap(disk, directory, cleaned)
    for segment in gone:
        deleted += segment.delete()
        # Before the new segment gets its name, which is that of the first of these.
        deleted += delete_index(disk, directory, segment.base_offset)
    _end_swap(disk, directory, cleaned)
    return deleted


def _begin_swap(disk: Disk, directory: str, cleaned: Segment) -> None:
    """Let the new segment count instead of the old ones after a crash, durably on return."""
    _rename(disk, directory, cleaned, CLEANED_SUFFIX, SWAP_SUFFIX)
    # Before an old file goes: a file system may keep later changes of names and lose earlier ones.
    disk.sync_directory(directory)


def _end_swap(disk: Disk, directory: str, cleaned: Segment) -> None:
    """Give the new segment its names, durably on return."""
    _rename(disk, directory, cleaned, SWAP_SUFFIX, "")
    disk.sync_directory(directory)


def _rename(disk: Disk, directory: str, cleaned: Segment, before: str, after: str) -> None:
    for suffix in _SUFFIXES:
        path = f"{directory}/{segment_file_name(cleaned.base_offset, suffix)}"
        if disk.exists(path + before):
            disk.rename(path + before, path + after)
    cleaned.renamed(after)


def complete_swaps(disk: Disk, directory: str, names: list[str]) -> list[str]:
    """Complete the swaps that a crash interrupted, and remove the files of cleanings that came to nothing. ``names``
    are those in the directory; returns them as they are then.

    Raises CorruptFileError if a file that is to be swapped in does not hold batches only; OSError.
    """
    cleaned = _bases(names, CLEANED_SUFFIX)
    swapped = _bases(names, SWAP_SUFFIX)
    if not cleaned and not swapped:
        return names
    # While a file still has the first suffix, the swap had not begun.
    first_cleaned = min(cleaned.values(), default=None)
    for name, base in swapped.items():
        if first_cleaned is not None and base >= first_cleaned:
            disk.remove(f"{directory}/{name}")
    for name in cleaned:
        disk.remove(f"{directory}/{name}")
    swapped = _bases(disk.list_directory(directory), SWAP_SUFFIX)
    for name, base in swapped.items():
        # Its indexes cover nothing by themselves.
        if name.endswith(LOG_SUFFIX + SWAP_SUFFIX):
            _remove_range(disk, directory, base, _end_offset(disk, f"{directory}/{name}", base))
    disk.sync_directory(directory)
    for name in swapped:
        disk.rename(f"{directory}/{name}", f"{directory}/{name.removesuffix(SWAP_SUFFIX)}")
    disk.sync_directory(directory)
    return disk.list_directory(directory)


def _remove_range(disk: Disk, directory: str, begin: int, end: int) -> None:
    """Remove the segments that begin in a range of offsets."""
    for name in disk.list_directory(directory):
        base = _base(name)
        if base is not None and begin <= base < end:
            disk.remove(f"{directory}/{name}")


def _end_offset(disk: Disk, path: str, base: int) -> int:
    file = disk.open_read_only(path)
    try:
        for place in batch_walk.walk(file.read_at, path, 0, file.size()):
            # Headers suffice: the file was synced before it was renamed.
            base = place.next_offset
        return base
    finally:
        file.close()


def _bases(names: list[str], suffix: str) -> dict[str, int]:
    """The base offsets of the files of segments whose names end with a suffix, by name."""
    return {
        name: base
        for name in names
        if name.endswith(suffix) and (base := _base(name.removesuffix(suffix))) is not None
    }


def _base(name: str) -> int | None:
    for suffix in _SUFFIXES:
        base = parse_segment_file_name(name, suffix)
        if base is not None:
            return base
    return None
