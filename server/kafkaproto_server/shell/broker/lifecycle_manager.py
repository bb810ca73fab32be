"""The task that keeps a broker registered and alive, and says when it may serve clients."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import trio

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import describe
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.broker.assignments import AssignmentQueue, Replica
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.core.broker.lifecycle import BrokerLifecycle, BrokerState
from kafkaproto_server.core.broker.replica_directories import ReplicaDirectories, ReplicaListener
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.shell.broker.assignment_sender import AssignmentSender
from kafkaproto_server.shell.broker.metadata_applier import MetadataApplier
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable

CORDONED_DIRECTORIES_FROM = 2
"""The first version of BrokerHeartbeat that names cordoned directories (KIP-1066)."""

_log = logging.getLogger("kafkaproto.server.broker")


class RegistrationTimeout(Exception):
    """No controller accepted the broker's registration in time (initial.broker.registration.timeout.ms)."""


class DirectoryFailureNotToldError(Exception):
    """No controller confirmed a failed directory in time (log.dir.failure.timeout.ms)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalReplicas:
    """The replicas of this broker: where they may be, what its start found of them, and who opens them."""

    directories: LogDirectories
    on_disk: Iterable[FoundReplica]
    """What lies in the directories."""
    emptied: Collection[bytes]
    """Ids of the directories that somebody has emptied, or whose disk was exchanged."""
    listener: ReplicaListener


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerChannels:
    """The channels of one broker to its active controller."""

    heartbeats: ControllerChannel
    """Also for the registration."""
    assignments: ControllerChannel
    """One of its own: assignments of many replicas must not delay heartbeats."""


class BrokerLifecycleManager:
    """Runs a `BrokerLifecycle` over a channel to the active controller."""

    def __init__(
        self,
        lifecycle: BrokerLifecycle,
        *,
        broker_id: int,
        replicas: LocalReplicas,
        static_config: Mapping[str, str],
        channels: ControllerChannels,
        published: Published,
        heartbeat_interval_ms: int,
        clock: Clock,
    ) -> None:
        """``lifecycle`` reports the directories of ``replicas``; ``static_config`` is the node's properties."""
        self._lifecycle = lifecycle
        self._assignments = AssignmentQueue(broker_id)
        self._replicas = replicas.listener
        self._replica_directories = ReplicaDirectories(
            broker_id,
            replicas.directories,
            self._assignments,
            replicas.on_disk,
            replicas.listener,
            emptied=replicas.emptied,
        )
        self._applier = MetadataApplier(
            broker_id=broker_id,
            static_config=static_config,
            directories=replicas.directories,
            replicas=self._replica_directories,
        )
        self._sender = AssignmentSender(
            self._assignments,
            channel=channels.assignments,
            published=published,
            apply=self.apply,
            broker_epoch=lambda: lifecycle.broker_epoch,
            clock=clock,
        )
        self._directories = replicas.directories
        self._has_warned_of_cordoned = False
        self._channel = channels.heartbeats
        self._published = published
        self._heartbeat_interval_ms = heartbeat_interval_ms
        self._clock = clock
        self._has_caught_up = False
        self._wake = trio.Event()
        self._has_left = trio.Event()

    @property
    def is_running(self) -> bool:
        """Whether the broker is unfenced and serves clients."""
        return self._lifecycle.is_serving

    @property
    def state_code(self) -> int:
        """The broker's state as Kafka's metric BrokerState numbers it."""
        return self._lifecycle.state.code

    @property
    def is_session_over(self) -> bool:
        """Whether other brokers may lead this one's partitions by now: no controller has taken a heartbeat for too
        long."""
        return self._lifecycle.is_session_over(self._clock.now_ms())

    @property
    def metadata_apply_errors(self) -> int:
        """How often this broker could not apply what the metadata required."""
        return self._applier.errors

    @property
    def queued_replica_to_dir_assignments(self) -> int:
        """The number of replicas whose directory no controller has confirmed yet."""
        return len(self._assignments)

    @property
    def _is_leaving(self) -> bool:
        return self._lifecycle.state is BrokerState.SHUTTING_DOWN

    @property
    def broker_epoch(self) -> int | None:
        """The epoch of this process's registration; None before it."""
        return self._lifecycle.broker_epoch

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Register, then send heartbeats until the controlled shutdown is complete. It has started once the broker is
        unfenced.

        Raises RegistrationTimeout, DirectoryFailureNotToldError.
        """
        try:
            async with trio.open_nursery() as nursery:
                # On a channel of its own: assignments of many replicas must not delay heartbeats.
                nursery.start_soon(self._sender.run)
                await self._live(task_status)
                nursery.cancel_scope.cancel()
        finally:
            self._has_left.set()

    async def _live(self, task_status: trio.TaskStatus[None]) -> None:
        lifecycle = self._lifecycle
        announced = False
        while not self._is_leaving:
            await self._wait_until_due()
            # A shutdown may have been requested during the wait, of a broker that never registered.
            if self._is_leaving:
                break
            await self._exchange()
            if lifecycle.state is BrokerState.RUNNING and not announced:
                announced = True
                task_status.started()

    async def leave(self, timeout_ms: int) -> None:
        """The controlled shutdown. Returns once the controller allows this broker to stop, or after the timeout."""
        self._lifecycle.request_shutdown(self._clock.now_ms())
        self._wake.set()
        with trio.move_on_after(timeout_ms / 1000) as scope:
            await self._has_left.wait()
        if scope.cancelled_caught:
            _log.warning("the controlled shutdown was not finished within %d ms", timeout_ms)

    def apply(self) -> bool:
        """Apply the newest metadata. Returns whether there is more to apply.

        Replicas are left alone until all is applied that was committed before this broker registered: what older
        metadata say of them may not be true any more.
        """
        if self._lifecycle.state in (BrokerState.RECOVERY, BrokerState.RUNNING):
            self._has_caught_up = True
        if self._applier.apply(self._published.image, has_caught_up=self._has_caught_up):
            self._report_directories()
        return self._applier.has_more

    def directories_changed(self) -> None:
        self._sender.wake()
        self._report_directories()

    def replica_lost(self, replica: Replica, is_lost: bool) -> None:
        """The log of a replica cannot be used though its directory works, or it can be used again."""
        if is_lost:
            self._replica_directories.lost(replica)
        else:
            self._replica_directories.found(replica)
        self._sender.wake()

    def _report_directories(self) -> None:
        self._lifecycle.directories_changed(self._clock.now_ms())
        self._wake.set()

    async def _wait_until_due(self) -> None:
        # Also if a heartbeat is due at once: this loop must give other tasks their turn.
        await trio.lowlevel.checkpoint()
        while not self._is_leaving and (wait_ms := self._lifecycle.due_ms - self._clock.now_ms()) > 0:
            self._wake = trio.Event()
            with trio.move_on_after(wait_ms / 1000):
                await self._wake.wait()

    async def _exchange(self) -> None:
        lifecycle = self._lifecycle
        if lifecycle.is_registration_overdue:
            raise RegistrationTimeout("no active controller took the registration of this broker in time")
        if lifecycle.is_directory_failure_overdue(self._clock.now_ms()):
            raise DirectoryFailureNotToldError(
                "a log directory failed, and no controller confirmed within log.dir.failure.timeout.ms that it knows: "
                "this broker may lead partitions that it has lost, and stops"
            )
        # The heartbeat contains the offset up to which metadata is applied and, in RECOVERY, what followed from it.
        self.apply()
        self._sender.wake()
        request = lifecycle.next_request(
            self._published.image.offset,
            are_assignments_known=self._replica_directories.are_known and self._replicas.are_open,
        )
        sent_ms = self._clock.now_ms()
        try:
            # No longer than one interval: a heartbeat that hangs must not take the time of the next
            # one.
            response = await self._channel.send(request, timeout_ms=self._heartbeat_interval_ms)
        except ControllerUnavailable as error:
            _log.warning("%s", error)
            lifecycle.handle_failure(self._clock.now_ms())
            return
        before, was_told_to_leave = lifecycle.last_refusal, lifecycle.was_told_to_leave
        lifecycle.handle_response(response, self._clock.now_ms())
        if not lifecycle.last_refusal:
            lifecycle.session_renewed(sent_ms)
        self._maybe_warn_of_cordoned()
        if lifecycle.was_told_to_leave and not was_told_to_leave:
            _log.warning(
                "the controller fenced this broker, which did not ask for it: the broker asks to be unfenced"
            )
        code = lifecycle.last_refusal
        if code and self._is_leaving:
            _log.warning("no controlled shutdown: the controller responded %s", describe(code).name)
        elif code and code != before:
            info = describe(code)
            _log.warning("the controller refused %s: %s: %s", request.NAME, info.name, info.message)

    def _maybe_warn_of_cordoned(self) -> None:
        """Say so, once, if the active controller is too old to hear of cordoned directories."""
        served = self._channel.served_versions
        if self._has_warned_of_cordoned or served is None or not self._directories.cordoned_ids:
            return
        _, highest = served.get(ApiKey.BROKER_HEARTBEAT, (0, CORDONED_DIRECTORIES_FROM))
        if highest < CORDONED_DIRECTORIES_FROM:
            self._has_warned_of_cordoned = True
            _log.warning(
                "the active controller is of a release without cordoned log directories: it places replicas in them"
            )
