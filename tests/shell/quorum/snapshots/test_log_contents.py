"""What is read of the metadata log's directory: control records from an offset on, and the newest image."""

from __future__ import annotations

from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.core.raft.values.control import (
    KRaftVersion,
    KRaftVoters,
    LeaderChange,
    RecordedControl,
)
from kafkaproto_server.core.raft.values.effects import PendingBatch
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.core.raft.wire import encode_batch
from kafkaproto_server.shell.quorum.snapshots.log_contents import log_controls, newest_image
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from tests.core.raft.support.machine import voter
from tests.sim.disk import MemoryDisk

DIRECTORY = "/data/__cluster_metadata-0"


def test_control_records_before_the_offset_are_left_out_although_their_batch_is_read() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    log = Log.open(disk, DIRECTORY, topic_id=METADATA_TOPIC_ID)
    version, voters = KRaftVersion(level=1), KRaftVoters(voters=VoterSet(voters=(voter(1),)))
    change = LeaderChange(leader_id=1, voter_ids=(1,), granting_voter_ids=(1,))
    batch = PendingBatch(base_offset=0, epoch=1, control=(change, version, voters))
    log.append([encode_batch(batch, 1000)])
    recorded = [RecordedControl(offset=1, record=version), RecordedControl(offset=2, record=voters)]
    assert [*log_controls(log, 0)] == recorded
    assert [*log_controls(log, 2)] == recorded[1:]


def test_the_first_snapshot_of_a_new_cluster_has_no_image() -> None:
    disk = MemoryDisk()
    disk.make_directory(DIRECTORY)
    snapshots = SnapshotStore(disk, DIRECTORY)
    writer = snapshots.create(BOOTSTRAP_SNAPSHOT_ID, lambda: bytes(16))
    writer.append(b"the first voters")
    writer.sync()
    writer.freeze()
    assert snapshots.latest() == BOOTSTRAP_SNAPSHOT_ID
    assert newest_image(snapshots) is None
