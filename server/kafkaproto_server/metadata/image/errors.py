"""The errors that replay raises if a record contradicts the image that it is applied to."""

from __future__ import annotations


class Contradiction(Exception):
    """An apply function raises it: it says what is wrong with a record. `replay` adds which record it was."""


class ReplayError(Exception):
    """A record contradicts the image that it is replayed on.

    ``record_name`` and ``offset`` say which record, ``reason`` what is wrong with it; the text has all three.
    """

    def __init__(self, record_name: str, offset: int, reason: str) -> None:
        # All three in the text: it may be the last line that a node writes.
        super().__init__(f"{record_name} at offset {offset}: {reason}")
        self.record_name = record_name
        self.offset = offset
        self.reason = reason
