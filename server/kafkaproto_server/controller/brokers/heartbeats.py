"""A broker's life between its registrations: BrokerHeartbeat (63, v0-2), and fencing those that fall silent.

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

A fenced broker is in no ISR and leads nothing. A broker in controlled shutdown is not either, but goes on
serving until every active broker has read the records that moved its leaderships away.

A broker that shuts down says so in every heartbeat. One whose heartbeats do not say it any more was not the one that
asked: its shutdown is *taken back*. No change of a registration can say that, so the whole registration is recorded
anew. Kafka's controllers unfence such a broker and let it count as leaving: it leads nothing until it is restarted.

Unlike with Apache Kafka's controllers, a broker that is fenced already is not fenced by a further record.

Nearly all heartbeats are quiet: they lead to no record, and are answered as they come (`heartbeat_answer`). What
another one leads to can take seconds, if the broker has very many replicas. Nobody waits for that: while the controller
is busy the answer tells the state in which the broker is, and that to a later heartbeat what has become of it. What a
heartbeat leads to counts from its arrival: the broker may have died since.
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
from kafkaproto_server.controller.partitions.partitions import (
    changes_with,
    changes_without,
    changes_without_directories,
    leads_any_partition,
)
from kafkaproto_server.controller.values.command import ApiError, Decision, Result, Situation
from kafkaproto_server.controller.values.effects import ReportShutdown
from kafkaproto_server.controller.values.sessions import BrokerSession, SessionChange, lowest_metadata_offset
from kafkaproto_server.controller.values.settings import TopicSettings
from kafkaproto_server.image.entries import BrokerRegistration
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.image.records import CORDONED_DIRECTORIES_LEVEL, register_broker_record
from kafkaproto_server.image.replay import replay_steps
from kafkaproto_server.types import Steps

_FENCE = 1
_UNFENCE = -1


class BrokerState(enum.Enum):
    """How far a broker takes part in the cluster."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "controlled shutdown"
    SHUTDOWN_NOW = "shut down now"
    """Fenced, and told to stop."""


def heartbeat(situation: Situation, request: BrokerHeartbeatRequest) -> Decision:
    """Move the broker to its next state; raises ApiError (STALE_BROKER_EPOCH) unless it is registered so."""
    assert situation.contact is not None, "a heartbeat is heard of before it is carried out"
    contact = _contact(situation.image, situation.sessions, situation.contact, request)
    if contact.is_quiet(situation.image):
        return contact.result([])
    return _moved(situation, contact)


def heartbeat_answer(
    image: ClusterImage,
    sessions: Map[int, BrokerSession],
    heard: BrokerSession,
    request: BrokerHeartbeatRequest,
) -> tuple[Result, bool]:
    """The answer to a heartbeat, with the state that the broker is in; raises ApiError as `heartbeat` does.

    ``heard`` is the session of a broker that has none yet. The second value says whether that is all there is to the
    heartbeat: it calls for no record. Such are nearly all of them.
    """
    contact = _contact(image, sessions, heard, request)
    if contact.is_quiet(image):
        return contact.result([]), True
    response = BrokerHeartbeatResponse(is_caught_up=contact.is_caught_up, is_fenced=contact.broker.fenced)
    return Result(response=response), False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contact:
    """A heartbeat of a registered broker, and what it means."""

    broker: BrokerRegistration
    request: BrokerHeartbeatRequest
    session: BrokerSession
    is_caught_up: bool
    next_state: BrokerState

    def is_quiet(self, image: ClusterImage) -> bool:
        """Whether it leads to no record: most heartbeats just say that all is well."""
        broker, request = self.broker, self.request
        if _takes_shutdown_back(broker, request):
            return False
        match self.next_state:
            case BrokerState.FENCED | BrokerState.SHUTDOWN_NOW:
                stays = broker.fenced
            case BrokerState.UNFENCED:
                stays = not broker.fenced
            case BrokerState.CONTROLLED_SHUTDOWN:
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

    def result(self, records: Sequence[Message]) -> Result:
        """The answer once the broker is in its next state, which these records bring about."""
        session = self.session
        if records:
            # The broker has to say again what it has read once its registration is another, as with Apache Kafka.
            session = msgspec.structs.replace(session, metadata_offset=-1)
        return Result(
            response=BrokerHeartbeatResponse(
                is_caught_up=self.is_caught_up,
                is_fenced=self.next_state in (BrokerState.FENCED, BrokerState.SHUTDOWN_NOW),
                should_shut_down=self.next_state is BrokerState.SHUTDOWN_NOW,
            ),
            records=records,
            atomic=False,
            session=_session_change(self.broker.broker_id, session, self.next_state),
            reports=self._reports(),
        )

    def _reports(self) -> tuple[ReportShutdown, ...]:
        """What the log is to say: whoever wonders why a broker leads nothing any more looks there."""
        broker, request = self.broker, self.request
        is_taken_back = _takes_shutdown_back(broker, request)
        is_leaving = self.next_state in (BrokerState.CONTROLLED_SHUTDOWN, BrokerState.SHUTDOWN_NOW)
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
    """What a heartbeat means; raises ApiError (STALE_BROKER_EPOCH) unless its sender is registered so."""
    broker = image.brokers.get(request.broker_id)
    if broker is None or broker.epoch != request.broker_epoch:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
    # A session that is there has heard of the heartbeat when it arrived.
    session = sessions.get(request.broker_id, heard)
    assert session.broker_epoch == request.broker_epoch, f"broker {request.broker_id} has an old session"
    if session.metadata_offset != request.current_metadata_offset:
        session = msgspec.structs.replace(session, metadata_offset=request.current_metadata_offset)
    is_caught_up = request.current_metadata_offset >= broker.registration_offset
    return _Contact(
        broker=broker,
        request=request,
        session=session,
        is_caught_up=is_caught_up,
        next_state=_next_state(image, sessions, broker, request, session, is_caught_up),
    )


