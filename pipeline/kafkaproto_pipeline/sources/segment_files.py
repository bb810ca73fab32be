"""Reads segments and snapshots, and finds out which of their batches are whole.

Kafka's index files are not used: a batch that they jump over may be damaged, and its damage would not be seen. Nothing
is mapped into memory, because a running node may cut off its log's uncommitted end at any time.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Self

from kafkaproto_pipeline.inspection import Inspection, Places, inspect
from kafkaproto_pipeline.sources.directories import InputError, SegmentOnDisk, open_file


class OpenFile:
    """A file that is read at positions. It is a context manager, because it holds the file open."""

    def __init__(self, path: str) -> None:
        """Open the file. Raises InputError."""
        self.path = path
        self._file = open_file(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def read(self, position: int, size: int) -> bytes:
        """At most so many bytes; fewer only at the end. Raises InputError."""
        parts = []
        try:
            while size > 0 and (part := os.pread(self._file, size, position)):
                parts.append(part)
                position, size = position + len(part), size - len(part)
        except OSError as error:
            raise InputError(f"{self.path} cannot be read at byte {position}: {error.strerror}") from error
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def places(self, inspection: Inspection) -> Places:
        """Finds batches in this file, which was inspected."""
        return Places(self.read, inspection)


def inspect_segment(
    segment: SegmentOnDisk, following: int | None, before: Inspection | None = None
) -> Inspection:
    """What a segment has. ``following`` is the offset with which the next one begins; ``before`` is an earlier
    inspection of the same file. Raises InputError.
    """
    with OpenFile(segment.path) as file:
        return inspect(file.read, segment.size_bytes, segment.base_offset, following=following, before=before)
