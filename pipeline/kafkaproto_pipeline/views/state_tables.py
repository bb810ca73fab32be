"""The rows of the views of `STATE_TABLES`: the tables of the state, made of an image.

The job ``state`` makes the same tables with Spark. Here one process has the image that the controllers' own replay
makes, and writes down what it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto import uuids
from kafkaproto_pipeline.views.schema import STATE_TABLES, arrow_schema
from kafkaproto_pipeline.views.secrecy import REDACTED, SECRET_COLUMNS, is_sensitive
from kafkaproto_pipeline.views.words import (
    ACL_WORDS,
    CONFIG_RESOURCES,
    LAST_TIME_MS,
    RECOVERY_STATES,
    SCRAM_MECHANISMS,
    SECURITY_PROTOCOLS,
    word_for,
)
from kafkaproto_server.metadata.image.image import ClusterImage

MAX_ROWS = 1 << 16
"""Most rows of a record batch."""

Row = tuple[Any, ...]
"""A value for each column of the view."""


def table_batches(
    view: str, image: ClusterImage, columns: tuple[str, ...], *, shows_secrets: bool
) -> Iterator[pa.RecordBatch]:
    """The rows of a view, with the columns that are wanted."""
    schema = arrow_schema(view)
    hidden = () if shows_secrets else SECRET_COLUMNS.get(view, ())
    rows = _ROWS[view](image)
    if view == "configs" and not shows_secrets:
        rows = _plain_configs(image)
    while batch := _taken(rows):
        made = pa.RecordBatch.from_arrays(
            [
                pa.array(values if name not in hidden else _hidden(values), schema.field(name).type)
                for name, values in zip(schema.names, zip(*batch, strict=True), strict=True)
            ],
            schema=schema,
        )
        yield made.select(list(columns))


def _taken(rows: Iterator[Row]) -> list[Row]:
    return [row for _, row in zip(range(MAX_ROWS), rows, strict=False)]


def _hidden(values: Row) -> list[Any]:
    return [REDACTED if isinstance(value, str) else None for value in values]


def _topics(image: ClusterImage) -> Iterator[Row]:
    for topic in image.topics_in_order():
        yield topic.name, uuids.to_text(topic.topic_id)


def _partitions(image: ClusterImage) -> Iterator[Row]:
    for topic in image.topics_in_order():
        topic_id = uuids.to_text(topic.topic_id)
        for index, each in topic.partitions_in_order():
            yield (
                *(topic.name, topic_id, index, each.replicas, [*map(uuids.to_text, each.directories)]),
                *(each.isr, each.removing_replicas, each.adding_replicas, each.leader),
                *(word_for(each.leader_recovery_state, RECOVERY_STATES), each.leader_epoch),
                each.partition_epoch,
                *(each.elr, each.last_known_elr),
            )


def _brokers(image: ClusterImage) -> Iterator[Row]:
    for each in image.brokers_in_order():
        cordoned = each.cordoned_directories
        yield (
            *(each.broker_id, uuids.to_text(each.incarnation_id), each.epoch),
            *(_endpoints(each.endpoints), _feature_ranges(each.features), each.rack),
            *(each.fenced, each.in_controlled_shutdown, sorted(map(uuids.to_text, each.directories))),
            None if cordoned is None else sorted(map(uuids.to_text, cordoned)),
            each.is_migrating_zk_broker,
        )


def _controllers(image: ClusterImage) -> Iterator[Row]:
    for controller_id in sorted(image.controllers):
        each = image.controllers[controller_id]
        yield (
            *(controller_id, uuids.to_text(each.incarnation_id), each.zk_migration_ready),
            *(_endpoints(each.endpoints), _feature_ranges(each.features)),
        )


def _endpoints(endpoints: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "host": each.host,
            "port": each.port,
            "securityProtocol": word_for(each.security_protocol, SECURITY_PROTOCOLS),
        }
        for each in endpoints
    ]


def _feature_ranges(features: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "minSupportedVersion": each.min_level,
            "maxSupportedVersion": each.max_level,
        }
        for each in features
    ]


def _configs(image: ClusterImage) -> Iterator[Row]:
    for resource_type, resource_name in sorted(image.configs):
        for key, value in sorted(image.configs[(resource_type, resource_name)].items()):
            yield word_for(resource_type, CONFIG_RESOURCES), resource_name, key, value


def _plain_configs(image: ClusterImage) -> Iterator[Row]:
    """The configs without values that are secret, or may be."""
    numbers = {word: number for number, word in CONFIG_RESOURCES.items()}
    for resource, name, key, value in _configs(image):
        yield resource, name, key, REDACTED if is_sensitive(numbers.get(resource, 0), key) else value


def _acls(image: ClusterImage) -> Iterator[Row]:
    for acl_id in sorted(image.acls):
        each = image.acls[acl_id]
        yield (
            uuids.to_text(acl_id),
            word_for(each.resource_type, ACL_WORDS["resourceType"]),
            each.resource_name,
            word_for(each.pattern_type, ACL_WORDS["patternType"]),
            each.principal,
            each.host,
            word_for(each.operation, ACL_WORDS["operation"]),
            word_for(each.permission_type, ACL_WORDS["permissionType"]),
        )


def _features(image: ClusterImage) -> Iterator[Row]:
    yield from sorted(image.features.items())


def _quotas(image: ClusterImage) -> Iterator[Row]:
    for entity, values in image.client_quotas.items():
        parts = [{"entityType": kind, "entityName": name} for kind, name in entity]
        for key, value in sorted(values.items()):
            yield parts, key, value


def _scram_credentials(image: ClusterImage) -> Iterator[Row]:
    for mechanism, user in sorted(image.scram_credentials):
        each = image.scram_credentials[(mechanism, user)]
        word = word_for(mechanism, SCRAM_MECHANISMS)
        yield user, word, each.salt, each.stored_key, each.server_key, each.iterations


def _delegation_tokens(image: ClusterImage) -> Iterator[Row]:
    for token_id in sorted(image.delegation_tokens):
        each = image.delegation_tokens[token_id]
        times = (each.issue_timestamp_ms, each.max_timestamp_ms, each.expiration_timestamp_ms)
        yield each.owner, each.requester, each.renewers, *map(_microseconds, times), token_id


def _microseconds(time_ms: int) -> int | None:
    return time_ms * 1000 if time_ms <= LAST_TIME_MS else None


def _producer_ids(image: ClusterImage) -> Iterator[Row]:
    if image.next_producer_id > 0:
        yield (image.next_producer_id,)


_ROWS: Mapping[str, Callable[[ClusterImage], Iterator[Row]]] = {
    "topics": _topics,
    "partitions": _partitions,
    "brokers": _brokers,
    "controllers": _controllers,
    "configs": _configs,
    "acls": _acls,
    "features": _features,
    "quotas": _quotas,
    "scram_credentials": _scram_credentials,
    "delegation_tokens": _delegation_tokens,
    "producer_ids": _producer_ids,
}
assert _ROWS.keys() == STATE_TABLES.keys()
