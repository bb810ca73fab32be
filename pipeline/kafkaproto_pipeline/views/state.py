"""The view ``state``: the combined result of each range of the log, made in the process that decodes its records.

A log may have millions of changes, and a state needs only the last of each partition. `latest` combines them in the
process that decodes them, so that only the few that are left travel to Spark. All other records that affect the state
are rows as they are, with a struct column for each type, as in the view ``typed``. Records of unknown types are rows
too, without their content. All other records are left out; they count only for the row that says where the range ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from kafkaproto import uuids
from kafkaproto_pipeline.views import latest
from kafkaproto_pipeline.views.latest import CHANGES, ELR, Portion
from kafkaproto_pipeline.views.schema import (
    CORRUPT_COLUMN,
    PARTITION,
    PARTITION_CHANGE,
    RECORD_TYPES,
    STATE_RECORD,
    STATE_TYPES,
    STATE_VIEW,
    TYPED_VIEW,
    arrow_schema,
    columns_of,
)
from kafkaproto_pipeline.views.wanted import CorruptInputError, Origin, Wanted
from kafkaproto_server.metadata.image.apply_topics import NO_LEADER_CHANGE, NO_RECOVERY_STATE_CHANGE
from kafkaproto_server.metadata.image.entries import MIGRATING_DIRECTORY

_PLACE = ("recordType", "position", "offset", "epoch", "timestampMs")
_PLACE_COLUMNS = ("offset", "partitionLeaderEpoch", "timestamp")
_MIGRATING = uuids.to_text(MIGRATING_DIRECTORY)
_NAMING = ["recordType", "recordVersion", "offset"]
_KNOWN_TYPES = pa.array(RECORD_TYPES)
_OTHER_TYPES = pa.array([name for name in STATE_TYPES if name not in (PARTITION, PARTITION_CHANGE)])


def as_view(
    wanted: Wanted, origin: Origin, read: Callable[[Wanted], Iterator[pa.RecordBatch]]
) -> Iterator[pa.RecordBatch]:
    """The rows of any view. ``read`` decodes the rows of every view except ``state``.

    For the view ``state``, raises CorruptInputError, which names the file, for a record that cannot be read or is of a
    newer version than this release knows: the state cannot be computed without it. Also raises as `latest.latest`
    does.
    """
    if wanted.view != STATE_VIEW:
        return read(wanted)
    return _settled(read(_as_typed(wanted)), wanted, f"{origin.directory}/{origin.file or 'log'}")


def _as_typed(wanted: Wanted) -> Wanted:
    """What has to be decoded to make the rows that are wanted."""
    structs = [column.name for column in columns_of(TYPED_VIEW, _types(wanted)) if column.name in STATE_TYPES]
    columns = (*_PLACE_COLUMNS, "snapshotIndex", "recordType", "recordVersion", "raw", CORRUPT_COLUMN)
    return replace(wanted, view=TYPED_VIEW, columns=(*columns, *structs))


def _settled(batches: Iterable[pa.RecordBatch], wanted: Wanted, file: str) -> Iterator[pa.RecordBatch]:
    """The rows of the view ``state``, from the rows that `_as_typed` asks for, for one range of the log."""
    whole = arrow_schema(STATE_VIEW, _types(wanted))
    for batch in latest.latest(_portion(pa.table(batch), whole, file) for batch in batches):
        yield batch.select(list(wanted.columns))


def _types(wanted: Wanted) -> tuple[str, ...]:
    return STATE_TYPES if wanted.record_types is None else wanted.record_types


def _portion(table: pa.Table, whole: pa.Schema, file: str) -> Portion:
    """A batch of the view ``typed`` as a `Portion`."""
    _check(table, file)
    position = table["offset"]
    if table["snapshotIndex"].null_count < table.num_rows:
        position = pc.add(table["snapshotIndex"], latest.SNAPSHOT_START)
    table = table.append_column("position", position)
    table = table.append_column("epoch", table["partitionLeaderEpoch"])
    table = table.append_column("timestampMs", pc.divide(table["timestamp"].cast(pa.int64()), 1000))
    changes = [CHANGES.empty_table()]
    for name, make in ((PARTITION, _bases), (PARTITION_CHANGE, _changes)):
        if name in table.column_names:
            of_type = table.select([name, "position"]).filter(table[name].is_valid())
            changes.append(make(of_type))
    is_other = pc.or_(pc.is_in(table["recordType"], _OTHER_TYPES), table["raw"].is_valid())
    rows = table.drop_columns(
        [name for name in (PARTITION, PARTITION_CHANGE) if name in table.column_names]
    ).filter(is_other)
    columns = [rows[name] for name in _PLACE] + [pa.nulls(rows.num_rows, whole.field("change").type)]
    if STATE_RECORD in whole.names:
        types = [field.name for field in whole.field(STATE_RECORD).type]
        columns.append(rows.select(types).to_struct_array())
    return Portion(
        ends=table.select(["offset", "epoch", "timestampMs"]),
        changes=pa.concat_tables(changes),
        others=pa.table(columns, schema=whole),
        others_at=np.flatnonzero(is_other.to_numpy()),
    )


def _check(table: pa.Table, file: str) -> None:
    corrupt = table[CORRUPT_COLUMN].drop_null()
    if len(corrupt):
        found = corrupt[0].as_py()
        raise CorruptInputError(
            f"{file}, byte {found['position']}, offset {found['offset']}: {found['reason']}"
        )
    if table["raw"].null_count == table.num_rows:
        return
    is_newer = pc.and_(table["raw"].is_valid(), pc.is_in(table["recordType"], _KNOWN_TYPES))
    for newer in table.filter(is_newer).slice(0, 1).select(_NAMING).to_pylist():
        raise CorruptInputError(
            f"{newer['recordType']} at offset {newer['offset']} of {file}: version {newer['recordVersion']} is newer"
            " than this release knows, so the state cannot be told"
        )


def _bases(table: pa.Table) -> pa.Table:
    """PartitionRecords as changes: they set every field."""
    fields = _fields(table, PARTITION)
    count, position = table.num_rows, table["position"].combine_chunks()
    columns = fields | {
        "firstPosition": position,
        "position": position,
        "changes": _zeros(count),
        "leaderChanges": _zeros(count),
        "basePosition": position,
        "directories": _known_directories(fields["directories"], fields["replicas"]),
    }
    for name in ELR:
        columns[name] = pc.if_else(fields[name].is_valid(), fields[name], pa.scalar([], fields[name].type))
    return _as_changes(columns, count)


def _changes(table: pa.Table) -> pa.Table:
    """PartitionChangeRecords as changes: null means that a field stays as it is."""
    fields = _fields(table, PARTITION_CHANGE)
    count, position = table.num_rows, table["position"].combine_chunks()
    leader, recovery_state = fields["leader"], fields["leaderRecoveryState"]
    names_leader = pc.not_equal(leader, NO_LEADER_CHANGE)
    names_state = pc.not_equal(recovery_state, NO_RECOVERY_STATE_CHANGE)
    columns = fields | {
        "firstPosition": position,
        "position": position,
        "changes": pa.array(np.ones(count, np.int32)),
        "leaderChanges": names_leader.cast(pa.int32()),
        "leader": pc.if_else(names_leader, leader, None),
        "leaderRecoveryState": pc.if_else(names_state, recovery_state, None),
    }
    return _as_changes(columns, count)


def _fields(table: pa.Table, name: str) -> dict[str, Any]:
    structs = table[name].combine_chunks()
    return dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))


def _as_changes(columns: dict[str, Any], count: int) -> pa.Table:
    made = [columns.get(field.name, pa.nulls(count, field.type)) for field in CHANGES]
    return pa.table(made, schema=CHANGES)


def _known_directories(directories: pa.ListArray, replicas: pa.ListArray) -> pa.ListArray:
    """Records of versions before 1 have no directories, because brokers did not report any then; such replicas get the
    id that means "migrating".
    """
    counts = pc.fill_null(pc.list_value_length(directories), 0)
    is_known = pc.greater(counts, 0)
    if pc.all(is_known).as_py() is not False:
        return directories
    sizes: npt.NDArray[np.int32] = pc.list_value_length(replicas).to_numpy()
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    migrating = pa.ListArray.from_arrays(pa.array(offsets), pa.repeat(_MIGRATING, int(offsets[-1])))
    return pc.if_else(is_known, directories, migrating.cast(directories.type))


def _zeros(count: int) -> pa.Array:
    return pa.array(np.zeros(count, np.int32))
