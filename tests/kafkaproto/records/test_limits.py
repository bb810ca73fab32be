"""How far a batch may decompress."""

from __future__ import annotations

from kafkaproto.records.compression import MAX_DECOMPRESSED_BYTES
from kafkaproto.records.limits import most_decompressed_bytes


def test_small_batches_may_grow_more_and_none_without_limit() -> None:
    assert most_decompressed_bytes(0) == 4 << 20
    assert most_decompressed_bytes(1_000) == (4 << 20) + 100_000
    assert most_decompressed_bytes(1 << 30) == MAX_DECOMPRESSED_BYTES
