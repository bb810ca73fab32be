"""The ids of the producers of one log, in the order in which it got to know them, to be walked over some at a time.

A log may know a million producers. To copy the ids of all, or to begin a walk over a dict of them, takes 60 ms if the
ids are random: each is an object at a place of its own. So they lie beside the dict, in pages of plain numbers.

Ours alone: ProducerStateManager of Apache Kafka walks over its map of all producers at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from heapq import merge
from itertools import chain, islice

IDS_PER_PAGE = 2_000


class ProducerIds:
    """Ids, each once. Only `add` and `keep` change them."""

    __slots__ = ("_pages",)

    def __init__(self) -> None:
        # Only the last one grows in place. A walk knows how long each was when it began.
        self._pages: list[array[int]] = []

    def add(self, producer_id: int) -> None:
        """Add an id that is not there."""
        if not self._pages or len(self._pages[-1]) >= IDS_PER_PAGE:
            self._pages.append(array("q"))
        self._pages[-1].append(producer_id)
        assert len(self._pages[-1]) <= IDS_PER_PAGE, "a step looks at one page"

    def walk(self) -> tuple[Iterator[int], int]:
        """The ids that are there now, whatever is changed meanwhile; and how many they are."""
        pages = [(page, len(page)) for page in self._pages]
        ids = chain.from_iterable(islice(page, count) for page, count in pages)
        return ids, sum(count for _, count in pages)

    def ascending(self) -> Iterator[int]:
        """All ids, ascending. They are not sorted at once, as that would keep other threads from running."""
        return merge(*map(sorted, self._pages))

    def keep(self, is_kept: Callable[[int], bool]) -> Iterator[None]:
        """Remove the ids for which ``is_kept`` says no, a page in a step."""
        index = 0
        while index < len(self._pages):
            page = self._pages[index]
            # A new page, as a walk may be under way over the old one.
            kept = array("q", filter(is_kept, page))
            if len(kept) == len(page):
                index += 1
            # Pages that have become small are put together, or a log whose producers come and go would have thousands
            # of them.
            elif index and len(self._pages[index - 1]) + len(kept) <= IDS_PER_PAGE:
                self._pages[index - 1 : index + 1] = [self._pages[index - 1] + kept]
            else:
                self._pages[index] = kept
                index += 1
            yield
