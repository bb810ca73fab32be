"""Generated code for schemas that no Kafka message has: every kind of field in every place, awkward names and texts.

Tests: `codegen.resolve`, `codegen.text`.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from codegen.__main__ import ROOT
from codegen.emit import emit_module
from codegen.generate import read_schemas
from codegen.model import Primitive
from codegen.resolve import ArrayValue, StructLayout, StructValue, resolve
from codegen.text import Lines
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.interpret import decode_slowly, encode_slowly
from tests.codegen.support.schemas import parse, schema
from tests.codegen.test_drafts import load
from tests.messages.support.random_messages import random_message

INNER = [
    {"name": "Id", "type": "int32", "versions": "0+"},
    {"name": "Note", "type": "string", "versions": "1+", "nullableVersions": "1+", "default": "null"},
]
KINDS = [*(kind.word for kind in Primitive), "string", "bytes"]


def generated(document: dict[str, Any], folder: Path) -> Any:
    """The class generated for a schema."""
    return getattr(load(emit_module(parse(document)), folder / "generated_sample.py"), document["name"])


def check(kind: Any, examples: int = 20) -> None:
    """Both codecs on random messages, cut off and whole."""
    rng = random.Random(kind.NAME)
    for version in range(kind.MIN_VERSION, kind.MAX_VERSION + 1):
        for message in [kind(), *(random_message(kind, version, rng) for _ in range(examples))]:
            encoded = message.encode(version)
            assert encoded == encode_slowly(kind.schema(), message, version)
            assert kind.decode(encoded, version) == (message, len(encoded))
            assert decode_slowly(kind.schema(), encoded, version, 0) == (message, len(encoded))
            for size in {0, len(encoded) // 2, len(encoded) - 1} - {len(encoded), -1}:
                with pytest.raises(RemoteProtocolError):
                    kind.decode(encoded[:size], version)


def fields(**keys: Any) -> list[dict[str, Any]]:
    """A field of every type, and an array of every type."""
    plain = [{"name": f"{word.title()}Field", "type": word, "versions": "0+"} | keys for word in KINDS]
    arrays = [{"name": f"{word.title()}s", "type": f"[]{word}", "versions": "0+"} | keys for word in KINDS]
    struct = [
        {"name": "Part", "type": "Part", "versions": "0+", "fields": INNER} | keys,
        {"name": "Others", "type": "[]Other", "versions": "0+", "fields": INNER} | keys,
    ]
    return [*plain, *arrays, *struct]


def test_a_field_of_every_type_beside_one_another(tmp_path: Path) -> None:
    check(generated(schema(fields=fields()), tmp_path))


def test_a_tagged_field_of_every_type(tmp_path: Path) -> None:
    tagged = [
        entry | {"versions": "1+", "taggedVersions": "1+", "tag": tag} for tag, entry in enumerate(fields())
    ]
    check(generated(schema(fields=tagged), tmp_path))


def test_fields_that_are_plain_in_one_version_and_tagged_in_the_next(tmp_path: Path) -> None:
    both = [entry | {"taggedVersions": "2+", "tag": tag} for tag, entry in enumerate(fields())]
    kind = generated(schema(fields=both), tmp_path)
    check(kind)
    # In version 1 the tag is known, but not as a tag.
    with pytest.raises(RemoteProtocolError, match="tag 0 does not exist in version 1"):
        kind.decode(kind().encode(1)[:-1] + b"\x01\x00\x01\x01", 1)


def test_nullable_fields_of_every_type_that_can_be(tmp_path: Path) -> None:
    words = {"string", "bytes"}
    nullable = [
        entry | {"nullableVersions": "0+", "default": "null"}
        for entry in fields()
        if entry["type"] in words or entry["type"].startswith("[]") or entry["type"] == "Part"
    ]
    check(generated(schema(fields=nullable), tmp_path))
    tagged = [
        entry | {"versions": "1+", "nullableVersions": "1+", "taggedVersions": "1+", "tag": tag}
        for tag, entry in enumerate(nullable)
    ]
    check(generated(schema(fields=tagged), tmp_path))


def test_null_where_the_default_is_something_else(tmp_path: Path) -> None:
    null_too: list[dict[str, Any]] = [
        {"name": "Text", "type": "string", "default": "text"},
        {"name": "Data", "type": "bytes"},
        {"name": "Numbers", "type": "[]int32"},
        {"name": "Part", "type": "Part", "fields": INNER},
        {
            "name": "Whole",
            "type": "Whole",
            "fields": [{"name": "Inner", "type": "Inner", "versions": "1+", "fields": INNER}],
        },
    ]
    keys = {"versions": "1+", "nullableVersions": "1+", "taggedVersions": "1+"}
    kind = generated(
        schema(fields=[entry | keys | {"tag": tag} for tag, entry in enumerate(null_too)]), tmp_path
    )
    check(kind)
    assert kind().encode(1) == b"\x00"
    assert (kind().text, kind().data, kind().numbers, kind().part.id) == ("text", b"", [], 0)
    assert len(kind(text=None, data=None, numbers=None, part=None, whole=None).encode(1)) > 10
    assert kind().part is not kind().part


def test_defaults_of_every_type_come_out_of_the_constructor_and_of_reading(tmp_path: Path) -> None:
    defaults: dict[str, Any] = {
        "bool": "true",
        "int8": "-128",
        "int16": "0x7fff",
        "uint16": 65_535,
        "int32": "-0x80000000",
        "uint32": "0xFFFFFFFF",
        "int64": "0x7fffffffffffffff",
        "float64": "-2.5",
        "string": 'with "quotes", \\ and ü',
    }
    entries = [
        {
            "name": f"{word.title()}Field",
            "type": word,
            "versions": "1+",
            "default": literal,
            "ignorable": True,
        }
        for word, literal in defaults.items()
    ]
    kind = generated(schema(fields=entries), tmp_path)
    check(kind)
    expected = [True, -128, 32_767, 65_535, -(2**31), 2**32 - 1, 2**63 - 1, -2.5, 'with "quotes", \\ and ü']
    for message in (kind(), kind.decode(b"", 0)[0]):
        assert [getattr(message, slot) for slot in kind.__slots__ if slot != "unknown_tags"] == expected


def test_zero_copy_bytes_at_any_depth(tmp_path: Path) -> None:
    data = {"name": "Data", "type": "bytes", "versions": "0+", "nullableVersions": "1+", "zeroCopy": True}
    part = {
        "name": "Parts",
        "type": "[]Part",
        "versions": "0+",
        "fields": [data, {"name": "Plain", "type": "bytes", "versions": "0+"}],
    }
    records = {"name": "Records", "type": "records", "versions": "0+", "nullableVersions": "0+"}
    tagged = data | {"name": "Tail", "versions": "1+", "taggedVersions": "1+", "tag": 0}
    single = {"name": "Single", "type": "Single", "versions": "0+", "fields": [data | {"name": "Inner"}]}
    kind = generated(schema(fields=[part, records, tagged, single]), tmp_path)
    check(kind)
    message = kind(
        parts=[kind.Part(data=[b"a", b"b"], plain=b"c")],
        records=b"d",
        tail=b"e",
        single=kind.Single(inner=b"f"),
    )
    read, _ = kind.decode(message.encode(1), 1)
    views = [read.parts[0].data, read.records, read.tail, read.single.inner]
    assert [type(view) for view in views] == [memoryview] * 4
    assert [bytes(view) for view in views] == [b"ab", b"d", b"e", b"f"]
    assert read.parts[0].plain == b"c"
    with pytest.raises(LocalProtocolError, match="is null, but may not be in version 0"):
        kind(parts=[kind.Part(data=None)]).encode(0)


def test_names_that_python_or_the_code_around_them_needs(tmp_path: Path) -> None:
    words = (
        "Buffer Position View Message Count Length Mark End Tags Tag Sections Stop EndOfTags Out Data Section Tagged "
        "Self Class From None Bytes Int Str List Encode Decode Schema ToJson UnknownTags Range Len Memoryview Struct "
        "Malformed Empty Pieces Version Item"
    ).split()
    plain = [
        {"name": word, "type": ("string", "[]int32", "[]string", "bytes", "uuid")[n % 5], "versions": "0+"}
        for n, word in enumerate(words)
    ]
    check(generated(schema(fields=plain), tmp_path))
    tagged = [entry | {"versions": "1+", "taggedVersions": "1+", "tag": n} for n, entry in enumerate(plain)]
    check(generated(schema(fields=tagged), tmp_path))


def test_texts_that_would_end_a_docstring(tmp_path: Path) -> None:
    about = 'Ends """ the docstring \\N{x} with a quote "'
    inner = [{"name": "Id", "type": "int32", "versions": "0+", "about": about}]
    part = {"name": "Part", "type": "Part", "versions": "0+", "about": about * 5}
    document = schema(
        fields=[part], commonStructs=[{"name": "Part", "versions": "0+", "about": about, "fields": inner}]
    )
    kind = generated(document, tmp_path)
    check(kind)
    assert kind.Part.__doc__ == about


