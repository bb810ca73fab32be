"""The task that sends the ISR changes of this broker's leaders to the active controller."""

from __future__ import annotations

import logging
from collections.abc import Callable

import trio

from kafkaproto.messages import AlterPartitionResponse
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.replicas.isr_changes import IsrChanges, IsrCounts
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable

_log = logging.getLogger("kafkaproto.server.replicas")

REQUEST_TIMEOUT_MS = 30_000


class IsrSender:
    """Sends what an `IsrChanges` has."""

    def __init__(
        self, broker_id: int, channel: ControllerChannel, broker_epoch: Callable[[], int | None], clock: Clock
    ) -> None:
        self._changes = IsrChanges(broker_id)
        self._channel = channel
        self._broker_epoch = broker_epoch
        self._clock = clock
        self._wake = trio.Event()

    @property
    def counts(self) -> IsrCounts:
        """What has become of the changes."""
        return self._changes.counts

    def add(self, partition: Partition) -> None:
        """A partition's `isr_change` is to be sent."""
        self._changes.add(partition)
        self._wake.set()

    def drop(self, partition: Partition) -> None:
        self._changes.drop(partition)

    async def run(self) -> None:
        while True:
            self._wake = trio.Event()
            due_ms, epoch = self._changes.due_ms, self._broker_epoch()
            if due_ms is None or epoch is None:
                await self._wake.wait()
                continue
            # One turn of the loop at least: changes that come together share a request.
            await trio.sleep(max(0, due_ms - self._clock.now_ms()) / 1000)
            request = self._changes.next_request(epoch)
            if request is None:
                continue
            try:
                response = await self._channel.send(request, timeout_ms=REQUEST_TIMEOUT_MS)
            except ControllerUnavailable as error:
                _log.warning("%s", error)
                # They stay, and are sent again. The controller may have made them before it went away, so until then
                # a leader counts on the larger of both ISRs (KIP-497).
                self._changes.handle_failure(self._clock.now_ms())
                continue
            assert isinstance(response, AlterPartitionResponse)
            self._changes.handle_response(response, self._clock.now_ms())
