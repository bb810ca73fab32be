"""Schemas at run time: the fields of each message, for the slow codec, the JSON form and error messages.

Each generated module can build the schema of its message. It does so at the first call, and never on the fast path.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

OPEN_END = 32767
"""End of an open version range."""

Versions = tuple[int, int]
NEVER: Versions = (0, -1)
"""A range without any version."""


class Default(enum.Enum):
    """Defaults that are mutable, and must therefore not be shared."""

    EMPTY_ARRAY = "empty array"
    EMPTY_STRUCT = "struct of defaults"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSchema:
    """One field. Version ranges are (lowest, highest), both included."""

    name: str
    """The name in the schema file, for example ``LeaderEpoch``."""
    attribute: str
    """The name in Python, for example ``leader_epoch``."""
    type: str
    """Type of the value, or of an array's elements: a type name of Kafka's grammar, or the name of a struct."""
    struct: StructSchema | None = None
    """The fields, if ``type`` is a struct."""
    array: bool = False
    versions: Versions
    nullable: Versions = NEVER
    tagged: Versions = NEVER
    tag: int = -1
    never_compact: bool = False
    """The field keeps the old form of its length in flexible versions too (the client id of the request header)."""
    default: Any
    ignorable: bool = False
    zero_copy: bool = False

    def is_default(self, value: Any) -> bool:
        """Whether ``value`` is the field's default."""
        if self.default is Default.EMPTY_ARRAY:
            return isinstance(value, list | tuple) and not value
        if self.default is Default.EMPTY_STRUCT:
            assert self.struct is not None
            # Made for each comparison: a shared struct of defaults could be changed by anybody.
            return bool(value == self.struct.python_class())
        return bool(value is None if self.default is None else value == self.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class StructSchema:
    """The fields of one struct, and the class that holds them."""

    python_class: type[Any]
    fields: tuple[FieldSchema, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSchema:
    """A message: its struct, and the first version with compact lengths and tags (None if there is none)."""

    name: str
    flexible_from: int | None
    root: StructSchema

    def is_flexible(self, version: int) -> bool:
        """Whether lengths are compact and structs have tag sections at ``version``."""
        return self.flexible_from is not None and version >= self.flexible_from


def within(version: int, versions: Versions) -> bool:
    """Whether ``version`` lies in the range."""
    return versions[0] <= version <= versions[1]
