"""Processor time of this process and of those that it has started."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_TICKS_S = os.sysconf("SC_CLK_TCK")
_UTIME, _CSTIME = 11, 14
"""The first and the last of four times in what follows the name in ``/proc/<pid>/stat``, see proc(5)."""


def used_s(pid: int) -> float:
    """That of a process, and of its children that have ended. Raises OSError if there is no such process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[_UTIME : _CSTIME + 1])) / _TICKS_S


def used_by_all_s() -> float:
    """That of this process and of all its children: those that have ended, and those that still run."""
    times = os.times()
    ended_s = times.user + times.system + times.children_user + times.children_system
    return ended_s + sum(map(_used_or_gone_s, _children()))


def _used_or_gone_s(pid: int) -> float:
    with contextlib.suppress(OSError):
        return used_s(pid)
    return 0.0


def _children() -> list[int]:
    found: list[int] = []
    for thread in os.listdir("/proc/self/task"):
        # A thread may end meanwhile, and some kernels do not have the file.
        with contextlib.suppress(OSError):
            found += map(int, Path(f"/proc/self/task/{thread}/children").read_text().split())
    return found
