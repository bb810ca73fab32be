"""A replica as leader and follower: high watermark, ISR, acknowledgements, truncation.

Tests: `core.replicas.followers`.
"""

from __future__ import annotations

from functools import partial

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import BatchHeader
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.core.log_state.transactions import EndTransactionMarker
from kafkaproto_server.core.replicas.partition import Partition, PartitionError, Role
from kafkaproto_server.metadata.image.entries import PartitionImage

LAG_MS = 1_000
DIRECTORIES = (b"1" * 16, b"2" * 16, b"3" * 16)
TRANSACTIONAL, CONTROL = 0x10, 0x20
"""Attributes of a batch."""


class Brokers:
    """Brokers that are eligible unless a test says otherwise."""

    def __init__(self) -> None:
        self.ineligible: set[int] = set()
        self.dead: set[int] = set()
        self.offline: set[bytes] = set()
        """Directories that have failed."""

    def is_eligible(self, broker_id: int, broker_epoch: int, directory_id: bytes) -> bool:
        return broker_id not in self.ineligible and directory_id not in self.offline

    def is_alive(self, broker_id: int) -> bool:
        return broker_id not in self.dead


class Replica:
    """Broker 1's replica of a partition of brokers 1 to 3, and a clock."""

    def __init__(self, *, log_end: int = 0) -> None:
        self.now_ms = 0
        self.brokers = Brokers()
        self.asked: list[tuple[int, ...]] = []
        self.partition = Partition(
            topic="topic",
            topic_id=bytes(range(16)),
            index=0,
            broker_id=1,
            brokers=self.brokers,
            ask_for_isr=self._ask,
            max_lag_ms=LAG_MS,
        )
        self.partition.opened(
            log_start_offset=0,
            log_end_offset=log_end,
            epochs=LeaderEpochs([(1, 0)] if log_end else []),
            producers=ProducerStates(),
            aborted=[],
            high_watermark=0,
        )

    def _ask(self, partition: Partition) -> None:
        change = partition.isr_change
        assert change is not None
        self.asked.append(change.isr)

    def see(
        self, *, leader: int = 1, epoch: int = 2, partition_epoch: int = 2, isr: tuple[int, ...] = (1, 2, 3)
    ) -> bool:
        image = PartitionImage(
            replicas=(1, 2, 3),
            directories=DIRECTORIES,
            isr=isr,
            leader=leader,
            leader_epoch=epoch,
            partition_epoch=partition_epoch,
        )
        return self.partition.apply(image, now_ms=self.now_ms)

    def append(self, count: int = 1, *, needs_all: bool = False) -> int:
        """Take offsets for a batch, and write it."""
        header = BatchHeader(0, 0, -1, 2, 0, 0, count - 1, 0, 0, -1, -1, -1, count)
        self.partition.check_writable(needs_all=needs_all)
        base = self.partition.take_offsets(header)
        self.partition.appended(base + count, now_ms=self.now_ms)
        return base

    def fetch(self, broker_id: int, offset: int) -> None:
        self.partition.follower_fetched(broker_id, offset, 0, 5, now_ms=self.now_ms)


class Acknowledged:
    """What the producers were told."""

    def __init__(self) -> None:
        self.codes: list[ErrorCode] = []

    def __call__(self, code: ErrorCode) -> None:
        self.codes.append(code)


def test_a_replica_whose_directory_has_failed_is_not_asked_for_again() -> None:
    replica = Replica()
    replica.see()
    replica.append(3)
    replica.fetch(2, 3)
    replica.fetch(3, 3)
    # Broker 2 has all records. The controllers hear that its directory has failed, and take it out of the ISR.
    replica.brokers.offline.add(DIRECTORIES[1])
    replica.see(partition_epoch=3, isr=(1, 3))
    replica.partition.maybe_expand_isr()
    assert replica.asked == []
    # The high watermark does not wait for it either.
    replica.append(2)
    replica.fetch(3, 5)
    assert replica.partition.high_watermark == 5
    replica.brokers.offline.clear()
    replica.fetch(2, 5)
    assert replica.asked == [(1, 3, 2)]


def test_the_high_watermark_is_what_all_in_sync_have() -> None:
    replica = Replica()
    replica.see()
    partition = replica.partition
    told = Acknowledged()
    replica.append(3)
    partition.when_replicated(3, told)
    replica.fetch(2, 3)
    assert (partition.high_watermark, told.codes) == (0, [])
    replica.fetch(3, 2)
    assert (partition.high_watermark, told.codes) == (2, [])
    replica.fetch(3, 3)
    assert (partition.high_watermark, told.codes) == (3, [ErrorCode.NONE])


