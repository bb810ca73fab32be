"""What scenarios cannot show: how the core stops a process that contradicts itself, and its small promises.

Tests: `core.raft.values.control`, `core.raft.values.epoch_start`, `core.raft.values.events`,
`core.raft.values.messages`.
"""

from __future__ import annotations

import pytest

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model import states
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.log_index import LogIndex
from kafkaproto_server.core.raft.model.states import (
    LEGAL_TRANSITIONS,
    EpochRule,
    Follower,
    Prospective,
    Resigned,
    StateName,
    Unattached,
)
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.roles import election, transitions
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.control import KRaftVersion, RecordedControl
from kafkaproto_server.core.raft.values.effects import PendingBatch
from kafkaproto_server.core.raft.values.epoch_start import EpochStart
from kafkaproto_server.core.raft.values.events import (
    AppendRequested,
    Opened,
    Persisted,
    RequestFailed,
    RequestFailure,
    ResponseReceived,
    ShutdownRequested,
    SnapshotInstalled,
    SnapshotRejected,
    StoredSnapshot,
    Tick,
)
from kafkaproto_server.core.raft.values.messages import QuorumEpochResponse
from kafkaproto_server.core.raft.values.voters import VoterHistory, VoterSet
from kafkaproto_server.core.raft.values.votes import VoteCount
from tests.core.raft.support.machine import Disk, Machine, SeededRng, bootstrap_records, config, voter

EMPTY = Opened(log_start_offset=0, log_end_offset=0)
THREE = VoterSet(voters=(voter(1), voter(2), voter(3)))


def leading() -> Machine:
    machine = Machine(config(), Disk(bootstrap=bootstrap_records(voter(1))))
    machine.start()
    machine.settle()
    return machine


def fresh(**settings: object) -> RaftNode:
    return RaftNode(config(**settings), SeededRng("a"))  # type: ignore[arg-type]


def core_with(state: states.State) -> Core:
    """A node of a quorum of three whose log ends at 11, durably."""
    return Core(
        now_ms=0,
        config=config(),
        rng=SeededRng("core"),
        log=LogIndex(start_offset=0, end_offset=11, epoch_starts=[EpochStart(epoch=2, start_offset=0)]),
        voters=VoterHistory(THREE),
        state=state,
    )


def following(epoch: int = 4, leader_id: int = 2, voted_for: int | None = None) -> Follower:
    return Follower(
        epoch=epoch,
        leader_id=leader_id,
        leader_endpoints=voter(leader_id).endpoints,
        voted_key=None if voted_for is None else voter(voted_for).key,
        fetch_deadline_ms=2000,
    )


def core_with_follower() -> Core:
    return core_with(following())


def pause_after_pre_vote_ms(core: Core) -> int:
    """Have a node without a leader ask for pre-votes that nobody gives; returns how long it then waits."""
    election.become_prospective(core, 0)
    prospective = core.state
    assert isinstance(prospective, Prospective)
    election.tick_prospective(core, prospective, prospective.deadline_ms)
    given_up = core.state
    assert isinstance(given_up, Unattached)
    return given_up.election_at_ms - prospective.deadline_ms


