"""kafka-metadata-quorum against servers that answer from a script, its lines against those of Kafka's own tool."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
)
from kafkaproto_server.tools.quorum.metadata_quorum import cli
from tests.kafkaproto.test_client import serving as serving_once
from tests.tools.support.quorum_responses import CASES, CLUSTER_ID, NOW_MS, replica, response
from tests.tools.support.scripted_server import Responses, serving

DESCRIBE_CLUSTER, DESCRIBE_QUORUM = 60, 55
ROOT = Path(__file__).resolve().parents[3]
GOLDEN = Path(__file__).parents[1] / "golden" / "metadata_quorum.txt"
ONE_VOTER = response(replica(1, 110))


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question is asked once."""
    monkeypatch.setattr("kafkaproto_server.tools.quorum.access.RETRY_TIMEOUT_S", 0.0)


@cache
def golden() -> dict[str, list[str]]:
    """Lines that Kafka's tool printed, by the case and the option."""
    blocks = GOLDEN.read_text().split("\n\n")[1:]
    titles_and_lines = (block.strip("\n").split("\n") for block in blocks)
    return {title: [line.removesuffix("@") for line in lines] for title, *lines in titles_and_lines}


def cluster(
    endpoint_type: int = 1, controller_id: int = -1, port: int = 0, **fields: Any
) -> DescribeClusterResponse:
    """A cluster in which node 1 listens on a port."""
    node = DescribeClusterResponse.DescribeClusterBroker(broker_id=1, host="127.0.0.1", port=port)
    values = {
        "cluster_id": CLUSTER_ID,
        "endpoint_type": endpoint_type,
        "controller_id": controller_id,
        "brokers": [node],
        **fields,
    }
    return DescribeClusterResponse(**values)


def answering(quorum: Message, **fields: Any) -> Responses:
    """A broker that tells this of the quorum."""
    return {DESCRIBE_CLUSTER: lambda _: cluster(**fields), DESCRIBE_QUORUM: lambda _: quorum}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def describe(quorum: Message, *options: str) -> Result:
    """The tool's run against a broker."""
    with serving(answering(quorum)) as server:
        return run("--bootstrap-server", server.address, "describe", *options)


@pytest.mark.parametrize("option", ["--status", "--replication"])
@pytest.mark.parametrize("case", CASES)
def test_the_lines_are_those_of_kafkas_tool(case: str, option: str) -> None:
    result = describe(CASES[case], option)
    assert result.output.splitlines() == golden()[f"{case}: {option}"]
    assert result.exit_code == 0


def test_every_recorded_output_is_compared() -> None:
    assert set(golden()) == {
        f"{case}: {option}" for case in CASES for option in ("--status", "--replication")
    }


def test_times_for_people_say_how_long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", lambda: (NOW_MS + 5) * 1_000_000)
    voters = [replica(1, 110, 0, 1_000), replica(2, 110, -9_000, None)]
    result = describe(response(*voters), "--replication", "--human-readable")
    header, leader, follower = (
        [cell.strip() for cell in line.split("\t")] for line in result.output.splitlines()
    )
    assert header[4:6] == ["LastFetchTimestamp", "LastCaughtUpTimestamp"]
    assert leader[4:6] == ["5 ms ago", "1005 ms ago"]
    # A time that lies ahead by this machine's clock, and one that is not known.
    assert follower[4:6] == ["0 ms ago", "-1"]


def test_a_broker_is_asked_for_the_cluster_and_then_for_the_quorum() -> None:
    with serving(answering(ONE_VOTER)) as server:
        result = run("--bootstrap-server", server.address, "describe", "--status")
        assert result.exit_code == 0, result.output
        describe_cluster, describe_quorum = server.asked
    assert describe_cluster == DescribeClusterRequest(endpoint_type=1)
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    assert describe_quorum == DescribeQuorumRequest(
        topics=[DescribeQuorumRequest.TopicData(topic_name="__cluster_metadata", partitions=[partition])]
    )


def test_a_controller_says_who_leads_and_the_leader_is_asked() -> None:
    with serving(answering(ONE_VOTER)) as leader:
        standby_responses = answering(
            DescribeQuorumResponse(), endpoint_type=2, controller_id=1, port=leader.port
        )
        with serving(standby_responses) as standby:
            result = run("--bootstrap-controller", standby.address, "describe", "--status")
            assert standby.asked == [DescribeClusterRequest(endpoint_type=2)]
        assert [type(request) for request in leader.asked] == [DescribeQuorumRequest]
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == f"ClusterId:              {CLUSTER_ID}"


def test_a_controller_that_does_not_know_the_metadata_version_yet_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kafkaproto_server.tools.quorum.access.RETRY_TIMEOUT_S", 60.0)
    starting = [
        DescribeClusterResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, error_message="too early")
    ] * 2
    responses: dict[int, Callable[[Message], Message]] = {DESCRIBE_QUORUM: lambda _: ONE_VOTER}
    with serving(responses) as server:
        leader = cluster(endpoint_type=2, controller_id=1, port=server.port)
        responses[DESCRIBE_CLUSTER] = lambda _: starting.pop() if starting else leader
        result = run("--bootstrap-controller", server.address, "describe", "--status")
    assert result.exit_code == 0, result.output
    assert starting == []


