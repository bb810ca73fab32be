"""Writes records to partitions of a broker and reads them back, over our own client."""

from __future__ import annotations

import time

from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import FetchRequest, FetchResponse, ProduceRequest, ProduceResponse
from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches

MAX_BYTES = 1 << 26


def produce(client: Client, topic_id: bytes, index: int, *values: bytes) -> int:
    """Append records with acks=all. Returns the error code of the partition."""
    records = [NewRecord(key=None, value=value) for value in values]
    batch = build_batch(records, base_offset=0, timestamp_ms=int(time.time() * 1000))
    partition = ProduceRequest.PartitionProduceData(index=index, records=batch)
    topic = ProduceRequest.TopicProduceData(topic_id=topic_id, partition_data=[partition])
    response = client.send(ProduceRequest(acks=-1, timeout_ms=10_000, topic_data=[topic]))
    assert isinstance(response, ProduceResponse)
    return response.responses[0].partition_responses[0].error_code


def consume(client: Client, topic_id: bytes, index: int) -> list[bytes]:
    """All values of a partition."""
    values: list[bytes] = []
    offset = 0
    while True:
        partition = FetchRequest.FetchPartition(
            partition=index, fetch_offset=offset, partition_max_bytes=MAX_BYTES
        )
        topic = FetchRequest.FetchTopic(topic_id=topic_id, partitions=[partition])
        response = client.send(FetchRequest(max_wait_ms=0, min_bytes=0, topics=[topic]))
        assert isinstance(response, FetchResponse)
        found = response.responses[0].partitions[0]
        assert found.error_code == ErrorCode.NONE, ErrorCode(found.error_code).name
        assert not isinstance(found.records, list)
        views = list(iterate_batches(bytes(found.records or b"")))
        if not views:
            return values
        for view in views:
            values += [bytes(each.value or b"") for each in view.records()]
            offset = view.header().next_offset