class TestOwnContradictions:
    @pytest.mark.parametrize("event", [Tick(), Persisted(number=1), ShutdownRequested()])
    def test_the_first_event_has_to_be_opened(self, event: Tick | Persisted | ShutdownRequested) -> None:
        with pytest.raises(AssertionError, match="first event has to be Opened"):
            fresh().handle(event, 0)
        with pytest.raises(AssertionError, match="first event has to be Opened"):
            fresh().statistics()

    def test_opened_comes_once(self) -> None:
        node = fresh()
        node.handle(EMPTY, 0)
        with pytest.raises(AssertionError, match="Opened came twice"):
            node.handle(EMPTY, 0)

    def test_time_never_goes_back(self) -> None:
        node = fresh()
        node.handle(EMPTY, 10)
        with pytest.raises(AssertionError, match="time went back from 10 to 9"):
            node.handle(Tick(), 9)

    def test_shutdown_is_requested_once(self) -> None:
        machine = leading()
        machine.shut_down()
        with pytest.raises(AssertionError, match="shutdown was requested twice"):
            machine.shut_down()

    def test_an_append_of_the_own_epoch_continues_the_log(self) -> None:
        with pytest.raises(AssertionError, match="append at 9, but the next is 3"):
            leading().handle(AppendRequested(epoch=1, base_offset=9, records=(b"",)))

    def test_a_control_record_behind_the_end_of_the_log(self) -> None:
        record = RecordedControl(offset=3, record=KRaftVersion(level=1))
        with pytest.raises(AssertionError, match="control record at offset 3 of a log that ends at 3"):
            fresh().handle(Opened(log_start_offset=0, log_end_offset=3, control_records=(record,)), 0)

    def test_a_batch_holds_records_of_one_kind(self) -> None:
        with pytest.raises(AssertionError, match="data records or control records"):
            PendingBatch(base_offset=0, epoch=0)
        with pytest.raises(AssertionError, match="data records or control records"):
            PendingBatch(base_offset=0, epoch=0, records=(b"",), control=(KRaftVersion(level=1),))

    def test_settings_that_make_no_sense(self) -> None:
        with pytest.raises(AssertionError, match="node id -1 is negative"):
            RaftConfig(key=ReplicaKey(id=-1))
        with pytest.raises(AssertionError, match="linger -1 ms is negative"):
            RaftConfig(key=ReplicaKey(id=1), append_linger_ms=-1)

    def test_a_snapshot_that_was_not_asked_for(self) -> None:
        snapshot = OffsetAndEpoch(offset=9, epoch=1)
        with pytest.raises(AssertionError, match="was installed, None was asked for"):
            leading().handle(
                SnapshotInstalled(snapshot=StoredSnapshot(id=snapshot, size_bytes=1), control_records=())
            )
        with pytest.raises(AssertionError, match="was refused, None was asked for"):
            leading().handle(SnapshotRejected(snapshot=snapshot))

    def test_committed_records_are_never_cut_off(self) -> None:
        core = core_with_follower()
        core.high_watermark = 9
        with pytest.raises(AssertionError, match=r"truncation to 8 would cut off .* committed up to 9"):
            core.truncate(8)

    def test_a_response_of_another_kind_than_the_request(self) -> None:
        machine = Machine(config(static_voters=THREE), Disk())
        machine.start()
        machine.tick(3000)
        machine.settle()
        asked = machine.requests[-1]
        with pytest.raises(AssertionError, match="QuorumEpochResponse answers"):
            machine.handle(
                ResponseReceived(
                    request_id=asked.request_id,
                    response=QuorumEpochResponse(leader=LeaderAndEpoch(leader_id=-1, epoch=0)),
                )
            )


class TestTransitions:
    def test_a_node_cannot_start_as_prospective(self) -> None:
        with pytest.raises(AssertionError, match="cannot start as prospective"):
            core_with(Prospective(epoch=4, votes=VoteCount(voters=()), deadline_ms=0, began_ms=0))

    def test_a_transition_that_is_not_in_the_table(self) -> None:
        core = core_with(Unattached(epoch=4, election_at_ms=0))
        with pytest.raises(AssertionError, match="unattached of epoch 4 to resigned of epoch 4: there is no"):
            core.transition_to(Resigned(epoch=4, election_at_ms=0, unacknowledged={}))

    def test_an_epoch_that_goes_back(self) -> None:
        core = core_with_follower()
        with pytest.raises(AssertionError, match="the epoch goes back"):
            core.transition_to(Unattached(epoch=3, election_at_ms=0))

    def test_an_epoch_that_has_to_stay_or_to_rise(self) -> None:
        core = core_with_follower()
        with pytest.raises(AssertionError, match="this transition needs a later epoch"):
            core.transition_to(following())
        with pytest.raises(AssertionError, match="this transition stays in the epoch"):
            core.transition_to(Prospective(epoch=5, votes=VoteCount(voters=()), deadline_ms=0, began_ms=0))

    def test_a_vote_that_is_taken_back(self) -> None:
        core = core_with(Unattached(epoch=4, voted_key=voter(3).key, election_at_ms=0))
        with pytest.raises(AssertionError, match=r"the vote for .* is taken back"):
            core.transition_to(following())
        core.transition_to(following(voted_for=3))

    def test_a_second_leader_of_an_epoch(self) -> None:
        core = core_with(Unattached(epoch=4, leader_id=3, election_at_ms=0))
        with pytest.raises(AssertionError, match="the leader was 3 and would be 2"):
            core.transition_to(following())

    def test_every_state_can_be_left_for_states_that_exist(self) -> None:
        assert sorted(name.value for name in LEGAL_TRANSITIONS) == sorted(name.value for name in StateName)
        assert all(LEGAL_TRANSITIONS.values())

    def test_nothing_becomes_leader_but_a_candidate_of_that_epoch(self) -> None:
        ways = {
            name: rules[StateName.LEADER]
            for name, rules in LEGAL_TRANSITIONS.items()
            if StateName.LEADER in rules
        }
        assert ways == {StateName.CANDIDATE: EpochRule.SAME}


