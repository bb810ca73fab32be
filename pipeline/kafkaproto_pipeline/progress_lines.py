"""Progress as lines, for a log or a pipe: what a terminal shows with a bar."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

INTERVAL_S = 10.0
"""Work that takes longer is reported again after this time."""


class ProgressLines:
    """A context that writes a line for each piece of work, and another one every ``interval_s`` while it lasts.

    Nothing is written after the context.
    """

    def __init__(self, write: Callable[[str], None], interval_s: float = INTERVAL_S) -> None:
        self._write = write
        self._interval_s = interval_s
        self._text = ""
        self._begun = time.monotonic()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> ProgressLines:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def begin(self, text: str) -> None:
        """Write that a piece of work begins."""
        with self._lock:
            self._text, self._begun = text, time.monotonic()
            self._write(text)

    def note(self, text: str) -> None:
        """How far the work is: written when its time comes."""
        with self._lock:
            self._text = text

    def _repeat(self) -> None:
        while not self._over.wait(self._interval_s):
            with self._lock:
                if self._text:
                    self._write(f"{self._text}: {time.monotonic() - self._begun:.0f} s")
