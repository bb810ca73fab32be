"""Tells whether segments were written by a broker before 0.11, by the message format of their first batch."""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import segment_file_name
from kafkaproto.records.legacy import LegacyBatchView, read_head
from kafkaproto_server.ports import Disk, File

_HEAD_BYTES = 26
"""Of a batch of format 1, up to its key."""


def is_old(disk: Disk, directory: str, bases: Sequence[int], base: int) -> bool:
    """Whether the first batch from the segment ``base`` on is a valid one of format 0 or 1. ``bases`` are those of all
    segments.

    No crash of today takes records before it: what is missing there, the cleaner of an old broker has removed. Raises
    OSError.
    """
    for each in bases[bases.index(base) :]:
        file = disk.open_read_only(f"{directory}/{segment_file_name(each)}")
        try:
            if file.size():
                return _begins_old(file, each)
        finally:
            file.close()
    return False


def _begins_old(file: File, base: int) -> bool:
    try:
        # The zeros that a crash leaves have no length.
        size = read_head(file.read_at(0, _HEAD_BYTES), 0).size_in_bytes
        view = LegacyBatchView(file.read_at(0, size))
        view.check()
    except RemoteProtocolError:
        return False
    return view.last_offset >= base
