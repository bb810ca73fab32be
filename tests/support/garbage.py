"""Memory of runs that come one after the other in one process."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from unittest import mock


@contextlib.contextmanager
def own_garbage() -> Iterator[None]:
    """What is made in this context is collected at its end, and what was there before is never looked through.

    That stays frozen: after an unfreeze, the next collection would go through all that a process of tests has. What
    nodes freeze themselves could not be collected at the end, so nothing else is frozen.
    """
    gc.freeze()
    try:
        with mock.patch.object(gc, "freeze"):
            yield
    finally:
        gc.collect()
