"""Runs searches for seeds in a process of their own, one at a time, and ends it if a search does not end."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.pool import Pool
from typing import TypeVar

Result = TypeVar("Result")


class Searcher:
    """One process, started with the first search. Each process of pytest has one, so no search is done twice."""

    def __init__(self) -> None:
        self._pool: Pool | None = None

    def __call__(self, search: Callable[[int], Result], index: int, longest_s: float) -> Result:
        """What ``search(index)`` returns. Raises TimeoutError if it takes longer than ``longest_s``."""
        if self._pool is None:
            self._pool = multiprocessing.get_context("spawn").Pool(1)
        try:
            return self._pool.apply_async(search, (index,)).get(longest_s)
        except multiprocessing.TimeoutError:
            self.close()
            raise TimeoutError(f"the search did not end within {longest_s} s") from None

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()
            self._pool = None
