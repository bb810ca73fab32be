"""What reads logs holds a window of them in memory, however long they are, also if Python's collector never runs.

Tests: `shell.storage.log.scan`.
"""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkaproto.log import StopReason, segment_file_name
from kafkaproto.records.batch import LENGTH_END, NewRecord, assign_offsets, build_batch
from kafkaproto_server.shell.storage.directories.acceptance import accept_log
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log import old_formats
from kafkaproto_server.shell.storage.log.cleaning import Cleaning
from kafkaproto_server.shell.storage.log.copying import Slice, copy_slice
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.partition_metadata import ensure_partition_metadata
from kafkaproto_server.shell.storage.log.scan import LARGE_BATCH_BYTES, WINDOW_BYTES, FileScan
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.tools.dump.dumped_files import (
    Problems,
    batches_of,
    check_time_index,
    offset_index,
    time_index,
)
from tests.shell.storage.support.compaction import plan
from tests.support.old_messages import message

LOG_BYTES = 64 << 20
MOST_BYTES = 8 << 20
"""Some windows, and the indexes."""
RECORD_BYTES = 20_000
BATCH_RECORDS = 4
CONFIG = LogConfig(has_gaps=True, is_durable_at_once=False)
METADATA_CONFIG = LogConfig()
TOPIC_ID = bytes(range(16))
NO_LIMIT = 1 << 62
DISK = OsDisk()


@pytest.fixture
def directory(tmp_path: Path) -> str:
    """A log of one long segment, as a killed broker leaves it."""
    path = tmp_path / "topic-0"
    path.mkdir()
    ensure_partition_metadata(DISK, str(path), TOPIC_ID)
    write_batches(path / segment_file_name(0), LOG_BYTES)
    return str(path)


def write_batches(path: Path, size: int) -> None:
    records = [NewRecord(b"%d" % index, b"x" * RECORD_BYTES) for index in range(BATCH_RECORDS)]
    batch = bytearray(build_batch(records, base_offset=0, timestamp_ms=1_000, producer_id=5, base_sequence=0))
    offset = 0
    with path.open("wb") as file:
        for _ in range(0, size, len(batch)):
            assign_offsets(batch, offset, 1)
            file.write(batch)
            offset += BATCH_RECORDS


def first_batch_bytes(path: Path) -> int:
    with path.open("rb") as file:
        file.seek(8)
        return int.from_bytes(file.read(4)) + LENGTH_END


def set_length(path: Path, position: int, length: int) -> None:
    """Let the batch at a position say that it has another length."""
    with path.open("r+b") as file:
        file.seek(position + 8)
        file.write(length.to_bytes(4))


def peak_bytes(work: Callable[[], object]) -> int:
    """How much memory ``work`` holds at most, if nothing frees what holds itself."""
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()


def open_topic(directory: str, *, is_clean: bool = False) -> TopicLog:
    return TopicLog.open(
        DISK,
        directory,
        topic_id=TOPIC_ID,
        config=CONFIG,
        is_clean=is_clean,
        producer_expiration_ms=NO_LIMIT,
    )


def start(directory: str, *, is_clean: bool = False) -> None:
    log = open_topic(directory, is_clean=is_clean)
    assert log.log.log_end_offset > LOG_BYTES // RECORD_BYTES * 0.9
    log.found(NO_LIMIT)
    log.log.abandon()


def read_metadata(directory: str) -> None:
    Log.open(DISK, directory, topic_id=TOPIC_ID, config=METADATA_CONFIG).abandon()


def clean(directory: str) -> None:
    log = open_topic(directory)
    log.log.roll()
    found = log.found(NO_LIMIT)
    cleaning = Cleaning(DISK, plan(log, found, CONFIG, now_ms=0, delete_retention_ms=0, dedupe_bytes=1 << 20))
    while not cleaning.is_done:
        cleaning.work(1 << 20)
    cleaning.abandon()
    log.log.abandon()


def copy(directory: str) -> None:
    source = open_topic(directory)
    target = open_topic(f"{directory}-future")
    end = source.log.log_end_offset
    while target.log.log_end_offset < end:
        part = Slice(
            offset=target.log.log_end_offset, end_offset=end, max_bytes=1 << 20, aborted=(), wall_ms=0
        )
        copy_slice(source, target, part, begins=False)
    target.log.abandon()
    source.log.abandon()


def accept(directory: str) -> None:
    parent = directory.rpartition("/")[0]
    accept_log(DISK, [parent], "topic", 0, topic_id=None, report=lambda _: None)


def dump(directory: str) -> None:
    log = open_topic(directory, is_clean=True)
    log.close(None)
    path = f"{directory}/{segment_file_name(0)}"
    file = DISK.open_read_only(path)
    for batch in batches_of(path, file):
        batch.check()
    file.close()
    assert offset_index(DISK, path.replace(".log", ".index"))
    times = path.replace(".log", ".timeindex")
    check_time_index(DISK, times, time_index(DISK, times), Problems())


