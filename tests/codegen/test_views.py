"""The descriptions of record types: what is emitted, that it is what it says, and the schemas that views refuse.

Tests: `codegen.emit_views`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from codegen.__main__ import main
from codegen.emit_views import emit_views
from codegen.model import MessageModel
from codegen.parse import SchemaError, parse_schema
from kafkaproto_pipeline.record_views import FieldView, RecordView


def record(name: str = "SampleRecord", folder: str = "metadata", **keys: Any) -> MessageModel:
    """A metadata record of three versions, with the fields that are given."""
    plain: dict[str, Any] = {
        "type": "metadata",
        "name": name,
        "apiKey": 7,
        "validVersions": "0-2",
        "flexibleVersions": "0+",
        "fields": [],
    }
    document = {key: value for key, value in (plain | keys).items() if value is not None}
    return parse_schema(json.dumps(document), f"{folder}/{name}.json")


def with_fields(*fields: dict[str, Any]) -> MessageModel:
    """A metadata record with these fields, in all versions unless they say otherwise."""
    return record(fields=[{"versions": "0+", **field} for field in fields])


def emitted(*messages: MessageModel) -> tuple[RecordView, ...]:
    """The descriptions, read back."""
    namespace: dict[str, Any] = {}
    exec(compile(emit_views(list(messages))["generated/records.py"], "records.py", "exec"), namespace)
    records = namespace["RECORDS"]
    assert isinstance(records, tuple)
    return records


def refusal(message: MessageModel) -> str:
    """Why a schema is refused."""
    with pytest.raises(SchemaError) as caught:
        emit_views([message])
    return str(caught.value)


EVERY = (0, 32767)
HOST = FieldView(name="host", attribute="host", type="string", ddl="STRING", versions=EVERY, default="")
PORT = FieldView(name="port", attribute="port", type="uint16", ddl="INT", versions=EVERY, default=0)
FIELDS = (
    FieldView(name="brokerId", attribute="broker_id", type="int32", ddl="INT", versions=EVERY, default=-1),
    FieldView(name="id", attribute="id", type="uuid", ddl="STRING", versions=(1, 32767), default="A" * 22),
    FieldView(
        name="endPoints",
        attribute="end_points",
        type="struct",
        ddl="ARRAY<STRUCT<host: STRING, port: INT>>",
        array=True,
        fields=(HOST, PORT),
        versions=EVERY,
        default=(),
    ),
    FieldView(
        name="isr",
        attribute="isr",
        type="int32",
        ddl="ARRAY<INT>",
        array=True,
        versions=(2, 32767),
        nullable=(2, 32767),
        tagged=(2, 32767),
        tag=0,
        default=None,
    ),
)


def test_a_record_s_fields_are_described() -> None:
    inner = [
        {"name": "Host", "type": "string", "versions": "0+"},
        {"name": "Port", "type": "uint16", "versions": "0+"},
    ]
    late = {"versions": "2+", "nullableVersions": "2+", "taggedVersions": "2+", "tag": 0, "default": "null"}
    (found,) = emitted(
        with_fields(
            {"name": "BrokerId", "type": "int32", "default": "-1"},
            {"name": "Id", "type": "uuid", "versions": "1+"},
            {"name": "EndPoints", "type": "[]EndPoint", "fields": inner},
            {"name": "Isr", "type": "[]int32", **late},
        )
    )
    assert found == RecordView(
        name="SampleRecord", control=False, type=7, versions=(0, 2), flexible_from=0, fields=FIELDS
    )
    columns = "brokerId INT, id STRING, endPoints ARRAY<STRUCT<host: STRING, port: INT>>, isr ARRAY<INT>"
    assert found.ddl == columns


def test_only_records_of_the_metadata_log_have_a_view() -> None:
    version = [{"name": "Version", "type": "int16", "versions": "0+"}]
    control = record("VotersRecord", "raft", type="data", apiKey=None, fields=version)
    others = (
        record("OtherRecord", "remote"),
        record("QuorumStateData", "raft", type="data", apiKey=None),
        record("GoneRecord", validVersions="none", apiKey=8),
    )
    found = emitted(control, record("LateRecord", apiKey=9), *others, record())
    assert [(view.name, view.type, view.control) for view in found] == [
        ("SampleRecord", 7, False),
        ("LateRecord", 9, False),
        ("VotersRecord", 6, True),
    ]


@pytest.mark.parametrize("name", ["Offset", "ClusterId", "RecordType", "Raw", "CLUSTERID"])
def test_a_field_may_not_have_the_name_of_a_column_that_every_view_has(name: str) -> None:
    reason = f"metadata/SampleRecord.json: {name}: has the name of a column that every view has"
    assert refusal(with_fields({"name": name, "type": "int32"})) == reason
    # Within a struct it may.
    inner = [{"name": name, "type": "int32", "versions": "0+"}]
    emitted(with_fields({"name": "Things", "type": "[]Thing", "fields": inner}))


def test_forms_that_the_decoder_does_not_know_are_refused() -> None:
    some_fields = [{"name": "Host", "type": "string", "versions": "0+"}]
    some = {"name": "Thing", "type": "Thing", "fields": some_fields}
    for field, reason in (
        (some | {"nullableVersions": "0+"}, "Thing: is a struct that may be absent"),
        (some | {"versions": "1+"}, "Thing: is a struct that may be absent"),
        ({"name": "Data", "type": "records", "nullableVersions": "0+"}, "Data: has a form that no record"),
        (
            {"name": "Name", "type": "string", "default": "x"},
            "Name: has a default that no record of the log may have",
        ),
    ):
        assert reason in refusal(with_fields(field))
    late = record(flexibleVersions="1+")
    assert refusal(late).endswith("is a record of the log, and not flexible in every version")


def test_the_check_covers_the_views(tmp_path: Path) -> None:
    for folder in ("messages/metadata", "kafkaproto", "pipeline"):
        (tmp_path / folder).mkdir(parents=True)
    schema = tmp_path / "messages/metadata/NoOpRecord.json"
    document = {"type": "metadata", "name": "NoOpRecord", "apiKey": 20, "validVersions": "0"}
    schema.write_text(json.dumps(document | {"flexibleVersions": "0+", "fields": []}))

    def run(*arguments: str) -> Result:
        folders = {"--messages": "messages", "--output": "kafkaproto", "--views": "pipeline"}
        options = [text for option, name in folders.items() for text in (option, str(tmp_path / name))]
        return CliRunner().invoke(main, [*options, *arguments])

    assert run().exit_code == 0
    generated = tmp_path / "pipeline/generated"
    good = (generated / "records.py").read_text()
    assert run("--check").exit_code == 0
    (generated / "records.py").write_text(good + "\n")
    (generated / "__init__.py").unlink()
    (generated / "other.py").write_text("")
    result = run("--check")
    assert (result.exit_code, result.output.splitlines()) == (
        1,
        [
            "stale: pipeline/generated/records.py",
            "missing: pipeline/generated/__init__.py",
            "extra: pipeline/generated/other.py",
            "run bin/codegen",
        ],
    )
    assert run().output.endswith("2 written, 1 removed\n")
    assert (generated / "records.py").read_text() == good
    assert run("--check").exit_code == 0
