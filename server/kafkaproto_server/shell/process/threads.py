"""Where a node's blocking work is done: here in threads, in the simulator in the event loop's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, TypeVarTuple

import trio

from kafkaproto_server.shell.process.io_workers import IoWorkers, Work

T = TypeVar("T")
J = TypeVar("J")
J_contra = TypeVar("J_contra", contravariant=True)
Arguments = TypeVarTuple("Arguments")


class Jobs(Protocol[J_contra]):
    """A lane: jobs that are done one after the other."""

    def put(self, job: J_contra) -> None:
        """Queue a job. For the event loop's thread."""


class Workers(Protocol):
    """Threads and the lanes of work that share them; see `shell.process.io_workers`."""

    @property
    def call_here(self) -> Callable[[Callable[[], Any]], Any] | None:
        """Calls a function in the event loop's thread, whose work is too short for a thread. None if all is left to
        threads."""

    def lane(self, work: Work[J]) -> Jobs[J]:
        """A new lane, whose jobs are done by ``work``."""

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Work until cancelled; jobs that were queued by then are done first. Raises the error of a failed job."""


class Threads(Protocol):
    async def run(
        self, function: Callable[[*Arguments], T], *arguments: *Arguments, abandon_on_cancel: bool = False
    ) -> T:
        """Call the function, and return or raise what it does. A caller that is cancelled waits for the end of the
        call, or leaves it to itself with ``abandon_on_cancel``."""

    def workers(self, threads: int) -> Workers:
        """A new pool."""


class SystemThreads:
    """Real threads. Implements `Threads`."""

    async def run(
        self, function: Callable[[*Arguments], T], *arguments: *Arguments, abandon_on_cancel: bool = False
    ) -> T:
        return await trio.to_thread.run_sync(function, *arguments, abandon_on_cancel=abandon_on_cancel)

    def workers(self, threads: int) -> IoWorkers:
        return IoWorkers(threads)


SYSTEM_THREADS = SystemThreads()
