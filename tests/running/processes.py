"""The processes that run tests, seen from the one that hands out units."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.running.parts import ROOT
from tests.running.units import Lane, Unit

END_S = 120.0
"""So long a process may take at its end, to stop the servers and the JVM of its session."""
INTERRUPT_S = 20.0
"""The same after an interrupt."""


class WorkerProcess:
    """One process of pytest, with `tests/running/worker.py` as its plugin."""

    def __init__(
        self, number: int, lane: Lane, folder: Path, *, drawn_by: str | None, covers: bool, root: Path = ROOT
    ) -> None:
        self.lane = lane
        self.units: list[int] = []
        """Numbers of the units that it was given."""
        self.test: str | None = None
        """The test that it runs."""
        self.began_s = 0.0
        """When that began, by the clock of this process."""
        self.ended_s: float | None = None
        """When it said that it was done."""
        self.has_failed = False
        """Whether it told of a failure."""
        self.log = folder / f"process-{number}.log"
        self.coverage = folder / f"coverage-{number}" if covers else None
        self.connection, other = socket.socketpair()
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tests.running.worker",
            "-p",
            "no:cacheprovider",
        ]
        command += ["-p", "no:xdist", f"--running-fd={other.fileno()}", "--rootdir", str(root)]
        if drawn_by is not None:
            command.append(f"--running-share={drawn_by}")
        if self.coverage is not None:
            command.append(f"--running-coverage={self.coverage}")
        with self.log.open("wb") as log, other:
            self._process = subprocess.Popen(
                command,
                cwd=root,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[other.fileno()],
                # An interrupt by the keyboard is passed on once, by `interrupt`, and not to the servers of tests.
                process_group=0,
            )
        self._received = b""

    def events(self) -> Iterator[dict[str, Any]]:
        """What has come since the last call. Waits if that is nothing; raises EOFError if nothing comes any more."""
        got = b""
        with contextlib.suppress(ConnectionResetError):
            got = self.connection.recv(1 << 20)
        if not got:
            raise EOFError
        *lines, self._received = (self._received + got).split(b"\n")
        for line in lines:
            yield json.loads(line)

    def give(self, unit: Unit | None) -> None:
        """Give it the unit that it wants, or None if there is none for it."""
        with contextlib.suppress(BrokenPipeError):
            self.connection.sendall(json.dumps(None if unit is None else unit.to_json()).encode() + b"\n")

    def interrupt(self) -> None:
        """Have it end its tests and what they started."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end_if_late(self) -> None:
        """Kill it if it was done long ago."""
        if self.ended_s is not None and time.monotonic() > self.ended_s + END_S:
            self._process.kill()

    def close_if_gone(self) -> None:
        """If it has ended, have `events` end too, even if a fork of it still holds the connection."""
        if self._process.poll() is not None:
            self.connection.shutdown(socket.SHUT_RD)

    def wait(self, longest_s: float = END_S) -> int | None:
        """Its exit status; None if it does not end, and is killed with all that it has started."""
        self.connection.close()
        try:
            status = self._process.wait(longest_s)
        except subprocess.TimeoutExpired:
            status = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        return status

    def seconds_of_test(self) -> float:
        """How long its test has been running."""
        return 0.0 if self.test is None else time.monotonic() - self.began_s
