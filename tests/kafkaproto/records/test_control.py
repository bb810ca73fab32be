"""Control records: those of live nodes, and damaged ones."""

from __future__ import annotations

from contextlib import suppress

import pytest

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import (
    EndTxnMarker,
    KRaftVersionRecord,
    LeaderChangeMessage,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
)
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.control import ControlRecordType, decode_control_record, encode_control_record
from kafkaproto.uuids import from_text
from tests.kafkaproto.support.golden_batches import (
    BOOTSTRAP_FOOTER_BATCH,
    BOOTSTRAP_HEADER_BATCH,
    COMMIT_MARKER_BATCH,
    LEADER_CHANGE_BATCH,
    SOLE_VOTER_BATCH,
)

GOLDEN: dict[bytes, list[tuple[ControlRecordType, Message]]] = {
    LEADER_CHANGE_BATCH: [
        (
            ControlRecordType.LEADER_CHANGE,
            LeaderChangeMessage(
                leader_id=2,
                voters=[LeaderChangeMessage.Voter(voter_id=voter) for voter in (1, 2, 3)],
                granting_voters=[LeaderChangeMessage.Voter(voter_id=voter) for voter in (2, 3)],
            ),
        )
    ],
    SOLE_VOTER_BATCH: [
        (
            ControlRecordType.LEADER_CHANGE,
            LeaderChangeMessage(
                leader_id=1,
                voters=[LeaderChangeMessage.Voter(voter_id=1)],
                granting_voters=[LeaderChangeMessage.Voter(voter_id=1)],
            ),
        ),
        (ControlRecordType.KRAFT_VERSION, KRaftVersionRecord(kraft_version=1)),
        (
            ControlRecordType.KRAFT_VOTERS,
            VotersRecord(
                voters=[
                    VotersRecord.Voter(
                        voter_id=1,
                        voter_directory_id=from_text("TisxEe3ISSmiHUSINACjlg"),
                        endpoints=[VotersRecord.Endpoint(name="CONTROLLER", host="127.0.0.1", port=21101)],
                        kraft_version_feature=VotersRecord.KRaftVersionFeature(
                            min_supported_version=0, max_supported_version=1
                        ),
                    )
                ]
            ),
        ),
    ],
    BOOTSTRAP_HEADER_BATCH: [
        (ControlRecordType.SNAPSHOT_HEADER, SnapshotHeaderRecord(last_contained_log_timestamp=0))
    ],
    BOOTSTRAP_FOOTER_BATCH: [(ControlRecordType.SNAPSHOT_FOOTER, SnapshotFooterRecord())],
    COMMIT_MARKER_BATCH: [(ControlRecordType.COMMIT, EndTxnMarker(coordinator_epoch=12))],
}


def control_key(version: int, record_type: int) -> bytes:
    return version.to_bytes(2, "big", signed=True) + record_type.to_bytes(2, "big", signed=True)


@pytest.mark.parametrize("batch", GOLDEN)
def test_control_records_of_kafka_are_read_and_written(batch: bytes) -> None:
    records = list(RecordBatchView(batch).records())
    decoded = [decode_control_record(record.key, record.value) for record in records]
    assert decoded == GOLDEN[batch]
    encoded = [encode_control_record(record_type, message) for record_type, message in GOLDEN[batch]]
    assert encoded == [(record.key, record.value) for record in records]


def test_an_abort_marker_is_a_commit_marker_with_another_key() -> None:
    key, value = encode_control_record(ControlRecordType.ABORT, EndTxnMarker(coordinator_epoch=12))
    assert key == control_key(0, 0)
    assert value == encode_control_record(ControlRecordType.COMMIT, EndTxnMarker(coordinator_epoch=12))[1]
    assert decode_control_record(key, value)[0] is ControlRecordType.ABORT


def test_a_message_of_another_type_is_not_written() -> None:
    with pytest.raises(LocalProtocolError, match="KRAFT_VERSION holds KRaftVersionRecord, not EndTxnMarker"):
        encode_control_record(ControlRecordType.KRAFT_VERSION, EndTxnMarker())


@pytest.mark.parametrize("key", [None, b"", b"\x00\x00\x00"])
def test_key_too_short(key: bytes | None) -> None:
    with pytest.raises(RemoteProtocolError, match="has two int16, version and type"):
        decode_control_record(key, b"\x00\x00\x00")


@pytest.mark.parametrize("version", [-1, 1])
def test_key_version_unknown(version: int) -> None:
    with pytest.raises(RemoteProtocolError, match=f"key version {version} is unknown") as caught:
        decode_control_record(control_key(version, 4), b"\x00\x00\x00")
    assert caught.value.offset == 0


@pytest.mark.parametrize("record_type", [-1, 7, 32767])
def test_type_unknown(record_type: int) -> None:
    with pytest.raises(RemoteProtocolError, match=f"type {record_type} is unknown, known") as caught:
        decode_control_record(control_key(0, record_type), b"\x00\x00\x00")
    assert caught.value.offset == 2


@pytest.mark.parametrize("value", [None, b"", b"\x00"])
def test_value_missing(value: bytes | None) -> None:
    with pytest.raises(RemoteProtocolError, match="control record SNAPSHOT_FOOTER: there is no value"):
        decode_control_record(control_key(0, 4), value)


@pytest.mark.parametrize("record_type", list(ControlRecordType))
def test_value_version_unknown(record_type: ControlRecordType) -> None:
    with pytest.raises(RemoteProtocolError, match=f"{record_type.name}: version 1 is unknown, only 0"):
        decode_control_record(control_key(0, record_type), b"\x00\x01" + bytes(20))


def test_bytes_behind_the_message() -> None:
    with pytest.raises(RemoteProtocolError, match="2 bytes follow the message") as caught:
        decode_control_record(control_key(0, 4), b"\x00\x00\x00--")
    assert caught.value.offset == 3


@pytest.mark.parametrize("batch", GOLDEN)
def test_values_cut_anywhere(batch: bytes) -> None:
    for record in RecordBatchView(batch).records():
        assert record.value is not None
        for size in range(len(record.value)):
            with pytest.raises(RemoteProtocolError):
                decode_control_record(record.key, record.value[:size])


@pytest.mark.parametrize("batch", GOLDEN)
def test_values_with_any_byte_changed_raise_nothing_else(batch: bytes) -> None:
    for record in RecordBatchView(batch).records():
        assert record.value is not None
        for position in range(len(record.value)):
            for byte in (0x00, 0x7F, 0x80, 0xFF):
                changed = record.value[:position] + bytes((byte,)) + record.value[position + 1 :]
                with suppress(RemoteProtocolError):
                    record_type, message = decode_control_record(record.key, changed)
                    assert encode_control_record(record_type, message)[0] == record.key
