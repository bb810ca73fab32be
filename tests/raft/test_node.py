"""What scenarios cannot show: how the core stops a process that contradicts itself, and several voters."""

from __future__ import annotations

import pytest

from server.raft import leader, states
from server.raft.accumulator import BatchAccumulator
from server.raft.config import MAX_BATCH_BYTES, RaftConfig
from server.raft.control import KRaftVersion, RecordedControl
from server.raft.core import Core
from server.raft.effects import HighWatermarkAdvanced, PendingBatch
from server.raft.events import AppendRequested, Opened, Persisted, ShutdownRequested, Tick
from server.raft.log_index import LogIndex
from server.raft.node import RaftNode
from server.raft.states import LEGAL_TRANSITIONS, Candidate, Leader, Resigned, StateName, Unattached
from server.raft.voters import VoterHistory, VoterSet
from server.types import Endpoint, LeaderAndEpoch, ReplicaKey
from tests.raft.machine import Disk, Machine, bootstrap_records, config, voter

EMPTY = Opened(log_start_offset=0, log_end_offset=0)


def leading() -> Machine:
    machine = Machine(config(), Disk(snapshot_records=bootstrap_records(voter(1))))
    machine.start()
    machine.settle()
    return machine


class TestOwnContradictions:
    @pytest.mark.parametrize("event", [Tick(), Persisted(number=1), ShutdownRequested()])
    def test_the_first_event_has_to_be_opened(self, event: Tick | Persisted | ShutdownRequested) -> None:
        with pytest.raises(AssertionError, match="first event has to be Opened"):
            RaftNode(config()).handle(event, 0)

    def test_opened_comes_once(self) -> None:
        node = RaftNode(config())
        node.handle(EMPTY, 0)
        with pytest.raises(AssertionError, match="Opened came twice"):
            node.handle(EMPTY, 0)

    def test_time_never_goes_back(self) -> None:
        node = RaftNode(config())
        node.handle(EMPTY, 10)
        with pytest.raises(AssertionError, match="time went back from 10 to 9"):
            node.handle(Tick(), 9)

    def test_effects_are_persisted_after_they_were_taken_and_once(self) -> None:
        machine = leading()
        with pytest.raises(AssertionError, match="effects 4 were persisted before they were taken"):
            machine.handle(Persisted(number=4))
        with pytest.raises(AssertionError, match="effects 2 were persisted twice"):
            machine.handle(Persisted(number=2))

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
            RaftNode(config()).handle(
                Opened(log_start_offset=0, log_end_offset=3, control_records=(record,)), 0
            )

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


class TestTransitions:
    def test_a_node_cannot_start_as_leader(self) -> None:
        with pytest.raises(AssertionError, match="cannot start as leader"):
            core_with(leader_of_three())

    def test_a_transition_that_is_not_in_the_table(self) -> None:
        core = core_with(Unattached(epoch=4))
        with pytest.raises(AssertionError, match="unattached of epoch 4 cannot become resigned"):
            core.transition_to(Resigned(epoch=4))

    def test_an_epoch_that_goes_back(self) -> None:
        core = core_with(Candidate(epoch=4, vote_number=None))
        with pytest.raises(AssertionError, match="epoch 3 of leader follows 4"):
            core.transition_to(leader_of_three())

    def test_every_state_can_be_left_and_only_for_states_that_exist(self) -> None:
        assert list(LEGAL_TRANSITIONS) == list(StateName)
        assert all(LEGAL_TRANSITIONS.values())


def leader_of_three() -> Leader:
    accumulator = BatchAccumulator(epoch=3, next_offset=11, linger_ms=25, max_batch_bytes=MAX_BATCH_BYTES)
    return Leader(leader_id=1, epoch=3, epoch_start_offset=10, accumulator=accumulator)


def core_with(state: states.State) -> Core:
    """A node of a quorum of three whose log ends at 11, durably."""
    return Core(
        config=config(),
        log=LogIndex(start_offset=0, end_offset=11, epoch_starts=(), snapshot=None),
        voters=VoterHistory(VoterSet(voters=(voter(1), voter(2), voter(3)))),
        state=state,
    )


class TestLeaderOfSeveral:
    """The arithmetic is that of a whole quorum, of which a quorum of one is a case."""

    def lead(self) -> tuple[Core, Leader]:
        core = core_with(Candidate(epoch=3, vote_number=None))
        state = leader_of_three()
        core.transition_to(state)
        return core, state

    def advance(self, core: Core) -> list[int]:
        """High watermarks that are told."""
        leader.maybe_advance_high_watermark(core)
        effects = core.outbox.take(LeaderAndEpoch(leader_id=1, epoch=3))
        told = effects.tell_now if effects is not None else ()
        return [notice.offset for notice in told if isinstance(notice, HighWatermarkAdvanced)]

    def test_the_leader_alone_is_no_majority(self) -> None:
        core, state = self.lead()
        assert self.advance(core) == []
        assert state.high_watermark is None

    def test_records_of_an_older_epoch_do_not_count(self) -> None:
        core, state = self.lead()
        state.end_offsets[2] = 10
        assert self.advance(core) == []
        state.end_offsets[2] = 11
        assert self.advance(core) == [11]

    def test_the_high_watermark_never_goes_back_and_is_told_once(self) -> None:
        core, state = self.lead()
        state.end_offsets = {2: 14, 3: 13}
        assert self.advance(core) == [13]
        state.end_offsets = {2: 12, 3: 11}
        assert self.advance(core) == []
        state.end_offsets = {2: 13, 3: 13}
        assert self.advance(core) == []
        assert state.high_watermark == 13

    def test_of_voters_that_were_not_heard_from_nothing_is_told(self) -> None:
        core, state = self.lead()
        description = leader.describe_quorum(core, state, 1000)
        assert description.high_watermark == -1
        assert [replica.key.id for replica in description.voters] == [1, 2, 3]
        assert [replica.log_end_offset for replica in description.voters] == [11, -1, -1]
        assert [replica.last_fetch_timestamp_ms for replica in description.voters] == [1000, -1, -1]
        assert [replica.last_caught_up_timestamp_ms for replica in description.voters] == [1000, -1, -1]
        assert description.voter_set.ids == (1, 2, 3)


class TestViews:
    def test_what_others_may_ask_of_a_leader(self) -> None:
        node = leading().node
        assert node.leader_and_epoch == LeaderAndEpoch(leader_id=1, epoch=1)
        assert (node.high_watermark, node.log_end_offset, node.kraft_version) == (3, 3, 1)
        assert node.voters == VoterSet(voters=(voter(1),))

    def test_the_own_entry_leaves_out_what_the_record_has_no_place_for(self) -> None:
        ssl = Endpoint(name="CONTROLLER", host="127.0.0.1", port=9093, security_protocol=1)
        settings = RaftConfig(key=voter(1).key, endpoints=(ssl,))
        assert settings.own_voter == voter(1)
