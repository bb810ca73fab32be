"""Starting, stopping, killing and restarting a node, as its operator does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from compat.node import combined_properties
from compat.ours import BIN, OurNode, OurNodeWithoutFile
from compat.ports import free_port, free_ports
from compat.process import wait_until
from kafkaproto.messages import FeatureLevelRecord, VotersRecord
from kafkaproto.records.batch import build_batch, iterate_batches
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import ControlRecord, build_snapshot, read_snapshot
from tests.integration.conftest import CLUSTER_ID, make_node
from tests.integration.support.asking import create_topic, metadata, quorum, topics

WAIT_S = 20.0


def test_ready_line_names_node_roles_listeners_and_cluster(node: OurNode) -> None:
    assert node.ready == {
        "node.id": "1",
        "roles": "broker,controller",
        "broker": node.bootstrap_server,
        "controller": node.bootstrap_controller,
        "cluster.id": CLUSTER_ID,
    }
    assert [broker.node_id for broker in metadata(node.bootstrap_server).brokers] == [1]
    lines = node.process.out_path.read_text().splitlines()
    assert len(lines) == 1, f"standard output is for the ready line alone: {lines}"


def test_topics_and_cluster_id_survive_a_kill(node: OurNode) -> None:
    assert create_topic(node.bootstrap_server, "kept", 3).error_code == 0
    before = quorum(node.bootstrap_server)
    topic_ids = {topic.name: topic.topic_id for topic in metadata(node.bootstrap_server).topics}
    node.kill()
    node.start()
    assert topics(node.bootstrap_server) == {"kept": 3}
    after = metadata(node.bootstrap_server)
    assert after.cluster_id == CLUSTER_ID
    assert {topic.name: topic.topic_id for topic in after.topics} == topic_ids
    assert quorum(node.bootstrap_server).leader_epoch == before.leader_epoch + 1


def test_every_acknowledged_topic_survives_many_kills(node: OurNode) -> None:
    acknowledged = set()
    for round_number in range(4):
        for number in range(5):
            name = f"topic-{round_number}-{number}"
            assert create_topic(node.bootstrap_server, name).error_code == 0
            acknowledged.add(name)
        node.kill()
        node.start()
        assert set(topics(node.bootstrap_server)) == acknowledged


def test_sigterm_and_sigint_end_in_order(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    try:
        node.start()
        assert node.stop() == 0
        assert (node.data_directory / ".kafka_cleanshutdown").exists()
        node.start()
        assert not (node.data_directory / ".kafka_cleanshutdown").exists()
        assert node.process.interrupt(WAIT_S) == 0
    finally:
        node.close()


def test_ready_and_live_are_told_over_http(tmp_path: Path) -> None:
    port = free_port()
    node = make_node(tmp_path, http_listener=f"127.0.0.1:{port}")
    try:
        node.start()
        for path in ("ready", "live"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5) as response:
                assert response.status == 200
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/elsewhere", timeout=5)
    finally:
        node.close()


def test_a_new_voter_needs_no_file(tmp_path: Path) -> None:
    broker_port, controller_port = free_ports(2)
    overrides = {
        "listeners": f"PLAINTEXT://127.0.0.1:{broker_port},CONTROLLER://127.0.0.1:{controller_port}",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller_port}",
    }
    properties = {
        "node.id": "1",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": "kafka-data",
        **overrides,
    }
    node = OurNodeWithoutFile(tmp_path, properties, overrides)
    try:
        node.start()
        cluster_id = node.ready["cluster.id"]
        assert create_topic(node.bootstrap_server, "first").error_code == 0
        node.stop()
        node.start()
        assert node.ready["cluster.id"] == cluster_id
        assert topics(node.bootstrap_server) == {"first": 1}
    finally:
        node.close()


def start_in_vain(node: OurNode) -> tuple[int, str]:
    """Exit code and last words of a node that must not start."""
    result = subprocess.run(
        [str(BIN / "kafka-server-start"), str(node.properties_path)],
        cwd=node.directory,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert result.stdout == ""
    return result.returncode, result.stderr


def test_an_unformatted_directory_is_refused(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    shutil.rmtree(node.data_directory)
    code, words = start_in_vain(node)
    assert code == 1
    assert f"{node.data_directory} is not formatted" in words


def test_a_directory_in_use_is_refused(node: OurNode) -> None:
    broker_port, controller_port = free_ports(2)
    ports = {
        "listeners": f"PLAINTEXT://127.0.0.1:{broker_port},CONTROLLER://127.0.0.1:{controller_port}",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller_port}",
    }
    other = OurNode(node.directory / "other", {**node.properties, **ports})
    code, words = start_in_vain(other)
    assert code == 1
    assert ".lock" in words
    node.assert_running()


def test_a_port_in_use_is_refused(node: OurNode, tmp_path: Path) -> None:
    other = make_node(tmp_path / "other", listeners=node.properties["listeners"])
    code, words = start_in_vain(other)
    assert code == 1
    assert "PLAINTEXT" in words
    assert node.bootstrap_server in words


def test_another_nodes_directory_is_refused(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    other = OurNode(tmp_path / "other", {**node.properties, "node.id": "2"})
    code, words = start_in_vain(other)
    assert code == 1
    assert "meta.properties" in words
    assert "node.id 2" in words


@pytest.mark.parametrize(
    ("key", "value"), [("node.id", "-3"), ("process.roles", "leader"), ("num.partitions", "many")]
)
def test_a_bad_value_stops_with_key_value_and_file(tmp_path: Path, key: str, value: str) -> None:
    node = make_node(tmp_path)
    bad = OurNode(tmp_path / "bad", {**node.properties, key: value})
    code, words = start_in_vain(bad)
    assert code == 2
    assert key in words
    assert value in words
    assert str(bad.properties_path) in words


def test_an_unknown_key_is_named_once(tmp_path: Path) -> None:
    node = make_node(tmp_path, some_unknown_key="1")
    try:
        node.start()
        assert node.process.err_path.read_text().count("some.unknown.key") == 1
    finally:
        node.close()


def test_a_torn_tail_is_cut_and_the_node_goes_on(node: OurNode) -> None:
    assert create_topic(node.bootstrap_server, "kept").error_code == 0
    node.kill()
    segment = node.metadata_log_directory / "00000000000000000000.log"
    with segment.open("ab") as log:
        log.write(segment.read_bytes()[-72:-10])
    node.start()
    assert topics(node.bootstrap_server) == {"kept": 1}
    assert "cut" in node.process.err_path.read_text()


def test_a_corrupt_middle_is_reported_and_not_skipped(node: OurNode) -> None:
    for number in range(3):
        assert create_topic(node.bootstrap_server, f"topic-{number}").error_code == 0
    wait_until(lambda: quorum(node.bootstrap_server).high_watermark > 20, WAIT_S, "a longer log")
    node.kill()
    segment = node.metadata_log_directory / "00000000000000000000.log"
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 0xFF
    segment.write_bytes(content)
    code, words = start_in_vain(node)
    assert code == 1
    assert str(segment) in words
    assert "offset" in words
    assert segment.read_bytes() == bytes(content)


def rewrite_bootstrap(node: OurNode, level: int) -> None:
    """Make a formatted directory that of a cluster at another level of group.version."""
    records = [
        FeatureLevelRecord(name="metadata.version", feature_level=30),
        FeatureLevelRecord(name="group.version", feature_level=level),
    ]
    path = node.metadata_log_directory / "00000000000000000000-0000000000.checkpoint"
    (voters,) = (
        record.message
        for record in read_snapshot(path.read_bytes())
        if isinstance(record, ControlRecord) and isinstance(record.message, VotersRecord)
    )
    batches = build_snapshot(
        [encode_metadata_record(record, 0) for record in records],
        epoch=0,
        timestamp_ms=1,
        last_contained_log_timestamp=0,
        kraft_version=1,
        voters=voters,
    )
    # The file is read-only.
    path.unlink()
    path.write_bytes(b"".join(batches))


def test_a_cluster_beyond_this_release_is_refused(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    rewrite_bootstrap(node, 9)
    code, words = start_in_vain(node)
    assert code == 1
    assert "group.version at level 9; this release supports 0 to 1" in words


def test_a_record_of_an_unknown_type_is_refused_with_its_offset(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    node.start()
    node.stop()
    segment = node.metadata_log_directory / "00000000000000000000.log"
    *_, last = iterate_batches(segment.read_bytes())
    unknown = build_batch(
        [(None, b"\x01\x7f\x00\x00", ())],
        base_offset=last.next_offset,
        partition_leader_epoch=last.partition_leader_epoch,
        timestamp_ms=last.max_timestamp,
    )
    with segment.open("ab") as log:
        log.write(unknown)
    code, words = start_in_vain(node)
    assert code == 1
    assert f"the batch at offset {last.next_offset} is whole" in words
    assert "127" in words


def test_static_voters_of_one(tmp_path: Path) -> None:
    """kraft.version 0: the voter stands in the configuration, and no voters record in the log."""
    properties = combined_properties(tmp_path / "data")
    address = properties.pop("controller.quorum.bootstrap.servers")
    properties["controller.quorum.voters"] = f"1@{address}"
    node = OurNode(tmp_path, properties)
    subprocess.run(
        [str(BIN / "kafka-storage"), "format", "-t", CLUSTER_ID, "-c", str(node.properties_path)],
        check=True,
        capture_output=True,
        timeout=WAIT_S,
    )
    try:
        for life in (1, 2):
            node.start()
            assert create_topic(node.bootstrap_server, f"topic-{life}").error_code == 0
            partition = quorum(node.bootstrap_server)
            assert (partition.leader_id, partition.leader_epoch) == (1, life)
            state = json.loads((node.metadata_log_directory / "quorum-state").read_text())
            assert (state["data_version"], state["currentVoters"]) == (0, [{"voterId": 1}])
            node.kill()
    finally:
        node.close()
    initial = (node.metadata_log_directory / "00000000000000000000-0000000000.checkpoint").read_bytes()
    controls = [record for record in read_snapshot(initial) if isinstance(record, ControlRecord)]
    assert not any(isinstance(record.message, VotersRecord) for record in controls)


def test_a_controller_alone_serves_its_listener(tmp_path: Path) -> None:
    port = free_port()
    properties = combined_properties(tmp_path / "data")
    properties.update(
        {
            "process.roles": "controller",
            "listeners": f"CONTROLLER://127.0.0.1:{port}",
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{port}",
        }
    )
    node = OurNode(tmp_path, properties)
    node.format(CLUSTER_ID)
    try:
        node.start()
        assert node.ready["roles"] == "controller"
        assert "broker" not in node.ready
        assert quorum(f"127.0.0.1:{port}").leader_id == 1
        assert node.stop() == 0
    finally:
        node.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_first_moments_ends_a_node_without_a_word(
    number: signal.Signals, tmp_path: Path
) -> None:
    # The signal comes from within an import, at the same place each time.
    (tmp_path / "trio").mkdir()
    (tmp_path / "trio" / "__init__.py").write_text(
        f"import os, time\nos.kill(os.getpid(), {int(number)})\ntime.sleep(30)\n"
    )
    command = [sys.executable, "-m", "kafkaproto_server", "--override", f"log.dirs={tmp_path / 'data'}"]
    paths = os.pathsep.join([str(tmp_path), str(BIN.parent)])
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == -number
    assert done.stdout == done.stderr == ""
