"""Emits the functions that read a struct in one layout.

Runs of fixed-size fields become one unpack, which also takes the length of the string or array that follows, or
the count of the tag section, so that most fields cost no call of their own. Nothing is checked that Python or
``Message.decode`` checks anyway: a slice past the end is noticed by the end position, a short buffer by unpacking.
"""

from __future__ import annotations

from collections.abc import Callable

from codegen import naming
from codegen.literals import annotation, literal
from codegen.model import Message, Primitive, Variable
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


class ReadEmitter:
    """Writes one reading function."""

    def __init__(self, message: Message, lines: Lines, layouts: Layouts, names: FunctionNames) -> None:
        self.message = message
        self.lines = lines
        self.layouts = layouts
        self.names = names
        self.run: list[tuple[str, str, int]] = []

    def function(self, name: str, layout: StructLayout) -> None:
        """The whole function."""
        class_name = naming.class_name(self.message, layout.struct)
        self.lines.call(f"def {name}", ["buffer: Buffer", "position: int"], f" -> tuple[{class_name}, int]:")
        with self.lines.indented():
            for entry in layout.fields:
                self._field(entry)
            if layout.flexible:
                self._take("tags", "B", 1)
            self._flush()
            if layout.flexible:
                self._tags(layout)
            self.lines.call(f"return {class_name}", self._arguments(layout), ", position")
        self.lines.add("", "")

    def _field(self, entry: FieldLayout) -> None:
        variable = naming.local(entry.field.name)
        if isinstance(entry.value, ArrayValue):
            # Declared ahead: what an empty list holds cannot be inferred.
            kind = annotation(self.message, entry.field)
            self.lines.add(f"{variable}: {kind}")
        self._value(entry.value, variable)

    def _arguments(self, layout: StructLayout) -> list[str]:
        present = {entry.field.name for entry in (*layout.fields, *layout.tagged)}
        arguments = [
            naming.local(field.name) if field.name in present else literal(self.message, field)
            for field in layout.struct.fields
        ]
        if layout.flexible:
            return [*arguments, "unknown"]
        while arguments and layout.struct.fields[len(arguments) - 1].name not in present:
            arguments.pop()
        return arguments

    # -- runs of fixed-size values -----------------------------------------------------------------------------

    def _take(self, variable: str, code: str, size: int) -> None:
        self.run.append((variable, code, size))

    def _flush(self) -> None:
        if not self.run:
            return
        names = [name for name, _, _ in self.run]
        codes = "".join(code for _, code, _ in self.run)
        if codes == "B":
            self.lines.add(f"{names[0]} = buffer[position]")
        elif codes == "?":
            self.lines.add(f"{names[0]} = buffer[position] != 0")
        else:
            targets = ", ".join(names) if len(names) > 1 else f"({names[0]},)"
            self.lines.add(f"{targets} = {self.layouts.unpack(codes)}(buffer, position)")
        self.lines.add(f"position += {sum(size for _, _, size in self.run)}")
        self.run.clear()

    # -- values ------------------------------------------------------------------------------------------------

    def _value(self, value: Value, variable: str) -> None:
        match value:
            case FixedValue(primitive):
                self._take(variable, primitive.code, primitive.size)
            case VariableValue():
                self._length("length", value.length)
                self._variable(value, variable)
            case ArrayValue():
                self._length("count", value.length)
                self._array(value, variable)
            case StructValue(layout, nullable):
                if nullable:
                    self._take("length", "b", 1)
                self._flush()
                if nullable:
                    with self.lines.block("if length < 0:"):
                        self.lines.add(f"{variable} = None")
                    with self.lines.block("else:"):
                        self._struct(layout, variable)
                else:
                    self._struct(layout, variable)

    def _struct(self, layout: StructLayout, variable: str) -> None:
        self.lines.add(f"{variable}, position = {self.names(layout)}(buffer, position)")

    def _length(self, name: str, form: LengthForm) -> None:
        self._take(name, form.value, {LengthForm.INT16: 2, LengthForm.INT32: 4, LengthForm.COMPACT: 1}[form])
        self._flush()

    def _variable(self, value: VariableValue, variable: str) -> None:
        compact = value.length is LengthForm.COMPACT
        if compact:
            long = "read_string_length" if value.kind is Variable.STRING else "read_unsigned_varint"
            with self.lines.block("if length > 127:"):
                self.lines.add(f"length, position = {long}(buffer, position - 1)")
        with self.lines.block("if not length:" if compact else "if length < 0:"):
            self.lines.add(f"{variable} = None" if value.nullable else "raise Malformed")
        body = [
            f"end = position + length{' - 1' if compact else ''}",
            self._slice(value, variable),
            "position = end",
        ]
        if value.nullable:
            with self.lines.block("else:"):
                self.lines.add(*body)
        else:
            self.lines.add(*body)

    @staticmethod
    def _slice(value: VariableValue, variable: str) -> str:
        if value.kind is Variable.STRING:
            return f'{variable} = str(buffer[position:end], "utf-8")'
        if value.zero_copy:
            return f"{variable} = memoryview(buffer)[position:end]"
        return f"{variable} = bytes(buffer[position:end])"

    def _array(self, value: ArrayValue, variable: str) -> None:
        compact = value.length is LengthForm.COMPACT
        if compact:
            with self.lines.block("if count > 127:"):
                self.lines.add("count, position = read_unsigned_varint(buffer, position - 1)")
        with self.lines.block("if not count:" if compact else "if count < 0:"):
            self.lines.add(f"{variable} = None" if value.nullable else "raise Malformed")
        if value.nullable:
            with self.lines.block("else:"):
                self._elements(value, variable, compact)
        else:
            self._elements(value, variable, compact)

    def _elements(self, value: ArrayValue, variable: str, compact: bool) -> None:
        if compact:
            self.lines.add("count -= 1")
        match value.element:
            case FixedValue(Primitive.INT32):
                many = 'unpack_many("i", 4, count, buffer, position)'
                with self.lines.block("if count < TABLE_SIZE:"):
                    self.lines.add(f"{variable} = [*UNPACK_INT32[count](buffer, position)]")
                with self.lines.block("else:"):
                    self.lines.add(f"{variable} = {many}")
                self.lines.add("position += count * 4")
            case FixedValue(primitive):
                self.lines.add(
                    f'{variable} = unpack_many("{primitive.code}", {primitive.size}, count, buffer, position)',
                    f"position += count * {primitive.size}",
                )
            case element:
                with self.lines.block("if count > len(buffer) - position:"):
                    self.lines.add("raise Malformed")
                self.lines.add(f"{variable} = []")
                with self.lines.block("for _ in range(count):"):
                    self._value(element, f"{variable}_item")
                    self.lines.add(f"{variable}.append({variable}_item)")

    # -- the tag section ---------------------------------------------------------------------------------------

    def _tags(self, layout: StructLayout) -> None:
        for entry in layout.tagged:
            kind = annotation(self.message, entry.field)
            unset = literal(self.message, entry.field)
            if unset == "None" and not kind.endswith("| None"):
                kind += " | None"
            self.lines.add(f"{naming.local(entry.field.name)}: {kind} = {unset}")
        self.lines.add("unknown: dict[int, bytes] | None = None")
        known_elsewhere = [field.tag for field in layout.absent if field.tag is not None]
        known_elsewhere += [entry.field.tag for entry in layout.fields if entry.field.tag is not None]
        with self.lines.block("if tags:"):
            if not layout.tagged and not known_elsewhere:
                self.lines.add("unknown, position = read_unknown_tags(buffer, position - 1)")
                return
            self.lines.add("sections, end_of_tags = read_tag_section(buffer, position - 1)")
            with self.lines.block("for tag, position, stop in sections:"):
                for index, entry in enumerate(layout.tagged):
                    with self.lines.block(f"{'elif' if index else 'if'} tag == {entry.field.tag}:"):
                        self._tagged_value(entry)
                first = not layout.tagged
                if known_elsewhere:
                    known = ", ".join(str(tag) for tag in sorted(known_elsewhere))
                    with self.lines.block(f"{'if' if first else 'elif'} tag in ({known},):"):
                        self.lines.add("raise Malformed")
                with self.lines.block("else:"):
                    self.lines.add(
                        "unknown = unknown or {}",
                        "unknown[tag] = bytes(buffer[position:stop])",
                        "position = stop",
                    )
                with self.lines.block("if position != stop:"):
                    self.lines.add("raise Malformed")
            self.lines.add("position = end_of_tags")

    def _tagged_value(self, entry: FieldLayout) -> None:
        variable = naming.local(entry.field.name)
        value = entry.value
        if isinstance(value, StructValue) and value.nullable:
            self.lines.add("length, position = read_unsigned_varint(buffer, position)")
            with self.lines.block("if not length:"):
                self.lines.add(f"{variable} = None")
            with self.lines.block("else:"):
                self._struct(value.layout, variable)
            return
        self._value(value, variable)
        self._flush()