def _moved(situation: Situation, contact: _Contact) -> Steps[Result]:
    """The broker in its next state, with the records that it takes."""
    request, broker = contact.request, contact.broker
    settings = situation.topic_settings()
    image = situation.image
    records: list[Message] = []
    if _takes_shutdown_back(broker, request):
        records.append(_without_shutdown(broker, image.metadata_version))
        image = yield from replay_steps(image, records, situation.next_offset)
        broker = image.brokers[broker.broker_id]
    moves = yield from _transition(image, settings, broker, contact.next_state)
    if records and contact.next_state is BrokerState.UNFENCED:
        # Active again, it may lead what nobody else could.
        moves += yield from changes_with(image, settings, broker.broker_id)
    if request.offline_log_dirs:
        # What the directories call for is worked out on what the transition leads to.
        image = yield from replay_steps(image, moves, situation.next_offset + len(records))
    records += moves
    records += yield from _offline_directories(image, settings, broker.broker_id, request.offline_log_dirs)
    records += _cordoned_directories(image, broker.broker_id, request.cordoned_log_dirs)
    return contact.result(records)


def fencing_records(
    image: ClusterImage, settings: TopicSettings, broker: BrokerRegistration
) -> Steps[list[Message]]:
    """Take the broker out of every ISR and leadership, then fence it."""
    records = yield from changes_without(image, settings, broker.broker_id)
    records.append(
        BrokerRegistrationChangeRecord(broker_id=broker.broker_id, broker_epoch=broker.epoch, fenced=_FENCE)
    )
    return records


def _takes_shutdown_back(broker: BrokerRegistration, request: BrokerHeartbeatRequest) -> bool:
    """Whether the broker counts as leaving, and does not mean to leave."""
    return broker.in_controlled_shutdown and not request.want_shut_down


def _without_shutdown(broker: BrokerRegistration, metadata_version: int) -> RegisterBrokerRecord:
    """The registration as it is, but for the shutdown."""
    return register_broker_record(
        msgspec.structs.replace(broker, in_controlled_shutdown=False), metadata_version
    )


def _session_change(broker_id: int, session: BrokerSession, next_state: BrokerState) -> SessionChange:
    if next_state is BrokerState.SHUTDOWN_NOW:
        # The broker is about to stop, so that its next incarnation need not wait for a session to run out.
        return SessionChange(broker_id=broker_id, session=None)
    if next_state is not BrokerState.CONTROLLED_SHUTDOWN:
        if session.shutdown_offset >= 0:
            session = msgspec.structs.replace(session, shutdown_offset=-1)
        return SessionChange(broker_id=broker_id, session=session)
    # After a failover the records of the shutdown may lie anywhere in the log, so the end of it has to do.
    begins_shutdown = session.shutdown_offset < 0
    return SessionChange(broker_id=broker_id, session=session, begins_shutdown=begins_shutdown)


