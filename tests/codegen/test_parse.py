"""Every rule of the schema grammar: what breaks it is refused with the file, the path of the field and the reason.

Tests: `codegen.comments`, `codegen.model`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codegen.model import (
    NO_VERSIONS,
    ArrayType,
    MessageType,
    Primitive,
    StructType,
    Variable,
    VersionRange,
)
from codegen.parse import SchemaError, parse_file
from tests.codegen.support.schemas import field, parse, refusal, request, schema, struct, with_field

FIELD = "Sample.Field"
INT_FIELD = {"name": "Number", "type": "int32", "versions": "0+"}
COMMON = {"name": "Part", "versions": "0+", "fields": [INT_FIELD]}

REFUSALS: list[tuple[Any, str, str]] = [
    # Not a schema at all. Columns and words of what is no JSON are those of Python's parser and change with it.
    ("[]", "", "expected an object, found []"),
    ("null", "", "expected an object, found None"),
    ('{"name": "Sample", }', "line 1 column ...", "..."),
    ('{\n// comment\n  "name": "Sample\n}', "line 3 column ...", "..."),
    ('{"type": "data", "type": "data"}', "", "key 'type' stands twice in one object"),
    ('{"fields": [{"name": "A", "name": "B"}]}', "", "key 'name' stands twice in one object"),
    ("[" * 100_000, "", "is nested too deeply"),
    # The message.
    (schema(name=None), "", "name is missing"),
    (schema(name=5), "", "name must be a string"),
    (schema(name="2nd"), "", "name '2nd' must be letters and digits, beginning with a letter"),
    (schema(name="Snake_case"), "", "name 'Snake_case' must be letters and digits, beginning with a letter"),
    (schema(type=None), "Sample", "type is missing"),
    (
        schema(type="message"),
        "Sample",
        "unknown message type 'message'; allowed: request, response, header, metadata, data, coordinator-key, "
        "coordinator-value",
    ),
    (schema(validVersions=None), "Sample", "validVersions is missing"),
    (schema(validVersions=3), "Sample", "validVersions must be a string"),
    (schema(validVersions="0+"), "Sample", "validVersions 0+ must end somewhere"),
    (schema(validVersions="3-2"), "Sample", "validVersions: version range '3-2' ends before it begins"),
    (schema(validVersions="40000"), "Sample", "validVersions: version range '40000' goes beyond 32767"),
    (schema(validVersions="0-40000"), "Sample", "validVersions: version range '0-40000' goes beyond 32767"),
    *(
        (
            schema(validVersions=text),
            "Sample",
            f'validVersions: \'{text}\' is no version range ("none", "3", "0-4" or "2+")',
        )
        for text in ("", "-1", "1-", "+", "1-2+", "0 - 2", "all", "٣", "1-2-3")
    ),
    (schema(flexibleVersions=None), "Sample", "flexibleVersions is missing"),
    (schema(flexibleVersions="1-2"), "Sample", 'flexibleVersions 1-2 must be "none" or open-ended'),
    (schema(flexibleVersions="2"), "Sample", 'flexibleVersions 2 must be "none" or open-ended'),
    (schema(apiKey=1), "Sample", "apiKey has no place in a message of type data"),
    (schema(type="header", apiKey=1), "Sample", "apiKey has no place in a message of type header"),
    *(
        (schema(type=kind), "Sample", f"apiKey is missing from a message of type {kind}")
        for kind in ("request", "response", "metadata", "coordinator-key", "coordinator-value")
    ),
    *(
        (request(apiKey=key), "SampleRequest", f"apiKey {key!r} is not an integer from 0 to 32767")
        for key in (-1, 32_768, "7", 1.5, True)
    ),
    (schema(listeners=["broker"]), "Sample", "listeners has its place in requests only"),
    (request(type="response", listeners=[]), "SampleRequest", "listeners has its place in requests only"),
    (request(listeners="broker"), "SampleRequest", "listeners must be a list"),
    (
        request(listeners=["zkBroker"]),
        "SampleRequest",
        "unknown listener 'zkBroker'; allowed: broker, controller",
    ),
    (request(listeners=["broker", "broker"]), "SampleRequest", "listeners names one twice"),
    (schema(latestVersionUnstable=False), "Sample", "latestVersionUnstable has its place in requests only"),
    (request(latestVersionUnstable="no"), "SampleRequest", "latestVersionUnstable must be true or false"),
    (schema(fields={}), "Sample", "fields must be a list"),
    (schema(fields=[5]), "Sample.fields[0]", "expected an object, found 5"),
    (schema(commonStructs={}), "Sample", "commonStructs must be a list"),
    # Keys that do not exist: one misspelt would change the wire format without a word.
    (
        schema(flexibleVersion="1+"),
        "Sample",
        "unknown key 'flexibleVersion'; allowed: about, apiKey, commonStructs, fields, flexibleVersions, "
        "latestVersionUnstable, listeners, name, type, validVersions",
    ),
    ({"flexibleVersion": "1+"}, "", "unknown key 'flexibleVersion'; allowed: ..."),
    (
        with_field(nullableVersion="0+"),
        "Sample.fields[0].Field",
        "unknown key 'nullableVersion'; allowed: about, ...",
    ),
    (schema(fields=[{"names": 1}]), "Sample.fields[0]", "unknown key 'names'; allowed: ..."),
    (
        schema(commonStructs=[COMMON | {"version": "0+"}]),
        "Sample.commonStructs[0].Part",
        "unknown key 'version'; allowed: about, fields, name, versions",
    ),
    # A field by itself.
    (with_field(name=None), "Sample.fields[0]", "name is missing"),
    (
        with_field(name="1st"),
        "Sample.fields[0]",
        "name '1st' must be letters and digits, beginning with a letter",
    ),
    (with_field(versions=None), FIELD, "versions is missing"),
    (with_field(versions="1to2"), FIELD, "versions: '1to2' is no version range..."),
    (with_field(type=None), FIELD, "type is missing"),
    (with_field(type="boolean"), FIELD, "unknown type 'boolean'"),
    (with_field(type="varint"), FIELD, "unknown type 'varint'"),
    (with_field(type="[]"), FIELD, "unknown type ''"),
    (with_field(type="Part"), FIELD, "unknown type 'Part': neither fields nor a common struct of this name"),
    (with_field(type="[][]int32"), FIELD, "arrays of arrays do not exist"),
    (with_field(type="[][]Part", fields=[]), FIELD, "arrays of arrays do not exist"),
    (with_field(fields=[]), FIELD, "type int32 cannot have fields"),
    (with_field(type="[]string", fields=[]), FIELD, "type string cannot have fields"),
    (with_field(ignorable="yes"), FIELD, "ignorable must be true or false"),
    (with_field(ignorable=1), FIELD, "ignorable must be true or false"),
    (with_field(about=5), FIELD, "about must be a string"),
    (with_field(zeroCopy=True), FIELD, "zeroCopy has its place in bytes only"),
    (with_field(type="[]bytes", zeroCopy=True), FIELD, "zeroCopy has its place in bytes only"),
    (with_field(type="string", zeroCopy=True), FIELD, "zeroCopy has its place in bytes only"),
    (
        with_field(flexibleVersions="none"),
        FIELD,
        "flexibleVersions has its place in string and bytes fields only",
    ),
    (
        with_field(entityType="topic"),
        FIELD,
        "unknown entityType 'topic'; allowed: unknown, transactionalId, ...",
    ),
    (with_field(entityType="topicName"), FIELD, "entityType topicName does not fit type int32"),
    (with_field(entityType="producerId"), FIELD, "entityType producerId does not fit type int32"),
    (
        with_field(type="[]string", entityType="brokerId"),
        FIELD,
        "entityType brokerId does not fit type []string",
    ),
    (with_field(type="int64", entityType="brokerId"), FIELD, "entityType brokerId does not fit type int64"),
    # Null.
    *(
        (with_field(type=kind.word, nullableVersions="0+"), FIELD, f"type {kind.word} cannot be null")
        for kind in Primitive
    ),
    (
        with_field(type="string", versions="0-1", nullableVersions="2+"),
        FIELD,
        "nullableVersions 2+ lie outside of versions 0-1",
    ),
    # Tags.
    (with_field(tag=0), FIELD, "tag and taggedVersions go together"),
    (with_field(taggedVersions="1+"), FIELD, "tag and taggedVersions go together"),
    (with_field(tag=0, taggedVersions="none"), FIELD, "tag and taggedVersions go together"),
    (with_field(tag=-1, taggedVersions="1+"), FIELD, "tag -1 is not a natural number"),
    (with_field(tag="0", taggedVersions="1+"), FIELD, "tag '0' is not a natural number"),
    (with_field(tag=True, taggedVersions="1+"), FIELD, "tag True is not a natural number"),
    (with_field(tag=0, taggedVersions="1-2"), FIELD, "taggedVersions 1-2 must be open-ended"),
    (with_field(tag=0, taggedVersions="1+", versions="2+"), FIELD, "taggedVersions 1+ exceed versions 2+"),
    (with_field(tag=0, taggedVersions="1+", versions="0-1"), FIELD, "taggedVersions 1+ exceed versions 0-1"),
    (with_field(tag=0, taggedVersions="0+"), FIELD, "taggedVersions 0+ reach outside of flexibleVersions 1+"),
    (
        schema(flexibleVersions="none", fields=[struct("int32", tag=0, taggedVersions="0+")]),
        FIELD,
        "taggedVersions 0+ reach outside of flexibleVersions none",
    ),
    (with_field(type="records", tag=0, taggedVersions="1+"), FIELD, "records cannot be tagged"),
    (with_field(mapKey=True, tag=0, taggedVersions="1+"), FIELD, "a mapKey field cannot be tagged"),
    (
        with_field(type="string", nullableVersions="2+", tag=0, taggedVersions="1+"),
        FIELD,
        "either all or none of the tagged versions may be nullable",
    ),
    (with_field(tag=1, taggedVersions="1+"), FIELD, "tags must be contiguous from 0: tag 0 is missing"),
    (
        schema(
            fields=[
                INT_FIELD | {"name": name, "tag": tag, "taggedVersions": "1+"}
                for name, tag in (("First", 0), ("Second", 1), ("Third", 1))
            ]
        ),
        "Sample.Third",
        "tag 1 is already that of Second",
    ),
    (
        schema(
            fields=[
                INT_FIELD | {"name": name, "tag": tag, "taggedVersions": "1+"}
                for name, tag in (("First", 0), ("Third", 2))
            ]
        ),
        "Sample.Third",
        "tags must be contiguous from 0: tag 1 is missing",
    ),
    # Names.
    (schema(fields=[INT_FIELD, INT_FIELD]), "Sample.Number", "a field of this name is already there"),
    (
        schema(fields=[INT_FIELD, INT_FIELD | {"name": "nuMber"}]),
        "Sample.nuMber",
        "a field of this name is already there",
    ),
    (
        schema(fields=[struct("Part", fields=[]), struct("[]Part", name="Other", fields=[])]),
        "Sample.Other",
        "a struct named Part is already defined",
    ),
    (
        schema(commonStructs=[COMMON], fields=[struct("Part", fields=[INT_FIELD])]),
        FIELD,
        "a struct named Part is already defined",
    ),
    (schema(commonStructs=[COMMON, COMMON]), "Part", "a struct of this name is already defined"),
    (
        schema(commonStructs=[COMMON | {"name": "Sample"}]),
        "Sample",
        "a struct of this name is already defined",
    ),
    (schema(commonStructs=[COMMON]), "Part", "is a common struct that no field uses"),
    (schema(commonStructs=[{"name": "Part"}]), "Part", "versions is missing"),
    (schema(commonStructs=["Part"]), "Sample.commonStructs[0]", "expected an object, found 'Part'"),
    (schema(commonStructs=[{"versions": "0+"}]), "Sample.commonStructs[0]", "name is missing"),
    # Structs in structs.
    (
        schema(commonStructs=[COMMON | {"versions": "1+"}], fields=[struct("Part")]),
        FIELD,
        "versions 0+ exceed those of struct Part, 1+",
    ),
    (with_field(type="Sample", fields=[]), FIELD, "struct Sample contains itself"),
    (
        schema(commonStructs=[COMMON | {"fields": [struct("[]Part")]}], fields=[struct("Part")]),
        "Part.Field",
        "struct Part contains itself",
    ),
    (
        schema(
            commonStructs=[
                COMMON | {"name": "One", "fields": [struct("Two")]},
                COMMON | {"name": "Two", "fields": [struct("One")]},
            ],
            fields=[struct("One")],
        ),
        "Two.Field",
        "struct One contains itself",
    ),
    (
        with_field(type="Part", fields=[INT_FIELD | {"type": "integer"}]),
        "Sample.Field.Number",
        "unknown type 'integer'",
    ),
]


@pytest.mark.parametrize(("document", "path", "reason"), REFUSALS, ids=range(len(REFUSALS)))
def test_a_broken_schema_is_refused_with_its_place_and_reason(document: Any, path: str, reason: str) -> None:
    for found, expected in zip(refusal(document), (path, reason), strict=True):
        if expected.endswith("..."):
            assert found.startswith(expected.removesuffix("..."))
        else:
            assert found == expected


# -- what is right -------------------------------------------------------------------------------------------------


def test_a_whole_schema_is_read() -> None:
    text = """
    // A licence, with a "quote" and a { in it.
    {
      "apiKey": 7, "type": "request", "name": "SampleRequest", /* and
      one of several lines */ "listeners": ["broker", "controller"],
      "validVersions": "0-3", "flexibleVersions": "2+", "latestVersionUnstable": true,
      "fields": [
        { "name": "Url", "type": "string", "versions": "0+", "default": "http://host/*.txt",
          "about": "Where to \\"go\\"." },
        { "name": "Parts", "type": "[]Part", "versions": "1+", "ignorable": true, "fields": [
          { "name": "Key", "type": "string", "versions": "1+", "mapKey": true, "entityType": "topicName" },
          { "name": "Data", "type": "bytes", "versions": "1+", "nullableVersions": "2+", "zeroCopy": true },
          { "name": "Owner", "type": "Node", "versions": "1+" }
        ]},
        { "name": "Leader", "type": "Node", "taggedVersions": "2+", "tag": 0 },
        { "name": "ClientId", "type": "string", "versions": "0+", "flexibleVersions": "none" } // at the end
      ],
      "commonStructs": [
        { "name": "Node", "versions": "0+", "about": "A node.", "fields": [
          { "name": "Id", "type": "int32", "versions": "0+", "entityType": "brokerId" }
        ]}
      ]
    }
    """
    message = parse(text)
    assert (message.type, message.name, message.api_key) == (MessageType.REQUEST, "SampleRequest", 7)
    assert (message.versions, message.flexible) == (VersionRange(0, 3), VersionRange.parse("2+"))
    assert (message.listeners, message.latest_version_unstable) == (("broker", "controller"), True)
    assert (message.source, message.folder) == ("folder/Sample.json", "folder")
    # A struct comes after those that it contains.
    assert list(message.structs) == ["Node", "Part", "SampleRequest"]
    assert message.structs["Node"].about == "A node."
    url, parts, leader, client_id = message.root.fields
    assert (url.default, url.about) == ("http://host/*.txt", 'Where to "go".')
    assert (parts.type, parts.ignorable) == (ArrayType(StructType("Part")), True)
    key, data, owner = message.structs["Part"].fields
    assert (key.map_key, key.entity_type) == (True, "topicName")
    assert (data.type, data.zero_copy, data.nullable) == (Variable.BYTES, True, VersionRange.parse("2+"))
    assert owner.type == leader.type == StructType("Node")
    assert (leader.tag, leader.tagged, leader.versions) == (
        0,
        VersionRange.parse("2+"),
        VersionRange.parse("2+"),
    )
    assert leader.made_on_demand
    assert not parts.made_on_demand
    assert (client_id.flexible, url.flexible) == (NO_VERSIONS, None)


def test_flags_may_be_written_as_text() -> None:
    assert field(ignorable="true").ignorable
    assert not field(ignorable="false").ignorable


def test_a_message_without_versions_needs_no_flexible_versions() -> None:
    message = parse(schema(validVersions="none", flexibleVersions=None))
    assert not message.versions
    assert not message.flexible
    assert str(message.versions) == "none"


def test_structs_are_nested_up_to_a_limit() -> None:
    def nested(depth: int) -> dict[str, Any]:
        inner: list[Any] = []
        for level in range(depth):
            inner = [struct(f"Part{level}", fields=inner)]
        return schema(fields=inner)

    assert len(parse(nested(31)).structs) == 32
    path, reason = refusal(nested(32))
    assert reason == "structs are nested more than 32 deep"
    assert path == "Sample" + ".Field" * 32


@pytest.mark.parametrize(
    ("text", "shown", "inside", "outside"),
    [
        ("none", "none", [], [-1, 0, 32_767]),
        ("3", "3", [3], [2, 4]),
        ("0-4", "0-4", [0, 4], [-1, 5]),
        ("2+", "2+", [2, 32_767], [1, 32_768]),
        ("7-7", "7", [7], [6, 8]),
    ],
)
def test_version_ranges(text: str, shown: str, inside: list[int], outside: list[int]) -> None:
    versions = VersionRange.parse(text)
    assert str(versions) == shown
    assert bool(versions) == bool(inside)
    assert all(version in versions for version in inside)
    assert not any(version in versions for version in outside)
    every = VersionRange.parse("0+")
    assert every.covers(versions)
    assert every & versions == versions
    assert versions & VersionRange(100, 200) == (NO_VERSIONS if text != "2+" else VersionRange(100, 200))


def test_a_file_is_named_by_its_path_below_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "api" / "Sample.json"
    path.parent.mkdir()
    path.write_text(json.dumps(schema()), encoding="utf-8")
    assert parse_file(tmp_path, path).source == "api/Sample.json"
    path.write_bytes(b'{"name": "\xff"}')
    with pytest.raises(SchemaError) as caught:
        parse_file(tmp_path, path)
    assert str(caught.value) == "api/Sample.json: is not UTF-8 at byte 10"
