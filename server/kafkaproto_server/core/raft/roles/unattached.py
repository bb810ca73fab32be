"""What an Unattached node does: it looks for the leader and, if it is a voter, finally seeks an election.

Apache Kafka: ``UnattachedState`` and ``KafkaRaftClient.pollUnattached``.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Unattached
from kafkaproto_server.core.raft.roles import discovery, election


def tick(core: Core, unattached: Unattached, now_ms: int) -> None:
    """Seek an election when it is time; a quorum of one waits for no timer. Until then ask other nodes who leads."""
    # The only voter can be asked by nobody and ask nobody, so it would wait for itself.
    is_due = now_ms >= unattached.election_at_ms or core.voters.latest.is_only_voter(core.config.key)
    if is_due and election.may_be_elected(core):
        election.become_prospective(core, now_ms)
    else:
        # Voters, too: before 4.0, those of Kafka waited until somebody told them who leads.
        discovery.tick(core, now_ms)


def deadline_ms(core: Core, unattached: Unattached) -> float:
    deadline = discovery.deadline_ms(core)
    return min(deadline, unattached.election_at_ms) if election.may_be_elected(core) else deadline
