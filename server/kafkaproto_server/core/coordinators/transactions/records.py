"""The records of transactional ids in ``__transaction_state``.

Version 0 of the value is written with transaction.version 0; it has no place for the previous and the next producer id
and for the version of the client. Version 1 is written from transaction.version 1 on. Apache Kafka 4.4.0 does not write
the next producer epoch, which the schema has for KIP-939. Apache Kafka has this in TransactionLog.
"""

from __future__ import annotations

from kafkaproto.message import Message
from kafkaproto.messages import TransactionLogKey, TransactionLogValue
from kafkaproto_server.core.coordinators.transactions.transaction import Transaction, TransactionState
from kafkaproto_server.core.coordinators.values import Record, RecordError
from kafkaproto_server.requests.transaction_requests import TopicPartition

FLEXIBLE_VERSION = 1
"""The transaction.version, and the version of the value, from which records have tagged fields."""
NEWEST_VERSION = 2
"""The highest transaction.version that there is."""


def record_of(transaction: Transaction, transaction_version: int) -> Record:
    """The record that says what the transaction is now."""
    # Not the newest version that this node knows: during a rolling upgrade, brokers that know only version 0 may have
    # to read the record.
    version = 1 if transaction_version >= FLEXIBLE_VERSION else 0
    value = TransactionLogValue(
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_status=transaction.state,
        transaction_partitions=_by_topic(transaction),
        transaction_last_update_timestamp_ms=transaction.updated_ms,
        transaction_start_timestamp_ms=transaction.started_ms,
    )
    if version >= FLEXIBLE_VERSION:
        value.previous_producer_id = transaction.previous_producer_id
        value.next_producer_id = transaction.next_producer_id
        value.client_transaction_version = transaction.client_version
    return Record(TransactionLogKey(transactional_id=transaction.transactional_id), value, version)


def tombstone_of(transactional_id: str) -> Record:
    """The record that says that the transactional id is no more."""
    return Record(TransactionLogKey(transactional_id=transactional_id), None)


def transaction_of(key: TransactionLogKey, value: Message) -> Transaction:
    """The transaction that a record describes. Raises RecordError if it has a state, or a version of its client, that
    is not known; Apache Kafka refuses these, too."""
    assert isinstance(value, TransactionLogValue), "it is the key's value"
    # Kafka stops loading the partition as well. To skip the record would bring an older state of the id back.
    if value.transaction_status not in TransactionState._value2member_map_:
        raise RecordError(f"{key.transactional_id!r} has the unknown state {value.transaction_status}")
    if not 0 <= value.client_transaction_version <= NEWEST_VERSION:
        version = value.client_transaction_version
        raise RecordError(f"{key.transactional_id!r} has the unknown transaction version {version}")
    return Transaction(
        transactional_id=key.transactional_id,
        producer_id=value.producer_id,
        previous_producer_id=value.previous_producer_id,
        next_producer_id=value.next_producer_id,
        producer_epoch=value.producer_epoch,
        state=TransactionState(value.transaction_status),
        timeout_ms=value.transaction_timeout_ms,
        partitions=frozenset(
            TopicPartition(each.topic, partition)
            for each in value.transaction_partitions or ()
            for partition in each.partition_ids
        ),
        started_ms=value.transaction_start_timestamp_ms,
        updated_ms=value.transaction_last_update_timestamp_ms,
        client_version=value.client_transaction_version,
    )


def _by_topic(transaction: Transaction) -> list[TransactionLogValue.PartitionsSchema] | None:
    # Null, as Kafka writes it, and an empty list in the states behind Empty.
    if transaction.state is TransactionState.EMPTY:
        return None
    topics: dict[str, list[int]] = {}
    # Sorted, so that the record does not depend on the hashes of this process.
    for topic, partition in sorted(transaction.partitions):
        topics.setdefault(topic, []).append(partition)
    return [
        TransactionLogValue.PartitionsSchema(topic=topic, partition_ids=partitions)
        for topic, partitions in topics.items()
    ]
