"""The users of the quorum: writers, an operator who changes voters, and a task that takes snapshots and cleans logs."""

from __future__ import annotations

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import LogStartMoved
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    InboundResponse,
    OutboundRequest,
    RemoveVoterRequest,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
)
from tests.sim.faults import Faults
from tests.sim.replica import Append, Replica
from tests.sim.world import World

MOST_VOTERS = 6
ADD_TIMEOUT_MS = 2000


class Clients:
    """Random load until everything heals; afterwards, what progress is tried with."""

    def __init__(self, world: World, faults: Faults) -> None:
        self._world = world
        self._faults = faults
        self._rng = world.rng
        self.voter_changes = 0
        """Voter changes whose response had no error."""
        self._records = 0

    def begin(self) -> None:
        """Schedule the load."""
        options = self._world.options
        self._faults.repeat(options.append_interval_ms, self._append)
        self._faults.repeat(1000, self._look)
        self._faults.repeat(options.snapshot_ms, self._take_snapshot)
        self._faults.repeat(options.clean_ms, self._clean)
        self._faults.repeat(options.voter_change_ms, self.change_voters)
        if options.upgrade:
            self._faults.repeat(2000, self._maybe_upgrade)

    # -- writers -------------------------------------------------------------------------------------------------

    def active(self) -> Replica | None:
        """One of those that take appends; there may be two, of which only one can commit."""
        active = [
            replica
            for replica in self._world.replicas.values()
            if replica.is_active and replica.is_up and not replica.is_paused and not replica.is_stopping
        ]
        return self._rng.choice(active) if active else None

    def _append(self) -> None:
        replica = self.active()
        if replica is None:
            self._world.idle += 1
        elif self._rng.random() < 0.01:
            replica.append_to_former_epoch()
        else:
            self.append_to(replica)

    def append_to(self, replica: Replica) -> Append:
        """Append one to three records, rarely more than fit."""
        rng = self._rng
        count = 1 + int(rng.random() * 3)
        length = 10 + int(rng.random() * 30)
        if self._world.options.oversized_appends and not self._faults.is_healed and rng.random() < 0.05:
            length = 2000
        self._records += 1
        records = tuple(b"%d-%d" % (self._records, index) + b"r" * length for index in range(count))
        return replica.append(records, is_atomic=rng.random() < 0.7)

    def _look(self) -> None:
        replica = self._rng.choice(list(self._world.replicas.values()))
        if replica.is_up:
            replica.look()

    # -- snapshots and cleaning ----------------------------------------------------------------------------------

    def _anybody(self) -> Replica:
        """Any replica, more often the active one."""
        active = self.active() if self._rng.random() < 0.4 else None
        return active or self._rng.choice(list(self._world.replicas.values()))

    def _take_snapshot(self) -> None:
        replica = self._anybody()
        if replica.is_up and not replica.is_paused:
            replica.begin_snapshot()

    def _clean(self) -> None:
        replica = self._anybody()
        disk = replica.disk
        if not replica.is_up or replica.is_paused or not disk.is_idle or not disk.snapshots:
            return
        snapshot = self._rng.choice(list(disk.snapshots.values()))
        offset = snapshot.id.offset
        if disk.log.start_offset < offset <= disk.durable.end_offset:
            disk.clean_to(snapshot)
            replica.handle(LogStartMoved(log_start_offset=offset))

    # -- voters --------------------------------------------------------------------------------------------------

    def change_voters(self) -> None:
        """Ask for one change; a directory that is lost goes first."""
        leader = self.active()
        if leader is None:
            return
        if leader.core.kraft_version == 0:
            self._maybe_upgrade()
            return
        commits = self._world.commits
        is_upgraded = commits.voters_at(commits.end_offset)[0] > 0
        if self._world.is_static_configured and is_upgraded and self._rng.random() < 0.5:
            self._world.note("controller.quorum.voters is taken out")
            self._world.is_static_configured = False
        target = leader
        if self._rng.random() < 0.15 and not self._faults.is_healed:
            target = self._rng.choice(self._world.controllers)
        if target.is_up:
            self._call(target, self._draw_change(leader))

    def _call(self, target: Replica, request: OutboundRequest) -> None:
        self._world.note(f"ask node {target.id}: {request}")
        self._faults.calls.append(self._world.network.call(target, request, self._answered))

    def _answered(self, response: InboundResponse | None) -> None:
        self._world.note(f"client hears {response}")
        if isinstance(response, VoterChangeResponse) and response.error is RaftError.NONE:
            self.voter_changes += 1

    def _maybe_upgrade(self) -> None:
        leader = self.active()
        if leader is None or not self._world.options.upgrade or leader.core.kraft_version > 0:
            return
        self._upgrade(leader, validate_only=self._rng.random() < 0.1 and not self._faults.is_healed)

    def _upgrade(self, leader: Replica, *, validate_only: bool) -> None:
        assert leader.controller_epoch is not None
        request = UpgradeKRaftVersionRequest(
            epoch=leader.controller_epoch, level=1, validate_only=validate_only
        )
        # Its own controller asks, not a peer.
        self._call(leader, request)  # type: ignore[arg-type]

    def _draw_change(self, leader: Replica) -> OutboundRequest:
        world = self._world
        voters = leader.core.voters
        keys = [voter.key for voter in voters.voters]
        for key in keys:
            if world.replica_of(key) is None:
                return RemoveVoterRequest(voter=key)
        rng = self._rng
        if any(world.is_lost(voter) for voter in voters.voters):
            # It will report its new address to the leader; until then a majority might not reach it.
            return RemoveVoterRequest(voter=ReplicaKey(id=99, directory_id=rng.randbytes(16)))
        if rng.random() < 0.05 and not self._faults.is_healed:
            return RemoveVoterRequest(voter=ReplicaKey(id=rng.randint(1, 9), directory_id=rng.randbytes(16)))
        others = [replica for replica in world.controllers if replica.key not in keys and replica.is_up]
        wants_more = rng.random() < (0.75 if len(keys) < 3 else 0.5)
        if others and len(keys) < MOST_VOTERS and (wants_more or len(keys) == 1):
            replica = rng.choice(others)
            return AddVoterRequest(
                voter=replica.key,
                endpoints=world.endpoints_of(replica),
                timeout_ms=ADD_TIMEOUT_MS,
                ack_when_committed=rng.random() < 0.8,
            )
        key = leader.key if rng.random() < 0.4 else rng.choice(keys)
        if len(keys) == 1 and key == leader.key:
            return RemoveVoterRequest(voter=ReplicaKey(id=99, directory_id=rng.randbytes(16)))
        return RemoveVoterRequest(voter=key)
