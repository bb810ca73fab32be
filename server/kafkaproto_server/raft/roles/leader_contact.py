"""What a node's requests to its leader say about the leader: it responds, it is gone, or this was another epoch's.

A leader's connection that breaks or is refused is a sign at once, long before the fetch timeout.
"""

from __future__ import annotations

from kafkaproto_server.raft.model.core import Core
from kafkaproto_server.raft.model.requests import InFlight
from kafkaproto_server.raft.model.states import Follower, Prospective
from kafkaproto_server.raft.roles.fetching import leader_destination
from kafkaproto_server.raft.roles.succession import succession_delay_ms
from kafkaproto_server.raft.values.errors import RaftError
from kafkaproto_server.raft.values.events import RequestFailed, RequestFailure
from kafkaproto_server.raft.values.messages import Destination


def heard_from_leader(core: Core, leader_id: int, now_ms: int) -> Follower | None:
    """Note that this node's leader answered a Fetch of its epoch; returns the follower that this node is (again).

    None where this node follows nobody, or somebody else.
    """
    state = core.state
    if state.leader_id != leader_id:
        return None
    if isinstance(state, Prospective) and state.follower is not None:
        core.transition_to(state.follower)
        state = state.follower
    if not isinstance(state, Follower):
        return None
    core.leader_lost_ms = now_ms
    state.has_fetched = True
    state.fetch_deadline_ms = now_ms + core.config.fetch_timeout_ms
    state.link_is_dead = False
    state.leader_resigned = False
    state.successor_rank = None
    state.election_at_ms = None
    state.refused_pre_votes = 0
    return state


def leader_is_gone(core: Core, destination: Destination, now_ms: int) -> bool:
    """Doubt the leader, if ``destination`` is where this node reaches it; returns whether that is news."""
    state = core.state
    if (
        not isinstance(state, Follower)
        or leader_destination(core, state) != destination
        or state.link_is_dead
    ):
        return False
    doubt(core, state, now_ms)
    return True


def doubt(core: Core, follower: Follower, now_ms: int) -> None:
    """Prepare for an election. Followers lose their leader all at the same time, so they take turns."""
    core.leader_lost_ms = now_ms
    follower.link_is_dead = True
    follower.election_at_ms = now_ms + succession_delay_ms(core, follower)


def handle_failure(core: Core, in_flight: InFlight, failed: RequestFailed, now_ms: int) -> None:
    """A Fetch or FetchSnapshot came back without an answer.

    After a connection broke, the first attempt at another one waits for nothing.
    """
    connection_died = failed.failure in (RequestFailure.REFUSED, RequestFailure.DISCONNECTED)
    if not (connection_died and leader_is_gone(core, in_flight.destination, now_ms)):
        core.requests.back_off(in_flight, now_ms)


def handle_refusal(core: Core, in_flight: InFlight, epoch: int, error: RaftError, now_ms: int) -> None:
    """A Fetch or FetchSnapshot of this node's own ``epoch`` was answered with an error."""
    core.requests.back_off(in_flight, now_ms)
    state = core.state
    if error is not RaftError.NOT_LEADER_OR_FOLLOWER or not isinstance(state, Follower):
        return
    # Only the leader's own word counts; at any other node the answer says just that.
    if state.epoch == epoch and leader_destination(core, state) == in_flight.destination:
        state.leader_resigned = True
        leader_is_gone(core, in_flight.destination, now_ms)


def is_of_other_epoch(
    core: Core, in_flight: InFlight, asked_epoch: int, answered_epoch: int, now_ms: int
) -> bool:
    """Whether request or answer belong to another epoch than the present one; who is behind gets a pause."""
    if answered_epoch < core.state.epoch:
        core.requests.back_off(in_flight, now_ms)
    return not asked_epoch == answered_epoch == core.state.epoch
