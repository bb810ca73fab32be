"""The share coordinator of one partition of ``__share_group_state``, as long as this broker leads it.

It keeps the state of share partitions for their leaders, and fences those that are no longer leader (by the leader
epoch, which a leader raises when it reads the state) and those that do not know that the state was begun anew (by the
state epoch). Apache Kafka has it in ShareCoordinatorShard and ShareCoordinatorService.

A response leaves when the records before it are committed, also if the request has written none: it may rest on
another request's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.message import Message
from kafkaproto.uuids import to_text
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.metrics.coordinators import ShareStateMetrics
from kafkaproto_server.core.coordinators.share_state.batches import BatchError, check_combinable, combined
from kafkaproto_server.core.coordinators.share_state.config import ShareStateConfig
from kafkaproto_server.core.coordinators.share_state.maintenance import ShareStateMaintenance
from kafkaproto_server.core.coordinators.share_state.ports import ShareLog, SharePorts
from kafkaproto_server.core.coordinators.share_state.records import snapshot_record, tombstone, update_record
from kafkaproto_server.core.coordinators.share_state.state import (
    PartitionState,
    SharePartitionKey,
    StoredSharePartition,
)
from kafkaproto_server.core.coordinators.share_state.stored_partitions import StoredSharePartitions
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record, Surroundings
from kafkaproto_server.requests.share_state import (
    MAX_STATE_BATCHES,
    NO_DELIVERY_COMPLETE_COUNT,
    NO_START_OFFSET,
    NO_STATE_EPOCH,
    Done,
    ShareState,
    ShareStateResult,
    problem_of_write,
)

NO_EPOCH = 0
"""State and leader epoch in the summary of a share partition without state."""


class ShareCoordinator:
    """The coordinator of these share partitions."""

    def __init__(
        self,
        config: Callable[[], ShareStateConfig],
        log: ShareLog,
        surroundings: Surroundings,
        ports: SharePorts,
        metrics: ShareStateMetrics,
    ) -> None:
        self._config = config
        self._log = log
        self._surroundings = surroundings
        self._ports = ports
        self._metrics = metrics
        self._stored = StoredSharePartitions(config)
        self._maintenance = ShareStateMaintenance(
            config, log, surroundings, ports, self._stored, self._append
        )

    # -- records -------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None, offset: int, producer_id: int) -> None:
        """Take a record over that was read. Nobody writes to the topic in a transaction."""
        self._stored.take(key, value, offset)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """No transaction has a part in the topic; a marker that comes all the same means nothing."""

    def loaded(self) -> Sequence[str]:
        """All records are replayed: requests may come. Returns what was mended: nothing ever is."""
        self._maintenance.begin()
        return ()

    def unload(self) -> None:
        """Another broker coordinates now, or this one in a later epoch. Timers may know of this coordinator for some
        minutes: they must not keep all states."""
        self._maintenance.close()
        self._stored.clear()

    # -- requests ------------------------------------------------------------------------------------------------

    def initialize(self, key: SharePartitionKey, state_epoch: int, start_offset: int, done: Done) -> None:
        """Begin a state anew. Refused with INVALID_REQUEST, FENCED_STATE_EPOCH, UNKNOWN_TOPIC_OR_PARTITION."""
        found = self._stored.by_key.get(key)
        if key.partition < 0:
            refusal: ShareStateResult | None = _invalid(f"The partition {key.partition} is negative.")
        elif state_epoch < NO_STATE_EPOCH:
            refusal = _invalid(f"The state epoch {state_epoch} is negative.")
        # A request of a group coordinator that was replaced must not begin a newer state anew.
        elif found is not None and found.highest_state_epoch > state_epoch:
            refusal = _fenced_state(found, state_epoch)
        else:
            refusal = self._unknown(key)
        if refusal is not None:
            self._answer((), refusal, done)
            return
        now_ms = self._surroundings.wall_ms()
        state = PartitionState(
            snapshot_epoch=0 if found is None else found.state.next_snapshot_epoch,
            state_epoch=state_epoch,
            # Kafka's, too. What counts against former leaders is the highest one that was seen, which does not go back.
            leader_epoch=0,
            start_offset=start_offset,
            # Without a start offset nobody can say how many records behind it are done with.
            delivery_complete_count=(NO_DELIVERY_COMPLETE_COUNT if start_offset == NO_START_OFFSET else 0),
            batches=(),
            create_timestamp_ms=now_ms,
            write_timestamp_ms=now_ms,
        )
        self._answer((snapshot_record(key, state),), ShareStateResult(ErrorCode.NONE), done)

    def read(self, key: SharePartitionKey, leader_epoch: int, done: Done) -> None:
        """All of a state. A leader epoch that was not known is written, so that it holds for the next coordinator, too.

        Refused with INVALID_REQUEST if there is no state, FENCED_LEADER_EPOCH, UNKNOWN_TOPIC_OR_PARTITION.
        """
        found = self._stored.by_key.get(key)
        if key.partition < 0:
            refusal: ShareStateResult | None = _invalid(f"The partition {key.partition} is negative.")
        elif leader_epoch < 0:
            refusal = _invalid(f"The leader epoch {leader_epoch} is negative.")
        elif found is None:
            refusal = _not_initialized(key)
        elif found.highest_leader_epoch > leader_epoch:
            refusal = _fenced_leader(found, leader_epoch)
        else:
            refusal = self._unknown(key)
        if refusal is not None:
            self._answer((), refusal, done)
            return
        assert found is not None, "else it was refused"
        state = found.state
        records: tuple[Record, ...] = ()
        # With the read and not with the first write: the former leader must be fenced before the new one delivers a
        # record.
        if found.highest_leader_epoch != leader_epoch:
            # No batches: they stay as they are.
            unchanged = ShareState(state.state_epoch, state.start_offset, state.delivery_complete_count)
            records = (self._written(key, found, unchanged, leader_epoch),)
        self._answer(records, ShareStateResult(ErrorCode.NONE, None, state.visible()), done, are_writes=True)

    def read_summary(self, key: SharePartitionKey, done: Done) -> None:
        """A state without its batches; an empty one if there is none. Refused with INVALID_REQUEST and
        UNKNOWN_TOPIC_OR_PARTITION."""
        if key.partition < 0:
            refusal: ShareStateResult | None = _invalid(f"The partition {key.partition} is negative.")
        else:
            refusal = self._unknown(key)
        found = self._stored.by_key.get(key)
        if refusal is not None:
            self._answer((), refusal, done)
        elif found is None:
            self._answer(
                (), ShareStateResult(ErrorCode.NONE, None, ShareState(NO_STATE_EPOCH), NO_EPOCH), done
            )
        else:
            summary = found.state.visible()._replace(batches=())
            self._answer((), ShareStateResult(ErrorCode.NONE, None, summary, found.state.leader_epoch), done)

    def write(self, key: SharePartitionKey, new: ShareState, leader_epoch: int, done: Done) -> None:
        """Put batches over those that are there, and move the start offset forward.

        Refused with INVALID_REQUEST if there is no state or no leader can have written this, FENCED_LEADER_EPOCH,
        FENCED_STATE_EPOCH, UNKNOWN_TOPIC_OR_PARTITION, and UNKNOWN_SERVER_ERROR if there are too many batches, or they
        cannot be combined with those that a record has brought.
        """
        found = self._stored.by_key.get(key)
        if key.partition < 0:
            refusal: ShareStateResult | None = _invalid(f"The partition {key.partition} is negative.")
        elif leader_epoch < 0:
            refusal = _invalid(f"The leader epoch {leader_epoch} is negative.")
        elif new.state_epoch < NO_STATE_EPOCH:
            refusal = _invalid(f"The state epoch {new.state_epoch} is negative.")
        elif (problem := problem_of_write(new)) is not None:
            refusal = _invalid(problem)
        elif found is None:
            refusal = _not_initialized(key)
        elif found.highest_leader_epoch > leader_epoch:
            refusal = _fenced_leader(found, leader_epoch)
        elif found.highest_state_epoch > new.state_epoch:
            refusal = _fenced_state(found, new.state_epoch)
        else:
            refusal = self._unknown(key)
        record = None
        if refusal is None:
            assert found is not None, "else it was refused"
            record, refusal = self._combined(key, found, new)
        self._answer(
            (record,) if record else (),
            refusal or ShareStateResult(ErrorCode.NONE),
            self._timed(done),
            are_writes=True,
        )

    def _timed(self, done: Done) -> Done:
        began_ms = self._surroundings.now_ms()

        def written(result: ShareStateResult) -> None:
            if result.code is ErrorCode.NONE:
                self._metrics.write_latencies.add((self._surroundings.now_ms() - began_ms) / 1000)
            done(result)

        return written

    def _combined(
        self, key: SharePartitionKey, found: StoredSharePartition, new: ShareState
    ) -> tuple[Record | None, ShareStateResult | None]:
        """The record for a write, or why there cannot be one."""
        # What lies before the start offset goes. If it counted, a state that is full could not get rid of it.
        left = combined(found.state.batches, (), max(new.start_offset, found.state.start_offset))
        if len(left) + len(new.batches) > MAX_STATE_BATCHES:
            text = f"A share partition has {MAX_STATE_BATCHES} state batches at most."
            return None, ShareStateResult(ErrorCode.UNKNOWN_SERVER_ERROR, text)
        try:
            return self._written(key, found, new, None), None
        except BatchError:
            return None, ShareStateResult(
                ErrorCode.UNKNOWN_SERVER_ERROR, "A state batch ends before it begins."
            )

    def delete(self, key: SharePartitionKey, done: Done) -> None:
        """Remove a state, if there is one. Refused with INVALID_REQUEST and UNKNOWN_TOPIC_OR_PARTITION."""
        if key.partition < 0:
            refusal: ShareStateResult | None = _invalid(f"The partition {key.partition} is negative.")
        else:
            refusal = self._unknown(key)
        is_there = refusal is None and key in self._stored.by_key
        self._answer((tombstone(key),) if is_there else (), refusal or ShareStateResult(ErrorCode.NONE), done)

    def _unknown(self, key: SharePartitionKey) -> ShareStateResult | None:
        if self._ports.has_partition(key.topic_id, key.partition):
            return None
        text = f"There is no partition {key.partition} of a topic with the id {to_text(key.topic_id)}."
        return ShareStateResult(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)

    def _written(
        self,
        key: SharePartitionKey,
        found: StoredSharePartition,
        new: ShareState,
        leader_epoch: int | None,
    ) -> Record:
        """The record for a write, or for a new leader epoch. Raises BatchError if replaying it would fail.

        The start offset never moves back. The number of completed deliveries belongs to the start offset with which it
        came.
        """
        state = found.state
        # Writes of one leader may be repeated after later ones, if a response was lost.
        start_offset = max(new.start_offset, state.start_offset)
        count = new.delivery_complete_count
        if new.start_offset == state.start_offset:
            count = max(count, state.delivery_complete_count)
        # The count came with a start offset that is no longer the state's.
        elif new.start_offset < state.start_offset:
            count = state.delivery_complete_count
        changed = state._replace(
            leader_epoch=state.leader_epoch if leader_epoch is None else leader_epoch,
            start_offset=start_offset,
            delivery_complete_count=count,
        )
        # In order, as a record has them. What lies before the start offset is of no use to anybody.
        batches = combined((), tuple(new.batches), start_offset)
        # An update is short, and a snapshot has all of the state. With too few of them the next coordinator has much to
        # read, and no record before the last snapshot can be deleted.
        if found.updates < self._config().updates_per_snapshot:
            # Before the record is in the log, where every coordinator to come would stumble over it.
            check_combinable(state.batches, batches, start_offset)
            return update_record(key, changed._replace(batches=batches))
        now_ms = self._surroundings.wall_ms()
        return snapshot_record(
            key,
            changed._replace(
                snapshot_epoch=state.next_snapshot_epoch,
                batches=combined(state.batches, batches, start_offset),
                create_timestamp_ms=now_ms,
                write_timestamp_ms=now_ms,
            ),
        )

    def _answer(
        self, records: Sequence[Record], result: ShareStateResult, done: Done, *, are_writes: bool = False
    ) -> None:
        try:
            self._append(records)
            self._metrics.writes += len(records) if are_writes else 0
        except CoordinatorError as error:
            result = ShareStateResult(error.code, error.message or describe(error.code).message)

        def committed(code: ErrorCode) -> None:
            done(result if code is ErrorCode.NONE else _refused(code))

        # The end of the log, also without a record of its own: what the response says may rest on records before it.
        self._log.when_committed(self._log.end_offset, committed)

    def _append(self, records: Sequence[Record]) -> None:
        """Raises CoordinatorError; then nothing is written, and nothing has changed."""
        if records:
            offset = self._log.append(records) - len(records)
            for position, record in enumerate(records):
                self._stored.take(record.key, record.value, offset + position)

    # -- what no request asks for --------------------------------------------------------------------------------

    def topics_deleted(self, topic_ids: Iterable[bytes]) -> None:
        """Topics are no more: their states are removed."""
        self._maintenance.topics_deleted(topic_ids)

    @property
    def pruned_offset(self) -> int | None:
        """The records before it are deleted; None if none were deleted yet."""
        return self._maintenance.pruned_offset


def _invalid(message: str) -> ShareStateResult:
    return ShareStateResult(ErrorCode.INVALID_REQUEST, message)


def _not_initialized(key: SharePartitionKey) -> ShareStateResult:
    return _invalid(
        f"Group {quoted(key.group_id)} has no state of partition {key.partition}: initialize it first."
    )


def _fenced_leader(found: StoredSharePartition, leader_epoch: int) -> ShareStateResult:
    text = f"The leader epoch {leader_epoch} is older than {found.highest_leader_epoch}."
    return ShareStateResult(ErrorCode.FENCED_LEADER_EPOCH, text)


def _fenced_state(found: StoredSharePartition, state_epoch: int) -> ShareStateResult:
    text = f"The state epoch {state_epoch} is older than {found.highest_state_epoch}."
    return ShareStateResult(ErrorCode.FENCED_STATE_EPOCH, text)


def _refused(code: ErrorCode) -> ShareStateResult:
    return ShareStateResult(code, describe(code).message)
