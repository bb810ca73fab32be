"""What a run prints as it goes: when, and what happened."""

from __future__ import annotations

import time
from collections.abc import Callable

Tell = Callable[[str], None]
"""Takes a line for the user."""


def with_times() -> Tell:
    """A teller that puts the seconds since now before each line."""
    start = time.monotonic()

    def tell(line: str) -> None:
        print(f"{time.monotonic() - start:7.1f} s  {line}", flush=True)

    return tell


def in_silence(line: str) -> None:
    """For tests."""
