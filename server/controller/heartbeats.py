"""A broker's life between its registrations: BrokerHeartbeat (63, v0-2), and fencing those that fall silent.

| state               | heartbeat                                    | next                |
|---------------------|----------------------------------------------|---------------------|
| fenced              | wants to shut down, or had begun to          | shut down now       |
| fenced              | wants to serve, has read its registration    | unfenced            |
| fenced              | anything else                                | fenced              |
| unfenced            | wants to be fenced and to shut down          | shut down now       |
| unfenced            | wants to be fenced                           | fenced              |
| unfenced            | wants to shut down, leads partitions         | controlled shutdown |
| unfenced            | wants to shut down, leads none               | shut down now       |
| controlled shutdown | any; leads none, and the others know of that | shut down now       |
| controlled shutdown | any other                                    | controlled shutdown |

A fenced broker is in no ISR and leads nothing. A broker in controlled shutdown is not either, but goes on
serving until every active broker has read the records that moved its leaderships away.

Unlike stock controllers, a broker that is fenced already is not fenced by a further record, and one that was
fenced in the course of a controlled shutdown is not unfenced: no record could take the shutdown back, so it
would lead partitions while it counts as leaving.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationChangeRecord,
)
from server.controller.command import ApiError, Result, Situation
from server.controller.partitions import (
    changes_with,
    changes_without,
    changes_without_directories,
    leads_any_partition,
)
from server.controller.sessions import BrokerSession, lowest_metadata_offset
from server.controller.settings import TopicSettings
from server.image.image import BrokerRegistration, ClusterImage
from server.image.records import CORDONED_DIRECTORIES_LEVEL
from server.image.replay import replay_all

_FENCE = 1
_UNFENCE = -1


class BrokerState(enum.Enum):
    """How far a broker takes part in the cluster."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "controlled shutdown"
    SHUTDOWN_NOW = "shut down now"
    """Fenced, and told to stop."""


def heartbeat(situation: Situation, request: BrokerHeartbeatRequest) -> Result:
    """Move the broker to its next state; raises ApiError (STALE_BROKER_EPOCH) unless it is registered so."""
    broker = situation.image.brokers.get(request.broker_id)
    if broker is None or broker.epoch != request.broker_epoch:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
    session = _session_after_contact(situation, request)
    is_caught_up = request.current_metadata_offset >= broker.registration_offset
    next_state = _next_state(situation, broker, request, session, is_caught_up)

    settings = situation.topic_settings()
    records = _transition(situation.image, settings, broker, next_state)
    image = situation.image
    if request.offline_log_dirs:
        # What the directories call for is worked out on what the transition leads to.
        image = replay_all(image, records, situation.next_offset)
    records += _offline_directories(image, settings, broker.broker_id, request.offline_log_dirs)
    records += _cordoned_directories(image, broker.broker_id, request.cordoned_log_dirs)
    if any(isinstance(record, BrokerRegistrationChangeRecord) for record in records):
        # As with stock controllers, the broker has to say again what it has read once its registration is another.
        session = replace(session, metadata_offset=-1)
    return Result(
        response=BrokerHeartbeatResponse(
            is_caught_up=is_caught_up,
            is_fenced=next_state in (BrokerState.FENCED, BrokerState.SHUTDOWN_NOW),
            should_shut_down=next_state is BrokerState.SHUTDOWN_NOW,
        ),
        records=tuple(records),
        atomic=False,
        sessions=_sessions_after(situation, broker.broker_id, session, next_state, len(records)),
    )


def refuse_heartbeat(request: Message, error: ApiError) -> BrokerHeartbeatResponse:
    """The answer to a heartbeat that is refused: fenced, so that no broker serves on its strength."""
    return BrokerHeartbeatResponse(error_code=error.code, is_fenced=True)


def fencing_records(
    image: ClusterImage, settings: TopicSettings, broker: BrokerRegistration
) -> list[Message]:
    """Take the broker out of every ISR and leadership, then fence it."""
    return [
        *changes_without(image, settings, broker.broker_id),
        BrokerRegistrationChangeRecord(broker_id=broker.broker_id, broker_epoch=broker.epoch, fenced=_FENCE),
    ]


