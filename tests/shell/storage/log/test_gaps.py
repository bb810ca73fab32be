"""A log of a topic after a crash of the machine that took records before a segment which is still there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kafkaproto.log import segment_file_name
from kafkaproto.records.batch import iterate_batches
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.reached import reached_by_checkpoints
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from tests.shell.storage.support.helpers import batch
from tests.sim.disk import MemoryDisk

LOG = "/data/topic-0"
CONFIG = LogConfig(
    segment_bytes=200,
    index_interval_bytes=100,
    segment_index_bytes=1024,
    has_gaps=True,
    cuts_at_gaps=True,
    is_durable_at_once=False,
)
COMPACTED = replace(CONFIG, cuts_at_gaps=False)
NO_LIMIT = 1 << 62


def open_log(
    store: MemoryDisk,
    config: LogConfig,
    *,
    is_clean: bool = False,
    is_kept: bool = False,
    durable: int = 0,
) -> TopicLog:
    return TopicLog.open(
        store,
        LOG,
        topic_id=bytes(16),
        config=config,
        is_clean=is_clean,
        reached=reached_by_checkpoints(durable, 0, is_kept=False),
        is_kept=is_kept,
        producer_expiration_ms=NO_LIMIT,
    )


def offsets(log: TopicLog) -> list[int]:
    """The base offsets of all batches."""
    found: list[int] = []
    offset = log.log.log_start_offset
    while part := bytes(log.read_records(offset, 1 << 20, NO_LIMIT, whole_first=True)):
        for view in iterate_batches(part):
            found.append(view.base_offset)
            offset = view.next_offset
    return found


def after_a_crash(lost: str, config: LogConfig, *, durable: int = 0) -> TopicLog:
    """A log of three segments with two batches each, as it is opened after a crash took a part of the second one.
    ``durable``: before this offset, a checkpoint says, it was durable."""
    store = MemoryDisk()
    store.make_directory("/data")
    log = open_log(store, config)
    for offset in range(6):
        log.append([batch(offset)])
    _, second, third = log.log.segment_bases
    assert (second, third) == (2, 4)
    size_bytes = log.log.segments[1].size
    log.log.abandon()
    path = f"{LOG}/{segment_file_name(second, '.log')}"
    if lost == "its last batch":
        file = store.open(path)
        file.truncate(size_bytes // 2)
        file.close()
    elif lost == "all of it":
        store.remove(path)
    return open_log(store, config, durable=durable)


@pytest.mark.parametrize(("lost", "left"), [("its last batch", [0, 1, 2]), ("all of it", [0, 1])])
def test_a_log_ends_before_the_gap_that_a_crash_made(lost: str, left: list[int]) -> None:
    log = after_a_crash(lost, CONFIG)
    assert offsets(log) == left
    assert log.log.log_end_offset == len(left)
    assert log.log.recovery_note is not None
    assert log.log.recovery_note.endswith("because a crash took records and the next segment begins at 4")
    # Nothing of what lay behind comes back, and what is appended continues the log.
    log.append([batch(len(left))])
    assert offsets(log) == [*left, len(left)]


def test_a_log_of_which_a_crash_took_nothing_is_as_it_was() -> None:
    log = after_a_crash("nothing", CONFIG)
    assert offsets(log) == [0, 1, 2, 3, 4, 5]
    assert log.log.recovery_note is None


@pytest.mark.parametrize(("durable", "left"), [(1, [0, 1]), (2, [0, 1]), (3, [0, 1, 4, 5])])
def test_a_gap_in_what_was_durable_is_none_that_a_crash_made(durable: int, left: list[int]) -> None:
    """It was there before: nobody knows of this log that it was never compacted."""
    assert offsets(after_a_crash("all of it", CONFIG, durable=durable)) == left


@pytest.mark.parametrize(("lost", "left"), [("its last batch", [0, 1, 2, 4, 5]), ("all of it", [0, 1, 4, 5])])
def test_a_log_that_is_compacted_keeps_what_lies_behind_a_gap(lost: str, left: list[int]) -> None:
    """Compaction may have made it."""
    log = after_a_crash(lost, COMPACTED)
    assert offsets(log) == left
    assert log.log.recovery_note is None


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
def test_a_segment_that_begins_before_the_end_of_the_one_before_it_is_refused(is_clean: bool) -> None:
    """All is durable, or was kept, so it is no cut that a crash took. The indexes of each segment agree with its
    batches."""
    store = MemoryDisk()
    store.make_directory("/data")
    log = open_log(store, COMPACTED)
    for offset in range(4):
        log.append([batch(offset, timestamp_ms=-1)])
    assert log.log.segment_bases == (0, 2)
    log.close(None)
    for suffix in (".log", ".index", ".timeindex"):
        store.rename(f"{LOG}/{segment_file_name(2, suffix)}", f"{LOG}/{segment_file_name(1, suffix)}")
    size = len(store.read_file(f"{LOG}/{segment_file_name(0)}"))
    with pytest.raises(
        CorruptFileError, match=r"offset 2 .* next segment begins at 1.*kafka-storage accept-log"
    ):
        open_log(store, COMPACTED, is_clean=is_clean, is_kept=True)
    assert len(store.read_file(f"{LOG}/{segment_file_name(0)}")) == size
