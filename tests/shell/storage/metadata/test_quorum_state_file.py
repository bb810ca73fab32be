"""quorum-state: the very bytes that Kafka 4.3.1 wrote, what is no such file, and crashes while it is replaced."""

from __future__ import annotations

import pytest

from kafkaproto import uuids
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumState, QuorumStateFile
from tests.shell.storage.support.helpers import SeededRng
from tests.sim.disk import MemoryDisk, PowerLossError

# Read from the directories of running 4.3.1 nodes: leader, follower and voter of a quorum whose voters stand in its
# log; a leader with voters from its configuration; a broker that has just met a leader.
KAFKAS_FILES = [
    (
        b'{"leaderId":1,"leaderEpoch":2,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}',
        QuorumState(leader_id=1, leader_epoch=2, voted=None, data_version=1),
    ),
    (
        b'{"leaderId":1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"KYWObkDYTxCpg7RskgNtOg","data_version":1}',
        QuorumState(
            leader_id=1,
            leader_epoch=2,
            voted=ReplicaKey(id=1, directory_id=uuids.from_text("KYWObkDYTxCpg7RskgNtOg")),
            data_version=1,
        ),
    ),
    (
        b'{"leaderId":-1,"leaderEpoch":5,"votedId":2,"votedDirectoryId":"_oUyWYPHQnmiJx4wkmJxxg","data_version":1}',
        QuorumState(
            leader_id=-1,
            leader_epoch=5,
            voted=ReplicaKey(id=2, directory_id=uuids.from_text("_oUyWYPHQnmiJx4wkmJxxg")),
            data_version=1,
        ),
    ),
    (
        b'{"clusterId":"","leaderId":2,"leaderEpoch":1,"votedId":-1,"appliedOffset":0,'
        b'"currentVoters":[{"voterId":1},{"voterId":2},{"voterId":3}],"data_version":0}',
        QuorumState(leader_id=2, leader_epoch=1, voted=None, voter_ids=(1, 2, 3), data_version=0),
    ),
    (
        b'{"clusterId":"","leaderId":1,"leaderEpoch":2,"votedId":-1,"appliedOffset":0,"currentVoters":[],'
        b'"data_version":0}',
        QuorumState(leader_id=1, leader_epoch=2, voted=None, data_version=0),
    ),
]


def disk_with_directory() -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory("/d")
    disk.sync_directory("/")
    return disk


@pytest.mark.parametrize(("content", "state"), KAFKAS_FILES)
def test_kafkas_files_are_written_and_read(disk: Disk, root: str, content: bytes, state: QuorumState) -> None:
    file = QuorumStateFile(disk, root)
    assert file.read() is None
    file.write(state)
    assert disk.read_file(f"{root}/quorum-state") == content
    assert file.read() == state
    assert disk.list_directory(root) == ["quorum-state"]


def test_a_vote_without_a_directory_id_is_kept(disk: Disk, root: str) -> None:
    file = QuorumStateFile(disk, root)
    for data_version in (0, 1):
        state = QuorumState(leader_id=-1, leader_epoch=3, voted=ReplicaKey(id=7), data_version=data_version)
        file.write(state)
        assert file.read() == state


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "this is no JSON"),
        (b"\xff\xfe", "this is no JSON"),
        (b"{", "this is no JSON"),
        (b"[1]", "a JSON object is expected"),
        (b"{}", "data_version is None, this release reads 0 to 1"),
        (b'{"data_version":2}', "data_version is 2, this release reads 0 to 1"),
        (b'{"data_version":true}', "data_version is True"),
        (
            b'{"leaderId":1,"votedId":1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}',
            "leaderEpoch",
        ),
        (
            b'{"leaderId":"x","leaderEpoch":2,"votedId":1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}',
            "leaderId",
        ),
        (
            b'{"leaderId":1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"short","data_version":1}',
            "votedDirectoryId",
        ),
        (
            b'{"leaderId":1,"leaderEpoch":-1,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}',
            "leaderEpoch is -1, it must not be negative",
        ),
        (
            b'{"clusterId":"","leaderId":1,"leaderEpoch":2,"votedId":-1,"appliedOffset":0,"currentVoters":[{}],'
            b'"data_version":0}',
            "voterId",
        ),
    ],
)
def test_what_is_no_such_file_is_told_with_the_field(content: bytes, complaint: str) -> None:
    disk = disk_with_directory()
    file = disk.open("/d/quorum-state", create=True)
    file.append([content])
    file.close()
    with pytest.raises(CorruptFileError, match=complaint) as caught:
        QuorumStateFile(disk, "/d").read()
    assert str(caught.value).startswith("/d/quorum-state: ")


def test_a_crash_leaves_the_old_state_or_the_new_and_the_new_once_it_was_written() -> None:
    states = [state for _, state in KAFKAS_FILES]
    rehearsal = disk_with_directory()
    for state in states:
        QuorumStateFile(rehearsal, "/d").write(state)
    for operation in range(disk_with_directory().operations, rehearsal.operations):
        for seed in range(8):
            disk = disk_with_directory()
            disk.crash_before = operation
            written = 0
            with pytest.raises(PowerLossError):  # noqa: PT012 - which of the writes is cut short differs
                for state in states:
                    QuorumStateFile(disk, "/d").write(state)
                    written += 1
            disk.crash(SeededRng(seed))
            found = QuorumStateFile(disk, "/d").read()
            expected = [None, *states][written : written + 2]
            assert found in expected, f"operation {operation}, seed {seed}"
            QuorumStateFile(disk, "/d").write(states[0])
            assert QuorumStateFile(disk, "/d").read() == states[0]


@pytest.mark.parametrize("operation", ["create", "write", "sync", "rename", "sync_directory"])
def test_after_a_write_that_failed_nothing_more_is_written(operation: str) -> None:
    """A later write could seem to succeed though the disk has lost what came before it."""
    disk = MemoryDisk()
    file = QuorumStateFile(disk, "/.")
    disk.fail(operation, "")
    first = QuorumState(leader_id=1, leader_epoch=2, voted=None, data_version=1)
    with pytest.raises(OSError, match=f"{operation} failed: Input/output error: '/"):
        file.write(first)
    with pytest.raises(AssertionError, match="quorum-state: writing has failed before"):
        file.write(first)
