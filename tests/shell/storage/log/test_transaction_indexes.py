"""Transaction indexes and producers' states after crashes: they say what the batches say.

Tests: `shell.storage.log.transaction_index_files`, `shell.storage.log.unsynced`.
"""

from __future__ import annotations

import random

import pytest

from kafkaproto.messages import EndTxnMarker
from kafkaproto.producer_snapshot import encode_producer_snapshot
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch, iterate_batches
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.transaction_index import ENTRY_SIZE, AbortedTransaction
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.core.log_state.transactions import EndTransactionMarker
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.transaction_index_files import (
    IndexFile,
    append_aborted,
    cut_aborted,
    read_indexes,
)
from kafkaproto_server.shell.storage.log.unsynced import make_durable
from tests.shell.storage.log.test_topic_log import LOG, NO_LIMIT, disk, open_log
from tests.shell.storage.support.helpers import FixedRng, SeededRng
from tests.sim.disk import MemoryDisk

INDEX = f"{LOG}/{0:020}.txnindex"


class Leader:
    """Writes a log as a leader does, with the states of the producers."""

    def __init__(self, store: MemoryDisk, log: TopicLog, producers: ProducerStates | None = None) -> None:
        self.store = store
        self.log = log
        self.producers = producers or ProducerStates()

    def append(self, data: bytes, marker: EndTransactionMarker | None = None) -> bool:
        """Returns whether a segment was begun, whose state is written then."""
        aborted = self.producers.take(RecordBatchView(data).header(), marker, 0)
        has_rolled = self.log.append([data], [aborted] if aborted else [])
        if has_rolled:
            self.write_state()
        return has_rolled

    def write_state(self) -> None:
        states = encode_producer_snapshot(self.producers.snapshot_entries())
        self.log.write_producers(states, self.producers.map_end_offset)

    def write(self, producer_id: int = -1, size: int = 10, sequence: int = -1) -> bool:
        """A batch: of a transaction if there is a producer but no sequence."""
        is_transactional = producer_id >= 0 and sequence < 0
        return self.append(
            build_batch(
                [NewRecord(None, bytes(size))],
                base_offset=self.log.log.log_end_offset,
                timestamp_ms=1,
                transactional=is_transactional,
                producer_id=producer_id,
                producer_epoch=0 if producer_id >= 0 else -1,
                base_sequence=0 if is_transactional else sequence,
            )
        )

    def abort(self, producer_id: int) -> bool:
        key, value = encode_control_record(ControlRecordType.ABORT, EndTxnMarker(coordinator_epoch=0))
        data = build_batch(
            [NewRecord(key, value)],
            base_offset=self.log.log.log_end_offset,
            timestamp_ms=1,
            control=True,
            transactional=True,
            producer_id=producer_id,
            producer_epoch=0,
        )
        return self.append(data, EndTransactionMarker(is_abort=True, coordinator_epoch=0))

    def abort_one(self, producer_id: int, size: int = 10) -> bool:
        """A whole transaction."""
        return self.write(producer_id, size) | self.abort(producer_id)

    def sync(self, *, with_active: bool) -> None:
        unsynced = self.log.unsynced(with_active=with_active)
        if unsynced is not None:
            make_durable(self.store, unsynced)
            self.log.was_synced(unsynced)

    def close(self) -> None:
        self.log.log.close(encode_producer_snapshot(self.producers.snapshot_entries()))


def markers(log: TopicLog) -> list[int]:
    """The offsets of all markers in a log."""
    return [
        view.base_offset
        for segment in log.log.segments
        if segment.size
        for view in iterate_batches(
            segment.read_records(segment.base_offset, 1 << 20, NO_LIMIT, whole_first=True)
        )
        if view.header().is_control
    ]


def ends(aborted: list[AbortedTransaction]) -> list[int]:
    return [each.last_offset for each in aborted]


@pytest.mark.parametrize("seed", range(60))
def test_after_any_power_loss_the_aborted_transactions_are_those_of_the_markers(seed: int) -> None:
    chance = random.Random(seed)
    store = disk()
    leader = Leader(store, open_log(store))
    recovery_point = 0
    for life in range(4):
        for number in range(chance.randrange(1, 6)):
            has_rolled = leader.abort_one(100 * life + number, chance.randrange(300))
            if chance.random() < (0.5 if has_rolled else 0.1):
                leader.sync(with_active=not has_rolled)
        if chance.random() < 0.5:
            store.sync_directory(LOG)
        is_clean = chance.random() < 0.3
        recovery_point = leader.log.log.recovery_point
        if is_clean:
            leader.close()
            store.sync_file_system("/")
        else:
            store.crash(SeededRng(1000 * seed + life))
        log = open_log(store, recovery_point=recovery_point, is_clean=is_clean)
        found = log.found(0)
        assert ends(found.aborted) == markers(log)
        leader = Leader(store, log, found.producers)