def _note(told: list[str], name: str, code: ErrorCode) -> None:
    assert code is ErrorCode.NONE
    told.append(name)


def test_a_batch_that_is_sent_again_does_not_wait_for_later_ones() -> None:
    replica = Replica()
    replica.see()
    told: list[str] = []
    for end_offset, name in ((3, "first"), (6, "second"), (3, "first again"), (1, "oldest again")):
        replica.partition.when_replicated(end_offset, partial(_note, told, name))
    replica.append(6)
    replica.fetch(3, 6)
    replica.fetch(2, 1)
    assert told == ["oldest again"]
    replica.fetch(2, 4)
    assert told == ["oldest again", "first", "first again"]
    replica.fetch(2, 6)
    assert told[3:] == ["second"]


def test_a_leader_alone_needs_nobody() -> None:
    replica = Replica()
    replica.see(isr=(1,))
    # They are caught up as long as nothing shows the contrary, and nobody knows whether they have anything.
    replica.now_ms = LAG_MS + 1
    replica.append(2)
    assert replica.partition.high_watermark == 2


def test_the_high_watermark_rests_while_too_few_are_in_sync() -> None:
    replica = Replica()
    partition = replica.partition
    partition.min_insync_replicas = 2
    replica.see(isr=(1, 2))
    replica.now_ms = LAG_MS + 1
    replica.append()
    told = Acknowledged()
    partition.when_replicated(1, told)
    replica.see(isr=(1,), partition_epoch=3)
    replica.fetch(2, 1)
    assert partition.high_watermark == 0
    with pytest.raises(PartitionError) as refused:
        replica.append(needs_all=True)
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert replica.append() == 1
    replica.see(isr=(1, 2), partition_epoch=4)
    replica.fetch(2, 2)
    assert (partition.high_watermark, told.codes) == (2, [ErrorCode.NONE])


def test_more_replicas_than_there_are_cannot_be_required() -> None:
    replica = Replica()
    replica.partition.min_insync_replicas = 9
    replica.see()
    assert replica.partition.required_isr_size == 3


def test_a_follower_that_is_being_added_counts_at_once() -> None:
    replica = Replica()
    replica.see(isr=(1, 2))
    replica.now_ms = LAG_MS + 1
    partition = replica.partition
    replica.append(2)
    replica.fetch(2, 2)
    assert partition.high_watermark == 2
    replica.fetch(3, 2)
    assert replica.asked == [(1, 2, 3)]
    # From now on broker 3 may be in the ISR, so nothing is committed without it.
    replica.append()
    replica.fetch(2, 3)
    assert partition.high_watermark == 2
    change = partition.isr_change
    assert change is not None
    assert change.broker_epochs == (-1, 5, 5)
    partition.isr_refused(change, is_final=False)
    replica.brokers.ineligible = {3}
    replica.fetch(2, 3)
    assert partition.high_watermark == 3


def test_who_is_not_caught_up_or_not_eligible_is_not_added() -> None:
    replica = Replica()
    replica.see(isr=(1, 2))
    replica.now_ms = LAG_MS + 1
    replica.append(2)
    replica.fetch(2, 2)
    replica.fetch(3, 1)
    assert replica.asked == []
    replica.brokers.ineligible = {3}
    replica.fetch(3, 2)
    assert replica.asked == []
    replica.brokers.ineligible = set()
    replica.fetch(3, 2)
    assert replica.asked == [(1, 2, 3)]


def test_a_new_leader_adds_nobody_who_lacks_the_start_of_its_epoch() -> None:
    replica = Replica(log_end=5)
    replica.see(isr=(1,))
    assert replica.partition.leader_epoch_start == 5
    # The high watermark that it knows may be old.
    replica.partition.high_watermark = 2
    replica.fetch(2, 4)
    assert replica.asked == []
    replica.fetch(2, 5)
    assert replica.asked == [(1, 2)]


def test_who_lags_for_long_leaves_the_isr() -> None:
    replica = Replica()
    replica.see()
    partition = replica.partition
    replica.append()
    replica.fetch(2, 1)
    replica.now_ms = LAG_MS
    partition.maybe_shrink_isr(replica.now_ms)
    assert replica.asked == []
    replica.now_ms = LAG_MS + 1
    partition.maybe_shrink_isr(replica.now_ms)
    assert replica.asked == [(1, 2)]
    # One change at a time, and the old ISR counts until the new one is known to hold.
    partition.maybe_shrink_isr(replica.now_ms)
    assert len(replica.asked) == 1
    assert partition.high_watermark == 0
    change = partition.isr_change
    assert change is not None
    partition.isr_accepted(change, isr=(1, 2), partition_epoch=3, now_ms=replica.now_ms)
    assert (partition.isr, partition.high_watermark) == ((1, 2), 1)


