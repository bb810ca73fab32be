"""Registration of brokers and controllers: BrokerRegistration (62, v0-4) and ControllerRegistration (70, v0).

A broker's epoch is the log's next offset when the controller decides on its registration. A new incarnation starts
fenced, and the same change takes it out of all partitions that the previous incarnation still led or was in sync for.
If the same incarnation registers again, that only amends its listeners and directories.

Apache Kafka's controllers do not check ids, listeners and feature ranges, and resign over an unknown security protocol;
here these are INVALID_REQUEST.

Apache Kafka: ``ClusterControlManager``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    ControllerRegistrationRequest,
    ControllerRegistrationResponse,
)
from kafkaproto.uuids import to_text
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.controller.partitions.broker_changes import (
    changes_without,
    changes_without_crashed,
)
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.core.controller.values.sessions import SessionChange
from kafkaproto_server.metadata.features import KRAFT_VERSION, METADATA_VERSION
from kafkaproto_server.metadata.image.entries import BrokerRegistration, ControllerRegistration, FeatureRange
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import register_broker_record, register_controller_record

_SECURITY_PROTOCOLS = (0, 1, 2, 3)
_RESERVED_DIRECTORIES = 100
"""Ids whose first half is zero and whose second half is below this are no directories (KIP-858)."""


MAX_DIRECTORIES = 500
"""Log directories of one broker. Each heartbeat may name all of them, and every image holds them."""
MAX_LISTENERS = 100
MAX_FEATURES = 500
"""Most listeners and features of one broker or controller: far more than any has."""


def register_broker(situation: Situation, request: BrokerRegistrationRequest) -> Steps[CommandResult]:
    """Register a broker, or amend its registration; raises ApiError if that is not allowed."""
    existing = situation.image.brokers.get(request.broker_id)
    is_same_incarnation = existing is not None and existing.incarnation_id == request.incarnation_id
    # The order of checks is Kafka's: a broker acts on the first code that it gets.
    if request.cluster_id != situation.cluster_id:
        raise ApiError(ErrorCode.INCONSISTENT_CLUSTER_ID)
    if existing is not None and not is_same_incarnation:
        _check_previous_is_gone(situation, existing, request)
    # The migration from ZooKeeper is gone in Kafka 4. Kafka's ClusterControlManager responds with
    # this code, too.
    if request.is_migrating_zk_broker:
        raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED)
    # Id -1 stands for "no leader" in partitions. A broker of that id could be elected and would
    # look like nobody.
    _check_id(request.broker_id)
    yield from _check_directories(situation.image, request.broker_id, request.log_dirs)
    registration = _registration(situation, request, existing if is_same_incarnation else None)
    # The process has not restarted, so its replicas are still in sync. To take them out of the ISRs
    # would cost elections for an amended listener.
    if is_same_incarnation:
        record = register_broker_record(registration, situation.image.metadata_version)
        response = BrokerRegistrationResponse(broker_epoch=registration.epoch)
        return CommandResult(response=response, records=(record,))
    return (yield from _registered_anew(situation, request, existing, registration))


def _registered_anew(
    situation: Situation,
    request: BrokerRegistrationRequest,
    existing: BrokerRegistration | None,
    registration: BrokerRegistration,
) -> Steps[CommandResult]:
    """The result that registers a new incarnation; its first records end the previous one."""
    records = yield from _without_previous_incarnation(situation, existing, request)
    # Last, as in Kafka: the new incarnation exists only once the previous one leads nothing.
    records.append(register_broker_record(registration, situation.image.metadata_version))
    return CommandResult(
        response=BrokerRegistrationResponse(broker_epoch=registration.epoch),
        records=records,
        atomic=False,
        # A session starts with the first heartbeat; that of the previous incarnation is over.
        session=SessionChange(broker_id=request.broker_id, session=None),
    )


def _registration(
    situation: Situation, request: BrokerRegistrationRequest, kept: BrokerRegistration | None
) -> BrokerRegistration:
    """The registration to record; ``kept`` is the registration that the same incarnation amends.

    Raises ApiError if the listeners or features are invalid, or do not fit this cluster.
    """
    endpoints = _endpoints(request.listeners)
    features = _feature_ranges(request.features)
    _check_features(situation, features)
    assert kept is None or kept.incarnation_id == request.incarnation_id, (
        "another incarnation inherits nothing"
    )
    return BrokerRegistration(
        broker_id=request.broker_id,
        incarnation_id=request.incarnation_id,
        # The log's offset only rises, so a later incarnation always has a higher epoch, even after
        # a failover of the controller.
        epoch=situation.next_offset if kept is None else kept.epoch,
        endpoints=endpoints,
        features=features,
        rack=request.rack,
        # The broker knows neither its partitions nor the ACLs yet. Its own heartbeat says when it
        # does.
        fenced=True if kept is None else kept.fenced,
        in_controlled_shutdown=False if kept is None else kept.in_controlled_shutdown,
        # Sorted: an image of the same directories is equal, whatever log.dirs says first.
        directories=tuple(sorted(request.log_dirs)),
        # A new incarnation says it again with its heartbeats, once it no longer asks to stay fenced.
        cordoned_directories=None if kept is None else kept.cordoned_directories,
    )


def register_controller(situation: Situation, request: ControllerRegistrationRequest) -> CommandResult:
    """Register a controller; it does not matter whether it is a voter."""
    _check_id(request.controller_id)
    # No check of metadata.version: Kafka refuses this below 3.7-IV0, and this server runs at no level that is so low.
    registration = ControllerRegistration(
        controller_id=request.controller_id,
        incarnation_id=request.incarnation_id,
        endpoints=_endpoints(request.listeners),
        features=_feature_ranges(request.features),
        zk_migration_ready=request.zk_migration_ready,
    )
    return CommandResult(
        response=ControllerRegistrationResponse(), records=(register_controller_record(registration),)
    )


def _check_previous_is_gone(
    situation: Situation, existing: BrokerRegistration, request: BrokerRegistrationRequest
) -> None:
    """Raise ApiError while the previous incarnation of the broker may still be alive.

    The broker of this controller's own process need not wait: a node has one process, so the previous one is gone.
    """
    # Without this, a combined node could have to wait out its own session after each restart.
    if request.incarnation_id == situation.config.local_broker_incarnation_id:
        return
    session = situation.sessions.get(existing.broker_id)
    timeout_ms = situation.config.broker_session_timeout_ms
    # Two processes with one id would take the registration from each other again and again. The
    # session starts with the first heartbeat, so a broker that only registered does not block its
    # id.
    if session is not None and session.is_valid(situation.now_ms, timeout_ms):
        raise ApiError(ErrorCode.DUPLICATE_BROKER_REGISTRATION)


def _without_previous_incarnation(
    situation: Situation, existing: BrokerRegistration | None, request: BrokerRegistrationRequest
) -> Steps[list[Message]]:
    """Records that take the broker out of the partitions that its previous incarnation was in sync for or eligible to
    lead.

    Only a broker that shut down cleanly can name its previous epoch. With ELR on, a broker that cannot may have lost
    acknowledged records.
    """
    image = situation.image
    was_clean = existing is not None and request.previous_broker_epoch == existing.epoch
    # Members of the ELR count as complete. After a crash a log may have lost what was not flushed,
    # so such a replica must leave the ELR (KIP-966).
    if image.elr_enabled and not was_clean:
        return (yield from changes_without_crashed(image, situation.topic_configs(), request.broker_id))
    return (yield from changes_without(image, situation.topic_configs(), request.broker_id))


def _check_id(node_id: int) -> None:
    if node_id < 0:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Node id {node_id} is negative.")


def _check_directories(image: ClusterImage, broker_id: int, directories: Sequence[bytes]) -> Steps[None]:
    """Raise ApiError (INVALID_REGISTRATION) unless the directories exist and are this broker's alone."""
    # A broker without directories would look like one from before KIP-858, whose directories all
    # count as online.
    if not directories:
        raise ApiError(ErrorCode.INVALID_REGISTRATION, "The broker names no log directories.")
    if len(directories) > MAX_DIRECTORIES:
        raise ApiError(
            ErrorCode.INVALID_REGISTRATION,
            f"The broker names {len(directories)} log directories; it may have {MAX_DIRECTORIES}.",
        )
    named = {*directories}
    if len(directories) != len(named):
        raise ApiError(ErrorCode.INVALID_REGISTRATION, "The broker names a log directory twice.")
    for directory in directories:
        if _is_reserved(directory):
            raise ApiError(
                ErrorCode.INVALID_REGISTRATION, f"Log directory id {to_text(directory)} is reserved."
            )
    # A copied disk or meta.properties file gives two brokers the same directory id. Both would then
    # claim the replicas in it.
    for other in image.brokers_in_order():
        yield
        if other.broker_id == broker_id or named.isdisjoint(other.directories):
            continue
        shared = next(directory for directory in directories if directory in other.directories)
        raise ApiError(
            ErrorCode.INVALID_REGISTRATION,
            f"Log directory {to_text(shared)} belongs to broker {other.broker_id}.",
        )


