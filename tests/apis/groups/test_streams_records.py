"""The records of a streams group, byte by byte as Apache Kafka has written them for the same requests.

Tests: `apis.groups.streams_group_heartbeat`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import xxhash

from kafkaproto.messages import StreamsGroupHeartbeatRequest, StreamsGroupTargetAssignmentMetadataKey
from kafkaproto.records.coordinator import GROUP_RECORDS, decode_coordinator_record
from kafkaproto_server.apis.groups.streams_group_heartbeat import handle_streams_group_heartbeat
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsConfig, streams_settings_of
from kafkaproto_server.core.coordinators.groups.streams.heartbeat import StreamsGroups
from kafkaproto_server.core.coordinators.groups.topics import NO_TOPIC_HASH, TopicView, group_hash, topic_hash
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.streams_group_requests import StreamsHeard, StreamsHeartbeatValues
from tests.apis.support.services import context, services
from tests.core.coordinators.support.world import World

GOLDEN: Any = json.loads((Path(__file__).parent / "golden" / "streams_records.json").read_text())
HASH = xxhash.xxh3_64_intdigest


class RecordedTopics:
    """The topics of the node of Apache Kafka; it had no rack."""

    def by_name(self, name: str) -> TopicView | None:
        """As Topics has it."""
        topic_id, count = GOLDEN["topics"].get(name, (None, 0))
        return None if topic_id is None else TopicView(bytes.fromhex(topic_id), name, count)

    def by_id(self, topic_id: bytes) -> TopicView | None:
        """As Topics has it."""
        return next(
            (each for each in map(self.by_name, self.names()) if each and each.topic_id == topic_id), None
        )

    def names(self) -> Iterable[str]:
        """As Topics has it."""
        return tuple(GOLDEN["topics"])

    def version(self) -> int:
        """As Topics has it."""
        return 1

    def hash_of(self, name: str) -> int:
        """As Topics has it."""
        view = self.by_name(name)
        if view is None:
            return NO_TOPIC_HASH
        return topic_hash(HASH, view.topic_id, name, [[]] * view.partition_count)

    def hash_of_all(self, names: Iterable[str]) -> int:
        """As Topics has it."""
        return group_hash(HASH, {name: self.hash_of(name) for name in names})


def records() -> list[tuple[bytes, bytes | None]]:
    """What is written for the recorded requests."""
    world = World()
    world.log.commits_at_once = True
    config = StreamsConfig(
        initial_rebalance_delay_ms=0,
        assignment_interval_ms=0,
        num_standby_replicas=GOLDEN["standby_replicas"],
    )
    groups = StreamsGroups(
        settings=lambda group_id: streams_settings_of(config, {}),
        topics=RecordedTopics(),
        log=world.log,
        surroundings=world,
        metrics=GroupMetrics(),
    )

    def take(values: StreamsHeartbeatValues, heard: StreamsHeard) -> None:
        try:
            groups.heartbeat(values, heard)
        except CoordinatorError:
            # Refused, as there.
            return

    shard = SimpleNamespace(streams_heartbeat=take)
    for asked in GOLDEN["requests"]:
        handle_streams_group_heartbeat(
            StreamsGroupHeartbeatRequest.from_json(asked, 1),
            context(version=1, api_key=88, client_id="probe", client_host="127.0.0.1"),
            services(groups=SimpleNamespace(serves_streams_groups=lambda: True, of=lambda _: shard)),
        )
    return [(each.key, each.value) for each in world.log.entries]


def readable(key: bytes, value: bytes | None) -> str:
    """A record without the time at which it was written."""
    decoded = decode_coordinator_record(GROUP_RECORDS, key, value)
    if isinstance(decoded.key, StreamsGroupTargetAssignmentMetadataKey) and decoded.value is not None:
        return f"{decoded.key} of epoch {decoded.value.assignment_epoch}"  # type: ignore[attr-defined]
    return f"{decoded} {None if value is None else value.hex()}"


def test_records_are_those_of_apache_kafka() -> None:
    recorded = [
        readable(bytes.fromhex(key), None if value is None else bytes.fromhex(value))
        for key, value in GOLDEN["records"]
    ]
    ours = [readable(*each) for each in records()]
    assert len(recorded) > 40
    for mine, theirs in zip(ours, recorded, strict=False):
        assert mine == theirs
    assert len(ours) == len(recorded)
