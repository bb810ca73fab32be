"""Properties as they were written, and typed access to single keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kafkaproto_server.config.keys.definitions import BROKER_KEYS, broker_key
from kafkaproto_server.config.keys.model import ConfigValue

OVERRIDE = "--override"
DEFAULTS = "the built-in properties"
_ID_KEYS = ("node.id", "broker.id")


class ConfigError(Exception):
    """A node cannot start with these configs. The text names place, key, value and what is valid."""

    def __init__(self, problem: str, *, where: str, key: str | None = None, value: str | None = None) -> None:
        setting = key if value is None else f"{key}={value}"
        super().__init__(f"{where}: {problem}" if setting is None else f"{where}: {setting}: {problem}")
        self.problem = problem
        self.where = where
        """The file, `OVERRIDE` or `DEFAULTS`."""
        self.key = key
        """None if the problem is the file as a whole."""
        self.value = value
        """None if the key is not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """The values that are set, and the place where each is set."""

    values: Mapping[str, str]
    origins: Mapping[str, str]
    """Path of the file, `OVERRIDE` or `DEFAULTS`, by key."""
    source: str
    """The place where a missing key should be: the path of the file, or `DEFAULTS`."""

    def is_set(self, key: str) -> bool:
        """Whether the key is set, possibly to its default."""
        return key in self.values

    def text_of(self, key: str) -> str | None:
        """The value as it was written, else the default; None if there is neither."""
        if key in self.values:
            return self.values[key]
        return BROKER_KEYS[key].default

    def get(self, key: str) -> ConfigValue | None:
        """The value in the key's type; None without a value and a default. `check_each` has to be called before.

        Raises ConfigError if the key is required and missing.
        """
        definition = BROKER_KEYS[key]
        text = self.text_of(key)
        if text is None:
            if definition.required:
                raise self.error(key, "is required and not set")
            return None
        return definition.parse(text)

    def integer(self, key: str) -> int:
        """The value of a key of an integer type that has a default or is required."""
        value = self.get(key)
        assert isinstance(value, int), key
        return value

    def string(self, key: str) -> str | None:
        """The value of a key of type string or class."""
        value = self.get(key)
        assert value is None or isinstance(value, str), key
        return value

    def entries(self, key: str) -> tuple[str, ...]:
        """The value of a key of type list; empty if there is none."""
        value = self.get(key)
        assert value is None or isinstance(value, tuple), key
        return value or ()

    def error(self, key: str, problem: str) -> ConfigError:
        """The error to raise for a key."""
        where = self.origins.get(key, self.source)
        return ConfigError(problem, where=where, key=key, value=self.values.get(key))

    def check_each(self) -> tuple[str, ...]:
        """Check every single value. Returns a warning for every unknown key.

        Raises ConfigError for the first value that is not valid for its key.
        """
        warnings = []
        for key, text in self.values.items():
            definition = broker_key(key)
            if definition is None:
                warnings.append(f"{self.origins[key]}: {key} is not a key of this server{_suggestion(key)}")
                continue
            problem = definition.problem_with(text)
            if problem is not None:
                raise self.error(key, problem)
        return tuple(warnings)


def read_properties(path: str, overrides: Mapping[str, str]) -> tuple[Properties, tuple[str, ...]]:
    """The properties of a file with ``overrides`` on top, and a warning for every key that is given twice.

    Raises ConfigError if the file cannot be read.
    """
    pairs = _read_pairs(path)
    values: dict[str, str] = {}
    warnings = []
    for key, value in pairs:
        if key in values:
            warnings.append(f"{path}: {key} is given more than once; the last one counts")
        values[key] = value
    return layered(values, path, overrides), tuple(warnings)


def layered(values: Mapping[str, str], source: str, overrides: Mapping[str, str]) -> Properties:
    """The values with ``overrides`` on top. ``node.id`` and ``broker.id`` set each other, as in Kafka."""
    merged = {**values, **overrides}
    origins = {**dict.fromkeys(values, source), **dict.fromkeys(overrides, OVERRIDE)}
    for key, alias in (_ID_KEYS, _ID_KEYS[::-1]):
        if key in merged and alias not in merged:
            merged[alias] = merged[key]
            origins[alias] = origins[key]
    return Properties(values=merged, origins=origins, source=source)


def _read_pairs(path: str) -> list[tuple[str, str]]:
    # For its XML part, the package imports an HTTP client: 20 ms that a start without a file does not need.
    import javaproperties

    try:
        with open(path, "rb") as file:
            return list(javaproperties.load(file, object_pairs_hook=list))
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=path) from error
    except javaproperties.InvalidUEscapeError as error:
        raise ConfigError(f"is not in the format of properties: {error}", where=path) from error


def _suggestion(key: str) -> str:
    import difflib

    close = difflib.get_close_matches(key, BROKER_KEYS, n=1, cutoff=0.85)
    return f"; did you mean {close[0]}?" if close else ", and is ignored"
