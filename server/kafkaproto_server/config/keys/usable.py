"""What a node uses of configs in the metadata log that this release does not allow.

An older release, or another server, may have allowed them, and records can be written by other ways than a request.
Such a config never stops a node: instead of a value beyond a limit the nearest allowed value is used, a value that is
not of the key's type counts as not set, and so does a key that nobody knows. Apache Kafka's broker ends if it finds
such a value while it starts.

DescribeConfigs shows a topic's or group's value as it was set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kafkaproto_server.config.keys.definitions import broker_key
from kafkaproto_server.config.keys.model import ConfigDefinition
from kafkaproto_server.config.keys.validate import validate_broker_config


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """A config that cannot be used as it was set."""

    name: str
    reason: str
    """With its value, unless that may be a secret."""
    used: str | None = None
    """What is used instead; None if the key counts as not set."""

    def describe(self) -> str:
        return f"{self.reason}; {'it is not used' if self.used is None else f'{self.used} is used'}"


_MAX_SHOWN = 200


def usable(
    definitions: Mapping[str, ConfigDefinition], own: Mapping[str, str]
) -> tuple[Mapping[str, str], tuple[Unusable, ...]]:
    """What a topic, group or the like sets, as it can be used and in the form of its type, and what is not used as it
    was set."""
    found: dict[str, str] = {}
    unusable = []
    for name in sorted(own):
        definition, value = definitions.get(name), own[name]
        if definition is None:
            unusable.append(Unusable(name=name, reason=f"{name} is no key of this release"))
            continue
        problem = definition.problem_with(value)
        used = definition.canonical(value) if problem is None else definition.nearest(value)
        if used is not None:
            found[name] = used
        if problem is not None:
            reason = f"{name}={value[:_MAX_SHOWN]!r} {problem}"
            unusable.append(Unusable(name=name, reason=reason, used=used))
    return found, tuple(unusable)


def usable_by_brokers(
    values: Mapping[str, str], *, cluster_default: bool
) -> tuple[dict[str, str], tuple[Unusable, ...]]:
    """The same for what the metadata sets for all brokers, or for one."""
    found: dict[str, str] = {}
    unusable = []
    for name in sorted(values):
        value = values[name]
        reason = validate_broker_config(name, value, cluster_default=cluster_default)
        if reason is None:
            found[name] = value
            continue
        definition = broker_key(name)
        assert definition is not None, "unknown keys are accepted"
        used = definition.nearest(value)
        if used is not None and validate_broker_config(name, used, cluster_default=cluster_default) is None:
            found[name] = used
        else:
            used = None
        if definition.is_sensitive:
            reason = f"the value of {name} is not allowed"
        unusable.append(Unusable(name=name, reason=reason, used=used))
    return found, tuple(unusable)
