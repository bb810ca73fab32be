"""``bin/kafka-local-cluster``: several nodes, each a process."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from compat.ours import BIN
from compat.process import ServerProcess, wait_until
from kafkaproto import uuids
from kafkaproto_server.tools.cluster.cluster_layout import Shape
from tests.integration.support.asking import metadata, topics
from tests.integration.support.clusters import create_topic_somewhere, local_cluster, until

pytestmark = pytest.mark.slow


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_three_nodes_are_one_cluster_that_is_taken_up_again(tmp_path: Path) -> None:
    # Kafka's own session, so that a busy machine has none of the three fenced between the ready line and the questions.
    sessions = dict.fromkeys((1, 2, 3), "broker.session.timeout.ms=9000")
    with local_cluster(tmp_path, Shape(combined=3), own_properties=sessions) as cluster:
        lines = cluster.process.out_path.read_text().splitlines()
        assert len(lines) == 1
        assert re.fullmatch(
            r"ready bootstrap\.servers=(127\.0\.0\.1:\d+,?){3} bootstrap\.controllers=(127\.0\.0\.1:\d+,?){3} "
            r"cluster\.id=\S{22} pids=1:\d+,2:\d+,3:\d+",
            lines[0],
        )
        for server in cluster.servers:
            assert [broker.node_id for broker in metadata(server).brokers] == [1, 2, 3]
        assert cluster.view().voter_ids == {1, 2, 3}
        assert create_topic_somewhere(cluster.servers, "kept") == 0
        first, pids = dict(cluster.ready), list(cluster.pids.values())
        assert cluster.stop() == 0
        assert cluster.process.err_path.read_text() == ""
        assert not any(map(is_running, pids))
        cluster.start()
        assert {**cluster.ready, "pids": ""} == {**first, "pids": ""}
        until(lambda: topics(cluster.servers[1]) == {"kept": 1}, "the topic of the first run")


def test_one_role_a_process_of_which_one_dies_is_told_of_and_the_others_go_on(tmp_path: Path) -> None:
    with local_cluster(tmp_path, Shape(controllers=1, brokers=2)) as cluster:
        assert sorted(cluster.pids) == [1, 101, 102]
        assert [broker.node_id for broker in metadata(cluster.servers[0]).brokers] == [101, 102]
        view = cluster.view()
        assert view.voter_ids == {1}
        assert {each.key.id for each in view.observers} == {101, 102}
        cluster.kill(102)
        told = cluster.process.wait_for_line(cluster.process.err_path, "node 102", 10)
        assert told.startswith(
            f"node 102 (pid {cluster.pids[102]}) ended by SIGKILL; its last words in {tmp_path}"
        )
        assert create_topic_somewhere(cluster.servers[:1], "still") == 0
        again = cluster.restart(102)
        until(lambda: topics(cluster.servers[1]) == {"still": 1}, "the broker to have come back")
        assert again.terminate(30) == 0
        assert cluster.stop() == 0


def test_controllers_alone_and_without_any_node_left_it_ends(tmp_path: Path) -> None:
    with local_cluster(tmp_path, Shape(controllers=1)) as cluster:
        assert cluster.ready["bootstrap.servers"] == ""
        assert cluster.view().voter_ids == {1}
        cluster.kill(1)
        wait_until(lambda: not cluster.process.is_running, 10, "the command to end")
        assert cluster.process.terminate(1) == 1
        assert "no node is left" in cluster.process.err_path.read_text()


def test_a_node_that_cannot_start_is_told_with_its_last_words(tmp_path: Path) -> None:
    with local_cluster(tmp_path, Shape(controllers=2)) as cluster:
        assert cluster.stop() == 0
    path = cluster.properties_path(2)
    path.write_text(path.read_text().replace("node.id=2", "node.id=7"))
    process = ServerProcess(
        [str(BIN / "kafka-local-cluster"), "--data", str(cluster.data)], tmp_path / "vain", tmp_path, {}
    )
    try:
        wait_until(lambda: not process.is_running, 30, "the command to give up")
        assert process.terminate(1) == 1
    finally:
        process.kill()
    words = process.err_path.read_text()
    assert process.out_path.read_text() == ""
    assert re.search(r"node 2 \(pid \d+\) ended with exit code 1; its last words", words)
    assert "node.id" in words


def test_an_ephemeral_cluster_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [str(BIN / "kafka-local-cluster"), "--ephemeral", "--nodes", "1", "--base-port", "0"]
    process = ServerProcess(command, tmp_path / "ephemeral", tmp_path, {"TMPDIR": str(tmp_path / "tmp")})
    (tmp_path / "tmp").mkdir()
    try:
        ready = process.wait_for_line(process.out_path, "ready ", 60)
        assert len(list((tmp_path / "tmp").iterdir())) == 1
        assert process.terminate(60) == 0
        assert list((tmp_path / "tmp").iterdir()) == []
        assert not is_running(int(ready.rpartition(":")[2]))
    finally:
        process.kill()


def test_a_second_request_to_stop_kills(tmp_path: Path) -> None:
    with local_cluster(tmp_path, Shape(controllers=1, brokers=1)) as cluster:
        # It hangs, and would not stop in order within the time it is given.
        os.kill(cluster.pids[101], signal.SIGSTOP)
        os.kill(cluster.process.pid, signal.SIGINT)
        with pytest.raises(Exception, match="waited"):
            wait_until(lambda: not cluster.process.is_running, 1.5, "the command, which still waits")
        assert cluster.process.interrupt(10) == 0
        assert "node 101 did not stop in time and was killed" in cluster.process.err_path.read_text()
        assert not any(map(is_running, cluster.pids.values()))


def test_static_voters_are_those_of_the_properties(tmp_path: Path) -> None:
    with local_cluster(tmp_path, Shape(controllers=3, brokers=1), is_static=True) as cluster:
        view = cluster.view()
        assert view.voter_ids == {1, 2, 3}
        assert {uuids.to_text(voter.key.directory_id or b"") for voter in view.voters} == {
            uuids.to_text(bytes(16))
        }
        assert create_topic_somewhere(cluster.servers, "topic") == 0


def test_a_start_is_given_up_when_it_is_told_to_stop(tmp_path: Path) -> None:
    process = ServerProcess(
        [str(BIN / "kafka-local-cluster"), "--data", "data", "--nodes", "2", "--base-port", "0"],
        tmp_path / "early",
        tmp_path,
        {},
    )
    try:
        log = tmp_path / "data" / "node-2" / "server.log"
        wait_until(log.exists, 30, "the second node to be started")
        assert process.terminate(60) == 0
        assert process.out_path.read_text() == ""
    finally:
        process.kill()
