"""The two files of formatting, byte for byte those of Kafka 4.3.1.

The expected bytes were read from directories that kafka-storage format of 4.3.1 made. Its batches carry the clock's
time of their own making, some milliseconds apart, so each is compared with ours of that time.
"""

from __future__ import annotations

import pytest

from kafkaproto.messages import FeatureLevelRecord, UserScramCredentialRecord
from kafkaproto.records.batch import RecordBatchView, iterate_batches
from kafkaproto.records.control import ControlRecordType
from kafkaproto.snapshot import ControlRecord, build_snapshot
from kafkaproto_server.features import LATEST_METADATA_VERSION, default_levels
from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.errors import CorruptFileError
from kafkaproto_server.storage.metadata.bootstrap import (
    encode_bootstrap,
    encode_voters_snapshot,
    feature_records,
    read_bootstrap,
    voters_record,
    write_bootstrap,
    write_voters_snapshot,
)
from kafkaproto_server.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from kafkaproto_server.types import Endpoint, ReplicaKey, Voter
from tests.sim.disk import MemoryDisk

KAFKAS_BOOTSTRAP = bytes.fromhex(
    "000000000000000000000047000000000203e65486002000000000000001a1fc7359b0000001a1fc7359b0ffffffffffffffff"
    "ffffffffffff000000012a000000080000000316000000000000000000000000"
    "0000000000000001000000f10000000002415cad97000000000005000001a1fc7359dc000001a1fc7359dcffffffffffffffff"
    "ffffffffffff000000063a000000012e010c00116d657461646174612e76657273696f6e001e00005a000002014e010c002165"
    "6c696769626c652e6c65616465722e7265706c696361732e76657273696f6e00010000340000040128010c000e67726f75702e"
    "76657273696f6e00010000340000060128010c000e73686172652e76657273696f6e0001000038000008012c010c0010737472"
    "65616d732e76657273696f6e000100004000000a0134010c00147472616e73616374696f6e2e76657273696f6e00020000"
    "00000000000000070000003f0000000002b027bbca002000000000000001a1fc7359e2000001a1fc7359e2ffffffffffffffff"
    "ffffffffffff000000011a00000008000000040600000000"
)
KAFKAS_VOTERS_SNAPSHOT = bytes.fromhex(
    "00000000000000000000009a0000000002ffc6342f002000000002000001a1fc965b75000001a1fc965b75ffffffffffffffff"
    "ffffffffffff000000032a0000000800000003160000000001a1fc965b6e00001e00000208000000050a000000010000820100"
    "000408000000066e0000020000000120e40dc5689246d2a371e016b0224eec020b434f4e54524f4c4c45520a3132372e302e30"
    "2e3154c50000000001000000"
    "0000000000000000030000003f000000000289365a78002000000000000001a1fc965b83000001a1fc965b83ffffffffffffff"
    "ffffffffffffff000000011a00000008000000040600000000"
)
VOTER = Voter(
    key=ReplicaKey(id=1, directory_id=bytes.fromhex("20e40dc5689246d2a371e016b0224eec")),
    endpoints=(Endpoint(name="CONTROLLER", host="127.0.0.1", port=21701),),
)
NEWEST = {"metadata.version": LATEST_METADATA_VERSION.level, **default_levels(LATEST_METADATA_VERSION)}


def test_the_bootstrap_file_has_kafkas_bytes() -> None:
    assert len(KAFKAS_BOOTSTRAP) == 411
    for position, view in enumerate(iterate_batches(KAFKAS_BOOTSTRAP)):
        ours = encode_bootstrap(feature_records(NEWEST), view.base_timestamp)
        assert bytes(list(iterate_batches(ours))[position].raw) == view.raw
        assert len(ours) == len(KAFKAS_BOOTSTRAP)


