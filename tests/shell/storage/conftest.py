"""Each test of storage that takes ``disk`` and ``root`` runs on the real disk and on its twin in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.disk import OsDisk
from tests.sim.disk import MemoryDisk


@pytest.fixture(params=["real", "memory"])
def disk(request: pytest.FixtureRequest) -> Disk:
    return OsDisk() if request.param == "real" else MemoryDisk()


@pytest.fixture
def root(disk: Disk, tmp_path: Path) -> str:
    if isinstance(disk, MemoryDisk):
        disk.make_directory(str(tmp_path))
    return str(tmp_path)
