"""The Spark data source ``kraft``: thin classes of Spark's API over plans and pieces of work, which know nothing of
Spark.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from kafkaproto.log import parse_segment_file_name
from kafkaproto.snapshot import parse_snapshot_file_name
from kafkaproto_pipeline.options import SNAPSHOT, OptionError, SourceOptions, check_for_stream, parse_options
from kafkaproto_pipeline.planning.files import Filters, PlannedPiece, plan_batch
from kafkaproto_pipeline.planning.live import LivePiece, plan_live_batch
from kafkaproto_pipeline.planning.progress import (
    Available,
    StreamProgress,
    advance,
    check_cluster,
    contents,
    first,
)
from kafkaproto_pipeline.planning.stream import StreamSource, make_stream_source
from kafkaproto_pipeline.read import ReplayPiece, read_bytes, read_piece
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.sources.live_quorum import UnreachableError
from kafkaproto_pipeline.views.schema import (
    RECORD_TYPES,
    STATE_TABLES,
    TYPED_VIEW,
    ViewError,
    arrow_schema,
    columns_of,
    ddl,
)
from kafkaproto_pipeline.views.wanted import Origin, Wanted

_READ_ONLY = "the source kraft only reads; the quorum alone writes its log"
_PUSHDOWN_WORKER = "pyspark.sql.worker.data_source_pushdown_filters"


class KraftDataSource(DataSource):
    """Records of Kafka's metadata log: ``spark.read.format("kraft").option("view", "PartitionRecord").load(path)``.

    Register it with ``spark.dataSource.register(KraftDataSource)``. The options are those of `options`, the
    columns those of `views.schema`.
    """

    @classmethod
    def name(cls) -> str:
        return "kraft"

    def schema(self) -> str:
        """The columns of the view, or those of option ``columns``."""
        options = parse_options(self.options)
        return ddl(options.view, options.record_types, options.columns)

    def reader(self, schema: StructType) -> DataSourceReader:
        """The reader for batch reads."""
        options = parse_options(self.options)
        columns = columns_of_schema(options, schema)
        # Spark refuses a reader with pushFilters unless the session allows it, which it does not by default. If it
        # does, Spark plans with filters in a separate worker. Otherwise Spark applies the filters itself.
        return (KraftFilteringReader if _is_pushdown_worker() else KraftReader)(options, columns)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        try:
            options = parse_options(self.options)
            check_for_stream(options)
            return KraftStreamReader(options, columns_of_schema(options, schema))
        except (OptionError, ViewError) as error:
            # If this method raises, Spark 4.2.1 shows an error of its own: it stops a reader that it does not have.
            return RefusedStreamReader(error)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Raises OptionError: only a quorum writes its log."""
        raise OptionError(_READ_ONLY)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        """Raises OptionError: only a quorum writes its log."""
        raise OptionError(_READ_ONLY)


class RefusedStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """In the place of a reader whose options are wrong: it raises as soon as it is asked for anything."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def initialOffset(self) -> dict[str, Any]:
        """Raises the error."""
        raise self._error

    def getDefaultReadLimit(self) -> ReadLimit:
        """Raises the error."""
        raise self._error

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Raises the error."""
        raise self._error

    def prepareForTriggerAvailableNow(self) -> None:
        """Raises the error."""
        raise self._error

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Raises the error."""
        raise self._error

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Raises the error."""
        raise self._error


class KraftPartition(InputPartition):
    """One piece of work as a partition of Spark."""

    def __init__(self, piece: PlannedPiece | LivePiece | ReplayPiece) -> None:
        super().__init__(piece)


