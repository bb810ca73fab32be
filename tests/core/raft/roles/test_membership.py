"""AddRaftVoter and RemoveRaftVoter at a leader: every check in its order, what is appended, when is answered.

Tests: `core.raft.roles.voter_changes`.
"""

from __future__ import annotations

import msgspec
import pytest

from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft.model.states import Leader, Resigned
from kafkaproto_server.core.raft.roles import membership
from kafkaproto_server.core.raft.roles.leader import _first_control_records
from kafkaproto_server.core.raft.values.control import KRaftVoters, LeaderChange
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure
from kafkaproto_server.core.raft.values.messages import (
    ApiVersionsRequest,
    Destination,
    RemoveVoterRequest,
)
from tests.core.raft.support.leader_fixture import (
    LISTENER,
    Harness,
    add,
    add_until_appended,
    committed,
    endpoints,
    key,
    remove,
    voter,
    voter_set,
)


class TestRefusalsOfAdd:
    def test_a_negative_voter_id_is_invalid(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(add(4, voter=ReplicaKey(id=-1, directory_id=b"\x04" * 16)))
        assert harness.error(request_id) is RaftError.INVALID_REQUEST
        assert harness.message(request_id) == "Voter id -1 is negative."

    def test_a_missing_directory_id_is_invalid(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(add(4, voter=ReplicaKey(id=4)))
        assert harness.error(request_id) is RaftError.INVALID_REQUEST
        assert harness.message(request_id) == "Voter 4 is named without a directory id."

    def test_the_leaders_listener_has_to_be_among_the_listeners(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(add(4, endpoints=endpoints(4)[:1]))
        assert harness.error(request_id) is RaftError.INVALID_REQUEST
        assert "Listener CONTROLLER, which the leader uses, is not among" in harness.message(request_id)
        assert harness.error(harness.change(add(4, endpoints=()))) is RaftError.INVALID_REQUEST

    def test_a_listener_cannot_be_named_twice(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(add(4, endpoints=endpoints(4) * 2))
        assert harness.error(request_id) is RaftError.INVALID_REQUEST
        assert "named twice" in harness.message(request_id)

    @pytest.mark.parametrize(("host", "port"), [("", 9093), ("host", 0)])
    def test_a_listener_has_to_have_an_address(self, host: str, port: int) -> None:
        harness = committed(1, 2, 3)
        bad = (Endpoint(name=LISTENER, host=host, port=port),)
        request_id = harness.change(add(4, endpoints=bad))
        assert harness.error(request_id) is RaftError.INVALID_REQUEST
        assert harness.message(request_id) == f"Listener CONTROLLER has no address: {host!r}, port {port}."

    def test_another_change_under_way_has_to_end_first(self) -> None:
        harness = committed(1, 2, 3)
        harness.change(add(4))
        request_id = harness.change(add(5))
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert "Another change" in harness.message(request_id)
        assert harness.error(harness.change(remove(2))) is RaftError.REQUEST_TIMED_OUT

    def test_a_leader_without_a_high_watermark_changes_nothing(self) -> None:
        harness = Harness(1, 2, 3)
        request_id = harness.change(add(4))
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert "Nothing of the leader's epoch 5 is committed yet" in harness.message(request_id)
        assert harness.error(harness.change(remove(2))) is RaftError.REQUEST_TIMED_OUT

    def test_static_voters_are_fixed(self) -> None:
        harness = committed(1, 2, 3, kraft_version=0)
        request_id = harness.change(add(4))
        assert harness.error(request_id) is RaftError.UNSUPPORTED_VERSION
        assert "controller.quorum.voters" in harness.message(request_id)
        assert harness.error(harness.change(remove(2))) is RaftError.UNSUPPORTED_VERSION

    def test_a_voter_set_that_is_not_committed_has_to_be_first(self) -> None:
        harness = committed(1, 2, 3)
        first = add_until_appended(harness, 4, ack_when_committed=False)
        assert harness.error(first) is RaftError.NONE
        request_id = harness.change(add(5))
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert "offset 11 is not committed yet" in harness.message(request_id)
        # The addition is committed by two of four beside the leader.
        harness.fetch(2, 3)
        assert harness.error(harness.change(add(5))) is None

    @pytest.mark.parametrize("directory", [b"\x02" * 16, b"\x09" * 16])
    def test_a_node_id_that_votes_already_is_a_duplicate(self, directory: bytes) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(add(2, voter=ReplicaKey(id=2, directory_id=directory)))
        assert harness.error(request_id) is RaftError.DUPLICATE_VOTER
        assert "Node 2 with directory id AgICAgICAgICAgICAgICAg is a voter" in harness.message(request_id)
        assert not harness.requests

    def test_checks_come_in_kafkas_order(self) -> None:
        """Each request is wrong in every later way too."""
        static = Harness(1, 2, 3, kraft_version=0)
        assert (
            static.error(static.change(add(2, voter=ReplicaKey(id=2), endpoints=())))
            is RaftError.INVALID_REQUEST
        )
        assert static.error(static.change(add(2))) is RaftError.REQUEST_TIMED_OUT
        static.fetch(2)
        assert static.error(static.change(add(2))) is RaftError.UNSUPPORTED_VERSION
        harness = committed(1, 2, 3)
        add_until_appended(harness, 4, ack_when_committed=False)
        assert harness.error(harness.change(add(2))) is RaftError.REQUEST_TIMED_OUT
        harness.fetch(2, 3)
        assert harness.error(harness.change(add(2))) is RaftError.DUPLICATE_VOTER


class TestAskingTheNewVoter:
    def test_it_is_asked_for_its_versions_at_its_controller_listener(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(add(4))
        assert harness.error(request_id) is None
        (sent,) = harness.requests.values()
        assert sent.destination == Destination(id=4, host="host4", port=9093)
        assert sent.request == ApiVersionsRequest()

    def test_a_destination_that_cannot_be_asked_now_ends_it(self) -> None:
        harness = committed(1, 2, 3)
        harness.change(add(4))
        harness.tick_at(3000)
        # The first request to it is still unanswered.
        request_id = harness.change(add(4))
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert "at host4:9093 cannot be asked right now" in harness.message(request_id)

    @pytest.mark.parametrize("failure", RequestFailure)
    def test_one_that_cannot_be_reached_ends_it_and_the_refusal_does_not_tell_how(
        self, failure: RequestFailure
    ) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4)
        request_id = harness.change(add(4))
        (sent,) = harness.requests
        harness.outcome(RequestFailed(request_id=sent, failure=failure))
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert harness.message(request_id) == (
            "Node 4 with directory id BAQEBAQEBAQEBAQEBAQEBA could not be reached or did not answer ApiVersions."
        )

    def test_an_error_of_its_own_ends_it(self) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4)
        request_id = harness.change(add(4))
        harness.new_voter_responses(error=RaftError.UNSUPPORTED_VERSION)
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert "answered UNSUPPORTED_VERSION" in harness.message(request_id)

    @pytest.mark.parametrize(("low", "high"), [(0, 0), (2, 3)])
    def test_it_has_to_support_the_finalized_version(self, low: int, high: int) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4)
        request_id = harness.change(add(4))
        harness.new_voter_responses(low, high)
        assert harness.error(request_id) is RaftError.INVALID_REQUEST
        assert f"supports kraft.version {low} to {high}, not the finalized 1" in harness.message(request_id)

    def test_a_node_that_does_not_serve_votes_is_refused(self) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4)
        request_id = harness.change(add(4))
        harness.new_voter_responses(can_vote=False)
        assert harness.error(request_id) is RaftError.INVALID_REQUEST
        assert "does not serve the requests of a quorum (Vote)" in harness.message(request_id)
        assert harness.core.voters.latest.ids == (1, 2, 3)

    def test_it_has_to_be_caught_up(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(add(4))
        harness.new_voter_responses()
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert "has not caught up with the leader's log" in harness.message(request_id)
        assert not harness.last_control[1:]

    def test_another_directory_that_is_caught_up_does_not_count(self) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4)
        request_id = harness.change(add(4, voter=ReplicaKey(id=4, directory_id=b"\x09" * 16)))
        harness.new_voter_responses()
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT

    def test_time_runs_out_after_the_request_timeout(self) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4)
        request_id = harness.change(add(4))
        assert harness.deadline_ms == 3000
        harness.tick_at(2999)
        assert harness.error(request_id) is None
        harness.tick_at(3000)
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert "did not say in time" in harness.message(request_id)
        assert harness.deadline_ms is None

    def test_a_response_that_comes_too_late_adds_nobody(self) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4, 5)
        late = harness.change(add(4))
        harness.tick_at(3000)
        harness.new_voter_responses()
        assert harness.core.voters.latest.ids == (1, 2, 3)
        other = harness.change(add(5))
        harness.outcome(
            RequestFailed(request_id=next(iter(harness.requests)), failure=RequestFailure.TIMED_OUT)
        )
        assert harness.error(other) is None
        harness.new_voter_responses()
        assert 5 in harness.core.voters.latest.ids
        assert harness.error(late) is RaftError.REQUEST_TIMED_OUT


