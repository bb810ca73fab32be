"""The task that applies metadata changes to a broker.

Beside that, it reports the log directories of the broker's replicas to the controllers (AssignReplicasToDirs).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping

import trio

from kafkaproto.error_codes import describe
from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.broker.assignments import AssignmentQueue, Replica
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable

_log = logging.getLogger("kafkaproto.server.broker")

REQUEST_TIMEOUT_MS = 30_000
"""How long a controller may take to commit the assignments of one request."""

REST_FACTOR = 2
"""The pause after an image was applied, as a multiple of the time that this took. Other tasks run meanwhile."""
MAX_REST_S = 0.5
NOTICEABLE_S = 0.001


class AssignmentSender:
    """Sends the content of an `AssignmentQueue`, over a channel of its own."""

    def __init__(
        self,
        queue: AssignmentQueue,
        *,
        channel: ControllerChannel,
        published: Published,
        apply: Callable[[], bool],
        broker_epoch: Callable[[], int | None],
        clock: Clock,
    ) -> None:
        """``apply`` applies the newest image and returns whether there is more of it; it may fill the queue."""
        self._queue = queue
        self._channel = channel
        self._published = published
        self._apply = apply
        self._broker_epoch = broker_epoch
        self._clock = clock
        self._wake = trio.Event()
        queue.has_more = self.wake

    def wake(self) -> None:
        """The queue may contain more than before."""
        self._wake.set()

    async def run(self) -> None:
        """Apply and send until cancelled. A controller that does not answer holds up no image."""
        async with trio.open_nursery() as nursery:
            while True:
                # Both events are taken before the work: an image or a wake-up that comes meanwhile must
                # not be lost.
                changed, self._wake = self._published.changed, trio.Event()
                begin = time.perf_counter()
                has_more = self._apply()
                cost_s = time.perf_counter() - begin
                if has_more or cost_s > NOTICEABLE_S:
                    await trio.sleep(min(cost_s * REST_FACTOR, MAX_REST_S))
                if has_more:
                    continue
                epoch, due_ms = self._broker_epoch(), self._queue.due_ms
                if epoch is None or due_ms is None:
                    # A broker that has just registered learns of its registration from an image.
                    await self._wait(changed, None)
                elif (wait_ms := due_ms - self._clock.now_ms()) > 0:
                    await self._wait(changed, wait_ms)
                else:
                    # From now on nothing is due, until there is a response.
                    request = self._queue.next_request(epoch, self._clock.now_ms())
                    nursery.start_soon(self._exchange, request)

    async def _wait(self, changed: trio.Event, wait_ms: int | None) -> None:
        timeout_s = float("inf") if wait_ms is None else wait_ms / 1000
        with trio.move_on_after(timeout_s):
            async with trio.open_nursery() as nursery:
                for event in (changed, self._wake):
                    nursery.start_soon(_cancel_once_set, event, nursery.cancel_scope)

    async def _exchange(self, request: AssignReplicasToDirsRequest) -> None:
        try:
            response = await self._channel.send(request, timeout_ms=REQUEST_TIMEOUT_MS)
        except ControllerUnavailable as error:
            _log.warning("%s", error)
            # The controller may have recorded the assignments. They are sent again: to repeat them
            # is harmless.
            self._queue.handle_failure(self._clock.now_ms())
        else:
            assert isinstance(response, AssignReplicasToDirsResponse)
            self._warn_of(self._queue.handle_response(response, self._clock.now_ms()))
        # The next one may be due.
        self.wake()

    @staticmethod
    def _warn_of(refused: Mapping[Replica, int]) -> None:
        for code in sorted(frozenset(refused.values())):
            count = sum(each == code for each in refused.values())
            _log.warning(
                "the controller refused to record the directories of %d replicas: %s",
                count,
                describe(code).name,
            )


async def _cancel_once_set(event: trio.Event, scope: trio.CancelScope) -> None:
    await event.wait()
    scope.cancel()
