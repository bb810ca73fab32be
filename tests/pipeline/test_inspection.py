"""What is whole and what is damaged: one bit in each field of a header, cuts, torn ends, files that grow."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto_pipeline.inspection import Inspection, Places, inspect
from tests.pipeline.damage import FIELDS
from tests.pipeline.replicas import Batch, encode

LOG = [
    *[Batch(epoch=1, voters=(1,)), Batch(epoch=1, count=3), Batch(epoch=1), Batch(epoch=1, count=2)],
    *[Batch(epoch=3, voters=(1,)), Batch(epoch=3, count=4), Batch(epoch=3), Batch(epoch=3, count=2)],
]


def encoded() -> list[bytes]:
    made, offset = [], 0
    for batch in LOG:
        made.append(encode(batch, offset))
        offset += 1 if batch.voters is not None else batch.count
    return made


PARTS = encoded()
DATA = b"".join(PARTS)
STARTS = [sum(map(len, PARTS[:index])) for index in range(len(PARTS))]
END = 15


def found(data: bytes, **more: Any) -> Inspection:
    return inspect(lambda position, size: data[position : position + size], len(data), 0, **more)


def test_a_whole_log_has_no_fault() -> None:
    whole = found(DATA)
    assert (whole.faults, whole.next_offset, whole.end_position) == ((), END, len(DATA))
    assert whole.epochs == ((1, 0), (3, 7))
    assert [each.base_offset for each in whole.controls] == [0, 7]


@pytest.mark.parametrize("index", range(len(PARTS)))
@pytest.mark.parametrize("field", FIELDS)
def test_a_bit_of_a_header_hides_no_more_than_its_batch(field: str, index: int) -> None:
    first, last = FIELDS[field]
    for position in range(STARTS[index] + first, STARTS[index] + last):
        for bit in range(8):
            data = bytearray(DATA)
            data[position] ^= 1 << bit
            seen = found(bytes(data))
            text = f"byte {position}, bit {bit}: {seen.faults}"
            assert any(each.touches(0, None) for each in seen.faults), text
            assert all(not fault.is_torn for fault in seen.faults), text
            if index + 1 < len(PARTS):
                assert seen.next_offset == END, text


@pytest.mark.parametrize("size", range(STARTS[-1] + 1, len(DATA)))
def test_the_beginning_of_a_batch_is_a_torn_end(size: int) -> None:
    seen = found(DATA[:size])
    assert seen.torn is not None
    assert [fault.offset for fault in seen.faults] == [13]


def test_zeros_at_the_end_are_a_torn_end_and_noise_is_not() -> None:
    assert found(DATA + bytes(3000)).torn is not None
    (noise,) = found(DATA + b"noise" * 40).faults
    assert (noise.is_torn, noise.is_open, noise.offset) == (False, True, END)


def test_a_gap_counts_with_the_batches_behind_it() -> None:
    (gap,) = found(b"".join([*PARTS[:2], *PARTS[4:]])).faults
    assert (gap.offset, gap.next_offset, gap.position, gap.end_position) == (4, 7, STARTS[2], STARTS[2])
    assert gap.reason == "a gap: offsets 4 to 6 are missing"


def test_a_file_that_has_grown_is_read_from_where_it_ended() -> None:
    before = found(DATA[: STARTS[5]])
    looked: list[int] = []

    def read(position: int, size: int) -> bytes:
        looked.append(position)
        return DATA[position : position + size]

    grown = inspect(read, len(DATA), 0, before=before)
    assert grown == found(DATA)
    assert min(looked) == STARTS[4]
    # Another batch in the place of the last one: all is read again.
    other = bytearray(DATA)
    other[STARTS[4] + 12 + 3] ^= 4
    assert inspect(lambda at, size: bytes(other[at : at + size]), len(other), 0, before=before) == found(
        bytes(other)
    )


def test_places_are_those_of_the_batches() -> None:
    data = bytearray(DATA)
    data[STARTS[2] + 8] ^= 64
    seen = found(bytes(data))
    places = Places(lambda position, size: bytes(data[position : position + size]), seen)
    assert [each.position for each in places.scan()] == [*STARTS[:2], *STARTS[3:]]
    assert places.start_of(4) == (STARTS[3], 5)
    assert places.start_of(9) == (STARTS[5], 8)
    assert places.start_of(99) == (len(DATA), END)
    assert places.end_of(4) == STARTS[2]
    assert places.end_of(5) == STARTS[2]
    assert places.end_of(6) == STARTS[4]
    assert places.end_of(99) == len(DATA)
