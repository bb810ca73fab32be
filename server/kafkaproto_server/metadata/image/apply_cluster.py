"""Replays the records of brokers and controllers: each function returns the image after one record.

`metadata.image.replay` has the table of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.entries import BrokerRegistration, ControllerRegistration, FeatureRange
from kafkaproto_server.metadata.image.errors import Contradiction
from kafkaproto_server.metadata.image.image import ClusterImage

if TYPE_CHECKING:
    from kafkaproto import messages

# Numbers and not a flag: a record may also leave the state as it is, for one that only lists directories.
_FENCED_CHANGES: Mapping[int, bool | None] = {1: True, 0: None, -1: False}
# There is no way back: only a new registration ends a controlled shutdown.
_SHUTDOWN_CHANGES: Mapping[int, bool | None] = {1: True, 0: None}


def _endpoints(endpoints: list[Any]) -> tuple[Endpoint, ...]:
    return tuple(
        Endpoint(name=each.name, host=each.host, port=each.port, security_protocol=each.security_protocol)
        for each in endpoints
    )


def _features(features: list[Any]) -> tuple[FeatureRange, ...]:
    return tuple(
        FeatureRange(
            name=each.name, min_level=each.min_supported_version, max_level=each.max_supported_version
        )
        for each in features
    )


def register_broker(image: ClusterImage, record: messages.RegisterBrokerRecord, offset: int) -> ClusterImage:
    cordoned = record.cordoned_log_dirs
    # All of it is replaced, fencing and shutdown included: a new incarnation inherits nothing from
    # the one before.
    registration = BrokerRegistration(
        broker_id=record.broker_id,
        incarnation_id=record.incarnation_id,
        epoch=record.broker_epoch,
        endpoints=_endpoints(record.end_points),
        features=_features(record.features),
        rack=record.rack,
        fenced=record.fenced,
        in_controlled_shutdown=record.in_controlled_shutdown,
        # In order, however the record lists them: `has_online_directory` asks for membership only.
        directories=tuple(sorted(record.log_dirs)),
        cordoned_directories=None if cordoned is None else tuple(sorted(cordoned)),
        is_migrating_zk_broker=record.is_migrating_zk_broker,
        # The record has no field for it. A broker is caught up once it has read this record.
        registration_offset=offset,
    )
    return msgspec.structs.replace(image, brokers=image.brokers.set(record.broker_id, registration))


def _registered(image: ClusterImage, broker_id: int, broker_epoch: int) -> BrokerRegistration:
    registration = image.brokers.get(broker_id)
    if registration is None:
        raise Contradiction(f"broker {broker_id} is not registered")
    # A change that was decided for an earlier incarnation must never hit the present one. Kafka's
    # ClusterControlManager checks it in replay, too.
    if registration.epoch != broker_epoch:
        raise Contradiction(
            f"broker {broker_id} is registered with epoch {registration.epoch}, not {broker_epoch}"
        )
    return registration


def unregister_broker(
    image: ClusterImage, record: messages.UnregisterBrokerRecord, offset: int
) -> ClusterImage:
    _registered(image, record.broker_id, record.broker_epoch)
    return msgspec.structs.replace(image, brokers=image.brokers.delete(record.broker_id))


def _set_fenced(image: ClusterImage, broker_id: int, broker_epoch: int, fenced: bool) -> ClusterImage:
    registration = msgspec.structs.replace(_registered(image, broker_id, broker_epoch), fenced=fenced)
    return msgspec.structs.replace(image, brokers=image.brokers.set(broker_id, registration))


def fence_broker(image: ClusterImage, record: messages.FenceBrokerRecord, offset: int) -> ClusterImage:
    return _set_fenced(image, record.id, record.epoch, True)


def unfence_broker(image: ClusterImage, record: messages.UnfenceBrokerRecord, offset: int) -> ClusterImage:
    return _set_fenced(image, record.id, record.epoch, False)


def change_broker_registration(
    image: ClusterImage, record: messages.BrokerRegistrationChangeRecord, offset: int
) -> ClusterImage:
    old = _registered(image, record.broker_id, record.broker_epoch)
    # Kafka's BrokerRegistrationFencingChange has these three, and fails on any other.
    if record.fenced not in _FENCED_CHANGES:
        raise Contradiction(f"Fenced is {record.fenced}, none of 1, 0 and -1")
    if record.in_controlled_shutdown not in _SHUTDOWN_CHANGES:
        raise Contradiction(f"InControlledShutdown is {record.in_controlled_shutdown}, neither 1 nor 0")
    fenced = _FENCED_CHANGES[record.fenced]
    shutting_down = _SHUTDOWN_CHANGES[record.in_controlled_shutdown]
    cordoned = record.cordoned_log_dirs
    # Epoch, incarnation and endpoints stay: only a registration changes these.
    new = msgspec.structs.replace(
        old,
        fenced=old.fenced if fenced is None else fenced,
        in_controlled_shutdown=old.in_controlled_shutdown if shutting_down is None else shutting_down,
        # An empty list cannot be distinguished from an absent one, so it changes nothing.
        directories=tuple(sorted(record.log_dirs)) if record.log_dirs else old.directories,
        # Nullable, unlike the directories: an empty list takes all cordons back (KIP-1066).
        cordoned_directories=old.cordoned_directories if cordoned is None else tuple(sorted(cordoned)),
    )
    return msgspec.structs.replace(image, brokers=image.brokers.set(record.broker_id, new))


def register_controller(
    image: ClusterImage, record: messages.RegisterControllerRecord, offset: int
) -> ClusterImage:
    # Replaced as a whole. Controllers have no epoch: the newest incarnation counts (KIP-919).
    registration = ControllerRegistration(
        controller_id=record.controller_id,
        incarnation_id=record.incarnation_id,
        endpoints=_endpoints(record.end_points),
        features=_features(record.features),
        zk_migration_ready=record.zk_migration_ready,
    )
    return msgspec.structs.replace(
        image, controllers=image.controllers.set(record.controller_id, registration)
    )


def unregister_controller(
    image: ClusterImage, record: messages.UnregisterControllerRecord, offset: int
) -> ClusterImage:
    # The controller checks it before it writes the record, so log and reader disagree.
    if record.controller_id not in image.controllers:
        raise Contradiction(f"controller {record.controller_id} is not registered")
    return msgspec.structs.replace(image, controllers=image.controllers.delete(record.controller_id))
