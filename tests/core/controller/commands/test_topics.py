"""CreateTopics: what is created, and what is refused with which code.

Tests: `core.controller.commands.create_topics`.
"""

from __future__ import annotations

from typing import Any

import pytest
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ConfigRecord,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    PartitionRecord,
    TopicRecord,
)
from kafkaproto.uuids import to_text
from kafkaproto_server.metadata.image.entries import UNASSIGNED_DIRECTORY
from kafkaproto_server.metadata.image.snapshot import image_from_values, image_values
from kafkaproto_server.metadata.image.topic_names import with_name, without_name
from tests.core.controller.support.harness import Harness, SeededRng, directory


@pytest.fixture
def harness() -> Harness:
    """Brokers 1 and 2 unfenced, 3 fenced."""
    harness = Harness(num_partitions=2, default_replication_factor=2)
    harness.start_brokers(1, 2)
    harness.register(3)
    return harness


def topic(name: str = "t", **fields: Any) -> CreateTopicsRequest.CreatableTopic:
    given = {"name": name, "num_partitions": 1, "replication_factor": 1, **fields}
    return CreateTopicsRequest.CreatableTopic(**given)


def assigned(*partitions: tuple[int, list[int]], **fields: Any) -> CreateTopicsRequest.CreatableTopic:
    """A topic with a spelt-out assignment."""
    assignments = [
        CreateTopicsRequest.CreatableReplicaAssignment(partition_index=index, broker_ids=brokers)
        for index, brokers in partitions
    ]
    return topic(**{"num_partitions": -1, "replication_factor": -1, "assignments": assignments, **fields})


def configs(*pairs: tuple[str, str | None]) -> list[CreateTopicsRequest.CreatableTopicConfig]:
    return [CreateTopicsRequest.CreatableTopicConfig(name=name, value=value) for name, value in pairs]


def create(
    harness: Harness, *topics: CreateTopicsRequest.CreatableTopic, **fields: Any
) -> list[CreateTopicsResponse.CreatableTopicResult]:
    """The results of one request."""
    results: list[CreateTopicsResponse.CreatableTopicResult] = harness.call(
        CreateTopicsRequest(topics=list(topics), **fields)
    ).topics
    return results


def test_a_topic_is_recorded_with_its_configs_and_partitions_in_one_batch(harness: Harness) -> None:
    start = harness.next_offset
    (result,) = create(
        harness,
        assigned(
            (0, [2, 1]), (1, [1, 3]), configs=configs(("retention.ms", "5"), ("cleanup.policy", "compact"))
        ),
    )
    assert (result.error_code, result.error_message) == (0, None)
    assert (result.num_partitions, result.replication_factor) == (2, 2)
    assert len([batch for batch in harness.log if batch.base_offset >= start]) == 1
    assert harness.records(start) == [
        TopicRecord(name="t", topic_id=result.topic_id),
        ConfigRecord(resource_type=2, resource_name="t", name="retention.ms", value="5"),
        ConfigRecord(resource_type=2, resource_name="t", name="cleanup.policy", value="compact"),
        PartitionRecord(
            partition_id=0,
            topic_id=result.topic_id,
            replicas=[2, 1],
            isr=[2, 1],
            leader=2,
            leader_epoch=0,
            partition_epoch=0,
            directories=[directory(2), directory(1)],
        ),
        # Fenced broker 3 holds a replica and is not in sync.
        PartitionRecord(
            partition_id=1,
            topic_id=result.topic_id,
            replicas=[1, 3],
            isr=[1],
            leader=1,
            leader_epoch=0,
            partition_epoch=0,
            directories=[directory(1), directory(3)],
        ),
    ]


def test_all_topics_of_a_request_share_a_batch(harness: Harness) -> None:
    start = harness.next_offset
    create(harness, topic("a"), topic("b"))
    assert len([batch for batch in harness.log if batch.base_offset >= start]) == 1
    assert [type(record).__name__ for record in harness.records(start)] == [
        "TopicRecord",
        "PartitionRecord",
    ] * 2


