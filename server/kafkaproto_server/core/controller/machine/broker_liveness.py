"""Which brokers live: their heartbeats, their silence and the proofs of their death, and the changes that follow.

A heartbeat counts at once, so that no session ends because of a long change, and its response comes from the image
before the change. A heartbeat that leads to no record is no change. Changes from heartbeats, and the fencing of
brokers, are urgent: they go ahead of commands.

Apache Kafka: ``BrokerHeartbeatManager``, with ``processBrokerHeartbeat`` and ``maybeFenceReplicas`` of
``QuorumController``. There a heartbeat waits in the queue of events like any other request.
"""

from __future__ import annotations

from functools import partial

from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import BrokerHeartbeatRequest
from kafkaproto_server.core.controller.brokers.failed_brokers import (
    fence_failed_broker,
    fence_silent_broker,
    is_refuted,
)
from kafkaproto_server.core.controller.brokers.heartbeats import heartbeat_response
from kafkaproto_server.core.controller.brokers.session_watch import SessionWatch
from kafkaproto_server.core.controller.machine.change_processor import ChangeProcessor
from kafkaproto_server.core.controller.machine.changes import Change
from kafkaproto_server.core.controller.machine.log_states import LogStates
from kafkaproto_server.core.controller.machine.outbox import ControllerOutbox
from kafkaproto_server.core.controller.machine.situations import Situations
from kafkaproto_server.core.controller.machine.table import run_of
from kafkaproto_server.core.controller.values.command import ApiError, Decision
from kafkaproto_server.core.controller.values.effects import ReportFailure
from kafkaproto_server.core.controller.values.events import BrokerFailed, CommandReceived
from kafkaproto_server.core.controller.values.sessions import (
    BrokerSession,
    sessions_after_contact,
    sessions_after_pause,
    sessions_at_activation,
)


