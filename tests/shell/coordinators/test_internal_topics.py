"""The topics of coordinators: with which configs they are made, and when the controller is asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio
import trio.testing

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.shell.coordinators.internal_topics import InternalTopics, creation_of
from kafkaproto_server.shell.to_controller.channel import ControllerUnavailable
from tests.node.support.controllers import ScriptedChannel

STATIC = {
    f"{prefix}.{name}": str(10 * number + position)
    for number, prefix in enumerate(
        ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic"), start=1
    )
    for position, name in enumerate(("num.partitions", "replication.factor", "min.isr", "segment.bytes"))
}


@pytest.mark.parametrize(
    ("name", "numbers", "configs"),
    [
        (
            GROUPS_TOPIC,
            (10, 11),
            {"cleanup.policy": "compact", "segment.bytes": "13", "compression.type": "producer"},
        ),
        (
            TRANSACTIONS_TOPIC,
            (20, 21),
            {
                "cleanup.policy": "compact",
                "segment.bytes": "23",
                "compression.type": "uncompressed",
                "unclean.leader.election.enable": "false",
                "min.insync.replicas": "22",
            },
        ),
        (
            SHARE_TOPIC,
            (30, 31),
            {
                "cleanup.policy": "delete",
                "segment.bytes": "33",
                "compression.type": "producer",
                "retention.ms": "-1",
                "min.insync.replicas": "32",
            },
        ),
    ],
)
def test_each_topic_has_the_configs_that_it_needs(
    name: str, numbers: tuple[int, int], configs: dict[str, str]
) -> None:
    creation = creation_of(name, NodeConfigs(static=STATIC))
    assert (creation.name, creation.num_partitions, creation.replication_factor) == (name, *numbers)
    assert {each.name: each.value for each in creation.configs} == configs


class Asking:
    """A broker that asks for internal topics, and a controller that responds when a test lets it."""

    def __init__(self, *results: tuple[int, str | None] | Exception) -> None:
        self.results = list(results)
        self.asked: list[str] = []
        self.may_respond = trio.Event()

    async def respond(self, request: Message) -> Message:
        assert isinstance(request, CreateTopicsRequest)
        (topic,) = request.topics
        self.asked.append(topic.name)
        await self.may_respond.wait()
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        code, message = result
        found = CreateTopicsResponse.CreatableTopicResult(
            name=topic.name, error_code=code, error_message=message
        )
        return CreateTopicsResponse(topics=[found])

    def create(self, *batches: Sequence[str]) -> None:
        """Ask for some topics, and once the controller has responded, for more."""

        async def main() -> None:
            topics = InternalTopics(ScriptedChannel(self.respond), NodeConfigs(static=STATIC))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(topics.run)
                for batch in batches:
                    self.may_respond = trio.Event()
                    for name in batch:
                        topics.create(name)
                        await trio.testing.wait_all_tasks_blocked()
                    self.may_respond.set()
                    await trio.testing.wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()

        trio.run(main)


def test_each_topic_is_asked_for_only_once_at_a_time(caplog: pytest.LogCaptureFixture) -> None:
    asking = Asking((0, None), (ErrorCode.TOPIC_ALREADY_EXISTS, None), (0, None))
    asking.create([GROUPS_TOPIC, SHARE_TOPIC, GROUPS_TOPIC, SHARE_TOPIC], [GROUPS_TOPIC])
    assert asking.asked == [GROUPS_TOPIC, SHARE_TOPIC, GROUPS_TOPIC]
    assert caplog.text == ""


def test_what_cannot_be_created_may_be_asked_for_again(caplog: pytest.LogCaptureFixture) -> None:
    asking = Asking(
        ControllerUnavailable("nobody is there"),
        (ErrorCode.INVALID_REPLICATION_FACTOR, None),
        (ErrorCode.POLICY_VIOLATION, "not today"),
        (0, None),
    )
    asking.create(*[[SHARE_TOPIC]] * 4)
    assert asking.asked == [SHARE_TOPIC] * 4
    assert [each.getMessage() for each in caplog.records] == [
        f"{SHARE_TOPIC} cannot be created: nobody is there",
        f"{SHARE_TOPIC} cannot be created: {ErrorCode.INVALID_REPLICATION_FACTOR.message}",
        f"{SHARE_TOPIC} cannot be created: not today",
    ]
