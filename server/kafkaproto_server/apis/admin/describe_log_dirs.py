"""DescribeLogDirs (35), versions 1-5, broker listeners.

The response contains every directory of the broker's ``log.dirs``, whatever topics are asked for. A failed directory
has KAFKA_STORAGE_ERROR and nothing else. The others have the bytes of their file systems (from version 4 on, -1 while
they are not known) and whether they are cordoned (version 5, KIP-1066). Sizes come from the last check of the
directory, at most a second ago. Directories are in the order of the configuration (Kafka: in that of a hash table).

Not done: replicas in the directories; a broker of ours keeps none yet.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeLogDirsRequest, DescribeLogDirsResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.ports import LogDirectoryStatus, Services
from kafkaproto_server.security.acls import Operation


def handle_describe_log_dirs(
    request: DescribeLogDirsRequest, context: RequestContext, services: Services
) -> DescribeLogDirsResponse:
    """Return the broker's log directories."""
    return DescribeLogDirsResponse(results=[_result(each) for each in services.node.log_directories()])


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
