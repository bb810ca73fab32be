"""When changes of ISRs are sent to the controller, and what its responses lead to."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kafkaproto.message import Message
from kafkaproto.messages import AlterPartitionRequest, AlterPartitionResponse
from kafkaproto_server.core.replicas.isr_changes import RETRY_PAUSE_MS
from kafkaproto_server.core.replicas.partition import IsrChange
from kafkaproto_server.shell.replicas.followers.isr_sender import IsrSender
from kafkaproto_server.shell.to_controller.channel import ControllerUnavailable
from tests.node.support.controllers import ScriptedChannel, TrioClock, in_order

pytestmark = pytest.mark.trio
TOPIC_ID = b"t" * 16
CHANGE = IsrChange(leader_epoch=4, partition_epoch=5, isr=(1, 2), broker_epochs=(7, 8))


class Partition:
    """A leader that wants a change, and notes when it was accepted."""

    topic_id = TOPIC_ID

    def __init__(self, index: int, change: IsrChange | None) -> None:
        self.index = index
        self.isr = (1,)
        self.isr_change = change
        self.accepted: list[tuple[IsrChange, int]] = []

    def isr_accepted(self, change: IsrChange, *, isr: list[int], partition_epoch: int, now_ms: int) -> None:
        assert (isr, partition_epoch) == ([1, 2], 6)
        self.accepted.append((change, now_ms))
        self.isr_change = None


def wanting(index: int, change: IsrChange | None = CHANGE) -> Any:
    return Partition(index, change)


class Sender:
    """A broker's sender, and the controller that it asks."""

    def __init__(self, *responses: Message | Exception, epoch: int | None = 7) -> None:
        self.channel = ScriptedChannel(in_order(*responses))
        self.epoch = epoch
        self.sender = IsrSender(1, self.channel, lambda: self.epoch, TrioClock())

    async def run(self, seconds: float) -> None:
        with trio.move_on_after(seconds):
            await self.sender.run()

    @property
    def sent(self) -> list[list[int]]:
        """The partitions in each request."""
        found = []
        for request in self.channel.asked:
            assert isinstance(request, AlterPartitionRequest)
            assert (request.broker_id, request.broker_epoch) == (1, 7)
            found.append([each.partition_index for topic in request.topics for each in topic.partitions])
        return found


def accepts(*indexes: int) -> AlterPartitionResponse:
    kind = AlterPartitionResponse
    partitions = [
        kind.PartitionData(partition_index=index, isr=[1, 2], partition_epoch=6) for index in indexes
    ]
    return kind(topics=[kind.TopicData(topic_id=TOPIC_ID, partitions=partitions)])


async def test_changes_that_come_together_share_a_request(autojump_clock: MockClock) -> None:
    given = Sender(accepts(0, 1))
    partitions = [wanting(0), wanting(1)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(given.run, 1)
        await trio.sleep(0.5)
        for each in partitions:
            given.sender.add(each)
    assert (given.channel.asked_ms, [sorted(each) for each in given.sent]) == ([500], [[0, 1]])
    assert [each.accepted for each in partitions] == [[(CHANGE, 500)]] * 2


async def test_what_fails_is_sent_again_after_a_pause(autojump_clock: MockClock) -> None:
    given = Sender(ControllerUnavailable("none"), accepts(0))
    partition = wanting(0)
    given.sender.add(partition)
    await given.run(1)
    assert given.channel.asked_ms == [0, RETRY_PAUSE_MS]
    assert partition.accepted == [(CHANGE, RETRY_PAUSE_MS)]


async def test_what_is_not_wanted_any_more_is_not_sent(autojump_clock: MockClock) -> None:
    given = Sender(accepts(2))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(given.run, 1)
        gone = wanting(1)
        given.sender.add(gone)
        given.sender.drop(gone)
        given.sender.add(wanting(0, change=None))
        await trio.sleep(0.5)
        given.sender.add(wanting(2))
    assert given.sent == [[2]]


async def test_a_broker_without_an_epoch_sends_nothing(autojump_clock: MockClock) -> None:
    given = Sender(accepts(0, 1), epoch=None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(given.run, 1)
        given.sender.add(wanting(0))
        await trio.sleep(0.5)
        given.epoch = 7
        given.sender.add(wanting(1))
    assert given.channel.asked_ms == [500]
