"""What the coordinator of transactions is asked, what it answers, and the ports that it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from kafkaproto.error_codes import ErrorCode

NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
NO_LEADER = -1
"""The partition exists, but no broker leads it at the moment."""


class TopicPartition(NamedTuple):
    """A partition by the name of its topic."""

    topic: str
    partition: int


class InitProducerIdValues(msgspec.Struct, frozen=True, kw_only=True):
    """What an InitProducerId request with a transactional id says."""

    transactional_id: str
    transaction_timeout_ms: int
    producer_id: int = NO_PRODUCER_ID
    """With the epoch: who the producer takes itself for (KIP-360)."""
    producer_epoch: int = NO_PRODUCER_EPOCH
    enable_2pc: bool = False
    keep_prepared_txn: bool = False
    version: int
    """Of the request."""


class AddPartitionsValues(msgspec.Struct, frozen=True, kw_only=True):
    """What an AddPartitionsToTxn request says of one transaction, or what an AddOffsetsToTxn request says.

    The second one adds the partition of ``__consumer_offsets`` that belongs to its group.
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: frozenset[TopicPartition]
    version: int
    """Of the request; AddOffsetsToTxn has none by which epochs are bumped."""


class EndTxnValues(msgspec.Struct, frozen=True, kw_only=True):
    """What an EndTxn request says."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    version: int
    """Of the request."""


class ProducerOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The response to an InitProducerId or EndTxn request: the identity that the producer has from now on."""

    code: ErrorCode
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH


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
