"""Late requests of administrators: about what is not there any more, was never there, or cannot be."""

from __future__ import annotations

import math
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterClientQuotasRequest,
    AlterPartitionReassignmentsRequest,
    AlterUserScramCredentialsRequest,
    CreateAclsRequest,
    CreateDelegationTokenRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    ElectLeadersRequest,
    ExpireDelegationTokenRequest,
    IncrementalAlterConfigsRequest,
    RenewDelegationTokenRequest,
    UpdateFeaturesRequest,
)
from kafkaproto_server.core.controller.commands.create_topics import MAX_CONFIGS_OF_RESOURCE
from kafkaproto_server.core.controller.values.topic_configs import MIN_INSYNC_REPLICAS
from kafkaproto_server.metadata.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    KRAFT_VERSION,
    METADATA_VERSION,
    supported_ranges,
)
from tests.sim.nodes.host import Host
from tests.sim.nodes.late_peers.cases import (
    UNKNOWN_ID,
    UNKNOWN_INDEX,
    UNKNOWN_UUID,
    Asked,
    Base,
    Case,
    Known,
    NotNowError,
    cases,
    same,
    to,
    twice,
)

_NEW, _UNKNOWN = "late-new", "late-unknown"
"""Names of topics; neither is made."""
_TOO_MANY = 2**31 - 1
_SAFE_DOWNGRADE = 2
_LOWEST_METADATA = supported_ranges()[METADATA_VERSION][0]
_DELETE = 1
"""Of a config."""
_TOPIC, _BROKER = 2, 4
"""Types of resources."""

_INVALID = (ErrorCode.INVALID_REQUEST,)
_NO_TOPIC = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,)
_NAME = (ErrorCode.INVALID_TOPIC_EXCEPTION,)
_ASSIGNMENT = (ErrorCode.INVALID_REPLICA_ASSIGNMENT,)
_CONFIG = (ErrorCode.INVALID_CONFIG,)
_LEVEL = (ErrorCode.INVALID_UPDATE_VERSION,)
_MECHANISM = (ErrorCode.UNSUPPORTED_SASL_MECHANISM,)
_CREDENTIAL = (ErrorCode.UNACCEPTABLE_CREDENTIAL,)
_NO_TOKENS = (ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED,)
_FEW_BROKERS = (ErrorCode.INVALID_REPLICATION_FACTOR, *_ASSIGNMENT)
"""While others are fenced."""


def _asked(known: Known, request: Message) -> Asked:
    host, port = known.anywhere()
    return Asked(host=host, port=port, request=request)


def _brokers(known: Known) -> list[int]:
    found = [each.broker_id for each in known.image.brokers_in_order()]
    if len(found) < 2:
        raise NotNowError
    return found


def _creation(known: Known) -> Asked:
    kind = CreateTopicsRequest
    topic = kind.CreatableTopic(
        name=_NEW,
        num_partitions=1,
        replication_factor=1,
        configs=[kind.CreatableTopicConfig(name="retention.ms", value="7000")],
    )
    return _asked(known, kind(topics=[topic], timeout_ms=1000))


def _assigned_creation(known: Known) -> Asked:
    kind, brokers = CreateTopicsRequest, _brokers(known)
    topic = kind.CreatableTopic(
        name=_NEW,
        num_partitions=-1,
        replication_factor=-1,
        assignments=[
            kind.CreatableReplicaAssignment(partition_index=index, broker_ids=brokers[:2])
            for index in range(2)
        ],
    )
    return _asked(known, kind(topics=[topic], timeout_ms=1000))


def _growth(known: Known) -> Asked:
    """By one partition, with the replicas of another."""
    topic, _, partition = known.partition()
    kind = CreatePartitionsRequest
    assignment = kind.CreatePartitionsAssignment(broker_ids=list(partition.replicas))
    grown = kind.CreatePartitionsTopic(
        name=topic.name, count=len(topic.partitions) + 1, assignments=[assignment]
    )
    return _asked(known, kind(topics=[grown], timeout_ms=1000))


def _deletion(known: Known) -> Asked:
    kind = DeleteTopicsRequest
    return _asked(known, kind(topics=[kind.DeleteTopicState(name=_UNKNOWN)], timeout_ms=1000))


