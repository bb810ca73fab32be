"""The ports that the coordinator of transactions needs: to the brokers that lead partitions, and for producer ids.

Ours alone: the coordinator of Apache Kafka has its MetadataCache, TransactionMarkerChannelManager and ProducerIdManager
for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.transaction_requests import TopicPartition

NO_LEADER = -1
"""The partition exists, but no broker leads it at the moment."""


class TransactionMarker(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a WriteTxnMarkers request."""

    producer_id: int
    producer_epoch: int
    is_commit: bool
    coordinator_epoch: int
    transaction_version: int
    """From 2 on, the partition's leader expects an epoch that no record of the transaction has (KIP-890)."""
    partitions: tuple[TopicPartition, ...]


MarkerResults = Mapping[int, Mapping[TopicPartition, ErrorCode]]
"""What a broker did with markers, by producer id and partition."""


class MarkerPorts(Protocol):
    """The way to the brokers that lead the partitions of transactions."""

    def leader_of(self, partition: TopicPartition) -> int | None:
        """The broker that leads a partition; NO_LEADER; None if there is no such partition."""

    def send_markers(
        self,
        broker_id: int,
        markers: Sequence[TransactionMarker],
        done: Callable[[MarkerResults | None], None],
    ) -> None:
        """Send a WriteTxnMarkers request. ``done`` is called once, with None if the broker did not respond."""


NextProducerId = Callable[[Callable[[ErrorCode, int], None]], None]
"""Calls its argument, now or later, with NONE and a producer id that nobody has had, or with why there is none."""
