"""The schemas that generated modules build at run time against the schema files, fact by fact.

Random messages for all other tests are made from them: a field that they take for never null would never be tried.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.message import Message
from kafkaproto.schema import Default, FieldSchema, StructSchema, within
from tests.messages.support.construct_codecs import covers, schemas
from tests.messages.support.random_messages import all_message_classes

VERSIONS = range(-1, 40)
"""More than any message has."""


def facts_of_file(field: dict[str, Any]) -> dict[str, Any]:
    """What a schema file says of a field."""
    tagged = field.get("taggedVersions", "none")
    versions = [version for version in VERSIONS if covers(field.get("versions", tagged), version)]
    return {
        "name": field["name"],
        "type": field["type"].removeprefix("[]"),
        "array": field["type"].startswith("[]"),
        "versions": versions,
        "nullable": [
            version for version in versions if covers(field.get("nullableVersions", "none"), version)
        ],
        "tagged": [version for version in VERSIONS if covers(tagged, version)],
        "tag": field.get("tag", -1),
        "never_compact": field.get("flexibleVersions") == "none",
        "ignorable": field.get("ignorable", False),
        "zero_copy": field.get("zeroCopy", False),
    }


def facts_at_run_time(field: FieldSchema) -> dict[str, Any]:
    """What the generated module says of it."""
    return {
        "name": field.name,
        "type": field.type,
        "array": field.array,
        "versions": [version for version in VERSIONS if within(version, field.versions)],
        "nullable": [version for version in VERSIONS if within(version, field.nullable)],
        "tagged": [version for version in VERSIONS if within(version, field.tagged)],
        "tag": field.tag,
        "never_compact": field.never_compact,
        "ignorable": field.ignorable,
        "zero_copy": field.zero_copy,
    }


def compare(struct: StructSchema, fields: list[dict[str, Any]], common: dict[str, Any], path: str) -> None:
    """Compare a struct, and those in it."""
    assert [field.name for field in struct.fields] == [field["name"] for field in fields], path
    for ours, theirs in zip(struct.fields, fields, strict=True):
        where = f"{path}.{ours.name}"
        assert facts_at_run_time(ours) == facts_of_file(theirs), where
        assert (ours.struct is not None) == (ours.type[0].isupper()), where
        if theirs.get("default") is not None:
            assert ours.default == literal(ours, theirs["default"]), where
        assert ours.default is not Default.EMPTY_STRUCT or ours.struct is not None, where
        if ours.struct is not None:
            compare(ours.struct, theirs.get("fields") or common[ours.type], common, where)


def literal(field: FieldSchema, text: Any) -> Any:
    """The default in a schema file as a Python value."""
    if text == "null":
        return None
    if field.type == "bool":
        return str(text).lower() == "true"
    return text if field.type == "string" else int(str(text), 0)


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_every_fact_of_a_schema_file_is_there_at_run_time(kind: type[Message]) -> None:
    document = schemas()[kind.NAME]
    first, _, last = document["validVersions"].partition("-")
    assert (int(first), int(last or first)) == (kind.MIN_VERSION, kind.MAX_VERSION)
    assert document["type"] == kind.TYPE
    assert document.get("apiKey") == kind.API_KEY
    assert tuple(document.get("listeners", ())) == kind.LISTENERS
    assert document.get("latestVersionUnstable", False) == kind.LATEST_VERSION_UNSTABLE
    flexible = [
        version for version in range(kind.MAX_VERSION + 1) if covers(document["flexibleVersions"], version)
    ]
    assert (flexible[0] if flexible else None) == kind.FLEXIBLE_FROM
    common = {struct["name"]: struct["fields"] for struct in document.get("commonStructs", [])}
    compare(kind.schema().root, document.get("fields", []), common, kind.NAME)
