"""Emits one module for a message of the model: classes, reading and writing functions, the run-time schema."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field

from codegen import naming
from codegen.emit_read import ReadEmitter
from codegen.emit_schema import emit_schema
from codegen.emit_write import WriteEmitter
from codegen.literals import annotation, default_at_read, literal, struct_default
from codegen.model import ArrayType, Field, MessageModel, MessageType, NotNull, StructModel, StructType
from codegen.resolve import ArrayValue, StructLayout, StructValue, resolve
from codegen.text import Layouts, Lines

_SUPPORT = (
    "BYTES ELEMENTS_A_STEP EMPTY PACK_INT32 TABLE_SIZE UNPACK_INT32 Budget Buffer Buffers Malformed Pieces Steps "
    "pack_length pack_many pack_string_length pack_uuids read_long_length read_pieces read_string_length "
    "read_tag_section read_unknown_tags unpack_many write_tag_section"
).split()
_PRIMITIVES = ["read_unsigned_varint"]
_WIDTH = 108


def _is_read_in_steps(message: MessageModel, layout: StructLayout) -> bool:
    """Whether a server may have to read a struct in steps: it belongs to a request, and has arrays."""
    return message.type is MessageType.REQUEST and layout.has_arrays


def _is_written_in_steps(message: MessageModel, layout: StructLayout) -> bool:
    """Whether a server may have to write a struct in steps: it belongs to a response, and has long arrays."""
    return message.type is MessageType.RESPONSE and layout.has_loops


@dataclass(slots=True)
class _Functions:
    """Names of the functions for each distinct layout, those of inner structs first."""

    message: MessageModel
    names: dict[StructLayout, int] = field(default_factory=dict)
    """Layout -> the version in which it is first seen."""
    readers: dict[tuple[StructLayout, bool], None] = field(default_factory=dict)
    """The readers that are needed: a layout, and whether many structs of it are read in an array."""

    def add(self, layout: StructLayout, version: int, many: bool = False) -> None:
        if layout not in self.names:
            for entry in (*layout.fields, *layout.tagged):
                is_array = isinstance(entry.value, ArrayValue)
                value = entry.value.element if isinstance(entry.value, ArrayValue) else entry.value
                if isinstance(value, StructValue):
                    self.add(value.layout, version, is_array)
            self.names[layout] = version
        self.readers[layout, many] = None

    def reader(self, layout: StructLayout, many: bool, in_steps: bool) -> str:
        verb = f"{'step' if in_steps else 'read'}{'_many' if many else ''}"
        return naming.function(verb, self.message, layout.struct, self.names[layout])

    def writer(self, layout: StructLayout, in_steps: bool) -> str:
        verb = "step_write" if in_steps else "write"
        return naming.function(verb, self.message, layout.struct, self.names[layout])

    def root_tables(self, roots: list[StructLayout]) -> list[tuple[str, list[str]]]:
        """The tables of functions by version; None for a version that is always read or written in one go."""
        tables = [
            ("_READERS", [self.reader(root, False, False) for root in roots]),
            ("_WRITERS", [self.writer(root, False) for root in roots]),
        ]
        if any(_is_read_in_steps(self.message, root) for root in roots):
            names = [self.reader(root, False, True) if root.has_arrays else "None" for root in roots]
            tables.append(("_STEP_READERS", names))
        if any(_is_written_in_steps(self.message, root) for root in roots):
            names = [self.writer(root, True) if root.has_loops else "None" for root in roots]
            tables.append(("_STEP_WRITERS", names))
        return tables


def emit_module(message: MessageModel) -> str:
    """The whole module of a message that has at least one version."""
    assert message.versions, f"{message.name} has no version to generate code for"
    layouts = Layouts()
    functions = _Functions(message)
    roots = {version: resolve(message, version) for version in _versions(message)}
    for version, root in roots.items():
        functions.add(root, version)
    body = Lines()
    for struct in message.structs.values():
        _emit_class(message, struct, body)
    reader = ReadEmitter(message, body, layouts, functions.reader)
    writer = WriteEmitter(message, body, layouts, functions.writer)
    for layout, many in functions.readers:
        if many:
            reader.many(layout)
        else:
            reader.one(layout)
        if _is_read_in_steps(message, layout):
            reader.steps(layout, many)
    for layout in functions.names:
        writer.function(layout)
        if _is_written_in_steps(message, layout):
            writer.steps(layout)
    tables = functions.root_tables(list(roots.values()))
    for table, names in tables:
        with body.block(f"{table} = ("):
            body.add(*(f"{name}," for name in names))
        body.add(")", "")
    body.add("")
    emit_schema(message, body)
    return _head(message, body.text(), layouts) + body.text()


def _versions(message: MessageModel) -> range:
    return range(message.versions.lowest, message.versions.highest + 1)


def _head(message: MessageModel, body: str, layouts: Layouts) -> str:
    lines = Lines()
    flexible = f", flexible from {message.flexible.lowest}" if message.flexible else ", never flexible"
    key = {"request": "api key", "response": "api key"}.get(message.type.value, "record type")
    keyed = "" if message.api_key is None else f", {key} {message.api_key}"
    lines.add(f'"""{message.name}: versions {message.versions}{flexible}{keyed}.', "")
    lines.add(f"Generated from {message.source} by codegen; change the schema, not this file.", '"""', "")
    lines.add("from __future__ import annotations", "")
    if layouts.definitions():
        lines.add("import struct")
    type_alias = ", TypeAlias" if _mentions(body, "TypeAlias") else ""
    lines.add("from functools import cache", f"from typing import ClassVar{type_alias}", "")
    structs = ", Struct" if _mentions(body, "Struct") else ""
    lines.add(f"from kafkaproto.message import Message{structs}")
    used = [name for name in _PRIMITIVES if _mentions(body, name)]
    if used:
        lines.add(f"from kafkaproto.primitives import {', '.join(used)}")
    names = ["NEVER", "Default", "FieldSchema", "MessageSchema", "StructSchema"]
    lines.add(f"from kafkaproto.schema import {', '.join(name for name in names if _mentions(body, name))}")
    _add_import(lines, "kafkaproto.support", [name for name in _SUPPORT if _mentions(body, name)])
    lines.add("")
    if "ZERO_UUID" in body:
        lines.add("ZERO_UUID = bytes(16)")
    lines.add(*layouts.definitions(), "", "")
    return lines.text()


