"""What a command refuses leaves nothing that refers to itself.

Python frees such things only when its collector sees them, and a node keeps what survives out of the collector's sight.
"""

from __future__ import annotations

import gc

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterClientQuotasRequest,
    AlterConfigsRequest,
    AlterPartitionReassignmentsRequest,
    AlterUserScramCredentialsRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    ElectLeadersRequest,
    IncrementalAlterConfigsRequest,
)
from tests.core.controller.support.harness import Harness

COUNT = 200
NAMES = [f"n{number}" for number in range(COUNT)]
Deletion = AlterUserScramCredentialsRequest.ScramCredentialDeletion
Quotas = AlterClientQuotasRequest
Reassignments = AlterPartitionReassignmentsRequest
REFUSED: list[Message] = [
    AlterConfigsRequest(
        resources=[
            AlterConfigsRequest.AlterConfigsResource(resource_type=2, resource_name=name) for name in NAMES
        ]
    ),
    IncrementalAlterConfigsRequest(
        resources=[
            IncrementalAlterConfigsRequest.AlterConfigsResource(resource_type=2, resource_name=name)
            for name in NAMES
        ]
    ),
    CreatePartitionsRequest(
        topics=[CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=7) for name in NAMES],
        timeout_ms=1_000,
    ),
    CreatePartitionsRequest(
        topics=[CreatePartitionsRequest.CreatePartitionsTopic(name=f"t{n}", count=1) for n in range(COUNT)],
        timeout_ms=1_000,
    ),
    AlterUserScramCredentialsRequest(deletions=[Deletion(name=name, mechanism=1) for name in NAMES]),
    Quotas(
        entries=[
            Quotas.EntryData(
                entity=[Quotas.EntityData(entity_type="user", entity_name=name)],
                ops=[Quotas.OpData(key="unknown", value=1.0)],
            )
            for name in NAMES
        ]
    ),
    Reassignments(
        topics=[
            Reassignments.ReassignableTopic(
                name=name, partitions=[Reassignments.ReassignablePartition(replicas=[1])]
            )
            for name in NAMES
        ],
        timeout_ms=1_000,
    ),
    CreateTopicsRequest(
        topics=[
            CreateTopicsRequest.CreatableTopic(name=name, num_partitions=0, replication_factor=1)
            for name in NAMES
        ],
        timeout_ms=1_000,
    ),
    DeleteTopicsRequest(
        topics=[DeleteTopicsRequest.DeleteTopicState(name=name) for name in NAMES], timeout_ms=1_000
    ),
    ElectLeadersRequest(
        topic_partitions=[ElectLeadersRequest.TopicPartitions(topic=name, partitions=[0]) for name in NAMES],
        timeout_ms=1_000,
    ),
]


@pytest.mark.parametrize("request_", REFUSED, ids=lambda each: each.NAME)
def test_refused_items_leave_no_cycles(request_: Message) -> None:
    harness = Harness()
    harness.start_brokers(1)
    for number in range(COUNT):
        harness.create_topic(f"t{number}", [1])
    harness.effects.clear()
    gc.collect()
    gc.disable()
    try:
        harness.call(request_)
        harness.effects.clear()
        assert gc.collect() < COUNT
    finally:
        gc.enable()
