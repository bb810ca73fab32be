"""Requests to the persister about many partitions: some at a time, and one result for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from kafkaproto_server.core.coordinators.values import Surroundings
from kafkaproto_server.requests.share_group_requests import TopicIdPartition
from kafkaproto_server.requests.share_state import Done, ShareStateResult

PARTITIONS_AT_ONCE = 500
"""Partitions for which a result is awaited at a time, and that are asked for in one turn of the loop."""

Ask: TypeAlias = Callable[[TopicIdPartition, Done], None]
"""Asks the persister for one partition."""
Results: TypeAlias = Mapping[TopicIdPartition, ShareStateResult]


def ask_for_all(
    surroundings: Surroundings,
    partitions: Sequence[TopicIdPartition],
    ask: Ask,
    done: Callable[[Results], None],
) -> None:
    """Ask for each partition, and call ``done`` with all results, once and later; at once if there is no partition."""
    if partitions:
        _Asking(surroundings, partitions, ask, done).go_on()
    else:
        done({})


class _Asking:
    """Partitions that are asked for."""

    def __init__(
        self,
        surroundings: Surroundings,
        partitions: Sequence[TopicIdPartition],
        ask: Ask,
        done: Callable[[Results], None],
    ) -> None:
        self._surroundings = surroundings
        self._partitions = partitions
        self._ask = ask
        self._done = done
        self._begun = 0
        self._results: dict[TopicIdPartition, ShareStateResult] = {}

    def go_on(self) -> None:
        some = self._partitions[self._begun : self._begun + PARTITIONS_AT_ONCE]
        self._begun += len(some)
        for each in some:
            self._ask(each, partial(self._take, each))

    def _take(self, partition: TopicIdPartition, result: ShareStateResult) -> None:
        self._results[partition] = result
        if len(self._results) < self._begun:
            return
        if self._begun < len(self._partitions):
            self._surroundings.call_at(self._surroundings.now_ms() + 1, self.go_on)
        else:
            self._done(self._results)
