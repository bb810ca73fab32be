"""``meta.properties``: the node and the cluster that a log directory belongs to, and the directory's own id (KIP-631,
KIP-858).

It is a Java properties file at the root of every log directory:

    #
    #Sat Nov 21 06:28:49 UTC 2026
    node.id=1
    directory.id=cfDiVozwRvO-F35hnvT9vQ
    version=1
    cluster.id=MkU3OEVBNTcwNTJENDM2Qg

Version 0 has ``broker.id`` instead of ``node.id``, and may lack it and the cluster id. Both versions may lack the
directory id; the node then assigns one at its start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import javaproperties

from kafkaproto import uuids
from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.atomic import replace_file
from kafkaproto_server.storage.errors import CorruptFileError, StorageError

META_PROPERTIES_NAME = "meta.properties"

VERSION_KEY = "version"
CLUSTER_ID_KEY = "cluster.id"
NODE_ID_KEY = "node.id"
BROKER_ID_KEY = "broker.id"
DIRECTORY_ID_KEY = "directory.id"

RESERVED_DIRECTORY_IDS = 100
"""Directory ids whose first half is zero and whose second half is below this number have special meanings."""


def is_reserved_directory_id(directory_id: bytes) -> bool:
    """Whether a directory id stands for a state (migrating, unassigned, lost) instead of a directory."""
    high = int.from_bytes(directory_id[:8], signed=True)
    return high == 0 and int.from_bytes(directory_id[8:], signed=True) < RESERVED_DIRECTORY_IDS


def new_directory_id(new_uuid: Callable[[], bytes], taken: Iterable[bytes] = ()) -> bytes:
    """A random id that is not reserved and not in ``taken``, and whose text form does not begin with a dash."""
    excluded = set(taken)
    while True:
        candidate = new_uuid()
        text = uuids.to_text(candidate)
        if not text.startswith("-") and candidate not in excluded and not is_reserved_directory_id(candidate):
            return candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaProperties:
    """The content of one file."""

    version: int
    """0 or 1."""
    cluster_id: str | None
    node_id: int | None
    """``broker.id`` in version 0."""
    directory_id: bytes | None
    """16 bytes; None if the directory has no id yet."""

    def to_mapping(self) -> dict[str, str]:
        """The properties as they are written, in Kafka's order."""
        values: dict[str, str | None] = {
            (NODE_ID_KEY if self.version else BROKER_ID_KEY): None
            if self.node_id is None
            else str(self.node_id),
            DIRECTORY_ID_KEY: None if self.directory_id is None else uuids.to_text(self.directory_id),
            VERSION_KEY: str(self.version),
            CLUSTER_ID_KEY: self.cluster_id,
        }
        return {key: value for key, value in values.items() if value is not None}


def encode_meta_properties(properties: MetaProperties, wall_ms: int) -> bytes:
    """The bytes of the file. ``wall_ms`` is the time of writing (milliseconds since the epoch), shown in UTC."""
    written_at = datetime.fromtimestamp(wall_ms // 1000, UTC)
    text = javaproperties.dumps(properties.to_mapping(), comments="", timestamp=written_at)
    return text.encode("ascii")


def parse_meta_properties(content: bytes, path: str) -> MetaProperties:
    """The properties in a file's bytes; ``path`` is for the message. Raises CorruptFileError, which names the wrong
    property."""
    try:
        values: Mapping[str, str] = javaproperties.loads(content.decode("iso-8859-1"))
    except ValueError as error:
        raise CorruptFileError(path, str(error)) from error
    version = _number(values, VERSION_KEY, path)
    if version not in (None, 0, 1):
        raise CorruptFileError(path, f"{VERSION_KEY} is {version}, this release reads 0 and 1")
    node_id = _number(values, NODE_ID_KEY if version else BROKER_ID_KEY, path)
    cluster_id = values.get(CLUSTER_ID_KEY)
    if version:
        for key, value in ((CLUSTER_ID_KEY, cluster_id), (NODE_ID_KEY, node_id)):
            if value is None:
                raise CorruptFileError(path, f"{key} is missing")
    return MetaProperties(
        version=version or 0,
        cluster_id=cluster_id,
        node_id=node_id,
        directory_id=_directory_id(values, path),
    )


def _number(values: Mapping[str, str], key: str, path: str) -> int | None:
    text = values.get(key)
    if text is None:
        return None
    if re.fullmatch(r"[+-]?[0-9]{1,10}", text) is None:
        raise CorruptFileError(path, f"{key} is {text!r}, a whole number is expected")
    return int(text)


def _directory_id(values: Mapping[str, str], path: str) -> bytes | None:
    text = values.get(DIRECTORY_ID_KEY)
    if text is None:
        return None
    try:
        directory_id = uuids.from_text(text)
    except ValueError as error:
        raise CorruptFileError(path, f"{DIRECTORY_ID_KEY}: {error}") from error
    if is_reserved_directory_id(directory_id):
        raise CorruptFileError(path, f"{DIRECTORY_ID_KEY} is {text}, which is reserved")
    return directory_id


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
    is_unreadable: bool = False
    """Whether the disk is the problem, and not the directory's content."""

    @property
    def meta_properties_path(self) -> str:
        """The path of its ``meta.properties``, also if the file does not exist."""
        return f"{self.path}/{META_PROPERTIES_NAME}"


def read_log_directory(disk: Disk, path: str) -> FoundLogDirectory:
    """Read one log directory. Problems are in the result; it never raises for them."""
    try:
        if not disk.exists(path):
            return FoundLogDirectory(path=path, exists=False)
        if not disk.is_directory(path):
            return FoundLogDirectory(path=path, problem=f"{path} is not a directory")
        # List the directory first: only this shows whether it can be read at all. A lookup of a missing name would not.
        if META_PROPERTIES_NAME not in disk.list_directory(path):
            return FoundLogDirectory(path=path)
        file_path = f"{path}/{META_PROPERTIES_NAME}"
        return FoundLogDirectory(
            path=path, properties=parse_meta_properties(disk.read_file(file_path), file_path)
        )
    except CorruptFileError as error:
        return FoundLogDirectory(path=path, problem=str(error))
    except OSError as error:
        return FoundLogDirectory(path=path, problem=f"{path} cannot be read: {error}", is_unreadable=True)


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
                unwritable[path] = str(error)
            else:
                found[path] = given
    return found, unwritable
