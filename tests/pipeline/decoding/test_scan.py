"""Finding batches: the same ones as kafkaproto's scan in good bytes; what is made of bad ones, and at what cost."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkaproto.log import BatchScan, StopReason
from kafkaproto.messages import NoOpRecord
from kafkaproto.records.batch import RecordBatchView, build_batch, iterate_batches
from kafkaproto.records.crc32c import crc32c
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_pipeline.decoding import scan
from kafkaproto_pipeline.decoding.scan import Fault, Headers, steps
from tests.pipeline.decoder_logs import all_types, random_log

NO_OP = (None, encode_metadata_record(NoOpRecord(), 0), ())


def batch(offset: int, count: int = 1) -> bytes:
    """A batch of records that say nothing."""
    return build_batch([NO_OP] * count, base_offset=offset, timestamp_ms=offset)


def scanned(
    buffer: bytes, *, next_offset: int | None = 0, expects_more: bool = False
) -> tuple[list[int], list[Fault]]:
    """Base offsets of the batches found, and the faults."""
    offsets: list[int] = []
    faults: list[Fault] = []
    for step in steps(buffer, next_offset=next_offset, expects_more=expects_more):
        offsets += step.headers.base_offsets.tolist()
        faults += [fault for _, fault in step.faults]
        assert [before for before, _ in step.faults] == sorted(before for before, _ in step.faults)
    return offsets, faults


def changed(buffer: bytes, position: int) -> bytes:
    """The bytes with another value at a position."""
    return buffer[:position] + bytes([buffer[position] ^ 0x55]) + buffer[position + 1 :]


@given(st.integers(0, 2**32))
@settings(max_examples=30)
def test_headers_say_what_the_batches_say(seed: int) -> None:
    rng = random.Random(seed)
    log = random_log(rng, all_types(rng, 30), compressions=(0, 1, 4))
    (step,) = steps(log, next_offset=0, expects_more=False)
    assert step.faults == ()
    views = list(iterate_batches(log))
    names = {
        "positions": "position",
        "sizes": "size_in_bytes",
        "base_offsets": "base_offset",
        "epochs": "partition_leader_epoch",
        "attributes": "attributes",
        "last_offset_deltas": "last_offset_delta",
        "base_timestamps": "base_timestamp",
        "max_timestamps": "max_timestamp",
        "record_counts": "record_count",
    }
    assert set(names) == set(Headers.__slots__)
    for name, property_name in names.items():
        assert getattr(step.headers, name).tolist() == [getattr(view, property_name) for view in views]


@given(st.data())
@settings(max_examples=80)
def test_up_to_the_first_fault_kafkaproto_finds_the_same(data: st.DataObject) -> None:
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    log = bytearray(random_log(rng, all_types(rng, 12)))
    for _ in range(data.draw(st.integers(1, 3))):
        log[data.draw(st.integers(0, len(log) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    buffer = bytes(log[: data.draw(st.integers(0, len(log)))])
    other = BatchScan(buffer)
    expected = [view.base_offset for view in other]
    offsets, faults = scanned(buffer, next_offset=None)
    assert offsets[: len(expected)] == expected
    damaged = [fault for fault in faults if "gap" not in fault.reason]
    if other.stop_reason is StopReason.END:
        assert damaged == []
    else:
        assert damaged[0].position == other.valid_end


def test_damage_ends_where_the_next_batch_begins() -> None:
    parts = [batch(0, 2), batch(2), batch(3, 4), batch(7)]
    log = b"".join(parts)
    start = len(parts[0])
    # Its length still says where it ends.
    offsets, (fault,) = scanned(changed(log, start + 62))
    assert offsets == [0, 3, 7]
    assert (fault.position, fault.offset) == (start, 2)
    assert fault.reason.startswith("the crc of the record batch with base offset 2 is 0x")
    # Its length is no help.
    offsets, (fault,) = scanned(changed(log, start + 10))
    assert offsets == [0, 3, 7]
    skipped = f"the {len(parts[1])} bytes up to the next batch are skipped"
    assert fault.reason == f"the bytes end inside a record batch: it claims 21832, 249 are left; {skipped}"
    # No batch at all.
    offsets, (fault,) = scanned(log[:start] + b"junk" * 50 + log[start:])
    assert offsets == [0, 2, 3, 7]
    assert (
        fault.reason
        == "a record batch has magic 106, only 2 is known; the 200 bytes up to the next batch are skipped"
    )


def test_a_torn_tail_is_a_fault_where_nothing_more_is_to_come() -> None:
    log = batch(0) + batch(1, 5)
    end = len(batch(0))
    for size in range(end + 1, len(log)):
        assert scanned(log[:size], expects_more=True) == ([0], [])
        offsets, (fault,) = scanned(log[:size])
        assert (offsets, fault.position, fault.offset) == ([0], end, 1)
        assert fault.reason.startswith("the bytes end inside")
    assert scanned(log, expects_more=True) == ([0, 1], [])
    offsets, (fault,) = scanned(batch(0) + bytes(100))
    assert fault.reason.startswith("a record batch has magic 0")


def test_a_length_that_no_batch_has_is_no_reason_to_wait_for_more() -> None:
    torn = bytearray(batch(1))
    struct.pack_into(">i", torn, 8, 2**31 - 1)
    offsets, (fault,) = scanned(batch(0) + torn, expects_more=True)
    assert offsets == [0]
    assert fault.reason.startswith("a record batch cannot have length 2147483647; the ")


def test_batches_continue_each_other() -> None:
    offsets, (fault,) = scanned(batch(0, 3) + batch(5) + batch(6))
    assert (offsets, fault.offset) == ([0, 5, 6], 3)
    assert fault.reason == "a gap: offsets 3 to 4 are missing"
    offsets, (fault,) = scanned(batch(0, 3) + batch(2, 9) + batch(3))
    assert (offsets, fault.offset) == ([0, 3], 3)
    assert fault.reason == "a record batch has base offset 2, expected is 3 or more"
    assert scanned(batch(4), next_offset=None) == ([4], [])
    assert scanned(batch(4), next_offset=4) == ([4], [])
    offsets, (fault,) = scanned(batch(4), next_offset=2)
    assert (offsets, fault.reason) == ([4], "a gap: offsets 2 to 3 are missing")


def test_offsets_are_checked_from_step_to_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "STEP_BYTES", 1)
    log = batch(0) + batch(1) + batch(3)
    assert [len(step.headers.positions) for step in steps(log, next_offset=0, expects_more=False)] == [
        1,
        1,
        1,
    ]
    offsets, (fault,) = scanned(log)
    assert (offsets, fault.offset) == ([0, 1, 3], 2)


def test_a_header_that_cannot_be_is_a_fault() -> None:
    log = bytearray(batch(0) + batch(1) + batch(2))
    second = RecordBatchView(log, len(batch(0)))
    for place, value in ((23, -5), (57, -1)):
        edited = bytearray(log)
        struct.pack_into(">i", edited, second.position + place, value)
        view = RecordBatchView(edited, second.position)
        struct.pack_into(">I", edited, second.position + 17, crc32c(view.raw[21:]))
        offsets, faults = scanned(bytes(edited))
        assert offsets == [0, 2]
        assert "a record batch cannot have base offset 1" in faults[0].reason
        assert (faults[0].position, faults[0].offset) == (second.position, 1)


def test_no_input_makes_the_search_long(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = 0

    def crc32c(data: memoryview) -> int:
        nonlocal checked
        checked += len(data)
        return 0

    # Headers without end, each of which claims all the bytes behind it.
    size = 200_000
    junk = bytearray(b"\0\0\0\0\0\0\0\0" * (size // 8))
    for position in range(61, size - 64, 61):
        struct.pack_into(">iibI", junk, position + 8, size - position - 12, 0, 2, 1)
    monkeypatch.setattr(scan, "crc32c", crc32c)
    offsets, faults = scanned(bytes(junk), next_offset=None)
    assert (offsets, len(faults)) == ([], 1)
    assert checked < size * (scan.SEARCH_FACTOR + 3)


def test_nothing_is_nothing() -> None:
    assert scanned(b"") == ([], [])
