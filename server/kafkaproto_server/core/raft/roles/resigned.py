"""What a former leader does until it learns of a later epoch: it tells the voters that it has resigned (KIP-595).

If it is still a voter, it moves to the next epoch when its election timer ends. If it was removed from the voters, it
raises no epoch and looks for the new leader.

Apache Kafka: ``ResignedState`` and ``KafkaRaftClient.pollResigned``.
"""

from __future__ import annotations

from kafkaproto_server.base.types import Voter
from kafkaproto_server.core.raft.model.core import Core, destination_of
from kafkaproto_server.core.raft.model.requests import RequestLane
from kafkaproto_server.core.raft.model.states import Resigned
from kafkaproto_server.core.raft.roles import discovery, election, transitions
from kafkaproto_server.core.raft.values import quorum, trust
from kafkaproto_server.core.raft.values.config import NEVER
from kafkaproto_server.core.raft.values.messages import Destination, EndQuorumEpochRequest
from kafkaproto_server.core.raft.values.voters import endpoint_named


def tick(core: Core, resigned: Resigned, now_ms: int) -> None:
    """Send EndQuorumEpoch to the voters that have not acknowledged it, and leave this state when it is time."""
    # At each tick: the lanes see to it that a voter gets one request at a time, and that failures
    # pause.
    _notify(core, resigned, now_ms)
    if election.may_be_elected(core):
        if core.voters.latest.is_only_voter(core.config.key):
            # Nobody else can be asked, so there is nothing to wait for.
            election.become_prospective(core, now_ms)
        # In its own epoch it may never stand again: it could show other records than those it showed before
        # (KAFKA-18379).
        elif now_ms >= resigned.election_at_ms and resigned.epoch < trust.LAST_EPOCH:
            transitions.become_unattached(core, resigned.epoch + 1, now_ms)
    # A node that stops needs no leader: it only waits until the others have one.
    elif not core.is_stopping:
        discovery.tick(core, now_ms)


def deadline_ms(core: Core, resigned: Resigned) -> float:
    due = [
        core.requests.ready_at_ms(destination, RequestLane.OTHER)
        for voter in resigned.unacknowledged.values()
        if (destination := _destination(core, voter)) is not None
    ]
    if election.may_be_elected(core):
        due.append(resigned.election_at_ms if resigned.epoch < trust.LAST_EPOCH else NEVER)
    elif not core.is_stopping:
        due.append(discovery.deadline_ms(core))
    return min(due, default=NEVER)


def acknowledged(core: Core, voter_id: int, epoch: int) -> None:
    """Note that a voter has acknowledged EndQuorumEpoch."""
    state = core.state
    # It may be the response to a request of an earlier resignation.
    if isinstance(state, Resigned) and state.epoch == epoch:
        state.unacknowledged.pop(voter_id, None)


def missed(core: Core, voter_id: int, epoch: int) -> None:
    """Note that nobody listens at a voter's address."""
    state = core.state
    if isinstance(state, Resigned) and state.epoch == epoch:
        # Who is absent cannot vote. If too many are, nobody can succeed, and a stop need not wait.
        state.unacknowledged.pop(voter_id, None)
        state.absent[voter_id] = None


def may_be_succeeded(core: Core, resigned: Resigned) -> bool:
    """Whether enough voters may be up to elect another leader, with this node's vote."""
    voters = core.voters.latest
    others = [
        voter_id
        for voter_id in voters.ids
        if voter_id != core.config.key.id and voter_id not in resigned.absent
    ]
    # This node still votes while it stops, so it counts here. Alone it would wait for nobody.
    return bool(others) and quorum.is_majority([*others, core.config.key.id], voters.ids)


def _notify(core: Core, resigned: Resigned, now_ms: int) -> None:
    for voter in resigned.unacknowledged.values():
        destination = _destination(core, voter)
        if destination is not None:
            request = EndQuorumEpochRequest(
                leader_id=core.config.key.id,
                epoch=resigned.epoch,
                # The same list for all, so that they take turns (`succession`).
                preferred_candidates=resigned.preferred_candidates,
            )
            core.ask(destination, request, now_ms)


def _destination(core: Core, voter: Voter) -> Destination | None:
    endpoint = endpoint_named(voter.endpoints, core.config.listener_name)
    return None if endpoint is None else destination_of(voter.key.id, endpoint)
