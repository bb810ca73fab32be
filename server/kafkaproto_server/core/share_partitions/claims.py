"""Offsets that a batch of the log claims and has no records at.

Members acquire whole batches. Compaction leaves gaps in them, which members acknowledge as such. But a batch may claim
billions of offsets and have a few records, if an older release or another server has taken it: a member would make a
list of them, and each could be rejected. So a batch that claims very many offsets is looked at, and its long gaps are
not delivered.

Apache Kafka counts the records of a batch only when a producer sends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.compression import TooLongError
from kafkaproto.records.limits import most_decompressed_bytes
from kafkaproto.records.record import MIN_RECORD_SIZE
from kafkaproto.records.survey import located_records
from kafkaproto_server.core.share_partitions.acquiring import LogBatch

MANY_OFFSETS: Final = 100_000
"""A batch that claims at most this many is not looked at."""
LONG_GAP: Final = 10_000
"""Shorter gaps are delivered and acknowledged, as Apache Kafka does it."""
MOST_RECORDS: Final = 200_000
"""So many are looked at, which takes a tenth of a second. There may be more of them if there are bytes for more."""


def claims_many(batches: Iterable[RecordBatchView]) -> bool:
    """Whether some batch has to be looked at, which takes long."""
    return any(each.last_offset_delta >= MANY_OFFSETS for each in batches)


def long_gaps(batches: Iterable[RecordBatchView]) -> Sequence[LogBatch]:
    """The long gaps in batches that claim many offsets."""
    gaps: list[LogBatch] = []
    for each in batches:
        if each.last_offset_delta >= MANY_OFFSETS:
            gaps += _gaps_of(each)
    return gaps


def _gaps_of(batch: RecordBatchView) -> list[LogBatch]:
    base, last_delta = batch.base_offset, batch.last_offset_delta
    most = most_decompressed_bytes(batch.size_in_bytes)
    gaps: list[LogBatch] = []
    # The delta behind the last record.
    following = 0
    try:
        data = batch.plain_records(most)
        left = len(data)
        for delta, position, end in islice(located_records(data, batch.record_count), MOST_RECORDS):
            left -= end - position
            # Offsets that go back, or beyond the batch, say nothing: any sender may have claimed them.
            if following <= delta <= last_delta:
                if delta - following >= LONG_GAP:
                    gaps.append(LogBatch(base + following, base + delta - 1))
                following = delta + 1
    except TooLongError:
        left = most
    except RemoteProtocolError:
        # What follows is nothing that a member can read.
        left = 0
    # What was not looked at may have this many records: none of them must be taken for a gap.
    following += left // MIN_RECORD_SIZE
    if last_delta + 1 - following >= LONG_GAP:
        gaps.append(LogBatch(base + following, base + last_delta))
    return gaps
