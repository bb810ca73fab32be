"""The locks of records expire: members have not acknowledged them in time, and they may be delivered again.

Apache Kafka: ``SharePartition.releaseAcquisitionLockOnTimeout``.
"""

from __future__ import annotations

from typing import Final

from kafkaproto_server.core.share_partitions.in_flight import InFlightBatch, RecordState, Run
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.requests.share_state import StateBatch

MAX_EXPIRED: Final = 1_000
"""How many runs of records `expire` takes from members at once."""


def expire(partition: SharePartition, now_ms: int) -> tuple[StateBatch, ...]:
    """Take records from members whose locks have expired, or some of them: then the next deadline of the locks is over.

    Returns what is to be persisted. It holds at once, whether it can be persisted or not; `SharePartition.move_start`
    is called once it was tried, and `dead_letters.spent_letters` go to the dead-letter topic.
    """
    expired = partition.locks.take_expired(now_ms)
    if expired is None:
        return ()
    first, last = expired
    changed: list[StateBatch] = []
    for batch in partition.in_flight.over(first, last):
        # The offsets before the start get another state than those behind it.
        if not batch.is_tracked and partition.starts_within(batch):
            batch.is_tracked = batch.whole.state is RecordState.ACQUIRED
        for run in tuple(batch.runs):
            # The member may have acknowledged it: the entry of its lock stays until it is due. A change that waits for
            # the persister shows its new state already, and looks at the lock itself if it is taken back.
            if run.state is not RecordState.ACQUIRED or not _is_over(run, now_ms):
                continue
            # Thousands of records may be due together. The rest is due at once, in another turn.
            if len(changed) >= MAX_EXPIRED:
                partition.locks.add(now_ms, run.first, last)
                return tuple(changed)
            _expire_run(partition, batch, run, changed)
    return tuple(changed)


def _expire_run(partition: SharePartition, batch: InFlightBatch, run: Run, changed: list[StateBatch]) -> None:
    for part in partition.parts_at_start(batch, run):
        is_before = part.last < partition.start_offset
        part.leave(
            # The log has lost it: nobody can get it any more.
            RecordState.ARCHIVED if is_before else RecordState.AVAILABLE,
            partition.settings.delivery_count_limit,
            partition.spent_state,
        )
        part.lock_until_ms = None
        changed.append(part.state_batch())
        if part.state is RecordState.ARCHIVED:
            partition.delivery_complete_count += partition.count_in_flight(part.first, part.last)
        elif part.state is RecordState.AVAILABLE:
            partition.looks_for_available = True


def _is_over(run: Run, now_ms: int) -> bool:
    return run.lock_until_ms is not None and run.lock_until_ms <= now_ms
