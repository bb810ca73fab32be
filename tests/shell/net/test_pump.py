"""One connection on streams in memory: order, back-pressure, idleness, hanging up, draining.

Tests: `shell.net.arrivals`, `shell.net.connections`, `shell.net.exchange`, `shell.net.keeper`, `shell.net.limits`,
`shell.net.response_writer`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest
import trio
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from kafkaproto.connection import IncomingRequest, UnsupportedApiVersions
from kafkaproto.errors import RemoteProtocolError
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Request, Respond
from kafkaproto_server.shell.net.limits import (
    HANG_UP_GRACE_MS,
    READ_AHEAD_BYTES,
    RECEIVE_CHUNK_BYTES,
    SEND_CHUNK_BYTES,
    SEND_TIMEOUT_MS,
    UNCOUNTED_BYTES,
)
from tests.shell.net.support.connections import (
    IDLE_TIMEOUT_MS,
    LOGGER,
    StreamBytes,
    echo,
    framed,
    is_closed,
    make_plain_pump,
    make_pump,
    receive_exactly,
    request,
    serve_echo,
)

pytestmark = pytest.mark.trio


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, logger=LOGGER)
    return caplog


def assert_is_for_few(log: pytest.LogCaptureFixture) -> None:
    """Every client leaves one day: nobody wants to read of each."""
    assert {record.levelno for record in log.records} == {logging.DEBUG}


class GatedServe:
    """Serves one request each time ``gate`` is opened; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.gate = trio.Semaphore(0)

    async def __call__(self, request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        self.asked.append(request.correlation_id)
        await self.gate.acquire()
        return await serve_echo(request, connection)


async def test_pipelined_requests_are_answered_in_order_and_served_one_at_a_time() -> None:
    ours, theirs = memory_stream_pair()
    serve = GatedServe()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve).run)
        await theirs.send_all(b"".join(request(number, bytes([number])) for number in range(5)))
        for number in range(5):
            await wait_all_tasks_blocked()
            assert serve.asked == list(range(number + 1))
            serve.gate.release()
            response = echo(number, bytes([number]))
            assert await receive_exactly(theirs, len(response)) == response
        await theirs.aclose()


async def test_requests_that_arrive_byte_by_byte_are_served() -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_echo).run)
        for byte in request(1, b"one") + request(2, b"two"):
            await theirs.send_all(bytes([byte]))
        expected = echo(1, b"one") + echo(2, b"two")
        assert await receive_exactly(theirs, len(expected)) == expected
        await theirs.aclose()


async def test_a_request_without_a_response_is_passed_over() -> None:
    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        return None if request.correlation_id == 1 else await serve_echo(request, connection)

    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve).run)
        await theirs.send_all(request(1, b"one") + request(2, b"two"))
        response = echo(2, b"two")
        assert await receive_exactly(theirs, len(response)) == response
        await theirs.aclose()


@pytest.mark.parametrize("body", [b"two", bytes(3 * UNCOUNTED_BYTES)], ids=["small", "large"])
async def test_an_unsupported_api_versions_request_reaches_serve_and_leaves_the_connection_usable(
    body: bytes,
) -> None:
    seen: list[Request] = []

    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        seen.append(request)
        assert connection.listener_name == "CONTROLLER"
        assert connection.peer_host == "192.0.2.7"
        if isinstance(request, UnsupportedApiVersions):
            return [b"refused"]
        return await serve_echo(request, connection)

    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve).run)
        await theirs.send_all(request(1, api_key=18, version=99) + request(2, body))
        expected = framed(b"\0\0\0\1refused") + echo(2, body)
        assert await receive_exactly(theirs, len(expected)) == expected
        await theirs.aclose()
    assert isinstance(seen[0], UnsupportedApiVersions)
    assert isinstance(seen[1], IncomingRequest)


async def test_a_peer_that_closes_between_requests_leaves_no_log_line(log: pytest.LogCaptureFixture) -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_echo).run)
        await theirs.send_all(request(1))
        await receive_exactly(theirs, len(echo(1, b"")))
        await theirs.aclose()
    assert not log.records


