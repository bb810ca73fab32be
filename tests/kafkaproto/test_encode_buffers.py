"""Messages as buffers: what is long is not copied."""

from __future__ import annotations

import pytest

from kafkaproto.errors import LocalProtocolError, UnsupportedVersionError
from kafkaproto.messages import FetchResponse


def response(*records: bytes) -> FetchResponse:
    partitions = [
        FetchResponse.PartitionData(partition_index=index, records=each) for index, each in enumerate(records)
    ]
    topic = FetchResponse.FetchableTopicResponse(topic_id=bytes(16), partitions=partitions)
    return FetchResponse(responses=[topic])


def test_long_records_are_buffers_of_their_own() -> None:
    first, short, last = b"a" * 5_000, b"b" * 10, b"c" * 4_096
    message = response(first, short, last)
    buffers = message.encode_buffers(17)
    assert b"".join(buffers) == message.encode(17)
    assert [each for each in buffers if each is first or each is last] == [first, last]
    assert len(buffers) == 5


def test_errors_are_those_of_encode() -> None:
    with pytest.raises(UnsupportedVersionError):
        response(b"").encode_buffers(99)
    message = response(b"")
    message.throttle_time_ms = 2**40
    with pytest.raises(LocalProtocolError, match="throttle_time_ms"):
        message.encode_buffers(17)
