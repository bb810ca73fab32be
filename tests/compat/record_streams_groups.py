"""Records what Apache Kafka writes about a streams group: python -m tests.compat.record_streams_groups

The file is tests/apis/groups/golden/streams_records.json, with the requests and the bytes of the records.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from compat.kafka.stock import StockNode
from compat.probe import Probe
from kafkaproto import messages as kafka
from kafkaproto.records.batch import iterate_batches
from kafkaproto_server.requests.coordinator_places import partition_of
from tests.compat.support.nodes import create, make_node
from tests.compat.support.streams_talk import Heartbeat, Talk, wait_for_coordinator
from tests.compat.test_same_streams_groups import (
    OTHER,
    OVERRIDES,
    SOURCE,
    STATEFUL,
    THREE,
    create_with,
    play,
    wait_for_topics,
)

GOLDEN = Path(__file__).parents[1] / "apis" / "groups" / "golden" / "streams_records.json"
SEED, STEPS = 2, 60


class Recorder(Talk):
    """Notes the heartbeats of one group as well."""

    def __init__(self, node: StockNode) -> None:
        super().__init__(node)
        self.asked: list[Any] = []

    def ask(self, request: Any, version: int) -> Any:
        """As Talk has it."""
        if isinstance(request, Heartbeat):
            self.asked.append(request.to_json(version))
        return super().ask(request, version)


def written(node: StockNode, group: str) -> list[list[str | None]]:
    """Key and value of each record of a group, in hexadecimal digits."""
    request = kafka.FetchRequest
    partition = request.FetchPartition(
        partition=partition_of(group, 3), fetch_offset=0, partition_max_bytes=1 << 26
    )
    topics = [request.FetchTopic(topic="__consumer_offsets", partitions=[partition])]
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(request(max_wait_ms=100, min_bytes=1, topics=topics), 12)
    found: list[list[str | None]] = []
    for view in iterate_batches(bytes(response.responses[0].partitions[0].records)):
        for record in () if view.header().is_control else view.records():
            key = bytes(record.key or b"")
            if group.encode() in key:
                found.append([key.hex(), None if record.value is None else bytes(record.value).hex()])
    return found


def main() -> None:
    """Record."""
    with tempfile.TemporaryDirectory() as folder:
        node = make_node(StockNode, Path(folder), OVERRIDES)
        assert isinstance(node, StockNode)
        try:
            node.start()
            create(node, SOURCE)
            create(node, OTHER)
            create_with(node, THREE, 3)
            wait_for_coordinator(node)
            with Recorder(node) as talk:
                talk.beat("warm", "a", 0, topology=STATEFUL)
                wait_for_topics(talk, "warm", "a")
                talk.asked.clear()
                play(talk, SEED, STEPS)
                names = (SOURCE, OTHER, THREE, "r-0-changelog", "r-1-changelog")
                asked = [kafka.MetadataRequest.Topic(name=each) for each in names]
                found: Any = talk.probe.ask(kafka.MetadataRequest(topics=asked), 12)
                golden = {
                    "about": "Apache Kafka 4.4.0, recorded with python -m tests.compat.record_streams_groups",
                    "standby_replicas": SEED % 3,
                    "topics": {
                        each.name: [bytes(each.topic_id).hex(), len(each.partitions)] for each in found.topics
                    },
                    "requests": talk.asked,
                    "records": written(node, f"seeded-{SEED}"),
                }
        finally:
            node.close()
    GOLDEN.write_text(json.dumps(golden, indent=0) + "\n")


if __name__ == "__main__":
    main()
