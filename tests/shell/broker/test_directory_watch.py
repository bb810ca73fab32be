"""The watch over a node's log directories, on disks that fail and a clock that jumps."""

from __future__ import annotations

import errno
import os
import re
import threading
from contextlib import AbstractContextManager, nullcontext

import pytest
import trio

from kafkaproto.directory_files import MetaProperties
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.shell.broker import directory_watch
from kafkaproto_server.shell.broker.directory_watch import DirectoryFailureError, DirectoryWatch
from kafkaproto_server.shell.storage.directories.directories import PROBE_NAME, check_directory
from kafkaproto_server.shell.storage.directories.meta_properties import write_meta_properties
from tests.sim.disk import MemoryDisk

pytestmark = pytest.mark.trio

PATHS = ("/a", "/b")


def id_of(path: str) -> bytes:
    return path[1:].encode() * 16


class Watched:
    """A broker with directories /a and /b on one disk, its metadata log in /m; or a controller alone."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *,
        is_broker: bool = True,
        is_controller: bool = True,
        metadata: str = "/m",
    ) -> None:
        # Checks run in threads, which an autojumping clock would not wait for.
        monkeypatch.setattr(directory_watch, "CHECK_INTERVAL_S", 0.01)
        self.disk = MemoryDisk()
        for path in (*PATHS, "/m"):
            self.disk.make_directory(path)
            properties = MetaProperties(version=1, cluster_id="c", node_id=1, directory_id=id_of(path))
            write_meta_properties(self.disk, path, properties, 0)
        self.directories = LogDirectories(
            [LogDirectory(path=path, directory_id=id_of(path)) for path in PATHS]
        )
        self.changes = 0
        self.watch = DirectoryWatch(
            disk=self.disk,
            metadata_path=metadata,
            metadata_directory_id=id_of(metadata),
            is_controller=is_controller,
            directories=self.directories if is_broker else None,
            changed=self._changed,
        )

    def _changed(self) -> None:
        self.changes += 1

    def break_disk(self, path: str, operation: str = "write") -> None:
        """From now on a directory's file cannot be written."""
        self.disk.fail(operation, f"{path}/{PROBE_NAME}", errno.EROFS, times=10**6)

    async def until_offline(self, *paths: str) -> None:
        with trio.fail_after(10):
            while [each.path for each in self.directories.all if each.problem is not None] != list(paths):
                await trio.sleep(0.002)


def failing(message: str) -> AbstractContextManager[object]:
    """What runs in it has to end with the failure of directories."""
    failure = pytest.RaisesExc(DirectoryFailureError, match=re.escape(message))
    return pytest.RaisesGroup(failure, flatten_subgroups=True)


async def test_directories_that_work_are_left_alone_and_their_space_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    monkeypatch.setattr(watched.disk, "space", lambda path: (1000, 400))
    assert [(each.path, each.total_bytes) for each in watched.watch.statuses()] == [("/a", -1), ("/b", -1)]
    async with trio.open_nursery() as nursery:
        await nursery.start(watched.watch.run)
        statuses = watched.watch.statuses()
        assert [(each.is_online, each.total_bytes, each.usable_bytes) for each in statuses] == [
            (True, 1000, 400)
        ] * 2
        operations = watched.disk.operations
        while watched.disk.operations < operations + 30:
            await trio.sleep(0.01)
        assert watched.changes == 0
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("operation", ["write", "sync"])
async def test_a_directory_that_fails_is_offline_for_good(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, operation: str
) -> None:
    watched = Watched(monkeypatch)
    watched.directories.cordon(["/a"])
    async with trio.open_nursery() as nursery:
        await nursery.start(watched.watch.run)
        watched.break_disk("/b", operation)
        await watched.until_offline("/b")
        assert watched.changes == 1
        assert "log directory /b failed and is offline until the next start: " in caplog.text
        a, b = watched.watch.statuses()
        assert (a.is_online, a.is_cordoned) == (True, True)
        assert (b.is_online, b.total_bytes, b.usable_bytes) == (False, -1, -1)
        # Others that notice it too are told nothing new; the disk that works again does not count.
        watched.watch.failed("/b", "EIO")
        watched.disk._faults.clear()
        await trio.sleep(0.05)
        assert (watched.changes, watched.directories.online_ids) == (1, (id_of("/a"),))
        nursery.cancel_scope.cancel()


async def test_nothing_is_written_to_a_directory_that_others_found_to_have_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    written: list[str] = []
    before = watched.disk.before

    def record(operation: str, path: str) -> None:
        written.append(path)
        before(operation, path)

    monkeypatch.setattr(watched.disk, "before", record)
    async with trio.open_nursery() as nursery:
        await nursery.start(watched.watch.run)
        watched.watch.failed("/b", "EIO")
        # A check may be under way.
        await trio.sleep(0.05)
        written.clear()
        await trio.sleep(0.05)
        assert {path.rpartition("/")[0] for path in written} == {"/a", "/m"}
        nursery.cancel_scope.cancel()


