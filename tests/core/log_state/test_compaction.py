"""What is kept of single batches. `tests/shell/storage/log` has whole logs, some cleaned by Apache Kafka."""

from __future__ import annotations

import tracemalloc

import pytest

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import EndTxnMarker
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.compression import Compression
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.core.log_state.compaction import (
    CleanedTransactions,
    Compaction,
    LastBatch,
    note_batch,
)
from kafkaproto_server.core.log_state.key_offsets import KeyOffsets

NOW_MS = 5_000
RETENTION_MS = 100


def batch(
    *pairs: tuple[bytes | None, bytes | None],
    base_offset: int = 0,
    horizon_ms: int | None = None,
    producer: tuple[int, int] = (-1, -1),
    transactional: bool = False,
) -> RecordBatchView:
    data = build_batch(
        [NewRecord(*pair) for pair in pairs],
        base_offset=base_offset,
        timestamp_ms=1,
        delete_horizon_ms=horizon_ms,
        producer_id=producer[0],
        producer_epoch=producer[1],
        transactional=transactional,
    )
    return RecordBatchView(data)


def marker(
    kind: ControlRecordType, *, base_offset: int, horizon_ms: int | None = None, epoch: int = 0
) -> RecordBatchView:
    pair = encode_control_record(kind, EndTxnMarker(coordinator_epoch=0))
    data = build_batch(
        [NewRecord(*pair)],
        base_offset=base_offset,
        timestamp_ms=1,
        delete_horizon_ms=horizon_ms,
        control=True,
        transactional=True,
        producer_id=7,
        producer_epoch=epoch,
    )
    return RecordBatchView(data)


def compaction(
    *noted: RecordBatchView,
    aborted: tuple[AbortedTransaction, ...] = (),
    last: dict[int, LastBatch] | None = None,
    high_watermark: int = 1_000,
    delete_retention_ms: int = RETENTION_MS,
) -> Compaction:
    keys = KeyOffsets(buffer_bytes=10_000, load_factor=0.9, wanted=100)
    transactions = CleanedTransactions(aborted)
    for each in noted:
        assert note_batch(keys, transactions, each, 0)
    return Compaction(
        keys=keys,
        transactions=CleanedTransactions(aborted),
        last_batches=last or {},
        high_watermark=high_watermark,
        now_ms=NOW_MS,
        delete_retention_ms=delete_retention_ms,
    )


def left(made: Compaction, view: RecordBatchView) -> list[int] | None:
    """The offsets of the records that are kept; None if the batch goes."""
    data = made.clean(view)
    return None if data is None else [record.offset for record in RecordBatchView(data).records()]


def test_a_batch_that_stays_whole_is_not_written_anew() -> None:
    view = batch((b"a", b"1"), (b"b", b"1"))
    assert compaction(view).clean(view) == view.raw


def test_newer_records_without_keys_and_old_values() -> None:
    old = batch((b"a", b"1"), (b"b", b"1"), (None, b"1"))
    new = batch((b"a", b"2"), (b"a", b"3"), base_offset=3)
    behind = batch((b"b", b"2"), (None, b"2"), (b"b", None), base_offset=5)
    made = compaction(old, new)
    assert left(made, old) == [1]
    assert left(made, new) == [4]
    # What lies behind the keys that were noted stays; a later cleaning decides.
    assert left(made, behind) == [5, 6, 7]
    assert left(compaction(old, new, batch((b"b", b"3"), base_offset=5)), old) is None


def test_tombstones_have_a_horizon_and_go_behind_it() -> None:
    fresh = batch((b"a", None), (b"b", b"1"))
    data = compaction(fresh).clean(fresh)
    assert data is not None
    kept = RecordBatchView(data)
    assert kept.delete_horizon_ms == NOW_MS + RETENTION_MS
    assert [record.timestamp for record in kept.records()] == [1, 1]
    # Not set again, and the batch is not written anew.
    waiting = batch((b"a", None), horizon_ms=NOW_MS + 1)
    assert compaction(waiting).clean(waiting) == waiting.raw
    passed = batch((b"a", None), (b"b", b"1"), horizon_ms=NOW_MS)
    assert left(compaction(passed), passed) == [1]


def test_markers_go_after_their_batches_and_behind_their_horizon() -> None:
    data = batch((b"a", b"1"), producer=(7, 0), transactional=True)
    for kind, aborted in (
        (ControlRecordType.COMMIT, ()),
        (ControlRecordType.ABORT, (AbortedTransaction(7, 0, 1, 2),)),
    ):
        end = marker(kind, base_offset=1)
        made = compaction(data, end, aborted=aborted)
        assert left(made, data) == (None if aborted else [0])
        # A batch was there.
        assert made.clean(end) == end.raw
        # None was there.
        alone = compaction(aborted=aborted).clean(end)
        assert alone is not None
        assert RecordBatchView(alone).delete_horizon_ms == NOW_MS + RETENTION_MS
        passed = marker(kind, base_offset=1, horizon_ms=NOW_MS)
        assert compaction(aborted=aborted).clean(passed) is None
        made = compaction(data, aborted=aborted)
        made.clean(data)
        assert made.clean(passed) == passed.raw


def test_a_marker_stays_although_a_newer_record_has_the_bytes_of_its_key() -> None:
    data = batch((b"a", b"1"), producer=(7, 0), transactional=True)
    end = marker(ControlRecordType.COMMIT, base_offset=1)
    (record,) = end.records()
    newer = batch((record.key, b"1"), base_offset=2)
    made = compaction(data, end, newer)
    made.clean(data)
    assert made.clean(end) == end.raw


