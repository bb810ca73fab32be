"""AlterPartitionReassignments (45), v0-1; controller listeners, forwarded by brokers (KIP-455).

The active controller moves partitions to other replicas, or cancels a move. The decision is
`core.controller.commands.alter_partition_reassignments`.

- v1 can refuse moves that change the number of replicas (KIP-860).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse
from kafkaproto_server.apis.api import FORWARDED, Api, submitted
from kafkaproto_server.apis.bounds import PARTITIONS
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.refusals import Refusal, refuse_each

_TopicResult = AlterPartitionReassignmentsResponse.ReassignableTopicResponse
_PartitionResult = AlterPartitionReassignmentsResponse.ReassignablePartitionResponse


def refuse(
    request: AlterPartitionReassignmentsRequest, refusal: Refusal
) -> Steps[AlterPartitionReassignmentsResponse]:
    """The error on top and once for each partition."""
    responses = []
    for topic in request.topics:
        partitions = yield from refuse_each(
            topic.partitions,
            lambda partition: _PartitionResult(
                partition_index=partition.partition_index,
                error_code=refusal.code,
                error_message=refusal.message,
            ),
        )
        responses.append(_TopicResult(name=topic.name, partitions=partitions))
        yield
    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change,
        error_code=refusal.code,
        error_message=refusal.message,
        responses=responses,
    )


def _timeout_ms(request: AlterPartitionReassignmentsRequest) -> int:
    return request.timeout_ms


API = Api(
    key=ApiKey.ALTER_PARTITION_REASSIGNMENTS,
    bounds=PARTITIONS,
    broker=FORWARDED,
    controller=submitted(Operation.ALTER),
    refuse=refuse,
    timeout_ms=_timeout_ms,
)
