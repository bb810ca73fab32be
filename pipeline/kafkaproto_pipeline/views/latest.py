"""Combines many changes of a partition into few, so that little crosses the network to find each partition's newest
state.

A row says what a record sets in a partition: a PartitionRecord sets everything, a PartitionChangeRecord what it names;
null means that a field stays as it is. Consecutive rows of one partition become one row, with the newest value of each
field and the number of changes. This may be done in portions of any size: again and again within a Spark partition
while rows come (`latest`), and at last over the results of all Spark partitions, each for its range of the log
(`resolved`). All of it is arithmetic on whole columns; only rare cases are handled row by row:

- Replicas may change without directories (records written before brokers reported them). A replica that stays then
  keeps its directory, which depends on the rows before. Such a row is not combined with those before it until
  `resolved`.
- ClearElrRecord (KIP-966) empties the ELR of partitions that have one. That is a change to these partitions and to no
  others. So nothing is combined across such a record.
- Whether a metadata transaction counts is known only later. If it begins and ends in the range, its markers are
  dropped, or all its changes are. Other transactions begin before the range or are open at its end; nothing is
  combined across their markers.

Records of other types pass through `latest` unchanged: they are few. Rows are ordered by position. Between rows that
are combined, there must be no row of the same partition from elsewhere. That holds if each piece of work is a range of
the log of its own, and is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from kafkaproto import uuids
from kafkaproto_server.image.entries import MIGRATING_DIRECTORY

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MAX_BUFFERED_ROWS = 1 << 18
"""Rows that are gathered before they are put together: some tens of MB."""
MAX_REDUCED_ROWS = 1 << 20
"""Rows that may be left of them before they are handed on: memory is bounded however many partitions there are."""
MAX_PASSED_ROWS = 1 << 16
"""Other rows that are gathered before they are handed on."""

# Named as Spark names them.
_INTS = pa.list_(pa.field("element", pa.int32()))
_TEXTS = pa.list_(pa.field("element", pa.string()))
_SET = (
    ("basePosition", pa.int64()),
    ("replicas", _INTS),
    ("directories", _TEXTS),
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
ELR = ("eligibleLeaderReplicas", "lastKnownElr")
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
        ("recordType", pa.string()),
        ("position", pa.int64()),
        ("offset", pa.int64()),
        ("epoch", pa.int32()),
        ("timestampMs", pa.int64()),
        # Null but in rows that changes of a partition were put together in.
        ("change", pa.struct(_CHANGE)),
    ]
)
"""What rows of `latest` begin with; the record follows, of those that are one, in a form of the caller's."""
UNRESOLVED = pa.schema([*_CHANGE, ("clears", pa.int32()), ("clearsInAll", pa.int32())])
"""What `resolved` takes: ``clears`` counts the ClearElrRecords about the topic before the row, ``clearsInAll`` all."""
PARTITIONS = pa.schema([*_KEY, *_SET])
"""What `resolved` gives: partitions as they are after all."""

BEGIN_TRANSACTION = "BeginTransactionRecord"
END_TRANSACTION = "EndTransactionRecord"
ABORT_TRANSACTION = "AbortTransactionRecord"
MARKERS = (BEGIN_TRANSACTION, END_TRANSACTION, ABORT_TRANSACTION)
"""What metadata transactions (KIP-868) begin and end with."""
CLEAR_ELR = "ClearElrRecord"
_BOUNDS = (*MARKERS, CLEAR_ELR)
"""Record types across which changes may not be put together."""
CHANGED_PARTITION = "changed partition"
"""``recordType`` of the rows that changes were put together in; ``offset`` is that of the last of them."""
END_OF_RANGE = "end of range"
"""``recordType`` of the rows in which `latest` tells offset, epoch and time of the last row that it has seen, and of
the last one before a transaction that is open there: the points that a state may be consistent at."""

