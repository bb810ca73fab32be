"""The frames of a command: read by Spark's tasks or, if there is little to read, in this process while Spark starts.

To start tasks in other processes, and to keep their rows in Spark's cache, takes seconds, however few rows there are.
So a small input is planned and decoded here, by the same code, and its rows are given to Spark as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto_pipeline.jobs.local_frames import local_frame
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.planning.files import PlannedPiece
from kafkaproto_pipeline.planning.live import LivePiece
from kafkaproto_pipeline.views.schema import arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from kafkaproto_pipeline.datasource import KraftReader

SMALL_BYTES = 8 << 20
"""An input of at most so many bytes is small: some 100,000 records."""
MOST_LOCAL_BYTES = 256 << 20
"""Rows in a plan take Java's memory; what is more than that is left to Spark's tasks."""
_LIVE_RECORD_BYTES = 80
"""About the size of a record, as a quorum does not tell the sizes of what it has."""

Options = Mapping[str, str]


class Frames:
    """The frames of a command, by their options."""

    def __init__(
        self, paths: Sequence[str], tables: Mapping[frozenset[tuple[str, str]], Future[pa.Table]]
    ) -> None:
        self._paths = paths
        self._tables = tables

    @property
    def are_small(self) -> bool:
        """Whether the rows are read in this process."""
        return bool(self._tables)

    def load(self, spark: SparkSession, options: Options) -> DataFrame:
        """The frame of these options. Raises what reading raises, for a small input."""
        reading = self._tables.get(_key(options))
        # A snapshot of a live quorum may turn out to be large.
        if reading is not None and (table := reading.result()).nbytes <= MOST_LOCAL_BYTES:
            return local_frame(spark, table)
        reader = spark.read.format("kraft").options(**options)
        return reader.load(list(self._paths)) if self._paths else reader.load()


def open_frames(paths: Sequence[str], *options: Options, may_be_small: bool) -> Frames:
    """The frames of these paths that have one of these options; the first are those of the job itself.

    ``may_be_small`` says that Spark's tasks would run on this machine alone. A small input is read from here on. Raises
    as planning does: InputError, OptionError.
    """
    if not may_be_small:
        return Frames(paths, {})
    from kafkaproto_pipeline.datasource import KraftReader, all_columns

    parsed = [
        parse_options({**each, "paths": json.dumps(paths)} if paths else dict(each)) for each in options
    ]
    readers = [KraftReader(each, all_columns(each)) for each in parsed]
    pieces = [partition.value for partition in readers[0].partitions()]
    if sum(map(_size, pieces)) > SMALL_BYTES:
        return Frames(paths, {})
    reading = ThreadPoolExecutor(1)
    tables = {
        _key(given): reading.submit(_table, reader, arrow_schema(each.view, each.record_types, each.columns))
        for given, each, reader in zip(options, parsed, readers, strict=True)
    }
    reading.shutdown(wait=False)
    return Frames(paths, tables)


def _table(reader: KraftReader, schema: pa.Schema) -> pa.Table:
    batches = [batch for partition in reader.partitions() for batch in reader.read(partition)]
    return pa.Table.from_batches(batches, schema)


def _key(options: Options) -> frozenset[tuple[str, str]]:
    return frozenset(options.items())


def _size(piece: PlannedPiece | LivePiece) -> int:
    if isinstance(piece, PlannedPiece):
        return piece.end_position - piece.position
    return (piece.end_offset - piece.start_offset) * _LIVE_RECORD_BYTES
