"""The counts of an image's partitions are what counting them anew would give, however the image came to be.

Tests: `metadata.image.errors`.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from immutables import Map

from kafkaproto.message import Message
from kafkaproto.messages import PartitionChangeRecord, PartitionRecord, RemoveTopicRecord, TopicRecord
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState, load_records
from kafkaproto_server.metadata.image.partition_counts import NO_PARTITIONS
from kafkaproto_server.metadata.image.replay import replay, replay_all
from kafkaproto_server.metadata.image.snapshot import image_from_values, image_records
from tests.metadata.image.support.reference import counted, image_from_records
from tests.metadata.image.support.workload import random_records

SEEDS = st.integers(min_value=0, max_value=2**32)
TOPIC_ID = b"t" * 16


def partition(index: int, **fields: object) -> PartitionRecord:
    given = {
        "replicas": [1, 2],
        "isr": [1, 2],
        "leader": 1,
        "leader_epoch": 0,
        "partition_epoch": 0,
        "directories": [bytes(16)] * 2,
        **fields,
    }
    return PartitionRecord(topic_id=TOPIC_ID, partition_id=index, **given)  # type: ignore[arg-type]


def change(index: int, **fields: object) -> PartitionChangeRecord:
    return PartitionChangeRecord(topic_id=TOPIC_ID, partition_id=index, **fields)  # type: ignore[arg-type]


def after(*records: Message) -> ClusterImage:
    return replay_all(EMPTY_IMAGE, [TopicRecord(name="t", topic_id=TOPIC_ID), *records], 0)


@given(SEEDS)
def test_record_by_record(seed: int) -> None:
    image = EMPTY_IMAGE
    for offset, record in enumerate(random_records(Random(seed), 80)):
        image = replay(image, record, offset)
        assert image.partition_counts == counted(image)


@given(SEEDS)
def test_in_batches_which_come_to_the_same_as_record_by_record(seed: int) -> None:
    rng = Random(seed)
    records = random_records(rng, 120)
    state, start = LoadState(), 0
    while start < len(records):
        batch = records[start : start + rng.randint(1, 30)]
        state = load_records(state, base_offset=start, epoch=2, timestamp_ms=3, records=batch)
        start += len(batch)
    assert state.latest == image_from_records(records, offset=119, epoch=2, timestamp_ms=3)
    assert state.latest.partition_counts == counted(state.latest)


@given(SEEDS)
def test_from_a_snapshot(seed: int) -> None:
    image = image_from_records(random_records(Random(seed), 80), offset=79, epoch=2, timestamp_ms=3)
    values = [encode_metadata_record(record, version) for record, version in image_records(image)]
    loaded = image_from_values(values, offset=79, epoch=2, timestamp_ms=3)
    assert loaded.partition_counts == counted(loaded) == image.partition_counts


def test_what_is_counted() -> None:
    image = after(
        partition(0), partition(1, leader=2), partition(2, leader=-1, isr=[2]), partition(3, isr=[1])
    )
    counts = image.partition_counts
    assert (counts.total, counts.leaderless, counts.not_preferred) == (4, 1, 2)
    assert (counts.led, counts.in_sync) == (Map({1: 2, 2: 1}), Map({1: 3, 2: 3}))


def test_a_run_of_changes_starts_each_from_the_one_before() -> None:
    image = after(partition(0), change(0, isr=[1]), change(0, isr=[1, 2], leader=2), change(0, leader=-1))
    found = image.partition(TOPIC_ID, 0)
    assert found is not None
    assert (found.leader, found.isr) == (-1, (1, 2))
    assert (found.leader_epoch, found.partition_epoch) == (2, 3)
    assert image.partition_counts == counted(image)


def test_deleted_partitions_do_not_count() -> None:
    image = after(partition(0), partition(1), RemoveTopicRecord(topic_id=TOPIC_ID))
    assert image.partition_counts == NO_PARTITIONS


@pytest.mark.parametrize(
    "bad",
    [change(9, isr=[1]), change(0, directories=[bytes(16)]), partition(0, leader_recovery_state=7)],
    ids=["no such partition", "directories", "recovery state"],
)
def test_a_contradiction_within_a_run_is_told_with_its_offset(bad: Message) -> None:
    with pytest.raises(ReplayError) as raised:
        after(partition(0), partition(1), bad)
    assert raised.value.offset == 3
    assert raised.value.record_name == bad.NAME
