"""Record what a node of Apache Kafka responds to `produce_cases` or `produce_lies`, and what it stores.

    python -m tests.core.replicas.support.record_answers HOST:PORT cases > tests/core/replicas/data/produce_answers.json
    python -m tests.core.replicas.support.record_answers HOST:PORT lies > tests/core/replicas/data/produce_lies.json

The node has to be a new one: the topics are created, and producers must be unknown to it. The file has one line for
each case. Bytes are compressed with zlib and written in base64.
"""

from __future__ import annotations

import base64
import json
import sys
import time
import zlib
from typing import Any

from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    CreateTopicsRequest,
    FetchRequest,
    FetchResponse,
    ProduceRequest,
    ProduceResponse,
)
from tests.core.replicas.support.produce_cases import TOPICS, Case, cases
from tests.core.replicas.support.produce_lies import lies

FETCH_VERSION = 12
TIMEOUT_MS = 30_000
WAIT_MS = 5_000
"""After this time, no response will come any more."""

NO_RESPONSE = "no response"


def main() -> None:
    """Create the topics, send every case to its topic and print the file."""
    servers = parse_servers(sys.argv[1])
    with Client.bootstrap(servers) as client:
        _create_topics(client)
    now_ms = time.time_ns() // 1_000_000
    lines = []
    for case in {"cases": cases, "lies": lies}[sys.argv[2]](now_ms):
        # Some cases are never responded to, which makes the connection useless.
        with Client.bootstrap(servers, timeout_ms=WAIT_MS) as client:
            lines.append(json.dumps(_recorded(client, case)))
    topics = json.dumps(TOPICS)
    print(f'{{"now_ms": {now_ms}, "topics": {topics}, "cases": [\n' + ",\n".join(lines) + "\n]}")


def _create_topics(client: Client) -> None:
    topics = [
        CreateTopicsRequest.CreatableTopic(
            name=name,
            num_partitions=1,
            replication_factor=1,
            configs=[CreateTopicsRequest.CreatableTopicConfig(name=k, value=v) for k, v in configs.items()],
        )
        for name, configs in TOPICS.items()
    ]
    client.send(CreateTopicsRequest(topics=topics, timeout_ms=TIMEOUT_MS))
    for name in TOPICS:
        while _fetch(client, name, 0).error_code != ErrorCode.NONE:
            time.sleep(0.1)


def _recorded(client: Client, case: Case) -> dict[str, Any]:
    partition = ProduceRequest.PartitionProduceData(index=0, records=case.records)
    topic = ProduceRequest.TopicProduceData(name=case.topic, partition_data=[partition])
    request = ProduceRequest(
        transactional_id=case.transactional_id, acks=-1, timeout_ms=TIMEOUT_MS, topic_data=[topic]
    )
    recorded: dict[str, Any] = {"name": case.name, "topic": case.topic, "version": case.version}
    recorded["sent"] = None if case.records is None else _text(case.records)
    try:
        response = client.send(request, case.version)
    except (TimeoutError, ConnectionError) as error:
        recorded["error"] = NO_RESPONSE
        recorded["message"] = type(error).__name__
        return recorded
    assert isinstance(response, ProduceResponse)
    answer = response.responses[0].partition_responses[0]
    recorded["error"] = ErrorCode(answer.error_code).name
    if answer.error_message is not None:
        recorded["message"] = answer.error_message
    if answer.record_errors:
        recorded["record_errors"] = [
            [each.batch_index, each.batch_index_error_message] for each in answer.record_errors
        ]
    if answer.error_code == ErrorCode.NONE:
        recorded["append_time_ms"] = answer.log_append_time_ms
        recorded["base_offset"] = answer.base_offset
        stored = _fetch(client, case.topic, answer.base_offset).records
        assert isinstance(stored, memoryview | bytes), (
            "a response that was decoded has its records in one piece"
        )
        recorded["stored"] = _text(bytes(stored))
    return recorded


def _fetch(client: Client, topic: str, offset: int) -> FetchResponse.PartitionData:
    partition = FetchRequest.FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1)
    request = FetchRequest(topics=[FetchRequest.FetchTopic(topic=topic, partitions=[partition])], max_bytes=1)
    response = client.send(request, FETCH_VERSION)
    assert isinstance(response, FetchResponse)
    return response.responses[0].partitions[0]


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


if __name__ == "__main__":
    main()
