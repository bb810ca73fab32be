"""A node's log directories when it starts, and whether they still work while it runs (KIP-858).

Every directory has to be formatted, to agree with the others, and to be nobody else's; only the one of the metadata log
has ``__cluster_metadata-0``. A disk that cannot be read or written is another matter than one with the wrong content:
the node goes on without it, unless it holds the metadata log.

A directory works if its meta.properties is still the one that the node started with, so that one which was moved away
or unmounted is noticed, and if a small file can be made in it, written, synced and removed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kafkaproto import uuids
from kafkaproto_server.ports import Disk, Lock
from kafkaproto_server.storage.directories.meta_properties import (
    META_PROPERTIES_NAME,
    LogDirectory,
    MetaProperties,
    find_mismatches,
    open_log_directories,
    parse_meta_properties,
    read_log_directory,
)
from kafkaproto_server.storage.errors import StorageError
from kafkaproto_server.types import METADATA_TOPIC

LOCK_NAME = ".lock"
PROBE_NAME = ".kafkaproto-probe"
"""The file that a check writes and removes again."""
PROBE_BYTES = 4096
"""A block of the usual size: on a disk without a free one the check fails, as an append would."""

METADATA_LOG_NAME = f"{METADATA_TOPIC}-0"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDirectory:
    """One log directory of a node that starts."""

    path: str
    properties: MetaProperties | None
    """None where they could not be read."""
    problem: str | None
    """Why the directory cannot be used; None where it can."""

    @property
    def directory_id(self) -> bytes | None:
        """``directory.id``, None where it is not known."""
        return None if self.properties is None else self.properties.directory_id


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDirectories:
    """All log directories of a node that starts."""

    by_path: dict[str, OpenedDirectory]
    locks: tuple[Lock, ...]
    """The claims on them, kept until the node has stopped: two nodes on one directory would ruin it."""


def open_directories(
    disk: Disk,
    paths: Sequence[str],
    *,
    metadata_path: str,
    node_id: int,
    new_uuid: Callable[[], bytes],
    wall_ms: int,
) -> OpenedDirectories:
    """Claim and check the directories; those without an id are given one, durably.

    Raises StorageError with everything that is wrong with their content, or where the metadata log's directory does not
    work; BlockingIOError where another process holds one of them.
    """
    looked_at = [read_log_directory(disk, path) for path in paths]
    # Before they are claimed, since one directory under two names cannot be claimed twice.
    mismatches = find_mismatches(looked_at, node_id=node_id)
    if mismatches:
        raise StorageError("\n".join(mismatches))
    locks: list[Lock] = []
    try:
        found = [_claim(disk, directory, locks) for directory in looked_at]
        for directory in found:
            if directory.is_unreadable and directory.path == metadata_path:
                raise StorageError(f"the metadata log's directory cannot be used: {directory.problem}")
        _check_metadata_logs(disk, found, metadata_path)
        usable = [each for each in found if not each.is_unreadable]
        known, unwritable = open_log_directories(
            disk, usable, node_id=node_id, new_uuid=new_uuid, wall_ms=wall_ms
        )
        opened = {}
        for directory in found:
            properties = known.get(directory.path)
            problem = directory.problem or unwritable.get(directory.path)
            if problem is None:
                assert properties is not None
                assert properties.directory_id is not None
                problem = _problem(disk, directory.path, properties.directory_id)
            if problem is not None and directory.path == metadata_path:
                raise StorageError(f"the metadata log's directory cannot be used: {problem}")
            opened[directory.path] = OpenedDirectory(
                path=directory.path, properties=properties, problem=problem
            )
    except BaseException:
        for lock in locks:
            lock.release()
        raise
    return OpenedDirectories(by_path=opened, locks=tuple(locks))


def _claim(disk: Disk, directory: LogDirectory, locks: list[Lock]) -> LogDirectory:
    """Take the directory's lock, which joins ``locks``, and look again at what is in it."""
    path = directory.path
    if not directory.exists or directory.is_unreadable or not disk.is_directory(path):
        return directory
    try:
        locks.append(disk.lock(f"{path}/{LOCK_NAME}"))
    except BlockingIOError:
        raise
    except OSError as error:
        return LogDirectory(path=path, problem=f"{path} cannot be locked: {error}", is_unreadable=True)
    return read_log_directory(disk, path)


def _check_metadata_logs(disk: Disk, directories: Sequence[LogDirectory], metadata_path: str) -> None:
    """Raise StorageError where a directory has a metadata log that this node would not go on with."""
    for directory in directories:
        if directory.is_unreadable or directory.properties is None or directory.path == metadata_path:
            continue
        log = f"{directory.path}/{METADATA_LOG_NAME}"
        if disk.exists(log):
            raise StorageError(
                f"{log} is a metadata log, but this node keeps its own in {metadata_path}. Set metadata.log.dir to "
                f"{directory.path} to go on with that one, or remove it."
            )


def check_directory(disk: Disk, path: str, directory_id: bytes, *, must_sync: bool = True) -> tuple[int, int]:
    """Whether a directory still works: (total bytes, usable bytes) of its file system.

    Without ``must_sync`` it is left to others to find out that the disk does not keep what it takes.

    Raises OSError where the disk refuses to, StorageError where another directory is in its place.
    """
    file_path = f"{path}/{META_PROPERTIES_NAME}"
    found = parse_meta_properties(disk.read_file(file_path), file_path)
    if found.directory_id != directory_id:
        now = "no directory.id" if found.directory_id is None else uuids.to_text(found.directory_id)
        raise StorageError(
            f"{file_path}: directory.id was {uuids.to_text(directory_id)} and is {now}: another directory was put in "
            "its place"
        )
    probe_path = f"{path}/{PROBE_NAME}"
    probe = disk.open(probe_path, create=True)
    try:
        probe.write_at(0, bytes(PROBE_BYTES))
        if must_sync:
            probe.sync()
    finally:
        probe.close()
        disk.remove(probe_path)
    return disk.space(path)


def _problem(disk: Disk, path: str, directory_id: bytes) -> str | None:
    try:
        check_directory(disk, path, directory_id)
    except (OSError, StorageError) as error:
        return str(error)
    return None
