"""Our nodes and tools as forks of a process that has loaded them: see `fork_server.py`. Off unless `is_on` says else.

The tests have it on, because they start hundreds of nodes. That the commands of `bin/` start them as well, tests of
`tests/integration` and `tests/test_commands.py` show.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from compat.process import POLL_INTERVAL_S

PROGRAM = Path(__file__).with_name("fork_server.py")
STOP_S = 20.0
is_on = False


class ForkServer:
    """The process that forks."""

    def __init__(self) -> None:
        """Starts it; the first request waits until it has loaded our server."""
        self._lock = threading.Lock()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(PROGRAM), str(number)],
                stdin=subprocess.DEVNULL,
                pass_fds=[number],
            )
        self._socket = ours

    def ask(self, request: Mapping[str, Any], descriptors: Sequence[int] = ()) -> Any:
        """What it answers. Raises EOFError if it has ended."""
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(request).encode()], descriptors)
            answer = self._socket.recv(1 << 16)
        if not answer:
            raise EOFError("the process that forks has ended")
        return json.loads(answer)

    def close(self) -> None:
        """Ends it."""
        self._socket.close()
        self._process.wait(STOP_S)


@functools.cache
def fork_server() -> ForkServer:
    """The one of this process, which ends with it."""
    made = ForkServer()
    atexit.register(made.close)
    return made


class Fork:
    """A fork, with what `process.ServerProcess` uses of a `subprocess.Popen`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path | None,
        env: Mapping[str, str],
        stdin: int,
        stdout: IO[bytes],
        stderr: IO[bytes],
    ) -> None:
        """Takes a command of `bin/`; standard input is empty."""
        assert stdin == subprocess.DEVNULL
        self.returncode: int | None = None
        self._server = fork_server()
        # Threads look at the same node; who has its exit code is told it once.
        self._lock = threading.Lock()
        request = {
            "program": Path(command[0]).name,
            "arguments": list(command[1:]),
            "directory": str(cwd or Path.cwd()),
            "environment": dict(env),
        }
        with open(os.devnull, "rb") as nothing:
            self.pid: int = self._server.ask(request, [nothing.fileno(), stdout.fileno(), stderr.fileno()])

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        with self._lock:
            if self.returncode is None:
                self.returncode = self._server.ask({"pid": self.pid})
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, when it has ended. Raises subprocess.TimeoutExpired."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and timeout is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(POLL_INTERVAL_S / 10)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Sends it a signal, if it runs."""
        # Its id is nobody else's before it was seen to have ended.
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Sends SIGKILL, if it runs."""
        self.send_signal(signal.SIGKILL)
