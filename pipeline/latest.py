"""Many changes of partitions into few, so that the newest state of each is made of little that crosses the network.

A row says what a record sets of a partition: a PartitionRecord sets all, a PartitionChangeRecord what it names, and
null stands for what stays. Rows of one partition that follow each other become one row, with the newest value of each
field and the number of changes. That may be done in any portions: within a Spark partition again and again while rows
come (`latest`), and at last over what all Spark partitions made of their ranges of the log (`resolved`). All of it is
arithmetic on whole columns; only what is seldom goes row by row:

- Replicas may change without directories (records of before brokers told them). Who stays keeps its directory then,
  which depends on what was before. Such a row is not put together with those before it until `resolved`.
- Whether a metadata transaction counts shows later, and ClearElrRecord (KIP-966) empties the ELR of partitions that
  have one, which is a change to them and to no others. So nothing is put together across such a record.

Records of other types pass through `latest` as they are: they are few. Positions order rows; what is put together must
not have a foreign row of the same partition in between. That holds where each Spark partition has a range of the log of
its own, and is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from kafkaproto import uuids
from server.image.image import MIGRATING_DIRECTORY

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MAX_BUFFERED_ROWS = 1 << 18
"""Rows that are gathered before they are put together: some tens of MB."""
MAX_REDUCED_ROWS = 1 << 20
"""Rows that may be left of them before they are handed on: memory is bounded however many partitions there are."""

_INTS = pa.list_(pa.int32())
_SET = (
    ("basePosition", pa.int64()),
    ("replicas", _INTS),
    ("directories", pa.list_(pa.string())),
    ("isr", _INTS),
    ("removingReplicas", _INTS),
    ("addingReplicas", _INTS),
    ("leader", pa.int32()),
    ("leaderRecoveryState", pa.int8()),
    ("leaderEpoch", pa.int32()),
    ("partitionEpoch", pa.int32()),
    ("eligibleLeaderReplicas", _INTS),
    ("lastKnownElr", _INTS),
)
"""What a row may set: null where it leaves that alone. Base position and both epochs come from a PartitionRecord."""
_ELR = ("eligibleLeaderReplicas", "lastKnownElr")
_KEY = (("topicId", pa.string()), ("partitionId", pa.int32()))
_CHANGE = (
    *_KEY,
    # Of the first and of the last record that the row is made of.
    ("firstPosition", pa.int64()),
    ("position", pa.int64()),
    # PartitionChangeRecords that the row is made of, and how many of them name a leader.
    ("changes", pa.int32()),
    ("leaderChanges", pa.int32()),
    *_SET,
)
CHANGES = pa.schema(_CHANGE)
"""What `combined` takes and gives."""
ROWS = pa.schema(
    [
        # Null in rows about partitions, as the record is.
        ("recordType", pa.string()),
        ("record", pa.string()),
        ("offset", pa.int64()),
        ("epoch", pa.int32()),
        ("timestampMs", pa.int64()),
        *_CHANGE,
    ]
)
"""What `latest` takes and gives."""
UNRESOLVED = pa.schema([*_CHANGE, ("clears", pa.int32()), ("clearsInAll", pa.int32())])
"""What `resolved` takes: ``clears`` counts the ClearElrRecords about the topic before the row, ``clearsInAll`` all."""
PARTITIONS = pa.schema([*_KEY, *_SET])
"""What `resolved` gives: partitions as they are after all."""

BEGIN_TRANSACTION = "BeginTransactionRecord"
BARRIERS = (BEGIN_TRANSACTION, "EndTransactionRecord", "AbortTransactionRecord", "ClearElrRecord")
"""Record types across which nothing is put together."""
END_OF_RANGE = "end of range"
"""``recordType`` of the rows in which `latest` tells offset, epoch and time of the last row that it has seen, and of
the last one before each BeginTransactionRecord: the points that a state may be consistent at."""

_MIGRATING = uuids.to_text(MIGRATING_DIRECTORY)


def latest(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a range of the log does to each partition, in few rows, and all else in it as it is: `ROWS` of `ROWS`.

    Raises ValueError where rows of one partition are there twice, or out of order further than a portion.
    """
    changes = _Range()
    for batch in batches:
        yield from changes.add(pa.Table.from_batches([batch]).cast(ROWS))
    yield from changes.finish()


