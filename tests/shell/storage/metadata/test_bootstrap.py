"""The file of formatting, byte for byte that of Kafka 4.4.0, and the one of older releases, which is read as well.

The expected bytes were read from directories that kafka-storage format made. Its batches carry the clock's time of
their own making, some milliseconds apart, so each is compared with ours of that time.
"""

from __future__ import annotations

import pytest

from kafkaproto.messages import FeatureLevelRecord, SnapshotHeaderRecord, UserScramCredentialRecord
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.control import ControlRecordType
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import ControlRecord, build_snapshot
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.metadata.features import LATEST_METADATA_VERSION, default_levels, metadata_version
from kafkaproto_server.shell.storage.atomic import make_directory_durably
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.metadata.bootstrap import (
    encode_initial_snapshot,
    feature_records,
    read_bootstrap,
    voters_record,
    write_initial_snapshot,
)
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
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
"""What 4.3.1 wrote into every log directory."""
STANDALONE = bytes.fromhex(
    "00000000000000000000009a0000000002c88741b7002000000002000001a20b6216d1000001a20b6216d1ffffffffffffffff"
    "ffffffffffff000000032a0000000800000003160000000001a20b6216a800001e00000208000000050a000000010000820100"
    "000408000000066e00000200000001e6f7f21758cf485eb6f66ff3200eca8d020b434f4e54524f4c4c45520a3132372e302e30"
    "2e3154c50000000001000000000000000000000003000000f10000000002d5868f2c000000000005000001a20b621758000001"
    "a20b621758ffffffffffffffffffffffffffff000000063a000000012e010c00116d657461646174612e76657273696f6e0021"
    "00005a000002014e010c0021656c696769626c652e6c65616465722e7265706c696361732e76657273696f6e00010000340000"
    "040128010c000e67726f75702e76657273696f6e00010000340000060128010c000e73686172652e76657273696f6e00020000"
    "38000008012c010c001073747265616d732e76657273696f6e000100004000000a0134010c00147472616e73616374696f6e2e"
    "76657273696f6e0002000000000000000000090000003f0000000002f854d055002000000000000001a20b62175d000001a20b"
    "62175dffffffffffffffffffffffffffff000000011a00000008000000040600000000"
)
WITHOUT_VOTERS = bytes.fromhex(
    "0000000000000000000000570000000002912bcbad002000000001000001a20b632b2e000001a20b632b2effffffffffffffff"
    "ffffffffffff000000022a0000000800000003160000000001a20b632b0200001e00000208000000050a000000010000000000"
    "0000000002000000f1000000000231b6bfab000000000005000001a20b632b7d000001a20b632b7dffffffffffffffffffffff"
    "ffffff000000063a000000012e010c00116d657461646174612e76657273696f6e002100005a000002014e010c0021656c6967"
    "69626c652e6c65616465722e7265706c696361732e76657273696f6e00010000340000040128010c000e67726f75702e766572"
    "73696f6e00010000340000060128010c000e73686172652e76657273696f6e0002000038000008012c010c001073747265616d"
    "732e76657273696f6e000100004000000a0134010c00147472616e73616374696f6e2e76657273696f6e000200000000000000"
    "0000080000003f00000000022ba531dd002000000000000001a20b632b80000001a20b632b80ffffffffffffffffffffffffff"
    "ff000000011a00000008000000040600000000"
)
"""Of a controller that joins a quorum (--no-initial-controllers)."""
STATIC = bytes.fromhex(
    "000000000000000000000047000000000274b0e17a002000000000000001a20b6336f5000001a20b6336f5ffffffffffffffff"
    "ffffffffffff000000012a0000000800000003160000000001a20b6336ca00000000000000000001000000f1000000000264e4"
    "f55d000000000005000001a20b63370d000001a20b63370dffffffffffffffffffffffffffff000000063a000000012e010c00"
    "116d657461646174612e76657273696f6e002100005a000002014e010c0021656c696769626c652e6c65616465722e7265706c"
    "696361732e76657273696f6e00010000340000040128010c000e67726f75702e76657273696f6e00010000340000060128010c"
    "000e73686172652e76657273696f6e0002000038000008012c010c001073747265616d732e76657273696f6e00010000400000"
    "0a0134010c00147472616e73616374696f6e2e76657273696f6e0002000000000000000000070000003f0000000002e93e35c1"
    "002000000000000001a20b633710000001a20b633710ffffffffffffffffffffffffffff000000011a00000008000000040600"
    "000000"
)
"""Of a controller with controller.quorum.voters."""
VOTER = Voter(
    key=ReplicaKey(id=1, directory_id=bytes.fromhex("e6f7f21758cf485eb6f66ff3200eca8d")),
    endpoints=(Endpoint(name="CONTROLLER", host="127.0.0.1", port=21701),),
)
SNAPSHOT_HEADER = bytes.fromhex("00000003")
NEWEST = {"metadata.version": LATEST_METADATA_VERSION.level, **default_levels(LATEST_METADATA_VERSION)}


