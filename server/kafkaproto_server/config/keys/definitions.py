"""The configuration keys of Apache Kafka 4.4.0, read from the JSON files beside this module.

Each file describes one kind of resource, one key per line: name, type, default, valid values, whether it can change at
run time, and which broker keys provide its default. The facts come from the DescribeConfigs responses and the key
definitions of an Apache Kafka node. In some cases Apache Kafka refuses more values at start-up than its key definition
says (``log.roll.ms=0``). Then the file has the stricter bound, so that one check serves both start-up and changes at
run time.

A file is read when one of its keys is first needed. A definition is made when it is first needed: a start needs a few
dozen of the broker's 382.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kafkaproto_server.config.keys.model import ConfigDefinition, ConfigType, Dynamic

EXTENSIONS: Mapping[str, Mapping[str, Any]] = {
    "broker.death.proof.enable": {"type": "boolean", "default": "true", "internal": True},
    "http.listener": {"type": "string", "internal": True},
}
"""Keys of a broker's properties that only this server has. Apache Kafka accepts any unknown key with a warning."""
AUTHORIZER_KEYS: Mapping[str, Mapping[str, Any]] = {
    "allow.everyone.if.no.acl.found": {"type": "boolean", "default": "false", "internal": True},
    "super.users": {"type": "string", "default": "", "format": "super-users", "internal": True},
}
"""Keys that Kafka's StandardAuthorizer reads. Kafka's nodes pass them to it without a definition of their own, so they
show them like unknown keys, without values. This server does the same."""

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
"""Keys with a listener's prefix that may be set for all brokers. Other keys with such a prefix are set for one
broker."""


class Definitions(Mapping[str, ConfigDefinition]):
    """The keys of one kind of resource, in order of their names."""

    def __init__(self, kind: str, extensions: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._kind = kind
        self._extensions = extensions or {}
        self._made: dict[str, ConfigDefinition] = {}

    def __getitem__(self, name: str) -> ConfigDefinition:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = _definition(name, self._kind, self._facts[name])
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def is_internal(self, name: str) -> bool:
        """Whether the key is shown only if it was set."""
        return bool(self._facts[name].get("internal", False))

    @functools.cached_property
    def _facts(self) -> Mapping[str, Mapping[str, Any]]:
        text = importlib.resources.files(__package__).joinpath(f"{self._kind}.json").read_text("utf-8")
        return {**json.loads(text), **self._extensions}


def _definition(name: str, kind: str, facts: Mapping[str, Any]) -> ConfigDefinition:
    return ConfigDefinition(
        name=name,
        kind=kind,
        type=ConfigType[facts["type"].upper()],
        default=facts.get("default"),
        required=facts.get("required", False),
        minimum=facts.get("min"),
        maximum=facts.get("max"),
        besides=facts.get("besides"),
        allowed=tuple(facts.get("allowed", ())),
        ignore_case=facts.get("ignore_case", False),
        not_empty=facts.get("not_empty", False),
        doubles=facts.get("doubles", False),
        blanks=facts.get("blanks", False),
        format=facts.get("format"),
        dynamic=Dynamic(facts["dynamic"]) if "dynamic" in facts else None,
        alternatives=tuple(facts.get("alternatives", (name,))),
        synonyms=tuple(facts.get("synonyms", {}).items()),
    )


BROKER_KEYS = Definitions("broker", {**EXTENSIONS, **AUTHORIZER_KEYS})
TOPIC_KEYS = Definitions("topic")
GROUP_KEYS = Definitions("group")
CLIENT_METRICS_KEYS = Definitions("client_metrics")


def base_of_listener_key(name: str) -> str | None:
    """The key in ``listener.name.NAME.KEY``; None for a key without such a prefix.

    A SASL mechanism between the two is removed as well.
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
    """The definition of a broker key, with or without a listener's prefix; None for an unknown key."""
    found = BROKER_KEYS.get(name)
    if found is None:
        base = base_of_listener_key(name)
        found = None if base is None else BROKER_KEYS.get(base)
    return found
