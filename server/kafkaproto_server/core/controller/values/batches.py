"""Limits of a batch of the metadata log, and how records are divided into batches.

Apache Kafka: ``QuorumController.MAX_RECORDS_PER_USER_OP`` and ``BatchAccumulator``.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import BATCH_HEADER_BYTES, MAX_BATCH_BYTES

# Kafka's number for one user operation.
MAX_RECORDS_PER_BATCH = 10_000
"""A request that has to be one batch and needs more records is refused; other changes may take several batches."""

_RECORD_OVERHEAD_BYTES = 19
"""At most: two five-byte lengths, a five-byte offset delta, and four fields of one byte."""
_VALUES_PER_STEP = 64
"""Adding up so many sizes takes some ten microseconds."""


def batch_ends(values: Sequence[bytes]) -> Steps[tuple[int, ...]]:
    """The end of each batch (index after its last record) if each batch takes as many records as it can."""
    ends = []
    start, size = 0, BATCH_HEADER_BYTES
    for index, value in enumerate(values):
        record_size = len(value) + _RECORD_OVERHEAD_BYTES
        # A record that alone exceeds the limit stands alone. To end a batch before its first record
        # would make an empty batch.
        if index > start and (index - start == MAX_RECORDS_PER_BATCH or size + record_size > MAX_BATCH_BYTES):
            ends.append(index)
            start, size = index, BATCH_HEADER_BYTES
        size += record_size
        if index % _VALUES_PER_STEP == _VALUES_PER_STEP - 1:
            yield
    if values:
        ends.append(len(values))
    assert not values or ends[-1] == len(values), "every record is in a batch"
    return tuple(ends)