def test_nobody_leaves_because_nothing_happened_for_a_long_time() -> None:
    replica = Replica()
    replica.see()
    partition = replica.partition
    for broker_id in (2, 3):
        replica.fetch(broker_id, 0)
    replica.now_ms = 600_000
    replica.append()
    partition.maybe_shrink_isr(replica.now_ms)
    assert replica.asked == []
    replica.now_ms += LAG_MS + 1
    replica.fetch(2, 1)
    partition.maybe_shrink_isr(replica.now_ms)
    assert replica.asked == [(1, 2)]


def test_a_follower_that_had_all_at_its_last_fetch_was_caught_up_then() -> None:
    replica = Replica()
    replica.see()
    replica.append(4)
    replica.fetch(2, 0)
    replica.fetch(3, 4)
    replica.now_ms = 800
    replica.append(4)
    replica.fetch(3, 8)
    # It asks for what was the end when it fetched at 0 ms.
    replica.fetch(2, 4)
    replica.now_ms = LAG_MS
    replica.append()
    replica.fetch(3, 9)
    replica.partition.maybe_shrink_isr(replica.now_ms)
    assert replica.asked == []
    replica.now_ms = LAG_MS + 1
    replica.partition.maybe_shrink_isr(replica.now_ms)
    assert replica.asked == [(1, 3)]


def test_a_response_to_an_older_change_is_ignored() -> None:
    replica = Replica()
    replica.see(isr=(1, 2))
    replica.now_ms = LAG_MS + 1
    partition = replica.partition
    replica.fetch(3, 0)
    change = partition.isr_change
    assert change is not None
    replica.see(isr=(1,), partition_epoch=7)
    assert partition.isr_change is None
    partition.isr_accepted(change, isr=(1, 2, 3), partition_epoch=8, now_ms=replica.now_ms)
    assert (partition.isr, partition.partition_epoch) == ((1,), 7)


def test_a_state_that_is_known_already_does_not_end_the_next_change() -> None:
    """The metadata shows the first change once its response is known, and the second one is under way."""
    replica = Replica()
    partition = replica.partition
    replica.see(isr=(1,))
    replica.append(2)
    replica.fetch(2, 2)
    change = partition.isr_change
    assert change is not None
    partition.isr_accepted(change, isr=(1, 2), partition_epoch=3, now_ms=0)
    replica.fetch(3, 2)
    second = partition.isr_change
    assert second is not None
    replica.see(isr=(1, 2), partition_epoch=3)
    assert partition.isr_change is second
    # The controller may have added 3: what it lacks is not replicated.
    replica.append()
    replica.now_ms += LAG_MS + 1
    replica.fetch(2, 3)
    assert partition.high_watermark == 2
    replica.see(isr=(1, 2), partition_epoch=4)
    assert partition.isr_change is None


def test_a_response_of_an_older_state_than_is_known_leaves_the_change_open() -> None:
    replica = Replica()
    partition = replica.partition
    replica.see(isr=(1, 2), partition_epoch=7)
    replica.fetch(3, 0)
    change = partition.isr_change
    assert change is not None
    partition.isr_accepted(change, isr=(1,), partition_epoch=6, now_ms=0)
    assert (partition.isr, partition.partition_epoch) == ((1, 2), 7)
    assert partition.maximal_isr == (1, 2, 3)


def test_a_refusal_that_only_the_metadata_explains_leaves_both_open() -> None:
    replica = Replica()
    replica.see(isr=(1, 2))
    replica.now_ms = LAG_MS + 1
    partition = replica.partition
    replica.fetch(3, 0)
    change = partition.isr_change
    assert change is not None
    partition.isr_refused(change, is_final=True)
    assert partition.maximal_isr == (1, 2, 3)


def test_an_older_state_of_the_metadata_changes_nothing() -> None:
    replica = Replica()
    assert replica.see(partition_epoch=5)
    assert not replica.see(leader=2, epoch=1, partition_epoch=4)
    assert replica.partition.role is Role.LEADER


def test_who_waits_hears_that_the_leader_has_changed() -> None:
    replica = Replica()
    replica.see()
    partition = replica.partition
    told = Acknowledged()
    replica.append()
    partition.when_replicated(1, told)
    replica.see(leader=2, epoch=3, partition_epoch=3)
    assert told.codes == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    partition.when_replicated(1, told)
    assert told.codes == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2
    assert partition.role is Role.FOLLOWER


