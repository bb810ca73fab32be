"""DeleteTopics: by name, by id, and everything wrong with either."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteTopicsRequest, DeleteTopicsResponse, RemoveTopicRecord
from tests.core.controller.support.harness import Harness

ZERO = bytes(16)
UNKNOWN = b"u" * 16


@pytest.fixture
def harness() -> Harness:
    harness = Harness()
    harness.start_brokers(1)
    harness.create_topic("a", [1], retention_ms="5")
    harness.create_topic("b", [1])
    return harness


def topic_id(harness: Harness, name: str) -> bytes:
    return harness.image.topic_ids[name]


def named(name: str | None = None, topic_id: bytes = ZERO) -> DeleteTopicsRequest.DeleteTopicState:
    return DeleteTopicsRequest.DeleteTopicState(name=name, topic_id=topic_id)


def delete(
    harness: Harness, *topics: DeleteTopicsRequest.DeleteTopicState
) -> list[DeleteTopicsResponse.DeletableTopicResult]:
    results: list[DeleteTopicsResponse.DeletableTopicResult] = harness.call(
        DeleteTopicsRequest(topics=list(topics), timeout_ms=1)
    ).responses
    return results


def test_topics_are_deleted_by_name_and_by_id(harness: Harness) -> None:
    a, b = topic_id(harness, "a"), topic_id(harness, "b")
    start = harness.next_offset
    results = delete(harness, named("a"), named(topic_id=b))
    assert [(each.name, each.topic_id, each.error_code) for each in results] == [("a", a, 0), ("b", b, 0)]
    assert harness.records(start) == [RemoveTopicRecord(topic_id=a), RemoveTopicRecord(topic_id=b)]
    assert len(harness.image.topics) == 0
    # The topic's configs go with it; the cluster's stay.
    assert sorted(harness.image.configs) == [(4, "")]


def test_old_versions_name_topics_in_a_list_of_their_own(harness: Harness) -> None:
    request = DeleteTopicsRequest(topic_names=["b", "c", "b"], timeout_ms=1)
    results = harness.call(request, version=5).responses
    assert [(each.name, each.error_code) for each in results] == [("b", 42), ("c", 3)]
    results = harness.call(DeleteTopicsRequest(topic_names=["b"], timeout_ms=1), version=1).responses
    assert [(each.name, each.error_code) for each in results] == [("b", 0)]
    assert sorted(harness.image.topic_ids) == ["a"]


@pytest.mark.parametrize(
    ("topic", "code", "message"),
    [
        (named("c"), 3, "Topic 'c' does not exist."),
        (named(topic_id=UNKNOWN), 100, "No topic has the id dXV1dXV1dXV1dXV1dXV1dQ."),
        (named(), 42, "Neither a name nor an id is given."),
        (named("a", UNKNOWN), 42, "Topic a has an id too; only one of them may be given."),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(
    harness: Harness, topic: DeleteTopicsRequest.DeleteTopicState, code: int, message: str
) -> None:
    start = harness.next_offset
    (result,) = delete(harness, topic)
    assert (result.name, result.topic_id) == (topic.name, topic.topic_id)
    assert (result.error_code, result.error_message) == (code, message)
    assert harness.next_offset == start


def test_a_topic_given_twice_stays(harness: Harness) -> None:
    b = topic_id(harness, "b")
    results = delete(harness, named("a"), named(topic_id=b), named("a"), named(topic_id=b))
    assert [(each.name, each.error_code, each.error_message) for each in results] == [
        ("a", 42, "The topic is named twice."),
        (None, 42, "The topic is named twice."),
    ]
    assert len(harness.image.topics) == 2


def test_a_topic_given_by_name_and_by_id_stays(harness: Harness) -> None:
    results = delete(harness, named("a"), named(topic_id=topic_id(harness, "a")), named("b"))
    assert [(each.name, each.error_code) for each in results] == [("a", 42), (None, 42), ("b", 0)]
    assert results[0].error_message == "The topic is given by name and by id."
    assert sorted(harness.image.topic_ids) == ["a"]


def test_what_names_no_one_topic_is_refused_each_time_and_keeps_no_other_from_being_deleted(
    harness: Harness,
) -> None:
    results = delete(harness, named(), named("a", UNKNOWN), named(), named("a"))
    assert [(each.name, each.error_code) for each in results] == [
        (None, 42),
        (None, 42),
        ("a", 42),
        ("a", 0),
    ]
    assert sorted(harness.image.topic_ids) == ["b"]


@pytest.mark.parametrize(
    ("version", "code"),
    [
        (6, ErrorCode.TOPIC_DELETION_DISABLED),
        (3, ErrorCode.TOPIC_DELETION_DISABLED),
        (2, ErrorCode.INVALID_REQUEST),
    ],
)
def test_deletion_can_be_switched_off(version: int, code: ErrorCode) -> None:
    harness = Harness(delete_topic_enable=False)
    harness.start_brokers(1)
    harness.create_topic("a", [1])
    request = DeleteTopicsRequest(topic_names=["a", "c"], timeout_ms=1)
    if version == 6:
        request = DeleteTopicsRequest(topics=[named("a"), named("c")], timeout_ms=1)
    results = harness.call(request, version=version).responses
    assert [(each.name, each.error_code) for each in results] == [("a", code), ("c", code)]
    assert results[0].error_message == "delete.topic.enable is false on the controller."
    assert sorted(harness.image.topic_ids) == ["a"]


def test_a_request_without_topics_is_an_empty_success(harness: Harness) -> None:
    assert delete(harness) == []


def test_an_unknown_topic_given_twice_is_wrong_before_it_is_unknown(harness: Harness) -> None:
    results = delete(harness, named("c"), named("c"), named(topic_id=UNKNOWN), named(topic_id=UNKNOWN))
    assert [(each.name, each.error_code) for each in results] == [("c", 42), (None, 42)]
