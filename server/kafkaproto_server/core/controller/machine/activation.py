"""The first records that a controller writes when it becomes active.

It aborts a metadata transaction that the previous controller left open. A log without any metadata.version is new: it
gets the bootstrap records (feature levels and SCRAM credentials from the formatting of the storage) and, with ELR on,
the cluster's min.insync.replicas, all in one metadata transaction.

Apache Kafka: ``ActivationRecordsGenerator``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    ConfigRecord,
    EndTransactionRecord,
    FeatureLevelRecord,
)
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.controller.values.topic_configs import CLUSTER_DEFAULT, MIN_INSYNC_REPLICAS
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE, ELR_FEATURE
from kafkaproto_server.metadata.image.loader import LoadState


def activation_records(
    state: LoadState, bootstrap_records: Sequence[Message], static_config: Mapping[str, str]
) -> list[Message]:
    """The records, to be appended as one batch; none if the log is in order.

    ``state`` is the state after the whole log. ``bootstrap_records`` are those with which the storage was formatted, in
    order.
    """
    records: list[Message] = []
    # Only the previous active controller could have ended the transaction. Without the abort, no
    # later record would ever become visible. Kafka: ActivationRecordsGenerator.
    if state.in_transaction:
        records.append(AbortTransactionRecord(reason="Controller failover"))
    # The committed metadata decides, not the bootstrap file: a voter that was formatted later must
    # not write its own levels into a log that is in use.
    if not state.stable.metadata_version:
        assert bootstrap_records, "a new log needs bootstrap records"
        # If the controller fails in the midst of this, the next one aborts and begins anew. A log
        # with some of the features would count as complete.
        records.append(BeginTransactionRecord(name="Bootstrap records"))
        records += bootstrap_records
        # Kafka adds it as well, in the same transaction (KIP-966).
        if any(_turns_elr_on(record) for record in bootstrap_records):
            # With ELR on, the log has to hold the cluster's value: the nodes' properties might differ.
            value = NodeConfigs(static=static_config).value_of(MIN_INSYNC_REPLICAS)
            records.append(
                ConfigRecord(
                    resource_type=BROKER_RESOURCE,
                    resource_name=CLUSTER_DEFAULT,
                    name=MIN_INSYNC_REPLICAS,
                    value=value,
                )
            )
        assert len(records) > len(bootstrap_records), "the bootstrap records stand in a transaction"
        records.append(EndTransactionRecord())
    return records


def _turns_elr_on(record: Message) -> bool:
    return isinstance(record, FeatureLevelRecord) and record.name == ELR_FEATURE and record.feature_level > 0
