"""What goes on beside a measurement is timed, and ends with it."""

from __future__ import annotations

import threading

from bench._repeated import Repeated


def test_it_is_done_until_the_end_and_no_longer() -> None:
    done: list[int] = []
    often_enough = threading.Event()
    closed: list[int] = []

    def once() -> None:
        done.append(1)
        if len(done) == 10:
            often_enough.set()

    with Repeated(once, lambda: closed.append(len(done))) as repeated:
        assert often_enough.wait(10)
    p99, slowest = repeated.take()
    assert 0 <= p99 <= slowest
    assert closed == [len(done)]
