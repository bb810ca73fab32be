"""The files of one segment: what a cut leaves of its indexes, and that nobody opens them once it is closed."""

from __future__ import annotations

import pytest

from kafkaproto.log import OffsetIndexEntry, TimeIndexEntry
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.shell.storage.errors import LogClosedError
from kafkaproto_server.shell.storage.log.index import OffsetIndex, TimeIndex
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.segment import Segment
from tests.shell.storage.support.helpers import batch
from tests.sim.disk import MemoryDisk

LOG = "/t-0"
BASE = 10
INDEX_BYTES = 1024


@pytest.fixture
def disk() -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory(LOG)
    return disk


@pytest.mark.parametrize(("cut", "left"), [(16, 15), (15, 13), (14, 13), (12, 11), (11, None), (10, None)])
def test_a_cut_takes_the_entries_of_the_offsets_behind_it(
    disk: MemoryDisk, cut: int, left: int | None
) -> None:
    offsets, times = OffsetIndex(disk, LOG, BASE, INDEX_BYTES), TimeIndex(disk, LOG, BASE, INDEX_BYTES)
    for offset in (11, 13, 15):
        offsets.append(offset, offset * 100)
        times.maybe_append(offset * 1_000, offset)
    offsets.truncate_to(cut)
    times.truncate_to(cut)
    indexed, timed = offsets.newest_in_file(), times.newest_in_file()
    assert (offsets.last, times.last) == (indexed, timed)
    if left is None:
        assert (indexed, timed) == (None, None)
    else:
        assert indexed == OffsetIndexEntry(left, left * 100)
        assert timed == TimeIndexEntry(left * 1_000, left)


def test_a_segment_that_was_closed_is_not_opened_for_a_reader_that_comes_late(disk: MemoryDisk) -> None:
    segment = Segment.create(disk, LOG, BASE, LogConfig(has_gaps=True, is_durable_at_once=False))
    segment.append([RecordBatchView(batch(BASE))])
    assert segment.read_records(BASE, 1_000, BASE + 1, whole_first=True)
    segment.close()
    with pytest.raises(LogClosedError):
        segment.read_records(BASE, 1_000, BASE + 1, whole_first=True)
    assert not disk.open_files
