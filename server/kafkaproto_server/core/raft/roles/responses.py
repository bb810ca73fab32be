"""What happens when a request that this node sent ends, with a response or a failure.

The node first notes the leader and epoch in a response, whatever else it says. Then the response goes to the module
that sent the request.

Apache Kafka: ``KafkaRaftClient.handleResponse``.
"""

from __future__ import annotations

from typing import assert_never

import msgspec

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.requests import RequestInFlight, RequestLane, lane_of
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.roles import (
    check_quorum,
    discovery,
    election,
    follower,
    joining,
    leader_contact,
    membership,
    resigned,
    snapshot_fetch,
    transitions,
    voting,
)
from kafkaproto_server.core.raft.values import trust
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure, ResponseReceived
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    BeginQuorumEpochRequest,
    Destination,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    InboundResponse,
    QuorumEpochResponse,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    VoteRequest,
    VoteResponse,
)
from kafkaproto_server.core.raft.values.trust import Doubt


def handle_response(core: Core, event: ResponseReceived, now_ms: int) -> None:
    """Handle a response; it is ignored if its request is over already."""
    in_flight = core.requests.complete(event.request_id)
    if in_flight is None:
        return
    # The order matters. The question is over before its response is read, since news restarts the
    # questions; leader and epoch are learned before the rest is judged by them; and votes that wait
    # are decided last, by all that is known then.
    discovery.answered(core, event.request_id, now_ms)
    _learn(core, in_flight, event.response, now_ms)
    _hand_over(core, in_flight, event, now_ms)
    discovery.lane_is_free(core, in_flight.destination, now_ms)
    voting.reconsider(core, now_ms, asked=_asked(in_flight))


def _hand_over(core: Core, in_flight: RequestInFlight, event: ResponseReceived, now_ms: int) -> None:
    """Pass a response to the module that sent the request."""
    match in_flight.request, event.response:
        case VoteRequest() as vote, VoteResponse() as response:
            election.handle_vote_response(core, in_flight, vote, response, now_ms)
        case FetchRequest() as fetch, FetchResponse() as response:
            follower.handle_fetch_response(core, in_flight, fetch, response, now_ms)
        case FetchSnapshotRequest() as fetch, FetchSnapshotResponse() as response:
            snapshot_fetch.handle_response(core, in_flight, fetch, response, now_ms)
        case (
            BeginQuorumEpochRequest() | EndQuorumEpochRequest()
        ) as request, QuorumEpochResponse() as response:
            # An error leaves the voter unacknowledged, and so it is told again.
            if response.error is RaftError.NONE:
                resigned.acknowledged(core, in_flight.destination.id, request.epoch)
            else:
                core.requests.back_off(in_flight, now_ms)
        case ApiVersionsRequest(), _:
            _end_api_versions(core, event, now_ms)
        case ((AddVoterRequest() | RemoveVoterRequest() | UpdateVoterRequest()), _):
            joining.handle_response(core, event, now_ms)
        case _:
            # `wire` decodes a response by its request. So this is the driver's mistake, and no peer
            # can cause it.
            kinds = type(event.response).__name__, type(in_flight.request).__name__
            raise AssertionError("{} answers {}".format(*kinds))


def handle_failure(core: Core, event: RequestFailed, now_ms: int) -> None:
    """Handle a request that gets no response; it is ignored if the request is over already."""
    in_flight = core.requests.complete(event.request_id)
    if in_flight is None:
        return
    discovery.answered(core, event.request_id, now_ms)
    match in_flight.request:
        case VoteRequest() as vote:
            election.handle_vote_failure(core, in_flight, vote, event, now_ms)
        case FetchRequest():
            leader_contact.handle_failure(core, in_flight, event, now_ms)
        case FetchSnapshotRequest():
            snapshot_fetch.handle_failure(core, in_flight, event, now_ms)
        case BeginQuorumEpochRequest() as begin:
            core.requests.back_off(in_flight, now_ms)
            # Not if a bootstrap server was asked in the voter's place: it may be another node.
            if in_flight.destination.id == begin.voter_id:
                check_quorum.missed(core, begin.voter_id)
        case EndQuorumEpochRequest() as end:
            core.requests.back_off(in_flight, now_ms)
            if event.failure is RequestFailure.REFUSED:
                # Nobody is there to be notified; a node that starts there later learns the epoch by asking.
                resigned.missed(core, in_flight.destination.id, end.epoch)
        case ApiVersionsRequest():
            core.requests.back_off(in_flight, now_ms)
            _end_api_versions(core, event, now_ms)
        case AddVoterRequest() | RemoveVoterRequest() | UpdateVoterRequest():
            core.requests.back_off(in_flight, now_ms)
            joining.handle_response(core, event, now_ms)
        case _:
            assert_never(in_flight.request)
    discovery.lane_is_free(core, in_flight.destination, now_ms)
    voting.reconsider(core, now_ms, asked=_asked(in_flight))


def _asked(in_flight: RequestInFlight) -> Destination | None:
    """The node that a Fetch was sent to, None if it was no Fetch."""
    return in_flight.destination if lane_of(in_flight.request) is RequestLane.FETCH else None


def _end_api_versions(core: Core, event: ResponseReceived | RequestFailed, now_ms: int) -> None:
    # Nobody but the leader that asked can use it. Its pending change ended with its leadership.
    if isinstance(core.state, Leader):
        membership.handle_api_versions(core, core.state, event, now_ms)


def _learn(core: Core, in_flight: RequestInFlight, response: InboundResponse, now_ms: int) -> None:
    """Note the leader and epoch, in the responses that have them.

    This node may believe them: it asks only at addresses that the log or the configuration has, or that a node at one
    of these named.
    """
    match response:
        case (
            VoteResponse()
            | QuorumEpochResponse()
            | FetchResponse()
            | FetchSnapshotResponse()
            | UpdateVoterResponse()
        ):
            # A quorum that followed it could hold no further election, and there is no way back.
            if response.leader.epoch > trust.LAST_EPOCH:
                core.refuse(in_flight.destination.id, response, Doubt.EPOCH_AT_THE_END, now_ms)
                return
            endpoint = response.leader_endpoint
            if endpoint is not None:
                # A response holds the leader's address for the listener that was asked, without that listener's name.
                endpoint = msgspec.structs.replace(endpoint, name=core.config.listener_name)
            transitions.learn(core, response.leader, (endpoint,), now_ms)
        case _:
            """The responses to AddRaftVoter, RemoveRaftVoter and ApiVersions name no leader."""