async def test_a_peer_that_is_gone_when_its_response_is_written_leaves_one_log_line(
    log: pytest.LogCaptureFixture,
) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(request(1) + request(2))
    await theirs.aclose()
    await make_pump(ours, serve_echo).run()
    assert [record.getMessage().rpartition(": ")[2] for record in log.records] == [
        "it hung up before its answer was written"
    ]
    assert_is_for_few(log)


async def test_a_peer_that_only_stops_sending_still_gets_its_responses() -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(request(1, b"one") + request(2, b"two"))
    await theirs.send_eof()
    await make_pump(ours, serve_echo).run()
    expected = echo(1, b"one") + echo(2, b"two")
    assert await receive_exactly(theirs, len(expected)) == expected
    assert await is_closed(theirs)


async def test_a_peer_that_hangs_up_during_a_long_poll_is_given_up_after_a_time_of_grace(
    autojump_clock: MockClock, log: pytest.LogCaptureFixture
) -> None:
    ours, theirs = memory_stream_pair()
    serve = GatedServe()
    await theirs.send_all(request(1))
    await theirs.send_eof()
    await make_pump(ours, serve).run()
    assert trio.current_time() == pytest.approx(HANG_UP_GRACE_MS / 1000)
    assert serve.asked == [1]
    # Its answer comes too late, and harms nobody.
    serve.gate.release()
    await wait_all_tasks_blocked()
    assert await is_closed(theirs)
    assert log.messages == [
        "closed the connection of 192.0.2.7:4321 to listener CONTROLLER: it hung up before its answer was ready"
    ]
    assert_is_for_few(log)


async def test_a_connection_whose_time_is_over_waits_for_its_turn_to_end(autojump_clock: MockClock) -> None:
    turn = trio.Event()
    ours, theirs = memory_stream_pair()
    await theirs.send_all(request(1))
    await theirs.send_eof()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, GatedServe(), wait_turn=turn.wait).run)
        await trio.sleep(HANG_UP_GRACE_MS / 1000 + 1)
        with trio.move_on_after(1) as waiting:
            await is_closed(theirs)
        assert waiting.cancelled_caught
        turn.set()
        assert await is_closed(theirs)


async def test_the_time_of_grace_is_one_for_all_requests_that_had_arrived(autojump_clock: MockClock) -> None:
    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        await trio.sleep(HANG_UP_GRACE_MS / 1000 * 0.4)
        return await serve_echo(request, connection)

    ours, theirs = memory_stream_pair()
    await theirs.send_all(request(1) + request(2) + request(3) + request(4))
    await theirs.send_eof()
    await make_pump(ours, serve).run()
    assert trio.current_time() == pytest.approx(HANG_UP_GRACE_MS / 1000)
    expected = echo(1, b"") + echo(2, b"")
    assert await receive_exactly(theirs, len(expected)) == expected
    assert await is_closed(theirs)


async def test_a_stream_that_ends_inside_a_request_leaves_one_log_line(log: pytest.LogCaptureFixture) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(request(1)[:-1])
    await theirs.aclose()
    await make_pump(ours, serve_echo).run()
    assert [record.getMessage().rpartition(": ")[2] for record in log.records] == [
        "it hung up inside a request"
    ]


async def test_an_idle_connection_is_closed_with_one_log_line(
    autojump_clock: MockClock, log: pytest.LogCaptureFixture
) -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_echo).run)
        assert await is_closed(theirs)
    assert trio.current_time() == pytest.approx(IDLE_TIMEOUT_MS / 1000)
    assert log.messages == [
        "closed the connection of 192.0.2.7:4321 to listener CONTROLLER: idle for 60000 ms"
    ]


async def test_a_half_request_does_not_keep_a_connection(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_echo).run)
        await theirs.send_all(request(1)[:-1])
        assert await is_closed(theirs)
    assert trio.current_time() == pytest.approx(IDLE_TIMEOUT_MS / 1000)


async def test_idle_time_counts_from_the_last_activity(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    idle_seconds = IDLE_TIMEOUT_MS / 1000
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_echo).run)
        for _ in range(3):
            await trio.sleep(idle_seconds * 0.9)
            await theirs.send_all(request(1))
            assert await receive_exactly(theirs, len(echo(1, b""))) == echo(1, b"")
        assert await is_closed(theirs)
    assert trio.current_time() == pytest.approx(idle_seconds * 3.7)


