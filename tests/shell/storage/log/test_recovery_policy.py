"""Logs that are opened by their checkpoints: what lies below the recovery point is not read, and nothing else
differs from a log that was read as a whole.

Tests: `shell.storage.log.losses`.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.log import MAX_OFFSET
from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from kafkaproto_server.shell.storage.log.epoch_file import EPOCH_FILE_NAME
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.losses import check_beginning, check_no_gap
from kafkaproto_server.shell.storage.log.recovery import EVERYTHING, RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment import Segment
from tests.shell.storage.support.helpers import batch, batches_of, read_all
from tests.sim.disk import MemoryDisk, MemoryFile

LOG = "/data/log"
BATCH_BYTES = len(batch(0))
SMALL = LogConfig(
    segment_bytes=5 * BATCH_BYTES,
    index_interval_bytes=BATCH_BYTES,
    segment_index_bytes=1024,
    segment_ms=5_000,
)


@dataclass(frozen=True)
class Written:
    """One batch of a log."""

    count: int
    later_epoch: bool
    timestamp_ms: int
    value_bytes: int


WRITTEN = st.builds(
    Written,
    count=st.integers(1, 4),
    later_epoch=st.booleans(),
    timestamp_ms=st.integers(0, 10_000),
    value_bytes=st.integers(0, 60),
)


def open_log(disk: MemoryDisk, policy: RecoveryPolicy | None = None) -> Log:
    return Log.open(disk, LOG, topic_id=METADATA_TOPIC_ID, config=SMALL, policy=policy)


def append(log: Log, written: list[Written]) -> None:
    for each in written:
        epoch = (log.last_epoch or 0) + each.later_epoch
        log.append(
            [
                batch(
                    log.log_end_offset,
                    count=each.count,
                    epoch=epoch,
                    timestamp_ms=each.timestamp_ms,
                    value_bytes=each.value_bytes,
                )
            ]
        )
    log.sync()


def disk_with(written: list[Written], *, is_closed: bool = True) -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory("/data")
    log = open_log(disk)
    append(log, written)
    if is_closed:
        log.close()
    return disk


def files(disk: MemoryDisk) -> dict[str, bytes]:
    return {name: disk.read_file(f"{LOG}/{name}") for name in disk.list_directory(LOG)}


def plain(count: int) -> list[Written]:
    """Batches of one record, an epoch for each seven."""
    return [
        Written(count=1, later_epoch=index % 7 == 0, timestamp_ms=1_000, value_bytes=10)
        for index in range(count)
    ]


@pytest.fixture
def read_bytes(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Bytes read of each ``.log`` file, by its base offset."""
    found: dict[str, int] = {}
    original = MemoryFile.read_at

    def counted(self: MemoryFile, position: int, length: int) -> bytes:
        data = original(self, position, length)
        if self._path.endswith(".log"):
            name = self._path.rpartition("/")[2].removesuffix(".log").lstrip("0") or "0"
            found[name] = found.get(name, 0) + len(data)
        return data

    monkeypatch.setattr(MemoryFile, "read_at", counted)
    return found


@given(st.lists(WRITTEN, min_size=1, max_size=25), st.lists(WRITTEN, max_size=8), st.booleans(), st.data())
def test_a_log_that_is_not_read_is_the_log_that_is_read(
    written: list[Written], more: list[Written], is_closed: bool, data: st.DataObject
) -> None:
    disk = disk_with(written, is_closed=is_closed)
    twin = copy.deepcopy(disk)
    whole = open_log(twin)
    points = [*range(whole.log_end_offset + 1), *([EVERYTHING] if is_closed else [])]
    opened = open_log(disk, RecoveryPolicy(recovery_point=data.draw(st.sampled_from(points))))
    assert files(disk) == files(twin)
    for log in (opened, whole):
        append(log, more)
    assert opened.epoch_starts == whole.epoch_starts
    assert (opened.log_start_offset, opened.log_end_offset) == (whole.log_start_offset, whole.log_end_offset)
    assert read_all(opened) == read_all(whole)
    for offset in range(whole.log_end_offset):
        assert opened.read(offset, 1) == whole.read(offset, 1)
    cut = data.draw(st.integers(0, whole.log_end_offset))
    for log in (opened, whole):
        log.truncate_to(cut)
        append(log, more)
        log.close()
    assert files(disk) == files(twin)