def _next_state(
    image: ClusterImage,
    sessions: Map[int, BrokerSession],
    broker: BrokerRegistration,
    request: BrokerHeartbeatRequest,
    session: BrokerSession,
    is_caught_up: bool,
) -> BrokerState:
    """The table at the head of this module."""
    if broker.fenced:
        if request.want_shut_down:
            return BrokerState.SHUTDOWN_NOW
        # The registration that takes a shutdown back has to be read first, as any other.
        may_serve = is_caught_up and not broker.in_controlled_shutdown
        return BrokerState.UNFENCED if may_serve and not request.want_fence else BrokerState.FENCED
    if broker.in_controlled_shutdown and request.want_shut_down:
        leads = leads_any_partition(image, broker.broker_id)
        if leads or not _others_know_of_shutdown(image, sessions, broker.broker_id, session):
            return BrokerState.CONTROLLED_SHUTDOWN
        return BrokerState.SHUTDOWN_NOW
    if request.want_fence:
        return BrokerState.SHUTDOWN_NOW if request.want_shut_down else BrokerState.FENCED
    if request.want_shut_down:
        leads = leads_any_partition(image, broker.broker_id)
        return BrokerState.CONTROLLED_SHUTDOWN if leads else BrokerState.SHUTDOWN_NOW
    return BrokerState.UNFENCED


def _others_know_of_shutdown(
    image: ClusterImage, sessions: Map[int, BrokerSession], broker_id: int, session: BrokerSession
) -> bool:
    lowest = lowest_metadata_offset(image, sessions, leaving=broker_id)
    return lowest is None or 0 <= session.shutdown_offset <= lowest


def _transition(
    image: ClusterImage, settings: TopicSettings, broker: BrokerRegistration, next_state: BrokerState
) -> Steps[list[Message]]:
    match next_state:
        case BrokerState.FENCED | BrokerState.SHUTDOWN_NOW:
            return [] if broker.fenced else (yield from fencing_records(image, settings, broker))
        case BrokerState.UNFENCED:
            if not broker.fenced:
                return []
            unfencing = BrokerRegistrationChangeRecord(
                broker_id=broker.broker_id, broker_epoch=broker.epoch, fenced=_UNFENCE
            )
            return [unfencing, *(yield from changes_with(image, settings, broker.broker_id))]
        case BrokerState.CONTROLLED_SHUTDOWN:
            shutdown: list[Message] = []
            if not broker.in_controlled_shutdown:
                shutdown.append(
                    BrokerRegistrationChangeRecord(
                        broker_id=broker.broker_id, broker_epoch=broker.epoch, in_controlled_shutdown=1
                    )
                )
            return [*shutdown, *(yield from changes_without(image, settings, broker.broker_id))]
        case _:
            assert_never(next_state)


def _offline_directories(
    image: ClusterImage, settings: TopicSettings, broker_id: int, offline: Sequence[bytes]
) -> Steps[list[Message]]:
    """Give up the replicas in directories that went offline; ids that are not known as online say nothing."""
    broker = image.brokers[broker_id]
    said = {*offline}
    newly_offline = [directory for directory in broker.directories if directory in said]
    if not newly_offline:
        return []
    records: list[Message] = []
    records += yield from changes_without_directories(image, settings, broker_id, newly_offline)
    remaining = [directory for directory in broker.directories if directory not in said]
    if remaining:
        # A record without any directory would say "no change"; a broker that lost all of them stops anyway.
        records.append(
            BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=broker.epoch, log_dirs=remaining)
        )
    return records


def _cordoned_directories(
    image: ClusterImage, broker_id: int, cordoned: Sequence[bytes] | None
) -> list[Message]:
    broker = image.brokers[broker_id]
    if cordoned is None or image.metadata_version < CORDONED_DIRECTORIES_LEVEL:
        return []
    if broker.cordoned_directories == tuple(sorted(cordoned)):
        return []
    return [
        BrokerRegistrationChangeRecord(
            broker_id=broker_id, broker_epoch=broker.epoch, cordoned_log_dirs=sorted(cordoned)
        )
    ]
