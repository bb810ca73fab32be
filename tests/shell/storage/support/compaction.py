"""Cleans a log of a topic as the broker does, all slices at once; and shows what a log holds."""

from __future__ import annotations

from kafkaproto.records.batch import BatchHeader, Record, iterate_batches
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.log_state.compaction import LastBatch
from kafkaproto_server.shell.storage.log.cleaning import Cleaning, CleaningPlan
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.topic_state import Found

NO_LIMIT = 1 << 62
DEDUPE_BYTES = 1 << 20


def plan(
    log: TopicLog,
    found: Found,
    config: LogConfig,
    *,
    now_ms: int,
    delete_retention_ms: int,
    first_dirty_offset: int = 0,
    end_offset: int | None = None,
    dedupe_bytes: int = DEDUPE_BYTES,
) -> CleaningPlan:
    """The plan to clean all but the active segment."""
    return CleaningPlan(
        directory=log.directory,
        segments=log.log.segments,
        config=config,
        first_dirty_offset=first_dirty_offset,
        end_offset=log.log.segment_bases[-1] if end_offset is None else end_offset,
        high_watermark=log.log.log_end_offset,
        aborted=tuple(found.aborted),
        last_batches={
            each.producer_id: LastBatch(each.last_offset, each.producer_epoch)
            for each in found.producers.snapshot_entries()
        },
        delete_retention_ms=delete_retention_ms,
        now_ms=now_ms,
        dedupe_buffer_bytes=dedupe_bytes,
        load_factor=0.9,
    )


def clean(disk: Disk, log: TopicLog, to_clean: CleaningPlan, *, slice_bytes: int = 1) -> int:
    """Clean a log. Returns up to where it is clean."""
    cleaning = Cleaning(disk, to_clean)
    while not cleaning.is_done:
        group = cleaning.work(slice_bytes)
        if group is not None:
            deleted = log.log.replace(group.gone, group.cleaned, cuts=log.log.cuts)
            assert deleted is not None, "the log was cut"
            for path in deleted:
                disk.remove(path)
    return cleaning.cleaned_to


def contents(log: TopicLog) -> list[tuple[BatchHeader, list[Record]]]:
    """The batches of a log, from its start on. Length, crc and compressed bytes differ between compressors: the first
    two are left out."""
    found = []
    offset = log.log.log_start_offset
    while data := bytes(log.read_records(offset, 1 << 20, NO_LIMIT, whole_first=True)):
        for batch in iterate_batches(data):
            batch.check()
            header = batch.header()
            found.append((header._replace(batch_length=0, crc=0), list(batch.records())))
            offset = header.next_offset
    return found


def committed(log: TopicLog, aborted: list[AbortedTransaction]) -> list[Record]:
    """What a consumer with the isolation level read_committed gets, from the log's start on."""
    coming = sorted(aborted, key=lambda each: each.first_offset)
    open_aborts: set[int] = set()
    seen: list[Record] = []
    for header, records in contents(log):
        while coming and coming[0].first_offset <= header.last_offset:
            open_aborts.add(coming.pop(0).producer_id)
        if header.is_control:
            if records and records[0].key is not None and records[0].key[3] == 0:
                open_aborts.discard(header.producer_id)
        elif not (header.is_transactional and header.producer_id in open_aborts):
            seen += records
    return seen
