"""The loop that drives both cores of a node: events first, then commands, then what is due.

One task runs it, so reserving offsets and using them is one step: records from the controller go to the Raft core at
once, and commits of the Raft core go to the controller at once.

While the loop waits, the task that brings a broker's heartbeat passes it to the controller itself, so that the loop
need not be woken for each heartbeat.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from functools import partial

import trio

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.controller.values import events as controller_events
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values import events as raft_events
from kafkaproto_server.shell.quorum.controller_runner import ControllerRunner
from kafkaproto_server.shell.quorum.effects import RaftEffects
from kafkaproto_server.shell.quorum.image.committed_state import CommittedState
from kafkaproto_server.shell.quorum.image.published import ImagePublisher, Published
from kafkaproto_server.shell.quorum.metrics import QuorumMetrics

TURN_MS = 2.0
"""How long the loop takes events, and after them commands, before other tasks run."""

MAX_TICK_INTERVAL_MS = 10.0
"""The longest time without a check of the deadlines while there are events. Besides, each event makes its core check
its own deadlines."""


class QuorumLoop:
    """Handles events and commands, one turn after the other, until it is closed."""

    def __init__(
        self,
        *,
        raft: RaftNode,
        effects: RaftEffects,
        controller: ControllerRunner | None,
        committed: CommittedState,
        images: ImagePublisher,
        published: Published,
        metrics: QuorumMetrics,
        clock: Clock,
    ) -> None:
        """``controller`` is None on a node that is no controller."""
        self._raft = raft
        self._effects = effects
        self._controller = controller
        self._committed = committed
        self._images = images
        self._published = published
        self._metrics = metrics
        self._clock = clock
        self._inbox: deque[Callable[[], None]] = deque()
        # Commands for the controller. All other work goes first: earlier commands may wait for a batch that is now
        # durable, or that a follower now has.
        self._commands: deque[Callable[[], None]] = deque()
        self._wake = trio.Event()
        # Monotonic time until which the loop waits for work; None while it has some.
        self._waits_until_ms: float | None = None
        self._ticked_at = 0.0
        self._must_close = False

    # -- work from other tasks -----------------------------------------------------------------------------------

    @property
    def waiting_commands(self) -> int:
        """The number of commands that wait for the controller."""
        return len(self._commands)

    @property
    def waiting_events(self) -> int:
        """The number of events and commands that wait for the loop."""
        return len(self._inbox) + len(self._commands)

    def post(self, work: Callable[[], None]) -> None:
        """Queue work for the loop; all kinds of events come this way."""
        self._inbox.append(work)
        self._wake.set()

    def post_to_raft(self, event: raft_events.Event) -> None:
        """Queue an event for the Raft core."""
        self.post(partial(self._effects.to_raft, event))

    def command(self, work: Callable[[], None], *, at_once: bool) -> None:
        """Queue a command for the controller.

        ``at_once`` is for frequent commands that hardly ever change anything. If the loop waits, such a command is
        carried out right here, because waking the loop costs more than the response.
        """
        # Behind those that wait already: a heartbeat must not overtake a command of the same
        # broker.
        self._commands.append(work)
        if self._waits_until_ms is not None and at_once:
            self._take_at_once(self._waits_until_ms)
        else:
            self._wake.set()

    def wake(self) -> None:
        """Make a waiting loop check again what there is to do."""
        self._wake.set()

    def close(self) -> None:
        """End `run` after everything that was posted before."""
        self.post(self._close)

    def _close(self) -> None:
        self._must_close = True

    # -- turns ---------------------------------------------------------------------------------------------------

    async def run(self, nursery: trio.Nursery) -> None:
        """Drive the cores until `close`. The tasks that write and load snapshots run in ``nursery``."""
        self._apply_controller_effects()
        while not self._must_close:
            await self._wait()
            self._turn(nursery)

    async def _wait(self) -> None:
        """Return when there is something to do: an event, a deadline, committed batches to replay."""
        if self.waiting_events or self._committed.can_step or self._has_work:
            # Even with work left, other tasks get their turn: the sockets of the quorum are read by
            # them.
            await trio.lowlevel.checkpoint()
            return
        deadlines = (self._raft.next_deadline_ms(), self._controller_deadline_ms)
        # Without a deadline only an event changes anything, and an event wakes the loop.
        until_ms = min((each for each in deadlines if each is not None), default=math.inf)
        wait_s = (until_ms - self._clock.now_ms()) / 1000
        self._wake = trio.Event()
        begin = time.perf_counter()
        # From here until the wake-up a heartbeat may be handled by the task that brings it
        # (`command`).
        self._waits_until_ms = until_ms
        try:
            # A deadline that has passed already gives 0: the wait still lets the other tasks run.
            with trio.move_on_after(max(0.0, wait_s)):
                await self._wake.wait()
        finally:
            self._waits_until_ms = None
        self._metrics.idle_ms += (time.perf_counter() - begin) * 1000

    @property
    def _has_work(self) -> bool:
        """Whether the controller works on a change, one slice in each turn."""
        return self._controller is not None and self._controller.has_work

    @property
    def _controller_deadline_ms(self) -> int | None:
        return None if self._controller is None else self._controller.next_deadline_ms

    def _take_at_once(self, until_ms: float) -> None:
        """Carry out the waiting commands outside the loop's turns. The loop waits until ``until_ms``."""
        self._waits_until_ms = None
        begin = time.perf_counter()
        try:
            self._take_commands()
        except Exception as error:
            # The loop has to raise this error and end with it. The sender's task must not take it for the failure of
            # one request.
            self.post(partial(_raise, error))
            return
        busy_ms = (time.perf_counter() - begin) * 1000
        self._metrics.busy_ms += busy_ms
        # The loop counts the whole wait as idle when it wakes.
        self._metrics.idle_ms -= busy_ms
        self._waits_until_ms = until_ms
        deadline_ms = self._controller_deadline_ms
        # The loop sleeps until the deadline that it knew. A heartbeat may have brought an earlier
        # one.
        if self.waiting_events or (deadline_ms is not None and deadline_ms < until_ms):
            self._wake.set()

    def _turn(self, nursery: trio.Nursery) -> None:
        begin = time.perf_counter()
        # Under load, events would postpone the deadlines without end: elections, sessions,
        # check-quorum.
        if not self.waiting_events or begin - self._ticked_at > MAX_TICK_INTERVAL_MS / 1000:
            self._ticked_at = begin
            self._tick()
        while self._inbox and (time.perf_counter() - begin) * 1000 < TURN_MS:
            # The controller's records have to reach the log before the next event of the Raft core
            # can change what offset comes next.
            self._inbox.popleft()()
            self._apply_controller_effects()
        self._take_commands()
        # After events and commands, so that a long change delays neither elections nor heartbeats.
        if self._has_work:
            self._tick_controller()
        if self._committed.can_step:
            self._committed.step(nursery)
            self._apply_controller_effects()
        # After the replay of this turn, which may have been the last that was missing.
        self._maybe_become_current()
        # Once a turn is enough: it only counts bytes.
        self._committed.notify_snapshotter()
        self._metrics.busy_ms += (time.perf_counter() - begin) * 1000

    def _take_commands(self) -> None:
        """Have the controller decide on the waiting commands. Their records go to the Raft core together."""
        begin = time.perf_counter()
        while self._commands:
            self._commands.popleft()()
            # After the command, not before it: each turn carries out at least one, however slow the
            # machine is.
            if (time.perf_counter() - begin) * 1000 > TURN_MS:
                break
        self._apply_controller_effects()

    def _tick(self) -> None:
        now_ms = self._clock.now_ms()
        deadline_ms = self._raft.next_deadline_ms()
        if deadline_ms is not None and deadline_ms <= now_ms:
            self._effects.to_raft(raft_events.Tick())
        # With work in hand, each turn gives the controller its slice anyway.
        if self._controller is not None and not self._controller.has_work:
            deadline_ms = self._controller.next_deadline_ms
            if deadline_ms is not None and deadline_ms <= now_ms:
                self._tick_controller()
        self._apply_controller_effects()

    def _tick_controller(self) -> None:
        """Let the controller do what is due, or continue what it has begun."""
        assert self._controller is not None, "no controller"
        self._controller.handle(controller_events.TimePassed())
        self._apply_controller_effects()

    def _apply_controller_effects(self) -> None:
        """Apply the controller's effects until there are no more."""
        while self._controller is not None and self._controller.apply_effects():
            pass

    def _maybe_become_current(self) -> None:
        """Check whether enough of the committed records is replayed for the node to act on them."""
        if self._committed.is_current:
            # First: who becomes active answers requests from the image.
            self._images.caught_up()
            if self._controller is not None and self._controller.maybe_activate(
                self._published.high_watermark
            ):
                self._apply_controller_effects()
                self._published.show_active_epoch(self._controller.active_epoch)


def _raise(error: Exception) -> None:
    raise error