def test_a_state_behind_the_marker_does_not_hide_an_aborted_transaction() -> None:
    """The index of a segment is the last of its files to be synced, after the states of producers."""
    store = disk()
    leader = Leader(store, open_log(store))
    leader.abort_one(7)
    while not leader.write(size=200):
        pass
    leader.log.log.abandon()
    store.remove(INDEX)
    assert ends(open_log(store).found(0).aborted) == [1]


def test_an_entry_whose_marker_a_crash_took_is_not_there_for_what_comes_in_its_place() -> None:
    store = disk()
    leader = Leader(store, open_log(store))
    leader.abort_one(7)
    (segment,) = leader.log.log.segments
    size = segment.size
    leader.abort_one(8)
    leader.log.log.abandon()
    file = store.open(segment.path)
    file.truncate(size)
    file.close()
    log = open_log(store)
    found = log.found(0)
    assert (found.log_end_offset, ends(found.aborted)) == (2, [1])
    leader = Leader(store, log, found.producers)
    for _ in range(4):
        leader.write()
    leader.close()
    assert ends(open_log(store, is_clean=True).found(0).aborted) == [1]


@pytest.mark.parametrize("is_known", [True, False], ids=["durable", ""])
def test_an_index_that_is_damaged_follows_from_the_batches(*, is_known: bool) -> None:
    store = disk()
    leader = Leader(store, open_log(store))
    for producer_id in (7, 8, 9):
        leader.abort_one(producer_id)
    recovery_point = leader.log.log.flush() if is_known else 0
    leader.log.log.abandon()
    file = store.open(INDEX)
    file.truncate(2 * ENTRY_SIZE + 5)
    file.close()
    log = open_log(store, recovery_point=recovery_point)
    found = log.found(0)
    assert ends(found.aborted) == [1, 3, 5]
    leader = Leader(store, log, found.producers)
    leader.abort_one(10)
    leader.close()
    assert ends(open_log(store, is_clean=True).found(0).aborted) == [1, 3, 5, 7]


def test_an_index_that_a_failed_sync_left_is_durable_once_the_next_process_has_synced_it() -> None:
    store = disk()
    leader = Leader(store, open_log(store))
    leader.abort_one(7)
    store.fail("sync", ".txnindex")
    with pytest.raises(OSError, match="sync failed"):
        leader.log.log.flush()
    leader.log.log.abandon()
    log = open_log(store)
    log.found(0)
    recovery_point = log.log.flush()
    store.crash(FixedRng(0))
    assert ends(open_log(store, recovery_point=recovery_point).found(0).aborted) == [1]


def test_a_state_that_a_cut_removed_does_not_come_back_for_other_records() -> None:
    """Its removal is not durable before the recovery point passes it."""
    store = disk()
    leader = Leader(store, open_log(store))
    for sequence in range(4):
        leader.write(7, sequence=sequence)
    leader.close()
    store.sync_file_system("/")
    log = open_log(store, is_clean=True)
    log.found(0)
    found = log.truncate_to(2, 0)
    recovery_point = log.log.recovery_point
    leader = Leader(store, log, found.producers)
    for sequence in range(4):
        leader.write(8, sequence=sequence)
    file = store.open(log.log.segments[-1].path)
    file.sync()
    file.close()
    store.crash(FixedRng(0))
    assert f"{4:020}.snapshot" in store.list_directory(LOG)
    found = open_log(store, recovery_point=recovery_point).found(0)
    assert [(each.producer_id, each.last_sequence) for each in found.producers.active()] == [(7, 1), (8, 3)]


def test_a_cut_takes_the_entries_behind_it_and_the_indexes_of_segments_that_are_gone() -> None:
    store = disk()
    store.make_directory(LOG)
    early, late, latest = (AbortedTransaction(7, last - 1, last, last + 1) for last in (1, 6, 11))
    append_aborted(store, LOG, 0, [early, late])
    append_aborted(store, LOG, 10, [latest])
    assert cut_aborted(store, LOG, (0,), 6) == [f"{LOG}/{10:020}.txnindex.deleted"]
    indexes = read_indexes(store, LOG, store.list_directory(LOG))
    assert indexes == {0: IndexFile([early], is_whole=True)}
