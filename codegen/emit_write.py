"""Emits the functions that write a struct in one layout.

They append pieces to a list, and `kafkaproto.message` joins the list at the end, so that large values are copied once.
As in reading, fixed-size fields are packed together with the length that follows them; a length of more than one byte
takes another branch. A field that the version does not have must be at its default unless it is ignorable.

A struct with arrays of structs or strings has a second function, which writes large messages in steps. It is a
generator that yields after each element.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from codegen import naming
from codegen.literals import python_literal
from codegen.model import ArrayType, Field, MessageModel, NotNull, Primitive, StructType, Variable
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

FunctionNames = Callable[[StructLayout, bool], str]
"""The name of the function that writes a struct of a layout: at once, or in steps."""


class WriteEmitter:
    def __init__(self, message: MessageModel, lines: Lines, layouts: Layouts, names: FunctionNames) -> None:
        self.message = message
        self.lines = lines
        self.layouts = layouts
        self.names = names
        self.run: list[tuple[str, str]] = []
        self.out = "out"
        self.in_steps = False

    def steps(self, layout: StructLayout) -> None:
        """The whole function that writes in steps; the struct must have loops."""
        self.in_steps = True
        self.function(layout)
        self.in_steps = False

    def function(self, layout: StructLayout) -> None:
        class_name = naming.class_name(self.message, layout.struct)
        name = self.names(layout, self.in_steps)
        result = "Steps[None]" if self.in_steps else "None"
        self.lines.call(f"def {name}", ["out: Pieces", f"message: {class_name}"], f" -> {result}:")
        with self.lines.indented():
            for field in layout.absent:
                if not field.ignorable:
                    self._refuse_set(field)
            for entry in layout.fields:
                self._field(entry)
            if layout.flexible:
                self._tags(layout)
            else:
                self._flush()
                with self.lines.block("if message.unknown_tags:"):
                    self.lines.add("raise Malformed")
        self.lines.add("", "")

    def _refuse_set(self, field: Field) -> None:
        """A field that the version does not have and that may not be dropped."""
        self._if_set(field)
        with self.lines.indented():
            self.lines.add("raise Malformed")

    def _if_set(self, field: Field) -> None:
        """The head of a block for a field that is not at its default; one made on demand is then in its local."""
        source = f"message.{naming.slot(field)}"
        if field.made_on_demand:
            local = naming.local(field.name)
            self.lines.add(f"{local} = {source}")
            self.lines.condition(struct_differences(self.message, field, local), f"{local} is not None")
        else:
            self.lines.condition(differences(self.message, field, source))

    def _field(self, entry: FieldLayout) -> None:
        """One field; what is used more than once goes through a local variable."""
        source = f"message.{naming.attribute(entry.field.name)}"
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

    def _append(self, piece: str) -> None:
        self.lines.add(f"{self.out}.append({piece})")

    def _write_run(self, *more: tuple[str, str]) -> None:
        """Write what has been collected, and ``more`` behind it; what was collected stays collected."""
        run = [*self.run, *more]
        codes = "".join(code for _, code in run)
        if codes == "B":
            value = run[0][0]
            self._append(r'b"\x00"' if value == "0" else f"BYTES[{value}]")
        elif codes == "16s":
            self._append(run[0][0])
        elif run:
            self.lines.call(f"{self.out}.append({self.layouts.pack(codes)}", [value for value, _ in run], ")")

    def _flush(self, *more: tuple[str, str]) -> None:
        self._write_run(*more)
        self.run.clear()

    def _length(self, name: str, form: LengthForm, long: str) -> None:
        """Write the run and a length; a compact one of 128 or more needs more than a byte."""
        if form is LengthForm.COMPACT:
            with self.lines.block(f"if {name} < 128:"):
                self._write_run((name, "B"))
            with self.lines.block("else:"):
                self._write_run()
                self._append(f"{long}({name})")
        else:
            self._write_run((name, form.value))
        self.run.clear()

    # -- values ------------------------------------------------------------------------------------------------

    def _value(self, value: Value, variable: str) -> None:
        match value:
            case FixedValue(primitive):
                assert primitive is Primitive.UUID, "numbers are packed straight from their attribute"
                with self.lines.block(f"if len({variable}) != 16:"):
                    self.lines.add("raise Malformed")
                self.run.append((variable, primitive.code))
            case VariableValue():
                if value.zero_copy:
                    self._zero_copy(value, variable)
                else:
                    self._variable(value, variable)
            case ArrayValue():
                self._array(value, variable)
            case StructValue(layout, nullable):
                if not nullable:
                    self._flush()
                    self._struct(layout, variable)
                    return
                self._flush((f"-1 if {variable} is None else 1", "b"))
                with self.lines.block(f"if {variable} is not None:"):
                    self._struct(layout, variable)

    def _struct(self, layout: StructLayout, variable: str) -> None:
        in_steps = self._yields and layout.has_loops
        name = self.names(layout, in_steps)
        self.lines.add(f"{'yield from ' if in_steps else ''}{name}({self.out}, {variable})")

    @property
    def _yields(self) -> bool:
        # A tagged value is written in one go, because its length comes before it.
        return self.in_steps and self.out == "out"

    def _variable(self, value: VariableValue, variable: str) -> None:
        compact = value.length is LengthForm.COMPACT
        is_string = value.kind is Variable.STRING
        data = "data" if is_string else variable
        with self._null(value.nullable, compact, variable, f'{data} = b""'):
            if is_string:
                self.lines.add(f"data = {variable}.encode()")
            self.lines.add(f"length = len({data}){' + 1' if compact else ''}")
        self._length("length", value.length, "pack_string_length" if is_string else "pack_length")
        self._append(data)

    def _zero_copy(self, value: VariableValue, variable: str) -> None:
        """A buffer, or several that are written one after the other."""
        compact = value.length is LengthForm.COMPACT
        with self._null(value.nullable, compact, variable, f'{variable} = b""'):
            kind = f"sum(map(len, {variable})) if isinstance({variable}, list) else len({variable})"
            self.lines.add(f"length = ({kind}) + 1" if compact else f"length = {kind}")
        self._length("length", value.length, "pack_length")
        with self.lines.block(f"if isinstance({variable}, list):"):
            self.lines.add(f"{self.out}.extend({variable})")
        with self.lines.block("else:"):
            self._append(variable)

    def _null(
        self, nullable: bool, compact: bool, variable: str, instead: str, length: str = "length"
    ) -> AbstractContextManager[None]:
        """The encoding of null, and the block for all other values."""
        if not nullable:
            return nullcontext()
        with self.lines.block(f"if {variable} is None:"):
            self.lines.add(instead, f"{length} = {0 if compact else -1}")
        return self.lines.block("else:")

    def _array(self, value: ArrayValue, variable: str) -> None:
        compact = value.length is LengthForm.COMPACT
        with self._null(value.nullable, compact, variable, f"{variable} = EMPTY", "count"):
            self.lines.add(f"count = len({variable}){' + 1' if compact else ''}")
        self._length("count", value.length, "pack_length")
        match value.element:
            case FixedValue(Primitive.INT32):
                with self.lines.block(f"if len({variable}) < TABLE_SIZE:"):
                    self._append(f"PACK_INT32[len({variable})](*{variable})")
                with self.lines.block("else:"):
                    self._append(f'pack_many("i", {variable})')
            case FixedValue(Primitive.UUID):
                self._append(f"pack_uuids({variable})")
            case FixedValue(primitive):
                self._append(f'pack_many("{primitive.code}", {variable})')
            case element:
                item = f"{variable}_item"
                with self.lines.block(f"for {item} in {variable}:"):
                    self._value(element, item)
                    if self._yields:
                        self.lines.add("yield")

    # -- the tag section ---------------------------------------------------------------------------------------

    def _tags(self, layout: StructLayout) -> None:
        if not layout.tagged:
            with self.lines.block("if message.unknown_tags:"):
                self._write_run()
                self.lines.add("write_tag_section(out, (), message.unknown_tags)")
            with self.lines.block("else:"):
                self._write_run(("0", "B"))
            self.run.clear()
            return
        self._flush()
        self.lines.add("tagged = []", "section: Pieces")
        self.out = "section"
        for entry in layout.tagged:
            self._tagged_value(entry)
        self.out = "out"
        with self.lines.block("if tagged or message.unknown_tags:"):
            self.lines.add("write_tag_section(out, tagged, message.unknown_tags)")
        with self.lines.block("else:"):
            self.lines.add(r'out.append(b"\x00")')

    def _tagged_value(self, entry: FieldLayout) -> None:
        """A tagged field, if it is not at its default."""
        field, value = entry.field, entry.value
        self._if_set(field)
        with self.lines.indented():
            self.lines.add("section = []")
            if isinstance(value, StructValue) and value.nullable:
                self._nullable_struct(value, field)
            elif isinstance(value, StructValue) and field.made_on_demand:
                self._struct(value.layout, naming.local(field.name))
            else:
                self._field(entry)
                self._flush()
            self.lines.add(f'tagged.append(({field.tag}, b"".join(section)))')

    def _nullable_struct(self, value: StructValue, field: Field) -> None:
        """In a tag, 0 stands for null and 1 for a struct that follows."""
        variable = naming.local(field.name)
        self.lines.add(f"{variable} = message.{naming.attribute(field.name)}")
        with self.lines.block(f"if {variable} is None:"):
            self._append(r'b"\x00"')
        with self.lines.block("else:"):
            self._append(r'b"\x01"')
            self._struct(value.layout, variable)


def differences(message: MessageModel, field: Field, source: str) -> list[str]:
    """Expressions, at least one of which is true if the field is not at its default."""
    if field.default is NotNull.EMPTY:
        null = [f"{source} is None"] if field.nullable else []
        if isinstance(field.type, ArrayType):
            return [*null, f"len({source}) != 0"]
        return [*null, *struct_differences(message, field, source)]
    if field.default is None:
        return [f"{source} is not None"]
    if field.default is False:
        return [source]
    if field.default is True:
        return [f"not {source}"]
    if field.type is Primitive.UUID:
        return [f"{source} != ZERO_UUID"]
    return [f"{source} != {python_literal(field.default)}"]


def struct_differences(message: MessageModel, field: Field, source: str) -> list[str]:
    """Field by field: comparing with a struct of defaults would cost a call for every element."""
    assert isinstance(field.type, StructType)
    parts: list[str] = []
    for inner in message.structs[field.type.name].fields:
        parts += differences(message, inner, f"{source}.{naming.attribute(inner.name)}")
    return [*parts, f"{source}.unknown_tags"]
