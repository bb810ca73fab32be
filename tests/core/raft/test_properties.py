"""A sole voter under any order of appends, time, disk progress and crashes; ``support/machine`` holds the checks.

Tests: `core.raft.values.statistics`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kafkaproto_server.core.raft.model.states import Candidate, Leader
from tests.core.raft.support import workload
from tests.core.raft.support.machine import Disk, Machine, bootstrap_records, config, static_voter_set, voter

MAX_BATCH_BYTES = 300


class SoleVoter(RuleBasedStateMachine):
    """Checks after every step; ``Machine`` asserts the rest whenever effects are taken or made durable."""

    machine: Machine
    highest_epoch: int

    @initialize(dynamic=st.booleans(), linger_ms=st.sampled_from([0, 25]))
    def format(self, dynamic: bool, linger_ms: int) -> None:
        static_voters = None if dynamic else static_voter_set([(1, "127.0.0.1", 9093)], "CONTROLLER")
        disk = Disk(bootstrap=bootstrap_records(voter(1)) if dynamic else ())
        settings_ = config(
            static_voters=static_voters, append_linger_ms=linger_ms, max_batch_bytes=MAX_BATCH_BYTES
        )
        self.machine = Machine(settings_, disk)
        self.highest_epoch = 0
        self.machine.start()

    @precondition(lambda self: isinstance(self.machine.node.state, Leader))
    @rule(sizes=st.lists(st.integers(0, 150), min_size=1, max_size=4), atomic=st.booleans())
    def append(self, sizes: list[int], atomic: bool) -> None:
        self.machine.append(sizes, atomic=atomic)

    @rule(elapsed_ms=st.integers(0, 40))
    def tick(self, elapsed_ms: int) -> None:
        self.machine.tick(elapsed_ms)

    @rule()
    def take(self) -> None:
        self.machine.take()

    @precondition(lambda self: self.machine.unsynced)
    @rule()
    def persist(self) -> None:
        self.machine.persist()

    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        writes, election_states = self.machine.unsynced_counts()
        self.machine.crash(
            writes=data.draw(st.integers(0, writes), label="writes that survive"),
            election_states=data.draw(st.integers(0, election_states), label="quorum-states that survive"),
        )
        self.machine.start()

    @rule()
    def shut_down_and_start_again(self) -> None:
        self.machine.shut_down()
        self.machine.settle()
        assert self.machine.is_stopped
        self.machine.start()

    @rule()
    def settle(self) -> None:
        """However it got there, a sole voter that is left alone leads, and all that was appended is committed."""
        self.machine.settle()
        self.machine.tick(25)
        self.machine.settle()
        assert isinstance(self.machine.node.state, Leader)
        assert self.machine.node.next_deadline_ms() is None
        assert self.machine.node.high_watermark == self.machine.disk.end_offset
        assert self.machine.node.log_end_offset == self.machine.disk.end_offset

    @invariant()
    def the_epoch_on_disk_never_goes_back(self) -> None:
        election = self.machine.disk.election
        if election is not None:
            assert election.epoch >= self.highest_epoch
            self.highest_epoch = election.epoch

    @invariant()
    def leadership_follows_a_durable_vote(self) -> None:
        state = self.machine.node.state
        if isinstance(state, Leader):
            election = self.machine.disk.election
            assert election is not None
            assert election.epoch == state.epoch

    @invariant()
    def the_node_is_on_its_way_to_lead(self) -> None:
        assert isinstance(self.machine.node.state, Candidate | Leader)

    @invariant()
    def told_epochs_ascend(self) -> None:
        assert self.machine.epochs_led == sorted(self.machine.epochs_led)

    @invariant()
    def the_high_watermark_is_durable_and_of_this_epoch(self) -> None:
        state = self.machine.node.state
        if isinstance(state, Leader) and state.high_watermark is not None:
            assert state.epoch_start_offset < state.high_watermark <= self.machine.disk.end_offset


SoleVoter.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestSoleVoter = SoleVoter.TestCase


@pytest.mark.parametrize("seed", range(10))
def test_a_drawn_life_breaks_no_promise(seed: int) -> None:
    lines = workload.trace(seed)
    assert any("high watermark" in line for line in lines)


def test_a_seed_gives_one_trace_whatever_the_hash_seed() -> None:
    digests = [
        subprocess.run(
            [sys.executable, "-m", "tests.core.raft.support.workload", "7"],
            cwd=Path(__file__).parents[3],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert digests[0] == digests[1]
    assert digests[0].strip() == workload.digest(7)
    assert workload.digest(8) != workload.digest(7)
