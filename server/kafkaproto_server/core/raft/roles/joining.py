"""How a follower keeps its own entry in the voter set right, by requests to its leader (KIP-853).

A voter whose entry differs from the node's configuration sends UpdateRaftVoter. While kraft.version is 0, no record
holds entries. The voter then sends it once to each new leader, which has to know all voters before it can upgrade to 1.
A node with auto-join that is no voter sends AddRaftVoter for itself. If there is an entry with its node id and another
directory, it first sends RemoveRaftVoter for that entry: it is left over from a disk that the node lost.

A node that was a voter and learned that it no longer is one does not add itself again. Somebody removed it, and would
otherwise see it come back within seconds, as it does in Kafka. A restart, or somebody else's AddRaftVoter, brings it
back.

A node sends at most one of these requests per ``controller.quorum.fetch.timeout.ms``, the first one such period after
it began to follow a leader. Whatever the response is, the log shows the result.

Apache Kafka: ``KafkaRaftClient``, its update-voter timer; KIP-853, KIP-1186.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Follower
from kafkaproto_server.core.raft.roles.fetching import leader_destination
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, ResponseReceived
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
)
from kafkaproto_server.core.raft.values.voters import describes_same

JoiningRequest = UpdateVoterRequest | AddVoterRequest | RemoveVoterRequest


def tick(core: Core, follower: Follower, now_ms: int) -> None:
    """Send the leader the request that is due. To be called with every event while this node follows a leader."""
    joining = core.joining
    core.voters_changed()
    # What the leader before was told is of no use: at kraft.version 0 it was only in that leader's
    # memory. And a request to it says nothing about this one.
    if joining.followed_epoch != follower.epoch:
        joining.followed_epoch = follower.epoch
        # As in Kafka, one period later: most likely the log brings the entry that is missing by
        # then.
        joining.due_ms = now_ms + core.config.fetch_timeout_ms
        joining.pending_request_id = None
        joining.has_told_leader = False
    if joining.pending_request_id is not None or now_ms < joining.due_ms:
        return
    # Decided anew each time: the log, not a response, says what is still to be done.
    request = _next_request(core, follower)
    if request is None:
        return
    joining.pending_request_id = core.ask(leader_destination(core, follower), request, now_ms)
    # A busy lane sent nothing, so there is no reason to wait for a whole period.
    wait_ms = (
        core.config.retry_backoff_ms if joining.pending_request_id is None else core.config.fetch_timeout_ms
    )
    joining.due_ms = now_ms + wait_ms


def deadline_ms(core: Core, follower: Follower) -> int | None:
    """When ``tick`` is due at the latest; None if it has nothing to do."""
    joining = core.joining
    if joining.pending_request_id is not None or _next_request(core, follower) is None:
        return None
    return joining.due_ms


def handle_response(core: Core, outcome: ResponseReceived | RequestFailed, now_ms: int) -> None:
    """Handle the end of a request that ``tick`` sent, in any state of this node.

    The caller has noted its leader and epoch before. The end of a request to an earlier leader is ignored.
    """
    joining = core.joining
    if outcome.request_id != joining.pending_request_id:
        return
    joining.pending_request_id = None
    joining.due_ms = now_ms + core.config.fetch_timeout_ms
    if isinstance(outcome, ResponseReceived) and isinstance(outcome.response, UpdateVoterResponse):
        # At kraft.version 0 no record shows that the leader has it, so its response has to.
        joining.has_told_leader = outcome.response.error is RaftError.NONE


def _next_request(core: Core, follower: Follower) -> JoiningRequest | None:
    """The request that is needed for this node's entry in the voter set; None if none is."""
    voters = core.voters.latest
    # At kraft.version 0 static voters report themselves too: the upgrade needs their directory ids.
    if voters.is_voter(core.config.key):
        return _update(core, follower) if _needs_update(core) else None
    # Static voters are never added, and a node without the controller role serves no Vote.
    if core.voters.kraft_version == 0 or not core.config.auto_join or not core.config.can_be_voter:
        return None
    # In Kafka a removed voter comes back by itself (KAFKA-19850).
    if core.joining.is_removed:
        return None
    # The set has one voter for a node id, so the old directory has to go first.
    left_over = voters.get(core.config.key.id)
    if left_over is not None:
        return RemoveVoterRequest(voter=left_over.key)
    return AddVoterRequest(
        voter=core.config.key,
        endpoints=core.config.endpoints,
        timeout_ms=core.config.request_timeout_ms,
        # KIP-1186: the commit may need this very node, which has nothing to gain by waiting for it.
        # The log shows the result.
        ack_when_committed=False,
    )


def _needs_update(core: Core) -> bool:
    if core.voters.kraft_version == 0:
        return not core.joining.has_told_leader
    own_voter = core.config.own_voter
    recorded = core.voters.latest.get(own_voter.key.id)
    assert recorded is not None, f"node {own_voter.key.id} is a voter without an entry"
    return not describes_same(recorded, own_voter)


def _update(core: Core, follower: Follower) -> UpdateVoterRequest:
    own_voter = core.config.own_voter
    return UpdateVoterRequest(
        epoch=follower.epoch,
        voter=own_voter.key,
        endpoints=own_voter.endpoints,
        min_kraft_version=own_voter.min_kraft_version,
        max_kraft_version=own_voter.max_kraft_version,
    )
