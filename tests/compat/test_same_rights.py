"""The same ACLs on a node under test and on Apache Kafka, and then the same requests of a host that they speak of.

Under `allow.everyone.if.no.acl.found=true` a right follows from ACLs that there are, and from ACLs that there are not.
All clients are the same user, so the ACLs tell them apart by their hosts: `ADMINISTRATOR` writes the ACLs, and `CLIENT`
asks.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from compat.node import Node
from compat.probe import ClosedByServerError, Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.metadata.security.acls import Operation, PatternType, PermissionType, ResourceType
from tests.compat.support.nodes import beside_stock, create
from tests.compat.support.responses import CLOSED
from tests.metadata.security.support.acl_making import acl_creation, acl_filter

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

NODE, ADMINISTRATOR, CLIENT = "127.0.0.1", "127.0.0.2", "127.0.0.3"
AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
}
TOPIC, OTHER = "orders", "other"
CLUSTER = "kafka-cluster"
WAIT_S = 30.0
SETTLED_S = 0.5
"""A node's own image may be so late behind what the controller has answered."""
AGAIN = {
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.NOT_COORDINATOR,
}


def rule(resource_type: ResourceType, name: str, operation: Operation, **fields: Any) -> Any:
    """An ACL of the client."""
    given = {"principal": "User:*", "host": CLIENT, **fields}
    return acl_creation(resource_type=resource_type, resource_name=name, operation=operation, **given)


def on_topic(name: str, operation: Operation, **fields: Any) -> Any:
    return rule(ResourceType.TOPIC, name, operation, **fields)


def on_cluster(operation: Operation, **fields: Any) -> Any:
    return rule(ResourceType.CLUSTER, CLUSTER, operation, **fields)


DENY: dict[str, Any] = {"permission_type": PermissionType.DENY}
PREFIXED: dict[str, Any] = {"resource_pattern_type": PatternType.PREFIXED}
BASE = (
    on_cluster(Operation.ALL, host=NODE),
    on_cluster(Operation.ALL, host=ADMINISTRATOR),
)
"""With these, the client may nothing on the cluster."""
NO_TOPIC = on_topic("*", Operation.WRITE, host=NODE)
"""A topic without ACLs is everybody's, and no topic is without this one."""
RULES: dict[str, Sequence[Any]] = {
    "nothing": (),
    "no topic": (NO_TOPIC,),
    "a denial of all topics": (on_topic("*", Operation.WRITE, **DENY),),
    "a denial of all that is done with topics": (on_topic("*", Operation.ALL, **DENY),),
    "a denial of one topic": (on_topic(TOPIC, Operation.WRITE, **DENY),),
    "a denial of topics that begin alike": (on_topic("o", Operation.WRITE, **DENY, **PREFIXED),),
    "one topic of its own": (NO_TOPIC, on_topic(TOPIC, Operation.WRITE)),
    "one topic of its own that it only reads": (NO_TOPIC, on_topic(TOPIC, Operation.READ)),
    "all of one topic": (NO_TOPIC, on_topic(TOPIC, Operation.ALL)),
    "topics that begin alike": (NO_TOPIC, on_topic("o", Operation.WRITE, **PREFIXED)),
    "topics that begin alike, denied": (
        NO_TOPIC,
        on_topic("orders", Operation.WRITE, **PREFIXED),
        on_topic("o", Operation.WRITE, **DENY, **PREFIXED),
    ),
    "one topic, denied to all hosts": (
        NO_TOPIC,
        on_topic(TOPIC, Operation.WRITE),
        on_topic(TOPIC, Operation.WRITE, host="*", **DENY),
    ),
    "idempotent writes": (NO_TOPIC, on_cluster(Operation.IDEMPOTENT_WRITE)),
    "idempotent writes, denied": (on_cluster(Operation.IDEMPOTENT_WRITE, **DENY),),
    "changes of the cluster": (NO_TOPIC, on_cluster(Operation.ALTER)),
    "actions of the cluster": (NO_TOPIC, on_cluster(Operation.CLUSTER_ACTION)),
    "actions of the cluster, and no changes": (
        on_cluster(Operation.CLUSTER_ACTION),
        on_cluster(Operation.ALTER, **DENY),
    ),
    "changes of the cluster, and no actions": (
        on_cluster(Operation.ALTER),
        on_cluster(Operation.CLUSTER_ACTION, **DENY),
    ),
    "a description of the cluster": (on_cluster(Operation.DESCRIBE),),
    "everything of the cluster": (on_cluster(Operation.ALL),),
    "groups and transactional ids, denied": (
        rule(ResourceType.GROUP, "g", Operation.ALL, **DENY),
        rule(ResourceType.TRANSACTIONAL_ID, "x", Operation.WRITE, **DENY),
    ),
    "groups and transactional ids, described": (
        rule(ResourceType.GROUP, "g", Operation.DESCRIBE),
        rule(ResourceType.TRANSACTIONAL_ID, "x", Operation.DESCRIBE),
    ),
}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """A node under test and a stock one, with two topics each."""
    with beside_stock(tmp_path_factory, AUTHORIZER) as nodes:
        for node in nodes:
            for topic in (TOPIC, OTHER):
                create(node, topic)
            wait_until(lambda node=node: _is_coordinated(node), WAIT_S, "its coordinators")  # type: ignore[misc]
            change(node, kafka.CreateAclsRequest(creations=list(BASE)))
        yield nodes


