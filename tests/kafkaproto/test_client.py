"""The blocking client on real loopback sockets, against servers that answer, lie, fall silent and hang up."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from compat.ports import free_port
from kafkaproto.client import Client, parse_servers
from kafkaproto.connection import IncomingRequest, ServerConnection
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.frame import NEED_DATA
from kafkaproto.messages import (
    ApiVersionsResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    VoteRequest,
)

SERVED = {18: (0, 4), 60: (0, 2), 52: (7, 9)}


@contextmanager
def serving(handle: Callable[[socket.socket], None]) -> Iterator[int]:
    """Run ``handle`` on the one connection that is accepted; gives the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)

        def run() -> None:
            accepted, _ = listener.accept()
            with accepted:
                accepted.settimeout(10)
                handle(accepted)

        thread = threading.Thread(target=run)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(timeout=10)
        assert not thread.is_alive()


def answer_requests(stream: socket.socket, count: int, *, cut: int = 1 << 20) -> None:
    """Answer ``count`` requests as a server would, in writes of ``cut`` bytes, then return."""
    connection = ServerConnection(SERVED.get, max_request_size=100_000)
    while count:
        while (event := connection.next_event()) is NEED_DATA:
            data = stream.recv(65_536)
            if not data:
                return
            connection.receive(data)
        assert isinstance(event, IncomingRequest)
        if event.api_key == 18:
            versions = [
                ApiVersionsResponse.ApiVersion(api_key=key, min_version=low, max_version=high)
                for key, (low, high) in SERVED.items()
            ]
            body = ApiVersionsResponse(api_keys=versions).encode(event.api_version)
        else:
            body = DescribeClusterResponse(cluster_id=f"v{event.api_version}").encode(event.api_version)
        response = b"".join(connection.send_response(event.correlation_id, [body]))
        for start in range(0, len(response), cut):
            stream.sendall(response[start : start + cut])
        count -= 1


def test_requests_are_answered_at_the_highest_common_version_or_the_one_asked_for() -> None:
    with (
        serving(lambda stream: answer_requests(stream, 3)) as port,
        Client.connect("127.0.0.1", port) as client,
    ):
        assert (client.host, client.port) == ("127.0.0.1", port)
        assert [entry.api_key for entry in client.api_versions.api_keys] == [18, 60, 52]
        assert client.version_for(DescribeClusterRequest) == 2
        for version, expected in ((None, "v2"), (0, "v0")):
            response = client.send(DescribeClusterRequest(), version)
            assert isinstance(response, DescribeClusterResponse)
            assert response.cluster_id == expected


def test_a_response_that_arrives_in_pieces_is_put_together() -> None:
    with (
        serving(lambda stream: answer_requests(stream, 2, cut=3)) as port,
        Client.connect("127.0.0.1", port) as client,
    ):
        assert client.send(DescribeClusterRequest()) == DescribeClusterResponse(cluster_id="v2")


def test_a_request_without_a_common_version_leaves_the_connection_usable() -> None:
    with (
        serving(lambda stream: answer_requests(stream, 2)) as port,
        Client.connect("127.0.0.1", port) as client,
    ):
        with pytest.raises(UnsupportedVersionError, match="VoteRequest"):
            client.send(VoteRequest())
        assert client.send(DescribeClusterRequest()) == DescribeClusterResponse(cluster_id="v2")


def test_a_refused_connection_names_host_and_port() -> None:
    port = free_port()
    with pytest.raises(
        ConnectionError, match=rf"^cannot connect to 127\.0\.0\.1:{port}: Connection refused$"
    ):
        Client.connect("127.0.0.1", port)


def test_a_name_that_does_not_resolve_is_named() -> None:
    with pytest.raises(ConnectionError, match=r"^cannot connect to no\.such\.host\.invalid:9092: "):
        Client.connect("no.such.host.invalid", 9092)


def test_a_backlog_that_takes_no_connection_is_a_timeout() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        # The first connection fills the backlog; the kernel drops what is beyond it.
        with socket.create_connection(address), pytest.raises(TimeoutError) as caught:
            Client.connect(*address, timeout_ms=50)
        assert str(caught.value).startswith(f"127.0.0.1:{address[1]} ")
        assert "within 50 ms" in str(caught.value)


