"""Dialogues of fetch sessions: steps that a client takes, and what Apache Kafka answered to each fetch.

``../data/fetch_dialogues.json`` has them. The answers were recorded from a node of Apache Kafka 4.4.0 (sole node, both
roles, ``max.incremental.fetch.session.cache.slots=1000``), with raw requests over one connection:

    python -m tests.core.replicas.support.fetch_dialogues HOST:PORT

writes the file anew from the answers of the node at HOST:PORT. Each dialogue has topics of its own there. The steps:

- ``append``: [topic, partition]: produce a batch of one record.
- ``delete_records``: [topic, partition, offset]: raise the log start offset.
- ``fetch``: a Fetch request. ``session`` is ``none`` (id 0), ``current`` (the last id that the server gave) or a
  number. ``partitions`` has [topic, partition, fetch offset], and the current leader epoch if the request has one.
  ``forget`` has [topic, partition]. Topics are ``a`` and ``b``; ``unknown`` does not exist, and ``zero`` is the topic
  id of zeros.

A ``response`` has the error, the session (``none``, ``current`` or ``new``), and each partition in order: [topic,
partition, error, high watermark, log start offset, base offsets of its batches].

One answer is not in the file: a request with session id 2147483647 and epoch 1 gets UNKNOWN_SERVER_ERROR, because the
node looks for the session in a cache that it does not have.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any, Final

from kafkaproto.client import Client, parse_servers
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    FetchRequest,
    FetchResponse,
    ProduceRequest,
    ProduceResponse,
)
from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches

FILE: Final = Path(__file__).parents[1] / "data" / "fetch_dialogues.json"
PARTITIONS: Final = {"a": 3, "b": 1}
"""The topics of each dialogue, with their numbers of partitions."""
DEFAULTS: Final[dict[str, Any]] = {
    "version": 17,
    "session": "current",
    "partitions": [],
    "forget": [],
    "max_bytes": 1 << 20,
    "replica_id": -1,
}
"""What a fetch step has if it does not say."""
UNKNOWN_TOPIC_ID: Final = bytes(range(16))


def dialogues() -> list[dict[str, Any]]:
    """All dialogues of the file."""
    loaded: list[dict[str, Any]] = json.loads(FILE.read_text())
    return loaded


def fetch_request(
    step: dict[str, Any], names: dict[str, str], ids: dict[str, bytes], session_id: int
) -> FetchRequest:
    """The request of a fetch step (with `DEFAULTS` filled in)."""
    partitions = [
        FetchRequest.FetchTopic(
            topic=names[topic],
            topic_id=ids[topic],
            partitions=[
                FetchRequest.FetchPartition(
                    partition=index,
                    fetch_offset=offset,
                    partition_max_bytes=1 << 20,
                    current_leader_epoch=leader_epoch[0] if leader_epoch else -1,
                )
            ],
        )
        for topic, index, offset, *leader_epoch in step["partitions"]
    ]
    forgotten = [
        FetchRequest.ForgottenTopic(topic=names[topic], topic_id=ids[topic], partitions=[index])
        for topic, index in step["forget"]
    ]
    replica_id = step["replica_id"]
    request = FetchRequest(
        replica_id=replica_id if step["version"] < 15 else -1,
        max_bytes=step["max_bytes"],
        session_id=session_id,
        session_epoch=step["epoch"],
        topics=partitions,
        forgotten_topics_data=forgotten,
    )
    if step["version"] >= 15:
        request.replica_state.replica_id = replica_id
    return request


class Recorder:
    """One dialogue with a live node."""

    def __init__(self, client: Client, prefix: str) -> None:
        self._client = client
        self._names = {name: f"{prefix}-{name}" for name in PARTITIONS}
        self._names |= {"unknown": f"{prefix}-unknown", "zero": ""}
        created = client.send(
            CreateTopicsRequest(
                topics=[
                    CreateTopicsRequest.CreatableTopic(
                        name=self._names[name], num_partitions=count, replication_factor=1
                    )
                    for name, count in PARTITIONS.items()
                ],
                timeout_ms=30_000,
            )
        )
        assert isinstance(created, CreateTopicsResponse)
        by_name = {each.name: each.topic_id for each in created.topics}
        self._ids = {name: by_name[self._names[name]] for name in PARTITIONS}
        self._ids |= {"unknown": UNKNOWN_TOPIC_ID, "zero": bytes(16)}
        self._session_id = 0
        self._wait_until_led()

    def append(self, topic: str, index: int) -> None:
        """Produce a batch of one record."""
        batch = build_batch(
            [NewRecord(key=None, value=b"value")], base_offset=0, timestamp_ms=1_700_000_000_000
        )
        request = ProduceRequest(
            acks=-1,
            timeout_ms=30_000,
            topic_data=[
                ProduceRequest.TopicProduceData(
                    name=self._names[topic],
                    topic_id=self._ids[topic],
                    partition_data=[ProduceRequest.PartitionProduceData(index=index, records=batch)],
                )
            ],
        )
        response = self._client.send(request)
        assert isinstance(response, ProduceResponse)
        assert response.responses[0].partition_responses[0].error_code == 0

    def delete_records(self, topic: str, index: int, offset: int) -> None:
        """Raise the log start offset."""
        partitions = [DeleteRecordsRequest.DeleteRecordsPartition(partition_index=index, offset=offset)]
        topics = [DeleteRecordsRequest.DeleteRecordsTopic(name=self._names[topic], partitions=partitions)]
        response = self._client.send(DeleteRecordsRequest(topics=topics, timeout_ms=30_000))
        assert isinstance(response, DeleteRecordsResponse)
        assert response.topics[0].partitions[0].error_code == 0

    def fetch(self, step: dict[str, Any]) -> dict[str, Any]:
        """Fetch, and return the response in the form of the file."""
        step = DEFAULTS | step
        session = {"none": 0, "current": self._session_id}.get(step["session"], step["session"])
        request = fetch_request(step, self._names, self._ids, session)
        response = self._client.send(request, step["version"])
        assert isinstance(response, FetchResponse)
        label = "none" if response.session_id == 0 else "new"
        if response.session_id not in (0, self._session_id):
            self._session_id = response.session_id
        elif response.session_id:
            label = "current"
        return {
            "error": response.error_code,
            "session": label,
            "partitions": [
                [
                    self._topic(each.topic, each.topic_id, step["version"]),
                    data.partition_index,
                    data.error_code,
                    data.high_watermark,
                    data.log_start_offset,
                    [batch.base_offset for batch in iterate_batches(bytes(data.records or b""))],  # type: ignore[arg-type]
                ]
                for each in response.responses
                for data in each.partitions
            ],
        }

    def _wait_until_led(self) -> None:
        """Fetch without a session until the broker leads all partitions."""
        everything = [[name, index, 0] for name, count in PARTITIONS.items() for index in range(count)]
        while any(
            each[2]
            for each in self.fetch({"session": "none", "epoch": -1, "partitions": everything})["partitions"]
        ):
            pass

    def _topic(self, name: str, topic_id: bytes, version: int) -> str:
        known = self._ids if version >= 13 else self._names
        value = topic_id if version >= 13 else name
        return next(each for each in known if known[each] == value)


def record(host: str, port: int) -> None:
    """Write the file anew."""
    prefix = f"{random.Random().randrange(1 << 40):x}"
    lines = []
    for number, dialogue in enumerate(dialogues()):
        with Client.connect(host, port) as client:
            recorder = Recorder(client, f"{prefix}-{number}")
            for step in dialogue["steps"]:
                if "append" in step:
                    recorder.append(*step["append"])
                elif "delete_records" in step:
                    recorder.delete_records(*step["delete_records"])
                else:
                    step["response"] = recorder.fetch(step["fetch"])
        steps = ",\n".join("    " + json.dumps(step) for step in dialogue["steps"])
        lines.append(f'  {{"shows": {json.dumps(dialogue["shows"])}, "steps": [\n{steps}\n  ]}}')
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    record(*parse_servers(sys.argv[1])[0])