async def test_a_peer_that_waits_for_its_response_is_not_idle(
    autojump_clock: MockClock, log: pytest.LogCaptureFixture
) -> None:
    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        await trio.sleep(IDLE_TIMEOUT_MS / 1000 * 2.5)
        return await serve_echo(request, connection)

    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve).run)
        await theirs.send_all(request(1))
        assert await receive_exactly(theirs, len(echo(1, b""))) == echo(1, b"")
        assert await is_closed(theirs)
    # The idle time begins with the answer.
    assert trio.current_time() == pytest.approx(IDLE_TIMEOUT_MS / 1000 * 3.5)
    assert [record.getMessage().rpartition(": ")[2] for record in log.records] == ["idle for 60000 ms"]


async def test_idle_is_who_waits_for_nothing_of_this_server() -> None:
    ours, theirs = lockstep_stream_pair()
    serve = GatedServe()
    pump = make_pump(ours, serve)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        assert pump.idle_since is not None
        await theirs.send_all(request(1))
        await wait_all_tasks_blocked()
        assert pump.idle_since is None
        serve.gate.release()
        # A response that is ready waits for the peer.
        await wait_all_tasks_blocked()
        assert pump.idle_since is not None
        assert await receive_exactly(theirs, len(echo(1, b""))) == echo(1, b"")
        await theirs.aclose()


async def test_a_peer_that_is_served_while_its_end_waits_for_a_turn_is_not_idle(
    autojump_clock: MockClock,
) -> None:
    async def serve(request: Request, connection: ConnectionInfo) -> None:
        """Without a response."""

    turn = trio.Event()
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve, wait_turn=turn.wait).run)
        await trio.sleep(IDLE_TIMEOUT_MS / 1000 + 1)
        await theirs.send_all(request(1))
        await wait_all_tasks_blocked()
        turn.set()
        served_at = trio.current_time()
        assert await is_closed(theirs)
    assert trio.current_time() == pytest.approx(served_at + IDLE_TIMEOUT_MS / 1000)


async def test_a_peer_that_does_not_read_its_response_is_closed_after_the_idle_time_if_that_is_short(
    autojump_clock: MockClock, log: pytest.LogCaptureFixture
) -> None:
    idle_timeout_ms = SEND_TIMEOUT_MS // 2
    ours, theirs = lockstep_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_echo, idle_timeout_ms=idle_timeout_ms).run)
        await theirs.send_all(request(1))
        await trio.sleep(SEND_TIMEOUT_MS / 1000 - 1)
        await theirs.aclose()
    assert [record.getMessage().rpartition(": ")[2] for record in log.records] == [
        f"it read nothing of its answer for {idle_timeout_ms} ms"
    ]


async def test_a_peer_that_does_not_read_its_response_is_closed_long_before_the_idle_time(
    autojump_clock: MockClock, log: pytest.LogCaptureFixture
) -> None:
    ours, theirs = lockstep_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_echo).run)
        await theirs.send_all(request(1, b"x" * 1000))
        # What it sends meanwhile does not help: it is asked to read.
        for _ in range(9):
            await trio.sleep(SEND_TIMEOUT_MS / 1000 / 10)
            await theirs.send_all(b"\0")
        await trio.sleep(SEND_TIMEOUT_MS / 1000 / 5)
        while await theirs.receive_some():
            """What was handed over before the connection was closed."""
    assert trio.current_time() < IDLE_TIMEOUT_MS / 1000
    assert [record.getMessage().rpartition(": ")[2] for record in log.records] == [
        f"it read nothing of its answer for {SEND_TIMEOUT_MS} ms"
    ]


