"""The settings of fetchers, what is told of each, and what a response says of a log."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kafkaproto.messages import FetchResponse
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.config.settings import SettingsTable
from kafkaproto_server.core.replicas.partition import Partition

PartitionData = FetchResponse.PartitionData
_BASE_OFFSET_BYTES = 8
"""A batch begins with its base offset."""


class FetcherConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all fetchers, which hold as long as the broker runs."""

    max_wait_ms: int
    """replica.fetch.wait.max.ms"""
    min_bytes: int
    """replica.fetch.min.bytes"""
    partition_max_bytes: int
    """replica.fetch.max.bytes: of each partition in a response."""
    response_max_bytes: int
    """replica.fetch.response.max.bytes"""
    timeout_ms: int
    """replica.socket.timeout.ms"""
    backoff_ms: int
    """replica.fetch.backoff.ms"""


FETCHER_CONFIG = SettingsTable(
    FetcherConfig,
    {
        "max_wait_ms": "replica.fetch.wait.max.ms",
        "min_bytes": "replica.fetch.min.bytes",
        "partition_max_bytes": "replica.fetch.max.bytes",
        "response_max_bytes": "replica.fetch.response.max.bytes",
        "timeout_ms": "replica.socket.timeout.ms",
        "backoff_ms": "replica.fetch.backoff.ms",
    },
)


class FetcherCounts(NamedTuple):
    """What one fetcher that copies something has done."""

    name: str
    """As the thread is called in Apache Kafka."""
    endpoint: Endpoint | None
    """Of the leader; None while that is not alive."""
    requests: int
    bytes: int
    """Of records."""


def begins_within_a_batch(partition: Partition, data: PartitionData) -> bool:
    """Whether the leader has deleted all that is here, and its log begins within a batch, which no log with records can
    take. After an unclean election, a follower may have been cut to just that offset."""
    has_nothing_of_it = partition.log_start_offset < partition.next_offset <= data.log_start_offset
    if not has_nothing_of_it or not data.records:
        return False
    assert not isinstance(data.records, list), "what was decoded is one buffer"
    base_offset = int.from_bytes(data.records[:_BASE_OFFSET_BYTES], "big", signed=True)
    return base_offset < partition.next_offset
