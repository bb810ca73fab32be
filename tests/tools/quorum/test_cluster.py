"""kafka-cluster against servers that answer from a script.

tests/compat/test_stock_tools.py compares what it prints of running nodes with what Kafka's tool prints.

Tests: `tools.quorum.registrations`.
"""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner, Result

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
    UnregisterControllerRequest,
    UnregisterControllerResponse,
)
from kafkaproto_server.tools.quorum.access import QuorumAccess, ResponseLost
from kafkaproto_server.tools.quorum.cluster import cli
from tests.tools.support.quorum_responses import CLUSTER_ID
from tests.tools.support.scripted_server import Responses, serving

_Node = DescribeClusterResponse.DescribeClusterBroker


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question is asked once."""
    monkeypatch.setattr("kafkaproto_server.tools.quorum.access.RETRY_TIMEOUT_S", 0.0)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def telling(*nodes: Any) -> Responses:
    """A server that knows these nodes, as those of its own kind."""

    def cluster(request: Message) -> Message:
        assert isinstance(request, DescribeClusterRequest)
        return DescribeClusterResponse(
            cluster_id=CLUSTER_ID, endpoint_type=request.endpoint_type, controller_id=-1, brokers=list(nodes)
        )

    return {60: cluster}


def answering(**responses: Message) -> Responses:
    """A broker that answers UnregisterBroker or UnregisterController like this."""
    keys = {"broker": 64, "controller": 94}
    of_changes = {keys[kind]: lambda _, received=response: received for kind, response in responses.items()}
    return {**telling(), **of_changes}


@pytest.mark.parametrize("option", ["--bootstrap-server", "-b", "--bootstrap-controller", "-C"])
def test_the_id_is_shown(option: str) -> None:
    with serving(telling()) as server:
        assert run("cluster-id", option, server.address).output == f"Cluster ID: {CLUSTER_ID}\n"
    (request,) = server.asked
    assert isinstance(request, DescribeClusterRequest)
    assert request.endpoint_type == (2 if option in ("--bootstrap-controller", "-C") else 1)


def test_brokers_are_listed() -> None:
    nodes = [
        _Node(broker_id=101, host="a", port=1, rack="eu-central-1a", is_fenced=True),
        _Node(broker_id=102, host="broker-102.kafka.example.org", port=65535, rack="x"),
        _Node(broker_id=2**31 - 1, host="b", port=9092),
    ]
    with serving(telling(*nodes)) as server:
        result = run("list-endpoints", "-b", server.address, "--include-fenced-brokers")
    assert result.output == (
        "ID         HOST                         PORT       RACK          STATE      ENDPOINT_TYPE  \n"
        "101        a                            1          eu-central-1a fenced     broker         \n"
        "102        broker-102.kafka.example.org 65535      x             unfenced   broker         \n"
        "2147483647 b                            9092       null          unfenced   broker         \n"
    )
    (request,) = server.asked
    assert isinstance(request, DescribeClusterRequest)
    assert request.include_fenced_brokers


def test_controllers_are_listed_without_a_state() -> None:
    with serving(telling(_Node(broker_id=1, host="h", port=9092, rack="r1"))) as server:
        result = run("list-endpoints", "-C", server.address)
    # As with Kafka's tool, a column is as wide as what is in it, whatever its heading.
    assert result.output == (
        "ID         HOST PORT       RACK ENDPOINT_TYPE  \n1          h 9092       r1 controller     \n"
    )
    (request,) = server.asked
    assert isinstance(request, DescribeClusterRequest)
    assert not request.include_fenced_brokers


def test_without_nodes_only_the_headings_are_shown() -> None:
    with serving(telling()) as server:
        (line,) = run("list-endpoints", "-b", server.address).output.splitlines()
    assert line == f"ID         {'HOST':100} PORT       RACK       STATE      ENDPOINT_TYPE  "


def test_nodes_that_are_gone_are_unregistered() -> None:
    responses = answering(broker=UnregisterBrokerResponse(), controller=UnregisterControllerResponse())
    with serving(responses) as server:
        broker = run("unregister", "-b", server.address, "--id", "7")
        controller = run("unregister-controller", "-b", server.address, "-i", "8")
    assert broker.output == "Broker 7 is no longer registered.\n"
    assert controller.output == "Controller 8 is no longer registered.\n"
    assert [each for each in server.asked if not isinstance(each, DescribeClusterRequest)] == [
        UnregisterBrokerRequest(broker_id=7),
        UnregisterControllerRequest(controller_id=8),
    ]


@pytest.mark.parametrize("kind", ["broker", "controller"])
def test_a_refusal_is_told(kind: str) -> None:
    made = UnregisterBrokerResponse if kind == "broker" else UnregisterControllerResponse
    refusal = made(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED, error_message="not you")
    command = "unregister" if kind == "broker" else "unregister-controller"
    with serving(answering(**{kind: refusal})) as server:
        result = run(command, "-b", server.address, "--id", "7")
    assert result.exit_code == 1
    assert result.stderr == f"Error: {kind} 7 was not unregistered: CLUSTER_AUTHORIZATION_FAILED: not you\n"


def test_a_cluster_that_is_too_old_is_told() -> None:
    with serving(answering()) as server:
        result = run("unregister-controller", "-b", server.address, "--id", "7")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: controller 7 was not unregistered: the cluster's version has no such request\n"
    )


def test_a_response_that_is_lost_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(access: QuorumAccess, broker_id: int) -> None:
        raise ResponseLost("the server closed it")

    monkeypatch.setattr(QuorumAccess, "unregister_broker", lose)
    result = run("unregister", "-b", "127.0.0.1:1", "--id", "7")
    assert result.exit_code == 1
    assert (
        result.stderr == "Error: it is unknown whether broker 7 is still registered: the server closed it\n"
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("cluster-id",), "exactly one of --bootstrap-server and --bootstrap-controller is needed"),
        (
            ("cluster-id", "-b", "a:1", "-C", "a:2"),
            "exactly one of --bootstrap-server and --bootstrap-controller is needed",
        ),
        (("cluster-id", "-b", "a"), "'a' is not HOST:PORT"),
        (("unregister", "-b", "a:1"), "Missing option '--id' / '-i'."),
        (("unregister-controller", "-b", "a:1", "-i", "x"), "'x' is not a valid integer."),
        (
            ("list-endpoints", "-C", "a:1", "--include-fenced-brokers"),
            "--include-fenced-brokers goes with --bootstrap-server",
        ),
    ],
)
def test_a_wrong_command_line_is_refused_with_the_reason(arguments: tuple[str, ...], error: str) -> None:
    result = run(*arguments)
    assert result.exit_code != 0
    assert result.stdout == ""
    assert error in result.stderr


def test_a_server_that_is_not_there_is_told_in_one_line() -> None:
    result = run("cluster-id", "-b", "127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: cannot connect to 127.0.0.1:1: Connection refused\n"
