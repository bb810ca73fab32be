"""Whether the leader epochs that a replica knows are those of the batches in its log.

Followers are told by them where their logs diverge. A wrong one is not seen as long as nobody is behind it: the replica
that is behind cuts what it should keep.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.sim.nodes.data.logs import Batch

Entries = Sequence[tuple[int, int]]
"""Epochs with their start offsets, ascending."""


def wrong_epochs(
    entries: Entries, batches: Sequence[Batch], log_start: int
) -> tuple[Entries, Entries] | None:
    """What a replica believes of the epochs that have batches, and what the batches say, if these differ; of a log that
    lacks no batch. ``log_start``: where it starts, maybe within a batch."""
    kept = [each for each in batches if each.next_offset > log_start]
    told: dict[int, int] = {}
    for each in kept:
        told.setdefault(each.epoch, max(each.base_offset, log_start))
    end = kept[-1].next_offset if kept else log_start
    believed = [(epoch, start) for epoch, start in entries if start < end]
    said = list(told.items())
    return None if believed == said else (believed, said)
