"""Runs a function in a forked process, which may do anything: spin, wait for ever, take all memory, die.

The parent must have one thread only: in the child the others would be missing, with the locks that they hold.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import resource
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from tests.running.processor_time import used_s

Say: TypeAlias = Callable[[Any], None]
"""Sends something to the parent."""

MOST_MEMORY_BYTES = 2 * 2**30
"""That a child may have beyond what its parent has."""
LONGEST_STILL_S = 120.0
"""A child that neither uses a processor nor wants one for so long waits for what never comes."""
_STILL_S = 1.0
"""So little of a processor is none: what waits for ever may still send heartbeats."""
_LOOK_S = 1.0
_GOING_ON = ("R", "D")
"""The states of a thread that waits for nothing but the machine, as proc(5) names them."""

DOES_NOT_END = "does not end"
STANDS_STILL = "stands still"
ENDS = "ends its process"
_HAS_FAILED = 75
"""The exit status of a child whose function raised; the exception is the last that it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What came of a child."""

    said: list[Any]
    failure: str
    """Why it did not end by itself: one of the texts above, a signal, or an exception's; else empty."""
    seconds: float
    """Processor time."""


def forked(function: Callable[[Say], None]) -> Ended:
    """Run a function in a child, and wait for the end of it and of all its processes."""
    threads = len(list(Path("/proc/self/task").iterdir()))
    assert threads == 1, f"{threads} threads, and a fork has one"
    receiver, sender = Pipe(duplex=False)
    # A child that collects garbage does not look through what is there already, nor copy it.
    gc.freeze()
    pid = os.fork()
    if pid == 0:
        receiver.close()
        _be_a_child(function, sender)
    sender.close()
    said: list[Any] = []
    is_still = False
    try:
        is_still = _listen(pid, receiver, said)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        receiver.close()
        _, status, usage = os.wait4(pid, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if is_still:
        failure = STANDS_STILL
    elif os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        failure = DOES_NOT_END if number == signal.SIGXCPU else signal.Signals(number).name
    else:
        failure = _failure_of(os.WEXITSTATUS(status), said)
    return Ended(said=said, failure=failure, seconds=seconds)


def _failure_of(status: int, said: list[Any]) -> str:
    if status == 0:
        return ""
    return said.pop() if status == _HAS_FAILED else ENDS


def limit_cpu(seconds: float) -> None:
    """Have this process die when it has used so much more processor time."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), hard))


def _be_a_child(function: Callable[[Say], None], sender: Connection) -> NoReturn:
    status = _HAS_FAILED
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MOST_MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        function(sender.send)
        status = 0
    except BaseException:
        sender.send(traceback.format_exc())
    finally:
        os._exit(status)


def _listen(pid: int, receiver: Connection, said: list[Any]) -> bool:
    """Take what a child says until it ends. Returns whether it stands still instead."""
    seconds, since = -1.0, 0.0
    while True:
        if receiver.poll(_LOOK_S):
            try:
                said.append(receiver.recv())
            except EOFError:
                return False
            continue
        now, used = time.monotonic(), used_s(pid)
        # One that has no processor because others have them does not stand still, however long that lasts.
        if used > seconds + _STILL_S or _is_waiting_for_the_machine(pid):
            seconds, since = used, now
        elif now > since + LONGEST_STILL_S:
            return True


def _is_waiting_for_the_machine(group: int) -> bool:
    """Whether a thread of the processes of a group runs, would run if it had a processor, or waits for a disk."""
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        # Any of them may end meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if os.getpgid(int(process.name)) != group:
                continue
            for thread in (process / "task").iterdir():
                if _state(thread) in _GOING_ON:
                    return True
    return False


def _state(thread: Path) -> str:
    return (thread / "stat").read_text().rpartition(")")[2].split()[0]
