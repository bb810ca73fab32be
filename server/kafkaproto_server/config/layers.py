"""The configuration of one node in layers, and its entries as clients see them.

The layers, the strongest first: the cluster metadata's values for this broker, its values for all brokers, the node's
own properties, the defaults. A topic or group has values of its own above them. For each key it inherits from the
broker keys that the key's definition names.

The source of a value follows Apache Kafka 4.4.0, quirks included, since tools compare it:

- Some keys set the same thing in several units (``log.retention.ms``, ``.minutes``, ``.hours``). The synonyms of one of
  them begin where the key itself is set, or are empty. So if a topic's ``retention.ms`` comes from
  ``log.retention.hours``, it has the right value, but the source DEFAULT and no synonyms.
- A broker's internal keys are shown only if they are set, and as they were written. A group's internal key is shown
  if the group or the broker sets it.
- CreateTopics does not have this quirk, and shows values as they were written; DescribeConfigs shows them in the form
  of their type.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kafkaproto_server.config.keys.definitions import (
    AUTHORIZER_KEYS,
    BROKER_KEYS,
    CLIENT_METRICS_KEYS,
    GROUP_KEYS,
    TOPIC_KEYS,
    Definitions,
    base_of_listener_key,
    broker_key,
)
from kafkaproto_server.config.keys.model import ConfigDefinition, ConfigType
from kafkaproto_server.config.keys.usable import usable, usable_by_brokers
from kafkaproto_server.config.keys.validate import validate_topic_config

_TIERED_STORAGE = "remote.log.storage.system.enable"


class ConfigSource(enum.IntEnum):
    """The source of a value, with its number in DescribeConfigs responses."""

    DYNAMIC_TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    DYNAMIC_BROKER_LOGGER = 6
    CLIENT_METRICS = 7
    GROUP = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSynonym:
    """A key and layer that sets, or would set, an entry's value."""

    name: str
    value: str | None
    """None if it is not shown."""
    source: ConfigSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    """One key of a resource, with its value in effect."""

    name: str
    value: str | None
    """None if there is no value, or if it is not shown."""
    source: ConfigSource
    definition: ConfigDefinition | None
    """None for an unknown key."""
    is_read_only: bool = False
    synonyms: tuple[ConfigSynonym, ...] = ()
    """The strongest first."""

    @property
    def type(self) -> ConfigType:
        """The type of the value."""
        return ConfigType.UNKNOWN if self.definition is None else self.definition.type

    @property
    def is_sensitive(self) -> bool:
        """Whether the value is never shown. The value of an unknown key may be a secret."""
        return self.definition is None or self.definition.is_sensitive


