"""How far the records of one batch may decompress, and how much may be read of what one request sends.

The check of what producers send and the cleaner of compacted topics have the same limit for a batch: twice so much is
in memory for a moment. Real records do not shrink so much.

A request may have thousands of batches. So what all of them decompress to is limited too, and so are their records and
headers together: a few bytes can stand for a million headers, each of which takes time. Both limits grow with the
request, and what is sent uncompressed never reaches them.
"""

from __future__ import annotations

from kafkaproto.records.compression import MAX_DECOMPRESSED_BYTES

_FREE_DECOMPRESSED_BYTES = 4 * 1024 * 1024
_DECOMPRESSED_TIMES_SIZE = 100
_FREE_REQUEST_BYTES = 4 * _FREE_DECOMPRESSED_BYTES
_FREE_UNITS = 200_000
"""They take a tenth of a second."""
_UNITS_A_BYTE = 4


def most_decompressed_bytes(compressed_bytes: int) -> int:
    """The most bytes that records may decompress to which take ``compressed_bytes`` in their batch."""
    return min(MAX_DECOMPRESSED_BYTES, _FREE_DECOMPRESSED_BYTES + _DECOMPRESSED_TIMES_SIZE * compressed_bytes)


def most_bytes_of_request(request_bytes: int) -> int:
    """The most bytes that the compressed batches of a request of this size may decompress to, all together."""
    return _FREE_REQUEST_BYTES + _DECOMPRESSED_TIMES_SIZE * request_bytes


def most_units_of_request(request_bytes: int) -> int:
    """The most records and headers that the batches of a request of this size may have, all together."""
    return _FREE_UNITS + _UNITS_A_BYTE * request_bytes