def _is_coordinated(node: Node) -> bool:
    with Probe(node.bootstrap_server) as probe:
        for key_type, key in ((0, "g"), (1, "x")):
            found: Any = probe.ask(kafka.FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key]), 4)
            if found.coordinators[0].error_code:
                return False
        listed: Any = probe.ask(kafka.ListGroupsRequest(), 4)
        ids: Any = probe.ask(kafka.ListTransactionsRequest(), 1)
        begun: Any = probe.ask(begins("w"), 4)
    return not {listed.error_code, ids.error_code, begun.error_code} & AGAIN


def change(node: Node, request: Message) -> None:
    """The administrator changes ACLs."""
    with Probe(node.bootstrap_server, ADMINISTRATOR) as probe:
        response: Any = probe.ask(request, 3)
    results = response.results if hasattr(response, "results") else response.filter_results
    assert {each.error_code for each in results} == {0}


def asked(node: Node, request: Message, version: int) -> Any:
    """The response of a node to the client, or CLOSED."""
    try:
        with Probe(node.bootstrap_server, CLIENT) as probe:
            return probe.ask(request, version).to_json(version)
    except ClosedByServerError:
        return CLOSED


SAID = {"clusterAuthorizedOperations", "topicAuthorizedOperations", "authorizedOperations"}


def decisions(value: Any, place: str = "") -> list[str]:
    """The error codes of a response and the operations that it says are allowed, with their places."""
    if isinstance(value, dict):
        found = [
            f"{place}.{name}={content}"
            for name, content in value.items()
            if name.endswith("rrorCode") or name in SAID
        ]
        for name, content in value.items():
            found += decisions(content, f"{place}.{name}")
        return found
    if isinstance(value, list):
        return sorted(each for entry in value for each in decisions(entry, place))
    return [CLOSED] if value == CLOSED and not place else []


def begins(transactional_id: str | None) -> Message:
    return kafka.InitProducerIdRequest(
        transactional_id=transactional_id, transaction_timeout_ms=60_000, producer_id=-1, producer_epoch=-1
    )


def markers() -> Message:
    kind = kafka.WriteTxnMarkersRequest
    topic = kind.WritableTxnMarkerTopic(name=TOPIC, partition_indexes=[0])
    marker = kind.WritableTxnMarker(producer_id=5, producer_epoch=0, topics=[topic])
    return kind(markers=[marker])


def producing(topic: str) -> Message:
    kind = kafka.ProduceRequest
    data = kind.PartitionProduceData(
        index=0, records=build_batch([NewRecord(b"k", b"v")], base_offset=0, timestamp_ms=0)
    )
    return kind(
        acks=-1, timeout_ms=10_000, topic_data=[kind.TopicProduceData(name=topic, partition_data=[data])]
    )


def fetching(topic: str) -> Message:
    kind = kafka.FetchRequest
    place = kind.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)
    return kind(max_wait_ms=0, max_bytes=1000, topics=[kind.FetchTopic(topic=topic, partitions=[place])])


def of_topics() -> Message:
    """The topics, and what may be done with them."""
    kind = kafka.MetadataRequest
    topics = [kind.Topic(name=each) for each in (TOPIC, OTHER)]
    return kind(topics=topics, include_topic_authorized_operations=True)


def configuring(resource_type: int, name: str) -> Message:
    kind = kafka.IncrementalAlterConfigsRequest
    config = kind.AlterableConfig(name="retention.ms", config_operation=0, value="1000000")
    resource = kind.AlterConfigsResource(resource_type=resource_type, resource_name=name, configs=[config])
    return kind(resources=[resource], validate_only=True)


def describing(resource_type: int, name: str) -> Message:
    kind = kafka.DescribeConfigsRequest
    resource = kind.DescribeConfigsResource(
        resource_type=resource_type, resource_name=name, configuration_keys=["retention.ms"]
    )
    return kind(resources=[resource])


def creating(name: str) -> Message:
    kind = kafka.CreateTopicsRequest
    topic = kind.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
    return kind(topics=[topic], timeout_ms=10_000, validate_only=True)


def growing() -> Message:
    kind = kafka.CreatePartitionsRequest
    return kind(
        topics=[kind.CreatePartitionsTopic(name=TOPIC, count=5)], timeout_ms=10_000, validate_only=True
    )


def listing_offsets() -> Message:
    kind = kafka.ListOffsetsRequest
    place = kind.ListOffsetsPartition(partition_index=0, timestamp=-1)
    return kind(topics=[kind.ListOffsetsTopic(name=TOPIC, partitions=[place])])


