"""Brings dead letters of share groups to the leaders of dead-letter partitions, and has dead-letter topics created: see
`shell.share_partitions.dead_letters`.

A partition that this broker leads gets its records at once, those of other brokers by Produce over the listener between
brokers. There the broker needs the right to write to the topic, as an inter-broker principal usually has it. Producers
of dead letters have no id: a batch that is sent again may be there twice.

Apache Kafka: ``ShareGroupDLQStateManager``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import trio

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.message import Message
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse, ProduceRequest, ProduceResponse
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.requests.data import Produced, ProduceItem, ProduceResult
from kafkaproto_server.shell.coordinators.broker_requests import BrokerRequests, OtherBrokers
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable

ACKS_ALL = -1
PRODUCE_TIMEOUT_MS = 30_000
CREATION_TIMEOUT_MS = 30_000
MAX_WAITING = 1_000
"""Topics that wait for their creation; each is the dead-letter topic of a group."""
CONFIGS = {"errors.deadletterqueue.group.enable": "true", "message.timestamp.type": "CreateTime"}
"""Of a topic that is created."""

Told = Callable[[ErrorCode, str | None], None]


class _LetterBatch(msgspec.Struct, frozen=True):
    """A batch for another broker."""

    topic: TopicImage
    index: int
    records: bytes
    done: Told

    @property
    def key(self) -> tuple[bytes, int]:
        """Responses name topics and partitions."""
        return self.topic.topic_id, self.index

    @property
    def elements(self) -> int:
        """One for the partition, and at most one for its topic."""
        return 2


class DeadLetterChannels:
    """The way of all dead letters of this broker; see `shell.share_partitions.dead_letters.Transport`."""

    def __init__(
        self,
        others: OtherBrokers,
        *,
        channel: ControllerChannel,
        produce: Callable[[Sequence[ProduceItem], int, int, Produced], None],
        call_later: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``produce`` appends on this broker, with acks and timeout. ``call_later`` calls a function after
        milliseconds."""
        self._broker_id = others.broker_id
        self._channel = channel
        self._produce = produce
        self._call_later = call_later
        self._requests: BrokerRequests[_LetterBatch] = BrokerRequests(
            others,
            "share-group-dead-letters",
            request=_request,
            responded=_responded,
        )
        self._send, self._receive = trio.open_memory_channel[tuple[str, Told]](MAX_WAITING)

    def produce(self, leader: int, topic: TopicImage, index: int, records: bytes, done: Told) -> None:
        if leader != self._broker_id:
            self._requests.send(leader, _LetterBatch(topic, index, records, done))
            return
        item = ProduceItem(topic_id=topic.topic_id, index=index, records=records, allows_zstd=True)

        def produced(results: Sequence[ProduceResult]) -> None:
            (result,) = results
            self._call_later(0, lambda: done(result.code, result.message))

        self._produce([item], ACKS_ALL, PRODUCE_TIMEOUT_MS, produced)

    def create_topic(self, name: str, done: Told) -> None:
        try:
            self._send.send_nowait((name, done))
        except trio.WouldBlock:
            self._call_later(
                0, lambda: done(ErrorCode.NETWORK_EXCEPTION, "too many topics are being created")
            )

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(self._requests.run)
            nursery.start_soon(self._create_topics)
            task_status.started()

    async def _create_topics(self) -> None:
        async for name, done in self._receive:
            done(*await self._create(name))

    async def _create(self, name: str) -> tuple[ErrorCode, str | None]:
        request = CreateTopicsRequest(topics=[creation_of(name)], timeout_ms=CREATION_TIMEOUT_MS)
        try:
            response = await self._channel.send(request, timeout_ms=CREATION_TIMEOUT_MS)
        except ControllerUnavailable as error:
            return ErrorCode.NETWORK_EXCEPTION, str(error)
        assert isinstance(response, CreateTopicsResponse)
        for topic in response.topics:
            return describe(topic.error_code).code, topic.error_message
        return ErrorCode.UNKNOWN_SERVER_ERROR, None


def creation_of(name: str) -> CreateTopicsRequest.CreatableTopic:
    """The creation of a dead-letter topic; the controller's defaults say how many partitions and replicas it has."""
    return CreateTopicsRequest.CreatableTopic(
        name=name,
        num_partitions=-1,
        replication_factor=-1,
        configs=[
            CreateTopicsRequest.CreatableTopicConfig(name=key, value=value) for key, value in CONFIGS.items()
        ],
    )


def _request(items: Sequence[_LetterBatch]) -> ProduceRequest:
    topics: dict[bytes, ProduceRequest.TopicProduceData] = {}
    for each in items:
        topic = topics.setdefault(
            each.topic.topic_id,
            ProduceRequest.TopicProduceData(name=each.topic.name, topic_id=each.topic.topic_id),
        )
        topic.partition_data.append(
            ProduceRequest.PartitionProduceData(index=each.index, records=each.records)
        )
    return ProduceRequest(acks=ACKS_ALL, timeout_ms=PRODUCE_TIMEOUT_MS, topic_data=list(topics.values()))


def _responded(items: Sequence[_LetterBatch], response: Message | None) -> None:
    found: dict[tuple[bytes, int], tuple[ErrorCode, str | None]] = {}
    if response is not None:
        assert isinstance(response, ProduceResponse), "it is the response to Produce"
        # Before version 13, responses name topics, and have no ids.
        ids = {item.topic.name: item.topic.topic_id for item in items}
        for topic in response.responses:
            topic_id = ids.get(topic.name, bytes(topic.topic_id))
            for place in topic.partition_responses:
                told = describe(place.error_code).code, place.error_message
                found[topic_id, place.index] = told
    # What a response leaves out cannot be told.
    code = ErrorCode.NETWORK_EXCEPTION if response is None else ErrorCode.UNKNOWN_SERVER_ERROR
    for item in items:
        item.done(*found.get(item.key, (code, None)))
