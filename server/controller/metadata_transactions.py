"""Changes that no batch can hold are metadata transactions (KIP-868): seen whole or not at all.

A broker that leads 20,000 partitions is fenced by more records than a batch takes. Batches are committed one by one,
so without more ado others would see the change half done, and a controller that fails between two batches would leave
it so. Therefore such records stand between a BeginTransactionRecord and an EndTransactionRecord: whoever reads the log
shows none of them before the last, and the next controller takes an open transaction back before all else
(`server.controller.activation`). Stock controllers leave such a change bare.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.message import Message
from kafkaproto.messages import BeginTransactionRecord, EndTransactionRecord
from kafkaproto.records.metadata import encode_metadata_record
from server.controller.batches import batch_ends
from server.image.loader import ABORT_TRANSACTION, BEGIN_TRANSACTION, END_TRANSACTION

TRANSACTION_NAME = "Records of several batches"
_MARKERS = (BEGIN_TRANSACTION, END_TRANSACTION, ABORT_TRANSACTION)


def fitted(
    records: Sequence[Message], encoded: Sequence[bytes]
) -> tuple[Sequence[Message], Sequence[bytes], tuple[int, ...]]:
    """The records of one change and their bytes, within a transaction where one batch does not hold them.

    The third value says where each batch ends, as `batch_ends` does. Records that mark transactions by themselves stay
    as they are.
    """
    ends = tuple(batch_ends(encoded))
    if len(ends) <= 1 or any(record.API_KEY in _MARKERS for record in records):
        return records, encoded, ends
    framed = [BeginTransactionRecord(name=TRANSACTION_NAME), *records, EndTransactionRecord()]
    framed_bytes = [encode_metadata_record(framed[0], 0), *encoded, encode_metadata_record(framed[-1], 0)]
    return framed, framed_bytes, tuple(batch_ends(framed_bytes))
