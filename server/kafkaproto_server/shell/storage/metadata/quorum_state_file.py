"""Keeps ``quorum-state``, a node's promises in elections. The file's format is described in
`kafkaproto.directory_files`.

It is replaced as a whole, and synced before the node sends anything that depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto.directory_files import QUORUM_STATE_NAME, decode_quorum_state, encode_quorum_state
from kafkaproto.messages import QuorumStateData
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import NO_NODE, ZERO_UUID, ReplicaKey
from kafkaproto_server.shell.storage.atomic import replace_file
from kafkaproto_server.shell.storage.errors import CorruptFileError


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumState:
    """The content of the file."""

    leader_id: int
    """-1 if no leader is known."""
    leader_epoch: int
    voted: ReplicaKey | None
    """The replica that got this node's vote in the epoch; without a directory id in data_version 0."""
    voter_ids: tuple[int, ...] = ()
    """The voters known when the file was written; data_version 1 does not contain them."""
    data_version: int
    """0 or 1, the same as the kraft.version known when the file was written."""


class QuorumStateFile:
    """The file in one metadata log directory."""

    def __init__(self, disk: Disk, directory: str) -> None:
        self._disk = disk
        self._directory = directory
        self.path = f"{directory}/{QUORUM_STATE_NAME}"
        self._failure: OSError | None = None

    def read(self) -> QuorumState | None:
        """The state that was written last; None if there is no file. Raises CorruptFileError, which names the field."""
        if not self._disk.exists(self.path):
            return None
        try:
            data, data_version = decode_quorum_state(self._disk.read_file(self.path))
        except ValueError as error:
            raise CorruptFileError(self.path, str(error)) from error
        directory_id = None if data.voted_directory_id == ZERO_UUID else data.voted_directory_id
        return QuorumState(
            leader_id=data.leader_id,
            leader_epoch=data.leader_epoch,
            voted=None
            if data.voted_id == NO_NODE
            else ReplicaKey(id=data.voted_id, directory_id=directory_id),
            voter_ids=tuple(voter.voter_id for voter in data.current_voters or ()),
            data_version=data_version,
        )

    def write(self, state: QuorumState) -> None:
        """Replace the content, durably on return.

        Raises OSError. It is then unknown what a crash would leave, and nothing more may be written.
        """
        assert self._failure is None, f"{self.path}: writing has failed before: {self._failure}"
        data = QuorumStateData(leader_id=state.leader_id, leader_epoch=state.leader_epoch)
        if state.voted is not None:
            data.voted_id = state.voted.id
        # Kafka's ElectionState does the same: version 0 names the voters, version 1 the voted
        # directory.
        if state.data_version == 0:
            data.current_voters = [QuorumStateData.Voter(voter_id=voter_id) for voter_id in state.voter_ids]
        elif state.voted is not None:
            data.voted_directory_id = state.voted.directory_id or ZERO_UUID
        content = encode_quorum_state(data, state.data_version)
        try:
            replace_file(self._disk, self._directory, QUORUM_STATE_NAME, content)
        except OSError as error:
            # A second attempt could succeed while the first content is still on its way to the
            # disk. After a crash the node might then vote again in the same epoch.
            self._failure = error
            raise
