"""An unknown node that knows everything public: cluster id, voters' ids, directories, endpoints, epochs.

It sends requests that fit the wire format to replicas at the worst moments: whenever one starts or changes its state,
and all the time besides. It listens at an address of its own, and sends a forged response to every request that
reaches it there. In the mode ``spoofing`` it also uses the ids of voters in its requests. Two things it does not do:
it does not fetch as a voter, because nobody could tell it from that voter; and it requests no change of the voters
that an operator might request. Only the authorizer can prevent these two.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model.progress import MAX_OBSERVERS
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    ApiVersionsResponse,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    InboundResponse,
    OutboundRequest,
    QuorumEpochResponse,
    UpdateVoterRequest,
    VoteRequest,
    VoteResponse,
)
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.network import LISTENER, UNKNOWN_HOST
from tests.sim.replica import Replica
from tests.sim.replica_log import LogBatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.faults import Faults
    from tests.sim.world import World

UNKNOWN_ID = 666
FIRST_INVENTED_ID = 10_000
FORGED = b"forged"
PORT = 6666
LAST_EPOCH_ON_THE_WIRE = 2**31 - 1
BURST = 3
"""Requests to a replica whose state has just changed."""
FLOOD_INTERVAL_MS = 4


class UnknownNode:
    """Sends requests, and responds to what reaches its address."""

    def __init__(self, world: World, faults: Faults) -> None:
        self._world = world
        self._faults = faults
        self._rng = random.Random(f"unknown node {world.seed}")
        self._mode = world.options.unknown_node
        self._invented = 0
        self.was_asked: list[OutboundRequest] = []
        """Requests that reached its address."""

    def begin(self) -> None:
        """Start, if the options say so."""
        if not self._mode:
            return
        self._world.network.unknown_node = self
        self._world.on_state_changed = self._state_changed
        self._repeat(self._rng.choice([10, 40, 150]), self._send_to_anybody)
        if self._rng.random() < 0.1:
            self._repeat(FLOOD_INTERVAL_MS, self._invent_an_observer)

    def check(self) -> None:
        """What it must not have achieved, at the end."""
        asked = [request for request in self.was_asked if not isinstance(request, ApiVersionsRequest)]
        if asked:
            raise ViolationError(Invariant.NOTHING_LEFT_BEHIND, f"its address was asked {asked[0]}")
        for replica in self._world.replicas.values():
            leader = replica.leading if replica.is_up else None
            if leader is not None and len(leader.progress) > MOST_REMEMBERED:
                raise ViolationError(
                    Invariant.NOTHING_LEFT_BEHIND,
                    f"node {replica.id} remembers {len(leader.progress)} replicas",
                )

    # -- when ----------------------------------------------------------------------------------------------------

    @property
    def _is_over(self) -> bool:
        """In the mode ``spoofing`` it stops once all faults have ended, because no quorum could bear that for ever.
        Otherwise it continues for ever.
        """
        return self._mode == "spoofing" and self._faults.is_healed

    def _repeat(self, interval_ms: int, act: Callable[[], None]) -> None:
        delay_us = int(self._rng.expovariate(1 / interval_ms) * 1000)
        self._world.after(delay_us, self._fire, (interval_ms, act))

    def _fire(self, due: tuple[int, Callable[[], None]]) -> None:
        if not self._is_over:
            interval_ms, act = due
            act()
            self._repeat(interval_ms, act)

    def _state_changed(self, replica: Replica) -> None:
        if not self._is_over and self._rng.random() < 0.3:
            for _ in range(BURST):
                self._world.after(int(self._rng.random() * 3000), self._send, replica)

    def _send_to_anybody(self) -> None:
        self._send(self._rng.choice(list(self._world.replicas.values())))

    def _send(self, target: Replica) -> None:
        if target.is_up and target.can_be_voter and not self._is_over:
            self._put(target, self._draw(target))

    def _put(self, target: Replica, request: OutboundRequest) -> None:
        self._world.note(f"unknown node asks {target.id}: {request}")
        if self._mode != "refused":
            self._world.network.call(target, request, self._ignore)

    def _ignore(self, _: InboundResponse | None) -> None:
        """It wants no response."""

    def _invent_an_observer(self) -> None:
        """Fetch from the leader, each time as another replica."""
        leaders = [each for each in self._world.controllers if each.is_up and each.leading is not None]
        for leader in leaders[:1]:
            self._put(leader, self._fetch(leader, self._invented_key(), leader.core.log_end_offset))

    # -- what it sends -------------------------------------------------------------------------------------------

    def _draw(self, target: Replica) -> OutboundRequest:
        rng = self._rng
        kind = rng.randrange(9)
        if kind <= 3:
            epoch = self._epoch(target)
            last = target.disk.log.last
            return VoteRequest(
                replica=self._any_key(),
                voter_id=rng.choice([-1, target.id]),
                voter_directory_id=rng.choice([None, target.disk.directory_id]),
                epoch=epoch,
                last_epoch=max(0, min(epoch - 1, (last.epoch if last is not None else 0) + rng.randrange(2))),
                last_offset=target.core.log_end_offset + rng.choice([0, 0, 1000]),
                is_pre_vote=rng.random() < 0.3,
            )
        if kind <= 5:
            return BeginQuorumEpochRequest(
                leader_id=self._any_key().id,
                epoch=self._epoch(target),
                voter_id=target.id,
                voter_directory_id=target.disk.directory_id,
                leader_endpoints=self._endpoints(),
            )
        if kind == 6:
            return EndQuorumEpochRequest(
                leader_id=self._any_key().id,
                epoch=self._epoch(target),
                preferred_candidates=tuple(self._any_key() for _ in range(rng.randrange(3))),
            )
        if kind == 7:
            return self._draw_fetch(target)
        return self._draw_voter_change(target)

    def _draw_fetch(self, target: Replica) -> OutboundRequest:
        offset = self._rng.choice([0, target.core.log_end_offset])
        if self._rng.random() < 0.7:
            return self._fetch(target, self._own_key(), offset)
        return FetchSnapshotRequest(
            replica=self._own_key(),
            epoch=target.core.state.epoch,
            snapshot=OffsetAndEpoch(offset=offset, epoch=0),
            position=0,
            max_bytes=1000,
        )

    def _fetch(self, target: Replica, key: ReplicaKey, offset: int) -> FetchRequest:
        last = target.disk.log.last
        return FetchRequest(
            replica=key,
            epoch=target.core.state.epoch,
            fetch_offset=offset,
            last_fetched_epoch=last.epoch if last is not None and offset else 0,
            max_wait_ms=0,
            max_bytes=1,
            high_watermark=-1,
        )

    def _draw_voter_change(self, target: Replica) -> OutboundRequest:
        """It may request to be added, as long as it is no controller, and it may change no address but its own."""
        if self._rng.random() < 0.5:
            return AddVoterRequest(
                voter=self._fixed_key(), endpoints=self._endpoints(), timeout_ms=1000, ack_when_committed=True
            )
        return UpdateVoterRequest(
            epoch=target.core.state.epoch,
            voter=self._own_key(),
            endpoints=self._endpoints(),
            min_kraft_version=0,
            max_kraft_version=1,
        )

    def _epoch(self, target: Replica) -> int:
        epoch = target.core.state.epoch
        return self._rng.choice(
            [epoch, epoch + 1, epoch + 1, epoch + 2, epoch + 1000, LAST_EPOCH_ON_THE_WIRE]
        )

    def _any_key(self) -> ReplicaKey:
        if self._mode == "spoofing" and self._rng.random() < 0.6:
            return self._rng.choice(self._world.controllers).key
        return self._own_key()

    def _own_key(self) -> ReplicaKey:
        """One of its own; or a voter's id with another directory, which is no voter by a log that has directories."""
        if self._world.static_voters.voters or self._rng.random() < 0.7:
            return self._fixed_key()
        return ReplicaKey(
            id=self._rng.choice(self._world.controllers).id, directory_id=self._rng.randbytes(16)
        )

    @staticmethod
    def _fixed_key() -> ReplicaKey:
        return ReplicaKey(id=UNKNOWN_ID, directory_id=b"an unknown node.")

    def _invented_key(self) -> ReplicaKey:
        self._invented += 1
        return ReplicaKey(id=FIRST_INVENTED_ID + self._invented, directory_id=self._rng.randbytes(16))

    @staticmethod
    def _endpoints() -> tuple[Endpoint, ...]:
        return (Endpoint(name=LISTENER, host=UNKNOWN_HOST, port=PORT),)

    # -- what it responds ----------------------------------------------------------------------------------------

    def respond(self, source: Replica, request: OutboundRequest) -> InboundResponse | None:
        """A forged response to what reached its address; None for none at all."""
        self.was_asked.append(request)
        rng = self._rng
        epoch = max(source.core.state.epoch, getattr(request, "epoch", 0)) + rng.choice([0, 0, 1, 1000])
        leader = LeaderAndEpoch(leader_id=UNKNOWN_ID, epoch=epoch)
        where: dict[str, Any] = {"leader": leader, "leader_endpoint": self._endpoints()[0]}
        if isinstance(request, ApiVersionsRequest):
            # A broker's: it serves no votes.
            return ApiVersionsResponse(min_kraft_version=0, max_kraft_version=1, can_vote=False)
        if isinstance(request, VoteRequest):
            return VoteResponse(is_granted=True, leader=LeaderAndEpoch(leader_id=-1, epoch=epoch))
        if isinstance(request, FetchRequest):
            if epoch != request.epoch:
                return FetchResponse(error=RaftError.FENCED_LEADER_EPOCH, **where)
            return FetchResponse(
                **{**where, "leader": LeaderAndEpoch(leader_id=source.core.state.leader_id, epoch=epoch)},
                high_watermark=request.fetch_offset + 1,
                batches=(self._forged_batch(request.fetch_offset, epoch),),
            )
        if isinstance(request, FetchSnapshotRequest):
            return FetchSnapshotResponse(**where, snapshot=request.snapshot, size=6, position=0, data=FORGED)
        if isinstance(request, BeginQuorumEpochRequest | EndQuorumEpochRequest):
            return QuorumEpochResponse(error=RaftError.FENCED_LEADER_EPOCH, **where)
        return None

    @staticmethod
    def _forged_batch(offset: int, epoch: int) -> LogBatch:
        return LogBatch(
            base_offset=offset,
            next_offset=offset + 1,
            epoch=epoch,
            payload=FORGED,
            records=(b"forged record",),
            size=100,
        )


MOST_REMEMBERED = MAX_OBSERVERS + 20
"""With the voters."""