def _session_after_contact(situation: Situation, request: BrokerHeartbeatRequest) -> BrokerSession:
    known = situation.sessions.get(request.broker_id)
    if known is None:
        known = BrokerSession(broker_epoch=request.broker_epoch, last_contact_ms=situation.now_ms)
    assert known.broker_epoch == request.broker_epoch, f"broker {request.broker_id} has an old session"
    return replace(
        known,
        last_contact_ms=situation.now_ms,
        pause_ms=0,
        metadata_offset=request.current_metadata_offset,
    )


def _sessions_after(
    situation: Situation,
    broker_id: int,
    session: BrokerSession,
    next_state: BrokerState,
    record_count: int,
) -> Map[int, BrokerSession]:
    if next_state is BrokerState.SHUTDOWN_NOW:
        # The broker is about to stop, so that its next incarnation need not wait for a session to run out.
        return situation.sessions.delete(broker_id) if broker_id in situation.sessions else situation.sessions
    if next_state is BrokerState.CONTROLLED_SHUTDOWN and session.shutdown_offset < 0:
        # After a failover these records may lie anywhere in the log, so the end of it has to do.
        session = replace(session, shutdown_offset=situation.next_offset + record_count - 1)
    return situation.sessions.set(broker_id, session)


def _next_state(
    situation: Situation,
    broker: BrokerRegistration,
    request: BrokerHeartbeatRequest,
    session: BrokerSession,
    is_caught_up: bool,
) -> BrokerState:
    """The table at the head of this module."""
    if broker.fenced:
        if request.want_shut_down or broker.in_controlled_shutdown:
            return BrokerState.SHUTDOWN_NOW
        return BrokerState.UNFENCED if is_caught_up and not request.want_fence else BrokerState.FENCED
    if broker.in_controlled_shutdown:
        leads = leads_any_partition(situation.image, broker.broker_id)
        if leads or not _others_know_of_shutdown(situation, broker.broker_id, session):
            return BrokerState.CONTROLLED_SHUTDOWN
        return BrokerState.SHUTDOWN_NOW
    if request.want_fence:
        return BrokerState.SHUTDOWN_NOW if request.want_shut_down else BrokerState.FENCED
    if request.want_shut_down:
        leads = leads_any_partition(situation.image, broker.broker_id)
        return BrokerState.CONTROLLED_SHUTDOWN if leads else BrokerState.SHUTDOWN_NOW
    return BrokerState.UNFENCED


def _others_know_of_shutdown(situation: Situation, broker_id: int, session: BrokerSession) -> bool:
    lowest = lowest_metadata_offset(situation.image, situation.sessions, leaving=broker_id)
    return lowest is None or 0 <= session.shutdown_offset <= lowest


def _transition(
    image: ClusterImage, settings: TopicSettings, broker: BrokerRegistration, next_state: BrokerState
) -> list[Message]:
    match next_state:
        case BrokerState.FENCED | BrokerState.SHUTDOWN_NOW:
            return [] if broker.fenced else fencing_records(image, settings, broker)
        case BrokerState.UNFENCED:
            if not broker.fenced:
                return []
            unfencing = BrokerRegistrationChangeRecord(
                broker_id=broker.broker_id, broker_epoch=broker.epoch, fenced=_UNFENCE
            )
            return [unfencing, *changes_with(image, settings, broker.broker_id)]
        case BrokerState.CONTROLLED_SHUTDOWN:
            shutdown: list[Message] = []
            if not broker.in_controlled_shutdown:
                shutdown.append(
                    BrokerRegistrationChangeRecord(
                        broker_id=broker.broker_id, broker_epoch=broker.epoch, in_controlled_shutdown=1
                    )
                )
            return [*shutdown, *changes_without(image, settings, broker.broker_id)]
        case _:
            assert_never(next_state)


def _offline_directories(
    image: ClusterImage, settings: TopicSettings, broker_id: int, offline: Sequence[bytes]
) -> list[Message]:
    """Give up the replicas in directories that went offline; ids that are not known as online say nothing."""
    broker = image.brokers[broker_id]
    newly_offline = [directory for directory in broker.directories if directory in offline]
    if not newly_offline:
        return []
    records: list[Message] = [*changes_without_directories(image, settings, broker_id, newly_offline)]
    remaining = [directory for directory in broker.directories if directory not in newly_offline]
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
