"""The rules for single fields, first on every field of every message at every version, then on named examples.

What Kafka's generated code enforces: a field that a version lacks is dropped if it is ignorable and otherwise must be
at its default; null only where the version allows it; tagged fields at their default are left out; tags that nobody
knows are kept and written back.

Tests: `kafkaproto.schema`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    ConsumerGroupMemberMetadataValue,
    DescribeTopicPartitionsRequest,
    FetchRequest,
    FetchResponse,
    MetadataRequest,
    MetadataResponse,
    PartitionChangeRecord,
    RequestHeader,
    UpdateRaftVoterResponse,
    VoteRequest,
)
from kafkaproto.schema import Default, FieldSchema, StructSchema, within
from tests.messages.support.random_messages import all_message_classes, versions_of

Chain = tuple[FieldSchema, ...]
"""The fields that lead from a message to a struct inside it."""

OTHER_VALUES: dict[str, Any] = {
    "bool": True,
    "string": "other",
    "bytes": b"other",
    "records": b"other",
    "uuid": bytes(range(16)),
    "float64": 2.5,
}
"""Values that are no field's default."""


def places(struct: StructSchema, version: int, chain: Chain = ()) -> Iterator[tuple[Chain, FieldSchema]]:
    """Every field of a struct and of those inside it that exist at a version, and how to get there."""
    for field in struct.fields:
        yield chain, field
        if field.struct is not None and within(version, field.versions):
            yield from places(field.struct, version, (*chain, field))


def with_value(struct: StructSchema, chain: Chain, field: FieldSchema, value: Any) -> Any:
    """A struct of defaults, but with ``value`` in that field, at the end of the chain."""
    # Null is the default of all records, also of those that may not be null.
    values: dict[str, Any] = {entry.attribute: b"" for entry in struct.fields if entry.type == "records"}
    if not chain:
        return struct.python_class(**(values | {field.attribute: value}))
    first, *rest = chain
    assert first.struct is not None
    inner = with_value(first.struct, tuple(rest), field, value)
    return struct.python_class(**(values | {first.attribute: [inner] if first.array else inner}))


def path(kind: type[Message], chain: Chain, field: FieldSchema) -> str:
    """How errors name that field."""
    steps = [f".{step.attribute}{'[0]' if step.array else ''}" for step in chain]
    return f"{kind.NAME}{''.join(steps)}.{field.attribute}"


def other_value(field: FieldSchema) -> Any:
    """A value that is not the field's default."""
    if field.struct is not None:
        value = field.struct.python_class(unknown_tags={100: b""})
    else:
        value = OTHER_VALUES.get(field.type, 1 if field.default != 1 else 2)
        if field.type == "bool":
            value = not field.default
    return [value] if field.array else value


def default_of(field: FieldSchema) -> Any:
    """The value that a field has when nobody sets it; fresh where it can be changed."""
    if field.default is Default.EMPTY_ARRAY:
        return []
    if field.default is Default.EMPTY_STRUCT:
        assert field.struct is not None
        return field.struct.python_class()
    return field.default


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_a_field_that_the_version_lacks_is_dropped_or_refused(kind: type[Message]) -> None:
    root = kind.schema().root
    for version in versions_of(kind):
        for chain, field in places(root, version):
            if within(version, field.versions):
                continue
            message = with_value(root, chain, field, other_value(field))
            if field.ignorable:
                plain = with_value(root, chain, field, default_of(field))
                assert message.encode(version) == plain.encode(version)
                continue
            with pytest.raises(UnsupportedVersionError, match=f"version {version} has no such") as caught:
                message.encode(version)
            assert caught.value.where == path(kind, chain, field)


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_null_is_written_and_read_where_the_version_allows_it_and_refused_elsewhere(
    kind: type[Message],
) -> None:
    root = kind.schema().root
    for version in versions_of(kind):
        for chain, field in places(root, version):
            made_on_demand = field.default is Default.EMPTY_STRUCT and not within(version, field.nullable)
            if not within(version, field.versions) or field.type == "bool" or made_on_demand:
                continue
            message = with_value(root, chain, field, None)
            if within(version, field.nullable):
                assert kind.decode(message.encode(version), version)[0] == message
            else:
                with pytest.raises(LocalProtocolError, match="is null, but may not be") as caught:
                    message.encode(version)
                assert caught.value.where == path(kind, chain, field)


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_a_tagged_field_is_left_out_at_its_default_and_there_otherwise(kind: type[Message]) -> None:
    root = kind.schema().root
    for version in versions_of(kind):
        for chain, field in places(root, version):
            if not within(version, field.tagged):
                continue
            plain = with_value(root, chain, field, default_of(field))
            encoded = plain.encode(version)
            assert encoded == kind.decode(encoded, version)[0].encode(version)
            message = with_value(root, chain, field, other_value(field))
            assert len(message.encode(version)) > len(encoded)
            assert kind.decode(message.encode(version), version)[0] == message


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_a_value_that_the_type_cannot_express_is_refused_with_its_path(kind: type[Message]) -> None:
    root = kind.schema().root
    version = kind.MAX_VERSION
    for chain, field in places(root, version):
        if not within(version, field.versions):
            continue
        for wrong in wrong_values(field):
            message = with_value(root, chain, field, [wrong] if field.array else wrong)
            out = bytearray(b"as it was")
            with pytest.raises(LocalProtocolError) as caught:
                message.encode_into(out, version)
            assert caught.value.where == path(kind, chain, field) + ("[0]" if field.array else "")
            assert out == b"as it was"
        if field.array:
            with pytest.raises(LocalProtocolError, match="must be a list, is 5") as caught:
                with_value(root, chain, field, 5).encode(version)
            assert caught.value.where == path(kind, chain, field)


