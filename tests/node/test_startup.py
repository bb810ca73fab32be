"""What a node makes of its log directories when it starts and stops."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from kafkaproto.directory_files import PARTITION_METADATA_NAME
from kafkaproto_server.base.types import METADATA_LOG_NAME
from kafkaproto_server.config.node_config import Config, default_config
from kafkaproto_server.core.raft.values.trust import LAST_EPOCH
from kafkaproto_server.node.startup import OpenedNode, mark_clean_shutdown, open_node
from kafkaproto_server.shell.process.system import SystemClock
from kafkaproto_server.shell.storage.directories.clean_shutdown_file import CLEAN_SHUTDOWN_NAME
from kafkaproto_server.shell.storage.directories.directories import PROBE_NAME
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumState, QuorumStateFile
from kafkaproto_server.shell.storage.offset_checkpoints import RECOVERY_POINTS, write_offsets
from tests.node.support.nodes import SeededRng
from tests.sim.disk import MemoryDisk

PATHS = ("/d/a", "/d/b")


def config(**changes: str) -> Config:
    """A node with both roles, data directories /d/a and /d/b, and its metadata log in /d/m."""
    return default_config({"log.dirs": ",".join(PATHS), "metadata.log.dir": "/d/m", **changes})


def opened(disk: MemoryDisk, settings: Config | None = None) -> OpenedNode:
    """A node that starts; it formats directories that are new."""
    return open_node(
        settings or config(),
        controller_endpoints=(settings or config()).advertised_controller_listeners,
        format_if_new=True,
        disk=disk,
        clock=SystemClock(),
        rng=SeededRng(1),
    )


def formatted() -> MemoryDisk:
    """A disk on which the node was started once, and ended with a crash."""
    disk = MemoryDisk()
    disk.make_directory("/d")
    disk.sync_directory("/")
    opened(disk).abandon()
    for path in PATHS:
        write_offsets(disk, path, RECOVERY_POINTS, {})
    return disk


def break_directory(disk: MemoryDisk, path: str) -> None:
    disk.fail("write", f"{path}/{PROBE_NAME}", errno.EROFS, times=10**6)


def test_a_new_nodes_directories_are_all_formatted_and_have_ids_of_their_own() -> None:
    node = opened(formatted())
    directories = node.log_directories
    assert [each.path for each in directories.all] == list(PATHS)
    assert len({*directories.online_ids, node.metadata_directory_id}) == 3


def test_a_broker_starts_without_a_directory_that_does_not_work(caplog: pytest.LogCaptureFixture) -> None:
    disk = formatted()
    break_directory(disk, "/d/b")
    directories = opened(disk).log_directories
    assert [each.problem is None for each in directories.all] == [True, False]
    assert (len(directories.online_ids), len(directories.offline_ids)) == (1, 1)
    assert "log directory /d/b is offline: " in caplog.text


def test_a_broker_does_not_start_without_any_directory_but_a_controller_does() -> None:
    disk = formatted()
    for path in PATHS:
        break_directory(disk, path)
    with pytest.raises(
        StorageError, match=r"none of the directories in log\.dirs can be used: .*/d/a.*; .*/d/b"
    ):
        opened(disk)
    disk.crash(SeededRng(1))
    controller = config(**{"process.roles": "controller", "listeners": "CONTROLLER://127.0.0.1:9093"})
    opened(disk, controller).release()


def test_the_last_stop_was_clean_if_all_directories_work_and_say_so() -> None:
    disk = formatted()
    node = opened(disk)
    mark_clean_shutdown(node.log_directories, disk=disk, broker_epoch=42)
    node.release()
    assert [disk.exists(f"{path}/{CLEAN_SHUTDOWN_NAME}") for path in PATHS] == [True, True]
    node = opened(disk)
    assert node.previous_broker_epoch == 42
    mark_clean_shutdown(node.log_directories, disk=disk, broker_epoch=43)
    node.release()
    # Records that the broker acknowledged may be in there.
    break_directory(disk, "/d/b")
    assert opened(disk).previous_broker_epoch == -1


@pytest.mark.parametrize("damage", ["gone", "torn"])
def test_a_directory_without_its_checkpoints_was_not_stopped_in_order(
    damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The mark's name begins with a dot: ``rm -r *`` leaves it, and the next format does not touch it."""
    disk = formatted()
    node = opened(disk)
    mark_clean_shutdown(node.log_directories, disk=disk, broker_epoch=42)
    node.release()
    if damage == "gone":
        disk.remove(f"/d/b/{RECOVERY_POINTS}")
    else:
        disk.open(f"/d/b/{RECOVERY_POINTS}").truncate(3)
    node = opened(disk)
    assert "/d/b: the checkpoints that a stop in order leaves are gone or damaged" in caplog.text
    assert node.previous_broker_epoch == -1
    assert [each.is_clean for each in node.surveys.values()] == [True, False]
    assert not disk.exists(f"/d/b/{CLEAN_SHUTDOWN_NAME}")


