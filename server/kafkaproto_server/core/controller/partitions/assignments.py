"""Checks replica assignments that a request itself names, for new topics and for new partitions.

Apache Kafka: ``ReplicationControlManager.validateManualPartitionAssignment``.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.partitions.placement import is_cordoned
from kafkaproto_server.core.controller.values.command import ApiError
from kafkaproto_server.metadata.image.image import ClusterImage


def check_assignments(
    image: ClusterImage, assignments: Sequence[Sequence[int]], *, replication_factor: int | None
) -> Steps[None]:
    """Raise ApiError (INVALID_REPLICA_ASSIGNMENT) unless every partition can have these replicas.

    All partitions must have ``replication_factor`` replicas; None stands for as many as the first partition has.
    """
    for replicas in assignments:
        if not replicas:
            raise _invalid("A partition is assigned to no broker at all.")
        for replica in replicas:
            # Registered is enough: a fenced broker may come back. Kafka accepts it, too.
            if replica not in image.brokers:
                raise _invalid(f"Broker {replica} in assignment {list(replicas)} is not registered.")
            # Also where the broker has the replica already. Kafka takes such assignments before 4.4.
            if is_cordoned(image.brokers[replica]):
                raise _invalid(
                    f"All log directories of broker {replica} in assignment {list(replicas)} are cordoned."
                )
        # Two replicas on one broker would be one copy, counted twice for min.insync.replicas.
        if len(dict.fromkeys(replicas)) != len(replicas):
            raise _invalid(f"Assignment {list(replicas)} names a broker twice.")
        if replication_factor is None:
            replication_factor = len(replicas)
        # New partitions and the rule for min.insync.replicas take a topic's replication factor from
        # its first partition alone.
        if len(replicas) != replication_factor:
            raise _invalid(
                f"Assignment {list(replicas)} has {len(replicas)} replicas, others have {replication_factor}."
            )
        yield


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)
