"""The order in which both cores of a node get to act: events first, then commands, then what is due.

One task runs it, so that reserving offsets and using them is one step: what the controller wants appended goes to the
Raft core at once, what the Raft core commits goes to the controller at once.

Brokers' heartbeats are carried out by whoever brings them, where the loop waits: it need not be woken for each.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from functools import partial

import trio

from kafkaproto_server.controller.values import events as controller_events
from kafkaproto_server.node.quorum.committed_state import CommittedState
from kafkaproto_server.node.quorum.controller_runner import ControllerRunner
from kafkaproto_server.node.quorum.effects import RaftEffects
from kafkaproto_server.node.quorum.metrics import QuorumMetrics
from kafkaproto_server.node.quorum.published import ImagePublisher, Published
from kafkaproto_server.ports import Clock
from kafkaproto_server.raft.node import RaftNode
from kafkaproto_server.raft.values import events as raft_events

TURN_MS = 2.0
"""How long events, and after them commands, are taken in before other tasks get their turn."""

MAX_TICK_INTERVAL_MS = 10.0
"""How long deadlines may go unlooked at while there are events. Each event has the core that it goes to look at its
own."""


class QuorumLoop:
    """Takes in events and commands, a turn after the other, until it is closed."""

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
        """``controller`` is None on a node without that role."""
        self._raft = raft
        self._effects = effects
        self._controller = controller
        self._committed = committed
        self._images = images
        self._published = published
        self._metrics = metrics
        self._clock = clock
        self._inbox: deque[Callable[[], None]] = deque()
        # What the controller is asked. All else goes before: a batch that is durable, or a follower that has it, may
        # be what those who asked earlier wait for.
        self._commands: deque[Callable[[], None]] = deque()
        self._wake = trio.Event()
        # Monotonic time until which the loop waits for something to do; None while it has something.
        self._waits_until_ms: float | None = None
        self._ticked_at = 0.0
        self._must_close = False

    # -- what others bring ---------------------------------------------------------------------------------------

    @property
    def waiting_commands(self) -> int:
        """How many commands wait for the controller."""
        return len(self._commands)

    @property
    def waiting_events(self) -> int:
        """How many events and commands wait for the loop."""
        return len(self._inbox) + len(self._commands)

    def post(self, work: Callable[[], None]) -> None:
        """Have the loop do something; events of all kinds take this way."""
        self._inbox.append(work)
        self._wake.set()

    def post_to_raft(self, event: raft_events.Event) -> None:
        """Have the loop hand an event to the Raft core."""
        self.post(partial(self._effects.to_raft, event))

    def command(self, work: Callable[[], None], *, at_once: bool) -> None:
        """Have the loop give a command to the controller.

        ``at_once`` is for what comes often and hardly ever changes anything: where the loop waits, it is done here and
        now, because waking the loop costs more than the response.
        """
        self._commands.append(work)
        if self._waits_until_ms is not None and at_once:
            self._take_at_once(self._waits_until_ms)
        else:
            self._wake.set()

    def wake(self) -> None:
        """Have a loop that waits look again at what there is to do."""
        self._wake.set()

    def close(self) -> None:
        """End `run` after all that was posted before."""
        self.post(self._close)

    def _close(self) -> None:
        self._must_close = True

    # -- turns ---------------------------------------------------------------------------------------------------

    async def run(self, nursery: trio.Nursery) -> None:
        """Drive the cores until `close`. What writes snapshots and loads them runs in ``nursery``."""
        self._apply_controller_effects()
        while not self._must_close:
            await self._wait()
            self._turn(nursery)

    async def _wait(self) -> None:
        """Return when there is something to do: an event, a deadline, committed batches to hand over."""
        if self.waiting_events or self._committed.can_step or self._has_work:
            await trio.lowlevel.checkpoint()
            return
        deadlines = (self._raft.next_deadline_ms(), self._controller_deadline_ms)
        until_ms = min((each for each in deadlines if each is not None), default=math.inf)
        wait_s = (until_ms - self._clock.now_ms()) / 1000
        self._wake = trio.Event()
        begin = time.perf_counter()
        self._waits_until_ms = until_ms
        try:
            with trio.move_on_after(max(0.0, wait_s)):
                await self._wake.wait()
        finally:
            self._waits_until_ms = None
        self._metrics.idle_ms += (time.perf_counter() - begin) * 1000

    @property
    def _has_work(self) -> bool:
        """Whether the controller works on a change, a slice a turn."""
        return self._controller is not None and self._controller.has_work

    @property
    def _controller_deadline_ms(self) -> int | None:
        return None if self._controller is None else self._controller.next_deadline_ms

    def _take_at_once(self, until_ms: float) -> None:
        """Take what was just asked, outside the loop's turns, while the loop waits until ``until_ms``."""
        self._waits_until_ms = None
        begin = time.perf_counter()
        try:
            self._take_commands()
        except Exception as error:
            # For the loop, which ends with it: whoever asks must not take it for the failure of one request.
            self.post(partial(_raise, error))
            return
        busy_ms = (time.perf_counter() - begin) * 1000
        self._metrics.busy_ms += busy_ms
        self._metrics.idle_ms -= busy_ms
        self._waits_until_ms = until_ms
        deadline_ms = self._controller_deadline_ms
        if self.waiting_events or (deadline_ms is not None and deadline_ms < until_ms):
            self._wake.set()

    def _turn(self, nursery: trio.Nursery) -> None:
        begin = time.perf_counter()
        if not self.waiting_events or begin - self._ticked_at > MAX_TICK_INTERVAL_MS / 1000:
            self._ticked_at = begin
            self._tick()
        while self._inbox and (time.perf_counter() - begin) * 1000 < TURN_MS:
            self._inbox.popleft()()
            self._apply_controller_effects()
        self._take_commands()
        if self._has_work:
            self._tick_controller()
        if self._committed.can_step:
            self._committed.step(nursery)
            self._apply_controller_effects()
        self._maybe_become_current()
        self._committed.tell_snapshotter()
        self._metrics.busy_ms += (time.perf_counter() - begin) * 1000

    def _take_commands(self) -> None:
        """Have the controller decide on what it was asked; what comes of it goes to the Raft core together."""
        begin = time.perf_counter()
        while self._commands:
            self._commands.popleft()()
            if (time.perf_counter() - begin) * 1000 > TURN_MS:
                break
        self._apply_controller_effects()

    def _tick(self) -> None:
        now_ms = self._clock.now_ms()
        deadline_ms = self._raft.next_deadline_ms()
        if deadline_ms is not None and deadline_ms <= now_ms:
            self._effects.to_raft(raft_events.Tick())
        if self._controller is not None and not self._controller.has_work:
            deadline_ms = self._controller.next_deadline_ms
            if deadline_ms is not None and deadline_ms <= now_ms:
                self._tick_controller()
        self._apply_controller_effects()

    def _tick_controller(self) -> None:
        """Let the controller do what is due, or more of what it has begun."""
        assert self._controller is not None, "no controller"
        self._controller.handle(controller_events.Tick())
        self._apply_controller_effects()

    def _apply_controller_effects(self) -> None:
        """Carry out what the controller asks for until it asks for nothing more."""
        while self._controller is not None and self._controller.apply_effects():
            pass

    def _maybe_become_current(self) -> None:
        """See whether the replay of what is committed has come to where the node may act on it."""
        if self._committed.is_current:
            self._images.caught_up()
            if self._controller is not None and self._controller.maybe_activate(
                self._published.high_watermark
            ):
                self._apply_controller_effects()
                self._published.show_active_epoch(self._controller.active_epoch)


def _raise(error: Exception) -> None:
    raise error
