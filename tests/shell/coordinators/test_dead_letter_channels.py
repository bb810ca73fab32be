"""Dead letters on their way to the leaders, and the creation of their topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import trio
import trio.testing

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse, ProduceRequest, ProduceResponse
from kafkaproto_server.requests.data import Produced, ProduceItem, ProduceResult
from kafkaproto_server.shell.coordinators import dead_letter_channels as module
from kafkaproto_server.shell.coordinators.dead_letter_channels import DeadLetterChannels
from kafkaproto_server.shell.to_controller.channel import ControllerUnavailable
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch
from tests.node.support.controllers import ScriptedChannel
from tests.node.support.other_brokers import other_brokers
from tests.node.support.tasks import running

Told = tuple[str, ErrorCode, str | None]


class Channels:
    """The ports of broker 1; nothing is really sent or written."""

    def __init__(self, respond: Callable[[Message], Message] | None = None) -> None:
        broker = DataBroker()
        broker.topic("dlq.t", [ME], [OTHER], [OTHER])
        broker.topic("dlq.u", [OTHER])
        self.topics = {each.name: each for each in broker.harness.image.topics.values()}
        self.appended: list[tuple[ProduceItem, int, int, Produced]] = []
        self.later: list[Callable[[], None]] = []
        self.told: list[Told] = []

        async def response(request: Message) -> Message:
            assert respond is not None
            return respond(request)

        self.channel = ScriptedChannel(response)
        self.channels = DeadLetterChannels(
            other_brokers(ME),
            channel=self.channel,
            produce=self.append,
            call_later=lambda delay_ms, call: self.later.append(call),
        )
        self.sent: list[Any] = []
        self.channels._requests.send = (  # type: ignore[method-assign]
            lambda broker_id, item: self.sent.append(item)
        )

    def append(self, items: Sequence[ProduceItem], acks: int, timeout_ms: int, done: Produced) -> None:
        (item,) = items
        self.appended.append((item, acks, timeout_ms, done))

    def produce(self, leader: int, topic: str, index: int) -> None:
        name = f"{topic}-{index}"
        self.channels.produce(leader, self.topics[topic], index, batch(), self.take(name))

    def take(self, name: str) -> Callable[[ErrorCode, str | None], None]:
        return lambda code, message: self.told.append((name, code, message))

    def create(self, *names: str) -> None:
        async def main() -> None:
            async with trio.open_nursery() as nursery:
                await nursery.start(self.channels.run)
                for each in names:
                    self.channels.create_topic(each, self.take(each))
                await trio.testing.wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()

        trio.run(main)


def test_a_partition_that_is_led_here_gets_its_records_at_once() -> None:
    channels = Channels()
    channels.produce(ME, "dlq.t", 0)
    ((item, acks, timeout_ms, done),) = channels.appended
    assert (item.topic_id, item.index) == (channels.topics["dlq.t"].topic_id, 0)
    assert (acks, timeout_ms) == (-1, 30_000)
    done([ProduceResult(code=ErrorCode.NOT_ENOUGH_REPLICAS, message="too few")])
    # Not in the middle of whatever has just been replicated.
    assert channels.told == []
    channels.later.pop()()
    assert channels.told == [("dlq.t-0", ErrorCode.NOT_ENOUGH_REPLICAS, "too few")]


def test_other_brokers_get_requests() -> None:
    channels = Channels()
    for name, index in (("dlq.t", 1), ("dlq.u", 0), ("dlq.t", 2)):
        channels.produce(OTHER, name, index)
    request, _ = ProduceRequest.decode(module._request(channels.sent).encode(13), 13)
    assert (request.acks, request.timeout_ms, request.transactional_id) == (-1, 30_000, None)
    assert [
        (topic.topic_id, [(each.index, each.records) for each in topic.partition_data])
        for topic in request.topic_data
    ] == [
        (channels.topics["dlq.t"].topic_id, [(1, batch()), (2, batch())]),
        (channels.topics["dlq.u"].topic_id, [(0, batch())]),
    ]
    kind = ProduceResponse
    place = kind.PartitionProduceResponse
    topic = kind.TopicProduceResponse(
        topic_id=channels.topics["dlq.t"].topic_id,
        partition_responses=[place(index=1), place(index=2, error_code=6, error_message="moved")],
    )
    module._responded(channels.sent, kind(responses=[topic]))
    assert channels.told == [
        ("dlq.t-1", ErrorCode.NONE, None),
        # What is left out cannot be told.
        ("dlq.u-0", ErrorCode.UNKNOWN_SERVER_ERROR, None),
        ("dlq.t-2", ErrorCode.NOT_LEADER_OR_FOLLOWER, "moved"),
    ]
    assert {each.elements for each in channels.sent} == {2}
    assert len({each.key for each in channels.sent}) == 3


@pytest.mark.trio
async def test_it_looks_for_other_brokers_once_it_runs() -> None:
    channels = Channels()
    del channels.channels._requests.send
    async with running(channels.channels.run):
        channels.produce(OTHER, "dlq.t", 1)
        await trio.testing.wait_all_tasks_blocked()
    # The other broker has no address.
    assert channels.told == [("dlq.t-1", ErrorCode.NETWORK_EXCEPTION, None)]


def test_without_a_response_it_may_be_tried_again() -> None:
    channels = Channels()
    channels.produce(OTHER, "dlq.t", 1)
    module._responded(channels.sent, None)
    assert channels.told == [("dlq.t-1", ErrorCode.NETWORK_EXCEPTION, None)]


def test_topics_are_created_with_the_configs_of_dead_letter_topics() -> None:
    def respond(request: Message) -> Message:
        assert isinstance(request, CreateTopicsRequest)
        (topic,) = request.topics
        assert (topic.num_partitions, topic.replication_factor) == (-1, -1)
        assert {each.name: each.value for each in topic.configs} == {
            "errors.deadletterqueue.group.enable": "true",
            "message.timestamp.type": "CreateTime",
        }
        code = ErrorCode.TOPIC_ALREADY_EXISTS if topic.name == "dlq.b" else ErrorCode.NONE
        result = CreateTopicsResponse.CreatableTopicResult(name=topic.name, error_code=code)
        return CreateTopicsResponse(topics=[result])

    channels = Channels(respond)
    channels.create("dlq.a", "dlq.b")
    assert [each[:2] for each in channels.told] == [
        ("dlq.a", ErrorCode.NONE),
        ("dlq.b", ErrorCode.TOPIC_ALREADY_EXISTS),
    ]


def test_a_controller_that_is_not_there_may_be_asked_again() -> None:
    def respond(request: Message) -> Message:
        raise ControllerUnavailable("nobody")

    channels = Channels(respond)
    channels.create("dlq.a")
    assert channels.told == [("dlq.a", ErrorCode.NETWORK_EXCEPTION, "nobody")]


def test_an_empty_response_is_an_error() -> None:
    channels = Channels(lambda request: CreateTopicsResponse())
    channels.create("dlq.a")
    assert channels.told == [("dlq.a", ErrorCode.UNKNOWN_SERVER_ERROR, None)]


def test_only_so_many_creations_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 1)
    channels = Channels()
    for name in ("dlq.a", "dlq.b"):
        channels.channels.create_topic(name, channels.take(name))
    channels.later.pop()()
    assert channels.told == [("dlq.b", ErrorCode.NETWORK_EXCEPTION, "too many topics are being created")]
