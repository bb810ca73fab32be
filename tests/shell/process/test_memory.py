"""One arena of malloc for all threads, and what is free in it goes back to the system."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest
import trio

from kafkaproto_server.shell.process import memory
from kafkaproto_server.shell.process.memory import TRIM_INTERVAL_S, trim_from_time_to_time

_PROGRAM = """
import ctypes, sys, tempfile, threading
from kafkaproto_server.shell.process.memory import use_one_arena

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


_PIECES = """
from kafkaproto_server.shell.process.memory import trim, use_one_arena

def resident_kib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))

use_one_arena()
blocks = [bytes([number % 256]) * 20_000 for number in range(5_000)]
kept = blocks[::10]
before = resident_kib()
del blocks
freed = resident_kib()
assert trim()
print(before - freed, freed - resident_kib())
assert kept == [bytes([number % 256]) * 20_000 for number in range(0, 5_000, 10)]
"""


@pytest.mark.skipif(not has_glibc, reason="this C library has no arenas")
def test_free_pages_between_what_lives_on_go_back_to_the_system() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PIECES], capture_output=True, text=True, check=True, timeout=60
    )
    by_itself, trimmed = map(int, done.stdout.split())
    # Nine of ten of 100 MB were freed.
    assert by_itself < 10_000
    assert trimmed > 60_000


@pytest.mark.trio
async def test_free_pages_go_back_from_time_to_time(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[bool] = []
    monkeypatch.setattr(memory, "trim", lambda: calls.append(True))
    began = trio.current_time()
    with trio.fail_after(100 * TRIM_INTERVAL_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trim_from_time_to_time)
            # The clock of a test does not wait for threads.
            while len(calls) < 2:
                await trio.sleep(1)
            nursery.cancel_scope.cancel()
    assert trio.current_time() - began >= 2 * TRIM_INTERVAL_S


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not memory.use_one_arena()
    assert not memory.trim()
