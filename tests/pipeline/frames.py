"""Frames as the source's views ``typed`` and ``state`` give them, made of messages instead of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, TypedDict, Unpack

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession

from kafkaproto import uuids
from kafkaproto.json_form import json_name
from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, StructSchema
from kafkaproto_pipeline.views import schema
from kafkaproto_pipeline.views.state import as_view
from kafkaproto_pipeline.views.wanted import Wanted
from tests.pipeline.decoder_logs import LOG, wanted

CLUSTER_ID = "Zm9vYmFyYmF6cXV4MTIzNA"

Row = tuple[int, int, Message] | tuple[int, int, Message, int]
"""Offset, milliseconds since 1970, the message; the leader epoch where it is not the frame's."""


class Source(TypedDict, total=False):
    """Where rows are from; by default from the log of node 1, all of them committed, in epoch 1."""

    epoch: int
    node_id: int
    snapshot: bool
    committed: bool


def frame(
    spark: SparkSession,
    rows: Iterable[Row],
    *,
    record_types: Sequence[str] | None = None,
    **source: Unpack[Source],
) -> DataFrame:
    """The rows of `typed_table` as a frame."""
    table = typed_table(rows, record_types=record_types, **source)
    return spark.createDataFrame(table, schema.ddl("typed", _types(record_types)))


def state_frame(spark: SparkSession, ranges: Iterable[pa.Table]) -> DataFrame:
    """What the view ``state`` makes of ranges of the log, each a `typed_table`."""
    batches = [batch for each in ranges for batch in state_rows(each.to_batches())]
    table = pa.Table.from_batches(batches, schema.arrow_schema("state"))
    return spark.createDataFrame(table, schema.ddl("state"))


def state_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What the view ``state`` makes of a range of the log, which comes as rows of the view ``typed``."""

    def read(want: Wanted) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch.select(list(want.columns))

    return as_view(wanted("state"), LOG, read)


def typed_table(
    rows: Iterable[Row],
    *,
    record_types: Sequence[str] | None = None,
    **source: Unpack[Source],
) -> pa.Table:
    """The rows in the schema of the ``typed`` view, read from the log (or the one snapshot) of one node.

    Each message stands as at its newest version. Those of types not among ``record_types`` are left out, as the
    source leaves them out.
    """
    epoch, node_id = source.get("epoch", 1), source.get("node_id", 1)
    snapshot = source.get("snapshot", False)
    types = _types(record_types)
    taken = [row for row in rows if types is None or row[2].NAME in types]
    directory = f"/var/lib/kafka-{node_id}/__cluster_metadata-0"
    documents = []
    for index, row in enumerate(taken):
        offset, timestamp_ms, message = row[:3]
        documents.append(
            {
                "clusterId": CLUSTER_ID,
                "nodeId": node_id,
                "directory": directory,
                "directoryId": None,
                "file": "00000000000000000100-0000000001.checkpoint" if snapshot else f"{0:020d}.log",
                "source": "snapshot" if snapshot else "log",
                "offset": offset,
                "snapshotIndex": index if snapshot else None,
                "partitionLeaderEpoch": row[3] if len(row) > 3 else epoch,
                "timestamp": datetime.fromtimestamp(timestamp_ms / 1000, UTC),
                "isControl": message.TYPE != "metadata",
                "recordType": message.NAME,
                "recordVersion": message.MAX_VERSION if message.TYPE == "metadata" else 0,
                "committed": source.get("committed", True),
                message.NAME: fields_of(message),
            }
        )
    return pa.Table.from_pylist(documents, schema=schema.arrow_schema("typed", types))


def _types(record_types: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if record_types is None else tuple(record_types)


def fields_of(message: Message) -> dict[str, Any]:
    """The message as the struct that its column of the ``typed`` view holds."""
    return _struct(message.schema().root, message)


def _struct(struct: StructSchema, value: Any) -> dict[str, Any]:
    return {json_name(field.name): _field(field, getattr(value, field.attribute)) for field in struct.fields}


def _field(field: FieldSchema, value: Any) -> Any:
    if field.array and value is not None:
        return [_value(field, element) for element in value]
    return _value(field, value)


def _value(field: FieldSchema, value: Any) -> Any:
    if value is None:
        return None
    if field.struct is not None:
        return _struct(field.struct, value)
    return uuids.to_text(value) if field.type == "uuid" else value
