"""A quorum of several processes: losing its leader, growing, shrinking, changing its voters; nothing is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from compat.ours import BIN
from compat.ports import free_ports
from compat.process import ServerProcess
from kafkaproto import uuids
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.tools.cluster.cluster_layout import Shape
from tests.integration.support.clusters import (
    NodeCluster,
    create_topic_somewhere,
    new_voters,
    node_cluster,
    probe,
    quorum_tool,
    until,
)
from tests.integration.support.writing import until_more, writing

pytestmark = pytest.mark.slow

THREE_AND_TWO = Shape(controllers=3, brokers=2)


def answers(port: int, expected: tuple[int, int]) -> bool:
    """Whether ``/ready`` and ``/live`` answer with these."""
    return (probe(port, "ready"), probe(port, "live")) == expected


def voters(cluster: NodeCluster) -> set[int]:
    return set(cluster.view().voter_ids)


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeCluster]:
    """Three controllers and two brokers for tests that have all of them run again in the end."""
    with node_cluster(tmp_path_factory.mktemp("lasting"), THREE_AND_TWO) as cluster:
        yield cluster


def test_a_killed_leader_is_followed_by_another_and_comes_back(lasting: NodeCluster) -> None:
    with writing(lasting.servers) as writer:
        first = lasting.view().leader_id
        until(lambda: len(writer.acknowledged) > 5, "some topics")
        lasting.kill(first)
        until(lambda: lasting.view().leader_id != first, "another leader")
        until_more(writer, "topics by the new leader")
        lasting.restart(first)
        until_caught_up(lasting, first)
    assert writer.longest_gap_s < 3.0
    assert voters(lasting) == {1, 2, 3}


def test_a_leader_that_stops_in_order_is_hardly_missed(lasting: NodeCluster) -> None:
    with writing(lasting.servers) as writer:
        for _ in range(2):
            leader = lasting.view().leader_id
            os.kill(lasting.pids[leader], signal.SIGTERM)
            until_more(writer, "topics by the new leader")
            lasting.restart(leader)
            until_caught_up(lasting, leader)
    assert writer.longest_gap_s < 1.5


def test_a_leader_that_hangs_is_replaced_and_finds_its_place_when_it_wakes_up(lasting: NodeCluster) -> None:
    with writing(lasting.servers) as writer:
        leader = lasting.view().leader_id
        os.kill(lasting.pids[leader], signal.SIGSTOP)
        try:
            until_more(writer, "topics by the new leader")
        finally:
            os.kill(lasting.pids[leader], signal.SIGCONT)
        until_caught_up(lasting, leader)
        assert lasting.view().leader_id != leader


def until_caught_up(cluster: NodeCluster, node_id: int) -> None:
    """Until a node that was away has all that the leader has."""
    until(
        lambda: any(voter.key.id == node_id and voter.is_caught_up for voter in cluster.view().voters),
        f"node {node_id} to have caught up",
    )


def test_a_node_without_a_leader_is_neither_ready_nor_live(tmp_path: Path) -> None:
    ports = dict(zip((1, 101), free_ports(2), strict=True))
    own = {node_id: f"http.listener=127.0.0.1:{port}" for node_id, port in ports.items()}
    with node_cluster(tmp_path, Shape(controllers=2, brokers=1), own_properties=own) as cluster:
        for port in ports.values():
            assert answers(port, (200, 200))
        cluster.kill(2)
        for port in ports.values():
            until(partial(answers, port, (503, 503)), "no leader")
        # A request that needs the controller is answered once there is one again.
        codes: list[int] = []
        client = threading.Thread(
            target=lambda: codes.append(create_topic_somewhere(cluster.servers, "waits"))
        )
        client.start()
        time.sleep(1)
        assert codes == []
        cluster.restart(2)
        client.join(30)
        assert codes == [ErrorCode.NONE]
        for port in ports.values():
            until(partial(answers, port, (200, 200)), "a leader again")


def test_a_request_is_refused_when_its_time_is_over_without_a_controller(tmp_path: Path) -> None:
    with node_cluster(tmp_path, Shape(controllers=1, brokers=1)) as cluster:
        cluster.kill(1)
        begun = time.monotonic()
        assert (
            create_topic_somewhere(cluster.servers, "late", timeout_ms=1_000) == ErrorCode.REQUEST_TIMED_OUT
        )
        assert 1.0 <= time.monotonic() - begun < 5.0


def test_one_voter_grows_to_three_and_hands_over_to_them(tmp_path: Path) -> None:
    with (
        node_cluster(tmp_path, Shape(controllers=1, brokers=1)) as cluster,
        new_voters(cluster, tmp_path, 2, 3) as nodes,
        writing(cluster.servers) as writer,
    ):
        server = ("--bootstrap-server", cluster.servers[0])
        for node in nodes.values():
            config = str(node.properties_path)
            dry = quorum_tool(
                *server, "--command-config", config, "add-controller", "--dry-run", state=tmp_path
            )
            assert dry.stdout.startswith(f"DRY RUN of adding controller {node.node_id} with directory id ")
            added = quorum_tool(*server, "--command-config", config, "add-controller", state=tmp_path)
            assert added.stdout == (
                f"Added controller {node.node_id} with directory id {node.meta_properties['directory.id']} and "
                f"endpoints: CONTROLLER://{node.bootstrap_controller}\n"
            )
        assert voters(cluster) == {1, 2, 3}
        again = quorum_tool(
            *server, "--command-config", config, "add-controller", state=tmp_path, check=False
        )
        assert (again.returncode, again.stdout) == (1, "")
        assert "DUPLICATE_VOTER" in again.stderr
        first = next(voter for voter in cluster.view().voters if voter.key.id == 1)
        directory = uuids.to_text(first.key.directory_id or b"")
        controllers = ("--bootstrap-controller", cluster.controllers)
        removed = quorum_tool(*controllers, "remove-controller", "-i", "1", "-d", directory, state=tmp_path)
        assert removed.stdout == f"Removed  KRaft controller 1 with directory id {directory}\n"
        until(
            lambda: voters(cluster) == {2, 3} and cluster.view().leader_id in (2, 3),
            "a leader among the others",
        )
        gone = quorum_tool(
            *controllers, "remove-controller", "-i", "1", "-d", directory, state=tmp_path, check=False
        )
        assert (gone.returncode, "VOTER_NOT_FOUND" in gone.stderr) == (1, True)
        # It goes on as an observer, which a command names that asks for the lines that Kafka's tool prints.
        until(
            lambda: 1 in {each.key.id for each in cluster.view().observers},
            "the removed voter as an observer",
        )
        status = quorum_tool(*controllers, "describe", "--replication", state=tmp_path)
        rows = [[cell.strip() for cell in line.split("\t")] for line in status.stdout.splitlines()]
        assert [row[6] for row in rows if row[0] == "1"] == ["Observer"]
    assert len(writer.acknowledged) > 5


def test_an_alteration_is_watched_over_killed_and_taken_back(tmp_path: Path) -> None:
    with (
        node_cluster(tmp_path, Shape(controllers=1, brokers=0)) as cluster,
        new_voters(cluster, tmp_path, 2),
    ):
        controllers = ("--bootstrap-controller", cluster.controllers)
        # Node 3 does not run, so that this waits.
        tool = ServerProcess(
            [str(BIN / "kafka-metadata-quorum"), *controllers, "alter", "--voters", "2,3"],
            tmp_path / "alter",
            tmp_path,
            {"XDG_STATE_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        )
        try:
            tool.wait_for_line(tool.out_path, "3 must run as observers of this quorum", 30)
            second = quorum_tool(*controllers, "alter", "--voters", "1,2", state=tmp_path, check=False)
            assert (second.returncode, "another alter of cluster" in second.stderr) == (1, True)
        finally:
            tool.kill()
        quorum_tool(*controllers, "alter", "--voters", "1,2", state=tmp_path)
        assert voters(cluster) == {1, 2}
        nothing = quorum_tool(*controllers, "alter", "--cancel", state=tmp_path, check=False)
        assert "nothing that this user began here is unfinished" in nothing.stderr


def test_one_address_of_a_controller_that_is_no_voter_is_enough_to_join(tmp_path: Path) -> None:
    """Discovery: a new node is told of an observer alone, which knows who leads."""
    with (
        node_cluster(tmp_path, Shape(controllers=1, brokers=0)) as cluster,
        new_voters(cluster, tmp_path, 2) as nodes,
    ):
        only = {"controller_quorum_bootstrap_servers": nodes[2].bootstrap_controller}
        with new_voters(cluster, tmp_path, 3, **only) as more:
            until(
                lambda: 3 in {each.key.id for each in cluster.view().observers},
                "the new replica as an observer",
            )
            ((host, port),) = parse_servers(more[3].bootstrap_controller)
            with Client.connect(host, port) as client:
                assert client.api_versions.finalized_features_epoch >= 0
