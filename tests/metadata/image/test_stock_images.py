"""Replay and snapshot against Apache Kafka's own: `data/stock_images.txt` says where its bytes come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import ClientQuotaRecord, RegisterBrokerRecord
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from kafkaproto_server.metadata.image.snapshot import image_records
from tests.metadata.image.support.reference import image_from_records

_FILE = Path(__file__).parent / "data" / "stock_images.txt"


def _cases() -> list[tuple[list[str], list[str]]]:
    """(records of a log, records of the image) for each log."""
    cases = []
    for block in _FILE.read_text().strip().split("\n\n")[1:]:
        log, image = block.split("\n----\n")
        cases.append((log.split(), image.split()))
    return cases


def _in_our_order(value: str) -> bytes:
    """A record value with those lists in our order whose order says nothing and is another in stock's images.

    Stock sorts directory ids as signed numbers, and keeps endpoints in a hash map.
    """
    record, version = decode_metadata_record(bytes.fromhex(value))
    if isinstance(record, RegisterBrokerRecord):
        record.log_dirs.sort()
        record.end_points.sort(key=lambda endpoint: endpoint.name)
    elif isinstance(record, ClientQuotaRecord):
        record.entity.sort(key=lambda entity: entity.entity_type)
    return encode_metadata_record(record, version)


@pytest.mark.parametrize("number", range(12))
def test_a_log_replays_into_the_image_that_stock_makes_of_it(number: int) -> None:
    log, expected = _cases()[number]
    records: list[Message] = [decode_metadata_record(bytes.fromhex(value))[0] for value in log]
    image = image_from_records(records, offset=len(log) - 1, epoch=1, timestamp_ms=0)
    ours = [encode_metadata_record(record, version) for record, version in image_records(image)]
    assert sorted(ours) == sorted(_in_our_order(value) for value in expected)


def test_every_log_of_the_file_is_checked() -> None:
    assert len(_cases()) == 12
