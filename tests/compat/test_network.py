"""The network that can be cut, without any Kafka: silence while cut, everything in order afterwards."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from compat.network import Network
from compat.ports import free_ports

SILENCE_S = 0.15
"""How long nothing has to come for silence; what passes a relay comes within a few milliseconds."""
TIMEOUT_S = 20.0
SERVER, CALLER, THIRD = 1, 2, 3
MUCH_BYTES = 64 << 20
"""More than the buffers of all sockets on the way take."""

# A node in a process of its own: applies one line after the other, and answers each with a line.
CALLER_PROGRAM = """
import socket, sys, zlib
def receive(size):
    data = bytearray()
    while len(data) < size and (more := end.recv(size - len(data))):
        data += more
    return data
for line in sys.stdin:
    verb, value = line.split()
    answer = "done"
    if verb == "connect":
        try:
            end = socket.create_connection(("127.0.0.1", int(value)), timeout=20)
        except ConnectionResetError:
            answer = "reset"
    elif verb == "send":
        end.sendall(value.encode())
    elif verb == "receive":
        answer = receive(int(value)).decode()
    elif verb == "checksum":
        answer = zlib.crc32(receive(int(value)))
    elif verb == "shut":
        end.shutdown(socket.SHUT_WR)
    elif verb == "close":
        end.close()
    elif verb == "await":
        end.settimeout(float(value))
        try:
            answer = "end" if end.recv(1) == b"" else "byte"
        except ConnectionResetError:
            answer = "reset"
        except TimeoutError:
            answer = "silence"
    print(answer, flush=True)
"""


class Caller:
    """Another process, which opens connections."""

    def __init__(self, stack: ExitStack) -> None:
        command = [sys.executable, "-c", CALLER_PROGRAM]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # Which closes its standard input, and that ends it.
        stack.enter_context(self._process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, line: str) -> str:
        """What it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().rstrip("\n")


class Scene:
    """A node that listens, in this process, one that calls, and a third."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.network = stack.enter_context(Network())
        self._listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.caller, self.third = Caller(stack), Caller(stack)
        unused, closed = free_ports(2)
        self._relay = self.network.add(SERVER, self._listener.getsockname()[1], os.getpid)
        self.network.add(CALLER, unused, lambda: self.caller.pid)
        self.closed = self.network.add(THIRD, closed, lambda: self.third.pid)

    def call(self, caller: Caller) -> None:
        """A connection to the node that listens."""
        caller.tell(f"connect {self._relay.split(':')[1]}")

    def accept(self, timeout_s: float = TIMEOUT_S) -> socket.socket:
        """The listening node's end of the next connection; raises TimeoutError."""
        self._listener.settimeout(timeout_s)
        end, _ = self._listener.accept()
        end.settimeout(TIMEOUT_S)
        return self._stack.enter_context(end)

    def connect(self, caller: Caller) -> socket.socket:
        """The listening node's end of a new connection."""
        self.call(caller)
        return self.accept()


@pytest.fixture
def scene() -> Iterator[Scene]:
    with ExitStack() as stack:
        yield Scene(stack)


def is_silent(end: socket.socket) -> bool:
    """Whether neither a byte comes nor the connection ends."""
    end.settimeout(SILENCE_S)
    try:
        end.recv(1, socket.MSG_PEEK)
    except TimeoutError:
        return True
    finally:
        end.settimeout(TIMEOUT_S)
    return False


def received(end: socket.socket, size: int) -> bytes:
    """The next `size` bytes."""
    return end.recv(size, socket.MSG_WAITALL)


def sent_until_full(end: socket.socket, data: bytes) -> int:
    """How much of the data is taken until nothing more is."""
    end.settimeout(SILENCE_S)
    sent = 0
    with suppress(TimeoutError):
        while sent < len(data):
            sent += end.send(data[sent : sent + (1 << 20)])
    return sent


def test_bytes_and_the_end_of_a_connection_pass(scene: Scene) -> None:
    end = scene.connect(scene.caller)
    scene.caller.tell("send question")
    assert received(end, 8) == b"question"
    end.sendall(b"answer")
    assert scene.caller.tell("receive 6") == "answer"
    scene.caller.tell("close it")
    assert end.recv(1) == b""


