"""How a leader puts batches at its log's end: what it gathered, and control records."""

from __future__ import annotations

from kafkaproto_server.raft.model.core import Core
from kafkaproto_server.raft.model.states import Leader
from kafkaproto_server.raft.roles import check_quorum, parked_fetches
from kafkaproto_server.raft.values.control import ControlRecord
from kafkaproto_server.raft.values.effects import ControlBatchAppended, PendingBatch


def append_control(core: Core, leader: Leader, records: tuple[ControlRecord, ...], now_ms: int) -> int:
    """Append a batch of control records, behind all data that was accepted; returns its last offset.

    The records take effect at once: the caller has finished what it began with the former voters.
    """
    for batch in leader.accumulator.drain():
        core.append(batch)
    control_batch = PendingBatch(
        base_offset=leader.accumulator.next_offset, epoch=leader.epoch, control=records
    )
    leader.accumulator.next_offset = control_batch.next_offset
    core.append(control_batch)
    core.outbox.tell_now(ControlBatchAppended(epoch=leader.epoch, next_offset=control_batch.next_offset))
    check_quorum.voters_changed(core, leader, now_ms)
    parked_fetches.wake(core, leader, high_watermark_moved=False)
    return control_batch.next_offset - 1


def maybe_drain(core: Core, leader: Leader, now_ms: int) -> None:
    """Append what was gathered, if it is enough, lingered long enough, or finds the disk idle."""
    if drain(core, leader, now_ms):
        parked_fetches.wake(core, leader, high_watermark_moved=False)


def drain(core: Core, leader: Leader, now_ms: int) -> bool:
    """Append what was gathered, if it is time; returns whether anything was."""
    if not core.outbox.has_unpersisted:
        batches = leader.accumulator.drain()
    else:
        batches = leader.accumulator.maybe_drain(now_ms)
    for batch in batches:
        core.append(batch)
    return bool(batches)
