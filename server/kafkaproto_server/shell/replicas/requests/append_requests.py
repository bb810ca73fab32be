"""A Produce or WriteTxnMarkers request until all its partitions have a result.

The partitions of a request are appended one by one, and each gets its result when its batch is replicated, refused or
lost. The request responds once the last one has it, or when its time is over.

Apache Kafka: ``DelayedProduce``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.topics import TopicMetrics, Waiting
from kafkaproto_server.requests.data import Produced, ProduceResult
from kafkaproto_server.shell.replicas.timers import Timers

SESSION_IS_OVER = ProduceResult(
    code=ErrorCode.NOT_LEADER_OR_FOLLOWER,
    message="This broker has not reached a controller for the time of its session: others may lead its partitions",
)
"""What a partition gets if this broker cannot know whether it leads. The code is one after which clients look for the
leader and send again."""
NOTHING_APPENDED = ProduceResult(code=ErrorCode.NONE)
"""What a partition has that has no offsets yet."""


class AppendRequest:
    """A Produce request until all its partitions have a result."""

    __slots__ = ("_appended", "_done", "_missing", "_results", "_waiting", "is_over")

    def __init__(self, count: int, done: Produced) -> None:
        self._results: list[ProduceResult | None] = [None] * count
        # What has its offsets but is not replicated yet: an error of such a partition names them, as Kafka's does.
        self._appended: dict[int, ProduceResult] = {}
        self._missing = count
        self._done = done
        self._waiting: Waiting | None = None
        self.is_over = False

    def wait(self, until_ms: int, timers: Timers, metrics: TopicMetrics) -> None:
        """Wait for what is missing, until a time at most."""
        self._waiting = metrics.produces
        self._waiting.begin(self._missing)
        timers.add(until_ms, partial(self._expire, metrics), lambda: self.is_over)

    def place(self, position: int) -> AppendPlace:
        """Where one partition's result goes."""
        return AppendPlace(self, position)

    def appended(self, position: int, result: ProduceResult) -> None:
        """One partition will have this result if its records are replicated in time."""
        self._appended[position] = result

    def take(self, position: int, result: ProduceResult) -> None:
        """One partition's result; only the first one counts."""
        # A write may come back after the time is over, and a high watermark after the log was closed.
        if self.is_over or self._results[position] is not None:
            return
        self._results[position] = result
        self._missing -= 1
        if self._waiting is not None:
            self._waiting.watched -= 1
        if self._missing == 0:
            self._finish()

    def _expire(self, metrics: TopicMetrics) -> None:
        """The time is over: what is missing now timed out."""
        if not self.is_over:
            metrics.expired_produces += self._missing
            for position, result in enumerate(self._results):
                if result is None:
                    known = self._appended.get(position, NOTHING_APPENDED)
                    self._results[position] = structs.replace(known, code=ErrorCode.REQUEST_TIMED_OUT)
            self._finish()

    def _finish(self) -> None:
        self.is_over = True
        if self._waiting is not None:
            self._waiting.end(self._missing)
        # Before the call: what it leads to may come back here.
        done, self._done = self._done, _told_already
        done([each for each in self._results if each is not None])


def _told_already(_results: Sequence[ProduceResult]) -> None:
    """In place of who was told. The timer knows the request until its timeout, and must not keep the records."""


class AppendPlace:
    """Takes the result of one partition of a request."""

    __slots__ = ("_position", "_request")

    def __init__(self, request: AppendRequest, position: int) -> None:
        self._request = request
        self._position = position

    def __call__(self, result: ProduceResult) -> None:
        self._request.take(self._position, result)

    def appended(self, result: ProduceResult) -> None:
        self._request.appended(self._position, result)
