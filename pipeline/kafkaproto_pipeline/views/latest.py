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
from kafkaproto_server.metadata.image.entries import MIGRATING_DIRECTORY

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MAX_BUFFERED_ROWS = 1 << 18
"""Rows that are collected before they are combined: some tens of MB."""
MAX_REDUCED_ROWS = 1 << 20
"""If more combined rows than this are left, they are handed on. So memory is bounded however many
partitions there are.
"""
MAX_PASSED_ROWS = 1 << 16
"""Other rows that are collected before they are handed on."""

# The element has the name that Spark gives it.
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
"""The fields that a row may set; null means that the row does not change the field. Base position and both epochs come
from a PartitionRecord.
"""
ELR = ("eligibleLeaderReplicas", "lastKnownElr")
_KEY = (("topicId", pa.string()), ("partitionId", pa.int32()))
_CHANGE = (
    *_KEY,
    # Positions of the first and of the last record that the row is made of.
    ("firstPosition", pa.int64()),
    ("position", pa.int64()),
    # The number of PartitionChangeRecords that the row is made of, and how many of them name a leader.
    ("changes", pa.int32()),
    ("leaderChanges", pa.int32()),
    *_SET,
)
CHANGES = pa.schema(_CHANGE)
"""Input and result of `combined`."""
ROWS = pa.schema(
    [
        ("recordType", pa.string()),
        ("position", pa.int64()),
        ("offset", pa.int64()),
        ("epoch", pa.int32()),
        ("timestampMs", pa.int64()),
        # Only rows with the combined changes of a partition have it; null in all others.
        ("change", pa.struct(_CHANGE)),
    ]
)
"""The first columns of the rows of `latest`. If a row is a record, the record follows, in a form that the caller
chooses.
"""
UNRESOLVED = pa.schema([*_CHANGE, ("clears", pa.int32()), ("clearsInAll", pa.int32())])
"""Input of `resolved`. ``clears`` is the number of ClearElrRecords about the topic before the row, ``clearsInAll`` the
number of all of them.
"""
PARTITIONS = pa.schema([*_KEY, *_SET])
"""Result of `resolved`: partitions as they are after the last record."""

BEGIN_TRANSACTION = "BeginTransactionRecord"
END_TRANSACTION = "EndTransactionRecord"
ABORT_TRANSACTION = "AbortTransactionRecord"
MARKERS = (BEGIN_TRANSACTION, END_TRANSACTION, ABORT_TRANSACTION)
"""The records with which metadata transactions (KIP-868) begin and end."""
CLEAR_ELR = "ClearElrRecord"
_BOUNDS = (*MARKERS, CLEAR_ELR)
"""Record types across which changes must not be combined."""
CHANGED_PARTITION = "changed partition"
"""``recordType`` of rows with combined changes; their ``offset`` is that of the last change."""
END_OF_RANGE = "end of range"
"""``recordType`` of the rows in which `latest` gives offset, epoch and time of the last row that it has seen, and of
the last row before a transaction that is open there. These are the points at which a state may be consistent.
"""

