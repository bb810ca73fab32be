"""Slow codecs made of `construct` parts, straight from the JSON schemas: an oracle for the generated ones.

Nothing of codegen and nothing of the generated code is used, not even the same parser of the schema files. A codec
turns a message into nested dicts (keys are the schema's field names, ``_tags`` holds unknown tags) and back.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import construct as c  # type: ignore[import-untyped]

FOLDER = Path(__file__).resolve().parents[3] / "messages"

_FIXED = {
    "bool": c.Flag,
    "int8": c.Int8sb,
    "int16": c.Int16sb,
    "uint16": c.Int16ub,
    "int32": c.Int32sb,
    "uint32": c.Int32ub,
    "int64": c.Int64sb,
    "float64": c.Float64b,
    "uuid": c.Bytes(16),
}


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """Every schema file by the name of its message."""
    result = {}
    for path in FOLDER.rglob("*.json"):
        document = json.loads(re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE))
        if document["validVersions"] != "none":
            result[document["name"]] = document
    return result


def covers(versions: str, version: int) -> bool:
    """Whether a range such as ``0-4``, ``2+`` or ``none`` holds a version."""
    if versions == "none":
        return False
    if versions.endswith("+"):
        return version >= int(versions[:-1])
    first, _, last = versions.partition("-")
    return int(first) <= version <= int(last or first)


def codec(name: str, version: int) -> c.Construct:
    """The codec of a message at a version."""
    schema = schemas()[name]
    structs = {common["name"]: common["fields"] for common in schema.get("commonStructs", [])}
    _collect(schema.get("fields", []), structs)
    flexible = covers(schema["flexibleVersions"], version)
    return _Codecs(structs, version, flexible).struct(schema.get("fields", []))


def defaults(name: str, version: int) -> dict[str, Any]:
    """A message of which nobody has set a field."""
    schema = schemas()[name]
    structs = {common["name"]: common["fields"] for common in schema.get("commonStructs", [])}
    structs[name] = schema.get("fields", [])
    _collect(structs[name], structs)
    flexible = covers(schema["flexibleVersions"], version)
    found: dict[str, Any] = _Codecs(structs, version, flexible).default({"type": name})
    return found


def _collect(fields: list[dict[str, Any]], structs: dict[str, Any]) -> None:
    for field in fields:
        if "fields" in field:
            structs[field["type"].removeprefix("[]")] = field["fields"]
            _collect(field["fields"], structs)


class _PlusOne(c.Adapter):  # type: ignore[misc]
    """Compact lengths are written as the length plus one."""

    def _decode(self, obj: int, context: Any, path: str) -> int:
        return obj - 1

    def _encode(self, obj: int, context: Any, path: str) -> int:
        return obj + 1


class _Sized(c.Construct):  # type: ignore[misc]
    """A length, and so many bytes; None is length -1."""

    def __init__(self, length: c.Construct) -> None:
        super().__init__()
        self.length = length

    def _parse(self, stream: Any, context: Any, path: str) -> bytes | None:
        size = self.length._parsereport(stream, context, path)
        return None if size < 0 else c.stream_read(stream, size, path)

    def _build(self, obj: bytes | None, stream: Any, context: Any, path: str) -> bytes | None:
        self.length._build(-1 if obj is None else len(obj), stream, context, path)
        if obj is not None:
            c.stream_write(stream, obj, len(obj), path)
        return obj


class _Text(c.Adapter):  # type: ignore[misc]
    def _decode(self, obj: bytes | None, context: Any, path: str) -> str | None:
        return None if obj is None else obj.decode()

    def _encode(self, obj: str | None, context: Any, path: str) -> bytes | None:
        return None if obj is None else obj.encode()


class _Many(c.Construct):  # type: ignore[misc]
    """A count, and so many elements; None is count -1."""

    def __init__(self, count: c.Construct, element: c.Construct) -> None:
        super().__init__()
        self.count = count
        self.element = element

    def _parse(self, stream: Any, context: Any, path: str) -> list[Any] | None:
        size = self.count._parsereport(stream, context, path)
        return None if size < 0 else [self.element._parsereport(stream, context, path) for _ in range(size)]

    def _build(self, obj: list[Any] | None, stream: Any, context: Any, path: str) -> list[Any] | None:
        self.count._build(-1 if obj is None else len(obj), stream, context, path)
        for element in obj or ():
            self.element._build(element, stream, context, path)
        return obj


class _Optional(c.Construct):  # type: ignore[misc]
    """A struct with a mark in front that says whether it is there."""

    def __init__(self, mark: c.Construct, null_mark: int, inner: c.Construct) -> None:
        super().__init__()
        self.mark = mark
        self.null_mark = null_mark
        self.inner = inner

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if self.mark._parsereport(stream, context, path) == self.null_mark:
            return None
        return self.inner._parsereport(stream, context, path)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        self.mark._build(self.null_mark if obj is None else 1, stream, context, path)
        if obj is not None:
            self.inner._build(obj, stream, context, path)
        return obj


_TAG = c.Struct("tag" / c.VarInt, "value" / c.Prefixed(c.VarInt, c.GreedyBytes))
_TAGS = c.PrefixedArray(c.VarInt, _TAG)


class _Fields(c.Construct):  # type: ignore[misc]
    """The fields of a struct, and its tag section in flexible versions."""

    def __init__(
        self,
        plain: list[tuple[str, c.Construct]],
        tagged: dict[int, tuple[str, c.Construct, Any]],
        flexible: bool,
    ) -> None:
        super().__init__()
        self.plain = plain
        self.tagged = tagged
        self.flexible = flexible

    def _parse(self, stream: Any, context: Any, path: str) -> dict[str, Any]:
        result = {name: part._parsereport(stream, context, path) for name, part in self.plain}
        if self.flexible:
            result |= {name: default for name, _, default in self.tagged.values()}
            result["_tags"] = {}
            for entry in _TAGS._parsereport(stream, context, path):
                if entry.tag in self.tagged:
                    name, part, _ = self.tagged[entry.tag]
                    result[name] = part.parse(entry.value)
                else:
                    result["_tags"][entry.tag] = entry.value
        return result

    def _build(self, obj: dict[str, Any], stream: Any, context: Any, path: str) -> dict[str, Any]:
        for name, part in self.plain:
            part._build(obj[name], stream, context, path)
        if self.flexible:
            sections = dict(obj["_tags"])
            for tag, (name, part, default) in self.tagged.items():
                if obj[name] != default:
                    sections[tag] = part.build(obj[name])
            entries = [{"tag": tag, "value": sections[tag]} for tag in sorted(sections)]
            _TAGS._build(entries, stream, context, path)
        return obj


class _Codecs:
    def __init__(self, structs: dict[str, Any], version: int, flexible: bool) -> None:
        self.structs = structs
        self.version = version
        self.flexible = flexible

    def struct(self, fields: list[dict[str, Any]]) -> c.Construct:
        plain: list[tuple[str, c.Construct]] = []
        tagged: dict[int, tuple[str, c.Construct, Any]] = {}
        for field in fields:
            in_tag = covers(field.get("taggedVersions", "none"), self.version)
            if in_tag:
                tagged[field["tag"]] = (field["name"], self.field(field, True), self.default(field))
            elif covers(field.get("versions", "none"), self.version):
                plain.append((field["name"], self.field(field, False)))
        return _Fields(plain, tagged, self.flexible)

    def field(self, field: dict[str, Any], in_tag: bool) -> c.Construct:
        kind = field["type"]
        compact = self.flexible and field.get("flexibleVersions") != "none"
        if kind.startswith("[]"):
            return _Many(_PlusOne(c.VarInt) if compact else c.Int32sb, self.value(kind[2:], compact))
        inner = self.value(kind, compact)
        if kind in self.structs and covers(field.get("nullableVersions", "none"), self.version):
            return _Optional(c.VarInt, 0, inner) if in_tag else _Optional(c.Int8sb, -1, inner)
        return inner

    def value(self, kind: str, compact: bool) -> c.Construct:
        if kind in self.structs:
            return self.struct(self.structs[kind])
        if kind == "string":
            return _Text(_Sized(_PlusOne(c.VarInt) if compact else c.Int16sb))
        if kind in ("bytes", "records"):
            return _Sized(_PlusOne(c.VarInt) if compact else c.Int32sb)
        return _FIXED[kind]

    def default(self, field: dict[str, Any]) -> Any:
        kind, literal = field["type"], field.get("default")
        if literal == "null" or kind == "records":
            return None
        if kind.startswith("[]"):
            return []
        if kind in self.structs:
            inner = self.structs[kind]
            present = [
                f for f in inner if covers(f.get("versions", f.get("taggedVersions", "none")), self.version)
            ]
            tags: dict[str, Any] = {"_tags": {}} if self.flexible else {}
            return {f["name"]: self.default(f) for f in present} | tags
        if kind == "string":
            return literal or ""
        if kind == "bytes":
            return b""
        if kind == "uuid":
            return bytes(16)
        if kind == "bool":
            return str(literal).lower() == "true"
        return float(literal or 0) if kind == "float64" else int(str(literal or 0), 0)
