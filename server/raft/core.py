"""The state that every handler works on, and the few ways to change it that keep its parts together."""

from __future__ import annotations

from server.raft import states
from server.raft.config import RaftConfig
from server.raft.control import ControlRecord, KRaftVersion, KRaftVoters
from server.raft.effects import PendingBatch, WriteElectionState
from server.raft.election_state import ElectionState
from server.raft.log_index import LogIndex
from server.raft.outbox import Outbox
from server.raft.states import State
from server.raft.voters import VoterHistory


class Core:
    """One node's log index, voter history, state and outbox."""

    def __init__(self, *, config: RaftConfig, log: LogIndex, voters: VoterHistory, state: State) -> None:
        states.check_start(state)
        self.config = config
        self.log = log
        self.voters = voters
        self.outbox = Outbox(durable_end_offset=log.end_offset)
        self.is_stopping = False
        self._state = state

    @property
    def state(self) -> State:
        """What this node is towards its quorum."""
        return self._state

    def transition_to(self, state: State) -> None:
        """Become ``state``; asserts that it is legal from here."""
        states.check_transition(self._state, state)
        self._state = state

    def write_election_state(self, state: ElectionState) -> int:
        """Ask for new content of quorum-state; returns the number of the effects that make it durable."""
        return self.outbox.write_election_state(
            WriteElectionState(
                state=state,
                kraft_version=self.voters.kraft_version,
                voter_ids=self.voters.latest.ids,
            )
        )

    def append(self, batch: PendingBatch) -> None:
        """Put a batch at the log's end. Control records take effect at once, long before they commit."""
        self.log.append(epoch=batch.epoch, base_offset=batch.base_offset, next_offset=batch.next_offset)
        for offset, record in enumerate(batch.control, start=batch.base_offset):
            apply_control(self.voters, offset, record)
        self.outbox.append(batch)


def apply_control(voters: VoterHistory, offset: int, record: ControlRecord) -> None:
    """Bring a control record into force, whether it was read from disk or is being appended."""
    match record:
        case KRaftVersion():
            voters.add_kraft_version(offset, record.level)
        case KRaftVoters():
            voters.add_voters(offset, record.voters)
        case _:
            """A leader change is in force by the election that it records."""
