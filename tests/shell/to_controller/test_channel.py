"""The way to the active controller, on real loopback sockets: finding it, losing it, following it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock

from compat.ports import free_port
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    EnvelopeRequest,
    EnvelopeResponse,
)
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.shell.net.peers import PeerChannel
from kafkaproto_server.shell.to_controller.channel import (
    REPLACED_GRACE_MS,
    UNSENDABLE_PAUSE_MS,
    ControllerChannel,
    ControllerUnavailable,
)
from tests.node.support.controllers import SERVED, MiddleRng, ScriptedController
from tests.shell.net.support.connections import listening

pytestmark = pytest.mark.trio

TIMEOUT_MS = 5_000
GIVE_UP_MS = 200
"""For requests that get no answer: enough for a few attempts on the loopback, even on a busy machine."""
QUIET_S = 0.01
"""Real time without anything on the sockets after which the clock may jump."""
NOT_CONTROLLER = BrokerHeartbeatResponse(error_code=ErrorCode.NOT_CONTROLLER, is_fenced=True)


async def alive(request: Message) -> Message:
    await trio.lowlevel.checkpoint()
    assert isinstance(request, BrokerHeartbeatRequest)
    return BrokerHeartbeatResponse(is_caught_up=True)


async def not_controller(request: Message) -> Message:
    await trio.lowlevel.checkpoint()
    return NOT_CONTROLLER


def at(port: int) -> Endpoint:
    return Endpoint(name="CONTROLLER", host="127.0.0.1", port=port)


class Whereabouts:
    """Where the active controller is, as far as the node knows."""

    def __init__(self, port: int | None) -> None:
        self._endpoint = None if port is None else at(port)
        self._changed = trio.Event()

    def locate(self) -> Endpoint | None:
        return self._endpoint

    def news(self) -> trio.Event:
        return self._changed

    def move(self, port: int | None) -> None:
        self._endpoint = None if port is None else at(port)
        changed, self._changed = self._changed, trio.Event()
        changed.set()

    def channel(self) -> ControllerChannel:
        return ControllerChannel(client_id="11", locate=self.locate, news=self.news, rng=MiddleRng())


def channel(locate: Callable[[], Endpoint | None]) -> ControllerChannel:
    """A channel that is never told of a change."""
    return ControllerChannel(client_id="11", locate=locate, news=trio.Event, rng=MiddleRng())


async def beat(to: ControllerChannel, offset: int = 0, *, timeout_ms: int = TIMEOUT_MS) -> Message:
    return await to.send(BrokerHeartbeatRequest(current_metadata_offset=offset), timeout_ms=timeout_ms)


async def test_requests_share_a_connection_to_the_active_controller() -> None:
    controller = ScriptedController(alive)
    async with listening(controller, served_versions=SERVED.get) as (listener, port):
        to = channel(lambda: at(port))
        assert to.served_versions is None
        assert await beat(to) == BrokerHeartbeatResponse(is_caught_up=True)
        assert await beat(to) == BrokerHeartbeatResponse(is_caught_up=True)
        assert to.served_versions == SERVED
        assert listener.statistics().accepted_connections == 1
        to.close()
        assert to.served_versions is None
        to.close()
    assert controller.client_ids == {"11"}


async def test_a_request_waits_until_a_controller_is_known(autojump_clock: MockClock) -> None:
    """And not a moment longer: the clock stands still while anything moves."""
    autojump_clock.autojump_threshold = QUIET_S
    async with listening(ScriptedController(alive), served_versions=SERVED.get) as (_, port):
        whereabouts = Whereabouts(None)
        to = whereabouts.channel()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beat, to)
            await trio.sleep(1.234)
            whereabouts.move(port)
        assert trio.current_time() == pytest.approx(1.234, abs=0.001)
        to.close()


async def test_a_node_that_is_not_the_controller_is_asked_again_until_another_one_is_known() -> None:
    old, new = ScriptedController(not_controller), ScriptedController(alive)
    async with (
        listening(old, served_versions=SERVED.get) as (old_listener, old_port),
        listening(new, served_versions=SERVED.get) as (_, new_port),
    ):
        whereabouts = Whereabouts(old_port)
        to = whereabouts.channel()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beat, to)
            with trio.fail_after(TIMEOUT_MS / 1000):
                while len(old.asked) < 2:
                    await trio.sleep(0.001)
            whereabouts.move(new_port)
        assert len(new.asked) == 1
        # Asked on one connection, which was then given up.
        assert set(old.connection_ids) == {1}
        with trio.fail_after(TIMEOUT_MS / 1000):
            while old_listener.statistics().open_connections:
                await trio.sleep(0.001)
        to.close()


@pytest.mark.parametrize("grace", [0.5, 1.5], ids=["in time", "too late"])
async def test_a_replaced_controller_has_a_moment_to_answer_what_it_was_asked(
    grace: float, autojump_clock: MockClock
) -> None:
    autojump_clock.autojump_threshold = QUIET_S

    async def slow(request: Message) -> Message:
        await trio.sleep(1 + grace * REPLACED_GRACE_MS / 1000)
        return await alive(request)

    old, new = ScriptedController(slow), ScriptedController(alive)
    async with (
        listening(old, served_versions=SERVED.get) as (_, old_port),
        listening(new, served_versions=SERVED.get) as (_, new_port),
    ):
        whereabouts = Whereabouts(old_port)
        to = whereabouts.channel()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beat, to)
            await trio.sleep(1)
            whereabouts.move(new_port)
        assert trio.current_time() == pytest.approx(1 + min(grace, 1) * REPLACED_GRACE_MS / 1000, abs=0.001)
        assert len(new.asked) == (1 if grace > 1 else 0)
        to.close()


async def test_an_envelope_that_says_not_controller_is_sent_again() -> None:
    responses = iter(
        [
            EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER),
            EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION),
        ]
    )

    async def answer(request: Message) -> Message:
        await trio.lowlevel.checkpoint()
        return next(responses)

    async with listening(ScriptedController(answer), served_versions=SERVED.get) as (_, port):
        to = channel(lambda: at(port))
        response = await to.send(EnvelopeRequest(), timeout_ms=TIMEOUT_MS)
        assert response == EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
        to.close()


async def test_a_lost_connection_is_made_again_and_the_request_repeated() -> None:
    responses = iter([None, BrokerHeartbeatResponse()])

    async def answer(request: Message) -> Message | None:
        await trio.lowlevel.checkpoint()
        return next(responses)

    controller = ScriptedController(answer)
    async with listening(controller, served_versions=SERVED.get) as (_, port):
        to = channel(lambda: at(port))
        assert await beat(to) == BrokerHeartbeatResponse()
        to.close()
    assert controller.connection_ids == [1, 2]
    assert controller.asked[0] == controller.asked[1]


async def test_one_request_is_in_flight_at_a_time_and_the_wait_for_another_counts() -> None:
    is_asked, may_answer = trio.Event(), trio.Event()

    async def slow(request: Message) -> Message:
        is_asked.set()
        await may_answer.wait()
        return await alive(request)

    controller = ScriptedController(slow)
    async with listening(controller, served_versions=SERVED.get) as (_, port):
        to = channel(lambda: at(port))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beat, to, 1)
            await is_asked.wait()
            with pytest.raises(ControllerUnavailable, match="the one before it is still being answered"):
                await beat(to, 2, timeout_ms=50)
            may_answer.set()
        to.close()
    assert [getattr(request, "current_metadata_offset", None) for request in controller.asked] == [1]


async def unavailable(locate: Callable[[], Endpoint | None], request: Message | None = None) -> str:
    """Why a request, a heartbeat by default, got no answer."""
    to = channel(locate)
    with pytest.raises(ControllerUnavailable) as caught:
        await to.send(request or BrokerHeartbeatRequest(), timeout_ms=GIVE_UP_MS)
    to.close()
    return str(caught.value)


async def test_it_is_told_that_no_controller_was_known() -> None:
    reason = await unavailable(lambda: None)
    assert (
        reason == f"BrokerHeartbeatRequest: no response within {GIVE_UP_MS} ms: no active controller is known"
    )


async def test_it_is_told_that_nobody_listened() -> None:
    port = free_port()
    assert f"127.0.0.1:{port} refused" in await unavailable(lambda: at(port))


async def test_it_is_told_that_the_node_was_not_the_controller() -> None:
    async with listening(ScriptedController(not_controller), served_versions=SERVED.get) as (_, port):
        assert f"127.0.0.1:{port} is not the active controller" in await unavailable(lambda: at(port))


async def test_it_is_told_that_the_controller_does_not_serve_the_request() -> None:
    async with listening(ScriptedController(alive), served_versions=SERVED.get) as (_, port):
        reason = await unavailable(lambda: at(port), AlterPartitionRequest())
        assert "AlterPartitionRequest: the server does not serve this api" in reason


async def test_it_is_told_that_the_controller_stayed_silent() -> None:
    async def silent(request: Message) -> Message:
        await trio.sleep_forever()
        raise AssertionError

    async with listening(ScriptedController(silent), served_versions=SERVED.get) as (_, port):
        assert (await unavailable(lambda: at(port))).endswith(f"127.0.0.1:{port} is silent")


async def test_a_request_that_cannot_be_encoded_for_the_controller_has_no_response() -> None:
    """Whatever the reason is: the sender's task goes on."""
    async with listening(ScriptedController(alive), served_versions=SERVED.get) as (listener, port):
        to = channel(lambda: at(port))
        request = BrokerHeartbeatRequest(broker_id=1 << 40)
        with pytest.raises(ControllerUnavailable, match="broker_id"):
            await to.send(request, timeout_ms=GIVE_UP_MS)
        # The connection was not lost by that.
        assert await beat(to) == BrokerHeartbeatResponse(is_caught_up=True)
        assert listener.statistics().accepted_connections == 1
        to.close()


async def test_a_request_that_cannot_be_sent_to_the_controller_is_rarely_tried_again(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    autojump_clock.autojump_threshold = QUIET_S
    tries: list[Message] = []

    async def ask(self: PeerChannel, request: Message, *, timeout_ms: int) -> Message:
        tries.append(request)
        raise UnsupportedVersionError("no version is common")

    monkeypatch.setattr(PeerChannel, "send", ask)
    with pytest.raises(ControllerUnavailable, match="no version is common"):
        await beat(channel(lambda: at(9)))
    assert len(tries) == TIMEOUT_MS / UNSENDABLE_PAUSE_MS
