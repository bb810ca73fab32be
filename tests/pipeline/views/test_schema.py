"""The views' columns: every record type, the same types in Spark's words and in Arrow's, and choosing among them.

Tests: `kafkaproto_pipeline.record_views`.
"""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyspark.sql.pandas.types import from_arrow_schema

from kafkaproto.generated.registry import METADATA_RECORDS
from kafkaproto.json_form import json_name
from kafkaproto.messages import message_class
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.schema import FieldSchema
from kafkaproto_pipeline.generated.records import RECORDS
from kafkaproto_pipeline.record_views import FieldView, RecordView
from kafkaproto_pipeline.views.schema import (
    RECORD_TYPES,
    RECORD_VIEWS,
    STATE_TABLES,
    VIEWS,
    ViewError,
    arrow_schema,
    columns_of,
    ddl,
)

COMMON = (
    "clusterId STRING, nodeId INT, directory STRING, directoryId STRING, file STRING, source STRING, offset BIGINT,"
    " snapshotIndex BIGINT, partitionLeaderEpoch INT, timestamp TIMESTAMP, isControl BOOLEAN, recordType STRING,"
    " recordVersion INT, committed BOOLEAN"
)
LAST = "raw BINARY, _corrupt_record STRUCT<file: STRING, position: BIGINT, offset: BIGINT, reason: STRING>"


def test_there_is_a_view_for_every_record_of_the_metadata_log() -> None:
    metadata = {record.type: record.name for record in RECORDS if not record.control}
    assert metadata == METADATA_RECORDS
    for record in RECORDS:
        if record.control:
            key, _ = encode_control_record(ControlRecordType(record.type), message_class(record.name)())
            assert key == bytes((0, 0, 0, record.type))
    assert list(VIEWS) == ["records", "typed", "state", *STATE_TABLES, *RECORD_TYPES]


def test_the_numbers_of_the_control_records_are_those_that_kafkaproto_writes() -> None:
    names = {record.type: record.name for record in RECORDS if record.control}
    quorum = [kind for kind in ControlRecordType if kind > ControlRecordType.COMMIT]
    assert sorted(names) == [int(kind) for kind in quorum]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_view_s_fields_are_those_of_the_codec(record: RecordView) -> None:
    kind = message_class(record.name)
    assert record.versions == (kind.MIN_VERSION, kind.MAX_VERSION)
    assert record.flexible_from == kind.FLEXIBLE_FROM

    def check(views: tuple[FieldView, ...], fields: tuple[FieldSchema, ...]) -> None:
        assert [view.name for view in views] == [json_name(field.name) for field in fields]
        for view, field in zip(views, fields, strict=True):
            assert view.attribute == field.attribute
            assert view.array == field.array
            assert (view.versions, view.nullable, view.tagged, view.tag) == (
                field.versions,
                field.nullable,
                field.tagged,
                field.tag,
            )
            if field.struct is None:
                assert view.type == field.type
            else:
                check(view.fields, field.struct.fields)

    check(record.fields, kind.schema().root.fields)


@pytest.mark.parametrize("view", VIEWS)
def test_spark_and_arrow_types_are_the_same(view: str) -> None:
    spark = from_arrow_schema(arrow_schema(view))
    columns = columns_of(view)
    assert [field.name for field in spark] == [column.name for column in columns]
    for field, column in zip(spark, columns, strict=True):
        assert field.dataType.simpleString().lower() == column.ddl.replace(" ", "").lower()
    assert view in ("state", *STATE_TABLES) or ddl(view).startswith(COMMON + ", ")
    assert view in ("state", *STATE_TABLES) or ddl(view).endswith(LAST)


def test_the_schemas_in_words() -> None:
    assert ddl("records") == f"{COMMON}, payload STRING, {LAST}"
    assert ddl("TopicRecord") == f"{COMMON}, name STRING, topicId STRING, {LAST}"
    assert RECORD_VIEWS["TopicRecord"].ddl == "name STRING, topicId STRING"
    assert (
        ddl("typed", ["TopicRecord"])
        == f"{COMMON}, TopicRecord STRUCT<name: STRING, topicId: STRING>, {LAST}"
    )
    assert ddl("typed", ["NoOpRecord"]) == f"{COMMON}, {LAST}"
    quota = "STRUCT<entity: ARRAY<STRUCT<entityType: STRING, entityName: STRING>>, key: STRING, value: DOUBLE"
    assert f"ClientQuotaRecord {quota}, remove: BOOLEAN>" in ddl("typed")
    state = "recordType STRING, position BIGINT, offset BIGINT, epoch INT, timestampMs BIGINT"
    assert ddl("state", ["TopicRecord", "PartitionRecord"]).startswith(
        f"{state}, change STRUCT<topicId: STRING, "
    )
    assert ddl("state", ["TopicRecord"]).endswith(
        ", record STRUCT<TopicRecord: STRUCT<name: STRING, topicId: STRING>>"
    )
    assert ddl("state", ["PartitionRecord"], ["offset"]) == "offset BIGINT"


def test_choosing_columns() -> None:
    chosen = ["PartitionRecord.isr", "offset", "PartitionRecord.leader", "TopicRecord.name", "TopicRecord"]
    assert ddl("typed", None, chosen) == (
        "PartitionRecord STRUCT<isr: ARRAY<INT>, leader: INT>, offset BIGINT,"
        " TopicRecord STRUCT<name: STRING, topicId: STRING>"
    )
    assert arrow_schema("TopicRecord", None, ["name"]) == pa.schema([("name", pa.string())])
    for arguments, message in (
        (("nope",), "'nope' is no view; known are records, typed, state, topics, partitions, "),
        (("typed", ["nope"]), "'nope' is no record type; known are RegisterBrokerRecord, "),
        (("records", None, ["nope"]), "'nope' is no column of view 'records'; known are clusterId, "),
        (("typed", ["TopicRecord"], ["PartitionRecord"]), "'PartitionRecord' is no column of view 'typed'"),
        (("typed", None, ["TopicRecord.nope"]), "'nope' is no field of TopicRecord; known are name, topicId"),
        (("TopicRecord", None, ["name.nope"]), "only the record types' columns of view 'typed' have fields"),
    ):
        with pytest.raises(ViewError) as caught:
            columns_of(*arguments)
        assert message in str(caught.value)
