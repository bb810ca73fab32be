"""A broker's life towards the controllers: register, catch up, be unfenced, stay alive, leave in order (KIP-631).

Says which request is to be sent next and when, and is told what came back; sending is somebody else's. A broker
registers once for each start of its process and keeps that broker epoch; whatever a later heartbeat is answered, the
next one is sent with the same epoch, as Kafka's brokers do.

The states are those of Kafka's brokers:
STARTING (registered, behind its own registration record) -> RECOVERY (caught up, asks to be unfenced) -> RUNNING ->
PENDING_CONTROLLED_SHUTDOWN (its partitions are led elsewhere first) -> SHUTTING_DOWN.

A directory that fails is told at once and in every heartbeat from then on; a broker that cannot get an answer to one of
those in time has to stop, since it leads partitions that it has lost (log.dir.failure.timeout.ms, KIP-858).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import assert_never

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from kafkaproto_server.broker.directories import LogDirectories
from kafkaproto_server.types import Endpoint

CATCH_UP_INTERVAL_MS = 10
"""Between heartbeats of a broker that waits to be caught up or unfenced, and after one that nobody answered."""
FIRST_SHUTDOWN_INTERVAL_MS = 50
"""Between the first two heartbeats of a controlled shutdown, which mostly ends at once."""

MAX_FAILED_GOODBYES = 2
"""Requests in a row without an answer after which a controlled shutdown goes on without the controller's leave. Each
takes a heartbeat interval, in which a quorum that still has a majority elects a new leader."""

REFUSALS_OF_A_GOODBYE = frozenset({ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.STALE_BROKER_EPOCH})
"""Answers after which asking again for a controlled shutdown is of no use: this process may not speak for the broker
(any more), or is not the one that is registered (any more). Kafka's brokers go on asking until their time is up."""


class BrokerState(enum.Enum):
    """Where a broker is in its life."""

    STARTING = "starting"
    RECOVERY = "recovery"
    RUNNING = "running"
    PENDING_CONTROLLED_SHUTDOWN = "pending controlled shutdown"
    SHUTTING_DOWN = "shutting down"

    @property
    def code(self) -> int:
        """The number that Kafka's metric BrokerState shows."""
        return _STATE_CODES[self]


