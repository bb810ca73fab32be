"""Chooses the version of a metadata record by metadata.version, and makes records of an image's entries.

A record is written in the newest version that the finalized metadata.version allows, so that every node that supports
that level can read it. BrokerRegistrationChangeRecord is the exception: as in Apache Kafka, it is written in the lowest
version that can hold the fields that it sets.
"""

from __future__ import annotations

from typing import Any

from kafkaproto.messages import (
    AccessControlEntryRecord,
    DelegationTokenRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
)
from kafkaproto_server.metadata.image.entries import (
    AccessControlEntry,
    BrokerRegistration,
    ControllerRegistration,
    DelegationToken,
    PartitionImage,
)

# Levels of metadata.version that brought new record versions.
CONTROLLED_SHUTDOWN_LEVEL = 7
"""3.3-IV3: the state of a controlled shutdown is recorded."""
# 3.4-IV0. The migration from ZooKeeper is gone (KIP-866), but its field still counts as a version.
ZK_MIGRATION_LEVEL = 8
CONTROLLER_REGISTRATION_LEVEL = 15
"""3.7-IV0: controllers register."""
DIRECTORIES_LEVEL = 17
"""3.7-IV2: log directories of brokers and replicas are recorded (KIP-858)."""
ELR_LEVEL = 23
"""4.0-IV1: eligible leader replicas have fields (KIP-966)."""
CORDONED_DIRECTORIES_LEVEL = 30
"""4.3-IV0."""

_REGISTER_BROKER = 0
_PARTITION = 3
_PARTITION_CHANGE = 5
_BROKER_REGISTRATION_CHANGE = 17

# Lowest metadata.version of versions 1, 2, ... of a record type; types that are not listed have version 0
# only.
_LEVELS_OF_VERSIONS = {
    _REGISTER_BROKER: (
        CONTROLLED_SHUTDOWN_LEVEL,
        ZK_MIGRATION_LEVEL,
        DIRECTORIES_LEVEL,
        CORDONED_DIRECTORIES_LEVEL,
    ),
    # Directories first: their field came first, though its tag in the change record has the higher number.
    _PARTITION: (DIRECTORIES_LEVEL, ELR_LEVEL),
    _PARTITION_CHANGE: (DIRECTORIES_LEVEL, ELR_LEVEL),
}


def record_version(record: Any, metadata_version: int) -> int:
    """The version of a metadata record at that level of metadata.version."""
    # As in Kafka, a change that only fences or unfences is version 0 at every level. Readers of
    # both kinds find the same bytes.
    if record.API_KEY == _BROKER_REGISTRATION_CHANGE:
        return _lowest_version_that_fits(record)
    levels = _LEVELS_OF_VERSIONS.get(record.API_KEY, ())
    # The levels ascend, so their number is the version.
    return sum(level <= metadata_version for level in levels)


def _lowest_version_that_fits(record: Any) -> int:
    # Null means "no change", so an empty list is a value and needs the version that has the field.
    if record.cordoned_log_dirs is not None:
        return 3
    # An empty list means "no change" here, unlike above: the field is not nullable.
    if record.log_dirs:
        return 2
    # The flag came with version 1, fencing is as old as the record.
    return 1 if record.in_controlled_shutdown else 0


def register_broker_record(registration: BrokerRegistration, metadata_version: int) -> RegisterBrokerRecord:
    """A registration as a record, without the fields that the level of metadata.version does not have."""
    record = RegisterBrokerRecord(
        broker_id=registration.broker_id,
        # Kept although no broker migrates any more: the record of an older controller stays what it was.
        is_migrating_zk_broker=registration.is_migrating_zk_broker,
        incarnation_id=registration.incarnation_id,
        broker_epoch=registration.epoch,
        end_points=[
            RegisterBrokerRecord.BrokerEndpoint(
                name=each.name, host=each.host, port=each.port, security_protocol=each.security_protocol
            )
            for each in registration.endpoints
        ],
        features=[
            RegisterBrokerRecord.BrokerFeature(
                name=each.name, min_supported_version=each.min_level, max_supported_version=each.max_level
            )
            for each in registration.features
        ],
        rack=registration.rack,
        fenced=registration.fenced,
        in_controlled_shutdown=registration.in_controlled_shutdown,
    )
    # A field that the version does not have would have to be its default, or the encoder refuses the record.
    if metadata_version >= DIRECTORIES_LEVEL:
        record.log_dirs = list(registration.directories)
    # Null as long as the broker has said nothing: an empty list says that none is cordoned (KIP-1066).
    if metadata_version >= CORDONED_DIRECTORIES_LEVEL and registration.cordoned_directories is not None:
        record.cordoned_log_dirs = list(registration.cordoned_directories)
    return record


def register_controller_record(registration: ControllerRegistration) -> RegisterControllerRecord:
    """A controller's registration as a record."""
    return RegisterControllerRecord(
        controller_id=registration.controller_id,
        incarnation_id=registration.incarnation_id,
        zk_migration_ready=registration.zk_migration_ready,
        end_points=[
            RegisterControllerRecord.ControllerEndpoint(
                name=each.name, host=each.host, port=each.port, security_protocol=each.security_protocol
            )
            for each in registration.endpoints
        ],
        features=[
            RegisterControllerRecord.ControllerFeature(
                name=each.name, min_supported_version=each.min_level, max_supported_version=each.max_level
            )
            for each in registration.features
        ],
    )


def partition_record(
    topic_id: bytes, index: int, partition: PartitionImage, metadata_version: int
) -> PartitionRecord:
    """A partition as a record, without the fields that the level of metadata.version does not have."""
    assert len(partition.directories) == len(partition.replicas), "each replica has a directory"
    record = PartitionRecord(
        partition_id=index,
        topic_id=topic_id,
        replicas=list(partition.replicas),
        isr=list(partition.isr),
        removing_replicas=list(partition.removing_replicas),
        adding_replicas=list(partition.adding_replicas),
        leader=partition.leader,
        leader_recovery_state=partition.leader_recovery_state,
        leader_epoch=partition.leader_epoch,
        partition_epoch=partition.partition_epoch,
    )
    if metadata_version >= DIRECTORIES_LEVEL:
        record.directories = list(partition.directories)
    if metadata_version >= ELR_LEVEL:
        # Null instead of an empty list: Apache Kafka leaves the field out, and an empty list would be written.
        record.eligible_leader_replicas = list(partition.elr) or None
        record.last_known_elr = list(partition.last_known_elr) or None
    return record


def acl_record(acl_id: bytes, acl: AccessControlEntry) -> AccessControlEntryRecord:
    """An ACL as a record."""
    return AccessControlEntryRecord(
        id=acl_id,
        resource_type=acl.resource_type,
        resource_name=acl.resource_name,
        pattern_type=acl.pattern_type,
        principal=acl.principal,
        host=acl.host,
        operation=acl.operation,
        permission_type=acl.permission_type,
    )


def delegation_token_record(token_id: str, token: DelegationToken) -> DelegationTokenRecord:
    """A delegation token as a record."""
    return DelegationTokenRecord(
        owner=token.owner,
        requester=token.requester,
        renewers=list(token.renewers),
        issue_timestamp=token.issue_timestamp_ms,
        max_timestamp=token.max_timestamp_ms,
        expiration_timestamp=token.expiration_timestamp_ms,
        token_id=token_id,
    )
