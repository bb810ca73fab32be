"""Codecs: against the usual Python packages, damaged data, and bombs."""

from __future__ import annotations

import gzip
import random
import resource
import struct
import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import lz4.frame
import pytest
import snappy
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.records.compression import Compression, compress, decompress

CODECS = [Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD]
XERIAL_HEADER = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)


def xerial_blocks(data: bytes) -> list[bytes]:
    """The blocks of a framed snappy stream, taken apart by hand."""
    assert data[:16] == XERIAL_HEADER
    blocks = []
    position = 16
    while position < len(data):
        (size,) = struct.unpack_from(">i", data, position)
        blocks.append(data[position + 4 : position + 4 + size])
        position += 4 + size
    return blocks


def framed(*blocks: bytes) -> bytes:
    return XERIAL_HEADER + b"".join(struct.pack(">i", len(block)) + block for block in blocks)


OTHERS_DECOMPRESS: dict[Compression, Callable[[bytes], bytes]] = {
    Compression.GZIP: gzip.decompress,
    Compression.SNAPPY: lambda data: b"".join(snappy.uncompress(block) for block in xerial_blocks(data)),
    Compression.LZ4: lz4.frame.decompress,
    Compression.ZSTD: lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}
OTHERS_COMPRESS: dict[Compression, Callable[[bytes], bytes]] = {
    Compression.GZIP: gzip.compress,
    Compression.SNAPPY: lambda data: framed(snappy.compress(data)),
    Compression.LZ4: lambda data: lz4.frame.compress(data, block_linked=False, content_checksum=True),
    Compression.ZSTD: lambda data: zstandard.ZstdCompressor(write_content_size=False).compress(data),
}


LEVELS = [
    *((Compression.GZIP, level) for level in (-1, 1, 9)),
    *((Compression.LZ4, level) for level in (1, 8, 9, 17)),
    *((Compression.ZSTD, level) for level in (-131072, -1, 22)),
]
"""The ends of the ranges of Kafka's ``compression.*.level``, and the defaults."""


@pytest.mark.parametrize(("codec", "level"), LEVELS)
def test_every_level_can_be_read(codec: Compression, level: int) -> None:
    data = bytes(range(256)) * 40
    assert OTHERS_DECOMPRESS[codec](compress(codec, data, level)) == data


def test_default_level_is_that_of_kafka() -> None:
    data = b"".join(b"key-%d value-%d;" % (number % 7, number * number) for number in range(5000))
    for codec, default, better in (
        (Compression.GZIP, -1, 9),
        (Compression.LZ4, 9, 8),
        (Compression.ZSTD, 3, 19),
    ):
        packed = compress(codec, data)
        assert packed == compress(codec, data, default)
        assert len(packed) > len(compress(codec, data, better))