def test_the_last_batch_of_a_producer_stays_without_its_records() -> None:
    old = batch((b"a", b"1"), producer=(7, 0))
    new = batch((b"a", b"2"), base_offset=1)
    assert left(compaction(old, new, last={7: LastBatch(0, 0)}), old) == []
    assert left(compaction(old, new, last={7: LastBatch(1, 0)}), old) is None
    assert left(compaction(old, new, last={8: LastBatch(0, 0)}), old) is None
    passed = marker(ControlRecordType.COMMIT, base_offset=1, horizon_ms=NOW_MS)
    assert left(compaction(last={7: LastBatch(-1, 0)}), passed) == []
    assert left(compaction(last={7: LastBatch(-1, 1)}), passed) is None
    emptied = compaction(last={7: LastBatch(-1, 0)}).clean(passed)
    assert emptied is not None
    # A marker that was emptied before says nothing any more.
    assert left(compaction(), RecordBatchView(emptied)) is None


def test_the_batch_before_the_high_watermark_stays_without_its_records() -> None:
    old = batch((b"a", b"1"), (b"b", b"1"))
    new = batch((b"a", b"2"), (b"b", b"2"), base_offset=2)
    assert left(compaction(old, new, high_watermark=2), old) == []
    assert left(compaction(old, new, high_watermark=1), old) is None


def test_a_full_map_ends_the_dirty_part() -> None:
    keys = KeyOffsets(buffer_bytes=0, load_factor=0.9, wanted=0)
    view = batch(*((b"%d" % number, b"") for number in range(20)))
    assert not note_batch(keys, CleanedTransactions(()), view, 0)
    assert keys.latest_offset == keys.capacity - 1
    # Records before the dirty part are not noted.
    keys = KeyOffsets(buffer_bytes=0, load_factor=0.9, wanted=0)
    assert note_batch(keys, CleanedTransactions(()), view, 15)
    assert (keys.size, keys.latest_offset) == (5, 19)
    assert note_batch(keys, CleanedTransactions(()), batch((b"x", b"")), 15)
    assert keys.latest_offset == 19


def test_timestamps_stay_however_far_they_are_from_the_horizon() -> None:
    for times in ([NOW_MS - (2**63 - 1), 1], [-(2**63), 2**63 - 1], [2**63 - 1, -(2**63)]):
        records = [NewRecord(b"%d" % at, None, (), at) for at in times]
        view = RecordBatchView(build_batch(records, base_offset=0, timestamp_ms=0))
        data = compaction(view).clean(view)
        assert data is not None
        kept = RecordBatchView(data)
        assert kept.delete_horizon_ms == NOW_MS + RETENTION_MS
        assert [record.timestamp for record in kept.records()] == times


def test_horizon_beyond_int64_is_not_set_and_tombstones_stay() -> None:
    fresh = batch((b"a", None), (b"b", b"1"))
    newer = batch((b"b", b"2"), base_offset=2)
    last = 2**63 - 1 - NOW_MS
    for retention_ms in (last + 1, 2**63 - 1):
        assert compaction(fresh, delete_retention_ms=retention_ms).clean(fresh) == fresh.raw
        data = compaction(fresh, newer, delete_retention_ms=retention_ms).clean(fresh)
        assert data is not None
        kept = RecordBatchView(data)
        assert kept.delete_horizon_ms is None
        assert [record.offset for record in kept.records()] == [0]
    data = compaction(fresh, delete_retention_ms=last).clean(fresh)
    assert data is not None
    assert RecordBatchView(data).delete_horizon_ms == 2**63 - 1


def test_records_of_a_batch_become_no_objects() -> None:
    headers = [("", None)] * 20_000
    records = [NewRecord(b"%d" % number, b"", headers) for number in range(50)]
    data = build_batch(records, base_offset=0, timestamp_ms=1, compression=Compression.ZSTD)
    newer = batch((b"7", b""), base_offset=50)
    view = RecordBatchView(data)
    plain_bytes = len(view.plain_records())
    del records
    made = compaction(view, newer)
    tracemalloc.start()
    try:
        kept = made.clean(view)
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept is not None
    assert RecordBatchView(kept).record_count == 49
    # What is read, what is kept, and one copy more for a moment.
    assert most_bytes < 4 * plain_bytes


@pytest.mark.parametrize("count", [5, 6])
def test_batch_that_decompresses_to_too_much_cannot_be_cleaned(count: int) -> None:
    records = [NewRecord(b"%d" % number, bytes(999_000)) for number in range(count)]
    view = RecordBatchView(build_batch(records, base_offset=0, timestamp_ms=1, compression=Compression.ZSTD))
    assert view.size_in_bytes < 10_000
    with pytest.raises(RemoteProtocolError, match="hold more than the"):
        compaction(view)
    with pytest.raises(RemoteProtocolError, match="hold more than the"):
        compaction().clean(view)


def test_dropped_batch_is_not_read() -> None:
    view = batch((b"a", b"1"), producer=(7, 0), transactional=True)
    damaged = bytearray(view.raw)
    damaged[-8:] = b"\xff" * 8
    assert left(compaction(aborted=(AbortedTransaction(7, 0, 1, 2),)), RecordBatchView(damaged)) is None
