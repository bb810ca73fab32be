"""The configuration keys that Apache Kafka 4.3.1 knows, read from the JSON files beside this module.

A file holds one kind of resource, one key a line: name, type, default, valid values, whether it can change at
run time, and which keys of the broker stand behind it. The facts were read from a stock node's
DescribeConfigs answers and key definitions. Where stock refuses more at start-up than its key definition says
(``log.roll.ms=0``), the stricter bound stands here, so that one check serves start-up and changes at run time
alike.

A file is read when the first of its keys is asked for, and a definition is made when it is asked for: a start
needs a few dozen of the broker's 363.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kafkaproto_server.config_keys.model import ConfigDefinition, ConfigType, Dynamic

EXTENSIONS: Mapping[str, Mapping[str, Any]] = {
    "broker.death.proof.enable": {"type": "boolean", "default": "true", "internal": True},
    "http.listener": {"type": "string", "internal": True},
}
"""Keys of a broker's properties that are ours: stock takes any unknown key with a warning."""
AUTHORIZER_KEYS: Mapping[str, Mapping[str, Any]] = {
    "allow.everyone.if.no.acl.found": {"type": "boolean", "default": "false", "internal": True},
    "super.users": {"type": "string", "default": "", "format": "super-users", "internal": True},
}
"""Keys that Kafka's StandardAuthorizer reads. Kafka's nodes pass them on without knowing them, so they show them
as keys that nobody knows, without their values; so do we."""

_LISTENER_PREFIX = re.compile(r"listener\.name\.[^.]*\.(.+)")
_MECHANISM_KEYS = (
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.class",
    "sasl.server.callback.handler.class",
    "connections.max.reauth.ms",
)
"""Keys that a listener may set for one SASL mechanism, as ``listener.name.NAME.MECHANISM.KEY``."""
CLUSTER_WIDE_LISTENER_KEYS = ("max.connections", "max.connection.creation.rate", "num.network.threads")
"""Keys that all brokers may have for one listener; others with a listener's prefix are a broker's own."""


class Definitions(Mapping[str, ConfigDefinition]):
    """The keys of one kind of resource, in order of their names."""

    def __init__(self, file_name: str, extensions: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._file_name = file_name
        self._extensions = extensions or {}
        self._made: dict[str, ConfigDefinition] = {}

    def __getitem__(self, name: str) -> ConfigDefinition:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = _definition(name, self._facts[name])
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def is_internal(self, name: str) -> bool:
        """Whether the key is shown only where it was set."""
        return bool(self._facts[name].get("internal", False))

    @functools.cached_property
    def _facts(self) -> Mapping[str, Mapping[str, Any]]:
        text = importlib.resources.files(__package__).joinpath(self._file_name).read_text("utf-8")
        return {**json.loads(text), **self._extensions}


def _definition(name: str, facts: Mapping[str, Any]) -> ConfigDefinition:
    return ConfigDefinition(
        name=name,
        type=ConfigType[facts["type"].upper()],
        default=facts.get("default"),
        required=facts.get("required", False),
        minimum=facts.get("min"),
        maximum=facts.get("max"),
        besides=facts.get("besides"),
        allowed=tuple(facts.get("allowed", ())),
        ignore_case=facts.get("ignore_case", False),
        not_empty=facts.get("not_empty", False),
        format=facts.get("format"),
        dynamic=Dynamic(facts["dynamic"]) if "dynamic" in facts else None,
        alternatives=tuple(facts.get("alternatives", (name,))),
        synonyms=tuple(facts.get("synonyms", {}).items()),
    )


BROKER_KEYS = Definitions("broker.json", {**EXTENSIONS, **AUTHORIZER_KEYS})
TOPIC_KEYS = Definitions("topic.json")
GROUP_KEYS = Definitions("group.json")
CLIENT_METRICS_KEYS = Definitions("client_metrics.json")


def base_of_listener_key(name: str) -> str | None:
    """The key behind ``listener.name.NAME.KEY``, None for a key without such a prefix.

    A SASL mechanism between the two is left out as well.
    """
    matched = _LISTENER_PREFIX.fullmatch(name)
    if matched is None:
        return None
    rest = matched.group(1)
    for key in _MECHANISM_KEYS:
        if rest.endswith("." + key):
            return key
    return rest


def broker_key(name: str) -> ConfigDefinition | None:
    """The definition behind a broker's key, with or without a listener's prefix; None for an unknown one."""
    found = BROKER_KEYS.get(name)
    if found is None:
        base = base_of_listener_key(name)
        found = None if base is None else BROKER_KEYS.get(base)
    return found
