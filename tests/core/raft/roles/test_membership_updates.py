"""UpdateRaftVoter and the upgrade of kraft.version at a leader.

Tests: `core.raft.roles.replication`.
"""

from __future__ import annotations

import msgspec
import pytest

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, ReplicaKey, Voter
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.roles import membership
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    UpdateVoterRequest,
    UpdateVoterResponse,
    UpgradeKRaftVersionRequest,
)
from tests.core.raft.support.leader_fixture import (
    LISTENER,
    Harness,
    add,
    committed,
    endpoints,
    key,
    remove,
    voter,
    voter_set,
)


def update(node_id: int, **fields: object) -> UpdateVoterRequest:
    request = UpdateVoterRequest(
        epoch=5,
        voter=key(node_id),
        endpoints=endpoints(node_id),
        min_kraft_version=0,
        max_kraft_version=1,
    )
    return msgspec.structs.replace(request, **fields)


MOVED = (Endpoint(name=LISTENER, host="moved", port=1),)


class TestUpdating:
    @staticmethod
    def send(harness: Harness, request: UpdateVoterRequest, listener_name: str = LISTENER) -> RaftError:
        """The error that an update is answered with, at once and always with the leader."""
        request_id = harness.ask(membership.handle_update_voter, request, listener_name)
        response = harness.responses[request_id]
        assert isinstance(response, UpdateVoterResponse)
        assert response.leader == LeaderAndEpoch(leader_id=1, epoch=5)
        return response.error

    def test_a_changed_entry_is_appended_and_answered_before_the_commit(self) -> None:
        harness = committed(1, 2, 3)
        assert self.send(harness, update(2, endpoints=MOVED)) is RaftError.NONE
        expected = voter_set(1, 2, 3).with_voter(Voter(key=key(2), endpoints=MOVED))
        assert harness.last_control == (KRaftVoters(voters=expected),)
        assert harness.core.voters.latest == expected
        assert harness.has_uncommitted_change

    def test_an_entry_that_says_the_same_is_not_appended_again(self) -> None:
        harness = committed(1, 2, 3)
        before = len(harness.batches)
        assert self.send(harness, update(2, endpoints=endpoints(2)[::-1])) is RaftError.NONE
        assert len(harness.batches) == before

    @pytest.mark.parametrize(("listener_name", "port"), [(LISTENER, 9093), ("SECOND", 9094)])
    def test_the_leader_is_named_at_the_listener_that_was_asked(self, listener_name: str, port: int) -> None:
        harness = committed(1, 2, 3)
        self.send(harness, update(2), listener_name)
        (response,) = harness.responses.values()
        assert isinstance(response, UpdateVoterResponse)
        assert response.leader_endpoint == Endpoint(name=listener_name, host="host1", port=port)

    @pytest.mark.parametrize(
        "bad",
        [
            update(2, voter=ReplicaKey(id=-2, directory_id=b"\x02" * 16)),
            update(2, voter=ReplicaKey(id=2)),
            update(2, endpoints=endpoints(2)[:1]),
            update(2, min_kraft_version=-1),
            update(2, min_kraft_version=2, max_kraft_version=1),
            update(2, max_kraft_version=-1),
            update(2, min_kraft_version=0, max_kraft_version=0),
            update(2, min_kraft_version=2, max_kraft_version=3),
        ],
        ids=str,
    )
    def test_nonsense_and_a_range_without_the_finalized_version_are_invalid(
        self, bad: UpdateVoterRequest
    ) -> None:
        assert self.send(committed(1, 2, 3), bad) is RaftError.INVALID_REQUEST

    @pytest.mark.parametrize("unknown_node", [key(4), ReplicaKey(id=2, directory_id=b"\x09" * 16)])
    def test_who_is_no_voter_is_not_found(self, unknown_node: ReplicaKey) -> None:
        assert self.send(committed(1, 2, 3), update(2, voter=unknown_node)) is RaftError.VOTER_NOT_FOUND

    def test_it_waits_for_nothing_else_under_way(self) -> None:
        harness = Harness(1, 2, 3)
        assert self.send(harness, update(2, endpoints=MOVED)) is RaftError.REQUEST_TIMED_OUT
        harness.fetch(2)
        harness.change(add(4))
        assert self.send(harness, update(2, endpoints=MOVED)) is RaftError.REQUEST_TIMED_OUT
        harness.tick_at(3000)
        assert self.send(harness, update(2, endpoints=MOVED)) is RaftError.NONE
        assert self.send(harness, update(3, endpoints=MOVED)) is RaftError.REQUEST_TIMED_OUT
        harness.fetch(2)
        assert self.send(harness, update(3, endpoints=MOVED)) is RaftError.NONE

    def test_a_static_voter_is_remembered_and_nothing_appended(self) -> None:
        harness = committed(1, 2, 3, kraft_version=0)
        before = len(harness.batches)
        assert self.send(harness, update(2)) is RaftError.NONE
        assert len(harness.batches) == before
        assert isinstance(harness.leader, Leader)
        assert harness.leader.membership.reported == {2: voter(2)}

    def test_who_is_no_static_voter_is_not_found_either(self) -> None:
        harness = committed(1, 2, 3, kraft_version=0)
        assert self.send(harness, update(4)) is RaftError.VOTER_NOT_FOUND


