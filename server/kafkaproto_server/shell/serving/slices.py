"""Runs the work of requests in slices, so that the loop is never blocked for long.

Work that may take long is `Steps`: a generator that yields every few ten microseconds. It starts where it arrives,
unless the pass of the loop has already served enough (`shell.net.passes`). If it is not complete within a millisecond,
or could not start, it waits in a queue. One task serves the queues in turn: it runs for some milliseconds and then lets
all other tasks run, the quorum's driver first. So the others' wait is bounded, however many requests wait and however
many connections sent them.

Work that makes a response may have to wait for memory between two steps (`shell.serving.making_room`). It is in no
queue then.

There are two queues. Urgent work goes first, for a part of the time, so that clients cannot delay the requests that
hold the cluster together. Within a queue, hosts take turns (`shell.net.host_queue`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

import trio

from kafkaproto_server.base.later import Steps
from kafkaproto_server.requests.release import close_steps
from kafkaproto_server.shell.net.host_queue import HostQueue
from kafkaproto_server.shell.net.passes import Passes
from kafkaproto_server.shell.serving.making_room import BYTES_A_STEP, Making

IN_PLACE_S: Final = 0.001
"""How long work may run where it starts."""
SHARE_S: Final = 0.001
"""How long one piece of work runs before the next one does."""
TURN_S: Final = 0.004
"""How long the task serves the queues before other tasks run."""
URGENT_S: Final = 0.002
"""The part of that for urgent work. Urgent work gets all of it if there is no other."""
STEPS_A_LOOK: Final = 4
"""Steps between two checks of the clock."""

Done = Callable[[Any], None]
Failed = Callable[[Exception], None]
Dropped = Callable[[list[Any]], None]
"""Called with the lists and messages that dropped steps had made: freeing many of them takes steps, too."""


@dataclass(slots=True, eq=False)
class _Work:
    steps: Steps[Any]
    done: Done
    failed: Failed
    owner: Hashable
    host: str
    is_urgent: bool
    dropped: Dropped | None
    spent: Callable[[float], None] | None
    making: Making | None


class Slices:
    """The long work of a node's requests."""

    def __init__(
        self,
        passes: Passes | None = None,
        *,
        in_place_s: float = IN_PLACE_S,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """``passes`` are those of the loop; without them no pass is ever over. ``in_place_s`` is how long work may run
        where it starts; infinity leaves nothing for `run`."""
        self._passes = passes or Passes()
        self._in_place_s = in_place_s
        self._clock = clock or time.perf_counter
        self._urgent: HostQueue[_Work] = HostQueue()
        self._ordinary: HostQueue[_Work] = HostQueue()
        # The queued work of each owner.
        self._owned: dict[Hashable, dict[_Work, None]] = {}
        self._waiting = trio.lowlevel.ParkingLot()

    @property
    def waiting(self) -> int:
        """The number of pieces of work that are not complete."""
        return len(self._urgent) + len(self._ordinary)

    @property
    def must_wait(self) -> bool:
        """Whether this pass of the loop has served enough, so that no more work starts in it."""
        return self._passes.is_over

    def start(
        self,
        steps: Steps[Any],
        done: Done,
        failed: Failed,
        owner: Hashable = None,
        *,
        host: str = "",
        is_urgent: bool = False,
        dropped: Dropped | None = None,
        spent: Callable[[float], None] | None = None,
        making: Making | None = None,
    ) -> None:
        """Run work, and call ``done`` with its result or ``failed`` with its error, now or later.

        If it has an ``owner``, that can drop the work; then ``dropped`` is called. ``host`` is the host that sent the
        request. ``spent`` is called with the seconds of each later share of the loop that the work has got. ``making``
        counts what the work makes.
        """
        must_wait = self.must_wait
        end = self._clock() + self._in_place_s
        # Most work is complete after its first steps, and then never becomes an object of the queues.
        made_bytes = None if must_wait else self._first_steps(steps, done, failed)
        if made_bytes is None and not must_wait:
            return
        work = _Work(steps, done, failed, owner, host, is_urgent, dropped, spent, making)
        if made_bytes is not None:
            if not self._has_room(work, made_bytes):
                return
            if self._clock() < end and self._drive(work, end):
                return
        self._append(work)

    def drop(self, owner: Hashable) -> None:
        """Drop all work of an owner: neither its result nor its error is reported."""
        works = self._owned.pop(owner, {})
        while works:
            work, _ = works.popitem()
            # What is found here does not run: it is in a queue, or waits for room.
            if work.making is None or not work.making.drop():
                self._queue_of(work).remove(work.host, work)
            steps, dropped = work.steps, work.dropped
            # Its functions may refer to what the steps have made.
            del work
            # Closed explicitly: a generator that is left to the collector frees what it holds in
            # one go.
            made = close_steps(steps)
            if dropped is not None:
                dropped(made)

    def turn(self) -> None:
        """Continue the queued work in turn, for as long as one task may hold the loop."""
        now = self._clock()
        self._go_round(self._urgent, now + (URGENT_S if self._ordinary else TURN_S))
        # Also if urgent work has used its share: ordinary requests must not starve.
        self._go_round(self._ordinary, now + TURN_S)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Continue the queued work until cancelled. An exception from ``done`` or ``failed`` ends the node."""
        task_status.started()
        while True:
            if self.waiting:
                self.turn()
                # All other tasks run here, the driver of the quorum among them.
                await trio.lowlevel.checkpoint()
            else:
                await self._waiting.park()

    def _queue_of(self, work: _Work) -> HostQueue[_Work]:
        return self._urgent if work.is_urgent else self._ordinary

    def _append(self, work: _Work) -> None:
        self._queue_of(work).append(work.host, work)
        self._own(work)
        self._waiting.unpark_all()

    def _own(self, work: _Work) -> None:
        if work.owner is not None:
            self._owned.setdefault(work.owner, {})[work] = None

    def _disown(self, work: _Work) -> None:
        """The work is to run: its owner cannot drop it meanwhile."""
        if work.owner is not None:
            owned = self._owned[work.owner]
            del owned[work]
            if not owned:
                del self._owned[work.owner]

    def _go_round(self, queue: HostQueue[_Work], end: float) -> None:
        while queue and self._clock() < end:
            work = queue.popleft()
            self._disown(work)
            began = self._clock()
            has_stopped = self._drive(work, began + SHARE_S)
            if work.spent is not None:
                work.spent(self._clock() - began)
            if not has_stopped:
                self._append(work)

    @staticmethod
    def _first_steps(steps: Steps[Any], done: Done, failed: Failed) -> int | None:
        """Run the first steps of work, which complete small requests. Returns how many bytes the work makes with that
        and with its next step; None if it is complete."""
        made_bytes = 0
        try:
            for _ in range(STEPS_A_LOOK):
                next_bytes = next(steps)
                made_bytes += next_bytes or BYTES_A_STEP
                if next_bytes:
                    break
        except StopIteration as stop:
            result = stop.value
        except Exception as error:
            failed(error)
            return None
        else:
            return made_bytes
        done(result)
        return None

    def _has_room(self, work: _Work, made_bytes: int) -> bool:
        """Whether work may make so much. If not, it waits until it may."""
        making = work.making
        if making is None or making.spend(made_bytes):
            return True

        def resume() -> None:
            self._disown(work)
            self._append(work)

        self._own(work)
        # `resume` puts it back into its queue: who frees room is in the midst of a turn of its own.
        making.when_room(resume)
        return False

    def _drive(self, work: _Work, end: float) -> bool:
        """Continue one piece of work until a point in time. Returns whether it has stopped before: it is complete, or
        waits for room."""
        clock, steps = self._clock, work.steps
        try:
            while True:
                made_bytes = 0
                for _ in range(STEPS_A_LOOK):
                    next_bytes = next(steps)
                    if next_bytes:
                        made_bytes += next_bytes
                        break
                    made_bytes += BYTES_A_STEP
                if not self._has_room(work, made_bytes):
                    return True
                if clock() >= end:
                    return False
        except StopIteration as stop:
            result = stop.value
        except Exception as error:
            work.failed(error)
            return True
        # Outside of the try: an error of `done` is not one of the work, and must end the node.
        work.done(result)
        return True


IMMEDIATELY: Final = float("inf")
"""For `Slices` whose `run` is not used: all work completes where it starts."""
