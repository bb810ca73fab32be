"""ListOffsets for one partition: what follows from the partition at once, and what has to be looked up in its log.

Special timestamps: -1 the latest offset, -2 the earliest, -3 the first record with the largest timestamp, -4 the
earliest that is on this broker's disk, -5 the last one in tiered storage, -6 the earliest that is not yet there
(KIP-405, KIP-1005). Nothing is tiered here, so -4 is the earliest offset, and there is none for -5 and -6.

A new leader does not tell consumers the end of its log until its own epoch has begun to be replicated (KIP-207): the
high watermark that it knows may be behind what the leader before it had shown.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.requests.data import OffsetQuery, OffsetResult
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6

LookUp = Callable[[TopicLog], OffsetResult]


def find_offset(query: OffsetQuery, partition: Partition) -> OffsetResult | LookUp:
    """The response to a query, or a function that makes it in a thread. Raises PartitionError."""
    partition.check_leader(query.current_leader_epoch)
    # Another broker asks as a follower does: for all that is here, committed or not.
    end, is_settled = partition.log_end_offset, True
    if query.is_from_client:
        end = partition.last_stable_offset if query.is_committed_only else partition.high_watermark
        is_settled = partition.high_watermark >= partition.leader_epoch_start
    timestamp = query.timestamp
    if timestamp == LATEST:
        if not is_settled:
            raise PartitionError(ErrorCode.OFFSET_NOT_AVAILABLE)
        return OffsetResult(offset=end, leader_epoch=partition.leader_epoch)
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        start = partition.log_start_offset
        epoch = partition.epochs.epoch_at(start)
        return OffsetResult(offset=start, leader_epoch=-1 if epoch is None else epoch)
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        return OffsetResult()
    if timestamp == MAX_TIMESTAMP:
        return lambda log: _result(log.find_max_timestamp(), end, is_settled=is_settled)
    return lambda log: _result(log.find_timestamp(timestamp), end, is_settled=is_settled)


def _result(found: tuple[int, int, int] | None, end_offset: int, *, is_settled: bool) -> OffsetResult:
    if found is None or found[0] >= end_offset:
        return OffsetResult(code=ErrorCode.NONE if is_settled else ErrorCode.OFFSET_NOT_AVAILABLE)
    offset, timestamp, leader_epoch = found
    return OffsetResult(offset=offset, timestamp=timestamp, leader_epoch=leader_epoch)
