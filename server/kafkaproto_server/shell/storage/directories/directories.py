"""Opens a node's log directories at its start, and checks while the node runs whether they still work (KIP-858).

Every directory has to be formatted, to agree with the others, and to belong to no other node. Only the one for the
metadata log may contain ``__cluster_metadata-0``. If not, the node does not start. A directory that cannot be read or
written, is no directory or has a damaged meta.properties counts as failed: the node starts without it, unless it is to
hold the metadata log, or none is left. One that is missing or empty is not formatted, as in Apache Kafka.

A directory works under two conditions. Its meta.properties is still the one that the node started with; this detects a
directory that was moved away or unmounted. And a small file can be created in it, written, synced and removed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kafkaproto import uuids
from kafkaproto.directory_files import META_PROPERTIES_NAME, MetaProperties
from kafkaproto_server.base.ports import Disk, Lock
from kafkaproto_server.base.types import METADATA_LOG_NAME
from kafkaproto_server.shell.storage.directories.meta_properties import (
    FoundLogDirectory,
    find_mismatches,
    open_log_directories,
    parse_meta_properties,
    read_log_directory,
)
from kafkaproto_server.shell.storage.errors import StorageError

LOCK_NAME = ".lock"
PROBE_NAME = ".kafkaproto-probe"
"""The file that a check writes and removes again."""
PROBE_BYTES = 4096
"""One block of the usual size: if the disk has no free block, the check fails as an append would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDirectory:
    """One log directory of a starting node."""

    path: str
    properties: MetaProperties | None
    """None if they could not be read."""
    problem: str | None
    """Why the directory cannot be used; None if it can."""

    @property
    def directory_id(self) -> bytes | None:
        """``directory.id``; None if it is not known."""
        return None if self.properties is None else self.properties.directory_id


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDirectories:
    """All log directories of a starting node."""

    by_path: dict[str, OpenedDirectory]
    locks: tuple[Lock, ...]
    """The locks on them, held until the node has stopped: two nodes on one directory would destroy it."""


def open_directories(
    disk: Disk,
    paths: Sequence[str],
    *,
    metadata_path: str,
    node_id: int,
    new_uuid: Callable[[], bytes],
    wall_ms: int,
) -> OpenedDirectories:
    """Lock and check the directories. A directory without an id gets one, durably.

    Raises StorageError with everything that is wrong with their content, or if the directory of the metadata log does
    not work. Raises BlockingIOError if another process holds one of the locks.
    """
    # Read without a lock first, and again with it: only the second reading counts.
    looked_at = [read_log_directory(disk, path) for path in paths]
    # Before they are locked, since one directory under two names cannot be locked twice.
    mismatches = find_mismatches(looked_at, node_id=node_id)
    if mismatches:
        raise StorageError("\n".join(mismatches))
    locks: list[Lock] = []
    try:
        found = [_claim(disk, directory, locks) for directory in looked_at]
        for directory in found:
            if directory.has_failed and directory.path == metadata_path:
                raise StorageError(f"the metadata log's directory cannot be used: {directory.problem}")
        _check_metadata_logs(disk, found, metadata_path)
        usable = [each for each in found if not each.has_failed]
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


def _claim(disk: Disk, directory: FoundLogDirectory, locks: list[Lock]) -> FoundLogDirectory:
    """Take the directory's lock, add it to ``locks``, and read the directory again."""
    path = directory.path
    if not directory.exists or directory.has_failed:
        return directory
    try:
        locks.append(disk.lock(f"{path}/{LOCK_NAME}"))
    # It is an OSError, but it means a second process and not a bad disk: the start has to fail.
    except BlockingIOError:
        raise
    except OSError as error:
        return FoundLogDirectory(path=path, problem=f"{path} cannot be locked: {error}", has_failed=True)
    # Again: what was read before the lock, another process may have changed.
    return read_log_directory(disk, path)


def _check_metadata_logs(disk: Disk, directories: Sequence[FoundLogDirectory], metadata_path: str) -> None:
    """Raise StorageError if a directory has a metadata log that this node would not use."""
    for directory in directories:
        if directory.has_failed or directory.properties is None or directory.path == metadata_path:
            continue
        log = f"{directory.path}/{METADATA_LOG_NAME}"
        try:
            has_log = disk.exists(log)
        except OSError:
            # It fails. That is found again when the directory is checked.
            continue
        # Two metadata logs are two sets of votes. Nobody but the operator knows which one is right.
        if has_log:
            raise StorageError(
                f"{log} is a metadata log, but this node keeps its own in {metadata_path}. Set metadata.log.dir to "
                f"{directory.path} to go on with that one, or remove it."
            )


def check_directory(disk: Disk, path: str, directory_id: bytes, *, must_sync: bool = True) -> tuple[int, int]:
    """Check that a directory still works. Returns (total bytes, usable bytes) of its file system.

    Without ``must_sync``, the check does not find out whether the disk keeps what it accepts. Raises OSError if the
    disk refuses an operation, and StorageError if another directory is in its place.
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
        # Written at a fixed position, so that a leftover of an earlier check does not grow.
        probe.write_at(0, bytes(PROBE_BYTES))
        if must_sync:
            probe.sync()
    finally:
        probe.close()
        # Also after a failure: a file that takes the last block of a full disk must not stay.
        disk.remove(probe_path)
    return disk.space(path)


def _problem(disk: Disk, path: str, directory_id: bytes) -> str | None:
    try:
        check_directory(disk, path, directory_id)
    except (OSError, StorageError) as error:
        return str(error)
    return None
