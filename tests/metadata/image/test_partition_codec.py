"""Partitions as bytes and back, beside the way that goes by messages."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from immutables import Map

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import FeatureLevelRecord, PartitionRecord, TopicRecord
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.partition_codec import PartitionEncoder, decode_partition
from kafkaproto_server.metadata.image.records import partition_record, record_version
from kafkaproto_server.metadata.image.snapshot import (
    image_from_values,
    image_records,
    image_values,
)
from tests.metadata.image.support.reference import image_from_records
from tests.metadata.image.support.workload import random_records

TOPIC_ID = bytes(range(16))
LEVELS = (7, 16, 17, 22, 23, 30)

brokers = st.lists(st.integers(0, 2**31 - 1), max_size=4).map(tuple)
epochs = st.integers(-1, 2**31 - 1)


@st.composite
def partitions(draw: st.DrawFn) -> PartitionImage:
    replicas = draw(st.one_of(brokers, st.just(tuple(range(140)))))
    return PartitionImage(
        replicas=replicas,
        directories=tuple(draw(st.binary(min_size=16, max_size=16)) for _ in replicas[:3])
        + (bytes(16),) * len(replicas[3:]),
        isr=draw(brokers),
        removing_replicas=draw(brokers),
        adding_replicas=draw(brokers),
        leader=draw(epochs),
        leader_recovery_state=draw(st.sampled_from((0, 0, 0, 1))),
        leader_epoch=draw(epochs),
        partition_epoch=draw(epochs),
        elr=draw(st.one_of(st.just(()), brokers)),
        last_known_elr=draw(st.one_of(st.just(()), brokers)),
    )


def by_message(index: int, partition: PartitionImage, level: int) -> bytes:
    record = partition_record(TOPIC_ID, index, partition, level)
    return encode_metadata_record(record, record_version(record, level))


@given(st.integers(0, 2**31 - 1), partitions(), st.sampled_from(LEVELS))
def test_the_bytes_are_those_of_the_message(index: int, partition: PartitionImage, level: int) -> None:
    assert PartitionEncoder(level).encode(TOPIC_ID, index, partition) == by_message(index, partition, level)


@given(st.integers(0, 2**31 - 1), partitions(), st.sampled_from(LEVELS))
def test_what_is_decoded_is_what_the_message_gives(index: int, partition: PartitionImage, level: int) -> None:
    value = by_message(index, partition, level)
    found = decode_partition(value)
    assert found is None or found == (TOPIC_ID, index, replayed(value).topics[TOPIC_ID].partitions[index])


def test_plain_partitions_are_decoded_and_share_their_lists() -> None:
    plain = PartitionImage(replicas=(1, 2, 3), directories=(TOPIC_ID,) * 3, isr=(3, 1), leader=3)
    found = [decode_partition(by_message(index, plain, 30)) for index in (4, 5)]
    assert found == [(TOPIC_ID, 4, plain), (TOPIC_ID, 5, plain)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0][2].replicas is found[1][2].replicas


def replayed(value: bytes) -> ClusterImage:
    topic = TopicRecord(name="t", topic_id=TOPIC_ID)
    return image_from_records([topic, decode_metadata_record(value)[0]], offset=1, epoch=1, timestamp_ms=1)


@given(partitions(), st.data())
def test_damaged_bytes_give_what_the_message_gives_or_the_same_error(
    partition: PartitionImage, data: st.DataObject
) -> None:
    value = bytearray(by_message(5, partition, 30))
    for _ in range(data.draw(st.integers(1, 3))):
        value[data.draw(st.integers(2, len(value) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(value[: data.draw(st.integers(3, len(value)))])
    topic = encode_metadata_record(TopicRecord(name="t", topic_id=TOPIC_ID), 0)

    def outcome(load: object) -> object:
        try:
            return load()  # type: ignore[operator]
        except (RemoteProtocolError, ReplayError) as error:
            return str(error)

    fast = outcome(lambda: image_from_values([topic, damaged], offset=1, epoch=1, timestamp_ms=1))
    assert fast == outcome(lambda: replayed(damaged))


@given(st.integers(0, 2**32))
def test_values_of_an_image_are_its_records_and_make_it_again(seed: int) -> None:
    records = random_records(random.Random(seed), 120)
    image = image_from_records(records, offset=119, epoch=2, timestamp_ms=3)
    values = [value for value in image_values(image) if value]
    assert values == [encode_metadata_record(record, version) for record, version in image_records(image)]
    copy = image_from_values(values, offset=119, epoch=2, timestamp_ms=3)
    assert copy == image


@pytest.mark.parametrize(
    "records",
    [
        [TopicRecord(name="a", topic_id=TOPIC_ID), TopicRecord(name="a", topic_id=bytes(16))],
        [TopicRecord(name="a", topic_id=TOPIC_ID), TopicRecord(name="b", topic_id=TOPIC_ID)],
        [PartitionRecord(partition_id=0, topic_id=TOPIC_ID, replicas=[1], isr=[1], directories=[bytes(16)])],
    ],
)
def test_records_that_contradict_each_other_are_refused_the_same_way(records: list[TopicRecord]) -> None:
    values = [encode_metadata_record(record, record_version(record, 30)) for record in records]
    with pytest.raises(ReplayError) as slow:
        image_from_records(records, offset=1, epoch=1, timestamp_ms=1)
    # Also where something else came in between, so that the first one is in the image already.
    between = encode_metadata_record(FeatureLevelRecord(name="f", feature_level=1), 0)
    for order in (values, [values[0], between, *values[1:]]):
        with pytest.raises(ReplayError) as fast:
            image_from_values(order, offset=1, epoch=1, timestamp_ms=1)
        assert str(fast.value) == str(slow.value)


def test_topics_of_many_slices_are_in_order_and_pauses_come_between() -> None:
    names = [f"topic-{number}" for number in range(5_000)]
    ids = {name: number.to_bytes(16) for number, name in enumerate(names)}
    topics = {
        topic_id: TopicImage(name=name, topic_id=topic_id, partitions=Map()) for name, topic_id in ids.items()
    }
    image = ClusterImage(topics=Map(topics), topic_ids=Map(ids))
    values = list(image_values(image))
    assert values.count(b"") > 500
    found = [decode_metadata_record(value)[0].name for value in values if value]  # type: ignore[attr-defined]
    assert found == sorted(names)
    assert list(image_values(EMPTY_IMAGE)) == []
