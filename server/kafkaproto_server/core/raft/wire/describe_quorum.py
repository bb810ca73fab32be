"""The response to DescribeQuorum (55), v0 to v2: the quorum as its leader describes it (KIP-595, KIP-836, KIP-853).

Apache Kafka: ``KafkaRaftClient.handleDescribeQuorumRequest``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeQuorumRequest, DescribeQuorumResponse
from kafkaproto_server.base.types import METADATA_TOPIC, Voter
from kafkaproto_server.core.raft.values.quorum_description import (
    NotLeader,
    QuorumDescription,
    ReplicaDescription,
)
from kafkaproto_server.core.raft.wire.values import METADATA_PARTITION, directory_on_wire, listeners

if TYPE_CHECKING:
    from kafkaproto.generated.describe_quorum_response import (
        DescribeQuorumResponseNode,
        DescribeQuorumResponseReplicaState,
    )

DIRECTORY_IDS_AND_NODES_FROM = 2
"""First version of DescribeQuorumResponse with directory ids and the voters' endpoints (KIP-853)."""


def describe_quorum_response(
    request: DescribeQuorumRequest, version: int, description: QuorumDescription | NotLeader
) -> DescribeQuorumResponse:
    """The response to DescribeQuorum, v0 to v2, as Kafka gives it.

    Unless the request names exactly the metadata log's partition, the error is UNKNOWN_TOPIC_OR_PARTITION for every
    partition that it names; if it names none, the response has none and no error. A node that does not lead responds
    NOT_LEADER_OR_FOLLOWER. With an error, leader, epoch and high watermark are 0, not -1. Without an error, error
    messages are empty, not null.
    """
    named = [
        (topic.topic_name, partition.partition_index)
        for topic in request.topics
        for partition in topic.partitions
    ]
    # Also for both of two partitions, one of which is the right one: Kafka answers all or nothing.
    if len(request.topics) != 1 or named != [(METADATA_TOPIC, METADATA_PARTITION)]:
        return _error_response(request, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if isinstance(description, NotLeader):
        return _error_response(request, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    partition = DescribeQuorumResponse.PartitionData(
        partition_index=METADATA_PARTITION,
        leader_id=description.leader_id,
        leader_epoch=description.epoch,
        high_watermark=description.high_watermark,
        current_voters=[_replica_state(replica, version) for replica in description.voters],
        observers=[_replica_state(replica, version) for replica in description.observers],
    )
    # Older clients have no such fields. Voters only, but with all their listeners, at kraft.version
    # 0 as well.
    with_nodes = version >= DIRECTORY_IDS_AND_NODES_FROM
    return DescribeQuorumResponse(
        topics=[DescribeQuorumResponse.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
        nodes=[_node(voter) for voter in description.voter_set.voters] if with_nodes else [],
    )


def _error_response(request: DescribeQuorumRequest, error: ErrorCode) -> DescribeQuorumResponse:
    return DescribeQuorumResponse(
        topics=[
            DescribeQuorumResponse.TopicData(
                topic_name=topic.topic_name,
                partitions=[
                    DescribeQuorumResponse.PartitionData(
                        partition_index=partition.partition_index,
                        error_code=error,
                        # Kafka's standard text for the code; the versions before 2 leave it out.
                        error_message=error.message,
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _replica_state(replica: ReplicaDescription, version: int) -> DescribeQuorumResponseReplicaState:
    directory_id = replica.key.directory_id if version >= DIRECTORY_IDS_AND_NODES_FROM else None
    return DescribeQuorumResponse.ReplicaState(
        replica_id=replica.key.id,
        replica_directory_id=directory_on_wire(directory_id),
        log_end_offset=replica.log_end_offset,
        last_fetch_timestamp=replica.last_fetch_timestamp_ms,
        last_caught_up_timestamp=replica.last_caught_up_timestamp_ms,
    )


def _node(voter: Voter) -> DescribeQuorumResponseNode:
    return DescribeQuorumResponse.Node(
        node_id=voter.key.id,
        listeners=listeners(voter.endpoints, DescribeQuorumResponse.Listener),
    )