def _deletion_by_both(known: Known) -> Asked:
    """Of a topic that is named and has its id in the request, too."""
    topic, _, _ = known.partition()
    kind = DeleteTopicsRequest
    named = [
        kind.DeleteTopicState(name=topic.name),
        kind.DeleteTopicState(name=None, topic_id=topic.topic_id),
    ]
    return _asked(known, kind(topics=named, timeout_ms=1000))


def _reassignment(known: Known) -> Asked:
    topic, index, partition = known.partition()
    kind = AlterPartitionReassignmentsRequest
    moved = kind.ReassignablePartition(partition_index=index, replicas=list(partition.replicas))
    request = kind(
        timeout_ms=1000,
        allow_replication_factor_change=False,
        topics=[kind.ReassignableTopic(name=topic.name, partitions=[moved])],
    )
    return _asked(known, request)


def _election(known: Known) -> Asked:
    topic, index, _ = known.partition()
    kind = ElectLeadersRequest
    elected = kind.TopicPartitions(topic=topic.name, partitions=[index])
    return _asked(known, kind(election_type=0, topic_partitions=[elected], timeout_ms=1000))


def _topic_config(known: Known) -> Asked:
    topic, _, _ = known.partition()
    return _config(known, _TOPIC, topic.name, "max.message.bytes", "1000000")


def _broker_config(known: Known) -> Asked:
    return _config(known, _BROKER, str(_brokers(known)[0]), "log.cleaner.threads", "1")


def _in_sync_of_a_broker(known: Known) -> Asked:
    """While eligible leader replicas are kept, it is the cluster's alone."""
    return _config(known, _BROKER, _name_with_elr(known, str(_brokers(known)[0])), MIN_INSYNC_REPLICAS, "1")


def _in_sync_of_nobody(known: Known) -> Asked:
    """The cluster needs it."""
    asked = _config(known, _BROKER, _name_with_elr(known, ""), MIN_INSYNC_REPLICAS, "1")
    asked.request.resources[0].configs[0].config_operation = _DELETE
    return asked


def _name_with_elr(known: Known, name: str) -> str:
    if not known.image.elr_enabled:
        raise NotNowError
    return name


def _config(known: Known, resource_type: int, name: str, key: str, value: str) -> Asked:
    kind = IncrementalAlterConfigsRequest
    resource = kind.AlterConfigsResource(
        resource_type=resource_type,
        resource_name=name,
        configs=[kind.AlterableConfig(name=key, config_operation=0, value=value)],
    )
    return _asked(known, kind(resources=[resource]))


def _quota(known: Known) -> Asked:
    kind = AlterClientQuotasRequest
    entry = kind.EntryData(
        entity=[kind.EntityData(entity_type="user", entity_name="late")],
        ops=[kind.OpData(key="producer_byte_rate", value=1e9)],
    )
    return _asked(known, kind(entries=[entry]))


def _credential(known: Known) -> Asked:
    kind = AlterUserScramCredentialsRequest
    upsertion = kind.ScramCredentialUpsertion(
        name="late", mechanism=1, iterations=4096, salt=b"salt", salted_password=b"password" * 4
    )
    return _asked(known, kind(upsertions=[upsertion]))


def _removed_credential(known: Known) -> Asked:
    kind = AlterUserScramCredentialsRequest
    return _asked(known, kind(deletions=[kind.ScramCredentialDeletion(name="late", mechanism=1)]))


def _rule(known: Known) -> Asked:
    kind = CreateAclsRequest
    creation = kind.AclCreation(
        resource_type=2,
        resource_name="late",
        resource_pattern_type=3,
        principal="User:late",
        host="*",
        operation=3,
        permission_type=3,
    )
    return _asked(known, kind(creations=[creation]))


def _feature(known: Known) -> Asked:
    """A feature at a level that it has."""
    level = known.image.features.get("metadata.version")
    if level is None:
        raise NotNowError
    kind = UpdateFeaturesRequest
    update = kind.FeatureUpdateKey(feature="metadata.version", max_version_level=level, upgrade_type=1)
    return _asked(known, kind(feature_updates=[update], timeout_ms=1000))


