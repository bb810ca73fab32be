"""Which logs the simulator counts as those of a replica."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafkaproto.directory_files import PARTITION_METADATA_NAME, encode_partition_metadata
from kafkaproto.log import segment_file_name
from kafkaproto.records.batch import NewRecord, build_batch
from tests.sim.disk import MemoryDisk
from tests.sim.nodes.data.logs import Logs
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
    logs, end = Logs(), 5 if counts else 0
    assert logs.range_of(host, ("t", 0)) == (0, end)
    assert [each.next_offset for each in logs.of(host, ("t", 0))] == [end] * counts
