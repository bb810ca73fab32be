"""When images are applied and assignments sent; a controller that does not answer holds up no image."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from kafkaproto_server.shell.broker import assignment_sender
from kafkaproto_server.shell.broker.assignment_sender import MAX_REST_S, AssignmentSender
from kafkaproto_server.shell.to_controller.channel import ControllerUnavailable
from tests.node.support.controllers import ScriptedChannel, TrioClock, in_order
from tests.node.support.tasks import running

pytestmark = pytest.mark.trio
RETRY_MS = 70
CLOCK = TrioClock()


class World:
    """The queue, images that take some time to apply, and the controller."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *responses: Message | Exception) -> None:
        self.channel = ScriptedChannel(in_order(*responses))
        self.due_ms: int | None = None
        self.has_more: Any = None
        self.refused: dict[Any, int] = {}
        self.results: list[tuple[str, int]] = []
        self.changed = trio.Event()
        self.epoch: int | None = 7
        self.applied_ms: list[int] = []
        self.parts = 1
        self.cost_s = 0.0
        self.worked_s = 0.0
        monkeypatch.setattr(assignment_sender, "time", SimpleNamespace(perf_counter=lambda: self.worked_s))
        self.sender = AssignmentSender(
            cast(Any, self),
            channel=self.channel,
            published=cast(Any, self),
            apply=self.apply,
            broker_epoch=lambda: self.epoch,
            clock=CLOCK,
        )

    def apply(self) -> bool:
        self.applied_ms.append(CLOCK.now_ms())
        self.worked_s += self.cost_s
        self.parts = max(1, self.parts) - 1
        return self.parts > 0

    def next_request(self, epoch: int, now_ms: int) -> Message:
        assert self.due_ms is not None
        assert self.due_ms <= now_ms
        self.due_ms = None
        return AssignReplicasToDirsRequest(broker_id=1, broker_epoch=epoch)

    def handle_failure(self, now_ms: int) -> None:
        self.results.append(("failed", now_ms))
        self.due_ms = now_ms + RETRY_MS

    def handle_response(self, response: Message, now_ms: int) -> dict[Any, int]:
        self.results.append(("answered", now_ms))
        return self.refused

    def publish(self) -> None:
        changed, self.changed = self.changed, trio.Event()
        changed.set()

    def fill(self, due_ms: int) -> None:
        self.due_ms = due_ms
        self.has_more()

    def running(self) -> AbstractAsyncContextManager[None]:
        return running(self.sender.run)


async def test_each_image_is_applied_when_it_comes(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch)
    async with world.running():
        await trio.sleep(1)
        world.publish()
        await trio.sleep(1)
        world.publish()
        await trio.sleep(1)
    assert world.applied_ms == [0, 1000, 2000]
    assert world.channel.asked == []


@pytest.mark.parametrize(("cost_s", "rest_ms"), [(0.01, 20), (MAX_REST_S, 500), (0.0005, 1)])
async def test_the_parts_of_an_image_are_applied_with_pauses_that_grow_with_them(
    cost_s: float, rest_ms: int, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch)
    world.parts, world.cost_s = 3, cost_s
    async with world.running():
        await trio.sleep(5)
    assert world.applied_ms == [0, rest_ms, 2 * rest_ms]


@pytest.mark.parametrize(("cost_s", "sent_ms"), [(0.01, 20), (0.001, 0), (0.0, 0)])
async def test_a_long_image_is_followed_by_a_pause_as_well(
    cost_s: float, sent_ms: int, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch)
    world.cost_s, world.due_ms = cost_s, 0
    async with world.running():
        await trio.sleep(1)
    assert world.channel.asked_ms == [sent_ms]


async def test_assignments_are_sent_when_they_are_due(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch, AssignReplicasToDirsResponse())
    async with world.running():
        await trio.sleep(0.1)
        world.fill(due_ms=5000)
        await trio.sleep(4.899)
        world.publish()
        await trio.sleep(1)
        assert world.channel.asked_ms == [5000]
        assert world.channel.asked == [AssignReplicasToDirsRequest(broker_id=1, broker_epoch=7)]
        world.fill(due_ms=10_000)
        await trio.sleep(5)
        assert world.channel.asked_ms == [5000, 10_000]
    assert world.results == [("answered", 5000)]
    # At no other time did it wake up.
    assert sorted({*world.applied_ms}) == [0, 100, 4999, 5000, 5999, 10_000]


async def test_what_fails_is_sent_again_when_the_queue_says(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch, ControllerUnavailable("none"), AssignReplicasToDirsResponse())
    async with world.running():
        world.fill(due_ms=0)
        await trio.sleep(1)
    assert world.channel.asked_ms == [0, RETRY_MS]
    assert world.results == [("failed", 0), ("answered", RETRY_MS)]


async def test_a_broker_without_an_epoch_waits_for_the_image_of_its_registration(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch)
    world.epoch, world.due_ms = None, 0
    async with world.running():
        await trio.sleep(1)
        world.epoch = 8
        world.publish()
        await trio.sleep(1)
    assert world.channel.asked_ms == [1000]


async def test_images_are_applied_while_the_controller_does_not_answer(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch)
    async with world.running():
        world.fill(due_ms=0)
        await trio.sleep(1)
        world.publish()
        await trio.sleep(1)
    assert world.channel.asked_ms == [0]
    assert world.applied_ms[-1] == 1000


async def test_refusals_are_logged_by_their_codes(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(monkeypatch, AssignReplicasToDirsResponse())
    stale, unknown = ErrorCode.STALE_BROKER_EPOCH, ErrorCode.UNKNOWN_TOPIC_ID
    world.refused = {("t", 0): stale, ("t", 1): unknown, ("t", 2): stale}
    async with world.running():
        world.fill(due_ms=0)
        await trio.sleep(1)
    assert [each.split("directories of ")[1] for each in caplog.messages] == [
        "2 replicas: STALE_BROKER_EPOCH",
        "1 replicas: UNKNOWN_TOPIC_ID",
    ]
