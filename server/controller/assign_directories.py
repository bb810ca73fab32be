"""AssignReplicasToDirs (73, v0): a broker tells which of its log directories hold which replicas (KIP-858).

Where the directory is not online for that broker (it failed meanwhile, or was never registered) the replica leaves
ISR and leadership with the same record; where it is, a partition that nobody leads may find its leader in it. Stock
controllers write a second record for the one and leave the other to the next change of the partition.

Partitions are refused one by one; one that is named for two directories ends up in the latter.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from server.controller.command import ApiError, Result, Situation
from server.controller.partitions import Goal, PartitionChanges
from server.image.image import BrokerRegistration, TopicImage
from server.image.records import DIRECTORIES_LEVEL

_DirectoryResult = AssignReplicasToDirsResponse.DirectoryData
_TopicResult = AssignReplicasToDirsResponse.TopicData
_PartitionResult = AssignReplicasToDirsResponse.PartitionData


def assign_directories(situation: Situation, request: AssignReplicasToDirsRequest) -> Result:
    """Record what can be recorded; raises ApiError where the sender or the cluster is not fit for it."""
    if situation.image.metadata_version < DIRECTORIES_LEVEL:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
    broker = situation.image.brokers.get(request.broker_id)
    if broker is None or broker.epoch != request.broker_epoch:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
    topics = situation.image.topics
    changes = PartitionChanges(situation.image, situation.topic_settings())
    results = [
        _DirectoryResult(
            id=directory.id,
            topics=[
                _TopicResult(
                    topic_id=topic.topic_id,
                    partitions=[
                        _PartitionResult(
                            partition_index=partition.partition_index,
                            error_code=_assign(
                                changes,
                                broker,
                                topics.get(topic.topic_id),
                                partition.partition_index,
                                directory.id,
                            ),
                        )
                        for partition in topic.partitions
                    ],
                )
                for topic in directory.topics
            ],
        )
        for directory in request.directories
    ]
    return Result(
        response=AssignReplicasToDirsResponse(directories=results),
        records=tuple(changes.records),
        atomic=False,
    )


def refuse_assignments(request: Message, error: ApiError) -> AssignReplicasToDirsResponse:
    """The answer to a request that is refused as a whole."""
    return AssignReplicasToDirsResponse(error_code=error.code)


def _assign(
    changes: PartitionChanges,
    broker: BrokerRegistration,
    topic: TopicImage | None,
    index: int,
    directory_id: bytes,
) -> ErrorCode:
    """Record where a replica lies; the error code is what its sender is told."""
    if topic is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    partition = changes.partition(topic, index)
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if broker.broker_id not in partition.replicas:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    is_online = broker.has_online_directory(directory_id)
    isr = tuple(replica for replica in partition.isr if is_online or replica != broker.broker_id)
    changes.change(topic, index, Goal(isr=isr, directories={broker.broker_id: directory_id}))
    return ErrorCode.NONE
