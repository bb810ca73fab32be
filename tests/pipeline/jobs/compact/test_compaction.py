"""The compacted log is a snapshot that Kafka's tools and controllers read, of the state that the log ends in."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkaproto.messages import (
    BeginTransactionRecord,
    KRaftVersionRecord,
    LeaderChangeMessage,
    SnapshotHeaderRecord,
    VotersRecord,
)
from kafkaproto.snapshot import ControlRecord, read_snapshot
from kafkaproto_pipeline.jobs import state
from kafkaproto_pipeline.jobs.compact import write_snapshot
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.snapshot import image_from_values
from tests.metadata.image.support.reference import image_from_records
from tests.metadata.image.support.workload import random_records
from tests.pipeline.frames import state_frame, typed_table

pytestmark = pytest.mark.jvm

COUNT = 200
VOTERS = VotersRecord(
    voters=[
        VotersRecord.Voter(
            voter_id=1,
            voter_directory_id=b"d" * 16,
            endpoints=[VotersRecord.Endpoint(name="CONTROLLER", host="h", port=9093)],
            kraft_version_feature=VotersRecord.KRaftVersionFeature(
                min_supported_version=0, max_supported_version=1
            ),
        )
    ]
)


def test_the_file_ends_before_an_open_transaction(spark: SparkSession, tmp_path: Path) -> None:
    records = random_records(random.Random(7), COUNT)
    controls = [KRaftVersionRecord(kraft_version=1), VOTERS, LeaderChangeMessage(leader_id=1)]
    log = [*enumerate(records), *enumerate(controls, COUNT)]
    # What is in the transaction is not known to count, whatever it says; of the quorum's own records that is as true.
    opened = [
        BeginTransactionRecord(),
        *random_records(random.Random(8), 5),
        KRaftVersionRecord(kraft_version=0),
    ]
    rows = [(offset, offset * 10, record, offset // 50) for offset, record in log]
    rows += [(offset, offset * 10, record, 9) for offset, record in enumerate(opened, len(log))]
    df = state_frame(spark, [typed_table(rows)])
    (written,) = write_snapshot(df, str(tmp_path)).collect()
    state.forget(df)
    end = COUNT + 3
    path = tmp_path / f"{end:020d}-{(end - 1) // 50:010d}.checkpoint"
    assert [Path(written.file), written.endOffset, written.partitionLeaderEpoch] == [
        path,
        end,
        (end - 1) // 50,
    ]
    read = list(read_snapshot(path.read_bytes()))
    messages = [each.message for each in read if isinstance(each, ControlRecord)]
    assert isinstance(messages[0], SnapshotHeaderRecord)
    assert messages[0].last_contained_log_timestamp == (end - 1) * 10
    assert messages[1:3] == controls[:2]
    values = [each for each in read if isinstance(each, bytes)]
    image = image_from_records(records, offset=COUNT - 1, epoch=3, timestamp_ms=0)
    assert digest(image_from_values(values, offset=end - 1, epoch=3, timestamp_ms=0)) == digest(image)


def test_a_record_of_an_unknown_type_is_not_left_out_without_a_word(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = typed_table([(0, 0, records) for records in random_records(random.Random(9), 1)])
    names = table.column_names
    table = table.set_column(names.index("recordType"), "recordType", pa.array(["40"]))
    table = table.set_column(names.index("raw"), "raw", pa.array([b"\0"]))
    df = state_frame(spark, [table])
    with pytest.raises(
        PySparkException, match="record of type 40 at offset 0 is newer than this release knows"
    ):
        write_snapshot(df, str(tmp_path)).collect()
    state.forget(df)