def _is_reserved(directory: bytes) -> bool:
    return (
        directory[:8] == bytes(8)
        # Signed, as Kafka compares it: half of all ids with a zero first half are reserved, not a hundred.
        and int.from_bytes(directory[8:], "big", signed=True) < _RESERVED_DIRECTORIES
    )


def _check_count(what: str, items: Sequence[Any], most: int) -> None:
    if len(items) > most:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"The node names {len(items)} {what}; it may have {most}.")


def _endpoints(listeners: Sequence[Any]) -> tuple[Endpoint, ...]:
    _check_count("listeners", listeners, MAX_LISTENERS)
    names: dict[str, None] = {}
    for listener in listeners:
        # Kafka's controller fails on it while it handles the request, and resigns. So one bad
        # broker could move the quorum's leader.
        if listener.security_protocol not in _SECURITY_PROTOCOLS:
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"Listener {listener.name} has the unknown security protocol {listener.security_protocol}.",
            )
        if listener.name in names:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Listener {listener.name} is named twice.")
        names[listener.name] = None
    return tuple(
        Endpoint(name=each.name, host=each.host, port=each.port, security_protocol=each.security_protocol)
        for each in listeners
    )


def _feature_ranges(features: Sequence[Any]) -> tuple[FeatureRange, ...]:
    _check_count("features", features, MAX_FEATURES)
    names: dict[str, None] = {}
    for feature in features:
        # The wire has them signed, and nothing says that the first is the lower one.
        low, high = feature.min_supported_version, feature.max_supported_version
        # Such a range supports no level at all. It would block every later UpdateFeatures.
        if not 0 <= low <= high:
            raise ApiError(
                ErrorCode.INVALID_REQUEST, f"Feature {feature.name} has the impossible range {low} to {high}."
            )
        if feature.name in names:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Feature {feature.name} is named twice.")
        names[feature.name] = None
    return tuple(
        FeatureRange(
            name=each.name, min_level=each.min_supported_version, max_level=each.max_supported_version
        )
        for each in features
    )


def _check_features(situation: Situation, features: Sequence[FeatureRange]) -> None:
    """Raise ApiError unless the broker supports every finalized level. A feature that is not finalized is at level 0; a
    feature that the broker does not name it supports at level 0 only.
    """
    ranges = {each.name: (each.min_level, each.max_level) for each in features}
    # Without this feature nobody knows whether the broker can read the records of the log.
    if METADATA_VERSION not in ranges:
        raise ApiError(
            ErrorCode.INVALID_REGISTRATION, f"The broker does not name feature {METADATA_VERSION}."
        )
    finalized = dict(situation.image.features)
    # Brokers fetch the metadata log as observers, so they have to read the control records of the
    # kraft.version in force.
    finalized[KRAFT_VERSION] = situation.kraft_version
    for name in sorted({*finalized, *ranges}):
        level, (low, high) = finalized.get(name, 0), ranges.get(name, (0, 0))
        if not low <= level <= high:
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION,
                f"Feature {name} is at level {level}; the broker supports {low} to {high}.",
            )