class KraftReader(DataSourceReader):
    def __init__(self, options: SourceOptions, columns: Sequence[str]) -> None:
        self._options = options
        self._columns = tuple(columns)
        self._filters = Filters()

    def partitions(self) -> list[InputPartition]:
        """One partition for each piece."""
        plan = plan_live_batch if self._options.bootstrap_controllers else plan_batch
        if self._options.view in STATE_TABLES:
            # Filters would keep records from the replay; Spark applies them to the tables' rows.
            pieces = plan(self._options, Filters())
            return [KraftPartition(ReplayPiece(pieces=tuple(pieces)))]
        return [KraftPartition(piece) for piece in plan(self._options, self._filters)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a piece. If there are no pieces, Spark makes one partition without a piece; it has no rows."""
        if partition.value is None:
            return iter(())
        return read_piece(partition.value, _wanted(self._options, self._columns, self._filters))


class KraftFilteringReader(KraftReader):
    """A batch read with filters, if Spark pushes them down: ``spark.sql.python.filterPushdown.enabled``.

    Turn this on only for frames that a query uses once. In Spark 4.2.1 all scans of one loaded frame share the filters
    that were pushed down last. So a frame that is used twice, with different filters, loses rows, whatever the source
    does.
    """

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Use the filters that save reading. All filters are returned to Spark too, which applies them once more; that
        costs little.
        """
        for each in filters:
            self._filters = _narrowed(self._filters, each)
        return filters


class KraftStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A stream. It knows its progress only from Spark's checkpoint."""

    def __init__(self, options: SourceOptions, columns: Sequence[str]) -> None:
        self._options = options
        self._columns = tuple(columns)
        self._takes_snapshot = options.on_missing_offsets == SNAPSHOT
        self._source: StreamSource | None = None
        self._seen: Available | None = None
        self._last_end: int | None = None

    def initialOffset(self) -> dict[str, Any]:
        """The offset at which a query without a checkpoint begins."""
        options = self._options
        available = self._look()
        return first(available, options.starting_offset, takes_snapshot=self._takes_snapshot).to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        """The limit of option ``maxRecordsPerBatch``."""
        limit = self._options.max_records_per_batch
        return ReadAllAvailable() if limit is None else ReadMaxRows(limit)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """The end of the next batch; ``start`` if there is nothing new.

        Also ``start`` while a quorum that was reached before has no leader, so that the stream survives that.
        UnreachableError passes through if the quorum was never reached, because its address is then probably wrong,
        and in a query with a fixed end.
        """
        try:
            return self._latest_offset(start, limit)
        except UnreachableError:
            if self._seen is None or self._last_end is not None:
                raise
            return start

    def _latest_offset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        source = self._opened()
        available = self._look()
        if self._last_end is not None:
            available = replace(available, end=min(available.end, self._last_end))
        begin = StreamProgress.from_json(start)
        check_cluster(begin, available)
        source.check(begin)
        max_records = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        end = advance(begin, available, takes_snapshot=self._takes_snapshot, max_records=max_records)
        if end == begin:
            return start
        if end.snapshot is None:
            end = replace(end, epoch=source.epoch_before(end.offset))
            source.fetch_ahead(begin.offset, end.offset, begin.epoch)
        return end.to_json()

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """The end of the committed records when the batch was planned, for the query's status."""
        available = self._seen or self._look()
        return StreamProgress(offset=available.end, cluster_id=available.cluster_id).to_json()

    def prepareForTriggerAvailableNow(self) -> None:
        """Fix the end of this query: records that are committed later are not read."""
        self._last_end = self._look().end

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """The pieces of a batch. The two ends of the batch determine them."""
        begin, until = StreamProgress.from_json(start), StreamProgress.from_json(end)
        snapshot, first_offset, end_offset = contents(begin, until)
        epoch = begin.epoch if snapshot is None else snapshot.epoch
        pieces = self._opened().pieces(snapshot, first_offset, end_offset, epoch)
        return [KraftPartition(piece) for piece in pieces]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a piece."""
        return read_piece(partition.value, _wanted(self._options, self._columns, Filters()))

    def stop(self) -> None:
        """Close the source when the query has ended."""
        if self._source is not None:
            self._source.close()
            self._source = None

    def _look(self) -> Available:
        self._seen = self._opened().available()
        return self._seen

    def _opened(self) -> StreamSource:
        if self._source is None:
            self._source = make_stream_source(self._options)
        return self._source

    def __getstate__(self) -> dict[str, Any]:
        # The reader is sent to tasks; a connection cannot be sent.
        return {**self.__dict__, "_source": None}


def decode_files(df: DataFrame, **options: object) -> DataFrame:
    """The rows of whole segments and snapshots that Spark's ``binaryFile`` source has read, from any file system.

    The options are those of the source that concern rows and columns. Of a file, only its path and content are known.
    So cluster, node and directory ids are null, and records are known to be committed only if they are in a snapshot,
    or below the option ``highWatermark``. Files that are neither segments nor snapshots are an error.
    """
    given = {name: str(value) for name, value in options.items() if value is not None}
    parsed = parse_options({**given, "path": "binaryFile"})
    if parsed.view in STATE_TABLES:
        raise OptionError(f"view {parsed.view!r} needs the directories of nodes, or a live quorum")
    columns = all_columns(parsed)
    wanted = _wanted(parsed, columns, Filters())

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path, content in zip(batch["path"], batch["content"], strict=True):
                yield from _decode_file(path.as_py(), content.as_buffer(), parsed, wanted)

    return df.select("path", "content").mapInArrow(rows, ddl(parsed.view, None, columns))


def columns_of_schema(options: SourceOptions, schema: StructType) -> tuple[str, ...]:
    """The columns that a schema asks for: some of the view's columns, and some fields of its struct columns.

    Raises OptionError if the schema does not consist of the view's columns with their types.
    """
    given = to_arrow_schema(schema, timezone="UTC")
    known = {column.name: column.arrow for column in columns_of(options.view, options.record_types)}
    names: list[str] = []
    for field in given:
        is_part = options.view == TYPED_VIEW and field.name in RECORD_TYPES and pa.types.is_struct(field.type)
        if is_part and field.type != known.get(field.name):
            names += [f"{field.name}.{member.name}" for member in field.type]
        else:
            names.append(field.name)
    allowed = arrow_schema(options.view, options.record_types, names)
    if not allowed.equals(given):
        wrong = [field.name for field in given if allowed.field(field.name) != field]
        raise OptionError(
            f"the schema given does not fit view {options.view!r} at {', '.join(wrong)}; "
            f"allowed is {ddl(options.view, options.record_types, names)}"
        )
    return tuple(names)


def all_columns(options: SourceOptions) -> tuple[str, ...]:
    """The columns that the options name; without that option, all columns of the view."""
    if options.columns is not None:
        return options.columns
    return tuple(column.name for column in columns_of(options.view, options.record_types))


def _wanted(options: SourceOptions, columns: Sequence[str], filters: Filters) -> Wanted:
    types = options.record_types
    if filters.record_types is not None:
        types = tuple(sorted(filters.record_types & set(types or RECORD_TYPES)))
    return Wanted(
        view=options.view,
        columns=tuple(columns),
        record_types=types,
        start_offset=options.start_offset,
        end_offset=options.end_offset,
        start_timestamp_ms=options.start_timestamp_ms,
        end_timestamp_ms=options.end_timestamp_ms,
        committed_end=options.high_watermark or 0,
        committed_only=options.committed_only,
        shows_secrets=options.shows_secrets,
        mode=options.mode,
    )


def _decode_file(
    path: str, content: pa.Buffer, options: SourceOptions, wanted: Wanted
) -> Iterator[pa.RecordBatch]:
    directory, _, name = path.rpartition("/")
    base_offset, snapshot = parse_segment_file_name(name), parse_snapshot_file_name(name)
    if base_offset is None and snapshot is None:
        raise InputError(
            f"{path} is neither a segment, <20 digits>.log, nor a snapshot, <20 digits>-<10 digits>.checkpoint; "
            "leave it out with pathGlobFilter"
        )
    if snapshot is not None and not options.include_snapshots:
        return
    origin = Origin(
        cluster_id=None,
        node_id=None,
        directory=directory,
        directory_id=None,
        file=name,
        source="log" if snapshot is None else "snapshot",
        snapshot=None if snapshot is None else (snapshot.end_offset, snapshot.epoch),
    )

    yield from read_bytes(content, origin, base_offset or 0, wanted)


def _is_pushdown_worker() -> bool:
    """Whether this process plans a read with filters."""
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    return _PUSHDOWN_WORKER in sys.modules or getattr(main, "name", None) == _PUSHDOWN_WORKER


def _narrowed(filters: Filters, each: Filter) -> Filters:
    """The filters with one more, if that one saves reading."""
    if not isinstance(each, EqualTo | In | GreaterThan | GreaterThanOrEqual | LessThan | LessThanOrEqual):
        return filters
    if len(each.attribute) != 1:
        return filters
    (name,) = each.attribute
    if isinstance(each, EqualTo | In):
        return _with_values(filters, name, (each.value,) if isinstance(each, EqualTo) else tuple(each.value))
    if name != "offset" or not isinstance(each.value, int):
        return filters
    if isinstance(each, GreaterThan | GreaterThanOrEqual):
        start = each.value + isinstance(each, GreaterThan)
        return replace(filters, start_offset=max(filters.start_offset, start))
    return _with_end(filters, each.value + isinstance(each, LessThanOrEqual))


def _with_end(filters: Filters, end: int) -> Filters:
    ends = (end, filters.end_offset)
    return replace(filters, end_offset=max(0, min(each for each in ends if each is not None)))


def _with_values(filters: Filters, name: str, values: Sequence[Any]) -> Filters:
    known = frozenset(value for value in values if value is not None)
    if name == "recordType" and known <= set(RECORD_TYPES):
        before = filters.record_types
        return replace(filters, record_types=known if before is None else before & known)
    if name == "source":
        return replace(filters, sources=known if filters.sources is None else filters.sources & known)
    if name == "nodeId":
        return replace(filters, node_ids=known if filters.node_ids is None else filters.node_ids & known)
    if name == "offset" and known:
        at_least = replace(filters, start_offset=max(filters.start_offset, min(known)))
        return _with_end(at_least, max(known) + 1)
    return filters
