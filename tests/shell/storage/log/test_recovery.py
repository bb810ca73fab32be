"""What a log is after a crash: all that was synced is there, a torn tail is cut off, damage is told and left alone.

Tests: `shell.storage.log.reached`, `shell.storage.log.segment_loading`, `shell.storage.log.whole_batches`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkaproto.records.batch import MAGIC_OFFSET, iterate_batches
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.reached import find_reached
from kafkaproto_server.shell.storage.log.recovery import RecoveryPolicy
from kafkaproto_server.shell.storage.log.scan import WINDOW_BYTES
from tests.shell.storage.support.helpers import FixedRng, SeededRng, batch, batches_of, read_all
from tests.sim.disk import MemoryDisk, MemoryFile, PowerLossError

LOG = "/data/log"
FIRST = f"{LOG}/00000000000000000000"
BATCH_BYTES = len(batch(0))
SMALL = LogConfig(segment_bytes=4 * BATCH_BYTES, index_interval_bytes=BATCH_BYTES, segment_index_bytes=1024)


PLAIN = LogConfig(segment_index_bytes=1024)


def open_log(disk: MemoryDisk, config: LogConfig = PLAIN) -> Log:
    return Log.open(disk, LOG, topic_id=METADATA_TOPIC_ID, config=config)


def written_disk(count: int, config: LogConfig = PLAIN) -> MemoryDisk:
    """A disk with a log of ``count`` batches, synced, whose process was then killed."""
    disk = MemoryDisk()
    log = open_log(disk, config)
    log.append([batch(offset, epoch=1 + offset // 3, timestamp_ms=1_000 + offset) for offset in range(count)])
    log.sync()
    disk.crash(FixedRng(1))
    return disk


def overwrite(disk: MemoryDisk, path: str, content: bytes) -> None:
    file = disk.open(path, create=True)
    file.truncate(0)
    file.append([content])
    file.sync()
    file.close()


def test_a_killed_process_leaves_a_log_that_needs_no_mending() -> None:
    disk = written_disk(10)
    log = open_log(disk)
    assert log.log_end_offset == 10
    assert log.recovery_note is None
    assert log.epoch_starts == ((1, 0), (2, 3), (3, 6), (4, 9))
    log.close()


def test_a_tail_torn_at_any_byte_is_cut_off() -> None:
    whole = written_disk(3).read_file(f"{FIRST}.log")
    for length in range(len(whole)):
        disk = written_disk(3)
        overwrite(disk, f"{FIRST}.log", whole[:length])
        log = open_log(disk)
        kept = length // BATCH_BYTES
        assert log.log_end_offset == kept
        assert read_all(log) == whole[: kept * BATCH_BYTES]
        assert (log.recovery_note is not None) == bool(length % BATCH_BYTES)
        log.append([batch(kept, epoch=9)])
        log.close()
        log = open_log(disk)
        assert log.log_end_offset == kept + 1
        assert log.recovery_note is None
        log.close()


def test_a_tail_that_is_followed_by_zeros_or_garbage_is_cut_off() -> None:
    whole = written_disk(3).read_file(f"{FIRST}.log")
    for junk in (bytes(5_000), b"\xff" * 5_000, b"\x02" * 5_000, bytes(range(256)) * 20):
        disk = written_disk(3)
        overwrite(disk, f"{FIRST}.log", whole[: 2 * BATCH_BYTES + 30] + junk)
        log = open_log(disk)
        assert log.log_end_offset == 2
        log.close()


def test_a_flipped_byte_is_never_passed_over_in_silence() -> None:
    """In the last batch it looks like a torn tail; ahead of a valid batch it is damage, whichever byte it is."""
    whole = written_disk(3).read_file(f"{FIRST}.log")
    middle = range(BATCH_BYTES, 2 * BATCH_BYTES)
    # The checksum does not cover the leader epoch, but a falling or impossible one is seen.
    epoch_bytes = range(BATCH_BYTES + 12, BATCH_BYTES + 16)
    for position in middle:
        disk = written_disk(3)
        damaged = bytearray(whole)
        damaged[position] ^= 0x80
        overwrite(disk, f"{FIRST}.log", bytes(damaged))
        with pytest.raises(CorruptFileError) as caught:
            open_log(disk)
        assert caught.value.path == f"{FIRST}.log"
        if position == BATCH_BYTES + MAGIC_OFFSET:
            assert caught.value.position == BATCH_BYTES
            assert "message format 130 (its magic) is there, which is not known here" in str(caught.value)
        elif position not in epoch_bytes:
            assert caught.value.position == BATCH_BYTES
            assert "no valid batch for offset 1" in str(caught.value)
            assert f"truncate --size={BATCH_BYTES} {FIRST}.log" in str(caught.value)
        assert disk.read_file(f"{FIRST}.log") == damaged, "a damaged log must be left as it is"


def test_a_flipped_byte_in_the_last_batch_costs_that_batch_alone() -> None:
    """Unless it is the magic, see below."""
    whole = written_disk(3).read_file(f"{FIRST}.log")
    for position in range(2 * BATCH_BYTES + MAGIC_OFFSET + 1, 3 * BATCH_BYTES):
        disk = written_disk(3)
        damaged = bytearray(whole)
        damaged[position] ^= 0x01
        overwrite(disk, f"{FIRST}.log", bytes(damaged))
        log = open_log(disk)
        assert log.log_end_offset == 2
        assert log.recovery_note is not None
        log.close()


@pytest.mark.parametrize("magic", [0, 1, 3, 127, 255])
def test_a_format_that_the_metadata_log_cannot_have_is_not_cut_off(magic: int) -> None:
    """Not even at its end: who wrote it did not leave it half written."""
    disk = written_disk(3)
    content = bytearray(disk.read_file(f"{FIRST}.log"))
    content[2 * BATCH_BYTES + MAGIC_OFFSET] = magic
    overwrite(disk, f"{FIRST}.log", bytes(content))
    with pytest.raises(CorruptFileError, match=rf"{FIRST}.log at byte {2 * BATCH_BYTES}: .* format {magic} "):
        open_log(disk)
    assert disk.read_file(f"{FIRST}.log") == content


def test_damage_is_told_though_the_next_valid_batch_is_far_away() -> None:
    disk = written_disk(1)
    gap = bytes(2 * WINDOW_BYTES) + b"\x02"
    overwrite(disk, f"{FIRST}.log", batch(0) + gap + batch(1, value_bytes=500))
    with pytest.raises(CorruptFileError, match=f"there is a valid batch at byte {BATCH_BYTES + len(gap)}"):
        open_log(disk)


def test_damage_in_a_segment_that_is_not_the_last_is_told() -> None:
    disk = written_disk(6, SMALL)
    content = disk.read_file(f"{FIRST}.log")
    overwrite(disk, f"{FIRST}.log", content[:-1])
    with pytest.raises(
        CorruptFileError, match=r"no valid batch for offset 3: .*though a newer segment follows"
    ):
        open_log(disk, SMALL)


def test_a_segment_that_is_missing_is_told() -> None:
    disk = written_disk(10, SMALL)
    disk.remove(f"{LOG}/{4:020}.log")
    with pytest.raises(
        CorruptFileError, match=r"ends at offset 4 \(exclusive\), but the next segment begins at 8"
    ):
        open_log(disk, SMALL)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (batch(0) + batch(2), "no valid batch for offset 1: a batch begins at 2"),
        (batch(0) + batch(0), "no valid batch for offset 1: .*valid batch at byte"),
        (
            batch(0, epoch=5) + batch(1, epoch=4),
            "no valid batch for offset 1: a batch of epoch 4 follows epoch 5",
        ),
        (batch(0, epoch=-1), None),
        (batch(1), "no valid batch for offset 0: a batch begins at 1"),
    ],
)
def test_valid_batches_that_do_not_belong_are_told(content: bytes, complaint: str | None) -> None:
    disk = written_disk(1)
    overwrite(disk, f"{FIRST}.log", content)
    if complaint is None:
        open_log(disk).close()
        return
    with pytest.raises(CorruptFileError, match=complaint):
        open_log(disk)


def test_a_batch_larger_than_a_window_is_recovered() -> None:
    disk = MemoryDisk()
    log = open_log(disk)
    appended = [
        batch(0),
        batch(1, value_bytes=3 * WINDOW_BYTES),
        batch(2),
        batch(3, value_bytes=WINDOW_BYTES - 80),
    ]
    log.append(appended)
    log.sync()
    disk.crash(FixedRng(0))
    log = open_log(disk)
    assert read_all(log) == b"".join(appended)
    assert log.recovery_note is None
    log.close()


@pytest.mark.parametrize("name", ["index", "timeindex"])
def test_an_index_that_is_wrong_or_missing_is_rebuilt(name: str) -> None:
    disk = written_disk(4, SMALL)
    open_log(disk, SMALL).close()
    right = disk.read_file(f"{FIRST}.{name}")
    assert right
    for content in (b"", right[: len(right) // 2], right + bytes(48), right + b"\1" * 24, b"\7" * len(right)):
        overwrite(disk, f"{FIRST}.{name}", content)
        log = open_log(disk, SMALL)
        assert log.recovery_note is None
        log.close()
        assert disk.read_file(f"{FIRST}.{name}") == right
    disk.remove(f"{FIRST}.{name}")
    open_log(disk, SMALL).close()
    assert disk.read_file(f"{FIRST}.{name}") == right


def test_the_indexes_of_older_segments_are_mended_and_trimmed_too() -> None:
    disk = written_disk(6, SMALL)
    right = disk.read_file(f"{FIRST}.index")
    overwrite(disk, f"{FIRST}.index", bytes(1024))
    open_log(disk, SMALL).close()
    assert disk.read_file(f"{FIRST}.index") == right


def test_the_epochs_are_those_of_the_batches_whatever_their_file_says() -> None:
    disk = written_disk(5)
    for content in (b"0\n1\n9 9\n", b"rubbish", b""):
        overwrite(disk, f"{LOG}/leader-epoch-checkpoint", content)
        log = open_log(disk)
        assert log.epoch_starts == ((1, 0), (2, 3))
        log.close()
        assert disk.read_file(f"{LOG}/leader-epoch-checkpoint") == b"0\n2\n1 0\n2 3\n"


# Crashes at every operation of the disk.


class History:
    """What a workload appended, and how far it was told that it is safe."""

    def __init__(self) -> None:
        self.appended: list[bytes] = []
        self.synced = 0
        """How many of the batches must survive."""


def workload(disk: MemoryDisk, history: History) -> None:
    """Appends, syncs, rolls, truncations and restarts; ``history`` follows along."""
    log = open_log(disk, SMALL)
    epoch = 1
    for step in range(9):
        offset = log.log_end_offset
        new = [batch(offset + number, epoch=epoch, timestamp_ms=step * 50) for number in range(1 + step % 3)]
        history.appended += new
        log.append(new)
        if step % 2 == 0:
            log.sync()
            history.synced = len(history.appended)
        if step in (4, 7):
            target = log.log_end_offset - (4 if step == 4 else 9)
            # From here on the cut batches may be there or not, but must not come back once it is done.
            history.synced = min(history.synced, target)
            log.truncate_to(target)
            del history.appended[target:]
            epoch += 1
        if step == 5:
            log.close()
            history.synced = len(history.appended)
            log = open_log(disk, SMALL)
    log.close()
    history.synced = len(history.appended)


def count_operations(work: Callable[[MemoryDisk, History], None]) -> int:
    disk = MemoryDisk()
    work(disk, History())
    return disk.operations


@pytest.mark.slow
@pytest.mark.parametrize("keeps", ["nothing", "everything", "some"])
def test_a_crash_before_any_operation_loses_nothing_that_was_synced(keeps: str) -> None:
    total = count_operations(workload)
    assert total > 100
    for operation in range(total):
        for seed in range(6 if keeps == "some" else 1):
            disk, history = MemoryDisk(), History()
            disk.crash_before = operation
            with pytest.raises(PowerLossError):
                workload(disk, history)
            before_truncation = history.appended
            rng = SeededRng(seed) if keeps == "some" else FixedRng(0 if keeps == "nothing" else 1)
            disk.crash(rng)
            log = open_log(disk, SMALL)
            survived = [bytes(view.raw) for view in iterate_batches(read_all(log))]
            assert len(survived) >= history.synced, f"operation {operation}, seed {seed}"
            assert survived == before_truncation[: len(survived)], f"operation {operation}, seed {seed}"
            # The log goes on from there, and stays as it is when it is closed and opened.
            log.append([batch(log.log_end_offset, epoch=50)])
            end = log.log_end_offset
            log.close()
            log = open_log(disk, SMALL)
            assert (log.log_end_offset, log.recovery_note) == (end, None)
            log.close()


@pytest.mark.slow
def test_what_a_reopened_log_holds_survives_a_second_crash() -> None:
    """Bytes that outlived a process in memory alone count once they were read, so opening makes them durable."""
    for seed in range(30):
        disk = MemoryDisk()
        log = open_log(disk, SMALL)
        log.append([batch(offset) for offset in range(6)])
        # Killed, not crashed: nothing is lost, nothing is synced.
        log = open_log(disk, SMALL)
        end = log.log_end_offset
        assert end == 6
        disk.crash(SeededRng(seed))
        log = open_log(disk, SMALL)
        assert batches_of(read_all(log)) == [(offset, 1) for offset in range(6)]
        log.close()


def test_records_whose_sync_failed_are_durable_once_the_log_is_open_again() -> None:
    """The system takes them for durable after that, so a sync alone writes nothing of them."""
    disk = MemoryDisk()
    log = open_log(disk)
    log.append([batch(0), batch(1)])
    log.sync()
    log.append([batch(2), batch(3, value_bytes=2 * WINDOW_BYTES)])
    disk.fail("sync", f"{FIRST}.log")
    with pytest.raises(OSError, match="sync failed"):
        log.sync()
    log = open_log(disk)
    assert log.log_end_offset == 4
    disk.crash(FixedRng(0))
    assert open_log(disk).log_end_offset == 4


def test_a_cut_whose_sync_failed_is_durable_once_the_log_is_open_again() -> None:
    """Else records behind it would be back after a power loss, and a newer segment begins before their end."""
    disk = MemoryDisk()
    log = open_log(disk)
    log.append([batch(offset) for offset in range(3)])
    log.sync()
    disk.fail("sync", f"{FIRST}.log")
    with pytest.raises(OSError, match="sync failed"):
        log.truncate_to(2)
    assert open_log(disk).log_end_offset == 2
    disk.crash(FixedRng(0))
    assert open_log(disk).log_end_offset == 2


def reopened(disk: MemoryDisk) -> Log:
    """As a node opens its log, which knows how far it had reached."""
    policy = RecoveryPolicy(reached=find_reached(disk, LOG, 0))
    return Log.open(disk, LOG, topic_id=METADATA_TOPIC_ID, config=PLAIN, policy=policy)


def test_in_place_of_a_log_that_is_gone_no_empty_one_is_begun() -> None:
    """Not even a file of one: it would not fit to the segments that the operator restores."""
    disk = written_disk(4)
    for suffix in ("log", "index", "timeindex"):
        disk.remove(f"{FIRST}.{suffix}")
    names = disk.list_directory(LOG)
    with pytest.raises(StorageError, match=r"the log is empty, but .* says that epoch 2 started at offset 3"):
        reopened(disk)
    assert disk.list_directory(LOG) == names


@pytest.mark.parametrize("torn_bytes", [0, 1])
def test_a_log_that_lost_what_it_had_reached_is_refused_and_left_as_it_is(torn_bytes: int) -> None:
    disk = written_disk(4)
    left = disk.read_file(f"{FIRST}.log")[: 2 * BATCH_BYTES + torn_bytes]
    overwrite(disk, f"{FIRST}.log", left)
    with pytest.raises(StorageError, match="says that epoch 2 started at offset 3"):
        reopened(disk)
    assert disk.read_file(f"{FIRST}.log") == left


def test_of_a_long_log_only_the_end_is_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    write_at = MemoryFile.write_at

    def counted(self: MemoryFile, position: int, data: Buffer) -> None:
        if self._path == f"{FIRST}.log":
            written.append(position)
        write_at(self, position, data)

    monkeypatch.setattr(MemoryFile, "write_at", counted)
    monkeypatch.setattr(
        "kafkaproto_server.shell.storage.log.segment_loading.REWRITTEN_BYTES", 2 * BATCH_BYTES
    )
    disk = written_disk(5)
    assert open_log(disk).log_end_offset == 5
    assert written == [3 * BATCH_BYTES]
