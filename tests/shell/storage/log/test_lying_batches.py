"""Searches by time in logs with batches whose records are not what their headers say: older releases, and other
servers, took such batches of producers.

Tests: `shell.storage.log.timestamp_search`.
"""

from __future__ import annotations

import pytest

from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.compression import Compression, compress
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.timestamp_search import TimestampedOffset
from tests.core.replicas.support.produce_cases import raw_record
from tests.shell.storage.log.test_topic_log import disk, open_log, resealed


def lie_record(offset_delta: int) -> bytes:
    """A record of a batch, with a timestamp that is the batch's."""
    return raw_record(offset_delta, key=None)


LIES = [
    ("garbage", b"\xff" * 50),
    ("too few", lie_record(0)),
    ("too many", b"".join(map(lie_record, range(4)))),
    ("a length of -1", lie_record(0) + b"\x01" + bytes(8)),
    ("a nested batch", build_batch([NewRecord(None, b"v")] * 3, base_offset=0, timestamp_ms=5)),
    ("an offset beyond the batch", lie_record(0) + lie_record(1) + lie_record(2**31 - 1)),
    ("an offset before the batch", lie_record(-5) + lie_record(1) + lie_record(2)),
]


@pytest.mark.parametrize("codec", list(Compression))
@pytest.mark.parametrize(("name", "body"), LIES, ids=[name for name, _ in LIES])
def test_a_batch_whose_records_are_not_what_its_header_says_is_found_by_its_header(
    name: str, body: bytes, codec: Compression, caplog: pytest.LogCaptureFixture
) -> None:
    log = open_log(disk())
    log.append([build_batch([NewRecord(None, b"v")], base_offset=0, timestamp_ms=100)])
    lying = build_batch([NewRecord(None, b"v")] * 3, base_offset=1, timestamp_ms=500, compression=codec)
    packed = compress(codec, body)
    log.append([resealed(bytearray(lying[:61] + packed))])
    log.append([build_batch([NewRecord(None, b"v")], base_offset=4, timestamp_ms=900)])
    caplog.set_level("WARNING")
    for _ in range(3):
        assert log.find_timestamp(50) == TimestampedOffset(0, 100, 0)
        found = log.find_timestamp(500)
        assert found is not None
        assert (1 <= found.offset <= 3, found.timestamp) == (True, 500)
        assert log.find_timestamp(501) == TimestampedOffset(4, 900, 0)
        assert log.find_max_timestamp() == TimestampedOffset(4, 900, 0)
    assert len(caplog.records) <= 1
    log.log.move_start_to(2)
    found = log.find_timestamp(200)
    assert found is not None
    assert 2 <= found.offset <= 3


def test_the_log_says_once_that_records_are_not_what_their_header_says(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = open_log(disk())
    honest = build_batch([NewRecord(None, b"v")] * 3, base_offset=0, timestamp_ms=500)
    log.append([resealed(bytearray(honest[:61] + bytes(len(honest) - 61)))])
    caplog.set_level("WARNING")
    for timestamp in (100, 500):
        assert log.find_timestamp(timestamp) == TimestampedOffset(0, 500, 0)
    (line,) = caplog.messages
    assert "the records of the batch at offset 0 are not what its header says" in line


@pytest.mark.parametrize("lost_bytes", [1, 20, 60])
def test_a_file_that_somebody_shortens_meanwhile_is_damaged_and_nothing_worse(lost_bytes: int) -> None:
    made = disk()
    log = open_log(made)
    log.append([build_batch([NewRecord(None, bytes(90))], base_offset=0, timestamp_ms=100)])
    path = log.log.segments[0].path
    del made._names[path].data[-lost_bytes:]
    with pytest.raises(CorruptFileError, match="has only"):
        log.find_timestamp(50)
