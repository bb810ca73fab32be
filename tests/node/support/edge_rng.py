"""Randomness whose numbers are the least or the greatest that may come."""

from __future__ import annotations


class EdgeRng:
    """See the module."""

    def __init__(self, *, is_greatest: bool) -> None:
        self._is_greatest = is_greatest

    def below(self, limit: int) -> int:
        """0, or the last number before the limit."""
        return limit - 1 if self._is_greatest else 0

    def uuid(self) -> bytes:
        """All zero."""
        return bytes(16)
