"""Descriptions of transactions: DescribeTransactions and ListTransactions (KIP-664, KIP-994, KIP-1152).

Apache Kafka has this in TransactionCoordinator and TransactionStateManager.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeTransactionsResponse, ListTransactionsResponse
from kafkaproto_server.core.coordinators.transactions.transaction import (
    STATES_BY_LABEL,
    Transaction,
    TransactionState,
)
from kafkaproto_server.requests.transaction_requests import ListValues, TopicPartition


def unknown_states(names: Iterable[str]) -> list[str]:
    """Names of states that do not exist."""
    return [name for name in names if name not in STATES_BY_LABEL]


def describe_one(
    transaction: Transaction, partitions: Iterable[TopicPartition]
) -> DescribeTransactionsResponse.TransactionState:
    """One transaction. ``partitions`` are those that its end has not reached yet."""
    topics: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        topics.setdefault(topic, []).append(partition)
    return DescribeTransactionsResponse.TransactionState(
        error_code=ErrorCode.NONE,
        transactional_id=transaction.transactional_id,
        transaction_state=transaction.state.label,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_start_time_ms=transaction.started_ms,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        topics=[
            DescribeTransactionsResponse.TopicData(topic=topic, partitions=indexes)
            for topic, indexes in topics.items()
        ],
    )


def not_described(transactional_id: str, code: ErrorCode) -> DescribeTransactionsResponse.TransactionState:
    """What is said of a transactional id instead of its description."""
    return DescribeTransactionsResponse.TransactionState(error_code=code, transactional_id=transactional_id)


def filtered(
    transactions: Iterable[Transaction], values: ListValues, wall_ms: int
) -> Iterator[ListTransactionsResponse.TransactionState | None]:
    """Those that pass all filters; None for each of the others."""
    states = {STATES_BY_LABEL[name] for name in values.state_filters if name in STATES_BY_LABEL}
    for each in transactions:
        if _passes(each, values, states, wall_ms):
            yield ListTransactionsResponse.TransactionState(
                transactional_id=each.transactional_id,
                producer_id=each.producer_id,
                transaction_state=each.state.label,
            )
        else:
            yield None


def _passes(
    transaction: Transaction, values: ListValues, states: set[TransactionState], wall_ms: int
) -> bool:
    # An id that never had a transaction has the start -1, and so passes each duration; Kafka lists it as well.
    return not (
        (values.producer_id_filters and transaction.producer_id not in values.producer_id_filters)
        or (values.state_filters and transaction.state not in states)
        or 0 <= values.duration_filter_ms >= wall_ms - transaction.started_ms
        or (values.matches is not None and not values.matches(transaction.transactional_id))
    )