def test_counts_that_are_left_out_come_from_the_configuration(harness: Harness) -> None:
    (result,) = create(harness, topic(num_partitions=-1, replication_factor=-1))
    assert (result.num_partitions, result.replication_factor) == (2, 2)


def test_a_broker_with_several_directories_chooses_itself(harness: Harness) -> None:
    harness.start_brokers(4, log_dirs=[directory(4, 0), directory(4, 1)])
    create(harness, assigned((0, [4])))
    created = harness.image.topic_by_name("t")
    assert created is not None
    assert created.partitions[0].directories == (UNASSIGNED_DIRECTORY,)


def test_the_response_lists_every_config_with_its_source(harness: Harness) -> None:
    (result,) = create(harness, topic(configs=configs(("retention.ms", "5"))))
    listed = {config.name: (config.value, config.config_source) for config in result.configs or []}
    assert list(listed) == sorted(listed)
    assert listed["retention.ms"] == ("5", 1)
    assert listed["cleanup.policy"] == ("delete", 5)
    # ELR wrote the cluster's value down.
    assert listed["min.insync.replicas"] == ("1", 3)


def test_of_a_config_named_twice_the_last_value_counts(harness: Harness) -> None:
    create(harness, topic(configs=configs(("retention.ms", "5"), ("retention.ms", "6"))))
    assert harness.image.config(2, "t")["retention.ms"] == "6"


def test_validation_alone_writes_nothing_and_answers_the_same(harness: Harness) -> None:
    start = harness.next_offset
    (result,) = create(harness, topic(), validate_only=True)
    assert (result.error_code, result.num_partitions) == (0, 1)
    assert result.topic_id != bytes(16)
    assert harness.next_offset == start


