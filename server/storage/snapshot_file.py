"""Snapshots of the metadata log as files of its directory (KIP-630); what is in them says
``kafkaproto.snapshot``.

``<20-digit end offset>-<10-digit epoch>.checkpoint`` is complete and read-only. One that is being written is
called ``<end offset>-<epoch>-<random>.checkpoint.part``; it is synced before it is renamed, so a name without
``.part`` always stands for the whole snapshot. One that is about to go is called ``.checkpoint.deleted``.
Leftovers of both kinds are removed at start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.snapshot import (
    ControlRecord,
    SnapshotId,
    parse_snapshot_file_name,
    read_snapshot,
    snapshot_file_name,
)
from server.ports import Buffer, Disk, File
from server.storage.errors import CorruptFileError

CHECKPOINT_SUFFIX = ".checkpoint"
PART_SUFFIX = ".checkpoint.part"
DELETED_SUFFIX = ".checkpoint.deleted"

BOOTSTRAP_SNAPSHOT_ID = SnapshotId(epoch=0, end_offset=0)
"""The snapshot that formatting a directory makes: the first voters, and no records."""


@dataclass(slots=True)
class SnapshotWriter:
    """A snapshot that is being written. It does not exist before ``freeze``."""

    _disk: Disk
    _directory: str
    _part_name: str
    _file: File
    snapshot_id: SnapshotId

    def append(self, data: Buffer) -> None:
        """Write more bytes. Raises OSError."""
        self._file.append([data])

    def freeze(self) -> None:
        """Make the snapshot complete: durable and read-only on return. Raises OSError."""
        part_path = f"{self._directory}/{self._part_name}"
        self._file.sync()
        self._file.close()
        self._disk.set_read_only(part_path)
        self._disk.rename(part_path, f"{self._directory}/{snapshot_file_name(self.snapshot_id)}")
        self._disk.sync_directory(self._directory)

    def abort(self) -> None:
        """Give it up and remove what was written."""
        self._file.close()
        self._disk.remove(f"{self._directory}/{self._part_name}")


class SnapshotStore:
    """The snapshots of one metadata log directory."""

    def __init__(self, disk: Disk, directory: str) -> None:
        self._disk = disk
        self._directory = directory

    def remove_leftovers(self) -> None:
        """Remove, at start, what was not completed or was about to go."""
        for name in self._disk.list_directory(self._directory):
            if name.endswith((PART_SUFFIX, DELETED_SUFFIX)):
                self._disk.remove(f"{self._directory}/{name}")

    def ids(self) -> tuple[SnapshotId, ...]:
        """Ids of all complete snapshots, oldest first."""
        names = self._disk.list_directory(self._directory)
        return tuple(sorted(found for name in names if (found := parse_snapshot_file_name(name)) is not None))

    def latest(self) -> SnapshotId | None:
        """Id of the newest one; None where there is none."""
        ids = self.ids()
        return ids[-1] if ids else None

    def path(self, snapshot_id: SnapshotId) -> str:
        """Where the file is or would be."""
        return f"{self._directory}/{snapshot_file_name(snapshot_id)}"

    def open(self, snapshot_id: SnapshotId) -> File:
        """The file, to be read in pieces; raises FileNotFoundError if there is no such snapshot."""
        return self._disk.open_read_only(self.path(snapshot_id))

    def read(self, snapshot_id: SnapshotId) -> Iterator[ControlRecord | bytes]:
        """All records: control records decoded, metadata records still framed.

        Raises CorruptFileError, possibly after some records, and FileNotFoundError.
        """
        return read_snapshot_file(self._disk, self.path(snapshot_id))

    def create(self, snapshot_id: SnapshotId, new_uuid: Callable[[], bytes]) -> SnapshotWriter:
        """Begin a snapshot; ``new_uuid`` gives 16 random bytes. Raises OSError."""
        stem = snapshot_file_name(snapshot_id).removesuffix(CHECKPOINT_SUFFIX)
        part_name = f"{stem}-{int.from_bytes(new_uuid()[8:])}{PART_SUFFIX}"
        file = self._disk.open(f"{self._directory}/{part_name}", create=True)
        return SnapshotWriter(self._disk, self._directory, part_name, file, snapshot_id)


def read_snapshot_file(disk: Disk, path: str) -> Iterator[ControlRecord | bytes]:
    """The records of any file in the form of a snapshot; raises as ``SnapshotStore.read`` does."""
    try:
        yield from read_snapshot(disk.read_file(path))
    except RemoteProtocolError as error:
        raise CorruptFileError(path, f"this is no whole snapshot: {error}", position=error.offset) from error
