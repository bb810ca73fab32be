"""What lies in a log directory when the broker starts: partitions, checkpoints, what is to be removed."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import structs

from kafkaproto.directory_files import PARTITION_METADATA_NAME, torn_topic_id
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import METADATA_LOG_NAME
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.shell.replicas.files.checkpointed import Checkpointed
from kafkaproto_server.shell.storage.directories.boot_file import is_of_this_boot
from kafkaproto_server.shell.storage.directories.partition_directories import (
    DELETE_SUFFIX,
    FUTURE_SUFFIX,
    PartitionDirectory,
    directory_name,
    parse_directory_name,
)
from kafkaproto_server.shell.storage.errors import CorruptFileError, of_log, of_log_in_use
from kafkaproto_server.shell.storage.log.partition_metadata import check_has_no_records
from kafkaproto_server.shell.storage.log.topic_log import read_topic_id
from kafkaproto_server.shell.storage.offset_checkpoints import (
    CLEANED,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    TopicPartition,
    read_offsets,
)

_log = logging.getLogger("kafkaproto.server.replicas")


class DirectorySurvey(msgspec.Struct, frozen=True, kw_only=True):
    is_clean: bool
    """Whether the broker stopped in order: nothing has to be recovered."""
    found: tuple[FoundReplica, ...]
    """The directories of replicas, and their future copies."""
    recovery_points: Mapping[TopicPartition, int]
    log_starts: Mapping[TopicPartition, int]
    high_watermarks: Mapping[TopicPartition, int]
    deleted: Sequence[str] = ()
    """The names of directories whose replicas were deleted, and that are to be removed."""
    cleaned: Mapping[TopicPartition, int] = msgspec.field(default_factory=dict)
    """Up to where each log is compacted."""
    is_of_boot: bool = False
    """Whether it says that the machine has run on since all of its logs were open."""
    is_kept: bool = False
    """Whether all that the broker wrote has to be there: it stopped in order, or the machine has run on since."""
    is_emptied: bool = False
    """Whether nothing shows that a broker ever ran on it: it is new, or somebody has emptied it."""

    def checkpointed(self, topic: str, index: int) -> Checkpointed:
        """What the checkpoints say of a replica."""
        key = (topic, index)
        return Checkpointed(
            recovery_point=self.recovery_points.get(key, 0),
            log_start_offset=self.log_starts.get(key, 0),
            high_watermark=self.high_watermarks.get(key, 0),
        )


def survey_directory(disk: Disk, path: str, directory_id: bytes, *, is_clean: bool) -> DirectorySurvey:
    """Read what is in a log directory. Raises OSError.

    A future copy whose topic id is damaged is a stray: a power loss may leave that of a copy that was just begun, and
    nobody would ever remove it. A replica that the checkpoints have, and that has no directory, is found as one that is
    gone: they are lowered before this broker renames or removes a directory.
    """
    replicas: list[FoundReplica] = []
    deleted = []
    is_of_boot = is_of_this_boot(disk, path)
    # If the machine runs on, the page cache has what was written, durable or not; a clean stop has synced it.
    is_kept = is_of_boot or is_clean
    survey = DirectorySurvey(
        is_clean=is_clean,
        found=(),
        recovery_points=_offsets(disk, path, RECOVERY_POINTS),
        log_starts=_offsets(disk, path, LOG_STARTS),
        high_watermarks=_offsets(disk, path, HIGH_WATERMARKS),
        cleaned=_offsets(disk, path, CLEANED),
        is_kept=is_kept,
        is_of_boot=is_of_boot,
    )
    names = disk.list_directory(path)
    for name in names:
        found = parse_directory_name(name)
        # The last run of the broker ended before it removed them.
        if found is not None and found.suffix == DELETE_SUFFIX:
            deleted.append(name)
        # Strays and what nobody knows stay as they are, and are never opened. The metadata log is the quorum's.
        if found is None or found.suffix not in ("", FUTURE_SUFFIX) or name == METADATA_LOG_NAME:
            continue
        has_reached = survey.checkpointed(found.topic, found.partition).reached(is_kept=is_kept) is not None
        # A crash may leave the directory of a new replica without its topic id. It has no records then, unless
        # something says that there were some.
        may_lack_id = not (is_kept or has_reached)
        replica = _replica(disk, path, directory_id, name, found, may_lack_id=may_lack_id)
        if replica.topic_id is None and has_reached and not (replica.is_future or replica.is_damaged):
            # It has no records, and there were some.
            replica = structs.replace(replica, is_damaged=True, torn_id="")
        replicas.append(replica)
    is_emptied = not any(_is_of_a_broker(name) for name in names)
    # With what was found, because `_gone` compares that with the checkpoints.
    survey = structs.replace(survey, found=tuple(replicas), deleted=deleted, is_emptied=is_emptied)
    return structs.replace(survey, found=(*replicas, *_gone(survey, directory_id)))


def _is_of_a_broker(name: str) -> bool:
    """Whether a broker has made it. Its notes of starts and stops do not count: their names begin with a dot, and often
    stay when all is removed."""
    if name in (RECOVERY_POINTS, HIGH_WATERMARKS, LOG_STARTS, CLEANED):
        return True
    # A controller's log may be in the same directory. It says nothing of the broker.
    return name != METADATA_LOG_NAME and parse_directory_name(name) is not None


def without_moved(surveys: Mapping[bytes, DirectorySurvey]) -> dict[bytes, DirectorySurvey]:
    """The same without those that are gone from one directory and lie in another: they had moved there."""
    there = {
        (each.topic, each.index)
        for survey in surveys.values()
        for each in survey.found
        if not each.is_gone and not each.is_future
    }
    return {
        directory_id: structs.replace(
            survey,
            found=tuple(
                each for each in survey.found if not each.is_gone or (each.topic, each.index) not in there
            ),
        )
        for directory_id, survey in surveys.items()
    }


def _gone(survey: DirectorySurvey, directory_id: bytes) -> Iterator[FoundReplica]:
    """What the checkpoints have, and no directory, also none that is to be removed."""
    # A copy counts as well: it becomes the replica if that is nowhere else.
    there = {(each.topic, each.index) for each in survey.found}
    for name in survey.deleted:
        deleted = parse_directory_name(name)
        assert deleted is not None, "it was parsed before"
        there.add((deleted.topic, deleted.partition))
    for topic, index in sorted({*survey.recovery_points, *survey.high_watermarks} - there):
        if survey.checkpointed(topic, index).reached(is_kept=survey.is_kept) is not None:
            # Nothing says any more which topic it was of. So it counts as damaged, and the replica of its name as one
            # that has lost its records.
            yield FoundReplica(
                directory_id=directory_id,
                name=directory_name(topic, index),
                topic=topic,
                index=index,
                topic_id=None,
                is_future=False,
                is_damaged=True,
                torn_id="",
                is_gone=True,
            )


def _replica(
    disk: Disk, path: str, directory_id: bytes, name: str, found: PartitionDirectory, *, may_lack_id: bool
) -> FoundReplica:
    directory, is_future = f"{path}/{name}", found.suffix == FUTURE_SUFFIX
    topic_id: bytes | None = None
    torn_id: str | None = None
    is_damaged = False
    try:
        # Errors of single files are those of the log, as long as the log directory is what it was: they cost a
        # partition, and not the node.
        with of_log_in_use(disk, directory), of_log(directory):
            topic_id = read_topic_id(disk, directory)
            # A log with records and without an id has lost the file. To open it as a new one would be to accept the
            # loss.
            if topic_id is None and not is_future and not may_lack_id:
                check_has_no_records(disk, directory)
    except CorruptFileError as error:
        _log.warning("%s", error)
        # A damaged copy is none that could be lost: the replica is where it was, and the copy is made anew.
        topic_id, is_damaged = None, not is_future
        torn_id = _torn_id(disk, f"{directory}/{PARTITION_METADATA_NAME}")
    return FoundReplica(
        directory_id=directory_id,
        name=name,
        topic=found.topic,
        index=found.partition,
        topic_id=topic_id,
        is_future=is_future,
        is_damaged=is_damaged,
        torn_id=torn_id,
    )


def _torn_id(disk: Disk, path: str) -> str | None:
    try:
        return torn_topic_id(disk.read_file(path))
    except OSError:
        # Nothing says whose log it is but the directory's name.
        return ""


def _offsets(disk: Disk, path: str, name: str) -> dict[TopicPartition, int]:
    try:
        return read_offsets(disk, path, name)
    except ValueError as error:
        # Without it more is read, and the high watermark is learnt again.
        _log.warning("%s", error)
        return {}
