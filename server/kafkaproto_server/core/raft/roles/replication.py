"""How far each voter holds the log durably, as the leader knows it."""

from __future__ import annotations

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Leader


def is_own_key(core: Core, key: ReplicaKey) -> bool:
    """Whether a voter's key is this node's; a key without directory id matches by node id alone."""
    return key.id == core.config.key.id and key.directory_id in (None, core.config.key.directory_id)


def end_offset_of_voter(core: Core, leader: Leader, key: ReplicaKey) -> int:
    """The offset up to which a voter holds the log durably; -1 if unknown."""
    if is_own_key(core, key):
        return core.outbox.durable_end_offset
    end_offset = leader.end_offset_of(key)
    return -1 if end_offset is None else end_offset
