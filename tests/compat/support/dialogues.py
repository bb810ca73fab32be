"""Dialogues about groups with nodes of either kind, and the records that they left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat.node import Node
from compat.probe import Probe
from kafkaproto import messages as kafka
from kafkaproto.message import Message
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.coordinator import GROUP_RECORDS, decode_coordinator_record
from kafkaproto_server.requests.coordinator_places import partition_of
from tests.compat.support.nodes import led_topics


class Talk:
    """Requests to one node, and what came back, with member ids by the order in which they came up, and topic ids by
    the names of their topics."""

    def __init__(self, node: Node, topic: str) -> None:
        self.probe = Probe(node.bootstrap_server)
        topics = led_topics(node)
        self.topic_id = topics[topic]
        self.told: list[str] = []
        self._names = {topic_id: f"<{name}>" for name, topic_id in topics.items()}
        self._ids: dict[str, str] = {}

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *reason: object) -> None:
        self.probe.__exit__(None, None, None)

    def ask(self, request: Message, version: int) -> Any:
        """Send a request; note and return the response."""
        response = self.probe.ask(request, version)
        for name in ("member_id", "leader"):
            found = getattr(response, name, None)
            if isinstance(found, str) and len(found) >= 36:
                self._ids.setdefault(found, f"<{len(self._ids)}>")
        text = repr(without_messages(response, self._names))
        for found, name in self._ids.items():
            text = text.replace(found, name)
        self.told.append(f"{request.NAME} v{version}: {text}")
        return response


def without_messages(value: Any, names: Mapping[bytes, str]) -> Any:
    """The fields of a message, with names instead of some ids. What a text says of an error is each server's own."""
    if isinstance(value, list):
        # In no order: a coordinator looks at what it has to refuse first, or last.
        return sorted((without_messages(each, names) for each in value), key=repr)
    if not hasattr(type(value), "__slots__") or isinstance(value, str | bytes | int):
        value = bytes(value) if isinstance(value, memoryview) else value
        return names.get(value, value) if isinstance(value, bytes) else value
    return {
        name: without_messages(getattr(value, name), names)
        for name in type(value).__slots__
        if name not in ("error_message", "throttle_time_ms", "unknown_tags")
    }


def records_of(node: Node, group: str, partitions: int) -> list[tuple[Message, Message | None, int]]:
    """Key, value and version of the value of each record of a group."""
    index = partition_of(group, partitions)
    partition = kafka.FetchRequest.FetchPartition(
        partition=index, fetch_offset=0, partition_max_bytes=1 << 20
    )
    request = kafka.FetchRequest(
        max_wait_ms=100,
        min_bytes=1,
        topics=[kafka.FetchRequest.FetchTopic(topic="__consumer_offsets", partitions=[partition])],
    )
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(request, 12)
    found = []
    for view in iterate_batches(bytes(response.responses[0].partitions[0].records)):
        for record in () if view.header().is_control else view.records():
            decoded = decode_coordinator_record(GROUP_RECORDS, record.key or b"", record.value)
            name = getattr(decoded.key, "group_id", None) or getattr(decoded.key, "group", None)
            is_first = isinstance(decoded.value, kafka.GroupMetadataValue) and not decoded.value.generation
            # Apache Kafka notes that there is a group before it has a generation.
            if name == group and not is_first:
                version = -1 if record.value is None else int.from_bytes(bytes(record.value[:2]), "big")
                found.append((decoded.key, decoded.value, version))
    return found
