"""Apache Kafka's own tools on a quorum of several nodes of ours: while it loses its leader, changes its voters, and on
the files that it leaves.

These start clusters by the commands that a user has, so they are for our server only.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from compat.kafka.shell import ask_shell
from compat.kafka.tools import ToolResult, run_tool
from compat.process import wait_until
from kafkaproto import uuids
from kafkaproto.error_codes import ErrorCode
from kafkaproto.log import parse_segment_file_name, segment_file_name
from kafkaproto.messages import UpdateFeaturesRequest, UpdateFeaturesResponse
from kafkaproto.snapshot import SnapshotId, parse_snapshot_file_name, snapshot_file_name
from kafkaproto_server.tools.cluster.cluster_layout import Shape
from kafkaproto_server.tools.quorum.watch import uncommitted_voters
from tests.compat.support.quorum import (
    FIRST_SEGMENT,
    GrowingCluster,
    batches,
    dumped,
    ids,
    ids_by_status,
    replication,
    status,
    voters_shown,
)
from tests.integration.support.asking import connect, create_topic, topics
from tests.integration.support.clusters import NodeCluster, new_voters, node_cluster, quorum_tool, until
from tests.integration.support.writing import until_more, writing

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

THREE_AND_TWO = Shape(controllers=3, brokers=2)
BROKERS = {101, 102}
APPEND_TIMEOUT_S = 2.0
"""Within which a leader without followers still leads."""


def metadata_log(cluster: NodeCluster, node_id: int) -> Path:
    """Where a node's metadata log lies."""
    return cluster.data / f"node-{node_id}" / "data" / "__cluster_metadata-0"


def kill_with_a_tail(cluster: NodeCluster, leader_id: int, names: tuple[str, str]) -> None:
    """kill -9 of the leader after it appended two topics, the later of which no other node can have fetched.

    The first one wakes the fetches that waited at the leader when the others were stopped.
    """
    others = [cluster.pids[node_id] for node_id in (1, 2, 3) if node_id != leader_id]
    address = cluster.controllers.split(",")[leader_id - 1]
    log = metadata_log(cluster, leader_id) / FIRST_SEGMENT
    with ThreadPoolExecutor(len(names)) as pool:
        for pid in others:
            os.kill(pid, signal.SIGSTOP)
        try:
            for name in names:
                pool.submit(create_topic, address, name)
                wait_until(partial(_holds, log, name), APPEND_TIMEOUT_S, f"{name} in {log}")
        finally:
            cluster.kill(leader_id)
            for pid in others:
                os.kill(pid, signal.SIGCONT)


def _holds(log: Path, name: str) -> bool:
    return name.encode() in log.read_bytes()


