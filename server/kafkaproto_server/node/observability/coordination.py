"""What a broker's coordinators and share partitions are at one moment, copied in the event loop for `/metrics`.

The numbers are kept where things happen, so to copy them costs some microseconds for each partition of an internal
topic. Only share partitions are looked at one by one, no more than a thousand of them.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from msgspec import structs

from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.shell.coordinators.groups.groups import GroupCoordinators
from kafkaproto_server.shell.coordinators.led import LedCounts
from kafkaproto_server.shell.coordinators.share_state.share_state import ShareCoordinators
from kafkaproto_server.shell.coordinators.transactions.transactions import TransactionCoordinators
from kafkaproto_server.shell.share_partitions.dead_letters import DeadLetterCounts
from kafkaproto_server.shell.share_partitions.service import ShareService

MAX_SHARE_PARTITIONS: Final = 1_000
"""How many share partitions have series of their own."""


class SharePartitionNumbers(NamedTuple):
    group_id: str
    topic: str
    partition: int
    in_flight: int
    batches: int
    lock_timeouts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordination:
    """The coordinators of a broker and what belongs to them."""

    metrics: CoordinatorMetrics
    groups: GroupCoordinators
    transactions: TransactionCoordinators
    share: ShareCoordinators
    share_service: ShareService


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinationMoment:
    """The values that only the event loop may read, as of one moment."""

    metrics: CoordinatorMetrics
    classic: Mapping[str, int]
    """Groups by state."""
    consumer: Mapping[str, int]
    share: Mapping[str, int]
    streams: Mapping[str, int]
    offsets: int
    led_groups: LedCounts
    """Partitions of ``__consumer_offsets``."""
    led_share: LedCounts
    """Partitions of ``__share_group_state``."""
    leaderless_markers: int
    unwritten_completions: int
    pruned: Mapping[int, int]
    """Offset by partition."""
    sessions: int
    session_partitions: int
    dead_letters: Mapping[str, DeadLetterCounts]
    """By share group."""
    share_partitions: Sequence[SharePartitionNumbers]


def coordination_moment(coordination: Coordination) -> CoordinationMoment:
    """The values of this moment; for the event loop."""
    metrics, service = coordination.metrics, coordination.share_service
    groups = [each.counts for each in coordination.groups.led.loaded()]
    transactions = list(coordination.transactions.led.loaded())
    return CoordinationMoment(
        metrics=metrics,
        classic=_by_state(each.classic for each in groups),
        consumer=_by_state(each.consumer for each in groups),
        share=_by_state(each.share for each in groups),
        streams=_by_state(each.streams for each in groups),
        offsets=sum(each.offsets for each in groups),
        led_groups=coordination.groups.led.counts,
        led_share=coordination.share.led.counts,
        leaderless_markers=sum(each.leaderless_markers for each in transactions),
        unwritten_completions=sum(each.unwritten_completions for each in transactions),
        pruned=coordination.share.pruned_offsets(),
        sessions=len(service.sessions),
        session_partitions=service.sessions.partition_count,
        dead_letters={group: structs.replace(each) for group, each in service.dead_letters.counts.items()},
        share_partitions=[
            SharePartitionNumbers(
                each.key.group_id,
                each.hosted.partition.topic,
                each.key.partition,
                each.core.in_flight_count,
                len(each.core.in_flight),
                each.lock_timeouts,
            )
            for each in islice(service.partitions(), MAX_SHARE_PARTITIONS)
            if each.core is not None
        ],
    )


def _by_state(kinds: Iterable[Mapping[enum.Enum, int]]) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for kind in kinds:
        for state, number in kind.items():
            found[state.value] += number
    return found
