"""What controllers answer brokers about where replicas lie."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from kafkaproto_server.core.broker.assignments import Replica


def answer(
    request: AssignReplicasToDirsRequest, errors: Mapping[Replica, int] | None = None
) -> AssignReplicasToDirsResponse:
    """As a controller answers: in the shape of the request."""
    response = AssignReplicasToDirsResponse
    return response(
        directories=[
            response.DirectoryData(
                id=directory.id,
                topics=[
                    response.TopicData(
                        topic_id=topic.topic_id,
                        partitions=[
                            response.PartitionData(
                                partition_index=each.partition_index,
                                error_code=(errors or {}).get((topic.topic_id, each.partition_index), 0),
                            )
                            for each in topic.partitions
                        ],
                    )
                    for topic in directory.topics
                ],
            )
            for directory in request.directories
        ]
    )