_MIGRATING = uuids.to_text(MIGRATING_DIRECTORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """Some rows of the log, one behind the other, sorted into what is put together and what is not."""

    ends: pa.Table
    """``offset``, ``epoch`` and ``timestampMs`` of every row, in order."""
    changes: pa.Table
    """Of `CHANGES`, in any order: the rows about partitions."""
    others: pa.Table
    """The other rows, in order: columns of `ROWS`, and those of their records."""
    others_at: Integers
    """Which rows of ``ends`` the others are."""


def latest(portions: Iterable[Portion]) -> Iterator[pa.RecordBatch]:
    """What a range of the log does to each partition, in few rows, and all else in it as it is: columns of ``others``.

    Raises ValueError where rows of one partition are there twice, or out of order further than a portion.
    """
    changes: _Range | None = None
    for portion in portions:
        changes = changes or _Range(portion.others.schema)
        yield from changes.add(portion)
    if changes is not None:
        yield from changes.finish()


class _Range:
    """The rows of a range of the log, as far as they came."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._changes: list[pa.Table] = []
        self._others: list[pa.Table] = []
        self._rows = 0
        self._reduced_rows = 0
        self._barriers: list[int] = []
        self._begin: int | None = None
        """Of a transaction that is open, and of which nothing was handed on so far."""
        self._dropped: list[tuple[int, int]] = []
        """First and last position of rows that do not count, in order: markers of transactions that ended, or all."""
        self._ends: dict[int | None, dict[str, Any]] = {}
        """`END_OF_RANGE` rows, by the position of the BeginTransactionRecord behind them."""

    def add(self, portion: Portion) -> Iterator[pa.RecordBatch]:
        """Take in rows; gives those that are ready to be handed on."""
        if not portion.ends.num_rows:
            return
        self._note_bounds(portion)
        self._ends[None] = _end_of_range(portion.ends, portion.ends.num_rows - 1)
        self._others.append(portion.others)
        if sum(table.num_rows for table in self._others) >= MAX_PASSED_ROWS:
            yield from self._passed()
        self._changes.append(portion.changes)
        self._rows += portion.changes.num_rows
        # Waiting for as much again as there is keeps the work for a row the same, however many partitions there are.
        if self._rows - self._reduced_rows >= max(MAX_BUFFERED_ROWS, self._reduced_rows):
            reduced = self._reduce()
            if reduced.num_rows > MAX_REDUCED_ROWS:
                yield from self._passed()
                yield from self._as_rows(reduced)
                reduced = reduced.slice(0, 0)
            self._changes = [reduced]
            self._rows = self._reduced_rows = reduced.num_rows

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What is left, when all rows came."""
        if self._ends:
            yield from self._passed()
            yield from self._as_rows(self._reduce())
            yield pa.RecordBatch.from_pylist(list(self._ends.values()), schema=self._schema)

    def _note_bounds(self, portion: Portion) -> None:
        is_bound = pc.is_in(portion.others["recordType"], pa.array(_BOUNDS))
        bounds = portion.others.filter(is_bound).select(["recordType", "position"]).to_pylist()
        for row, bound in zip(portion.others_at[is_bound.to_numpy()].tolist(), bounds, strict=True):
            record_type, position = bound["recordType"], bound["position"]
            if record_type == BEGIN_TRANSACTION:
                end = _end_of_range(portion.ends, row - 1) if row else self._ends.get(None)
                if end is not None:
                    self._ends[position] = end
                self._begin = position
                self._barriers.append(position)
            elif record_type == CLEAR_ELR or self._begin is None:
                self._barriers.append(position)
            else:
                self._barriers.remove(self._begin)
                self._ends.pop(self._begin, None)
                is_aborted = record_type == ABORT_TRANSACTION
                self._dropped += (
                    [(self._begin, position)]
                    if is_aborted
                    else [(self._begin, self._begin), (position, position)]
                )
                self._begin = None

    def _passed(self) -> Iterator[pa.RecordBatch]:
        """The other rows so far; what becomes of a transaction that is open is not for this range to tell any more."""
        if self._others:
            # By type, because who looks for one then finds out quickly where there is none.
            yield from self._counting(pa.concat_tables(self._others)).sort_by("recordType").to_batches()
        self._others = []
        self._begin = None

    def _reduce(self) -> pa.Table:
        table = self._counting(pa.concat_tables(self._changes))
        barriers = np.array(self._barriers, np.int64)
        return combined(table, np.searchsorted(barriers, _integers(table, "position")))

    def _counting(self, table: pa.Table) -> pa.Table:
        if not self._dropped:
            return table
        firsts, lasts = np.array(self._dropped, np.int64).T
        positions = _integers(table, "position")
        before = np.searchsorted(firsts, positions, side="right") - 1
        return table.filter(pa.array((before < 0) | (positions > lasts[before])))

    def _as_rows(self, changes: pa.Table) -> Iterator[pa.RecordBatch]:
        size = changes.num_rows
        columns = {
            "recordType": pa.repeat(CHANGED_PARTITION, size),
            "position": changes["position"],
            "offset": changes["position"],
            "change": changes.to_struct_array(),
        }
        made = [columns.get(field.name, pa.nulls(size, field.type)) for field in self._schema]
        yield from pa.table(made, schema=self._schema).to_batches()


def _end_of_range(ends: pa.Table, row: int) -> dict[str, Any]:
    values: dict[str, Any] = ends.slice(row, 1).to_pylist()[0]
    return values | {"recordType": END_OF_RANGE, "position": values["offset"]}


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
    for name in ELR:
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
    """The rows of a partition as one, step by step as `image.apply_topics` does with records."""
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
            " (asOf, or replicas=one)"
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
    lengths = [pc.fill_null(pc.list_value_length(table[name]), 0).to_numpy() for name in ELR]
    flags: Flags = (lengths[0] > 0) | (lengths[1] > 0)
    return flags
