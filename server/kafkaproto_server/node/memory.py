"""Keeps the memory of a node that runs for long from growing: one arena of glibc's malloc for all threads.

glibc gives each thread that allocates an arena of its own, up to eight for each processor. What a thread has freed
stays in its arena, and buffers that one thread made and another freed are spread over all of them. So a node that does
everything at once for hours grew by 20 to 58 MiB an hour, while Python's own heap did not. With one arena, what is
freed is used again by whoever asks next. Python's threads mostly allocate one at a time anyway, as they hold the
interpreter's lock. Other C libraries have no arenas, and nothing is done there.
"""

from __future__ import annotations

import ctypes

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
