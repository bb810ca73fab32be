"""What every generated message does, at every version: both codecs alike, any buffer, equality, zero-copy fields.

The slow codec of `kafkaproto.interpret` walks the schemas and shares no code with the generated one; random messages
must come out of both alike. The rules for single fields are in test_codec_fields.py, bad bytes in
test_codec_hostile.py.

Tests: `kafkaproto.interpret`, `kafkaproto.messages`.
"""

from __future__ import annotations

import random
import zlib
from typing import NoReturn

import pytest

import kafkaproto.messages
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.generated.registry import MODULES
from kafkaproto.interpret import decode_slowly, encode_slowly
from kafkaproto.message import Message
from kafkaproto.messages import (
    DescribeClusterRequest,
    EnvelopeResponse,
    FetchResponse,
    NoOpRecord,
    PartitionRecord,
    ProduceRequest,
    VoteRequest,
)
from kafkaproto.support import Buffer, Malformed, joined
from tests.messages.support.random_messages import all_message_classes, random_message, versions_of

EXAMPLES = 6
"""Random messages a version."""


def generator(kind: type[Message], version: int) -> random.Random:
    """Random numbers that depend on message and version only."""
    return random.Random(zlib.crc32(f"codec {kind.NAME} {version}".encode()))


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_fast_and_slow_codec_agree(kind: type[Message]) -> None:
    schema = kind.schema()
    for version in versions_of(kind):
        rng = generator(kind, version)
        for message in [kind(), *(random_message(kind, version, rng) for _ in range(EXAMPLES))]:
            encoded = message.encode(version)
            assert encoded == encode_slowly(schema, message, version)
            decoded, end = kind.decode(encoded, version)
            assert end == len(encoded)
            assert decode_slowly(schema, encoded, version, 0) == (decoded, end)
            assert decoded == message
            assert decoded.encode(version) == encoded


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_any_buffer_will_do_and_only_the_message_itself_is_read(kind: type[Message]) -> None:
    version = kind.MAX_VERSION
    message = random_message(kind, version, generator(kind, version))
    encoded = message.encode(version)
    surrounded = b"\xff\xfe\xfd" + encoded + b"\x01\x02\xff\xff\xff"
    for buffer in (surrounded, bytearray(surrounded), memoryview(surrounded)):
        assert kind.decode(buffer, version, 3) == (message, 3 + len(encoded))
        assert decode_slowly(kind.schema(), buffer, version, 3) == (message, 3 + len(encoded))
    out = bytearray(b"\xff\xfe\xfd")
    message.encode_into(out, version)
    assert out == surrounded[: 3 + len(encoded)]


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_a_version_that_does_not_exist_is_refused_by_name(kind: type[Message]) -> None:
    for version in (kind.MIN_VERSION - 1, kind.MAX_VERSION + 1, -32768, 32767):
        for action in (
            lambda version=version: kind.decode(b"", version),
            lambda version=version: kind().encode(version),
            lambda version=version: kind().encode_into(bytearray(), version),
            lambda version=version: kind().to_json(version),
            lambda version=version: kind.from_json({}, version),
        ):
            with pytest.raises(UnsupportedVersionError, match=f"version {version} does not exist") as caught:
                action()
            assert caught.value.where == kind.NAME


def test_every_message_is_found_at_the_door_and_says_what_it_is() -> None:
    assert {*MODULES, "message_class"} == set(dir(kafkaproto.messages))
    for kind in all_message_classes():
        assert getattr(kafkaproto.messages, kind.NAME) is kind
        assert kind.schema().name == kind.NAME
        assert kind.schema().flexible_from == kind.FLEXIBLE_FROM
        assert kind.MIN_VERSION <= kind.MAX_VERSION
        assert kind.TYPE == "request" or not (kind.LISTENERS or kind.LATEST_VERSION_UNSTABLE)
        assert (kind.API_KEY is None) == (kind.TYPE in ("header", "data"))
    with pytest.raises(AttributeError, match="no message 'FindQuorumRequest'"):
        kafkaproto.messages.FindQuorumRequest  # type: ignore[attr-defined]  # noqa: B018


def test_a_disagreement_of_the_two_codecs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = VoteRequest().encode(2)

    def fail(*arguments: object) -> NoReturn:
        raise Malformed

    monkeypatch.setattr(VoteRequest, "_read", fail)
    monkeypatch.setattr(VoteRequest, "_write", fail)
    # Where a peer has found it, the connection pays for it and not the program.
    with pytest.raises(RemoteProtocolError, match=r"the two decoders disagree: Malformed\(\)") as caught:
        VoteRequest.decode(encoded, 2)
    assert (caught.value.where, caught.value.offset) == ("VoteRequest", 0)
    with pytest.raises(AssertionError, match="VoteRequest v2: the two encoders disagree"):
        VoteRequest().encode(2)


def test_the_base_class_is_no_message() -> None:
    for action in (Message.schema, lambda: Message._read(b"", 0, 0), lambda: Message()._write([], 0)):
        with pytest.raises(AssertionError, match="every generated message overrides this"):
            action()


# -- values in Python ----------------------------------------------------------------------------------------------