def test_the_voters_snapshot_has_kafkas_bytes() -> None:
    assert len(KAFKAS_VOTERS_SNAPSHOT) == 241
    header, footer = iterate_batches(KAFKAS_VOTERS_SNAPSHOT)
    # The header's record was made 7 ms before its batch.
    ours = build_snapshot(
        [],
        epoch=0,
        timestamp_ms=header.base_timestamp,
        last_contained_log_timestamp=0x1A1FC965B6E,
        kraft_version=1,
        voters=voters_record([VOTER]),
    )
    assert next(iter(ours)) == header.raw
    whole = encode_voters_snapshot([VOTER], footer.base_timestamp)
    assert len(whole) == 241
    assert RecordBatchView(whole, 166).raw == footer.raw
    record = next(RecordBatchView(whole).records())
    assert record.value == bytes(2) + footer.base_timestamp.to_bytes(8) + b"\0"


def test_features_stand_in_order_and_those_that_are_off_not_at_all() -> None:
    records = feature_records(
        {"kraft.version": 1, "share.version": 1, "group.version": 0, "eligible.b": 3, "metadata.version": 21}
    )
    assert records == [
        FeatureLevelRecord(name="metadata.version", feature_level=21),
        FeatureLevelRecord(name="eligible.b", feature_level=3),
        FeatureLevelRecord(name="share.version", feature_level=1),
    ]


def test_the_bootstrap_file_is_read_back(disk: Disk, root: str) -> None:
    scram = UserScramCredentialRecord(
        name="alice", mechanism=1, salt=b"s", stored_key=b"k", server_key=b"v", iterations=4096
    )
    records = [*feature_records(NEWEST), scram]
    write_bootstrap(disk, root, records, 1_000)
    assert read_bootstrap(disk, root) == tuple(records)


def test_kafkas_bootstrap_file_is_read() -> None:
    disk = MemoryDisk()
    disk.open("/bootstrap.checkpoint", create=True).append([KAFKAS_BOOTSTRAP])
    assert read_bootstrap(disk, "/.") == tuple(feature_records(NEWEST))


def test_without_the_file_the_newest_metadata_version_is_taken_alone(disk: Disk, root: str) -> None:
    assert read_bootstrap(disk, root) == (FeatureLevelRecord(name="metadata.version", feature_level=30),)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (KAFKAS_BOOTSTRAP[:-1], "this is no whole snapshot"),
        (b"", "this is no whole snapshot"),
        (
            b"".join(
                build_snapshot([b"\1\xff\1\0"], epoch=0, timestamp_ms=0, last_contained_log_timestamp=0)
            ),
            "metadata record type 255 is unknown",
        ),
    ],
)
def test_a_bootstrap_file_that_is_damaged_is_told(content: bytes, complaint: str) -> None:
    disk = MemoryDisk()
    disk.open("/bootstrap.checkpoint", create=True).append([content])
    with pytest.raises(CorruptFileError, match=f"^/./bootstrap.checkpoint.*{complaint}"):
        read_bootstrap(disk, "/.")


def test_voters_are_written_in_order_of_their_ids_and_read_back(disk: Disk, root: str) -> None:
    other = Voter(
        key=ReplicaKey(id=0),
        endpoints=(Endpoint(name="A", host="h", port=1), Endpoint(name="B", host="i", port=65535)),
        max_kraft_version=0,
    )
    write_voters_snapshot(disk, root, [VOTER, other], 9_000, lambda: bytes(16))
    header, version, voters, _footer = SnapshotStore(disk, root).read(BOOTSTRAP_SNAPSHOT_ID)
    assert isinstance(header, ControlRecord)
    assert header.message.last_contained_log_timestamp == 9_000  # type: ignore[attr-defined]
    assert isinstance(version, ControlRecord)
    assert version.type is ControlRecordType.KRAFT_VERSION
    assert isinstance(voters, ControlRecord)
    assert voters.message == voters_record([other, VOTER])
    assert [voter.voter_id for voter in voters.message.voters] == [0, 1]  # type: ignore[attr-defined]
