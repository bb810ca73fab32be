"""Whom a follower follows: what it makes of those who lead, say so, or have moved.

Tests: `core.raft.roles.leader_contact`, `core.raft.roles.quorum_epoch`, `core.raft.roles.succession`,
`core.raft.roles.transitions`, `core.raft.values.config`.
"""

from __future__ import annotations

import msgspec
import pytest

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, OffsetAndEpoch
from kafkaproto_server.core.raft.model.states import Candidate, Prospective, Resigned, Unattached
from kafkaproto_server.core.raft.roles.quorum_epoch import END_GRACE_MS
from kafkaproto_server.core.raft.values.config import FETCH_MAX_WAIT_MS
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure, ResponseReceived
from kafkaproto_server.core.raft.values.messages import (
    BeginQuorumEpochRequest,
    Destination,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    VoteRequest,
    VoteResponse,
)
from tests.core.raft.support.following import (
    EPOCH,
    LEADER,
    answer_fetch,
    batch,
    fail,
    follower,
    sent,
    state_of,
)
from tests.core.raft.support.machine import Disk, Machine, bootstrap_records, config, voter


def candidate_with_a_vote() -> tuple[Machine, Candidate]:
    """A follower whose leader is gone. Voter 3 has granted it a pre-vote, so that it is a candidate by now. Its vote
    for itself is not durable yet."""
    machine = follower()
    fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
    machine.tick(30)
    vote = sent(machine, VoteRequest, to=3)
    response = VoteResponse(leader=LEADER, is_granted=True)
    machine.handle(ResponseReceived(request_id=vote.request_id, response=response))
    candidate = machine.node.state
    assert isinstance(candidate, Candidate)
    return machine, candidate


