"""How far each voter holds the log durably, as the leader knows it."""

from __future__ import annotations

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.values.voters import matches_key


def end_offset_of_voter(core: Core, leader: Leader, key: ReplicaKey) -> int:
    """The offset up to which a voter holds the log durably; -1 if unknown."""
    if matches_key(key, core.config.key):
        return core.outbox.durable_end_offset
    end_offset = leader.end_offset_of(key)
    return -1 if end_offset is None else end_offset
