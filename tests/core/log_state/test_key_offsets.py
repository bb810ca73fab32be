"""The newest offsets of keys, against a dict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.log_state import key_offsets
from kafkaproto_server.core.log_state.key_offsets import MIN_SLOTS, SLOT_BYTES, KeyOffsets

KEYS = st.binary(max_size=2)


@given(st.lists(KEYS, max_size=60), st.lists(KEYS), st.integers(0, 60), st.integers(0, 100))
def test_it_is_a_dict_that_takes_no_more_than_its_buffer(
    keys: list[bytes], others: list[bytes], wanted: int, slots: int
) -> None:
    offsets = KeyOffsets(buffer_bytes=slots * SLOT_BYTES, load_factor=0.9, wanted=wanted)
    assert 1 <= offsets.capacity < max(MIN_SLOTS, slots)
    if slots > 80:
        assert offsets.capacity >= wanted
    expected: dict[bytes, int] = {}
    for offset, key in enumerate(keys):
        is_taken = offsets.put(key, offset)
        assert is_taken == (len(expected) < offsets.capacity)
        if is_taken:
            expected[key] = offset
            assert offsets.latest_offset == offset
    for key in keys + others:
        assert offsets.get(key) == expected.get(key, -1)
    assert offsets.size == len(expected)


def test_a_search_goes_through_all_slots_of_a_small_table() -> None:
    # Other keys begin at other slots and take other steps.
    for number in range(20):
        offsets = KeyOffsets(buffer_bytes=0, load_factor=1.0, wanted=MIN_SLOTS)
        keys = [b"%d %d" % (number, each) for each in range(MIN_SLOTS - 1)]
        for offset, key in enumerate(keys):
            assert offsets.put(key, offset)
        assert [offsets.get(key) for key in keys] == list(range(MIN_SLOTS - 1))
        assert offsets.get(b"more") == -1


def test_a_table_is_no_larger_than_what_is_wanted_needs() -> None:
    offsets = KeyOffsets(buffer_bytes=1_000_000 * SLOT_BYTES, load_factor=0.5, wanted=10)
    assert 10 <= offsets.capacity <= 2 * (10 + MIN_SLOTS)


def test_the_smallest_table_takes_one_key_whatever_its_load_factor() -> None:
    offsets = KeyOffsets(buffer_bytes=0, load_factor=0.01, wanted=0)
    assert offsets.put(b"a", 3)
    assert offsets.get(b"a") == 3
    assert not offsets.put(b"b", 4)


def test_a_key_whose_hash_looks_like_a_free_slot_is_a_key_like_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class ZeroHash:
        def __init__(self, key: bytes, *, digest_size: int) -> None:
            self._digest_size = digest_size

        def digest(self) -> bytes:
            return bytes(self._digest_size)

    monkeypatch.setattr(key_offsets, "blake2b", ZeroHash)
    offsets = KeyOffsets(buffer_bytes=0, load_factor=0.9, wanted=5)
    assert offsets.get(b"a") == -1
    assert offsets.put(b"a", 3)
    assert offsets.put(b"a", 4)
    assert (offsets.get(b"a"), offsets.size) == (4, 1)


def test_every_slot_can_be_filled() -> None:
    offsets = KeyOffsets(buffer_bytes=1009 * SLOT_BYTES, load_factor=1.0, wanted=1 << 40)
    # One slot stays free: the search for a key that is not there has to end.
    assert offsets.capacity == 1008
    for number in range(1008):
        assert offsets.put(b"%d" % number, number)
    assert not offsets.put(b"more", 1008)
    assert [offsets.get(b"%d" % number) for number in range(1008)] == list(range(1008))
    assert offsets.get(b"more") == -1
