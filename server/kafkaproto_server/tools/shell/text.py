"""The output of ``kafka-metadata-shell`` for the parts of an image: in the words of Kafka's shell, and as JSON.

The words are those with which the Java objects of Apache Kafka 4.3 print themselves, odd brackets included, so that
people and scripts can read the output as before. The JSON is that of the records which describe the same part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from kafkaproto import uuids
from kafkaproto.message import Message
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.entries import (
    RECOVERED,
    AccessControlEntry,
    BrokerRegistration,
    ControllerRegistration,
    DelegationToken,
    FeatureRange,
    PartitionImage,
    QuotaEntity,
    ScramCredential,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import record_version
from kafkaproto_server.tools.redaction import REDACTED, redacted

SECURITY_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
SCRAM_MECHANISMS = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
CONFIG_RESOURCES = {2: "TOPIC", 4: "BROKER", 8: "BROKER_LOGGER", 16: "CLIENT_METRICS", 32: "GROUP"}

_RESOURCE_TYPES = (
    "UNKNOWN",
    "ANY",
    "TOPIC",
    "GROUP",
    "CLUSTER",
    "TRANSACTIONAL_ID",
    "DELEGATION_TOKEN",
    "USER",
)
_PATTERN_TYPES = ("UNKNOWN", "ANY", "MATCH", "LITERAL", "PREFIXED")
_OPERATIONS = (
    "UNKNOWN",
    "ANY",
    "ALL",
    "READ",
    "WRITE",
    "CREATE",
    "DELETE",
    "ALTER",
    "DESCRIBE",
    "CLUSTER_ACTION",
    "DESCRIBE_CONFIGS",
    "ALTER_CONFIGS",
    "IDEMPOTENT_WRITE",
    "CREATE_TOKENS",
    "DESCRIBE_TOKENS",
    "TWO_PHASE_COMMIT",
)
_PERMISSIONS = ("UNKNOWN", "ANY", "DENY", "ALLOW")
_QUOTA_ENTITIES = {"user": "user", "client-id": "clientId", "ip": "ip"}


def record_json(record: Message, image: ClusterImage, *, secrets: bool = True) -> Any:
    """A record in Kafka's JSON form, in the version that belongs to the image's metadata.version."""
    data = record.to_json(record_version(record, image.metadata_version))
    return data if secrets else redacted(record.NAME, data)


def provenance(image: ClusterImage) -> str:
    """The image's position in the log."""
    return f"offset {image.offset}, epoch {image.epoch}, time {_time(image.timestamp_ms)}"


def broker(registration: BrokerRegistration) -> str:
    # Kafka orders directories by their signed halves; cordoned directories are in the order in which they were
    # reported.
    directories = sorted(registration.directories, key=_signed_halves)
    cordoned = registration.cordoned_directories
    return (
        f"BrokerRegistration(id={registration.broker_id}, epoch={registration.epoch}, "
        f"incarnationId={uuids.to_text(registration.incarnation_id)}, "
        f"listeners={_endpoints(registration.endpoints)}, "
        f"supportedFeatures={_ranges(registration.features)}, "
        f"rack={_optional(registration.rack)}, fenced={_bool(registration.fenced)}, "
        f"inControlledShutdown={_bool(registration.in_controlled_shutdown)}, "
        f"isMigratingZkBroker={_bool(registration.is_migrating_zk_broker)}, "
        f"directories={_uuids(directories)}, "
        f"cordonedDirectories={'null' if cordoned is None else _uuids(cordoned)})"
    )


def controller(registration: ControllerRegistration) -> str:
    return (
        f"ControllerRegistration(id={registration.controller_id}, "
        f"incarnationId={uuids.to_text(registration.incarnation_id)}, "
        f"zkMigrationReady={_bool(registration.zk_migration_ready)}, "
        f"listeners={_endpoints(registration.endpoints)}, "
        f"supportedFeatures={_ranges(registration.features)})"
    )


