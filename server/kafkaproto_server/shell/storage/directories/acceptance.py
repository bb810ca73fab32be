"""Gives up what a topic's log has lost, so that the next start of the broker takes what is there for the whole log.

A log that was longer is not served (`shell.storage.log.reached`, `losses`). If no other replica has the records, an
administrator decides. Then all batches are read, each file is cut at the first that is not valid, and everything that
said how long the log was is made anew: its indexes, its epochs, its offsets in the checkpoints of the log directory.
What lies in later files stays, with a gap before it, as compaction leaves gaps.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto import uuids
from kafkaproto.directory_files import PARTITION_METADATA_NAME, encode_partition_metadata
from kafkaproto.log import LOG_SUFFIX, OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, parse_segment_file_name
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import replace_file
from kafkaproto_server.shell.storage.directories.directories import LOCK_NAME
from kafkaproto_server.shell.storage.directories.partition_directories import directory_name
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from kafkaproto_server.shell.storage.log.epoch_file import EPOCH_FILE_NAME
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.producer_state_file import remove_producer_states_after
from kafkaproto_server.shell.storage.log.recovery import RecoveryPolicy
from kafkaproto_server.shell.storage.log.topic_log import read_topic_id
from kafkaproto_server.shell.storage.offset_checkpoints import (
    CLEANED,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    TopicPartition,
    read_offsets,
    write_offsets,
)


def accept_log(
    disk: Disk,
    log_directories: list[str],
    topic: str,
    index: int,
    *,
    topic_id: bytes | None,
    report: Callable[[str], None],
) -> None:
    """Give up what the log of a partition has lost. ``topic_id`` is needed if the log does not name its topic any more.
    ``report`` gets a line for everything that is done. Raises StorageError, OSError."""
    name = directory_name(topic, index)
    found = [each for each in log_directories if disk.is_directory(f"{each}/{name}")]
    if not found:
        # Of one that is gone, the checkpoints say where it was.
        found = [each for each in log_directories if _is_in_checkpoints(disk, each, (topic, index))]
    if len(found) != 1:
        where = ", ".join(found or log_directories)
        raise StorageError(f"{name} is in {len(found)} of the log directories, and not in one: {where}")
    (log_directory,) = found
    try:
        lock = disk.lock(f"{log_directory}/{LOCK_NAME}")
    except BlockingIOError as error:
        raise StorageError(f"{log_directory} is in use: stop the broker first") from error
    try:
        directory = f"{log_directory}/{name}"
        if not disk.exists(directory):
            if name in disk.list_directory(log_directory):
                raise _leads_nowhere(directory)
            if topic_id is None:
                raise _topic_id_is_needed(f"{directory} is gone")
            disk.make_directory(directory)
            report(f"Made {directory}.")
        _settle_topic_id(disk, directory, topic_id, report)
        _remove_witnesses(disk, directory)
        checkpoints = _checkpoints(disk, log_directory)
        log_start_offset = checkpoints[LOG_STARTS].get((topic, index), 0)
        end_offset = _recover(disk, directory, log_start_offset, report)
        _settle_checkpoints(disk, log_directory, checkpoints, (topic, index), end_offset)
    finally:
        lock.release()


def _settle_topic_id(
    disk: Disk, directory: str, topic_id: bytes | None, report: Callable[[str], None]
) -> None:
    path = f"{directory}/{PARTITION_METADATA_NAME}"
    try:
        found = read_topic_id(disk, directory)
    except CorruptFileError:
        found = None
    if found is not None and topic_id not in (None, found):
        raise StorageError(f"{path} names another topic id: remove the file if that is wrong")
    if found is not None and topic_id is None:
        # Nothing here knows whether it is right. If it is not, the next start leaves the log offline again.
        report(f"Kept the topic id {uuids.to_text(found)} of {path}.")
    if found is None:
        if topic_id is None:
            raise _topic_id_is_needed(f"{path} is gone or not valid")
        replace_file(disk, directory, PARTITION_METADATA_NAME, encode_partition_metadata(topic_id))
        report(f"Wrote {path}.")


def _topic_id_is_needed(problem: str) -> StorageError:
    return StorageError(f"{problem}: give the topic's id with --topic-id (kafka-topics --describe shows it)")


def _leads_nowhere(path: str) -> StorageError:
    return StorageError(f"{path} is a link to nothing: restore what it leads to, or remove it")


def _is_in_checkpoints(disk: Disk, log_directory: str, key: tuple[str, int]) -> bool:
    found = _checkpoints(disk, log_directory)
    return any(found[name].get(key, 0) for name in (HIGH_WATERMARKS, RECOVERY_POINTS))


def _remove_witnesses(disk: Disk, directory: str) -> None:
    names = disk.list_directory(directory)
    witnesses = [name for name in names if name == EPOCH_FILE_NAME or _is_index(name)]
    # Before anything is removed: then the log is as it was.
    for name in (*witnesses, *(name for name in names if name.endswith(LOG_SUFFIX))):
        if disk.is_directory(f"{directory}/{name}"):
            raise StorageError(f"{directory}/{name} is a directory: move it away")
        if not disk.exists(f"{directory}/{name}"):
            raise _leads_nowhere(f"{directory}/{name}")
    for name in witnesses:
        disk.remove(f"{directory}/{name}")
    disk.sync_directory(directory)


def _is_index(name: str) -> bool:
    suffixes = (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX)
    return any(parse_segment_file_name(name, suffix) is not None for suffix in suffixes)


def _recover(disk: Disk, directory: str, log_start_offset: int, report: Callable[[str], None]) -> int:
    """Let a log be what can be read of it, durably. Returns where it ends."""
    topic_id = read_topic_id(disk, directory)
    assert topic_id is not None, "it was written, or was there"
    before = _sizes(disk, directory)
    log = Log.open(
        disk,
        directory,
        topic_id=topic_id,
        config=LogConfig(has_gaps=True, is_durable_at_once=False),
        policy=RecoveryPolicy(cuts_damage=True, keeps_behind=True),
    )
    if log_start_offset > log.log_end_offset and not log.size_in_bytes:
        # Offsets of records that were there are not given to others.
        log.truncate_fully_to(log_start_offset)
    start_offset, end_offset = log.log_start_offset, log.log_end_offset
    # The checkpoints below say that all of it is durable.
    log.flush()
    log.close(None)
    remove_producer_states_after(disk, directory, end_offset)
    disk.sync_directory(directory)
    for name, size in _sizes(disk, directory).items():
        if before.get(name, size) > size:
            report(f"Cut {directory}/{name} from {before[name]} to {size} bytes.")
    report(f"{directory} holds records from offset {start_offset} to {end_offset} (exclusive).")
    return end_offset


def _sizes(disk: Disk, directory: str) -> dict[str, int]:
    sizes = {}
    for name in disk.list_directory(directory):
        if name.endswith(LOG_SUFFIX):
            file = disk.open_read_only(f"{directory}/{name}")
            try:
                sizes[name] = file.size()
            finally:
                file.close()
    return sizes


def _checkpoints(disk: Disk, log_directory: str) -> dict[str, dict[TopicPartition, int]]:
    try:
        names = (HIGH_WATERMARKS, RECOVERY_POINTS, CLEANED, LOG_STARTS)
        return {name: read_offsets(disk, log_directory, name) for name in names}
    except ValueError as error:
        raise StorageError(
            f"{error}: remove the file, or start the broker once, which writes it anew"
        ) from error


def _settle_checkpoints(
    disk: Disk,
    log_directory: str,
    found: dict[str, dict[TopicPartition, int]],
    key: TopicPartition,
    end_offset: int,
) -> None:
    settled = {
        HIGH_WATERMARKS: min(found[HIGH_WATERMARKS].get(key, end_offset), end_offset),
        RECOVERY_POINTS: end_offset,
        # What has an entry there may have gaps.
        CLEANED: min(found[CLEANED].get(key, 0), end_offset),
    }
    log_start_offset = found[LOG_STARTS].get(key, 0)
    if log_start_offset > end_offset:
        # It is wrong: there are records before.
        settled[LOG_STARTS] = 0
    for name, offset in settled.items():
        write_offsets(disk, log_directory, name, {**found[name], key: offset})
