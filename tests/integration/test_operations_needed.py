"""An authorizer on a real node: each operation is denied in turn, and exactly the apis that need it refuse.

All connections are User:ANONYMOUS's, those of the node's own broker half too. Under ACLs for the cluster and no others,
what topics, tokens and users need is allowed to everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from compat.node import Node
from compat.process import wait_until
from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateAclsRequest,
    DeleteAclsRequest,
    DeleteTopicsRequest,
    DescribeTopicPartitionsRequest,
    MetadataRequest,
)
from kafkaproto_server.apis.table import TABLE
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.security.acls import Operation, PermissionType, ResourceType
from tests.apis.test_documented_operations import needs
from tests.apis.test_wrong_fields import problems
from tests.integration.conftest import make_node
from tests.integration.support.asking import connect, create_topic
from tests.metadata.security.support.acl_making import acl_creation, acl_filter

pytestmark = pytest.mark.slow

BROKER, CONTROLLER = ListenerKind.BROKER, ListenerKind.CONTROLLER
WAIT_S = 20.0
OF_BROKER = 4
OF_THE_CLUSTER: dict[str, Any] = {
    "resource_type": ResourceType.CLUSTER,
    "resource_name": "kafka-cluster",
    "principal": "User:ANONYMOUS",
}
SHARE_STATE_TOPICS = {
    83: "InitializeStateData",
    84: "ReadStateData",
    85: "WriteStateData",
    86: "DeleteStateData",
    87: "ReadStateSummaryData",
}
"""What a topic is in requests about the state of share groups."""
IN_TURN = (
    Operation.DESCRIBE,
    Operation.DESCRIBE_CONFIGS,
    Operation.ALTER_CONFIGS,
    Operation.CLUSTER_ACTION,
    # Nobody can take this back.
    Operation.ALTER,
)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    node = make_node(tmp_path_factory.mktemp("guarded"), **PROPERTIES)
    try:
        node.start()
        yield node
        node.assert_running()
    finally:
        node.close()


PROPERTIES = {
    "authorizer_class_name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow_everyone_if_no_acl_found": "true",
}


def request_of(key: int) -> Message:
    """The emptiest request that can be refused: it asks for nothing that would change anything."""
    api = api_by_key(key)
    assert api is not None
    request: Any = api.request_class()
    cls = type(request)
    if key == 0:
        # Without acks there is no response.
        request.acks = -1
    if key == 27:
        topic = cls.WritableTxnMarkerTopic(name="nothing", partition_indexes=[0])
        request.markers = [cls.WritableTxnMarker(producer_id=1, topics=[topic])]
    if key in SHARE_STATE_TOPICS:
        partition = cls.PartitionData(partition=0)
        request.topics = [getattr(cls, SHARE_STATE_TOPICS[key])(partitions=[partition])]
    if key == 29:
        return acl_filter(cls)  # type: ignore[no-any-return]
    if key == 30:
        request.creations = [cls.AclCreation()]
    elif key == 31:
        request.filters = [cls.DeleteAclsFilter(resource_name_filter="nothing")]
    elif key == 32:
        request.resources = [
            cls.DescribeConfigsResource(resource_type=OF_BROKER, resource_name="1", configuration_keys=[])
        ]
    elif key in (33, 44):
        request.resources = [cls.AlterConfigsResource(resource_type=OF_BROKER, resource_name="1")]
        request.validate_only = True
    elif key == 34:
        topics = [cls.AlterReplicaLogDirTopic(name="nothing", partitions=[0])]
        request.dirs = [cls.AlterReplicaLogDir(path="/nowhere", topics=topics)]
    elif key == 49:
        request.entries = [cls.EntryData()]
    elif key == 51:
        request.deletions = [cls.ScramCredentialDeletion(name="nobody")]
    elif key == 60:
        request.endpoint_type = 2
    return request  # type: ignore[no-any-return]


def refused(address: str, key: int) -> bool:
    """Whether the node says that the cluster is not to be asked for this."""
    with connect(address) as client:
        response = client.send(request_of(key))
    return ErrorCode.CLUSTER_AUTHORIZATION_FAILED in {code for code, _ in problems(response)}


def refuses_exactly(node: Node, kind: ListenerKind, keys: set[int], expected: set[int]) -> bool:
    """Whether of these apis exactly those refuse."""
    address = node.bootstrap_server if kind is BROKER else node.bootstrap_controller
    return {key for key in keys if refused(address, key)} == expected


def change_acls(node: Node, request: CreateAclsRequest | DeleteAclsRequest) -> None:
    with connect(node.bootstrap_controller) as client:
        assert problems(client.send(request)) == []


def names(address: str, request: Message) -> dict[str | None, int]:
    """The error code of each topic that an answer names."""
    with connect(address) as client:
        response: Any = client.send(request)
    return {topic.name: topic.error_code for topic in response.topics}


def lists(address: str, request: Message, expected: dict[str | None, int]) -> bool:
    return names(address, request) == expected


def test_a_topic_that_may_not_be_described_is_in_no_list_and_refused_by_name(guarded: Node) -> None:
    shown, hidden, missing = "shown", "hidden", "missing"
    address = guarded.bootstrap_server
    for name in (shown, hidden):
        assert create_topic(address, name).error_code == 0
    denied = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    for name in (hidden, missing):
        denial = acl_creation(
            resource_name=name,
            principal="User:ANONYMOUS",
            operation=Operation.DESCRIBE,
            permission_type=PermissionType.DENY,
        )
        change_acls(guarded, CreateAclsRequest(creations=[denial]))
    for request in (MetadataRequest(topics=None), DescribeTopicPartitionsRequest()):
        wait_until(partial(lists, address, request, {shown: 0}), WAIT_S, f"{request.NAME} to hide topics")
    wanted = (shown, hidden, missing)
    by_name = MetadataRequest(
        topics=[MetadataRequest.Topic(name=name) for name in wanted], allow_auto_topic_creation=False
    )
    partitions = DescribeTopicPartitionsRequest(
        topics=[DescribeTopicPartitionsRequest.TopicRequest(name=name) for name in wanted]
    )
    for request in (by_name, partitions):
        # What is there and what is not look the same to who may not know.
        assert names(address, request) == {shown: 0, hidden: denied, missing: denied}
    deletion = DeleteTopicsRequest(
        topics=[DeleteTopicsRequest.DeleteTopicState(name=name) for name in (hidden, missing)],
        timeout_ms=1000,
    )
    with connect(address) as client:
        deleted: Any = client.send(deletion)
    # Who may delete in the cluster, as everybody may here, may delete what it does not see.
    assert {each.error_code for each in deleted.responses} == {0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


def test_each_operation_that_is_denied_is_missing_where_it_is_needed(guarded: Node) -> None:
    everything = acl_creation(**OF_THE_CLUSTER, operation=Operation.ALL)
    change_acls(guarded, CreateAclsRequest(creations=[everything]))
    for operation in IN_TURN:
        denial = acl_creation(**OF_THE_CLUSTER, operation=operation, permission_type=PermissionType.DENY)
        change_acls(guarded, CreateAclsRequest(creations=[denial]))
        for kind in (CONTROLLER, BROKER):
            # An envelope without its operation is not the client's fault, who gets another error for it.
            forwarded = operation is Operation.CLUSTER_ACTION and kind is BROKER
            keys = {key for key, served in TABLE[kind].items() if not (forwarded and served.is_forwarded)}
            expected = {
                key for key in keys if (operation, ResourceType.CLUSTER) in needs(kind, request_of(key))
            }
            # Whom the cluster's ACLs do not let may still be let by the topic's, or is told of no group. For
            # WriteTxnMarkers, either of two operations is enough.
            expected -= {16, 19, 20, 23, 27}
            wait_until(
                partial(refuses_exactly, guarded, kind, keys, expected),
                WAIT_S,
                f"{operation.name} to be missing on {kind.value}s: {sorted(expected)}",
            )
        if operation is not Operation.ALTER:
            taken_back = acl_filter(operation=operation, permission_type=PermissionType.DENY)
            change_acls(guarded, DeleteAclsRequest(filters=[taken_back]))
