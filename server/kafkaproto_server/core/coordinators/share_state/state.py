"""What the share coordinator knows of one share partition, and how records change it.

A snapshot record holds all of the state, an update what has changed since. Apache Kafka has this in ShareGroupOffset
and in the replay of ShareCoordinatorShard.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from kafkaproto.messages import ShareSnapshotValue, ShareUpdateValue
from kafkaproto_server.core.coordinators.share_state.batches import BatchError, combined, is_in_order
from kafkaproto_server.core.coordinators.share_state.packed_batches import Batches, packed
from kafkaproto_server.requests.share_state import (
    NO_LEADER_EPOCH,
    NO_START_OFFSET,
    NO_STATE_EPOCH,
    ShareState,
    StateBatch,
)

NO_TIMESTAMP = 0
MAX_SNAPSHOT_EPOCH = 2**31 - 1


class SharePartitionKey(NamedTuple):
    """A partition that a share group reads."""

    group_id: str
    topic_id: bytes
    partition: int


class PartitionState(NamedTuple):
    """The state of a share partition."""

    snapshot_epoch: int
    """Rises with each snapshot. An update carries that of the snapshot before it."""
    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int
    batches: Batches
    """In order (see `batches`), or a single one of any kind."""
    create_timestamp_ms: int = NO_TIMESTAMP
    """Wall time at which the state was last written as a whole because it had changed."""
    write_timestamp_ms: int = NO_TIMESTAMP
    """Wall time at which it was last written as a whole."""

    @property
    def is_cold(self) -> bool:
        """Whether the last snapshot was written only because the state had not changed for long."""
        return self.create_timestamp_ms != self.write_timestamp_ms

    @property
    def next_snapshot_epoch(self) -> int:
        """Of the next snapshot. The last one that there is stays: a record may have brought it."""
        return min(self.snapshot_epoch + 1, MAX_SNAPSHOT_EPOCH)

    def visible(self) -> ShareState:
        """What the leader of the partition sees of it."""
        return ShareState(self.state_epoch, self.start_offset, self.delivery_complete_count, self.batches)


class StoredSharePartition:
    """A share partition with what requests are checked against. It changes by replay only."""

    __slots__ = ("highest_leader_epoch", "highest_state_epoch", "state", "updates")

    def __init__(self, state: PartitionState) -> None:
        self.state = state
        self.highest_leader_epoch = NO_LEADER_EPOCH
        """A request of a lower one is fenced. A new beginning of the state does not lower it."""
        self.highest_state_epoch = NO_STATE_EPOCH - 1
        self.updates = 0
        """Update records since the last snapshot that was written because there were enough of them."""

    def replay_snapshot(self, value: ShareSnapshotValue, updates_per_snapshot: int) -> None:
        # A new beginning of the state writes the leader epoch 0. A leader that was fenced before that stays fenced.
        self.highest_leader_epoch = max(self.highest_leader_epoch, value.leader_epoch)
        self.highest_state_epoch = max(self.highest_state_epoch, value.state_epoch)
        self.state = state_of_snapshot(value)
        # Only a snapshot that was due begins the count anew, as in Kafka: one of a cold state, or of a new beginning,
        # does not.
        if self.updates >= updates_per_snapshot:
            self.updates = 0

    def replay_update(self, value: ShareUpdateValue) -> None:
        self.highest_leader_epoch = max(self.highest_leader_epoch, value.leader_epoch)
        self.updates += 1
        state = self.state
        start_offset = value.start_offset if value.start_offset != NO_START_OFFSET else state.start_offset
        self.state = state._replace(
            start_offset=start_offset,
            delivery_complete_count=value.delivery_complete_count,
            # An update names only what it changes.
            leader_epoch=value.leader_epoch if value.leader_epoch != NO_LEADER_EPOCH else state.leader_epoch,
            # What lies before the start offset goes now, though the update does not name it.
            batches=packed(_added(state.batches, _in_order(value.state_batches), start_offset)),
        )


def state_of_snapshot(value: ShareSnapshotValue) -> PartitionState:
    """The state that a snapshot has."""
    return PartitionState(
        snapshot_epoch=value.snapshot_epoch,
        state_epoch=value.state_epoch,
        leader_epoch=value.leader_epoch,
        start_offset=value.start_offset,
        delivery_complete_count=value.delivery_complete_count,
        batches=packed(_in_order(value.state_batches)),
        create_timestamp_ms=value.create_timestamp,
        write_timestamp_ms=value.write_timestamp,
    )


def state_before_update(value: ShareUpdateValue) -> PartitionState:
    """What is known before an update whose snapshot has been deleted. A newer snapshot is behind it."""
    return PartitionState(
        snapshot_epoch=value.snapshot_epoch,
        state_epoch=NO_STATE_EPOCH,
        leader_epoch=value.leader_epoch,
        start_offset=value.start_offset,
        delivery_complete_count=value.delivery_complete_count,
        # Those of the update are put over it by its replay.
        batches=(),
    )


class _StateBatch(Protocol):
    """A batch in a record or in a request."""

    first_offset: int
    last_offset: int
    delivery_state: int
    delivery_count: int


def to_batch(batch: _StateBatch) -> StateBatch:
    """A batch of a record or of a request as a value."""
    return StateBatch(batch.first_offset, batch.last_offset, batch.delivery_state, batch.delivery_count)


def _in_order(batches: list[ShareSnapshotValue.StateBatch] | list[ShareUpdateValue.StateBatch]) -> Batches:
    """The batches of a record. No coordinator writes several that are not in order; a damaged log may have them."""
    found = tuple(map(to_batch, batches))
    if len(found) < 2 or is_in_order(found):
        return found
    return _added((), found, NO_START_OFFSET)


def _added(so_far: Batches, new: Batches, start_offset: int) -> Batches:
    """Batches of a record put over others. What no coordinator would have written is left out."""
    try:
        return combined(so_far, new, start_offset)
    except BatchError:
        # A record from elsewhere must not keep the whole partition of the topic from being loaded.
        sound = [tuple(each for each in some if is_in_order([each])) for some in (so_far, new)]
        return combined(sound[0], sound[1], start_offset)
