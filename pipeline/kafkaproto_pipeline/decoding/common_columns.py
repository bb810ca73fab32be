"""The columns that every view begins with, made for many records at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto.records.batch import CONTROL_BIT
from kafkaproto_pipeline.decoding.arrays import booleans, numbers
from kafkaproto_pipeline.decoding.frames import Flags, Records
from kafkaproto_pipeline.decoding.pieces import LogPiece
from kafkaproto_pipeline.decoding.rows import MAX_TIMESTAMP_MS
from kafkaproto_pipeline.decoding.scan import Int64s
from kafkaproto_pipeline.generated.records import RECORDS
from kafkaproto_pipeline.views.wanted import Origin, Plan, is_wanted_offset

_APPEND_TIME_BIT = 0x08

_TYPE_NAMES = pa.array([record.name for record in RECORDS], pa.string())


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Offset and time of records, one array for each field."""

    offsets: Int64s
    """In a snapshot, the numbers of the records in it."""
    timestamps: Int64s
    """Milliseconds since 1970."""


class CommonColumns:
    """Makes those columns for the records of one origin."""

    def __init__(self, plan: Plan, origin: Origin, snapshot_time_ms: int | None) -> None:
        self._wanted = plan.wanted
        self._origin = origin
        self._snapshot_time_ms = snapshot_time_ms

    def places(self, piece: LogPiece, records: Records) -> Places:
        """Offset and time of all records of a piece."""
        headers, batches = piece.headers, records.batches
        has_append_time = (headers.attributes & _APPEND_TIME_BIT) != 0
        if has_append_time.any():
            times = np.where(has_append_time, headers.max_timestamps, headers.base_timestamps)[batches]
            times += np.where(has_append_time[batches], 0, records.timestamp_deltas)
        else:
            times = headers.base_timestamps[batches] + records.timestamp_deltas
        return Places(offsets=headers.base_offsets[batches] + records.offset_deltas, timestamps=times)

    def in_range(self, places: Places) -> Flags:
        """Which records have a wanted offset and a wanted time."""
        wanted, snapshot = self._wanted, self._origin.snapshot
        times = places.timestamps
        if snapshot is not None:
            found: Flags = np.full(len(times), is_wanted_offset(wanted, snapshot[0] - 1))
            if self._snapshot_time_ms is None:
                return found
            times = np.full(len(times), self._snapshot_time_ms)
        else:
            found = places.offsets >= wanted.start_offset
            if wanted.end_offset is not None:
                found &= places.offsets < wanted.end_offset
        if wanted.start_timestamp_ms is not None:
            found &= times >= wanted.start_timestamp_ms
        if wanted.end_timestamp_ms is not None:
            found &= times < wanted.end_timestamp_ms
        return found

    def column(
        self, name: str, piece: LogPiece, places: Places, batches: Int64s, codes: Int64s, versions: Int64s
    ) -> pa.Array | None:
        """The column of this name for these records; None if it is not one of the columns that every view has."""
        origin, count = self._origin, len(batches)
        match name:
            case "clusterId" | "directory" | "directoryId" | "file" | "source" | "nodeId":
                return self._constant(name, count)
            case "offset" if origin.snapshot is not None:
                return pa.repeat(pa.scalar(origin.snapshot[0] - 1, pa.int64()), count)
            case "offset":
                return numbers(pa.int64(), places.offsets)
            case "snapshotIndex":
                return (
                    pa.nulls(count, pa.int64())
                    if origin.snapshot is None
                    else numbers(pa.int64(), places.offsets)
                )
            case "partitionLeaderEpoch" if origin.snapshot is not None:
                return pa.repeat(pa.scalar(origin.snapshot[1], pa.int32()), count)
            case "partitionLeaderEpoch":
                return numbers(pa.int32(), piece.headers.epochs[batches])
            case "timestamp":
                return self._timestamps(places.timestamps)
            case "isControl":
                return booleans((piece.headers.attributes[batches] & CONTROL_BIT) != 0)
            case "recordType":
                return pa.DictionaryArray.from_arrays(pa.array(codes), _TYPE_NAMES).dictionary_decode()
            case "recordVersion":
                return numbers(pa.int32(), versions.astype(np.int32))
            case "committed" if origin.snapshot is not None:
                return booleans(np.ones(count, np.bool_))
            case "committed":
                return booleans(places.offsets < self._wanted.committed_end)
            case _:
                return None

    def _constant(self, name: str, count: int) -> pa.Array:
        origin = self._origin
        values: dict[str, Any] = {
            "clusterId": origin.cluster_id,
            "directory": origin.directory,
            "directoryId": origin.directory_id,
            "file": origin.file,
            "source": origin.source,
            "nodeId": origin.node_id,
        }
        return pa.repeat(pa.scalar(values[name], pa.int32() if name == "nodeId" else pa.string()), count)

    def _timestamps(self, times: Int64s) -> pa.Array:
        kind = pa.timestamp("us", tz="UTC")
        if self._origin.snapshot is not None:
            time = self._snapshot_time_ms
            times = np.full(len(times), -1 if time is None else time)
        null = (times == -1) | (times > MAX_TIMESTAMP_MS) | (times < -MAX_TIMESTAMP_MS)
        return numbers(kind, np.where(null, 0, times) * 1000, null)
