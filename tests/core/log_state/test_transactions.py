"""The transaction index: which aborted transactions concern a reader, and how much is looked at for that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.core.log_state.transactions import aborted_between


def aborted(
    producer_id: int, first_offset: int, last_offset: int, last_stable_offset: int
) -> AbortedTransaction:
    return AbortedTransaction(
        producer_id=producer_id,
        first_offset=first_offset,
        last_offset=last_offset,
        last_stable_offset=last_stable_offset,
    )


INDEX = [
    aborted(1, 10, 19, 15),
    aborted(2, 15, 29, 20),
    aborted(3, 25, 34, 20),
    aborted(1, 20, 39, 40),
    aborted(2, 40, 49, 50),
]


class Counted(Sequence[AbortedTransaction]):
    """An index that counts what is read of it."""

    def __init__(self, entries: Sequence[AbortedTransaction]) -> None:
        self._entries = entries
        self.read: list[int] = []

    @overload
    def __getitem__(self, at: int) -> AbortedTransaction: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[AbortedTransaction]: ...
    def __getitem__(self, at: int | slice) -> AbortedTransaction | Sequence[AbortedTransaction]:
        assert isinstance(at, int)
        self.read.append(at)
        return self._entries[at]

    def __len__(self) -> int:
        return len(self._entries)


def test_transactions_that_overlap_with_the_range_concern_its_reader() -> None:
    assert aborted_between(INDEX, 0, 100) == [(1, 10), (2, 15), (3, 25), (1, 20), (2, 40)]
    assert aborted_between(INDEX, 19, 20) == [(1, 10), (2, 15)]
    assert aborted_between(INDEX, 20, 20) == [(2, 15)]
    assert aborted_between(INDEX, 20, 25) == [(2, 15), (1, 20)]
    assert aborted_between(INDEX, 20, 26) == [(2, 15), (3, 25), (1, 20)]
    assert aborted_between(INDEX, 49, 50) == [(2, 40)]
    assert aborted_between(INDEX, 50, 60) == []


def test_the_index_is_read_until_no_later_transaction_can_concern_the_reader() -> None:
    """The last stable offset of an entry says where the next transactions begin at the earliest. Otherwise a reader of
    old records would read all of a long index."""
    for end_offset in (39, 40):
        index = Counted([*INDEX[:4], *(aborted(2, 40 + number, 1000 + number, 40) for number in range(1000))])
        assert aborted_between(index, 30, end_offset) == aborted_between(INDEX, 30, end_offset)
        # The search for the first one reads others before.
        assert index.read[-2:] == [2, 3]
