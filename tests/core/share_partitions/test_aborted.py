"""Which batches belong to aborted transactions."""

from __future__ import annotations

from kafkaproto.messages import EndTxnMarker
from kafkaproto.records.batch import HEADER_SIZE, LENGTH_END, NewRecord, build_batch, iterate_batches
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto_server.core.share_partitions.aborted import aborted_batches


def written(offset: int, producer_id: int, *, is_transactional: bool = True) -> bytes:
    """A record of a producer's transaction; of none if the id is -1."""
    return build_batch(
        [NewRecord(None, b"value")],
        base_offset=offset,
        timestamp_ms=0,
        transactional=is_transactional and producer_id >= 0,
        producer_id=producer_id,
        producer_epoch=0,
    )


def marker(offset: int, producer_id: int, kind: ControlRecordType) -> bytes:
    """The end of a producer's transaction."""
    key, value = encode_control_record(kind, EndTxnMarker(coordinator_epoch=0))
    return build_batch(
        [NewRecord(key, value)],
        base_offset=offset,
        timestamp_ms=0,
        control=True,
        transactional=True,
        producer_id=producer_id,
        producer_epoch=0,
    )


def test_a_marker_ends_the_aborted_transaction_of_its_producer() -> None:
    log = b"".join(
        (
            written(0, 7),
            written(1, 8),
            marker(2, 7, ControlRecordType.ABORT),
            written(3, 7),
            written(4, -1),
            marker(5, 7, ControlRecordType.COMMIT),
            marker(6, 8, ControlRecordType.ABORT),
        )
    )
    assert aborted_batches(iterate_batches(log), [(8, 1), (7, 0)]) == [(0, 0), (1, 1)]
    assert aborted_batches(iterate_batches(log), []) == []


def test_a_marker_that_cannot_be_read_ends_nothing() -> None:
    key, _ = encode_control_record(ControlRecordType.ABORT, EndTxnMarker(coordinator_epoch=0))
    damaged = build_batch(
        [NewRecord(key, b"")],
        base_offset=1,
        timestamp_ms=0,
        control=True,
        transactional=True,
        producer_id=7,
        producer_epoch=0,
    )
    log = b"".join((written(0, 7), damaged, written(2, 7), marker(3, 7, ControlRecordType.ABORT)))
    assert aborted_batches(iterate_batches(log), [(7, 0)]) == [(0, 0), (2, 2)]


def test_a_marker_that_compaction_has_removed_ends_nothing() -> None:
    removed = bytearray(marker(1, 7, ControlRecordType.ABORT)[:HEADER_SIZE])
    removed[8:12] = (HEADER_SIZE - LENGTH_END).to_bytes(4)
    removed[57:61] = bytes(4)
    log = b"".join((written(0, 7), bytes(removed), written(2, 7), marker(3, 7, ControlRecordType.ABORT)))
    assert aborted_batches(iterate_batches(log), [(7, 0)]) == [(0, 0), (2, 2)]


def test_only_an_abort_ends_an_aborted_transaction() -> None:
    log = b"".join(
        (
            written(0, 7),
            marker(1, 7, ControlRecordType.COMMIT),
            written(2, 7),
            marker(3, 7, ControlRecordType.ABORT),
            written(4, 7),
        )
    )
    assert aborted_batches(iterate_batches(log), [(7, 0)]) == [(0, 0), (2, 2)]


def test_records_outside_of_transactions_are_not_aborted() -> None:
    log = b"".join(
        (written(0, 7), written(1, 7, is_transactional=False), marker(2, 7, ControlRecordType.ABORT))
    )
    assert aborted_batches(iterate_batches(log), [(7, 0)]) == [(0, 0)]


def test_what_a_producer_has_committed_before_it_aborts_is_not_aborted() -> None:
    log = b"".join(
        (
            written(0, 7),
            marker(1, 7, ControlRecordType.COMMIT),
            written(2, 7),
            marker(3, 7, ControlRecordType.ABORT),
        )
    )
    assert aborted_batches(iterate_batches(log), [(7, 2)]) == [(2, 2)]
