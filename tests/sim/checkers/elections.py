"""Checks of epochs, votes and leaders: in the memory of replicas, in their quorum-state, and in what they report to
their drivers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto_server.base.types import NO_NODE, ReplicaKey
from kafkaproto_server.core.raft.model.states import State, StateName, voted_key
from kafkaproto_server.core.raft.values.election_state import ElectionState
from tests.sim.checkers.invariants import Invariant, ViolationError

if TYPE_CHECKING:
    from tests.sim.replica import Replica

ONLY_VOTERS = (StateName.PROSPECTIVE, StateName.CANDIDATE)
LAST_EPOCH = 2**31 - 1 - 2**20
NEVER_OBSERVERS = (StateName.PROSPECTIVE, StateName.CANDIDATE, StateName.LEADER, StateName.RESIGNED)


class ElectionChecker:
    """Sees every change of state and every quorum-state file."""

    def __init__(self) -> None:
        self.leaders: dict[int, int] = {}
        """Node id by epoch."""
        self._told: dict[int, tuple[int, int]] = {}
        """By epoch, the node (and its life) whose controller was notified that it leads."""
        self._votes: dict[tuple[bytes, int], ReplicaKey] = {}
        self._durable_epochs: dict[bytes, int] = {}
        self.highest_epoch = 0
        self._elected_epochs = 0
        """Number of epochs that candidates, and leaders that resigned, have begun."""
        self.epoch_limit: int | None = None
        """Once this is set, no epoch may rise above it."""

    def state_changed(self, replica: Replica, old: State | None, new: State) -> None:
        """A replica is in another state than before its last event; ``old`` is None at the start of a life."""
        epoch = new.epoch
        floor = replica.disk.durable_epoch if old is None else old.epoch
        if epoch < floor:
            raise ViolationError(Invariant.MONOTONIC_EPOCH, f"node {replica.id} from {floor} to {epoch}")
        if epoch > self.highest_epoch:
            self._check_growth(replica, old, new)
            self.highest_epoch = epoch
            if self.epoch_limit is not None and epoch > self.epoch_limit:
                raise ViolationError(
                    Invariant.STABLE_EPOCH, f"node {replica.id} is {new.name.value} of epoch {epoch}"
                )
        vote = voted_key(new)
        if vote is not None and old is not None and (old.epoch < epoch or voted_key(old) is None):
            self._check_vote_for_unknown(replica, vote)
        name = new.name
        if name is StateName.LEADER:
            self.leads(epoch, replica.id)
        elif new.leader_id != NO_NODE:
            self.leads(epoch, new.leader_id)
        self._check_role(replica, new)

    def _check_growth(self, replica: Replica, old: State | None, new: State) -> None:
        if new.epoch > LAST_EPOCH:
            raise ViolationError(
                Invariant.ROOM_FOR_EPOCHS, f"node {replica.id} is {new.name.value} of epoch {new.epoch}"
            )
        has_resigned = old is not None and old.name is StateName.RESIGNED
        own = has_resigned + (new.name is StateName.CANDIDATE)
        self._elected_epochs += min(new.epoch - self.highest_epoch, own)
        # No replica believes an epoch that no replica began, whatever an unknown node says.
        bound = self._elected_epochs
        if new.epoch > bound:
            raise ViolationError(
                Invariant.EPOCHS_ARE_BOUNDED,
                f"node {replica.id} is in epoch {new.epoch}, the bound is {bound}",
            )

    def leads(self, epoch: int, leader_id: int) -> None:
        """A replica leads, or believes that it knows the leader."""
        known = self.leaders.setdefault(epoch, leader_id)
        if known != leader_id:
            raise ViolationError(
                Invariant.ELECTION_SAFETY, f"nodes {known} and {leader_id} lead epoch {epoch}"
            )

    def _check_role(self, replica: Replica, state: State) -> None:
        name = state.name
        what = f"node {replica.id} is {name.value} of epoch {state.epoch}"
        if name in NEVER_OBSERVERS and not replica.can_be_voter:
            raise ViolationError(Invariant.VALID_ROLES, f"{what} without the controller role")
        if name in ONLY_VOTERS and not replica.may_be_needed:
            raise ViolationError(Invariant.VALID_ROLES, f"{what} and no voter")
        if name is StateName.FOLLOWER and state.leader_id in (NO_NODE, replica.id):
            raise ViolationError(Invariant.VALID_ROLES, f"{what} and follows {state.leader_id}")
        if name in (StateName.CANDIDATE, StateName.LEADER):
            return
        if state.leader_id == replica.id and name is not StateName.RESIGNED:
            raise ViolationError(Invariant.VALID_ROLES, f"{what} and takes itself for the leader")

    def persisted(self, replica: Replica, state: ElectionState) -> None:
        """A quorum-state file is durable."""
        directory_id = replica.disk.directory_id
        highest = self._durable_epochs.get(directory_id, 0)
        if state.epoch < highest:
            raise ViolationError(
                Invariant.MONOTONIC_EPOCH, f"node {replica.id} writes epoch {state.epoch} after {highest}"
            )
        self._durable_epochs[directory_id] = state.epoch
        if state.voted_key is not None:
            self.voted(replica, state.epoch, state.voted_key)
        if state.leader_id != NO_NODE:
            self.leads(state.epoch, state.leader_id)

    @staticmethod
    def _check_vote_for_unknown(replica: Replica, key: ReplicaKey) -> None:
        options = replica.world.options
        leaderless_ms = replica.now_ms() - replica.leader_seen_ms
        if key.id not in replica.world.replicas and leaderless_ms < 3 * options.election_timeout_ms:
            raise ViolationError(
                Invariant.VOTES_FOR_VOTERS,
                f"node {replica.id} votes for {key}, {leaderless_ms} ms after it followed a leader",
            )

    def voted(self, replica: Replica, epoch: int, key: ReplicaKey) -> None:
        """A replica wrote down, or reported, that it votes for another replica or for itself."""
        known = self._votes.setdefault((replica.disk.directory_id, epoch), key)
        if known.id != key.id or (
            known.directory_id != key.directory_id and None not in (known.directory_id, key.directory_id)
        ):
            raise ViolationError(
                Invariant.VOTE_NEVER_CHANGES,
                f"node {replica.id} votes in epoch {epoch} for {known} and {key}",
            )

    def has_voted(self, replica: Replica, epoch: int) -> bool:
        """Whether a vote of this replica in this epoch is known, that is, was durable."""
        return (replica.disk.directory_id, epoch) in self._votes

    def told_to_lead(self, replica: Replica, epoch: int) -> None:
        """A replica's controller is notified that it leads."""
        this = (replica.id, replica.life)
        known = self._told.setdefault(epoch, this)
        if known != this:
            raise ViolationError(
                Invariant.ELECTION_SAFETY, f"(node, life) {known} and {this} are told to lead epoch {epoch}"
            )
