"""The classes of runs: either everything fails, or one link or an outsider tries to disturb a healthy quorum."""

from __future__ import annotations

import random
from collections.abc import Callable

from kafkaproto_server.base.types import Endpoint, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model.states import StateName
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchSnapshotRequest,
    InboundResponse,
    OutboundRequest,
    RemoveVoterRequest,
    UpdateVoterRequest,
    VoteRequest,
)
from tests.sim.clients import Clients
from tests.sim.faults import Faults
from tests.sim.network import LISTENER
from tests.sim.replica import Replica
from tests.sim.world import World

SETTLE_US = 30_000_000
OUTSIDER_ID = 66


def chaos(world: World, faults: Faults, _: Clients) -> None:
    """Everything that the options name goes wrong."""
    faults.begin()
    world.run_until(world.options.fault_ms * 1000)


def flapping(world: World, faults: Faults, clients: Clients) -> None:
    """One link of a healthy quorum comes and goes in one of four ways; no node's epoch may rise."""
    settle(world, clients)
    leader = clients.active()
    assert leader is not None
    others = [
        each for each in world.controllers if each is not leader and leader.core.voters.is_voter(each.key)
    ]
    first = leader if world.rng.random() < 0.7 or len(others) < 2 else others[-1]
    second = others[0] if first is not leader else world.rng.choice(others)
    Flapping(world, faults, first, second)
    world.run_until(world.now + world.options.fault_ms * 1000)
    world.elections.epoch_limit = None


def forged(world: World, faults: Faults, clients: Clients) -> None:
    """An outsider sends every kind of request that fits the wire format to a healthy quorum; no node's
    epoch may rise.
    """
    settle(world, clients)
    forger = Forger(world)
    for interval_ms in (world.rng.choice([2, 10, 50]),):
        faults.repeat(interval_ms, forger.send)
    world.run_until(world.now + world.options.fault_ms * 1000)
    world.elections.epoch_limit = None


SCENARIOS: dict[str, Callable[[World, Faults, Clients], None]] = {
    "chaos": chaos,
    "flapping": flapping,
    "forged": forged,
}


def settle(world: World, clients: Clients) -> None:
    """Wait until every replica follows one leader, and hold the epoch from there on."""
    deadline = world.now + SETTLE_US
    calm_since = world.now
    while world.now < calm_since + 5_000_000:
        world.run_until(world.now + 100_000)
        assert world.now < deadline, "a quorum without faults does not settle"
        is_settled = clients.active() is not None and all(
            replica.state is not None and replica.state.name in (StateName.LEADER, StateName.FOLLOWER)
            for replica in world.replicas.values()
        )
        if not is_settled:
            calm_since = world.now
    world.elections.epoch_limit = world.elections.highest_epoch


class Flapping:
    """A link that breaks, is cut one way or both, or refuses connections, and is well again, time after time."""

    def __init__(self, world: World, faults: Faults, first: Replica, second: Replica) -> None:
        self._world = world
        self._first, self._second = first, second
        self._rng = world.rng
        self._is_down = False
        self._kind = self._rng.randrange(4)
        self._longest_ms = 3 * world.options.fetch_timeout_ms
        interval_ms = self._rng.choice([30, 200, 1000])
        world.note(f"link {first.id}-{second.id} flaps in way {self._kind}")
        faults.repeat(interval_ms, self._flap)

    def _flap(self) -> None:
        if self._kind == 0:
            self._world.network.break_links(self._first, self._second)
        elif not self._is_down:
            self._is_down = True
            there, back = (self._first.id, self._second.id), (self._second.id, self._first.id)
            network = self._world.network
            if self._kind == 1:
                network.blocked = {self._rng.choice([there, back])}
            elif self._kind == 2:
                network.blocked = {there, back}
            else:
                network.refusing = {there, back}
                network.break_links(self._first, self._second)
            down_ms = 1 + int(self._rng.random() * self._longest_ms)
            self._world.after(down_ms * 1000, self._mend, None)

    def _mend(self, _: None) -> None:
        self._is_down = False
        self._world.network.blocked = set()
        self._world.network.refusing = set()