def test_a_killed_leader_comes_back_as_a_follower_without_its_tail(tmp_path: Path) -> None:
    with node_cluster(tmp_path, THREE_AND_TWO) as cluster:
        controllers = ("--bootstrap-controller", cluster.controllers)
        before = status("--bootstrap-server", cluster.servers[0])
        first = before["LeaderId"]
        assert before["CurrentVoters"] == voters_shown(cluster, (1, 2, 3))
        assert [set(observer) for observer in before["CurrentObservers"]] == [{"id", "directoryId"}] * 2
        assert ids(before["CurrentObservers"]) == BROKERS
        rows = replication(*controllers)
        assert ids_by_status(rows) == {
            "Leader": {first},
            "Follower": {1, 2, 3} - {first},
            "Observer": BROKERS,
        }

        kill_with_a_tail(cluster, first, ("perhaps", "lost"))
        log = metadata_log(cluster, first) / FIRST_SEGMENT
        (tmp_path / "killed").mkdir()
        as_killed = tmp_path / "killed" / FIRST_SEGMENT
        as_killed.write_bytes(log.read_bytes())
        until(lambda: cluster.view().leader_id != first, "another leader")
        for number in range(3):
            assert create_topic(cluster.servers[0], f"later-{number}").error_code == ErrorCode.NONE
        after = status(*controllers)
        assert after["LeaderId"] in {1, 2, 3} - {first}
        assert after["LeaderEpoch"] > before["LeaderEpoch"]
        assert after["HighWatermark"] > before["HighWatermark"]
        assert after["CurrentVoters"] == before["CurrentVoters"]
        rows = replication("--bootstrap-server", cluster.servers[1])
        assert (rows[first]["Status"], rows[first]["LastCaughtUpTimestamp"]) == ("Follower", "-1")
        assert int(rows[first]["Lag"]) > 0

        cluster.restart(first)
        until(
            lambda: any(voter.key.id == first and voter.is_caught_up for voter in cluster.view().voters),
            "the killed leader to follow",
        )
        rows = replication(*controllers)
        assert rows[first]["Status"] == "Follower"
        assert int(rows[first]["LastCaughtUpTimestamp"]) > 0
        assert set(topics(cluster.servers[0])) >= {"later-0", "later-1", "later-2"}
        assert "lost" not in topics(cluster.servers[0])
        high_watermark = cluster.quorum().partition.high_watermark
        logs = {node_id: metadata_log(cluster, node_id) / FIRST_SEGMENT for node_id in (1, 2, 3)}
        # What is committed is at two of them; the third may still have to fetch it.
        until(
            lambda: len({tuple(batches(path, high_watermark)) for path in logs.values()}) == 1,
            "the three logs to be the same up to the high watermark",
        )
        assert len(batches(log, high_watermark)) > 10
        cluster.stop()
    killed, *dumps = dumped(as_killed, *logs.values())
    assert '"name":"lost"' in killed
    for dump in dumps:
        assert '"name":"lost"' not in dump
        assert '"name":"later-2"' in dump


def test_one_node_grows_to_five_voters_and_its_first_leader_goes(tmp_path: Path) -> None:
    cluster = GrowingCluster(tmp_path)
    try:
        cluster.start()
        server = ("--bootstrap-server", cluster.servers[1])
        with new_voters(cluster, tmp_path, 2, 3, 4, 5) as nodes, writing(cluster.servers) as writer:
            for node in nodes.values():
                config = ("--command-config", str(node.properties_path))
                added = run_tool("kafka-metadata-quorum", *server, *config, "add-controller").output()
                assert added == (
                    f"Added controller {node.node_id} with directory id {node.meta_properties['directory.id']} "
                    f"and endpoints: CONTROLLER://{node.bootstrap_controller}\n"
                )
                if node.node_id == 3:
                    three = status(*server)
                    assert ids(three["CurrentVoters"]) == {1, 2, 3}
                    assert ids(three["CurrentObservers"]) == {4, 5, 101}
            assert ids_by_status(replication(*server)) == {
                "Leader": {1},
                "Follower": {2, 3, 4, 5},
                "Observer": {101},
            }
            duplicate = run_tool("kafka-metadata-quorum", *server, *config, "add-controller")
            assert (duplicate.exit_code, "DuplicateVoterException" in duplicate.stderr) == (1, True), (
                duplicate
            )

            leader = cluster.view().voters[0].key
            assert leader.id == 1
            directory = uuids.to_text(leader.directory_id or b"")
            removal = ("remove-controller", "-i", "1", "-d", directory)
            controllers = ("--bootstrap-controller", nodes[2].bootstrap_controller)
            removed = run_tool("kafka-metadata-quorum", *controllers, *removal).output()
            assert removed == f"Removed  KRaft controller 1 with directory id {directory}\n"
            until(lambda: cluster.view().leader_id in nodes, "a leader among the others")
            until(lambda: {each.key.id for each in cluster.view().observers} == {1, 101}, "1 as an observer")
            left = status(*controllers)
            assert left["LeaderId"] in nodes
            assert ids(left["CurrentVoters"]) == {2, 3, 4, 5}
            assert ids(left["CurrentObservers"]) == {1, 101}
            gone = run_tool("kafka-metadata-quorum", *controllers, *removal)
            assert (gone.exit_code, "VoterNotFoundException" in gone.stderr) == (1, True), gone
            until_more(writer, "topics by the new leader")
        assert writer.longest_gap_s < 3.0
    finally:
        cluster.close()


