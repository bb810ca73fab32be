"""The broker's task towards the controllers, on a clock that jumps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from server.broker.lifecycle import BrokerIdentity, BrokerLifecycle, BrokerState
from server.image.image import ClusterImage
from server.node.broker_half import BrokerHalf, RegistrationTimeout
from server.node.controller_channel import ControllerUnavailable
from server.node.published import Published
from tests.node.controllers import ScriptedChannel, TrioClock

pytestmark = pytest.mark.trio

INTERVAL_MS = 2_000
EPOCH = 28
OFFSET = 41


class Broker:
    """A broker half whose controller is a function of the request; keeps when each request came."""

    def __init__(self, answer: Callable[[Message], Message | Exception], **timing: int) -> None:
        self.answer = answer
        self.asked_at_ms: list[int] = []
        self.clock = TrioClock()
        self.channel = ScriptedChannel(self._answer)
        self.lifecycle = BrokerLifecycle(
            BrokerIdentity(
                broker_id=1,
                cluster_id="c",
                incarnation_id=bytes(16),
                endpoints=(),
                rack=None,
                features={},
                directories=(),
                previous_broker_epoch=-1,
            ),
            heartbeat_interval_ms=INTERVAL_MS,
            registration_timeout_ms=timing.get("registration_timeout_ms", 60_000),
            now_ms=self.clock.now_ms(),
        )
        self.half = BrokerHalf(
            self.lifecycle,
            channel=self.channel,
            published=Published(image=ClusterImage(offset=OFFSET)),
            heartbeat_interval_ms=INTERVAL_MS,
            clock=self.clock,
        )

    async def _answer(self, request: Message) -> Message:
        self.asked_at_ms.append(self.clock.now_ms())
        answer = self.answer(request)
        if isinstance(answer, Exception):
            # As long as a channel tries.
            await trio.sleep(INTERVAL_MS / 1000)
            raise answer
        return answer

    @property
    def asked(self) -> list[Message]:
        return self.channel.asked


def welcome(request: Message) -> Message:
    """A controller that lets a broker do what it wants."""
    if isinstance(request, BrokerRegistrationRequest):
        return BrokerRegistrationResponse(broker_epoch=EPOCH)
    assert isinstance(request, BrokerHeartbeatRequest)
    wants_shutdown = request.want_shut_down
    return BrokerHeartbeatResponse(
        is_caught_up=True, is_fenced=request.want_fence or wants_shutdown, should_shut_down=wants_shutdown
    )


def away(request: Message) -> Exception:
    return ControllerUnavailable(f"{request.NAME}: nobody is there")


async def test_it_has_started_once_the_broker_is_unfenced(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    assert (broker.half.is_running, broker.half.broker_epoch) == (False, None)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        assert (broker.half.is_running, broker.half.broker_epoch) == (True, EPOCH)
        registration, first, second = broker.asked
        assert isinstance(registration, BrokerRegistrationRequest)
        assert isinstance(first, BrokerHeartbeatRequest)
        assert (first.want_fence, first.current_metadata_offset, first.broker_epoch) == (True, OFFSET, EPOCH)
        assert isinstance(second, BrokerHeartbeatRequest)
        assert not second.want_fence
        # A heartbeat every two seconds from now on; each request may take as long.
        start_ms = broker.clock.now_ms()
        await trio.sleep(5)
        assert [at - start_ms for at in broker.asked_at_ms[3:]] == [2_000, 4_000]
        assert broker.channel.timeouts_ms == [INTERVAL_MS] * 5
        nursery.cancel_scope.cancel()


async def test_it_goes_on_trying_while_no_controller_is_there(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    failures = iter([True, True])
    broker = Broker(lambda request: away(request) if next(failures, False) else welcome(request))
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        nursery.cancel_scope.cancel()
    start_ms = broker.asked_at_ms[0]
    assert [at - start_ms for at in broker.asked_at_ms] == [0, 2_010, 4_020, 4_020, 4_020]
    assert caplog.messages == ["BrokerRegistrationRequest: nobody is there"] * 2


async def test_it_gives_up_when_the_time_for_registering_is_over(autojump_clock: MockClock) -> None:
    broker = Broker(lambda _: BrokerRegistrationResponse(error_code=101), registration_timeout_ms=5_000)
    with trio.fail_after(20), pytest.raises(RegistrationTimeout, match="in time"):
        await broker.half.run()
    assert len(broker.asked) == 3
    assert not broker.half.is_running


async def test_a_refusal_is_logged_once_and_again_when_it_is_another(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    codes = iter([101, 101, 104, 0, 101])

    def answer(request: Message) -> Message:
        code = next(codes, 0)
        if isinstance(request, BrokerRegistrationRequest):
            return BrokerRegistrationResponse(error_code=code, broker_epoch=EPOCH)
        return BrokerHeartbeatResponse(error_code=code, is_caught_up=True, is_fenced=False)

    broker = Broker(answer)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        nursery.cancel_scope.cancel()
    assert [message.split(":")[0] for message in caplog.messages] == [
        "the controller refused BrokerRegistrationRequest",
        "the controller refused BrokerRegistrationRequest",
        "the controller refused BrokerHeartbeatRequest",
    ]
    names = [message.split(": ")[1] for message in caplog.messages]
    assert names == [
        ErrorCode.DUPLICATE_BROKER_REGISTRATION.name,
        ErrorCode.INCONSISTENT_CLUSTER_ID.name,
        ErrorCode.DUPLICATE_BROKER_REGISTRATION.name,
    ]


async def run_and_leave(broker: Broker, *, after_ms: int, timeout_ms: int = 30_000) -> int:
    """Start, leave after a while; how long leaving took."""
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        await trio.sleep(after_ms / 1000)
        begun_ms = broker.clock.now_ms()
        await broker.half.leave(timeout_ms)
        took_ms = broker.clock.now_ms() - begun_ms
        nursery.cancel_scope.cancel()
    return took_ms


async def test_leaving_does_not_wait_for_the_next_heartbeat(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    assert await run_and_leave(broker, after_ms=500) == 0
    last = broker.asked[-1]
    assert isinstance(last, BrokerHeartbeatRequest)
    assert last.want_shut_down
    assert broker.lifecycle.state is BrokerState.SHUTTING_DOWN
    assert (broker.half.is_running, broker.half.broker_epoch) == (False, EPOCH)


async def test_leaving_takes_until_the_controller_lets_the_broker_go(autojump_clock: MockClock) -> None:
    waits = iter([True, True])

    def answer(request: Message) -> Message:
        if isinstance(request, BrokerHeartbeatRequest) and request.want_shut_down and next(waits, False):
            return BrokerHeartbeatResponse()
        return welcome(request)

    assert await run_and_leave(Broker(answer), after_ms=500) == 50 + INTERVAL_MS


async def test_leaving_ends_with_its_time_if_the_controller_does_not_let_go(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    broker = Broker(welcome)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        broker.answer = lambda _: BrokerHeartbeatResponse(is_fenced=False)
        begun_ms = broker.clock.now_ms()
        await broker.half.leave(7_000)
        assert broker.clock.now_ms() - begun_ms == 7_000
        assert "the controlled shutdown was not finished within 7000 ms" in caplog.text
        nursery.cancel_scope.cancel()


async def test_leaving_ends_early_if_nobody_answers(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        broker.answer = away
        begun_ms = broker.clock.now_ms()
        await broker.half.leave(30_000)
        assert broker.clock.now_ms() - begun_ms == 2 * INTERVAL_MS + 10


@pytest.mark.parametrize("is_waiting", [True, False], ids=["between requests", "inside a request"])
async def test_a_broker_that_never_registered_leaves_without_asking(
    autojump_clock: MockClock, is_waiting: bool
) -> None:
    broker = Broker(
        lambda request: BrokerRegistrationResponse(error_code=101) if is_waiting else away(request)
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.half.run)
        await wait_all_tasks_blocked()
        begun_ms = broker.clock.now_ms()
        await broker.half.leave(30_000)
        assert broker.clock.now_ms() - begun_ms == (0 if is_waiting else INTERVAL_MS)
    assert len(broker.asked) == 1
    assert broker.half.broker_epoch is None


async def test_leaving_after_its_task_was_cancelled_returns_at_once(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        nursery.cancel_scope.cancel()
    begun_ms = broker.clock.now_ms()
    await broker.half.leave(30_000)
    assert broker.clock.now_ms() == begun_ms


def never_caught_up(request: Message) -> Message:
    if isinstance(request, BrokerRegistrationRequest):
        return BrokerRegistrationResponse(broker_epoch=EPOCH)
    return BrokerHeartbeatResponse(is_caught_up=False, is_fenced=True)


async def test_while_it_waits_to_be_caught_up_it_asks_every_10_ms_and_lets_others_run(
    autojump_clock: MockClock,
) -> None:
    broker, ticks = Broker(never_caught_up), 0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.half.run)
        while ticks < 10:
            await trio.sleep(0.1)
            ticks += 1
        nursery.cancel_scope.cancel()
    assert 99 <= len(broker.asked) <= 103
    assert not broker.half.is_running
