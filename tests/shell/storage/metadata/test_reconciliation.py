"""Log and snapshots at start: they agree, the log gives way, or the node does not start and says why."""

from __future__ import annotations

import pytest

from kafkaproto.snapshot import SnapshotId, build_snapshot
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.metadata.reconciliation import reconcile, snapshot_remedy
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from tests.shell.storage.support.helpers import SeededRng, batch, batches_of, read_all

BATCH_BYTES = len(batch(0))
CONFIG = LogConfig(segment_bytes=4 * BATCH_BYTES, segment_index_bytes=1024)


def open_log(disk: Disk, root: str) -> Log:
    return Log.open(disk, root, topic_id=METADATA_TOPIC_ID, config=CONFIG)


def ten_batches(disk: Disk, root: str) -> Log:
    """Offsets 0 to 9; 0 to 5 of epoch 1, the others of epoch 3."""
    log = open_log(disk, root)
    log.append([batch(offset, epoch=1 if offset < 6 else 3) for offset in range(10)])
    log.sync()
    return log


def snapshots_of(disk: Disk, root: str, *ids: tuple[int, int]) -> SnapshotStore:
    """Snapshots by (end offset, epoch)."""
    store = SnapshotStore(disk, root)
    for end_offset, epoch in ids:
        writer = store.create(SnapshotId(end_offset=end_offset, epoch=epoch), SeededRng().uuid)
        for part in build_snapshot([], epoch=epoch, timestamp_ms=1, last_contained_log_timestamp=1):
            writer.append(part)
        writer.freeze()
    return store


@pytest.mark.parametrize(
    "ids", [(), ((0, 0),), ((6, 1),), ((0, 0), (3, 1), (7, 3)), ((10, 3),)], ids=lambda ids: str(ids)
)
def test_snapshots_of_this_log_leave_it_as_it_is(
    disk: Disk, root: str, ids: tuple[tuple[int, int], ...]
) -> None:
    log = ten_batches(disk, root)
    assert reconcile(log, snapshots_of(disk, root, *ids)) is None
    assert len(batches_of(read_all(log))) == 10
    log.close()


@pytest.mark.parametrize(
    ("snapshot", "why"),
    [
        ((11, 3), "ended at offset 10"),
        ((500, 3), "ended at offset 10"),
        ((500, 7), "ended at offset 10"),
        # Uncommitted records of a leader whose epoch came to nothing, while an older leader's were committed later.
        ((500, 1), "ended at offset 10"),
        ((8, 1), "had other records before offset 8"),
        ((8, 4), "had other records before offset 8"),
        ((10, 4), "had other records before offset 10"),
    ],
)
def test_a_log_that_is_not_as_far_as_the_snapshot_gives_way(
    disk: Disk, root: str, snapshot: tuple[int, int], why: str
) -> None:
    log = ten_batches(disk, root)
    note = reconcile(log, snapshots_of(disk, root, snapshot))
    assert note is not None
    assert why in note
    assert f"{snapshot[0]:020}-{snapshot[1]:010}.checkpoint" in note
    assert (log.log_start_offset, log.log_end_offset, log.last_epoch) == (snapshot[0], snapshot[0], None)
    log.close()
    log = open_log(disk, root)
    assert reconcile(log, SnapshotStore(disk, root)) is None
    assert log.log_start_offset == snapshot[0]
    log.close()


def test_a_log_that_starts_at_or_before_the_snapshots_end_is_complete(disk: Disk, root: str) -> None:
    log = ten_batches(disk, root)
    store = snapshots_of(disk, root, (5, 1), (9, 3))
    log.move_start_to(9)
    store.delete_before(9)
    log.close()
    log = open_log(disk, root)
    assert log.log_start_offset == 8
    assert reconcile(log, store) is None
    log.close()


@pytest.mark.parametrize(
    ("ids", "found"),
    [((), "there is no snapshot"), ((BOOTSTRAP_SNAPSHOT_ID,), "the newest snapshot ends at 0"), (
        (SnapshotId(end_offset=7, epoch=3),), "the newest snapshot ends at 7")],
)  # fmt: skip
def test_a_log_whose_beginning_is_in_no_snapshot_is_refused(
    disk: Disk, root: str, ids: tuple[SnapshotId, ...], found: str
) -> None:
    log = ten_batches(disk, root)
    log.move_start_to(9)
    log.close()
    log = open_log(disk, root)
    store = snapshots_of(disk, root, *((each.end_offset, each.epoch) for each in ids))
    with pytest.raises(StorageError, match=f"the log starts at offset 8, but {found}.*{root}"):
        reconcile(log, store)
    assert len(batches_of(read_all(log))) == 2, "it must be left as it is"
    log.close()


def test_snapshots_that_contradict_each_other_are_refused(disk: Disk, root: str) -> None:
    log = ten_batches(disk, root)
    store = snapshots_of(disk, root, (7, 3), (6, 4))
    with pytest.raises(
        StorageError, match=r"00006-0000000004.checkpoint is of a later epoch than .*00007-000"
    ):
        reconcile(log, store)
    assert len(batches_of(read_all(log))) == 10
    log.close()


@pytest.mark.parametrize("content", [b"", b"garbage", None], ids=["empty", "garbage", "torn"])
def test_a_damaged_snapshot_does_not_empty_the_log(disk: Disk, root: str, content: bytes | None) -> None:
    """What is in its name is believed only if it is whole: there may be no other copy of the log."""
    log = ten_batches(disk, root)
    store = snapshots_of(disk, root, (500, 4))
    path = store.path(SnapshotId(end_offset=500, epoch=4))
    whole = disk.read_file(path)
    disk.remove(path)
    file = disk.open(path, create=True)
    file.append([whole[:-9] if content is None else content])
    file.close()
    with pytest.raises(CorruptFileError, match="move it away if it was never a snapshot") as caught:
        reconcile(log, store)
    assert caught.value.path == path
    # It ends behind the log: nobody knows what it held.
    assert "the log has all that it held" not in str(caught.value)
    assert len(batches_of(read_all(log))) == 10
    log.close()


def test_what_only_a_snapshot_held_has_to_be_restored(disk: Disk, root: str) -> None:
    log = ten_batches(disk, root)
    store = snapshots_of(disk, root, (8, 3))
    log.move_start_to(8)
    assert log.log_start_offset == 8
    assert "move it away" not in snapshot_remedy(log, store)
    older = snapshots_of(disk, root, (4, 1))
    assert "move it away" not in snapshot_remedy(log, older)
    log.close()
