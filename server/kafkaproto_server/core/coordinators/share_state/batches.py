"""Puts batches over those that a share partition has: of each record, the one that was delivered most often counts.

If two batches have the same delivery count, the higher delivery state counts: AVAILABLE, ACKNOWLEDGED, ARCHIVING,
ARCHIVED. What lies before the start offset is left out, and neighbours that are alike become one batch. So the result
does not depend on the order in which batches come, apart from the start offset.

The batches of a share partition are in order, do not overlap, and neighbours differ. So only those are looked at that
the new ones touch. A single batch is taken as it is, whatever it says: a record may have brought it. It is refused only
if there are others to combine it with. Apache Kafka has this in PersisterStateBatchCombiner.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from kafkaproto_server.core.coordinators.share_state.packed_batches import Batches, PackedBatches
from kafkaproto_server.requests.share_state import (
    ACKNOWLEDGED,
    ARCHIVED,
    ARCHIVING,
    AVAILABLE,
    NO_START_OFFSET,
    StateBatch,
)

assert AVAILABLE < ACKNOWLEDGED < ARCHIVING < ARCHIVED, "delivery states are compared by their numbers"

_LAST_OFFSET = 2**63 - 1
"""Nothing is behind it, so that no batch may end there."""
_Rank = tuple[int, int]
"""Delivery count and delivery state, both negative: the lowest one counts."""


class BatchError(Exception):
    """A batch ends before it begins, and there are others."""


def is_in_order(batches: Sequence[StateBatch]) -> bool:
    """Whether these are as the batches of a share partition have to be."""
    return all(map(_is_sound, batches)) and all(
        before.last_offset < after.first_offset
        and (before.last_offset + 1 < after.first_offset or before[2:] != after[2:])
        for before, after in pairwise(batches)
    )


def check_combinable(so_far: Batches, new: Batches, start_offset: int) -> None:
    """Raises BatchError if `combined` would."""
    _checked(_later_ones(so_far, start_offset), _from(new, start_offset))


def combined(so_far: Batches, new: Batches, start_offset: int) -> Batches:
    """The batches of ``so_far``, which are in order, and the new ones, as one.

    Raises BatchError if one of several ends before it begins.
    """
    so_far, new = _later_ones(so_far, start_offset), _from(new, start_offset)
    _checked(so_far, new)
    # A single batch may be one that a record has brought, and is not judged.
    if len(so_far) + len(new) < 2 or not new:
        return so_far or new
    if not so_far and is_in_order(new):
        return new
    # Those that touch the new ones: a neighbour may be alike.
    first = min(each.first_offset for each in new)
    last = max(each.last_offset for each in new)
    # One offset further on each side: neighbours that are alike become one.
    begin = bisect_left(so_far, first - 1, key=_last)
    # Batches of a record may be anything. The range must not be a negative one.
    end = max(begin, bisect_right(so_far, last + 1, key=_first))
    # Only what the new batches touch becomes objects; the others are copied as bytes.
    if isinstance(so_far, PackedBatches):
        return so_far.spliced(begin, end, _swept((*so_far[begin:end], *new)))
    return (*so_far[:begin], *_swept((*so_far[begin:end], *new)), *so_far[end:])


def _checked(so_far: Batches, new: Batches) -> None:
    if new and len(so_far) + len(new) > 1 and not all(map(_is_sound, (*so_far[:1], *new))):
        raise BatchError


def _later_ones(batches: Batches, start_offset: int) -> Batches:
    """As `_from`, for batches in order: most are not looked at."""
    # The usual case: the start offset has not moved into a batch.
    if not batches or start_offset <= batches[0].first_offset:
        return batches
    # Batches that end before it go; only the next one may have to be cut.
    begin = bisect_left(batches, start_offset, key=_last)
    if isinstance(batches, PackedBatches):
        return batches.spliced(0, begin + 1, _from(batches[begin : begin + 1], start_offset))
    return _from(batches[begin : begin + 1], start_offset) + batches[begin + 1 :]


def _from(batches: Batches, start_offset: int) -> tuple[StateBatch, ...]:
    """What of the batches lies at the start offset or behind."""
    if start_offset == NO_START_OFFSET:
        return tuple(batches)
    return tuple(
        each if each.first_offset >= start_offset else each._replace(first_offset=start_offset)
        for each in batches
        if each.last_offset >= start_offset
    )


def _swept(batches: Iterable[StateBatch]) -> list[StateBatch]:
    """Batches in any order as batches in order: from each offset at which one begins or ends, another one may count."""
    changes: list[tuple[int, int, _Rank]] = []
    for first, last, state, count in batches:
        # Negative, as a heap has its lowest element first.
        rank = (-count, -state)
        changes += ((first, 1, rank), (last + 1, -1, rank))
    # Ends come before begins at the same offset (-1 before 1), so that no batch is open where the next one begins.
    changes.sort()
    open_ones: Counter[_Rank] = Counter()
    ranks: list[_Rank] = []
    result: list[StateBatch] = []
    begin = 0
    for offset, change, rank in changes:
        # What is over is removed once it would count.
        # A heap cannot remove what is not on top.
        while ranks and not open_ones[ranks[0]]:
            heapq.heappop(ranks)
        if ranks and begin < offset:
            _append(result, begin, offset - 1, ranks[0])
        begin = offset
        open_ones[rank] += change
        # Once for each rank: several batches that are alike count as one.
        if change > 0 and open_ones[rank] == 1:
            heapq.heappush(ranks, rank)
    return result


def _append(result: list[StateBatch], first: int, last: int, rank: _Rank) -> None:
    batch = StateBatch(first, last, -rank[1], -rank[0])
    if result and result[-1].last_offset + 1 == first and result[-1][2:] == batch[2:]:
        result[-1] = result[-1]._replace(last_offset=last)
    else:
        result.append(batch)


def _is_sound(batch: StateBatch) -> bool:
    return batch.first_offset <= batch.last_offset < _LAST_OFFSET


def _first(batch: StateBatch) -> int:
    return batch.first_offset


def _last(batch: StateBatch) -> int:
    return batch.last_offset