@pytest.mark.parametrize("node", [SERVER, CALLER])
def test_a_node_that_is_cut_off_neither_hears_nor_is_heard_until_the_network_is_healed(
    scene: Scene, node: int
) -> None:
    end = scene.connect(scene.caller)
    scene.network.cut_off(node)
    scene.caller.tell("send first,")
    scene.caller.tell("send second")
    scene.caller.tell("shut down")
    end.sendall(b"answer")
    assert is_silent(end)
    scene.network.heal()
    assert received(end, 12) == b"first,second"
    assert end.recv(1) == b""
    assert scene.caller.tell("receive 6") == "answer"


def test_a_link_that_is_cut_leaves_the_others(scene: Scene) -> None:
    ends = [scene.connect(scene.caller), scene.connect(scene.third)]
    scene.network.cut(CALLER, SERVER)
    for caller in (scene.caller, scene.third):
        caller.tell("send question")
    assert received(ends[1], 8) == b"question"
    assert is_silent(ends[0])


def test_one_direction_may_be_cut_alone(scene: Scene) -> None:
    end = scene.connect(scene.caller)
    scene.network.cut_one_way([CALLER], [SERVER])
    scene.caller.tell("send question")
    end.sendall(b"answer")
    assert scene.caller.tell("receive 6") == "answer"
    assert is_silent(end)
    scene.network.heal()
    assert received(end, 8) == b"question"


@pytest.mark.parametrize(("source", "target"), [(CALLER, SERVER), (SERVER, CALLER)])
def test_a_new_connection_needs_both_directions(scene: Scene, source: int, target: int) -> None:
    scene.network.cut_one_way([source], [target])
    scene.call(scene.caller)
    scene.caller.tell("send question")
    with pytest.raises(TimeoutError):
        scene.accept(SILENCE_S)
    scene.network.heal()
    assert received(scene.accept(), 8) == b"question"


def test_nobody_is_told_of_an_end_that_a_cut_hides(scene: Scene) -> None:
    end = scene.connect(scene.caller)
    scene.network.cut_off(CALLER)
    scene.caller.tell("close it")
    assert is_silent(end)
    scene.network.heal()
    assert end.recv(1) == b""


def test_what_a_relay_holds_is_bounded_and_comes_in_order(scene: Scene) -> None:
    end = scene.connect(scene.caller)
    scene.network.cut_off(SERVER)
    data = random.Random(1).randbytes(MUCH_BYTES)
    sent = sent_until_full(end, data)
    assert sent < MUCH_BYTES
    scene.network.heal()
    assert scene.caller.tell(f"checksum {sent}") == str(zlib.crc32(data[:sent]))


def test_who_is_no_node_is_not_cut_off(scene: Scene) -> None:
    with ExitStack() as stack:
        client = Caller(stack)
        scene.network.cut_off(SERVER)
        end = scene.connect(client)
        client.tell("send question")
        assert received(end, 8) == b"question"


def test_a_node_that_does_not_listen_refuses(scene: Scene) -> None:
    # The reset may come before the caller knows that it is connected.
    if scene.caller.tell(f"connect {scene.closed.split(':')[1]}") != "reset":
        assert scene.caller.tell(f"await {TIMEOUT_S}") == "reset"


def test_a_reset_is_passed_on(scene: Scene) -> None:
    end = scene.connect(scene.caller)
    scene.caller.tell("send question")
    received(end, 1)
    # With bytes unread, closing is a reset.
    end.close()
    assert scene.caller.tell(f"await {TIMEOUT_S}") == "reset"


def test_nobody_is_told_of_a_reset_that_a_cut_hides(scene: Scene) -> None:
    end = scene.connect(scene.caller)
    scene.caller.tell("send question")
    received(end, 1)
    scene.network.cut_one_way([SERVER], [CALLER])
    end.close()
    # That the relay cannot pass on any more, and may not say so.
    scene.caller.tell("send question")
    assert scene.caller.tell(f"await {SILENCE_S}") == "silence"
    scene.network.heal()
    assert scene.caller.tell(f"await {TIMEOUT_S}") in ("end", "reset")
