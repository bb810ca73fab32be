"""Whom a node believes, and what it reports of those whom it does not; the rules at work are in scenario files.

Tests: `core.raft.model.refusals`, `core.raft.roles.unattached`, `core.raft.roles.voting`, `core.raft.values.errors`,
`core.raft.values.trust`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.describe.core import describe_refusal
from kafkaproto_server.core.raft.model.refusals import MOST_REPORTS, PERIOD_MS, Refusals
from kafkaproto_server.core.raft.model.states import Candidate, Follower, Resigned
from kafkaproto_server.core.raft.roles.voting import MAX_WAITING
from kafkaproto_server.core.raft.values.effects import ClaimRefused, Effects, SendRequest
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import (
    RequestFailed,
    RequestFailure,
    RequestReceived,
    ResponseReceived,
)
from kafkaproto_server.core.raft.values.messages import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    QuorumEpochResponse,
    VoteRequest,
    VoteResponse,
)
from kafkaproto_server.core.raft.values.trust import FARTHEST_STEP, LAST_EPOCH, Doubt
from tests.core.raft.support.machine import Disk, Machine, bootstrap_records, config, directory, voter

Claim = VoteRequest | BeginQuorumEpochRequest | EndQuorumEpochRequest
REQUEST_IDS = itertools.count(5_000_000)


def machine(*, election: ElectionState | None = None, **settings: object) -> Machine:
    """Node 1 of the voters 1, 2 and 3, alone."""
    voters = (voter(node_id, port=node_id) for node_id in (1, 2, 3))
    disk = Disk(bootstrap=bootstrap_records(*voters), election=election)
    started = Machine(config(1, port=1, **settings), disk)
    started.start()
    started.settle()
    return started


def vote(node_id: int, epoch: int) -> VoteRequest:
    return VoteRequest(
        replica=ReplicaKey(id=node_id, directory_id=directory(node_id)),
        voter_id=1,
        voter_directory_id=None,
        epoch=epoch,
        last_epoch=0,
        last_offset=0,
        is_pre_vote=False,
    )


def begin(leader_id: int, epoch: int, host: str = "127.0.0.1") -> BeginQuorumEpochRequest:
    return BeginQuorumEpochRequest(
        leader_id=leader_id,
        epoch=epoch,
        voter_id=1,
        voter_directory_id=None,
        leader_endpoints=(Endpoint(name="CONTROLLER", host=host, port=leader_id),),
    )


def put(node: Machine, request: Claim) -> list[Effects]:
    """Give a node a request; returns what it asks for."""
    node.handle(RequestReceived(request_id=next(REQUEST_IDS), request=request, listener_name="CONTROLLER"))
    return node.settle()


def refusals(node: Machine, *requests: Claim) -> list[str]:
    """What a node reports of requests."""
    effects = [each for request in requests for each in put(node, request)]
    return [
        describe_refusal(told)
        for each in effects
        for told in each.notify_now
        if isinstance(told, ClaimRefused)
    ]


def fetches(node: Machine) -> list[SendRequest]:
    """Fetches whose responses did not come yet."""
    return [each for each in node.requests if isinstance(each.request, FetchRequest)]


def not_asked(node: Machine) -> int:
    """The one of the voters 2 and 3 that the node is not asking who leads."""
    (asked,) = fetches(node)
    return 5 - asked.destination.id


def all_fetches(node: Machine, to: int) -> Iterator[SendRequest]:
    """The Fetch to a voter that is under way, and the one that follows because of a claim that came meanwhile."""
    for _ in range(2):
        for asked in [each for each in fetches(node) if each.destination.id == to][:1]:
            node.requests.remove(asked)
            yield asked


def unreachable(node: Machine, voter_id: int) -> None:
    """Nobody listens at a voter's endpoint."""
    for asked in all_fetches(node, voter_id):
        node.handle(RequestFailed(request_id=asked.request_id, failure=RequestFailure.REFUSED))
        node.settle()


def says(request: SendRequest, epoch: int, leader_id: int = 2) -> ResponseReceived:
    """The response of a node that does not serve, and names an epoch and its leader."""
    response = FetchResponse(
        error=RaftError.FENCED_LEADER_EPOCH,
        leader=LeaderAndEpoch(leader_id=leader_id, epoch=epoch),
        leader_endpoint=Endpoint(name="", host="127.0.0.1", port=2),
    )
    return ResponseReceived(request_id=request.request_id, response=response)


