"""Partitions to fetch from, as plain as can be, for tests of fetch sessions.

A record is one byte and a batch of its own, and each is committed at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.data import PartitionResult
from kafkaproto_server.requests.fetch_requests import PartitionFetch, PartitionKey, partition_key


class HostedPartition:
    """A partition on this broker, with its watchers."""

    def __init__(self) -> None:
        self.log_start = 0
        self.log_end = 0
        self.watchers: dict[Any, None] = {}

    def changed(self) -> None:
        """Notify the watchers, as the real partition does."""
        for watcher in tuple(self.watchers):
            watcher.partition_changed(self)


class World:
    """The partitions of a broker."""

    def __init__(self) -> None:
        self.hosted: dict[PartitionKey, HostedPartition] = {}
        self.names: dict[bytes, str] = {}
        """Of topics, by their ids; most tests need none."""
        self.finds = 0

    def find(self, key: PartitionKey) -> HostedPartition | None:
        """As `fetch_sessions.Find`."""
        self.finds += 1
        return self.hosted.get(key)

    def create(self, *keys: PartitionKey) -> HostedPartition:
        """A new empty partition, which the keys all name."""
        partition = HostedPartition()
        for key in keys:
            self.hosted[key] = partition
        return partition

    def remove(self, key: PartitionKey) -> None:
        """Take a partition away, if there is one."""
        partition = self.hosted.pop(key, None)
        if partition is not None:
            partition.changed()

    def append(self, key: PartitionKey) -> None:
        """Append and commit a record."""
        self.hosted[key].log_end += 1
        self.hosted[key].changed()

    def delete_records(self, key: PartitionKey, offset: int) -> None:
        """Raise the log start offset."""
        partition = self.hosted[key]
        partition.log_start = max(partition.log_start, min(offset, partition.log_end))
        partition.changed()

    def read(self, fetches: Sequence[PartitionFetch], max_bytes: int) -> list[PartitionResult]:
        """Read partitions in order. The first batch of all is read whatever its size."""
        results = []
        left = max_bytes
        is_first = True
        for fetch in fetches:
            partition = self.hosted.get(partition_key(fetch))
            if partition is None:
                no_such = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                results.append(PartitionResult(error_code=no_such, high_watermark=-1, log_start_offset=-1))
            elif not partition.log_start <= fetch.fetch_offset <= partition.log_end:
                out = ErrorCode.OFFSET_OUT_OF_RANGE
                results.append(PartitionResult(error_code=out, high_watermark=-1, log_start_offset=-1))
            else:
                there = partition.log_end - fetch.fetch_offset
                taken = min(there, max(left, int(is_first)))
                left -= taken
                is_first = is_first and not taken
                results.append(
                    PartitionResult(
                        high_watermark=partition.log_end,
                        log_start_offset=partition.log_start,
                        records_bytes=taken,
                        is_limited=taken < there,
                    )
                )
        return results