class TestAdding:
    def test_a_control_batch_with_the_new_set_alone_is_appended(self) -> None:
        harness = committed(1, 2, 3)
        add_until_appended(harness, 4)
        assert harness.last_control == (KRaftVoters(voters=voter_set(1, 2, 3, 4)),)
        assert harness.next_offsets == [12]

    def test_the_recorded_versions_are_those_that_the_new_voter_told(self) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4)
        harness.change(add(4))
        harness.new_voter_responses(1, 7)
        recorded = harness.core.voters.latest.get(4)
        assert recorded == msgspec.structs.replace(voter(4), min_kraft_version=1, max_kraft_version=7)

    def test_the_new_set_is_in_force_at_once_and_shown_as_uncommitted(self) -> None:
        harness = committed(1, 2, 3)
        assert not harness.has_uncommitted_change
        add_until_appended(harness, 4)
        assert harness.core.voters.latest == voter_set(1, 2, 3, 4)
        assert harness.has_uncommitted_change
        harness.fetch(2, 3)
        assert not harness.has_uncommitted_change

    def test_it_is_answered_once_the_new_set_has_committed_it(self) -> None:
        harness = committed(1, 2, 3)
        request_id = add_until_appended(harness, 4)
        # Two of three would have been a majority of the old set.
        harness.fetch(2)
        assert harness.error(request_id) is None
        harness.fetch(4)
        assert harness.error(request_id) is RaftError.NONE
        assert harness.deadline_ms is None

    def test_without_waiting_for_the_commit_it_is_answered_once_appended(self) -> None:
        harness = committed(1, 2, 3)
        request_id = add_until_appended(harness, 4, ack_when_committed=False)
        assert harness.error(request_id) is RaftError.NONE
        assert harness.deadline_ms is None
        harness.fetch(2, 3)

    def test_a_commit_that_takes_too_long_is_answered_as_unknown(self) -> None:
        harness = committed(1, 2, 3)
        request_id = add_until_appended(harness, 4)
        harness.tick_at(3000)
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        assert "in the log at offset 11, but not committed in time" in harness.message(request_id)
        # It is not undone: the next change has to wait for it, and may follow once it is committed.
        assert harness.error(harness.change(remove(2))) is RaftError.REQUEST_TIMED_OUT
        harness.fetch(2, 3)
        assert harness.error(harness.change(remove(2))) is None

    def test_time_counts_from_the_request_not_from_the_append(self) -> None:
        harness = committed(1, 2, 3)
        harness.fetch(4)
        harness.change(add(4))
        harness.now_ms = 2500
        harness.new_voter_responses()
        assert harness.deadline_ms == 3000


