"""The settings of fetchers, and what is told of each."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kafkaproto_server.types import Endpoint


class FetcherConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all fetchers."""

    broker_id: int
    max_wait_ms: int
    min_bytes: int
    partition_max_bytes: int
    response_max_bytes: int
    timeout_ms: int
    backoff_ms: int


class FetcherCounts(NamedTuple):
    """What one fetcher that copies something has done."""

    name: str
    """As the thread is called in Apache Kafka."""
    endpoint: Endpoint | None
    """Of the leader; None while that is not alive."""
    requests: int
    bytes: int
    """Of records."""