def test_segments_below_the_recovery_point_are_not_read(read_bytes: dict[str, int]) -> None:
    large = LogConfig(segment_bytes=2_000_000)
    disk = MemoryDisk()
    disk.make_directory("/data")
    log = Log.open(disk, LOG, topic_id=METADATA_TOPIC_ID, config=large)
    append(log, [Written(count=1, later_epoch=True, timestamp_ms=1, value_bytes=99_000)] * 80)
    log.close()
    read_bytes.clear()
    policy = RecoveryPolicy(recovery_point=45)
    Log.open(disk, LOG, topic_id=METADATA_TOPIC_ID, config=large, policy=policy).close()
    # The first and the last two batches of two segments, and the two others as a whole.
    assert {name: size < 500_000 for name, size in read_bytes.items()} == {
        "0": True,
        "20": True,
        "40": False,
        "60": False,
    }


def test_a_log_that_was_closed_is_opened_by_its_indexes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = disk_with(plain(17))
    monkeypatch.setattr(
        "kafkaproto_server.shell.storage.log.segment_loading.recover_segment",
        lambda *_, **__: pytest.fail("it was read"),
    )
    log = open_log(disk, RecoveryPolicy(recovery_point=EVERYTHING))
    assert [offset for offset, _ in batches_of(read_all(log))] == [*range(17)]
    log.close()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (f"{5:020}.index", None),
        (f"{5:020}.index", b"\x00"),
        (f"{5:020}.index", bytes.fromhex("00000002 00000001 00000003 00000100")),
        (f"{5:020}.index", bytes.fromhex("00000002 7fffffff")),
        (f"{5:020}.timeindex", None),
        (f"{5:020}.timeindex", b"\x01"),
        (EPOCH_FILE_NAME, None),
        (EPOCH_FILE_NAME, b"0\n1\n1 0\n"),
        (EPOCH_FILE_NAME, b"0\n2\n2 7\n1 0\n"),
        (EPOCH_FILE_NAME, b"what?"),
    ],
)
def test_files_that_do_not_agree_are_made_anew_from_the_batches(name: str, content: bytes | None) -> None:
    disk = disk_with(plain(17))
    good = files(disk)
    disk.remove(f"{LOG}/{name}")
    if content is not None:
        disk.open(f"{LOG}/{name}", create=True).append([content])
    log = open_log(disk, RecoveryPolicy(recovery_point=EVERYTHING))
    assert [offset for offset, _ in batches_of(read_all(log))] == [*range(17)]
    log.close()
    assert files(disk) == good


def test_a_torn_end_below_the_recovery_point_is_cut_off_as_any_other() -> None:
    disk = disk_with(plain(17))
    last = disk.open(f"{LOG}/{15:020}.log")
    last.truncate(last.size() - 1)
    log = open_log(disk, RecoveryPolicy(recovery_point=EVERYTHING))
    assert log.log_end_offset == 16
    assert log.recovery_note is not None
    log.close()


@pytest.mark.parametrize("recovery_point", [0, 12, EVERYTHING])
@pytest.mark.parametrize("start", [0, 3, 5, 16, 17])
def test_a_log_starts_where_its_checkpoint_says(recovery_point: int, start: int) -> None:
    disk = disk_with(plain(17))
    log = open_log(disk, RecoveryPolicy(recovery_point=recovery_point, log_start_offset=start))
    assert (log.log_start_offset, log.log_end_offset) == (start, 17)
    if start < 17:
        assert log.read(start, 1)
    log.close()


