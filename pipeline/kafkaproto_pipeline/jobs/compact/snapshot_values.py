"""Turns rows of the state's tables into records of a snapshot, with keys that sort them into a snapshot's order.

The records and their order are those of `metadata.image.snapshot`: both ways to the same state give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto import uuids
from kafkaproto.message import Message
from kafkaproto.messages import (
    ClientQuotaRecord,
    ConfigRecord,
    FeatureLevelRecord,
    ProducerIdsRecord,
    TopicRecord,
    UserScramCredentialRecord,
)
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.entries import (
    METADATA_VERSION_FEATURE,
    AccessControlEntry,
    BrokerRegistration,
    ControllerRegistration,
    DelegationToken,
    FeatureRange,
    PartitionImage,
)
from kafkaproto_server.metadata.image.partition_codec import PartitionEncoder
from kafkaproto_server.metadata.image.records import (
    acl_record,
    delegation_token_record,
    record_version,
    register_broker_record,
    register_controller_record,
)

Row = Mapping[str, Any]
Keyed = tuple[bytes, bytes]
"""Key and framed record."""

VALUES = pa.schema([("key", pa.binary()), ("value", pa.binary())])
LEVEL_COLUMN = "metadataVersion"
"""The level of metadata.version, which decides in which versions records are written."""
LEVELED_TABLES = frozenset({"brokers", "partitions"})
"""The tables whose records have several versions."""


def snapshot_values(batches: Iterable[pa.RecordBatch], *, table: str) -> Iterator[pa.RecordBatch]:
    """The rows of one of the state's tables as `VALUES`; those of `LEVELED_TABLES` have `LEVEL_COLUMN` besides."""
    for batch in batches:
        keyed = [_keyed(table, row) for row in batch.to_pylist()]
        keys, values = zip(*keyed, strict=True) if keyed else ((), ())
        yield pa.RecordBatch.from_arrays(
            [pa.array(keys, pa.binary()), pa.array(values, pa.binary())], schema=VALUES
        )


def _keyed(table: str, row: Row) -> Keyed:
    level = row[LEVEL_COLUMN] if table in LEVELED_TABLES else 0
    if table == "partitions":
        # Nearly all of a large snapshot: these have an encoder of their own.
        topic_id, index = uuids.from_text(row["topicId"]), row["partitionId"]
        key = _key(_TOPICS, row["topicName"], 1, index)
        return key, _partition_encoder(level).encode(topic_id, index, _partition(row))
    key, record = _RECORDS[table](row, level)
    return key, encode_metadata_record(record, record_version(record, level))


@lru_cache(maxsize=1)
def _partition_encoder(level: int) -> PartitionEncoder:
    return PartitionEncoder(level)


def _key(section: int, *parts: str | bytes | int | bool | None) -> bytes:
    """Bytes that sort as the parts do; null sorts first."""
    out = bytearray((section,))
    for part in parts:
        if part is None:
            out += b"\0"
            continue
        out += b"\1"
        if isinstance(part, int):
            out += (part + (1 << 63)).to_bytes(8, "big")
            continue
        text = part.encode() if isinstance(part, str) else part
        # An end that sorts before whatever may go on instead of it.
        out += text.replace(b"\0", b"\0\xff") + b"\0\0"
    return bytes(out)


_FEATURES, _BROKERS, _CONTROLLERS, _TOPICS, _CONFIGS, _QUOTAS, _PRODUCER_IDS, _ACLS, _SCRAM, _TOKENS = range(
    10
)


def _feature(row: Row, level: int) -> tuple[bytes, Message]:
    record = FeatureLevelRecord(name=row["name"], feature_level=row["featureLevel"])
    # metadata.version decides how the rest is read.
    return _key(_FEATURES, record.name != METADATA_VERSION_FEATURE, record.name), record


def _endpoints(row: Row) -> tuple[Endpoint, ...]:
    return tuple(
        Endpoint(
            name=each["name"],
            host=each["host"],
            port=each["port"],
            security_protocol=each["securityProtocol"],
        )
        for each in row["endPoints"]
    )


def _feature_ranges(row: Row) -> tuple[FeatureRange, ...]:
    return tuple(
        FeatureRange(
            name=each["name"], min_level=each["minSupportedVersion"], max_level=each["maxSupportedVersion"]
        )
        for each in row["features"]
    )