class BrokerLiveness:
    """The brokers' sessions while this controller is active; a standby has none."""

    def __init__(
        self,
        log: LogStates,
        watch: SessionWatch,
        changes: ChangeProcessor,
        outbox: ControllerOutbox,
        situations: Situations,
    ) -> None:
        self._log = log
        self._watch = watch
        self._changes = changes
        self._outbox = outbox
        self._situations = situations
        # Brokers with a heartbeat that waits or is worked on, and their last contact: one may have no session yet.
        self._moving: Map[int, BrokerSession] = Map()
        # The change of the heartbeat that is being handled.
        self._begun_heartbeat: Change | None = None
        self.failed_brokers = 0
        """How many failed brokers (processes provably gone) this controller has fenced since its start."""

    def start(self) -> None:
        """Give every broker that may serve a session."""
        # The stable image: an open transaction of the previous controller is about to be aborted.
        self._watch.replace(sessions_at_activation(self._log.newest.stable, self._situations.now_ms))

    def stop(self) -> None:
        """Forget all sessions."""
        self._watch.replace(Map())
        self._watch.fencing.clear()
        self._moving = Map()
        self._begun_heartbeat = None

    def paused(self, pause_ms: int) -> None:
        """Extend all sessions by the time in which this node did not run."""
        self._watch.paused(pause_ms)
        self._moving = sessions_after_pause(self._moving, pause_ms)

    # --- heartbeats ---

    def handle_heartbeat(self, event: CommandReceived, request: BrokerHeartbeatRequest) -> None:
        """Note the heartbeat at once, and move the broker to its next state when there is time for that."""
        broker_id, broker_epoch = request.broker_id, request.broker_epoch
        now_ms = self._situations.now_ms
        # Before anything is decided. Kafka's QuorumController also notes the contact before it queues the request: else
        # a long change would end the session of a broker that lives.
        self._watch.heard(broker_id, broker_epoch, now_ms)
        # A broker whose unfencing waits may have no session yet; its contact counts all the same.
        self._moving = sessions_after_contact(self._moving, broker_id, broker_epoch, now_ms)
        self._respond_to_heartbeat(event, request)

    def respond_to_begun_heartbeat(self) -> None:
        """Respond to a heartbeat whose change takes more than one slice; the change continues without it."""
        begun, self._begun_heartbeat = self._begun_heartbeat, None
        # It is done and has its response, or its time limit has passed and it was refused.
        if begun is None or begun is not self._changes.change or begun.command is None:
            return
        command, begun.command = begun.command, None
        assert isinstance(command.request, BrokerHeartbeatRequest), "only heartbeats are kept as such"
        self._respond_to_heartbeat(command, command.request)

    def _respond_to_heartbeat(self, event: CommandReceived, request: BrokerHeartbeatRequest) -> None:
        """Respond from the image before the change that is worked on, unless the heartbeat's own change can begin."""
        image = self._changes.undisturbed_image
        try:
            result, is_quiet = heartbeat_response(
                image, self._watch.sessions, self._contact(request), request
            )
        except ApiError as error:
            # The refusal rests on this image, and on nothing behind it: it need not wait for the change that is worked
            # on.
            self._changes.park(event, error, image.offset + 1)
            return
        except Exception as error:
            self._outbox.add(ReportFailure(request_name=event.request.NAME, error=error))
            self._outbox.refuse(event, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR))
            return
        # Nobody is before it, so the response can have the new state: a broker serves one round trip earlier.
        if not is_quiet and not self._changes.is_busy:
            self._begun_heartbeat = self._add_heartbeat(event, request, is_answered=False)
            return
        # A quiet heartbeat brings what the broker has read. The controlled shutdown of others waits for that.
        self._watch.apply(result.session, self._log.next_offset - 1)
        # One change a broker. It repeats its heartbeat every two seconds; with a change for each, a long change would
        # leave a heap of them.
        if not is_quiet and request.broker_id not in self._moving:
            self._add_heartbeat(event, request, is_answered=True)
        assert result.response is not None, "a heartbeat is answered"
        self._changes.park(event, result.response, image.offset + 1)

    def _add_heartbeat(
        self, event: CommandReceived, request: BrokerHeartbeatRequest, *, is_answered: bool
    ) -> Change:
        """Carry a heartbeat out in its turn, unless the broker's session ends before."""
        broker_id = request.broker_id
        assert broker_id not in self._moving, f"broker {broker_id} has a heartbeat that waits"
        self._moving = self._moving.set(broker_id, self._contact(request))
        change = Change(
            name=request.NAME,
            decide=partial(self._decide_heartbeat, event, request),
            ended=partial(self._end_moving, broker_id),
            command=None if is_answered else event,
            is_urgent=True,
        )
        self._changes.waiting.add(change)
        return change

    def _contact(self, request: BrokerHeartbeatRequest) -> BrokerSession:
        return BrokerSession(broker_epoch=request.broker_epoch, last_contact_ms=self._situations.now_ms)

    def _decide_heartbeat(self, event: CommandReceived, request: BrokerHeartbeatRequest) -> Decision | None:
        contact = self._moving[request.broker_id]
        # It may have waited for longer than a session. Unfenced now, a broker that is gone would lead for one more.
        if not self._watch.is_valid(contact, self._situations.now_ms):
            return None
        situation = self._situations.situation(event, self._log.newest.latest, self._watch.sessions, contact)
        return run_of(event)(situation, request)

    def _end_moving(self, broker_id: int) -> None:
        # The change may have begun the session with the contact of its beginning; later heartbeats count.
        self._watch.heard_meanwhile(broker_id, self._moving[broker_id])
        self._moving = self._moving.delete(broker_id)

    # --- brokers that are gone ---

    def handle_failed_broker(self, event: BrokerFailed) -> None:
        """Fence a broker whose process is provably gone, unless it is heard from before."""
        self._changes.waiting.add(
            Change(
                name=f"the death of broker {event.broker_id}",
                decide=lambda: fence_failed_broker(
                    self._log.newest.latest, self._situations.inherited, event
                ),
                done=self._count_failed_broker,
                is_wanted=lambda: not is_refuted(self._watch.sessions, event),
                is_urgent=True,
            )
        )

    def _count_failed_broker(self, record_count: int) -> None:
        assert record_count > 0, "the fencing of a failed broker has a record"
        self.failed_brokers += 1

    def fence_silent_brokers(self, now_ms: int) -> None:
        """Fence the brokers whose sessions have ended, unless they are heard from before."""
        # As soon as a session is over. Kafka's controller looks every eighth of a session, so it may fence that much
        # later.
        for broker_id in self._watch.take_silent(now_ms):
            self._changes.waiting.add(self._silence(broker_id))

    def _silence(self, broker_id: int) -> Change:
        return Change(
            name=f"the silence of broker {broker_id}",
            decide=partial(self._fence_silent, broker_id),
            is_wanted=lambda: self._watch.is_silent(broker_id, self._situations.now_ms),
            ended=partial(self._watch.fencing_ended, broker_id),
            failed=lambda: self._watch.wait_another_session(broker_id, self._situations.now_ms),
            is_urgent=True,
        )

    def _fence_silent(self, broker_id: int) -> Decision:
        session = self._watch.sessions[broker_id]
        image, inherited = self._log.newest.latest, self._situations.inherited
        return fence_silent_broker(image, inherited, broker_id, session, self._situations.now_ms)
