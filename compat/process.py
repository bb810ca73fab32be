"""Server processes as tests start them: logs kept, every wait bounded and named, no process left behind.

Knows nothing of Kafka. Each start of a process gets its own pair of log files, so that what a node said
before a kill -9 is still there after its restart.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

POLL_INTERVAL_S = 0.02
LOG_TAIL_BYTES = 4000


class WaitedTooLongError(Exception):
    """A bounded wait ended without what it waited for; the message names it and the time given."""


class ProcessDiedError(Exception):
    """A process ended while something was expected of it; the message has its exit code and last words."""


def wait_until(condition: Callable[[], bool], timeout_s: float, what: str) -> None:
    """Polls until the condition holds; raises WaitedTooLongError naming `what` when the time is over."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise WaitedTooLongError(f"waited {timeout_s} s for {what}")
        time.sleep(POLL_INTERVAL_S)


class Started(Protocol):
    """A process that was started: what is used of a `subprocess.Popen`."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: signal.Signals, /) -> None: ...
    def kill(self) -> None: ...


class ServerProcess:
    """One run of a server program, with standard output and standard error each in a file of its own."""

    def __init__(
        self,
        command: Sequence[str],
        log_prefix: Path,
        directory: Path,
        environment: Mapping[str, str],
        start: Callable[..., Started] = subprocess.Popen,
    ) -> None:
        """Starts it in `directory`; the logs are `log_prefix` plus `.out` and `.err`. `start` takes what Popen does."""
        self.command = list(command)
        self.out_path = log_prefix.with_name(log_prefix.name + ".out")
        self.err_path = log_prefix.with_name(log_prefix.name + ".err")
        with self.out_path.open("wb") as out, self.err_path.open("wb") as err:
            self._process = start(
                self.command,
                cwd=directory,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )

    @property
    def pid(self) -> int:
        """The process id; also after the end."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def wait_until(self, condition: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Waits for something that this process does; ``what`` names it.

        Raises ProcessDiedError when the process ends first, WaitedTooLongError when the time is over, both with the
        process's last words.
        """

        def holds() -> bool:
            # Looked at before the condition: what it did just before the end still counts.
            running = self.is_running
            held = condition()
            if not held and not running:
                raise ProcessDiedError(f"ended before {what}: {self.last_words()}")
            return held

        try:
            wait_until(holds, timeout_s, what)
        except WaitedTooLongError as error:
            raise WaitedTooLongError(f"{error}: {self.last_words()}") from None

    def wait_for_line(self, log_path: Path, marker: str, timeout_s: float) -> str:
        """The first whole line of that log with `marker` in it.

        Raises ProcessDiedError when the process ends first, WaitedTooLongError when the time is over.
        """
        found: list[str] = []

        def appeared() -> bool:
            lines = log_path.read_text(errors="replace").splitlines(keepends=True)
            found.extend(line.rstrip("\n") for line in lines if marker in line and line.endswith("\n"))
            return bool(found)

        self.wait_until(appeared, timeout_s, f"the line {marker!r} in {log_path}")
        return found[0]

    def terminate(self, timeout_s: float) -> int:
        """Sends SIGTERM, waits for the end, returns the exit code (negative: the signal that ended it)."""
        return self._end(signal.SIGTERM, timeout_s)

    def interrupt(self, timeout_s: float) -> int:
        """Sends SIGINT, as Ctrl-C does, otherwise as `terminate`."""
        return self._end(signal.SIGINT, timeout_s)

    def kill(self) -> None:
        """Ends it with SIGKILL, as a power cut would end it for the files that it had open."""
        self._process.kill()
        self._process.wait()

    def _end(self, number: signal.Signals, timeout_s: float) -> int:
        if self.is_running:
            self._process.send_signal(number)
        wait_until(lambda: not self.is_running, timeout_s, f"{self.command[0]} to end after {number.name}")
        return self._process.wait()

    def last_words(self) -> str:
        """Exit code if there is one, and the tails of both logs, for the message of a failure."""
        code = self._process.poll()
        state = "still running" if code is None else f"exit code {code}"
        return f"{' '.join(self.command[:1])}: {state}\n{_tail(self.out_path)}\n{_tail(self.err_path)}"


def _tail(path: Path) -> str:
    text = path.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")
    return f"--- end of {path}\n{text}"
