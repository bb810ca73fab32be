"""The probe endpoint, on streams in memory and once on a real socket."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair

from kafkaproto_server.shell.net.http import (
    MAX_HTTP_CONNECTIONS,
    MAX_REQUEST_HEAD_BYTES,
    REQUEST_TIMEOUT_MS,
    RESPONSE_GRACE_S,
    HttpResponse,
    response_to_one,
    serve_http,
)

pytestmark = pytest.mark.trio


async def ready() -> HttpResponse:
    return HttpResponse(status=503, body="no leader\n")


async def live() -> HttpResponse:
    return HttpResponse(status=200, body="live ✓\n")


async def broken() -> HttpResponse:
    raise ZeroDivisionError("a figure that nobody foresaw")


ROUTES = {"/ready": ready, "/live": live, "/broken": broken}


async def ask(request: bytes, *, step: int = 1 << 20) -> tuple[int, dict[str, str], bytes]:
    """What is answered to these bytes: status, headers, body."""
    ours, theirs = memory_stream_pair()
    for start in range(0, len(request), step):
        await theirs.send_all(request[start : start + step])
    await theirs.send_eof()
    await response_to_one(ours, ROUTES)
    await ours.aclose()
    response = b""
    while piece := await theirs.receive_some():
        response += piece
    head, _, body = response.partition(b"\r\n\r\n")
    status, *lines = head.decode("ascii").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(status.split()[1]), headers, body


async def test_a_path_is_answered_with_what_its_route_says_now() -> None:
    status, headers, body = await ask(b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status == 200
    assert body.decode() == "live ✓\n"
    assert headers["content-length"] == str(len(body))
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert headers["connection"] == "close"
    status, _, body = await ask(b"GET /ready?verbose HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (status, body) == (503, b"no leader\n")


async def test_a_request_in_pieces_and_of_http_1_0_is_answered() -> None:
    assert (await ask(b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n", step=1))[0] == 200
    assert (await ask(b"GET /live HTTP/1.0\r\n\r\n"))[0] == 200


async def test_head_answers_like_get_without_the_body() -> None:
    status, headers, body = await ask(b"HEAD /live HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status == 200
    assert headers["content-length"] == "9"
    assert body == b""


async def test_other_paths_and_methods_are_refused() -> None:
    status, _, body = await ask(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status == 404
    assert b"/broken, /live, /ready" in body
    status, headers, _ = await ask(b"POST /live HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
    assert status == 405
    assert headers["allow"] == "GET, HEAD"


async def test_a_route_that_fails_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    status, _, body = await ask(b"GET /broken HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (status, body) == (500, b"the answer failed\n")
    assert "/broken failed: ZeroDivisionError" in caplog.text
    assert "Traceback" in caplog.text


@pytest.mark.parametrize(
    ("request_bytes", "expected"),
    [
        (b"garbage\r\n\r\n", 400),
        (b"GET /live HTTP/1.1\r\n\r\n", 400),
        (b"\0\0\0\x10" + b"\xff" * 40 + b"\r\n\r\n", 400),
        (b"GET /live HTTP/1.1\r\nHost: x\r\nX: " + b"y" * MAX_REQUEST_HEAD_BYTES, 431),
    ],
)
async def test_what_is_not_http_is_refused(request_bytes: bytes, expected: int) -> None:
    assert (await ask(request_bytes))[0] == expected


@pytest.mark.parametrize("request_bytes", [b"", b"GET /li", b"GET /live HTTP/1.1\r\n"])
async def test_a_peer_that_hangs_up_inside_a_request_gets_nothing(request_bytes: bytes) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(request_bytes)
    await theirs.aclose()
    await response_to_one(ours, ROUTES)


async def test_a_peer_that_hangs_up_before_its_response_is_no_failure_of_ours() -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
    await theirs.aclose()
    await response_to_one(ours, ROUTES)


def fetch(port: int, path: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


async def test_a_stock_client_is_served_on_a_real_socket() -> None:
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve_http, "127.0.0.1", 0, ROUTES)
        assert await trio.to_thread.run_sync(fetch, port, "/live") == (200, "live ✓\n".encode())
        assert await trio.to_thread.run_sync(fetch, port, "/ready") == (503, b"no leader\n")
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("pause_s", [REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS / 1000 / 5])
async def test_a_request_has_to_be_there_in_time_however_it_drips(
    pause_s: float, autojump_clock: MockClock
) -> None:
    ours, theirs = memory_stream_pair()

    async def drip() -> None:
        for byte in b"GET /live HTTP/1.1":
            await theirs.send_all(bytes([byte]))
            await trio.sleep(pause_s)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(drip)
        await response_to_one(ours, ROUTES)
        assert trio.current_time() == pytest.approx(REQUEST_TIMEOUT_MS / 1000)
        nursery.cancel_scope.cancel()


async def test_probes_are_answered_while_others_hold_all_connections() -> None:
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve_http, "127.0.0.1", 0, ROUTES)
        silent = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(2 * MAX_HTTP_CONNECTIONS)]
        assert await trio.to_thread.run_sync(fetch, port, "/live") == (200, "live ✓\n".encode())
        # The oldest had to go for those after them, and one more for the probe: they are closed already.
        for stream in silent[: MAX_HTTP_CONNECTIONS + 1]:
            with socket.fromfd(stream.socket.fileno(), socket.AF_INET, socket.SOCK_STREAM) as theirs:
                assert theirs.recv(1, socket.MSG_DONTWAIT) == b""
        async with silent[-1]:
            await silent[-1].send_all(b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await silent[-1].receive_some()).startswith(b"HTTP/1.1 200")
        for stream in silent:
            await stream.aclose()
        nursery.cancel_scope.cancel()


async def test_who_has_asked_is_answered_though_others_come_who_do_not(autojump_clock: MockClock) -> None:
    autojump_clock.autojump_threshold = 0.02
    is_ready = trio.Event()

    async def slow() -> HttpResponse:
        await is_ready.wait()
        return HttpResponse(status=200, body="at last\n")

    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve_http, "127.0.0.1", 0, {"/slow": slow})
        asking = await trio.open_tcp_stream("127.0.0.1", port)
        await asking.send_all(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        await trio.testing.wait_all_tasks_blocked(0.01)
        silent = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(MAX_HTTP_CONNECTIONS + 3)]
        await trio.sleep(1.0)
        is_ready.set()
        assert (await asking.receive_some()).startswith(b"HTTP/1.1 200")
        for stream in (asking, *silent):
            await stream.aclose()
        nursery.cancel_scope.cancel()


async def test_who_does_not_read_keeps_no_probe_waiting(autojump_clock: MockClock) -> None:
    autojump_clock.autojump_threshold = 0.02

    async def large() -> HttpResponse:
        return HttpResponse(status=200, body="x" * 6_000_000)

    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve_http, "127.0.0.1", 0, {**ROUTES, "/large": large})
        stalled = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(MAX_HTTP_CONNECTIONS)]
        for stream in stalled:
            await stream.send_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        await trio.testing.wait_all_tasks_blocked(0.01)
        begin = trio.current_time()
        async with await trio.open_tcp_stream("127.0.0.1", port) as probe:
            await probe.send_all(b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await probe.receive_some()).startswith(b"HTTP/1.1 200")
        assert trio.current_time() - begin < 2 * RESPONSE_GRACE_S
        for stream in stalled:
            await stream.aclose()
        nursery.cancel_scope.cancel()


async def test_an_address_that_cannot_be_bound_is_named() -> None:
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve_http, "127.0.0.1", 0, ROUTES)
        with pytest.raises(OSError, match=f"listener http cannot listen on 127.0.0.1:{port}"):
            await serve_http("127.0.0.1", port, ROUTES)
        nursery.cancel_scope.cancel()
