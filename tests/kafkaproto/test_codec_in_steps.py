"""Reading requests and writing responses in steps: the same as at once, and bounded.

Tests: `kafkaproto.message`, `kafkaproto.support`.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from kafkaproto.errors import RemoteProtocolError, TooManyElementsError
from kafkaproto.message import Message
from kafkaproto.messages import (
    DeleteTopicsRequest,
    DescribeClusterRequest,
    ElectLeadersRequest,
    MetadataRequest,
    MetadataResponse,
)
from kafkaproto.primitives import write_unsigned_varint
from kafkaproto.schema import StructSchema
from kafkaproto.support import MAX_TAGGED_FIELDS, Steps
from tests.messages.support.random_messages import all_message_classes, random_message, versions_of

ROUNDS = 12
REQUESTS = [each for each in all_message_classes() if each.TYPE == "request"]
RESPONSES = [each for each in all_message_classes() if each.TYPE == "response"]


def driven(steps: Steps[Any]) -> tuple[Any, int]:
    """The result of steps, and their number."""
    number = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, number
        number += 1


def elements_of(schema: StructSchema, message: Any, version: int) -> int:
    """What the budget counts: not the unknown tags of a struct that is in place in a struct without arrays."""
    number = len(message.unknown_tags or ())
    for field in schema.fields:
        value = getattr(message, field.attribute)
        if field.array:
            number += len(value or ())
        if field.struct is not None and value is not None and (field.array or has_arrays(schema, version)):
            number += sum(
                elements_of(field.struct, element, version) for element in (value if field.array else [value])
            )
    return number


def names(cls: type[Message]) -> str:
    return cls.NAME


@pytest.mark.parametrize("cls", REQUESTS, ids=names)
def test_a_request_is_read_in_steps_as_at_once(cls: type[Message]) -> None:
    for version in versions_of(cls):
        rng = random.Random(f"{cls.NAME} {version}")
        for _ in range(ROUNDS):
            data = b"\x07" * 3 + random_message(cls, version, rng).encode(version) + b"\xff"
            at_once = cls.decode(data, version, 3)
            number = elements_of(cls.schema().root, at_once[0], version)
            in_steps, _ = driven(cls.decode_in_steps(data, version, 3, max_elements=number))
            assert in_steps == at_once
            if number:
                # Exactly so many elements were counted: one less is refused, unless nothing counts them.
                steps = cls.decode_in_steps(data, version, 3, max_elements=number - 1)
                try:
                    driven(steps)
                except TooManyElementsError:
                    continue
                assert not has_arrays(cls.schema().root, version)


def has_arrays(schema: StructSchema, version: int) -> bool:
    return any(
        field.versions[0] <= version <= field.versions[1]
        and (field.array or (field.struct is not None and has_arrays(field.struct, version)))
        for field in schema.fields
    )


@pytest.mark.parametrize("cls", RESPONSES, ids=names)
def test_a_response_is_written_in_steps_as_at_once(cls: type[Message]) -> None:
    for version in versions_of(cls):
        rng = random.Random(f"{cls.NAME} {version}")
        for _ in range(ROUNDS):
            message = random_message(cls, version, rng)
            buffers, _ = driven(message.encode_in_steps(version))
            assert b"".join(buffers) == message.encode(version)


@pytest.mark.parametrize("cls", REQUESTS, ids=names)
def test_a_request_cut_short_is_refused_with_the_same_words(cls: type[Message]) -> None:
    for version in versions_of(cls):
        data = random_message(cls, version, random.Random(version)).encode(version)
        for end in sorted({len(data) // 3, len(data) - 1}):
            if not 0 <= end < len(data):
                continue
            with pytest.raises(RemoteProtocolError) as at_once:
                cls.decode(data[:end], version)
            with pytest.raises(RemoteProtocolError) as in_steps:
                driven(cls.decode_in_steps(data[:end], version, max_elements=10_000))
            assert str(in_steps.value) == str(at_once.value)


@pytest.mark.parametrize("version", [1, 5, 6])
def test_many_elements_take_many_steps(version: int) -> None:
    count = 4000
    if version == 6:
        states = [DeleteTopicsRequest.DeleteTopicState(name="a") for _ in range(count)]
        message = DeleteTopicsRequest(topics=states)
    else:
        message = DeleteTopicsRequest(topic_names=["a"] * count)
    _, steps = driven(
        DeleteTopicsRequest.decode_in_steps(message.encode(version), version, max_elements=count)
    )
    assert steps >= count / 64


def test_a_response_of_many_elements_is_written_in_many_steps_and_few_buffers() -> None:
    partitions = [MetadataResponse.Partition(partition_index=index) for index in range(4000)]
    message = MetadataResponse(topics=[MetadataResponse.Topic(name="t", partitions=partitions)])
    buffers, steps = driven(message.encode_in_steps(12))
    assert steps >= 4000
    assert 1 < len(buffers) < 100


def test_elements_are_counted_before_they_are_made() -> None:
    body = bytearray()
    write_unsigned_varint(body, 1_000_001)
    # No element follows: had one been read, the end of the bytes would be the reason.
    body += bytes(2_000_000)
    with pytest.raises(TooManyElementsError) as refused:
        driven(MetadataRequest.decode_in_steps(bytes(body), 9, max_elements=1_000_000 - 1))
    assert (refused.value.where, refused.value.reason) == (
        "MetadataRequest.topics",
        "more than the 999999 elements that such a message may hold",
    )


def test_elements_of_inner_arrays_count_together() -> None:
    topics = [
        ElectLeadersRequest.TopicPartitions(topic=str(index), partitions=[0] * 9) for index in range(10)
    ]
    data = ElectLeadersRequest(topic_partitions=topics).encode(2)
    driven(ElectLeadersRequest.decode_in_steps(data, 2, max_elements=100))
    with pytest.raises(TooManyElementsError, match=r"ElectLeadersRequest\.partitions: more than the 99 "):
        driven(ElectLeadersRequest.decode_in_steps(data, 2, max_elements=99))


@pytest.mark.parametrize("count", [MAX_TAGGED_FIELDS, MAX_TAGGED_FIELDS + 1])
def test_tagged_fields_of_a_struct_are_bounded(count: int) -> None:
    body = bytearray(DescribeClusterRequest().encode(1)[:-1])
    write_unsigned_varint(body, count)
    for tag in range(count):
        write_unsigned_varint(body, 1000 + tag)
        body.append(0)
    if count <= MAX_TAGGED_FIELDS:
        message, _ = DescribeClusterRequest.decode(body, 1)
        assert len(message.unknown_tags or ()) == count
    else:
        with pytest.raises(RemoteProtocolError, match="101 tagged fields are more than 100"):
            DescribeClusterRequest.decode(body, 1)