_STATE_CODES = {
    BrokerState.STARTING: 1,
    BrokerState.RECOVERY: 2,
    BrokerState.RUNNING: 3,
    BrokerState.PENDING_CONTROLLED_SHUTDOWN: 6,
    BrokerState.SHUTTING_DOWN: 7,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerIdentity:
    """What a broker registers with."""

    broker_id: int
    cluster_id: str
    incarnation_id: bytes
    """16 random bytes, new for each start of the process."""
    endpoints: tuple[Endpoint, ...]
    rack: str | None
    features: dict[str, tuple[int, int]]
    """Supported levels by feature name."""
    previous_broker_epoch: int
    """Epoch of the last clean shutdown, -1 where there was none."""


class BrokerLifecycle:
    """One broker's life. Times are monotonic milliseconds."""

    def __init__(
        self,
        identity: BrokerIdentity,
        *,
        directories: LogDirectories,
        heartbeat_interval_ms: int,
        registration_timeout_ms: int,
        directory_failure_timeout_ms: int,
        now_ms: int,
    ) -> None:
        self._identity = identity
        self._directories = directories
        self._directory_failure_timeout_ms = directory_failure_timeout_ms
        # What the last request said of the directories; until when failures have to be told, by directory id.
        self._told_offline: tuple[bytes, ...] = ()
        self._told_cordoned: tuple[bytes, ...] | None = None
        self._tell_by_ms: dict[bytes, int] = {}
        self._confirmed: frozenset[bytes] = frozenset()
        self._heartbeat_interval_ms = heartbeat_interval_ms
        self._registration_deadline_ms = now_ms + registration_timeout_ms
        self._due_ms = now_ms
        self._wants_shutdown = False
        self._has_told_shutdown = False
        self._next_shutdown_interval_ms = min(FIRST_SHUTDOWN_INTERVAL_MS, heartbeat_interval_ms)
        self._last_refusal = 0
        self._is_fenced = True
        self._was_told_to_leave = False
        self._failed_goodbyes = 0
        self.state = BrokerState.STARTING
        self.broker_epoch: int | None = None

    @property
    def due_ms(self) -> int:
        """When the next request is to be sent."""
        return self._due_ms

    @property
    def is_registration_overdue(self) -> bool:
        """Whether the time for registering is over: the broker gives up (initial.broker.registration.timeout.ms)."""
        return self.broker_epoch is None and self._due_ms >= self._registration_deadline_ms

    @property
    def last_refusal(self) -> int:
        """Error code of the last answer, 0 where it was none."""
        return self._last_refusal

    @property
    def is_serving(self) -> bool:
        """Whether the broker is running and unfenced, as far as the controller's last answer tells."""
        return self.state is BrokerState.RUNNING and not self._is_fenced

    @property
    def was_told_to_leave(self) -> bool:
        """Whether the last answer told this broker to shut down, or that it is fenced, though it serves and has not
        asked for that: somebody else spoke in its name, or it was silent for too long. It goes on sending heartbeats,
        by which it comes back.
        """
        return self._was_told_to_leave

    def is_directory_failure_overdue(self, now_ms: int) -> bool:
        """Whether a controller should have confirmed by now that it knows of a failed directory: the broker stops."""
        return any(deadline_ms <= now_ms for deadline_ms in self._tell_by_ms.values())

    def directories_changed(self, now_ms: int) -> None:
        """A directory failed, or others are cordoned than before: the controller is told without delay."""
        for directory_id in self._directories.offline_ids:
            if directory_id not in self._confirmed:
                self._tell_by_ms.setdefault(directory_id, now_ms + self._directory_failure_timeout_ms)
        if self.broker_epoch is not None:
            self._due_ms = now_ms

    def next_request(self, metadata_offset: int, *, are_assignments_known: bool = True) -> Message:
        """The request to send now; ``metadata_offset`` is the last offset this broker has applied.

        While it is not known where each replica lies, a broker that was not unfenced yet stays fenced.
        """
        self._told_offline = self._directories.offline_ids
        if self.broker_epoch is None:
            return self._registration()
        is_new = self.state is BrokerState.RECOVERY and not are_assignments_known
        wants_fence = self.state is BrokerState.STARTING or is_new
        self._told_cordoned = None if wants_fence else self._directories.cordoned_ids
        self._has_told_shutdown = self._wants_shutdown
        return BrokerHeartbeatRequest(
            broker_id=self._identity.broker_id,
            broker_epoch=self.broker_epoch,
            current_metadata_offset=metadata_offset,
            want_fence=wants_fence,
            want_shut_down=self._wants_shutdown,
            offline_log_dirs=list(self._told_offline),
            cordoned_log_dirs=None if self._told_cordoned is None else list(self._told_cordoned),
        )

    def request_shutdown(self, now_ms: int) -> None:
        """Begin the controlled shutdown; a broker that was never unfenced has nothing to hand over."""
        self._wants_shutdown = True
        if self.broker_epoch is None:
            self.state = BrokerState.SHUTTING_DOWN
        elif self.state is not BrokerState.SHUTTING_DOWN:
            self.state = BrokerState.PENDING_CONTROLLED_SHUTDOWN
            self._due_ms = now_ms

    def handle_response(self, response: Message, now_ms: int) -> None:
        """What the active controller answered to the last request."""
        if isinstance(response, BrokerRegistrationResponse):
            self._handle_registration(response, now_ms)
        else:
            assert isinstance(response, BrokerHeartbeatResponse)
            self._handle_heartbeat(response, now_ms)

    def handle_failure(self, now_ms: int) -> None:
        """No answer came within an interval, as long as one waits for it; the same is sent again.

        A broker that is leaving gives up after a few: it may be the quorum's last node, whom nobody will answer.
        """
        self._due_ms = now_ms + CATCH_UP_INTERVAL_MS
        if self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            self._failed_goodbyes += 1
            if self._failed_goodbyes >= MAX_FAILED_GOODBYES:
                self.state = BrokerState.SHUTTING_DOWN

    def _put_off(self, now_ms: int) -> None:
        self._due_ms = now_ms + self._heartbeat_interval_ms

    def _registration(self) -> BrokerRegistrationRequest:
        identity = self._identity
        return BrokerRegistrationRequest(
            broker_id=identity.broker_id,
            cluster_id=identity.cluster_id,
            incarnation_id=identity.incarnation_id,
            listeners=[
                BrokerRegistrationRequest.Listener(
                    name=endpoint.name,
                    host=endpoint.host,
                    port=endpoint.port,
                    security_protocol=endpoint.security_protocol,
                )
                for endpoint in identity.endpoints
            ],
            features=[
                BrokerRegistrationRequest.Feature(
                    name=name, min_supported_version=lowest, max_supported_version=highest
                )
                for name, (lowest, highest) in sorted(identity.features.items())
            ],
            rack=identity.rack,
            log_dirs=list(self._directories.online_ids),
            previous_broker_epoch=identity.previous_broker_epoch,
        )

    def _handle_registration(self, response: BrokerRegistrationResponse, now_ms: int) -> None:
        self._last_refusal = response.error_code
        if response.error_code:
            self._put_off(now_ms)
            return
        self.broker_epoch = response.broker_epoch
        self._due_ms = now_ms
        # What it leaves out, the controller knows to be away.
        self._confirm_offline()

    def _confirm_offline(self) -> None:
        """The controller has answered the last request, and so knows what that one said."""
        self._confirmed = frozenset(self._told_offline)
        for directory_id in self._told_offline:
            self._tell_by_ms.pop(directory_id, None)

    def _has_news_of_directories(self) -> bool:
        """Whether directories failed or were cordoned after the request that was answered now."""
        if self._told_offline != self._directories.offline_ids:
            return True
        return self._told_cordoned is not None and self._told_cordoned != self._directories.cordoned_ids

    def _handle_heartbeat(self, response: BrokerHeartbeatResponse, now_ms: int) -> None:
        self._last_refusal = response.error_code
        interval_ms = self._heartbeat_interval_ms
        if response.error_code:
            self._put_off(now_ms)
            is_goodbye = self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN
            if is_goodbye and response.error_code in REFUSALS_OF_A_GOODBYE:
                self.state = BrokerState.SHUTTING_DOWN
            return
        self._was_told_to_leave = (
            self.state is BrokerState.RUNNING
            and not self._wants_shutdown
            and (response.is_fenced or response.should_shut_down)
        )
        self._is_fenced = response.is_fenced
        self._failed_goodbyes = 0
        self._confirm_offline()
        match self.state:
            case BrokerState.STARTING:
                if response.is_caught_up:
                    self.state, interval_ms = BrokerState.RECOVERY, 0
                else:
                    interval_ms = CATCH_UP_INTERVAL_MS
            case BrokerState.RECOVERY:
                if response.is_fenced:
                    interval_ms = CATCH_UP_INTERVAL_MS
                else:
                    self.state = BrokerState.RUNNING
            case BrokerState.PENDING_CONTROLLED_SHUTDOWN:
                if response.should_shut_down:
                    self.state = BrokerState.SHUTTING_DOWN
                elif self._has_told_shutdown:
                    interval_ms = self._next_shutdown_interval_ms
                    self._next_shutdown_interval_ms = self._heartbeat_interval_ms
                else:
                    # The answer to a heartbeat that was under way already when the shutdown was asked for.
                    interval_ms = 0
            case BrokerState.RUNNING | BrokerState.SHUTTING_DOWN:
                pass
            case _:
                assert_never(self.state)
        self._due_ms = now_ms + (0 if self._has_news_of_directories() else interval_ms)
