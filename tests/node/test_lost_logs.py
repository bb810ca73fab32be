"""A controller whose log, or a part of it, is gone: it does not start as if there had never been one, and says why."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import trio

from kafkaproto.messages import CreateTopicsRequest
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.config.node_config import default_config
from kafkaproto_server.core.controller.values.events import CommandContext
from kafkaproto_server.node.startup import open_node
from kafkaproto_server.shell.process.system import SystemClock
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.storage.errors import StorageError
from tests.node.support.nodes import SeededRng
from tests.node.support.waiting import wait_decided
from tests.sim.disk import MemoryDisk

pytestmark = pytest.mark.trio

LOG = "/data/node/__cluster_metadata-0"
FIRST = f"{LOG}/00000000000000000000.log"
EPOCHS = f"{LOG}/leader-epoch-checkpoint"
VOTES = f"{LOG}/quorum-state"
CONTROLLER = Endpoint(name="CONTROLLER", host="127.0.0.1", port=19093)


def opened(disk: MemoryDisk, **changes: str) -> QuorumDriver:
    # An earlier process that refused to start has let go of the directory by its end.
    disk._locked.clear()
    settings = {"log.dirs": "/data/node", **{key.replace("_", "."): value for key, value in changes.items()}}
    node = open_node(
        default_config(settings),
        controller_endpoints=(CONTROLLER,),
        format_if_new=True,
        disk=disk,
        clock=SystemClock(),
        rng=SeededRng(1),
    )
    return node.quorum


async def live(disk: MemoryDisk, *, lives: int, clean: bool) -> None:
    """A sole controller leads, an epoch a life, and acknowledges a topic in each."""
    for number in range(lives):
        driver = opened(disk)
        async with trio.open_nursery() as nursery:
            await nursery.start(driver.run)
            with trio.fail_after(10):
                while driver.published.active_epoch is None:
                    await driver.published.changed.wait()
            topic = CreateTopicsRequest.CreatableTopic(
                name=f"t{number}", num_partitions=1, replication_factor=1
            )
            request = CreateTopicsRequest(topics=[topic])
            await wait_decided(driver.submit(request, 7, CommandContext()))
            if clean or number + 1 < lives:
                await driver.stop()
            nursery.cancel_scope.cancel()


def empty(disk: MemoryDisk, path: str) -> None:
    disk.open(path).truncate(0)


def stops(disk: MemoryDisk) -> list[str]:
    """The files that say where the log ended when the node stopped."""
    return [f"{LOG}/{name}" for name in disk.list_directory(LOG) if name.endswith(".snapshot")]


def zero(disk: MemoryDisk, path: str) -> None:
    size = len(disk.read_file(path))
    empty(disk, path)
    disk.open(path).append([bytes(size)])


REMOVED: Callable[[MemoryDisk, str], None] = MemoryDisk.remove


@pytest.mark.parametrize("clean", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize("lives", [1, 2])
@pytest.mark.parametrize("damage", [REMOVED, empty, zero], ids=["removed", "emptied", "zeros"])
async def test_a_log_that_is_gone_is_not_begun_anew(
    damage: Callable[[MemoryDisk, str], None], lives: int, clean: bool
) -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    await live(disk, lives=lives, clean=clean)
    damage(disk, FIRST)
    before = {
        name: disk.read_file(f"{LOG}/{name}") for name in disk.list_directory(LOG) if name.endswith(".log")
    }
    with pytest.raises(StorageError, match=r"__cluster_metadata-0.*(says that|started at).*remove") as told:
        opened(disk)
    assert "leader-epoch-checkpoint" in str(told.value) or ".snapshot says" in str(told.value)
    after = {
        name: disk.read_file(f"{LOG}/{name}") for name in disk.list_directory(LOG) if name.endswith(".log")
    }
    assert after == before, "it must be left as it is"


async def test_records_missing_at_the_end_of_a_log_that_was_closed_are_noticed() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    await live(disk, lives=1, clean=True)
    driver = opened(disk)
    end = driver._storage.log.log_end_offset
    file = disk.open(FIRST)
    file.truncate(file.size() - 1)
    with pytest.raises(StorageError, match=f"{end:020}.snapshot says that it ended at offset {end}"):
        opened(disk)


async def test_giving_the_records_up_is_removing_the_files_that_are_named() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    await live(disk, lives=2, clean=True)
    disk.remove(FIRST)
    with pytest.raises(StorageError) as told:
        opened(disk)
    while (told_file := str(told.value).rpartition("remove ")[2]) in (EPOCHS, *stops(disk)):
        disk.remove(told_file)
        if not stops(disk) and not disk.exists(EPOCHS):
            break
        with pytest.raises(StorageError) as told:
            opened(disk)
    assert opened(disk)._storage.log.log_end_offset == 0


async def test_a_torn_tail_of_what_was_never_synced_is_cut_off_as_ever() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    await live(disk, lives=2, clean=False)
    disk.open(FIRST).append([bytes(100)])
    assert "cut 100 bytes" in (opened(disk)._storage.log.recovery_note or "")


async def test_epochs_are_derived_from_the_log() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    await live(disk, lives=2, clean=True)
    before = disk.read_file(EPOCHS)
    for damaged in (partial(disk.remove, EPOCHS), partial(empty, disk, EPOCHS)):
        damaged()
        opened(disk)
        assert disk.read_file(EPOCHS) == before


@pytest.mark.parametrize(("lives", "clean"), [(1, True), (2, False)])
async def test_forgotten_votes_are_refused(lives: int, clean: bool) -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    await live(disk, lives=lives, clean=clean)
    disk.remove(VOTES)
    with pytest.raises(
        StorageError, match=f"quorum-state is missing, but the log has records of epoch {lives}"
    ) as told:
        opened(disk)
    # A sole voter goes on with the line that the message gives.
    file = disk.open(VOTES, create=True)
    file.append([str(told.value).rpartition("into the file: ")[2].encode()])
    file.close()
    await live(disk, lives=1, clean=True)


async def test_a_first_election_cut_short_by_a_crash_may_leave_no_votes() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    await live(disk, lives=1, clean=False)
    disk.remove(VOTES)
    opened(disk)
