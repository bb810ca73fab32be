"""What the indexes beside a topic's segment, and the checkpoints of its directory, prove of records that are gone."""

from __future__ import annotations

import pytest

from kafkaproto.log import (
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    OffsetIndexEntry,
    TimeIndexEntry,
    encode_offset_index_entry,
    encode_time_index_entry,
    segment_file_name,
)
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.reached import Reached, reached_by_checkpoints
from kafkaproto_server.shell.storage.log.recovery import RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.offset_checkpoints import HIGH_WATERMARKS, RECOVERY_POINTS
from tests.shell.storage.support.helpers import batch
from tests.sim.disk import MemoryDisk

LOG = "/t-0"
CONFIG = LogConfig(has_gaps=True, is_durable_at_once=False)
KEPT = RecoveryPolicy(cuts_damage=True, is_kept=True)
BASE, END = 10, 12
NEWEST_MS = 2_000
RECORDS = batch(10, timestamp_ms=1_000) + batch(11, timestamp_ms=NEWEST_MS)
SIZE = len(RECORDS)

Entry = tuple[int, int] | None


def segment(records: bytes, indexed: Entry = None, timed: Entry = None) -> Segment:
    """A segment whose indexes have these entries: (offset, position) and (timestamp, offset)."""
    disk = MemoryDisk()
    disk.make_directory(LOG)
    contents = {".log": records}
    if indexed is not None:
        entry = encode_offset_index_entry(BASE, OffsetIndexEntry(*indexed))
        contents[OFFSET_INDEX_SUFFIX] = entry
    if timed is not None:
        contents[TIME_INDEX_SUFFIX] = encode_time_index_entry(BASE, TimeIndexEntry(*timed))
    for suffix, content in contents.items():
        file = disk.open(f"{LOG}/{segment_file_name(BASE, suffix)}", create=True)
        file.append([content])
        file.close()
    return Segment(disk, LOG, BASE, CONFIG)


def recover(found: Segment, policy: RecoveryPolicy, next_base: int | None = None) -> None:
    found.recover(epoch=1, next_base=next_base, visit=lambda view: None, policy=policy)


@pytest.mark.parametrize(
    ("indexed", "timed", "proven"),
    [
        (None, None, None),
        ((END, SIZE), None, END),
        ((END - 1, SIZE), None, None),
        ((END, SIZE - 1), None, None),
        (None, (NEWEST_MS + 1, END), END),
        (None, (NEWEST_MS + 1, END - 1), None),
        (None, (NEWEST_MS, END), None),
        ((END, SIZE), (NEWEST_MS + 1, END + 1), END + 1),
        ((END + 1, SIZE), (NEWEST_MS + 1, END), END + 1),
    ],
)
def test_both_numbers_of_an_entry_lie_behind_what_is_left(
    indexed: Entry, timed: Entry, proven: int | None
) -> None:
    found = segment(RECORDS, indexed, timed)
    if proven is None:
        recover(found, KEPT)
        assert (found.size, found.next_offset) == (SIZE, END)
    else:
        with pytest.raises(StorageError, match=f"have an entry for offset {proven}:"):
            recover(found, KEPT)


def durable_to(offset: int) -> Reached:
    return Reached(offset=offset, file="a", statement="it says so", remedy="Restore it")


@pytest.mark.parametrize(
    ("policy", "next_base", "is_proven"),
    [
        (KEPT, None, True),
        (RecoveryPolicy(is_kept=True), None, False),
        (RecoveryPolicy(cuts_damage=True), None, False),
        (RecoveryPolicy(cuts_damage=True), 13, False),
        (RecoveryPolicy(cuts_damage=True, reached=durable_to(END)), None, False),
        (RecoveryPolicy(cuts_damage=True, reached=durable_to(12)), 13, False),
        (RecoveryPolicy(cuts_damage=True, reached=durable_to(13)), 13, True),
        (RecoveryPolicy(reached=durable_to(13)), 13, False),
    ],
)
def test_an_entry_proves_nothing_if_a_crash_may_have_kept_it_and_lost_the_records(
    policy: RecoveryPolicy, next_base: int | None, is_proven: bool
) -> None:
    found = segment(RECORDS, (END, SIZE))
    if is_proven:
        with pytest.raises(StorageError, match="records that were there are gone"):
            recover(found, policy, next_base)
    else:
        recover(found, policy, next_base)
        assert found.next_offset == END


@pytest.mark.parametrize(
    ("indexed", "timed", "epoch"),
    [(None, None, -1), ((END, SIZE), None, None), (None, (NEWEST_MS, END), None)],
    ids=["compaction", "offset index", "time index"],
)
def test_an_empty_segment_with_an_entry_was_not_emptied_by_compaction(
    indexed: Entry, timed: Entry, epoch: int | None
) -> None:
    assert segment(b"", indexed, timed).load(20) == epoch


@pytest.mark.parametrize(
    ("recovery_point", "high_watermark", "is_kept", "offset", "file"),
    [
        (0, 1, True, 1, HIGH_WATERMARKS),
        (3, 5, True, 5, HIGH_WATERMARKS),
        (3, 5, False, 3, RECOVERY_POINTS),
        (5, 5, True, 5, RECOVERY_POINTS),
        (5, 3, True, 5, RECOVERY_POINTS),
        (1, 0, False, 1, RECOVERY_POINTS),
    ],
)
def test_a_log_reached_the_later_checkpoint_of_those_that_no_crash_belies(
    recovery_point: int, high_watermark: int, is_kept: bool, offset: int, file: str
) -> None:
    reached = reached_by_checkpoints(recovery_point, high_watermark, is_kept=is_kept)
    assert reached is not None
    assert (reached.offset, reached.file) == (offset, file)


@pytest.mark.parametrize(("high_watermark", "is_kept"), [(0, True), (0, False), (5, False)])
def test_checkpoints_may_say_nothing_of_a_log(high_watermark: int, is_kept: bool) -> None:
    assert reached_by_checkpoints(0, high_watermark, is_kept=is_kept) is None
