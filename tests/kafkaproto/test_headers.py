"""Headers by hand against the generated codecs, recorded requests, and bytes that are no header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto import api
from kafkaproto.api import ApiInfo
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.headers import (
    decode_request_header,
    decode_response_header,
    encode_request_header,
    encode_response_header,
    request_header_version,
)
from kafkaproto.messages import RequestHeader, ResponseHeader
from tests.fuzz.support.golden_requests import GOLDEN_REQUESTS

client_ids = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
int32s = st.integers(-(2**31), 2**31 - 1)
tag_sections = st.dictionaries(st.integers(0, 2**32 - 1), st.binary(max_size=200), max_size=4)


def known_api(key: int) -> ApiInfo:
    """One that is there for sure."""
    info = api.api_by_key(key)
    assert info is not None
    return info


api_versions = st.sampled_from(api.api_keys()).flatmap(
    lambda key: st.tuples(st.just(key), st.integers(known_api(key).min_version, known_api(key).max_version))
)


@given(key_and_version=api_versions, correlation_id=int32s, client_id=client_ids, tags=tag_sections)
def test_request_headers_agree_with_the_generated_codec(
    key_and_version: tuple[int, int], correlation_id: int, client_id: str | None, tags: dict[int, bytes]
) -> None:
    api_key, api_version = key_and_version
    header_version = request_header_version(api_key, api_version)
    generated = RequestHeader(
        request_api_key=api_key,
        request_api_version=api_version,
        correlation_id=correlation_id,
        client_id=client_id,
    )
    written = encode_request_header(
        api_key=api_key, api_version=api_version, correlation_id=correlation_id, client_id=client_id
    )
    assert written == generated.encode(header_version)
    if header_version >= 2:
        generated.unknown_tags = dict(sorted(tags.items())) or None
    frame = generated.encode(header_version) + b"body"
    for buffer in (frame, memoryview(frame)):
        header, body_offset = decode_request_header(buffer)
        assert body_offset == len(frame) - 4
        assert header.api_key == api_key
        assert header.api_version == api_version
        assert header.correlation_id == correlation_id
        assert header.client_id == client_id
        assert header.unknown_tags == generated.unknown_tags


@given(correlation_id=int32s, tags=tag_sections)
def test_response_headers_agree_with_the_generated_codec(correlation_id: int, tags: dict[int, bytes]) -> None:
    for version in (0, 1):
        generated = ResponseHeader(correlation_id=correlation_id)
        assert encode_response_header(correlation_id, version) == generated.encode(version)
        if version:
            generated.unknown_tags = dict(sorted(tags.items())) or None
        frame = generated.encode(version) + b"body"
        assert decode_response_header(frame, version) == (correlation_id, len(frame) - 4)


@pytest.mark.parametrize("name", GOLDEN_REQUESTS)
def test_recorded_requests_are_taken_apart_where_their_bodies_begin(name: str) -> None:
    frame = GOLDEN_REQUESTS[name]
    header, body_offset = decode_request_header(frame)
    info = api.api_by_key(header.api_key)
    assert info is not None
    _, end = info.request_class.decode(frame, header.api_version, body_offset)
    assert end == len(frame)
    assert name.endswith(f"{info.name} v{header.api_version}")
    assert header.client_id is not None
    is_of_node = header.client_id.removeprefix("raft-client-").isdigit()
    assert is_of_node or header.client_id in ("adminclient-1", "kafka-python-3.0.12")


def test_a_client_id_that_is_not_utf_8_is_no_reason_to_refuse_a_request() -> None:
    frame = bytes.fromhex("0012 0000 00000007 0003 61ff62")
    header, body_offset = decode_request_header(frame)
    assert header.client_id == "a�b"
    assert body_offset == len(frame)


@pytest.mark.parametrize("size", ["ffff", "fffe", "8000"])
def test_a_negative_client_id_length_reads_as_no_client_id(size: str) -> None:
    header, body_offset = decode_request_header(bytes.fromhex("0012 0000 00000007" + size))
    assert header.client_id is None
    assert body_offset == 10


@pytest.mark.parametrize("name", GOLDEN_REQUESTS)
def test_a_request_cut_inside_its_header_is_refused(name: str) -> None:
    frame = GOLDEN_REQUESTS[name]
    _, body_offset = decode_request_header(frame)
    for size in range(body_offset):
        with pytest.raises(RemoteProtocolError, match="RequestHeader"):
            decode_request_header(frame[:size])


@pytest.mark.parametrize("version", [0, 1])
def test_a_response_cut_inside_its_header_is_refused(version: int) -> None:
    frame = encode_response_header(5, version)
    for size in range(len(frame)):
        with pytest.raises(RemoteProtocolError, match="ResponseHeader"):
            decode_response_header(frame[:size], version)


@pytest.mark.parametrize(
    ("tags", "complaint"),
    [
        ("01 00 05 61", "tagged field 0 announces 5 bytes, 1 are left"),
        ("ffffffff0f", "4294967295 tagged fields are more than 100"),
        ("01 80", "the bytes end inside a varint"),
        ("ffffffffff", "does not fit in 32 bits"),
        ("01 00 ffffffff0f", "announces 4294967295 bytes"),
    ],
)
def test_tagged_fields_that_lie_are_refused_with_the_place(tags: str, complaint: str) -> None:
    frame = bytes.fromhex("0012 0003 00000007 ffff" + tags)
    with pytest.raises(RemoteProtocolError, match=complaint) as caught:
        decode_request_header(frame)
    assert caught.value.where == "RequestHeader"
    assert caught.value.offset is not None
    assert caught.value.offset >= 10


def test_a_client_id_longer_than_the_frame_is_refused_with_the_place() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_request_header(bytes.fromhex("0012 0000 00000007 0005 61"))
    assert str(caught.value) == (
        "RequestHeader.client_id: a length of 5 is announced, 1 bytes are left (at byte 10)"
    )


def test_an_api_key_that_does_not_exist_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="no api key 999"):
        decode_request_header(bytes.fromhex("03e7 0000 00000007 ffff"))


def test_a_client_id_too_long_for_its_length_field_cannot_be_sent() -> None:
    with pytest.raises(LocalProtocolError, match=r"RequestHeader\.client_id: 32768 bytes"):
        encode_request_header(api_key=18, api_version=0, correlation_id=1, client_id="x" * 32768)
    frame = encode_request_header(api_key=18, api_version=0, correlation_id=1, client_id="x" * 32767)
    assert decode_request_header(frame)[0].client_id == "x" * 32767


def test_header_versions_follow_flexible_versions_and_api_versions_answers_stay_readable() -> None:
    assert request_header_version(18, 2) == 1
    assert request_header_version(18, 3) == 2
    assert [known_api(18).response_header_version(version) for version in range(5)] == [0] * 5
    assert [known_api(3).response_header_version(version) for version in (8, 9)] == [0, 1]
    assert request_header_version(17, 1) == 1
