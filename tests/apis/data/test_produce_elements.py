"""How many elements a Produce request can hold is found before it is decoded, and records do not count."""

from __future__ import annotations

import pytest

from kafkaproto.api import ApiKey
from kafkaproto.messages import ProduceRequest
from kafkaproto_server.apis.bounds import RECORDS
from kafkaproto_server.apis.data.produce_elements import MOST_PARTITIONS, most_elements
from kafkaproto_server.apis.table import elements_of
from kafkaproto_server.base.types import ListenerKind

VERSIONS = range(3, 14)
HEADER = b"header"


def frame(version: int, topics: int, partitions: int, size: int) -> bytes:
    request = ProduceRequest(
        transactional_id="id",
        acks=-1,
        timeout_ms=1,
        topic_data=[
            ProduceRequest.TopicProduceData(
                name="a topic" if version < 13 else "",
                partition_data=[
                    ProduceRequest.PartitionProduceData(
                        index=index, records=bytes(size), unknown_tags={9: b"tag"} if version >= 9 else None
                    )
                    for index in range(partitions)
                ],
            )
            for _ in range(topics)
        ],
    )
    return HEADER + request.encode(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_records_do_not_count(version: int) -> None:
    few = frame(version, 3, 4, 1)
    many = frame(version, 3, 4, 100_000)
    assert 24 <= most_elements(few, len(HEADER), version) < 500
    # A longer length takes more bytes.
    assert most_elements(many, len(HEADER), version) - most_elements(few, len(HEADER), version) <= 24
    assert elements_of(many, len(HEADER), ApiKey.PRODUCE, version, ListenerKind.BROKER) < 500


@pytest.mark.parametrize("version", [3, 9])
@pytest.mark.parametrize(("topics", "partitions"), [(1, 2 * MOST_PARTITIONS), (2 * MOST_PARTITIONS, 1)])
def test_what_is_not_looked_at_counts_by_its_length(version: int, topics: int, partitions: int) -> None:
    request = frame(version, topics, partitions, 100)
    found = most_elements(request, len(HEADER), version)
    assert len(request) - MOST_PARTITIONS * 101 <= found <= len(request) - MOST_PARTITIONS * 99
    assert (
        elements_of(request, len(HEADER), ApiKey.PRODUCE, version, ListenerKind.BROKER)
        <= RECORDS.max_elements
    )


@pytest.mark.parametrize("version", [3, 9, 13])
def test_a_request_that_ends_early_counts_by_its_length(version: int) -> None:
    request = frame(version, 2, 2, 10)
    for length in range(len(HEADER), len(request)):
        found = most_elements(request[:length], len(HEADER), version)
        assert 0 <= found <= length - len(HEADER)
        if length < len(request) - 12:
            assert found == length - len(HEADER)


def test_other_requests_count_by_their_length() -> None:
    assert elements_of(bytes(506), len(HEADER), ApiKey.METADATA, 9, ListenerKind.BROKER) == 500
