"""Files that were deleted are removed after a delay."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from kafkaproto_server.shell.replicas.files.disk_jobs import do_jobs
from kafkaproto_server.shell.replicas.files.removals import Removals
from tests.apis.support.replicas import PATH, ImmediateWorkers
from tests.node.support.controllers import TrioClock
from tests.node.support.tasks import running
from tests.sim.disk import MemoryDisk

DIRECTORY_ID = b"d" * 16


def fails(directory_id: bytes, error: Exception) -> None:
    raise error


@pytest.mark.trio
async def test_each_file_is_removed_when_its_delay_is_over(autojump_clock: MockClock) -> None:
    disk = MemoryDisk()
    disk.make_directory(PATH)
    for name in ("early", "late"):
        disk.open(f"{PATH}/{name}", create=True).close()
    lanes = {DIRECTORY_ID: ImmediateWorkers().lane(do_jobs)}
    removals = Removals(disk, TrioClock(), lanes, fails, lambda _: True)
    async with running(removals.run):
        removals.later(DIRECTORY_ID, [f"{PATH}/late"], 2000)
        await trio.sleep(0.5)
        # It is due before what is waited for.
        removals.later(DIRECTORY_ID, [f"{PATH}/early"], 1000)
        for seconds, left in ((0.9, ["early", "late"]), (0.2, ["late"]), (0.3, ["late"]), (0.2, [])):
            await trio.sleep(seconds)
            assert disk.list_directory(PATH) == left
