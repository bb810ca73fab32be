""".kafka_cleanshutdown: a broker epoch is believed only if every directory tells the same one."""

from __future__ import annotations

import pytest

from server.ports import Disk
from server.storage.clean_shutdown_file import take_clean_shutdown, write_clean_shutdown
from tests.sim.disk import MemoryDisk
from tests.storage.helpers import FixedRng


def directories(disk: Disk, root: str) -> list[str]:
    made = [f"{root}/a", f"{root}/b"]
    for path in made:
        disk.make_directory(path)
    return made


def test_the_file_has_kafkas_bytes_and_is_taken_once(disk: Disk, root: str) -> None:
    paths = directories(disk, root)
    write_clean_shutdown(disk, paths, 247)
    for path in paths:
        assert disk.read_file(f"{path}/.kafka_cleanshutdown") == b'{"version":0,"brokerEpoch":247}'
    assert take_clean_shutdown(disk, paths) == 247
    assert [disk.list_directory(path) for path in paths] == [[], []]
    assert take_clean_shutdown(disk, paths) == -1


@pytest.mark.parametrize(
    "other", [None, b'{"version":0,"brokerEpoch":7}', b"", b"[]", b'{"brokerEpoch":true}', b"{}"]
)
def test_directories_that_do_not_agree_mean_no_clean_stop(disk: Disk, root: str, other: bytes | None) -> None:
    paths = directories(disk, root)
    write_clean_shutdown(disk, paths[:1], 247)
    if other is not None:
        file = disk.open(f"{paths[1]}/.kafka_cleanshutdown", create=True)
        file.append([other])
        file.close()
    assert take_clean_shutdown(disk, paths) == -1
    assert [disk.list_directory(path) for path in paths] == [[], []]


def test_a_file_that_was_taken_does_not_come_back_after_a_crash() -> None:
    disk = MemoryDisk()
    write_clean_shutdown(disk, ["/."], 5)
    assert take_clean_shutdown(disk, ["/."]) == 5
    disk.crash(FixedRng(0))
    assert take_clean_shutdown(disk, ["/."]) == -1
