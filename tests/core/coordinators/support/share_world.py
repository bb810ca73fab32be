"""A share coordinator with time, a log and topics in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkaproto.records.coordinator import SHARE_RECORDS
from kafkaproto_server.base.metrics.coordinators import ShareStateMetrics
from kafkaproto_server.core.coordinators.share_state.config import ShareStateConfig
from kafkaproto_server.core.coordinators.share_state.coordinator import ShareCoordinator
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.requests.share_state import ShareState, ShareStateResult, StateBatch
from tests.core.coordinators.support.transaction_log import MemoryLog, World

TOPIC_ID, OTHER_ID = b"\x01" * 16, b"\x02" * 16
KEY = SharePartitionKey("g", TOPIC_ID, 0)
HOUR_MS = 3_600_000


class ShareLog(MemoryLog):
    """A partition of ``__share_group_state``."""

    def __init__(self, *, commits_at_once: bool = True) -> None:
        super().__init__(SHARE_RECORDS, commits_at_once=commits_at_once)
        self.start_offset = 0

    @property
    def end_offset(self) -> int:
        return len(self.records)


class ShareWorld:
    """The coordinator under test. Nothing happens on its own but for what a test configures."""

    def __init__(self, *, commits_at_once: bool = True, **settings: int) -> None:
        self.world = World()
        self.log = ShareLog(commits_at_once=commits_at_once)
        self.partitions = {TOPIC_ID: 4, OTHER_ID: 1}
        """The number of partitions of each topic."""
        self.enabled = True
        self.pruned: list[tuple[int, Callable[[bool], None]]] = []
        self.config = ShareStateConfig(
            **{"prune_interval_ms": HOUR_MS, "cold_snapshot_interval_ms": HOUR_MS, **settings}
        )
        self.metrics = ShareStateMetrics()
        self.coordinator = self.start()

    def start(self) -> ShareCoordinator:
        """The next coordinator reads what is there."""
        self.coordinator = ShareCoordinator(lambda: self.config, self.log, self.world, self, self.metrics)
        for offset, record in enumerate(self.log.records):
            if offset >= self.log.start_offset:
                self.coordinator.replay(record.key, record.value, offset, -1)
        self.coordinator.loaded()
        return self.coordinator

    # -- see SharePorts

    def is_enabled(self) -> bool:
        return self.enabled

    def has_partition(self, topic_id: bytes, partition: int) -> bool:
        return 0 <= partition < self.partitions.get(topic_id, 0)

    def prune(self, offset: int, done: Callable[[bool], None]) -> None:
        self.pruned.append((offset, done))

    # -- requests: the results that have come

    def initialize(self, epoch: int = 1, start: int = 0, key: SharePartitionKey = KEY) -> ShareStateResult:
        return only(lambda done: self.coordinator.initialize(key, epoch, start, done))

    def read(self, leader_epoch: int = 1, key: SharePartitionKey = KEY) -> ShareStateResult:
        return only(lambda done: self.coordinator.read(key, leader_epoch, done))

    def summary(self, key: SharePartitionKey = KEY) -> ShareStateResult:
        return only(lambda done: self.coordinator.read_summary(key, done))

    def write(
        self,
        *batches: tuple[int, int, int, int],
        epoch: int = 1,
        leader_epoch: int = 1,
        start: int = -1,
        count: int = -1,
        key: SharePartitionKey = KEY,
    ) -> ShareStateResult:
        state = ShareState(epoch, start, count, tuple(StateBatch(*each) for each in batches))
        return only(lambda done: self.coordinator.write(key, state, leader_epoch, done))

    def delete(self, key: SharePartitionKey = KEY) -> ShareStateResult:
        return only(lambda done: self.coordinator.delete(key, done))

    # -- what is written

    @property
    def names(self) -> str:
        """A letter for each record: snapshot, update, tombstone."""
        return "".join(
            "t" if each.value is None else each.value.NAME.removeprefix("Share")[0].lower()
            for each in self.log.records
        )

    def value(self, position: int = -1) -> Any:
        """The value of a record."""
        return self.log.records[position].value

    def state(self, key: SharePartitionKey = KEY) -> Any:
        """All of a state, and what it is checked against, for comparison."""
        found = self.coordinator._stored.by_key.get(key)
        return found and (
            found.state,
            found.highest_leader_epoch,
            found.highest_state_epoch,
            found.updates,
        )


def only(ask: Callable[[Callable[[ShareStateResult], None]], None]) -> ShareStateResult:
    """The result that came at once."""
    results: list[ShareStateResult] = []
    ask(results.append)
    (result,) = results
    return result
