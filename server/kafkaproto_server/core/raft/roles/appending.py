"""How a leader appends batches to its log: the records that it gathered, and its own control records.

Apache Kafka: ``KafkaRaftClient.maybeAppendBatches`` and ``BatchAccumulator.appendControlMessages``.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.roles import check_quorum, parked_fetches
from kafkaproto_server.core.raft.values.control import ControlRecord
from kafkaproto_server.core.raft.values.effects import ControlBatchAppended, PendingBatch


def append_control(core: Core, leader: Leader, records: tuple[ControlRecord, ...], now_ms: int) -> int:
    """Append a batch of control records behind all accepted data; returns the offset of its last record.

    The records take effect at once, so the caller must have finished what it began with the former voters.
    """
    assert core.state is leader, "only a leader appends"
    # Data that was accepted has its offsets already, below those of the control batch, so it goes
    # first. It is counted by the new voters then, which is safe: any two majorities of both sets
    # overlap.
    for batch in leader.accumulator.drain():
        core.append(batch)
    control_batch = PendingBatch(
        base_offset=leader.accumulator.next_offset, epoch=leader.epoch, control=records
    )
    # The control batch takes the next offsets, so the controller's next append has to begin behind
    # it (`BatchAccumulator.append` asserts that).
    leader.accumulator.next_offset = control_batch.next_offset
    core.append(control_batch)
    assert leader.accumulator.next_offset == core.log.end_offset, "the next append would leave a gap"
    # At once and not after the write: the controller reserves offsets in memory and would otherwise
    # reserve these.
    core.outbox.notify_now(ControlBatchAppended(epoch=leader.epoch, next_offset=control_batch.next_offset))
    check_quorum.voters_changed(core, leader, now_ms)
    parked_fetches.wake(core, leader, high_watermark_moved=False)
    return control_batch.next_offset - 1


def maybe_drain(core: Core, leader: Leader, now_ms: int) -> None:
    """Append the gathered records if a batch is full, has lingered long enough, or nothing waits for the disk."""
    if drain(core, leader, now_ms):
        parked_fetches.wake(core, leader, high_watermark_moved=False)


def drain(core: Core, leader: Leader, now_ms: int) -> bool:
    """As `maybe_drain`, without waking parked Fetches; returns whether anything was appended."""
    if not core.outbox.has_unpersisted:
        # An idle disk has no reason to wait. What arrives during its write shares the next write and sync.
        batches = leader.accumulator.drain()
    else:
        batches = leader.accumulator.maybe_drain(now_ms)
    # All in one go: they share the write and the sync, and each follower gets them in one response.
    for batch in batches:
        core.append(batch)
    return bool(batches)