@pytest.mark.parametrize(
    "read", [start, read_metadata, clean, copy, accept, dump], ids=lambda each: each.__name__
)
def test_a_long_log_is_read_in_windows(directory: str, read: Callable[[str], None]) -> None:
    assert peak_bytes(lambda: read(directory)) < MOST_BYTES


def test_a_log_with_its_indexes_and_one_whose_indexes_are_gone(directory: str) -> None:
    open_topic(directory).close(None)
    assert peak_bytes(lambda: start(directory, is_clean=True)) < MOST_BYTES
    for path in Path(directory).glob("*index"):
        path.unlink()
    assert peak_bytes(lambda: start(directory, is_clean=True)) < MOST_BYTES


def test_batches_of_old_formats_are_read_in_windows(tmp_path: Path) -> None:
    path = tmp_path / segment_file_name(0)
    with path.open("wb") as file:
        for offset in range(LOG_BYTES >> 20):
            file.write(message(offset, b"x" * ((1 << 20) - 40), magic=1))

    def read() -> None:
        assert old_formats.is_old(DISK, str(tmp_path), [0], 0)
        file = DISK.open_read_only(str(path))
        assert sum(1 for _ in FileScan(file, with_old_formats=True)) == LOG_BYTES >> 20
        file.close()

    assert peak_bytes(read) < MOST_BYTES


@pytest.mark.parametrize("count", [0, 3])
@pytest.mark.parametrize("fits", [True, False])
def test_a_damaged_length_does_not_make_it_read_the_rest_at_once(
    directory: str, count: int, fits: bool
) -> None:
    """The length of the first batch is wrong, or of one behind it. The rest of the file would hold it, or would not."""
    open_topic(directory).close(None)
    path = Path(directory) / segment_file_name(0)
    size, batch_bytes = path.stat().st_size, first_batch_bytes(path)
    position = count * batch_bytes
    length = size - position - LENGTH_END if fits else size
    set_length(path, position, length)

    def scan() -> None:
        file = DISK.open_read_only(str(path))
        scan = FileScan(file)
        assert sum(1 for _ in scan) == count
        assert scan.valid_end == position
        assert scan.stop_reason is (StopReason.DAMAGED if fits else StopReason.PARTIAL)
        if not fits:
            assert str(size - position) in str(scan.fault)
        file.close()

    assert peak_bytes(scan) < MOST_BYTES

    def refuse() -> None:
        with pytest.raises(CorruptFileError, match="there is a valid batch at byte"):
            read_metadata(directory)

    assert peak_bytes(refuse) < MOST_BYTES

    def cut() -> None:
        # After a stop in order, only the first batch and the last ones are looked at.
        log = open_topic(directory, is_clean=count == 0)
        assert log.log.log_end_offset == count * BATCH_RECORDS
        log.log.abandon()

    assert peak_bytes(cut) < MOST_BYTES


def test_a_torn_tail_of_the_metadata_log_is_searched_in_windows(directory: str) -> None:
    path = Path(directory) / segment_file_name(0)
    batch_bytes = first_batch_bytes(path)
    noise = random.Random(1).randbytes(1 << 15) + bytes((1 << 20) - (1 << 15))
    with path.open("r+b") as file:
        file.truncate(3 * batch_bytes)
        file.seek(3 * batch_bytes)
        for _ in range(30):
            file.write(noise)
    assert peak_bytes(lambda: read_metadata(directory)) < MOST_BYTES
    assert path.stat().st_size == 3 * batch_bytes


def test_a_large_batch_is_read_and_found(tmp_path: Path) -> None:
    """It is larger than what is read before its crc is known to be right."""
    path = tmp_path / segment_file_name(0)
    small = build_batch([NewRecord(None, b"x")], base_offset=0, timestamp_ms=1_000)
    large = build_batch([NewRecord(None, bytes(LARGE_BATCH_BYTES))], base_offset=1, timestamp_ms=1_000)
    path.write_bytes(small + large)
    file = DISK.open_read_only(str(path))
    assert [view.base_offset for _, view in FileScan(file)] == [0, 1]
    file.close()
    old = message(2, bytes(LARGE_BATCH_BYTES), magic=0)
    path.write_bytes(small + large + old)
    file = DISK.open_read_only(str(path))
    assert [view.base_offset for _, view in FileScan(file, with_old_formats=True)] == [0, 1, 2]
    file.close()
    # Behind a fault, it shows that the metadata log was longer, wherever the windows end.
    for before in (WINDOW_BYTES - 70, WINDOW_BYTES - 30, 10, 100):
        path.write_bytes(bytes([0xFF]) * before + large)
        with pytest.raises(CorruptFileError, match=f"there is a valid batch at byte {before}"):
            read_metadata(str(tmp_path))