class TestRemoving:
    def test_it_is_appended_and_answered_once_the_new_set_has_committed_it(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(remove(3))
        assert harness.last_control == (KRaftVoters(voters=voter_set(1, 2)),)
        assert harness.core.voters.latest.ids == (1, 2)
        # The removed one does not count any more.
        harness.fetch(3)
        assert harness.error(request_id) is None
        harness.fetch(2)
        assert harness.error(request_id) is RaftError.NONE
        assert isinstance(harness.core.state, Leader)

    @pytest.mark.parametrize(
        "unknown_node", [key(4), ReplicaKey(id=3, directory_id=b"\x09" * 16)], ids=["id", "directory"]
    )
    def test_who_is_no_voter_cannot_be_removed(self, unknown_node: ReplicaKey) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(RemoveVoterRequest(voter=unknown_node))
        assert harness.error(request_id) is RaftError.VOTER_NOT_FOUND
        assert "is no voter; the voters are Node 1 with directory id" in harness.message(request_id)

    def test_an_entry_without_a_directory_is_shown_as_a_node(self) -> None:
        harness = committed(1, 2, 3)
        old = Voter(key=ReplicaKey(id=3), endpoints=endpoints(3))
        harness.core.voters.add_voters(5, voter_set(1, 2, 3).with_voter(old))
        request_id = harness.change(remove(3))
        assert harness.error(request_id) is RaftError.VOTER_NOT_FOUND
        assert harness.message(request_id).endswith(", Node 3.")

    def test_a_leader_that_the_log_names_with_another_directory_does_not_put_itself_in(self) -> None:
        harness = committed(1, 2, 3)
        other = Voter(key=ReplicaKey(id=1, directory_id=b"\x09" * 16), endpoints=endpoints(9))
        harness.core.voters.add_voters(20, voter_set(1, 2, 3).with_voter(other))
        records = _first_control_records(harness.core, (2, 3))
        assert [type(record) for record in records] == [LeaderChange]

    def test_the_last_voter_stays(self) -> None:
        harness = committed(1)
        request_id = harness.change(remove(1))
        assert harness.error(request_id) is RaftError.VOTER_NOT_FOUND
        assert "is the last voter" in harness.message(request_id)

    @pytest.mark.parametrize("bad", [ReplicaKey(id=-3, directory_id=b"\x03" * 16), ReplicaKey(id=3)])
    def test_id_and_directory_have_to_be_given(self, bad: ReplicaKey) -> None:
        harness = committed(1, 2, 3)
        assert harness.error(harness.change(RemoveVoterRequest(voter=bad))) is RaftError.INVALID_REQUEST

    def test_a_commit_that_takes_too_long_is_answered_as_unknown(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(remove(3))
        harness.tick_at(3000)
        assert harness.error(request_id) is RaftError.REQUEST_TIMED_OUT
        harness.fetch(2)
        assert harness.core.voters.latest.ids == (1, 2)

    def test_a_leader_that_is_removed_leads_on_without_counting_itself_until_the_commit(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(remove(1))
        assert isinstance(harness.core.state, Leader)
        harness.fetch(2)
        assert harness.error(request_id) is None
        assert isinstance(harness.core.state, Leader)

    def test_and_then_answers_and_hands_over_to_the_one_who_has_most(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(remove(1))
        harness.fetch(2)
        harness.fetch(3)
        assert harness.error(request_id) is RaftError.NONE
        state = harness.core.state
        assert isinstance(state, Resigned)
        assert state.preferred_candidates == (key(2), key(3))


class TestLossOfLeadership:
    def test_who_waits_for_the_new_voter_is_told(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(add(4))
        assert isinstance(harness.leader, Leader)
        membership.leadership_lost(harness.core, harness.leader)
        harness.take()
        assert harness.error(request_id) is RaftError.NOT_LEADER_OR_FOLLOWER
        assert harness.message(request_id) == "Node 1 lost leadership of epoch 5 during the change."
        assert harness.deadline_ms is None

    def test_who_waits_for_the_commit_is_told(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(remove(3))
        assert isinstance(harness.leader, Leader)
        membership.leadership_lost(harness.core, harness.leader)
        harness.take()
        assert harness.error(request_id) is RaftError.NOT_LEADER_OR_FOLLOWER

    def test_where_nobody_waits_nobody_is_told(self) -> None:
        harness = committed(1, 2, 3)
        assert isinstance(harness.leader, Leader)
        membership.leadership_lost(harness.core, harness.leader)
        harness.take()
        assert not harness.responses
