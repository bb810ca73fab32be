"""``RaftNode``: the Raft core's one entry and one exit.

    node = RaftNode(config)
    node.handle(Opened(...), now_ms)
    loop:
        while effects := node.take_effects():
            obey effects (see ``effects``), then, if effects.must_persist:
                node.handle(Persisted(number=effects.number), now_ms)
        wait for an event, at most until node.next_deadline_ms(); none in time is a Tick
        node.handle(event, now_ms)

Events that are there already should all be handled before effects are taken: what they append then shares one
write and one sync. ``next_deadline_ms`` is an absolute time of the same monotonic clock as ``now_ms``, or
None where only an event can change anything; it can change with every event, so ask again before each wait.
The only deadline of a sole voter is the end of its append linger: an election waits for no timer, and control
batches do not linger.

This file only dispatches. ``handle`` raises nothing but AssertionError, which means that this process
contradicts itself and has to stop.
"""

from __future__ import annotations

from typing import assert_never

from server.raft import election, leader, states
from server.raft.config import RaftConfig
from server.raft.core import Core, apply_control
from server.raft.effects import Effects
from server.raft.events import AppendRequested, Event, Opened, Persisted, ShutdownRequested, Tick
from server.raft.log_index import LogIndex
from server.raft.quorum_description import NotLeader, QuorumDescription
from server.raft.states import Leader, State
from server.raft.voters import VoterHistory, VoterSet
from server.types import LeaderAndEpoch


class RaftNode:
    """One replica of the metadata quorum."""

    def __init__(self, config: RaftConfig) -> None:
        self._config = config
        self._opened: Core | None = None
        self._now_ms: int | None = None

    def handle(self, event: Event, now_ms: int) -> None:
        """Take in one event at the monotonic time ``now_ms``, which never goes back."""
        assert self._now_ms is None or now_ms >= self._now_ms, (
            f"time went back from {self._now_ms} to {now_ms}"
        )
        self._now_ms = now_ms
        if isinstance(event, Opened):
            self._handle_opened(event)
            return
        core = self._core
        match event:
            case AppendRequested():
                leader.handle_append_requested(core, event, now_ms)
            case Persisted():
                core.outbox.mark_persisted(event.number)
                election.maybe_become_leader(core)
                leader.maybe_advance_high_watermark(core)
            case ShutdownRequested():
                leader.handle_shutdown_requested(core)
            case Tick():
                pass
            case _:
                assert_never(event)
        leader.maybe_drain(core, now_ms)

    def take_effects(self) -> Effects | None:
        """What the events so far ask for, once; None where there is nothing to do."""
        core = self._core
        return core.outbox.take(states.leader_and_epoch(core.state))

    def next_deadline_ms(self) -> int | None:
        """When ``Tick`` is due at the latest, or None."""
        state = self._core.state
        return state.accumulator.deadline_ms if isinstance(state, Leader) else None

    def describe_quorum(self, wall_ms: int) -> QuorumDescription | NotLeader:
        """The quorum at the wall-clock time ``wall_ms``, where this node leads it."""
        core = self._core
        if not isinstance(core.state, Leader):
            return NotLeader()
        return leader.describe_quorum(core, core.state, wall_ms)

    @property
    def state(self) -> State:
        """What this node is towards its quorum; to look at, not to change."""
        return self._core.state

    @property
    def leader_and_epoch(self) -> LeaderAndEpoch:
        """The quorum's leader as this node knows it now, durable or not."""
        return states.leader_and_epoch(self._core.state)

    @property
    def high_watermark(self) -> int | None:
        """Everything below is committed; None while this node does not know."""
        state = self._core.state
        return state.high_watermark if isinstance(state, Leader) else None

    @property
    def log_end_offset(self) -> int:
        """End of the log, with every batch that was ever handed out for appending."""
        return self._core.log.end_offset

    @property
    def voters(self) -> VoterSet:
        """The voter set in force."""
        return self._core.voters.latest

    @property
    def kraft_version(self) -> int:
        """The kraft.version in force."""
        return self._core.voters.kraft_version

    @property
    def _core(self) -> Core:
        assert self._opened is not None, "the first event has to be Opened"
        return self._opened

    def _handle_opened(self, event: Opened) -> None:
        assert self._opened is None, "Opened came twice"
        log = LogIndex(
            start_offset=event.log_start_offset,
            end_offset=event.log_end_offset,
            epoch_starts=event.epoch_starts,
            snapshot=event.snapshot,
        )
        voters = VoterHistory(self._config.static_voters)
        for recorded in event.control_records:
            assert recorded.offset < event.log_end_offset, (
                f"a control record at offset {recorded.offset} of a log that ends at {event.log_end_offset}"
            )
            apply_control(voters, recorded.offset, recorded.record)
        state = election.restore_state(self._config.key, event.election, log.last_epoch)
        self._opened = Core(config=self._config, log=log, voters=voters, state=state)
        election.maybe_elect_self(self._opened)