def test_what_fails_comes_after_what_does_not_and_hinders_it_not(harness: Harness) -> None:
    results = create(harness, topic("bad name"), topic("a"), topic("", num_partitions=1), topic("b"))
    assert [(result.name, result.error_code) for result in results] == [
        ("a", 0),
        ("b", 0),
        ("bad name", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("", ErrorCode.INVALID_TOPIC_EXCEPTION),
    ]
    assert (results[2].num_partitions, results[2].replication_factor, results[2].topic_id) == (
        -1,
        -1,
        bytes(16),
    )


def test_a_request_without_topics_is_an_empty_success(harness: Harness) -> None:
    assert create(harness) == []


@pytest.mark.parametrize("name", ["a", "A-1", "a.b_c", "x" * 249, "..."])
def test_a_name_may_have_letters_digits_dots_underscores_and_dashes(harness: Harness, name: str) -> None:
    (result,) = create(harness, topic(name))
    assert result.error_code == 0


REFUSED = [
    (topic(""), 17, "A topic cannot be named ''."),
    (topic("."), 17, "A topic cannot be named '.'."),
    (topic(".."), 17, "A topic cannot be named '..'."),
    (topic("x" * 250), 17, "A topic name has at most 249 characters; this one has 250."),
    (
        topic("a b"),
        17,
        "Topic name 'a b' has characters other than ASCII letters, digits, '.', '_' and '-'.",
    ),
    (
        topic("topic\n"),
        17,
        "Topic name 'topic\\n' has characters other than ASCII letters, digits, '.', '_' and '-'.",
    ),
    (topic("known"), 36, "Topic known exists."),
    (
        topic("with.dot"),
        17,
        "Topic with.dot would collide with topic with_dot in the names of metrics,"
        " where '.' and '_' are the same.",
    ),
    (topic("__cluster_metadata"), 42, "__cluster_metadata belongs to the cluster itself."),
    (topic(configs=configs(("retention.ms", None))), 40, "Config retention.ms has no value."),
    (topic(configs=configs(("no.such.key", "1"))), 40, "Unknown topic config name: 'no.such.key'"),
    (
        topic(configs=configs(("retention.ms", "x"))),
        40,
        "retention.ms='x' must be a whole number from -9223372036854775808 to 9223372036854775807",
    ),
    (
        topic(configs=configs(*[("retention.ms", "1")] * 1_001)),
        42,
        "1001 configs of one resource; at most 1000 are taken.",
    ),
    (topic(num_partitions=0), 37, "Partition count 0 is neither above 0 nor -1 for the default."),
    (topic(num_partitions=-2), 37, "Partition count -2 is neither above 0 nor -1 for the default."),
    (topic(replication_factor=0), 38, "Replication factor 0 is neither above 0 nor -1 for the default."),
    (topic(replication_factor=-2), 38, "Replication factor -2 is neither above 0 nor -1 for the default."),
    (topic(replication_factor=4), 38, "Replication factor 4 needs as many brokers; 3 take replicas."),
    (
        assigned((0, [1]), replication_factor=1),
        42,
        "With an assignment the replication factor must be -1, not 1.",
    ),
    (assigned((0, [1]), num_partitions=1), 42, "With an assignment the partition count must be -1, not 1."),
    (assigned((0, [1]), (0, [2])), 39, "Partition 0 is assigned twice."),
    (assigned((0, [1]), (2, [2])), 39, "Partitions must be numbered from 0 without gaps, not 0, 2."),
    (assigned((-1, [1]), (0, [2])), 39, "Partitions must be numbered from 0 without gaps, not -1, 0."),
    (assigned((0, [])), 39, "A partition is assigned to no broker at all."),
    (assigned((0, [1, 9])), 39, "Broker 9 in assignment [1, 9] is not registered."),
    (assigned((0, [-1])), 39, "Broker -1 in assignment [-1] is not registered."),
    (assigned((0, [1, 1])), 39, "Assignment [1, 1] names a broker twice."),
    (
        assigned((0, [1, 2]), (1, [1])),
        39,
        "Assignment [1] has 1 replicas, others have 2.",
    ),
    (
        assigned((0, [3])),
        39,
        "Every broker of assignment [3] is fenced or shutting down, so none can lead.",
    ),
]


@pytest.mark.parametrize(("request_topic", "code", "message"), REFUSED)
def test_what_is_wrong_is_named_and_nothing_is_written(
    harness: Harness, request_topic: CreateTopicsRequest.CreatableTopic, code: int, message: str
) -> None:
    harness.create_topic("known", [1])
    harness.create_topic("with_dot", [1])
    start = harness.next_offset
    (result,) = create(harness, request_topic)
    assert (result.name, result.error_code, result.error_message) == (request_topic.name, code, message)
    assert harness.next_offset == start


def test_a_topic_named_twice_is_refused_once(harness: Harness) -> None:
    results = create(harness, topic("a"), topic("b"), topic("a"))
    assert [(result.name, result.error_code) for result in results] == [("b", 0), ("a", 42)]
    assert results[1].error_message == "Topic a is named twice."


def test_new_names_may_collide_with_each_other(harness: Harness) -> None:
    results = create(harness, topic("a.b"), topic("a_b"))
    assert [result.error_code for result in results] == [0, 0]


def test_of_several_topics_that_a_name_collides_with_the_last_is_named(harness: Harness) -> None:
    names = ["a.b.c_d", "a.b_c.d", "a_b.c.d", "a.b_c_d", "a_b_c.d", "a_b.c_d", "a_b_c_d"]
    assert {result.error_code for result in create(harness, *map(topic, names))} == {0}
    (result,) = create(harness, topic("a.b.c.d"))
    assert result.error_message is not None
    assert "collide with topic a_b_c_d in" in result.error_message


def test_no_topic_fits_on_fenced_brokers() -> None:
    harness = Harness()
    harness.register(1)
    (result,) = create(harness, topic())
    assert (result.error_code, result.error_message) == (
        38,
        "Every broker that could take replicas is fenced.",
    )
    (result,) = create(Harness(), topic())
    assert result.error_code == ErrorCode.INVALID_REPLICATION_FACTOR


@pytest.mark.parametrize(
    ("topics", "total"),
    [
        ([topic("a", num_partitions=10_001)], 10_001),
        ([topic("a", num_partitions=2**31 - 1)], 2**31 - 1),
        ([topic("a", num_partitions=9_999), topic("b", num_partitions=-1)], 10_001),
        (
            [topic("a", num_partitions=10_000), assigned((0, [1]), name="b"), topic("c", num_partitions=-7)],
            10_001,
        ),
    ],
)
def test_too_many_partitions_refuse_the_whole_request(
    harness: Harness, topics: list[CreateTopicsRequest.CreatableTopic], total: int
) -> None:
    start = harness.next_offset
    results = create(harness, *topics)
    assert [result.error_code for result in results] == [ErrorCode.POLICY_VIOLATION] * len(topics)
    assert results[0].error_message == (
        f"The request asks for {total} partitions; one request may create 10000."
    )
    assert harness.next_offset == start


def test_a_name_that_cannot_be_is_named_before_the_number_of_partitions(harness: Harness) -> None:
    results = create(
        harness,
        topic("__cluster_metadata", num_partitions=10_001),
        *(topic("twice", num_partitions=10_001) for _ in range(2)),
        topic("large", num_partitions=10_001),
    )
    codes = [result.error_code for result in results]
    assert codes == [ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_REQUEST, ErrorCode.POLICY_VIOLATION]
    # Those that cannot be do not count.
    (refused, created) = sorted(
        create(harness, topic("__cluster_metadata", num_partitions=10_001), topic("a")),
        key=lambda result: -result.error_code,
    )
    assert (refused.error_code, created.error_code) == (ErrorCode.INVALID_REQUEST, 0)


@pytest.mark.slow
def test_records_beyond_a_batch_refuse_the_whole_request(harness: Harness) -> None:
    start = harness.next_offset
    results = create(harness, topic("a", num_partitions=9_999), topic("b"))
    assert [result.error_code for result in results] == [ErrorCode.POLICY_VIOLATION] * 2
    assert results[0].error_message is not None
    assert "10002 metadata records" in results[0].error_message
    assert harness.next_offset == start
    (result,) = create(harness, topic("a", num_partitions=9_999))
    assert result.error_code == 0
    assert harness.next_offset == start + 10_000


def test_a_topic_id_is_new_and_does_not_look_like_an_option() -> None:
    ids = [b"\xf8" + bytes(15), b"k" * 16, b"k" * 16, b"l" * 16]

    class Scripted(SeededRng):
        def uuid(self) -> bytes:
            return ids.pop(0)

    assert to_text(b"\xf8" + bytes(15)).startswith("-")
    harness = Harness(rng=Scripted())
    harness.start_brokers(1)
    assert harness.create_topic("a", [1]) == b"k" * 16
    assert harness.create_topic("b", [1]) == b"l" * 16


def test_names_that_look_the_same_in_metrics_are_found_without_looking_at_others() -> None:
    harness = Harness()
    harness.start_brokers(1)
    for name in ("a.b", "plain", "c_d"):
        harness.create_topic(name, [1])
    assert dict(harness.image.ambiguous_names) == {"a_b": ("a.b",), "c_d": ("c_d",)}
    asked = CreateTopicsRequest.CreatableTopic(name="a_b", num_partitions=1, replication_factor=1)
    (result,) = harness.call(CreateTopicsRequest(topics=[asked])).topics
    assert (result.error_code, "a.b" in result.error_message) == (ErrorCode.INVALID_TOPIC_EXCEPTION, True)
    deleted = [DeleteTopicsRequest.DeleteTopicState(name=name) for name in ("a.b", "plain")]
    harness.call(DeleteTopicsRequest(topics=deleted))
    assert dict(harness.image.ambiguous_names) == {"c_d": ("c_d",)}
    (result,) = harness.call(CreateTopicsRequest(topics=[asked])).topics
    assert result.error_code == 0
    values = image_values(harness.image)
    loaded = image_from_values(
        [value for value in values if value], offset=harness.image.offset, epoch=1, timestamp_ms=0
    )
    assert loaded.ambiguous_names == harness.image.ambiguous_names


def test_several_names_can_look_the_same_in_a_log_of_others() -> None:
    names: Map[str, tuple[str, ...]] = Map()
    for name in ("x_y", "x.y", "xy"):
        names = with_name(names, name)
    assert dict(names) == {"x_y": ("x.y", "x_y")}
    assert dict(without_name(without_name(names, "x.y"), "xy")) == {"x_y": ("x_y",)}