class NodeConfigs:
    """The configuration of one node at one moment."""

    def __init__(
        self,
        *,
        static: Mapping[str, str],
        dynamic_default: Mapping[str, str] | None = None,
        dynamic_broker: Mapping[str, str] | None = None,
    ) -> None:
        """``static`` are the node's properties; the other two are the metadata's values for all brokers and for this
        one.

        Of a value of the metadata that is not valid for brokers the nearest one that is valid counts, and none if
        there is none, or if the key is not for that layer (`config.keys.usable`).
        """
        of_broker, unusable = usable_by_brokers(dynamic_broker or {}, cluster_default=False)
        of_all, unusable_by_all = usable_by_brokers(dynamic_default or {}, cluster_default=True)
        self.unusable = (*unusable, *unusable_by_all)
        """What the metadata sets for this broker, or for all, and this node cannot use."""
        self._layers = (
            (ConfigSource.DYNAMIC_BROKER, of_broker),
            (ConfigSource.DYNAMIC_DEFAULT_BROKER, of_all),
            (ConfigSource.STATIC_BROKER, dict(static)),
        )
        # What topics inherit, as it was asked for: as entries, and parsed.
        self._inherited_topic_configs: dict[str, ConfigEntry] = {}
        self._inherited_topic_values: dict[str, Any] = {}
        self._merged: dict[str, str] = {}
        for _, values in reversed(self._layers):
            # A value on a stronger layer replaces all values of weaker layers for the same thing, in any unit.
            for name in values:
                for alternative in _alternatives(name, with_base=False):
                    self._merged.pop(alternative, None)
            self._merged.update(values)

    def value_of(self, name: str) -> str | None:
        """The value of a broker key in effect, as it was written; else its default; else None."""
        if name in self._merged:
            return self._merged[name]
        definition = BROKER_KEYS.get(name)
        return None if definition is None else definition.default

    @property
    def values(self) -> Mapping[str, str]:
        """All keys that any layer sets, with their values in effect, as they were written."""
        return self._merged

    def is_set(self, name: str) -> bool:
        """Whether any layer sets the broker key."""
        return name in self._merged

    def broker_entries(self) -> tuple[ConfigEntry, ...]:
        """All keys of this broker or controller, by name: the public ones, and all others that are set."""
        return tuple(self._broker_entry(name) for name in _shown(BROKER_KEYS, self._merged))

    def default_entries(self) -> tuple[ConfigEntry, ...]:
        """The keys that the metadata sets for all brokers, by name."""
        source, values = self._layers[1]
        entries = []
        for name in sorted(values):
            definition = _shown_definition(name)
            value = None if _is_sensitive(definition) else values[name]
            synonym = ConfigSynonym(name=name, value=value, source=source)
            entries.append(_entry(name, definition, value, (synonym,), read_only=_is_read_only(name)))
        return tuple(entries)

    def topic_entries(self, own: Mapping[str, str]) -> tuple[ConfigEntry, ...]:
        """All keys of a topic that sets the values in ``own``, as DescribeConfigs shows them, by name."""
        return tuple(
            self._derived_entry(name, TOPIC_KEYS[name], own, ConfigSource.DYNAMIC_TOPIC)
            for name in _shown(TOPIC_KEYS, _known(TOPIC_KEYS, own))
        )

    def group_entries(self, own: Mapping[str, str]) -> tuple[ConfigEntry, ...]:
        """All keys of a group that sets the values in ``own``, by name."""
        return tuple(
            self._derived_entry(name, GROUP_KEYS[name], own, ConfigSource.GROUP, show_default=True)
            for name in _shown(GROUP_KEYS, {*_known(GROUP_KEYS, own), *self._set_for_groups()})
        )

    def _set_for_groups(self) -> Iterator[str]:
        for name, definition in GROUP_KEYS.items():
            if any(self.is_set(key) for key, _ in definition.synonyms):
                yield name

    def client_metrics_entries(self, own: Mapping[str, str]) -> tuple[ConfigEntry, ...]:
        """All keys of a client metrics subscription that sets the values in ``own``, by name."""
        return tuple(
            self._derived_entry(name, CLIENT_METRICS_KEYS[name], own, ConfigSource.CLIENT_METRICS)
            for name in _shown(CLIENT_METRICS_KEYS, _known(CLIENT_METRICS_KEYS, own))
        )

    def effective_topic_configs(self, own: Mapping[str, str]) -> tuple[ConfigEntry, ...]:
        """All keys of a topic that sets the values in ``own``, as CreateTopics shows them, by name."""
        return tuple(self.effective_topic_config(name, own) for name in _shown(TOPIC_KEYS, own))

    def topic_value(self, name: str, own: Mapping[str, str]) -> str:
        """The value of a topic's key that has a default, as a node uses it, for a topic that sets the values in
        ``own``."""
        found = self.effective_topic_config(name, usable(TOPIC_KEYS, own)[0] if own else own).value
        assert found is not None, f"{name} has a default"
        return found

    def effective_topic_config(self, name: str, own: Mapping[str, str]) -> ConfigEntry:
        """One key of a topic that sets the values in ``own``. Raises KeyError for a key that topics do not have."""
        if name in own:
            return ConfigEntry(
                name=name,
                value=own[name],
                source=ConfigSource.DYNAMIC_TOPIC,
                definition=TOPIC_KEYS.get(name),
            )
        inherited = self._inherited_topic_configs.get(name)
        if inherited is None:
            # Once a configuration and not once a topic: a new topic asks for some twenty-five keys, and each would walk
            # over all layers and synonyms.
            inherited = self._inherited_topic_configs[name] = self._inherited_topic_config(name)
        return inherited

    def _inherited_topic_config(self, name: str) -> ConfigEntry:
        """One key of a topic that does not set it. Raises KeyError for a key that topics do not have."""
        definition = TOPIC_KEYS[name]
        value, source = definition.default, ConfigSource.DEFAULT
        for layer, values in self._layers:
            found = [(values[key], factor) for key, factor in definition.synonyms if key in values]
            if found:
                # The first one counts if a layer sets several: milliseconds before minutes before hours.
                value, source = _in_unit(*found[0]), layer
                break
        return ConfigEntry(name=name, value=value, source=source, definition=definition)

    def validate_topic(self, own: Mapping[str, str]) -> str | None:
        """Why a topic cannot set these values (the error is INVALID_CONFIG); None if it can."""
        for name in sorted(own):
            problem = validate_topic_config(name, own[name])
            if problem is not None:
                return problem
        shortest = self._topic_value("min.compaction.lag.ms", own)
        longest = self._topic_value("max.compaction.lag.ms", own)
        if shortest > longest:
            return f"min.compaction.lag.ms={shortest} must not be more than max.compaction.lag.ms={longest}"
        if self._topic_value("remote.storage.enable", own):
            tiered = BROKER_KEYS[_TIERED_STORAGE].parse(self.value_of(_TIERED_STORAGE) or "false")
            if not tiered:
                return f"remote.storage.enable=true needs brokers with {_TIERED_STORAGE}=true"
        return None

    def _topic_value(self, name: str, own: Mapping[str, str]) -> Any:
        if name in own:
            return TOPIC_KEYS[name].parse(own[name])
        if name not in self._inherited_topic_values:
            text = self._inherited(TOPIC_KEYS[name])
            assert text is not None, f"{name} has no default"
            self._inherited_topic_values[name] = TOPIC_KEYS[name].parse(text)
        return self._inherited_topic_values[name]

    def _broker_entry(self, name: str) -> ConfigEntry:
        definition = _shown_definition(name)
        text = self.value_of(name)
        value = None if definition is None else text
        if text is not None and definition is not None and not _is_internal(name):
            value = definition.canonical(text)
        return _entry(name, definition, value, self._synonyms_of(name), read_only=_is_read_only(name))

    def _derived_entry(
        self,
        name: str,
        definition: ConfigDefinition,
        own: Mapping[str, str],
        own_source: ConfigSource,
        *,
        show_default: bool = False,
    ) -> ConfigEntry:
        """An entry of a resource that inherits from the broker.

        ``show_default`` lists the default among the synonyms if the key inherits from no broker key.
        """
        synonyms: tuple[ConfigSynonym, ...] = ()
        value = self._inherited(definition)
        if definition.synonyms:
            synonyms = self._synonyms_of(definition.synonyms[0][0])
        elif show_default and value is not None:
            synonyms = (ConfigSynonym(name=name, value=value, source=ConfigSource.DEFAULT),)
        if name in own:
            value = definition.canonical(own[name])
            synonyms = (ConfigSynonym(name=name, value=value, source=own_source), *synonyms)
        return _entry(name, definition, value, synonyms, read_only=False)

    def _inherited(self, definition: ConfigDefinition) -> str | None:
        for key, factor in definition.synonyms:
            text = self.value_of(key)
            if text is None:
                continue
            entries = BROKER_KEYS[key].parse(text)
            if isinstance(entries, tuple) and definition.type is not ConfigType.LIST:
                # A group uses the first of the brokers' assignors.
                return entries[0]
            return definition.canonical(_in_unit(text, factor))
        return definition.default

    def _synonyms_of(self, name: str) -> tuple[ConfigSynonym, ...]:
        """The keys that set, or would set, a broker key, starting with the first entry under its own name."""
        sensitive = _is_sensitive(_shown_definition(name))
        alternatives = _alternatives(name, with_base=True)
        found = [
            ConfigSynonym(name=key, value=None if sensitive else values[key], source=source)
            for source, values in self._layers
            for key in alternatives
            if key in values
        ]
        for key in alternatives:
            definition = _shown_definition(key) if key in BROKER_KEYS else None
            if definition is not None and definition.default is not None:
                found.append(ConfigSynonym(name=key, value=definition.default, source=ConfigSource.DEFAULT))
        for position, synonym in enumerate(found):
            if synonym.name == name:
                return tuple(found[position:])
        return ()


