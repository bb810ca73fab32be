"""Checks of messages: everything that a replica sends is durable, and no request is sent or responded to twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    BeginQuorumEpochRequest,
    FetchRequest,
    InboundRequest,
    OutboundRequest,
    OutboundResponse,
    PendingFetchResponse,
    VoterChangeResponse,
    VoteRequest,
    VoteResponse,
)
from tests.sim.checkers.elections import ElectionChecker
from tests.sim.checkers.invariants import Invariant, ViolationError

if TYPE_CHECKING:
    from tests.sim.replica import Replica


class MessageChecker:
    """Sees every request and every response when it is sent."""

    def __init__(self, elections: ElectionChecker) -> None:
        self._elections = elections

    def asked(self, replica: Replica, request: OutboundRequest) -> None:
        """A replica sends a request."""
        kind = type(request)
        if kind is FetchRequest:
            assert isinstance(request, FetchRequest)
            if request.fetch_offset > replica.disk.durable.end_offset and replica.can_be_voter:
                raise ViolationError(
                    Invariant.DURABLE_BEFORE_TOLD,
                    f"node {replica.id} fetches at {request.fetch_offset}, "
                    f"{replica.disk.durable.end_offset} is durable",
                )
        elif isinstance(request, VoteRequest):
            if not request.is_pre_vote:
                self._check_vote(replica, request.epoch, replica.key)
        elif isinstance(request, BeginQuorumEpochRequest):
            self._check_leadership(replica, request.epoch)
        elif isinstance(request, AddVoterRequest) and replica.removed_at is not None:
            raise ViolationError(
                Invariant.STAYS_REMOVED, f"node {replica.id} joins again, {replica.removed_at} removed it"
            )
        epoch = getattr(request, "epoch", 0)
        if epoch > replica.disk.durable_epoch:
            self._fail(replica, f"asks in epoch {epoch}, {replica.disk.durable_epoch} is durable")

    def answered(self, replica: Replica, request: InboundRequest, response: OutboundResponse) -> None:
        """A replica responds to a request."""
        if isinstance(response, VoterChangeResponse):
            return
        epoch = response.leader.epoch
        if epoch > replica.disk.durable_epoch:
            self._fail(replica, f"answers in epoch {epoch}, {replica.disk.durable_epoch} is durable")
        if isinstance(response, PendingFetchResponse):
            if response.error is RaftError.NONE:
                self._check_leadership(replica, epoch)
        elif isinstance(response, VoteResponse) and response.is_granted:
            assert isinstance(request, VoteRequest)
            if not request.is_pre_vote:
                self._check_vote(replica, request.epoch, request.replica)

    def _check_vote(self, replica: Replica, epoch: int, key: ReplicaKey) -> None:
        """A vote may be sent late: by then a later epoch may be durable."""
        durable = replica.disk.election
        if (
            durable is None
            or durable.epoch < epoch
            or (durable.epoch == epoch and not durable.is_vote_for(key))
            or not self._elections.has_voted(replica, epoch)
        ):
            self._fail(replica, f"votes for {key} in epoch {epoch}, durable is {durable}")
        self._elections.voted(replica, epoch, key)

    def _check_leadership(self, replica: Replica, epoch: int) -> None:
        durable = replica.disk.election
        if (
            durable is None
            or durable.epoch < epoch
            or (durable.epoch == epoch and durable.leader_id != replica.id)
        ):
            self._fail(replica, f"acts as leader of epoch {epoch}, durable is {durable}")

    @staticmethod
    def _fail(replica: Replica, what: str) -> None:
        raise ViolationError(Invariant.DURABLE_BEFORE_TOLD, f"node {replica.id} {what}")
