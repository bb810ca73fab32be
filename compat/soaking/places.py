"""Where something is: the leader of a partition, the coordinator of a group or a transactional id."""

from __future__ import annotations

from compat.soaking.load import Lines, RefusedError, check_code
from kafkaproto.messages import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    MetadataRequest,
    MetadataResponse,
)

GROUP, TRANSACTION = 0, 1
"""Kinds of keys that have a coordinator."""


def coordinator_of(lines: Lines, kind: int, key: str) -> str:
    """HOST:PORT of the coordinator, as the first node says. Raises OSError and RefusedError."""
    found = lines.ask(lines.addresses[0], FindCoordinatorRequest(key_type=kind, coordinator_keys=[key]))
    assert isinstance(found, FindCoordinatorResponse)
    (one,) = found.coordinators
    check_code("FindCoordinator", one.error_code)
    return f"{one.host}:{one.port}"


def leader_of(lines: Lines, topic: str, partition: int) -> str:
    """HOST:PORT of a partition's leader, as the first node says. Raises OSError and RefusedError."""
    request = MetadataRequest(topics=[MetadataRequest.Topic(name=topic)], allow_auto_topic_creation=False)
    found = lines.ask(lines.addresses[0], request)
    assert isinstance(found, MetadataResponse)
    brokers = {each.node_id: f"{each.host}:{each.port}" for each in found.brokers}
    for one in found.topics:
        check_code(f"Metadata of {topic}", one.error_code)
        for each in one.partitions:
            if each.partition_index == partition and each.leader_id in brokers:
                return brokers[each.leader_id]
    raise RefusedError(f"{topic}-{partition} has no leader")