def _lowered(known: Known) -> Asked:
    asked = _feature(known)
    asked.request.feature_updates[0].upgrade_type = _SAFE_DOWNGRADE
    return asked


def _without_what_it_needs(known: Known) -> Asked:
    """A feature, in one request with the lowest level of metadata.version."""
    kind = UpdateFeaturesRequest
    updates = [
        kind.FeatureUpdateKey(feature=ELIGIBLE_LEADER_REPLICAS_VERSION, max_version_level=1, upgrade_type=1),
        kind.FeatureUpdateKey(
            feature=METADATA_VERSION, max_version_level=_LOWEST_METADATA, upgrade_type=_SAFE_DOWNGRADE
        ),
    ]
    return _asked(known, kind(feature_updates=updates, timeout_ms=1000))


def _lowered_kraft_version(known: Known) -> Asked:
    """It cannot be lowered. Who has not heard of its level takes 0 for the level that it has."""
    if not known.has_kraft_version():
        raise NotNowError
    kind = UpdateFeaturesRequest
    update = kind.FeatureUpdateKey(feature=KRAFT_VERSION, max_version_level=0, upgrade_type=_SAFE_DOWNGRADE)
    return _asked(known, kind(feature_updates=[update], timeout_ms=1000))


def _unknown_among(right: list[int], known: Known, host: Host) -> list[int]:
    return [*right[:-1], UNKNOWN_ID]


def _first_twice(right: list[int], known: Known, host: Host) -> list[int]:
    return [right[0], *right]


def _fewer(right: list[int], known: Known, host: Host) -> list[int]:
    if len(right) < 2:
        raise NotNowError
    return right[:-1]


def _uneven(right: list[Any], known: Known, host: Host) -> list[Any]:
    """The first partition has one replica less than the second."""
    right[0].broker_ids = right[0].broker_ids[:1]
    return right


def _existing(right: str, known: Known, host: Host) -> str:
    topic, _, _ = known.partition()
    return topic.name


def _many_configs(right: list[Any], known: Known, host: Host) -> list[Any]:
    return right * (MAX_CONFIGS_OF_RESOURCE + 1)


def _as_many(right: int, known: Known, host: Host) -> int:
    """No more than there are."""
    return right - 1


_FEATURE = "feature_updates"
_CREATED = Base(make=_creation, errors=_FEW_BROKERS)
_GROWN = Base(make=_growth, errors=(*_NO_TOPIC, *_FEW_BROKERS))