def kraft_version_may_rise(address: str) -> bool:
    """Whether every voter has told the leader of its directory, without which the upgrade is refused."""
    update = UpdateFeaturesRequest.FeatureUpdateKey(
        feature="kraft.version", max_version_level=1, upgrade_type=1
    )
    with connect(address) as client:
        response = client.send(
            UpdateFeaturesRequest(timeout_ms=10_000, feature_updates=[update], validate_only=True)
        )
    assert isinstance(response, UpdateFeaturesResponse)
    return response.error_code == ErrorCode.NONE


def finalized_levels(*bootstrap: str) -> dict[str, str]:
    """Levels by feature as ``kafka-features describe`` shows them."""
    printed = run_tool("kafka-features", *bootstrap, "describe").output()
    return dict(
        re.findall(r"^Feature: (\S+) .* FinalizedVersionLevel: (\S+(?: \d+)?)", printed, re.MULTILINE)
    )


def test_static_voters_are_upgraded_and_taken_out_of_the_properties(tmp_path: Path) -> None:
    with (
        node_cluster(tmp_path, THREE_AND_TWO, is_static=True) as cluster,
        writing(cluster.servers) as writer,
    ):
        server = ("--bootstrap-server", cluster.servers[0])
        static = status(*server)
        assert static["CurrentVoters"] == [
            {name: value for name, value in voter.items() if name != "directoryId"}
            for voter in voters_shown(cluster, (1, 2, 3))
        ]
        assert finalized_levels(*server)["kraft.version"] == "0"
        early = quorum_tool(
            *("--bootstrap-controller", cluster.controllers, "alter", "--voters", "1,2"),
            state=tmp_path,
            check=False,
        )
        assert "kafka-features upgrade --feature kraft.version=1 comes first" in early.stderr
        until(lambda: kraft_version_may_rise(cluster.servers[0]), "all voters to be known with directories")
        upgraded = run_tool("kafka-features", *server, "upgrade", "--feature", "kraft.version=1").output()
        assert upgraded == "kraft.version was upgraded to 1.\n"
        directories = {voter.key.id: voter.key.directory_id for voter in cluster.view().voters}
        assert set(directories) == {1, 2, 3}
        assert bytes(16) not in directories.values()

        for node_id in (1, 2, 3):
            path = cluster.properties_path(node_id)
            lines = path.read_text().splitlines()
            kept = [line for line in lines if not line.startswith("controller.quorum.voters=")]
            assert len(kept) == len(lines) - 1
            kept.append(f"controller.quorum.bootstrap.servers={cluster.controllers}")
            path.write_text("\n".join([*kept, ""]))
            cluster.terminate(node_id)
            cluster.restart(node_id)
        assert {voter.key.id: voter.key.directory_id for voter in cluster.view().voters} == directories
        dynamic = status("--bootstrap-controller", cluster.controllers)
        assert dynamic["CurrentVoters"] == voters_shown(cluster, (1, 2, 3))
        assert finalized_levels("--bootstrap-controller", cluster.controllers)["kraft.version"] == "1"
        until_more(writer, "topics after the restart")
    assert writer.longest_gap_s < 3.0


