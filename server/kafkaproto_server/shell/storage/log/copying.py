"""Copies a topic's log into another directory, a slice at a time, while it is read and appended to (KIP-113).

A copy has the same batches; its segments may begin at other offsets. All functions here are for the one thread that
writes the copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.shell.storage.errors import CorruptFileError, OffsetOutOfRangeError, StorageError
from kafkaproto_server.shell.storage.log.epoch_file import write_epoch_file
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.topic_log import TopicLog


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be copied."""

    offset: int
    """The copy's end; or where it begins anew."""
    end_offset: int
    """Of what there is to be copied at this moment."""
    max_bytes: int
    aborted: Sequence[AbortedTransaction]
    """The aborted transactions that end in this range of offsets."""
    wall_ms: int


class Unreadable(msgspec.Struct, frozen=True):
    """The log that is to be copied could not be read."""

    error: Exception


def copy_slice(source: TopicLog, copy: TopicLog, part: Slice, *, begins: bool) -> int | Unreadable:
    """Append some batches to the copy; if it ``begins``, it is emptied first, and starts with the batch that has
    the offset. Returns how many bytes were copied. Raises OSError of the copy's disk."""
    try:
        data = source.read_records(part.offset, part.max_bytes, part.end_offset, whole_first=True)
        views = list(iterate_stored_batches(data))
        for view in views:
            # The crc as well: the copy gets indexes and a recovery point as if what it holds were whole.
            view.check()
    except RemoteProtocolError as error:
        return Unreadable(CorruptFileError(source.directory, str(error)))
    except (OSError, OffsetOutOfRangeError, StorageError) as error:
        return Unreadable(error)
    if begins:
        # A log may start within a batch.
        first = views[0].base_offset if views else part.offset
        copy.log.truncate_fully_to(min(first, part.offset))
    if views:
        end = views[-1].next_offset
        size = views[-1].position + views[-1].size_in_bytes
        aborted = [each for each in part.aborted if each.last_offset < end]
        copy.append((memoryview(data)[:size],), aborted, part.wall_ms)
    else:
        size = 0
        # Compaction has left nothing up to the end.
        if copy.log.log_end_offset < part.end_offset:
            copy.log.roll(part.end_offset)
    return size


def settle_copy(
    disk: Disk,
    copy: TopicLog,
    path: str,
    *,
    epochs: tuple[tuple[int, int], ...],
    config: LogConfig,
    producer_expiration_ms: int,
) -> TopicLog:
    """Let a copy that has all be the log in the directory ``path``, durably on return. ``epochs`` are those of the log
    that it replaces: an epoch may have no record. Raises OSError, StorageError."""
    # The copy is closed in order below, and so opened by its indexes. All that they say has to be durable.
    copy.log.flush()
    start_offset, end_offset = copy.log.log_start_offset, copy.log.log_end_offset
    copy.close(None)
    write_epoch_file(disk, copy.directory, LeaderEpochs(epochs))
    disk.rename(copy.directory, path)
    disk.sync_directory(path.rpartition("/")[0])
    opened = TopicLog.open(
        disk,
        path,
        topic_id=copy.topic_id,
        # Gaps are those of compaction, whatever the policy is now.
        config=replace(config, cuts_at_gaps=False),
        log_start_offset=start_offset,
        is_clean=True,
        producer_expiration_ms=producer_expiration_ms,
    )
    found = opened.log.log_start_offset, opened.log.log_end_offset
    # The former log is still there, so nothing is lost by refusing.
    if found != (start_offset, end_offset):
        opened.log.abandon()
        raise CorruptFileError(path, f"has offsets {found}, and was closed with {start_offset, end_offset}")
    opened.configure(config)
    return opened
