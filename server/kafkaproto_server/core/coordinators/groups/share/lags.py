"""What DescribeShareGroupOffsets responds: start offsets from share coordinators, lags from the partitions' leaders.

This needs no group: whoever knows the persister can respond, as Apache Kafka does. Only which partitions a group has is
known to its coordinator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.share.state_requests import Results, ask_for_all
from kafkaproto_server.core.coordinators.values import Surroundings
from kafkaproto_server.requests.share_group_requests import (
    LatestOffset,
    LatestOffsets,
    ShareOffset,
    TopicIdPartition,
)
from kafkaproto_server.requests.share_state import (
    NO_DELIVERY_COMPLETE_COUNT,
    NO_LEADER_EPOCH,
    NO_START_OFFSET,
    Done,
    Persister,
    ShareStateResult,
)

_LONG_LIMIT = 1 << 63

OffsetOf = Callable[[TopicIdPartition], ShareOffset]
OffsetsFound = Callable[[OffsetOf], None]


class ShareLags:
    """Looks at the states of partitions."""

    def __init__(
        self, surroundings: Surroundings, persister: Persister, latest_offsets: LatestOffsets
    ) -> None:
        self._surroundings = surroundings
        self._persister = persister
        self._latest_offsets = latest_offsets

    def find(self, group_id: str, partitions: Sequence[TopicIdPartition], found: OffsetsFound) -> None:
        """Find offset and lag of each partition, and pass on what makes them: there may be very many. A partition whose
        state cannot be read has none."""

        def ask(partition: TopicIdPartition, asked: Done) -> None:
            self._persister.read_summary(group_id, *partition, NO_LEADER_EPOCH, asked)

        ask_for_all(
            self._surroundings, partitions, ask, lambda results: self._find_ends(partitions, results, found)
        )

    def _find_ends(
        self, partitions: Sequence[TopicIdPartition], results: Results, found: OffsetsFound
    ) -> None:
        lagging = [each for each in partitions if _has_lag(results[each])]

        def done(ends: Mapping[TopicIdPartition, LatestOffset]) -> None:
            found(lambda each: _offset(each.partition, results[each], ends.get(each)))

        if lagging:
            self._latest_offsets(lagging, done)
        else:
            done({})


def _has_lag(result: ShareStateResult) -> bool:
    return (
        result.state is not None
        and result.state.start_offset != NO_START_OFFSET
        and result.state.delivery_complete_count != NO_DELIVERY_COMPLETE_COUNT
    )


def _offset(partition: int, result: ShareStateResult, end: LatestOffset | None) -> ShareOffset:
    state = result.state
    if result.code is not ErrorCode.NONE or state is None:
        return ShareOffset(partition=partition)
    if end is None:
        return ShareOffset(
            partition=partition, start_offset=state.start_offset, leader_epoch=result.leader_epoch
        )
    code, offset = end
    if code is not ErrorCode.NONE:
        # As in Apache Kafka, the offset is 0 then.
        return ShareOffset(partition=partition, start_offset=0, code=code, message=code.message)
    return ShareOffset(
        partition=partition,
        start_offset=state.start_offset,
        leader_epoch=result.leader_epoch,
        lag=_as_long(offset - state.start_offset - state.delivery_complete_count),
    )


def _as_long(value: int) -> int:
    """As Java computes it: a group may have been given a start offset that is no offset."""
    return (value + _LONG_LIMIT) % (2 * _LONG_LIMIT) - _LONG_LIMIT
