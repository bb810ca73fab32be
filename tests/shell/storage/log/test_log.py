"""A log of batches: append, roll, read, truncate, close and open again, on both disks.

Tests: `shell.storage.log.index`, `shell.storage.log.log_config`, `shell.storage.log.log_epochs`,
`shell.storage.log.log_loader`, `shell.storage.log.log_segments`, `shell.storage.log.segment`,
`shell.storage.log.segment_file`, `shell.storage.log.segment_indexes`, `shell.storage.log.truncation`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from kafkaproto.log import iterate_offset_index, iterate_time_index
from kafkaproto.records.batch import iterate_batches
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import METADATA_TOPIC_ID, OffsetAndEpoch
from kafkaproto_server.shell.storage.errors import CorruptFileError, LogFailedError, OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.reached import find_reached
from tests.shell.storage.support.helpers import FixedRng, batch, batches_of, read_all
from tests.sim.disk import MemoryDisk

FIRST = "00000000000000000000"
BATCH_BYTES = len(batch(0))


def open_log(disk: Disk, root: str, config: LogConfig | None = None) -> Log:
    return Log.open(disk, f"{root}/log", topic_id=METADATA_TOPIC_ID, config=config)


def filled_log(disk: Disk, root: str, count: int, config: LogConfig | None = None) -> Log:
    log = open_log(disk, root, config)
    for offset in range(count):
        log.append([batch(offset, epoch=1 + offset // 10, timestamp_ms=1_000 + offset)])
    return log


def test_a_new_log_is_empty_and_has_kafkas_files(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    assert (log.log_start_offset, log.log_end_offset) == (0, 0)
    assert log.last_epoch is None
    assert log.epoch_starts == ()
    assert log.end_offset_for_epoch(0) is None
    assert log.read(0, 100) == b""
    assert log.recovery_note is None
    assert disk.list_directory(f"{root}/log") == [
        f"{FIRST}.index",
        f"{FIRST}.log",
        f"{FIRST}.timeindex",
        "leader-epoch-checkpoint",
        "partition.metadata",
    ]
    assert disk.read_file(f"{root}/log/partition.metadata") == b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ"
    assert disk.read_file(f"{root}/log/leader-epoch-checkpoint") == b"0\n0\n"
    assert len(disk.read_file(f"{root}/log/{FIRST}.index")) == 10485760
    assert len(disk.read_file(f"{root}/log/{FIRST}.timeindex")) == 10485756
    log.close()


def test_a_clean_close_trims_the_indexes_and_notes_the_producer_state(disk: Disk, root: str) -> None:
    log = filled_log(disk, root, 3)
    log.close()
    assert disk.read_file(f"{root}/log/{FIRST}.index") == b""
    assert disk.read_file(f"{root}/log/{FIRST}.timeindex") == bytes.fromhex("00000000000003ea 00000002")
    assert disk.read_file(f"{root}/log/{3:020}.snapshot") == bytes.fromhex("0001 48674bc7 00000000")


def test_at_most_two_producer_states_are_kept_and_none_past_the_end(disk: Disk, root: str) -> None:
    log = filled_log(disk, root, 1)
    log.close()
    for offset in (1, 2, 3):
        log = open_log(disk, root)
        log.append([batch(offset)])
        log.close()
    assert [name for name in disk.list_directory(f"{root}/log") if name.endswith(".snapshot")] == [
        f"{3:020}.snapshot",
        f"{4:020}.snapshot",
    ]
    log = open_log(disk, root)
    log.truncate_to(2)
    log.close()
    assert [name for name in disk.list_directory(f"{root}/log") if name.endswith(".snapshot")] == [
        f"{2:020}.snapshot"
    ]


def test_what_was_appended_is_read_back_after_a_restart(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    appended = [batch(0, count=3), batch(3, epoch=1), batch(4, count=2, epoch=4), batch(6, epoch=4)]
    log.append(appended[:1])
    log.append([appended[1] + appended[2], appended[3]])
    log.sync()
    log.close()
    log = open_log(disk, root)
    assert read_all(log) == b"".join(appended)
    assert (log.log_start_offset, log.log_end_offset, log.last_epoch) == (0, 7, 4)
    assert log.epoch_starts == ((1, 0), (4, 4))
    assert disk.read_file(f"{root}/log/leader-epoch-checkpoint") == b"0\n2\n1 0\n4 4\n"
    assert log.recovery_note is None
    log.close()


def test_a_read_gives_whole_batches_from_the_one_that_holds_the_offset(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    batches = [batch(0, count=5), batch(5, count=5), batch(10)]
    log.append(batches)
    assert log.read(0, 1) == batches[0]
    assert log.read(4, 1) == batches[0]
    assert log.read(5, len(batches[1])) == batches[1]
    assert log.read(7, len(batches[1]) + len(batches[2]) - 1) == batches[1]
    assert log.read(7, len(batches[1]) + len(batches[2])) == batches[1] + batches[2]
    assert log.read(10, 1 << 30) == batches[2]
    assert log.read(11, 100) == b""
    log.close()


def test_offsets_outside_of_the_log_are_refused(disk: Disk, root: str) -> None:
    log = filled_log(disk, root, 2)
    for offset in (-1, 3):
        with pytest.raises(
            OffsetOutOfRangeError, match=f"offset {offset} is outside of the log, which holds 0 to 2"
        ):
            log.read(offset, 10)
    with pytest.raises(OffsetOutOfRangeError):
        log.truncate_to(-1)
    log.close()


def test_batches_larger_than_what_is_read_at_once_are_found(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    batches = [batch(0), batch(1, value_bytes=300_000), batch(2), batch(3, value_bytes=70_000), batch(4)]
    log.append(batches)
    for offset, expected in enumerate(batches):
        assert log.read(offset, 1) == expected
    log.close()
    log = open_log(disk, root)
    assert read_all(log) == b"".join(batches)
    log.close()


def test_the_indexes_have_an_entry_for_each_interval(disk: Disk, root: str) -> None:
    config = LogConfig(index_interval_bytes=3 * BATCH_BYTES)
    log = filled_log(disk, root, 14, config)
    log.close()
    data = disk.read_file(f"{root}/log/{FIRST}.index")
    # A batch gets an entry when it begins more than three batches behind the last entry's.
    assert list(iterate_offset_index(data, 0)) == [
        (4, 4 * BATCH_BYTES),
        (8, 8 * BATCH_BYTES),
        (12, 12 * BATCH_BYTES),
    ]
    times = disk.read_file(f"{root}/log/{FIRST}.timeindex")
    assert list(iterate_time_index(times, 0)) == [(1_004, 4), (1_008, 8), (1_012, 12), (1_013, 13)]


def test_the_time_index_skips_entries_that_do_not_advance(disk: Disk, root: str) -> None:
    log = open_log(disk, root, LogConfig(index_interval_bytes=1))
    for offset, timestamp in enumerate([50, 70, 60, 65, 90, -1]):
        log.append([batch(offset, timestamp_ms=timestamp)])
    log.close()
    times = disk.read_file(f"{root}/log/{FIRST}.timeindex")
    assert list(iterate_time_index(times, 0)) == [(70, 1), (90, 4)]


def test_batches_without_timestamps_leave_the_time_index_empty(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    log.append([batch(0, timestamp_ms=-1)])
    log.close()
    assert disk.read_file(f"{root}/log/{FIRST}.timeindex") == b""


def names_of_segments(disk: Disk, root: str) -> list[int]:
    names = disk.list_directory(f"{root}/log")
    return [int(name.removesuffix(".log")) for name in names if name.endswith(".log")]


def test_a_full_segment_is_left_behind_trimmed(disk: Disk, root: str) -> None:
    config = LogConfig(segment_bytes=4 * BATCH_BYTES, index_interval_bytes=BATCH_BYTES)
    log = filled_log(disk, root, 10, config)
    assert names_of_segments(disk, root) == [0, 4, 8]
    assert len(disk.read_file(f"{root}/log/{FIRST}.index")) == 8
    assert list(iterate_time_index(disk.read_file(f"{root}/log/{FIRST}.timeindex"), 0)) == [
        (1_002, 2),
        (1_003, 3),
    ]
    assert batches_of(read_all(log)) == [(offset, 1) for offset in range(10)]
    assert [offset for offset, _ in batches_of(log.read(2, 1 << 20))] == [2, 3]
    log.close()
    log = open_log(disk, root, config)
    assert log.log_end_offset == 10
    assert log.recovery_note is None
    log.append([batch(offset) for offset in range(10, 13)])
    assert names_of_segments(disk, root) == [0, 4, 8, 12]
    log.close()


def test_one_append_may_span_segments(disk: Disk, root: str) -> None:
    config = LogConfig(segment_bytes=3 * BATCH_BYTES)
    log = open_log(disk, root, config)
    log.append([b"".join(batch(offset) for offset in range(8))])
    assert names_of_segments(disk, root) == [0, 3, 6]
    assert batches_of(read_all(log)) == [(offset, 1) for offset in range(8)]
    log.close()


def test_a_batch_larger_than_a_segment_has_one_of_its_own(disk: Disk, root: str) -> None:
    config = LogConfig(segment_bytes=3 * BATCH_BYTES)
    log = open_log(disk, root, config)
    log.append([batch(0), batch(1, value_bytes=1_000), batch(2)])
    assert names_of_segments(disk, root) == [0, 1, 2]
    log.close()


def test_a_segment_is_left_behind_by_age_of_its_first_batch(disk: Disk, root: str) -> None:
    log = open_log(disk, root, LogConfig(segment_ms=100))
    for offset, timestamp in enumerate([1_000, 1_100, 1_101, 1_201, 1_202]):
        log.append([batch(offset, timestamp_ms=timestamp)])
    assert names_of_segments(disk, root) == [0, 2, 4]
    log.close()


def test_a_segment_with_a_full_index_is_left_behind(disk: Disk, root: str) -> None:
    log = open_log(disk, root, LogConfig(index_interval_bytes=1, segment_index_bytes=30))
    for offset in range(6):
        log.append([batch(offset, timestamp_ms=5)])
    # Three entries of 8 bytes fit into the offset index; the time index holds one, as the time stands still.
    assert names_of_segments(disk, root) == [0, 4]
    log.close()


def test_a_segment_whose_time_index_is_full_is_left_behind(disk: Disk, root: str) -> None:
    log = open_log(disk, root, LogConfig(index_interval_bytes=1, segment_index_bytes=30))
    for offset in range(5):
        log.append([batch(offset, timestamp_ms=5 + offset)])
    # Two entries of 12 bytes fit into it, and three of 8 bytes into the offset index.
    assert names_of_segments(disk, root) == [0, 3]
    log.close()


def test_offsets_beyond_the_reach_of_an_index_begin_a_segment(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    log.append([batch(0)])
    far = bytearray(batch(1, count=2))
    far[23:27] = ((1 << 31) - 1).to_bytes(4)
    log.append([bytes(far)])
    assert names_of_segments(disk, root) == [0, 1]
    log.close()


def test_truncation_inside_a_segment(disk: Disk, root: str) -> None:
    config = LogConfig(index_interval_bytes=2 * BATCH_BYTES)
    log = filled_log(disk, root, 25, config)
    log.truncate_to(14)
    assert log.log_end_offset == 14
    assert log.epoch_starts == ((1, 0), (2, 10))
    assert disk.read_file(f"{root}/log/leader-epoch-checkpoint") == b"0\n2\n1 0\n2 10\n"
    log.append([batch(14, epoch=7, timestamp_ms=900)])
    assert batches_of(read_all(log))[-2:] == [(13, 2), (14, 7)]
    log.close()
    index = list(iterate_offset_index(disk.read_file(f"{root}/log/{FIRST}.index"), 0))
    assert [entry.offset for entry in index] == [3, 6, 9, 12]
    times = list(iterate_time_index(disk.read_file(f"{root}/log/{FIRST}.timeindex"), 0))
    assert times[-2:] == [(1_012, 12), (1_013, 13)]
    log = open_log(disk, root, config)
    assert log.recovery_note is None
    assert log.epoch_starts == ((1, 0), (2, 10), (7, 14))
    log.close()


def test_truncation_inside_a_batch_takes_the_whole_batch(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    log.append([batch(0, count=3), batch(3, count=3)])
    log.truncate_to(4)
    assert log.log_end_offset == 3
    log.truncate_to(3)
    log.truncate_to(100)
    assert log.log_end_offset == 3
    log.close()


def test_truncation_removes_segments_and_goes_on_in_the_one_before(disk: Disk, root: str) -> None:
    config = LogConfig(segment_bytes=4 * BATCH_BYTES, index_interval_bytes=BATCH_BYTES)
    log = filled_log(disk, root, 18, config)
    assert names_of_segments(disk, root) == [0, 4, 8, 12, 16]
    log.truncate_to(8)
    assert names_of_segments(disk, root) == [0, 4]
    log.append([batch(8, epoch=3, timestamp_ms=5_000)])
    assert names_of_segments(disk, root) == [0, 4, 8]
    log.truncate_to(6)
    assert names_of_segments(disk, root) == [0, 4]
    assert log.log_end_offset == 6
    log.append([batch(6, epoch=3)])
    log.close()
    log = open_log(disk, root, config)
    assert log.recovery_note is None
    assert batches_of(read_all(log)) == [*((offset, 1) for offset in range(6)), (6, 3)]
    log.close()


def test_after_a_truncation_the_indexes_hold_what_is_left_and_zeros_to_their_full_length(
    disk: Disk, root: str
) -> None:
    config = LogConfig(
        segment_bytes=8 * BATCH_BYTES, index_interval_bytes=BATCH_BYTES, segment_index_bytes=241
    )
    log = filled_log(disk, root, 12, config)
    for target, left in ((8, [2, 4, 6]), (7, [2, 4, 6]), (3, [2])):
        log.truncate_to(target)
        index = disk.read_file(f"{root}/log/{FIRST}.index")
        assert len(index) == 240
        assert [entry.offset for entry in iterate_offset_index(index, 0)] == left
        assert not any(index[8 * len(left) :])
        times = disk.read_file(f"{root}/log/{FIRST}.timeindex")
        assert len(times) == 240
        # A segment that was left behind has one more entry, for its newest record.
        reached = left if target < 8 else [*left, 7]
        assert [entry.offset for entry in iterate_time_index(times, 0)] == reached
        assert not any(times[12 * len(reached) :])
    log.close()


def test_indexes_of_the_same_name_that_a_crash_kept_are_emptied(disk: Disk, root: str) -> None:
    config = LogConfig(segment_bytes=4 * BATCH_BYTES, index_interval_bytes=BATCH_BYTES)
    log = filled_log(disk, root, 4, config)
    for suffix in ("index", "timeindex"):
        leftover = disk.open(f"{root}/log/{4:020}.{suffix}", create=True)
        leftover.append([b"\7" * 96])
        leftover.close()
    log.append([batch(4)])
    assert not any(disk.read_file(f"{root}/log/{4:020}.index"))
    assert not any(disk.read_file(f"{root}/log/{4:020}.timeindex"))
    log.close()


def test_truncation_to_the_very_start_leaves_an_empty_log(disk: Disk, root: str) -> None:
    config = LogConfig(segment_ms=100)
    log = filled_log(disk, root, 3, config)
    log.truncate_to(0)
    assert (log.log_start_offset, log.log_end_offset) == (0, 0)
    assert log.last_epoch is None
    # The age of the segment counts from its new first batch.
    log.append([batch(0, timestamp_ms=9_000)])
    log.append([batch(1, timestamp_ms=9_100)])
    assert names_of_segments(disk, root) == [0]
    log.close()


def test_epochs_say_where_they_end(disk: Disk, root: str) -> None:
    log = open_log(disk, root)
    log.append([batch(0, epoch=2), batch(1, epoch=2), batch(2, epoch=5), batch(3, epoch=6)])
    assert log.end_offset_for_epoch(6) == OffsetAndEpoch(epoch=6, offset=4)
    assert log.end_offset_for_epoch(5) == OffsetAndEpoch(epoch=5, offset=3)
    assert log.end_offset_for_epoch(4) == OffsetAndEpoch(epoch=2, offset=2)
    assert log.end_offset_for_epoch(2) == OffsetAndEpoch(epoch=2, offset=2)
    assert log.end_offset_for_epoch(1) == OffsetAndEpoch(epoch=1, offset=0)
    assert log.end_offset_for_epoch(7) is None
    assert [log.epoch_at(offset) for offset in (-1, 0, 1, 2, 3, 9)] == [None, 2, 2, 5, 6, 6]
    log.close()


def test_a_log_that_begins_later_than_zero_keeps_its_start(disk: Disk, root: str) -> None:
    log = filled_log(disk, root, 8, LogConfig(segment_bytes=4 * BATCH_BYTES))
    log.close()
    disk.remove(f"{root}/log/{FIRST}.log")
    log = open_log(disk, root)
    assert (log.log_start_offset, log.log_end_offset) == (4, 8)
    assert f"{FIRST}.index" not in disk.list_directory(f"{root}/log")
    assert f"{FIRST}.timeindex" not in disk.list_directory(f"{root}/log")
    with pytest.raises(OffsetOutOfRangeError):
        log.read(3, 10)
    log.close()


def test_deletions_that_were_begun_are_finished_and_other_files_left_alone(disk: Disk, root: str) -> None:
    open_log(disk, root).close()
    for name in ("00000000000000000009.log.deleted", "quorum-state", "notes.log"):
        disk.open(f"{root}/log/{name}", create=True).close()
    open_log(disk, root).close()
    names = disk.list_directory(f"{root}/log")
    assert "00000000000000000009.log.deleted" not in names
    assert {"quorum-state", "notes.log"} <= set(names)


def test_the_log_of_another_topic_is_refused(disk: Disk, root: str) -> None:
    open_log(disk, root).close()
    with pytest.raises(
        CorruptFileError, match=r"partition.metadata: expected are the lines .* another topic"
    ):
        Log.open(disk, f"{root}/log", topic_id=bytes(16))


def test_a_log_that_is_durable_at_once_is_refused_if_its_topic_id_is_torn(disk: Disk, root: str) -> None:
    """A crash leaves none such, so nobody knows whose log it is."""
    open_log(disk, root).close()
    file = disk.open(f"{root}/log/partition.metadata")
    file.truncate(20)
    file.close()
    with pytest.raises(CorruptFileError, match=r"partition.metadata: expected are the lines"):
        open_log(disk, root)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (batch(3), "begins at offset 3, expected is 2"),
        (batch(1), "begins at offset 1, expected is 2"),
        (batch(2, epoch=0), "epoch 0 comes after epoch 1"),
        (batch(2)[:-1], "no whole batch"),
        (batch(2) + b"\0", "cut short"),
        (b"", "no whole batch"),
    ],
)
def test_our_own_mistakes_in_an_append_are_caught(wrong: bytes, complaint: str, tmp_path: object) -> None:
    log = filled_log(MemoryDisk(), "/data", 2)
    with pytest.raises(AssertionError, match=complaint):
        log.append([wrong])


def test_an_append_of_nothing_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="nothing to append"):
        open_log(MemoryDisk(), "/data").append([])


# Failures of the disk.


@pytest.mark.parametrize("operation", ["write", "sync"])
def test_a_log_whose_disk_failed_takes_no_more_until_it_is_opened_again(operation: str) -> None:
    disk = MemoryDisk()
    log = filled_log(disk, "/data", 2)
    log.sync()
    disk.fail(operation, f"{FIRST}.log")
    with pytest.raises(OSError, match="Input/output"):  # noqa: PT012 - which of the two fails is the parameter
        log.append([batch(2)])
        log.sync()
    changes: list[Callable[[], None]] = [
        lambda: log.append([batch(2)]),
        log.sync,
        lambda: log.truncate_to(1),
    ]
    for change in changes:
        with pytest.raises(LogFailedError, match="has failed before"):
            change()
    assert batches_of(log.read(0, 1 << 20))[:2] == [(0, 1), (1, 1)]
    log.close()
    disk.crash(FixedRng(0))
    log = open_log(disk, "/data")
    assert batches_of(read_all(log)) == [(0, 1), (1, 1)]
    log.close()


def test_a_full_disk_is_told_and_what_did_not_fit_is_cut_off_at_the_next_start() -> None:
    disk = MemoryDisk()
    log = filled_log(disk, "/data", 2)
    log.sync()
    disk.capacity_bytes = (
        sum(len(disk.read_file(f"/data/log/{name}")) for name in disk.list_directory("/data/log")) + 20
    )
    with pytest.raises(OSError) as caught:
        log.append([batch(2)])
    assert caught.value.errno == errno.ENOSPC
    log.close()
    disk.capacity_bytes = None
    log = open_log(disk, "/data")
    assert log.log_end_offset == 2
    assert log.recovery_note == (
        f"/data/log/{FIRST}.log: cut 20 bytes of an unfinished append off at byte {2 * BATCH_BYTES}; "
        "the log ends at offset 2"
    )
    log.close()


def test_opening_closes_its_files_again_where_it_fails() -> None:
    disk = MemoryDisk()
    filled_log(disk, "/data", 2).close()
    disk.fail("read", f"{FIRST}.log")
    with pytest.raises(OSError, match="Input/output"):
        open_log(disk, "/data")
    log = open_log(disk, "/data")
    assert [view.base_offset for view in iterate_batches(read_all(log))] == [0, 1]
    log.close()


def test_what_says_how_far_the_log_reached_gives_way_when_the_log_is_begun_anew(
    disk: Disk, root: str
) -> None:
    log = open_log(disk, root)
    log.append([batch(offset, epoch=1 + offset // 3) for offset in range(9)])
    log.close()
    reached = find_reached(disk, log.directory, 0)
    assert reached is not None
    assert reached.offset == 9
    assert find_reached(disk, log.directory, 9) is None, "a snapshot holds it all"
    log = open_log(disk, root)
    log.truncate_fully_to(5)
    assert find_reached(disk, log.directory, 0) is None
    log.close()


@pytest.mark.parametrize("length", [3, 1 << 30])
def test_a_batch_whose_length_was_damaged_since_is_told_and_not_waited_for(
    length: int, disk: Disk, root: str
) -> None:
    """A disk may change what it holds. A read then ends, with the place in the file."""
    log = open_log(disk, root)
    log.append([batch(offset) for offset in range(3)])
    log.sync()
    disk.open(f"{root}/log/{0:020}.log").write_at(BATCH_BYTES + 8, length.to_bytes(4, "big"))
    with pytest.raises(CorruptFileError, match=rf"{0:020}\.log at byte "):
        log.read(2, 100)


def test_a_batch_that_was_damaged_since_is_told_where_it_follows_the_one_that_is_read(
    disk: Disk, root: str
) -> None:
    log = open_log(disk, root)
    log.append([batch(offset) for offset in range(3)])
    log.sync()
    disk.open(f"{root}/log/{0:020}.log").write_at(BATCH_BYTES + 8, (3).to_bytes(4, "big"))
    with pytest.raises(CorruptFileError, match=rf"{0:020}\.log at byte "):
        log.read(0, 1_000_000)
