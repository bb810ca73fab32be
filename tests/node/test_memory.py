"""One arena of malloc for all threads."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

_PROGRAM = """
import ctypes, sys, tempfile, threading
from kafkaproto_server.node.memory import use_one_arena

if sys.argv[1] == "one":
    assert use_one_arena()
barrier = threading.Barrier(8)
def allocate():
    barrier.wait()
    kept = [bytes(5000) for _ in range(2000)]
    # All at once: a thread that has ended leaves its arena to the next one.
    barrier.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    print(file.read().count(b"<heap "))
"""

has_glibc = hasattr(ctypes.CDLL(None), "gnu_get_libc_version")


@pytest.mark.skipif(not has_glibc, reason="this C library has no arenas")
def test_all_threads_share_an_arena() -> None:
    def arenas(how: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, how], capture_output=True, text=True, check=True, timeout=60
        )
        return int(done.stdout)

    assert arenas("one") == 1
    assert arenas("as usual") > 1


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from kafkaproto_server.node import memory

    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not memory.use_one_arena()
