"""Iterates over a file of batches and checks each one, without holding the whole file in memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from struct import Struct

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import BatchScan, StopReason
from kafkaproto.records.batch import CRC_START, LENGTH_END, MAGIC, MAGIC_OFFSET, RecordBatchView
from kafkaproto.records.crc32c import crc32c
from kafkaproto_server.base.ports import Buffer, File

WINDOW_BYTES = 1 << 20
"""How much of a file is read at once. More is read only for a batch that is larger."""
LARGE_BATCH_BYTES = 16 << 20
"""A batch that says it is larger is read as a whole only if its crc is right: its length may be damaged."""

_LENGTH: Callable[[Buffer, int], tuple[int]] = Struct(">i").unpack_from
_CRC: Callable[[Buffer, int], tuple[int]] = Struct(">I").unpack_from


class FileScan:
    """``kafkaproto.log.BatchScan`` for a file, read window by window. It can be iterated once.

    Yields (position in the file, view) of every valid batch; a view's own position is that in its window.
    """

    __slots__ = (
        "_file",
        "_window_bytes",
        "_with_old_formats",
        "fault",
        "next_offset",
        "size",
        "stop_reason",
        "valid_end",
    )

    valid_end: int
    """Position after the last valid batch."""
    next_offset: int
    """The lowest base offset that the next batch may have."""
    stop_reason: StopReason | None
    """Why there was no further batch; None before that."""
    fault: RemoteProtocolError | None
    """What is wrong with the bytes at ``valid_end``, with its place in the file; None if nothing is."""

    def __init__(
        self,
        file: File,
        *,
        start: int = 0,
        next_offset: int = 0,
        with_old_formats: bool = False,
        window_bytes: int = WINDOW_BYTES,
    ) -> None:
        """``next_offset`` is the lowest offset that the first batch may have. Raises OSError of the disk."""
        self._file = file
        self._with_old_formats = with_old_formats
        self._window_bytes = window_bytes
        # Once: what is appended meanwhile is no part of this scan.
        self.size = file.size()
        self.valid_end = start
        self.next_offset = next_offset
        self.stop_reason = None
        self.fault = None

    def __iter__(self) -> Iterator[tuple[int, RecordBatchView]]:
        window = self._window_bytes
        while self.valid_end < self.size:
            start = self.valid_end
            data = self._file.read_at(start, window)
            scan = BatchScan(data, next_offset=self.next_offset, with_old_formats=self._with_old_formats)
            for view in scan:
                self.valid_end = start + scan.valid_end
                self.next_offset = scan.next_offset
                # After the position was moved: whoever stops here finds it behind this batch.
                yield start + view.position, view
            window = self._window_bytes
            if scan.fault is None:
                continue
            fault, reason = scan.fault, scan.stop_reason
            if fault.offset is not None:
                fault.offset += start
            if scan.stop_reason is StopReason.PARTIAL and start + len(data) < self.size:
                # Only the window ended inside the batch. Read again from the batch's start.
                if scan.valid_end:
                    continue
                window = batch_size(data)
                left = self.size - start
                if window > left:
                    text = f"a record batch of {window} bytes has only {left}"
                    fault = RemoteProtocolError(text, offset=start + LENGTH_END - 4)
                elif window <= LARGE_BATCH_BYTES or (wrong := wrong_crc(self._file, start, window)) is None:
                    continue
                else:
                    fault, reason = wrong, StopReason.DAMAGED
            self.stop_reason, self.fault = reason, fault
            return
        self.stop_reason = StopReason.END


def batch_size(data: Buffer) -> int:
    """The length in bytes that the batch has which begins with these bytes, if it is one."""
    return _LENGTH(data, LENGTH_END - 4)[0] + LENGTH_END


def wrong_crc(file: File, position: int, size: int) -> RemoteProtocolError | None:
    """The error if the bytes of a file from a position on do not have the crc that they begin with as a batch; None if
    they have. They are never in memory together."""
    head = file.read_at(position, CRC_START)
    is_old = head[MAGIC_OFFSET] < MAGIC
    # The crc of an old message lies before its magic and covers that, too.
    at, begin = (LENGTH_END, MAGIC_OFFSET) if is_old else (CRC_START - 4, CRC_START)
    found, end = 0, position + size
    for start in range(position + begin, end, WINDOW_BYTES):
        data = file.read_at(start, min(WINDOW_BYTES, end - start))
        found = zlib.crc32(data, found) if is_old else crc32c(data, found)
    said = _CRC(head, at)[0]
    if found == said:
        return None
    return RemoteProtocolError(
        f"the crc of {size} bytes that would be a batch is {found:#010x}, it says {said:#010x}",
        offset=position + at,
    )