def partition(registration: PartitionImage) -> str:
    recovery = "RECOVERED" if registration.leader_recovery_state == RECOVERED else "RECOVERING"
    return (
        f"PartitionRegistration(replicas={_list(registration.replicas)}, "
        f"directories={_uuids(registration.directories)}, isr={_list(registration.isr)}, "
        f"removingReplicas={_list(registration.removing_replicas)}, "
        f"addingReplicas={_list(registration.adding_replicas)}, elr={_list(registration.elr)}, "
        f"lastKnownElr={_list(registration.last_known_elr)}, leader={registration.leader}, "
        f"leaderRecoveryState={recovery}, leaderEpoch={registration.leader_epoch}, "
        f"partitionEpoch={registration.partition_epoch})"
    )


def acl(entry: AccessControlEntry) -> str:
    return (
        f"StandardAcl[resourceType={_name(_RESOURCE_TYPES, entry.resource_type)}, "
        f"resourceName={entry.resource_name}, patternType={_name(_PATTERN_TYPES, entry.pattern_type)}, "
        f"principal={entry.principal}, host={entry.host}, operation={_name(_OPERATIONS, entry.operation)}, "
        f"permissionType={_name(_PERMISSIONS, entry.permission_type)}]"
    )


def scram_credential(credential: ScramCredential, *, secrets: bool) -> str:
    salt, stored_key, server_key = (
        each.hex() if secrets else REDACTED
        for each in (credential.salt, credential.stored_key, credential.server_key)
    )
    return (
        f"ScramCredentialData(salt={salt}, storedKey={stored_key}, "
        f"serverKey={server_key}, iterations={credential.iterations})"
    )


def delegation_token(token_id: str, token: DelegationToken) -> str:
    """A delegation token. The brackets are unbalanced, as in Kafka."""
    return (
        f"DelegationTokenDatatokenId={token_id}(owner={token.owner}(tokenRequester={token.requester}"
        f"(renewers={' '.join(token.renewers)}, issueTimestamp={token.issue_timestamp_ms}, "
        f"maxTimestamp={token.max_timestamp_ms}), expiryTimestamp={token.expiration_timestamp_ms}"
    )


def quota_entity(entity: QuotaEntity) -> str:
    """The name of a quota's entity, as in ``clientId(x)_user(alice)``; a default entity is only a type, as in
    ``clientId(x)_user``.

    Kafka's shell leaves default entities out of the name, and cannot show their quotas.
    """
    return "_".join(
        _QUOTA_ENTITIES.get(kind, kind) + ("" if name is None else f"({_escaped(name)})")
        for kind, name in entity
    )


def config_resource(resource_type: int, name: str) -> str:
    """The name of a resource with configs; without a name it is the cluster's default."""
    kind = CONFIG_RESOURCES.get(resource_type, str(resource_type))
    return f"{kind}:{name}" if name else kind


def _escaped(name: str) -> str:
    return "".join(f"\\{each}" if each in "\\()" else each for each in name)


def _time(timestamp_ms: int) -> str:
    """A moment as Java writes it: zeros at the end are left out, down to the minutes."""
    moment = datetime.fromtimestamp(timestamp_ms // 1000, UTC)
    text = moment.strftime("%Y-%m-%dT%H:%M")
    millis = timestamp_ms % 1000
    if moment.second or millis:
        text += f":{moment.second:02}"
    if millis:
        text += f".{millis:03}"
    return f"{text}Z[UTC]"


def _endpoints(endpoints: Iterable[Endpoint]) -> str:
    texts = (
        f"Endpoint(listenerName='{each.name}', "
        f"securityProtocol={_name(SECURITY_PROTOCOLS, each.security_protocol)}, "
        f"host='{each.host}', port={each.port})"
        for each in sorted(endpoints, key=lambda endpoint: endpoint.name)
    )
    return f"[{', '.join(texts)}]"


def _ranges(features: Iterable[FeatureRange]) -> str:
    ordered = sorted(features, key=lambda feature: feature.name)
    return "{" + ", ".join(f"{each.name}: {each.min_level}-{each.max_level}" for each in ordered) + "}"


def _optional(value: str | None) -> str:
    return "Optional.empty" if value is None else f"Optional[{value}]"


def _list(values: Sequence[int]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _uuids(values: Iterable[bytes]) -> str:
    return f"[{', '.join(map(uuids.to_text, values))}]"


def _signed_halves(value: bytes) -> tuple[int, int]:
    return int.from_bytes(value[:8], signed=True), int.from_bytes(value[8:], signed=True)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if 0 <= number < len(names) else names[0]