async def test_a_disk_that_hangs_has_not_failed_and_holds_up_neither_the_others_nor_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kafka's brokers go by errors alone, too: a disk that answers after minutes has lost nothing."""
    watched = Watched(monkeypatch)
    goes_on, hangs = threading.Event(), threading.Event()

    def hanging(disk: Disk, path: str, directory_id: bytes, *, must_sync: bool) -> tuple[int, int]:
        if path == "/a" and hangs.is_set():
            goes_on.wait()
        return check_directory(disk, path, directory_id, must_sync=must_sync)

    monkeypatch.setattr(directory_watch, "check_directory", hanging)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(watched.watch.run)
            hangs.set()
            watched.break_disk("/b")
            await watched.until_offline("/b")
            with trio.fail_after(10):
                nursery.cancel_scope.cancel()
        assert watched.directories.online_ids == (id_of("/a"),)
    finally:
        goes_on.set()


async def test_a_broker_ends_with_its_last_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(watched.watch.run)
            watched.break_disk("/a")
            await watched.until_offline("/a")
            watched.break_disk("/b")
            with trio.fail_after(10):
                await trio.sleep_forever()

    with failing("all directories in log.dirs failed, the last one was /b: "):
        await run()


@pytest.mark.parametrize(("is_broker", "metadata"), [(True, "/m"), (True, "/a"), (False, "/m")])
async def test_any_node_ends_with_its_metadata_logs_directory(
    monkeypatch: pytest.MonkeyPatch, is_broker: bool, metadata: str
) -> None:
    watched = Watched(monkeypatch, is_broker=is_broker, metadata=metadata)

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(watched.watch.run)
            watched.break_disk(metadata)
            with trio.fail_after(10):
                await trio.sleep_forever()

    with failing(f"the metadata log's directory {metadata} failed: "):
        await run()
    assert watched.changes == 0


@pytest.mark.parametrize("is_controller", [False, True])
async def test_the_metadata_logs_directory_is_synced_by_its_log_where_that_is_a_controllers(
    monkeypatch: pytest.MonkeyPatch, is_controller: bool
) -> None:
    watched = Watched(monkeypatch, is_controller=is_controller)

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(watched.watch.run)
            watched.break_disk("/m", "sync")
            await trio.sleep(0.1)
            nursery.cancel_scope.cancel()

    with nullcontext() if is_controller else failing("the metadata log's directory /m failed: "):
        await run()


async def test_a_controller_cares_for_its_metadata_log_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, is_broker=False)
    watched.break_disk("/a")
    async with trio.open_nursery() as nursery:
        await nursery.start(watched.watch.run)
        await trio.sleep(0.05)
        assert watched.watch.statuses() == ()
        nursery.cancel_scope.cancel()


async def test_a_directory_that_was_offline_at_the_start_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    directories = LogDirectories(
        [
            LogDirectory(path="/a", directory_id=id_of("/a")),
            LogDirectory(path="/b", directory_id=None, problem="/b cannot be read"),
        ]
    )
    watch = DirectoryWatch(
        disk=watched.disk,
        metadata_path="/a",
        metadata_directory_id=id_of("/a"),
        is_controller=True,
        directories=directories,
        changed=watched._changed,
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(watch.run)
        assert [each.is_online for each in watch.statuses()] == [True, False]
        assert watched.changes == 0
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS])
async def test_a_shortage_of_descriptors_or_memory_is_no_failure_and_said_once(
    code: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watched = Watched(monkeypatch)
    looked_at = 0
    space = watched.disk.space

    def counted(path: str) -> tuple[int, int]:
        nonlocal looked_at
        looked_at += path == "/a"
        return space(path)

    monkeypatch.setattr(watched.disk, "space", counted)
    failures = 5
    watched.disk.fail("write", f"/a/{PROBE_NAME}", code, times=failures)
    watched.disk.fail("write", f"/m/{PROBE_NAME}", code, times=failures)
    async with trio.open_nursery() as nursery:
        await nursery.start(watched.watch.run)
        with trio.fail_after(10):
            while looked_at < 2:
                await trio.sleep(0.002)
        nursery.cancel_scope.cancel()
    assert watched.changes == 0
    assert all(each.problem is None for each in watched.directories.all)
    assert sorted(message for message in caplog.messages if "could not be looked at" in message) == [
        f"log directory {path} could not be looked at: [Errno {code}] write failed: {os.strerror(code)}:"
        f" '{path}/{PROBE_NAME}'"
        for path in ("/a", "/m")
    ]
