"""What a follower asks of its leader about its own place among the voters, and when it leaves that be.

Tests: `core.raft.model.joining_state`, `core.raft.model.membership_state`.
"""

from __future__ import annotations

import msgspec

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, ReplicaKey, Voter
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.log_index import LogIndex
from kafkaproto_server.core.raft.model.requests import RequestLane
from kafkaproto_server.core.raft.model.states import Follower, leader_and_epoch
from kafkaproto_server.core.raft.roles import joining
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters, RecordedControl
from kafkaproto_server.core.raft.values.effects import SendRequest
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure, ResponseReceived
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    Destination,
    FetchedBatch,
    InboundResponse,
    OutboundRequest,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    VoterChangeResponse,
)
from kafkaproto_server.core.raft.values.voters import VoterHistory, VoterSet

LISTENER = "CONTROLLER"
PERIOD_MS = 2000
"""``controller.quorum.fetch.timeout.ms`` by default, which is also how often anything is asked."""


def key(node_id: int) -> ReplicaKey:
    return ReplicaKey(id=node_id, directory_id=bytes([node_id]) * 16)


def endpoints(node_id: int) -> tuple[Endpoint, ...]:
    return (Endpoint(name=LISTENER, host=f"host{node_id}", port=9093),)


def voter(node_id: int) -> Voter:
    return Voter(key=key(node_id), endpoints=endpoints(node_id))


def voter_set(*node_ids: int) -> VoterSet:
    return VoterSet(voters=tuple(map(voter, node_ids)))


class LowestRng:
    def below(self, limit: int) -> int:
        return 0

    def uuid(self) -> bytes:
        raise AssertionError("nobody here needs an id")


class Harness:
    """Node 3, which follows node 1; its log ends at 10 and is changed by the tests."""

    def __init__(
        self,
        voters: VoterSet,
        *,
        kraft_version: int = 1,
        auto_join: bool = True,
        node_endpoints: tuple[Endpoint, ...] | None = None,
        can_be_voter: bool = True,
    ) -> None:
        static = voters if kraft_version == 0 else None
        history = VoterHistory(static)
        if kraft_version == 1:
            history.add_kraft_version(0, 1)
            history.add_voters(1, voters)
        self.now_ms = 0
        self.core = Core(
            now_ms=0,
            config=RaftConfig(
                key=key(3),
                endpoints=endpoints(3) if node_endpoints is None else node_endpoints,
                listener_name=LISTENER,
                static_voters=static,
                auto_join=auto_join,
                can_be_voter=can_be_voter,
            ),
            rng=LowestRng(),
            log=LogIndex(start_offset=0, end_offset=10),
            voters=history,
            state=self._follower(epoch=5),
        )
        self.sent: list[SendRequest] = []
        self.tick_at(0)

    @staticmethod
    def _follower(epoch: int) -> Follower:
        return Follower(epoch=epoch, leader_id=1, leader_endpoints=endpoints(1), fetch_deadline_ms=2000)

    @property
    def follower(self) -> Follower:
        state = self.core.state
        assert isinstance(state, Follower)
        return state

    def follow_in(self, epoch: int) -> None:
        """The same leader again, in another epoch."""
        self.core.transition_to(self._follower(epoch))
        self.tick_at(self.now_ms)

    def tick_at(self, now_ms: int) -> None:
        self.now_ms = now_ms
        joining.tick(self.core, self.follower, now_ms)
        while effects := self.core.outbox.take(leader_and_epoch(self.core.state)):
            notices = (*effects.notify_now, *effects.notify_after_persist)
            self.sent += [notice for notice in notices if isinstance(notice, SendRequest)]
            if effects.must_persist:
                self.core.outbox.mark_persisted(effects.number)

    def fetched(self, *records: KRaftVersion | KRaftVoters) -> None:
        """Append a leader's batch of these control records."""
        base = self.core.log.end_offset
        control = tuple(
            RecordedControl(offset=offset, record=record) for offset, record in enumerate(records, start=base)
        )
        self.core.append_fetched(
            FetchedBatch(
                base_offset=base, next_offset=base + len(records), epoch=5, control=control, payload=b""
            )
        )
        self.tick_at(self.now_ms)

    def answer(self, response: InboundResponse) -> None:
        """The leader answers what was asked last."""
        request_id = self.sent[-1].request_id
        self.core.requests.complete(request_id)
        joining.handle_response(
            self.core, ResponseReceived(request_id=request_id, response=response), self.now_ms
        )

    def fail(self) -> None:
        request_id = self.sent[-1].request_id
        self.core.requests.complete(request_id)
        failed = RequestFailed(request_id=request_id, failure=RequestFailure.TIMED_OUT)
        joining.handle_response(self.core, failed, self.now_ms)

    @property
    def deadline_ms(self) -> int | None:
        return joining.deadline_ms(self.core, self.follower)

    @property
    def asked(self) -> list[OutboundRequest]:
        return [sent.request for sent in self.sent]


