"""The snapshot file that compacting writes: its name, its frame, and nothing where it fails.

Tests: `kafkaproto_pipeline.jobs.compact.snapshot_values`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from kafkaproto import uuids
from kafkaproto.json_form import to_json
from kafkaproto.messages import KRaftVersionRecord, SnapshotHeaderRecord, VotersRecord
from kafkaproto.records.control import ControlRecordType
from kafkaproto.snapshot import ControlRecord, read_snapshot
from kafkaproto_pipeline.jobs.compact.snapshot_file import HEADER_KEY, WRITTEN, write_checkpoint
from kafkaproto_pipeline.jobs.compact.snapshot_values import VALUES, snapshot_values
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.snapshot import image_from_values, image_values
from tests.metadata.image.support.reference import image_from_records
from tests.metadata.image.support.workload import random_records

HEADER = {"offset": 1233, "epoch": 5, "timestampMs": 1_700_000_000_000}
VOTERS = VotersRecord(
    voters=[
        VotersRecord.Voter(
            voter_id=3,
            voter_directory_id=b"d" * 16,
            endpoints=[VotersRecord.Endpoint(name="CONTROLLER", host="h", port=9093)],
            kraft_version_feature=VotersRecord.KRaftVersionFeature(
                min_supported_version=0, max_supported_version=1
            ),
        )
    ]
)


def _batches(header: dict[str, Any], values: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    rows = [(HEADER_KEY, json.dumps(header).encode()), *((b"\1", value) for value in values)]
    for start in range(0, len(rows), 7):
        keys, chunk = zip(*rows[start : start + 7], strict=True)
        yield pa.RecordBatch.from_arrays(
            [pa.array(keys, pa.binary()), pa.array(chunk, pa.binary())], schema=VALUES
        )


def _written(batches: Iterable[pa.RecordBatch], directory: Path) -> dict[str, Any]:
    (batch,) = write_checkpoint(batches, directory=str(directory))
    assert batch.schema == WRITTEN
    (row,) = batch.to_pylist()
    return dict(row)


def test_the_file_is_the_snapshot_of_the_image(tmp_path: Path) -> None:
    image = image_from_records(random_records(random.Random(4), 300), offset=1233, epoch=5, timestamp_ms=1)
    values = [value for value in image_values(image) if value]
    written = _written(_batches(HEADER, values), tmp_path / "new")
    path = tmp_path / "new" / "00000000000000001234-0000000005.checkpoint"
    assert list(path.parent.iterdir()) == [path]
    assert written == {
        "file": str(path),
        "endOffset": 1234,
        "partitionLeaderEpoch": 5,
        "lastContainedLogTimestamp": 1_700_000_000_000,
        "kRaftVersion": 0,
        "records": len(values),
        "bytes": path.stat().st_size,
    }
    header, *read, footer = read_snapshot(path.read_bytes())
    assert isinstance(header, ControlRecord)
    assert isinstance(header.message, SnapshotHeaderRecord)
    assert header.message.last_contained_log_timestamp == 1_700_000_000_000
    assert isinstance(footer, ControlRecord)
    assert footer.type is ControlRecordType.SNAPSHOT_FOOTER
    records = [each for each in read if isinstance(each, bytes)]
    assert digest(image_from_values(records, offset=1233, epoch=5, timestamp_ms=1)) == digest(image)


def test_the_quorums_own_records_follow_the_header(tmp_path: Path) -> None:
    told = {"version": KRaftVersionRecord(kraft_version=1), "voters": VOTERS}
    header = HEADER | {name: json.dumps(to_json(each, 0)) for name, each in told.items()}
    path = _written(_batches(header, []), tmp_path)["file"]
    controls = [each for each in read_snapshot(Path(path).read_bytes()) if isinstance(each, ControlRecord)]
    assert [each.message for each in controls[1:3]] == [KRaftVersionRecord(kraft_version=1), VOTERS]


def test_an_aborted_task_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from _batches(HEADER, [b"\1\2\0"] * 20)
        raise ConnectionError("an executor is gone")

    with pytest.raises(ConnectionError):
        _written(broken(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_compact_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no row was read that counts"):
        _written(_batches({}, []), tmp_path)
    assert list(write_checkpoint([], directory=str(tmp_path))) == []


NAMES = ("", "\0", "\0\0", "\0\1", "a", "a\0", "a\0b", "a.b", "ab", "ä", "\U0001f600")


def test_records_are_in_the_order_of_their_names() -> None:
    rows = [{"name": name, "topicId": uuids.to_text(bytes(16))} for name in NAMES]
    batch = pa.RecordBatch.from_pylist(rows)
    (keyed,) = snapshot_values([batch], table="topics")
    by_key = [NAMES[at] for _, at in sorted((key, at) for at, key in enumerate(keyed["key"].to_pylist()))]
    assert by_key == sorted(NAMES)