class TestReports:
    def test_each_peer_and_doubt_is_reported_once_a_period(self) -> None:
        known = Refusals(0)
        assert known.is_news(77, Doubt.UNKNOWN_NODE, 0, is_voter=False)
        assert not known.is_news(77, Doubt.UNKNOWN_NODE, 1, is_voter=False)
        assert known.is_news(77, Doubt.EPOCH_AT_THE_END, 2, is_voter=False)
        assert known.is_news(78, Doubt.UNKNOWN_NODE, 3, is_voter=False)
        assert not known.is_news(77, Doubt.UNKNOWN_NODE, PERIOD_MS - 1, is_voter=False)
        assert known.is_news(77, Doubt.UNKNOWN_NODE, PERIOD_MS, is_voter=False)

    def test_invented_ids_fill_neither_log_nor_memory(self) -> None:
        known = Refusals(0)
        news = [
            known.is_news(node_id, Doubt.UNKNOWN_NODE, node_id, is_voter=False)
            for node_id in range(10 * MOST_REPORTS)
        ]
        assert sum(news) == MOST_REPORTS
        assert known.is_news(1, Doubt.NOT_CONFIRMED, 0, is_voter=True)
        assert not known.is_news(1, Doubt.NOT_CONFIRMED, 0, is_voter=True)

    def test_they_say_what_was_claimed_and_why_it_is_not_believed(self) -> None:
        node = machine()
        assert refusals(node, vote(77, 1), vote(77, 1)) == [
            f"node 77: Vote from=77/d04d epoch=1 log=0@0: {Doubt.UNKNOWN_NODE.value}"
        ]
        assert refusals(node, vote(77, 2**31 - 1), begin(77, 5), begin(77, 2**31 - 1)) == [
            "node 77: Vote from=77/d04d epoch=2147483647 log=0@0: a quorum could not continue from that epoch"
        ]
        assert refusals(node, begin(3, 1, host="10.0.0.9"), begin(3, 1)) == [
            f"node 3: BeginQuorumEpoch leader=3 epoch=1: {Doubt.OTHER_ENDPOINT.value}"
        ]
        end = EndQuorumEpochRequest(leader_id=78, epoch=3, preferred_candidates=())
        assert refusals(node, end) == [
            f"node 78: EndQuorumEpoch leader=78 epoch=3 candidates=[]: {Doubt.UNKNOWN_NODE.value}"
        ]
        assert node.node.state.epoch == 0

    def test_a_voter_without_an_endpoint_for_this_listener_is_reported_like_one_elsewhere(self) -> None:
        disk = Disk(bootstrap=bootstrap_records(*(voter(node_id, port=node_id) for node_id in (1, 2, 3))))
        node = Machine(config(1, port=1, listener_name="SECOND"), disk)
        node.start()
        told = Endpoint(name="SECOND", host="127.0.0.1", port=2)
        request = BeginQuorumEpochRequest(
            leader_id=2, epoch=1, voter_id=1, voter_directory_id=None, leader_endpoints=(told,)
        )
        assert len(refusals(node, request)) == 1
        assert not node.requests


class TestResponses:
    def test_no_response_takes_a_node_to_an_epoch_that_it_could_not_go_on_from(self) -> None:
        node = machine()
        node.handle(says(fetches(node)[0], LAST_EPOCH + 1))
        told = [told for effects in node.settle() for told in effects.notify_now]
        assert [each.doubt for each in told if isinstance(each, ClaimRefused)] == [Doubt.EPOCH_AT_THE_END]
        assert node.node.state.epoch == 0

    def test_one_response_is_worth_so_many_epochs(self) -> None:
        node = machine()
        for epoch in (FARTHEST_STEP, 2 * FARTHEST_STEP, 2 * FARTHEST_STEP + 5):
            asked = fetches(node)[0]
            node.requests.clear()
            node.handle(says(asked, 2 * FARTHEST_STEP + 5))
            node.settle()
            assert node.node.state.epoch == epoch
        assert isinstance(node.node.state, Follower)


class TestTheLastEpoch:
    """A node stays in it, and does not wake up for what it may not do."""

    def test_a_former_leader_does_not_stand_for_a_later_one(self) -> None:
        node = machine(election=ElectionState(epoch=LAST_EPOCH, leader_id=1))
        for asked in node.requests:
            response = QuorumEpochResponse(leader=LeaderAndEpoch(leader_id=-1, epoch=LAST_EPOCH))
            node.handle(ResponseReceived(request_id=asked.request_id, response=response))
        node.settle()
        assert node.node.next_deadline_ms() is None
        node.tick(10_000)
        node.settle()
        state = node.node.state
        assert isinstance(state, Resigned)
        assert state.epoch == LAST_EPOCH

    def test_pre_votes_lead_to_no_election(self) -> None:
        node = machine(election=ElectionState(epoch=LAST_EPOCH))
        for _ in range(5):
            node.tick(2_500)
            node.settle()
            for asked in [each for each in node.requests if isinstance(each.request, VoteRequest)]:
                node.requests.remove(asked)
                response = VoteResponse(
                    leader=LeaderAndEpoch(leader_id=-1, epoch=LAST_EPOCH), is_granted=True
                )
                node.handle(ResponseReceived(request_id=asked.request_id, response=response))
                node.settle()
        assert node.node.state.epoch == LAST_EPOCH
        assert node.disk.election == ElectionState(epoch=LAST_EPOCH)

    def test_it_may_have_a_leader_and_a_later_one_may_not(self) -> None:
        node = machine()
        assert refusals(node, begin(2, LAST_EPOCH)) == []
        assert refusals(node, begin(2, LAST_EPOCH + 1)) != []


