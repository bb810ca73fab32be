"""Settings as data: which configs of a node fill which fields of a part's settings.

A part of the broker declares a struct of its settings and one table, which names the key for each field. The type of
the field says how the key's value is read. `CurrentSettings` makes the struct once for each state of the configs, so
that a request asks for its settings once, and no request looks for a key.

    TRANSACTIONS = SettingsTable(
        TransactionConfig,
        {"max_timeout_ms": "transaction.max.timeout.ms"},
    )
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from kafkaproto_server.config.layers import NodeConfigs

Settings = TypeVar("Settings", bound=msgspec.Struct)


def entries_of(text: str) -> tuple[str, ...]:
    """The entries of a list's value, without spaces around them and without those that are empty."""
    return tuple(each for each in (part.strip() for part in text.split(",")) if each)


def is_true(text: str) -> bool:
    """Whether the value of a boolean is true. Configs that are in effect have no third value."""
    return text.strip().lower() == "true"


_READERS: Final[Mapping[Any, Callable[[str], Any]]] = {
    int: int,
    bool: is_true,
    str: str,
    float: float,
    tuple[str, ...]: entries_of,
}


class Derived(NamedTuple):
    """A field that does not hold its key's value as it is, for example because its unit is another one."""

    key: str
    read: Callable[[str], Any]


class SettingsTable(Generic[Settings]):
    """The keys of a struct's fields, by field."""

    def __init__(self, struct: type[Settings], keys: Mapping[str, str | Derived]) -> None:
        """Raises TypeError if the struct has no such field, a field's type cannot be read, or a field has neither a
        key nor a default."""
        self._struct = struct
        self._read: dict[str, Derived] = {}
        hints = typing.get_type_hints(struct)
        for field, key in keys.items():
            if field not in hints:
                raise TypeError(f"{struct.__name__} has no field {field}")
            if isinstance(key, str):
                if hints[field] not in _READERS:
                    raise TypeError(f"{struct.__name__}.{field}: no config is read as {hints[field]}")
                key = Derived(key, _READERS[hints[field]])
            self._read[field] = key
        self._required = [each.name for each in msgspec.structs.fields(struct) if each.required]
        for each in self._required:
            if each not in keys:
                raise TypeError(f"{struct.__name__}.{each} has neither a key nor a default")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, in the order of the table."""
        return tuple(each.key for each in self._read.values())

    def read(self, configs: NodeConfigs) -> Settings:
        """The settings that configs make. A field whose key has no value keeps its default."""
        values: dict[str, Any] = {}
        for field, (key, read) in self._read.items():
            text = configs.value_of(key)
            if text is not None:
                values[field] = read(text)
            else:
                # Some of Kafka's keys have no default; what that means for a part, its field says.
                assert field not in self._required, f"{key} has a default"
        return self._struct(**values)


class CurrentSettings(Generic[Settings]):
    """The settings of one part as they are now."""

    def __init__(self, table: SettingsTable[Settings], configs: Callable[[], NodeConfigs]) -> None:
        """``configs`` returns the same object as long as it has the same values."""
        self._table = table
        self._configs = configs
        self._made_of: NodeConfigs | None = None
        self._made: Settings | None = None

    def __call__(self) -> Settings:
        configs = self._configs()
        if self._made is None or configs is not self._made_of:
            self._made_of, self._made = configs, self._table.read(configs)
        return self._made
