"""Writes the records of a snapshot to a file, in the order in which they come."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto.json_form import from_json
from kafkaproto.messages import KRaftVersionRecord, VotersRecord
from kafkaproto.snapshot import SnapshotId, build_snapshot, snapshot_file_name

WRITTEN = pa.schema(
    [
        ("file", pa.string()),
        ("endOffset", pa.int64()),
        ("partitionLeaderEpoch", pa.int32()),
        ("lastContainedLogTimestamp", pa.int64()),
        ("kRaftVersion", pa.int16()),
        ("records", pa.int64()),
        ("bytes", pa.int64()),
    ]
)
"""The row in which `write_checkpoint` reports its file."""

Control = TypeVar("Control", KRaftVersionRecord, VotersRecord)

HEADER_KEY = b""
"""Key of the row that says which state the snapshot holds; it sorts before the keys of all records."""
_READABLE = 0o644


def write_checkpoint(batches: Iterable[pa.RecordBatch], *, directory: str) -> Iterator[pa.RecordBatch]:
    """Write rows of `snapshot_values.VALUES`, in order and with a header first, to a snapshot file; yields a row of
    `WRITTEN`.

    The header's value is a JSON object: ``offset``, ``epoch`` and ``timestampMs`` of the last record contained, the
    newest KRaftVersionRecord as ``version`` and VotersRecord as ``voters``. The latter two are JSON text again, and
    left out if there is none. The file has another name until it is complete and on disk. Raises ValueError if the
    header has no offset.
    """
    rows = ((row["key"], row["value"]) for batch in batches for row in batch.to_pylist())
    first = next(rows, None)
    if first is None:
        # Spark has also started a task without any rows.
        return
    assert first[0] == HEADER_KEY, "the header comes first"
    header = json.loads(first[1])
    if "offset" not in header:
        raise ValueError("there is nothing to compact: no row was read that counts")
    counter = _Counter(value for _, value in rows)
    snapshot_id = SnapshotId(epoch=header["epoch"], end_offset=header["offset"] + 1)
    path = Path(directory) / snapshot_file_name(snapshot_id)
    version = _control(header, "version", KRaftVersionRecord)
    kraft_version = 0 if version is None else version.kraft_version
    chunks = build_snapshot(
        counter,
        epoch=snapshot_id.epoch,
        timestamp_ms=header["timestampMs"],
        last_contained_log_timestamp=header["timestampMs"],
        kraft_version=kraft_version,
        voters=_control(header, "voters", VotersRecord),
    )
    size = _write(path, chunks)
    written = {
        "file": str(path),
        "endOffset": snapshot_id.end_offset,
        "partitionLeaderEpoch": snapshot_id.epoch,
        "lastContainedLogTimestamp": header["timestampMs"],
        "kRaftVersion": kraft_version,
        "records": counter.count,
        "bytes": size,
    }
    yield pa.RecordBatch.from_pylist([written], schema=WRITTEN)


class _Counter:
    """Passes values through and counts them."""

    def __init__(self, values: Iterable[bytes]) -> None:
        self._values = values
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        for value in self._values:
            self.count += 1
            yield value


def _control(header: dict[str, Any], name: str, message_class: type[Control]) -> Control | None:
    if name not in header:
        return None
    document = json.loads(header[name])
    message: Control = from_json(message_class, document, document["version"])
    return message


def _write(path: Path, chunks: Iterable[bytes]) -> int:
    """Write a file, and rename it to its final name when it is on disk; returns its size in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Another attempt at the same task writes to a file of its own. Controllers clear away what ends like this.
    descriptor, temporary = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            size = file.tell()
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _READABLE)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return size