class TestLeaders:
    def test_a_second_leader_of_the_epoch_is_not_believed(self) -> None:
        machine = follower()
        other = LeaderAndEpoch(leader_id=3, epoch=EPOCH)
        where = Endpoint(name="", host="10.0.0.3", port=33)
        answer_fetch(machine, leader=other, leader_endpoint=where, batches=(batch(10, 12, 3),))
        assert machine.node.leader_and_epoch == LEADER
        assert machine.node.log_end_offset == 10
        assert {each.host for each in state_of(machine).leader_endpoints} == {"127.0.0.1"}

    def test_nobody_leads_by_being_told_so(self) -> None:
        machine = follower()
        answer_fetch(
            machine,
            error=RaftError.FENCED_LEADER_EPOCH,
            leader=LeaderAndEpoch(leader_id=1, epoch=8),
        )
        assert machine.node.leader_and_epoch == LeaderAndEpoch(leader_id=-1, epoch=8)

    def test_a_response_from_the_past_changes_nothing(self) -> None:
        machine = follower()
        answer_fetch(machine, leader=LeaderAndEpoch(leader_id=3, epoch=2), batches=(batch(10, 12, 2),))
        assert machine.node.leader_and_epoch == LEADER
        assert machine.requests == []

    def test_a_leader_whose_address_is_not_known_is_looked_for(self) -> None:
        machine = follower()
        answer_fetch(
            machine,
            error=RaftError.FENCED_LEADER_EPOCH,
            leader=LeaderAndEpoch(leader_id=9, epoch=8),
        )
        assert isinstance(machine.node.state, Unattached)
        assert machine.node.leader_and_epoch == LeaderAndEpoch(leader_id=9, epoch=8)
        # That epoch is decided: nobody else gets a vote in it.
        late = VoteRequest(
            replica=voter(3).key,
            voter_id=1,
            voter_directory_id=None,
            epoch=8,
            last_epoch=7,
            last_offset=99,
            is_pre_vote=False,
        )
        assert machine.ask(late) == VoteResponse(leader=LeaderAndEpoch(leader_id=9, epoch=8))
        # An answer of the same epoch tells the address.
        request = sent(machine, FetchRequest)
        where = Endpoint(name="", host="10.0.0.9", port=99)
        response = FetchResponse(
            error=RaftError.NOT_LEADER_OR_FOLLOWER,
            leader=LeaderAndEpoch(leader_id=9, epoch=8),
            leader_endpoint=where,
        )
        machine.handle(ResponseReceived(request_id=request.request_id, response=response))
        machine.settle()
        assert sent(machine, FetchRequest).destination == Destination(id=9, host="10.0.0.9", port=99)

    def test_a_leader_that_nobody_knows_how_to_reach(self) -> None:
        machine = follower()
        told = LeaderAndEpoch(leader_id=9, epoch=8)
        for host, port in (("", 99), ("10.0.0.9", 0)):
            request = sent(machine, FetchRequest)
            machine.requests.clear()
            nowhere = Endpoint(name="", host=host, port=port)
            response = FetchResponse(
                error=RaftError.FENCED_LEADER_EPOCH, leader=told, leader_endpoint=nowhere
            )
            machine.handle(ResponseReceived(request_id=request.request_id, response=response))
            machine.settle()
            assert isinstance(machine.node.state, Unattached)
            assert machine.node.leader_and_epoch == told
            assert machine.node.leader_endpoint("CONTROLLER") is None

    @pytest.mark.parametrize("leader_id", [2, 9])
    def test_no_request_tells_where_a_leader_is(self, leader_id: int) -> None:
        """Not even of other listeners, or of a leader that is not found at its address: anybody can send it."""
        machine = follower()
        endpoints = (
            Endpoint(name="CONTROLLER", host="127.0.0.7", port=2),
            Endpoint(name="OTHER", host="127.0.0.1", port=22),
        )
        for epoch in (EPOCH, EPOCH + 1):
            request = BeginQuorumEpochRequest(
                leader_id=leader_id,
                epoch=epoch,
                voter_id=1,
                voter_directory_id=None,
                leader_endpoints=endpoints,
            )
            machine.ask(request)
            fail(machine, FetchRequest, RequestFailure.REFUSED, to=2)
            machine.ask(request)
            machine.settle()
            machine.ask(request)
        assert {each.destination.host for each in machine.requests} == {"127.0.0.1"}
        assert state_of(machine).leader_endpoints[0].host == "127.0.0.1"
        assert machine.node.leader_endpoint("OTHER") is None

    def test_only_voters_are_asked_whether_they_lead_and_at_the_address_that_the_log_has(self) -> None:
        machine = follower()
        answer_fetch(machine)
        machine.requests.clear()
        nowhere = (Endpoint(name="CONTROLLER", host="127.0.0.9", port=9),)
        for leader_id in (9, 3):
            machine.ask(
                BeginQuorumEpochRequest(
                    leader_id=leader_id,
                    epoch=EPOCH + 1,
                    voter_id=1,
                    voter_directory_id=None,
                    leader_endpoints=nowhere,
                )
            )
        machine.settle()
        assert [each.destination.host for each in machine.requests] == ["127.0.0.1"]
        assert [each.destination.id for each in machine.requests] == [3]
        assert state_of(machine).epoch == EPOCH

    def test_a_leader_that_is_in_doubt_and_answers_is_followed_again(self) -> None:
        machine = follower()
        answer_fetch(machine)
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        assert state_of(machine).link_is_dead
        machine.tick(30)
        assert isinstance(machine.node.state, Prospective)
        machine.settle()
        again = sent(machine, FetchRequest, to=2)
        machine.handle(
            ResponseReceived(
                request_id=again.request_id,
                response=FetchResponse(leader=LEADER, batches=(batch(10, 12, 3),)),
            )
        )
        assert not state_of(machine).link_is_dead
        assert machine.node.log_end_offset == 12

    def test_a_prospective_that_doubts_its_leader_is_not_talked_out_of_it(self) -> None:
        machine = follower()
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        machine.tick(30)
        state = machine.node.state
        assert isinstance(state, Prospective)
        vote = sent(machine, VoteRequest, to=3)
        machine.handle(
            ResponseReceived(
                request_id=vote.request_id, response=VoteResponse(leader=LEADER, is_granted=False)
            )
        )
        assert machine.node.state is state
        assert list(state.votes.rejected) == [3]

    def test_an_election_that_another_node_wins_counts_in_the_latency_as_well(self) -> None:
        machine = follower()
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        machine.tick(30)
        assert isinstance(machine.node.state, Prospective)
        vote = sent(machine, VoteRequest, to=3)
        machine.tick(7)
        leader = LeaderAndEpoch(leader_id=3, epoch=EPOCH + 1)
        response = VoteResponse(error=RaftError.FENCED_LEADER_EPOCH, leader=leader)
        machine.handle(ResponseReceived(request_id=vote.request_id, response=response))
        assert state_of(machine).leader_id == 3
        statistics = machine.node.statistics()
        assert (statistics.election_latency_sum_ms, statistics.election_latency_count) == (7, 1)
        assert statistics.elections_won == 0

    def test_a_candidate_has_the_time_that_it_drew_if_its_disk_is_quick(self) -> None:
        machine, candidate = candidate_with_a_vote()
        drawn_ms = candidate.deadline_ms
        assert drawn_ms > machine.now_ms + 1000
        machine.settle()
        assert candidate.deadline_ms == drawn_ms

    def test_a_candidate_has_an_election_timeout_left_once_its_vote_is_durable(self) -> None:
        machine, candidate = candidate_with_a_vote()
        machine.tick(5000)
        machine.settle()
        assert machine.node.state is candidate
        assert candidate.deadline_ms == machine.now_ms + 1000

    def test_a_leader_that_moves_is_not_asked_before_the_fetch_at_its_old_address_ends(self) -> None:
        machine = follower()
        machine.settle()
        asked = [each for each in machine.requests if isinstance(each.request, FetchRequest)]
        assert len(asked) == 1
        state_of(machine).leader_endpoints = (Endpoint(name="CONTROLLER", host="127.0.0.8", port=8),)
        machine.tick(1)
        machine.settle()
        assert [each for each in machine.requests if isinstance(each.request, FetchRequest)] == asked

    def test_a_vote_of_an_earlier_epoch_does_not_count(self) -> None:
        machine, candidate = candidate_with_a_vote()
        machine.settle()
        vote = sent(machine, VoteRequest, to=3)
        earlier = VoteResponse(leader=LeaderAndEpoch(leader_id=-1, epoch=EPOCH), is_granted=True)
        machine.handle(ResponseReceived(request_id=vote.request_id, response=earlier))
        assert machine.node.state is candidate
        assert list(candidate.votes.rejected) == [3]

    def test_an_election_that_nobody_answers_is_a_timeout(self) -> None:
        machine, candidate = candidate_with_a_vote()
        machine.settle()
        machine.tick(candidate.deadline_ms - machine.now_ms - 1)
        machine.settle()
        assert machine.node.state is candidate
        assert machine.node.statistics().election_timeouts == 0
        machine.tick(1)
        assert isinstance(machine.node.state, Prospective)
        assert machine.node.statistics().election_timeouts == 1

    def test_a_voter_that_is_another_replica_has_no_vote_to_give(self) -> None:
        machine = follower()
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        machine.tick(30)
        state = machine.node.state
        assert isinstance(state, Prospective)
        vote = sent(machine, VoteRequest, to=3)
        response = VoteResponse(error=RaftError.INVALID_VOTER_KEY, leader=LEADER)
        machine.handle(ResponseReceived(request_id=vote.request_id, response=response))
        assert list(state.votes.absent) == [3]

    @pytest.mark.parametrize(
        ("failure", "error"),
        [
            (RequestFailure.UNSUPPORTED, RaftError.NONE),
            (RequestFailure.TOP_LEVEL_ERROR, RaftError.UNSUPPORTED_VERSION),
        ],
    )
    def test_a_voter_that_knows_no_pre_votes_has_nothing_against_an_election(
        self, failure: RequestFailure, error: RaftError
    ) -> None:
        machine = follower()
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        machine.tick(30)
        vote = sent(machine, VoteRequest, to=3)
        machine.handle(RequestFailed(request_id=vote.request_id, failure=failure, error=error))
        candidate = machine.node.state
        assert isinstance(candidate, Candidate)
        # A standard vote is not given by silence.
        machine.tick(25)
        vote = sent(machine, VoteRequest, to=3)
        machine.handle(RequestFailed(request_id=vote.request_id, failure=failure, error=error))
        assert list(candidate.votes.granted) == [1]

    @pytest.mark.parametrize("error", [RaftError.NONE, RaftError.INVALID_VOTER_KEY])
    def test_late_responses_to_what_is_not_wanted_any_more(self, error: RaftError) -> None:
        machine = follower()
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        machine.tick(30)
        to_2, to_3 = sent(machine, VoteRequest, to=2), sent(machine, VoteRequest, to=3)
        machine.tick(2500)
        state = state_of(machine)
        response = VoteResponse(error=error, leader=LEADER, is_granted=error is RaftError.NONE)
        machine.handle(ResponseReceived(request_id=to_3.request_id, response=response))
        machine.handle(RequestFailed(request_id=to_2.request_id, failure=RequestFailure.REFUSED))
        assert machine.node.state is state

    def test_a_late_response_does_not_cut_a_log_that_has_grown_meanwhile(self) -> None:
        elsewhere = Destination(id=-2, host="127.0.0.1", port=22)
        machine = follower(voter(1, port=1), voter(2, port=2), bootstrap_servers=(elsewhere,))
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        # The leader is asked at two addresses for what follows offset 10.
        first, second = sent(machine, FetchRequest, to=2), sent(machine, FetchRequest, to=22)
        batches = (batch(10, 12, 3),)
        machine.handle(
            ResponseReceived(
                request_id=first.request_id, response=FetchResponse(leader=LEADER, batches=batches)
            )
        )
        machine.settle()
        diverging = OffsetAndEpoch(offset=7, epoch=2)
        machine.handle(
            ResponseReceived(
                request_id=second.request_id, response=FetchResponse(leader=LEADER, diverging=diverging)
            )
        )
        assert machine.node.log_end_offset == 12

    def test_a_voter_whose_address_is_not_known_cannot_be_asked(self) -> None:
        elsewhere = msgspec.structs.replace(
            voter(3), endpoints=(Endpoint(name="OTHER", host="127.0.0.1", port=3),)
        )
        machine = follower(voter(1, port=1), voter(2, port=2), elsewhere)
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        machine.tick(30)
        assert isinstance(machine.node.state, Prospective)
        assert [
            each.destination.port for each in machine.requests if isinstance(each.request, VoteRequest)
        ] == []
        machine.settle()
        assert [
            each.destination.port for each in machine.requests if isinstance(each.request, VoteRequest)
        ] == [2]
        assert machine.node.statistics().number_unknown_voter_connections == 1
        # Its vote is not counted on either.
        state = machine.node.state
        assert isinstance(state, Prospective)
        assert list(state.votes.absent) == [3]

    def test_a_former_leader_cannot_tell_whose_address_it_does_not_know(self) -> None:
        elsewhere = msgspec.structs.replace(
            voter(3), endpoints=(Endpoint(name="OTHER", host="127.0.0.1", port=3),)
        )
        disk = Disk(
            bootstrap=bootstrap_records(voter(1, port=1), voter(2, port=2), elsewhere),
            election=ElectionState(epoch=EPOCH, leader_id=1),
        )
        machine = Machine(config(1, port=1), disk)
        machine.start()
        assert sent(machine, EndQuorumEpochRequest).destination.port == 2
        state = machine.node.state
        assert isinstance(state, Resigned)
        # It does not wake up to try again either.
        assert machine.node.next_deadline_ms() == state.election_at_ms

    def test_a_leader_that_names_no_successors_leaves_the_order_to_the_node_ids(self) -> None:
        machine = follower()
        machine.ask(EndQuorumEpochRequest(leader_id=2, epoch=EPOCH, preferred_candidates=()))
        assert state_of(machine).successor_rank is None

    def test_who_is_not_on_the_list_of_successors_comes_last(self) -> None:
        machine = follower()
        machine.ask(EndQuorumEpochRequest(leader_id=2, epoch=EPOCH, preferred_candidates=(voter(3).key,)))
        assert state_of(machine).successor_rank == 1

    @pytest.mark.parametrize(
        ("place", "count", "pause_ms"),
        [(0, 1, 0), (0, 3, 0), (1, 1, 1000), (1, 2, 1000), (1, 3, 500), (2, 3, 1000), (3, 3, 1000)],
    )
    def test_a_successor_waits_for_the_longest_fetch_and_for_those_before_it(
        self, place: int, count: int, pause_ms: int
    ) -> None:
        machine = follower(fetch_timeout_ms=10_000, election_backoff_max_ms=1000)
        candidates = [voter(9).key] * count
        candidates[place : place + 1] = [voter(1).key][: count - place]
        end = EndQuorumEpochRequest(leader_id=2, epoch=EPOCH, preferred_candidates=tuple(candidates))
        machine.ask(end)
        longest_fetch_ms = FETCH_MAX_WAIT_MS + END_GRACE_MS
        assert state_of(machine).fetch_deadline_ms == machine.now_ms + longest_fetch_ms + pause_ms
        # If the former leader says it again, its time does not begin anew.
        machine.tick(100)
        machine.ask(end)
        assert state_of(machine).fetch_deadline_ms == machine.now_ms - 100 + longest_fetch_ms + pause_ms

    def test_the_leaders_word_first_and_its_list_later(self) -> None:
        machine = follower()
        answer_fetch(
            machine,
            error=RaftError.NOT_LEADER_OR_FOLLOWER,
            leader=LeaderAndEpoch(leader_id=-1, epoch=EPOCH),
        )
        assert state_of(machine).link_is_dead
        machine.ask(
            EndQuorumEpochRequest(leader_id=2, epoch=EPOCH, preferred_candidates=(voter(1).key, voter(3).key))
        )
        assert isinstance(machine.node.state, Prospective)

    def test_anybody_else_who_does_not_lead_says_nothing_about_the_leader(self) -> None:
        machine = follower()
        answer_fetch(machine)
        fetch = sent(machine, FetchRequest)
        state_of(machine).leader_endpoints = (Endpoint(name="CONTROLLER", host="127.0.0.8", port=8),)
        response = FetchResponse(error=RaftError.NOT_LEADER_OR_FOLLOWER, leader=LEADER)
        machine.handle(ResponseReceived(request_id=fetch.request_id, response=response))
        assert not state_of(machine).link_is_dead
