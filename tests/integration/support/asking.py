"""Short ways to ask a node, over our own client."""

from __future__ import annotations

from kafkaproto.client import Client, parse_servers
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    MetadataRequest,
    MetadataResponse,
)


def connect(address: str) -> Client:
    """A connection to HOST:PORT."""
    ((host, port),) = parse_servers(address)
    return Client.connect(host, port, timeout_ms=10_000)


def create_topic(address: str, name: str, partitions: int = 1) -> CreateTopicsResponse.CreatableTopicResult:
    """What became of one topic."""
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
    with connect(address) as client:
        response = client.send(CreateTopicsRequest(topics=[topic], timeout_ms=10_000))
    assert isinstance(response, CreateTopicsResponse)
    return response.topics[0]


def metadata(address: str) -> MetadataResponse:
    """Brokers and all topics."""
    with connect(address) as client:
        response = client.send(MetadataRequest(topics=None))
    assert isinstance(response, MetadataResponse)
    return response


def topics(address: str) -> dict[str, int]:
    """Number of partitions by topic name."""
    return {topic.name or "": len(topic.partitions) for topic in metadata(address).topics}


def quorum(address: str) -> DescribeQuorumResponse.PartitionData:
    """The metadata quorum as one node describes it."""
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    topic = DescribeQuorumRequest.TopicData(topic_name="__cluster_metadata", partitions=[partition])
    with connect(address) as client:
        response = client.send(DescribeQuorumRequest(topics=[topic]))
    assert isinstance(response, DescribeQuorumResponse)
    return response.topics[0].partitions[0]
