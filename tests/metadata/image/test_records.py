"""Versions in which records are written, checked with records that stock 4.3.1 nodes wrote."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import BrokerRegistrationChangeRecord, PartitionRecord
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from kafkaproto_server.metadata.image.records import partition_record, record_version
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.metadata.image.snapshot import image_records

# Record values found in the metadata log of a stock 4.3.1 cluster at metadata.version 30.
REGISTER_BROKER = (
    "0100040000000b004dad26a2ee884b71896b8bcb7e152fcc000000000000001c020a504c41494e544558540a3132372e302e"
    "302e315349000000080e6b726166742e76657273696f6e00000001000e67726f75702e76657273696f6e0000000100107374"
    "7265616d732e76657273696f6e0000000100147472616e73616374696f6e2e76657273696f6e000000020021656c69676962"
    "6c652e6c65616465722e7265706c696361732e76657273696f6e0000000100116d657461646174612e76657273696f6e0007"
    "001e000e73686172652e76657273696f6e000000010000010001001102ac65566a3e471fbce5eaccff12a44f22"
)
REGISTER_CONTROLLER = (
    "011b00000000011b88b0c539a44367b6c998b825f8917400020b434f4e54524f4c4c45520a3132372e302e302e3152090000"
    "00080e67726f75702e76657273696f6e00000001000e6b726166742e76657273696f6e0000000100116d657461646174612e"
    "76657273696f6e0007001e000e73686172652e76657273696f6e00000001001073747265616d732e76657273696f6e000000"
    "0100147472616e73616374696f6e2e76657273696f6e000000020021656c696769626c652e6c65616465722e7265706c6963"
    "61732e76657273696f6e000000010000"
)
METADATA_VERSION = "010c00116d657461646174612e76657273696f6e001e00"
TOPIC = "01020003646474c619002d5e4dd084eaa9859a65378600"
PARTITION = (
    "0103020000000074c619002d5e4dd084eaa9859a653786030000000a0000000b030000000a0000000b01010000000a000000"
    "0000000000036cbb2657f7515e071f894aeef8fc2ed4ac65566a3e471fbce5eaccff12a44f2200"
)
CHANGE = "0105020000000174c619002d5e4dd084eaa9859a653786020005020000000a01040000000a"
LAST_REPLICA_FENCED = (
    "01050200000000c30c63778394481996441f9a85162d9c040001010104ffffffff0605020000000b0705020000000b"
)
UNFENCE = "0111000000000a000000000000000c010001ff"
CORDONED = "0111030000000a000000000000000c01030101"
BROKER_CONFIG = "0104000401146d696e2e696e73796e632e7265706c69636173023100"
PRODUCER_IDS = "010f000000000a000000000000001e00000000000003e800"
NO_OP = "01140000"


@pytest.mark.parametrize(
    "value",
    [
        REGISTER_BROKER,
        REGISTER_CONTROLLER,
        METADATA_VERSION,
        TOPIC,
        PARTITION,
        CHANGE,
        LAST_REPLICA_FENCED,
        UNFENCE,
        CORDONED,
        BROKER_CONFIG,
        PRODUCER_IDS,
        NO_OP,
    ],
)
def test_a_stock_record_is_written_in_the_version_it_was_found_in(value: str) -> None:
    record, _ = decode_metadata_record(bytes.fromhex(value))
    assert encode_metadata_record(record, record_version(record, 30)).hex() == value


def test_a_snapshot_repeats_stock_registrations_and_partitions_byte_for_byte() -> None:
    values = [METADATA_VERSION, REGISTER_BROKER, REGISTER_CONTROLLER, TOPIC, PARTITION]
    image = EMPTY_IMAGE
    for offset, value in enumerate(values):
        image = replay(image, decode_metadata_record(bytes.fromhex(value))[0], offset)
    assert [
        encode_metadata_record(record, version).hex() for record, version in image_records(image)
    ] == values


@pytest.mark.parametrize(
    ("fields", "version"),
    [
        ({"fenced": 1}, 0),
        ({"in_controlled_shutdown": 1}, 1),
        ({"fenced": 1, "log_dirs": [b"d" * 16]}, 2),
        ({"cordoned_log_dirs": []}, 3),
    ],
)
def test_a_registration_change_takes_the_lowest_version_that_holds_it(
    fields: dict[str, Any], version: int
) -> None:
    record: Message = BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=2, **fields)
    assert record_version(record, 30) == version


def test_a_partition_is_written_without_what_the_level_has_no_fields_for() -> None:
    partition = PartitionImage(
        replicas=(1,), directories=(b"d" * 16,), isr=(1,), elr=(2,), last_known_elr=(3,), leader=1
    )

    def written(level: int) -> PartitionRecord:
        record = partition_record(b"t" * 16, 0, partition, level)
        encode_metadata_record(record, record_version(record, level))
        return record

    assert (written(16).directories, written(16).eligible_leader_replicas) == ([], None)
    assert (written(22).directories, written(22).eligible_leader_replicas) == ([b"d" * 16], None)
    assert (written(23).eligible_leader_replicas, written(23).last_known_elr) == ([2], [3])
