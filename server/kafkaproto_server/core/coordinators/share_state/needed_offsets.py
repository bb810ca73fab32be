"""From which offset on records of a partition of ``__share_group_state`` are needed.

What lies before a share partition's last snapshot is not needed for it. So all before the oldest of these snapshots can
be deleted. Apache Kafka has this in ShareCoordinatorOffsetsManager.
"""

from __future__ import annotations

from collections import OrderedDict

from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey


class NeededOffsets:
    """The last snapshot of each share partition."""

    def __init__(self) -> None:
        # In order of the offsets, which rise from record to record.
        self._snapshots: OrderedDict[SharePartitionKey, int] = OrderedDict()
        self.first: int | None = None
        """All before it can be deleted; None as long as there is no record."""

    def snapshot(self, key: SharePartitionKey, offset: int) -> None:
        """There is a snapshot of a share partition."""
        self._snapshots[key] = offset
        # So the oldest snapshot is always the first, and nothing has to be searched.
        self._snapshots.move_to_end(key)
        self.first = self._oldest()

    def removed(self, key: SharePartitionKey, offset: int) -> None:
        """There is a tombstone of a share partition. It stays until there is another record behind it."""
        self.snapshot(key, offset)
        del self._snapshots[key]

    def _oldest(self) -> int:
        return self._snapshots[next(iter(self._snapshots))]