def updated(error: RaftError = RaftError.NONE) -> UpdateVoterResponse:
    return UpdateVoterResponse(error=error, leader=LeaderAndEpoch(leader_id=1, epoch=5))


MOVED = (Endpoint(name=LISTENER, host="moved", port=1),)
UPDATE = UpdateVoterRequest(epoch=5, voter=key(3), endpoints=MOVED, min_kraft_version=0, max_kraft_version=1)
ADD = AddVoterRequest(voter=key(3), endpoints=endpoints(3), timeout_ms=2000, ack_when_committed=False)


class TestUpdatingTheOwnEntry:
    def test_an_entry_that_is_right_is_left_alone(self) -> None:
        harness = Harness(voter_set(1, 2, 3))
        assert harness.deadline_ms is None
        harness.tick_at(10 * PERIOD_MS)
        assert harness.asked == []

    def test_one_with_other_endpoints_is_updated_a_period_after_following_began(self) -> None:
        harness = Harness(voter_set(1, 2, 3), node_endpoints=MOVED)
        assert harness.deadline_ms == PERIOD_MS
        harness.tick_at(PERIOD_MS - 1)
        assert harness.asked == []
        harness.tick_at(PERIOD_MS)
        assert harness.asked == [UPDATE]
        assert harness.sent[0].destination == Destination(id=1, host="host1", port=9093)

    def test_one_with_another_range_of_versions_is_updated(self) -> None:
        old = voter_set(1, 2, 3).with_voter(msgspec.structs.replace(voter(3), max_kraft_version=0))
        harness = Harness(old)
        harness.tick_at(PERIOD_MS)
        assert harness.asked == [msgspec.structs.replace(UPDATE, endpoints=endpoints(3))]

    def test_while_a_response_is_awaited_nothing_more_is_asked(self) -> None:
        harness = Harness(voter_set(1, 2, 3), node_endpoints=MOVED)
        harness.tick_at(PERIOD_MS)
        assert harness.deadline_ms is None
        harness.tick_at(5 * PERIOD_MS)
        assert harness.asked == [UPDATE]

    def test_it_is_asked_again_a_period_after_any_response_until_the_log_shows_it(self) -> None:
        harness = Harness(voter_set(1, 2, 3), node_endpoints=MOVED)
        harness.tick_at(2000)
        harness.answer(updated())
        assert harness.deadline_ms == 4000
        harness.tick_at(4000)
        harness.tick_at(4100)
        harness.fail()
        assert harness.deadline_ms == 6100
        harness.tick_at(6100)
        assert harness.asked == [UPDATE, UPDATE, UPDATE]
        harness.answer(updated(RaftError.REQUEST_TIMED_OUT))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2, 3).with_voter(Voter(key=key(3), endpoints=MOVED))))
        assert harness.deadline_ms is None

    def test_a_leader_that_cannot_be_asked_now_is_asked_after_the_back_off(self) -> None:
        harness = Harness(voter_set(1, 2, 3), node_endpoints=MOVED)
        leader = Destination(id=1, host="host1", port=9093)
        harness.core.requests.rest(leader, RequestLane.OTHER, PERIOD_MS)
        harness.tick_at(PERIOD_MS)
        assert harness.asked == []
        assert harness.deadline_ms == PERIOD_MS + 20
        harness.tick_at(PERIOD_MS + 20)
        assert harness.asked == [UPDATE]

    def test_a_new_leader_is_asked_anew_and_an_old_response_ignored(self) -> None:
        harness = Harness(voter_set(1, 2, 3), node_endpoints=MOVED)
        harness.tick_at(2000)
        harness.now_ms = 2500
        harness.follow_in(6)
        assert harness.deadline_ms == 4500
        harness.tick_at(2600)
        harness.answer(updated())
        assert harness.deadline_ms == 4500
        harness.tick_at(4500)
        assert harness.asked == [UPDATE, msgspec.structs.replace(UPDATE, epoch=6)]

    def test_an_observer_without_auto_join_has_nothing_to_ask(self) -> None:
        harness = Harness(voter_set(1, 2), auto_join=False, node_endpoints=MOVED)
        assert harness.deadline_ms is None
        harness.tick_at(PERIOD_MS)
        assert harness.asked == []


