"""The loop's turns: what comes first, what is due, what does not have to wait for a turn. Its parts are scripted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
import trio
from trio.testing import MockClock

from kafkaproto_server.core.controller.values.events import Event as ControllerEvent
from kafkaproto_server.core.controller.values.events import TimePassed
from kafkaproto_server.core.raft.values.events import Event as RaftEvent
from kafkaproto_server.core.raft.values.events import Tick
from kafkaproto_server.shell.quorum import loop as loop_module
from kafkaproto_server.shell.quorum.loop import QuorumLoop
from kafkaproto_server.shell.quorum.metrics import QuorumMetrics

pytestmark = pytest.mark.trio

STEP_MS = 1000 / 1024
"""A step of work. Sums of it are exact."""


@dataclass(kw_only=True)
class World:
    """Time, and all parts that the loop drives. Each of them notes what is done."""

    start_s: float = field(default_factory=trio.current_time)
    done: list[str] = field(default_factory=list)
    worked_s: float = 0.0
    raft_deadline_ms: int | None = None
    next_deadline_ms: int | None = None
    """The controller's."""
    slices: int = 0
    """Of what the controller has in hand."""
    effects: int = 0
    """Of the controller, that are not applied yet."""
    steps: int = 0
    """Of the replay."""
    is_current: bool = False
    activates: bool = False
    high_watermark: int = 17
    active_epoch: int = 5
    notes_turns: bool = False
    metrics: QuorumMetrics = field(default_factory=QuorumMetrics)

    def now_s(self) -> float:
        return round(trio.current_time() - self.start_s, 3) + self.worked_s

    def now_ms(self) -> int:
        return round(self.now_s() * 1000)

    def wall_ms(self) -> int:
        raise AssertionError("nobody here asks for the date")

    def work(self, name: str, *, steps: int = 0, effects: int = 0) -> Callable[[], None]:
        """Work that takes some steps and leaves the controller with some effects."""

        def do() -> None:
            self.done.append(name)
            self.worked_s += steps * STEP_MS / 1000
            self.effects += effects

        return do

    # An object of its own: it has a method ``next_deadline_ms``, which is an attribute of the controller.

    @property
    def raft(self) -> RaftPart:
        return RaftPart(self)

    @property
    def has_work(self) -> bool:
        return self.slices > 0

    def handle(self, event: ControllerEvent) -> None:
        assert event == TimePassed()
        self.done.append(f"controller at {self.now_ms()}")
        self.slices = max(0, self.slices - 1)
        if self.next_deadline_ms is not None and self.next_deadline_ms <= self.now_ms():
            self.next_deadline_ms = None
        self.effects += 1

    def apply_effects(self) -> bool:
        if not self.effects:
            return False
        self.effects -= 1
        self.done.append("apply")
        return True

    def maybe_activate(self, high_watermark: int) -> bool:
        assert high_watermark == self.high_watermark
        self.effects += self.activates
        return self.activates

    def to_raft(self, event: RaftEvent) -> None:
        assert event == Tick()
        self.done.append(f"raft at {self.now_ms()}")
        self.raft_deadline_ms = None

    @property
    def can_step(self) -> bool:
        return self.steps > 0

    def step(self, nursery: trio.Nursery) -> None:
        self.steps -= 1
        self.done.append("replay")
        self.effects += 1

    def notify_snapshotter(self) -> None:
        if self.notes_turns:
            self.done.append("turn")

    def caught_up(self) -> None:
        self.done.append("current")

    def show_active_epoch(self, epoch: int | None) -> None:
        self.done.append(f"epoch {epoch}")


@dataclass(frozen=True)
class RaftPart:
    world: World

    def next_deadline_ms(self) -> int | None:
        return self.world.raft_deadline_ms


def loop_of(world: World, *, has_controller: bool = True) -> QuorumLoop:
    return QuorumLoop(
        raft=world.raft,  # type: ignore[arg-type]
        effects=world,  # type: ignore[arg-type]
        controller=world if has_controller else None,  # type: ignore[arg-type]
        committed=world,  # type: ignore[arg-type]
        images=world,  # type: ignore[arg-type]
        published=world,  # type: ignore[arg-type]
        metrics=world.metrics,
        clock=world,
    )


