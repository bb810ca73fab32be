"""Random requests that alter and describe configs, access control entries, client quotas and SCRAM credentials.

Brokers are given good values only: a stock controller takes any key and value for them, because its brokers check
before they forward; ours checks for itself. Entries of access control have known types, and what is added to a list or
taken away from it is not null: a stock controller does not refuse either, but fails on it and resigns.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from compat.admin_difference.broker_requests import Build
from compat.admin_difference.draw import BROKERS, mostly, topic
from compat.admin_difference.side import NODE_ID
from kafkaproto.messages import (
    AlterClientQuotasRequest,
    AlterConfigsRequest,
    AlterUserScramCredentialsRequest,
    CreateAclsRequest,
    DeleteAclsRequest,
    DescribeAclsRequest,
    DescribeConfigsRequest,
    IncrementalAlterConfigsRequest,
)

_TOPIC, _BROKER, _BROKER_LOGGER, _CLIENT_METRICS, _GROUP = 2, 4, 8, 16, 32

_CONFIGS: dict[int, tuple[tuple[str, tuple[str, ...]], ...]] = {
    _TOPIC: (
        ("min.insync.replicas", ("1", "2", "3", "0", "x")),
        ("unclean.leader.election.enable", ("true", "false", "maybe")),
        ("cleanup.policy", ("delete", "compact", "delete,compact", "compact,delete", "", "shred")),
        ("retention.ms", ("1000", "-1", "-2", "1.5")),
        ("compression.type", ("zstd", "gzip", "lzma")),
        ("leader.replication.throttled.replicas", ("0:11", "*", "0:11,1:12", "all")),
        ("max.decompressed.message.bytes", ("1000", "0", "-1", "2147483648")),
        ("remote.copy.lag.ms", ("1000", "-1", "-2", "-3")),
        ("remote.copy.lag.bytes", ("1000", "-1", "-2", "-3")),
        ("errors.deadletterqueue.group.enable", ("true", "maybe")),
        ("nonsense", ("1",)),
    ),
    _BROKER: (
        ("min.insync.replicas", ("1", "2")),
        ("log.retention.ms", ("1000",)),
        ("leader.replication.throttled.rate", ("1000",)),
        ("unclean.leader.election.enable", ("true", "false")),
        ("log.cleaner.threads", ("2",)),
        ("log.remote.copy.lag.ms", ("1000",)),
        ("max.decompressed.message.bytes", ("1000",)),
        ("group.streams.assignor.offload.enable", ("false",)),
    ),
    _BROKER_LOGGER: (("kafka.controller", ("INFO", "LOUD")),),
    _CLIENT_METRICS: (
        ("interval.ms", ("60000", "10", "x")),
        ("metrics", ("org.apache.kafka.producer.", "")),
        ("match", ("client_id=a", "b", "nonsense=1")),
        ("nonsense", ("1",)),
    ),
    _GROUP: (
        ("consumer.session.timeout.ms", ("45000", "1", "x")),
        ("consumer.heartbeat.interval.ms", ("5000", "-1")),
        ("share.record.lock.duration.ms", ("30000",)),
        ("errors.deadletterqueue.copy.record.enable", ("true", "maybe")),
        ("errors.deadletterqueue.topic.name", ("dlq.t1", "t1", "", "e f")),
        ("streams.assignor.name", ("sticky", "", "nobody")),
        ("streams.rack.aware.assignment.tags", ("zone", "zone,rack", "", "zone,zone")),
        ("nonsense", ("1",)),
    ),
}


def _resource(rng: random.Random) -> tuple[int, str]:
    kind = mostly(rng, (_TOPIC, _TOPIC, _TOPIC, _BROKER, _CLIENT_METRICS, _GROUP), (_BROKER_LOGGER,), 0.02)
    if kind == _TOPIC:
        return kind, topic(rng)
    if kind == _BROKER:
        return kind, mostly(rng, ("", "", str(NODE_ID), *map(str, BROKERS)), ("77", "-1", "x"), 0.1)
    if kind == _BROKER_LOGGER:
        return kind, rng.choice((str(NODE_ID), "2", ""))
    return kind, mostly(rng, ("g1", "g2"), ("",), 0.08)


def _increment(rng: random.Random) -> Build:
    resources = []
    for _ in range(mostly(rng, (1,), (0, 2), 0.08)):
        kind, name = _resource(rng)
        changes = []
        for key, values in rng.choices(_CONFIGS[kind], k=rng.choice((1, 1, 2, 3))):
            operation = mostly(rng, (0, 0, 0, 1), (2, 3), 0.15)
            changes.append(
                IncrementalAlterConfigsRequest.AlterableConfig(
                    name=key,
                    config_operation=operation,
                    value=mostly(rng, values, (None,), 0.06 if operation < 2 else 0),
                )
            )
        resources.append(
            IncrementalAlterConfigsRequest.AlterConfigsResource(
                resource_type=kind, resource_name=name, configs=changes
            )
        )
    request = IncrementalAlterConfigsRequest(resources=resources, validate_only=rng.random() < 0.1)
    return lambda state: request


def _replace(rng: random.Random) -> Build:
    kind, name = _resource(rng)
    chosen = rng.sample(_CONFIGS[kind], min(len(_CONFIGS[kind]), rng.randrange(3)))
    request = AlterConfigsRequest(
        resources=[
            AlterConfigsRequest.AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[
                    AlterConfigsRequest.AlterableConfig(name=key, value=mostly(rng, values, (None,), 0.04))
                    for key, values in chosen
                ],
            )
        ],
        validate_only=rng.random() < 0.1,
    )
    return lambda state: request


def _describe(rng: random.Random) -> Build:
    kind = rng.choice((_TOPIC, _TOPIC, _GROUP, _CLIENT_METRICS))
    name = topic(rng) if kind == _TOPIC else mostly(rng, ("g1", "g2"), ("",))
    keys = [key for key, _ in rng.sample(_CONFIGS[kind], 2)]
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=rng.choice((None, keys))
    )
    request = DescribeConfigsRequest(resources=[resource], include_synonyms=rng.random() < 0.5)
    return lambda state: request


_RESOURCES = ("t1", "t2", "t", "*")
_HOSTS = ("*", "127.0.0.1", "10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32")
_BAD_HOSTS = (
    "10.0.0.1/8",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0/8",
    "/8",
    "2001:db8::/129",
    "host/8",
    "10.0.0.0/8/8",
)
_PRINCIPALS = ("User:alice", "User:bob", "User:*")


def _create_acls(rng: random.Random) -> Build:
    creations = [
        CreateAclsRequest.AclCreation(
            resource_type=rng.choice((2, 2, 3, 5, 6, 7)),
            resource_name=mostly(rng, _RESOURCES, ("",)),
            resource_pattern_type=rng.choice((3, 3, 4)),
            principal=mostly(rng, _PRINCIPALS, ("alice",)),
            host=mostly(rng, _HOSTS, _BAD_HOSTS),
            operation=rng.choice((2, 3, 4, 5, 8)),
            permission_type=rng.choice((2, 3)),
        )
        for _ in range(mostly(rng, (1, 2), (0,), 0.04))
    ]
    request = CreateAclsRequest(creations=creations)
    return lambda state: request


def _filter(rng: random.Random) -> dict[str, Any]:
    return {
        "resource_type_filter": rng.choice((1, 2, 3, 5)),
        "resource_name_filter": rng.choice((None, None, *_RESOURCES)),
        "pattern_type_filter": rng.choice((1, 2, 3, 4)),
        "principal_filter": rng.choice((None, None, *_PRINCIPALS)),
        "host_filter": mostly(rng, (None, None, None, "*"), ("10.0.0.0/8", "10.0.0.1", *_BAD_HOSTS), 0.2),
        "operation": rng.choice((1, 1, 2, 3)),
        "permission_type": rng.choice((1, 1, 2, 3)),
    }


def _delete_acls(rng: random.Random) -> Build:
    filters = [DeleteAclsRequest.DeleteAclsFilter(**_filter(rng)) for _ in range(rng.choice((1, 1, 2)))]
    request = DeleteAclsRequest(filters=filters)
    return lambda state: request


def _describe_acls(rng: random.Random) -> Build:
    request = DescribeAclsRequest(**_filter(rng))
    return lambda state: request


_ENTITIES: tuple[tuple[tuple[str, str | None], ...], ...] = (
    (("user", "alice"),),
    (("user", None),),
    (("client-id", "c1"),),
    (("client-id", None),),
    (("user", "alice"), ("client-id", "c1")),
    (("user", None), ("client-id", None)),
    (("ip", "10.0.0.1"),),
    (("ip", None),),
)
_BAD_ENTITIES: tuple[tuple[tuple[str, str | None], ...], ...] = (
    (("ip", "10.0.0.1"), ("user", "alice")),
    (("ip", "not an address"),),
    (("colour", "red"),),
    (("user", ""),),
    (),
)


def _alter_quotas(rng: random.Random) -> Build:
    entries = []
    chosen = [mostly(rng, _ENTITIES, _BAD_ENTITIES) for _ in range(mostly(rng, (1,), (0, 2), 0.2))]
    if rng.random() < 0.03:
        chosen.append(chosen[0] if chosen else ())
    for entity in chosen:
        usual = ("connection_creation_rate",) if entity and entity[0][0] == "ip" else ("producer_byte_rate",)
        ops = [
            AlterClientQuotasRequest.OpData(
                key=mostly(
                    rng,
                    usual,
                    (
                        "consumer_byte_rate",
                        "request_percentage",
                        "controller_mutation_rate",
                        "connection_creation_rate",
                        "nonsense",
                    ),
                    0.3,
                ),
                value=mostly(rng, (1000.0, 5.0), (0.0, -1.0, 1.5, 1e20, math.inf, math.nan), 0.2),
                remove=rng.random() < 0.25,
            )
            for _ in range(rng.choice((1, 1, 2)))
        ]
        entries.append(
            AlterClientQuotasRequest.EntryData(
                entity=[
                    AlterClientQuotasRequest.EntityData(entity_type=kind, entity_name=name)
                    for kind, name in entity
                ],
                ops=ops,
            )
        )
    # Of an entity named twice the stock controller carries out the first mention, and says that it did not.
    is_twice = len({*chosen}) < len(chosen)
    request = AlterClientQuotasRequest(entries=entries, validate_only=is_twice or rng.random() < 0.1)
    return lambda state: request


def _alter_scram(rng: random.Random) -> Build:
    users = ("alice", "bob")
    deletions = [
        AlterUserScramCredentialsRequest.ScramCredentialDeletion(
            name=mostly(rng, users, ("",), 0.05), mechanism=mostly(rng, (1, 2), (0, 3), 0.05)
        )
        for _ in range(rng.choice((0, 0, 1)))
    ]
    upsertions = [
        AlterUserScramCredentialsRequest.ScramCredentialUpsertion(
            name=mostly(rng, users, ("",), 0.05),
            mechanism=mostly(rng, (1, 2), (0, 3), 0.05),
            iterations=mostly(rng, (4096, 8192, 16384), (4095, 16385, 0, -1), 0.1),
            salt=b"salt",
            salted_password=b"p" * 32,
        )
        for _ in range(rng.choice((0, 1, 1, 2)))
    ]
    request = AlterUserScramCredentialsRequest(deletions=deletions, upsertions=upsertions)
    return lambda state: request


REQUESTS: tuple[tuple[int, Callable[[random.Random], Build]], ...] = (
    (12, _increment),
    (3, _replace),
    (4, _describe),
    (5, _create_acls),
    (3, _delete_acls),
    (3, _describe_acls),
    (5, _alter_quotas),
    (4, _alter_scram),
)
"""Weight and maker of each kind."""