def test_voters_are_exchanged_for_a_disjoint_set_while_brokers_run(tmp_path: Path) -> None:
    with (
        node_cluster(tmp_path, THREE_AND_TWO) as cluster,
        new_voters(cluster, tmp_path, 4, 5, 6) as nodes,
        writing(cluster.servers) as writer,
    ):
        leader = cluster.view().leader_id
        server = ("--bootstrap-server", cluster.servers[1])
        altered = quorum_tool(*server, "alter", "--voters", "4,5,6", state=tmp_path)
        lines = altered.stdout.splitlines()
        assert lines[0] == "from 1,2,3 to 4,5,6"
        steps = [line for line in lines if line.startswith(("added ", "removed "))]
        assert [line.split()[0] for line in steps] == ["added"] * 3 + ["removed"] * 3
        assert steps[-1].startswith(f"removed {leader} ")
        assert steps[-1].endswith("voters 4,5,6")
        assert uncommitted_voters(cluster.quorum()) is None
        until(
            lambda: {each.key.id for each in cluster.view().observers} == {1, 2, 3} | BROKERS,
            "those that were voters as observers",
        )
        described = status(*server)
        assert described["LeaderId"] in {4, 5, 6}
        assert described["CurrentVoters"] == [
            {
                "id": node.node_id,
                "directoryId": node.meta_properties["directory.id"],
                "endpoints": [f"CONTROLLER://{node.bootstrap_controller}"],
            }
            for node in nodes.values()
        ]
        assert ids(described["CurrentObservers"]) == {1, 2, 3} | BROKERS
        again = quorum_tool(*server, "alter", "--voters", "4,5,6", state=tmp_path)
        assert again.stdout.splitlines()[0] == "from 4,5,6 to 4,5,6"
        # Those that were voters are not needed any more.
        for node_id in (1, 2, 3):
            cluster.terminate(node_id)
        until_more(writer, "topics without the old voters")


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeCluster]:
    """Three voters and two brokers that take snapshots after little, and begin segments after short."""
    own = "metadata.log.max.record.bytes.between.snapshots=6000\nmetadata.log.segment.ms=1000"
    properties = dict.fromkeys((1, 2, 3, *BROKERS), own)
    with node_cluster(
        tmp_path_factory.mktemp("settled"), THREE_AND_TWO, own_properties=properties
    ) as cluster:
        yield cluster


def test_configs_are_changed_and_shown_over_brokers_and_controllers(settled: NodeCluster) -> None:
    controllers = ("--bootstrap-controller", settled.controllers)

    def configs(bootstrap: tuple[str, str], *arguments: str) -> ToolResult:
        return run_tool("kafka-configs", *bootstrap, *arguments)

    assert create_topic(settled.servers[0], "configured").error_code == ErrorCode.NONE
    topic = ("--entity-type", "topics", "--entity-name", "configured")
    broker = ("--entity-type", "brokers", "--entity-name", "102")
    everybody = ("--entity-type", "brokers", "--entity-default")
    first, second = (("--bootstrap-server", server) for server in settled.servers)
    changed = configs(first, "--alter", *topic, "--add-config", "retention.ms=1000").output()
    assert changed == "Completed updating config for topic configured.\n"
    changed = configs(controllers, "--alter", *broker, "--add-config", "log.cleaner.threads=2").output()
    assert changed == "Completed updating config for broker 102.\n"
    changed = configs(controllers, "--alter", *everybody, "--add-config", "log.retention.ms=7000").output()
    assert changed == "Completed updating default config for brokers in the cluster.\n"

    assert configs(second, "--describe", *topic).output().splitlines()[1:] == [
        "  retention.ms=1000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1000, "
        "DYNAMIC_DEFAULT_BROKER_CONFIG:log.retention.ms=7000, DEFAULT_CONFIG:log.retention.hours=168}"
    ]
    assert configs(second, "--describe", *broker).output().splitlines()[1:] == [
        "  log.cleaner.threads=2 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:log.cleaner.threads=2, "
        "DEFAULT_CONFIG:log.cleaner.threads=1}"
    ]
    shown = configs(controllers, "--describe", *everybody).output()
    assert "  log.retention.ms=7000 sensitive=false" in shown
    refused = configs(first, "--alter", *topic, "--add-config", "retention.ms=soon")
    assert (refused.exit_code, "InvalidConfigurationException" in refused.stderr) == (1, True), refused


