"""What a node learns of its leader from its own requests to it: the leader responds, is gone, or is of another epoch.

If the connection to the leader breaks or is refused, the node doubts the leader at once, long before the fetch timeout.

Ours alone: a follower of Apache Kafka waits for its fetch timeout, whatever its connection says.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.requests import RequestInFlight
from kafkaproto_server.core.raft.model.states import Follower, Prospective
from kafkaproto_server.core.raft.roles.fetching import leader_destination
from kafkaproto_server.core.raft.roles.succession import succession_delay_ms
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure
from kafkaproto_server.core.raft.values.messages import Destination


def heard_from_leader(core: Core, leader_id: int, now_ms: int) -> Follower | None:
    """Note that this node's leader responded to a Fetch of its epoch; returns the follower that this node is (again).

    None if this node follows nobody, or another leader.
    """
    state = core.state
    if state.leader_id != leader_id:
        return None
    # It asked for pre-votes because the leader was silent. It is not.
    if isinstance(state, Prospective) and state.follower is not None:
        core.transition_to(state.follower)
        state = state.follower
    if not isinstance(state, Follower):
        return None
    # Unknown candidates have to wait from now on, not from the last doubt (`voting.may_vote_for`).
    core.leader_lost_ms = now_ms
    state.has_fetched = True
    state.fetch_deadline_ms = now_ms + core.config.fetch_timeout_ms
    state.link_is_dead = False
    # An unstable connection must not cost an election: one good response ends all doubts.
    state.leader_resigned = False
    state.successor_rank = None
    state.election_at_ms = None
    state.refused_pre_votes = 0
    return state


def leader_is_gone(core: Core, destination: Destination, now_ms: int) -> bool:
    """Doubt the leader, if this node reaches it at ``destination``; returns whether the doubt is new."""
    state = core.state
    if (
        not isinstance(state, Follower)
        # The same node at an address of before says nothing about the leader where it is now.
        or leader_destination(core, state) != destination
        or state.link_is_dead
    ):
        return False
    doubt(core, state, now_ms)
    return True


def doubt(core: Core, follower: Follower, now_ms: int) -> None:
    """Prepare for an election. All followers lose their leader at the same time, so they take turns."""
    # From here on the three election timeouts count that an unknown candidate has to wait (`voting`).
    core.leader_lost_ms = now_ms
    follower.link_is_dead = True
    follower.election_at_ms = now_ms + succession_delay_ms(core, follower)


def handle_failure(core: Core, in_flight: RequestInFlight, failed: RequestFailed, now_ms: int) -> None:
    """A Fetch or FetchSnapshot ended without a response.

    After a connection broke, the first attempt on a new one follows without a pause.
    """
    # Both mostly mean that the process is gone, and that its kernel refused or ended the
    # connection. A timeout may also be a slow network; for that there is the fetch timeout.
    connection_died = failed.failure in (RequestFailure.REFUSED, RequestFailure.DISCONNECTED)
    # Only the first failure is news. If each one skipped the pause, a refused port would be tried
    # without end.
    if not (connection_died and leader_is_gone(core, in_flight.destination, now_ms)):
        core.requests.back_off(in_flight, now_ms)


def handle_refusal(core: Core, in_flight: RequestInFlight, error: RaftError, now_ms: int) -> None:
    """A Fetch or FetchSnapshot of the present epoch got an error as its response."""
    core.requests.back_off(in_flight, now_ms)
    state = core.state
    # The other errors say that a request was wrong, not that nobody leads.
    if error is not RaftError.NOT_LEADER_OR_FOLLOWER or not isinstance(state, Follower):
        return
    # Only the leader itself can say that it resigned. Any other node says with this error that it does not lead.
    if leader_destination(core, state) == in_flight.destination:
        state.leader_resigned = True
        leader_is_gone(core, in_flight.destination, now_ms)


def is_of_other_epoch(
    core: Core, in_flight: RequestInFlight, asked_epoch: int, response_epoch: int, now_ms: int
) -> bool:
    """Whether request or response belong to another epoch than the present one. A node that is behind gets a pause."""
    # It will learn. Until then each request to it would be in vain.
    if response_epoch < core.state.epoch:
        core.requests.back_off(in_flight, now_ms)
    # The request was made for one leader and its log, the response by another. Kafka had taken
    # records of a deposed leader (KAFKA-18723).
    return not asked_epoch == response_epoch == core.state.epoch
