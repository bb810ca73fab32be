"""From paths and globs to the replicas of the metadata log that are there.

A path names a node's log directory (with ``meta.properties``), the ``__cluster_metadata-0`` in it, a single segment or
a single snapshot. The directory may be that of a running node, which adds files, renames them before it deletes them,
and deletes them at any time. So a file that is listed here may have another name when it is read, or be gone.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kafkaproto import uuids
from kafkaproto.directory_files import (
    DELETED_SUFFIX,
    META_PROPERTIES_NAME,
    PARTITION_METADATA_NAME,
    QUORUM_STATE_NAME,
    decode_meta_properties,
    decode_partition_metadata,
    decode_quorum_state,
)
from kafkaproto.log import MAX_OFFSET, parse_segment_file_name, segment_file_name
from kafkaproto.snapshot import SnapshotId, parse_snapshot_file_name
from kafkaproto_server.base.types import METADATA_LOG_NAME, METADATA_TOPIC_ID

_FORMAT_SNAPSHOT = SnapshotId(epoch=0, end_offset=0)
"""The snapshot that formatting a directory writes: it holds the voters, and no record of the log."""
PRODUCER_STATE_SUFFIX = ".snapshot"
EPOCHS_NAME = "leader-epoch-checkpoint"
_NODE_FILES = frozenset({QUORUM_STATE_NAME, PARTITION_METADATA_NAME, EPOCHS_NAME})
"""Files of a node's own directory of the metadata log."""
_MAX_SMALL_FILE_BYTES = 1 << 20
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):(//)?(.*)")
_TOPIC_PARTITION = re.compile(r".+-[0-9]+")
_LOCAL_SCHEME = "file"
_LOST_AND_FOUND = "lost+found"
"""What file systems have at their top, for root alone."""
_ANY_DEPTH = "**"
_SEGMENT_REMAINS = re.compile(r"([0-9]{20})\.(?:(?:timeindex|index)|log\.(?!deleted$).+)")
"""Names that tell of a segment: its indexes, and the segment under another name, as that of a compressed copy. A node
that deletes a segment renames it first.
"""


class InputError(Exception):
    """The input does not exist, or is not what it should be; the text names path and offset."""


class NoDataError(InputError):
    """A path is no place of the metadata log. One of several that a glob matches may be such a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentOnDisk:
    """One segment as it was when it was listed."""

    base_offset: int
    path: str
    size_bytes: int
    modified_ns: int = 0
    """Time of the last write, according to the file system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotOnDisk:
    """The file of one snapshot."""

    id: SnapshotId
    path: str
    size_bytes: int
    modified_ns: int = 0
    """Time of the last write, according to the file system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A sign that the log once had all offsets below this one."""

    offset: int
    file: str
    is_segment: bool = False
    """Whether a segment began there, so that an unknown number of offsets followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredElection:
    """A node's promises in elections, from its ``quorum-state``."""

    leader_epoch: int
    voters: tuple[int, ...]
    """The configured voters; empty if the log has the voters (kraft.version 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaOnDisk:
    """The metadata log of one node, or the part of it that the paths name."""

    directory: str
    """The directory of the metadata partition."""
    cluster_id: str | None = None
    node_id: int | None = None
    directory_id: str | None = None
    segments: tuple[SegmentOnDisk, ...] = ()
    """Sorted by base offset."""
    snapshots: tuple[SnapshotOnDisk, ...] = ()
    """Sorted by end offset; without the snapshot that formatting wrote."""
    voters_path: str | None = None
    """The snapshot that formatting wrote; it has the voters."""
    quorum_state: StoredElection | None = None
    is_whole: bool = False
    """Whether all of the directory was asked for, not only some of its files."""
    expects_log: bool = False
    """Whether it is a node's own directory, which has a log, and no folder of copies."""
    reached: tuple[Reached, ...] = ()
    """How far the log went, according to the files beside it."""


def find_replicas(paths: Iterable[str]) -> tuple[ReplicaOnDisk, ...]:
    """The replicas at these paths and globs, each once, sorted by node id and directory.

    Raises InputError if there is no Kafka data, if the data is not the metadata log, or if it belongs to several
    clusters.
    """
    files: dict[str, set[str] | None] = {}
    seen: dict[str, str] = {}
    for pattern in paths:
        for named, name in _resolve(pattern):
            # A link and its target are one directory, which keeps the name by which it was found first.
            directory = seen.setdefault(os.path.realpath(named), named)
            chosen = files.setdefault(directory, set())
            if name is None:
                files[directory] = None
            elif chosen is not None:
                chosen.add(name)
    replicas = _without_links([_replica(directory, names) for directory, names in files.items()])
    _check_one_cluster(replicas)
    return tuple(
        sorted(
            replicas,
            key=lambda each: (each.node_id is None, each.node_id or 0, each.directory),
        )
    )


def _without_links(replicas: Sequence[ReplicaOnDisk]) -> list[ReplicaOnDisk]:
    """The replicas, but for those whose files are all links to files of another one."""
    if len(replicas) == 1:
        return list(replicas)
    kept: list[tuple[ReplicaOnDisk, frozenset[tuple[int, int]]]] = []
    found = [(replica, _identities(replica)) for replica in replicas]
    # Of two with the same files, the one that has a node's own files beside them.
    for replica, own in sorted(found, key=lambda each: (-len(each[1]), each[0].node_id is None)):
        if not own or not any(own <= other for _, other in kept):
            kept.append((replica, own))
    return [replica for replica, _ in kept]


def _identities(replica: ReplicaOnDisk) -> frozenset[tuple[int, int]]:
    """What the file system knows the files by, whatever their names: device and inode."""
    paths = [each.path for each in replica.segments] + [each.path for each in replica.snapshots]
    status = map(_status, paths)
    return frozenset((each.st_dev, each.st_ino) for each in status if each is not None)


def local_path(text: str) -> str:
    """The absolute path without ``file:``. It is absolute because a task has another working directory.

    Raises InputError for a path on another file system.
    """
    match = _SCHEME.fullmatch(text)
    if match is None:
        return os.path.abspath(text)
    if match[1].lower() != _LOCAL_SCHEME:
        raise InputError(
            f"{text} is not on a file system of this machine; read it with spark.read.format('binaryFile') and"
            " kafkaproto_pipeline.datasource.decode_files"
        )
    return os.path.abspath("/" + match[3].lstrip("/"))


def open_file(path: str) -> int:
    """A file descriptor for reading, even if the file was just renamed to be deleted. Raises InputError."""
    for name in (path, path + DELETED_SUFFIX):
        try:
            # A pipe of this name would wait for someone who writes into it.
            return os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise InputError(f"{name} cannot be read: {error.strerror}") from error
    raise InputError(f"{path} was deleted while it was read, as a running node does; read again")


# -- one path --------------------------------------------------------------------------------------------------


def _resolve(pattern: str) -> list[tuple[str, str | None]]:
    """For each place that a pattern names: the directory of a metadata partition, and the file in it (None for all
    files).
    """
    path = local_path(pattern)
    if os.path.lexists(path):
        return [_place(path)]
    if not glob.has_magic(path):
        raise InputError(f"{pattern}: there is no such file or directory")
    _check_readable(path)
    matches = sorted(glob.glob(path, recursive=True))
    if not matches:
        raise InputError(f"{pattern} matches nothing")
    found, problems = [], []
    for match in matches:
        try:
            found.append(_place(match))
        except NoDataError as error:
            problems.append(str(error))
    if not found:
        raise InputError(
            f"none of the {len(matches)} paths that {pattern} matches holds metadata; {problems[0]}"
        )
    return found


def _check_readable(pattern: str) -> None:
    """Raise InputError for a directory in the place of a glob's part that cannot be looked into: `glob` passes over
    it, and the most advanced replica may be there.
    """
    parts = pattern.split(os.sep)
    for index in range(1, len(parts)):
        before, part = os.sep.join(parts[:index]) or os.sep, parts[index]
        if part == _ANY_DEPTH:
            return
        directories = glob.glob(before) if glob.has_magic(before) else [before]
        for directory in directories:
            if os.path.basename(directory) == _LOST_AND_FOUND:
                continue
            try:
                if glob.has_magic(part):
                    os.listdir(directory)
                else:
                    os.stat(os.path.join(directory, part))
            except PermissionError as error:
                raise InputError(f"{directory} cannot be listed: {error.strerror}") from None
            except OSError:
                # It is no directory, or there is no such file in it: it does not match.
                continue


def _place(path: str) -> tuple[str, str | None]:
    if os.path.basename(path) == _LOST_AND_FOUND:
        raise NoDataError(f"{path} is a directory of the file system's own")
    if not os.path.isdir(path):
        name = os.path.basename(path)
        if not os.path.exists(path):
            raise InputError(f"{path} is a link that leads nowhere")
        if not _is_data(name):
            raise NoDataError(
                f"{path} is neither a segment, <20 digits>.log, nor a snapshot of the log,"
                " <20 digits>-<10 digits>.checkpoint"
            )
        directory = os.path.dirname(path)
        _check_is_metadata(directory)
        return directory, name
    names = _list(path)
    if METADATA_LOG_NAME in names:
        return os.path.join(path, METADATA_LOG_NAME), None
    if any(_is_data(name) for name in names):
        _check_is_metadata(path)
        return path, None
    raise NoDataError(_why_no_data(path, names))


def _is_data(name: str) -> bool:
    return parse_segment_file_name(name) is not None or _snapshot_id(name) is not None


def _why_no_data(path: str, names: Sequence[str]) -> str:
    if META_PROPERTIES_NAME in names:
        return (
            f"{path} is a log directory without {METADATA_LOG_NAME}; a node has it in one of its directories"
        )
    below = [name for name in names if os.path.isdir(os.path.join(path, name, METADATA_LOG_NAME))]
    hint = f"; {os.path.join(path, '*')} would find {', '.join(below[:3])} in it" if below else ""
    return (
        f"{path} holds no Kafka data: neither {META_PROPERTIES_NAME} and {METADATA_LOG_NAME}, nor segments,"
        f" nor snapshots{hint}"
    )


def _check_is_metadata(directory: str) -> None:
    name = os.path.basename(directory)
    path = os.path.join(directory, PARTITION_METADATA_NAME)
    content = _read_small(path)
    if content is not None:
        try:
            topic_id = decode_partition_metadata(content)
        except ValueError as error:
            raise InputError(f"{path}: {error}") from error
        is_metadata = topic_id == METADATA_TOPIC_ID
        found = f"its {PARTITION_METADATA_NAME} names topic id {uuids.to_text(topic_id)}"
    else:
        is_metadata = name == METADATA_LOG_NAME or _TOPIC_PARTITION.fullmatch(name) is None
        is_metadata = is_metadata or os.path.exists(os.path.join(directory, QUORUM_STATE_NAME))
        found = "so its name says"
    if not is_metadata:
        raise NoDataError(
            f"{directory} is the log of a topic's partition, {found}; metadata lies in {METADATA_LOG_NAME}"
        )


def _list(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError as error:
        raise InputError(f"{directory} cannot be listed: {error.strerror}") from error


# -- one replica -----------------------------------------------------------------------------------------------


def _replica(directory: str, chosen: set[str] | None) -> ReplicaOnDisk:
    segments, snapshots = [], []
    voters_path = None
    names = _list(directory)
    for name in names:
        path = os.path.join(directory, name)
        if _snapshot_id(name, with_format=True) == _FORMAT_SNAPSHOT:
            voters_path = path
        if chosen is not None and name not in chosen:
            continue
        status = _status(path)
        if status is None:
            continue
        size = status.st_size
        base_offset = parse_segment_file_name(name)
        snapshot_id = _snapshot_id(name)
        if base_offset is not None:
            segments.append(
                SegmentOnDisk(
                    base_offset=base_offset, path=path, size_bytes=size, modified_ns=status.st_mtime_ns
                )
            )
        elif snapshot_id is not None:
            snapshots.append(
                SnapshotOnDisk(id=snapshot_id, path=path, size_bytes=size, modified_ns=status.st_mtime_ns)
            )
    cluster_id, node_id, directory_id = _identity(os.path.dirname(directory))
    return ReplicaOnDisk(
        directory=directory,
        cluster_id=cluster_id,
        node_id=node_id,
        directory_id=directory_id,
        segments=tuple(segments),
        snapshots=tuple(snapshots),
        voters_path=voters_path,
        quorum_state=read_quorum_state(directory),
        is_whole=chosen is None,
        expects_log=chosen is None and not _NODE_FILES.isdisjoint(names),
        reached=tuple(_reached(directory, names)) if chosen is None else (),
    )


def _reached(directory: str, names: Sequence[str]) -> Iterator[Reached]:
    """What the files beside a log show of its length: its epochs, the producers' state at an offset, and what is left
    of segments.
    """
    for name in names:
        offset = parse_segment_file_name(name, PRODUCER_STATE_SUFFIX)
        if offset is not None:
            yield Reached(offset=offset, file=name)
        remains = _SEGMENT_REMAINS.fullmatch(name)
        if remains is None or int(remains[1]) > MAX_OFFSET:
            continue
        if segment_file_name(int(remains[1])) not in names:
            yield Reached(offset=int(remains[1]), file=name, is_segment=True)
    epochs = _read_small(os.path.join(directory, EPOCHS_NAME))
    starts = re.findall(rb"^[0-9]{1,10} ([0-9]{1,19})$", epochs or b"", re.MULTILINE)
    if starts:
        # A crash may leave an epoch without its first record behind, but no log that never had a record.
        yield Reached(offset=max(1, int(starts[-1])), file=EPOCHS_NAME)


def _snapshot_id(name: str, *, with_format: bool = False) -> SnapshotId | None:
    found = parse_snapshot_file_name(name)
    return None if found == _FORMAT_SNAPSHOT and not with_format else found


def _status(path: str) -> os.stat_result | None:
    """None if the file has gone since it was listed. A snapshot that was renamed to be deleted counts as gone, too.

    Raises InputError if the file cannot be looked at, and for a link that leads nowhere.
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise InputError(f"{path} is a link that leads nowhere") from None
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path} cannot be read: it is no file, but a {_kind_of(found.st_mode)}")
    return found


def _kind_of(mode: int) -> str:
    return "directory" if stat.S_ISDIR(mode) else "pipe or a device"


def _identity(node_directory: str) -> tuple[str | None, int | None, str | None]:
    path = os.path.join(node_directory, META_PROPERTIES_NAME)
    content = _read_small(path)
    if content is None:
        return None, None, None
    try:
        found = decode_meta_properties(content)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    directory_id = None if found.directory_id is None else uuids.to_text(found.directory_id)
    return found.cluster_id, found.node_id, directory_id


def read_quorum_state(directory: str) -> StoredElection | None:
    """The promises of the node whose metadata partition is in this directory; None if there is no ``quorum-state``.

    Raises InputError if the file cannot be read or is damaged.
    """
    path = os.path.join(directory, QUORUM_STATE_NAME)
    content = _read_small(path)
    if content is None:
        return None
    try:
        state, _ = decode_quorum_state(content)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    voters = tuple(voter.voter_id for voter in state.current_voters or ())
    return StoredElection(leader_epoch=state.leader_epoch, voters=voters)


def _read_small(path: str) -> bytes | None:
    """The content of a small file; None if there is no such file. Raises InputError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_SMALL_FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _check_one_cluster(replicas: Sequence[ReplicaOnDisk]) -> None:
    examples: dict[str, str] = {}
    for replica in replicas:
        if replica.cluster_id is not None:
            examples.setdefault(replica.cluster_id, replica.directory)
    if len(examples) > 1:
        text = ", ".join(f"{cluster_id} ({path})" for cluster_id, path in sorted(examples.items()))
        raise InputError(f"the paths belong to {len(examples)} clusters: {text}; read one at a time")
