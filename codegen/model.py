"""The content of a schema as frozen values: messages, structs, fields, types and version ranges.

Only ``codegen.parse`` makes these values, and it has checked them. Later stages rely on what is written here.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from typing import TypeAlias

OPEN_END = 32767
"""Highest version that an open range such as ``3+`` reaches (versions are int16)."""


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Versions from ``lowest`` to ``highest``, both included; empty if ``highest`` is smaller."""

    lowest: int
    highest: int

    @classmethod
    def parse(cls, text: str) -> VersionRange:
        """Read ``"none"``, ``"3"``, ``"0-4"`` or ``"2+"``. Raises ValueError with the reason."""
        if text == "none":
            return NO_VERSIONS
        match = re.fullmatch(r"([0-9]+)(?:(\+)|-([0-9]+))?", text)
        if match is None:
            raise ValueError(f'{text!r} is no version range ("none", "3", "0-4" or "2+")')
        lowest = int(match[1])
        highest = OPEN_END if match[2] else int(match[3]) if match[3] else lowest
        if highest > OPEN_END or lowest > OPEN_END:
            raise ValueError(f"version range {text!r} goes beyond {OPEN_END}")
        if highest < lowest:
            raise ValueError(f"version range {text!r} ends before it begins")
        return cls(lowest, highest)

    def __bool__(self) -> bool:
        return self.highest >= self.lowest

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def __and__(self, other: VersionRange) -> VersionRange:
        both = VersionRange(max(self.lowest, other.lowest), min(self.highest, other.highest))
        return both if both else NO_VERSIONS

    def covers(self, other: VersionRange) -> bool:
        """Whether every version of ``other`` is in this range."""
        return not other or (self.lowest <= other.lowest and other.highest <= self.highest)

    def __str__(self) -> str:
        if not self:
            return "none"
        if self.highest == OPEN_END:
            return f"{self.lowest}+"
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest}-{self.highest}"


NO_VERSIONS = VersionRange(0, -1)


class MessageType(enum.Enum):
    """The use of a message; the values are the words of the grammar."""

    REQUEST = "request"
    RESPONSE = "response"
    HEADER = "header"
    METADATA = "metadata"
    DATA = "data"
    COORDINATOR_KEY = "coordinator-key"
    COORDINATOR_VALUE = "coordinator-value"


class Primitive(enum.Enum):
    """Types of a fixed width; ``code`` is their letter in the ``struct`` module, ``size`` in bytes."""

    BOOL = ("bool", "?", 1)
    INT8 = ("int8", "b", 1)
    INT16 = ("int16", "h", 2)
    UINT16 = ("uint16", "H", 2)
    INT32 = ("int32", "i", 4)
    UINT32 = ("uint32", "I", 4)
    INT64 = ("int64", "q", 8)
    FLOAT64 = ("float64", "d", 8)
    UUID = ("uuid", "16s", 16)

    def __init__(self, word: str, code: str, size: int) -> None:
        self.word = word
        self.code = code
        self.size = size


class Variable(enum.Enum):
    """Types whose encoding begins with their length."""

    STRING = "string"
    BYTES = "bytes"
    RECORDS = "records"


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct by its name within the message."""

    name: str


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array; its elements are never null and never arrays."""

    element: Primitive | Variable | StructType


Type: TypeAlias = Primitive | Variable | StructType | ArrayType
Default: TypeAlias = bool | int | float | str | bytes | None


class NotNull(enum.Enum):
    """Default of a field whose type has no literal: an empty array, a struct of defaults."""

    EMPTY = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a struct. Ranges are those of the schema and may reach beyond the message's versions."""

    name: str
    type: Type
    versions: VersionRange
    nullable: VersionRange = NO_VERSIONS
    tagged: VersionRange = NO_VERSIONS
    tag: int | None = None
    flexible: VersionRange | None = None
    """Overrides the message's flexible versions for this field (only strings and bytes)."""
    default: Default | NotNull
    ignorable: bool = False
    map_key: bool = False
    entity_type: str | None = None
    zero_copy: bool = False
    about: str = ""

    @property
    def made_on_demand(self) -> bool:
        """Whether the field is a struct of defaults until somebody sets it. It seldom is set, so the generated class
        makes the struct when it is first asked for."""
        return isinstance(self.type, StructType) and self.default is NotNull.EMPTY and not self.nullable


@dataclass(frozen=True, slots=True, kw_only=True)
class StructModel:
    """A named group of fields; ``versions`` are those in which it exists."""

    name: str
    versions: VersionRange
    fields: tuple[Field, ...]
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageModel:
    """One schema file. ``structs`` holds the message's own fields under its name, and every struct in it."""

    type: MessageType
    name: str
    api_key: int | None
    versions: VersionRange
    flexible: VersionRange
    listeners: tuple[str, ...] = ()
    latest_version_unstable: bool = False
    structs: dict[str, StructModel] = field(default_factory=dict)
    """In the order of first use from the inside out: a struct comes after those it contains."""
    source: str = ""
    """Name of the schema file, with its folder."""

    @property
    def folder(self) -> str:
        """The folder of the schema file: the kind of log that a record belongs to."""
        return self.source.rpartition("/")[0]

    @property
    def root(self) -> StructModel:
        """The struct of the message's own fields."""
        return self.structs[self.name]
