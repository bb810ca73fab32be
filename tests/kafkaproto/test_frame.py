"""Framing: whole, in pieces, pipelined, and announced sizes that are lies."""

from __future__ import annotations

import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.frame import MAX_FRAME_SIZE_BYTES, NEED_DATA, FrameReader, encode_frame
from kafkaproto.primitives import Buffer


def framed(*payloads: bytes) -> bytes:
    return b"".join(struct.pack(">i", len(payload)) + payload for payload in payloads)


def drain(reader: FrameReader) -> list[bytes]:
    frames = []
    while (frame := reader.next_frame()) is not NEED_DATA:
        frames.append(frame)
    return frames


def test_a_frame_comes_out_as_bytes_without_its_size_prefix() -> None:
    reader = FrameReader(100)
    reader.receive(framed(b"hello"))
    frame = reader.next_frame()
    assert frame == b"hello"
    assert type(frame) is bytes
    assert reader.next_frame() is NEED_DATA
    assert not reader.is_inside_frame


def test_the_begin_of_a_frame_can_be_seen_while_the_rest_is_awaited() -> None:
    reader = FrameReader(100)
    assert reader.frame_size is None
    assert reader.peek(4) == b""
    for piece in (b"\0\0\0", b"\5a", b"bc"):
        reader.receive(piece)
        assert reader.next_frame() is NEED_DATA
    assert reader.frame_size == 5
    assert [reader.peek(size) for size in (1, 2, 3, 9)] == [b"a", b"ab", b"abc", b"abc"]
    reader.receive(b"de")
    assert reader.next_frame() == b"abcde"
    assert reader.frame_size is None


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7])
def test_frames_cut_anywhere_come_out_whole_and_in_order(step: int) -> None:
    payloads = [b"a", b"bc" * 10, b"d" * 33]
    stream = framed(*payloads)
    reader = FrameReader(100)
    frames = []
    for start in range(0, len(stream), step):
        reader.receive(stream[start : start + step])
        frames += drain(reader)
    assert frames == payloads


@given(
    payloads=st.lists(st.binary(min_size=1, max_size=9000), max_size=8),
    cuts=st.lists(st.integers(1, 9000), min_size=1, max_size=8),
    as_bytearray=st.booleans(),
    eager=st.booleans(),
)
def test_any_cutting_of_any_frames_gives_the_same_frames(
    payloads: list[bytes], cuts: list[int], as_bytearray: bool, eager: bool
) -> None:
    stream = framed(*payloads)
    reader = FrameReader(9000)
    frames = []
    position = turn = 0
    while position < len(stream):
        piece = stream[position : position + cuts[turn % len(cuts)]]
        reader.receive(bytearray(piece) if as_bytearray else piece)
        position += len(piece)
        turn += 1
        if eager:
            frames += drain(reader)
    frames += drain(reader)
    assert frames == payloads
    assert reader.buffered_bytes == 0
    assert not reader.is_inside_frame


def test_a_buffer_that_the_caller_reuses_is_copied() -> None:
    buffer = bytearray(framed(b"first"))
    reader = FrameReader(100)
    reader.receive(buffer)
    buffer[4:] = b"other"
    assert reader.next_frame() == b"first"


def test_the_largest_allowed_frame_passes() -> None:
    reader = FrameReader(5)
    reader.receive(framed(b"12345"))
    assert reader.next_frame() == b"12345"


@pytest.mark.parametrize("size", [0, -1, -(2**31), 6, 2**31 - 1])
def test_a_size_out_of_bounds_is_refused_with_size_and_limit_at_every_call(size: int) -> None:
    reader = FrameReader(5)
    reader.receive(struct.pack(">i", size) + b"garbage")
    for _ in range(2):
        with pytest.raises(RemoteProtocolError) as caught:
            reader.next_frame()
        assert str(size) in str(caught.value)
        assert "1 to 5" in str(caught.value)


def test_a_refused_size_that_arrived_byte_by_byte_is_refused_too() -> None:
    reader = FrameReader(5)
    for byte in struct.pack(">i", -7):
        assert reader.next_frame() is NEED_DATA
        reader.receive(bytes([byte]))
    with pytest.raises(RemoteProtocolError, match="-7"):
        reader.next_frame()


def test_the_end_of_the_stream_inside_a_frame_can_be_told() -> None:
    reader = FrameReader(100)
    assert not reader.is_inside_frame
    reader.receive(b"")
    assert not reader.is_inside_frame
    reader.receive(b"\0")
    assert reader.is_inside_frame
    reader.receive(b"\0\0\5")
    assert reader.next_frame() is NEED_DATA
    assert reader.buffered_bytes == 0
    assert reader.is_inside_frame
    reader.receive(b"12345")
    assert reader.buffered_bytes == 5
    assert reader.next_frame() == b"12345"
    assert not reader.is_inside_frame


def test_announcing_much_costs_nothing() -> None:
    announced = struct.pack(">i", 100 * 1024 * 1024) + b"x"
    tracemalloc.start()
    try:
        readers = [FrameReader(100 * 1024 * 1024) for _ in range(20)]
        for reader in readers:
            reader.receive(announced)
            assert reader.next_frame() is NEED_DATA
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_a_large_frame_in_tiny_pieces_costs_about_its_size() -> None:
    size = 200_000
    piece = b"xy"
    tracemalloc.start()
    try:
        reader = FrameReader(size)
        reader.receive(struct.pack(">i", size))
        for _ in range(size // len(piece)):
            reader.receive(piece)
        current, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert current < size * 1.5
    assert reader.next_frame() == piece * (size // 2)


def test_a_stream_that_always_ends_inside_a_frame_does_not_pile_up() -> None:
    stream = framed(b"x" * 996) * 2000
    tracemalloc.start()
    try:
        reader = FrameReader(1000)
        reader.receive(stream[:500])
        frames = 0
        for start in range(500, len(stream) - 500, 1000):
            reader.receive(stream[start : start + 1000])
            frames += len(drain(reader))
        current, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert frames == 1999
    assert reader.is_inside_frame
    assert current < 20_000


def test_encode_frame_puts_the_size_before_buffers_that_are_not_copied() -> None:
    body: Buffer = memoryview(b"some records")
    buffers = encode_frame([b"head", body])
    assert buffers[2] is body
    assert b"".join(buffers) == framed(b"headsome records")


def test_a_frame_longer_than_its_prefix_can_say_is_our_own_mistake() -> None:
    part = memoryview(bytes(1 << 20))
    with pytest.raises(LocalProtocolError, match=str(MAX_FRAME_SIZE_BYTES)):
        encode_frame([part] * 2048)