@pytest.mark.parametrize("codec", list(Compression))
@given(data=st.binary(max_size=2000))
def test_round_trip(codec: Compression, data: bytes) -> None:
    assert decompress(codec, memoryview(compress(codec, data))) == data


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("size", [0, 1, 32 * 1024, 32 * 1024 + 1, 300_000])
def test_others_read_ours_and_we_read_theirs(codec: Compression, size: int) -> None:
    data = random.Random(size).randbytes(size // 2) + b"-" * (size - size // 2)
    assert OTHERS_DECOMPRESS[codec](compress(codec, data)) == data
    assert decompress(codec, OTHERS_COMPRESS[codec](data)) == data


def test_lz4_blocks_are_independent_because_kafka_refuses_others() -> None:
    flags = compress(Compression.LZ4, b"x" * 100_000)[4]
    assert flags >> 6 == 1
    assert flags & 0x20
    assert not flags & 0x01


def test_snappy_blocks_are_of_the_size_that_kafka_uses() -> None:
    blocks = xerial_blocks(compress(Compression.SNAPPY, bytes(100_000)))
    assert [len(snappy.uncompress(block)) for block in blocks] == [32768, 32768, 32768, 1696]


def test_raw_snappy_is_read() -> None:
    data = b"unframed " * 100
    assert decompress(Compression.SNAPPY, snappy.compress(data)) == data


def test_version_fields_of_framed_snappy_are_ignored() -> None:
    block = snappy.compress(b"value")
    little_endian = b"\x82SNAPPY\x00" + struct.pack("<ii", 1, 1) + struct.pack(">i", len(block)) + block
    assert decompress(Compression.SNAPPY, little_endian) == b"value"


def test_unknown_codec() -> None:
    with pytest.raises(RemoteProtocolError, match="no compression 5, only 0 to 4"):
        decompress(5, b"")
    with pytest.raises(LocalProtocolError, match="no compression 5, only 0 to 4"):
        compress(5, b"")


@pytest.mark.parametrize("codec", CODECS)
def test_cut_anywhere_is_refused(codec: Compression) -> None:
    # A framed snappy stream may end after any block, and does at its header: that is a stream of nothing.
    whole = compress(codec, b"some value that is long enough to have a body" * 3)
    for size in range(len(whole)):
        if codec is Compression.SNAPPY and size == len(XERIAL_HEADER):
            assert decompress(codec, whole[:size]) == b""
            continue
        with pytest.raises(RemoteProtocolError):
            decompress(codec, whole[:size])


@pytest.mark.parametrize("codec", CODECS)
@given(data=st.data())
def test_damage_is_refused_or_goes_unnoticed_but_nothing_else_is_raised(
    codec: Compression, data: st.DataObject
) -> None:
    damaged = bytearray(compress(codec, b"some value that is long enough" * 20))
    for _ in range(data.draw(st.integers(1, 5))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with suppress(RemoteProtocolError):
        assert len(decompress(codec, damaged, 10_000)) <= 10_000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (XERIAL_HEADER + b"\x00\x00\x00", "end inside the length of a block"),
        (XERIAL_HEADER + struct.pack(">i", -1) + b"abc", "claims -1 bytes where 3 are left"),
        (XERIAL_HEADER + struct.pack(">i", 0) + b"abc", "claims 0 bytes where 3 are left"),
        (XERIAL_HEADER + struct.pack(">i", 2**31 - 1) + b"abc", "claims 2147483647 bytes where 3 are left"),
        (framed(b"\xff\xff\xff\xff\x0f\x00"), "6 bytes of snappy data cannot hold the 4294967295 they claim"),
        (framed(b"\x03\x00a"), "the snappy data are damaged"),
        (b"\xff\xff\xff\xff\xff\xff", "the snappy data are damaged"),
        (b"", "the snappy data are damaged"),
    ],
)
def test_damaged_snappy_is_described(data: bytes, reason: str) -> None:
    with pytest.raises(RemoteProtocolError, match=reason):
        decompress(Compression.SNAPPY, data)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("limit", [99_999, 100_000, 100_001])
def test_limit_is_exact(codec: Compression, limit: int) -> None:
    data = compress(codec, bytes(100_000))
    if limit < 100_000:
        with pytest.raises(RemoteProtocolError, match=f"{codec.name.lower()} data hold more than the 99999"):
            decompress(codec, data, limit)
    else:
        assert len(decompress(codec, data, limit)) == 100_000


@pytest.mark.parametrize("codec", CODECS)
def test_limit_holds_for_small_outputs_too(codec: Compression) -> None:
    with pytest.raises(RemoteProtocolError, match="more than the 3 bytes"):
        decompress(codec, compress(codec, b"four"), 3)


@pytest.mark.parametrize("codec", CODECS)
def test_a_bomb_costs_no_more_memory_than_the_limit_allows(codec: Compression) -> None:
    bomb = OTHERS_COMPRESS[codec](bytes(64_000_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError, match="more than the 1000000 bytes"):
            decompress(codec, bomb, 1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 2_500_000
    finally:
        tracemalloc.stop()
    # Memory of the codec itself, which Python does not count; the unit is KiB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


@pytest.mark.parametrize("codec", CODECS)
def test_a_claim_costs_no_memory(codec: Compression) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError):
            decompress(codec, compress(codec, bytes(1000))[:-4])
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
