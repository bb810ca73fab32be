"""Which rows count is what the server's own loader holds back and takes back."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
    LeaderChangeMessage,
    ProducerIdsRecord,
)
from kafkaproto_pipeline.jobs.transactions import keep
from kafkaproto_pipeline.views.latest import MARKERS
from kafkaproto_server.metadata.image.loader import LoadState, load_control_batch, load_records
from tests.pipeline.frames import frame

pytestmark = pytest.mark.jvm

TYPES = ("ProducerIdsRecord", "LeaderChangeMessage", *MARKERS)


def _history(rng: random.Random, count: int) -> list[Message]:
    """Records in transactions and outside; each says by its producer id where it lies."""
    records: list[Message] = []
    is_open = False
    for offset in range(count):
        chosen = rng.random()
        if chosen < 0.1:
            records.append(LeaderChangeMessage(leader_id=1))
        elif chosen < 0.5 and is_open:
            records.append(rng.choice((EndTransactionRecord(), AbortTransactionRecord(reason="gone"))))
            is_open = False
        elif chosen < 0.4:
            records.append(BeginTransactionRecord(name="several"))
            is_open = True
        else:
            records.append(ProducerIdsRecord(broker_id=1, broker_epoch=1, next_producer_id=offset + 1))
    return records


def _last_shown(records: Sequence[Message]) -> int:
    """The newest producer id that the server shows after these records."""
    state = LoadState()
    for offset, record in enumerate(records):
        if record.TYPE != "metadata":
            state = load_control_batch(state, last_offset=offset, epoch=1, timestamp_ms=0)
            continue
        state = load_records(state, base_offset=offset, epoch=1, timestamp_ms=0, records=[record])
    return state.stable.next_producer_id


def _frame(spark: SparkSession, records: Sequence[Message]) -> DataFrame:
    return frame(spark, [(each, each, record) for each, record in enumerate(records)], record_types=TYPES)


def _counted(df: DataFrame) -> list[int]:
    return sorted(row.offset for row in keep(df).counted.select("offset").collect())


@pytest.mark.parametrize("seed", range(2))
def test_what_counts_is_what_the_server_shows(spark: SparkSession, seed: int) -> None:
    records = _history(random.Random(seed), 100)
    counted = _counted(_frame(spark, records))
    ids = [offset + 1 for offset in counted if isinstance(records[offset], ProducerIdsRecord)]
    assert max(ids, default=0) == _last_shown(records)
    # What counts at the end was shown at some time, or was before the newest that is shown.
    shown = {_last_shown(records[:end]) for end in range(len(records) + 1)}
    assert shown - {0} <= set(ids)
    assert not any(isinstance(records[offset], BeginTransactionRecord) for offset in counted)
    controls = [at for at, record in enumerate(records) if isinstance(record, LeaderChangeMessage)]
    assert set(controls) <= set(counted)


def _record(number: int) -> Message:
    return ProducerIdsRecord(broker_id=1, broker_epoch=1, next_producer_id=number)


ENDS = {
    "r b r e r": [0, 2, 4],
    "r b r a r": [0, 4],
    "r b r": [0],
    "b r a b r e": [4],
    "r b r b r e": [0, 4],
    # The range begins within a transaction, whose end decides of its rows.
    "r a r": [2],
    "r e r": [0, 2],
    "r r": [0, 1],
}
"""Which rows (r) count by begins (b), ends (e) and aborts (a)."""


def test_ends_decide_in_each_cluster_by_itself(spark: SparkSession) -> None:
    marks = {"b": BeginTransactionRecord(), "e": EndTransactionRecord(), "a": AbortTransactionRecord()}
    frames = [
        _frame(spark, [marks.get(each, _record(1)) for each in history.split()]).withColumn(
            "clusterId", F.lit(history)
        )
        for history in ENDS
    ]
    counted = keep(reduce(DataFrame.unionAll, frames)).counted.select("clusterId", "offset").collect()
    assert sorted(map(tuple, counted)) == sorted((name, each) for name in ENDS for each in ENDS[name])


def test_a_snapshot_is_no_part_of_a_transaction(spark: SparkSession) -> None:
    rows = frame(spark, [(7, 0, _record(1))], record_types=TYPES, snapshot=True)
    log = frame(spark, [(8, 0, AbortTransactionRecord()), (9, 0, _record(2))], record_types=TYPES)
    assert _counted(rows.unionAll(log)) == [7, 9]
