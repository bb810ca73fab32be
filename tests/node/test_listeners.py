"""The keys of Kafka for sockets: what is set counts, and otherwise this server's own defaults."""

from __future__ import annotations

import pytest

from kafkaproto_server.config.node_config import default_config
from kafkaproto_server.node.listeners import _socket_options
from kafkaproto_server.shell.net.limits import LISTEN_BACKLOG, SEND_BUFFER_BYTES
from kafkaproto_server.shell.net.network import SocketOptions


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, (LISTEN_BACKLOG, SEND_BUFFER_BYTES, None)),
        ({"socket.listen.backlog.size": "7"}, (7, SEND_BUFFER_BYTES, None)),
        (
            {"socket.send.buffer.bytes": "102400", "socket.receive.buffer.bytes": "102400"},
            (LISTEN_BACKLOG, 102_400, 102_400),
        ),
        (
            {"socket.send.buffer.bytes": "-1", "socket.receive.buffer.bytes": "-1"},
            (LISTEN_BACKLOG, None, None),
        ),
    ],
)
def test_what_is_set_counts(properties: dict[str, str], expected: tuple[int, int | None, int | None]) -> None:
    backlog, send, receive = expected
    assert _socket_options(default_config(properties)) == SocketOptions(
        backlog=backlog, send_buffer_bytes=send, receive_buffer_bytes=receive
    )
