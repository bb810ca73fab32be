"""A log that does not begin at 0: its start moved, or it was emptied for a snapshot; and reads beside the changes."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable

import pytest

from kafkaproto.records.batch import iterate_batches
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import METADATA_TOPIC_ID, OffsetAndEpoch
from kafkaproto_server.shell.storage.deletion import remove_deleted
from kafkaproto_server.shell.storage.errors import LogFailedError, OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from tests.shell.storage.support.helpers import FixedRng, batch, batches_of, read_all
from tests.sim.disk import MemoryDisk

BATCH_BYTES = len(batch(0))
SMALL = LogConfig(segment_bytes=3 * BATCH_BYTES, index_interval_bytes=BATCH_BYTES, segment_index_bytes=1024)


def open_log(disk: Disk, root: str, config: LogConfig = SMALL) -> Log:
    return Log.open(disk, f"{root}/log", topic_id=METADATA_TOPIC_ID, config=config)


def filled_log(disk: Disk, root: str, count: int = 10) -> Log:
    """Segments of three batches each, an epoch for every four."""
    log = open_log(disk, root)
    log.append([batch(offset, epoch=1 + offset // 4) for offset in range(count)])
    log.sync()
    return log


def log_files(disk: Disk, root: str) -> list[str]:
    names = disk.list_directory(f"{root}/log")
    return [name for name in names if not name.endswith((".deleted", "metadata", "checkpoint", ".snapshot"))]


def files_of(*bases: int) -> list[str]:
    return [f"{base:020}{suffix}" for base in bases for suffix in (".index", ".log", ".timeindex")]


def test_moving_the_start_hides_what_is_before_and_deletes_whole_segments(disk: Disk, root: str) -> None:
    log = filled_log(disk, root)
    size = log.size_in_bytes
    log.move_start_to(4)
    assert (log.log_start_offset, log.log_end_offset) == (4, 10)
    assert log_files(disk, root) == files_of(3, 6, 9)
    assert log.size_in_bytes == size - 3 * BATCH_BYTES
    assert batches_of(read_all(log)) == [(offset, 1 + offset // 4) for offset in range(4, 10)]
    with pytest.raises(OffsetOutOfRangeError, match="offset 3 is outside of the log, which holds 4 to 10"):
        log.read(3, 100)
    with pytest.raises(OffsetOutOfRangeError):
        log.truncate_to(3)
    log.close()


def test_the_epoch_that_the_start_falls_into_begins_there(disk: Disk, root: str) -> None:
    log = filled_log(disk, root)
    log.move_start_to(5)
    assert log.epoch_starts == ((2, 5), (3, 8))
    assert disk.read_file(f"{root}/log/leader-epoch-checkpoint") == b"0\n2\n2 5\n3 8\n"
    assert log.epoch_at(4) is None
    assert log.end_offset_for_epoch(1) == OffsetAndEpoch(epoch=1, offset=5)
    log.close()


def test_a_start_is_forgotten_at_a_restart_but_for_the_segments(disk: Disk, root: str) -> None:
    log = filled_log(disk, root)
    log.move_start_to(7)
    log.close()
    log = open_log(disk, root)
    assert (log.log_start_offset, log.log_end_offset) == (6, 10)
    assert log.epoch_starts == ((2, 6), (3, 8))
    assert batches_of(log.read(6, 1)) == [(6, 2)]
    log.close()


def test_a_start_at_the_end_keeps_the_last_segment(disk: Disk, root: str) -> None:
    log = filled_log(disk, root)
    log.move_start_to(10)
    assert (log.log_start_offset, log.log_end_offset) == (10, 10)
    assert log_files(disk, root) == files_of(9)
    assert log.end_offset_for_epoch(3) is None
    assert log.read(10, 100) == b""
    log.append([batch(10, epoch=3), batch(11, epoch=4)])
    assert log.epoch_starts == ((3, 10), (4, 11))
    log.truncate_to(11)
    assert (log.log_end_offset, log.last_epoch) == (11, 3)
    log.close()


def test_the_start_only_moves_up_and_not_past_the_end(disk: Disk, root: str) -> None:
    log = filled_log(disk, root)
    log.move_start_to(4)
    for offset in (0, 3, 4):
        log.move_start_to(offset)
        assert log.log_start_offset == 4
    with pytest.raises(OffsetOutOfRangeError):
        log.move_start_to(11)
    log.close()


@pytest.mark.parametrize("offset", [4, 9, 10, 500])
def test_a_log_truncated_fully_is_empty_and_goes_on_at_the_offset(disk: Disk, root: str, offset: int) -> None:
    log = filled_log(disk, root)
    log.truncate_fully_to(offset)
    assert (log.log_start_offset, log.log_end_offset, log.last_epoch) == (offset, offset, None)
    assert log.epoch_starts == ()
    assert log.size_in_bytes == 0
    assert log_files(disk, root) == files_of(offset)
    assert log.read(offset, 100) == b""
    log.append([batch(offset, epoch=9)])
    log.sync()
    log.close()
    log = open_log(disk, root)
    assert batches_of(read_all(log)) == [(offset, 9)]
    assert log.epoch_starts == ((9, offset),)
    log.close()


def test_a_log_truncated_fully_survives_the_crash_that_keeps_least() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    disk.sync_directory("/")
    log = filled_log(disk, "/data")
    log.truncate_fully_to(500)
    disk.crash(FixedRng(0))
    log = open_log(disk, "/data")
    assert (log.log_start_offset, log.log_end_offset) == (500, 500)
    log.close()


def test_deleted_segments_keep_their_bytes_until_they_are_removed(disk: Disk, root: str) -> None:
    log = filled_log(disk, root)
    log.move_start_to(6)
    names = [name for name in disk.list_directory(f"{root}/log") if name.endswith(".deleted")]
    assert names == [f"{name}.deleted" for name in files_of(0, 3)]
    assert batches_of(disk.read_file(f"{root}/log/{0:020}.log.deleted")) == [(0, 1), (1, 1), (2, 1)]
    assert remove_deleted(disk, f"{root}/log") == 6
    assert remove_deleted(disk, f"{root}/log") == 0
    assert log_files(disk, root) == files_of(6, 9)
    log.move_start_to(9)
    log.close()
    log = open_log(disk, root)
    assert not any(name.endswith(".deleted") for name in disk.list_directory(f"{root}/log"))
    log.close()


SHORTENINGS: dict[str, Callable[[Log], None]] = {
    "truncate_to": lambda log: log.truncate_to(0),
    "move_start_to": lambda log: log.move_start_to(9),
    "truncate_fully_to": lambda log: log.truncate_fully_to(9),
}


@pytest.mark.parametrize(
    ("shortening", "operation"),
    [
        (name, operation)
        for name in SHORTENINGS
        for operation in ("rename", "sync_directory", "write", "sync", "create")
        # The first segment, the last one and the epoch file's temporary are there already.
        if operation != "create" or name == "truncate_fully_to"
    ],
)
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_a_change_that_fails_ends_the_log(shortening: str, operation: str, error: int) -> None:
    """The error names operation and file, and nothing can be changed any more."""
    disk = MemoryDisk()
    disk.make_directory("/data")
    log = filled_log(disk, "/data")
    disk.fail(operation, "", error)
    with pytest.raises(OSError, match=f"{operation} failed: .*/data/log") as caught:
        SHORTENINGS[shortening](log)
    assert caught.value.errno == error
    with pytest.raises(LogFailedError, match="the log has failed before"):
        log.sync()
    with pytest.raises(LogFailedError, match="the log has failed before"):
        log.append([batch(log.log_end_offset, epoch=9)])
    log.close()


def test_reads_go_on_while_another_thread_appends_rolls_and_moves_the_start(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    problems: list[str] = []
    is_done = threading.Event()

    def read() -> None:
        while not is_done.is_set():
            start, end = log.log_start_offset, log.log_end_offset
            for offset in (start, end - 1, (start + end) // 2):
                if not start <= offset < end:
                    continue
                try:
                    data = log.read(offset, 3 * BATCH_BYTES)
                except OffsetOutOfRangeError:
                    if offset >= log.log_start_offset:
                        problems.append(f"{offset} was there")
                    continue
                views = list(iterate_batches(data))
                if not views or views[0].base_offset != offset:
                    problems.append(f"{offset} was asked for")
                for view in views:
                    view.check()

    def guarded() -> None:
        try:
            read()
        except Exception as error:
            problems.append(repr(error))

    readers = [threading.Thread(target=guarded) for _ in range(2)]
    for reader in readers:
        reader.start()
    for offset in range(600):
        log.append([batch(offset, value_bytes=10)])
        if offset % 5 == 0:
            log.sync()
        if offset % 40 == 39:
            log.move_start_to(offset - 10)
        if offset == 300:
            log.truncate_fully_to(301)
    is_done.set()
    for reader in readers:
        reader.join()
    log.close()
    assert problems == []
