"""The task that keeps this node's controller registered, on a clock that jumps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle, pairwise

import pytest
import trio
from immutables import Map
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import ControllerRegistrationRequest, ControllerRegistrationResponse
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.entries import ControllerRegistration
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.to_controller.channel import ControllerUnavailable
from kafkaproto_server.shell.to_controller.registration import keep_registered
from tests.node.support.controllers import ScriptedChannel, TrioClock

pytestmark = pytest.mark.trio

NODE_ID = 3
OURS, ANOTHER = b"o" * 16, b"a" * 16


def image(
    incarnation_id: bytes | None = None, *, metadata_version: int = 30, offset: int = 0
) -> ClusterImage:
    """Metadata in which this node's controller is registered with an incarnation, or is not."""
    registrations = {}
    if incarnation_id is not None:
        registrations[NODE_ID] = ControllerRegistration(
            controller_id=NODE_ID, incarnation_id=incarnation_id, endpoints=(), features=()
        )
    return ClusterImage(
        offset=offset, features=Map({"metadata.version": metadata_version}), controllers=Map(registrations)
    )


class Registering:
    """The task with its surroundings."""

    def __init__(self, first: ClusterImage, response: Callable[[], Message | Exception]) -> None:
        self.published = Published(image=first)
        self.response = response
        self.clock = TrioClock()
        self.start_ms = self.clock.now_ms()
        self.asked_at_ms: list[int] = []
        self.channel = ScriptedChannel(self._answer)

    async def _answer(self, request: Message) -> Message:
        await trio.lowlevel.checkpoint()
        self.asked_at_ms.append(self.clock.now_ms() - self.start_ms)
        response = self.response()
        if isinstance(response, Exception):
            raise response
        return response

    async def publish(self, new: ClusterImage) -> None:
        """What the quorum's driver does, then let the task act on it."""
        self.published.image = new
        changed, self.published.changed = self.published.changed, trio.Event()
        changed.set()
        await wait_all_tasks_blocked()


@asynccontextmanager
async def registering(
    first: ClusterImage, response: Callable[[], Message | Exception] = ControllerRegistrationResponse
) -> AsyncIterator[Registering]:
    surroundings = Registering(first, response)
    run = partial(
        keep_registered,
        node_id=NODE_ID,
        incarnation_id=OURS,
        endpoints=[Endpoint(name="CONTROLLER", host="localhost", port=9093, security_protocol=1)],
        features={"metadata.version": (21, 30), "group.version": (0, 1)},
        channel=surroundings.channel,
        published=surroundings.published,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await wait_all_tasks_blocked()
        yield surroundings
        nursery.cancel_scope.cancel()


async def test_a_controller_that_the_metadata_lack_is_registered(autojump_clock: MockClock) -> None:
    async with registering(image()) as task:
        assert task.channel.asked == [
            ControllerRegistrationRequest(
                controller_id=NODE_ID,
                incarnation_id=OURS,
                zk_migration_ready=False,
                listeners=[
                    ControllerRegistrationRequest.Listener(
                        name="CONTROLLER", host="localhost", port=9093, security_protocol=1
                    )
                ],
                features=[
                    ControllerRegistrationRequest.Feature(
                        name="group.version", min_supported_version=0, max_supported_version=1
                    ),
                    ControllerRegistrationRequest.Feature(
                        name="metadata.version", min_supported_version=21, max_supported_version=30
                    ),
                ],
            )
        ]
        await task.publish(image(OURS))
        await trio.sleep(1_000)
        assert len(task.asked_at_ms) == 1


async def test_what_else_changes_meanwhile_does_not_have_it_registered_twice(
    autojump_clock: MockClock,
) -> None:
    async with registering(image()) as task:
        for offset in range(1, 6):
            await task.publish(image(offset=offset))
        assert len(task.asked_at_ms) == 1


async def test_a_registration_that_does_not_show_is_repeated(autojump_clock: MockClock) -> None:
    async with registering(image()) as task:
        await trio.sleep(11)
        assert task.asked_at_ms == [0, 5_000, 10_000]


async def test_another_incarnation_is_replaced_and_the_own_one_left_alone(autojump_clock: MockClock) -> None:
    async with registering(image(ANOTHER)) as task:
        assert len(task.asked_at_ms) == 1
        await task.publish(image(OURS))
        await task.publish(image(OURS, offset=1))
        assert len(task.asked_at_ms) == 1
        await task.publish(image(ANOTHER))
        assert len(task.asked_at_ms) == 2


async def test_nothing_is_registered_before_the_metadata_have_a_record_for_it(
    autojump_clock: MockClock,
) -> None:
    async with registering(image(metadata_version=14)) as task:
        await trio.sleep(1_000)
        await task.publish(ClusterImage())
        assert task.asked_at_ms == []
        await task.publish(image(metadata_version=15))
        assert len(task.asked_at_ms) == 1


async def test_failures_are_followed_by_ever_longer_pauses(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    responses: Iterator[Message | Exception] = cycle(
        [
            ControllerUnavailable("nobody is there"),
            ControllerRegistrationResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, error_message="too old"),
        ]
    )
    async with registering(image(), lambda: next(responses)) as task:
        await trio.sleep(400)
        pauses = [later - earlier for earlier, later in pairwise(task.asked_at_ms)]
        assert pauses == [*(100 * 2**n for n in range(11)), 120_000]
    assert caplog.messages[:2] == [
        "nobody is there",
        "the controller's registration was refused: UNSUPPORTED_VERSION: too old",
    ]


async def test_a_success_ends_the_long_pauses(autojump_clock: MockClock) -> None:
    responses = iter([ControllerUnavailable("no")] * 3)
    async with registering(image(), lambda: next(responses, ControllerRegistrationResponse())) as task:
        await trio.sleep(1)
        assert task.asked_at_ms == [0, 100, 300, 700]
        await task.publish(image(OURS))
        responses = iter([ControllerUnavailable("no")])
        await task.publish(image(ANOTHER))
        before = task.asked_at_ms[-1]
        await trio.sleep(1)
        assert task.asked_at_ms[-1] - before == 100
