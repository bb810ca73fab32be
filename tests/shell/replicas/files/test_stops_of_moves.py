"""A broker that stops while replicas move between its log directories."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from tests.shell.replicas.files.test_moves import move, moving


@pytest.mark.trio
async def test_a_stop_waits_until_the_files_of_copies_are_closed() -> None:
    broker = moving()
    move(broker)
    workers, disk = broker.replicas.workers, broker.replicas.disk
    workers.hold()
    open_at_end: list[str] | None = None

    def open_copies() -> list[str]:
        return [path for path in map(repr, disk.open_files) if "-future/" in path]

    async def stop() -> None:
        nonlocal open_at_end
        await broker.replicas.manager.moves.stop()
        open_at_end = open_copies()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(stop)
        await wait_all_tasks_blocked()
        assert open_copies()
        while workers.do_one(lambda _: 0):
            await wait_all_tasks_blocked()
    assert open_at_end == []
