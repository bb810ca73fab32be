"""The five compression types of a batch's records, with a limit for the decompressed size.

Formats, as Kafka's clients write and read them: gzip (RFC 1952); snappy in the block framing of the xerial Java
library, or raw; the LZ4 frame format, with independent blocks because Kafka's own reader refuses linked ones; zstd
frames (RFC 8878).

A few hundred bytes can claim, or even hold, gigabytes. So no length that a peer wrote is trusted: the output grows in
steps, each of which is filled before the next is allocated, and stops at a limit.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from struct import Struct

import cramjam

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer

MAX_DECOMPRESSED_BYTES = 100 * 1024 * 1024
"""Most bytes that one batch may decompress to unless the caller says otherwise.

It is the default of ``socket.request.max.bytes``: data that could not have been sent uncompressed are not accepted
compressed either.
"""


class TooLongError(RemoteProtocolError):
    """The data decompress to more bytes than are allowed."""


class Compression(enum.IntEnum):
    """The lowest three bits of a batch's attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


_FIRST_OUTPUT_BYTES = 32 * 1024
_GROWTH = 4
_OUTPUT_FULL = "failed to write whole buffer"
"""The text with which cramjam (in fact Rust's standard library) says that the output buffer is too small."""

_GZIP_LEVEL = 6
_LZ4_LEVEL = 9
_LZ4_FAST = 1
_LZ4_BEST = 12
_ZSTD_LEVEL = 3

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"
"""Magic, version and compatible version. Readers ignore the versions: some writers have them little-endian."""
_XERIAL_BLOCK_BYTES = 32 * 1024
_SNAPPY_MAX_RATIO = 22
"""No element of the snappy format turns 3 bytes into more than 64."""
_BLOCK_LENGTH = Struct(">i")


def compress(compression: int, data: bytes, level: int | None = None) -> bytes:
    """The compressed data in the form that Kafka's clients expect.

    ``level`` is that of Kafka's ``compression.*.level``; None means Kafka's default. Raises LocalProtocolError if there
    is no such compression.
    """
    if compression == Compression.NONE:
        return data
    if compression == Compression.GZIP:
        return bytes(cramjam.gzip.compress(data, _GZIP_LEVEL if level is None or level < 0 else level))
    if compression == Compression.SNAPPY:
        return _compress_snappy(data)
    if compression == Compression.LZ4:
        compressor = cramjam.lz4.Compressor(_lz4_level(level), content_checksum=False, block_linked=False)
        compressor.compress(data)
        return bytes(compressor.finish())
    if compression == Compression.ZSTD:
        return bytes(cramjam.zstd.compress(data, _ZSTD_LEVEL if level is None else level))
    raise LocalProtocolError(f"there is no compression {compression}, only 0 to 4")


def decompress(compression: int, data: Buffer, max_bytes: int = MAX_DECOMPRESSED_BYTES) -> bytes:
    """The decompressed data. The memory used is at most a few times their size, whatever size the data claim.

    Raises RemoteProtocolError if there is no such compression, the data are damaged, or they decompress to more than
    ``max_bytes``: then it is a TooLongError. The error names no byte, because damage shows far after the place where
    it is.
    """
    if compression == Compression.NONE:
        return bytes(data)
    if compression == Compression.GZIP:
        return _decompress_growing(cramjam.gzip.decompress_into, "gzip", data, max_bytes)
    if compression == Compression.SNAPPY:
        return _decompress_snappy(memoryview(data), max_bytes)
    if compression == Compression.LZ4:
        return _decompress_growing(cramjam.lz4.decompress_into, "lz4", data, max_bytes)
    if compression == Compression.ZSTD:
        return _decompress_growing(cramjam.zstd.decompress_into, "zstd", data, max_bytes)
    raise RemoteProtocolError(f"there is no compression {compression}, only 0 to 4")


def _decompress_growing(
    decompress_into: Callable[[Buffer, bytearray], int], name: str, data: Buffer, max_bytes: int
) -> bytes:
    # Some formats announce the size of their content. It is not used: a peer can write anything
    # there.
    capacity = min(max_bytes, max(len(data) * _GROWTH, _FIRST_OUTPUT_BYTES))
    while True:
        output = bytearray(capacity)
        try:
            size = decompress_into(data, output)
        except cramjam.DecompressionError as error:
            # The error that is raised keeps what this function has.
            del output
            if _OUTPUT_FULL not in str(error):
                raise RemoteProtocolError(f"the {name} data are damaged: {error}") from None
            # Only now is the content known to be too large: a smaller buffer may have been full
            # before.
            if capacity == max_bytes:
                raise _too_large(name, max_bytes) from None
            capacity = min(max_bytes, capacity * _GROWTH)
        else:
            return bytes(memoryview(output)[:size])


def _lz4_level(level: int | None) -> int:
    # Kafka's default of 9 stands for the fast compressor; other levels are those of the slow one
    # (Lz4BlockOutputStream). The levels above 12 do the same as 12.
    return _LZ4_FAST if level is None or level == _LZ4_LEVEL else min(level, _LZ4_BEST)


def _compress_snappy(data: bytes) -> bytes:
    view = memoryview(data)
    output = bytearray(_XERIAL_HEADER)
    for start in range(0, len(data), _XERIAL_BLOCK_BYTES):
        block = cramjam.snappy.compress_raw(view[start : start + _XERIAL_BLOCK_BYTES])
        output += _BLOCK_LENGTH.pack(len(block))
        output += block
    return bytes(output)


def _decompress_snappy(data: memoryview, max_bytes: int) -> bytes:
    output = bytearray()
    if len(data) < len(_XERIAL_HEADER) or data[: len(_XERIAL_MAGIC)] != _XERIAL_MAGIC:
        _decompress_snappy_block(data, output, max_bytes)
        return bytes(output)
    position = len(_XERIAL_HEADER)
    while position < len(data):
        left = len(data) - position - _BLOCK_LENGTH.size
        if left < 0:
            raise RemoteProtocolError("the snappy data end inside the length of a block")
        (length,) = _BLOCK_LENGTH.unpack_from(data, position)
        if not 0 < length <= left:
            raise RemoteProtocolError(f"a snappy block claims {length} bytes where {left} are left")
        position += _BLOCK_LENGTH.size
        _decompress_snappy_block(data[position : position + length], output, max_bytes)
        position += length
    return bytes(output)


def _decompress_snappy_block(data: memoryview, output: bytearray, max_bytes: int) -> None:
    try:
        size = cramjam.snappy.decompress_raw_len(data)
        # Before the call below, which allocates the size that the block claims.
        if size > len(data) * _SNAPPY_MAX_RATIO:
            raise RemoteProtocolError(f"{len(data)} bytes of snappy data cannot hold the {size} they claim")
        if size > max_bytes - len(output):
            raise _too_large("snappy", max_bytes)
        output += cramjam.snappy.decompress_raw(data)
    except cramjam.DecompressionError as error:
        raise RemoteProtocolError(f"the snappy data are damaged: {error}") from None


def _too_large(name: str, max_bytes: int) -> TooLongError:
    return TooLongError(f"the {name} data hold more than the {max_bytes} bytes allowed")
