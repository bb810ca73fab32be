"""Record what `producer_dialogues` reads.

    python -m tests.core.log_state.support.record_dialogues

starts a node of Apache Kafka, sends it every step of every dialogue, stops it, and writes the file anew.
"""

from __future__ import annotations

import base64
import json
import tempfile
import zlib
from pathlib import Path
from typing import Any

from compat.kafka.stock import StockNode
from compat.node import combined_properties
from compat.process import wait_until
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    DescribeProducersRequest,
    DescribeProducersResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ProduceRequest,
    ProduceResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from tests.core.log_state.support.producer_dialogues import DATA, DIALOGUES, Mark, Send

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
PRODUCE_VERSION = 11
LIST_OFFSETS_VERSION = 7
TIMEOUT_MS = 10_000


def main() -> None:
    """Record all dialogues."""
    with tempfile.TemporaryDirectory() as directory:
        recorded = _record(Path(directory))
    DATA.write_text("[\n" + ",\n".join(json.dumps(each) for each in recorded) + "\n]\n")


def _record(directory: Path) -> list[dict[str, Any]]:
    properties = {
        **combined_properties(directory / "data"),
        "transaction.partition.verification.enable": "false",
        "log.retention.ms": "-1",
        # The clock of markers is years ahead of that of the batches, which would be a reason to roll the segment.
        "log.roll.ms": str(2**62),
    }
    node = StockNode(directory, properties)
    node.format(CLUSTER_ID)
    recorded = []
    try:
        node.start()
        with Client.bootstrap(parse_servers(node.bootstrap_server)) as client:
            for number, (name, steps) in enumerate(DIALOGUES.items()):
                topic = f"dialogue-{number}"
                _create_topic(client, topic, "LogAppendTime" if name == "append time" else "CreateTime")
                answers = [_step(client, topic, position, step) for position, step in enumerate(steps)]
                recorded.append({"name": name, "answers": answers, "active": _active(client, topic)})
        node.stop()
    finally:
        node.close()
    for number, each in enumerate(recorded):
        each.update(_files(node.data_directory / f"dialogue-{number}-0"))
    return recorded


def _files(directory: Path) -> dict[str, str]:
    (snapshot,) = directory.glob("*.snapshot")
    # Kafka makes the index with its first entry.
    index = directory / f"{0:020}.txnindex"
    return {
        "log": base64.b64encode(zlib.compress((directory / f"{0:020}.log").read_bytes(), 9)).decode(),
        "snapshot": snapshot.read_bytes().hex(),
        "transaction_index": index.read_bytes().hex() if index.exists() else "",
    }


def _create_topic(client: Client, name: str, timestamp_type: str) -> None:
    config = CreateTopicsRequest.CreatableTopicConfig(name="message.timestamp.type", value=timestamp_type)
    topic = CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=1, replication_factor=1, configs=[config]
    )
    response = client.send(CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS))
    assert isinstance(response, CreateTopicsResponse)
    assert response.topics[0].error_code == ErrorCode.NONE, response
    wait_until(lambda: _last_stable_offset(client, name) == 0, 20.0, f"{name} has a leader")


def _step(client: Client, topic: str, position: int, step: Send | Mark) -> dict[str, Any]:
    answer = _send(client, topic, position, step) if isinstance(step, Send) else _mark(client, topic, step)
    return {**answer, "last_stable_offset": _last_stable_offset(client, topic)}


def _send(client: Client, name: str, position: int, step: Send) -> dict[str, Any]:
    partition = ProduceRequest.PartitionProduceData(index=0, records=step.batch(position))
    topic = ProduceRequest.TopicProduceData(name=name, partition_data=[partition])
    request = ProduceRequest(
        transactional_id="any" if step.transactional else None,
        acks=-1,
        timeout_ms=TIMEOUT_MS,
        topic_data=[topic],
    )
    response = client.send(request, PRODUCE_VERSION)
    assert isinstance(response, ProduceResponse)
    answer = response.responses[0].partition_responses[0]
    recorded: dict[str, Any] = {"error": ErrorCode(answer.error_code).name}
    if answer.error_code == ErrorCode.NONE:
        recorded["base_offset"] = answer.base_offset
        if answer.log_append_time_ms >= 0:
            recorded["append_time_ms"] = answer.log_append_time_ms
    return recorded


def _mark(client: Client, name: str, step: Mark) -> dict[str, Any]:
    marker = WriteTxnMarkersRequest.WritableTxnMarker(
        producer_id=step.producer_id,
        producer_epoch=step.epoch,
        transaction_result=not step.is_abort,
        topics=[WriteTxnMarkersRequest.WritableTxnMarkerTopic(name=name, partition_indexes=[0])],
        coordinator_epoch=step.coordinator_epoch,
        transaction_version=step.transaction_version,
    )
    response = client.send(WriteTxnMarkersRequest(markers=[marker]), 2)
    assert isinstance(response, WriteTxnMarkersResponse)
    return {"error": ErrorCode(response.markers[0].topics[0].partitions[0].error_code).name}


def _last_stable_offset(client: Client, name: str) -> int:
    partition = ListOffsetsRequest.ListOffsetsPartition(partition_index=0, timestamp=-1)
    topic = ListOffsetsRequest.ListOffsetsTopic(name=name, partitions=[partition])
    response = client.send(
        ListOffsetsRequest(replica_id=-1, isolation_level=1, topics=[topic]), LIST_OFFSETS_VERSION
    )
    assert isinstance(response, ListOffsetsResponse)
    return response.topics[0].partitions[0].offset


def _active(client: Client, name: str) -> list[list[int]]:
    topic = DescribeProducersRequest.TopicRequest(name=name, partition_indexes=[0])
    response = client.send(DescribeProducersRequest(topics=[topic]))
    assert isinstance(response, DescribeProducersResponse)
    return [
        [
            each.producer_id,
            each.producer_epoch,
            each.last_sequence,
            each.last_timestamp,
            each.coordinator_epoch,
            each.current_txn_start_offset,
        ]
        for each in response.topics[0].partitions[0].active_producers
    ]


if __name__ == "__main__":
    main()
