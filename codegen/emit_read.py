"""Emits the functions that read a struct in one layout.

A run of fixed-size fields becomes one unpack, straight into the attributes. It also takes the length of the string or
array that follows, or the count of the tag section, so that most fields cost no call of their own. The code checks
nothing that Python or ``MessageModel.decode`` checks anyway: the end position shows a slice past the end, and unpacking
fails on a short buffer. Two costs that would be as high as all others together are avoided: an object is made without
its constructor, and one function with the loop inside reads all elements of an array.

A struct with arrays has a second function, which reads large requests in steps. It is a generator: it takes each
array's elements from a budget before it makes them, and yields between them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from codegen import naming
from codegen.literals import annotation, default_at_read
from codegen.model import Field, MessageModel, Primitive, Variable
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

FunctionNames = Callable[[StructLayout, bool, bool], str]
"""The name of the function that reads one struct of a layout, or many of them; at once, or in steps."""


class ReadEmitter:
    def __init__(self, message: MessageModel, lines: Lines, layouts: Layouts, names: FunctionNames) -> None:
        self.message = message
        self.lines = lines
        self.layouts = layouts
        self.names = names
        self.run: list[tuple[str, str, int]] = []
        self.in_steps = False

    def steps(self, layout: StructLayout, many: bool) -> None:
        """The function that reads one struct, or many, in steps; the struct must have arrays."""
        self.in_steps = True
        if many:
            self.many(layout)
        else:
            self.one(layout)
        self.in_steps = False

    def one(self, layout: StructLayout) -> None:
        """The function that reads one struct."""
        class_name = naming.class_name(self.message, layout.struct)
        is_root = layout.struct is self.message.root
        parameters = ["buffer: Buffer", "position: int"]
        if layout.has_views and not is_root:
            parameters.append("view: memoryview")
        self._head(layout, False, parameters, class_name)
        with self.lines.indented():
            if layout.has_views and is_root:
                self.lines.add("view = memoryview(buffer)")
            self._body(layout, class_name)
            self.lines.add("return message, position")
        self.lines.add("", "")

    def many(self, layout: StructLayout) -> None:
        """The function that reads the elements of an array, whose count it is given."""
        class_name = naming.class_name(self.message, layout.struct)
        parameters = ["buffer: Buffer", "position: int", "size: int"]
        if layout.has_views:
            parameters.append("view: memoryview")
        self._head(layout, True, parameters, f"list[{class_name}]")
        with self.lines.indented():
            with self.lines.block("if size > len(buffer) - position:"):
                self.lines.add("raise Malformed")
            self.lines.add(f"found: list[{class_name}] = []")
            with self.lines.block("for _ in range(size):"):
                self._body(layout, class_name)
                self.lines.add("found.append(message)")
                if self.in_steps:
                    self.lines.add("yield")
            self.lines.add("return found, position")
        self.lines.add("", "")

    def _head(self, layout: StructLayout, many: bool, parameters: list[str], found: str) -> None:
        result = f"tuple[{found}, int]"
        if self.in_steps:
            parameters = [*parameters, "budget: Budget"]
            result = f"Steps[{result}]"
        self.lines.call(f"def {self.names(layout, many, self.in_steps)}", parameters, f" -> {result}:")

    def _body(self, layout: StructLayout, class_name: str) -> None:
        """Read a struct into ``message``."""
        self.lines.call(f"message = {class_name}.__new__", [class_name])
        for entry in layout.fields:
            self._value(entry.value, self._target(entry.field), entry.field)
        if layout.flexible:
            self._take("tags", "B", 1)
        self._flush()
        for field in layout.absent:
            self._unset(field)
        self._tags(layout)

    def _target(self, field: Field) -> str:
        return f"message.{naming.slot(field)}"

    def _unset(self, field: Field) -> None:
        self.lines.add(f"{self._target(field)} = {default_at_read(self.message, field)}")

    # -- runs of fixed-size values -----------------------------------------------------------------------------

    def _take(self, target: str, code: str, size: int) -> None:
        self.run.append((target, code, size))

    def _flush(self) -> None:
        if not self.run:
            return
        targets = [target for target, _, _ in self.run]
        codes = "".join(code for _, code, _ in self.run)
        if codes == "B":
            self.lines.add(f"{targets[0]} = buffer[position]")
        elif codes == "?":
            self.lines.add(f"{targets[0]} = buffer[position] != 0")
        else:
            self.lines.unpack(targets, f"{self.layouts.unpack(codes)}(buffer, position)")
        self.lines.add(f"position += {sum(size for _, _, size in self.run)}")
        self.run.clear()

    # -- values ------------------------------------------------------------------------------------------------

    def _value(self, value: Value, target: str, field: Field) -> None:
        match value:
            case FixedValue(primitive):
                self._take(target, primitive.code, primitive.size)
            case VariableValue():
                self._length("length", value.length)
                self._variable(value, target)
            case ArrayValue():
                self._length("count", value.length)
                self._array(value, target, field)
            case StructValue(layout, nullable):
                if nullable:
                    self._take("mark", "b", 1)
                self._flush()
                if nullable:
                    with self.lines.block("if mark < 0:"):
                        self.lines.add(f"{target} = None")
                    with self.lines.block("else:"):
                        self._struct(layout, target)
                else:
                    self._struct(layout, target)

    def _struct(self, layout: StructLayout, target: str) -> None:
        in_steps = self.in_steps and layout.has_arrays
        call, more = ("yield from ", ", budget") if in_steps else ("", "")
        view = ", view" if layout.has_views else ""
        name = self.names(layout, False, in_steps)
        self.lines.add(f"{target}, position = {call}{name}(buffer, position{view}{more})")
        if self.in_steps and not in_steps:
            self.lines.add(f"budget.take_tags(({target},))")

    def _length(self, name: str, form: LengthForm) -> None:
        """Read a length or count with the run before it; of a compact one, its first byte."""
        self._take(name, form.value, {LengthForm.INT16: 2, LengthForm.INT32: 4, LengthForm.COMPACT: 1}[form])
        self._flush()

    def _variable(self, value: VariableValue, target: str) -> None:
        compact = value.length is LengthForm.COMPACT
        if compact:
            long = "read_string_length" if value.kind is Variable.STRING else "read_long_length"
            with self.lines.block("if length > 127:"):
                self.lines.add(f"length, position = {long}(buffer, position, length)")
        with self._null("length", compact, value.nullable, target):
            self.lines.add(
                f"end = position + length{' - 1' if compact else ''}",
                self._slice(value, target),
                "position = end",
            )

    def _null(self, length: str, compact: bool, nullable: bool, target: str) -> AbstractContextManager[None]:
        """What the reader does for a null, and the block for all other values."""
        with self.lines.block(f"if not {length}:" if compact else f"if {length} < 0:"):
            self.lines.add(f"{target} = None" if nullable else "raise Malformed")
        return self.lines.block("else:") if nullable else nullcontext()

    @staticmethod
    def _slice(value: VariableValue, target: str) -> str:
        if value.kind is Variable.STRING:
            return f'{target} = str(buffer[position:end], "utf-8")'
        if value.zero_copy:
            return f"{target} = view[position:end]"
        return f"{target} = bytes(buffer[position:end])"

    def _array(self, value: ArrayValue, target: str, field: Field) -> None:
        compact = value.length is LengthForm.COMPACT
        if compact:
            with self.lines.block("if count > 127:"):
                self.lines.add("count, position = read_long_length(buffer, position, count)")
        if self.in_steps:
            where = f"{naming.class_name(self.message, self.message.root)}.{naming.attribute(field.name)}"
            self.lines.add(f'budget.take(count{" - 1" if compact else ""}, "{where}")')
        match value.element:
            case FixedValue(primitive):
                with self._null("count", compact, value.nullable, target):
                    self._numbers(primitive, target, compact)
            case VariableValue():
                with self._null("count", compact, value.nullable, target):
                    self._texts(value.element, target, field, compact)
            case StructValue(layout):
                self._structs(layout, value, target)

    def _numbers(self, primitive: Primitive, target: str, compact: bool) -> None:
        """An array of values of one size; a short one of int32 is taken by a prepared layout."""
        count = "count - 1" if compact else "count"
        many = f'{target} = unpack_many("{primitive.code}", {primitive.size}, {count}, buffer, position)'
        if primitive is Primitive.INT32:
            with self.lines.block(f"if {count} < TABLE_SIZE:"):
                self.lines.add(f"{target} = [*UNPACK_INT32[{count}](buffer, position)]")
            with self.lines.block("else:"):
                self.lines.add(many)
        else:
            self.lines.add(many)
        self.lines.add(f"position += count * {primitive.size}{f' - {primitive.size}' if compact else ''}")
        if self.in_steps:
            self.lines.add("yield")

    def _structs(self, layout: StructLayout, value: ArrayValue, target: str) -> None:
        """An array of structs; an empty one, the most common, costs no call."""
        compact = value.length is LengthForm.COMPACT
        view = ", view" if layout.has_views else ""
        count = "count - 1" if compact else "count"
        name = self.names(layout, True, self.in_steps and layout.has_arrays)
        call = f"{name}(buffer, position, {count}{view})"
        if self.in_steps and layout.has_arrays:
            call = f"yield from {name}(buffer, position, {count}{view}, budget)"
        with self.lines.block("if count > 1:" if compact else "if count > 0:"):
            if self.in_steps and not layout.has_arrays:
                self._flat_structs(name, target, count, view)
            else:
                self.lines.add(f"{target}, position = {call}")
        with self.lines.block("elif count:" if compact else "elif not count:"):
            self.lines.add(f"{target} = []")
        with self.lines.block("else:"):
            self.lines.add(f"{target} = None" if value.nullable else "raise Malformed")

    def _flat_structs(self, name: str, target: str, count: str, view: str) -> None:
        """An array of structs without arrays: a short one is read at once, a long one piece by piece."""
        with self.lines.block(f"if {count} > ELEMENTS_A_STEP:"):
            self.lines.call(
                f"{target}, position = yield from read_pieces",
                [name, "buffer", "position", count, "budget", *(["view"] if view else [])],
            )
        with self.lines.block("else:"):
            self.lines.add(
                f"{target}, position = {name}(buffer, position, {count}{view})", f"budget.take_tags({target})"
            )

    def _texts(self, element: VariableValue, target: str, field: Field, compact: bool) -> None:
        """An array of strings or bytes."""
        local = naming.local(field.name)
        kind = annotation(self.message, field).removesuffix(" | None")
        self.lines.add(f"{local}: {kind} = []", f"{target} = {local}")
        with self.lines.block(f"if count{' - 1' if compact else ''} > len(buffer) - position:"):
            self.lines.add("raise Malformed")
        with self.lines.block(f"for _ in range({'1, ' if compact else ''}count):"):
            self._value(element, f"{local}_item", field)
            self.lines.add(f"{local}.append({local}_item)")
            if self.in_steps:
                self.lines.add("yield")

    # -- the tag section ---------------------------------------------------------------------------------------

    def _tags(self, layout: StructLayout) -> None:
        for entry in layout.tagged:
            self._unset(entry.field)
        self.lines.add("message.unknown_tags = None")
        if not layout.flexible:
            return
        refused = sorted(
            field.tag
            for field in (*layout.absent, *(entry.field for entry in layout.fields))
            if field.tag is not None
        )
        with self.lines.block("if tags:"):
            if not layout.tagged and not refused:
                self.lines.add("message.unknown_tags, position = read_unknown_tags(buffer, position - 1)")
                if self.in_steps:
                    self.lines.add("budget.take_tags((message,))")
                return
            self.lines.add("sections, end_of_tags = read_tag_section(buffer, position - 1)")
            with self.lines.block("for tag, position, stop in sections:"):
                word = "if"
                for entry in layout.tagged:
                    with self.lines.block(f"{word} tag == {entry.field.tag}:"):
                        self._tagged_value(entry)
                    word = "elif"
                if refused:
                    with self.lines.block(f"{word} tag in ({', '.join(map(str, refused))},):"):
                        self.lines.add("raise Malformed")
                with self.lines.block("else:"):
                    with self.lines.block("if message.unknown_tags is None:"):
                        self.lines.add("message.unknown_tags = {}")
                    self.lines.add(
                        "message.unknown_tags[tag] = bytes(buffer[position:stop])", "position = stop"
                    )
                with self.lines.block("if position != stop:"):
                    self.lines.add("raise Malformed")
            self.lines.add("position = end_of_tags")
            if self.in_steps:
                self.lines.add("budget.take_tags((message,))")

    def _tagged_value(self, entry: FieldLayout) -> None:
        target = self._target(entry.field)
        value = entry.value
        if isinstance(value, StructValue) and value.nullable:
            self.lines.add("mark, position = read_unsigned_varint(buffer, position)")
            with self.lines.block("if not mark:"):
                self.lines.add(f"{target} = None")
            with self.lines.block("else:"):
                self._struct(value.layout, target)
            return
        self._value(value, target, entry.field)
        self._flush()
