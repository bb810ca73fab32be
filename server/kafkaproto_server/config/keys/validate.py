"""Checks the values that may be set on a topic and, at run time, on brokers.

A controller of Apache Kafka checks the values of topics, but accepts any value for brokers, which then log errors.
"""

from __future__ import annotations

from kafkaproto_server.config.keys.definitions import (
    BROKER_KEYS,
    CLUSTER_WIDE_LISTENER_KEYS,
    TOPIC_KEYS,
    base_of_listener_key,
    broker_key,
)
from kafkaproto_server.config.keys.lists import has_repeated
from kafkaproto_server.config.keys.model import ConfigType, Dynamic

PER_LISTENER_KEYS = frozenset(
    (
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    )
)
"""Keys of a broker's file that can change at run time only with a listener's prefix."""
_POSITIVE_AT_RUN_TIME = ("max.connections", "max.connection.creation.rate")
"""Keys that may be 0 in a broker's file, but not at run time."""


def validate_topic_config(name: str, value: str) -> str | None:
    """Why the value is not valid for a topic (the error is INVALID_CONFIG); None if it is."""
    definition = TOPIC_KEYS.get(name)
    if definition is None:
        return f"Unknown topic config name: {name!r}"
    problem = definition.problem_with(value)
    return None if problem is None else f"{name}={value!r} {problem}"


def validate_broker_config(name: str, value: str, *, cluster_default: bool) -> str | None:
    """Why the value cannot be set at run time; None if it can.

    ``cluster_default`` distinguishes a value for all brokers (the resource with the empty name) from a value for one
    broker. Unknown keys are accepted, as they may belong to a plug-in; their values are never shown.
    """
    definition = broker_key(name)
    if definition is None:
        return None
    if name in PER_LISTENER_KEYS:
        return f"{name} can only be set for one listener at run time, as listener.name.NAME.{name}"
    if name in BROKER_KEYS:
        if definition.dynamic is None:
            return f"{name} is read only: change it in the properties of the broker and restart that"
        own_only = definition.dynamic is Dynamic.PER_BROKER
    else:
        own_only = base_of_listener_key(name) not in CLUSTER_WIDE_LISTENER_KEYS
    if cluster_default and own_only:
        return f"{name} can only be set for one broker, not as the default of all"
    problem = definition.problem_with(value)
    # A broker's file may have an entry twice, and then it counts once.
    if (
        problem is None
        and definition.type is ConfigType.LIST
        and not definition.doubles
        and has_repeated(value)
    ):
        problem = "must not have an entry twice"
    if problem is None and definition.name in _POSITIVE_AT_RUN_TIME and definition.parse(value) == 0:
        problem = "must be 1 or more at run time"
    return None if problem is None else f"{name}={value!r} {problem}"
