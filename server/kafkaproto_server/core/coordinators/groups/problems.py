"""What makes no sense in the records of groups, and is mended while they are read.

Anybody who may write to ``__consumer_offsets`` may have written them. A group keeps what can be used, above all its
offsets; members that make no sense join again. Kafka's GroupMetadataManager takes such records over as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from kafkaproto_server.base.error_texts import quoted

EPOCH_LIMIT = 2**31 - 1_000_000
"""An epoch is an int32. No group comes so far; one that did could not have a next epoch some time later."""
EPOCH_PROBLEM = "an epoch is out of range"


class MaybeMended(Protocol):
    """A group of any kind."""

    problem: str | None
    """What made no sense in its records; None if all did."""


def is_epoch(epoch: int) -> bool:
    """Whether a group may have this epoch."""
    return -1 <= epoch < EPOCH_LIMIT


def usable_epoch(group: MaybeMended, epoch: int) -> int:
    """An epoch of a record, or 0 and a problem of the group."""
    if is_epoch(epoch):
        return epoch
    group.problem = EPOCH_PROBLEM
    return 0


def problems_of(kinds: Iterable[Mapping[str, MaybeMended]]) -> list[str]:
    """A sentence for each group whose records made no sense."""
    return [
        f"What is known of group {quoted(group_id)} had to be mended: {group.problem}."
        for groups in kinds
        for group_id, group in groups.items()
        if group.problem is not None
    ]
