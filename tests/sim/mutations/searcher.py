"""Runs searches for seeds in a process of their own, one at a time, and ends it if a search does not end."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TypeVar

Result = TypeVar("Result")

WAIT_FACTOR = 20
"""A search that waits uses no processor time. So many times the limit of that is the limit by the clock."""


class Searcher:
    """One process, started with the first search. Each process of pytest has one, so no search is done twice."""

    def __init__(self) -> None:
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def __call__(self, search: Callable[[int], Result], index: int, longest_s: float) -> Result:
        """What ``search(index)`` returns. Raises TimeoutError if it takes longer than ``longest_s`` of processor
        time: by the clock it may take many times as long, beside other tests. Raises what it raises."""
        connection = self._started()
        connection.send((search, index, longest_s))
        outcome: tuple[Result, None] | tuple[None, Exception] | None = None
        # An end without an outcome is that of the process.
        with suppress(EOFError):
            if connection.poll(WAIT_FACTOR * longest_s):
                outcome = connection.recv()
        if outcome is None:
            self.close()
            raise TimeoutError(f"the search did not end within {longest_s} s of processor time")
        if outcome[1] is not None:
            raise outcome[1]
        return outcome[0]

    def _started(self) -> Connection:
        if self._connection is None:
            context = multiprocessing.get_context("spawn")
            self._connection, of_process = context.Pipe()
            self._process = context.Process(target=_serve, args=(of_process,), daemon=True)
            self._process.start()
            # Else its end would not be the end of the connection.
            of_process.close()
        return self._connection

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._connection is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = self._connection = None


def _serve(connection: Connection) -> None:
    """Search as long as somebody asks."""
    while True:
        try:
            search, index, longest_s = connection.recv()
        except EOFError:
            return
        # It ends the process, whatever that does: a simulation takes exceptions for failures of what it simulates.
        signal.setitimer(signal.ITIMER_PROF, longest_s)
        try:
            result, failure = search(index), None
        except Exception as error:
            result, failure = None, error
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send((result, failure))
