"""ElectLeaders (43), v0-2; controller listeners, forwarded by brokers (KIP-183, KIP-460).

The active controller elects preferred leaders, or any live replica (unclean). If the request names no partitions, it
elects for all of them. The decision is `core.controller.commands.elect_leaders`.

- v1 can ask for unclean elections, and has an error code of its own beside those of the partitions.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ElectLeadersRequest, ElectLeadersResponse
from kafkaproto_server.apis.api import FORWARDED, Api, submitted
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.refusals import Refusal, refuse_each

_FIRST_WITH_ERROR_ON_TOP = 1
_TopicResult = ElectLeadersResponse.ReplicaElectionResult
_PartitionResult = ElectLeadersResponse.PartitionResult


def refuse(request: ElectLeadersRequest, refusal: Refusal) -> Steps[ElectLeadersResponse]:
    """The error on top and once for each partition."""
    results = []
    for topic in request.topic_partitions or ():
        partitions = yield from refuse_each(
            topic.partitions,
            lambda index: _PartitionResult(
                partition_id=index, error_code=refusal.code, error_message=refusal.message
            ),
        )
        results.append(_TopicResult(topic=topic.topic, partition_result=partitions))
        yield
    has_error_on_top = refusal.version >= _FIRST_WITH_ERROR_ON_TOP
    return ElectLeadersResponse(
        error_code=refusal.code if has_error_on_top else ErrorCode.NONE, replica_election_results=results
    )


def _timeout_ms(request: ElectLeadersRequest) -> int:
    return request.timeout_ms


API = Api(
    key=ApiKey.ELECT_LEADERS,
    bounds=INDEXES,
    broker=FORWARDED,
    controller=submitted(Operation.ALTER),
    refuse=refuse,
    timeout_ms=_timeout_ms,
)
