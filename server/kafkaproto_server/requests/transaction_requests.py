"""What requests about transactions say, and what they get: between the handlers of their APIs and the coordinator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from kafkaproto.error_codes import ErrorCode

NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
NO_DURATION = -1


class TopicPartition(NamedTuple):
    """A partition by the name of its topic."""

    topic: str
    partition: int


def by_topic(partitions: Sequence[TopicPartition]) -> dict[str, list[int]]:
    """The partitions of each topic, as requests have them."""
    found: dict[str, list[int]] = {}
    for topic, index in partitions:
        found.setdefault(topic, []).append(index)
    return found


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
    """The request's version. Older ones do not know PRODUCER_FENCED (KIP-588)."""


class AddPartitionsValues(msgspec.Struct, frozen=True, kw_only=True):
    """What an AddPartitionsToTxn request says of one transaction, or what an AddOffsetsToTxn request says.

    The second one adds the partition of ``__consumer_offsets`` that belongs to its group.
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: frozenset[TopicPartition]
    version: int
    """The request's version. Older ones do not know PRODUCER_FENCED (KIP-588)."""
    bumps_epoch: bool = False
    """Whether the client works by transaction.version 2, as the version of an AddPartitionsToTxn request tells."""


class EndTxnValues(msgspec.Struct, frozen=True, kw_only=True):
    """What an EndTxn request says."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    version: int
    """The request's version. Older ones do not know PRODUCER_FENCED (KIP-588)."""


class ProducerOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The response to an InitProducerId or EndTxn request: the identity that the producer has from now on."""

    code: ErrorCode
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH


class ListValues(msgspec.Struct, frozen=True, kw_only=True):
    """What a ListTransactions request says. A filter without entries lets everything pass."""

    state_filters: tuple[str, ...] = ()
    producer_id_filters: frozenset[int] = frozenset()
    duration_filter_ms: int = NO_DURATION
    """Only transactions that have been open for longer; negative for all."""
    matches: Callable[[str], bool] | None = None
    """Whether a transactional id matches the request's pattern, as a whole; None without a pattern."""


class Producer(NamedTuple):
    """Who writes in a transaction."""

    transactional_id: str
    producer_id: int
    producer_epoch: int


class AsksCoordinator(NamedTuple):
    """What a leader asks the coordinator before it takes the first records of a transaction (KIP-890), and what the
    client knows of that, both by the version of its request."""

    adds: bool
    """Whether the partition is to be added to the transaction, and not only to be looked for."""
    knows_abortable: bool
    """Whether the client knows TRANSACTION_ABORTABLE."""


Told = Callable[[ErrorCode], None]
PartitionCodes = Mapping[TopicPartition, ErrorCode]
"""The result of each partition; one that is left out has none to be told."""