class TestTellingAStaticQuorumsLeader:
    def test_each_leader_is_told_once(self) -> None:
        harness = Harness(voter_set(1, 2, 3), kraft_version=0)
        harness.tick_at(2000)
        assert harness.asked == [msgspec.structs.replace(UPDATE, endpoints=endpoints(3))]
        harness.answer(updated())
        assert harness.deadline_ms is None
        harness.tick_at(9000)
        assert len(harness.asked) == 1
        harness.follow_in(6)
        harness.tick_at(11_000)
        assert len(harness.asked) == 2

    def test_a_leader_that_refused_is_told_again(self) -> None:
        harness = Harness(voter_set(1, 2, 3), kraft_version=0)
        harness.tick_at(2000)
        harness.answer(updated(RaftError.REQUEST_TIMED_OUT))
        harness.tick_at(4000)
        harness.fail()
        harness.tick_at(6000)
        assert len(harness.asked) == 3

    def test_auto_join_adds_nobody_to_a_static_quorum(self) -> None:
        harness = Harness(voter_set(1, 2), kraft_version=0)
        harness.tick_at(PERIOD_MS)
        assert harness.asked == []


class TestAutoJoin:
    def test_an_observer_has_itself_added_without_waiting_for_the_commit(self) -> None:
        harness = Harness(voter_set(1, 2))
        assert harness.deadline_ms == PERIOD_MS
        harness.tick_at(PERIOD_MS)
        assert harness.asked == [ADD]

    def test_it_asks_once_a_period_until_the_log_shows_it(self) -> None:
        harness = Harness(voter_set(1, 2))
        now_ms = 0
        for error in (
            RaftError.REQUEST_TIMED_OUT,
            RaftError.DUPLICATE_VOTER,
            RaftError.UNKNOWN_SERVER_ERROR,
            RaftError.NONE,
        ):
            now_ms += PERIOD_MS
            harness.tick_at(now_ms)
            harness.answer(VoterChangeResponse(error=error, message="words"))
        assert harness.asked == [ADD] * 4
        harness.fetched(KRaftVoters(voters=voter_set(1, 2, 3)))
        assert harness.deadline_ms is None

    def test_its_own_entry_of_another_directory_is_removed_first(self) -> None:
        lost = ReplicaKey(id=3, directory_id=b"\x09" * 16)
        harness = Harness(VoterSet(voters=(voter(1), voter(2), Voter(key=lost, endpoints=endpoints(3)))))
        harness.tick_at(PERIOD_MS)
        assert harness.asked == [RemoveVoterRequest(voter=lost)]
        harness.answer(VoterChangeResponse())
        harness.fetched(KRaftVoters(voters=voter_set(1, 2)))
        harness.tick_at(2 * PERIOD_MS)
        assert harness.asked[1:] == [ADD]

    def test_without_the_controller_role_there_is_nothing_to_join(self) -> None:
        harness = Harness(voter_set(1, 2), can_be_voter=False)
        harness.tick_at(PERIOD_MS)
        assert harness.asked == []


class TestRemoved:
    def test_a_voter_that_was_removed_does_not_add_itself_again(self) -> None:
        harness = Harness(voter_set(1, 2, 3))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2)))
        assert harness.deadline_ms is None
        harness.tick_at(10 * PERIOD_MS)
        harness.follow_in(6)
        harness.tick_at(20 * PERIOD_MS)
        assert harness.asked == []

    def test_nor_when_the_voters_change_further(self) -> None:
        harness = Harness(voter_set(1, 2, 3))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2)))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2, 4)))
        harness.tick_at(10 * PERIOD_MS)
        assert harness.asked == []

    def test_a_restart_permits_it_again(self) -> None:
        harness = Harness(voter_set(1, 2, 3))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2)))
        restarted = Harness(voter_set(1, 2))
        restarted.core.voters = harness.core.voters
        restarted.tick_at(PERIOD_MS)
        assert restarted.asked == [ADD]

    def test_who_is_added_by_somebody_else_may_lose_it_to_a_truncation_and_join(self) -> None:
        harness = Harness(voter_set(1, 2, 3))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2)))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2, 3)))
        harness.core.truncate(harness.core.log.end_offset - 1)
        harness.tick_at(PERIOD_MS)
        assert harness.asked == [ADD]

    def test_an_uncommitted_addition_that_is_truncated_away_is_no_removal(self) -> None:
        harness = Harness(voter_set(1, 2))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2, 3)))
        harness.core.truncate(10)
        harness.tick_at(PERIOD_MS)
        assert harness.asked == [ADD]

    def test_an_uncommitted_removal_that_is_truncated_away_never_was(self) -> None:
        harness = Harness(voter_set(1, 2, 3))
        harness.fetched(KRaftVoters(voters=voter_set(1, 2)))
        harness.core.truncate(10)
        assert not harness.core.joining.is_removed

    def test_a_snapshot_without_it_removes_as_well(self) -> None:
        harness = Harness(voter_set(1, 2, 3))
        harness.core.voters.reset()
        harness.core.voters.add_kraft_version(99, 1)
        harness.core.voters.add_voters(99, voter_set(1, 2))
        harness.core.voters_changed()
        harness.tick_at(PERIOD_MS)
        assert harness.asked == []
