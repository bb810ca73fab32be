"""Records of the coordinators' topics: a key that says its type, and a value that says its version."""

from __future__ import annotations

import pytest

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.message import Message
from kafkaproto.messages import (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
    TransactionLogKey,
    TransactionLogValue,
)
from kafkaproto.records.coordinator import (
    GROUP_RECORDS,
    TRANSACTION_RECORDS,
    UnknownRecordTypeError,
    decode_coordinator_record,
    encode_coordinator_record,
)

KEY = OffsetCommitKey(group="g", topic="t", partition=3)
VALUE = OffsetCommitValue(offset=7, leader_epoch=2, metadata="m", commit_timestamp=5)


@pytest.mark.parametrize(
    ("key", "value", "version", "names"),
    [
        (KEY, VALUE, 3, GROUP_RECORDS),
        (KEY, None, 0, GROUP_RECORDS),
        (GroupMetadataKey(group="g"), GroupMetadataValue(protocol_type="consumer"), 3, GROUP_RECORDS),
        (
            TransactionLogKey(transactional_id="x"),
            TransactionLogValue(producer_id=1, transaction_partitions=[]),
            1,
            TRANSACTION_RECORDS,
        ),
    ],
)
def test_what_is_written_is_read(
    key: Message, value: Message | None, version: int, names: dict[int, str]
) -> None:
    found = decode_coordinator_record(names, *encode_coordinator_record(key, value, version))
    assert (found.key, found.value) == (key, value)


def test_the_bytes_are_kafkas() -> None:
    key, value = encode_coordinator_record(KEY, VALUE, 3)
    # Type 1, version 3.
    assert key == bytes.fromhex("0001 0001 67 0001 74 00000003")
    assert value == bytes.fromhex("0003 0000000000000007 00000002 0001 6d 0000000000000005")


def test_a_message_of_another_kind_is_not_written() -> None:
    with pytest.raises(LocalProtocolError, match="OffsetCommitValue is no key"):
        encode_coordinator_record(VALUE, None, 0)
    with pytest.raises(LocalProtocolError, match="GroupMetadataValue is not the value of OffsetCommitKey"):
        encode_coordinator_record(KEY, GroupMetadataValue(), 3)
    with pytest.raises(UnsupportedVersionError):
        encode_coordinator_record(KEY, VALUE, 99)


def test_what_nobody_knows_and_what_is_damaged_is_told_apart() -> None:
    key, value = encode_coordinator_record(KEY, VALUE, 3)
    with pytest.raises(UnknownRecordTypeError, match="record type 77 is unknown"):
        decode_coordinator_record(GROUP_RECORDS, b"\x00\x4d" + key[2:], value)
    with pytest.raises(RemoteProtocolError, match="the key has 1 bytes"):
        decode_coordinator_record(GROUP_RECORDS, key[:1], value)
    assert value is not None
    with pytest.raises(RemoteProtocolError, match="the value of OffsetCommit has 1 bytes"):
        decode_coordinator_record(GROUP_RECORDS, key, value[:1])
    with pytest.raises(RemoteProtocolError, match="version 99 is unknown"):
        decode_coordinator_record(GROUP_RECORDS, key, b"\x00\x63" + value[2:])
    with pytest.raises(RemoteProtocolError, match="1 bytes follow the message"):
        decode_coordinator_record(GROUP_RECORDS, key, value + b"\x00")
    with pytest.raises(RemoteProtocolError):
        decode_coordinator_record(GROUP_RECORDS, key, value[:-1])