def test_what_is_replicated_to_fewer_than_required_is_said_so() -> None:
    replica = Replica()
    partition = replica.partition
    replica.see(isr=(1, 2))
    replica.now_ms = LAG_MS + 1
    told = Acknowledged()
    replica.append()
    replica.fetch(2, 1)
    partition.min_insync_replicas = 3
    partition.when_replicated(1, told)
    assert told.codes == [ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND]


@pytest.mark.parametrize(
    ("epoch", "code"),
    [(1, ErrorCode.FENCED_LEADER_EPOCH), (3, ErrorCode.UNKNOWN_LEADER_EPOCH), (2, None), (-1, None)],
)
def test_epochs_are_fenced_both_ways(epoch: int, code: ErrorCode | None) -> None:
    replica = Replica()
    replica.see()
    for check in (replica.partition.check_leader, replica.partition.check_readable):
        if code is None:
            check(epoch)
        else:
            with pytest.raises(PartitionError) as refused:
                check(epoch)
            assert refused.value.code is code


def test_a_replica_serves_according_to_its_role() -> None:
    replica = Replica()
    partition = replica.partition
    with pytest.raises(PartitionError, match="NOT_LEADER_OR_FOLLOWER"):
        partition.check_readable()
    replica.see(leader=2)
    partition.check_readable()
    with pytest.raises(PartitionError, match="NOT_LEADER_OR_FOLLOWER"):
        partition.check_leader()
    partition.failed()
    for check in (partition.check_readable, partition.check_leader):
        with pytest.raises(PartitionError, match="KAFKA_STORAGE_ERROR"):
            check()
    # Nothing in the metadata brings the disk back.
    assert not replica.see(leader=1, epoch=9, partition_epoch=9)


def test_who_waits_for_a_deletion_at_a_follower_hears_that_it_does_not_lead() -> None:
    replica = Replica()
    replica.see(leader=2)
    told: list[tuple[ErrorCode, int]] = []
    replica.partition.when_deleted(0, lambda code, low_watermark: told.append((code, low_watermark)))
    assert told == [(ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)]


def test_a_replica_whose_log_works_keeps_its_role_when_it_is_said_to_work_again() -> None:
    replica = Replica()
    replica.see()
    replica.partition.works_again()
    before = replica.partition.role
    replica.partition.failed()
    replica.partition.works_again()
    assert (before, replica.partition.role) == (Role.LEADER, Role.NONE)


def test_who_claims_to_follow_and_does_not_moves_nothing() -> None:
    replica = Replica()
    replica.see()
    replica.append()
    for broker_id in (2, 3):
        replica.fetch(broker_id, 0)
    replica.fetch(7, 1)
    assert replica.partition.high_watermark == 0
    assert 7 not in replica.partition.followers


def test_a_follower_shows_no_more_than_it_has() -> None:
    replica = Replica(log_end=5)
    replica.see(leader=2)
    partition = replica.partition
    partition.leader_said(9)
    assert partition.high_watermark == 5
    partition.leader_said(3)
    assert partition.high_watermark == 5


def test_a_log_start_beyond_the_high_watermark_moves_it_and_forgets_the_aborted_transactions_before() -> None:
    replica = Replica(log_end=9)
    replica.see(leader=2)
    partition = replica.partition
    before, after = (
        AbortedTransaction(producer_id=7, first_offset=first, last_offset=last, last_stable_offset=first)
        for first, last in ((0, 2), (3, 6))
    )
    partition.aborted = [before, after]
    partition.log_start_moved(5, now_ms=0)
    assert partition.high_watermark == 5
    assert partition.aborted == [after]


def test_a_transaction_that_began_before_the_log_start_is_readable_up_to_there() -> None:
    producers = ProducerStates()
    producers.update(BatchHeader(0, 0, 1, 2, 0, TRANSACTIONAL, 0, 0, 0, 7, 0, 0, 1))
    partition = Replica().partition
    partition.opened(
        log_start_offset=3,
        log_end_offset=5,
        epochs=LeaderEpochs([(1, 3)]),
        producers=producers,
        aborted=[],
        high_watermark=5,
    )
    assert partition.last_stable_offset == 3


def with_ended_transaction() -> ProducerStates:
    """As recovery finds them in a log of a record in a transaction, at 0, and of the marker that commits it, at 1."""
    producers = ProducerStates()
    record = BatchHeader(0, 0, 1, 2, 0, TRANSACTIONAL, 0, 0, 0, 7, 0, 0, 1)
    marker = record._replace(base_offset=1, attributes=TRANSACTIONAL | CONTROL, base_sequence=-1)
    producers.update(record)
    producers.update(marker, EndTransactionMarker(is_abort=False, coordinator_epoch=0))
    return producers


