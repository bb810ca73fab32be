"""Reads, checks and writes ``meta.properties`` of log directories. The file's format is described in
`kafkaproto.directory_files`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from kafkaproto import uuids
from kafkaproto.directory_files import (
    CLUSTER_ID_KEY,
    META_PROPERTIES_NAME,
    MetaProperties,
    decode_meta_properties,
    encode_meta_properties,
    is_reserved_directory_id,
)
from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import replace_file
from kafkaproto_server.shell.storage.directories.partition_directories import parse_directory_name
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError, is_shortage


def new_directory_id(new_uuid: Callable[[], bytes], taken: Iterable[bytes] = ()) -> bytes:
    """A random id that is not reserved and not in ``taken``, and whose text form does not begin with a dash."""
    excluded = set(taken)
    while True:
        candidate = new_uuid()
        text = uuids.to_text(candidate)
        # A dash at the beginning would look like an option on a command line. Kafka's
        # Uuid.randomUuid avoids it as well.
        if not text.startswith("-") and candidate not in excluded and not is_reserved_directory_id(candidate):
            return candidate


def parse_meta_properties(content: bytes, path: str) -> MetaProperties:
    """The properties in a file's bytes; ``path`` is for the message. Raises CorruptFileError, which names the wrong
    property."""
    try:
        return decode_meta_properties(content)
    except ValueError as error:
        raise CorruptFileError(path, str(error)) from error


def write_meta_properties(disk: Disk, directory: str, properties: MetaProperties, wall_ms: int) -> None:
    """Replace the file of a log directory, durably on return. Raises OSError."""
    replace_file(disk, directory, META_PROPERTIES_NAME, encode_meta_properties(properties, wall_ms))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLogDirectory:
    """One log directory as found on the disk."""

    path: str
    exists: bool = True
    properties: MetaProperties | None = None
    """None if the directory is not formatted, or not readable."""
    problem: str | None = None
    """Why it cannot be used, with its path; None if it is formatted or only empty."""
    has_failed: bool = False
    """Whether it cannot be read, as if its disk had failed: a node goes on without it, unless its metadata log is
    there."""

    @property
    def meta_properties_path(self) -> str:
        """The path of its ``meta.properties``, also if the file does not exist."""
        return f"{self.path}/{META_PROPERTIES_NAME}"


def read_log_directory(disk: Disk, path: str) -> FoundLogDirectory:
    """Read one log directory. Problems are in the result. Raises OSError only if memory or file descriptors run short,
    which says nothing of the directory."""
    try:
        if not disk.exists(path):
            return FoundLogDirectory(path=path, exists=False)
        if not disk.is_directory(path):
            return FoundLogDirectory(path=path, problem=f"{path} is not a directory", has_failed=True)
        # List the directory first: only this shows whether it can be read at all. A lookup of a missing name would not.
        names = disk.list_directory(path)
        file_path = f"{path}/{META_PROPERTIES_NAME}"
        if META_PROPERTIES_NAME not in names:
            logs = [name for name in names if _is_log(disk, path, name)]
            if not logs:
                return FoundLogDirectory(path=path)
            # It was formatted once. To format it anew would forget which directory, or which voter, it was.
            return FoundLogDirectory(path=path, problem=_without_properties(file_path, logs), has_failed=True)
        return FoundLogDirectory(
            path=path, properties=parse_meta_properties(disk.read_file(file_path), file_path)
        )
    except CorruptFileError as error:
        return FoundLogDirectory(path=path, problem=str(error), has_failed=True)
    except OSError as error:
        if is_shortage(error):
            raise
        return FoundLogDirectory(path=path, problem=f"{path} cannot be read: {error}", has_failed=True)


def _is_log(disk: Disk, path: str, name: str) -> bool:
    found, directory = parse_directory_name(name), f"{path}/{name}"
    if found is None or found.suffix or not disk.is_directory(directory):
        return False
    # What a format makes that was interrupted has no segment.
    return any(
        parse_segment_file_name(each, LOG_SUFFIX) is not None for each in disk.list_directory(directory)
    )


def _without_properties(file_path: str, logs: Sequence[str]) -> str:
    others = f" and {len(logs) - 1} more are" if len(logs) > 1 else " is"
    return (
        f"{file_path}: the file is gone, but {logs[0]}{others} there: restore it. If that cannot be, write it anew "
        "with the lines version=1, cluster.id=... and node.id=..., as other directories have them, and with "
        "directory.id=... if you know it: without that line, the directory gets a new id"
    )


def find_mismatches(
    directories: Sequence[FoundLogDirectory], *, node_id: int, cluster_id: str | None = None
) -> list[str]:
    """The contradictions between formatted directories and the configuration, one sentence each.

    If ``cluster_id`` is None, the first directory that has a cluster id determines the right one.
    """
    problems: list[str] = []
    owners: dict[bytes, FoundLogDirectory] = {}
    for directory in directories:
        if directory.properties is None:
            continue
        path = directory.meta_properties_path
        found = directory.properties
        if found.node_id is not None and found.node_id != node_id:
            problems.append(
                f"{path}: stored node id {found.node_id} does not match the configured node.id {node_id}. "
                "If data was moved, configure the id that it had; if this is a new node, remove the data."
            )
        if cluster_id is None:
            cluster_id = found.cluster_id
        elif found.cluster_id is not None and found.cluster_id != cluster_id:
            problems.append(f"{path}: cluster.id is {found.cluster_id}, expected {cluster_id}")
        # A copied directory is the likely reason. Assignments of replicas name a directory by its
        # id only (KIP-858), so two directories with one id could not be told apart.
        if found.directory_id is not None:
            owner = owners.setdefault(found.directory_id, directory)
            if owner is not directory:
                problems.append(
                    f"{path}: directory.id {uuids.to_text(found.directory_id)} is also that of {owner.path}; "
                    "one of them is a copy and has to go"
                )
    return problems


def open_log_directories(
    disk: Disk,
    directories: Sequence[FoundLogDirectory],
    *,
    node_id: int,
    new_uuid: Callable[[], bytes],
    wall_ms: int,
    cluster_id: str | None = None,
) -> tuple[dict[str, MetaProperties], dict[str, str]]:
    """Check at a node's start that all its log directories are formatted and agree. Returns their properties and the
    problems, both by path.

    A directory without an id gets one, durably. A problem is reported for each directory whose disk does not accept it.
    Raises StorageError with everything that is wrong with the content.
    """
    found = {entry.path: entry.properties for entry in directories if entry.properties is not None}
    problems = [entry.problem for entry in directories if entry.problem is not None]
    problems += [
        f"{entry.path} is not formatted: run kafka-storage format"
        for entry in directories
        if entry.path not in found and entry.problem is None
    ]
    problems += find_mismatches(directories, node_id=node_id, cluster_id=cluster_id)
    # Files of version 0 may lack the cluster id. At least one directory has to name it.
    cluster_ids = [
        properties.cluster_id for properties in found.values() if properties.cluster_id is not None
    ]
    if found and not cluster_ids:
        problems.append(f"{CLUSTER_ID_KEY} is missing in {META_PROPERTIES_NAME} of {', '.join(found)}")
    if problems:
        raise StorageError("\n".join(problems))
    taken = {properties.directory_id for properties in found.values() if properties.directory_id is not None}
    unwritable: dict[str, str] = {}
    for path, properties in found.items():
        if properties.directory_id is None:
            directory_id = new_directory_id(new_uuid, taken)
            taken.add(directory_id)
            given = replace(
                properties, version=1, cluster_id=cluster_ids[0], node_id=node_id, directory_id=directory_id
            )
            try:
                write_meta_properties(disk, path, given, wall_ms)
            except OSError as error:
                # One bad disk does not stop a node (KIP-858), unless it is that of the metadata
                # log.
                unwritable[path] = str(error)
            else:
                found[path] = given
    return found, unwritable
