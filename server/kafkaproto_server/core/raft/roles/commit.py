"""How a leader raises the high watermark.

A leader's high watermark begins with a record of its own epoch (KIP-595): a later leader could still truncate records
of an earlier epoch, even if a majority holds them. The leader counts its own log only as far as it is durable. Kafka's
leader counts its own log before the sync returns, which its followers' fetches make up for; here followers may be ahead
of the leader's own disk.

Apache Kafka: ``LeaderState.maybeUpdateHighWatermark``.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.roles import appending, leaving, membership, parked_fetches
from kafkaproto_server.core.raft.roles.replication import end_offset_of_voter
from kafkaproto_server.core.raft.values import quorum
from kafkaproto_server.core.raft.values.effects import HighWatermarkAdvanced


def handle_persisted(core: Core, now_ms: int) -> None:
    """Append what was gathered during the write, then count what is durable now.

    In this order one response brings a follower both the batch and the high watermark. With the high watermark alone,
    the follower would have to fetch once more before it gets the batch.
    """
    leader = core.state
    if not isinstance(leader, Leader):
        return
    has_drained = appending.drain(core, leader, now_ms)
    maybe_advance_high_watermark(core, now_ms)
    # If the high watermark moved, every Fetch has its response already. If the leader resigned over
    # the commit, too.
    if has_drained and core.state is leader:
        parked_fetches.wake(core, leader, high_watermark_moved=False)


def maybe_advance_high_watermark(core: Core, now_ms: int) -> None:
    """Raise the high watermark if a majority holds more, notify, and finish what waited for it. A leader that is no
    longer a voter resigns once its removal is committed."""
    leader = core.state
    if not isinstance(leader, Leader):
        return
    # By the set in force, even if its record is not committed: a new set commits itself (KIP-853).
    # A voter that has not fetched counts as one that holds nothing.
    replicated = quorum.replicated_end_offset(
        [end_offset_of_voter(core, leader, voter.key) for voter in core.voters.latest.voters]
    )
    # The first high watermark has to pass a record of this epoch (see the module's head). It never goes back.
    least = leader.epoch_start_offset if leader.high_watermark is None else leader.high_watermark
    # Counting replicas of an older record would be unsafe (Raft, section 5.4.2).
    # A change of voters can make it smaller: the voter that came may hold less than the one that
    # left. What was committed stays committed, as in Kafka.
    if replicated <= least:
        return
    assert replicated <= core.log.end_offset, f"{replicated} is beyond the log's end {core.log.end_offset}"
    leader.high_watermark = replicated
    core.high_watermark = replicated
    core.outbox.notify_now(HighWatermarkAdvanced(offset=replicated))
    parked_fetches.wake(core, leader, high_watermark_moved=True)
    # Before the resignation: the request to remove this leader gets its response as a success, not
    # as one that lost its leader.
    membership.high_watermark_advanced(core, leader, now_ms)
    if membership.must_hand_over(core, leader):
        leaving.resign(core, leader, now_ms)