def wrong_values(field: FieldSchema) -> list[Any]:
    """Values that do not fit an element of the field's type."""
    if field.struct is not None:
        return [5, "text"]
    match field.type:
        case "bool":
            return []  # Anything in Python is true or false.
        case "string":
            return [5, b"bytes", "x" * 32_768, "ü" * 16_384, "\ud800"]
        case "bytes" | "records":
            return [5, "text"]
        case "uuid":
            return [5, bytes(15), bytes(17), "AAAAAAAAAAAAAAAAAAAAAA", "sixteen letters."]
        case "float64":
            return ["text"]
        case "uint16":
            return [-1, 2**16, 1.5, "text"]
        case "uint32":
            return [-1, 2**32, 1.5, "text"]
    bits = int(field.type.removeprefix("int"))
    return [2 ** (bits - 1), -(2 ** (bits - 1)) - 1, 1.5, "text"]


# -- examples ------------------------------------------------------------------------------------------------------


def test_what_a_version_lacks_has_its_default_after_reading() -> None:
    message = MetadataResponse(throttle_time_ms=5, cluster_id="c", controller_id=9)
    decoded, _ = MetadataResponse.decode(message.encode(0), 0)
    assert decoded == MetadataResponse()
    assert MetadataResponse.decode(message.encode(3), 3)[0] == message


def test_a_refusal_names_the_path_down_to_the_element() -> None:
    fetch = FetchRequest.FetchPartition
    topics = [
        FetchRequest.FetchTopic(topic="a"),
        FetchRequest.FetchTopic(topic="b", partitions=[fetch(), fetch(last_fetched_epoch=3)]),
    ]
    with pytest.raises(UnsupportedVersionError) as caught:
        FetchRequest(topics=topics).encode(11)
    assert str(caught.value) == (
        "FetchRequest.topics[1].partitions[1].last_fetched_epoch: is set to 3, but version 11 has no such field"
    )
    assert FetchRequest(topics=topics).encode(12)


def test_a_list_may_be_null_only_from_the_version_on_that_says_so() -> None:
    message = MetadataRequest(topics=None)
    assert message.encode(1) == b"\xff\xff\xff\xff"
    with pytest.raises(LocalProtocolError, match="is null, but may not be in version 0"):
        message.encode(0)
    assert MetadataRequest.decode(b"\xff\xff\xff\xff", 1)[0].topics is None
    with pytest.raises(RemoteProtocolError, match="is null, but may not be in this version") as caught:
        MetadataRequest.decode(b"\xff\xff\xff\xff", 0)
    assert (caught.value.where, caught.value.offset) == ("MetadataRequest.topics", 0)


def test_an_empty_list_where_null_is_the_default_is_written() -> None:
    assert BrokerHeartbeatRequest().encode(2)[-1:] == b"\x00"
    empty = BrokerHeartbeatRequest(cordoned_log_dirs=[])
    assert empty.encode(2)[-4:] == b"\x01\x01\x01\x01"
    assert BrokerHeartbeatRequest.decode(empty.encode(2), 2)[0].cordoned_log_dirs == []
    no_isr = PartitionChangeRecord(isr=[], leader=-1)
    assert PartitionChangeRecord.decode(no_isr.encode(0), 0)[0] == no_isr


def test_a_nullable_struct_has_a_mark_in_front() -> None:
    request = DescribeTopicPartitionsRequest(cursor=None)
    assert request.encode(0)[-2:] == b"\xff\x00"
    request.cursor = DescribeTopicPartitionsRequest.Cursor(topic_name="t", partition_index=3)
    assert request.encode(0).endswith(b"\x01\x02t\x00\x00\x00\x03\x00\x00")
    # Kafka takes any mark that is not negative for a struct that follows.
    marked = request.encode(0).replace(b"\x01\x02t", b"\x00\x02t")
    assert DescribeTopicPartitionsRequest.decode(marked, 0)[0] == request