def test_a_message_without_fields_and_one_that_is_never_flexible(tmp_path: Path) -> None:
    empty = generated(schema(validVersions="3-4", flexibleVersions="4+"), tmp_path)
    check(empty)
    assert (empty().encode(3), empty().encode(4)) == (b"", b"\x00")
    with pytest.raises(RemoteProtocolError, match="begins beyond the end"):
        empty.decode(b"", 3, 1)
    stiff = generated(schema(flexibleVersions="none", fields=fields()), tmp_path)
    check(stiff)
    assert (stiff.FLEXIBLE_FROM, stiff.MIN_VERSION, stiff.MAX_VERSION) == (None, 0, 2)


def test_a_field_of_no_version_is_there_in_python_only(tmp_path: Path) -> None:
    kind = generated(
        schema(fields=[INNER[0] | {"name": "Gone", "versions": "none", "ignorable": True}]), tmp_path
    )
    check(kind)
    assert kind(gone=5).encode(0) == b""


def test_equal_layouts_share_their_functions() -> None:
    text = emit_module(parse(schema(validVersions="0-9", flexibleVersions="5+", fields=INNER)))
    assert text.count("def _read_v") == text.count("def _write_v") == 3, "from 0, from 1 and from 5 on"


def test_every_resolved_layout_of_every_schema_reads_at_least_a_byte_an_element() -> None:
    """An element of no bytes would let a short message claim many: no array may hold such structs."""

    def visit(layout: StructLayout, where: str) -> None:
        for entry in (*layout.fields, *layout.tagged):
            value = entry.value.element if isinstance(entry.value, ArrayValue) else entry.value
            if isinstance(value, StructValue):
                visit(value.layout, f"{where}.{entry.field.name}")
                if isinstance(entry.value, ArrayValue):
                    assert value.layout.flexible or value.layout.fields, f"{where}.{entry.field.name}"

    for message in read_schemas(ROOT / "messages"):
        for version in range(message.versions.lowest, message.versions.highest + 1):
            visit(resolve(message, version), f"{message.name} v{version}")


def test_lines_that_are_too_long_are_wrapped() -> None:
    lines = Lines()
    names = [f"argument_number_{n}" for n in range(10)]
    with lines.block("if True:"):
        lines.call("short", names[:2])
        lines.call("long", names, " -> None:")
        lines.unpack(names[:1], "one")
        lines.unpack(names, "many")
        lines.condition(names[:2])
        lines.condition(names[:2], "guard")
        lines.condition(names)
        lines.condition(names, "guard")
    text = lines.text()
    compact = text.replace("\n        ", " ").replace("\n    )", ")")
    assert max(map(len, text.splitlines())) <= 110
    assert "    short(argument_number_0, argument_number_1)\n" in text
    assert "(argument_number_0,) = one" in text
    assert "if argument_number_0 or argument_number_1:" in text
    assert "if guard and (argument_number_0 or argument_number_1):" in text
    assert "    if guard and ( argument_number_0 or argument_number_1 or" in compact
    assert ") -> None:" in text
    assert ") = many" in text
