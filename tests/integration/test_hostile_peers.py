"""Peers that do not keep to the protocol, against a whole node: nothing but their own connection suffers."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

import pytest

from compat.ours import OurNode
from kafkaproto.client import parse_servers
from kafkaproto.headers import encode_request_header
from kafkaproto.messages import DescribeTopicPartitionsRequest, MetadataRequest
from tests.fuzz.live import fuzz_live
from tests.integration.support.asking import create_topic, metadata

FUZZ_SEED = 20261121
FUZZ_COUNT = 400
MEMORY_SLACK_MIB = 8.0
"""What the allocator may keep of ordinary work; one held frame of 100 MiB would be far above."""


def resident_mib(node: OurNode) -> float:
    """Resident memory of the node's process."""
    for line in Path(f"/proc/{node.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise LookupError("the process tells no VmRSS")


def send_and_wait_for_close(address: str, data: bytes) -> bytes:
    """All that comes back before the node closes the connection."""
    ((host, port),) = parse_servers(address)
    with socket.create_connection((host, port), timeout=10) as stream:
        stream.sendall(data)
        received = b""
        while chunk := stream.recv(65536):
            received += chunk
        return received


def frame(api_key: int, api_version: int, body: bytes) -> bytes:
    """A request as it stands on the wire."""
    header = struct.pack(">hhih", api_key, api_version, 7, -1)
    return struct.pack(">i", len(header) + len(body)) + header + body


def flexible_frame(api_key: int, api_version: int, body: bytes) -> bytes:
    """The same with a header of version 2."""
    header = encode_request_header(api_key=api_key, api_version=api_version, correlation_id=7, client_id=None)
    return struct.pack(">i", len(header) + len(body)) + header + body


BAD_BYTES = {
    "garbage": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "2 GB length": b"\x7f\xff\xff\xff",
    "negative length": b"\xff\xff\xff\xff",
    "zero length": b"\x00\x00\x00\x00",
    "unknown api key": frame(1234, 0, b""),
    "removed api key": frame(4, 0, b""),
    "negative api key": frame(-1, 0, b""),
    "version out of range": frame(3, 99, b""),
    "truncated body": frame(3, 1, b"\x00\x00"),
    "billion topics in ten bytes": frame(3, 1, b"\x3b\x9a\xca\x00\x00\x00"),
    "negative string length": frame(3, 1, b"\x00\x00\x00\x01\xff\x00"),
    "billion topics, compact": flexible_frame(3, 12, b"\xff\xff\xff\xff\x07\x00\x00\x00"),
    "bad UTF-8 in a topic name": frame(3, 1, b"\x00\x00\x00\x01\x00\x02\xc3\x28"),
    "billion tags": flexible_frame(60, 0, b"\x00\xff\xff\xff\xff\x0f"),
}


@pytest.mark.parametrize("data", BAD_BYTES.values(), ids=BAD_BYTES.keys())
def test_bad_bytes_close_their_connection_and_no_other(shared: OurNode, data: bytes) -> None:
    before = shared.process.err_path.read_text().count("\n")
    assert send_and_wait_for_close(shared.bootstrap_server, data) == b""
    assert len(metadata(shared.bootstrap_server).brokers) == 1
    lines = shared.process.err_path.read_text().splitlines()[before:]
    assert len(lines) == 1, f"one line for one closed connection: {lines}"
    assert "127.0.0.1" in lines[0]


def test_a_cursor_marked_with_a_strange_byte_is_read(shared: OurNode) -> None:
    """Found by fuzzing: a nullable struct's mark of 0 once set the two decoders against each other."""
    body = DescribeTopicPartitionsRequest().encode(0)
    assert body[-2:] == b"\xff\x00"
    data = flexible_frame(75, 0, body[:-2] + b"\x00\x01\x00\x00\x00\x00\x00\x00")
    ((host, port),) = parse_servers(shared.bootstrap_server)
    with socket.create_connection((host, port), timeout=10) as stream:
        stream.sendall(data)
        assert stream.recv(4)
    assert len(metadata(shared.bootstrap_server).brokers) == 1


def test_held_frames_cost_nothing(shared: OurNode) -> None:
    ((host, port),) = parse_servers(shared.bootstrap_server)
    metadata(shared.bootstrap_server)
    before = resident_mib(shared)
    held = [socket.create_connection((host, port), timeout=10) for _ in range(20)]
    try:
        for stream in held:
            stream.sendall(struct.pack(">i", 100 * 1024 * 1024) + bytes(1000))
        assert create_topic(shared.bootstrap_server, "beside-held-frames").error_code in (0, 36)
        assert resident_mib(shared) - before < MEMORY_SLACK_MIB
    finally:
        for stream in held:
            stream.close()


def test_pipelined_requests_are_answered_in_order(shared: OurNode) -> None:
    ((host, port),) = parse_servers(shared.bootstrap_server)
    body = MetadataRequest(topics=[]).encode(4)
    count = 200
    with socket.create_connection((host, port), timeout=10) as stream:
        header = [struct.pack(">hhih", 3, 4, number, -1) for number in range(count)]
        stream.sendall(b"".join(struct.pack(">i", len(each) + len(body)) + each + body for each in header))
        responses = stream.makefile("rb")
        for number in range(count):
            (size,) = struct.unpack(">i", responses.read(4))
            assert struct.unpack_from(">i", responses.read(size)) == (number,)


@pytest.mark.parametrize("listener", ["broker", "controller"])
def test_mutated_requests_leave_the_node_serving(shared: OurNode, listener: str) -> None:
    address = shared.bootstrap_server if listener == "broker" else shared.bootstrap_controller
    ((host, port),) = parse_servers(address)
    before = resident_mib(shared)
    fuzz_live(host, port, seed=FUZZ_SEED, count=FUZZ_COUNT)
    shared.assert_running()
    assert len(metadata(shared.bootstrap_server).brokers) == 1
    assert resident_mib(shared) - before < MEMORY_SLACK_MIB