def _alternatives(name: str, *, with_base: bool) -> tuple[str, ...]:
    """The keys that set the same thing. ``with_base`` adds the key of all listeners to the key of one listener."""
    definition = BROKER_KEYS.get(name)
    if definition is not None:
        return definition.alternatives
    base = base_of_listener_key(name)
    return (name,) if base is None or not with_base else (name, base)


def _known(definitions: Definitions, own: Iterable[str]) -> list[str]:
    """As in Apache Kafka, keys of another release are not shown, except a broker's."""
    return [name for name in own if name in definitions]


def _shown(definitions: Definitions, own: Iterable[str]) -> list[str]:
    public = {name for name in definitions if not definitions.is_internal(name)}
    return sorted(public.union(own))


def _shown_definition(broker_name: str) -> ConfigDefinition | None:
    """The definition that an entry of a broker key shows. As in Apache Kafka, it is None for keys that only the
    authorizer knows."""
    return None if broker_name in AUTHORIZER_KEYS else broker_key(broker_name)


def _is_sensitive(definition: ConfigDefinition | None) -> bool:
    """Whether a value is not shown. The value of an unknown key may be a secret."""
    return definition is None or definition.is_sensitive


def _is_read_only(broker_name: str) -> bool:
    definition = BROKER_KEYS.get(broker_name)
    return definition is None or definition.dynamic is None


def _is_internal(broker_name: str) -> bool:
    return broker_name in BROKER_KEYS and BROKER_KEYS.is_internal(broker_name)


def _in_unit(text: str, factor: int) -> str:
    """A broker's value in the unit of a topic's key. "No limit" stays -1."""
    if factor == 1:
        return text
    number = int(text)
    return str(number * factor) if number >= 0 else "-1"


def _entry(
    name: str,
    definition: ConfigDefinition | None,
    value: str | None,
    synonyms: tuple[ConfigSynonym, ...],
    *,
    read_only: bool,
) -> ConfigEntry:
    return ConfigEntry(
        name=name,
        value=None if _is_sensitive(definition) else value,
        source=synonyms[0].source if synonyms else ConfigSource.DEFAULT,
        definition=definition,
        is_read_only=read_only,
        synonyms=synonyms,
    )