CASES: tuple[Case, ...] = (
    *cases(
        "CreateTopics",
        _CREATED,
        ("topics.name", "empty", to(""), _NAME),
        ("topics.name", "impossible", to("a b"), _NAME),
        ("topics.name", "of the metadata", to("__cluster_metadata"), _INVALID),
        ("topics.name", "of a topic", _existing, (ErrorCode.TOPIC_ALREADY_EXISTS,)),
        ("topics", "twice", twice, _INVALID),
        ("topics.num_partitions", "zero", to(0), (ErrorCode.INVALID_PARTITIONS,)),
        ("topics.num_partitions", "too high", to(_TOO_MANY), (ErrorCode.POLICY_VIOLATION,)),
        ("topics.replication_factor", "zero", to(0), ()),
        ("topics.replication_factor", "too high", to(2**15 - 1), ()),
        ("topics.configs.name", "unknown", to("unknown"), _CONFIG),
        ("topics.configs", "too many", _many_configs, (ErrorCode.POLICY_VIOLATION, *_INVALID)),
        ("topics.configs.value", "impossible", to("unknown"), _CONFIG),
    ),
    *cases(
        "CreateTopics with an assignment",
        Base(make=_assigned_creation, errors=_ASSIGNMENT),
        ("topics.num_partitions", "beside it", to(2), _INVALID),
        ("topics.replication_factor", "beside it", to(2), _INVALID),
        ("topics.assignments", "twice", twice, ()),
        ("topics.assignments", "uneven", _uneven, ()),
        ("topics.assignments.partition_index", "with a gap", to(7), ()),
        ("topics.assignments.broker_ids", "empty", to([]), ()),
        ("topics.assignments.broker_ids", "with one twice", _first_twice, ()),
        ("topics.assignments.broker_ids", "with an unknown one", _unknown_among, ()),
    ),
    *cases(
        "CreatePartitions",
        _GROWN,
        ("topics.name", "unknown", to(_UNKNOWN), ()),
        ("topics", "twice", twice, _INVALID),
        ("topics.count", "as it is", _as_many, (ErrorCode.INVALID_PARTITIONS,)),
        ("topics.count", "too high", to(_TOO_MANY), (ErrorCode.POLICY_VIOLATION,)),
        ("topics.assignments", "twice", twice, ()),
        ("topics.assignments.broker_ids", "empty", to([]), ()),
        ("topics.assignments.broker_ids", "with one twice", _first_twice, ()),
        ("topics.assignments.broker_ids", "with an unknown one", _unknown_among, ()),
        ("topics.assignments.broker_ids", "with too few", _fewer, ()),
    ),
    *cases(
        "DeleteTopics",
        Base(make=_deletion),
        ("topics.name", "unknown", same, _NO_TOPIC),
        ("topics.name", "missing", to(None), _INVALID),
        ("topics", "twice", twice, _INVALID),
        ("topics.topic_id", "beside the name", to(UNKNOWN_UUID), _INVALID),
    ),
    *cases(
        "DeleteTopics by name and id",
        Base(make=_deletion_by_both),
        ("", "", same, _INVALID),
    ),
    *cases(
        "AlterPartitionReassignments",
        Base(make=_reassignment, errors=(*_NO_TOPIC, *_FEW_BROKERS)),
        ("topics.name", "unknown", to(_UNKNOWN), ()),
        ("topics.partitions.partition_index", "unknown", to(UNKNOWN_INDEX), ()),
        ("topics.partitions.replicas", "empty", to([]), ()),
        ("topics.partitions.replicas", "with one twice", _first_twice, ()),
        ("topics.partitions.replicas", "with an unknown one", _unknown_among, ()),
        ("topics.partitions.replicas", "with too few", _fewer, ()),
        (
            "topics.partitions.replicas",
            "of nothing that moves",
            to(None),
            (ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,),
        ),
    ),
    *cases(
        "ElectLeaders",
        Base(make=_election, errors=_NO_TOPIC),
        ("topic_partitions.topic", "unknown", to(_UNKNOWN), ()),
        ("topic_partitions.partitions", "unknown", to([UNKNOWN_INDEX]), ()),
        ("election_type", "unknown", to(7), _INVALID),
    ),
    *cases(
        "IncrementalAlterConfigs of a topic",
        Base(make=_topic_config),
        ("resources.resource_type", "unknown", to(3), (*_INVALID, ErrorCode.UNSUPPORTED_VERSION)),
        ("resources.resource_name", "empty", to(""), _INVALID),
        ("resources.resource_name", "unknown", to(_UNKNOWN), _NO_TOPIC),
        ("resources.resource_name", "impossible", to("a b"), _NAME),
        ("resources.configs.name", "unknown", to("unknown"), _CONFIG),
        ("resources.configs.config_operation", "unknown", to(7), _INVALID),
        ("resources.configs.value", "impossible", to("unknown"), _CONFIG),
    ),
    *cases(
        "IncrementalAlterConfigs of min.insync.replicas of a broker",
        Base(make=_in_sync_of_a_broker, errors=_INVALID),
        ("", "", same, _CONFIG),
    ),
    *cases(
        "IncrementalAlterConfigs of min.insync.replicas of nobody",
        Base(make=_in_sync_of_nobody),
        ("", "", same, _CONFIG),
    ),
    *cases(
        "IncrementalAlterConfigs of a broker",
        # A broker takes its own configs only.
        Base(make=_broker_config, errors=_INVALID),
        ("resources.resource_name", "impossible", to("late"), ()),
        ("resources.configs.name", "read-only", to("log.dirs"), ()),
        ("resources.configs.value", "impossible", to("unknown"), _CONFIG),
    ),
    *cases(
        "AlterClientQuotas",
        Base(make=_quota),
        ("entries", "twice", twice, _INVALID),
        ("entries.entity", "empty", to([]), _INVALID),
        ("entries.entity", "twice", twice, _INVALID),
        ("entries.entity.entity_type", "unknown", to("late"), _INVALID),
        ("entries.ops", "twice", twice, _INVALID),
        ("entries.ops.key", "unknown", to("late"), _INVALID),
        ("entries.ops.value", "negative", to(-1.0), _INVALID),
        ("entries.ops.value", "endless", to(math.inf), _INVALID),
        ("entries.ops.value", "uneven", to(0.5), _INVALID),
    ),
    *cases(
        "AlterUserScramCredentials",
        Base(make=_credential),
        ("upsertions", "twice", twice, (ErrorCode.DUPLICATE_RESOURCE,)),
        ("upsertions.name", "empty", to(""), _CREDENTIAL),
        ("upsertions.mechanism", "unknown", to(9), _MECHANISM),
        ("upsertions.iterations", "too few", to(1), _CREDENTIAL),
        ("upsertions.iterations", "too many", to(2**31 - 1), _CREDENTIAL),
        ("upsertions.salt", "empty", to(b""), _CREDENTIAL),
    ),
    *cases(
        "AlterUserScramCredentials that removes one",
        Base(make=_removed_credential, errors=(ErrorCode.RESOURCE_NOT_FOUND,)),
        ("deletions.name", "unknown", same, ()),
        ("deletions.name", "empty", to(""), _CREDENTIAL),
        ("deletions.mechanism", "unknown", to(9), _MECHANISM),
    ),
    *cases(
        "CreateAcls",
        Base(make=_rule),
        ("creations.resource_type", "of a filter", to(1), _INVALID),
        ("creations.resource_name", "empty", to(""), _INVALID),
        ("creations.resource_pattern_type", "of a filter", to(2), _INVALID),
        ("creations.principal", "without a type", to("late"), _INVALID),
        ("creations.host", "empty", to(""), _INVALID),
        ("creations.operation", "unknown", to(127), _INVALID),
        ("creations.permission_type", "unknown", to(9), _INVALID),
    ),
    *cases(
        "UpdateFeatures",
        Base(make=_feature),
        (f"{_FEATURE}.feature", "unknown", to("late"), _LEVEL),
        (f"{_FEATURE}.max_version_level", "negative", to(-1), _LEVEL),
        (f"{_FEATURE}.max_version_level", "too high", to(2**15 - 1), _LEVEL),
        (f"{_FEATURE}.max_version_level", "lower", _as_many, _LEVEL),
        (f"{_FEATURE}.upgrade_type", "unknown", to(9), _LEVEL),
    ),
    *cases(
        "UpdateFeatures that lowers one",
        Base(make=_lowered),
        (f"{_FEATURE}.max_version_level", "unsupported", to(1), _LEVEL),
        (f"{_FEATURE}.max_version_level", "too low for the metadata", to(_LOWEST_METADATA), _LEVEL),
        (f"{_FEATURE}.feature", "unknown", to("late"), _LEVEL),
    ),
    *(
        case
        for name, make in (
            ("that needs what it lowers", _without_what_it_needs),
            ("that lowers kraft.version", _lowered_kraft_version),
        )
        for case in cases(f"UpdateFeatures {name}", Base(make=make), ("", "", same, _LEVEL))
    ),
    *cases(
        "CreateDelegationToken",
        Base(make=lambda known: _asked(known, CreateDelegationTokenRequest(max_lifetime_ms=-1))),
        ("", "without a secret key", same, (*_NO_TOKENS, ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)),
    ),
    *cases(
        "RenewDelegationToken",
        Base(make=lambda known: _asked(known, RenewDelegationTokenRequest(hmac=b"late", renew_period_ms=1))),
        ("", "without a secret key", same, (*_NO_TOKENS, ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)),
    ),
    *cases(
        "ExpireDelegationToken",
        Base(
            make=lambda known: _asked(
                known, ExpireDelegationTokenRequest(hmac=b"late", expiry_time_period_ms=1)
            )
        ),
        ("", "without a secret key", same, (*_NO_TOKENS, ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)),
    ),
)