def test_a_silent_server_is_a_timeout_that_says_what_was_asked() -> None:
    def stay_silent(stream: socket.socket) -> None:
        answer_requests(stream, 1)
        while stream.recv(1000):
            pass

    with serving(stay_silent) as port, Client.connect("127.0.0.1", port, timeout_ms=100) as client:
        with pytest.raises(TimeoutError) as caught:
            client.send(DescribeClusterRequest())
        assert str(caught.value) == f"127.0.0.1:{port} did not answer DescribeClusterRequest within 100 ms"
        # A late answer would be taken for that of the next request.
        with pytest.raises(ConnectionError, match="lost the connection"):
            client.send(DescribeClusterRequest())


def test_the_time_allowed_is_one_for_the_whole_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        """Each look at it is 60 ms later than the last, so sending alone has used up the time."""

        now = 0.0

        def monotonic(self) -> float:
            self.now += 0.06
            return self.now

    with (
        serving(lambda stream: answer_requests(stream, 1)) as port,
        Client.connect("127.0.0.1", port, timeout_ms=100) as client,
    ):
        monkeypatch.setattr("kafkaproto.client.time", Clock())
        with pytest.raises(TimeoutError, match="did not answer DescribeClusterRequest within 100 ms"):
            client.send(DescribeClusterRequest())


def test_a_server_that_hangs_up_is_a_lost_connection() -> None:
    def hang_up_when_asked(stream: socket.socket) -> None:
        answer_requests(stream, 1)
        stream.recv(1000)

    with (
        serving(hang_up_when_asked) as port,
        Client.connect("127.0.0.1", port) as client,
        pytest.raises(ConnectionError) as caught,
    ):
        client.send(DescribeClusterRequest())
    assert str(caught.value) == (
        f"lost the connection to 127.0.0.1:{port} before DescribeClusterRequest was answered:"
        " the server closed it"
    )


def test_a_server_that_is_no_kafka_server_is_told_apart() -> None:
    def speak_http(stream: socket.socket) -> None:
        stream.recv(1000)
        stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with (
        serving(speak_http) as port,
        pytest.raises(ConnectionError, match=f"127.0.0.1:{port} answered ApiVersionsRequest with what is no"),
    ):
        Client.connect("127.0.0.1", port)


def test_a_response_whose_body_cannot_be_read_closes_the_connection() -> None:
    def answer_badly(stream: socket.socket) -> None:
        answer_requests(stream, 1)
        stream.recv(1000)
        stream.sendall(struct.pack(">ii", 6, 1) + b"\0\0")

    with serving(answer_badly) as port, Client.connect("127.0.0.1", port) as client:
        with pytest.raises(ConnectionError, match="DescribeClusterResponse"):
            client.send(DescribeClusterRequest())
        with pytest.raises(ConnectionError, match="lost the connection"):
            client.send(DescribeClusterRequest())


def test_bootstrap_takes_the_first_server_that_answers() -> None:
    dead = free_port()
    with (
        serving(lambda stream: answer_requests(stream, 1)) as port,
        Client.bootstrap([("127.0.0.1", dead), ("127.0.0.1", port)]) as client,
    ):
        assert client.port == port


def test_bootstrap_says_what_happened_at_each_server() -> None:
    first, second = free_port(), free_port()
    with pytest.raises(ConnectionError) as caught:
        Client.bootstrap([("127.0.0.1", first), ("127.0.0.1", second)])
    assert f"127.0.0.1:{first}" in str(caught.value)
    assert f"127.0.0.1:{second}" in str(caught.value)
    with pytest.raises(ConnectionError, match="no servers were given"):
        Client.bootstrap([])


def test_server_lists_are_read_as_kafka_writes_them() -> None:
    assert parse_servers("a:1, b.example:65535,[::1]:9092") == [("a", 1), ("b.example", 65535), ("::1", 9092)]


@pytest.mark.parametrize(
    "text", ["", "a", "a:", ":9092", "a:0", "a:65536", "a:-1", "a:x", "a:1,,b:2", "a:1_0", "[]:1"]
)
def test_a_part_that_is_no_address_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not HOST:PORT"):
        parse_servers(text)