def test_a_nullable_struct_in_a_tag_is_told_from_null_and_from_its_default() -> None:
    classic = ConsumerGroupMemberMetadataValue.ClassicMemberMetadata
    by_default, null = (
        ConsumerGroupMemberMetadataValue(),
        ConsumerGroupMemberMetadataValue(classic_member_metadata=None),
    )
    assert by_default.classic_member_metadata == classic()
    assert by_default.encode(0)[-1:] == b"\x00"
    assert null.encode(0)[-4:] == b"\x01\x00\x01\x00"
    given = ConsumerGroupMemberMetadataValue(classic_member_metadata=classic(session_timeout_ms=5))
    for message in (by_default, null, given):
        assert ConsumerGroupMemberMetadataValue.decode(message.encode(0), 0)[0] == message
    # The mark is a varint, which may be longer than it had to be.
    long_mark = null.encode(0)[:-4] + b"\x01\x00\x02\x80\x00"
    assert ConsumerGroupMemberMetadataValue.decode(long_mark, 0)[0] == null


def test_the_client_id_of_a_header_keeps_its_old_length_field() -> None:
    header = RequestHeader(request_api_key=18, request_api_version=4, correlation_id=1, client_id="c")
    assert header.encode(2) == b"\x00\x12\x00\x04\x00\x00\x00\x01\x00\x01c\x00"


# -- tags that nobody knows ----------------------------------------------------------------------------------------


def test_unknown_tags_survive_a_round_trip_between_the_known_ones() -> None:
    record = PartitionChangeRecord(leader=1, directories=[bytes(16)], unknown_tags={9: b"nine", 200: b""})
    encoded = record.encode(1)
    assert PartitionChangeRecord.decode(encoded, 1)[0] == record
    assert encoded[-8:] == b"\x09\x04nine\xc8\x01\x00"[-8:]
    # Tags 6 and 7 belong to version 2; in version 1 they are an error and not merely unknown.
    later = PartitionChangeRecord(last_known_elr=[1]).encode(2)
    with pytest.raises(RemoteProtocolError, match="tag 7 does not exist in version 1") as caught:
        PartitionChangeRecord.decode(later, 1)
    assert caught.value.where == "PartitionChangeRecord.last_known_elr"


def test_unknown_tags_are_written_in_ascending_order() -> None:
    shuffled = VoteRequest(unknown_tags={300: b"c", 5: b"a", 128: b"b"})
    assert shuffled.encode(0) == VoteRequest(unknown_tags={5: b"a", 128: b"b", 300: b"c"}).encode(0)


@pytest.mark.parametrize(
    ("message", "version", "reason"),
    [
        (MetadataRequest(unknown_tags={5: b""}), 8, "version 8 has no tagged fields"),
        (PartitionChangeRecord(leader=1, unknown_tags={1: b""}), 0, "holds tag 1, a known one"),
        (VoteRequest(unknown_tags={-1: b""}), 0, "-1 is no tag"),
        (VoteRequest(unknown_tags={2**32: b""}), 0, "4294967296 is no tag"),
        (VoteRequest(unknown_tags={"x": b""}), 0, "'x' is no tag"),  # type: ignore[dict-item]
        (VoteRequest(unknown_tags={5: "x"}), 0, "tag 5 must map to bytes"),  # type: ignore[dict-item]
    ],
)
def test_unknown_tags_that_cannot_be_written_are_refused(message: Message, version: int, reason: str) -> None:
    with pytest.raises(LocalProtocolError, match=reason) as caught:
        message.encode(version)
    assert caught.value.where == f"{message.NAME}.unknown_tags"


def test_a_known_tag_must_end_where_it_says() -> None:
    # Tag 0 of the answer is its leader: node 7, epoch 1, host "h", port 9092.
    leader = UpdateRaftVoterResponse.CurrentLeader(leader_id=7, leader_epoch=1, host="h", port=9092)
    encoded = UpdateRaftVoterResponse(current_leader=leader).encode(0)
    at = encoded.index(b"\x01\x00\x0f") + 2
    for size in (0x0E, 0x10):
        wrong = encoded[:at] + bytes((size,)) + encoded[at + 1 :] + b"\x00"
        with pytest.raises(RemoteProtocolError, match=f"claims {size} bytes but") as caught:
            UpdateRaftVoterResponse.decode(wrong, 0)
        assert caught.value.where == "UpdateRaftVoterResponse.current_leader"
        assert caught.value.offset == at - 1


def test_a_tag_given_twice_counts_once_and_the_last_wins() -> None:
    twice = b"\x00\x00\x00\x00" + bytes(16) + b"\x02\x01\x04\x00\x00\x00\x05\x01\x04\x00\x00\x00\x06"
    assert PartitionChangeRecord.decode(twice, 0)[0].leader == 6
    assert FetchResponse.decode(FetchResponse().encode(17), 17)[0] == FetchResponse()
