"""Changes that no batch can hold are metadata transactions (KIP-868): seen whole or not at all.

A broker that leads 20,000 partitions is fenced by more records than a batch takes. Batches are committed one by one,
so without more ado others would see the change half done, and a controller that fails between two batches would leave
it so. Therefore such records stand between a BeginTransactionRecord and an EndTransactionRecord: whoever reads the log
shows none of them before the last, and the next controller takes an open transaction back before all else
(`controller.core.activation`). The batches are appended one by one as they are made, so that they are replicated
while the rest is still being made. Stock controllers leave such a change bare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kafkaproto.message import Message
from kafkaproto.messages import BeginTransactionRecord, EndTransactionRecord
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.controller.values.batches import batch_ends
from kafkaproto_server.image.loader import ABORT_TRANSACTION, BEGIN_TRANSACTION, END_TRANSACTION
from kafkaproto_server.types import Steps

TRANSACTION_NAME = "Records of several batches"
_MARKERS = (BEGIN_TRANSACTION, END_TRANSACTION, ABORT_TRANSACTION)


Fitted: TypeAlias = tuple[Sequence[Message], Sequence[bytes], tuple[int, ...]]
"""Records, their bytes, and where each batch ends."""


def fitted(records: Sequence[Message], encoded: Sequence[bytes]) -> Steps[Fitted]:
    """The records of one change and their bytes, within a transaction where one batch does not hold them.

    The third value says where each batch ends, as `batch_ends` does. Records of which the first one marks a transaction
    stay as they are.
    """
    ends = yield from batch_ends(encoded)
    if len(ends) <= 1 or records[0].API_KEY in _MARKERS:
        return records, encoded, ends
    framed = [BeginTransactionRecord(name=TRANSACTION_NAME), *records, EndTransactionRecord()]
    framed_bytes = [encode_metadata_record(framed[0], 0), *encoded, encode_metadata_record(framed[-1], 0)]
    return framed, framed_bytes, (yield from batch_ends(framed_bytes))
