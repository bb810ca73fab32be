"""The ``.log`` file of a segment: opened when it is first needed, closed once, and synced if it has to be.

Its bytes are written by the thread that changes the log and read by any other. What they mean is the segment's
business: this module knows neither batches nor offsets. Apache Kafka has this in FileRecords.
"""

from __future__ import annotations

import threading

from kafkaproto_server.base.ports import Disk, File
from kafkaproto_server.shell.storage.errors import LogClosedError
from kafkaproto_server.shell.storage.log.unsynced import sync

_opening = threading.Lock()
"""Held while the file of a segment is opened."""


class SegmentFile:
    """The file of one segment.

    ``file``, ``opened`` and ``check_open`` may be used in any thread. All else belongs to the thread that changes the
    log; `release` and `close` only while no read is running (`LogSegments.reading`).
    """

    __slots__ = ("_disk", "_is_closed", "is_new", "is_synced", "opened", "path")

    def __init__(self, disk: Disk, path: str, *, is_new: bool) -> None:
        self._disk = disk
        self.path = path
        self.opened: File | None = None
        """The open file; None while it has no descriptor."""
        self.is_synced = True
        """Whether all that was written is durable."""
        self._is_closed = False
        self.is_new = is_new
        """Whether it may be missing, and is made then. Any other segment has a file. If somebody removed it, an empty
        one must not take its place."""

    @property
    def file(self) -> File:
        """The file, opened when it is first needed: a broker has thousands of segments that nobody uses."""
        if self.opened is None:
            with _opening:
                # A reader and the writer may both need it for the first time.
                if self.opened is None:
                    self.check_open()
                    self.opened = self._disk.open(self.path, create=self.is_new)
        return self.opened

    def check_open(self) -> None:
        """Raises LogClosedError: whoever reads may have waited while the log was deleted."""
        if self._is_closed:
            raise LogClosedError(self.path)

    def renamed(self, path: str) -> None:
        """The closed file has another path now, and must not be missing there."""
        # An open file keeps the path that it was opened by, and is opened there again when its descriptor was given to
        # another one (`open_files`).
        assert self.opened is None, f"{self.path} is open"
        self.is_new = False
        self.path = path

    def sync(self, *, is_durable_at_once: bool) -> None:
        """Make durable what was written since the last sync, if anything was. Raises OSError."""
        if not self.is_synced:
            if is_durable_at_once:
                # The node ends if that fails, and its next start writes the end of the log again.
                self.file.sync()
            else:
                sync(self.file)
            self.is_synced = True

    def release(self) -> None:
        """Give up the descriptor until the file is needed again."""
        # Forgotten before it is closed: if closing fails, the number may belong to another file already.
        opened, self.opened = self.opened, None
        if opened is not None:
            opened.close()

    def close(self) -> bool:
        """Let nobody open the file again. Returns False if that was so already."""
        if self._is_closed:
            return False
        self._is_closed = True
        return True
