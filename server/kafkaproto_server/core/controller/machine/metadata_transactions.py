"""Metadata transactions (KIP-868) for changes that one batch cannot hold: others see the whole change or nothing of it.

To fence a broker that leads 20,000 partitions takes more records than a batch holds. Batches are committed one by one.
Without a transaction others would see the change half done, and if the controller failed between two batches, it would
stay so. Therefore such records stand between a BeginTransactionRecord and an EndTransactionRecord. Readers of the log
show none of them before the last one, and the next controller first aborts an open transaction
(`core.controller.machine.activation`). The batches are appended one by one as they are made, so that they are
replicated while the others are still being made. Apache Kafka's controllers use no transaction for such a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kafkaproto.message import Message
from kafkaproto.messages import BeginTransactionRecord, EndTransactionRecord
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.values.batches import batch_ends
from kafkaproto_server.metadata.image.loader import ABORT_TRANSACTION, BEGIN_TRANSACTION, END_TRANSACTION

TRANSACTION_NAME = "Records of several batches"
_MARKERS = (BEGIN_TRANSACTION, END_TRANSACTION, ABORT_TRANSACTION)


Fitted: TypeAlias = tuple[Sequence[Message], Sequence[bytes], tuple[int, ...]]
"""Records, their bytes, and the end of each batch."""


def fitted(records: Sequence[Message], encoded: Sequence[bytes]) -> Steps[Fitted]:
    """The records of one change and their bytes, within a transaction if one batch does not hold them.

    The third value has the end of each batch, as `batch_ends` returns it. If the first record marks a transaction, the
    records stay as they are.
    """
    assert len(records) == len(encoded), f"{len(records)} records, {len(encoded)} of them encoded"
    ends = yield from batch_ends(encoded)
    # A batch is atomic by itself, and transactions do not nest: a Begin within another one stops
    # every reader.
    if len(ends) <= 1 or records[0].API_KEY in _MARKERS:
        return records, encoded, ends
    # A list of its own: the caller's may be a tuple, or shared with its response.
    framed = [BeginTransactionRecord(name=TRANSACTION_NAME), *records, EndTransactionRecord()]
    framed_bytes = [encode_metadata_record(framed[0], 0), *encoded, encode_metadata_record(framed[-1], 0)]
    assert len(framed) == len(framed_bytes), "each record of the transaction is encoded"
    return framed, framed_bytes, (yield from batch_ends(framed_bytes))
