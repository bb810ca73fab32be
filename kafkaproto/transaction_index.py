"""``<base offset>.txnindex`` of a segment, as bytes: the aborted transactions whose markers lie in that segment.

A consumer with the isolation level read_committed gets the aborted transactions along with the records of a fetch,
and skips their records (KIP-98). This module does no I/O. The file is entries of 34 bytes back to back, all numbers
big endian: int16 version 0, then the four int64 of `AbortedTransaction`. A transaction enters when it ends, so the
entries ascend by last offset and not by first offset. Apache Kafka has the format in TransactionIndex and in the
schema AbortedTxn.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from struct import error as StructError
from typing import NamedTuple

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer

TRANSACTION_INDEX_SUFFIX = ".txnindex"
VERSION = 0
_ENTRY = Struct(">hqqqq")
ENTRY_SIZE = _ENTRY.size


class AbortedTransaction(NamedTuple):
    """A transaction that was aborted."""

    producer_id: int
    first_offset: int
    """Offset of the transaction's first record in this partition."""
    last_offset: int
    """Offset of the marker that ends the transaction."""
    last_stable_offset: int
    """Where the oldest transaction that was still open began; the offset after the marker if none was open.

    Later entries concern no offset below it, so a search for the transactions of a range of offsets ends at the first
    entry whose last stable offset is not below the range's end.
    """


def encode_aborted_transaction(transaction: AbortedTransaction) -> bytes:
    """34 bytes to append to the index. Raises LocalProtocolError if a number does not fit in its field."""
    try:
        return _ENTRY.pack(VERSION, *transaction)
    except StructError:
        raise LocalProtocolError(f"{transaction} does not fit in a transaction index") from None


def iterate_transaction_index(data: Buffer) -> Iterator[AbortedTransaction]:
    """The entries in the order of their last offsets.

    Raises RemoteProtocolError if the bytes are no whole number of entries, the version of one is not 0, or the last
    offsets do not ascend. The first is known at once, the others when their entry is reached.
    """
    if len(data) % ENTRY_SIZE:
        raise RemoteProtocolError(
            f"{len(data)} bytes are no whole number of {ENTRY_SIZE}-byte entries",
            offset=len(data) - len(data) % ENTRY_SIZE,
        )
    previous = -1
    for number, (version, *fields) in enumerate(_ENTRY.iter_unpack(data)):
        if version != VERSION:
            raise RemoteProtocolError(
                f"aborted transaction version {version} is unknown, only 0 is known",
                offset=number * ENTRY_SIZE,
            )
        transaction = AbortedTransaction._make(fields)
        if transaction.last_offset <= previous:
            raise RemoteProtocolError(
                f"{transaction} does not ascend from last offset {previous}", offset=number * ENTRY_SIZE
            )
        yield transaction
        previous = transaction.last_offset
