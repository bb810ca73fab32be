"""Status reports: what a leader knows of its quorum (DescribeQuorum), and what each node knows of itself (metrics).

Apache Kafka: ``LeaderState.describeQuorum`` and ``KafkaRaftMetrics``.
"""

from __future__ import annotations

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.model import states
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.progress import ReplicaProgress
from kafkaproto_server.core.raft.model.states import Follower, Leader, Prospective, Unattached
from kafkaproto_server.core.raft.roles import voter_changes
from kafkaproto_server.core.raft.values.quorum_description import (
    UNKNOWN,
    QuorumDescription,
    ReplicaDescription,
)
from kafkaproto_server.core.raft.values.statistics import RaftStatistics
from kafkaproto_server.core.raft.values.voters import matches_key


def describe_quorum(core: Core, leader: Leader, now_ms: int, wall_ms: int) -> QuorumDescription:
    """The quorum as its leader sees it. ``now_ms`` and ``wall_ms`` are the same moment, monotonic and by wall clock."""
    voters = core.voters.latest
    # Times are kept by the monotonic clock, which no operator sets back. They are turned into wall
    # time only to be shown.
    clock_offset_ms = wall_ms - now_ms
    descriptions: list[ReplicaDescription] = []
    for voter in voters.voters:
        # A static voter is looked up by its id. It is shown by its key in the set, without a
        # directory, as in Kafka.
        replica = leader.progress.get(voter.key)
        if matches_key(voter.key, core.config.key):
            descriptions.append(_describe_leader(core, voter.key, wall_ms))
        elif replica is not None:
            descriptions.append(_describe_replica(voter.key, replica, clock_offset_ms))
        else:
            # Since this leader was elected it has not fetched, so nothing is known of it.
            descriptions.append(ReplicaDescription(key=voter.key))
    observers = [
        _describe_replica(replica.key, replica, clock_offset_ms)
        for replica in leader.progress.observers(voters, now_ms)
    ]
    return QuorumDescription(
        leader_id=leader.leader_id,
        epoch=leader.epoch,
        high_watermark=UNKNOWN if leader.high_watermark is None else leader.high_watermark,
        voters=tuple(descriptions),
        observers=tuple(observers),
        voter_set=voters,
    )


def describe_statistics(core: Core, now_ms: int) -> RaftStatistics:
    """One node's state and counters for its metrics."""
    state = core.state
    voters = core.voters.latest
    leader = state if isinstance(state, Leader) else None
    # A leader shows that of its own epoch, as in Kafka: unknown until a record of the epoch is
    # committed.
    high_watermark = core.high_watermark if leader is None else leader.high_watermark
    counters = core.counters
    return RaftStatistics(
        current_state=_state_name(core),
        current_leader=state.leader_id,
        current_epoch=state.epoch,
        current_vote=states.voted_key(state),
        high_watermark=UNKNOWN if high_watermark is None else high_watermark,
        log_end_offset=core.log.end_offset,
        log_end_epoch=core.log.last_epoch,
        number_of_voters=len(voters.voters),
        number_of_observers=0 if leader is None else len(leader.progress.observers(voters, now_ms)),
        number_unknown_voter_connections=sum(
            voter.key.id != core.config.key.id and core.voter_destination(voter.key.id) is None
            for voter in voters.voters
        ),
        uncommitted_voter_change=leader is not None and voter_changes.has_uncommitted_change(core, leader),
        fetch_timeouts=counters.fetch_timeouts,
        election_timeouts=counters.election_timeouts,
        elections_started=counters.elections_started,
        elections_won=counters.elections_won,
        election_latency_sum_ms=counters.election_latency_sum_ms,
        election_latency_max_ms=counters.election_latency_max_ms,
        election_latency_count=counters.election_latency_count,
    )


def _state_name(core: Core) -> str:
    """The state as in Kafka's metric current-state."""
    state = core.state
    # Kafka shows observers by this name, though they are in the states of voters.
    if isinstance(state, Unattached | Follower) and not core.is_voter:
        return "observer"
    if isinstance(state, Unattached | Prospective) and state.voted_key is not None:
        return f"{state.name.value}-voted"
    return state.name.value


def _describe_leader(core: Core, key: ReplicaKey, wall_ms: int) -> ReplicaDescription:
    """The leader itself, which is up to date by definition."""
    return ReplicaDescription(
        key=key,
        log_end_offset=core.log.end_offset,
        last_fetch_timestamp_ms=wall_ms,
        last_caught_up_timestamp_ms=wall_ms,
    )


def _describe_replica(key: ReplicaKey, replica: ReplicaProgress, clock_offset_ms: int) -> ReplicaDescription:
    caught_up_ms = replica.caught_up_ms
    return ReplicaDescription(
        key=key,
        log_end_offset=replica.end_offset,
        last_fetch_timestamp_ms=replica.last_fetch_ms + clock_offset_ms,
        last_caught_up_timestamp_ms=UNKNOWN if caught_up_ms is None else caught_up_ms + clock_offset_ms,
    )