class _Range:
    """The rows of a range of the log, as far as they came."""

    def __init__(self) -> None:
        self._gathered: list[pa.Table] = []
        self._rows = 0
        self._reduced_rows = 0
        self._barriers: list[int] = []
        self._end: dict[str, Any] | None = None

    def add(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """Take in rows; gives those that are ready to be handed on."""
        if not table.num_rows:
            return
        is_change = _is_set(table, "topicId")
        if not is_change.all():
            yield from self._passed(table, is_change)
        self._end = _end_of_range(table, table.num_rows - 1)
        self._gathered.append(table.filter(pa.array(is_change)).select(CHANGES.names))
        self._rows += int(is_change.sum())
        # Waiting for as much again as there is keeps the work for a row the same, however many partitions there are.
        if self._rows - self._reduced_rows >= max(MAX_BUFFERED_ROWS, self._reduced_rows):
            reduced = self._reduce()
            if reduced.num_rows > MAX_REDUCED_ROWS:
                yield from _as_rows(reduced)
                reduced = reduced.slice(0, 0)
            self._gathered = [reduced]
            self._rows = self._reduced_rows = reduced.num_rows

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What is left, when all rows came."""
        if self._end is not None:
            yield from _as_rows(self._reduce())
            yield pa.RecordBatch.from_pylist([self._end], schema=ROWS)

    def _passed(self, table: pa.Table, is_change: Flags) -> Iterator[pa.RecordBatch]:
        """The rows that are no changes of partitions, and an end before each begin of a transaction."""
        types = table["recordType"].to_pylist()
        positions = table["position"].to_pylist()
        for row in np.flatnonzero(~is_change).tolist():
            if types[row] in BARRIERS:
                self._barriers.append(positions[row])
            if types[row] == BEGIN_TRANSACTION:
                end = _end_of_range(table, row - 1) if row else self._end
                if end is not None:
                    yield pa.RecordBatch.from_pylist([end], schema=ROWS)
        yield from table.filter(pa.array(~is_change)).to_batches()

    def _reduce(self) -> pa.Table:
        table = pa.concat_tables(self._gathered)
        return combined(
            table, np.searchsorted(np.array(self._barriers, np.int64), _integers(table, "position"))
        )


def _end_of_range(table: pa.Table, row: int) -> dict[str, Any]:
    values: dict[str, Any] = table.select(["offset", "epoch", "timestampMs"]).slice(row, 1).to_pylist()[0]
    return values | {"recordType": END_OF_RANGE, "position": values["offset"]}


def _as_rows(changes: pa.Table) -> Iterator[pa.RecordBatch]:
    size = changes.num_rows
    columns = [
        changes[field.name] if field.name in CHANGES.names else pa.nulls(size, field.type) for field in ROWS
    ]
    yield from pa.table(columns, schema=ROWS).to_batches()


def resolved(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The partitions that rows of `UNRESOLVED` end in, as `PARTITIONS`; all rows of a partition must be there.

    Raises ValueError as `latest` does, and where a partition is changed that there is no PartitionRecord of.
    """
    tables = [pa.Table.from_batches([batch]).cast(UNRESOLVED) for batch in batches]
    if sum(table.num_rows for table in tables):
        yield from _resolved(pa.concat_tables(tables)).to_batches()


def combined(table: pa.Table, eras: Integers) -> pa.Table:
    """The same changes in as few rows as can be, by partition and position; rows of different eras stay apart.

    ``eras`` has a number a row of the table. Columns beyond `CHANGES` must be the same in a partition's era.
    """
    table = table.combine_chunks()
    if not table.num_rows:
        return table
    positions, keys = _integers(table, "position"), _keys(table)
    order = np.lexsort((positions, keys))
    keys = keys[order]
    _check_order(table, order, keys)
    eras = eras[order]
    # What was before the newest PartitionRecord of an era does not matter.
    starts = _starts(keys, eras)
    is_base = _is_set(table, "basePosition")[order]
    newest = np.maximum.reduceat(np.where(is_base, np.arange(len(order)), -1), starts)
    relevant = np.arange(len(order)) >= np.repeat(newest, np.diff(starts, append=len(order)))
    order, keys, eras = order[relevant], keys[relevant], eras[relevant]
    depends = (_is_set(table, "replicas") & ~_is_set(table, "directories"))[order]
    return _merged(table, order, _starts(keys, eras, np.cumsum(depends)))


def _merged(table: pa.Table, order: Integers, starts: Integers) -> pa.Table:
    """One row for each run of rows; ``order`` lists the rows, ``starts`` says where in it the runs start."""
    lasts = pa.array(order[np.append(starts[1:], len(order)) - 1])
    columns: dict[str, Any] = {name: table[name].take(lasts) for name in table.column_names}
    columns["firstPosition"] = table["firstPosition"].take(pa.array(order[starts]))
    for name in ("changes", "leaderChanges"):
        columns[name] = np.add.reduceat(_integers(table, name)[order], starts)
    for name, _ in _SET:
        is_set = _is_set(table, name)[order]
        newest = np.maximum.reduceat(np.where(is_set, np.arange(len(order)), -1), starts)
        columns[name] = table[name].take(pa.array(order[newest], mask=newest < 0))
    return pa.table(columns).cast(table.schema).combine_chunks()


def _resolved(table: pa.Table) -> pa.Table:
    table = table.combine_chunks()
    table = combined(table, _eras_of_clears(table))
    keys = _keys(table)
    sizes = np.diff(_starts(keys), append=len(keys))
    alone = np.repeat(sizes == 1, sizes)
    folded = [_folded(rows) for rows in _groups(table.filter(pa.array(~alone)))]
    table = pa.concat_tables(
        [table.filter(pa.array(alone)), pa.Table.from_pylist(folded, schema=UNRESOLVED)]
    ).combine_chunks()
    _check_bases(table)
    cleared = _has_elr(table) & (_integers(table, "clears") < _integers(table, "clearsInAll"))
    columns: dict[str, Any] = {name: table[name] for name in PARTITIONS.names}
    columns["leaderEpoch"] = _integers(table, "leaderEpoch") + _integers(table, "leaderChanges")
    columns["partitionEpoch"] = _integers(table, "partitionEpoch") + _integers(table, "changes") + cleared
    for name in _ELR:
        columns[name] = pc.if_else(pa.array(cleared), pa.scalar([], _INTS), table[name])
    return pa.table(columns).cast(PARTITIONS)


def _eras_of_clears(table: pa.Table) -> Integers:
    """How many ClearElrRecords come before each row; 0 for partitions without ELR, to which they do nothing."""
    keys = _keys(table)
    with_elr = np.isin(keys, keys[_has_elr(table)])
    return np.where(with_elr, _integers(table, "clears"), 0)


def _groups(table: pa.Table) -> Iterator[list[dict[str, Any]]]:
    """The rows of each partition, from a table that is sorted."""
    starts = _starts(_keys(table)) if table.num_rows else np.array([], np.int64)
    ends = np.append(starts[1:], table.num_rows)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=False):
        yield table.slice(start, end - start).to_pylist()


