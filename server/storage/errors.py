"""What storage refuses: files that do not say what they should. Failures of the disk itself stay OSError."""

from __future__ import annotations


class StorageError(Exception):
    """A file or directory is not as it must be. The message names it, the fault, and what to do where that
    helps."""


class CorruptFileError(StorageError):
    """A file's content is no valid file of its kind."""

    def __init__(self, path: str, reason: str, *, position: int | None = None) -> None:
        at = "" if position is None else f" at byte {position}"
        super().__init__(f"{path}{at}: {reason}")
        self.path = path
        self.reason = reason
        self.position = position
        """Byte offset in the file; None where no single place is at fault."""


class OffsetOutOfRangeError(Exception):
    """An offset was asked for that a log does not hold."""

    def __init__(self, directory: str, offset: int, start: int, end: int) -> None:
        super().__init__(
            f"{directory}: offset {offset} is outside of the log, which holds {start} to {end} (exclusive)"
        )
        self.offset = offset
        self.start = start
        self.end = end