def test_a_server_that_is_not_there_is_passed_over() -> None:
    with serving(answering(ONE_VOTER)) as server:
        result = run("--bootstrap-server", f"127.0.0.1:1,{server.address}", "describe", "--status")
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("quorum", "words"),
    [
        (
            DescribeQuorumResponse(error_code=41, error_message="ask node 2"),
            "cannot be described: NOT_CONTROLLER: ask node 2",
        ),
        (DescribeQuorumResponse(error_code=31), "CLUSTER_AUTHORIZATION_FAILED: "),
        (response(error_code=6, error_message="ask node 3"), "NOT_LEADER_OR_FOLLOWER: ask node 3"),
        (response(error_code=6), "NOT_LEADER_OR_FOLLOWER: "),
        (DescribeQuorumResponse(), "not about __cluster_metadata alone"),
        (response(replica(1, 110), partition_index=3), "not about partition 0 of __cluster_metadata alone"),
        (response(replica(1, 110), leader_id=-1), "the leader, -1, is not among the voters"),
        (response(leader_id=5), "the leader, 5, is not among the voters"),
    ],
)
@pytest.mark.parametrize("option", ["--status", "--replication"])
def test_a_response_that_does_not_describe_the_quorum_is_told_in_words(
    quorum: Message, words: str, option: str
) -> None:
    result = describe(quorum, option)
    assert (result.exit_code, result.stdout) == (1, "")
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_response_about_other_topics_is_refused() -> None:
    for names in (["x"], ["__cluster_metadata", "x"]):
        topics = [DescribeQuorumResponse.TopicData(topic_name=name, partitions=[]) for name in names]
        result = describe(DescribeQuorumResponse(topics=topics), "--status")
        assert (result.exit_code, result.stdout) == (1, "")
        assert "__cluster_metadata alone" in result.stderr


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"error_code": 114, "error_message": "this is a broker"}, "127.0.0.1:{port}: this is a broker"),
        ({"error_code": 115}, "127.0.0.1:{port}: "),
        ({"controller_id": -1}, "no leader that is registered"),
        ({"controller_id": 9}, "no leader that is registered"),
        ({"controller_id": 1, "port": 1}, "cannot connect to 127.0.0.1:1"),
    ],
    ids=["other kind of listener", "error without words", "no leader", "unregistered leader", "dead leader"],
)
def test_without_a_way_to_the_leader_the_tool_says_so(fields: dict[str, Any], words: str) -> None:
    with serving(answering(ONE_VOTER, **fields)) as server:
        result = run("--bootstrap-controller", server.address, "describe", "--status")
        assert words.format(port=server.port) in result.stderr
    assert (result.exit_code, result.stdout) == (1, "")


def test_a_server_that_does_not_know_the_quorum_is_named() -> None:
    with serving({DESCRIBE_CLUSTER: lambda _: cluster()}) as server:
        result = run("--bootstrap-server", server.address, "describe", "--status")
    assert result.exit_code == 1
    assert "DescribeQuorumRequest: the server does not serve this api" in result.stderr


def test_a_server_that_hangs_up_is_named() -> None:
    with serving_once(lambda stream: None) as port:
        result = run("--bootstrap-server", f"127.0.0.1:{port}", "describe", "--status")
    assert result.exit_code == 1
    assert f"127.0.0.1:{port}" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["describe", "--status"], "exactly one of --bootstrap-server and --bootstrap-controller"),
        (
            ["--bootstrap-server", "a:1", "--bootstrap-controller", "b:1", "describe", "--status"],
            "exactly one of --bootstrap-server and --bootstrap-controller",
        ),
        (["--bootstrap-server", "nonsense", "describe", "--status"], "'nonsense' is not HOST:PORT"),
        (["--bootstrap-server", "", "describe", "--status"], "'' is not HOST:PORT"),
        (["--bootstrap-server", "a:1", "describe"], "exactly one of --status and --replication"),
        (
            ["--bootstrap-server", "a:1", "describe", "--status", "--replication"],
            "exactly one of --status and --replication",
        ),
        (
            ["--bootstrap-server", "a:1", "describe", "--status", "--human-readable"],
            "--human-readable goes with --replication",
        ),
        (["--bootstrap-server", "a:1"], "Missing command"),
    ],
)
def test_a_wrong_use_is_told_in_words(arguments: list[str], words: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_a_commands_help_needs_no_server() -> None:
    result = run("add-controller", "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ")


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "kafkaproto_server.tools.quorum.metadata_quorum", "--help"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.startswith("Usage: kafka-metadata-quorum ")
    assert "--bootstrap-controller" in result.stdout
