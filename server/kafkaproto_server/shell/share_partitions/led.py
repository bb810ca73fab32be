"""The share partitions of this broker: each is loaded when it is fetched for the first time, and forgotten when the
partition moves or its group has no sessions left on this broker.

A share partition reads its state through the `Persister`. Until that is done, fetches of it wait. Errors of the
persister are translated as in Apache Kafka's ``SharePartition``; those after which the state is of no use any more
make the broker forget the share partition, so that the next fetch loads it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.coordinators import SharePartitionMetrics
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.replicas.partition import Partition, Role
from kafkaproto_server.core.share_partitions.acknowledging import complete
from kafkaproto_server.core.share_partitions.dead_letters import DeadLetter, spent_letters
from kafkaproto_server.core.share_partitions.expiring import expire
from kafkaproto_server.core.share_partitions.in_flight import StateChange
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.core.share_partitions.settings import (
    OffsetReset,
)
from kafkaproto_server.requests.data import OffsetQuery, OffsetResult
from kafkaproto_server.requests.share_requests import ShareError, ShareKey
from kafkaproto_server.requests.share_state import (
    NO_START_OFFSET,
    Persister,
    ShareState,
    ShareStateResult,
    StateBatch,
)
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.followers.offsets import EARLIEST, LATEST
from kafkaproto_server.shell.share_partitions.dead_letters import DeadLetters
from kafkaproto_server.shell.share_partitions.group_settings import CurrentShareSettings

_PERSISTER_ERRORS = {
    ErrorCode.NOT_COORDINATOR: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.GROUP_ID_NOT_FOUND: ErrorCode.GROUP_ID_NOT_FOUND,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.FENCED_LEADER_EPOCH: ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.FENCED_STATE_EPOCH: ErrorCode.NOT_LEADER_OR_FOLLOWER,
}
"""Any other is UNKNOWN_SERVER_ERROR."""
_ENDS_STATE = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.GROUP_ID_NOT_FOUND,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
)


class Waiter(Protocol):
    """A fetch that waits for share partitions."""

    def share_partition_changed(self, led: LedSharePartition) -> None:
        """There may be records that it can acquire, or the share partition cannot be used."""


class LedSharePartition:
    """One share partition of this broker. Implements `core.replicas.partition.Watcher` and
    `shell.share_partitions.dead_letters.Source`."""

    __slots__ = (
        "core",
        "expires_at_ms",
        "failure",
        "hosted",
        "is_gone",
        "key",
        "leader_epoch",
        "loading_since_ms",
        "lock_timeouts",
        "owner",
        "reader",
        "waiters",
    )

    def __init__(self, owner: LedSharePartitions, key: ShareKey, hosted: Hosted) -> None:
        self.owner = owner
        self.key = key
        self.hosted = hosted
        self.leader_epoch = hosted.partition.leader_epoch
        self.core: SharePartition | None = None
        """None until it is loaded."""
        self.loading_since_ms = owner.now_ms
        self.lock_timeouts = 0
        """How many records were taken from members because their locks expired."""
        self.failure: ShareError | None = None
        """Why it cannot be used; it is gone then."""
        self.is_gone = False
        self.reader: object | None = None
        """The fetch that reads its records from the disk; no other one may read them meanwhile."""
        self.waiters: dict[Waiter, None] = {}
        self.expires_at_ms: int | None = None
        """The earliest time at which `expire` is called."""

    def partition_changed(self, partition: Partition) -> None:
        if partition.role is not Role.LEADER or partition.leader_epoch != self.leader_epoch:
            # In between, another broker may have delivered records, and had them acknowledged.
            self.owner.forget(self, ShareError(ErrorCode.NOT_LEADER_OR_FOLLOWER))
        else:
            self.wake()

    def letters_written(self, letters: Sequence[DeadLetter]) -> None:
        self.owner.archive_letters(self, letters)

    def wake(self) -> None:
        for each in tuple(self.waiters):
            each.share_partition_changed(self)


class LedSharePartitions:
    """All share partitions of this broker."""

    def __init__(
        self,
        *,
        settings: CurrentShareSettings,
        clock: Clock,
        call_at: Callable[[int, Callable[[], None]], None],
        find: Callable[[bytes, int], Hosted | None],
        find_offset: Callable[[OffsetQuery, Callable[[OffsetResult], None]], None],
        persister: Persister,
        dead_letters: DeadLetters,
        metrics: SharePartitionMetrics,
    ) -> None:
        """``find`` returns the replica of a partition."""
        self.settings = settings
        self._clock = clock
        self._call_at = call_at
        self._find = find
        self._find_offset = find_offset
        self._persister = persister
        self._dead_letters = dead_letters
        self.metrics = metrics
        self._led: dict[ShareKey, LedSharePartition] = {}
        self._by_group: dict[str, dict[ShareKey, None]] = {}

    def __len__(self) -> int:
        return len(self._led)

    def __iter__(self) -> Iterator[LedSharePartition]:
        return iter(self._led.values())

    @property
    def now_ms(self) -> int:
        return self._clock.now_ms()

    # -- loading -----------------------------------------------------------------------------------------------

    def get(self, key: ShareKey) -> LedSharePartition | None:
        """A share partition that was fetched before; None if there is none."""
        return self._led.get(key)

    def get_or_load(self, key: ShareKey) -> LedSharePartition:
        """A share partition, which may still have to be loaded. Raises ShareError if this broker does not lead the
        partition."""
        led = self._led.get(key)
        if led is not None:
            return led
        if not key.group_id:
            # No state can have this key.
            raise ShareError(ErrorCode.UNKNOWN_SERVER_ERROR)
        hosted = self._find(key.topic_id, key.partition)
        if hosted is None or hosted.partition.role is not Role.LEADER:
            raise ShareError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        led = LedSharePartition(self, key, hosted)
        # Before its state is read, which may end at once, and with an error that forgets it.
        self._led[key] = led
        self._by_group.setdefault(key.group_id, {})[key] = None
        hosted.partition.watchers[led] = None
        self._persister.read(
            key.group_id, key.topic_id, key.partition, led.leader_epoch, partial(self._was_read, led)
        )
        return led

    def _was_read(self, led: LedSharePartition, result: ShareStateResult) -> None:
        # It moved while the coordinator answered. Whoever loads it next has a later leader epoch.
        if led.is_gone:
            return
        if result.code is not ErrorCode.NONE:
            self.forget(led, _translated(result))
            return
        state = result.state
        assert state is not None
        # A group that has been here goes on where it was. Only one without state begins by share.auto.offset.reset
        # (KIP-932).
        if state.start_offset != NO_START_OFFSET:
            self._loaded(led, state, state.start_offset)
            return
        settings = self.settings.of(led.key.group_id)
        timestamp = {
            OffsetReset.EARLIEST: EARLIEST,
            OffsetReset.LATEST: LATEST,
            OffsetReset.BY_DURATION: self._clock.wall_ms() - settings.reset_duration_ms,
        }[settings.offset_reset]
        query = OffsetQuery(
            topic=led.hosted.partition.topic,
            index=led.key.partition,
            timestamp=timestamp,
            current_leader_epoch=led.leader_epoch,
            is_from_client=True,
            # Kafka asks with READ_UNCOMMITTED here, whatever the isolation of the group is.
            is_committed_only=False,
        )
        self._find_offset(query, partial(self._found_offset, led, state))

    def _found_offset(self, led: LedSharePartition, state: ShareState, found: OffsetResult) -> None:
        if led.is_gone:
            return
        code = found.code
        if code is ErrorCode.NONE and found.offset < 0:
            # No record is new enough. That may change.
            code = ErrorCode.OFFSET_NOT_AVAILABLE
        if code is not ErrorCode.NONE:
            self.forget(led, ShareError(code))
            return
        self._loaded(led, state, found.offset)

    def _loaded(self, led: LedSharePartition, state: ShareState, start_offset: int) -> None:
        try:
            led.core = SharePartition(state, start_offset, self.settings.of(led.key.group_id))
        except ShareError as error:
            self.forget(led, error)
            return
        self.metrics.load_times.add((self.now_ms - led.loading_since_ms) / 1000)
        # The leader before may have stopped with letters that it had not written. It may have written some: they come
        # twice then.
        self._dead_letters.write(led, led.core.letters_left())
        led.wake()

    def core_of(self, led: LedSharePartition) -> SharePartition | None:
        """Its state with the settings as they are now; None if it is not loaded."""
        if led.core is not None:
            # Each time it is used, since nobody is told when the configs of a group change.
            led.core.settings = self.settings.of(led.key.group_id)
        return led.core

    # -- the end -------------------------------------------------------------------------------------------------

    def forget(self, led: LedSharePartition, failure: ShareError) -> None:
        """Forget a share partition: it moved, or its state is of no use any more."""
        if led.is_gone:
            return
        led.is_gone = True
        # What waits asks for it when it is woken, below.
        led.failure = failure
        del self._led[led.key]
        of_group = self._by_group[led.key.group_id]
        del of_group[led.key]
        if not of_group:
            del self._by_group[led.key.group_id]
        # The partition outlives it, and must not keep its records in flight.
        led.hosted.partition.watchers.pop(led, None)
        led.wake()

    def group_is_empty(self, group_id: str) -> None:
        """A group has no sessions any more."""
        for key in tuple(self._by_group.get(group_id, ())):
            self.forget(self._led[key], ShareError(ErrorCode.NOT_LEADER_OR_FOLLOWER))

    # -- changes -------------------------------------------------------------------------------------------------

    def persist(
        self, led: LedSharePartition, change: StateChange, done: Callable[[ShareError | None], None]
    ) -> None:
        """Persist a change, and complete it. ``done`` is called with None, or with why it was taken back."""
        core = led.core
        assert core is not None
        if not change.batches:
            done(None)
            return

        def written(result: ShareStateResult) -> None:
            error = None if result.code is ErrorCode.NONE else _translated(result)
            # Before anybody hears of it: who does may look at the share partition at once.
            complete(core, change, is_kept=error is None, now_ms=self._clock.now_ms())
            # The state is another broker's by now, or gone with its group or topic. What is known here is of no use
            # any more.
            if error is not None and error.code in _ENDS_STATE:
                self.forget(led, error)
            done(error)
            if error is None:
                self._dead_letters.write(led, change.letters)
            else:
                self.taken_back(led, change)
            # Records that were given back may be delivered, and those that are settled make room for others.
            led.wake()

        self._write(led, core, tuple(change.batches), written)

    def taken_back(self, led: LedSharePartition, change: StateChange) -> None:
        """A change was taken back: of what was spent meanwhile there are letters. If the share partition is gone,
        nobody knows that it was."""
        if not led.is_gone:
            self._dead_letters.write(led, change.letters)

    def _write(
        self,
        led: LedSharePartition,
        core: SharePartition,
        batches: tuple[StateBatch, ...],
        done: Callable[[ShareStateResult], None],
    ) -> None:
        key = led.key
        self._persister.write(
            key.group_id, key.topic_id, key.partition, core.state(batches), led.leader_epoch, done
        )

    def archive_letters(self, led: LedSharePartition, letters: Sequence[DeadLetter]) -> None:
        """Dead letters of a share partition were written, or given up."""
        core = led.core
        assert core is not None, "it was loaded before it had letters"
        current = self._led.get(led.key)
        if current is not None and current is not led and current.core is not None:
            # It was loaded anew, and is told of the letters, too. This one has an old start offset.
            return
        batches = core.archive_letters(letters)
        if not batches:
            return

        def written(result: ShareStateResult) -> None:
            # If it could not be persisted, the next leader writes the letters again.
            core.move_start()
            led.wake()

        self._write(led, core, batches, written)

    def watch_locks(self, led: LedSharePartition) -> None:
        """Locks were taken: see that they expire."""
        assert led.core is not None, "only then members have records"
        at_ms = led.core.locks.next_deadline_ms()
        if at_ms is not None and (led.expires_at_ms is None or at_ms < led.expires_at_ms):
            led.expires_at_ms = at_ms
            self._call_at(at_ms, partial(self._expire, led))

    def _expire(self, led: LedSharePartition) -> None:
        led.expires_at_ms = None
        core = self.core_of(led)
        if led.is_gone or core is None:
            return
        batches = expire(core, self._clock.now_ms())
        led.lock_timeouts += sum(each.last_offset - each.first_offset + 1 for each in batches)
        if batches:

            def written(result: ShareStateResult) -> None:
                # It holds even if it could not be persisted; the next change may persist it.
                core.move_start()
                self._dead_letters.write(led, spent_letters(batches))
                led.wake()

            self._write(led, core, batches, written)
            led.wake()
        self.watch_locks(led)


def _translated(result: ShareStateResult) -> ShareError:
    code = _PERSISTER_ERRORS.get(result.code, ErrorCode.UNKNOWN_SERVER_ERROR)
    return ShareError(code, result.message)
