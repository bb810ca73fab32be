"""How a leader raises the high watermark.

It is told only for records of the leader's own epoch (KIP-595), and the leader counts what it holds itself no further
than it is durable. Kafka's leader counts its own log before the sync returns, which its followers' fetches make up for;
here followers may be ahead of the leader's own disk.
"""

from __future__ import annotations

from kafkaproto_server.raft.model.core import Core
from kafkaproto_server.raft.model.states import Leader
from kafkaproto_server.raft.roles import appending, leaving, membership, parked_fetches
from kafkaproto_server.raft.roles.replication import end_offset_of_voter
from kafkaproto_server.raft.values import quorum
from kafkaproto_server.raft.values.effects import HighWatermarkAdvanced


def handle_persisted(core: Core, now_ms: int) -> None:
    """Go on to what was gathered meanwhile, and count what is durable now.

    In this order, so that one answer brings a follower both the batch and the high watermark; with the latter alone it
    would have to ask again first.
    """
    leader = core.state
    if not isinstance(leader, Leader):
        return
    has_drained = appending.drain(core, leader, now_ms)
    maybe_advance_high_watermark(core, now_ms)
    if has_drained and core.state is leader:
        parked_fetches.wake(core, leader, high_watermark_moved=False)


def maybe_advance_high_watermark(core: Core, now_ms: int) -> None:
    """Tell a high watermark that moved, and finish what waited for it. A leader that is no voter any more resigns once
    that is committed."""
    leader = core.state
    if not isinstance(leader, Leader):
        return
    replicated = quorum.replicated_end_offset(
        [end_offset_of_voter(core, leader, voter.key) for voter in core.voters.latest.voters]
    )
    # It starts with a record of this epoch, and never goes back.
    least = leader.epoch_start_offset if leader.high_watermark is None else leader.high_watermark
    if replicated <= least:
        return
    leader.high_watermark = replicated
    core.high_watermark = replicated
    core.outbox.tell_now(HighWatermarkAdvanced(offset=replicated))
    parked_fetches.wake(core, leader, high_watermark_moved=True)
    membership.high_watermark_advanced(core, leader, now_ms)
    if membership.must_hand_over(core, leader):
        leaving.resign(core, leader, now_ms)