def committing() -> Message:
    kind = kafka.OffsetCommitRequest
    places = [kind.Partition(partition_index=0, committed_offset=1)]
    topics = [kind.Topic(name=each, partitions=places) for each in (TOPIC, OTHER)]
    return kind(group_id="g", generation_id_or_member_epoch=-1, topics=topics)


def committed() -> Message:
    kind = kafka.OffsetFetchRequest
    return kind(groups=[kind.Group(group_id="g", topics=None)])


def adding() -> Message:
    kind = kafka.AddPartitionsToTxnRequest
    topic = kind.AddPartitionsToTxnTopic(name=TOPIC, partitions=[0])
    return kind(
        v3_and_below_transactional_id="y",
        v3_and_below_producer_id=7,
        v3_and_below_producer_epoch=0,
        v3_and_below_topics=[topic],
    )


def producers() -> Message:
    kind = kafka.DescribeProducersRequest
    return kind(topics=[kind.TopicRequest(name=each, partition_indexes=[0]) for each in (TOPIC, OTHER)])


# Who may not describe users and asks for all of them gets no answer of Apache Kafka. So no user is named.
REQUESTS: dict[str, tuple[Message, int]] = {
    "InitProducerId": (begins(None), 4),
    "InitProducerId, transactional": (begins("x"), 4),
    "WriteTxnMarkers": (markers(), 1),
    "Produce": (producing(TOPIC), 9),
    "Produce to another topic": (producing(OTHER), 9),
    "Fetch": (fetching(TOPIC), 12),
    "ListOffsets": (listing_offsets(), 7),
    "Metadata": (of_topics(), 12),
    "Metadata with the cluster": (
        kafka.MetadataRequest(topics=[], include_cluster_authorized_operations=True),
        9,
    ),
    "DescribeCluster": (kafka.DescribeClusterRequest(include_cluster_authorized_operations=True), 1),
    "CreateTopics": (creating("new"), 7),
    "CreatePartitions": (growing(), 3),
    "DescribeConfigs of a topic": (describing(2, TOPIC), 4),
    "DescribeConfigs of a broker": (describing(4, "1"), 4),
    "IncrementalAlterConfigs of a topic": (configuring(2, TOPIC), 1),
    "IncrementalAlterConfigs of brokers": (configuring(4, ""), 1),
    "DescribeProducers": (producers(), 0),
    "DescribeLogDirs": (kafka.DescribeLogDirsRequest(topics=None), 4),
    "DescribeQuorum": (
        kafka.DescribeQuorumRequest(
            topics=[
                kafka.DescribeQuorumRequest.TopicData(
                    topic_name="__cluster_metadata",
                    partitions=[kafka.DescribeQuorumRequest.PartitionData(partition_index=0)],
                )
            ]
        ),
        2,
    ),
    "DescribeAcls": (acl_filter(kafka.DescribeAclsRequest, resource_name_filter="none"), 3),
    "DescribeClientQuotas": (kafka.DescribeClientQuotasRequest(), 1),
    "DescribeUserScramCredentials": (kafka.DescribeUserScramCredentialsRequest(), 0),
    "ListPartitionReassignments": (kafka.ListPartitionReassignmentsRequest(topics=None), 0),
    "ElectLeaders": (kafka.ElectLeadersRequest(topic_partitions=[], timeout_ms=1000), 2),
    "FindCoordinator": (kafka.FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]), 4),
    "FindCoordinator of an id": (kafka.FindCoordinatorRequest(key_type=1, coordinator_keys=["x"]), 4),
    "OffsetCommit": (committing(), 8),
    "OffsetFetch": (committed(), 8),
    "DescribeGroups": (kafka.DescribeGroupsRequest(groups=["g"], include_authorized_operations=True), 5),
    "ConsumerGroupDescribe": (kafka.ConsumerGroupDescribeRequest(group_ids=["g"]), 1),
    "ListGroups": (kafka.ListGroupsRequest(), 4),
    "DescribeTransactions": (kafka.DescribeTransactionsRequest(transactional_ids=["x"]), 0),
    "ListTransactions": (kafka.ListTransactionsRequest(), 1),
    "AddPartitionsToTxn": (adding(), 3),
    "UnregisterBroker": (kafka.UnregisterBrokerRequest(broker_id=77), 0),
}


@pytest.mark.parametrize("name", RULES)
def test_the_same_is_allowed_and_refused(pair: tuple[Node, Node], name: str) -> None:
    rules = list(RULES[name])
    for node in pair:
        if rules:
            change(node, kafka.CreateAclsRequest(creations=rules))
    try:
        time.sleep(SETTLED_S)
        told = [{asks: decisions(asked(node, *REQUESTS[asks])) for asks in REQUESTS} for node in pair]
        assert told[0] == told[1]
    finally:
        filters = [
            acl_filter(
                resource_type_filter=each.resource_type,
                resource_name_filter=each.resource_name,
                pattern_type_filter=each.resource_pattern_type,
                principal_filter=each.principal,
                host_filter=each.host,
                operation=each.operation,
                permission_type=each.permission_type,
            )
            for each in rules
        ]
        for node in pair if filters else ():
            change(node, kafka.DeleteAclsRequest(filters=filters))
