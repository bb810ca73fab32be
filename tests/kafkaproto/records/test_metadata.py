"""Framing of metadata records: values from live nodes, and damaged ones."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.generated.registry import METADATA_RECORDS
from kafkaproto.messages import (
    BeginTransactionRecord,
    FeatureLevelRecord,
    NoOpRecord,
    RegisterBrokerRecord,
    SnapshotFooterRecord,
    VoteRequest,
    message_class,
)
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from tests.kafkaproto.support.golden_batches import BOOTSTRAP_DATA_BATCH, METADATA_RECORD_VALUES, NO_OP_BATCH


@pytest.mark.parametrize("value", METADATA_RECORD_VALUES)
def test_values_of_live_nodes_are_read_and_written(value: bytes) -> None:
    message, version = decode_metadata_record(value)
    assert encode_metadata_record(message, version) == value
    assert decode_metadata_record(memoryview(value)) == (message, version)


def test_records_of_a_bootstrap_checkpoint() -> None:
    records = RecordBatchView(BOOTSTRAP_DATA_BATCH).records()
    assert [decode_metadata_record(record.value or b"") for record in records] == [
        (FeatureLevelRecord(name=name, feature_level=level), 0)
        for name, level in [
            ("metadata.version", 30),
            ("eligible.leader.replicas.version", 1),
            ("group.version", 1),
            ("share.version", 1),
            ("streams.version", 1),
            ("transaction.version", 2),
        ]
    ]


def test_no_op_and_transaction_name() -> None:
    (record,) = RecordBatchView(NO_OP_BATCH).records()
    assert record.value == encode_metadata_record(NoOpRecord(), 0) == bytes.fromhex("01140000")
    begin = BeginTransactionRecord(name="Bootstrap records")
    assert encode_metadata_record(begin, 0) in METADATA_RECORD_VALUES


@pytest.mark.parametrize("name", METADATA_RECORDS.values())
def test_every_record_type_and_version_round_trips(name: str) -> None:
    record_class = message_class(name)
    for version in range(record_class.MIN_VERSION, record_class.MAX_VERSION + 1):
        value = encode_metadata_record(record_class(), version)
        assert decode_metadata_record(value) == (record_class(), version)


@pytest.mark.parametrize("message", [VoteRequest(), SnapshotFooterRecord()])
def test_other_messages_are_refused(message: VoteRequest | SnapshotFooterRecord) -> None:
    with pytest.raises(LocalProtocolError, match=f"{message.NAME} is not a metadata record"):
        encode_metadata_record(message, 0)


def test_versions_that_do_not_exist_are_not_written() -> None:
    with pytest.raises(UnsupportedVersionError, match="RegisterBrokerRecord: version 5"):
        encode_metadata_record(RegisterBrokerRecord(), 5)
    with pytest.raises(LocalProtocolError, match="-1 does not fit"):
        encode_metadata_record(RegisterBrokerRecord(), -1)


@pytest.mark.parametrize(
    ("text", "reason", "offset"),
    [
        ("", "start of a metadata record: the bytes end inside a varint", 0),
        ("01", "start of a metadata record: the bytes end inside a varint", 1),
        ("0114", "start of a metadata record: the bytes end inside a varint", 2),
        ("01ffffffffff00", "start of a metadata record: a varint does not fit in 32 bits", 1),
        ("00140000", "metadata record with frame version 0, only 1 is known", 0),
        ("02140000", "metadata record with frame version 2, only 1 is known", 0),
        ("01060000", "metadata record type 6 is unknown", 1),
        ("01ffffffff0f0000", "metadata record type 4294967295 is unknown", 1),
        ("01140100", "NoOpRecord: version 1 is unknown, known are 0 to 0", 2),
        ("010005", "RegisterBrokerRecord: version 5 is unknown, known are 0 to 4", 2),
        ("0114000000", "NoOpRecord: 1 bytes follow the record", 4),
    ],
)
def test_damage_is_described(text: str, reason: str, offset: int) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_metadata_record(bytes.fromhex(text))
    assert str(caught.value) == f"{reason} (at byte {offset})"


@pytest.mark.parametrize("value", METADATA_RECORD_VALUES)
def test_values_cut_anywhere(value: bytes) -> None:
    for size in range(len(value)):
        with pytest.raises(RemoteProtocolError):
            decode_metadata_record(value[:size])


@given(
    record_type=st.sampled_from(sorted(METADATA_RECORDS)),
    version=st.integers(0, 4),
    body=st.binary(max_size=60),
)
def test_garbage_raises_nothing_else(record_type: int, version: int, body: bytes) -> None:
    with suppress(RemoteProtocolError):
        message, _ = decode_metadata_record(bytes((1, record_type, version)) + body)
        assert METADATA_RECORDS[record_type] == message.NAME
