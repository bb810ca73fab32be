"""Keeps Python's cyclic collector away from an image while it is built: millions of objects that all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_garbage() -> Iterator[None]:
    """Tell the collector that what is made here stays.

    It would look at all of it again and again: half of the time while it is made, and later on holding up the event
    loop for tenths of a second.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
