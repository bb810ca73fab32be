"""Liveness: what a quorum has to achieve within a time limit after everything is repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto_server.core.raft.model.states import StateName
from tests.sim.checkers.invariants import Invariant, ViolationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.clients import Clients
    from tests.sim.faults import Faults
    from tests.sim.replica import Append, Replica
    from tests.sim.world import World

POLL_US = 50_000
ELECTION_BOUND_US = 20_000_000
"""Some election timeouts in a row, all of which may end in a tie, after a fetch timeout."""
COMMIT_BOUND_US = 30_000_000
"""Time limit of an append. All replicas together may need longer to catch up, because a Fetch may bring one batch only;
but each of them must make progress within this time.
"""
VOTERS_BOUND_US = 30_000_000
"""Some attempts, each of which takes two seconds at most."""
STUCK_US = 10_000_000
"""No replica may be prospective for this long without a break: pre-votes are won or given up sooner."""
SHUTDOWN_BOUND_US = 7_000_000
"""A little more than the five seconds that a leader waits for the new leader."""
CALM_US = 4_000_000
"""Longer than any timer that a healthy replica lets run out."""
SETTLED_US = 1_000_000
MOST_ELECTIONS = 100
"""More than epochs that a replica may believe in one run."""
OLDEST_REQUEST_US = 6_000_000
"""Nothing that a replica serves takes longer: voter changes give up after two seconds."""


class ProgressChecker:
    """Tries everything that a healed quorum must be able to do, one after the other."""

    def __init__(self, world: World, faults: Faults, clients: Clients) -> None:
        self._world = world
        self._faults = faults
        self._clients = clients
        self._start_us = 0
        self.election_us = 0
        """How long it took until a leader took appends."""

    @property
    def voter_changes(self) -> int:
        """Voter changes whose response had no error."""
        return self._clients.voter_changes

    def check(self) -> None:
        """Raise what is stuck."""
        self._start_us = self._world.now
        self._check_majority_lives()
        self._check_shutdowns()
        self._wait_for_leader()
        self._overtake()
        self._check_commit()
        self._check_voter_change()
        self._check_commit()
        self._check_calm()

    def _until(self, bound_us: int, is_done: Callable[[], bool]) -> bool:
        world = self._world
        limit = world.now + bound_us
        while world.now < limit:
            world.run_until(world.now + POLL_US)
            if is_done():
                return True
        return False

    def _describe(self) -> str:
        return "; ".join(
            f"{replica.id} {replica.state.name.value} of {replica.state.epoch}, leader {replica.state.leader_id}, "
            f"end {replica.core.log_end_offset}, high watermark {replica.high_watermark}, "
            f"voters {replica.core.voters.ids}{'' if replica.core.is_voter else ' without it'}"
            if replica.is_up and replica.state is not None
            else f"{replica.id} down"
            for replica in self._world.replicas.values()
        )

    def _stuck(self, otherwise: Invariant) -> Invariant:
        """The reason for missing progress: a replica that stays prospective for ever, or something else."""
        for replica in self._world.replicas.values():
            is_prospective = replica.state is not None and replica.state.name is StateName.PROSPECTIVE
            if is_prospective and self._world.now - replica.state_since > STUCK_US:
                return Invariant.NOT_STUCK_IN_PROSPECTIVE
        return otherwise

    def _check_majority_lives(self) -> None:
        """The faults were drawn so that no voter set lost its majority; this is a check of the simulator."""
        commits = self._world.commits
        since, committed = commits.latest_voters()
        sets = [replica.recorded_voters() for replica in self._world.controllers]
        for offset, voters in [(since, committed), *sets]:
            keys = [] if voters is None else [voter.key for voter in voters.voters]
            lost = [key for key in keys if self._world.replica_of(key) is None]
            assert 2 * len(lost) < len(keys) or (offset or 0) < since or not keys, (
                f"the simulator lost {lost} of {keys}"
            )

    # -- leader and commits --------------------------------------------------------------------------------------

    def _check_shutdowns(self) -> None:
        """Replicas that were asked to stop do so, whether or not another one leads."""
        stopping = [
            (replica, replica.life) for replica in self._world.replicas.values() if replica.is_stopping
        ]
        if stopping and not self._until(
            SHUTDOWN_BOUND_US,
            lambda: all(replica.life > life or not replica.is_up for replica, life in stopping),
        ):
            raise ViolationError(Invariant.SHUTDOWN_COMPLETES, self._describe())

    def _wait_for_leader(self) -> None:
        if not self._until(ELECTION_BOUND_US, lambda: self._clients.active() is not None):
            raise ViolationError(self._stuck(Invariant.EVENTUALLY_LEADER_ELECTED), self._describe())
        self.election_us = self._world.now - self._start_us

    def _overtake(self) -> None:
        """Elect until no replica is ahead.

        A replica that a quorum has removed, and that does not know it, may have believed a vote in the name of a dead
        voter. No leader asks it for its epoch, and it follows again after more elections.
        """
        world = self._world
        if world.options.unknown_node != "spoofing":
            return
        for _ in range(MOST_ELECTIONS):
            world.run_until(world.now + SETTLED_US)
            leader = self._clients.active()
            if leader is not None:
                epoch = leader.core.state.epoch
                ahead = [each for each in world.replicas.values() if each.core.state.epoch > epoch]
                if not any(not leader.core.voters.is_voter(each.key) for each in ahead):
                    return
                leader.resign()
            self._wait_for_leader()
        raise ViolationError(Invariant.EPOCHS_ARE_BOUNDED, self._describe())

    def _check_commit(self) -> None:
        world = self._world
        tried: list[Append] = []

        def everybody_applied() -> bool:
            if not tried or tried[-1].end_offset > world.commits.end_offset:
                leader = self._clients.active()
                if leader is not None and (not tried or world.now - tried[-1].asked_at > 1_000_000):
                    tried.append(self._clients.append_to(leader))
                return False
            end_offset = world.commits.end_offset
            return all(
                replica.applied_offset >= end_offset for replica in world.replicas.values() if replica.is_up
            )

        applied: dict[int, int] = {}
        while not self._until(COMMIT_BOUND_US, everybody_applied):
            before = applied
            end_offset = world.commits.end_offset
            applied = {
                replica.id: replica.applied_offset
                for replica in world.replicas.values()
                if replica.is_up and replica.applied_offset < end_offset
            }
            is_stuck = any(before.get(node_id) == offset for node_id, offset in applied.items())
            if is_stuck or not tried or tried[-1].end_offset > end_offset:
                raise ViolationError(
                    self._stuck(Invariant.VALUES_EVENTUALLY_ACKED),
                    f"{end_offset} is committed; {self._describe()}",
                )

    # -- voters --------------------------------------------------------------------------------------------------

    def _check_voter_change(self) -> None:
        world = self._world
        leader = self._clients.active()
        level = leader.core.kraft_version if leader is not None else 0
        if (level == 0 and not world.options.upgrade) or len(world.controllers) < 2:
            return
        before = self._clients.voter_changes
        last_asked = [0]

        def changed() -> bool:
            if self._clients.voter_changes > before and not self._has_lost_voter():
                return True
            if world.now - last_asked[0] > 500_000:
                last_asked[0] = world.now
                self._clients.change_voters()
            return False

        if not self._until(VOTERS_BOUND_US, changed):
            raise ViolationError(self._stuck(Invariant.RECONFIGURATION_NOT_STUCK), self._describe())

    def _has_lost_voter(self) -> bool:
        commits = self._world.commits
        voters = commits.voters_at(commits.end_offset)[1]
        return voters is not None and any(self._world.replica_of(each.key) is None for each in voters.voters)

    # -- calm ----------------------------------------------------------------------------------------------------

    def _check_calm(self) -> None:
        world = self._world
        world.run_until(world.now + CALM_US)
        epoch = world.elections.highest_epoch
        world.run_until(world.now + CALM_US)
        for replica in world.replicas.values():
            self._check_settled(replica)
        if world.elections.highest_epoch > epoch:
            raise ViolationError(
                Invariant.STABLE_EPOCH, f"{epoch} rose without a fault to {world.elections.highest_epoch}"
            )

    def _check_settled(self, replica: Replica) -> None:
        world = self._world
        if not replica.is_up or replica.is_stopping:
            raise ViolationError(Invariant.SHUTDOWN_COMPLETES, f"node {replica.id} stops and stops")
        assert replica.state is not None
        name = replica.state.name
        if name not in (StateName.LEADER, StateName.FOLLOWER):
            raise ViolationError(
                Invariant.NOT_STUCK_IN_PROSPECTIVE, f"node {replica.id} is {name.value}; {self._describe()}"
            )
        for flight, since in replica.serving.values():
            if world.now - since > OLDEST_REQUEST_US:
                raise ViolationError(
                    Invariant.ONE_RESPONSE, f"node {replica.id} does not answer {flight.request}"
                )
