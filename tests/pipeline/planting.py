"""Divergences planted in copies of real logs: batches are rewritten, with right checksums unless that is the point."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from kafkaproto.log import LOG_SUFFIX, BatchScan, parse_segment_file_name, segment_file_name
from kafkaproto.records.batch import PlainRecord, Record, RecordBatchView, build_batch

LOG = "__cluster_metadata-0"


class Place(NamedTuple):
    """Where a batch stands."""

    path: Path
    position: int
    batch: RecordBatchView


def copy_nodes(paths: Sequence[str | Path], folder: Path) -> list[Path]:
    """Copies of nodes' directories, in the same order, which may be changed."""
    copies = []
    for path in paths:
        copy = folder / Path(path).name
        (copy / LOG).mkdir(parents=True)
        for file in (Path(path) / "meta.properties", *(Path(path) / LOG).iterdir()):
            if file.is_file():
                target = copy / file.relative_to(path)
                shutil.copyfile(file, target)
        copies.append(copy)
    return copies


def segments(node: Path) -> list[Path]:
    """The segments of a node's metadata log in their order."""
    return sorted(path for path in (node / LOG).glob(f"*{LOG_SUFFIX}") if _is_segment(path))


def snapshots(node: Path) -> list[Path]:
    """The snapshots in their order, without that of formatting."""
    return sorted(path for path in (node / LOG).glob("*.checkpoint") if not path.name.startswith("0" * 20))


def batches(path: Path) -> list[RecordBatchView]:
    """The batches of a segment or a snapshot."""
    scan = BatchScan(path.read_bytes())
    found = list(scan)
    assert scan.fault is None, scan.fault
    return found


def find(node: Path, offset: int) -> Place:
    """The batch of the log that holds an offset."""
    for path in reversed(segments(node)):
        if int(path.stem) <= offset:
            position = 0
            for batch in batches(path):
                if batch.base_offset <= offset <= batch.last_offset:
                    return Place(path, position, batch)
                position += batch.size_in_bytes
    raise AssertionError(f"{node} has no offset {offset}")


def rebuilt(
    batch: RecordBatchView,
    *,
    epoch: int | None = None,
    change: Callable[[Sequence[Record]], list[PlainRecord]] | None = None,
) -> bytes:
    """The batch with another epoch or other records, its checksum right."""
    records = list(batch.records())
    plain: list[PlainRecord] = [(_bytes(record.key), _bytes(record.value), ()) for record in records]
    return build_batch(
        plain if change is None else change(records),
        base_offset=batch.base_offset,
        partition_leader_epoch=batch.partition_leader_epoch if epoch is None else epoch,
        timestamp_ms=batch.base_timestamp,
        control=batch.is_control,
    )


def put(place: Place, data: bytes) -> None:
    """Write other bytes in the place of the batch. The segment's indexes would be wrong, so they go."""
    content = place.path.read_bytes()
    end = place.position + place.batch.size_in_bytes
    place.path.write_bytes(content[: place.position] + data + content[end:])
    if _is_segment(place.path):
        for suffix in (".index", ".timeindex"):
            (place.path.parent / segment_file_name(int(place.path.stem), suffix)).unlink(missing_ok=True)


def put_snapshot(path: Path, change: Callable[[Sequence[Record]], list[PlainRecord]]) -> None:
    """Change the metadata records of a snapshot's first data batch."""
    parts = []
    is_done = False
    shift = 0
    for batch in batches(path):
        if not is_done and not batch.is_control:
            records = change(list(batch.records()))
            shift = len(records) - batch.record_count
            data = build_batch(
                records,
                base_offset=batch.base_offset,
                partition_leader_epoch=batch.partition_leader_epoch,
                timestamp_ms=batch.base_timestamp,
            )
            is_done = True
        else:
            shifted = bytearray(batch.raw)
            shifted[:8] = (batch.base_offset + shift).to_bytes(8, "big")
            data = bytes(shifted)
        parts.append(data)
    assert is_done, f"{path} has no metadata"
    path.chmod(0o644)
    path.write_bytes(b"".join(parts))


def with_value(records: Sequence[Record], index: int, value: bytes) -> list[PlainRecord]:
    """The records with another value in one of them."""
    return [
        (_bytes(record.key), value if number == index else _bytes(record.value), ())
        for number, record in enumerate(records)
    ]


def _bytes(value: bytes | memoryview | None) -> bytes | None:
    return None if value is None else bytes(value)


def _is_segment(path: Path) -> bool:
    return parse_segment_file_name(path.name) is not None
