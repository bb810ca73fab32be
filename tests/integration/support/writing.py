"""A client that goes on changing the metadata beside what a test does to the cluster."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count

from kafkaproto.error_codes import ErrorCode
from tests.integration.support.asking import metadata, topics
from tests.integration.support.clusters import create_topic_somewhere, until

_numbers = count(1)


class Writer:
    """Creates a topic after the other through the brokers, and keeps what was acknowledged, and when."""

    def __init__(self, servers: Sequence[str]) -> None:
        self._servers = servers
        # No other writer has created these, on whatever cluster.
        self._name = f"topic-of-{next(_numbers)}"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.acknowledged: list[str] = []
        self.longest_gap_s = 0.0
        self.refusals: list[int] = []

    def _run(self) -> None:
        last = time.monotonic()
        number = 0
        while not self._stop.is_set():
            name = f"{self._name}-{number}"
            code = create_topic_somewhere(self._servers, name)
            now = time.monotonic()
            # An answer that was lost with a leader may have been that the topic was made.
            if code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                self.acknowledged.append(name)
                self.longest_gap_s = max(self.longest_gap_s, now - last)
                last = now
            else:
                self.refusals.append(code)
            number += 1
            self._stop.wait(0.02)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(60)
        assert not self._thread.is_alive()


@contextmanager
def writing(servers: Sequence[str]) -> Iterator[Writer]:
    """A writer beside what a test does; everything it was acknowledged is there in the end, at every broker."""
    brokers = broker_ids(servers[0])
    writer = Writer(servers)
    writer.start()
    try:
        yield writer
    finally:
        writer.stop()
    assert writer.refusals == []
    # No broker lost its session, nor its place among those that serve.
    assert broker_ids(servers[0]) == brokers
    for server in servers:
        until(partial(_has, server, writer.acknowledged), "acknowledged topics")


def until_more(writer: Writer, what: str) -> None:
    """Wait until the writer got on."""
    done = len(writer.acknowledged)
    until(lambda: len(writer.acknowledged) > done + 5, what)


def broker_ids(server: str) -> list[int]:
    """Brokers that are not fenced, as one of them says."""
    return sorted(broker.node_id for broker in metadata(server).brokers)


def _has(server: str, names: list[str]) -> bool:
    return set(names) <= set(topics(server))
