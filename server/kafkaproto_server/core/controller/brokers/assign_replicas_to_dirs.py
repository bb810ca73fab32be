"""AssignReplicasToDirs (73, v0): a broker reports which of its log directories hold which replicas (KIP-858).

If the directory is not online for that broker (it failed meanwhile, or was never registered), the same record takes
the replica out of ISR and leadership. If it is online, the replica may become the leader of a partition without one.
Apache Kafka's controllers write a second record for the former, and leave the latter to the partition's next change.

Partitions are checked one by one. A partition that is named for two directories ends up in the latter.

Apache Kafka: ``ReplicationControlManager.handleAssignReplicasToDirs``.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.partitions.partitions import Goal, PartitionChanges
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.entries import BrokerRegistration, TopicImage
from kafkaproto_server.metadata.image.records import DIRECTORIES_LEVEL

_DirectoryResult = AssignReplicasToDirsResponse.DirectoryData
_TopicResult = AssignReplicasToDirsResponse.TopicData
_PartitionResult = AssignReplicasToDirsResponse.PartitionData


def assign_directories(situation: Situation, request: AssignReplicasToDirsRequest) -> Steps[CommandResult]:
    """Record the valid assignments.

    Raises ApiError: UNSUPPORTED_VERSION if metadata.version is too low, STALE_BROKER_EPOCH unless the broker is
    registered with that epoch.
    """
    # Below this level PartitionChangeRecord has no field for directories, so the assignment would
    # be lost.
    if situation.image.metadata_version < DIRECTORIES_LEVEL:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
    broker = situation.image.brokers.get(request.broker_id)
    if broker is None or broker.epoch != request.broker_epoch:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
    topics = situation.image.topics
    changes = PartitionChanges(situation.image, situation.topic_configs())
    results = []
    for directory in request.directories:
        result = _DirectoryResult(id=directory.id, topics=[])
        results.append(result)
        for asked in directory.topics:
            topic = topics.get(asked.topic_id)
            topic_result = _TopicResult(topic_id=asked.topic_id, partitions=[])
            result.topics.append(topic_result)
            for partition in asked.partitions:
                index = partition.partition_index
                code = _assign(changes, broker, topic, index, directory.id)
                topic_result.partitions.append(_PartitionResult(partition_index=index, error_code=code))
                yield
    return CommandResult(
        response=AssignReplicasToDirsResponse(directories=results),
        records=changes.records,
        atomic=False,
    )


def _assign(
    changes: PartitionChanges,
    broker: BrokerRegistration,
    topic: TopicImage | None,
    index: int,
    directory_id: bytes,
) -> ErrorCode:
    """Record the directory of a replica; returns the error code for the response."""
    if topic is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    partition = changes.partition(topic, index)
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    # A reassignment may have removed the replica since the broker sent the request. To take the
    # directory then would name a replica that does not exist.
    if broker.broker_id not in partition.replicas:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    # The broker may report a failed directory by its heartbeat before this request arrives. The
    # heartbeat could not remove the replica: its directory was not known yet.
    is_online = broker.has_online_directory(directory_id)
    # One record for both. Kafka writes a second one, so its partition epoch rises twice.
    isr = tuple(replica for replica in partition.isr if is_online or replica != broker.broker_id)
    changes.change(topic, index, Goal(isr=isr, directories={broker.broker_id: directory_id}))
    # Also if the directory is not online, as in Kafka: what the broker says is recorded either way.
    return ErrorCode.NONE
