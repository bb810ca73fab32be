"""The state's tables are what the server's own replay has in memory, whatever the history."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
    FenceBrokerRecord,
    LeaderChangeMessage,
    PartitionChangeRecord,
    PartitionRecord,
)
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_pipeline.jobs import state
from kafkaproto_pipeline.jobs.compact import snapshot_rows
from kafkaproto_pipeline.jobs.compact.snapshot_file import HEADER_KEY
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState, load_control_batch, load_records
from kafkaproto_server.metadata.image.snapshot import image_records, image_values
from tests.metadata.image.support.workload import metadata_version_record, random_record
from tests.pipeline.frames import state_frame, typed_table

pytestmark = pytest.mark.jvm


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What a log held, and what the server makes of it."""

    snapshot: Sequence[Message]
    """The state at the offset before ``start``, as a snapshot has it."""
    start: int
    records: Sequence[Message]
    """What follows from there on, one an offset."""
    image: ClusterImage


def _loaded(before: LoadState, record: Message) -> LoadState:
    offset = before.latest.offset + 1
    if record.TYPE != "metadata":
        return load_control_batch(before, last_offset=offset, epoch=1, timestamp_ms=0)
    return load_records(before, base_offset=offset, epoch=1, timestamp_ms=0, records=[record])


def _as_before_directories(rng: random.Random, record: Message) -> None:
    """Some records are as they were before brokers told their directories."""
    if rng.random() < 0.2:
        if isinstance(record, PartitionRecord):
            record.directories = []
        elif isinstance(record, PartitionChangeRecord) and record.replicas is not None:
            record.directories = None


def _records(rng: random.Random, before: LoadState, count: int) -> Iterator[tuple[Message, LoadState]]:
    """Random records that make sense, in transactions and outside; each with what is loaded after it."""
    for _ in range(count):
        record: Message
        if before.latest.offset < 0:
            record = metadata_version_record()
        elif rng.random() < 0.03:
            record = LeaderChangeMessage(leader_id=1)
        elif before.in_transaction and rng.random() < 0.1:
            record = rng.choice((EndTransactionRecord(), AbortTransactionRecord()))
        elif not before.in_transaction and rng.random() < 0.03:
            record = BeginTransactionRecord()
        else:
            record = random_record(rng, before.latest, before.latest.offset + 1)
        _as_before_directories(rng, record)
        before = _loaded(before, record)
        yield record, before


def _history(seed: int, count: int) -> History:
    rng = random.Random(seed)
    *_, (_, before) = _records(rng, LoadState(), count // 3)
    if before.in_transaction:
        before = _loaded(before, EndTransactionRecord())
    records, after = zip(*_records(rng, before, count), strict=True)
    return History(
        snapshot=[record for record, _ in image_records(before.stable)],
        start=before.latest.offset + 1,
        records=records,
        image=after[-1].stable,
    )


def _frame(spark: SparkSession, history: History, rng: random.Random) -> DataFrame:
    snapshot = typed_table([(history.start - 1, 0, record) for record in history.snapshot], snapshot=True)
    log = typed_table(
        [(offset, offset * 1000, record) for offset, record in enumerate(history.records, history.start)]
    )
    cuts = [0, *sorted(rng.randrange(log.num_rows) for _ in range(5)), log.num_rows]
    return state_frame(spark, [snapshot, *(log.slice(start, end - start) for start, end in pairwise(cuts))])


def test_tables_are_what_the_server_replays(spark: SparkSession) -> None:
    history = _history(0, 900)
    df = _frame(spark, history, random.Random(1))
    rows = snapshot_rows(df).sort("key").collect()
    state.forget(df)
    values = [bytes(row.value) for row in rows if row.key != HEADER_KEY]
    expected = [value for value in image_values(history.image) if value]
    assert [_described(value) for value in values] == [_described(value) for value in expected]
    assert values == expected


def _described(value: bytes) -> str:
    """A record as text, for a difference to be seen."""
    return repr(decode_metadata_record(value)[0])


def test_a_state_that_lacks_its_beginning_is_named(spark: SparkSession) -> None:
    df = state_frame(spark, [typed_table([(3, 0, FenceBrokerRecord(id=7))])])
    with pytest.raises(
        PySparkException, match=r"broker 7 is changed, and no RegisterBrokerRecord of it comes before.*asOf"
    ):
        state.brokers(df).collect()
    state.forget(df)
