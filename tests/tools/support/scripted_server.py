"""A server for command lines to talk to, on a real socket in a thread: answers from a script, keeps what it was
asked. It knows as little of quorums as a test tells it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from kafkaproto.api import ApiKey, api_by_key
from kafkaproto.connection import IncomingRequest, ServerConnection
from kafkaproto.frame import NEED_DATA
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsResponse

Responses = Mapping[int, Callable[[Message], Message]]
"""By api key: the response to a request. Keys that are not there are neither advertised nor served."""

_TIMEOUT_S = 20.0


@dataclass(slots=True)
class ScriptedServer:
    """A server that runs; stopped at the end of `serving`."""

    port: int
    asked: list[Message] = field(default_factory=list)
    """Every request but ApiVersions, in order."""

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return f"127.0.0.1:{self.port}"


@contextmanager
def serving(responses: Responses) -> Iterator[ScriptedServer]:
    """Serve any number of connections, each in a thread of its own."""
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = ScriptedServer(listener.getsockname()[1])

        def accept() -> None:
            while True:
                try:
                    stream, _ = listener.accept()
                except OSError:
                    return
                stream.settimeout(_TIMEOUT_S)
                threads.append(threading.Thread(target=_serve_connection, args=(stream, responses, server)))
                threads[-1].start()

        acceptor = threading.Thread(target=accept)
        acceptor.start()
        try:
            yield server
        finally:
            # Closing alone would not wake a thread that is accepting.
            listener.shutdown(socket.SHUT_RDWR)
            for thread in (acceptor, *threads):
                thread.join(_TIMEOUT_S)
                assert not thread.is_alive(), "a connection was left open"


def _serve_connection(stream: socket.socket, responses: Responses, server: ScriptedServer) -> None:
    served = {key: _versions(key) for key in (ApiKey.API_VERSIONS, *responses)}
    connection = ServerConnection(served.get, max_request_size=1 << 20)
    with stream:
        while True:
            while (event := connection.next_event()) is NEED_DATA:
                data = stream.recv(65_536)
                if not data:
                    return
                connection.receive(data)
            assert isinstance(event, IncomingRequest)
            if event.api_key == ApiKey.API_VERSIONS:
                response: Message = _api_versions(served)
            else:
                api = api_by_key(event.api_key)
                assert api is not None
                request, _ = api.request_class.decode(event.frame, event.api_version, event.body_offset)
                server.asked.append(request)
                response = responses[event.api_key](request)
            body = response.encode(event.api_version)
            stream.sendall(b"".join(connection.send_response(event.correlation_id, [body])))


def _versions(api_key: int) -> tuple[int, int]:
    api = api_by_key(api_key)
    assert api is not None
    return api.min_version, api.max_stable_version


def _api_versions(served: Mapping[int, tuple[int, int]]) -> ApiVersionsResponse:
    return ApiVersionsResponse(
        api_keys=[
            ApiVersionsResponse.ApiVersion(api_key=key, min_version=lowest, max_version=highest)
            for key, (lowest, highest) in served.items()
        ]
    )
