"""Whether the value of a config may be shown. As in Kafka, the values of passwords and of unknown keys are not
shown."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.config.keys.definitions import (
    BROKER_KEYS,
    CLIENT_METRICS_KEYS,
    GROUP_KEYS,
    TOPIC_KEYS,
    Definitions,
    broker_key,
)

_BROKER = 4
_BY_RESOURCE: Mapping[int, Definitions] = {
    2: TOPIC_KEYS,
    _BROKER: BROKER_KEYS,
    16: CLIENT_METRICS_KEYS,
    32: GROUP_KEYS,
}
"""By Kafka's number of the resource type."""


def is_sensitive(resource_type: int, name: str) -> bool:
    """Whether a value of a resource's key is a secret, or may be one."""
    keys = _BY_RESOURCE.get(resource_type)
    definition = broker_key(name) if resource_type == _BROKER else None if keys is None else keys.get(name)
    return definition is None or definition.is_sensitive


def plain_keys(resource_type: int) -> frozenset[str]:
    """The keys of a resource type whose values may be shown, without keys for single listeners."""
    return frozenset(name for name in _BY_RESOURCE[resource_type] if not is_sensitive(resource_type, name))
