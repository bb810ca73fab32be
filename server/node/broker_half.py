"""The task that keeps a broker registered and alive, and says when it may serve clients."""

from __future__ import annotations

import logging

import trio

from kafkaproto.error_codes import describe
from server.broker.lifecycle import BrokerLifecycle, BrokerState
from server.node.controller_channel import ControllerChannel, ControllerUnavailable
from server.node.published import Published
from server.ports import Clock

_log = logging.getLogger("kafkaproto.server.broker")


class RegistrationTimeout(Exception):
    """No controller took the broker's registration in time (initial.broker.registration.timeout.ms)."""


class BrokerHalf:
    """Runs a `BrokerLifecycle` over a channel to the active controller."""

    def __init__(
        self,
        lifecycle: BrokerLifecycle,
        *,
        channel: ControllerChannel,
        published: Published,
        heartbeat_interval_ms: int,
        clock: Clock,
    ) -> None:
        self._lifecycle = lifecycle
        self._channel = channel
        self._published = published
        self._heartbeat_interval_ms = heartbeat_interval_ms
        self._clock = clock
        self._shutdown_asked = trio.Event()
        self._has_left = trio.Event()

    @property
    def is_running(self) -> bool:
        """Whether the broker is unfenced and serves clients."""
        return self._lifecycle.is_serving

    @property
    def _is_leaving(self) -> bool:
        return self._lifecycle.state is BrokerState.SHUTTING_DOWN

    @property
    def broker_epoch(self) -> int | None:
        """The epoch of this process's registration, None before it."""
        return self._lifecycle.broker_epoch

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Register, then send heartbeats until the controlled shutdown is over; starts once unfenced.

        Raises RegistrationTimeout.
        """
        lifecycle = self._lifecycle
        announced = False
        try:
            while not self._is_leaving:
                await self._wait_until_due()
                # A shutdown may have been asked for during the wait, of a broker that never registered.
                if self._is_leaving:
                    break
                await self._exchange()
                if lifecycle.state is BrokerState.RUNNING and not announced:
                    announced = True
                    task_status.started()
        finally:
            self._has_left.set()

    async def leave(self, timeout_ms: int) -> None:
        """The controlled shutdown: returns once the controller lets this broker go, or the time is over."""
        self._lifecycle.request_shutdown(self._clock.now_ms())
        self._shutdown_asked.set()
        with trio.move_on_after(timeout_ms / 1000) as scope:
            await self._has_left.wait()
        if scope.cancelled_caught:
            _log.warning("the controlled shutdown was not finished within %d ms", timeout_ms)

    async def _wait_until_due(self) -> None:
        wait_ms = self._lifecycle.due_ms - self._clock.now_ms()
        if wait_ms <= 0:
            await trio.lowlevel.checkpoint()
        elif self._shutdown_asked.is_set():
            await trio.sleep(wait_ms / 1000)
        else:
            with trio.move_on_after(wait_ms / 1000):
                await self._shutdown_asked.wait()

    async def _exchange(self) -> None:
        lifecycle = self._lifecycle
        if lifecycle.is_registration_overdue:
            raise RegistrationTimeout("no active controller took the registration of this broker in time")
        request = lifecycle.next_request(self._published.image.offset)
        try:
            response = await self._channel.send(request, timeout_ms=self._heartbeat_interval_ms)
        except ControllerUnavailable as error:
            _log.warning("%s", error)
            lifecycle.handle_failure(self._clock.now_ms())
            return
        before = lifecycle.last_refusal
        lifecycle.handle_response(response, self._clock.now_ms())
        code = lifecycle.last_refusal
        if code and code != before:
            info = describe(code)
            _log.warning("the controller refused %s: %s: %s", request.NAME, info.name, info.message)
