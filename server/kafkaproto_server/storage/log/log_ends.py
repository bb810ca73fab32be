"""Whether a topic's log that was closed in order still has its end: a look at its last segment, before it is opened.

A broker asks before it registers: if one of its logs is shorter than it was, the controllers must not believe that it
has all that it acknowledged (KIP-966).
"""

from __future__ import annotations

from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.log.scan import FileScan
from kafkaproto_server.storage.log.segment import LogConfig, Segment

_CONFIG = LogConfig(has_gaps=True, is_durable_at_once=False)


def ends_before(disk: Disk, directory: str, offset: int) -> bool:
    """Whether the log in a directory ends before an offset. No file is changed. Raises StorageError, OSError."""
    if offset <= 0:
        return False
    names = disk.list_directory(directory)
    base = max(
        (base for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None),
        default=None,
    )
    if base is None:
        return True
    # An empty last segment begins where the log ends.
    if base >= offset:
        return False
    segment = Segment(disk, directory, base, _CONFIG)
    try:
        if segment.load(None) is not None:
            return segment.next_offset < offset
    finally:
        segment.close()
    file = disk.open_read_only(segment.path)
    try:
        scan = FileScan(file, next_offset=base)
        for _ in scan:
            pass
        return scan.next_offset < offset
    finally:
        file.close()