def test_a_log_that_ends_before_its_start_goes_on_there() -> None:
    disk = disk_with(plain(3))
    log = open_log(disk, RecoveryPolicy(log_start_offset=100))
    assert (log.log_start_offset, log.log_end_offset, log.epoch_starts) == (100, 100, ())
    log.append([batch(100, epoch=9)])
    log.close()
    assert open_log(disk).log_end_offset == 101


def test_everything_is_beyond_every_offset() -> None:
    assert EVERYTHING == MAX_OFFSET


@pytest.mark.parametrize("length", [3, 1 << 30])
def test_a_damaged_first_batch_below_the_recovery_point_is_refused(length: int) -> None:
    disk = disk_with(plain(3))
    disk.open(f"{LOG}/{0:020}.log").write_at(8, length.to_bytes(4, "big"))
    with pytest.raises(CorruptFileError, match=f"{0:020}.log at byte 0: no valid batch for offset 0"):
        open_log(disk, RecoveryPolicy(recovery_point=EVERYTHING))


def test_a_first_batch_whose_base_offset_the_disk_has_changed_is_told() -> None:
    """The crc does not cover it, and the indexes agree with the batches behind."""
    disk = disk_with(plain(4))
    disk.open(f"{LOG}/{0:020}.log").write_at(0, (1).to_bytes(8, "big"))
    with pytest.raises(CorruptFileError, match="no valid batch for offset 0: a batch begins at 1"):
        open_log(disk, RecoveryPolicy(recovery_point=EVERYTHING))


def test_a_durable_segment_that_lost_its_last_batch_is_told() -> None:
    """Its indexes agree with the batches that are left."""
    disk = disk_with(plain(4), is_closed=False)
    log = open_log(disk)
    log.roll()
    append(log, plain(2))
    log.close()
    disk.open(f"{LOG}/{0:020}.log").truncate(3 * BATCH_BYTES)
    with pytest.raises(CorruptFileError, match=r"ends at offset 3 .* but the next segment begins at 4"):
        open_log(disk, RecoveryPolicy(recovery_point=EVERYTHING))


def test_the_first_segment_may_begin_as_late_as_the_log_does() -> None:
    known = RecoveryPolicy(cuts_damage=True, is_kept=True, log_start_offset=30)
    check_beginning(MemoryDisk(), LOG, [30], [(1, 10)], known)
    with pytest.raises(StorageError, match="the first segment begins at offset 31"):
        check_beginning(MemoryDisk(), LOG, [31], [(1, 10)], known)


def test_a_log_that_was_closed_says_where_it_starts() -> None:
    disk = disk_with(plain(2))
    closed = RecoveryPolicy(cuts_damage=True, is_kept=True, recovery_point=EVERYTHING)
    check_beginning(disk, LOG, [0], [], closed)
    disk.rename(f"{LOG}/{0:020}.log", f"{LOG}/{30:020}.log")
    # The first batch is not one of the segment: whatever it is, it is read.
    check_beginning(disk, LOG, [30], [], closed)
    file = disk.open(f"{LOG}/{30:020}.log")
    file.write_at(0, (30).to_bytes(8, "big"))
    file.close()
    with pytest.raises(
        StorageError, match="leader-epoch-checkpoint is gone or damaged, and log-start-offset"
    ):
        check_beginning(disk, LOG, [30], [], closed)
    # After a kill, the file may not have been written.
    check_beginning(disk, LOG, [30], [], replace(closed, recovery_point=10))
    # Records of old formats name no epoch, and a log without records has none.
    disk.open(f"{LOG}/{30:020}.log").truncate(0)
    check_beginning(disk, LOG, [30], [], closed)


def test_brokers_that_compacted_old_logs_may_have_left_gaps() -> None:
    policy = RecoveryPolicy(is_kept=True, has_no_gaps=True)
    segments = [Segment(MemoryDisk(), LOG, 0, SMALL)]
    check_no_gap(segments, 10, policy, lambda base: True)
    with pytest.raises(StorageError, match="the next segment begins at 10"):
        check_no_gap(segments, 10, policy, lambda base: False)
