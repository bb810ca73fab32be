"""Keeps the memory of a node that runs for long from growing: one arena of glibc's malloc, whose free pages go back.

glibc gives each thread that allocates an arena of its own, up to eight for each processor. What a thread has freed
stays in its arena, and buffers that one thread made and another freed are spread over all of them. So a node that does
everything at once for hours grew by 20 to 58 MiB an hour, while Python's own heap did not. With one arena, what is
freed is used again by whoever asks next. Python's threads mostly allocate one at a time anyway, as they hold the
interpreter's lock.

What is freed is in pieces between what lives on, and a large buffer fits into none of them. So the arena still grew by
30 MiB an hour, while no more of it was in use. glibc gives back what is free at the arena's end alone, unless it is
asked: then also whole pages in between. Other C libraries have no arenas, and nothing is done there.
"""

from __future__ import annotations

import ctypes

import trio

TRIM_INTERVAL_S = 60.0
"""How often free pages are given back. To look for them takes a millisecond, and 100 ms in an arena of a gigabyte."""

_M_ARENA_MAX = -8
"""The parameter of mallopt(3)."""


def use_one_arena() -> bool:
    """Have all threads of this process that begin later share one arena. Returns whether that was possible."""
    try:
        libc = ctypes.CDLL(None)
        # Other libraries may have a mallopt with other parameters.
        _ = libc.gnu_get_libc_version
        return bool(libc.mallopt(_M_ARENA_MAX, 1))
    except (AttributeError, OSError):
        return False


def trim() -> bool:
    """Give the free pages of malloc back to the system. Returns whether the C library can do that."""
    try:
        libc = ctypes.CDLL(None)
        _ = libc.gnu_get_libc_version
        libc.malloc_trim(0)
    except (AttributeError, OSError):
        return False
    return True


async def trim_from_time_to_time() -> None:
    """Give free pages back every `TRIM_INTERVAL_S`, in a thread, until cancelled."""
    while True:
        await trio.sleep(TRIM_INTERVAL_S)
        # Not in the loop, which would stand still meanwhile. ctypes releases the interpreter's lock for the call.
        await trio.to_thread.run_sync(trim)
