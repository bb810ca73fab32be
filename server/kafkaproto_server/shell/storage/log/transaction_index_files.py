"""The transaction indexes of a log: ``<base offset>.txnindex`` beside each segment that holds the marker of an aborted
transaction.

Entries are few, and all of them are in memory with whoever runs the partition. The files are read when the log is
opened, get an entry for each transaction that is aborted, and lose those that are cut off with their markers. What a
crash has made of the newest of them, nobody knows: these follow from the batches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import parse_segment_file_name, segment_file_name
from kafkaproto.transaction_index import (
    ENTRY_SIZE,
    TRANSACTION_INDEX_SUFFIX,
    AbortedTransaction,
    encode_aborted_transaction,
    iterate_transaction_index,
)
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.deletion import mark_deleted
from kafkaproto_server.shell.storage.log.unsynced import sync


class IndexFile(NamedTuple):
    """One of them as it lies on the disk."""

    entries: list[AbortedTransaction]
    """Those before the first one that is damaged or cut short."""
    is_whole: bool
    """Whether there is nothing else in it."""


def index_path(directory: str, segment_base: int) -> str:
    """The path of the index of the segment that begins at ``segment_base``, whether it has one or not."""
    return f"{directory}/{segment_file_name(segment_base, TRANSACTION_INDEX_SUFFIX)}"


def by_segment(
    bases: Sequence[int], aborted: Sequence[AbortedTransaction]
) -> Iterator[tuple[int, list[AbortedTransaction]]]:
    """Transactions in the order of their ends, by the segment that holds the marker of each: ``bases`` are those of the
    log's segments."""
    for index, part in groupby(aborted, lambda each: bisect_right(bases, each.last_offset)):
        yield bases[index - 1], list(part)


def sync_aborted(disk: Disk, directory: str, segment_bases: Iterable[int]) -> None:
    """Make the indexes of some segments durable. Raises OSError."""
    for base in segment_bases:
        path = index_path(directory, base)
        if disk.exists(path):
            file = disk.open(path)
            try:
                sync(file)
            finally:
                file.close()


def read_indexes(disk: Disk, directory: str, names: list[str]) -> dict[int, IndexFile]:
    """The indexes of a log by the bases of their segments, ascending. ``names`` are those in the directory. Raises
    OSError."""
    return {base: _read(disk, index_path(directory, base)) for base in sorted(_bases(names))}


def write_index(
    disk: Disk, directory: str, segment_base: int, transactions: Sequence[AbortedTransaction]
) -> None:
    """Let the index of a segment have these transactions and nothing else, durably on return. Raises OSError."""
    file = disk.open(index_path(directory, segment_base), create=True)
    try:
        file.truncate(0)
        file.append([encode_aborted_transaction(each) for each in transactions])
        sync(file)
    finally:
        file.close()


def append_aborted(
    disk: Disk, directory: str, segment_base: int, transactions: Sequence[AbortedTransaction]
) -> None:
    """Add transactions whose markers lie in the segment that begins at ``segment_base``. Raises OSError."""
    file = disk.open(index_path(directory, segment_base), create=True)
    try:
        file.append([encode_aborted_transaction(each) for each in transactions])
    finally:
        file.close()


def cut_aborted(disk: Disk, directory: str, segment_bases: Collection[int], end_offset: int) -> list[str]:
    """Remove the entries of transactions that ended at ``end_offset`` or later, and mark the files of segments as
    deleted that are gone. Returns the new paths of these. Raises OSError."""
    deleted = []
    for base in _bases(disk.list_directory(directory)):
        path = index_path(directory, base)
        if base not in segment_bases:
            deleted += mark_deleted(disk, [path])
            continue
        kept = sum(each.last_offset < end_offset for each in _read(disk, path).entries)
        file = disk.open(path)
        try:
            # Entries are in the order of the ends of their transactions, so those that go are the last ones.
            file.truncate(kept * ENTRY_SIZE)
        finally:
            file.close()
    return deleted


def write_cleaned_index(
    disk: Disk, directory: str, segment_base: int, suffix: str, transactions: Sequence[AbortedTransaction]
) -> None:
    """Write the index of a segment that compaction has made, durably on return; its name ends with ``suffix``. Without
    transactions there is no file. Raises OSError."""
    if not transactions:
        return
    file = disk.open(index_path(directory, segment_base) + suffix, create=True)
    try:
        file.truncate(0)
        file.append([encode_aborted_transaction(each) for each in transactions])
        file.sync()
    finally:
        file.close()


def delete_index(disk: Disk, directory: str, segment_base: int) -> list[str]:
    """Mark the file of a segment as deleted, if there is one. Returns its new path. Raises OSError."""
    path = index_path(directory, segment_base)
    return mark_deleted(disk, [path]) if disk.exists(path) else []


def _bases(names: list[str]) -> list[int]:
    return [
        base
        for name in names
        if (base := parse_segment_file_name(name, TRANSACTION_INDEX_SUFFIX)) is not None
    ]


def _read(disk: Disk, path: str) -> IndexFile:
    data = disk.read_file(path)
    entries = []
    try:
        for entry in iterate_transaction_index(data[: len(data) - len(data) % ENTRY_SIZE]):
            entries.append(entry)
    # What was read before counts, and the caller learns that the file is not whole.
    except RemoteProtocolError:
        pass
    return IndexFile(entries, is_whole=len(entries) * ENTRY_SIZE == len(data))
