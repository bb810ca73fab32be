"""AlterReplicaLogDirs (34), versions 1-2, broker listeners.

The broker moves its replicas to the log directories that the request names by their paths, while they are in use
(KIP-113). The response says that a move has begun; DescribeLogDirs shows how far it is. A replica that is in the
directory already stays, and a move of it to another one is given up. A replica that this broker does not have yet
begins in the directory, if the broker learns of it later.

The errors, in this order: INVALID_TOPIC_EXCEPTION (no directory could have the name of the copy), LOG_DIR_NOT_FOUND,
KAFKA_STORAGE_ERROR (the directory, the replica or, for a move that begins, any directory is offline),
INVALID_REPLICA_ASSIGNMENT (the directory is cordoned), UNKNOWN_TOPIC_OR_PARTITION, REPLICA_NOT_AVAILABLE.

A partition that is named twice gets one response, for the directory that is named last.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal

Topic = AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult
Partition = AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult


def handle_alter_replica_log_dirs(
    request: AlterReplicaLogDirsRequest, context: RequestContext, services: Services
) -> Steps[AlterReplicaLogDirsResponse]:
    """Begin the moves, a partition a step."""
    response = AlterReplicaLogDirsResponse()
    topics: dict[str, Topic] = {}
    for (name, index), path in (yield from _wanted(request)).items():
        code = services.replicas.alter_directory(name, index, path)
        if name not in topics:
            topics[name] = Topic(topic_name=name)
            response.results.append(topics[name])
        topics[name].partitions.append(Partition(partition_index=index, error_code=code))
        yield
    return response


def _wanted(request: AlterReplicaLogDirsRequest) -> Steps[dict[tuple[str, int], str]]:
    """The directory for each partition."""
    wanted = {}
    for directory in request.dirs:
        for topic in directory.topics:
            for index in topic.partitions:
                wanted[topic.name, index] = directory.path
                yield
            yield
        yield
    return wanted


def refuse(request: AlterReplicaLogDirsRequest, refusal: Refusal) -> Steps[AlterReplicaLogDirsResponse]:
    """The error for each partition."""
    response = AlterReplicaLogDirsResponse()
    topics: dict[str, Topic] = {}
    for name, index in (yield from _wanted(request)):
        if name not in topics:
            topics[name] = Topic(topic_name=name)
            response.results.append(topics[name])
        topics[name].partitions.append(Partition(partition_index=index, error_code=refusal.code))
        yield
    return response


API = Api(
    key=ApiKey.ALTER_REPLICA_LOG_DIRS,
    bounds=INDEXES,
    broker=Served(handler=handle_alter_replica_log_dirs, access=Access(operation=Operation.ALTER)),
    refuse=refuse,
)
