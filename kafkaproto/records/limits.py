"""How far the records of one batch may decompress.

The check of what producers send and the cleaner of compacted topics have the same limit: twice so much is in memory for
a moment. Real records do not shrink so much.
"""

from __future__ import annotations

from kafkaproto.records.compression import MAX_DECOMPRESSED_BYTES

_FREE_DECOMPRESSED_BYTES = 4 * 1024 * 1024
_DECOMPRESSED_TIMES_SIZE = 100


def most_decompressed_bytes(compressed_bytes: int) -> int:
    """The most bytes that records may decompress to which take ``compressed_bytes`` in their batch."""
    return min(MAX_DECOMPRESSED_BYTES, _FREE_DECOMPRESSED_BYTES + _DECOMPRESSED_TIMES_SIZE * compressed_bytes)
