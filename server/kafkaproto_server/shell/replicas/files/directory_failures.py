"""Log directories that failed, on their way to the node (LogDirFailureChannel in Apache Kafka, KIP-112)."""

from __future__ import annotations

from collections.abc import Callable

import trio


class DirectoryFailures:
    """The failures of one broker's log directories that the node has not been told of."""

    def __init__(self, report: Callable[[str, str], None]) -> None:
        """``report`` is called with the path of a directory and its problem."""
        self._report = report
        self.waiting: list[tuple[str, str]] = []
        """The paths, each with the problem."""
        self._has_failed = trio.Event()

    def note(self, path: str, problem: str) -> None:
        """A directory has failed."""
        self.waiting.append((path, problem))
        self._has_failed.set()

    async def run(self) -> None:
        """Report failed directories, until cancelled. From a task, not from whoever met the error: the report ends the
        node if it cannot do without the directory, and changes the replicas that its caller is in the middle of."""
        while True:
            await self._has_failed.wait()
            # Before the reports: a failure that comes of one of them is not missed.
            self._has_failed = trio.Event()
            while self.waiting:
                path, problem = self.waiting.pop()
                self._report(path, problem)