_MIGRATING = uuids.to_text(MIGRATING_DIRECTORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """Consecutive rows of the log, divided into those that are combined and those that are not."""

    ends: pa.Table
    """``offset``, ``epoch`` and ``timestampMs`` of every row, in order."""
    changes: pa.Table
    """The rows about partitions, with the columns of `CHANGES`, in any order."""
    others: pa.Table
    """The other rows, in order: the columns of `ROWS`, and those of their records."""
    others_at: Integers
    """For each of the other rows, its index in ``ends``."""


def latest(portions: Iterable[Portion]) -> Iterator[pa.RecordBatch]:
    """The changes of a range of the log to each partition, in few rows, and all its other rows unchanged. The columns
    are those of ``others``.

    Raises ValueError if rows of one partition come twice, or further out of order than within one portion.
    """
    changes: _Range | None = None
    for portion in portions:
        changes = changes or _Range(portion.others.schema)
        yield from changes.add(portion)
    if changes is not None:
        yield from changes.finish()


class _Range:
    """The rows of a range of the log that have come so far."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._changes: list[pa.Table] = []
        self._others: list[pa.Table] = []
        self._rows = 0
        self._reduced_rows = 0
        self._barriers: list[int] = []
        self._begin: int | None = None
        """Position of the begin of an open transaction of which no row was handed on yet."""
        self._dropped: list[tuple[int, int]] = []
        """First and last position of rows that do not count, in order: only the markers of a transaction that ended,
        all rows of one that was aborted.
        """
        self._ends: dict[int | None, dict[str, Any]] = {}
        """`END_OF_RANGE` rows, by the position of the BeginTransactionRecord that follows."""

    def add(self, portion: Portion) -> Iterator[pa.RecordBatch]:
        """Add rows; returns the rows that are ready to be handed on."""
        if not portion.ends.num_rows:
            return
        self._note_bounds(portion)
        self._ends[None] = _end_of_range(portion.ends, portion.ends.num_rows - 1)
        self._others.append(portion.others)
        if sum(table.num_rows for table in self._others) >= MAX_PASSED_ROWS:
            yield from self._passed()
        self._changes.append(portion.changes)
        self._rows += portion.changes.num_rows
        # Wait until the new rows are as many as the combined ones. So the work for each row does not grow with the
        # number of partitions.
        if self._rows - self._reduced_rows >= max(MAX_BUFFERED_ROWS, self._reduced_rows):
            reduced = self._reduce()
            if reduced.num_rows > MAX_REDUCED_ROWS:
                yield from self._passed()
                yield from self._as_rows(reduced)
                reduced = reduced.slice(0, 0)
            self._changes = [reduced]
            self._rows = self._reduced_rows = reduced.num_rows

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The rows that are left after the last portion."""
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
        """The other rows so far. After this, the range can no longer drop rows of a transaction that is open."""
        if self._others:
            # Sorted by type, so that a reader of one type quickly sees which batches have none.
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
    """The final state of the partitions, as `PARTITIONS`, from rows of `UNRESOLVED`. All rows of a partition must be
    there.

    Raises ValueError as `latest` does, and if a partition is changed that has no PartitionRecord.
    """
    tables = [pa.Table.from_batches([batch]).cast(UNRESOLVED) for batch in batches]
    if sum(table.num_rows for table in tables):
        yield from _resolved(pa.concat_tables(tables)).to_batches()


def combined(table: pa.Table, eras: Integers) -> pa.Table:
    """The same changes in as few rows as possible, sorted by partition and position. Rows of different eras are not
    combined.

    ``eras`` has one number for each row of the table. Columns beyond `CHANGES` must be the same in a partition's era.
    """
    table = table.combine_chunks()
    if not table.num_rows:
        return table
    positions, keys = _integers(table, "position"), _keys(table)
    order = np.lexsort((positions, keys))
    keys = keys[order]
    _check_order(table, order, keys)
    eras = eras[order]
    # Rows before the newest PartitionRecord of an era do not matter: that record sets every field.
    starts = _starts(keys, eras)
    is_base = _is_set(table, "basePosition")[order]
    newest = np.maximum.reduceat(np.where(is_base, np.arange(len(order)), -1), starts)
    relevant = np.arange(len(order)) >= np.repeat(newest, np.diff(starts, append=len(order)))
    order, keys, eras = order[relevant], keys[relevant], eras[relevant]
    depends = (_is_set(table, "replicas") & ~_is_set(table, "directories"))[order]
    return _merged(table, order, _starts(keys, eras, np.cumsum(depends)))


def _merged(table: pa.Table, order: Integers, starts: Integers) -> pa.Table:
    """One row for each run of rows; ``order`` lists the rows, ``starts`` has the indexes in it at which
    the runs start.
    """
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
    """The number of ClearElrRecords before each row; 0 for partitions without ELR, which these records
    do not change.
    """
    keys = _keys(table)
    with_elr = np.isin(keys, keys[_has_elr(table)])
    return np.where(with_elr, _integers(table, "clears"), 0)


def _groups(table: pa.Table) -> Iterator[list[dict[str, Any]]]:
    """The rows of each partition. The table is sorted."""
    starts = _starts(_keys(table)) if table.num_rows else np.array([], np.int64)
    ends = np.append(starts[1:], table.num_rows)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=False):
        yield table.slice(start, end - start).to_pylist()


def _folded(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The rows of a partition combined into one, step by step as `metadata.image.apply_topics` does with records."""
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
    """A position as text for people; positions of a snapshot's rows are negative."""
    return f"offset {position}" if position >= 0 else f"snapshot record {position - SNAPSHOT_START}"


SNAPSHOT_START = -(1 << 62)
"""Position of a snapshot's first row. The position of a log's row is its offset."""


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
    """The indexes of the rows in which one of these columns differs from the row before; the first row
    always counts.
    """
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
