"""Removes what nobody needs any more: offsets that have expired, those of deleted topics, and groups without any.

Apache Kafka has this in cleanupExpiredOffsets of OffsetMetadataManager, and cleanupGroupMetadata of
GroupCoordinatorShard.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkaproto_server.core.coordinators.groups.offsets.config import OffsetsConfig
from kafkaproto_server.core.coordinators.groups.offsets.offsets import GONE_AT_ONCE
from kafkaproto_server.core.coordinators.groups.offsets.rounds import GroupRounds
from kafkaproto_server.core.coordinators.groups.table import GroupTable
from kafkaproto_server.core.coordinators.values import Surroundings


class GroupCleanup:
    """Looks after the groups of one partition."""

    def __init__(
        self,
        table: GroupTable,
        rounds: GroupRounds,
        config: Callable[[], OffsetsConfig],
        surroundings: Surroundings,
    ) -> None:
        self._table = table
        self._offsets = table.offsets
        self._rounds = rounds
        self._config = config
        self._surroundings = surroundings

    def expire_later(self) -> None:
        """Look at all groups after each interval."""
        at_ms = self._surroundings.now_ms() + self._config().retention_check_interval_ms
        self._surroundings.call_at(
            at_ms,
            lambda: self._rounds.look_at_each(
                self._table.names_with_offsets(), self._expire_group, self.expire_later
            ),
        )

    def _expire_group(self, group_id: str) -> int:
        """The number of offsets that have expired. Raises CoordinatorError."""
        kind = self._table.kind_of(group_id)
        if kind is None:
            return 0
        before = self._offsets.logged.count(group_id)
        is_without = self._offsets.expire(group_id, kind.expiration(group_id))
        expired = before - self._offsets.logged.count(group_id)
        if is_without and not kind.groups[group_id].members:
            self._table.remove(group_id)
        # There are more, or may be.
        return GONE_AT_ONCE if self._offsets.is_expiring(group_id) else expired

    def topics_deleted(self, topics: Sequence[tuple[str, bytes]]) -> None:
        """Topics, given by their names and ids, are no more: nor are their offsets."""

        def delete(group_id: str) -> int:
            # If that fails, the offsets stay until they expire. They do no harm: a new topic has another id.
            return self._offsets.delete_topics(topics, group_id)

        self._rounds.look_at_each(self._offsets.logged.groups(), delete, lambda: None)
