"""Tells whether segments were written by a broker before 0.11, by the message format of their first batch."""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.log import segment_file_name
from kafkaproto.records.batch import MAGIC, MAGIC_OFFSET
from kafkaproto_server.ports import Disk


def is_old(disk: Disk, directory: str, bases: Sequence[int], base: int) -> bool:
    """Whether the first batch from the segment ``base`` on has format 0 or 1. ``bases`` are those of all segments.

    No crash of today takes records before it: what is missing there, the cleaner of an old broker has removed. Raises
    OSError.
    """
    for each in bases[bases.index(base) :]:
        file = disk.open_read_only(f"{directory}/{segment_file_name(each)}")
        try:
            head = file.read_at(0, MAGIC_OFFSET + 1)
        finally:
            file.close()
        if head:
            return len(head) > MAGIC_OFFSET and head[MAGIC_OFFSET] < MAGIC
    return False
