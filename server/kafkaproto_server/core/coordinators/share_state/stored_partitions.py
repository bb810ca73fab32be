"""The states of all share partitions of one coordinator. Nothing but records changes them.

Apache Kafka: the maps of ShareCoordinatorShard and their replay.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.message import Message
from kafkaproto.messages import ShareSnapshotKey, ShareSnapshotValue, ShareUpdateKey, ShareUpdateValue
from kafkaproto_server.core.coordinators.share_state.config import ShareStateConfig
from kafkaproto_server.core.coordinators.share_state.needed_offsets import NeededOffsets
from kafkaproto_server.core.coordinators.share_state.state import (
    PartitionState,
    SharePartitionKey,
    StoredSharePartition,
    state_before_update,
    state_of_snapshot,
)


class StoredSharePartitions:
    """The share partitions that have a state."""

    def __init__(self, config: Callable[[], ShareStateConfig]) -> None:
        self._config = config
        self.by_key: dict[SharePartitionKey, StoredSharePartition] = {}
        self.of_topic: dict[bytes, dict[SharePartitionKey, None]] = {}
        """Those of each topic, by its id."""
        self.needed = NeededOffsets()
        """Which of the records are needed."""

    def clear(self) -> None:
        """Forget everything."""
        self.by_key = {}
        self.of_topic = {}
        self.needed = NeededOffsets()

    def take(self, key: Message, value: Message | None, offset: int) -> None:
        """Take a record over, one that was read or one that was just written."""
        assert isinstance(key, ShareSnapshotKey | ShareUpdateKey), "there are no other records"
        name = SharePartitionKey(key.group_id, bytes(key.topic_id), key.partition)
        if isinstance(key, ShareSnapshotKey):
            if value is None:
                self._forget(name)
                self.needed.removed(name, offset)
            else:
                assert isinstance(value, ShareSnapshotValue), "the key says so"
                found = self.by_key.get(name) or self._new(name, state_of_snapshot(value))
                found.replay_snapshot(value, self._config().updates_per_snapshot)
                self.needed.snapshot(name, offset)
        elif value is not None:
            assert isinstance(value, ShareUpdateValue), "the key says so"
            found = self.by_key.get(name) or self._new(name, state_before_update(value))
            found.replay_update(value)

    def _new(self, key: SharePartitionKey, state: PartitionState) -> StoredSharePartition:
        assert key not in self.by_key, "a share partition has one state"
        found = self.by_key[key] = StoredSharePartition(state)
        self.of_topic.setdefault(key.topic_id, {})[key] = None
        return found

    def _forget(self, key: SharePartitionKey) -> None:
        # Of several tombstones only the first has something to remove.
        if self.by_key.pop(key, None) is not None:
            of_topic = self.of_topic[key.topic_id]
            del of_topic[key]
            # Or deleted topics would stay here for as long as this broker coordinates.
            if not of_topic:
                del self.of_topic[key.topic_id]
