"""The quota on the rate at which partitions are created and deleted (KIP-599).

Tests: `core.controller.machine.permits`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreatePartitionsRequest, CreateTopicsRequest, DeleteTopicsRequest
from tests.core.controller.commands.test_client_quotas import alter, entry
from tests.core.controller.support.harness import Harness

EXCEEDED = ErrorCode.THROTTLING_QUOTA_EXCEEDED


@pytest.fixture
def harness() -> Harness:
    """Every user may change one partition a second, and eleven at once."""
    harness = Harness(num_partitions=1)
    harness.start_brokers(1)
    alter(harness, entry({"user": None}, ("controller_mutation_rate", 1.0)))
    return harness


def create(harness: Harness, *topics: tuple[str, int], version: int = 7, **fields: Any) -> Any:
    request = CreateTopicsRequest(
        topics=[
            CreateTopicsRequest.CreatableTopic(name=name, num_partitions=count, replication_factor=1)
            for name, count in topics
        ],
        **fields,
    )
    return harness.call(request, version=version)


def codes(response: Any) -> dict[str, int]:
    return {each.name: each.error_code for each in response.topics}


def test_topics_beyond_the_quota_are_refused_until_there_are_tokens_again(harness: Harness) -> None:
    response = create(harness, ("a", 8), ("b", 8), ("c", 1))
    # As long as any token is left, a topic may have any number of partitions.
    assert codes(response) == {"a": 0, "b": 0, "c": EXCEEDED}
    assert response.throttle_time_ms == 5_000
    assert sorted(harness.image.topic_ids) == ["a", "b"]
    harness.advance(4_000)
    response = create(harness, ("c", 1))
    assert (codes(response), response.throttle_time_ms) == ({"c": EXCEEDED}, 1_000)
    harness.advance(1_000)
    response = create(harness, ("c", 1))
    assert (codes(response), response.throttle_time_ms) == ({"c": 0}, 0)


def test_versions_that_know_no_refusal_are_only_delayed(harness: Harness) -> None:
    response = create(harness, ("a", 20), ("b", 2), version=5)
    assert codes(response) == {"a": 0, "b": 0}
    assert response.throttle_time_ms == 11_000


def test_a_topic_that_cannot_be_created_takes_no_token(harness: Harness) -> None:
    create(harness, ("a", 11))
    response = create(harness, ("a", 100), ("b", 1))
    assert codes(response) == {"a": ErrorCode.TOPIC_ALREADY_EXISTS, "b": 0}


def test_a_request_that_only_validates_counts_as_well(harness: Harness) -> None:
    create(harness, ("a", 12), validate_only=True)
    assert codes(create(harness, ("a", 1))) == {"a": EXCEEDED}


@pytest.mark.parametrize("version", [6, 4])
def test_a_deleted_topic_takes_as_many_tokens_as_it_has_partitions(harness: Harness, version: int) -> None:
    create(harness, ("a", 6), ("b", 6))
    harness.advance(4_000)

    def delete(*names: str) -> Any:
        request = DeleteTopicsRequest()
        if version >= 6:
            request.topics = [DeleteTopicsRequest.DeleteTopicState(name=name) for name in names]
        else:
            request.topic_names = list(names)
        return harness.call(request, version=version)

    response = delete("a", "b")
    expected = {"a": 0, "b": EXCEEDED if version >= 5 else 0}
    assert {each.name: each.error_code for each in response.responses} == expected
    assert response.throttle_time_ms > 0


@pytest.mark.parametrize("version", [3, 2])
def test_added_partitions_take_tokens(harness: Harness, version: int) -> None:
    create(harness, ("a", 1), ("b", 1))
    request = CreatePartitionsRequest(
        topics=[
            CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=count, assignments=None)
            for name, count in (("a", 13), ("b", 2))
        ]
    )
    response = harness.call(request, version=version)
    expected = {"a": 0, "b": EXCEEDED if version >= 3 else 0}
    assert {each.name: each.error_code for each in response.results} == expected
    assert response.throttle_time_ms == (3_000 if version >= 3 else 4_000)