def test_features_are_those_of_the_quorum_at_any_node(settled: NodeCluster) -> None:
    server = ("--bootstrap-server", settled.servers[1])
    for bootstrap in (server, ("--bootstrap-controller", settled.controllers)):
        levels = finalized_levels(*bootstrap)
        assert (levels["kraft.version"], levels["metadata.version"]) == ("1", "UNKNOWN 33")
    lowered = run_tool("kafka-features", *server, "downgrade", "--feature", "kraft.version=0")
    assert lowered.exit_code == 1, lowered
    assert lowered.stdout.startswith("Could not downgrade kraft.version to 0. "), lowered


def segments_of(directory: Path) -> list[int]:
    """Base offsets of the segments, ascending."""
    found = (parse_segment_file_name(path.name) for path in directory.iterdir())
    return sorted(offset for offset in found if offset is not None)


def newest_snapshot(directory: Path) -> SnapshotId:
    """The snapshot that a node starts from; that of formatting ends at offset 0."""
    found = (parse_snapshot_file_name(path.name) for path in directory.iterdir())
    return max(snapshot_id for snapshot_id in found if snapshot_id is not None)


def _holds_behind_first(log: Path, name: str) -> bool:
    return any(_holds(log / segment_file_name(offset), name) for offset in segments_of(log)[1:])


def test_the_files_are_kafkas_and_a_snapshot_with_the_rest_of_the_log_is_enough(
    settled: NodeCluster,
) -> None:
    logs = [metadata_log(settled, node_id) for node_id in (1, 2, 3)]
    names: list[str] = []

    def create(name: str) -> None:
        assert create_topic(settled.servers[0], name).error_code == ErrorCode.NONE
        names.append(name)

    def is_covered(log: Path) -> bool:
        _, *later = segments_of(log)
        return bool(later) and newest_snapshot(log).end_offset >= max(later[0], end_of_first)

    def are_covered() -> bool:
        create(f"topic-{len(names)}")
        return all(map(is_covered, logs))

    create("topic-0")
    end_of_first = settled.quorum().partition.high_watermark
    until(are_covered, "a snapshot on each node that has topic-0 and covers the first segment")
    create("in-the-tail")
    # The answer means a majority; the node whose log is looked at need not be of it yet.
    until(lambda: all(_holds_behind_first(log, "in-the-tail") for log in logs), "the last topic on each node")
    for node_id in settled.pids:
        settled.kill(node_id)

    snapshots = [log / snapshot_file_name(newest_snapshot(log)) for log in logs]
    for dump in dumped(*snapshots):
        for name in ("SnapshotHeader", "KRaftVersion", "KRaftVoters", "SnapshotFooter"):
            assert name in dump
        assert '"name":"topic-0"' in dump
        assert '"name":"in-the-tail"' not in dump
    segments = [log / segment_file_name(offset) for log in logs[:1] for offset in segments_of(log)]
    assert len(segments) > 1
    dumps = dumped(*segments)
    assert '"name":"topic-0"' in "".join(dumps)
    assert '"name":"in-the-tail"' in "".join(dumps[1:])
    (shown,) = ask_shell(snapshots[0], ["find /image"])
    assert {
        "/image/topics/byName/topic-0/0",
        *(f"/image/cluster/brokers/{node_id}" for node_id in BROKERS),
        *(f"/image/cluster/controllers/{node_id}" for node_id in (1, 2, 3)),
    } <= set(shown.split())

    for log in logs:
        # What a snapshot covers is not needed: without the first segment there is nowhere else to have it from.
        for path in log.glob(f"{segments_of(log)[0]:020}.*"):
            path.unlink()
    settled.start()
    for server in settled.servers:
        until(partial(_knows, server, names), f"all topics at {server}")
    create("after")
    again = status("--bootstrap-controller", settled.controllers)
    assert again["CurrentVoters"] == voters_shown(settled, (1, 2, 3))


def _knows(server: str, names: list[str]) -> bool:
    return set(topics(server)) >= set(names)
