"""The same questions to two brokers of one cluster, of either implementation: the answers have to be the same.

Requests go over a `Probe` each, so that the broker asked is the one that answers; tools ask whom they like as soon as
they know the cluster. What administrators ask to be changed here is refused, or only validated: asking twice changes
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from functools import partial
from itertools import islice
from typing import Any

from compat.kafka.tools import run_tool
from compat.node import Node
from compat.probe import ClosedByServerError, Probe
from compat.quorum import connect
from kafkaproto.api import api_by_key
from kafkaproto.errors import LocalProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterClientQuotasRequest,
    AlterPartitionReassignmentsRequest,
    AlterUserScramCredentialsRequest,
    CreateAclsRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteAclsRequest,
    DeleteTopicsRequest,
    DescribeAclsRequest,
    DescribeClientQuotasRequest,
    DescribeClusterRequest,
    DescribeConfigsRequest,
    DescribeDelegationTokenRequest,
    DescribeQuorumRequest,
    DescribeTopicPartitionsRequest,
    DescribeUserScramCredentialsRequest,
    ElectLeadersRequest,
    IncrementalAlterConfigsRequest,
    ListConfigResourcesRequest,
    ListPartitionReassignmentsRequest,
    MetadataRequest,
    UnregisterBrokerRequest,
    UpdateFeaturesRequest,
)

CLOSED = "the connection closed"
ANY, ALL_PATTERNS = 1, 1
"""Of DescribeAcls: every operation, permission and resource type; every pattern."""
TOPIC, BROKER = 2, 4
"""Types of resources of DescribeConfigs."""
CHOSEN_ANEW: Mapping[str, frozenset[str]] = {
    "CreateTopicsRequest": frozenset({"topicId"}),
    "DescribeClusterRequest": frozenset({"controllerId"}),
    "DescribeQuorumRequest": frozenset(
        {"highWatermark", "logEndOffset", "lastFetchTimestamp", "lastCaughtUpTimestamp"}
    ),
    "MetadataRequest": frozenset({"controllerId"}),
}
"""What the next answer of the same broker has other values of: of a topic that is not created, of any broker alive."""
UNORDERED = frozenset(
    {"configs", "responses", "resources", "results", "synonyms", "topics", "entries", "configResources"}
)
"""Kafka answers these in the order of a hash table."""
UNKNOWN_ID = bytes(range(16))
MAX_DIFFERENCES = 20
"""Lines of them that are shown."""
NOT_COMPARED = (
    re.compile(r"^(?:HighWatermark|MaxFollowerLag|MaxFollowerLagTimeMs): +\d+$"),
    re.compile(r"(?<=Epoch: )\d+$"),
    re.compile(r"(?<=\t)\d+ *(?=\t)"),
    re.compile(r"^\S+ (?=(?:ERROR|WARN) )"),
    re.compile(r"(?<=SupportedMinVersion: )3\.\S+ "),
)
"""Of what a tool prints: offsets, times, and the lowest metadata.version, which ours has higher on purpose."""
TOOLS: tuple[tuple[str, ...], ...] = (
    ("kafka-topics", "--describe"),
    ("kafka-topics", "--describe", "--topic", "unknown"),
    ("kafka-configs", "--describe", "--all", "--entity-type", "brokers", "--entity-default"),
    ("kafka-configs", "--describe", "--entity-type", "topics"),
    ("kafka-configs", "--describe", "--entity-type", "brokers"),
    ("kafka-configs", "--describe", "--entity-type", "users"),
    ("kafka-configs", "--describe", "--entity-type", "client-metrics"),
    ("kafka-client-metrics", "--list"),
    ("kafka-acls", "--list"),
    ("kafka-broker-api-versions",),
    ("kafka-metadata-quorum", "describe", "--status"),
    ("kafka-metadata-quorum", "describe", "--replication"),
    ("kafka-features", "describe"),
    ("kafka-reassign-partitions", "--list"),
    ("kafka-cluster", "cluster-id"),
    ("kafka-cluster", "list-endpoints", "--include-fenced-brokers"),
)
SUBCOMMAND_FIRST = frozenset({"kafka-cluster"})
"""Tools that take their options after what they are to do."""


class ResponsesDifferError(Exception):
    """Ours does not answer as the stock broker does; the text has the question and both answers."""


def reads(topics: Sequence[str]) -> Iterator[Message]:
    """Requests that ask for what the cluster has; `topics` are some of its topics."""
    named = [MetadataRequest.Topic(name=name) for name in topics]
    yield MetadataRequest(topics=None)
    yield MetadataRequest(topics=named, include_topic_authorized_operations=True)
    yield MetadataRequest(topics=[MetadataRequest.Topic(name="unknown")], allow_auto_topic_creation=False)
    for fenced in (False, True):
        yield DescribeClusterRequest(
            include_cluster_authorized_operations=True, include_fenced_brokers=fenced
        )
    described = [
        (TOPIC, topics[0], None),
        (TOPIC, topics[0], ["retention.ms", "unknown"]),
        (TOPIC, "unknown", None),
        (BROKER, "", None),
    ]
    for kind, name, keys in described:
        resource = DescribeConfigsRequest.DescribeConfigsResource(
            resource_type=kind, resource_name=name, configuration_keys=keys
        )
        yield DescribeConfigsRequest(resources=[resource], include_synonyms=True)
    yield ListConfigResourcesRequest()
    yield DescribeTopicPartitionsRequest(
        topics=[
            DescribeTopicPartitionsRequest.TopicRequest(name=name) for name in sorted([*topics, "unknown"])
        ]
    )
    yield DescribeClientQuotasRequest()
    yield DescribeUserScramCredentialsRequest(users=None)
    yield DescribeUserScramCredentialsRequest(
        users=[DescribeUserScramCredentialsRequest.UserName(name="nobody")]
    )
    yield DescribeAclsRequest(
        resource_type_filter=ANY, resource_name_filter=None, pattern_type_filter=ALL_PATTERNS, principal_filter=None,
        host_filter=None, operation=ANY, permission_type=ANY,
    )  # fmt: skip
    yield DescribeDelegationTokenRequest(owners=None)
    yield ListPartitionReassignmentsRequest()
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    yield DescribeQuorumRequest(
        topics=[DescribeQuorumRequest.TopicData(topic_name="__cluster_metadata", partitions=[partition])]
    )


def refusals(topic: str) -> Iterator[Message]:
    """Requests that a broker forwards and the active controller refuses, or only looks at; `topic` is there."""
    new, config = CreateTopicsRequest.CreatableTopic, CreateTopicsRequest.CreatableTopicConfig
    yield CreateTopicsRequest(
        topics=[new(name="new", num_partitions=2, replication_factor=1)], validate_only=True
    )
    for name, replicas, configs in (
        (topic, 1, []),
        ("a b", 1, []),
        ("new", 99, []),
        ("new", 1, [config(name="retention.ms", value="soon")]),
        ("new", 1, [config(name="unknown", value="1")]),
    ):
        wanted = new(name=name, num_partitions=1, replication_factor=replicas, configs=configs)
        yield CreateTopicsRequest(topics=[wanted])
    yield DeleteTopicsRequest(
        topics=[DeleteTopicsRequest.DeleteTopicState(name="unknown")], topic_names=["unknown"]
    )
    yield DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(topic_id=UNKNOWN_ID)])
    for name, count in (("unknown", 2), (topic, 1)):
        grown = CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=count, assignments=None)
        yield CreatePartitionsRequest(topics=[grown], timeout_ms=10_000)
    for kind, name, key, value in (
        (TOPIC, topic, "retention.ms", "soon"),
        (TOPIC, topic, "unknown", "1"),
        (TOPIC, "unknown", "retention.ms", "1"),
        (BROKER, "", "log.cleaner.threads", "many"),
        (BROKER, "", "node.id", "7"),
        (BROKER, "", "log.cleaner.threads", "2"),
    ):
        yield alter_configs(kind, name, key, value, validate_only=True)
    yield ElectLeadersRequest(
        topic_partitions=[
            ElectLeadersRequest.TopicPartitions(topic=name, partitions=[0]) for name in (topic, "unknown")
        ]
    )
    partition = AlterPartitionReassignmentsRequest.ReassignablePartition(partition_index=0, replicas=[99])
    yield AlterPartitionReassignmentsRequest(
        topics=[AlterPartitionReassignmentsRequest.ReassignableTopic(name=topic, partitions=[partition])]
    )
    for feature, level in (("unknown", 1), ("metadata.version", 99)):
        update = UpdateFeaturesRequest.FeatureUpdateKey(feature=feature, max_version_level=level)
        yield UpdateFeaturesRequest(feature_updates=[update])
    yield UnregisterBrokerRequest(broker_id=99)
    yield AlterUserScramCredentialsRequest(
        deletions=[AlterUserScramCredentialsRequest.ScramCredentialDeletion(name="nobody", mechanism=1)]
    )
    for key in ("producer_byte_rate", "unknown"):
        entry = AlterClientQuotasRequest.EntryData(
            entity=[AlterClientQuotasRequest.EntityData(entity_type="user", entity_name="bob")],
            ops=[AlterClientQuotasRequest.OpData(key=key, value=-1.0)],
        )
        yield AlterClientQuotasRequest(entries=[entry])
    rule = CreateAclsRequest.AclCreation(
        resource_type=TOPIC, resource_name=topic, principal="nobody", host="*", operation=3, permission_type=3
    )
    yield CreateAclsRequest(creations=[rule])
    yield DeleteAclsRequest(
        filters=[
            DeleteAclsRequest.DeleteAclsFilter(
                resource_type_filter=TOPIC, resource_name_filter="unknown", principal_filter=None, host_filter=None,
                operation=ANY, permission_type=ANY,
            )
        ]
    )  # fmt: skip


def alter_configs(kind: int, name: str, key: str, value: str, *, validate_only: bool = False) -> Message:
    """A request to set one config of a resource, or to say whether it could be set."""
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[IncrementalAlterConfigsRequest.AlterableConfig(name=key, value=value)],
    )
    return IncrementalAlterConfigsRequest(resources=[resource], validate_only=validate_only)


def versions(request: Message) -> Iterator[int]:
    """The versions that Kafka serves of a request, but for those that cannot say it."""
    assert request.API_KEY is not None
    api = api_by_key(request.API_KEY)
    assert api is not None
    for version in range(api.min_version, api.max_stable_version + 1):
        try:
            request.encode(version)
        except LocalProtocolError:
            continue
        yield version


def answer(node: Node, request: Message, version: int) -> Any:
    """What a broker answers, as JSON in an order of its own, or CLOSED where it hangs up instead.

    Texts of errors are left out, which each implementation writes for itself. Raises OSError.
    """
    try:
        with Probe(node.bootstrap_server) as probe:
            told = probe.ask(request, version).to_json(version)
    except ClosedByServerError:
        return CLOSED
    return _comparable(told, CHOSEN_ANEW.get(request.NAME, frozenset()))


def _comparable(value: Any, anew: frozenset[str]) -> Any:
    if isinstance(value, list):
        return [_comparable(each, anew) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _in_order(name, "" if name in anew else _comparable(content, anew))
        for name, content in value.items()
        if not (name == "errorMessage" and value["errorCode"])
    }


def _in_order(name: str, content: Any) -> Any:
    return sorted(content, key=str) if name in UNORDERED and isinstance(content, list) else content


def served(node: Node) -> Mapping[int, tuple[int, int]]:
    """The versions of each request that a broker serves, by key."""
    with connect(node.bootstrap_server) as client:
        return {each.api_key: (each.min_version, each.max_version) for each in client.api_versions.api_keys}


def finalized(node: Node) -> Mapping[str, int]:
    """The levels of the features, as a broker tells its clients."""
    with connect(node.bootstrap_server) as client:
        return {each.name: each.max_version_level for each in client.api_versions.finalized_features}


def compare_requests(ours: Node, stock: Node, topics: Sequence[str]) -> int:
    """The number of answers that are the same at both, to all that is asked here. Raises AnswersDifferError."""
    compared = 0
    for request in (*reads(topics), *refusals(topics[0])):
        for version in versions(request):
            told, expected = answer(ours, request, version), answer(stock, request, version)
            if told != expected or told == CLOSED:
                raise ResponsesDifferError(f"{request} in version {version}: ours {told}, stock {expected}")
            compared += 1
    return compared


def compare_tools(ours: Node, stock: Node, tools: Sequence[tuple[str, ...]]) -> int:
    """The number of lines that these tools print alike of both. Raises AnswersDifferError with those that differ."""
    compared = 0
    for command in tools:
        with ThreadPoolExecutor(2) as pool:
            told, expected = pool.map(partial(_printed, command), (ours, stock))
        if told != expected:
            differences = islice(
                unified_diff(expected, told, "stock", "ours", n=0, lineterm=""), MAX_DIFFERENCES
            )
            raise ResponsesDifferError("\n".join((" ".join(command), *differences)))
        compared += len(told)
    return compared


def _printed(command: tuple[str, ...], node: Node) -> list[str]:
    """The exit code and the lines that a tool prints, sorted: some stand in the order of a hash table."""
    tool, *arguments = command
    address = ("--bootstrap-server", node.bootstrap_server)
    in_order = (*arguments, *address) if tool in SUBCOMMAND_FIRST else (*address, *arguments)
    result = run_tool(tool, *in_order)
    lines = [f"exit code {result.exit_code}", *result.stdout.splitlines(), *result.stderr.splitlines()]
    for pattern in NOT_COMPARED:
        lines = [pattern.sub("", line) for line in lines]
    return sorted(lines)
