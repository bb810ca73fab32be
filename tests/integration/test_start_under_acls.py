"""A node with ACLs that starts on a long log: whom they let do nothing is let do nothing at any time.

The ACLs let all that comes from 127.0.0.1 do everything; nobody else is in them, and what no ACL is about is allowed to
everybody. The address that is left out asks for the worst that there is, from before the node serves until after it is
ready.
"""

from __future__ import annotations

import socket
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from compat.ours import OurNode
from compat.process import wait_until
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddRaftVoterRequest,
    CreateAclsRequest,
    FetchRequest,
)
from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from tests.apis.test_wrong_fields import problems
from tests.integration.conftest import CLUSTER_ID, make_node
from tests.integration.support.asking import connect
from tests.integration.test_operations_needed import OF_THE_CLUSTER, PROPERTIES
from tests.metadata.security.support.acl_making import acl_creation

pytestmark = pytest.mark.slow

LEFT_OUT = "127.0.0.2"
REQUESTS, ACLS = 20, 2_500
"""As many records take a while to replay."""
REFUSALS = {ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.NOT_CONTROLLER}
WAIT_S = 30.0


def fetch(epoch: int) -> Message:
    """Everything that the metadata log of a leader of that epoch holds, SCRAM credentials included."""
    partition = FetchRequest.FetchPartition(
        current_leader_epoch=epoch, last_fetched_epoch=0, partition_max_bytes=1_000_000
    )
    topic = FetchRequest.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[partition])
    reader = FetchRequest.ReplicaState(replica_id=-1)
    return FetchRequest(replica_state=reader, max_bytes=1_000_000, min_bytes=0, max_wait_ms=0, topics=[topic])


def add_voter() -> Message:
    listener = AddRaftVoterRequest.Listener(name="CONTROLLER", host=LEFT_OUT, port=9)
    return AddRaftVoterRequest(
        cluster_id=CLUSTER_ID,
        voter_id=77,
        voter_directory_id=bytes([7] * 16),
        listeners=[listener],
        timeout_ms=100,
    )


def create_acl() -> Message:
    return CreateAclsRequest(
        creations=[acl_creation(**OF_THE_CLUSTER | {"host": LEFT_OUT}, operation=Operation.ALL)]
    )


@dataclass
class LeftOut:
    """Asks, one request after the other, until it is stopped."""

    address: str
    refused: Counter[tuple[str, ErrorCode]] = field(default_factory=Counter)
    let_through: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                self._ask()
            except OSError:
                # The node does not listen yet, or took the connection without serving it.
                continue

    def _ask(self) -> None:
        ((host, port),) = parse_servers(self.address)
        with socket.create_connection((host, port), 10, source_address=(LEFT_OUT, 0)) as stream:
            client = Client(stream, host, port, client_id="left-out", timeout_ms=10_000)
            while not self.stopped.is_set():
                for request in (fetch(epoch=2), add_voter(), create_acl()):
                    self._judge(request, client.send(request))

    def _judge(self, request: Message, response: Any) -> None:
        codes = {ErrorCode(code) for code, _ in problems(response)}
        codes |= {ErrorCode(response.error_code)} if hasattr(response, "error_code") else set()
        if len(codes) == 1 and codes <= REFUSALS and not getattr(response, "responses", ()):
            self.refused[request.NAME, codes.pop()] += 1
        else:
            self.let_through.append(f"{request.NAME}: {response!r:.200}")


def fill(node: OurNode) -> None:
    """A log that takes a while to replay, and the ACLs."""
    of_a_topic = {**OF_THE_CLUSTER, "host": "127.0.0.1", "resource_type": ResourceType.TOPIC}
    with connect(node.bootstrap_controller) as client:
        for request in range(REQUESTS):
            creations = [
                acl_creation(
                    **of_a_topic | {"resource_name": f"t{request}-{number}"}, operation=Operation.READ
                )
                for number in range(ACLS)
            ]
            assert problems(client.send(CreateAclsRequest(creations=creations))) == []
        all_of_the_node = acl_creation(**OF_THE_CLUSTER | {"host": "127.0.0.1"}, operation=Operation.ALL)
        assert problems(client.send(CreateAclsRequest(creations=[all_of_the_node]))) == []


def test_an_address_that_the_acls_leave_out_is_refused_all_through_a_start(tmp_path: Path) -> None:
    node = make_node(tmp_path, **PROPERTIES)
    left_out = LeftOut(node.bootstrap_controller)
    asking = threading.Thread(target=left_out.run)
    try:
        node.start()
        fill(node)
        node.stop()
        asking.start()
        node.start()
        loaded = ("CreateAclsRequest", ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
        wait_until(lambda: left_out.refused[loaded] > 0, WAIT_S, "a refusal by the ACLs themselves")
    finally:
        left_out.stopped.set()
        if asking.ident is not None:
            asking.join()
        node.close()
    assert left_out.let_through == []
    # It did ask while the node was replaying its log.
    assert left_out.refused["FetchRequest", ErrorCode.NOT_CONTROLLER] > 0, left_out.refused
