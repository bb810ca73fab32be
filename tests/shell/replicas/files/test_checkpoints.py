"""The checkpoints of a directory say no more than its logs have, also while a thread writes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkaproto_server.shell.replicas.files.checkpointed import CHECKPOINTS, Checkpointed
from kafkaproto_server.shell.replicas.files.checkpoints import Checkpoints
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey
from kafkaproto_server.shell.storage.offset_checkpoints import TopicPartition, read_offsets
from tests.sim.disk import MemoryDisk

ID, PATH, KEY = b"d" * 16, "/logs", ("t", 0)


class World:
    """A directory with one replica, whose jobs are done one after the other."""

    def __init__(self) -> None:
        self.disk = MemoryDisk()
        self.disk.make_directory(PATH)
        self.jobs: list[Callable[[], object]] = []
        self.end = 100
        """Of the log: all checkpoints are to say so."""
        self.meanwhile: list[Callable[[], None]] = []
        """What the event loop does while a thread writes, once it has looked at the logs."""
        survey = DirectorySurvey(
            is_clean=True, found=(), recovery_points={}, log_starts={}, high_watermarks={}
        )
        self.checkpoints = Checkpoints(
            self.disk,
            {ID: PATH},
            {ID: survey},
            current=self.current,
            is_online=lambda _: True,
            put_job=lambda _, work: self.jobs.append(work),
        )

    @property
    def now(self) -> Checkpointed:
        return Checkpointed(recovery_point=self.end, log_start_offset=self.end, high_watermark=self.end)

    def current(self, _: bytes) -> list[tuple[TopicPartition, Checkpointed]]:
        found = [(KEY, self.now)]
        while self.meanwhile:
            self.meanwhile.pop()()
        return found

    def will_be_cut(self, offset: int) -> None:
        self.end = offset
        self.checkpoints.lower(ID, KEY, self.now)
        self.jobs.append(self.cut)

    def cut(self) -> None:
        """The log is shorter from now on."""
        assert all(offset <= self.end for offset in self.said())

    def said(self) -> list[int]:
        return [read_offsets(self.disk, PATH, name).get(KEY, 0) for name in CHECKPOINTS]

    def work(self) -> None:
        while self.jobs:
            self.jobs.pop(0)()


def test_what_is_written_is_lowered_before_a_log_is_cut() -> None:
    world = World()
    for name in CHECKPOINTS:
        world.checkpoints.write(ID, name)
    world.work()
    assert world.said() == [100, 100, 100]
    world.will_be_cut(50)
    world.will_be_cut(40)
    # The second time, what is to be written already will say so.
    assert len(world.jobs) == len(CHECKPOINTS) + 2
    world.work()
    assert world.said() == [40, 40, 40]


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_what_a_thread_is_writing_is_lowered_as_well(name: str) -> None:
    world = World()
    world.checkpoints.write(ID, name)
    world.meanwhile.append(lambda: world.will_be_cut(50))
    world.work()
    assert max(world.said()) == 50
