"""Node 1 of three leads, and its peers ask and answer what the test says.

Tests: `core.raft.model.core`, `core.raft.model.states`, `core.raft.roles.appending`, `core.raft.roles.check_quorum`,
`core.raft.roles.commit`, `core.raft.roles.fetch_service`, `core.raft.roles.leaving`, `core.raft.roles.parked_fetches`,
`core.raft.roles.resigned`, `core.raft.roles.responses`, `core.raft.roles.status`, `core.raft.values.election_state`,
`core.raft.values.quorum_description`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import msgspec
import pytest

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    Unattached,
)
from kafkaproto_server.core.raft.roles import fetch_service, leaving, resigned
from kafkaproto_server.core.raft.values.control import KRaftVoters, RecordedControl
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import (
    RequestFailed,
    RequestFailure,
    ResignRequested,
    ResponseReceived,
)
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    BeginQuorumEpochRequest,
    Destination,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    PendingFetchResponse,
    QuorumEpochResponse,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
    VoteRequest,
    VoteResponse,
)
from kafkaproto_server.core.raft.values.quorum_description import QuorumDescription
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.core.raft.support.following import (
    SNAPSHOT,
    answer_fetch,
    answer_piece,
    batch,
    fail,
    follower,
    sent,
)
from tests.core.raft.support.leader_fixture import committed
from tests.core.raft.support.machine import (
    Disk,
    Machine,
    bootstrap_records,
    config,
    directory,
    static_voter_set,
    voter,
)


def grant(machine: Machine, peer: int) -> None:
    """Have a voter grant what this node asks it for."""
    request = sent(machine, VoteRequest, to=peer)
    asked = request.request
    assert isinstance(asked, VoteRequest)
    leader = LeaderAndEpoch(leader_id=-1, epoch=asked.epoch)
    machine.handle(
        ResponseReceived(request_id=request.request_id, response=VoteResponse(leader=leader, is_granted=True))
    )
    machine.settle()


def elect(machine: Machine, peer: int = 3) -> None:
    """Have the node, whose leader is gone, win the next election."""
    machine.tick(50)
    grant(machine, peer)
    grant(machine, peer)


def leader(**settings: object) -> Machine:
    """Leads epoch 4 from offset 10 on."""
    machine = follower(**settings)
    fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
    elect(machine)
    state = machine.node.state
    assert isinstance(state, Leader)
    assert (state.epoch, state.epoch_start_offset) == (4, 10)
    return machine


def fetch(key: ReplicaKey, offset: int, epoch: int, **fields: object) -> FetchRequest:
    usual = {"epoch": 4, "max_wait_ms": 0, "max_bytes": 1000, "high_watermark": -1}
    return FetchRequest(
        replica=key,
        fetch_offset=offset,
        last_fetched_epoch=epoch,
        **{**usual, **fields},  # type: ignore[arg-type]
    )


def test_only_so_many_fetches_are_parked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_service, "MAX_PARKED", 2)
    machine = leader()
    end = machine.node.log_end_offset
    responses = [machine.ask(fetch(voter(number).key, end, 4, max_wait_ms=500)) for number in (7, 8, 9)]
    assert [response is None for response in responses] == [True, True, False]


@pytest.mark.parametrize("epoch", [3, 5])
def test_a_request_to_resign_is_of_one_epoch_only(epoch: int) -> None:
    machine = leader()
    machine.handle(ResignRequested(epoch=epoch))
    machine.settle()
    assert isinstance(machine.node.state, Leader)


@pytest.mark.parametrize(
    ("epoch", "error"),
    [
        (3, RaftError.NOT_LEADER_OR_FOLLOWER),
        (4, RaftError.NONE),
        (5, RaftError.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_kraft_version_is_raised_in_the_leaders_epoch_only(epoch: int, error: RaftError) -> None:
    machine = leader()
    response = machine.ask(UpgradeKRaftVersionRequest(epoch=epoch, level=1, validate_only=False))
    assert isinstance(response, VoterChangeResponse)
    assert response.error is error


@pytest.mark.parametrize(
    ("epoch", "error"),
    [
        (3, RaftError.FENCED_LEADER_EPOCH),
        (4, RaftError.NONE),
        (5, RaftError.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_endpoints_are_taken_in_the_leaders_epoch_only(epoch: int, error: RaftError) -> None:
    machine = leader()
    # Voters are changed only once something of this epoch is committed.
    machine.ask(fetch(voter(3).key, machine.node.log_end_offset, 4))
    reported = voter(3, port=33)
    request = UpdateVoterRequest(
        epoch=epoch,
        voter=reported.key,
        endpoints=reported.endpoints,
        min_kraft_version=0,
        max_kraft_version=1,
    )
    state = machine.node.state
    assert isinstance(state, Leader)
    heard = dict(state.begin_at_ms)
    machine.now_ms += 1
    response = machine.ask(request)
    assert isinstance(response, UpdateVoterResponse)
    assert response.error is error
    is_taken = error is RaftError.NONE
    assert (reported in machine.node.voters.voters) is is_taken
    # Only then has the leader heard from the voter.
    assert (state.begin_at_ms != heard) is is_taken


def answered(machine: Machine, request: FetchRequest) -> PendingFetchResponse:
    response = machine.ask(request)
    assert isinstance(response, PendingFetchResponse)
    return response


def tell_of_epoch(machine: Machine, epoch: int, leader_id: int) -> None:
    """A voter that is told who leads knows better."""
    begin = sent(machine, BeginQuorumEpochRequest, to=3)
    response = QuorumEpochResponse(
        error=RaftError.FENCED_LEADER_EPOCH, leader=LeaderAndEpoch(leader_id=leader_id, epoch=epoch)
    )
    machine.handle(ResponseReceived(request_id=begin.request_id, response=response))
    machine.settle()


class TestHighWatermark:
    def test_records_of_an_older_epoch_do_not_count(self) -> None:
        machine = leader()
        end_offset = machine.node.log_end_offset
        assert answered(machine, fetch(voter(2).key, 10, 3)).high_watermark == -1
        assert machine.node.high_watermark is None
        assert answered(machine, fetch(voter(2).key, end_offset, 4)).high_watermark == end_offset
        assert machine.node.high_watermark == end_offset

    def test_a_fetch_that_goes_back_takes_nothing_back(self) -> None:
        machine = leader()
        end_offset = machine.node.log_end_offset
        answered(machine, fetch(voter(2).key, end_offset, 4))
        assert answered(machine, fetch(voter(2).key, 5, 2)).high_watermark == end_offset

    def test_another_directory_or_an_unknown_node_is_no_voter(self) -> None:
        machine = leader()
        end_offset = machine.node.log_end_offset
        for key in (ReplicaKey(id=2, directory_id=directory(9)), ReplicaKey(id=2), voter(7).key):
            answered(machine, fetch(key, end_offset, 4))
        assert machine.node.high_watermark is None

    def test_a_position_that_is_not_in_the_log_counts_for_nothing(self) -> None:
        machine = leader()
        end_offset = machine.node.log_end_offset
        response = answered(machine, fetch(voter(2).key, end_offset + 1, 4))
        assert response.diverging is not None
        state = machine.node.state
        assert isinstance(state, Leader)
        assert state.end_offset_of(voter(2).key) is None
        assert not state.has_caught_up(voter(2).key, 6000, machine.now_ms)

    def test_the_leader_counts_its_own_log_only_once_it_is_durable(self) -> None:
        machine = leader()
        end_offset = machine.node.log_end_offset
        answered(machine, fetch(voter(2).key, end_offset, 4))
        machine.append([10])
        machine.take()
        machine.put(fetch(voter(2).key, end_offset + 1, 4))
        assert machine.node.high_watermark == end_offset
        machine.settle()
        assert machine.node.high_watermark == end_offset + 1


class TestStaticVoters:
    def lead(self) -> Machine:
        addresses = [(node_id, "127.0.0.1", node_id) for node_id in (1, 2, 3)]
        machine = Machine(
            config(1, port=1, static_voters=static_voter_set(addresses, "CONTROLLER")),
            Disk(log=[batch(0, 10, 3)]),
        )
        machine.start()
        machine.tick(2000)
        grant(machine, 3)
        grant(machine, 3)
        assert isinstance(machine.node.state, Leader)
        return machine

    def test_they_are_known_by_their_id(self) -> None:
        machine = self.lead()
        answered(machine, fetch(voter(2).key, 11, 4))
        assert machine.node.high_watermark == 11

    def test_a_vote_without_a_directory_is_repeated_for_the_same_id_only(self) -> None:
        addresses = [(node_id, "127.0.0.1", node_id) for node_id in (1, 2, 3)]
        disk = Disk(log=[batch(0, 10, 3)], election=ElectionState(epoch=4, voted_key=ReplicaKey(id=2)))
        machine = Machine(config(1, port=1, static_voters=static_voter_set(addresses, "CONTROLLER")), disk)
        machine.start()
        for node_id, is_granted in ((3, False), (2, True)):
            vote = VoteRequest(
                replica=ReplicaKey(id=node_id),
                voter_id=1,
                voter_directory_id=None,
                epoch=4,
                last_epoch=3,
                last_offset=10,
                is_pre_vote=False,
            )
            response = machine.ask(vote)
            assert isinstance(response, VoteResponse)
            assert response.is_granted is is_granted

    def test_a_borrowed_id_neither_commits_nor_keeps_a_leader(self) -> None:
        machine = self.lead()
        answered(machine, fetch(voter(2).key, 10, 3))
        state = machine.node.state
        assert isinstance(state, Leader)
        resigns_at_ms = state.check_quorum_at_ms
        machine.tick(10)
        answered(machine, fetch(ReplicaKey(id=2, directory_id=directory(9)), 11, 4))
        assert machine.node.high_watermark is None
        assert state.check_quorum_at_ms == resigns_at_ms


class TestSteppingDown:
    def test_a_leader_that_was_removed_leads_until_its_removal_is_committed(self) -> None:
        machine = leader()
        machine.ask(fetch(voter(3).key, machine.node.log_end_offset, 4))
        machine.append([1])
        machine.settle()
        before = machine.node.log_end_offset
        machine.ask(RemoveVoterRequest(voter=voter(1).key))
        for offset, is_over in ((before, False), (machine.node.log_end_offset, True)):
            for node_id in (2, 3):
                machine.ask(fetch(voter(node_id).key, offset, 4))
            assert machine.node.high_watermark == offset
            assert isinstance(machine.node.state, Leader) is not is_over

    def test_a_later_epoch_without_a_leader(self) -> None:
        machine = leader()
        assert machine.ask(fetch(voter(2).key, 13, 4, max_wait_ms=500, high_watermark=99)) is None
        tell_of_epoch(machine, 7, -1)
        assert isinstance(machine.node.state, Unattached)
        assert machine.epochs_lost == [4]
        last = machine.responses[-1].response
        assert isinstance(last, PendingFetchResponse)
        assert (last.error, last.leader) == (
            RaftError.NOT_LEADER_OR_FOLLOWER,
            LeaderAndEpoch(leader_id=-1, epoch=7),
        )

    def test_a_later_leader(self) -> None:
        machine = leader()
        tell_of_epoch(machine, 7, 2)
        assert isinstance(machine.node.state, Follower)
        assert machine.epochs_lost == [4]

    def test_its_own_epoch_has_no_other_leader(self) -> None:
        machine = leader()
        tell_of_epoch(machine, 4, 2)
        assert isinstance(machine.node.state, Leader)

    def test_nobody_else_led_the_epoch_that_it_resigned_from(self) -> None:
        machine = leader()
        fail(machine, BeginQuorumEpochRequest, RequestFailure.TIMED_OUT, to=3)
        machine.tick(20)
        machine.handle(ResignRequested(epoch=4))
        told = sent(machine, EndQuorumEpochRequest, to=3)
        response = QuorumEpochResponse(leader=LeaderAndEpoch(leader_id=3, epoch=4))
        machine.handle(ResponseReceived(request_id=told.request_id, response=response))
        assert isinstance(machine.node.state, Resigned)
        assert list(machine.node.state.unacknowledged) == [2]

    @pytest.mark.parametrize("heard", [resigned.acknowledged, resigned.missed])
    def test_what_became_of_an_earlier_resignation_does_not_count_for_this_one(
        self, heard: Callable[[Core, int, int], None]
    ) -> None:
        core = committed(1, 2, 3).core
        state = core.state
        assert isinstance(state, Leader)
        leaving.resign(core, state, 1000)
        left = core.state
        assert isinstance(left, Resigned)
        heard(core, 2, left.epoch - 1)
        assert list(left.unacknowledged) == [2, 3]
        heard(core, 2, left.epoch)
        assert list(left.unacknowledged) == [3]

    def test_a_voter_that_cannot_be_reached_is_looked_for_at_servers_that_the_log_does_not_name(self) -> None:
        servers = (
            Destination(id=-2, host="127.0.0.1", port=2),
            Destination(id=-3, host="127.0.0.9", port=3),
        )
        machine = leader(bootstrap_servers=servers)
        fail(machine, BeginQuorumEpochRequest, RequestFailure.REFUSED, to=3)
        machine.tick(1000)
        machine.settle()
        begun = [each for each in machine.requests if isinstance(each.request, BeginQuorumEpochRequest)]
        (elsewhere,) = [each for each in begun if each.destination.id < 0]
        assert elsewhere.destination == servers[1]
        assert isinstance(elsewhere.request, BeginQuorumEpochRequest)
        assert elsewhere.request.voter_id == 3
        # That it is in a later epoch is believed: it says so in its response.
        later = QuorumEpochResponse(
            error=RaftError.FENCED_LEADER_EPOCH, leader=LeaderAndEpoch(leader_id=-1, epoch=9)
        )
        machine.handle(ResponseReceived(request_id=elsewhere.request_id, response=later))
        machine.settle()
        assert machine.node.state.epoch == 9

    def test_a_voter_that_was_found_again_is_looked_for_no_more(self) -> None:
        server = Destination(id=-3, host="127.0.0.9", port=3)
        machine = leader(bootstrap_servers=(server,))
        fail(machine, BeginQuorumEpochRequest, RequestFailure.REFUSED, to=3)
        state = machine.node.state
        assert isinstance(state, Leader)
        assert list(state.unreached) == [3]
        machine.ask(fetch(voter(3).key, 10, 3))
        machine.tick(1100)
        machine.settle()
        begun = [
            each.destination for each in machine.requests if isinstance(each.request, BeginQuorumEpochRequest)
        ]
        assert 3 in [each.id for each in begun]
        assert server not in begun

    def test_a_leader_that_stops_looks_for_no_other_leader(self) -> None:
        machine = leader()
        # What it asked before the election would keep it from asking again.
        for asked in [each for each in machine.requests if isinstance(each.request, FetchRequest)]:
            machine.requests.remove(asked)
            machine.handle(RequestFailed(request_id=asked.request_id, failure=RequestFailure.TIMED_OUT))
        machine.shut_down()
        machine.settle()
        assert isinstance(machine.node.state, Resigned)
        for _ in range(3):
            machine.tick(1000)
            machine.settle()
            assert not [each for each in machine.requests if isinstance(each.request, FetchRequest)]

    @pytest.mark.parametrize("responds", [True, False])
    def test_fetches_from_later_epochs_ask_a_node_once_in_half_a_fetch_timeout(self, responds: bool) -> None:
        server = Destination(id=-3, host="127.0.0.9", port=3)
        machine = leader(bootstrap_servers=(server,), fetch_timeout_ms=2000)
        asked = 0
        for node_id in range(77, 1077):
            ahead = fetch(ReplicaKey(id=node_id, directory_id=None), 10, 3)
            machine.ask(msgspec.structs.replace(ahead, epoch=9))
            for begin in [each for each in machine.requests if each.destination == server]:
                asked += 1
                machine.requests.remove(begin)
                same = QuorumEpochResponse(leader=LeaderAndEpoch(leader_id=1, epoch=4))
                machine.handle(
                    ResponseReceived(request_id=begin.request_id, response=same)
                    if responds
                    else RequestFailed(request_id=begin.request_id, failure=RequestFailure.REFUSED)
                )
            machine.tick(2)
            machine.settle()
        assert asked == 2
        assert isinstance(machine.node.state, Leader)

    def test_leadership_that_is_lost_before_it_was_told_is_told_in_order(self) -> None:
        """``Machine`` asserts the order."""
        machine = follower()
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        machine.tick(50)
        grant(machine, 3)
        request = sent(machine, VoteRequest, to=3)
        granted = VoteResponse(leader=LeaderAndEpoch(leader_id=-1, epoch=4), is_granted=True)
        machine.handle(ResponseReceived(request_id=request.request_id, response=granted))
        machine.take()
        assert isinstance(machine.node.state, Leader)
        machine.shut_down()
        machine.take()
        assert (machine.epochs_led, machine.epochs_lost) == ([], [])
        machine.settle()
        assert (machine.epochs_led, machine.epochs_lost) == ([4], [4])

    def test_a_download_of_its_time_as_a_follower_is_not_gone_on_with(self) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        fail(machine, FetchSnapshotRequest, RequestFailure.DISCONNECTED)
        late = sent(machine, FetchSnapshotRequest)
        machine.requests = [each for each in machine.requests if not isinstance(each.request, FetchRequest)]
        elect(machine)
        assert isinstance(machine.node.state, Leader)
        machine.handle(RequestFailed(request_id=late.request_id, failure=RequestFailure.TIMED_OUT))
        tell_of_epoch(machine, 7, 2)
        assert machine.disk.parts == {}
        assert sent(machine, FetchRequest).destination.port == 2


class TestNewVoters:
    def test_records_that_were_gathered_come_before_the_change(self) -> None:
        machine = leader()
        answered(machine, fetch(voter(2).key, 13, 4))
        machine.append([10])
        machine.take()
        machine.append([20, 30])
        machine.put(RemoveVoterRequest(voter=voter(3).key))
        assert [each.base_offset for each in machine.tail[-3:]] == [13, 14, 16]
        assert machine.tail[-1].payload == b"control"
        state = machine.node.state
        assert isinstance(state, Leader)
        assert state.accumulator.next_offset == 17

    def test_an_observer_that_cannot_reach_the_leader_joins_later(self) -> None:
        machine = follower(voter(2, port=2), voter(3, port=3), auto_join=True)
        answer_fetch(machine)
        machine.tick(2100)
        fail(machine, AddVoterRequest, RequestFailure.DISCONNECTED)
        assert not [each for each in machine.requests if isinstance(each.request, AddVoterRequest)]
        machine.tick(30_000)
        sent(machine, AddVoterRequest)

    def test_a_new_voter_that_cannot_be_asked_is_not_added(self) -> None:
        machine = leader()
        answered(machine, fetch(voter(2).key, 13, 4))
        new_voter = voter(5, port=5)
        add = AddVoterRequest(
            voter=new_voter.key, endpoints=new_voter.endpoints, timeout_ms=1000, ack_when_committed=True
        )
        assert machine.ask(add) is None
        fail(machine, ApiVersionsRequest, RequestFailure.REFUSED)
        response = machine.responses[-1].response
        assert isinstance(response, VoterChangeResponse)
        assert response.error is RaftError.REQUEST_TIMED_OUT

    def test_a_response_that_finds_no_leader_any_more_is_nobodys(self) -> None:
        machine = leader()
        answered(machine, fetch(voter(2).key, 13, 4))
        new_voter = voter(5, port=5)
        add = AddVoterRequest(
            voter=new_voter.key, endpoints=new_voter.endpoints, timeout_ms=1000, ack_when_committed=True
        )
        assert machine.ask(add) is None
        tell_of_epoch(machine, 7, 2)
        responses = len(machine.responses)
        fail(machine, ApiVersionsRequest, RequestFailure.REFUSED)
        assert len(machine.responses) == responses


class TestProspective:
    def test_it_gives_its_vote_to_a_candidate_of_its_epoch_once(self) -> None:
        machine = follower()
        machine.disk.election = None
        machine.disk.log = [batch(0, 4, 1), batch(4, 10, 2)]
        machine.start()
        machine.tick(2500)
        assert isinstance(machine.node.state, Prospective)
        vote = VoteRequest(
            replica=voter(3).key,
            voter_id=1,
            voter_directory_id=None,
            epoch=2,
            last_epoch=1,
            last_offset=99,
            is_pre_vote=False,
        )
        for request, is_granted in [
            (vote, False),
            (msgspec.structs.replace(vote, epoch=3, last_epoch=2), True),
        ]:
            machine.responses.clear()
            machine.ask(request)
            while not machine.responses:
                asked = sent(machine, FetchRequest, to=3)
                says = FetchResponse(
                    error=RaftError.FENCED_LEADER_EPOCH, leader=LeaderAndEpoch(leader_id=-1, epoch=3)
                )
                machine.handle(ResponseReceived(request_id=asked.request_id, response=says))
                machine.settle()
            (response,) = [each.response for each in machine.responses]
            assert isinstance(response, VoteResponse)
            assert response.is_granted == is_granted
            machine.tick(2500)

    def test_a_vote_that_it_gives_ends_its_own_attempt(self) -> None:
        machine = follower()
        machine.disk.election = dataclasses.replace(machine.disk.election, leader_id=-1, epoch=4)  # type: ignore[type-var]
        machine.start()
        machine.tick(2500)
        assert isinstance(machine.node.state, Prospective)
        vote = VoteRequest(
            replica=voter(3).key,
            voter_id=1,
            voter_directory_id=None,
            epoch=4,
            last_epoch=3,
            last_offset=10,
            is_pre_vote=False,
        )
        response = machine.ask(vote)
        assert isinstance(response, VoteResponse)
        assert response.is_granted
        assert machine.disk.election is not None
        assert machine.disk.election.voted_key == voter(3).key
        assert machine.node.statistics().current_state == "unattached-voted"
        grant(machine, 2)
        assert isinstance(machine.node.state, Unattached), (
            "a pre-vote won after all unseats who was voted for"
        )
        machine.tick(2500)
        assert machine.node.statistics().current_state == "prospective-voted"

    def test_a_candidate_with_a_worse_log_makes_a_voter_with_a_better_one_try_soon(self) -> None:
        machine = follower()
        machine.disk.election = dataclasses.replace(machine.disk.election, leader_id=-1, epoch=4)  # type: ignore[type-var]
        machine.start()
        vote = VoteRequest(
            replica=voter(3).key,
            voter_id=1,
            voter_directory_id=None,
            epoch=4,
            last_epoch=3,
            last_offset=9,
            is_pre_vote=False,
        )
        response = machine.ask(vote)
        assert isinstance(response, VoteResponse)
        assert not response.is_granted
        machine.tick(60)
        assert isinstance(machine.node.state, Prospective)


class TestRemoved:
    def test_a_leader_whose_removal_is_not_committed_may_lead_once_more_to_commit_it(self) -> None:
        machine = follower()
        two = VoterSet(voters=(voter(2, port=2), voter(3, port=3)))
        removal = batch(10, 11, 3, RecordedControl(offset=10, record=KRaftVoters(voters=two)))
        answer_fetch(machine, batches=(removal,))
        assert (machine.node.is_voter, machine.node.is_electable) == (False, True)
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        machine.tick(100)
        assert isinstance(machine.node.state, Prospective)
        grant(machine, 2)
        assert isinstance(machine.node.state, Prospective)
        grant(machine, 3)
        assert isinstance(machine.node.state, Candidate)
        grant(machine, 2)
        grant(machine, 3)
        first = machine.tail[-1]
        assert (first.base_offset, first.next_offset, first.epoch) == (11, 12, 4)
        # It does not count itself.
        answered(machine, fetch(voter(2).key, 12, 4))
        assert machine.node.high_watermark is None
        response = answered(machine, fetch(voter(3).key, 12, 4))
        assert response.error is RaftError.NOT_LEADER_OR_FOLLOWER
        assert machine.node.high_watermark == 12
        assert machine.epochs_lost == [4]
        assert not machine.node.is_electable

    def test_one_that_is_committed_seeks_nothing(self) -> None:
        machine = follower()
        two = VoterSet(voters=(voter(2, port=2), voter(3, port=3)))
        removal = batch(10, 11, 3, RecordedControl(offset=10, record=KRaftVoters(voters=two)))
        answer_fetch(machine, batches=(removal,), high_watermark=11)
        assert not machine.node.is_electable
        fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
        for _ in range(20):
            machine.tick(1000)
            machine.settle()
        assert isinstance(machine.node.state, Follower)
        assert machine.node.statistics().current_state == "observer"


class TestViews:
    def test_of_voters_that_were_not_heard_from_nothing_is_told(self) -> None:
        machine = leader()
        description = machine.node.describe_quorum(machine.now_ms, 5000)
        assert isinstance(description, QuorumDescription)
        end_offset = machine.node.log_end_offset
        assert description.high_watermark == -1
        assert [replica.key.id for replica in description.voters] == [1, 2, 3]
        assert [replica.log_end_offset for replica in description.voters] == [end_offset, -1, -1]
        assert [replica.last_fetch_timestamp_ms for replica in description.voters] == [5000, -1, -1]
        assert [replica.last_caught_up_timestamp_ms for replica in description.voters] == [5000, -1, -1]
        assert description.voter_set.ids == (1, 2, 3)

    def test_who_follows_a_live_leader(self) -> None:
        machine = follower()
        assert not machine.node.follows_live_leader(machine.now_ms)
        answer_fetch(machine)
        assert machine.node.follows_live_leader(machine.now_ms)
        assert leader().node.follows_live_leader(0)

    def test_a_voter_without_a_known_address_is_not_told_who_leads(self) -> None:
        elsewhere = msgspec.structs.replace(
            voter(2), endpoints=(Endpoint(name="OTHER", host="127.0.0.1", port=2),)
        )
        disk = Disk(bootstrap=bootstrap_records(voter(1, port=1), elsewhere, voter(3, port=3)))
        machine = Machine(config(1, port=1), disk)
        machine.start()
        machine.tick(2000)
        grant(machine, 3)
        grant(machine, 3)
        assert isinstance(machine.node.state, Leader)
        assert sent(machine, BeginQuorumEpochRequest).destination.port == 3
        assert machine.node.next_deadline_ms() is not None

    def test_the_first_batch_of_an_epoch(self) -> None:
        machine = leader()
        appended = machine.tail[-1]
        # The voters stood in nothing but the 0-0 snapshot.
        assert [type(recorded.record).__name__ for recorded in appended.control] == [
            "KRaftVersion",
            "KRaftVoters",
        ]


def test_what_gathered_during_a_sync_goes_to_followers_together_with_the_high_watermark() -> None:
    machine = leader()
    end_offset = machine.node.log_end_offset
    assert answered(machine, fetch(voter(2).key, end_offset, 4)).high_watermark == end_offset
    machine.append([1])
    machine.take()
    # The follower is faster than the leader's own disk, and there is more to append already.
    machine.put(fetch(voter(2).key, end_offset + 1, 4, max_wait_ms=500, high_watermark=end_offset))
    machine.append([1])
    machine.take()
    before = len(machine.responses)
    machine.persist()
    machine.take()
    (told,) = machine.responses[before:]
    assert isinstance(told.response, PendingFetchResponse)
    assert told.response.high_watermark == end_offset + 1
    assert told.response.read is not None
    assert (told.response.read.offset, told.response.read.end_offset) == (end_offset + 1, end_offset + 2)