@pytest.mark.parametrize(("high_watermark", "stable"), [(2, 2), (1, 0), (0, 0)])
def test_a_transaction_is_stable_if_the_checkpointed_high_watermark_is_behind_its_marker(
    high_watermark: int, stable: int
) -> None:
    partition = Replica().partition
    partition.opened(
        log_start_offset=0,
        log_end_offset=2,
        epochs=LeaderEpochs([(1, 0)]),
        producers=with_ended_transaction(),
        aborted=[],
        high_watermark=high_watermark,
    )
    assert partition.last_stable_offset == stable


@pytest.mark.parametrize(
    ("leader_end", "expected"),
    [
        # The same epoch: where the shorter of the two ends.
        (OffsetAndEpoch(epoch=3, offset=15), 15),
        (OffsetAndEpoch(epoch=3, offset=99), 20),
        # The leader never had epoch 3: it goes, and the next fetch asks about epoch 2.
        (OffsetAndEpoch(epoch=2, offset=8), 8),
        (OffsetAndEpoch(epoch=2, offset=12), 10),
        # Older than all here.
        (OffsetAndEpoch(epoch=0, offset=0), 0),
        # Newer than all here.
        (OffsetAndEpoch(epoch=7, offset=18), 18),
        (OffsetAndEpoch(epoch=7, offset=99), 20),
    ],
)
def test_a_follower_cuts_its_log_where_it_leaves_the_leaders(
    leader_end: OffsetAndEpoch, expected: int
) -> None:
    replica = Replica(log_end=20)
    replica.partition.epochs = LeaderEpochs([(1, 0), (2, 5), (3, 10)])
    assert replica.partition.truncation_point(leader_end) == expected


@pytest.mark.parametrize(
    ("start_of_epoch_4", "expected"),
    [
        (5, 5),
        # As leader it began epoch 4 behind records that were never written.
        (25, 20),
    ],
)
def test_a_follower_without_the_leaders_epoch_cuts_its_log_where_its_own_older_epoch_ends(
    start_of_epoch_4: int, expected: int
) -> None:
    replica = Replica(log_end=20)
    replica.partition.epochs = LeaderEpochs([(1, 0), (4, start_of_epoch_4)])
    assert replica.partition.truncation_point(OffsetAndEpoch(epoch=2, offset=99)) == expected


def test_whoever_watches_hears_of_changes() -> None:
    class Watcher:
        calls = 0

        def partition_changed(self, partition: Partition) -> None:
            self.calls += 1
            # One that stops watching while it is called.
            partition.watchers.pop(self, None)

    replica = Replica()
    partition = replica.partition
    watcher = Watcher()

    def watch() -> None:
        partition.watchers[watcher] = None

    watch()
    replica.see()
    assert watcher.calls == 1
    watch()
    replica.append()
    assert watcher.calls == 2
    watch()
    replica.fetch(2, 1)
    assert watcher.calls == 2
    replica.fetch(3, 1)
    assert watcher.calls == 3
    watch()
    partition.log_start_moved(1, now_ms=0)
    assert watcher.calls == 4
    assert (partition.log_start_offset, partition.high_watermark) == (1, 1)
    partition.log_start_moved(0, now_ms=0)
    assert partition.log_start_offset == 1


def test_a_watcher_that_ended_its_wait_hears_no_more_of_the_change_before() -> None:
    class Watcher:
        def __init__(self, *, reads: bool) -> None:
            self.reads = reads
            self.calls = 0

        def partition_changed(self, partition: Partition) -> None:
            self.calls += 1
            partition.watchers.pop(self, None)
            if self.reads:
                # The read of a waiting Fetch fails, and that is a change of its own.
                partition.failed()

    replica = Replica()
    first, second = Watcher(reads=True), Watcher(reads=False)
    replica.partition.watchers.update({first: None, second: None})
    replica.see()
    assert (first.calls, second.calls) == (1, 1)


def test_who_was_not_eligible_when_it_fetched_is_added_without_another_fetch() -> None:
    replica = Replica()
    replica.see(isr=(1, 2))
    replica.fetch(2, 0)
    replica.brokers.ineligible = {3}
    replica.fetch(3, 0)
    replica.partition.maybe_expand_isr()
    assert replica.asked == []
    replica.brokers.ineligible = set()
    replica.partition.maybe_expand_isr()
    assert replica.asked == [(1, 2, 3)]
    # One change at a time.
    replica.partition.maybe_expand_isr()
    assert replica.asked == [(1, 2, 3)]
