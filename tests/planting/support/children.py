"""Functions for forked processes, and the forks of them, for a process that has no threads."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

from tests.planting import forks
from tests.planting.forks import MOST_MEMORY_BYTES, Ended, Say, forked, limit_cpu

_WAITING = [sys.executable, "-c", "import time; time.sleep(600)"]


def _speak(say: Say) -> None:
    print("nobody sees this")
    say("one")
    say(2)


def _fail(say: Say) -> None:
    say("one")
    raise ValueError("two")


def _spin(say: Say) -> None:
    say("one")
    limit_cpu(0.1)
    while True:
        pass


def _wait(_: Say) -> None:
    time.sleep(600)


def _doze(_: Say) -> None:
    while True:
        time.sleep(0.05)
        until = time.process_time() + 0.005
        while time.process_time() < until:
            pass


def _die(_: Say) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _exit(say: Say) -> None:
    say("one")
    os._exit(1)


def _grow(say: Say) -> None:
    try:
        bytearray(2 * MOST_MEMORY_BYTES)
    except MemoryError:
        say("no memory")


def _start_another(say: Say) -> None:
    say(subprocess.Popen(_WAITING).pid)


_FUNCTIONS = (_speak, _fail, _spin, _wait, _doze, _die, _exit, _grow, _start_another)


def fork_all() -> dict[str, Ended]:
    """What comes of each function."""
    forks.LONGEST_STILL_S = 0.5
    return {each.__name__: forked(each) for each in _FUNCTIONS}


def fork_as_if_it_had_no_processor() -> Ended:
    """What comes of a child that spins, if no processor time counts."""
    forks.LONGEST_STILL_S = 0.5
    forks._STILL_S = math.inf
    return forked(_spin)


def fork_beside_a_thread() -> None:
    """Raises AssertionError."""
    threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
    forked(_speak)


def say_as_a_task(sender: Connection, number: int) -> None:
    """Send the number twice."""
    for _ in range(2):
        sender.send(number)
    sender.close()


def fork_as_a_task(_: Connection, file: Path) -> None:
    """Fork a child that waits for ever, and leave its process id in a file."""

    def child(_: Say) -> None:
        unfinished = file.with_suffix(".unfinished")
        unfinished.write_text(str(os.getpid()))
        unfinished.rename(file)
        time.sleep(600)

    forked(child)


def fail_as_a_task(_: Connection, file: Path) -> None:
    """Exit with 1 once there is a file."""
    while not file.exists():
        time.sleep(0.01)
    raise SystemExit(1)
