"""Limits how much of one pass of the loop the requests of all connections may take.

In one pass, trio resumes every task that can continue. No task runs twice before the pass is over, neither the quorum's
driver nor another connection. If the requests of a thousand connections arrive together, all of these are resumed in
one pass. So a pass has an end here: requests that come later in it are accepted and left for the next passes, in order
of arrival.

To read from a connection and to close it cost time as well: when the pass is over, connections wait for that, too, and
each later pass lets a few of them continue. Their hosts take turns (`shell.net.host_queue`), so that the connections of
one host, however many they are, do not delay those of other hosts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from kafkaproto_server.shell.net.host_queue import HostQueue

WaitTurn = Callable[[], Awaitable[None]]
"""Returns when one connection may continue."""

PASS_S: Final = 0.010
"""How long after the start of a pass requests are still started, and connections read or closed."""
LET_ON_A_PASS: Final = 32
"""The number of waiting connections that each pass lets continue. To read one costs 0.05 ms, up to 0.15 ms if much has
arrived; to close one costs 0.4 ms."""


class Passes(trio.abc.Instrument):
    """The passes of the loop in which `run` runs. Without `run`, no pass is ever over."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or time.perf_counter
        self._end = math.inf
        self._connections: HostQueue[trio.lowlevel.Task] = HostQueue()
        self._runner = trio.lowlevel.ParkingLot()

    @property
    def is_over(self) -> bool:
        """Whether new work has to wait for a later pass."""
        return self._clock() >= self._end

    def after_io_wait(self, timeout: float) -> None:
        # From the end of the wait for I/O: all that runs before the next wait belongs to this pass.
        self._end = self._clock() + PASS_S

    async def wait_turn(self, host: str) -> None:
        """Return when a connection from a host may continue: at once, without a checkpoint, while the pass is not
        over."""
        if not self.is_over:
            return
        task = trio.lowlevel.current_task()

        def cancelled(_: object) -> trio.lowlevel.Abort:
            self._connections.remove(host, task)
            return trio.lowlevel.Abort.SUCCEEDED

        self._connections.append(host, task)
        self._runner.unpark_all()
        await trio.lowlevel.wait_task_rescheduled(cancelled)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Watch the passes, and let waiting connections continue, until cancelled."""
        trio.lowlevel.add_instrument(self)
        try:
            task_status.started()
            while True:
                if not self._connections:
                    await self._runner.park()
                # One pass later: what was postponed must not continue in the pass that is over.
                await trio.lowlevel.checkpoint()
                for _ in range(min(LET_ON_A_PASS, len(self._connections))):
                    # Hosts in turn, whichever of their connections came first.
                    trio.lowlevel.reschedule(self._connections.popleft())
        finally:
            trio.lowlevel.remove_instrument(self)
            self._end = math.inf


async def at_once() -> None:
    """For a connection on its own: it never has to wait."""
