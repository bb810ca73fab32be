"""Iterates over a file of batches and checks each one, without holding the whole file in memory."""

from __future__ import annotations

from collections.abc import Iterator

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import BatchScan, StopReason
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.ports import File

WINDOW_BYTES = 1 << 20
"""How much of a file is read at once. More is read only for a batch that is larger."""


class FileScan:
    """``kafkaproto.log.BatchScan`` for a file, read window by window. It can be iterated once.

    Yields (position in the file, view) of every valid batch; a view's own position is that in its window.
    """

    __slots__ = ("_file", "_with_old_formats", "fault", "next_offset", "size", "stop_reason", "valid_end")

    valid_end: int
    """Position after the last valid batch."""
    next_offset: int
    """The lowest base offset that the next batch may have."""
    stop_reason: StopReason | None
    """Why there was no further batch; None before that."""
    fault: RemoteProtocolError | None
    """What is wrong with the bytes at ``valid_end``, with its place in the file; None if nothing is."""

    def __init__(
        self, file: File, *, start: int = 0, next_offset: int = 0, with_old_formats: bool = False
    ) -> None:
        """``next_offset`` is the lowest offset that the first batch may have. Raises OSError of the disk."""
        self._file = file
        self._with_old_formats = with_old_formats
        self.size = file.size()
        self.valid_end = start
        self.next_offset = next_offset
        self.stop_reason = None
        self.fault = None

    def __iter__(self) -> Iterator[tuple[int, RecordBatchView]]:
        window = WINDOW_BYTES
        while self.valid_end < self.size:
            start = self.valid_end
            data = self._file.read_at(start, window)
            scan = BatchScan(data, next_offset=self.next_offset, with_old_formats=self._with_old_formats)
            for view in scan:
                self.valid_end = start + scan.valid_end
                self.next_offset = scan.next_offset
                yield start + view.position, view
            if scan.fault is None:
                continue
            if scan.stop_reason is StopReason.PARTIAL and start + len(data) < self.size:
                # Only the window ended inside the batch. Read again from the batch's start.
                window = window if scan.valid_end else window * 2
                continue
            if scan.fault.offset is not None:
                scan.fault.offset += start
            self.stop_reason, self.fault = scan.stop_reason, scan.fault
            return
        self.stop_reason = StopReason.END
