"""What the views know of each record type of the metadata log: the classes that `generated.records` consists of.

codegen writes those descriptions from the same schemas as the codecs in kafkaproto, so both have a type or field that
a release adds. A description is flat data: decoders go through it, and `views.schema` makes columns of it.
"""

from __future__ import annotations

from dataclasses import dataclass

Versions = tuple[int, int]
"""Lowest and highest version, both included."""

NEVER: Versions = (0, -1)
"""A range without any version."""

Default = bool | int | float | str | bytes | tuple[()] | None
"""The value of a field that its version does not have or whose tag is absent; an empty tuple means an empty array."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """One field of a record or of a struct in it."""

    name: str
    """The name in Kafka's JSON and in the columns, for example ``leaderEpoch``."""
    attribute: str
    """The name in kafkaproto's messages, for example ``leader_epoch``."""
    type: str
    """Type of the value, or of an array's elements: a type name of the schemas' grammar, or ``struct``."""
    ddl: str
    """Its type in Spark, for example ``ARRAY<INT>``."""
    array: bool = False
    fields: tuple[FieldView, ...] = ()
    """The fields of the struct, if ``type`` is one."""
    versions: Versions
    nullable: Versions = NEVER
    tagged: Versions = NEVER
    tag: int = -1
    default: Default


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView:
    name: str
    """The schema's name, which is also the value of the column recordType."""
    control: bool
    """True for a control record of the quorum, False for a metadata record."""
    type: int
    """Its number among the control records, or among the metadata records."""
    versions: Versions
    flexible_from: int
    """First version with compact lengths and tagged fields."""
    fields: tuple[FieldView, ...]

    @property
    def ddl(self) -> str:
        """Its fields as Spark columns; empty if the record has none."""
        return ", ".join(f"{field.name} {field.ddl}" for field in self.fields)


def within(version: int, versions: Versions) -> bool:
    """Whether ``version`` lies in the range."""
    return versions[0] <= version <= versions[1]
