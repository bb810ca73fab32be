"""How many records share a batch of the metadata log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MAX_RECORDS_PER_BATCH = 10_000
"""A request for more is refused; what the controller does by itself may take several batches."""
MAX_BATCH_BYTES = 8 * 1024 * 1024
"""Largest batch; stock nodes hold batches in buffers of this size."""

_BATCH_HEADER_BYTES = 61
_RECORD_OVERHEAD_BYTES = 19
"""At most: two five-byte lengths, a five-byte offset delta, and four fields of one byte."""


def batch_ends(values: Sequence[bytes]) -> Iterator[int]:
    """Where each batch ends (index after its last record) if the batches take as many records as they can."""
    start, size = 0, _BATCH_HEADER_BYTES
    for index, value in enumerate(values):
        record_size = len(value) + _RECORD_OVERHEAD_BYTES
        if index > start and (index - start == MAX_RECORDS_PER_BATCH or size + record_size > MAX_BATCH_BYTES):
            yield index
            start, size = index, _BATCH_HEADER_BYTES
        size += record_size
    if values:
        yield len(values)