def _folded(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The rows of a partition as one, step by step as `server.image.apply_topics` does with records."""
    newest = max(
        (at for at, row in enumerate(rows) if row["basePosition"] is not None), default=len(rows) - 1
    )
    state = dict(rows[newest])
    for row in rows[newest + 1 :]:
        if row["clears"] > state["clears"] and (state["eligibleLeaderReplicas"] or state["lastKnownElr"]):
            state["eligibleLeaderReplicas"] = state["lastKnownElr"] = []
            state["changes"] += 1
        if row["replicas"] is not None and row["directories"] is None:
            known = dict(zip(state["replicas"], state["directories"], strict=True))
            state["directories"] = [known.get(replica, _MIGRATING) for replica in row["replicas"]]
        state |= {name: row[name] for name, _ in _SET if row[name] is not None}
        state |= {name: row[name] for name in ("position", "clears")}
        for name in ("changes", "leaderChanges"):
            state[name] += row[name]
    return state


def describe_position(position: int) -> str:
    """A position as a person finds it: positions of a snapshot's rows are below zero."""
    return f"offset {position}" if position >= 0 else f"snapshot record {position - SNAPSHOT_START}"


SNAPSHOT_START = -(1 << 62)
"""Position of a snapshot's first row; the log's rows have their offsets."""


def _check_order(table: pa.Table, order: Integers, keys: Integers) -> None:
    positions, firsts = (_integers(table, name)[order] for name in ("position", "firstPosition"))
    amiss = np.flatnonzero((keys[1:] == keys[:-1]) & (firsts[1:] <= positions[:-1]))
    if len(amiss):
        row = int(amiss[0])
        raise ValueError(
            f"partition {_name(table, int(order[row]))}: records at {describe_position(int(firsts[row + 1]))} and at"
            f" {describe_position(int(positions[row]))} came twice or out of order; the state needs each offset once"
            " (replicas=one) and each Spark partition a range of the log of its own, as the source gives it"
            " (of other frames: repartitionByRange('offset') does)"
        )


def _check_bases(table: pa.Table) -> None:
    missing = np.flatnonzero(~_is_set(table, "basePosition"))
    if len(missing):
        row = int(missing[0])
        first = table["firstPosition"][row].as_py()
        raise ValueError(
            f"PartitionChangeRecord at {describe_position(first)}: no PartitionRecord of {_name(table, row)} comes"
            " before it; the state needs the newest snapshot and the log from there (option asOf)"
        )


def _name(table: pa.Table, row: int) -> str:
    return f"{table['topicId'][row].as_py()}-{table['partitionId'][row].as_py()}"


def _keys(table: pa.Table) -> Integers:
    """A number for each partition, the same in all its rows of this table."""
    topics = table["topicId"].combine_chunks().dictionary_encode()
    numbers = (topics.combine_chunks() if isinstance(topics, pa.ChunkedArray) else topics).indices
    keys: Integers = (numbers.to_numpy().astype(np.int64) << 32) + _integers(table, "partitionId")
    return keys


def _starts(*columns: Integers) -> Integers:
    """The rows in which one of these differs from the row before, and the first."""
    differs = [values[1:] != values[:-1] for values in columns]
    return np.flatnonzero(np.concatenate(([True], np.logical_or.reduce(differs))))


def _integers(table: pa.Table, name: str) -> Integers:
    values: Integers = pc.fill_null(table[name], 0).to_numpy().astype(np.int64)
    return values


def _is_set(table: pa.Table, name: str) -> Flags:
    flags: Flags = table[name].is_valid().to_numpy()
    return flags


def _has_elr(table: pa.Table) -> Flags:
    lengths = [pc.fill_null(pc.list_value_length(table[name]), 0).to_numpy() for name in _ELR]
    flags: Flags = (lengths[0] > 0) | (lengths[1] > 0)
    return flags
