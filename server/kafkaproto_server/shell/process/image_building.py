"""Keeps Python's cyclic garbage collector from scanning an image under construction: millions of objects that stay.

`collector_pauses` does the same for what a running node adds. This part needs no event loop, so that tools that read a
snapshot use it, too. Ours alone.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_garbage() -> Iterator[None]:
    """Switch the collector off, and exempt from it at the end all objects that exist then.

    It would otherwise scan them again and again: half of the time while they are made, and later it would hold up the
    event loop for tenths of a second.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Images have no cycles, so the collector could never free anything in them. Frozen objects are still freed by
        # their reference counts.
        gc.freeze()
        if was_enabled:
            gc.enable()
