"""BrokerHeartbeat (63, v0-2): moves a registered broker from state to state, and makes the records that fence a broker.

| state               | heartbeat                                    | next                |
|---------------------|----------------------------------------------|---------------------|
| fenced              | wants to shut down                           | shut down now       |
| fenced              | had begun to shut down, does not want to     | fenced, taken back  |
| fenced              | wants to serve, has read its registration    | unfenced            |
| fenced              | anything else                                | fenced              |
| unfenced            | wants to be fenced and to shut down          | shut down now       |
| unfenced            | wants to be fenced                           | fenced              |
| unfenced            | wants to shut down, leads partitions         | controlled shutdown |
| unfenced            | wants to shut down, leads none               | shut down now       |
| controlled shutdown | does not want to shut down                   | unfenced, taken back|
| controlled shutdown | leads none, and the others know of that      | shut down now       |
| controlled shutdown | any other                                    | controlled shutdown |

A fenced broker is in no ISR and leads nothing. Neither does a broker in controlled shutdown, but it keeps serving until
every active broker has read the records that moved its leaderships away.

A broker that shuts down says so in every heartbeat. If its heartbeats no longer say so, the broker did not ask for the
shutdown itself: the shutdown is *taken back*. A BrokerRegistrationChangeRecord cannot say that, so the whole
registration is recorded anew. Kafka's controllers unfence such a broker but still count it as leaving: it leads nothing
until it is restarted.

Apache Kafka's controllers write a further record for a broker that is fenced already; this one does not.

Nearly all heartbeats are quiet: they lead to no record and get their response at once (`heartbeat_response`). The
records of another heartbeat can take seconds, if the broker has very many replicas. Nobody waits for them: while the
controller is busy, the response has the broker's present state, and the response to a later heartbeat has the new one.
The session counts from the arrival of a heartbeat, not from the end of its records: the broker may have failed since.

Apache Kafka: ``BrokerHeartbeatManager`` and ``ReplicationControlManager.processBrokerHeartbeat``.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import msgspec
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationChangeRecord,
    RegisterBrokerRecord,
)
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.partitions.broker_changes import (
    changes_with,
    changes_without,
    changes_without_directories,
    leads_any_partition,
)
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Decision, Situation
from kafkaproto_server.core.controller.values.effects import ReportShutdown
from kafkaproto_server.core.controller.values.sessions import (
    BrokerSession,
    SessionChange,
    lowest_metadata_offset,
)
from kafkaproto_server.core.controller.values.topic_configs import TopicConfigs
from kafkaproto_server.metadata.image.entries import BrokerRegistration
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import CORDONED_DIRECTORIES_LEVEL, register_broker_record
from kafkaproto_server.metadata.image.replay import replay_steps

_FENCE = 1
_UNFENCE = -1


class BrokerControlState(enum.Enum):
    """A broker's state in the cluster."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "controlled shutdown"
    SHUTDOWN_NOW = "shut down now"
    """Fenced, and the response tells it to stop."""


def heartbeat(situation: Situation, request: BrokerHeartbeatRequest) -> Decision:
    """Move the broker to its next state; raises ApiError (STALE_BROKER_EPOCH) unless the broker has that epoch."""
    assert situation.contact is not None, "a heartbeat is heard of before it is carried out"
    contact = _contact(situation.image, situation.sessions, situation.contact, request)
    if contact.is_quiet(situation.image):
        return contact.result([])
    return _moved(situation, contact)


