"""What a share coordinator does on its own: it removes the states of deleted topics, deletes records that are not
needed any more, and writes cold states anew.

Many states take many turns of the loop (`_in_turns`).

Apache Kafka: the periodic jobs of ShareCoordinatorService (KIP-932), ShareCoordinatorShard.snapshotColdPartitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.share_state.config import ShareStateConfig
from kafkaproto_server.core.coordinators.share_state.ports import ShareLog, SharePorts
from kafkaproto_server.core.coordinators.share_state.records import snapshot_record, tombstone
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.core.coordinators.share_state.stored_partitions import StoredSharePartitions
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record, Surroundings

WEIGHT_AT_ONCE = 100
"""How many share partitions, and batches of them, are dealt with in one turn if there is something to do for all."""


class ShareStateMaintenance:
    """The work that no request asks for."""

    def __init__(
        self,
        config: Callable[[], ShareStateConfig],
        log: ShareLog,
        surroundings: Surroundings,
        ports: SharePorts,
        stored: StoredSharePartitions,
        append: Callable[[Sequence[Record]], None],
    ) -> None:
        """``append`` writes records and takes them over. It raises CoordinatorError; then nothing has changed."""
        self._config = config
        self._log = log
        self._surroundings = surroundings
        self._ports = ports
        self._stored = stored
        self._append = append
        self.pruned_offset: int | None = None
        """The records before it are deleted; None if none were deleted yet."""
        self._is_over = False

    def begin(self) -> None:
        """All records are replayed."""
        assert not self._is_over, "a coordinator begins once"
        self._later(self._config().prune_interval_ms, self._prune)
        self._later(self._config().cold_snapshot_interval_ms, self._snapshot_cold)
        self._remove_left()

    def close(self) -> None:
        """Another broker coordinates now, or this one in a later epoch: nothing more is done."""
        self._is_over = True

    def topics_deleted(self, topic_ids: Iterable[bytes]) -> None:
        """Topics are no more: their states are removed."""
        # A list of its own: the tombstones change what is iterated.
        keys = [key for topic_id in topic_ids for key in self._stored.of_topic.get(topic_id, ())]
        self._in_turns(iter(keys), tombstone)

    def _remove_left(self) -> None:
        """Remove the states of topics that were deleted while nobody coordinated here, or could write."""
        self.topics_deleted(
            [each for each in self._stored.of_topic if not self._ports.has_partition(each, 0)]
        )

    def _prune(self) -> None:
        """Delete what is not needed, once the snapshots on which that rests are committed."""
        self._remove_left()
        # Taken before the commit is waited for: what is written meanwhile may move it further.
        offset = self._stored.needed.first
        if self._ports.is_enabled() and offset and offset != self.pruned_offset:

            def committed(code: ErrorCode) -> None:
                # Not before: if the snapshots are lost with this broker, the records that they replace are all there
                # is.
                if code is ErrorCode.NONE and not self._is_over:
                    self._ports.prune(offset, pruned)

            def pruned(is_done: bool) -> None:
                # Otherwise it is tried again in the next interval.
                if is_done:
                    self.pruned_offset = offset

            self._log.when_committed(self._log.end_offset, committed)
        self._later(self._config().prune_interval_ms, self._prune)

    def _snapshot_cold(self) -> None:
        """Write those states anew that have not been written as a whole for long, unless that was done for all of them
        and nothing has changed since."""
        interval_ms = self._config().cold_snapshot_interval_ms

        def snapshot(key: SharePartitionKey) -> Record | None:
            state = self._stored.by_key[key].state
            now_ms = self._surroundings.wall_ms()
            if now_ms - state.write_timestamp_ms < interval_ms:
                return None
            # The time at which the state was made stays: so `is_cold` says that nothing has changed.
            epoch = state.next_snapshot_epoch
            return snapshot_record(key, state._replace(snapshot_epoch=epoch, write_timestamp_ms=now_ms))

        if self._ports.is_enabled() and not all(each.state.is_cold for each in self._stored.by_key.values()):
            self._in_turns(iter(list(self._stored.by_key)), snapshot)
        self._later(interval_ms, self._snapshot_cold)

    def _in_turns(
        self, keys: Iterator[SharePartitionKey], make: Callable[[SharePartitionKey], Record | None]
    ) -> None:
        """Write a record for each of many share partitions, some at a time. If the log refuses one, the rest has to
        wait for the next time."""
        if self._is_over:
            return
        weight = 0
        for key in keys:
            found = self._stored.by_key.get(key)
            record = None if found is None else make(key)
            # Also a share partition for which nothing is written costs a look.
            weight += 1
            if record is not None:
                # A state may have thousands of batches, and the record has all of them.
                weight += len(self._stored.by_key[key].state.batches)
                try:
                    self._append((record,))
                # Too few replicas are in sync, for example: the others would be refused as well.
                except CoordinatorError:
                    return
            if weight >= WEIGHT_AT_ONCE:
                self._surroundings.call_at(
                    self._surroundings.now_ms() + 1, lambda: self._in_turns(keys, make)
                )
                return

    def _later(self, delay_ms: int, call: Callable[[], None]) -> None:
        def due() -> None:
            if not self._is_over:
                call()

        self._surroundings.call_at(self._surroundings.now_ms() + delay_ms, due)
