"""The offsets of groups in tests: requests that keep their results, and a way to begin anew from the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetCommitKey, OffsetCommitValue
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.core.coordinators.groups.offsets.config import OffsetsConfig
from kafkaproto_server.core.coordinators.groups.offsets.offsets import OffsetMetadataManager
from kafkaproto_server.requests.offset_requests import (
    NO_RETENTION_TIME,
    FetchedPartition,
    FetchedTopic,
    OffsetCommitPartition,
    TopicPartitions,
)
from tests.core.coordinators.support.world import World

RETENTION_MS = 10_000
METADATA_MAX = 8

Fetched = dict[tuple[str, int], tuple[int, int, str]]
"""Offset, leader epoch and metadata by topic and partition; -2 as offset stands for an unstable one."""
UNSTABLE = (-2, -1, "")


def to_nothing(topic: str) -> bool:
    """A group without subscriptions."""
    return False


class Told:
    """What the callers were told: a code and results, for each response."""

    def __init__(self) -> None:
        self.responses: list[tuple[ErrorCode, list[ErrorCode]]] = []

    def __call__(self, code: ErrorCode, results: Sequence[ErrorCode] = ()) -> None:
        self.responses.append((code, list(results)))


class Seen:
    """What a fetch returned."""

    def __init__(self) -> None:
        self.code: ErrorCode | None = None
        self.topics: Sequence[FetchedTopic] = ()

    def __call__(self, code: ErrorCode, topics: Iterable[FetchedTopic]) -> None:
        assert self.code is None, "one response"
        self.code = code
        self.topics = tuple(topics)

    @property
    def offsets(self) -> Fetched:
        """All that was returned."""
        found = {}
        for topic in self.topics:
            for each in topic.partitions:
                if each.code is ErrorCode.UNSTABLE_OFFSET_COMMIT:
                    assert each == FetchedPartition(partition=each.partition, code=each.code)
                    found[topic.topic, each.partition] = UNSTABLE
                else:
                    assert each.code is ErrorCode.NONE
                    values = each.committed_offset, each.committed_leader_epoch, each.metadata
                    found[topic.topic, each.partition] = values
        return found


def of(
    topic: str,
    partition: int,
    offset: int,
    *,
    epoch: int = -1,
    metadata: str | None = None,
    topic_id: bytes = ZERO_UUID,
) -> OffsetCommitPartition:
    """What a request says of a partition."""
    return OffsetCommitPartition(
        topic=topic,
        topic_id=topic_id,
        partition=partition,
        committed_offset=offset,
        committed_leader_epoch=epoch,
        committed_metadata=metadata,
    )


class Offsets:
    """The coordinator, a log that commits at once unless told otherwise, and a clock."""

    def __init__(self, *, commits_at_once: bool = True) -> None:
        self.world = World()
        self.log = self.world.log
        self.log.commits_at_once = commits_at_once
        self.config = OffsetsConfig(metadata_max_bytes=METADATA_MAX, retention_ms=RETENTION_MS)
        self.metrics = GroupMetrics()
        self.manager = self._new()

    def _new(self) -> OffsetMetadataManager:
        return OffsetMetadataManager(lambda: self.config, self.log, self.world, self.metrics)

    def set(self, **values: int) -> None:
        """Change settings."""
        self.config = msgspec.structs.replace(self.config, **values)

    def commit(
        self, group_id: str, *partitions: OffsetCommitPartition, retention_ms: int = NO_RETENTION_TIME
    ) -> Told:
        """OffsetCommit."""
        told = Told()
        self.manager.commit(group_id, partitions, told, retention_time_ms=retention_ms)
        return told

    def commit_in_transaction(
        self, producer_id: int, group_id: str, *partitions: OffsetCommitPartition, epoch: int = 0
    ) -> Told:
        """TxnOffsetCommit."""
        told = Told()
        self.manager.commit_in_transaction(
            group_id, partitions, told, producer_id=producer_id, producer_epoch=epoch
        )
        return told

    def end(self, producer_id: int, is_commit: bool) -> None:
        """The marker of a producer's transaction is appended."""
        offset = self.log.append_marker(producer_id, is_commit)
        self.manager.logged.marker(producer_id, is_commit, offset)

    def ask(
        self, group_id: str, topics: Sequence[TopicPartitions] | None = None, *, stable: bool = False
    ) -> Seen:
        """OffsetFetch, whose response may come later."""
        seen = Seen()
        self.manager.fetches.fetch(group_id, topics, seen, require_stable=stable)
        return seen

    def fetch(self, group_id: str, *, stable: bool = False) -> Fetched:
        """All offsets of a group, now."""
        seen = self.ask(group_id, stable=stable)
        assert seen.code is ErrorCode.NONE
        return seen.offsets

    def delete(
        self,
        group_id: str,
        topic: str,
        *partitions: int,
        is_subscribed: Callable[[str], bool] = to_nothing,
    ) -> Told:
        """OffsetDelete."""
        told = Told()
        topics = [TopicPartitions(topic=topic, partitions=partitions)]
        self.manager.delete(group_id, topics, is_subscribed, told)
        return told

    def load(self) -> None:
        """Another coordinator takes over and reads the log."""
        self.manager = self._new()
        for entry in self.log.entries:
            if entry.is_commit is not None:
                self.manager.logged.marker(entry.producer_id, entry.is_commit, entry.offset)
                continue
            key, value = self.log.decoded(entry)
            assert isinstance(key, OffsetCommitKey)
            assert value is None or isinstance(value, OffsetCommitValue)
            self.manager.logged.replay(key, value, entry.offset, entry.producer_id)