class TestViews:
    def test_what_others_may_ask_of_a_leader(self) -> None:
        node = leading().node
        assert node.leader_and_epoch == LeaderAndEpoch(leader_id=1, epoch=1)
        assert (node.high_watermark, node.log_end_offset, node.kraft_version) == (3, 3, 1)
        assert (node.log_start_offset, node.is_voter, node.is_electable) == (0, True, True)
        assert node.voters == VoterSet(voters=(voter(1),))
        assert node.leader_endpoint("CONTROLLER") == voter(1).endpoints[0]
        assert node.leader_endpoint("OTHER") is None

    def test_voters_and_version_of_a_snapshot_that_ends_somewhere(self) -> None:
        node = leading().node
        assert node.voters_at(3) == (1, VoterSet(voters=(voter(1),)))
        static = fresh(static_voters=THREE)
        static.handle(EMPTY, 0)
        assert static.voters_at(0) == (0, None)

    def test_the_own_entry_leaves_out_what_the_record_has_no_place_for(self) -> None:
        ssl = Endpoint(name="CONTROLLER", host="127.0.0.1", port=9093, security_protocol=1)
        settings = RaftConfig(key=voter(1).key, endpoints=(ssl,))
        assert settings.own_voter == voter(1)

    @pytest.mark.parametrize(
        ("opened", "name"),
        [
            (EMPTY, "unattached"),
            (EMPTY, "observer"),
        ],
    )
    def test_states_by_the_names_of_the_metric(self, opened: Opened, name: str) -> None:
        node = fresh(static_voters=THREE if name == "unattached" else None)
        node.handle(opened, 0)
        statistics = node.statistics()
        assert statistics.current_state == name
        assert (statistics.current_leader, statistics.high_watermark) == (-1, -1)


class TestElectionsWithoutAResult:
    def test_their_pauses_begin_anew_once_somebody_leads(self) -> None:
        core = core_with(Unattached(epoch=4, election_at_ms=0))
        pauses_ms = [pause_after_pre_vote_ms(core) for _ in range(5)]
        assert pauses_ms[-1] > election.FIRST_BACKOFF_MS
        transitions.become_follower(core, 2, 5, voter(2).endpoints, now_ms=0)
        transitions.become_unattached(core, 6, now_ms=0)
        assert pause_after_pre_vote_ms(core) <= election.FIRST_BACKOFF_MS


class TestLateNews:
    def test_a_response_or_a_failure_of_a_request_that_is_over_is_ignored(self) -> None:
        machine = leading()
        before = machine.node.statistics()
        machine.handle(
            ResponseReceived(
                request_id=77,
                response=QuorumEpochResponse(leader=LeaderAndEpoch(leader_id=3, epoch=9)),
            )
        )
        machine.handle(RequestFailed(request_id=77, failure=RequestFailure.TIMED_OUT))
        assert machine.settle() == []
        assert machine.node.statistics() == before
