"""Emits the functions that write a struct in one layout.

As when reading, fixed-size fields are packed together with the length that follows them; a length of more than one
byte takes the other branch. A field that the version lacks must be at its default unless it is ignorable.
"""

from __future__ import annotations

from collections.abc import Callable

from codegen import naming
from codegen.literals import python_literal
from codegen.model import ArrayType, Field, Message, NotNull, Primitive, StructType, Variable
from codegen.resolve import (
    ArrayValue,
    FieldLayout,
    FixedValue,
    LengthForm,
    StructLayout,
    StructValue,
    Value,
    VariableValue,
)
from codegen.text import Layouts, Lines

FunctionNames = Callable[[StructLayout], str]


class WriteEmitter:
    """Writes one writing function."""

    def __init__(self, message: Message, lines: Lines, layouts: Layouts, names: FunctionNames) -> None:
        self.message = message
        self.lines = lines
        self.layouts = layouts
        self.names = names
        self.run: list[tuple[str, str]] = []
        self.out = "out"

    def function(self, name: str, layout: StructLayout) -> None:
        """The whole function."""
        class_name = naming.class_name(self.message, layout.struct)
        self.run.clear()
        self.lines.call(f"def {name}", ["out: bytearray", f"message: {class_name}"], " -> None:")
        with self.lines.indented():
            for field in layout.absent:
                if not field.ignorable:
                    self.lines.condition(differences(self.message, field, f"message.{_attribute(field)}"))
                    with self.lines.indented():
                        self.lines.add("raise Malformed")
            for entry in layout.fields:
                self._field(entry)
            if layout.flexible:
                self._tags(layout)
            else:
                self._flush()
                with self.lines.block("if message.unknown_tags:"):
                    self.lines.add("raise Malformed")
        self.lines.add("", "")

    def _field(self, entry: FieldLayout) -> None:
        """One field; what is used more than once goes through a local variable."""
        source = f"message.{_attribute(entry.field)}"
        value = entry.value
        if isinstance(value, FixedValue) and value.primitive is not Primitive.UUID:
            self.run.append((source, value.primitive.code))
            return
        variable = naming.local(entry.field.name)
        self.lines.add(f"{variable} = {source}")
        can_be_null = bool(entry.field.nullable) or entry.field.type is Variable.RECORDS
        if can_be_null and not isinstance(value, FixedValue) and not value.nullable:
            # Null elsewhere, but not in this version.
            with self.lines.block(f"if {variable} is None:"):
                self.lines.add("raise Malformed")
        self._value(value, variable)

    # -- runs of fixed-size values -----------------------------------------------------------------------------

    def _flush(self, *more: tuple[str, str]) -> None:
        """Write what has been collected, and ``more`` behind it; what was collected stays collected."""
        run = [*self.run, *more]
        if run:
            codes = "".join(code for _, code in run)
            values = ", ".join(value for value, _ in run)
            if codes == "B":
                self.lines.add(f"{self.out}.append({values})")
            elif codes == "16s":
                self.lines.add(f"{self.out} += {values}")
            else:
                self.lines.call(f"{self.out} += {self.layouts.pack(codes)}", [value for value, _ in run])

    def _length(self, name: str, form: LengthForm, long: str) -> None:
        """Write the run and a length; a compact one of 128 or more needs more than a byte."""
        if form is LengthForm.COMPACT:
            with self.lines.block(f"if {name} < 128:"):
                self._flush((name, "B"))
            with self.lines.block("else:"):
                self._flush()
                self.lines.add(f"{long}({self.out}, {name})")
        else:
            self._flush((name, form.value))
        self.run.clear()

    # -- values ------------------------------------------------------------------------------------------------

    def _value(self, value: Value, variable: str) -> None:
        match value:
            case FixedValue(primitive):
                if primitive is Primitive.UUID:
                    with self.lines.block(f"if len({variable}) != 16:"):
                        self.lines.add("raise Malformed")
                self.run.append((variable, primitive.code))
            case VariableValue():
                self._variable(value, variable)
            case ArrayValue():
                self._array(value, variable)
            case StructValue(layout, nullable):
                if not nullable:
                    self._flush()
                    self.run.clear()
                    self.lines.add(f"{self.names(layout)}({self.out}, {variable})")
                    return
                self._flush((f"-1 if {variable} is None else 1", "b"))
                self.run.clear()
                with self.lines.block(f"if {variable} is not None:"):
                    self.lines.add(f"{self.names(layout)}({self.out}, {variable})")

    def _variable(self, value: VariableValue, variable: str) -> None:
        compact = value.length is LengthForm.COMPACT
        data = "data"
        if value.zero_copy:
            data = f"{variable}_data"
            made = f'b"".join({variable}) if isinstance({variable}, list) else {variable}'
        else:
            made = f"{variable}.encode()" if value.kind is Variable.STRING else variable
        set_value = [f"{data} = {made}", f"length = len({data}) + 1" if compact else f"length = len({data})"]
        if value.nullable:
            if value.zero_copy:
                self.lines.add(f"{data}: Buffer")
            with self.lines.block(f"if {variable} is None:"):
                self.lines.add(f'{data} = b""', f"length = {0 if compact else -1}")
            with self.lines.block("else:"):
                self.lines.add(*set_value)
        else:
            self.lines.add(*set_value)
        long = "write_string_length" if value.kind is Variable.STRING else "write_unsigned_varint"
        self._length("length", value.length, long)
        self.lines.add(f"{self.out} += {data}")

    def _array(self, value: ArrayValue, variable: str) -> None:
        compact = value.length is LengthForm.COMPACT
        measured = f"len({variable}) + 1" if compact else f"len({variable})"
        if value.nullable:
            with self.lines.block(f"if {variable} is None:"):
                self.lines.add(f"{variable} = EMPTY", f"count = {0 if compact else -1}")
            with self.lines.block("else:"):
                self.lines.add(f"count = {measured}")
        else:
            self.lines.add(f"count = {measured}")
        self._length("count", value.length, "write_unsigned_varint")
        match value.element:
            case FixedValue(Primitive.INT32):
                with self.lines.block(f"if len({variable}) < TABLE_SIZE:"):
                    self.lines.add(f"{self.out} += PACK_INT32[len({variable})](*{variable})")
                with self.lines.block("else:"):
                    self.lines.add(f'{self.out} += pack_many("i", {variable})')
            case FixedValue(Primitive.UUID):
                self.lines.add(f"{self.out} += pack_uuids({variable})")
            case FixedValue(primitive):
                self.lines.add(f'{self.out} += pack_many("{primitive.code}", {variable})')
            case element:
                item = f"{variable}_item"
                with self.lines.block(f"for {item} in {variable}:"):
                    self._value(element, item)

    # -- the tag section ---------------------------------------------------------------------------------------

    def _tags(self, layout: StructLayout) -> None:
        if not layout.tagged:
            with self.lines.block("if message.unknown_tags:"):
                self._flush()
                self.lines.add("write_tag_section(out, (), message.unknown_tags)")
            with self.lines.block("else:"):
                self._flush(("0", "B"))
            self.run.clear()
            return
        self._flush()
        self.run.clear()
        self.lines.add("tagged = []")
        for entry in layout.tagged:
            self.lines.condition(differences(self.message, entry.field, f"message.{_attribute(entry.field)}"))
            with self.lines.indented():
                self.lines.add("section = bytearray()")
                self.out = "section"
                if isinstance(entry.value, StructValue) and entry.value.nullable:
                    self._nullable_struct(entry.value, entry.field)
                else:
                    self._field(entry)
                    self._flush()
                    self.run.clear()
                self.out = "out"
                self.lines.add(f"tagged.append(({entry.field.tag}, section))")
        with self.lines.block("if tagged or message.unknown_tags:"):
            self.lines.add("write_tag_section(out, tagged, message.unknown_tags)")
        with self.lines.block("else:"):
            self.lines.add("out.append(0)")

    def _nullable_struct(self, value: StructValue, field: Field) -> None:
        """In a tag, 0 stands for null and 1 for a struct that follows."""
        variable = naming.local(field.name)
        self.lines.add(f"{variable} = message.{_attribute(field)}")
        with self.lines.block(f"if {variable} is None:"):
            self.lines.add("section.append(0)")
        with self.lines.block("else:"):
            self.lines.add("section.append(1)", f"{self.names(value.layout)}(section, {variable})")


def _attribute(field: Field) -> str:
    return naming.attribute(field.name)


def differences(message: Message, field: Field, source: str) -> list[str]:
    """Expressions of which one at least is true where the field is not at its default."""
    if field.default is NotNull.EMPTY:
        if isinstance(field.type, ArrayType):
            return [f"{source} is None"] * bool(field.nullable) + [f"len({source}) != 0"]
        return _struct_differences(message, field, source)
    if field.default is None:
        return [f"{source} is not None"]
    if field.default is False:
        return [source]
    if field.default is True:
        return [f"not {source}"]
    if field.type is Primitive.UUID:
        return [f"{source} != ZERO_UUID"]
    return [f"{source} != {python_literal(field.default)}"]


def _struct_differences(message: Message, field: Field, source: str) -> list[str]:
    """Field by field: comparing with a struct of defaults would cost a call for every element."""
    assert isinstance(field.type, StructType)
    parts = [f"{source} is None"] * bool(field.nullable)
    for inner in message.structs[field.type.name].fields:
        parts += differences(message, inner, f"{source}.{_attribute(inner)}")
    return [*parts, f"{source}.unknown_tags"]