def upgrade(level: int = 1, *, validate_only: bool = False) -> UpgradeKRaftVersionRequest:
    return UpgradeKRaftVersionRequest(epoch=5, level=level, validate_only=validate_only)


class TestUpgrading:
    @staticmethod
    def ready() -> Harness:
        """A static quorum whose voters have all told who they are."""
        harness = committed(1, 2, 3, kraft_version=0)
        TestUpdating.send(harness, update(2))
        TestUpdating.send(harness, update(3))
        return harness

    def test_version_and_voters_are_appended_together(self) -> None:
        harness = self.ready()
        harness.change(upgrade())
        assert harness.last_control == (KRaftVersion(level=1), KRaftVoters(voters=voter_set(1, 2, 3)))
        assert (harness.core.voters.kraft_version, harness.core.voters.latest) == (1, voter_set(1, 2, 3))
        assert harness.next_offsets == [13]

    def test_it_is_answered_once_committed(self) -> None:
        harness = self.ready()
        request_id = harness.change(upgrade())
        assert harness.error(request_id) is None
        assert harness.error(harness.change(upgrade())) is RaftError.NONE
        assert harness.error(harness.change(remove(3))) is RaftError.REQUEST_TIMED_OUT
        harness.fetch(2)
        assert harness.error(request_id) is RaftError.NONE
        assert harness.error(harness.change(remove(3))) is None

    def test_the_level_in_force_is_no_change(self) -> None:
        harness = committed(1, 2, 3, kraft_version=0)
        assert harness.error(harness.change(upgrade(0))) is RaftError.NONE
        dynamic = committed(1, 2, 3)
        before = len(dynamic.batches)
        assert dynamic.error(dynamic.change(upgrade(1))) is RaftError.NONE
        assert len(dynamic.batches) == before

    def test_it_never_goes_down(self) -> None:
        harness = committed(1, 2, 3)
        request_id = harness.change(upgrade(0))
        assert harness.error(request_id) is RaftError.INVALID_UPDATE_VERSION
        assert harness.message(request_id) == "kraft.version cannot be lowered from 1 to 0."

    def test_a_level_that_nobody_knows_is_refused(self) -> None:
        request_id = (harness := self.ready()).change(upgrade(2))
        assert harness.error(request_id) is RaftError.INVALID_UPDATE_VERSION
        assert harness.message(request_id) == "kraft.version 2 is not supported; the highest is 1."

    def test_every_voter_has_to_have_told_who_it_is(self) -> None:
        harness = committed(1, 2, 3, kraft_version=0)
        TestUpdating.send(harness, update(2))
        request_id = harness.change(upgrade())
        assert harness.error(request_id) is RaftError.INVALID_UPDATE_VERSION
        assert harness.message(request_id).startswith("Voter 3 has not told this leader its directory id")

    def test_every_voter_has_to_support_it(self) -> None:
        harness = self.ready()
        TestUpdating.send(harness, update(3, max_kraft_version=0))
        request_id = harness.change(upgrade())
        assert harness.error(request_id) is RaftError.INVALID_UPDATE_VERSION
        assert harness.message(request_id) == "Voter 3 supports kraft.version 0 to 0, not 1."

    def test_a_leader_without_a_high_watermark_has_to_wait(self) -> None:
        harness = Harness(1, 2, 3, kraft_version=0)
        assert harness.error(harness.change(upgrade())) is RaftError.REQUEST_TIMED_OUT

    def test_to_validate_changes_nothing(self) -> None:
        harness = self.ready()
        before = len(harness.batches)
        assert harness.error(harness.change(upgrade(validate_only=True))) is RaftError.NONE
        assert (
            harness.error(harness.change(upgrade(2, validate_only=True))) is RaftError.INVALID_UPDATE_VERSION
        )
        assert (len(harness.batches), harness.core.voters.kraft_version) == (before, 0)

    def test_a_static_quorum_has_nothing_to_commit(self) -> None:
        assert not Harness(1, 2, 3, kraft_version=0).has_uncommitted_change
