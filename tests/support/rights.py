"""Lets root be refused what the rights of files refuse everybody else: otherwise it reads every file."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522
"""Of the structures below: _LINUX_CAPABILITY_VERSION_3."""
_OVERRIDING = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    """One half of the capabilities of a thread; the first half has those that are meant here."""

    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def without_overriding() -> Iterator[None]:
    """The rights of files hold for this thread, even if it is root's. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION, 0), (_Sets * 2)()

    def call(function: ctypes._NamedFuncPointer) -> None:
        if function(ctypes.byref(header), sets):
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))

    call(libc.capget)
    before = sets[0].effective
    sets[0].effective = before & ~_OVERRIDING
    call(libc.capset)
    try:
        yield
    finally:
        sets[0].effective = before
        call(libc.capset)
