"""Logs of topics: offsets may be missing, producers have states, and a crash of the machine may cut them anywhere.

Tests: `shell.storage.errors`, `shell.storage.log.topic_state`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.messages import EndTxnMarker
from kafkaproto.producer_snapshot import encode_producer_snapshot
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch, iterate_batches
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.records.crc32c import crc32c
from kafkaproto.records.times import record_times
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.file_part import as_buffers
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.shell.storage.errors import CorruptFileError, OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.batch_walk import BatchPlace, Read, find, walk
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.timestamp_search import TimestampedOffset
from kafkaproto_server.shell.storage.log.topic_log import TopicLog, read_topic_id
from kafkaproto_server.shell.storage.log.unsynced import make_durable
from tests.shell.storage.support.helpers import FixedRng, SeededRng
from tests.sim.disk import MemoryDisk

LOG = "/data/topic-0"
TOPIC_ID = bytes(range(16))
NO_LIMIT = 1 << 62
SMALL = LogConfig(
    segment_bytes=700,
    segment_ms=5_000,
    index_interval_bytes=100,
    segment_index_bytes=1024,
    has_gaps=True,
    is_durable_at_once=False,
)


@dataclass(frozen=True)
class Made:
    """One batch, and how many offsets are missing before it."""

    count: int
    gap: int
    later_epoch: bool
    timestamp: int
    value_bytes: int
    producer_id: int


MADE = st.builds(
    Made,
    count=st.integers(1, 4),
    gap=st.sampled_from([0, 0, 0, 1, 5]),
    later_epoch=st.booleans(),
    timestamp=st.integers(0, 10_000),
    value_bytes=st.integers(0, 60),
    producer_id=st.sampled_from([-1, -1, 7, 8]),
)


def disk() -> MemoryDisk:
    made = MemoryDisk()
    made.make_directory("/data")
    made.sync_directory("/")
    return made


def open_log(
    disk: MemoryDisk, *, recovery_point: int = 0, log_start_offset: int = 0, is_clean: bool = False
) -> TopicLog:
    return TopicLog.open(
        disk,
        LOG,
        topic_id=TOPIC_ID,
        config=SMALL,
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
        is_clean=is_clean,
        producer_expiration_ms=NO_LIMIT,
    )


def batches(made: list[Made]) -> list[bytes]:
    """The batches in order. Each producer counts its sequence numbers."""
    offset, epoch, result = 0, 0, []
    sequences: dict[int, int] = {}
    for each in made:
        offset += each.gap
        epoch += each.later_epoch
        sequence = sequences.get(each.producer_id, 0) if each.producer_id >= 0 else -1
        records = [
            NewRecord(None, b"v" * each.value_bytes, (), each.timestamp + number)
            for number in range(each.count)
        ]
        result.append(
            build_batch(
                records,
                base_offset=offset,
                partition_leader_epoch=epoch,
                timestamp_ms=each.timestamp,
                producer_id=each.producer_id,
                producer_epoch=0 if each.producer_id >= 0 else -1,
                base_sequence=sequence,
            )
        )
        sequences[each.producer_id] = sequence + each.count
        offset += each.count
    return result


def filled(made: list[Made]) -> tuple[MemoryDisk, TopicLog, list[RecordBatchView]]:
    store = disk()
    log = open_log(store)
    encoded = batches(made)
    for each in encoded:
        log.append([each])
    return store, log, [RecordBatchView(each) for each in encoded]


def content(log: TopicLog) -> bytes:
    parts = []
    offset = log.log.log_start_offset
    while part := bytes(log.read_records(offset, 1 << 20, NO_LIMIT, whole_first=True)):
        offset = list(iterate_batches(part))[-1].next_offset
        parts.append(part)
    return b"".join(parts)


@given(st.lists(MADE, min_size=1, max_size=25), st.data())
def test_a_read_is_the_batches_from_an_offset_on_up_to_another(made: list[Made], data: st.DataObject) -> None:
    _, log, views = filled(made)
    end = log.log.log_end_offset
    assert end == views[-1].next_offset
    offset = data.draw(st.integers(0, end))
    # As a high watermark, the end of a read is the end of a batch.
    limit = data.draw(st.sampled_from([0, NO_LIMIT, *(view.next_offset for view in views)]))
    max_bytes = data.draw(st.integers(0, 600))
    whole_first = data.draw(st.booleans())
    read = bytes(log.read_records(offset, max_bytes, limit, whole_first=whole_first))
    at_once = log.records_now(
        offset, max_bytes, limit, whole_first=whole_first, copied=data.draw(st.booleans())
    )
    assert [read] == as_buffers([at_once])
    expected = [view for view in views if view.next_offset > offset and view.next_offset <= limit]
    whole = b"".join(bytes(view.raw) for view in expected)
    assert whole.startswith(read)
    if not expected:
        assert read == b""
    elif max_bytes < expected[0].size_in_bytes:
        assert read == (bytes(expected[0].raw) if whole_first else b"")
    else:
        # At least the first batch, at most what was asked for.
        assert expected[0].size_in_bytes <= len(read) <= max_bytes


def test_an_offset_outside_of_the_log_is_refused() -> None:
    _, log, _ = filled([Made(2, 0, False, 0, 10, -1)])
    log.log.move_start_to(1)
    for offset in (0, 3):
        with pytest.raises(OffsetOutOfRangeError):
            log.read_records(offset, 100, NO_LIMIT, whole_first=True)


def test_a_read_that_must_not_wait_gives_up_while_the_log_is_being_cut() -> None:
    _, log, _ = filled([Made(2, 0, False, 0, 10, -1)])
    with log.log.stored.reading, pytest.raises(BlockingIOError):
        log.records_now(0, 100, NO_LIMIT, whole_first=True, copied=True)


def test_a_read_beside_an_append_is_the_batches_that_were_there_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second, third = batches([Made(1, 0, False, 0, 10, -1)] * 3)
    log = open_log(disk())
    log.append([first, second])

    def find_meanwhile(read: Read, path: str, start: int, size: int, offset: int) -> BatchPlace | None:
        if log.log.log_end_offset == 2:
            log.append([third])
        return find(read, path, start, size, offset)

    monkeypatch.setattr("kafkaproto_server.shell.storage.log.batch_walk.find", find_meanwhile)
    assert bytes(log.read_records(0, 1 << 20, 2, whole_first=True)) == first + second


@given(st.lists(MADE, min_size=1, max_size=25), st.integers(0, 10_010), st.data())
def test_a_time_leads_to_the_first_record_from_then_on(
    made: list[Made], timestamp: int, data: st.DataObject
) -> None:
    _, log, views = filled(made)
    start = data.draw(st.integers(0, log.log.log_end_offset))
    log.log.move_start_to(start)
    records = [
        TimestampedOffset(record.offset, record.timestamp, view.partition_leader_epoch)
        for view in views
        for record in view.records()
        if record.offset >= start
    ]
    assert log.find_timestamp(timestamp) == next(
        (each for each in records if each.timestamp >= timestamp), None
    )
    # Segments that lie before the start may still hold later times.
    newest = log.find_max_timestamp()
    if newest is not None and records:
        assert newest in records


def test_a_search_by_time_reads_no_segment_whose_records_are_all_earlier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walked: list[str] = []

    def noted(read: Read, path: str, start: int, end: int) -> Iterator[BatchPlace]:
        walked.append(path)
        return walk(read, path, start, end)

    monkeypatch.setattr("kafkaproto_server.shell.storage.log.batch_walk.walk", noted)
    log = open_log(disk())
    for offset, time_ms in ((0, 100), (1, 300), (2, 200)):
        log.append(
            [build_batch([NewRecord(None, b"v", (), time_ms)], base_offset=offset, timestamp_ms=time_ms)]
        )
        log.log.roll()
    walked.clear()
    assert log.find_timestamp(250) == TimestampedOffset(1, 300, 0)
    assert [path.rpartition("/")[2] for path in walked] == ["00000000000000000001.log"]


def test_a_batch_that_claims_a_later_time_than_its_records_have_is_searched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[int] = []

    def counted(batch: RecordBatchView) -> Iterator[tuple[int, int]]:
        searched.append(batch.base_offset)
        return record_times(batch)

    monkeypatch.setattr("kafkaproto_server.shell.storage.log.timestamp_search.record_times", counted)
    log = open_log(disk())
    log.append([claiming(1_000, base_offset=0, time_ms=1)])
    log.append([claiming(5, base_offset=2, time_ms=5)])
    for _ in range(2):
        assert log.find_timestamp(3) == TimestampedOffset(2, 5, 0)
        assert log.find_timestamp(900) is None
    assert searched == [0, 2, 2]
    assert log.find_timestamp(1) == TimestampedOffset(0, 1, 0)
    # Another batch may lie there then.
    log.truncate_to(0, 0)
    log.append([build_batch([NewRecord(None, b"v", (), 900)], base_offset=0, timestamp_ms=900)])
    assert log.find_timestamp(900) == TimestampedOffset(0, 900, 0)


def test_no_more_batches_are_remembered_for_what_they_claim_than_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[int] = []

    def counted(batch: RecordBatchView) -> Iterator[tuple[int, int]]:
        searched.append(batch.base_offset)
        return record_times(batch)

    monkeypatch.setattr("kafkaproto_server.shell.storage.log.timestamp_search.record_times", counted)
    monkeypatch.setattr("kafkaproto_server.shell.storage.log.timestamp_search.MAX_FALSE_TIMESTAMPS", 1)
    log = open_log(disk())
    for base_offset in (0, 2):
        log.append([claiming(1_000, base_offset=base_offset, time_ms=1)])
    for _ in range(2):
        assert log.find_timestamp(900) is None
    assert searched == [0, 2, 2]


def claiming(claimed_ms: int, *, base_offset: int, time_ms: int) -> bytes:
    """A batch of two records, whose header claims a later time than they have."""
    records = [NewRecord(None, b"v", (), time_ms), NewRecord(None, b"v", (), claimed_ms)]
    both = bytearray(build_batch(records, base_offset=base_offset, timestamp_ms=time_ms))
    honest = build_batch([records[0]] * 2, base_offset=base_offset, timestamp_ms=time_ms)
    # The header of one, and the records of the other.
    return resealed(both[:61] + honest[61:])


def resealed(data: bytearray) -> bytes:
    """A batch with the length and the crc that it should have."""
    data[8:12] = (len(data) - 12).to_bytes(4, "big")
    data[17:21] = crc32c(bytes(data[21:])).to_bytes(4, "big")
    return bytes(data)


@given(st.lists(MADE, min_size=1, max_size=25))
def test_the_largest_time_leads_to_the_first_record_that_has_it(made: list[Made]) -> None:
    _, log, views = filled(made)
    records = [
        TimestampedOffset(record.offset, record.timestamp, view.partition_leader_epoch)
        for view in views
        for record in view.records()
    ]
    largest = max(each.timestamp for each in records)
    assert log.find_max_timestamp() == next(each for each in records if each.timestamp == largest)


@given(st.lists(MADE, min_size=1, max_size=25), st.data())
def test_a_log_that_is_opened_again_is_the_same(made: list[Made], data: st.DataObject) -> None:
    store, log, views = filled(made)
    found = log.found(0)
    how = data.draw(st.sampled_from(["closed", "closed without producers", "killed", "killed after a flush"]))
    recovery_point = 0
    if how == "closed":
        log.close(found.producers)
    elif how == "closed without producers":
        log.close(None)
    else:
        if how == "killed after a flush":
            recovery_point = log.log.flush()
        log.log.abandon()
    again = open_log(store, recovery_point=recovery_point, is_clean=how.startswith("closed"))
    assert again.log.recovery_note is None
    assert content(again) == b"".join(bytes(view.raw) for view in views)
    reopened = again.found(0)
    assert reopened.log_end_offset == found.log_end_offset
    assert reopened.epoch_starts == found.epoch_starts
    assert reopened.producers.snapshot_entries() == found.producers.snapshot_entries()
    assert reopened.producers.map_end_offset == found.producers.map_end_offset == found.log_end_offset


@given(st.lists(MADE, min_size=1, max_size=25), st.integers(0, 60), st.data())
def test_power_loss_leaves_a_beginning_that_holds_what_was_flushed(
    made: list[Made], seed: int, data: st.DataObject
) -> None:
    store = disk()
    log = open_log(store)
    encoded = batches(made)
    flushed_after = data.draw(st.integers(0, len(encoded)))
    recovery_point = 0
    for number, each in enumerate(encoded):
        if number == flushed_after:
            recovery_point = log.log.flush()
        log.append([each])
    store.crash(SeededRng(seed))
    again = open_log(store, recovery_point=recovery_point)
    whole = b"".join(encoded)
    kept = content(again)
    assert whole.startswith(kept)
    if flushed_after < len(encoded):
        assert len(kept) >= sum(map(len, encoded[:flushed_after]))
    # It goes on from there.
    rest = encoded[len(list(iterate_batches(kept))) :]
    for each in rest:
        again.append([each])
    assert content(again) == whole


@given(st.lists(MADE, min_size=1, max_size=25), st.data())
def test_a_cut_log_is_one_that_never_went_further(made: list[Made], data: st.DataObject) -> None:
    store, log, views = filled(made)
    offset = data.draw(st.integers(0, log.log.log_end_offset))
    with_snapshot = data.draw(st.booleans())
    if with_snapshot:
        states = log.found(0).producers
        log.write_producers(encode_producer_snapshot(states.snapshot_entries()), states.map_end_offset)
    cut = log.truncate_to(offset, 0)
    kept = [view for view in views if view.next_offset <= offset]
    expected_disk = disk()
    expected = open_log(expected_disk)
    for view in kept:
        expected.append([bytes(view.raw)])
    assert content(log) == b"".join(bytes(view.raw) for view in kept)
    assert cut.producers.snapshot_entries() == expected.found(0).producers.snapshot_entries()
    gone = views[len(kept) :]
    assert cut.log_end_offset == (min(offset, gone[0].base_offset) if gone else log.log.log_end_offset)
    assert cut.epoch_starts == expected.log.epoch_starts
    # And after a restart.
    log.log.abandon()
    again = open_log(store)
    assert content(again) == content(expected)


def test_damage_above_the_recovery_point_is_cut_with_all_behind_it() -> None:
    store, log, views = filled([Made(1, 0, False, 0, 50, -1)] * 12)
    log.log.abandon()
    first_segment = f"{LOG}/00000000000000000000.log"
    position = views[2].size_in_bytes * 2 + 70
    file = store.open(first_segment)
    byte = file.read_at(position, 1)[0]
    file.write_at(position, bytes([byte ^ 1]))
    file.close()
    again = open_log(store)
    assert again.log.recovery_note is not None
    assert content(again) == b"".join(bytes(view.raw) for view in views[:2])
    assert not [
        name
        for name in store.list_directory(LOG)
        if name.endswith(".log") and name != "00000000000000000000.log"
    ]


@pytest.mark.parametrize("is_clean", [False, True])
def test_batch_whose_offset_fits_in_no_index_is_cut(*, is_clean: bool) -> None:
    store, log, views = filled(
        [Made(1, 0, later_epoch=False, timestamp=5, value_bytes=10, producer_id=-1)] * 2
    )
    log.close(None)
    file = store.open(f"{LOG}/{0:020}.log")
    # The base offset is not under the crc.
    file.write_at(views[0].size_in_bytes, bytes([0x10]))
    file.close()
    again = open_log(store, is_clean=is_clean)
    assert again.log.log_end_offset == views[0].next_offset


def test_control_batch_without_a_marker_is_damage() -> None:
    store = disk()
    log = open_log(store)
    log.append(
        [build_batch([NewRecord(b"", b"")], base_offset=0, timestamp_ms=0, control=True, producer_id=1)]
    )
    with pytest.raises(CorruptFileError, match=f"{LOG}/{0:020}.log"):
        log.found(0)


def test_a_directory_of_another_topic_is_refused() -> None:
    store, log, _ = filled([Made(1, 0, False, 0, 10, -1)])
    log.log.abandon()
    assert read_topic_id(store, LOG) == TOPIC_ID
    with pytest.raises(CorruptFileError, match="another topic's log"):
        TopicLog.open(store, LOG, topic_id=bytes(16), config=SMALL, producer_expiration_ms=NO_LIMIT)
    assert read_topic_id(store, "/data") is None


def test_an_append_says_when_a_segment_began() -> None:
    log = open_log(disk())
    rolls = [log.append([each]) for each in batches([Made(1, 0, False, 0, 50, -1)] * 12)]
    assert rolls.count(True) == len(log.log.segment_bases) - 1 > 0


def test_epochs_without_records_are_known_until_the_next_one_begins_there() -> None:
    store, log, _ = filled([Made(2, 0, True, 0, 10, -1)])
    log.log.begin_epoch(5, 2)
    assert log.log.epoch_starts == ((1, 0), (5, 2))
    log.log.begin_epoch(6, 2)
    assert log.log.epoch_starts == ((1, 0), (6, 2))
    # The next leader begins an epoch of its own: nobody misses this one after a restart.
    log.close(None)
    assert open_log(store, is_clean=True).log.epoch_starts == ((1, 0),)


def test_an_epoch_that_was_led_without_records_gives_way_to_the_batch_that_others_have_there() -> None:
    """As leader of epoch 5 it had no record. The next leader had a batch of epoch 3 at that offset, and sends it. With
    epoch 5 there, this replica would tell its followers later that their logs diverge, again and again."""
    store, log, _ = filled([Made(2, 0, True, 0, 10, -1)])
    log.log.begin_epoch(5, 2)
    record = NewRecord(None, b"v")
    log.append([build_batch([record], base_offset=2, partition_leader_epoch=3, timestamp_ms=1)])
    log.append([build_batch([record], base_offset=3, partition_leader_epoch=6, timestamp_ms=1)])
    epochs = ((1, 0), (3, 2), (6, 3))
    assert log.log.epoch_starts == epochs
    log.close(None)
    assert open_log(store, recovery_point=4, is_clean=True).log.epoch_starts == epochs


# -- aborted transactions --------------------------------------------------------------------------------------------


def with_an_aborted_transaction() -> tuple[MemoryDisk, TopicLog]:
    store = disk()
    log = open_log(store)
    fields: dict[str, Any] = {
        "timestamp_ms": 1,
        "producer_id": 7,
        "producer_epoch": 0,
        "transactional": True,
    }
    record = NewRecord(None, b"v")
    log.append([build_batch([record], base_offset=0, base_sequence=0, **fields)])
    key, value = encode_control_record(ControlRecordType.ABORT, EndTxnMarker(coordinator_epoch=0))
    marker = build_batch([NewRecord(key, value)], base_offset=1, base_sequence=-1, control=True, **fields)
    log.append([marker], [AbortedTransaction(7, 0, 1, 2)])
    return store, log


def test_an_aborted_transaction_whose_entry_a_crash_took_is_found_by_its_marker() -> None:
    store, log = with_an_aborted_transaction()
    log.log.abandon()
    store.remove(f"{LOG}/{0:020}.txnindex")
    again = open_log(store).found(0)
    assert again.aborted == [AbortedTransaction(7, 0, 1, 2)]


def test_an_aborted_transaction_that_compaction_has_dropped_does_not_come_back() -> None:
    """Also if the producers have to be found out by the batches, some of which compaction keeps for their sequences."""
    store, log = with_an_aborted_transaction()
    recovery_point = log.log.flush()
    log.log.abandon()
    store.remove(f"{LOG}/{0:020}.txnindex")
    assert open_log(store, recovery_point=recovery_point).found(0).aborted == []


def test_producers_of_a_long_log_are_found_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.shell.storage.log.topic_state.REPLAY_BYTES", 1)
    store, log, _ = filled([Made(1, 0, False, 0, 10, producer_id) for producer_id in (7, 8, 9)])
    assert log.log.segment_bases == (0,)
    log.log.abandon()
    found = open_log(store).found(0).producers
    assert [each.producer_id for each in found.active()] == [7, 8, 9]
    assert found.map_end_offset == 3


@pytest.mark.parametrize("with_state", [True, False])
def test_producers_whose_records_were_deleted_are_known_after_a_crash(*, with_state: bool) -> None:
    """They may repeat their last batch, as its response may be lost. The log still has it, below its start."""
    store = disk()
    log = open_log(store)
    fields: dict[str, Any] = {"timestamp_ms": 1, "producer_epoch": 0, "base_sequence": 0}
    record = NewRecord(None, b"v")
    log.append([build_batch([record], base_offset=0, producer_id=7, **fields)])
    if with_state:
        entries = log.found(0).producers.snapshot_entries()
        log.write_producers(encode_producer_snapshot(entries), 1)
    log.append([build_batch([record], base_offset=1, producer_id=8, **fields)])
    log.append(
        [build_batch([record], base_offset=2, **{**fields, "base_sequence": -1, "producer_epoch": -1})]
    )
    assert log.move_start_to(2) == 2
    log.log.abandon()
    found = open_log(store, log_start_offset=2).found(0)
    assert [each.producer_id for each in found.producers.active()] == [7, 8]
    assert found.producers.map_end_offset == 3


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("beside", [True, False])
def test_aborted_transactions_below_the_recovery_point_are_durable(*, beside: bool, seed: int) -> None:
    store, log = with_an_aborted_transaction()
    if beside:
        unsynced = log.unsynced(with_active=True)
        assert unsynced is not None
        make_durable(store, unsynced)
        log.was_synced(unsynced)
    else:
        log.log.flush()
    assert log.log.recovery_point == 2
    store.crash(SeededRng(seed))
    assert open_log(store, recovery_point=2).found(0).aborted == [AbortedTransaction(7, 0, 1, 2)]


@pytest.mark.parametrize("beside", [True, False])
def test_what_a_failed_sync_left_is_durable_once_the_next_process_has_synced_it(*, beside: bool) -> None:
    """The system takes it for durable, and the next process reads it from the page cache."""
    store = disk()
    log = open_log(store)
    log.append([build_batch([NewRecord(None, b"v")], base_offset=0, timestamp_ms=1)])
    store.fail("sync", f"{0:020}.log")
    unsynced = log.unsynced(with_active=True)
    assert unsynced is not None
    sync = partial(make_durable, store, unsynced) if beside else log.log.flush
    with pytest.raises(OSError, match="sync failed"):
        sync()
    log.log.abandon()
    again = open_log(store)
    assert again.log.flush() == 1
    store.crash(FixedRng(0))
    assert open_log(store, recovery_point=1).log.log_end_offset == 1


def test_a_log_that_cannot_be_opened_leaves_no_file_open() -> None:
    store = disk()
    log = open_log(store)
    log.append([build_batch([NewRecord(None, b"v")], base_offset=0, timestamp_ms=1)])
    log.close(ProducerStates())
    assert not store.open_files
    store.fail("read", f"{0:020}.log")
    with pytest.raises(OSError, match="read failed"):
        open_log(store, is_clean=True)
    assert not store.open_files


def with_a_cut_between_segments(store: MemoryDisk) -> TopicLog:
    """A log whose first segment was durable up to offset 4, and cut to offset 2, at which the next one begins."""
    log = open_log(store)
    filler = NewRecord(None, bytes(150))
    log.append([build_batch([filler], base_offset=offset, timestamp_ms=1) for offset in range(4)])
    log.log.flush()
    log.truncate_to(2, 0)
    later = NewRecord(None, bytes(400))
    log.append([build_batch([later], base_offset=2, timestamp_ms=1, partition_leader_epoch=1)])
    assert log.log.segment_bases == (0, 2)
    return log


@pytest.mark.parametrize("seed", range(8))
def test_a_cut_at_the_end_of_a_segment_is_durable_below_the_recovery_point(seed: int) -> None:
    store = disk()
    log = with_a_cut_between_segments(store)
    unsynced = log.unsynced(with_active=True)
    assert unsynced is not None
    make_durable(store, unsynced)
    log.was_synced(unsynced)
    assert log.log.recovery_point == 3
    store.crash(SeededRng(seed))
    again = open_log(store, recovery_point=3)
    assert (again.log.segment_bases, again.log.log_end_offset) == ((0, 2), 3)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("offset", [0, 2, 3])
def test_what_was_cut_does_not_come_back_in_a_power_loss(offset: int, seed: int) -> None:
    """The replica would show it below its high watermark before it has asked the leader."""
    store = disk()
    log = open_log(store)
    value = NewRecord(None, bytes(250))
    log.append([build_batch([value], base_offset=each, timestamp_ms=1) for each in range(6)])
    log.log.flush()
    if offset:
        log.truncate_to(offset, 0)
    else:
        log.truncate_fully_to(0, 0)
    log.append(
        [
            build_batch([value], base_offset=each, timestamp_ms=1, partition_leader_epoch=1)
            for each in range(offset, 6)
        ]
    )
    store.crash(SeededRng(seed))
    again = open_log(store, recovery_point=offset)
    for segment in again.log.segments:
        data = segment.read_records(segment.base_offset, 1 << 20, NO_LIMIT, whole_first=True)
        for view in iterate_batches(data):
            assert view.header().partition_leader_epoch == int(view.base_offset >= offset)


@pytest.mark.parametrize("recovery_point", [0, 2])
def test_a_newer_segment_shows_that_the_one_before_it_was_cut(recovery_point: int) -> None:
    """If a crash takes the cut, and leaves the new segment."""
    store = disk()
    log = with_a_cut_between_segments(store)
    log.log.abandon()
    whole = open_log(store).read_records(0, 1 << 20, NO_LIMIT, whole_first=True)
    file = store.open(f"{LOG}/{0:020}.log")
    filler = NewRecord(None, bytes(150))
    file.append([build_batch([filler], base_offset=offset, timestamp_ms=1) for offset in (2, 3)])
    file.close()
    again = open_log(store, recovery_point=recovery_point)
    assert (again.log.segment_bases, again.log.log_end_offset) == ((0, 2), 3)
    assert again.read_records(0, 1 << 20, NO_LIMIT, whole_first=True) == whole
    assert again.found(0).epoch_starts == ((0, 0), (1, 2))


def test_a_log_begins_within_a_batch() -> None:
    store = disk()
    log = open_log(store)
    log.truncate_fully_to(10, 0)
    records = build_batch([NewRecord(None, b"v", (), 0)] * 8, base_offset=4, timestamp_ms=0)
    log.begin_within(records, 4, (), 0)
    assert (log.log.log_start_offset, log.log.log_end_offset) == (10, 12)
    assert content(log) == records
    log.close(None)
    again = open_log(store, log_start_offset=10, is_clean=True)
    assert (again.log.log_start_offset, again.log.log_end_offset) == (10, 12)
    assert content(again) == records


@pytest.mark.parametrize("offset", [4, 10, 11])
def test_a_cut_takes_no_record_before_the_start_nor_leaves_an_end_before_it(offset: int) -> None:
    log = open_log(disk())
    log.append([build_batch([NewRecord(None, b"v", (), 0)] * 12, base_offset=0, timestamp_ms=0)])
    log.move_start_to(10)
    found = log.truncate_to(offset, 0)
    # The batch goes as a whole.
    assert (found.log_start_offset, found.log_end_offset) == (10, 10)
    log.append([build_batch([NewRecord(None, b"v", (), 0)], base_offset=10, timestamp_ms=0)])
    assert log.log.log_end_offset == 11