@pytest.mark.parametrize(
    ("kafkas", "kraft_version", "voters"),
    [(STANDALONE, 1, [VOTER]), (WITHOUT_VOTERS, 1, []), (STATIC, 0, [])],
    ids=["standalone", "without voters", "static voters"],
)
def test_the_initial_snapshot_has_kafkas_bytes(
    kafkas: bytes, kraft_version: int, voters: list[Voter]
) -> None:
    header, *others = iterate_batches(kafkas)
    (made_ms,) = (
        SnapshotHeaderRecord.decode(record.value or b"", 0)[0].last_contained_log_timestamp
        for record in header.records()
        if record.key == SNAPSHOT_HEADER
    )
    # The header's record was made some ms before its batch.
    batches = build_snapshot(
        [encode_metadata_record(record, 0) for record in feature_records(NEWEST)],
        epoch=0,
        timestamp_ms=header.base_timestamp,
        last_contained_log_timestamp=made_ms,
        kraft_version=kraft_version,
        voters=voters_record(voters) if voters else None,
    )
    assert next(iter(batches)) == bytes(header.raw)
    for position, view in enumerate(others, 1):
        ours = encode_initial_snapshot(
            feature_records(NEWEST), view.base_timestamp, kraft_version=kraft_version, voters=voters
        )
        assert bytes(list(iterate_batches(ours))[position].raw) == bytes(view.raw)
        assert len(ours) == len(kafkas)


def test_features_stand_in_order_and_those_that_are_off_not_at_all() -> None:
    records = feature_records(
        {"kraft.version": 1, "share.version": 1, "group.version": 0, "eligible.b": 3, "metadata.version": 21}
    )
    assert records == [
        FeatureLevelRecord(name="metadata.version", feature_level=21),
        FeatureLevelRecord(name="eligible.b", feature_level=3),
        FeatureLevelRecord(name="share.version", feature_level=1),
    ]


def initial_snapshot(directory: str) -> str:
    return f"{directory}/__cluster_metadata-0/00000000000000000000-0000000000.checkpoint"


def put(disk: Disk, path: str, content: bytes) -> None:
    make_directory_durably(disk, path.rpartition("/")[0])
    disk.open(path, create=True).append([content])


def test_what_was_written_is_read_back(disk: Disk, root: str) -> None:
    scram = UserScramCredentialRecord(
        name="alice", mechanism=1, salt=b"s", stored_key=b"k", server_key=b"v", iterations=4096
    )
    records = [*feature_records(NEWEST), scram]
    make_directory_durably(disk, f"{root}/__cluster_metadata-0")
    data = encode_initial_snapshot(records, 1_000, kraft_version=1, voters=[VOTER])
    write_initial_snapshot(disk, f"{root}/__cluster_metadata-0", data, lambda: bytes(16))
    assert read_bootstrap(disk, root) == tuple(records)


@pytest.mark.parametrize("content", [STANDALONE, WITHOUT_VOTERS, STATIC])
def test_kafkas_initial_snapshot_is_read(content: bytes) -> None:
    disk = MemoryDisk()
    put(disk, initial_snapshot("/data"), content)
    # As by Kafka 4.4.0, an older file is not looked at.
    put(disk, "/data/bootstrap.checkpoint", KAFKAS_BOOTSTRAP)
    assert read_bootstrap(disk, "/data") == tuple(feature_records(NEWEST))


def test_kafkas_older_file_is_read_if_the_initial_snapshot_has_voters_alone() -> None:
    disk = MemoryDisk()
    put(disk, "/data/bootstrap.checkpoint", KAFKAS_BOOTSTRAP)
    version = metadata_version(30)
    expected = tuple(feature_records({"metadata.version": 30, **default_levels(version)}))
    assert read_bootstrap(disk, "/data") == expected
    voters_alone = encode_initial_snapshot([], 1_000, kraft_version=1, voters=[VOTER])
    put(disk, initial_snapshot("/data"), voters_alone)
    assert read_bootstrap(disk, "/data") == expected


def test_without_the_file_the_newest_metadata_version_is_taken_alone(disk: Disk, root: str) -> None:
    assert read_bootstrap(disk, root) == (FeatureLevelRecord(name="metadata.version", feature_level=33),)


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
    data = encode_initial_snapshot([], 9_000, kraft_version=1, voters=[VOTER, other])
    write_initial_snapshot(disk, root, data, lambda: bytes(16))
    header, version, voters, _footer = SnapshotStore(disk, root).read(BOOTSTRAP_SNAPSHOT_ID)
    assert isinstance(header, ControlRecord)
    assert header.message.last_contained_log_timestamp == 9_000  # type: ignore[attr-defined]
    assert isinstance(version, ControlRecord)
    assert version.type is ControlRecordType.KRAFT_VERSION
    assert isinstance(voters, ControlRecord)
    assert voters.message == voters_record([other, VOTER])
    assert [voter.voter_id for voter in voters.message.voters] == [0, 1]  # type: ignore[attr-defined]
