"""The definition of a configuration key: its type, its default, its valid values, and whether it can change at run
time.

Values are read by the rules of Kafka's own definitions: blanks around a value are ignored, lists are split at commas,
numbers are decimal. A value is written in the form in which Kafka's tools show it, for example the double ``.50`` as
``0.5``.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import re
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from kafkaproto_server.config.keys.descriptions import description
from kafkaproto_server.config.keys.formats import FORMATS

ConfigValue: TypeAlias = bool | int | float | str | tuple[str, ...]

T = TypeVar("T", int, float)

_MAX_DIGITS = 400
"""Digits of a number that is converted to be compared with a limit: Python refuses to convert thousands."""
_JAVA_BLANKS = "".join(map(chr, range(0x21)))
"""Java's trim removes every character up to the space, and no other."""
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")


class ConfigType(enum.IntEnum):
    """Types of values, with their numbers in DescribeConfigs responses."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


INTEGER_BITS = {ConfigType.SHORT: 16, ConfigType.INT: 32, ConfigType.LONG: 64}


class Dynamic(enum.Enum):
    """How a broker key can change while brokers run: for one broker only, or also for the whole cluster. A key without
    this is read-only."""

    PER_BROKER = "per-broker"
    CLUSTER_WIDE = "cluster-wide"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDefinition:
    """One configuration key of a broker, topic, group or client metrics subscription."""

    name: str
    kind: str
    """The kind of resource: broker, topic, group or client_metrics."""
    type: ConfigType
    default: str | None = None
    """The default as text; None if the key has no default, or if the default is null."""
    required: bool = False
    """Whether a broker needs the key to start."""
    minimum: int | None = None
    maximum: int | None = None
    besides: int | None = None
    """One valid value outside the range."""
    allowed: tuple[str, ...] = ()
    """All valid values of a string, or of an entry of a list. Empty if every value is valid."""
    ignore_case: bool = False
    """Whether ``allowed`` ignores case."""
    not_empty: bool = False
    doubles: bool = False
    """Whether a list keeps entries that are there twice. Of any other list Kafka keeps the first of them (KIP-1161)."""
    blanks: bool = False
    """Whether entries of a list may be empty."""
    format: str | None = None
    """Name of a check in `config.keys.formats`, for values of a special form."""
    dynamic: Dynamic | None = None
    alternatives: tuple[str, ...] = ()
    """The broker keys from which this key's value is read, including itself: the first one that is set counts."""
    synonyms: tuple[tuple[str, int], ...] = ()
    """The broker keys that provide the default of this topic or group key, each with the factor that converts its
    unit."""

    @property
    def is_sensitive(self) -> bool:
        """Whether the value is never shown."""
        return self.type is ConfigType.PASSWORD

    def parse(self, text: str) -> ConfigValue:
        """The value of ``text``.

        Raises ValueError if the value is not valid for the key; its text says what is valid.
        """
        trimmed = text.strip(_JAVA_BLANKS)
        if self.type is ConfigType.BOOLEAN:
            return _parse_boolean(trimmed)
        if self.type in INTEGER_BITS:
            return self._in_range(_parse_integer(trimmed, self.type))
        if self.type is ConfigType.DOUBLE:
            return self._in_range(_parse_double(trimmed))
        if self.type is ConfigType.LIST:
            return self._parse_list(trimmed)
        self._check_text(trimmed)
        if self.format is not None:
            FORMATS[self.format]((trimmed,))
        return trimmed

    def problem_with(self, text: str) -> str | None:
        """What is valid for the key if ``text`` is not; else None."""
        try:
            self.parse(text)
        except ValueError as error:
            return str(error)
        return None

    def nearest(self, text: str) -> str | None:
        """The allowed value that is nearest to one that is not: a number at the limit, a list without the entries that
        are wrong. None if there is none, because ``text`` is not of the key's type."""
        trimmed = text.strip(_JAVA_BLANKS)
        found: str | None = None
        if self.type in INTEGER_BITS and _INTEGER.fullmatch(trimmed) and len(trimmed) <= _MAX_DIGITS:
            limit = 1 << (INTEGER_BITS[self.type] - 1)
            found = format_value(self._clamped(max(-limit, min(limit - 1, int(trimmed)))))
        elif self.type is ConfigType.DOUBLE and (matched := _DECIMAL.fullmatch(trimmed)) is not None:
            number = self._clamped(float(matched.group(1)))
            found = format_value(number) if math.isfinite(number) else None
        elif self.type is ConfigType.LIST:
            entries = [each.strip(_JAVA_BLANKS) for each in trimmed.split(",")]
            found = ",".join(
                dict.fromkeys(each for each in entries if each and self.problem_with(each) is None)
            )
        return found if found and self.problem_with(found) is None else None

    def _clamped(self, number: T) -> T:
        if self.minimum is not None and number < self.minimum:
            return type(number)(self.minimum)
        if self.maximum is not None and number > self.maximum:
            return type(number)(self.maximum)
        return number

    def has_type(self, text: str) -> bool:
        """Whether ``text`` is a value of the key's type; it may be out of range."""
        try:
            dataclasses.replace(self, minimum=None, maximum=None, allowed=(), format=None).parse(text)
        except ValueError:
            return False
        return True

    def canonical(self, text: str) -> str:
        """The value as Kafka shows it; ``text`` unchanged if it is not valid for the key."""
        try:
            return format_value(self.parse(text))
        except ValueError:
            return text

    def describe(self) -> str:
        """Sentences for people: what the key does, its type, range and default, and whether it can change at run
        time."""
        parts = [f"Type {self.type.name.lower()}{self._range_text()}."]
        text = description(self.kind, self.name)
        if text:
            parts.insert(0, text)
        if self.default is not None:
            parts.append(f"Default: {self.default or 'empty'}.")
        if self.dynamic is Dynamic.CLUSTER_WIDE:
            parts.append("Can change at run time, for one broker or for all.")
        elif self.dynamic is Dynamic.PER_BROKER:
            parts.append("Can change at run time, for one broker.")
        return " ".join(parts)

    def _range_text(self) -> str:
        if self.allowed:
            return ": " + ", ".join(self.allowed)
        if self.minimum is None:
            return ""
        return ", " + self._bounds()

    def _bounds(self) -> str:
        bounds = f"{self.minimum} or more" if self.maximum is None else f"{self.minimum} to {self.maximum}"
        return bounds if self.besides is None else f"{bounds}, or {self.besides}"

    def _in_range(self, number: int | float) -> int | float:
        if number == self.besides:
            return number
        if (self.minimum is not None and number < self.minimum) or (
            self.maximum is not None and number > self.maximum
        ):
            raise ValueError(f"must be {self._bounds()}")
        return number

    def _parse_list(self, trimmed: str) -> tuple[str, ...]:
        entries = tuple(entry.strip(_JAVA_BLANKS) for entry in trimmed.split(",")) if trimmed else ()
        if self.not_empty and not entries:
            raise ValueError("must not be empty")
        if not self.doubles:
            entries = tuple(dict.fromkeys(entries))
        for entry in entries:
            if not entry and not self.blanks:
                raise ValueError("must not have an empty entry")
            self._check_text(entry)
        if self.format is not None and entries:
            FORMATS[self.format](entries)
        return entries

    def _check_text(self, text: str) -> None:
        if self.not_empty and not text:
            raise ValueError("must not be empty")
        known = text in self.allowed or (self.ignore_case and text.upper() in self.allowed)
        if self.allowed and not known:
            raise ValueError(f"must be one of {', '.join(self.allowed)}")


