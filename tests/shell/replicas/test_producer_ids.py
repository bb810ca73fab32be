"""Ids from the controller's blocks: in order, each once, and asked for before they are needed."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from kafkaproto_server.shell.replicas import producer_ids
from kafkaproto_server.shell.replicas.producer_ids import PREFETCH_BELOW, RETRY_S, ProducerIdBlocks
from kafkaproto_server.shell.to_controller.channel import ControllerUnavailable
from tests.node.support.controllers import ScriptedChannel, in_order
from tests.node.support.tasks import running

pytestmark = pytest.mark.trio
RETRY_MS = int(RETRY_S * 1000)


def block(first: int, count: int) -> AllocateProducerIdsResponse:
    return AllocateProducerIdsResponse(producer_id_start=first, producer_id_len=count)


class Ids:
    """A broker's ids, and those that were taken."""

    def __init__(self, *responses: Message | Exception, epoch: int | None = 7) -> None:
        self.channel = ScriptedChannel(in_order(*responses))
        self.epoch = epoch
        self.taken: list[int | None] = []
        self.ids = ProducerIdBlocks(3, self.channel, lambda: self.epoch)

    def take(self, count: int = 1) -> None:
        for _ in range(count):
            self.ids.next(self.taken.append)

    def running(self) -> AbstractAsyncContextManager[None]:
        return running(self.ids.run)


async def test_nothing_is_asked_for_before_the_first_id_is_needed(autojump_clock: MockClock) -> None:
    given = Ids(block(5000, PREFETCH_BELOW + 1))
    async with given.running():
        await trio.sleep(1)
        assert given.channel.asked == []
        given.take()
        assert given.taken == []
        await wait_all_tasks_blocked()
        assert given.taken == [5000]
        assert given.channel.asked == [AllocateProducerIdsRequest(broker_id=3, broker_epoch=7)]


async def test_ids_are_in_order_and_each_is_given_once(autojump_clock: MockClock) -> None:
    given = Ids(block(10, 3), block(40, 3))
    async with given.running():
        given.take(5)
        await trio.sleep(1)
        given.take()
        assert given.taken == [10, 11, 12, 40, 41, 42]
        given.take()
        assert len(given.taken) == 6


async def test_the_next_block_is_asked_for_before_the_present_one_is_used_up(
    autojump_clock: MockClock,
) -> None:
    given = Ids(block(0, PREFETCH_BELOW + 1))
    async with given.running():
        given.take()
        await wait_all_tasks_blocked()
        assert len(given.channel.asked) == 1
        given.take()
        await wait_all_tasks_blocked()
        assert len(given.channel.asked) == 2
        # There is one to give at once.
        assert given.taken == [0, 1]


@pytest.mark.parametrize(
    "failure",
    [ControllerUnavailable("none"), AllocateProducerIdsResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)],
)
async def test_what_fails_is_asked_again_after_a_pause(
    failure: Message | Exception, autojump_clock: MockClock
) -> None:
    given = Ids(failure, failure, block(9, 1000))
    async with given.running():
        given.take()
        await trio.sleep(1)
        assert given.taken == [9]
        assert given.channel.asked_ms == [0, RETRY_MS, 2 * RETRY_MS]


async def test_a_broker_without_an_epoch_asks_once_it_has_one(autojump_clock: MockClock) -> None:
    given = Ids(block(9, 1000), epoch=None)
    async with given.running():
        given.take()
        await trio.sleep(2.5 * RETRY_S)
        given.epoch = 8
        await trio.sleep(1)
        assert given.channel.asked_ms == [3 * RETRY_MS]


async def test_only_so_many_wait_for_an_id(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(producer_ids, "MAX_WAITING", 2)
    given = Ids(block(9, 1000), epoch=None)
    given.take(3)
    assert given.taken == [None]
    given.epoch = 8
    async with given.running():
        assert given.taken == [None, 9, 10]