@pytest.fixture
async def world(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(loop_module, "time", SimpleNamespace(perf_counter=made.now_s))
    monkeypatch.setattr(loop_module, "TURN_MS", 2 * STEP_MS)
    return made


@asynccontextmanager
async def running(loop: QuorumLoop) -> AsyncIterator[None]:
    """The loop has nothing to do, and waits; at the end it is closed."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(loop.run, nursery)
        await trio.testing.wait_all_tasks_blocked()
        yield
        loop.close()


async def at_rest() -> None:
    await trio.testing.wait_all_tasks_blocked()


async def test_a_turn_takes_events_then_commands_then_what_the_controller_has_in_hand_then_the_replay(
    autojump_clock: MockClock,
    world: World,
) -> None:
    loop = loop_of(world)
    async with running(loop):
        loop.command(world.work("command", effects=1), at_once=False)
        loop.post(world.work("event", effects=2))
        loop.post(world.work("other event"))
        world.slices, world.steps, world.is_current, world.activates = 1, 1, True, True
        assert (loop.waiting_commands, loop.waiting_events) == (1, 3)
        await at_rest()
        first = world.done[: world.done.index("epoch 5") + 1]
    assert first == [
        *("event", "apply", "apply", "other event", "command", "apply", "controller at 0", "apply"),
        *("replay", "apply", "current", "apply", "epoch 5"),
    ]


async def test_effects_of_the_start_are_applied_before_anything_comes(
    autojump_clock: MockClock, world: World
) -> None:
    world.effects = 2
    async with running(loop_of(world)):
        assert world.done == ["apply", "apply"]


async def test_images_hear_that_the_replay_has_caught_up_only_once_it_has(
    autojump_clock: MockClock, world: World
) -> None:
    loop = loop_of(world)
    async with running(loop):
        loop.post(world.work("event"))
        await at_rest()
        assert world.done == ["event"]
        world.is_current = True
        loop.wake()
        await at_rest()
        assert world.done == ["event", "current"]


async def test_a_node_without_a_controller_has_a_loop_as_well(
    autojump_clock: MockClock, world: World
) -> None:
    loop = loop_of(world, has_controller=False)
    world.raft_deadline_ms, world.is_current = 40, True
    async with running(loop):
        loop.post(world.work("event", effects=1))
        await trio.sleep(1)
    assert world.done == ["event", "current", "raft at 40", "current", "current"]


@pytest.mark.parametrize(
    ("raft_ms", "controller_ms", "expected"),
    [
        (40, 90, ["raft at 40", "controller at 90"]),
        (90, 40, ["controller at 40", "raft at 90"]),
        (40, 40, ["raft at 40", "controller at 40"]),
    ],
)
async def test_a_core_hears_of_the_time_when_it_asked_to(
    autojump_clock: MockClock, world: World, raft_ms: int, controller_ms: int, expected: list[str]
) -> None:
    world.raft_deadline_ms, world.next_deadline_ms = raft_ms, controller_ms
    async with running(loop_of(world)):
        await trio.sleep(0.2)
        assert [each for each in world.done if each != "apply"] == expected


async def test_a_change_in_hand_gets_one_slice_in_each_turn_though_a_deadline_has_passed(
    autojump_clock: MockClock, world: World
) -> None:
    world.notes_turns = True
    world.slices, world.next_deadline_ms = 3, 0
    async with running(loop_of(world)):
        assert world.done == ["controller at 0", "apply", "turn"] * 3


@pytest.mark.parametrize(("limit", "at_ms"), [(0.9995, 12), (1.0005, 14)])
async def test_events_without_an_end_do_not_keep_the_deadlines_waiting(
    limit: float,
    at_ms: int,
    autojump_clock: MockClock,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Turns of two steps: the deadlines are looked at in the first one that begins later than this.
    monkeypatch.setattr(loop_module, "MAX_TICK_INTERVAL_MS", 12 * STEP_MS * limit)
    loop = loop_of(world)

    def event() -> None:
        world.worked_s += STEP_MS / 1000
        if world.now_s() < 0.1:
            loop.post(event)

    async with running(loop):
        loop.post(world.work("event"))
        await at_rest()
        world.raft_deadline_ms, world.next_deadline_ms = 3, 3
        loop.post(event)
        await at_rest()
    assert [each for each in world.done if " at " in each] == [f"raft at {at_ms}", f"controller at {at_ms}"]


async def test_other_tasks_run_after_some_events_and_after_some_commands(
    autojump_clock: MockClock, world: World
) -> None:
    world.notes_turns = True
    loop = loop_of(world)
    async with running(loop):
        for number in range(5):
            loop.post(world.work(f"event {number}", steps=1))
        for number in range(5):
            loop.command(world.work(f"command {number}", steps=1), at_once=False)
        await at_rest()
        assert world.done == [
            *("event 0", "event 1", "command 0", "command 1", "command 2", "turn"),
            *("event 2", "event 3", "command 3", "command 4", "turn"),
            *("event 4", "turn"),
        ]


async def test_idle_and_busy_time_are_all_the_time_there_is(autojump_clock: MockClock, world: World) -> None:
    loop = loop_of(world)
    async with running(loop):
        await trio.sleep(2)
        loop.post(world.work("event", steps=512))
        await at_rest()
        assert (world.metrics.idle_ms, world.metrics.busy_ms) == (2000, 500)
        await trio.sleep(1)
        loop.command(world.work("command", steps=256), at_once=True)
        loop.post(world.work("event"))
        await at_rest()
        # The loop waited while the command was carried out at once. That counts as work all the same.
        assert (world.metrics.idle_ms, world.metrics.busy_ms) == (3000, 750)


class TestAtOnce:
    """While the loop waits, the task that brings a frequent command carries it out."""

    async def test_only_these_and_only_while_it_waits(self, autojump_clock: MockClock, world: World) -> None:
        loop = loop_of(world)
        loop.command(world.work("before"), at_once=True)
        assert world.done == []
        async with running(loop):
            assert world.done == ["before"]
            loop.command(world.work("heartbeat", effects=1), at_once=True)
            assert world.done == ["before", "heartbeat", "apply"]
            loop.command(world.work("change"), at_once=False)
            assert world.done == ["before", "heartbeat", "apply"]
            await at_rest()
            assert world.done == ["before", "heartbeat", "apply", "change"]

    async def test_one_that_an_event_brings_comes_after_all_events(
        self, autojump_clock: MockClock, world: World
    ) -> None:
        loop = loop_of(world)
        async with running(loop):
            loop.post(lambda: loop.command(world.work("heartbeat"), at_once=True))
            loop.post(world.work("event"))
            await at_rest()
            assert world.done == ["event", "heartbeat"]

    async def test_one_that_another_brings_comes_after_that(
        self, autojump_clock: MockClock, world: World
    ) -> None:
        loop = loop_of(world)

        def first() -> None:
            loop.command(world.work("second"), at_once=True)
            world.done.append("first")

        async with running(loop):
            loop.command(first, at_once=True)
            assert world.done == ["first", "second"]

    async def test_the_loop_still_waits_afterwards(self, autojump_clock: MockClock, world: World) -> None:
        world.next_deadline_ms = 500
        world.notes_turns = True
        loop = loop_of(world)
        async with running(loop):
            for number in range(3):
                loop.command(world.work(f"heartbeat {number}"), at_once=True)
            await at_rest()
            assert world.done == ["heartbeat 0", "heartbeat 1", "heartbeat 2"]

    async def test_an_earlier_deadline_that_it_leads_to_is_kept(
        self, autojump_clock: MockClock, world: World
    ) -> None:
        world.next_deadline_ms = 500
        loop = loop_of(world)
        async with running(loop):
            world.next_deadline_ms = 100
            loop.command(world.work("heartbeat"), at_once=True)
            await trio.sleep(1)
        assert world.done == ["heartbeat", "controller at 100", "apply"]

    async def test_an_event_that_it_leads_to_is_taken(self, autojump_clock: MockClock, world: World) -> None:
        loop = loop_of(world)
        async with running(loop):
            loop.command(lambda: loop.post(world.work("event")), at_once=True)
            await at_rest()
            assert world.done == ["event"]

    async def test_those_that_take_long_are_left_to_the_loop(
        self, autojump_clock: MockClock, world: World
    ) -> None:
        loop = loop_of(world)

        def many() -> None:
            for number in range(3):
                loop.command(world.work(f"command {number}"), at_once=True)
            world.worked_s += 3 * STEP_MS / 1000

        async with running(loop):
            loop.command(many, at_once=True)
            assert (world.done, loop.waiting_commands) == ([], 3)
            await at_rest()
            assert world.done == ["command 0", "command 1", "command 2"]

    async def test_its_failure_is_the_loops_and_not_the_senders(
        self, autojump_clock: MockClock, world: World
    ) -> None:
        loop = loop_of(world)

        def fail() -> None:
            raise ValueError("a command fails")

        with pytest.RaisesGroup(pytest.RaisesExc(ValueError, match="a command fails")):
            async with running(loop):
                loop.command(fail, at_once=True)


async def test_the_end_comes_after_what_was_posted_before(autojump_clock: MockClock, world: World) -> None:
    loop = loop_of(world)
    async with running(loop):
        for number in range(5):
            loop.post(world.work(f"event {number}", steps=1))
    assert world.done == [f"event {number}" for number in range(5)]


async def test_what_has_woken_the_loop_once_does_not_wake_it_again(
    autojump_clock: MockClock, world: World
) -> None:
    world.notes_turns = True
    loop = loop_of(world)
    async with running(loop):
        for _ in range(2):
            loop.post(world.work("event"))
            await at_rest()
            await trio.sleep(1)
        assert world.done == ["event", "turn"] * 2