class TestVotes:
    """A voter's Vote in a later epoch waits until that voter was asked for its epoch."""

    def test_it_is_granted_once_the_candidate_says_that_it_is_in_that_epoch(self) -> None:
        node = machine()
        put(node, vote(2, 50))
        assert not node.responses
        (asked,) = [each for each in fetches(node) if each.destination.id == 2]
        node.handle(says(asked, 50, leader_id=-1))
        node.settle()
        (response,) = node.responses
        assert response.response == VoteResponse(
            leader=LeaderAndEpoch(leader_id=-1, epoch=50), is_granted=True
        )
        assert node.disk.election == ElectionState(epoch=50, voted_key=voter(2).key)

    def test_what_the_candidate_said_of_itself_before_it_asked_does_not_decide(self) -> None:
        node = machine()
        (first,) = fetches(node)
        node.requests.clear()
        put(node, vote(first.destination.id, 1))
        node.handle(says(first, 0, leader_id=-1))
        node.settle()
        assert not node.responses
        (second,) = [each for each in fetches(node) if each.destination == first.destination]
        node.handle(says(second, 1, leader_id=-1))
        node.settle()
        (response,) = node.responses
        assert response.response == VoteResponse(
            leader=LeaderAndEpoch(leader_id=-1, epoch=1), is_granted=True
        )

    def test_it_is_refused_and_reported_if_the_candidate_is_in_no_such_epoch(self) -> None:
        node = machine()
        put(node, vote(2, 1))
        told = []
        for asked in all_fetches(node, 2):
            node.handle(says(asked, 0, leader_id=-1))
            told += [told for effects in node.settle() for told in effects.notify_now]
        assert [each.doubt for each in told if isinstance(each, ClaimRefused)] == [Doubt.NOT_CONFIRMED]
        (response,) = node.responses
        assert response.response == VoteResponse(
            error=RaftError.UNKNOWN_LEADER_EPOCH, leader=LeaderAndEpoch(leader_id=-1, epoch=0)
        )

    def test_the_other_voters_may_say_it_as_well(self) -> None:
        node = machine()
        put(node, vote(2, 1))
        put(node, begin(3, 0))
        (other,) = [each for each in fetches(node) if each.destination.id == 3]
        node.handle(says(other, 1, leader_id=-1))
        node.settle()
        assert [
            each.response.is_granted for each in node.responses if isinstance(each.response, VoteResponse)
        ] == [True]

    def test_it_waits_however_often_others_are_asked(self) -> None:
        node = machine()
        put(node, vote(2, 1))
        for _ in range(4):
            put(node, begin(3, 0))
            (other,) = [each for each in fetches(node) if each.destination.id == 3]
            node.requests.remove(other)
            node.handle(says(other, 0, leader_id=-1))
            node.settle()
        assert not [each for each in node.responses if isinstance(each.response, VoteResponse)]

    def test_of_several_that_wait_the_one_of_the_epoch_that_is_confirmed_is_granted(self) -> None:
        node = machine()
        for epoch in (1, 3, 2):
            put(node, vote(2, epoch))
        for asked in all_fetches(node, 2):
            node.handle(says(asked, 2, leader_id=-1))
            node.settle()
        responses = [each.response for each in node.responses]
        granted = [response.is_granted for response in responses if isinstance(response, VoteResponse)]
        assert (granted.count(True), granted.count(False)) == (1, 2)
        assert node.disk.election == ElectionState(epoch=2, voted_key=voter(2).key)

    def test_a_voter_that_cannot_be_reached_is_not_believed(self) -> None:
        node = machine()
        put(node, vote(2, 1))
        unreachable(node, 2)
        (response,) = node.responses
        assert response.response == VoteResponse(
            error=RaftError.UNKNOWN_LEADER_EPOCH, leader=LeaderAndEpoch(leader_id=-1, epoch=0)
        )

    def test_claims_about_the_candidate_do_not_keep_it_waiting(self) -> None:
        node = machine()
        put(node, vote(2, 1))
        for _ in range(3):
            put(node, begin(2, 1))
            for asked in [each for each in fetches(node) if each.destination.id == 2]:
                node.requests.remove(asked)
                node.handle(RequestFailed(request_id=asked.request_id, failure=RequestFailure.REFUSED))
                node.settle()
        assert sum(isinstance(each.response, VoteResponse) for each in node.responses) == 1

    def test_one_of_a_later_epoch_than_a_leader_that_was_found_meanwhile_changes_nothing(self) -> None:
        node = machine()
        put(node, vote(3, 5))
        put(node, begin(2, 0))
        (other,) = [each for each in fetches(node) if each.destination.id == 2]
        leader = LeaderAndEpoch(leader_id=2, epoch=0)
        leads = FetchResponse(leader=leader, leader_endpoint=voter(2, port=2).endpoints[0])
        node.handle(ResponseReceived(request_id=other.request_id, response=leads))
        node.settle()
        node.requests = [each for each in node.requests if each.destination.id == 3]
        unreachable(node, 3)
        (response,) = [each.response for each in node.responses if isinstance(each.response, VoteResponse)]
        assert response == VoteResponse(
            leader=LeaderAndEpoch(leader_id=2, epoch=0), leader_endpoint=voter(2, port=2).endpoints[0]
        )

    def test_so_many_wait_and_the_others_are_to_come_again(self) -> None:
        node = machine()
        for epoch in range(1, MAX_WAITING + 11):
            put(node, vote(2, epoch))
        assert len(node.responses) == 10
        unreachable(node, 2)
        assert len(node.responses) == MAX_WAITING + 10
        assert node.node.state.epoch == 0