def test_a_directory_with_unread_logs_is_not_marked() -> None:
    disk = formatted()
    node = opened(disk)
    unread = node.log_directories.all[1].directory_id
    assert unread is not None
    mark_clean_shutdown(node.log_directories, disk=disk, broker_epoch=42, unread={unread})
    node.release()
    assert [disk.exists(f"{path}/{CLEAN_SHUTDOWN_NAME}") for path in PATHS] == [True, False]
    assert opened(disk).previous_broker_epoch == -1


@pytest.mark.parametrize(
    ("operation", "suffix"),
    [("remove", f"/d/b/{CLEAN_SHUTDOWN_NAME}"), ("read", f"/d/b/t-0/{PARTITION_METADATA_NAME}")],
)
def test_a_broker_starts_without_a_directory_that_fails_while_it_is_read(operation: str, suffix: str) -> None:
    disk = formatted()
    node = opened(disk)
    disk.make_directory("/d/b/t-0")
    disk.open(f"/d/b/t-0/{PARTITION_METADATA_NAME}", create=True).close()
    mark_clean_shutdown(node.log_directories, disk=disk, broker_epoch=42)
    node.release()
    disk.fail(operation, suffix)
    node = opened(disk)
    assert [each.problem is None for each in node.log_directories.all] == [True, False]
    assert (len(node.surveys), node.previous_broker_epoch) == (1, -1)


def test_a_directory_that_fails_in_the_last_moment_does_not_keep_the_node_from_stopping(
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk = formatted()
    node = opened(disk)
    disk.fail("rename", f"/d/a/{CLEAN_SHUTDOWN_NAME}.tmp")
    mark_clean_shutdown(node.log_directories, disk=disk, broker_epoch=42)
    node.release()
    assert "log directory /d/a failed while the node stopped: " in caplog.text
    assert opened(disk).previous_broker_epoch == -1


@pytest.mark.parametrize("epoch", [LAST_EPOCH, LAST_EPOCH + 1, 2**31 - 1])
def test_a_node_does_not_start_in_an_epoch_from_which_its_quorum_could_not_go_on(epoch: int) -> None:
    disk = formatted()
    file = QuorumStateFile(disk, f"/d/m/{METADATA_LOG_NAME}")
    file.write(QuorumState(leader_id=-1, leader_epoch=epoch, voted=None, data_version=1))
    if epoch == LAST_EPOCH:
        opened(disk)
        return
    with pytest.raises(
        CorruptFileError, match=f"quorum-state: leaderEpoch is {epoch}, and no leader"
    ) as raised:
        opened(disk)
    assert "write one leaderEpoch that is higher by 1000 or more" in str(raised.value)


def test_a_start_that_fails_leaves_nothing_open() -> None:
    disk = formatted()
    node = opened(disk)
    mark_clean_shutdown(node.log_directories, disk=disk, broker_epoch=42)
    node.abandon()
    # The last of all that a start does to the disk.
    disk.fail("remove", CLEAN_SHUTDOWN_NAME, times=2)
    with pytest.raises(StorageError, match=CLEAN_SHUTDOWN_NAME):
        opened(disk)
    assert not disk.open_files
    node = opened(disk)
    assert node.previous_broker_epoch == 42
    node.abandon()
    assert not disk.open_files


def damaged_votes(disk: MemoryDisk) -> str:
    path = f"/d/m/{METADATA_LOG_NAME}/quorum-state"
    disk.open(path, create=True).append([b"{"])
    return path


def votes_that_are_a_directory(disk: MemoryDisk) -> str:
    path = f"/d/m/{METADATA_LOG_NAME}/quorum-state"
    disk.make_directory(path)
    return path


def damaged_snapshot(disk: MemoryDisk) -> str:
    path = f"/d/m/{METADATA_LOG_NAME}/{0:020}-{0:010}.checkpoint"
    disk.remove(path)
    disk.open(path, create=True).append([b"garbage"])
    return path


def log_that_is_a_directory(disk: MemoryDisk) -> str:
    path = f"/d/m/{METADATA_LOG_NAME}/{0:020}.log"
    disk.remove(path)
    disk.make_directory(path)
    return path


@pytest.mark.parametrize(
    ("damage", "remedy"),
    [
        (damaged_votes, 'write this line into the file: {"leaderId":-1,"leaderEpoch":0,"votedId":-1,'),
        (votes_that_are_a_directory, "remove this one from the quorum"),
        (damaged_snapshot, f"you can also move /d/m/{METADATA_LOG_NAME} away"),
        (log_that_is_a_directory, f"you can also move /d/m/{METADATA_LOG_NAME} away"),
    ],
)
def test_what_is_wrong_with_the_metadata_log_is_told_with_what_can_be_done(
    damage: Callable[[MemoryDisk], str], remedy: str
) -> None:
    disk = formatted()
    path = damage(disk)
    with pytest.raises(StorageError) as raised:
        opened(disk)
    assert str(raised.value).startswith(path)
    assert remedy in str(raised.value)