def heartbeat_response(
    image: ClusterImage,
    sessions: Map[int, BrokerSession],
    heard: BrokerSession,
    request: BrokerHeartbeatRequest,
) -> tuple[CommandResult, bool]:
    """The response to a heartbeat with the broker's present state; raises ApiError as `heartbeat` does.

    ``heard`` is the session of a broker that has none yet. The second value says whether the heartbeat is quiet: it
    needs no record, as nearly all heartbeats.
    """
    contact = _contact(image, sessions, heard, request)
    if contact.is_quiet(image):
        return contact.result([]), True
    # The present state, and no word of a shutdown: the change that allows it may still be dropped.
    response = BrokerHeartbeatResponse(is_caught_up=contact.is_caught_up, is_fenced=contact.broker.fenced)
    return CommandResult(response=response), False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contact:
    """A heartbeat of a registered broker, and the state that it leads to."""

    broker: BrokerRegistration
    request: BrokerHeartbeatRequest
    session: BrokerSession
    is_caught_up: bool
    next_state: BrokerControlState

    def is_quiet(self, image: ClusterImage) -> bool:
        """Whether the heartbeat leads to no record, as most heartbeats."""
        broker, request = self.broker, self.request
        if _takes_shutdown_back(broker, request):
            return False
        match self.next_state:
            case BrokerControlState.FENCED | BrokerControlState.SHUTDOWN_NOW:
                stays = broker.fenced
            case BrokerControlState.UNFENCED:
                stays = not broker.fenced
            case BrokerControlState.CONTROLLED_SHUTDOWN:
                # Without ELR the broker stays in the ISR of a partition that nobody else can lead.
                # Then each heartbeat tries again: another replica may have come back. Kafka tries
                # at every heartbeat.
                has_left = broker.broker_id not in image.partition_counts.in_sync
                stays = broker.in_controlled_shutdown and has_left
            case _:
                assert_never(self.next_state)
        offline = {*request.offline_log_dirs}
        has_lost_directories = bool(offline) and not offline.isdisjoint(broker.directories)
        return (
            stays
            and not has_lost_directories
            and not _cordoned_directories(image, broker.broker_id, request.cordoned_log_dirs)
        )

    def result(self, records: Sequence[Message]) -> CommandResult:
        """The result that moves the broker to its next state by these records."""
        session = self.session
        if records:
            # As in Apache Kafka: after a change of its registration, the broker has to report again what it has read.
            session = msgspec.structs.replace(session, metadata_offset=-1)
        return CommandResult(
            response=BrokerHeartbeatResponse(
                is_caught_up=self.is_caught_up,
                is_fenced=self.next_state in (BrokerControlState.FENCED, BrokerControlState.SHUTDOWN_NOW),
                should_shut_down=self.next_state is BrokerControlState.SHUTDOWN_NOW,
            ),
            records=records,
            atomic=False,
            session=_session_change(self.broker.broker_id, session, self.next_state),
            reports=self._reports(),
        )

    def _reports(self) -> tuple[ReportShutdown, ...]:
        """The lines for the node's log; they tell an operator why a broker no longer leads anything."""
        broker, request = self.broker, self.request
        is_taken_back = _takes_shutdown_back(broker, request)
        is_leaving = self.next_state in (
            BrokerControlState.CONTROLLED_SHUTDOWN,
            BrokerControlState.SHUTDOWN_NOW,
        )
        # Once a shutdown: the heartbeats after the first find the broker no longer active.
        begins = request.want_shut_down and is_leaving and broker.is_active()
        if not is_taken_back and not begins:
            return ()
        return (
            ReportShutdown(
                broker_id=broker.broker_id, broker_epoch=broker.epoch, is_taken_back=is_taken_back
            ),
        )


def _contact(
    image: ClusterImage,
    sessions: Map[int, BrokerSession],
    heard: BrokerSession,
    request: BrokerHeartbeatRequest,
) -> _Contact:
    """A heartbeat and its next state; raises ApiError (STALE_BROKER_EPOCH) unless the broker has that epoch."""
    broker = image.brokers.get(request.broker_id)
    # A broker that was unregistered must not serve on: it learns by this error that it has to
    # restart.
    if broker is None or broker.epoch != request.broker_epoch:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
    # An existing session noted the heartbeat when it arrived.
    session = sessions.get(request.broker_id, heard)
    assert session.broker_epoch == request.broker_epoch, f"broker {request.broker_id} has an old session"
    # Most heartbeats say the same offset, and then nothing is made anew.
    if session.metadata_offset != request.current_metadata_offset:
        session = msgspec.structs.replace(session, metadata_offset=request.current_metadata_offset)
    # As in Kafka, "caught up" is relative to the broker's own registration. The log's end moves on
    # with every NoOpRecord, so a broker would never reach it.
    is_caught_up = request.current_metadata_offset >= broker.registration_offset
    return _Contact(
        broker=broker,
        request=request,
        session=session,
        is_caught_up=is_caught_up,
        next_state=_next_state(image, sessions, broker, request, session, is_caught_up),
    )


