"""How a node starts, and how a quorum of one elects its voter.

A node comes back from its disk in a state that breaks no promise of its former life. The voter of a quorum of
one then waits for no timer: it asks itself (pre-vote), raises the epoch, votes for itself, and leads as soon
as that vote is durable. Each restart of a leader so raises the epoch by one.

A vote that became durable while leadership did not is taken up again: the node is Candidate of that epoch and
wins it. This is safe although batches of the epoch may lie in the log already, because nothing of an epoch
leaves the node before its leadership of that epoch is durable. Once that is on disk, the node never leads
that epoch again.
"""

from __future__ import annotations

from server.raft import leader, quorum
from server.raft.core import Core
from server.raft.election_state import ElectionState
from server.raft.states import Candidate, Prospective, Resigned, State, Unattached
from server.types import ReplicaKey


def restore_state(key: ReplicaKey, election: ElectionState | None, last_epoch: int) -> State:
    """The state to start in, by the content of quorum-state and the epoch of the log's last record."""
    if election is None or election.epoch < last_epoch:
        # The log has seen a later epoch than the file, whose leader and vote are therefore history.
        return Unattached(epoch=last_epoch)
    if election.leader_id == key.id:
        return Resigned(epoch=election.epoch)
    if election.is_vote_for(key):
        return Candidate(epoch=election.epoch, vote_number=None)
    return Unattached(epoch=election.epoch, leader_id=election.leader_id, voted_key=election.voted_key)


def maybe_elect_self(core: Core) -> None:
    """Start and, where nothing is left to be written, win an election, if this node is the only voter."""
    if not core.voters.latest.is_only_voter(core.config.key):
        return
    match core.state:
        case Unattached(epoch=epoch, leader_id=leader_id, voted_key=voted_key):
            become_prospective(core, Prospective(epoch=epoch, leader_id=leader_id, voted_key=voted_key))
        case Resigned(epoch=epoch):
            become_prospective(core, Prospective(epoch=epoch))
        case _:
            maybe_become_leader(core)


def become_prospective(core: Core, prospective: Prospective) -> None:
    """Ask for pre-votes. A node's own counts at once, and in a quorum of one decides."""
    core.transition_to(prospective)
    assert quorum.is_majority((core.config.key.id,), core.voters.latest.ids), (
        "others have a say in the pre-vote"
    )
    become_candidate(core)


def become_candidate(core: Core) -> None:
    """Raise the epoch and vote for oneself; the vote counts once it is durable."""
    epoch = core.state.epoch + 1
    number = core.write_election_state(ElectionState(epoch=epoch, voted_key=core.config.key))
    core.transition_to(Candidate(epoch=epoch, vote_number=number))


def maybe_become_leader(core: Core) -> None:
    """Lead, if this node is a candidate; to be called once its own vote, the only one of the quorum, is durable."""
    state = core.state
    if not isinstance(state, Candidate) or core.is_stopping:
        return
    vote_is_durable = state.vote_number is None or core.outbox.is_persisted(state.vote_number)
    assert vote_is_durable, f"the vote of epoch {state.epoch} would count before it is durable"
    granting_ids = (core.config.key.id,)
    assert quorum.is_majority(granting_ids, core.voters.latest.ids), "others have a say in the vote"
    leader.become_leader(core, granting_ids)
