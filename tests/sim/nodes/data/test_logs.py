"""Which logs the simulator counts as those of a replica."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafkaproto.directory_files import PARTITION_METADATA_NAME, encode_partition_metadata
from kafkaproto.log import segment_file_name
from kafkaproto.records.batch import NewRecord, build_batch
from tests.sim.disk import MemoryDisk
from tests.sim.nodes.data import logs
from tests.sim.nodes.data.logs import Batch, Logs
from tests.sim.nodes.host import DIRECTORY

METADATA = encode_partition_metadata(b"t" * 16)
BEFORE_TOPIC_ID = METADATA.index(b"topic_id: ") + len(b"topic_id: ")


@pytest.mark.parametrize(
    ("length", "counts"),
    [
        (None, False),
        (0, False),
        (BEFORE_TOPIC_ID, False),
        (BEFORE_TOPIC_ID + 1, True),
        (len(METADATA), True),
    ],
)
def test_a_log_counts_if_its_directory_says_whose_it_is(length: int | None, counts: bool) -> None:
    disk, directory = MemoryDisk(), f"{DIRECTORY}/t-0"
    disk.make_directory(directory)
    host: Any = SimpleNamespace(id=1, disk=disk, directories=(DIRECTORY,), quorum=None, node=None)
    log = disk.open(f"{directory}/{segment_file_name(0)}", create=True)
    log.append([build_batch([NewRecord(None, b"value")] * 5, base_offset=0, timestamp_ms=1)])
    if length is not None:
        disk.open(f"{directory}/{PARTITION_METADATA_NAME}", create=True).append([METADATA[:length]])
    found, end = Logs(), 5 if counts else 0
    assert found.range_of(host, ("t", 0)) == (0, end)
    assert [each.next_offset for each in found.of(host, ("t", 0))] == [end] * counts


class Kept:
    """The log of one replica, which is looked at again and again."""

    def __init__(self) -> None:
        self.disk = MemoryDisk()
        self._directory = f"{DIRECTORY}/t-0"
        self.disk.make_directory(self._directory)
        self.disk.open(f"{self._directory}/{PARTITION_METADATA_NAME}", create=True).append([METADATA])
        self._host: Any = SimpleNamespace(
            id=1, disk=self.disk, directories=(DIRECTORY,), quorum=None, node=None
        )
        self._logs = Logs()

    def path(self, base_offset: int) -> str:
        return f"{self._directory}/{segment_file_name(base_offset)}"

    def append(self, segment: int, base_offset: int) -> None:
        """Add a batch of five records."""
        batch = build_batch([NewRecord(None, b"value")] * 5, base_offset=base_offset, timestamp_ms=1)
        file = self.disk.open(self.path(segment), create=True)
        file.append([batch])
        file.close()

    @property
    def has(self) -> list[int]:
        """The offset behind each batch."""
        batches = self._logs.of(self._host, ("t", 0))
        begin, end = self._logs.range_of(self._host, ("t", 0))
        assert not batches or (begin, end) == (batches[0].base_offset, batches[-1].next_offset)
        return [each.next_offset for each in batches]

    @property
    def crcs(self) -> list[int]:
        return [each.crc for each in self._logs.of(self._host, ("t", 0))]


def test_a_batch_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Kept()
    read: list[int] = []

    def batch_at(data: bytearray, position: int) -> tuple[Batch, int] | None:
        found = original(data, position)
        read.extend([position] if found else [])
        return found

    original = logs.batch_at
    monkeypatch.setattr(logs, "batch_at", batch_at)
    for offset in (0, 5, 10):
        log.append(0, offset)
        assert len(log.has) == len(log.has) == len(read)


def test_what_was_added_cut_off_or_written_over_is_seen() -> None:
    log = Kept()
    log.append(0, 0)
    log.append(0, 5)
    assert log.has == [5, 10]
    file = log.disk.open(log.path(0))
    file.truncate(file.size() // 2)
    assert log.has == [5]
    log.append(0, 5)
    log.append(10, 10)
    assert log.has == [5, 10, 15]
    log.disk.remove(log.path(10))
    assert log.has == [5, 10]
    log.append(10, 10)
    assert log.has == [5, 10, 15]
    before = log.crcs
    file.write_at(17, b"\0\0\0\0")
    assert log.crcs == [0, *before[1:]]


def test_a_segment_in_the_place_of_another_one_is_read_anew() -> None:
    log = Kept()
    log.append(0, 0)
    log.append(0, 5)
    assert log.has == [5, 10]
    log.disk.rename(log.path(0), f"{log.path(0)}.deleted")
    assert log.has == []
    log.append(0, 0)
    assert log.has == [5]
    log.disk.rename(f"{log.path(0)}.deleted", log.path(0))
    assert log.has == [5, 10]


def test_what_is_lost_with_the_power_counts_no_more() -> None:
    log = Kept()
    log.append(0, 0)
    log.disk.sync_file_system("/")
    log.append(0, 5)
    log.append(10, 10)
    assert log.has == [5, 10, 15]
    rng: Any = SimpleNamespace(below=lambda limit: 0)
    log.disk.crash(rng)
    assert log.has == [5]
    log.append(0, 5)
    assert log.has == [5, 10]


def test_a_log_whose_topic_id_goes_counts_no_more() -> None:
    log = Kept()
    log.append(0, 0)
    assert log.has == [5]
    file = log.disk.open(f"{DIRECTORY}/t-0/{PARTITION_METADATA_NAME}")
    file.truncate(0)
    assert log.has == []
    file.append([METADATA])
    assert log.has == [5]
