"""How far each voter holds the log durably, as the leader knows it.

Apache Kafka: ``LeaderState``, the end offsets of its voters.
"""

from __future__ import annotations

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.values.voters import matches_key


def end_offset_of_voter(core: Core, leader: Leader, key: ReplicaKey) -> int:
    """The offset up to which a voter holds the log durably; -1 if unknown."""
    if matches_key(key, core.config.key):
        # Not the end of the log: what this node has not synced, a crash could take back after it
        # was committed.
        return core.outbox.durable_end_offset
    end_offset = leader.end_offset_of(key)
    # Below every offset, so that a voter that was not heard from counts as one that holds nothing.
    return -1 if end_offset is None else end_offset