def _directories(ids: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(sorted(map(uuids.from_text, ids)))


def _broker(row: Row, level: int) -> tuple[bytes, Message]:
    cordoned = row["cordonedLogDirs"]
    registration = BrokerRegistration(
        broker_id=row["brokerId"],
        incarnation_id=uuids.from_text(row["incarnationId"]),
        epoch=row["brokerEpoch"],
        endpoints=_endpoints(row),
        features=_feature_ranges(row),
        rack=row["rack"],
        fenced=row["fenced"],
        in_controlled_shutdown=row["inControlledShutdown"],
        directories=_directories(row["logDirs"]),
        cordoned_directories=None if cordoned is None else _directories(cordoned),
        is_migrating_zk_broker=row["isMigratingZkBroker"],
    )
    return _key(_BROKERS, registration.broker_id), register_broker_record(registration, level)


def _controller(row: Row, level: int) -> tuple[bytes, Message]:
    registration = ControllerRegistration(
        controller_id=row["controllerId"],
        incarnation_id=uuids.from_text(row["incarnationId"]),
        endpoints=_endpoints(row),
        features=_feature_ranges(row),
        zk_migration_ready=row["zkMigrationReady"],
    )
    return _key(_CONTROLLERS, registration.controller_id), register_controller_record(registration)


def _topic(row: Row, level: int) -> tuple[bytes, Message]:
    record = TopicRecord(name=row["name"], topic_id=uuids.from_text(row["topicId"]))
    return _key(_TOPICS, record.name, 0), record


def _partition(row: Row) -> PartitionImage:
    return PartitionImage(
        replicas=tuple(row["replicas"]),
        directories=tuple(map(uuids.from_text, row["directories"])),
        isr=tuple(row["isr"]),
        removing_replicas=tuple(row["removingReplicas"]),
        adding_replicas=tuple(row["addingReplicas"]),
        leader=row["leader"],
        leader_recovery_state=row["leaderRecoveryState"],
        leader_epoch=row["leaderEpoch"],
        partition_epoch=row["partitionEpoch"],
        elr=tuple(row["eligibleLeaderReplicas"]),
        last_known_elr=tuple(row["lastKnownElr"]),
    )


def _config(row: Row, level: int) -> tuple[bytes, Message]:
    record = ConfigRecord(
        resource_type=row["resourceType"],
        resource_name=row["resourceName"],
        name=row["name"],
        value=row["value"],
    )
    return _key(_CONFIGS, record.resource_type, record.resource_name, record.name), record


def _quota(row: Row, level: int) -> tuple[bytes, Message]:
    entity = [(each["entityType"], each["entityName"]) for each in row["entity"]]
    record = ClientQuotaRecord(
        entity=[ClientQuotaRecord.EntityData(entity_type=each, entity_name=name) for each, name in entity],
        key=row["key"],
        value=row["value"],
    )
    # After the last part of an entity there is null, before any part that a longer one goes on with.
    return _key(_QUOTAS, *(part for pair in entity for part in pair), None, record.key), record


def _producer_ids(row: Row, level: int) -> tuple[bytes, Message]:
    # The broker that got the last block is not stored; Apache Kafka's snapshots do not store it either.
    record = ProducerIdsRecord(broker_id=-1, broker_epoch=-1, next_producer_id=row["nextProducerId"])
    return _key(_PRODUCER_IDS), record


def _acl(row: Row, level: int) -> tuple[bytes, Message]:
    acl_id = uuids.from_text(row["id"])
    entry = AccessControlEntry(
        resource_type=row["resourceType"],
        resource_name=row["resourceName"],
        pattern_type=row["patternType"],
        principal=row["principal"],
        host=row["host"],
        operation=row["operation"],
        permission_type=row["permissionType"],
    )
    return _key(_ACLS, acl_id), acl_record(acl_id, entry)


def _scram_credential(row: Row, level: int) -> tuple[bytes, Message]:
    record = UserScramCredentialRecord(
        name=row["name"],
        mechanism=row["mechanism"],
        salt=row["salt"],
        stored_key=row["storedKey"],
        server_key=row["serverKey"],
        iterations=row["iterations"],
    )
    return _key(_SCRAM, record.mechanism, record.name), record


def _delegation_token(row: Row, level: int) -> tuple[bytes, Message]:
    token = DelegationToken(
        owner=row["owner"],
        requester=row["requester"],
        renewers=tuple(row["renewers"]),
        issue_timestamp_ms=row["issueTimestamp"],
        max_timestamp_ms=row["maxTimestamp"],
        expiration_timestamp_ms=row["expirationTimestamp"],
    )
    return _key(_TOKENS, row["tokenId"]), delegation_token_record(row["tokenId"], token)


_RECORDS: Mapping[str, Callable[[Row, int], tuple[bytes, Message]]] = {
    "features": _feature,
    "brokers": _broker,
    "controllers": _controller,
    "topics": _topic,
    "configs": _config,
    "quotas": _quota,
    "producer_ids": _producer_ids,
    "acls": _acl,
    "scram_credentials": _scram_credential,
    "delegation_tokens": _delegation_token,
}
"""By the table's name in `jobs.state.RECORDED`; partitions are apart."""
