"""Something done again and again beside what is measured, each time with its time taken."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import count

from bench._writers import RefusedWriteError, Writer, alter_broker_default, percentile
from compat.node import Node
from compat.quorum import connect
from kafkaproto.error_codes import describe
from kafkaproto.messages import ApiVersionsRequest

PING_INTERVAL_S = 0.002
TIMEOUT_MS = 120_000


class Repeated:
    """Does it in a thread from the beginning to the end of a ``with`` block."""

    def __init__(
        self, once: Callable[[], object], close: Callable[[], None], interval_s: float = 0.0
    ) -> None:
        """``close`` is called at the end; so long is waited between two times."""
        self._once = once
        self._close = close
        self._interval_s = interval_s
        self._stopped = threading.Event()
        self._latencies_ms: list[float] = []
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> Repeated:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._stopped.set()
        self._thread.join()
        self._close()

    def take(self) -> tuple[float, float]:
        """p99 and maximum since the last call, in milliseconds."""
        taken, self._latencies_ms = self._latencies_ms, []
        return percentile(sorted(taken), 0.99), max(taken, default=float("nan"))

    def _repeat(self) -> None:
        while not self._stopped.wait(self._interval_s):
            begin = time.perf_counter()
            self._once()
            self._latencies_ms.append((time.perf_counter() - begin) * 1000)


def pings(node: Node) -> Repeated:
    """Ask a controller what costs it nothing: what holds its event loop up shows."""
    client = connect(node.bootstrap_controller, timeout_ms=TIMEOUT_MS)
    request = ApiVersionsRequest(client_software_name="bench", client_software_version="1")
    return Repeated(lambda: client.send(request, 4), client.close, PING_INTERVAL_S)


def writes(node: Node) -> Repeated:
    """Have the active controller write without pause, one request in flight."""
    numbers = count()
    writer = Writer(node.bootstrap_controller, alter_broker_default(), lambda: next(numbers))

    def write() -> None:
        writer.write()
        while (code := writer.answer()) is None:
            pass
        if code:
            raise RefusedWriteError(describe(code).name)

    return Repeated(write, writer.close)