async def test_a_slow_reader_that_goes_on_reading_is_served(autojump_clock: MockClock) -> None:
    size = 900_000
    ours, theirs = lockstep_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_echo).run)
        await theirs.send_all(request(1, b"x" * size))
        response = echo(1, b"x" * size)
        for start in range(0, len(response), SEND_CHUNK_BYTES):
            # Longer than both times in all, yet never without progress for that long.
            await trio.sleep(SEND_TIMEOUT_MS / 1000 * 0.6)
            piece = response[start : start + SEND_CHUNK_BYTES]
            assert await receive_exactly(theirs, len(piece)) == piece
        await theirs.aclose()
    assert trio.current_time() > max(SEND_TIMEOUT_MS, IDLE_TIMEOUT_MS) / 1000


async def test_what_follows_a_request_in_progress_is_read_only_up_to_a_bound() -> None:
    ours, theirs = lockstep_stream_pair()
    serve = GatedServe()
    sent = 0

    async def flood() -> None:
        nonlocal sent
        frame = request(7, b"x" * 1000)
        with pytest.raises(trio.BrokenResourceError):  # noqa: PT012
            while True:
                await theirs.send_all(frame)
                sent += len(frame)

    async with trio.open_nursery() as nursery:
        pump = make_pump(ours, serve)
        nursery.start_soon(pump.run)
        nursery.start_soon(flood)
        await wait_all_tasks_blocked()
        assert READ_AHEAD_BYTES <= sent <= READ_AHEAD_BYTES + RECEIVE_CHUNK_BYTES + 4096
        before = sent
        # Room again, so it reads on.
        for _ in range(20):
            serve.gate.release()
            response = echo(7, b"x" * 1000)
            assert await receive_exactly(theirs, len(response)) == response
        await wait_all_tasks_blocked()
        assert before < sent <= before + 21 * 1020
        pump.drain()
        serve.gate.release()
        await receive_exactly(theirs, len(echo(7, b"x" * 1000)))


async def test_a_request_larger_than_the_read_ahead_behind_one_in_progress_is_served() -> None:
    ours, theirs = memory_stream_pair()
    serve = GatedServe()
    large = b"y" * (READ_AHEAD_BYTES * 3)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve).run)
        await theirs.send_all(request(1) + request(2, large))
        await wait_all_tasks_blocked()
        serve.gate.release()
        serve.gate.release()
        expected = echo(1, b"") + echo(2, large)
        assert await receive_exactly(theirs, len(expected)) == expected
        await theirs.aclose()


@pytest.mark.parametrize(
    "fault",
    [CloseConnection("it asked for too much"), RemoteProtocolError("bad", where="VoteRequest", offset=3)],
)
async def test_a_fault_of_the_peer_closes_the_connection_without_a_response_and_with_one_log_line(
    fault: Exception, log: pytest.LogCaptureFixture
) -> None:
    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        await trio.lowlevel.checkpoint()
        raise fault

    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve).run)
        await theirs.send_all(request(1) + request(2))
        assert await is_closed(theirs)
    assert [record.getMessage() for record in log.records] == [
        f"closed the connection of 192.0.2.7:4321 to listener CONTROLLER: {fault}"
    ]
    assert log.records[0].levelno == logging.WARNING


@pytest.mark.parametrize("failure", [AssertionError("our own broken invariant"), trio.BrokenResourceError()])
async def test_a_failure_of_our_own_is_not_swallowed(failure: Exception) -> None:
    def serve(request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        raise failure

    ours, theirs = memory_stream_pair()
    await theirs.send_all(request(1))
    with pytest.RaisesGroup(type(failure)):
        await make_plain_pump(StreamBytes(ours), serve).run()
    assert await is_closed(theirs)


async def test_draining_closes_an_idle_connection_at_once(log: pytest.LogCaptureFixture) -> None:
    ours, theirs = memory_stream_pair()
    pump = make_pump(ours, serve_echo)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await wait_all_tasks_blocked()
        pump.drain()
        assert await is_closed(theirs)
    assert not log.records


async def test_draining_lets_the_request_in_progress_be_answered_and_takes_no_other() -> None:
    ours, theirs = memory_stream_pair()
    serve = GatedServe()
    pump = make_pump(ours, serve)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1, b"one") + request(2, b"two"))
        await wait_all_tasks_blocked()
        pump.drain()
        serve.gate.release()
        response = echo(1, b"one")
        assert await receive_exactly(theirs, len(response)) == response
        assert await is_closed(theirs)
    assert serve.asked == [1]
