"""DescribeLogDirs (35), versions 1-5, broker listeners.

The response contains every directory of the broker's ``log.dirs``, whatever topics are asked for. A failed directory
has KAFKA_STORAGE_ERROR and nothing else. The others have the bytes of their file systems (from version 4 on, -1 while
they are not known) and whether they are cordoned (version 5, KIP-1066). Sizes of file systems come from the last check
of the directory, at most a second ago. Directories are in the order of the configuration (Kafka: in that of a hash
table).

A directory has the replicas in it that are asked for (null: all). Each has the bytes of its segments, which are known
without a look at the disk, and how many offsets it lacks of what is committed. The copy of a replica that moves to the
directory (AlterReplicaLogDirs) has the future key, and how many offsets it lacks of what the replica has. The handler
looks at one replica a step.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeLogDirsRequest, DescribeLogDirsResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.apis.ports.node import LogDirectoryStatus
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext

Topic = DescribeLogDirsResponse.DescribeLogDirsTopic


def handle_describe_log_dirs(
    request: DescribeLogDirsRequest, context: RequestContext, services: Services
) -> Steps[DescribeLogDirsResponse]:
    """Return the broker's log directories."""
    wanted = yield from _wanted(request)
    # The state of a directory before its logs: one that fails meanwhile has failed by the next request.
    response = DescribeLogDirsResponse()
    online: dict[bytes, DescribeLogDirsResponse.DescribeLogDirsResult] = {}
    for directory in services.node.log_directories():
        result = _result(directory)
        response.results.append(result)
        if directory.is_online and directory.directory_id is not None:
            online[directory.directory_id] = result
    topics: dict[tuple[bytes, str], Topic] = {}
    # An empty list asks for directories without replicas.
    for log in services.questions.logs() if wanted is None or wanted else ():
        key = (log.directory_id, log.topic)
        if log.directory_id in online and (wanted is None or (log.topic, log.index) in wanted):
            topic = topics.get(key)
            if topic is None:
                topic = topics[key] = Topic(name=log.topic)
                online[log.directory_id].topics.append(topic)
            topic.partitions.append(
                DescribeLogDirsResponse.DescribeLogDirsPartition(
                    partition_index=log.index,
                    partition_size=log.size,
                    offset_lag=log.offset_lag,
                    is_future_key=log.is_future,
                )
            )
        yield
    return response


def _wanted(request: DescribeLogDirsRequest) -> Steps[set[tuple[str, int]] | None]:
    """Topic and index of the partitions that are asked for; None for all."""
    if request.topics is None:
        return None
    wanted: set[tuple[str, int]] = set()
    for topic in request.topics:
        for index in topic.partitions:
            wanted.add((topic.topic, index))
            yield
        yield
    return wanted


def _result(directory: LogDirectoryStatus) -> DescribeLogDirsResponse.DescribeLogDirsResult:
    if not directory.is_online:
        return DescribeLogDirsResponse.DescribeLogDirsResult(
            error_code=ErrorCode.KAFKA_STORAGE_ERROR, log_dir=directory.path
        )
    return DescribeLogDirsResponse.DescribeLogDirsResult(
        log_dir=directory.path,
        total_bytes=directory.total_bytes,
        usable_bytes=directory.usable_bytes,
        is_cordoned=directory.is_cordoned,
    )


API = Api(
    key=ApiKey.DESCRIBE_LOG_DIRS,
    bounds=INDEXES,
    broker=Served(handler=handle_describe_log_dirs, access=Access(operation=Operation.DESCRIBE)),
)