def test_messages_are_equal_if_class_and_every_field_are() -> None:
    assert VoteRequest() == VoteRequest()
    assert VoteRequest(voter_id=1) != VoteRequest(voter_id=2)
    assert VoteRequest() != VoteRequest(unknown_tags={7: b""})
    assert VoteRequest() != DescribeClusterRequest()
    assert VoteRequest() != "VoteRequest"
    topic = VoteRequest.TopicData(topic_name="t", partitions=[VoteRequest.PartitionData(last_offset=1)])
    assert topic != VoteRequest.TopicData(topic_name="t", partitions=[VoteRequest.PartitionData()])


def test_a_message_shows_its_fields() -> None:
    assert repr(NoOpRecord()) == "NoOpRecord()"
    topic = VoteRequest.TopicData(topic_name="t", unknown_tags={9: b"x"})
    assert repr(topic) == "VoteRequestTopicData(topic_name='t', partitions=[], unknown_tags={9: b'x'})"
    partition = repr(FetchResponse.PartitionData(partition_index=7))
    assert partition.startswith("FetchResponsePartitionData(partition_index=7, error_code=0, ")
    assert "diverging_epoch=FetchResponseEpochEndOffset(epoch=-1, end_offset=-1)" in partition


def test_defaults_that_can_be_changed_are_not_shared() -> None:
    first, second = VoteRequest(), VoteRequest()
    first.topics.append(VoteRequest.TopicData())
    assert second.topics == []
    assert VoteRequest().topics == []
    one, other = FetchResponse.PartitionData(), FetchResponse.PartitionData()
    one.diverging_epoch.epoch = 5
    assert one.diverging_epoch.epoch == 5
    assert other.diverging_epoch.epoch == -1
    decoded, _ = PartitionRecord.decode(PartitionRecord().encode(2), 2)
    decoded.replicas.append(1)
    assert PartitionRecord.decode(PartitionRecord().encode(2), 2)[0].replicas == []


def test_a_struct_that_nobody_set_is_made_when_asked_for_and_written_when_changed() -> None:
    response = FetchResponse(
        responses=[FetchResponse.FetchableTopicResponse(partitions=[FetchResponse.PartitionData()])]
    )
    plain = response.encode(17)
    partition = response.responses[0].partitions[0]
    assert partition.snapshot_id.end_offset == -1
    assert response.encode(17) == plain, "asking changes nothing"
    partition.snapshot_id.end_offset = 845
    decoded, _ = FetchResponse.decode(response.encode(17), 17)
    assert decoded.responses[0].partitions[0].snapshot_id == FetchResponse.SnapshotId(end_offset=845)
    partition.snapshot_id = FetchResponse.SnapshotId()
    assert response.encode(17) == plain


# -- records and other fields that are not copied ------------------------------------------------------------------


def produce(records: object) -> ProduceRequest:
    """A request with one partition."""
    partition = ProduceRequest.PartitionProduceData(index=3, records=records)  # type: ignore[arg-type]
    return ProduceRequest(topic_data=[ProduceRequest.TopicProduceData(name="t", partition_data=[partition])])


@pytest.mark.parametrize("version", [8, 9])
def test_records_come_out_as_a_view_of_the_input(version: int) -> None:
    buffer = bytearray(produce(b"0123456789").encode(version))
    decoded, _ = ProduceRequest.decode(buffer, version)
    records = decoded.topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    assert bytes(records) == b"0123456789"
    buffer[buffer.index(b"0123456789")] = ord("X")
    assert bytes(records) == b"X123456789"
    response, _ = EnvelopeResponse.decode(memoryview(EnvelopeResponse(response_data=b"abc").encode(0)), 0)
    assert isinstance(response.response_data, memoryview)


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("size", [0, 1, 126, 127, 128, 16_382, 16_383, 16_384, 2_097_151])
def test_records_go_in_as_any_buffer_or_as_several(version: int, size: int) -> None:
    data = random.Random(size).randbytes(size)
    expected = produce(data).encode(version)
    cut = size // 3
    for same in (
        bytearray(data),
        memoryview(data),
        [data],
        [data[:cut], bytearray(data[cut : 2 * cut]), memoryview(data)[2 * cut :], b""],
    ):
        assert produce(same).encode(version) == expected
    assert encode_slowly(ProduceRequest.schema(), produce([data[:cut], data[cut:]]), version) == expected
    assert produce([]).encode(version) == produce(b"").encode(version)
    assert produce(None).encode(version) != produce(b"").encode(version)


def test_what_a_records_field_holds_can_be_had_as_bytes() -> None:
    several: list[Buffer] = [b"a", memoryview(b"bc")]
    for buffers in (b"abc", bytearray(b"abc"), memoryview(b"abc"), several):
        assert joined(buffers) == b"abc"
        assert type(joined(buffers)) is bytes


def test_a_list_that_holds_something_else_than_buffers_is_refused() -> None:
    with pytest.raises(LocalProtocolError, match="must be bytes, is 'text'") as caught:
        produce([b"ok", "text"]).encode(9)
    assert caught.value.where == "ProduceRequest.topic_data[0].partition_data[0].records"
