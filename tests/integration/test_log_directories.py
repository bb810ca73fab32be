"""A broker whose log directories fail, as a process on real directories (KIP-858).

The server may run as root here, whom no permissions of files keep out; so a directory fails by being moved away, with a
plain file in its place. That refuses everybody, as a disk that was unmounted or died does, and it can be undone.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from compat.node import combined_properties, controller_properties
from compat.ours import OurNode, run_our_tool
from compat.ports import free_ports
from compat.process import ProcessDiedError, wait_until
from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
    PartitionChangeRecord,
    PartitionRecord,
)
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.metadata import decode_metadata_record
from tests.integration.conftest import CLUSTER_ID
from tests.integration.support.asking import connect, create_topic, metadata
from tests.integration.support.records import consume, produce

pytestmark = pytest.mark.slow

WAIT_S = 20.0
UNASSIGNED = bytes(15) + b"\x01"
NAMES = ("a", "b", "c")
BROKER_RESOURCE = 4


@contextmanager
def node_of(directory: Path, **more: str) -> Iterator[OurNode]:
    """A running node with both roles, data directories a, b, c, and its metadata log in m."""
    properties = combined_properties(directory / "a")
    properties["log.dirs"] = ",".join(str(directory / name) for name in NAMES)
    properties["metadata.log.dir"] = str(directory / "m")
    properties.update({key.replace("_", "."): value for key, value in more.items()})
    node = OurNode(directory, properties)
    node.format(CLUSTER_ID)
    try:
        node.start()
        yield node
    finally:
        node.close()


def break_directory(node: OurNode, name: str) -> None:
    """See the head of this module."""
    path = node.directory / name
    path.rename(node.directory / f"{name}.away")
    path.write_text("")


def mend_directory(node: OurNode, name: str) -> None:
    (node.directory / name).unlink()
    (node.directory / f"{name}.away").rename(node.directory / name)


def log_dirs(address: str) -> dict[str, DescribeLogDirsResponse.DescribeLogDirsResult]:
    """What DescribeLogDirs says, by the last part of the paths."""
    with connect(address) as client:
        response = client.send(DescribeLogDirsRequest(topics=None))
    assert isinstance(response, DescribeLogDirsResponse)
    return {Path(each.log_dir).name: each for each in response.results}


def recorded_directories(node: OurNode) -> dict[int, bytes]:
    """The directory of the single replica of each partition of the only topic, as the metadata log has it."""
    log = node.directory / "m" / "__cluster_metadata-0" / f"{0:020}.log"
    found: dict[int, bytes] = {}
    for batch in iterate_batches(log.read_bytes()):
        if batch.is_control:
            continue
        for each in batch.records():
            record = decode_metadata_record(each.value or b"")[0]
            if isinstance(record, PartitionRecord | PartitionChangeRecord) and record.directories:
                found[record.partition_id] = record.directories[0]
    return found


def partitions_of(address: str) -> tuple[list[int], list[int]]:
    """Partitions of the only topic that are led, and those whose replica is offline."""
    (topic,) = metadata(address).topics
    led = sorted(each.partition_index for each in topic.partitions if each.leader_id == 1)
    return led, sorted(each.partition_index for each in topic.partitions if each.offline_replicas)


def test_a_directory_fails_and_comes_back_with_the_next_start(tmp_path: Path) -> None:
    with node_of(tmp_path) as node:
        address = node.bootstrap_server
        described = log_dirs(address)
        assert list(described) == list(NAMES)
        for each in described.values():
            assert (each.error_code, each.topics) == (0, [])
            assert 0 < each.usable_bytes <= each.total_bytes

        # The broker finds places for its replicas and has them recorded.
        assert create_topic(address, "t", 6).error_code == 0
        wait_until(
            lambda: UNASSIGNED not in recorded_directories(node).values(),
            WAIT_S,
            "directories to be recorded",
        )
        places = recorded_directories(node)
        assert sorted(list(places.values()).count(each) for each in frozenset(places.values())) == [2, 2, 2]

        break_directory(node, "b")
        wait_until(lambda: len(partitions_of(address)[1]) == 2, WAIT_S, "two replicas to be offline")
        led, offline = partitions_of(address)
        assert len(frozenset(places[index] for index in offline)) == 1
        assert led == [index for index in range(6) if index not in offline]
        failed = log_dirs(address)
        assert [failed[name].error_code for name in NAMES] == [0, ErrorCode.KAFKA_STORAGE_ERROR, 0]
        assert failed["b"].total_bytes == -1

        # It stops in order all the same, and starts with the directory that is in order again.
        assert node.stop() == 0
        mend_directory(node, "b")
        node.start()
        wait_until(
            lambda: partitions_of(address) == ([*range(6)], []), WAIT_S, "all partitions to be led again"
        )
        assert [each.error_code for each in log_dirs(address).values()] == [0, 0, 0]
        assert recorded_directories(node) == places


@pytest.mark.parametrize("left", [("a", "b"), ("a",)], ids=["several are left", "one is left"])
def test_replicas_of_a_directory_that_is_gone_for_good_get_new_places(
    tmp_path: Path, left: tuple[str, ...]
) -> None:
    with node_of(tmp_path) as node:
        address = node.bootstrap_server
        assert create_topic(address, "t", 6).error_code == 0
        wait_until(
            lambda: UNASSIGNED not in recorded_directories(node).values(),
            WAIT_S,
            "directories to be recorded",
        )
        before = recorded_directories(node)
        assert node.stop() == 0
        node.properties["log.dirs"] = ",".join(str(tmp_path / name) for name in left)
        lines = [f"{key}={value}\n" for key, value in node.properties.items()]
        node.properties_path.write_text("".join(lines))
        node.start()
        wait_until(
            lambda: partitions_of(address) == ([*range(6)], []), WAIT_S, "all partitions to be led again"
        )
        after = recorded_directories(node)
        assert len(frozenset(after.values())) == len(left)
        kept = [index for index in before if before[index] in after.values()]
        assert len(kept) == 2 * len(left)
        assert all(after[index] == before[index] for index in kept)


def id_of(address: str, name: str) -> bytes:
    (topic,) = (each for each in metadata(address).topics if each.name == name)
    return topic.topic_id


def write_to_all(address: str, name: str, partitions: int) -> None:
    """A record to each partition, its number."""
    with connect(address) as client:
        for index in range(partitions):
            # The leader of a new topic may still be opening its log.
            wait_until(
                partial(_is_written, client, id_of(address, name), index, b"%d" % index),
                WAIT_S,
                f"{name}-{index} to have a leader that writes",
            )


def _is_written(client: Client, topic_id: bytes, index: int, value: bytes) -> bool:
    code = produce(client, topic_id, index, value)
    assert code in (ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    return code == ErrorCode.NONE


def read_all(address: str, name: str, partitions: int) -> list[list[bytes]]:
    with connect(address) as client:
        return [consume(client, id_of(address, name), index) for index in range(partitions)]


def one_each(partitions: int) -> list[list[bytes]]:
    return [[b"%d" % index] for index in range(partitions)]


def swap(first: Path, second: Path) -> None:
    """What two disks look like whose mount points were confused."""
    spare = first.with_name("spare")
    first.rename(spare)
    second.rename(first)
    spare.rename(second)


def test_swapped_disks_are_known_by_their_ids_and_every_replica_stays_where_it_is(tmp_path: Path) -> None:
    with node_of(tmp_path) as node:
        address = node.bootstrap_server
        assert create_topic(address, "t", 6).error_code == 0
        wait_until(
            lambda: UNASSIGNED not in recorded_directories(node).values(),
            WAIT_S,
            "directories to be recorded",
        )
        before = recorded_directories(node)
        write_to_all(address, "t", 6)
        assert node.stop() == 0
        swap(tmp_path / "a", tmp_path / "b")
        node.start()
        wait_until(lambda: partitions_of(address) == ([*range(6)], []), WAIT_S, "all partitions to be led")
        # The records name directories by id, so that no record had to be written.
        assert recorded_directories(node) == before
        assert [each.error_code for each in log_dirs(address).values()] == [0, 0, 0]
        assert read_all(address, "t", 6) == one_each(6)


def test_one_directory_becomes_three_by_a_restart_and_its_replicas_stay(tmp_path: Path) -> None:
    with node_of(tmp_path, log_dirs=str(tmp_path / "a")) as node:
        address = node.bootstrap_server
        assert create_topic(address, "old", 6).error_code == 0
        write_to_all(address, "old", 6)
        assert node.stop() == 0
        node.properties["log.dirs"] = ",".join(str(tmp_path / name) for name in NAMES)
        node.properties_path.write_text("".join(f"{key}={each}\n" for key, each in node.properties.items()))
        arguments = ["format", "--ignore-formatted", "--standalone", "--cluster-id", CLUSTER_ID]
        run_our_tool("kafka-storage", *arguments, "--config", str(node.properties_path))
        node.start()
        address = node.bootstrap_server
        assert read_all(address, "old", 6) == one_each(6)
        assert create_topic(address, "new", 4).error_code == 0
        write_to_all(address, "new", 4)
        assert read_all(address, "new", 4) == one_each(4)
        places = {name: sorted(each.name for each in (tmp_path / name).glob("*-[0-9]")) for name in NAMES}
        assert places["a"] == [f"old-{index}" for index in range(6)]
        assert sorted([*places["b"], *places["c"]]) == [f"new-{index}" for index in range(4)]
        assert len(places["b"]) == 2


def test_a_broker_stops_if_it_cannot_know_which_of_two_copies_is_the_replica(tmp_path: Path) -> None:
    with node_of(tmp_path) as node:
        assert create_topic(node.bootstrap_server, "t").error_code == 0
        wait_until(
            lambda: UNASSIGNED not in recorded_directories(node).values(),
            WAIT_S,
            "a directory to be recorded",
        )
        assert node.stop() == 0
        (home,) = (name for name in NAMES if (tmp_path / name / "t-0").exists())
        one, two = (tmp_path / name / "t-0" for name in NAMES if name != home)
        (tmp_path / home / "t-0").rename(one)
        shutil.copytree(one, two)
        with pytest.raises(ProcessDiedError):
            node.start()
        message = f"kafka-server-start: one replica is in several directories, {one}, {two}, and the metadata records"
        assert message in node.process.err_path.read_text()


@contextmanager
def small_disk(path: Path, mebibytes: int) -> Iterator[None]:
    """A file system of its own at a path."""
    path.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(path)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def test_a_disk_that_is_full_costs_its_replicas_under_load_and_nothing_acknowledged(tmp_path: Path) -> None:
    with small_disk(tmp_path / "b", 6), node_of(tmp_path) as node:
        address = node.bootstrap_server
        assert create_topic(address, "t", 6).error_code == 0
        wait_until(
            lambda: UNASSIGNED not in recorded_directories(node).values(),
            WAIT_S,
            "directories to be recorded",
        )
        topic_id = id_of(address, "t")
        acknowledged: list[list[bytes]] = [[] for _ in range(6)]
        refused: dict[int, int] = {}
        with connect(address) as client:
            for number in range(60):
                for index in set(range(6)) - refused.keys():
                    value = b"%06d" % number + bytes(100_000)
                    code = produce(client, topic_id, index, value)
                    if code:
                        refused[index] = code
                    else:
                        acknowledged[index].append(value)
        assert refused == dict.fromkeys(partitions_of(address)[1], ErrorCode.KAFKA_STORAGE_ERROR)
        assert len(refused) == 2
        assert [each.error_code for each in log_dirs(address).values()] == [
            0,
            ErrorCode.KAFKA_STORAGE_ERROR,
            0,
        ]
        with connect(address) as client:
            for index in set(range(6)) - refused.keys():
                assert consume(client, topic_id, index) == acknowledged[index]
        # It stops in order, and finds everything once there is room.
        assert node.stop() == 0
        subprocess.run(["mount", "-o", "remount,size=64m", str(tmp_path / "b")], check=True)
        node.start()
        address = node.bootstrap_server
        wait_until(lambda: partitions_of(address) == ([*range(6)], []), WAIT_S, "all partitions to be led")
        assert read_all(address, "t", 6) == acknowledged


def test_a_metadata_log_in_the_place_of_another_directory_is_refused_and_not_begun_anew(
    tmp_path: Path,
) -> None:
    with node_of(tmp_path) as node:
        address = node.bootstrap_server
        assert create_topic(address, "t", 6).error_code == 0
        before = recorded_directories(node)
        assert node.stop() == 0
        swap(tmp_path / "a", tmp_path / "m")
        with pytest.raises(ProcessDiedError):
            node.start()
        assert f"{tmp_path}/a/__cluster_metadata-0" in node.process.err_path.read_text()
        swap(tmp_path / "a", tmp_path / "m")
        node.start()
        wait_until(lambda: partitions_of(address) == ([*range(6)], []), WAIT_S, "all partitions to be led")
        assert recorded_directories(node).keys() >= before.keys()


def test_a_directory_that_another_one_was_put_in_the_place_of_fails(tmp_path: Path) -> None:
    with node_of(tmp_path) as node:
        other = (tmp_path / "a" / "meta.properties").read_text()
        (tmp_path / "b").rename(tmp_path / "b.away")
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "meta.properties").write_text(other)
        wait_until(
            lambda: bool(log_dirs(node.bootstrap_server)["b"].error_code),
            WAIT_S,
            "the directory to be offline",
        )
        assert "another directory was put in its place" in node.process.err_path.read_text()


def test_cordoned_directories_are_set_while_the_broker_runs(tmp_path: Path) -> None:
    with node_of(tmp_path) as node:
        address = node.bootstrap_server
        config = IncrementalAlterConfigsRequest.AlterableConfig(
            name="cordoned.log.dirs", value=f"{tmp_path}/a,{tmp_path}/c"
        )
        resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
            resource_type=BROKER_RESOURCE, resource_name="1", configs=[config]
        )
        with connect(address) as client:
            response = client.send(IncrementalAlterConfigsRequest(resources=[resource]))
        assert isinstance(response, IncrementalAlterConfigsResponse)
        assert response.responses[0].error_code == 0, response.responses[0].error_message
        wait_until(
            lambda: [name for name, each in log_dirs(address).items() if each.is_cordoned] == ["a", "c"],
            WAIT_S,
            "the directories to be cordoned",
        )
        assert create_topic(address, "t", 4).error_code == 0
        wait_until(
            lambda: UNASSIGNED not in recorded_directories(node).values(),
            WAIT_S,
            "directories to be recorded",
        )
        assert len(frozenset(recorded_directories(node).values())) == 1


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("m",), "kafka-server-start: the metadata log's directory {0}/m failed: "),
        (NAMES, "kafka-server-start: all directories in log.dirs failed, the last one was {0}/"),
    ],
    ids=["the metadata log's directory", "all of log.dirs"],
)
def test_a_node_stops_without_what_it_cannot_do_without(
    tmp_path: Path, names: tuple[str, ...], message: str
) -> None:
    with node_of(tmp_path) as node:
        for name in names:
            break_directory(node, name)
        process = node.process
        wait_until(lambda: not process.is_running, WAIT_S, "the node to stop")
        assert process.terminate(WAIT_S) == 1
        assert message.format(tmp_path) in process.err_path.read_text()


def test_a_broker_that_cannot_tell_the_controllers_of_a_failed_directory_stops(tmp_path: Path) -> None:
    (controller_port, broker_port) = free_ports(2)
    server = f"127.0.0.1:{controller_port}"
    controller_folder, folder = tmp_path / "controller", tmp_path / "broker"
    controller = OurNode(controller_folder, controller_properties(controller_folder / "data", 1, [server]))
    controller.format(CLUSTER_ID)
    broker = OurNode(
        folder,
        {
            "process.roles": "broker",
            "node.id": "2",
            "listeners": f"PLAINTEXT://127.0.0.1:{broker_port}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.bootstrap.servers": server,
            "log.dirs": ",".join(str(folder / name) for name in NAMES),
            "metadata.log.dir": str(folder / "m"),
            "broker.heartbeat.interval.ms": "300",
            "log.dir.failure.timeout.ms": "3000",
        },
    )
    broker.format(CLUSTER_ID, ())
    try:
        controller.start()
        broker.start()
        controller.kill()
        begun = time.monotonic()
        break_directory(broker, "c")
        process = broker.process
        wait_until(lambda: not process.is_running, WAIT_S, "the broker to stop")
        assert 3.0 <= time.monotonic() - begun < WAIT_S / 2
        assert process.terminate(WAIT_S) == 1
        assert "no controller confirmed within log.dir.failure.timeout.ms" in process.err_path.read_text()
    finally:
        for node in (broker, controller):
            node.close()