def _mentions(body: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", body) is not None


def _add_import(lines: Lines, module: str, names: list[str]) -> None:
    one = f"from {module} import {', '.join(names)}"
    if len(one) <= _WIDTH:
        lines.add(one)
        return
    with lines.block(f"from {module} import ("):
        lines.add(*(f"{name}," for name in names))
    lines.add(")")


# -- classes -----------------------------------------------------------------------------------------------------


def _emit_class(message: MessageModel, struct: StructModel, lines: Lines) -> None:
    is_root = struct is message.root
    name = naming.class_name(message, struct)
    with lines.block(f"class {name}({'Message' if is_root else 'Struct'}):"):
        about = struct.about or (
            f"{message.type.value.capitalize()} {message.name}."
            if is_root
            else f"{struct.name} of {message.name}."
        )
        _docstring(lines, about)
        lines.add("")
        slots = [naming.slot(entry) for entry in struct.fields] + ["unknown_tags"]
        _wrapped(lines, "__slots__ = (", [f'"{slot}"' for slot in slots], ")")
        lines.add("")
        if is_root:
            _message_constants(message, lines)
        for entry in struct.fields:
            if entry.made_on_demand:
                lines.add(f"{naming.slot(entry)}: {annotation(message, entry)} | None")
                continue
            lines.add(f"{naming.attribute(entry.name)}: {annotation(message, entry)}")
            _docstring(lines, _describe(entry))
        lines.add(
            "unknown_tags: dict[int, bytes] | None",
            '"""Tagged fields that this release does not know."""',
            "",
        )
        _constructor(message, struct, lines)
        for entry in struct.fields:
            if entry.made_on_demand:
                _property(message, entry, lines)
        _equality(struct, name, lines)
        if is_root:
            _methods(message, lines)
    lines.add("", "")
    for other in message.structs.values():
        for entry in other.fields:
            if entry.nullable and entry.default is NotNull.EMPTY and entry.type == StructType(struct.name):
                lines.add(f"{struct_default(message, entry)} = {name}()", "", "")


def _message_constants(message: MessageModel, lines: Lines) -> None:
    flexible = message.flexible.lowest if message.flexible & message.versions else None
    lines.add(
        f'NAME: ClassVar[str] = "{message.name}"',
        f'TYPE: ClassVar[str] = "{message.type.value}"',
        f"API_KEY: ClassVar[int | None] = {message.api_key}",
        f"MIN_VERSION: ClassVar[int] = {message.versions.lowest}",
        f"MAX_VERSION: ClassVar[int] = {message.versions.highest}",
        f"FLEXIBLE_FROM: ClassVar[int | None] = {flexible}",
        f"LATEST_VERSION_UNSTABLE: ClassVar[bool] = {message.latest_version_unstable}",
    )
    listeners = "".join(f'"{listener}", ' for listener in message.listeners).rstrip()
    lines.add(
        f"LISTENERS: ClassVar[tuple[str, ...]] = ({listeners.removesuffix(',') + ',' if listeners else ''})"
    )
    for struct in message.structs.values():
        alias = naming.alias(message, struct)
        if struct is not message.root:
            lines.add(f"{alias}: TypeAlias = {naming.class_name(message, struct)}")
    lines.add("")


def _describe(entry: Field) -> str:
    parts = [f"{entry.about} " if entry.about else "", f"Versions {entry.versions}"]
    if entry.nullable:
        parts.append(f", null in {entry.nullable}")
    if entry.tag is not None:
        parts.append(f", tag {entry.tag} in {entry.tagged}")
    if entry.ignorable:
        parts.append(", dropped where a version lacks it")
    return "".join(parts) + "."


def _docstring(lines: Lines, text: str) -> None:
    wrapped = textwrap.wrap(text.replace("\\", "\\\\").replace('"', '\\"'), _WIDTH - 14)
    if len(wrapped) == 1:
        lines.add(f'"""{wrapped[0]}"""')
    else:
        lines.add(f'"""{wrapped[0]}', *wrapped[1:], '"""')


def _wrapped(lines: Lines, head: str, items: list[str], tail: str) -> None:
    one = f"{head}{', '.join(items)}{',' if len(items) == 1 else ''}{tail}"
    if len(one) <= _WIDTH - 8:
        lines.add(one)
        return
    with lines.block(head):
        lines.add(*(f"{item}," for item in items))
    lines.add(tail)


def _constructor(message: MessageModel, struct: StructModel, lines: Lines) -> None:
    parameters = ["self", *(_parameter(message, entry) for entry in struct.fields)]
    parameters.append("unknown_tags: dict[int, bytes] | None = None")
    _wrapped(lines, "def __init__(", parameters, ") -> None:")
    with lines.indented():
        for entry in struct.fields:
            lines.add(f"self.{naming.slot(entry)} = {_initial(message, entry)}")
        lines.add("self.unknown_tags = unknown_tags")
    lines.add("")


def _parameter(message: MessageModel, entry: Field) -> str:
    name, kind = naming.attribute(entry.name), annotation(message, entry)
    if entry.default is NotNull.EMPTY and isinstance(entry.type, ArrayType):
        return f"{name}: {kind} = EMPTY"
    if entry.made_on_demand:
        return f"{name}: {kind} | None = None"
    return f"{name}: {kind} = {literal(message, entry)}"


def _initial(message: MessageModel, entry: Field) -> str:
    name = naming.attribute(entry.name)
    if entry.default is not NotNull.EMPTY or entry.made_on_demand:
        return name
    if isinstance(entry.type, ArrayType):
        return f"[] if {name} is EMPTY else {name}"
    return f"{default_at_read(message, entry)} if {name} is {struct_default(message, entry)} else {name}"


def _property(message: MessageModel, entry: Field, lines: Lines) -> None:
    """A struct that is made when first asked for."""
    name, kind = naming.attribute(entry.name), annotation(message, entry)
    lines.add("@property")
    with lines.block(f"def {name}(self) -> {kind}:"):
        _docstring(lines, _describe(entry))
        with lines.block(f"if self._{name} is None:"):
            lines.add(f"self._{name} = {kind}()")
        lines.add(f"return self._{name}")
    lines.add("", f"@{name}.setter")
    with lines.block(f"def {name}(self, value: {kind}) -> None:"):
        lines.add(f"self._{name} = value")
    lines.add("")


def _equality(struct: StructModel, name: str, lines: Lines) -> None:
    with lines.block("def __eq__(self, other: object) -> bool:"), lines.block("return ("):
        lines.add(f"isinstance(other, {name})")
        for attribute in [naming.attribute(entry.name) for entry in struct.fields] + ["unknown_tags"]:
            lines.add(f"and self.{attribute} == other.{attribute}")
    lines.add("    )", "")


def _methods(message: MessageModel, lines: Lines) -> None:
    name = naming.class_name(message, message.root)
    lowest = f" - {message.versions.lowest}" if message.versions.lowest else ""
    lines.add("@staticmethod")
    lines.call("def _read", ["buffer: Buffer", "position: int", "version: int"], f" -> tuple[{name}, int]:")
    with lines.indented():
        lines.add(f"return _READERS[version{lowest}](buffer, position)")
    lines.add("")
    with lines.block("def _write(self, out: Pieces, version: int) -> None:"):
        lines.add(f"_WRITERS[version{lowest}](out, self)")
    _step_methods(message, name, lowest, lines)
    lines.add("", "@staticmethod")
    with lines.block("def schema() -> MessageSchema:"):
        lines.add('"""What the fields are; built once, when first asked for."""', "return _schema()")


def _step_methods(message: MessageModel, name: str, lowest: str, lines: Lines) -> None:
    roots = [resolve(message, version) for version in _versions(message)]
    if any(_is_read_in_steps(message, root) for root in roots):
        parameters = ["buffer: Buffer", "position: int", "version: int", "budget: Budget"]
        lines.add("", "@staticmethod")
        lines.call("def _step_read", parameters, f" -> Steps[tuple[{name}, int]] | None:")
        with lines.indented():
            lines.add(f"read = _STEP_READERS[version{lowest}]")
            lines.add("return None if read is None else read(buffer, position, budget)")
    if any(_is_written_in_steps(message, root) for root in roots):
        lines.add("")
        with lines.block("def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:"):
            lines.add(f"write = _STEP_WRITERS[version{lowest}]")
            lines.add("return None if write is None else write(out, self)")
