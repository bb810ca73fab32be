"""What a broker writes to `__consumer_offsets`, and reads again after its next start."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.node import Node
from compat.process import wait_until
from compat.quorum import connect
from compat.topic_logs import replica_folders
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    CreateTopicsRequest,
    FindCoordinatorRequest,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)
from kafkaproto.records.batch import iterate_batches
from tests.integration.conftest import make_node

pytestmark = pytest.mark.slow
WAIT_S = 60
TOPIC, GROUP, OFFSET = "t", "g", 7
LZ4 = 3


def commit(node: Node) -> bool:
    """Whether the offset of a group without members is committed."""
    partition = OffsetCommitRequest.Partition(partition_index=0, committed_offset=OFFSET)
    topic = OffsetCommitRequest.Topic(name=TOPIC, partitions=[partition])
    with connect(node.bootstrap_server) as client:
        client.send(FindCoordinatorRequest(coordinator_keys=[GROUP]), 6)
        response = client.send(OffsetCommitRequest(group_id=GROUP, topics=[topic]), 9)
    assert isinstance(response, OffsetCommitResponse)
    return bool(response.topics[0].partitions[0].error_code == ErrorCode.NONE)


def fetched(node: Node) -> int | None:
    """The committed offset; None if the coordinator does not tell."""
    topic = OffsetFetchRequest.Topics(name=TOPIC, partition_indexes=[0])
    group = OffsetFetchRequest.Group(group_id=GROUP, topics=[topic])
    with connect(node.bootstrap_server) as client:
        response = client.send(OffsetFetchRequest(groups=[group]), 9)
    assert isinstance(response, OffsetFetchResponse)
    (found,) = response.groups
    return None if found.error_code else found.topics[0].partitions[0].committed_offset


def test_offsets_are_compressed_as_the_configuration_says(tmp_path: Path) -> None:
    node = make_node(tmp_path, offsets_topic_compression_codec=str(LZ4), offsets_topic_num_partitions="1")
    try:
        node.start()
        with connect(node.bootstrap_server) as client:
            topic = CreateTopicsRequest.CreatableTopic(name=TOPIC, num_partitions=1, replication_factor=1)
            client.send(CreateTopicsRequest(topics=[topic], timeout_ms=10_000), 7)
        wait_until(lambda: commit(node), WAIT_S, "the commit")
        node.stop()
        (folder,) = replica_folders(node, "__consumer_offsets")
        batches = [each for path in folder.glob("*.log") for each in iterate_batches(path.read_bytes())]
        assert {each.compression for each in batches} == {LZ4}
        node.start()
        wait_until(lambda: fetched(node) == OFFSET, WAIT_S, "the committed offset")
    finally:
        node.close()
