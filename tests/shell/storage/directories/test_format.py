"""Formatting: what is written where, what is refused before anything is written, and crashes half way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from kafkaproto import uuids
from kafkaproto.directory_files import MetaProperties
from kafkaproto.messages import FeatureLevelRecord, UserScramCredentialRecord, VotersRecord
from kafkaproto.snapshot import ControlRecord
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.shell.storage.directories.format import (
    FormatError,
    FormatRequest,
    QuorumStart,
    effective_levels,
    format_directories,
    parse_initial_controllers,
)
from kafkaproto_server.shell.storage.directories.meta_properties import (
    open_log_directories,
    read_log_directory,
)
from kafkaproto_server.shell.storage.metadata.bootstrap import read_bootstrap, voters_record
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from tests.shell.storage.support.helpers import FixedRng, SeededRng
from tests.sim.disk import MemoryDisk, PowerLossError

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
FIRST_ID = "JEXY6aqzQY-32P5TStzaFg"
SECOND_ID = "MvDxzVmcRsaTz33bUuRU6A"
ENDPOINT = Endpoint(name="CONTROLLER", host="127.0.0.1", port=9093)
STANDALONE = FormatRequest(
    cluster_id=CLUSTER,
    node_id=1,
    directories=("/data",),
    metadata_directory="/data",
    is_controller=True,
    has_static_voters=False,
    controller_endpoints=(ENDPOINT,),
    quorum_start=QuorumStart.STANDALONE,
)
STATIC = replace(STANDALONE, has_static_voters=True, quorum_start=QuorumStart.UNSPECIFIED)
BROKER = replace(STANDALONE, is_controller=False, quorum_start=QuorumStart.UNSPECIFIED)
LISTED = replace(
    STANDALONE,
    quorum_start=QuorumStart.INITIAL_CONTROLLERS,
    initial_voters=parse_initial_controllers(
        f"1@127.0.0.1:9093:{FIRST_ID},2@localhost:9094:{SECOND_ID}", "CONTROLLER"
    ),
)


def run(disk: Disk, request: FormatRequest) -> list[str]:
    lines: list[str] = []
    numbers = count(1_000)
    format_directories(
        disk,
        request,
        wall_ms=lambda: 1_795_242_529_000,
        new_uuid=lambda: next(numbers).to_bytes(16),
        report=lines.append,
    )
    return lines


def voters_of(disk: Disk, directory: str) -> VotersRecord | None:
    path = f"{directory}/__cluster_metadata-0"
    if not disk.exists(path) or not SnapshotStore(disk, path).ids():
        return None
    found = [
        record.message
        for record in SnapshotStore(disk, path).read(BOOTSTRAP_SNAPSHOT_ID)
        if isinstance(record, ControlRecord) and isinstance(record.message, VotersRecord)
    ]
    return found[0] if found else None


def test_a_standalone_controller_is_the_sole_voter_of_its_quorum(disk: Disk, root: str) -> None:
    data = f"{root}/new/data"
    request = replace(STANDALONE, directories=(data,), metadata_directory=data)
    assert run(disk, request) == [
        "Bootstrap metadata: metadata.version=33, transaction.version=2, group.version=1, "
        "eligible.leader.replicas.version=1, share.version=2, streams.version=1",
        f"Formatting dynamic metadata voter directory {data} with metadata.version 4.4-IV2.",
    ]
    assert disk.list_directory(data) == ["__cluster_metadata-0", "meta.properties"]
    directory_id = (1_000).to_bytes(16)
    assert read_log_directory(disk, data).properties == MetaProperties(
        version=1, cluster_id=CLUSTER, node_id=1, directory_id=directory_id
    )
    key = ReplicaKey(id=1, directory_id=directory_id)
    assert voters_of(disk, data) == voters_record([Voter(key=key, endpoints=(ENDPOINT,))])
    assert len(read_bootstrap(disk, data)) == 6


def test_static_voters_leave_no_voters_snapshot() -> None:
    for request in (STATIC, replace(STATIC, quorum_start=QuorumStart.NO_INITIAL_CONTROLLERS)):
        disk = MemoryDisk()
        assert run(disk, request)[1:] == [
            "Formatting metadata directory /data with metadata.version 4.4-IV2."
        ]
        assert disk.list_directory("/data") == ["__cluster_metadata-0", "meta.properties"]
        assert voters_of(disk, "/data") is None
        assert len(read_bootstrap(disk, "/data")) == 6


def test_a_node_that_joins_has_no_voters_snapshot() -> None:
    for request in (BROKER, replace(STANDALONE, quorum_start=QuorumStart.NO_INITIAL_CONTROLLERS)):
        disk = MemoryDisk()
        assert run(disk, request)[1:] == [
            "Formatting metadata directory /data with metadata.version 4.4-IV2."
        ]
        assert voters_of(disk, "/data") is None


def test_listed_voters_are_kept_by_all_and_give_each_voter_its_directory_id() -> None:
    expected = voters_record(LISTED.initial_voters)
    for node_id, directory_id in ((1, FIRST_ID), (2, SECOND_ID)):
        disk = MemoryDisk()
        lines = run(disk, replace(LISTED, node_id=node_id))
        assert lines[1].startswith("Formatting dynamic metadata voter directory /data with")
        assert voters_of(disk, "/data") == expected
        found = read_log_directory(disk, "/data").properties
        assert found is not None
        assert found.directory_id == uuids.from_text(directory_id)
    disk = MemoryDisk()
    observer = replace(LISTED, node_id=3)
    assert run(disk, observer)[1].startswith("Formatting dynamic metadata directory /data with")
    assert voters_of(disk, "/data") == expected


def test_a_broker_has_nothing_but_its_properties() -> None:
    for broker in (BROKER, replace(LISTED, node_id=3, is_controller=False)):
        disk = MemoryDisk()
        run(disk, broker)
        assert disk.list_directory("/data") == ["meta.properties"]


def test_every_directory_has_its_own_id_and_only_that_of_the_metadata_log_the_voters() -> None:
    disk = MemoryDisk()
    request = replace(STANDALONE, directories=("/a", "/b"), metadata_directory="/c")
    assert run(disk, request)[1:] == [
        "Formatting data directory /a with metadata.version 4.4-IV2.",
        "Formatting data directory /b with metadata.version 4.4-IV2.",
        "Formatting dynamic metadata voter directory /c with metadata.version 4.4-IV2.",
    ]
    found = [read_log_directory(disk, path) for path in ("/a", "/b", "/c")]
    opened, _ = open_log_directories(disk, found, node_id=1, new_uuid=bytes, wall_ms=0, cluster_id=CLUSTER)
    assert len({properties.directory_id for properties in opened.values()}) == 3
    assert [voters_of(disk, path) is not None for path in ("/a", "/b", "/c")] == [False, False, True]
    assert [disk.list_directory(path) for path in ("/a", "/b")] == [["meta.properties"]] * 2


def test_a_formatted_directory_is_refused_or_left_alone() -> None:
    disk = MemoryDisk()
    run(disk, STANDALONE)
    before = disk.read_file("/data/meta.properties")
    with pytest.raises(
        FormatError, match=r"^Log directory /data is already formatted. Use --ignore-formatted"
    ):
        run(disk, STANDALONE)
    again = replace(STANDALONE, ignore_formatted=True)
    assert run(disk, again) == ["All of the log directories are already formatted."]
    assert disk.read_file("/data/meta.properties") == before
    assert run(disk, replace(again, directories=("/data", "/more")))[1:] == [
        "Formatting data directory /more with metadata.version 4.4-IV2."
    ]
    assert disk.read_file("/data/meta.properties") == before


@pytest.mark.parametrize(
    ("moved", "complaint"),
    [
        (
            replace(STANDALONE, cluster_id="other"),
            "/data/meta.properties: cluster.id is MkU3OEVBNTcwNTJENDM2Qg, expected other",
        ),
        (
            replace(STANDALONE, node_id=8),
            "/data/meta.properties: stored node id 1 does not match the configured node.id 8",
        ),
    ],
)
def test_directories_of_another_cluster_or_node_are_refused(moved: FormatRequest, complaint: str) -> None:
    disk = MemoryDisk()
    run(disk, STANDALONE)
    request = replace(moved, directories=("/data", "/more"), ignore_formatted=True)
    with pytest.raises(FormatError, match=complaint):
        run(disk, request)
    assert not disk.exists("/more")


def test_a_data_directory_that_cannot_be_used_is_passed_over_but_not_that_of_the_metadata_log() -> None:
    disk = MemoryDisk()
    disk.open("/file", create=True).close()
    request = replace(STANDALONE, directories=("/file", "/data"))
    assert run(disk, request)[0] == "Ignoring a log directory: /file is not a directory"
    with pytest.raises(FormatError, match="/file is not a directory"):
        run(disk, replace(request, metadata_directory="/file"))


@pytest.mark.parametrize(
    ("request_", "complaint"),
    [
        (replace(BROKER, quorum_start=QuorumStart.STANDALONE), "only use --standalone on a controller"),
        (
            replace(STATIC, quorum_start=QuorumStart.STANDALONE),
            "controller.quorum.voters .* so --standalone cannot",
        ),
        (
            replace(LISTED, has_static_voters=True),
            "controller.quorum.voters .* so --initial-controllers cannot",
        ),
        (replace(STANDALONE, quorum_start=QuorumStart.UNSPECIFIED), "you must specify one of the following"),
        (replace(STANDALONE, cluster_id=" "), "--cluster-id is empty"),
        (replace(STANDALONE, release_version="3.8-IV0"), "Unknown metadata.version '3.8-IV0'"),
        (
            replace(STANDALONE, release_version="4.0", feature_levels={"metadata.version": 22}),
            "Use --release-version instead of --feature metadata.version=X",
        ),
        (
            replace(STANDALONE, feature_levels={"metadata.version": 20}),
            r"20 \(3.8-IV0\) is too old .* 21 \(3.9-IV0\)",
        ),
        (replace(STANDALONE, feature_levels={"metadata.version": 99}), "no level 99"),
        (
            replace(STANDALONE, feature_levels={"foo": 1}),
            "Unsupported feature: foo. Supported features are: eligible",
        ),
        (
            replace(STANDALONE, feature_levels={"group.version": 9}),
            "Feature level 9 is not supported for feature group",
        ),
        (
            replace(
                STANDALONE, release_version="3.9", feature_levels={"eligible.leader.replicas.version": 1}
            ),
            "depends on metadata.version level 23",
        ),
        (
            replace(STANDALONE, feature_levels={"kraft.version": 0}),
            "Cannot set kraft.version to 0: with --standalone",
        ),
        (replace(STATIC, feature_levels={"kraft.version": 1}), "Cannot set kraft.version to 1 unless"),
        (
            replace(
                STATIC, quorum_start=QuorumStart.NO_INITIAL_CONTROLLERS, feature_levels={"kraft.version": 1}
            ),
            "Cannot set kraft.version to 1 unless",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_written(
    request_: FormatRequest, complaint: str
) -> None:
    disk = MemoryDisk()
    with pytest.raises(FormatError, match=complaint):
        run(disk, request_)
    assert disk.list_directory("/") == []


def test_features_follow_the_release_and_what_was_asked_for() -> None:
    levels = effective_levels(replace(STANDALONE, release_version="4.0-IV0"))
    assert {name: level for name, level in levels.items() if level} == {
        "metadata.version": 22,
        "kraft.version": 1,
        "group.version": 1,
    }
    assert effective_levels(replace(STANDALONE, feature_levels={"metadata.version": 22})) == levels
    assert effective_levels(replace(STANDALONE, feature_levels={"kraft.version": 1}))["kraft.version"] == 1
    assert effective_levels(replace(STATIC, feature_levels={"kraft.version": 0}))["kraft.version"] == 0
    disk = MemoryDisk()
    changed = replace(
        STANDALONE, release_version="3.9-IV0", feature_levels={"transaction.version": 1, "group.version": 0}
    )
    run(disk, changed)
    assert read_bootstrap(disk, "/data") == (
        FeatureLevelRecord(name="metadata.version", feature_level=21),
        FeatureLevelRecord(name="transaction.version", feature_level=1),
    )


def test_users_come_behind_the_features() -> None:
    user = UserScramCredentialRecord(
        name="alice", mechanism=1, salt=b"s", stored_key=b"k", server_key=b"v", iterations=4096
    )
    disk = MemoryDisk()
    lines = run(disk, replace(STANDALONE, scram_records=(user,)))
    assert lines[0].endswith("streams.version=1, 1 SCRAM credentials")
    assert read_bootstrap(disk, "/data")[-1] == user


def test_an_ipv6_address_and_spaces_are_understood() -> None:
    voter, other = parse_initial_controllers(f" 7@[::1]:1:{FIRST_ID} , 8@h:65535:{SECOND_ID},", "C")
    assert voter == Voter(
        key=ReplicaKey(id=7, directory_id=uuids.from_text(FIRST_ID)),
        endpoints=(Endpoint(name="C", host="::1", port=1),),
    )
    assert other.endpoints[0].port == 65535


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "names no voter"),
        (" , ", "names no voter"),
        ("1@127.0.0.1:9093", "'1@127.0.0.1:9093' is not of the form id@host:port:directoryId"),
        ("nonsense", "not of the form"),
        (f"a@h:1:{FIRST_ID}", "node id 'a' is no number"),
        (f"-1@h:1:{FIRST_ID}", "node id '-1' is no number"),
        (f"1@:1:{FIRST_ID}", "the host is empty"),
        (f"1@[]:1:{FIRST_ID}", "the host is empty"),
        (f"1@h:x:{FIRST_ID}", "port 'x' is not 1 to 65535"),
        (f"1@h:0:{FIRST_ID}", "port '0' is not 1 to 65535"),
        (f"1@h:65536:{FIRST_ID}", "port '65536' is not 1 to 65535"),
        ("1@h:1:short", "directory id: 'short' is not a UUID"),
        ("1@h:1:AAAAAAAAAAAAAAAAAAAAAA", "directory id AAAAAAAAAAAAAAAAAAAAAA is reserved"),
        (f"1@h:1:{FIRST_ID},1@h:2:{SECOND_ID}", "node id 1 more than once"),
        (f"1@h:1:{FIRST_ID},2@h:2:{FIRST_ID}", "gives nodes 1 and 2 the same directory id"),
    ],
)
def test_lists_of_voters_that_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=f"^--initial-controllers.*{complaint}"):
        parse_initial_controllers(text, "CONTROLLER")


# Crashes.


def crashes(request: FormatRequest, check: Callable[[MemoryDisk], None]) -> None:
    """Format with a crash before every operation, then ``check`` what is left."""
    rehearsal = MemoryDisk()
    run(rehearsal, request)
    for operation in range(rehearsal.operations):
        for seed in range(6):
            disk = MemoryDisk()
            disk.crash_before = operation
            with pytest.raises(PowerLossError):
                run(disk, request)
            disk.crash(SeededRng(seed))
            check(disk)


def test_a_directory_that_counts_as_formatted_after_a_crash_is_whole_and_the_rest_can_be_formatted() -> None:
    request = replace(LISTED, directories=("/data", "/more"), ignore_formatted=True)

    def check(disk: MemoryDisk) -> None:
        for path in request.directories:
            if read_log_directory(disk, path).properties is not None:
                assert path != "/data" or len(read_bootstrap(disk, path)) == 6
                assert path != "/data" or voters_of(disk, path) == voters_record(request.initial_voters)
        run(disk, request)
        found = [read_log_directory(disk, path) for path in request.directories]
        opened, _ = open_log_directories(disk, found, node_id=1, new_uuid=bytes, wall_ms=0)
        assert opened["/data"].directory_id == uuids.from_text(FIRST_ID)
        assert voters_of(disk, "/data") == voters_record(request.initial_voters)

    crashes(request, check)


def test_voters_of_an_attempt_that_was_broken_off_are_forgotten() -> None:
    joining = replace(STANDALONE, quorum_start=QuorumStart.NO_INITIAL_CONTROLLERS)

    def check(disk: MemoryDisk) -> None:
        if read_log_directory(disk, "/data").properties is None:
            run(disk, joining)
            assert voters_of(disk, "/data") is None
            assert len(read_bootstrap(disk, "/data")) == 6

    crashes(STANDALONE, check)


def test_a_broker_forgets_the_attempt_to_make_it_a_controller() -> None:
    def check(disk: MemoryDisk) -> None:
        if read_log_directory(disk, "/data").properties is None:
            run(disk, BROKER)
            # Nor is it there again after another loss of power.
            disk.crash(FixedRng(0))
            assert len(read_bootstrap(disk, "/data")) == 1

    crashes(STANDALONE, check)