class Forger:
    """Sends requests that no replica sent, and knows the quorum well: its ids, epochs, offsets and directories.

    It cannot be told from a voter where it takes a voter's whole key, so it does not fetch as one, which would be
    believed, and asks for no voter change that an operator might ask for.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = random.Random(f"forger {world.seed}")

    def send(self) -> None:
        """Send one request to somebody."""
        target = self._rng.choice(self._world.controllers)
        request = self._draw(target)
        self._world.note(f"forged to node {target.id}: {request}")
        self._world.network.call(target, request, self._ignore)

    def _ignore(self, _: InboundResponse | None) -> None:
        """A forger ignores responses."""

    def _draw(self, target: Replica) -> OutboundRequest:
        rng = self._rng
        kind = rng.randrange(8)
        if kind <= 1:
            return VoteRequest(
                replica=self._any_key(),
                voter_id=rng.choice([-1, target.id, target.id, 7]),
                voter_directory_id=rng.choice([None, target.disk.directory_id, rng.randbytes(16)]),
                epoch=self._epoch(),
                last_epoch=self._epoch(),
                last_offset=self._offset(),
                is_pre_vote=kind == 0,
            )
        if kind == 2:
            return BeginQuorumEpochRequest(
                leader_id=self._any_key().id,
                epoch=self._epoch(),
                voter_id=rng.choice([-1, target.id, target.id, 7]),
                voter_directory_id=rng.choice([None, target.disk.directory_id]),
                leader_endpoints=rng.choice([(), self._endpoints()]),
            )
        if kind == 3:
            candidates = tuple(self._any_key() for _ in range(rng.randrange(4)))
            return EndQuorumEpochRequest(
                leader_id=self._any_key().id, epoch=self._epoch(), preferred_candidates=candidates
            )
        if kind == 4:
            return FetchRequest(
                replica=self._unknown_node(),
                epoch=self._epoch(),
                fetch_offset=self._offset(),
                last_fetched_epoch=self._epoch(),
                max_wait_ms=rng.choice([-1, 0, 500, 2**31 - 1]),
                max_bytes=rng.choice([-1, 0, 1, 2**31 - 1]),
                high_watermark=self._offset(),
            )
        if kind == 5:
            return FetchSnapshotRequest(
                replica=self._unknown_node(),
                epoch=self._epoch(),
                snapshot=OffsetAndEpoch(offset=self._offset(), epoch=self._epoch()),
                position=self._offset(),
                max_bytes=rng.choice([-1, 0, 1, 2**31 - 1]),
            )
        return self._draw_voter_change()

    def _draw_voter_change(self) -> OutboundRequest:
        rng = self._rng
        kind = rng.randrange(3)
        if kind == 0:
            return RemoveVoterRequest(voter=self._unknown_node())
        if kind == 1:
            voter = ReplicaKey(
                id=rng.choice([-1, OUTSIDER_ID]), directory_id=rng.choice([None, rng.randbytes(16)])
            )
            return AddVoterRequest(
                voter=voter,
                endpoints=self._endpoints(),
                timeout_ms=rng.choice([-1, 0, 1000]),
                ack_when_committed=True,
            )
        low, high = rng.choice([(0, 1), (1, 0), (-1, 5), (0, 0)])
        return UpdateVoterRequest(
            epoch=self._epoch(),
            voter=self._unknown_node(),
            endpoints=self._endpoints(),
            min_kraft_version=low,
            max_kraft_version=high,
        )

    def _any_key(self) -> ReplicaKey:
        """An unknown node's, or a voter's with or without its directory."""
        if self._rng.random() < 0.4:
            return self._unknown_node()
        key = self._rng.choice(self._world.controllers).key
        return key if self._rng.random() < 0.5 else ReplicaKey(id=key.id)

    def _unknown_node(self) -> ReplicaKey:
        rng = self._rng
        node_id = rng.choice([-1, OUTSIDER_ID, 2**31 - 1, rng.choice(self._world.controllers).id])
        return ReplicaKey(id=node_id, directory_id=rng.randbytes(16))

    def _epoch(self) -> int:
        epoch = self._world.elections.highest_epoch
        return self._rng.choice(
            [epoch, epoch, epoch + 1, epoch + 1, epoch - 1, epoch + 1000, 2**31 - 1, 0, -1]
        )

    def _offset(self) -> int:
        end_offset = self._world.commits.end_offset
        return self._rng.choice([end_offset, end_offset + 1, end_offset // 2, 0, -1, 2**62])

    def _endpoints(self) -> tuple[Endpoint, ...]:
        rng = self._rng
        name = rng.choice([LISTENER, LISTENER, "OTHER"])
        return (Endpoint(name=name, host=rng.choice(["", "outside"]), port=rng.choice([0, 1, 99_999])),)