def _moved(situation: Situation, contact: _Contact) -> Steps[CommandResult]:
    """The result that moves the broker to its next state, with all its records."""
    request, broker = contact.request, contact.broker
    configs = situation.topic_configs()
    image = situation.image
    records: list[Message] = []
    if _takes_shutdown_back(broker, request):
        records.append(_without_shutdown(broker, image.metadata_version))
        # What follows is decided on the image after this record: only there is the broker active, and may lead.
        image = yield from replay_steps(image, records, situation.next_offset)
        broker = image.brokers[broker.broker_id]
    moves = yield from _transition(image, configs, broker, contact.next_state)
    if records and contact.next_state is BrokerControlState.UNFENCED:
        # The broker is active again, so it may lead partitions that no other broker could lead.
        moves += yield from changes_with(image, configs, broker.broker_id)
    if request.offline_log_dirs:
        # The records for the directories are decided on the image after the transition.
        image = yield from replay_steps(image, moves, situation.next_offset + len(records))
    records += moves
    # After the transition, as in Kafka: a broker that is fenced by the same heartbeat leads nothing any more.
    records += yield from _offline_directories(image, configs, broker.broker_id, request.offline_log_dirs)
    records += _cordoned_directories(image, broker.broker_id, request.cordoned_log_dirs)
    return contact.result(records)


def fencing_records(
    image: ClusterImage, configs: TopicConfigs, broker: BrokerRegistration
) -> Steps[list[Message]]:
    """Take the broker out of every ISR and leadership, then fence it."""
    # Kafka's order (ReplicationControlManager.handleBrokerFenced): first the partitions, then the
    # fencing. No reader ever sees a fenced broker as leader.
    records = yield from changes_without(image, configs, broker.broker_id)
    assert not broker.fenced, f"broker {broker.broker_id} is fenced already"
    records.append(
        BrokerRegistrationChangeRecord(broker_id=broker.broker_id, broker_epoch=broker.epoch, fenced=_FENCE)
    )
    return records


def _takes_shutdown_back(broker: BrokerRegistration, request: BrokerHeartbeatRequest) -> bool:
    """Whether the broker is in controlled shutdown, but its heartbeat does not ask for that."""
    return broker.in_controlled_shutdown and not request.want_shut_down


def _without_shutdown(broker: BrokerRegistration, metadata_version: int) -> RegisterBrokerRecord:
    """The registration without the controlled shutdown."""
    return register_broker_record(
        msgspec.structs.replace(broker, in_controlled_shutdown=False), metadata_version
    )


def _session_change(broker_id: int, session: BrokerSession, next_state: BrokerControlState) -> SessionChange:
    if next_state is BrokerControlState.SHUTDOWN_NOW:
        # The broker is about to stop. Without a session, its next incarnation need not wait for its end.
        return SessionChange(broker_id=broker_id, session=None)
    if next_state is not BrokerControlState.CONTROLLED_SHUTDOWN:
        # A later shutdown must not inherit the offset of this one: the broker could stop before
        # others have read of it.
        if session.shutdown_offset >= 0:
            session = msgspec.structs.replace(session, shutdown_offset=-1)
        return SessionChange(broker_id=broker_id, session=session)
    # After a failover the records of the shutdown may be anywhere in the log, so the log's end counts instead.
    # Once: if each heartbeat moved the offset, the others would never have read up to it.
    begins_shutdown = session.shutdown_offset < 0
    return SessionChange(broker_id=broker_id, session=session, begins_shutdown=begins_shutdown)


