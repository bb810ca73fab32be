"""The form of a message on the wire at one version: which fields it has, and how each is written.

Layouts are compared by value: versions with equal layouts share one pair of functions in the generated code. Two
special cases of headers: the ClientId of RequestHeader is never compact (its ``flexibleVersions`` in the schema is
"none", so that a server can read it before it knows the version); the response to ApiVersions always has header
version 0, which ``kafkaproto.api`` takes care of.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from codegen.model import ArrayType, Field, MessageModel, Primitive, StructModel, StructType, Variable


class LengthForm(enum.Enum):
    """The encoding of a length or count before a value."""

    INT16 = "h"
    INT32 = "i"
    COMPACT = "B"
    """Unsigned varint of the length plus one; its first byte is read like a fixed field."""


@dataclass(frozen=True, slots=True)
class FixedValue:
    """A value of a fixed width."""

    primitive: Primitive


@dataclass(frozen=True, slots=True)
class VariableValue:
    """A string, bytes or records with its length in front."""

    kind: Variable
    length: LengthForm
    nullable: bool
    zero_copy: bool = False


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """A count and the elements."""

    element: ElementValue
    length: LengthForm
    nullable: bool


@dataclass(frozen=True, slots=True)
class StructValue:
    """A struct in place; a nullable one has a byte in front (-1 null, 1 present; in a tag 0 and 1)."""

    layout: StructLayout
    nullable: bool


ElementValue = FixedValue | VariableValue | StructValue
Value = FixedValue | VariableValue | ArrayValue | StructValue


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """One field that is present at the version."""

    field: Field
    value: Value


@dataclass(frozen=True, slots=True)
class StructLayout:
    """A struct at one version."""

    struct: StructModel
    flexible: bool
    fields: tuple[FieldLayout, ...]
    """The fields that are written one after the other, in order."""
    tagged: tuple[FieldLayout, ...]
    """The fields in the tag section, by tag."""
    absent: tuple[Field, ...]
    """The fields that do not exist at this version."""

    @property
    def has_arrays(self) -> bool:
        """Whether there are arrays of any kind at any depth: reading such a struct can take any amount of time."""
        return any(
            isinstance(entry.value, ArrayValue)
            or (isinstance(entry.value, StructValue) and entry.value.layout.has_arrays)
            for entry in (*self.fields, *self.tagged)
        )

    @property
    def has_loops(self) -> bool:
        """Whether there are arrays, outside of tags, whose elements are written one by one: structs, strings, bytes."""
        for entry in self.fields:
            if isinstance(entry.value, ArrayValue) and not isinstance(entry.value.element, FixedValue):
                return True
            if isinstance(entry.value, StructValue) and entry.value.layout.has_loops:
                return True
        return False

    @property
    def has_views(self) -> bool:
        """Whether there are fields, at any depth, that are read as views of the buffer."""
        for entry in (*self.fields, *self.tagged):
            value = entry.value.element if isinstance(entry.value, ArrayValue) else entry.value
            if isinstance(value, StructValue) and value.layout.has_views:
                return True
            if isinstance(value, VariableValue) and value.zero_copy:
                return True
        return False


def resolve(message: MessageModel, version: int) -> StructLayout:
    """The layout of a whole message at a version that exists."""
    assert version in message.versions, f"{message.name} has no version {version}"
    return _Resolver(message, version).struct(message.root)


class _Resolver:
    def __init__(self, message: MessageModel, version: int) -> None:
        self.message = message
        self.version = version
        self.flexible = version in message.flexible

    def struct(self, struct: StructModel) -> StructLayout:
        plain: list[FieldLayout] = []
        tagged: list[FieldLayout] = []
        absent: list[Field] = []
        for field in struct.fields:
            if self.version not in field.versions:
                absent.append(field)
            elif self.version in field.tagged:
                tagged.append(FieldLayout(field, self._value(field)))
            else:
                plain.append(FieldLayout(field, self._value(field)))
        tagged.sort(key=lambda layout: layout.field.tag or 0)
        return StructLayout(struct, self.flexible, tuple(plain), tuple(tagged), tuple(absent))

    def _value(self, field: Field) -> Value:
        nullable = self.version in field.nullable
        flexible = self.flexible if field.flexible is None else self.version in field.flexible
        if isinstance(field.type, ArrayType):
            length = LengthForm.COMPACT if flexible else LengthForm.INT32
            return ArrayValue(self._element(field.type.element, flexible, False, False), length, nullable)
        return self._element(field.type, flexible, nullable, field.zero_copy)

    def _element(
        self, kind: Primitive | Variable | StructType, flexible: bool, nullable: bool, zero_copy: bool
    ) -> ElementValue:
        match kind:
            case Primitive():
                return FixedValue(kind)
            case Variable():
                short = LengthForm.INT16 if kind is Variable.STRING else LengthForm.INT32
                length = LengthForm.COMPACT if flexible else short
                return VariableValue(kind, length, nullable, zero_copy or kind is Variable.RECORDS)
            case StructType(name):
                return StructValue(self.struct(self.message.structs[name]), nullable)
