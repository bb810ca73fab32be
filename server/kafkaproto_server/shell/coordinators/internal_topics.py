"""The topics that coordinators keep their state in. They are made when they are first needed, as Kafka's are."""

from __future__ import annotations

import logging

import msgspec
import trio

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import Derived, SettingsTable
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable

_log = logging.getLogger("kafkaproto.server.coordinators")

CREATION_TIMEOUT_MS = 30_000
MAX_WAITING = 3
"""There are three internal topics."""


class InternalTopicSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a broker's configs say of an internal topic."""

    num_partitions: int
    replication_factor: int
    segment_bytes: int
    min_isr: int | None = None
    """None if the broker has no such config for the topic: it has the cluster's ``min.insync.replicas``."""


INTERNAL_TOPICS = {
    GROUPS_TOPIC: SettingsTable(
        InternalTopicSettings,
        {
            "num_partitions": "offsets.topic.num.partitions",
            "replication_factor": "offsets.topic.replication.factor",
            "segment_bytes": "offsets.topic.segment.bytes",
        },
    ),
    TRANSACTIONS_TOPIC: SettingsTable(
        InternalTopicSettings,
        {
            "num_partitions": "transaction.state.log.num.partitions",
            "replication_factor": "transaction.state.log.replication.factor",
            "segment_bytes": "transaction.state.log.segment.bytes",
            "min_isr": Derived("transaction.state.log.min.isr", int),
        },
    ),
    SHARE_TOPIC: SettingsTable(
        InternalTopicSettings,
        {
            "num_partitions": "share.coordinator.state.topic.num.partitions",
            "replication_factor": "share.coordinator.state.topic.replication.factor",
            "segment_bytes": "share.coordinator.state.topic.segment.bytes",
            "min_isr": Derived("share.coordinator.state.topic.min.isr", int),
        },
    ),
}


def creation_of(name: str, configs: NodeConfigs) -> CreateTopicsRequest.CreatableTopic:
    """The creation of an internal topic, as a broker's configs say."""
    settings = INTERNAL_TOPICS[name].read(configs)
    values = {
        "cleanup.policy": "compact",
        "segment.bytes": str(settings.segment_bytes),
        "compression.type": "uncompressed" if name == TRANSACTIONS_TOPIC else "producer",
    }
    if name == TRANSACTIONS_TOPIC:
        values["unclean.leader.election.enable"] = "false"
    if settings.min_isr is not None:
        values["min.insync.replicas"] = str(settings.min_isr)
    if name == SHARE_TOPIC:
        values["retention.ms"] = "-1"
        values["cleanup.policy"] = "delete"
    return CreateTopicsRequest.CreatableTopic(
        name=name,
        num_partitions=settings.num_partitions,
        replication_factor=settings.replication_factor,
        configs=[
            CreateTopicsRequest.CreatableTopicConfig(name=key, value=value) for key, value in values.items()
        ],
    )


class InternalTopics:
    """Asks the active controller for the creation of internal topics, one after the other."""

    def __init__(self, channel: ControllerChannel, configs: NodeConfigs) -> None:
        self._channel = channel
        self._configs = configs
        self._asked: set[str] = set()
        self._send, self._receive = trio.open_memory_channel[str](MAX_WAITING)

    def create(self, name: str) -> None:
        """Ask for a topic, unless that is under way."""
        if name not in self._asked:
            self._asked.add(name)
            self._send.send_nowait(name)

    async def run(self) -> None:
        async for name in self._receive:
            try:
                await self._create(name)
            finally:
                # If it failed, clients ask again, and so does this broker.
                self._asked.discard(name)

    async def _create(self, name: str) -> None:
        request = CreateTopicsRequest(
            topics=[creation_of(name, self._configs)], timeout_ms=CREATION_TIMEOUT_MS
        )
        try:
            response = await self._channel.send(request, timeout_ms=CREATION_TIMEOUT_MS)
        except ControllerUnavailable as error:
            _log.warning("%s cannot be created: %s", name, error)
            return
        assert isinstance(response, CreateTopicsResponse)
        for topic in response.topics:
            if topic.error_code not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                reason = topic.error_message or describe(topic.error_code).message
                _log.warning("%s cannot be created: %s", name, reason)
