"""How slow this machine is now: limits of processor time hold on the machine for which they were set, and a slower one,
or one whose processors others share, gets as much more time as some fixed work takes longer there."""

from __future__ import annotations

import gc
import time

REFERENCE_S = 0.0035
"""Processor time of `_work_s` on the machine for which limits were set."""
SLOWEST = 2.0
"""Tests have to pass on machines that are half as fast. What is measured may be much more: in a process that has had
much memory, new memory is slow."""
_TRIES = 10


def slowness() -> float:
    """How many times as long as there some work takes now; from 1 to `SLOWEST`."""
    was_enabled = gc.isenabled()
    # What else is in memory would be gone through.
    gc.disable()
    try:
        return min(SLOWEST, max(1.0, min(_work_s() for _ in range(_TRIES)) / REFERENCE_S))
    finally:
        if was_enabled:
            gc.enable()


def _work_s() -> float:
    """Processor time that some work takes: small objects, as nodes make them."""
    began = time.thread_time()
    made = {number: (number, str(number)) for number in range(20_000)}
    sorted(made.values(), key=lambda each: each[1])
    return time.thread_time() - began
