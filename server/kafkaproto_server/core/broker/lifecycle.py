"""A broker's lifecycle towards the controllers: register, catch up, be unfenced, stay alive, shut down in order
(KIP-631).

It decides which request to send next and when, and gets the responses; other code does the sending. A broker registers
once for each start of its process and keeps that broker epoch. Whatever the response to a later heartbeat is, the next
one has the same epoch, as with Kafka's brokers.

The states are those of Kafka's brokers:

STARTING (registered, has not replayed its own registration record yet) -> RECOVERY (caught up, asks to be unfenced) ->
RUNNING -> PENDING_CONTROLLED_SHUTDOWN (other brokers take over its partitions) -> SHUTTING_DOWN.

A broker without a controller's word for as long as its session lasts has to assume that it is fenced, and that others
lead its partitions (`is_session_over`). KIP-631 demands it; Apache Kafka's brokers continue.

A failed directory is reported at once, and in every heartbeat from then on. If the broker gets no response to any of
these in time, it has to stop, since it leads partitions that it has lost (log.dir.failure.timeout.ms, KIP-858).

Apache Kafka: ``BrokerLifecycleManager``.
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
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.broker.directories import LogDirectories

CATCH_UP_INTERVAL_MS = 10
"""Time between heartbeats of a broker that waits to be caught up or unfenced, and after a heartbeat without a
response."""
FIRST_SHUTDOWN_INTERVAL_MS = 50
"""Time between the first two heartbeats of a controlled shutdown, which is mostly allowed at once."""

MAX_FAILED_GOODBYES = 2
"""The number of consecutive requests without a response after which a controlled shutdown continues without the
controller's consent. Each takes a heartbeat interval, in which a quorum that still has a majority elects a new
leader."""

REFUSALS_OF_A_GOODBYE = frozenset({ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.STALE_BROKER_EPOCH})
"""Responses after which a controlled shutdown need not be requested again: this process may not act for the broker (any
more), or another registration has replaced it. Kafka's brokers continue to ask until their timeout."""


class BrokerState(enum.Enum):
    """The state of a broker's lifecycle."""

    STARTING = "starting"
    RECOVERY = "recovery"
    RUNNING = "running"
    PENDING_CONTROLLED_SHUTDOWN = "pending controlled shutdown"
    SHUTTING_DOWN = "shutting down"

    @property
    def code(self) -> int:
        """The number of the state in Kafka's metric BrokerState."""
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
    """The data with which a broker registers."""

    broker_id: int
    cluster_id: str
    incarnation_id: bytes
    """16 random bytes, new for each start of the process."""
    endpoints: tuple[Endpoint, ...]
    rack: str | None
    features: dict[str, tuple[int, int]]
    """Supported levels by feature name."""
    previous_broker_epoch: int
    """Epoch of the last clean shutdown; -1 if there was none."""