class TestUnknownCandidates:
    """An unknown candidate gets a vote after three election timeouts without a leader."""

    @pytest.mark.parametrize("leader_id", [2, -1])
    def test_a_leader_that_this_node_was_told_of_and_never_heard_counts_as_one(self, leader_id: int) -> None:
        node = machine(election_timeout_ms=1000)
        asked = fetches(node)
        node.requests.clear()
        node.tick(3500)
        node.settle()
        node.handle(says(asked[0], 5, leader_id=leader_id))
        node.settle()
        (again, *_) = [each for each in fetches(node) if each not in asked]
        node.handle(says(again, 6, leader_id=-1))
        node.settle()
        put(node, vote(77, 6))
        votes = [
            each.response.is_granted for each in node.responses if isinstance(each.response, VoteResponse)
        ]
        assert (node.node.state.epoch, votes) == (6, [leader_id == -1])


class TestAskingBack:
    def test_a_leader_that_makes_itself_known_is_asked_at_once_and_is_not_to_hold_the_response(self) -> None:
        node = machine()
        other = not_asked(node)
        put(node, begin(other, 0))
        asked = fetches(node)[-1]
        assert isinstance(asked.request, FetchRequest)
        assert (asked.destination.id, asked.request.max_wait_ms) == (other, 0)

    @pytest.mark.parametrize("responds", [True, False])
    def test_one_that_is_being_asked_already_is_asked_again_as_soon_as_that_is_over(
        self, responds: bool
    ) -> None:
        node = machine()
        (first,) = fetches(node)
        node.requests.clear()
        put(node, begin(first.destination.id, 2))
        assert not fetches(node)
        node.handle(
            says(first, 0, leader_id=-1)
            if responds
            else RequestFailed(request_id=first.request_id, failure=RequestFailure.DISCONNECTED)
        )
        node.settle()
        assert first.destination.id in [each.destination.id for each in fetches(node)]

    def test_while_one_is_being_asked_already_the_others_are_asked_soon(self) -> None:
        node = machine(retry_backoff_ms=20)
        (first,) = fetches(node)
        put(node, begin(first.destination.id, 2))
        assert node.node.next_deadline_ms() == node.now_ms + 20
        node.tick(20)
        node.settle()
        assert len(fetches(node)) == 2

    def test_any_number_of_claims_makes_one_request_to_a_voter(self) -> None:
        node = machine()
        for epoch in range(1, 1000):
            for leader_id in (2, 3, 77):
                put(node, begin(leader_id, epoch))
        assert sorted(each.destination.id for each in fetches(node)) == [2, 3]

    def test_a_candidate_asks_as_well(self) -> None:
        node = machine(election_timeout_ms=1000)
        node.tick(2000)
        node.settle()
        for asked in [each for each in node.requests if isinstance(each.request, VoteRequest)]:
            node.requests.remove(asked)
            node.handle(RequestFailed(request_id=asked.request_id, failure=RequestFailure.UNSUPPORTED))
            node.settle()
        assert isinstance(node.node.state, Candidate)
        other = not_asked(node)
        put(node, begin(other, node.node.state.epoch))
        assert other in [each.destination.id for each in fetches(node)]
