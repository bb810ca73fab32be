"""Our own mistakes in one request, in a whole node over real sockets: that request has no answer, the node goes on."""

from __future__ import annotations

import logging
from typing import NoReturn

import pytest
import trio

from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
)
from kafkaproto_server.core.raft import wire
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.storage.errors import StorageError
from tests.node.support.nodes import CLUSTER_ID, Nodes, running_nodes

pytestmark = pytest.mark.trio


VERSIONS = ApiVersionsRequest(client_software_name="tests", client_software_version="1")
REMOVAL = RemoveRaftVoterRequest(cluster_id=CLUSTER_ID, voter_id=9, voter_directory_id=b"\x09" * 16)


class MistakeError(Exception):
    """Nobody foresaw it."""


def fails(*_: object, **__: object) -> NoReturn:
    raise MistakeError("no such thing")


async def ask(nodes: Nodes, *requests: Message) -> list[Message]:
    """The answers of the only controller, all over one connection."""

    def send() -> list[Message]:
        with Client.connect("127.0.0.1", nodes.ports[1]) as client:
            return [client.send(request) for request in requests]

    return await trio.to_thread.run_sync(send)


async def test_a_handler_that_fails_does_not_end_the_node(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(QuorumDriver, "describe_quorum", fails)
    async with running_nodes(controllers=1) as nodes:
        await nodes.until_active()
        described, versions = await ask(nodes, DescribeQuorumRequest(), VERSIONS)
        assert isinstance(described, DescribeQuorumResponse)
        assert described.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
        assert isinstance(versions, ApiVersionsResponse)
        assert versions.error_code == ErrorCode.NONE
        assert nodes.active() == 1
    assert [each.levelno for each in caplog.records if "MistakeError" in each.message] == [logging.ERROR]


async def test_a_response_of_the_quorums_task_that_cannot_be_made_does_not_end_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running_nodes(controllers=1) as nodes:
        await nodes.until_active()
        monkeypatch.setattr(wire, "encode_response", fails)
        (removed,) = await ask(nodes, REMOVAL)
        assert isinstance(removed, RemoveRaftVoterResponse)
        assert removed.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
        monkeypatch.undo()
        (removed,) = await ask(nodes, REMOVAL)
        assert isinstance(removed, RemoveRaftVoterResponse)
        assert removed.error_code == ErrorCode.VOTER_NOT_FOUND


async def test_a_failure_of_the_files_ends_the_node_whoever_meets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(*_: object) -> NoReturn:
        raise StorageError("/data/node: torn")

    monkeypatch.setattr(QuorumDriver, "describe_quorum", torn)
    async with running_nodes(controllers=1) as nodes:
        await nodes.until_active()
        failures = nodes.running[1].failures = []
        with pytest.raises(OSError):
            await ask(nodes, DescribeQuorumRequest())
        with trio.fail_after(10):
            await nodes.running[1].ended.wait()
        assert [str(each) for each in failures] == ["/data/node: torn"]
