"""The records of ``__share_group_state``: see `state`. Apache Kafka: ShareCoordinatorRecordHelpers."""

from __future__ import annotations

from kafkaproto.messages import (
    ShareSnapshotKey,
    ShareSnapshotValue,
    ShareUpdateKey,
    ShareUpdateValue,
)
from kafkaproto_server.core.coordinators.share_state.state import PartitionState, SharePartitionKey
from kafkaproto_server.core.coordinators.values import Record


def snapshot_record(key: SharePartitionKey, state: PartitionState) -> Record:
    return Record(
        _snapshot_key(key),
        ShareSnapshotValue(
            snapshot_epoch=state.snapshot_epoch,
            state_epoch=state.state_epoch,
            leader_epoch=state.leader_epoch,
            start_offset=state.start_offset,
            delivery_complete_count=state.delivery_complete_count,
            create_timestamp=state.create_timestamp_ms,
            write_timestamp=state.write_timestamp_ms,
            state_batches=[ShareSnapshotValue.StateBatch(**each._asdict()) for each in state.batches],
        ),
    )


def update_record(key: SharePartitionKey, state: PartitionState) -> Record:
    """What has changed: the batches are the new ones only."""
    return Record(
        ShareUpdateKey(group_id=key.group_id, topic_id=key.topic_id, partition=key.partition),
        ShareUpdateValue(
            snapshot_epoch=state.snapshot_epoch,
            leader_epoch=state.leader_epoch,
            start_offset=state.start_offset,
            delivery_complete_count=state.delivery_complete_count,
            state_batches=[ShareUpdateValue.StateBatch(**each._asdict()) for each in state.batches],
        ),
    )


def tombstone(key: SharePartitionKey) -> Record:
    """There is no state any more."""
    return Record(_snapshot_key(key), None)


def _snapshot_key(key: SharePartitionKey) -> ShareSnapshotKey:
    return ShareSnapshotKey(group_id=key.group_id, topic_id=key.topic_id, partition=key.partition)
