"""Tells which segments hold something else than batches of format 2, by their first batches.

No crash of today takes records before a segment that a broker before 0.11 wrote: what is missing there, the cleaner of
that broker has removed. And a segment whose format is not known is nobody's to remove.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.log import StopReason, segment_file_name
from kafkaproto.records.batch import MAGIC
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.log.recovery import unknown_format
from kafkaproto_server.shell.storage.log.scan import FileScan


def is_old(disk: Disk, directory: str, bases: Sequence[int], base: int) -> bool:
    """Whether the first batch from the segment ``base`` on is a valid one of format 0 or 1, or one of a format that is
    not known. ``bases`` are those of all segments. Raises OSError."""
    magic, stop_reason = _first_batch(disk, directory, bases[bases.index(base) :])
    return stop_reason is StopReason.UNKNOWN_FORMAT if magic is None else magic < MAGIC


def begins_with_newest(disk: Disk, directory: str, bases: Sequence[int]) -> bool:
    """Whether the first batch of the segments at ``bases`` is a valid one of format 2. Raises OSError."""
    return _first_batch(disk, directory, bases)[0] == MAGIC


def _first_batch(disk: Disk, directory: str, bases: Sequence[int]) -> tuple[int | None, StopReason | None]:
    """The format of the first batch, if it is valid, and else why it is not; neither if there is none."""
    for each in bases:
        file = disk.open_read_only(f"{directory}/{segment_file_name(each)}")
        try:
            # An empty segment says nothing. The next one may.
            if file.size():
                scan = FileScan(file, next_offset=each, with_old_formats=True)
                first = next(iter(scan), None)
                return (None, scan.stop_reason) if first is None else (first[1].magic, None)
        finally:
            file.close()
    return None, None


def refuse_unknown(disk: Disk, directory: str, bases: Sequence[int]) -> None:
    """Raise CorruptFileError if one of these segments begins with a format that is not known; OSError."""
    for each in bases:
        path = f"{directory}/{segment_file_name(each)}"
        file = disk.open_read_only(path)
        try:
            scan = FileScan(file, next_offset=each, with_old_formats=True)
            if next(iter(scan), None) is None and scan.stop_reason is StopReason.UNKNOWN_FORMAT:
                raise unknown_format(file, path, 0)
        finally:
            file.close()