def format_value(value: ConfigValue) -> str:
    """The text of a value as Kafka's tools show it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, float):
        return _double_text(value)
    return str(value)


def _parse_boolean(text: str) -> bool:
    lowered = text.lower()
    if lowered not in ("true", "false"):
        raise ValueError("must be true or false")
    return lowered == "true"


def _parse_integer(text: str, type_: ConfigType) -> int:
    limit = 1 << (INTEGER_BITS[type_] - 1)
    # Python refuses to convert very long digit strings to numbers, so check the length first.
    if _INTEGER.fullmatch(text) and len(text) <= 40 and -limit <= int(text) < limit:
        return int(text)
    raise ValueError(f"must be a whole number from {-limit} to {limit - 1}")


def _parse_double(text: str) -> float:
    # Apache Kafka also accepts NaN, which then passes every range check, and infinities. We accept neither.
    matched = _DECIMAL.fullmatch(text)
    number = math.nan if matched is None else float(matched.group(1))
    if not math.isfinite(number):
        raise ValueError("must be a decimal number")
    return number


def _double_text(number: float) -> str:
    """A double as Java prints it: plain from 1e-3 up to 1e7, else one digit, the other digits, E, exponent."""
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    # repr gives the shortest digits that parse to the same number, as Java does. Only the notation differs.
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading_zeros = len(whole + fraction) - len(digits)
    power = len(whole) - leading_zeros - 1 + int(exponent or 0)
    rest = digits[1:].rstrip("0") or "0"
    return f"{'-' if number < 0 else ''}{digits[0]}.{rest}E{power}"