def _next_state(
    image: ClusterImage,
    sessions: Map[int, BrokerSession],
    broker: BrokerRegistration,
    request: BrokerHeartbeatRequest,
    session: BrokerSession,
    is_caught_up: bool,
) -> BrokerControlState:
    """The next state by the table at the head of this module."""
    if broker.fenced:
        # A fenced broker leads nothing, so nobody has to hear of its shutdown first.
        if request.want_shut_down:
            return BrokerControlState.SHUTDOWN_NOW
        # Like any other registration, one that takes a shutdown back has to be read by the broker first.
        # Without this, clients would be sent to a broker that does not know its partitions yet.
        may_serve = is_caught_up and not broker.in_controlled_shutdown
        return (
            BrokerControlState.UNFENCED if may_serve and not request.want_fence else BrokerControlState.FENCED
        )
    if broker.in_controlled_shutdown and request.want_shut_down:
        leads = leads_any_partition(image, broker.broker_id)
        # A follower that still fetches from the old leader would lose its leader without knowing
        # the new one. So the broker serves until all active brokers have read the records.
        if leads or not _others_know_of_shutdown(image, sessions, session):
            return BrokerControlState.CONTROLLED_SHUTDOWN
        return BrokerControlState.SHUTDOWN_NOW
    # Kafka's brokers ask for it only while they start. An unfenced one gets what it asks for, whatever it leads.
    if request.want_fence:
        return BrokerControlState.SHUTDOWN_NOW if request.want_shut_down else BrokerControlState.FENCED
    if request.want_shut_down:
        leads = leads_any_partition(image, broker.broker_id)
        return BrokerControlState.CONTROLLED_SHUTDOWN if leads else BrokerControlState.SHUTDOWN_NOW
    return BrokerControlState.UNFENCED


def _others_know_of_shutdown(
    image: ClusterImage, sessions: Map[int, BrokerSession], session: BrokerSession
) -> bool:
    lowest = lowest_metadata_offset(image, sessions)
    # The broker itself is in controlled shutdown, and so not active. If no other broker is active,
    # nobody has to read anything: the last broker of a cluster can stop. An offset of -1 means that
    # this controller does not know it yet.
    return lowest is None or 0 <= session.shutdown_offset <= lowest


def _transition(
    image: ClusterImage, configs: TopicConfigs, broker: BrokerRegistration, next_state: BrokerControlState
) -> Steps[list[Message]]:
    match next_state:
        case BrokerControlState.FENCED | BrokerControlState.SHUTDOWN_NOW:
            return [] if broker.fenced else (yield from fencing_records(image, configs, broker))
        case BrokerControlState.UNFENCED:
            if not broker.fenced:
                return []
            unfencing = BrokerRegistrationChangeRecord(
                broker_id=broker.broker_id, broker_epoch=broker.epoch, fenced=_UNFENCE
            )
            # The other way round than fencing: a broker must be unfenced before a record makes it
            # leader.
            return [unfencing, *(yield from changes_with(image, configs, broker.broker_id))]
        case BrokerControlState.CONTROLLED_SHUTDOWN:
            shutdown: list[Message] = []
            if not broker.in_controlled_shutdown:
                shutdown.append(
                    BrokerRegistrationChangeRecord(
                        broker_id=broker.broker_id, broker_epoch=broker.epoch, in_controlled_shutdown=1
                    )
                )
            # The state comes first, so that from this offset on no election and no new topic
            # chooses the broker.
            return [*shutdown, *(yield from changes_without(image, configs, broker.broker_id))]
        case _:
            assert_never(next_state)


def _offline_directories(
    image: ClusterImage, configs: TopicConfigs, broker_id: int, offline: Sequence[bytes]
) -> Steps[list[Message]]:
    """Records that give up the replicas in directories that went offline; ids that were not online are ignored."""
    broker = image.brokers[broker_id]
    said = {*offline}
    # Each heartbeat repeats all offline directories. Only those that were online until now change
    # anything.
    newly_offline = [directory for directory in broker.directories if directory in said]
    if not newly_offline:
        return []
    records: list[Message] = []
    records += yield from changes_without_directories(image, configs, broker_id, newly_offline)
    remaining = [directory for directory in broker.directories if directory not in said]
    if remaining:
        # A record without directories would mean "no change". A broker that lost all of them stops anyway.
        records.append(
            BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=broker.epoch, log_dirs=remaining)
        )
    return records


def _cordoned_directories(
    image: ClusterImage, broker_id: int, cordoned: Sequence[bytes] | None
) -> list[Message]:
    broker = image.brokers[broker_id]
    # Null means "no change", an empty list means "none is cordoned" (KIP-1066). A broker that
    # starts sends null, and must not lose what it said before.
    if cordoned is None or image.metadata_version < CORDONED_DIRECTORIES_LEVEL:
        return []
    if broker.cordoned_directories == tuple(sorted(cordoned)):
        return []
    return [
        BrokerRegistrationChangeRecord(
            broker_id=broker_id, broker_epoch=broker.epoch, cordoned_log_dirs=sorted(cordoned)
        )
    ]
