"""What docs/security.md says of open ports, seen on real nodes: who reaches one, and what ACLs can tell apart."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from compat.ours import OurNode
from compat.process import wait_until
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterUserScramCredentialsRequest,
    CreateAclsRequest,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from kafkaproto_server.apis.cluster.envelope import encode_principal
from kafkaproto_server.metadata.security.acls import Operation
from tests.apis.cluster.test_envelope import wrapped
from tests.apis.test_wrong_fields import problems
from tests.integration.conftest import make_node
from tests.integration.support.asking import connect
from tests.integration.test_operations_needed import OF_THE_CLUSTER, PROPERTIES
from tests.integration.test_start_under_acls import fetch
from tests.metadata.security.support.acl_making import acl_creation

pytestmark = pytest.mark.slow

ELSEWHERE = "127.0.0.2"
WAIT_S = 20.0
RESPONSE_HEADER_BYTES = 5
"""Correlation id and no tags."""
KEPT = b"what is kept of a password, by some"


def ask_from(host: str, address: str, request: Message) -> Any:
    """A controller's answer to somebody at an address."""
    ((to, port),) = parse_servers(address)
    with socket.create_connection((to, port), 10, source_address=(host, 0)) as stream:
        return Client(stream, to, port, client_id=None, timeout_ms=10_000).send(request)


def add_user(node: OurNode) -> None:
    upsertion = AlterUserScramCredentialsRequest.ScramCredentialUpsertion(
        name="alice", mechanism=1, iterations=4096, salt=KEPT, salted_password=bytes(32)
    )
    with connect(node.bootstrap_server) as client:
        assert problems(client.send(AlterUserScramCredentialsRequest(upsertions=[upsertion]))) == []


def create_as(principal: str, host: str, node: OurNode, name: str) -> list[int]:
    """Codes of an envelope and of what is inside: a topic that the principal asks for."""
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
    request = wrapped(
        CreateTopicsRequest(topics=[topic], timeout_ms=5000), 7, request_principal=encode_principal(principal)
    )
    response = ask_from(host, node.bootstrap_controller, request)
    if response.error_code:
        return [response.error_code]
    inner, _ = CreateTopicsResponse.decode(response.response_data, 7, RESPONSE_HEADER_BYTES)
    return [0, *(each.error_code for each in inner.topics)]


def test_without_an_authorizer_who_reaches_a_controller_has_the_cluster(tmp_path: Path) -> None:
    node = make_node(tmp_path)
    try:
        node.start()
        add_user(node)
        records = ask_from(ELSEWHERE, node.bootstrap_controller, fetch(epoch=1))
        assert KEPT in bytes(records.responses[0].partitions[0].records)
        assert create_as("User:admin", ELSEWHERE, node, "theirs") == [0, 0]
        assert node.stop() == 0
    finally:
        node.close()


def test_with_one_the_host_decides_and_cluster_action_is_everything(tmp_path: Path) -> None:
    node = make_node(tmp_path, **PROPERTIES | {"super_users": "User:admin"})
    try:
        node.start()
        add_user(node)
        peers = acl_creation(**OF_THE_CLUSTER | {"host": "127.0.0.1"}, operation=Operation.CLUSTER_ACTION)
        with connect(node.bootstrap_controller) as client:
            assert problems(client.send(CreateAclsRequest(creations=[peers]))) == []
        denied = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        wait_until(
            lambda: ask_from(ELSEWHERE, node.bootstrap_controller, fetch(epoch=1)).error_code == denied,
            WAIT_S,
            "the ACL to be in force",
        )
        assert create_as("User:admin", ELSEWHERE, node, "theirs") == [denied]
        # Any program of a peer's host is the peer, and whoever it says.
        records = ask_from("127.0.0.1", node.bootstrap_controller, fetch(epoch=1))
        assert KEPT in bytes(records.responses[0].partitions[0].records)
        assert create_as("User:admin", "127.0.0.1", node, "mine") == [0, 0]
    finally:
        node.close()
