"""Fetch requests as values, at all versions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.messages import FetchRequest
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.requests.fetch_requests import (
    FetchValues,
    PartitionFetch,
    PartitionKey,
    fetch_topics,
    fetch_values,
    forgotten_topics,
    partition_key,
)

VERSIONS = range(FetchRequest.MIN_VERSION, FetchRequest.MAX_VERSION + 1)
TOPICS = [("a", bytes([1]) * 16), ("b", bytes([2]) * 16)]

INT32 = st.integers(-(2**31), 2**31 - 1)
EPOCH = st.integers(-1, 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
PARTITIONS = st.lists(
    st.tuples(st.sampled_from(TOPICS), st.integers(0, 3), INT64, INT32, EPOCH, EPOCH, INT64), max_size=8
)


def received(request: FetchRequest, version: int) -> FetchValues:
    """The values of a request that has come over the wire."""
    return fetch_values(FetchRequest.decode(request.encode(version), version)[0], version)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_has_the_fields_that_it_has_and_defaults_for_the_rest(version: int) -> None:
    request = FetchRequest(
        replica_id=5 if version < 15 else -1,
        max_wait_ms=500,
        min_bytes=2,
        max_bytes=3000,
        isolation_level=1,
        session_id=77 if version >= 7 else 0,
        session_epoch=8 if version >= 7 else -1,
        rack_id="r" if version >= 11 else "",
        topics=[
            FetchRequest.FetchTopic(
                topic="a",
                topic_id=TOPICS[0][1],
                partitions=[
                    FetchRequest.FetchPartition(
                        partition=3,
                        current_leader_epoch=4,
                        fetch_offset=5,
                        last_fetched_epoch=6 if version >= 12 else -1,
                        log_start_offset=7,
                        partition_max_bytes=8,
                    )
                ],
            )
        ],
    )
    if version >= 7:
        request.forgotten_topics_data = [
            FetchRequest.ForgottenTopic(topic="b", topic_id=TOPICS[1][1], partitions=[1, 2])
        ]
    if version >= 15:
        request.replica_state = FetchRequest.ReplicaState(replica_id=5, replica_epoch=6)
    has_ids = version >= 13
    a: bytes | str = TOPICS[0][1] if has_ids else "a"
    b: bytes | str = TOPICS[1][1] if has_ids else "b"
    assert received(request, version) == FetchValues(
        replica_id=5,
        replica_epoch=6 if version >= 15 else -1,
        max_wait_ms=500,
        min_bytes=2,
        max_bytes=3000,
        isolation_level=1,
        session_id=77 if version >= 7 else 0,
        session_epoch=8 if version >= 7 else -1,
        rack_id="r" if version >= 11 else "",
        uses_topic_ids=has_ids,
        partitions={
            (a, 3): PartitionFetch(
                topic_id=TOPICS[0][1] if has_ids else ZERO_UUID,
                topic_name=None if has_ids else "a",
                index=3,
                fetch_offset=5,
                max_bytes=8,
                current_leader_epoch=4 if version >= 9 else -1,
                last_fetched_epoch=6 if version >= 12 else -1,
                log_start_offset=7 if version >= 5 else -1,
            )
        },
        forgotten=[(b, 1), (b, 2)] if version >= 7 else [],
    )


@pytest.mark.parametrize(("replica_id", "is_from_follower"), [(-2, False), (-1, False), (0, True), (9, True)])
@pytest.mark.parametrize("version", [14, 15])
def test_followers_have_replica_ids(version: int, replica_id: int, is_from_follower: bool) -> None:
    request = FetchRequest()
    if version < 15:
        request.replica_id = replica_id
    else:
        request.replica_state.replica_id = replica_id
    assert received(request, version).is_from_follower == is_from_follower


@pytest.mark.parametrize("version", [12, 13])
def test_a_partition_that_is_named_twice_counts_as_the_second_time_at_the_place_of_the_first(
    version: int,
) -> None:
    name, topic_id = TOPICS[0]
    partitions = [
        FetchRequest.FetchPartition(partition=index, fetch_offset=10 * n) for n, index in enumerate([1, 2, 1])
    ]
    topic = FetchRequest.FetchTopic(topic=name, topic_id=topic_id, partitions=partitions)
    values = received(FetchRequest(topics=[topic]), version)
    assert [(each.index, each.fetch_offset) for each in values.partitions.values()] == [(1, 20), (2, 10)]


@pytest.mark.parametrize("epoch", [-(2**31), -2, -1])
def test_a_negative_epoch_is_none(epoch: int) -> None:
    partition = FetchRequest.FetchPartition(current_leader_epoch=epoch, last_fetched_epoch=epoch)
    topic = FetchRequest.FetchTopic(topic_id=TOPICS[0][1], partitions=[partition])
    (found,) = received(FetchRequest(topics=[topic]), 18).partitions.values()
    assert (found.current_leader_epoch, found.last_fetched_epoch) == (-1, -1)


@given(version=st.sampled_from(VERSIONS), rows=PARTITIONS)
def test_partitions_come_back_as_they_were_put_into_a_request(
    version: int, rows: list[tuple[tuple[str, bytes], int, int, int, int, int, int]]
) -> None:
    has_ids = version >= 13
    wanted: dict[PartitionKey, PartitionFetch] = {}
    for (name, topic_id), index, offset, max_bytes, leader_epoch, last_epoch, log_start in rows:
        each = PartitionFetch(
            topic_id=topic_id if has_ids else ZERO_UUID,
            topic_name=None if has_ids else name,
            index=index,
            fetch_offset=offset,
            max_bytes=max_bytes,
            current_leader_epoch=leader_epoch if version >= 9 else -1,
            last_fetched_epoch=last_epoch if version >= 12 else -1,
            log_start_offset=log_start if version >= 5 else -1,
        )
        wanted[partition_key(each)] = each
    forgotten = list(wanted) if version >= 7 else []
    request = FetchRequest(
        topics=fetch_topics(wanted.values()), forgotten_topics_data=forgotten_topics(forgotten)
    )
    values = received(request, version)
    assert list(values.partitions.items()) == list(wanted.items())
    assert values.forgotten == forgotten


def test_partitions_of_one_topic_that_follow_each_other_share_an_entry() -> None:
    def of(topic: int, index: int) -> PartitionFetch:
        return PartitionFetch(
            topic_id=TOPICS[topic][1], topic_name=None, index=index, fetch_offset=0, max_bytes=1
        )

    wanted = [of(0, 0), of(0, 1), of(1, 0), of(0, 2)]
    assert [len(each.partitions) for each in fetch_topics(wanted)] == [2, 1, 1]
    assert [each.partitions for each in forgotten_topics(map(partition_key, wanted))] == [[0, 1], [0], [2]]
