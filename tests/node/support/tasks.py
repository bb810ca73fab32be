"""Tasks that run beside a test, under trio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio
from trio.testing import wait_all_tasks_blocked


@asynccontextmanager
async def running(task: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Has a task run. The block begins when the task waits for something, and ends with its cancellation."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(task)
        await wait_all_tasks_blocked()
        yield
        nursery.cancel_scope.cancel()


class Turns:
    """Another task, which counts its turns."""

    def __init__(self) -> None:
        self.count = 0

    async def run(self) -> None:
        """Take turns until cancelled."""
        while True:
            self.count += 1
            await trio.lowlevel.checkpoint()