class BrokerLifecycle:
    """The lifecycle of one broker. Times are monotonic, in milliseconds."""

    def __init__(
        self,
        identity: BrokerIdentity,
        *,
        directories: LogDirectories,
        heartbeat_interval_ms: int,
        registration_timeout_ms: int,
        directory_failure_timeout_ms: int,
        session_timeout_ms: int,
        now_ms: int,
    ) -> None:
        self._session_timeout_ms = session_timeout_ms
        self._session_end_ms: int | None = None
        self._identity = identity
        self._directories = directories
        self._directory_failure_timeout_ms = directory_failure_timeout_ms
        # What the last request reported about the directories; and by directory id, until when a failure has to be
        # confirmed.
        self._told_offline: tuple[bytes, ...] = ()
        self._told_cordoned: tuple[bytes, ...] | None = None
        self._notify_by_ms: dict[bytes, int] = {}
        self._confirmed: frozenset[bytes] = frozenset()
        self._heartbeat_interval_ms = heartbeat_interval_ms
        self._registration_deadline_ms = now_ms + registration_timeout_ms
        self._due_ms = now_ms
        self._wants_shutdown = False
        self._has_told_shutdown = False
        self._next_shutdown_interval_ms = min(FIRST_SHUTDOWN_INTERVAL_MS, heartbeat_interval_ms)
        self._last_refusal = 0
        # Until a controller says otherwise: a registration begins fenced (KIP-631).
        self._is_fenced = True
        self._was_told_to_leave = False
        self._failed_goodbyes = 0
        self.state = BrokerState.STARTING
        self.broker_epoch: int | None = None

    @property
    def due_ms(self) -> int:
        """When to send the next request."""
        return self._due_ms

    @property
    def is_registration_overdue(self) -> bool:
        """Whether the time to register is over: the broker then gives up (initial.broker.registration.timeout.ms)."""
        # By the next try, not by the clock: if that comes too late, there is no reason to wait for it.
        return self.broker_epoch is None and self._due_ms >= self._registration_deadline_ms

    @property
    def last_refusal(self) -> int:
        """Error code of the last response; 0 if it had none."""
        return self._last_refusal

    @property
    def is_serving(self) -> bool:
        """Whether the broker is running and unfenced, according to the controller's last response."""
        return self.state is BrokerState.RUNNING and not self._is_fenced

    @property
    def was_told_to_leave(self) -> bool:
        """Whether the last response told this broker to shut down, or that it is fenced, though it is running and did
        not request a shutdown. Either another process acted in its name, or it was silent for too long. It continues to
        send heartbeats, by which it is unfenced again."""
        return self._was_told_to_leave

    def is_session_over(self, now_ms: int) -> bool:
        """Whether the controller must have fenced this broker, or has said that it did. It does not count before the
        first heartbeat that was answered, as the broker leads nothing then."""
        if self._session_end_ms is None:
            return False
        # Counted from the sending of the heartbeat. The controller counts from its arrival, which is later: so the
        # broker stops before others lead.
        return now_ms >= self._session_end_ms or (self._is_fenced and self.state is BrokerState.RUNNING)

    def session_renewed(self, sent_ms: int) -> None:
        """The controller has taken a heartbeat that was sent at that time: its session began then or later."""
        assert self.broker_epoch is not None, "a heartbeat has a broker epoch"
        self._session_end_ms = sent_ms + self._session_timeout_ms

    def is_directory_failure_overdue(self, now_ms: int) -> bool:
        """Whether the time is over in which a controller should have confirmed a failed directory: the broker then
        stops."""
        return any(deadline_ms <= now_ms for deadline_ms in self._notify_by_ms.values())

    def directories_changed(self, now_ms: int) -> None:
        """A directory failed, or the set of cordoned directories changed: the next request is due at once."""
        for directory_id in self._directories.offline_ids:
            # A failure that a controller knows of is never overdue, however long the broker repeats it.
            if directory_id not in self._confirmed:
                self._notify_by_ms.setdefault(directory_id, now_ms + self._directory_failure_timeout_ms)
        if self.broker_epoch is not None:
            self._due_ms = now_ms

    def next_request(self, metadata_offset: int, *, are_assignments_known: bool = True) -> Message:
        """The request to send now. ``metadata_offset`` is the last offset that this broker has applied.

        A broker that was never unfenced asks to stay fenced until the directories of all its replicas are known.
        """
        # Noted with the request: only what it said can be confirmed by its response.
        self._told_offline = self._directories.offline_ids
        if self.broker_epoch is None:
            return self._registration()
        # Once it has served, the broker no longer asks to be fenced: a new replica that waits for its place must not
        # take it out of all its partitions.
        is_new = self.state is BrokerState.RECOVERY and not are_assignments_known
        wants_fence = self.state is BrokerState.STARTING or is_new
        # Null while it starts, as Kafka's brokers: it means "no change" (KIP-1066).
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
        """Begin the controlled shutdown. A broker without a registration has nothing to hand over, and stops at
        once."""
        self._wants_shutdown = True
        if self.broker_epoch is None:
            self.state = BrokerState.SHUTTING_DOWN
        # A second signal changes nothing.
        elif self.state is not BrokerState.SHUTTING_DOWN:
            self.state = BrokerState.PENDING_CONTROLLED_SHUTDOWN
            self._due_ms = now_ms

    def handle_response(self, response: Message, now_ms: int) -> None:
        """Handle the active controller's response to the last request."""
        if isinstance(response, BrokerRegistrationResponse):
            self._handle_registration(response, now_ms)
        else:
            assert isinstance(response, BrokerHeartbeatResponse)
            self._handle_heartbeat(response, now_ms)

    def handle_failure(self, now_ms: int) -> None:
        """No response came within an interval, the longest time that a request waits; the same request is sent again.

        A broker in controlled shutdown gives up after a few failures: it may be the quorum's last node, and then nobody
        will respond.
        """
        self._due_ms = now_ms + CATCH_UP_INTERVAL_MS
        if self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            self._failed_goodbyes += 1
            # Stopping unasked costs others a session's wait at most; to wait for a quorum that is gone would never end.
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
            # Only those that work: the controllers take a replica in any other for offline from the start (KIP-858).
            log_dirs=list(self._directories.online_ids),
            # It proves a clean shutdown. Without it a controller with ELR takes the broker out of every ELR (KIP-966).
            previous_broker_epoch=identity.previous_broker_epoch,
        )

    def _handle_registration(self, response: BrokerRegistrationResponse, now_ms: int) -> None:
        self._last_refusal = response.error_code
        if response.error_code:
            # A whole interval: a refusal may last as long as a session (DUPLICATE_BROKER_REGISTRATION).
            self._put_off(now_ms)
            return
        assert self.broker_epoch is None, f"registered as {self.broker_epoch} already"
        self.broker_epoch = response.broker_epoch
        # The session begins with the first heartbeat, not with the registration.
        self._due_ms = now_ms
        # The controller counts directories that the registration does not contain as offline.
        self._confirm_offline()

    def _confirm_offline(self) -> None:
        """The controller has responded to the last request, so it knows the offline directories in it."""
        self._confirmed = frozenset(self._told_offline)
        for directory_id in self._told_offline:
            self._notify_by_ms.pop(directory_id, None)

    def _has_news_of_directories(self) -> bool:
        """Whether directories failed or were cordoned after the request whose response has just come."""
        if self._told_offline != self._directories.offline_ids:
            return True
        return self._told_cordoned is not None and self._told_cordoned != self._directories.cordoned_ids

    def _handle_heartbeat(self, response: BrokerHeartbeatResponse, now_ms: int) -> None:
        self._last_refusal = response.error_code
        interval_ms = self._heartbeat_interval_ms
        if response.error_code:
            self._put_off(now_ms)
            is_goodbye = self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN
            # To repeat it would help nobody: this process has nothing more to hand over, or may not.
            if is_goodbye and response.error_code in REFUSALS_OF_A_GOODBYE:
                self.state = BrokerState.SHUTTING_DOWN
            elif self.state is BrokerState.STARTING and response.error_code == ErrorCode.STALE_BROKER_EPOCH:
                # Another process has registered as this broker, most likely the one before this: its request came late,
                # and there was no session yet that refuses it. If the other one lives, this registration is refused.
                self.broker_epoch = None
            return
        self._was_told_to_leave = (
            self.state is BrokerState.RUNNING
            and not self._wants_shutdown
            and (response.is_fenced or response.should_shut_down)
        )
        self._is_fenced = response.is_fenced
        # In a row: a quorum that responds again is worth asking again.
        self._failed_goodbyes = 0
        self._confirm_offline()
        match self.state:
            case BrokerState.STARTING:
                if response.is_caught_up:
                    # At once: each interval that passes here is one in which the broker does not serve.
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
                    # Only the second question comes early: most shutdowns are allowed by then, and many brokers may
                    # stop at once.
                    self._next_shutdown_interval_ms = self._heartbeat_interval_ms
                else:
                    # The response to a heartbeat that was already in flight when the shutdown was requested.
                    interval_ms = 0
            case BrokerState.RUNNING | BrokerState.SHUTTING_DOWN:
                pass
            case _:
                assert_never(self.state)
        # A failure between request and response must not wait for an interval: the broker leads what it has lost.
        self._due_ms = now_ms + (0 if self._has_news_of_directories() else interval_ms)
