"""Snapshots of the metadata log as files of its directory (KIP-630). ``kafkaproto.snapshot`` defines their content.

``<20-digit end offset>-<10-digit epoch>.checkpoint`` is complete and read-only. While a snapshot is being written, its
file is called ``<end offset>-<epoch>-<random number or "fetched">.checkpoint.part``. It is synced before it is renamed,
so a name without ``.part`` always means a whole snapshot. A file that is about to be removed is called
``.checkpoint.deleted``. Leftovers of both kinds are removed at start.

If a snapshot cannot be written, nothing is lost: its content is in the log. So an error leaves the store as it was and
removes the part file if the disk allows it. The next attempt begins a new file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import SnapshotHeaderRecord
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.snapshot import (
    ControlRecord,
    SnapshotId,
    parse_snapshot_file_name,
    records_of_snapshot,
    snapshot_file_name,
)
from kafkaproto_server.base.ports import Buffer, Disk, File
from kafkaproto_server.shell.storage.deletion import mark_deleted, remove_deleted
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.scan import FileScan

CHECKPOINT_SUFFIX = ".checkpoint"
PART_SUFFIX = ".checkpoint.part"

BOOTSTRAP_SNAPSHOT_ID = SnapshotId(epoch=0, end_offset=0)
"""The id of the snapshot that formatting a directory writes: the first voters, and no records."""

FETCHED = "fetched"
"""Part of the name of a part file that is fetched from the leader. There is one such file at a time."""


class SnapshotWriter:
    """A snapshot that is being written, by one thread at a time. The snapshot does not exist before ``freeze``."""

    def __init__(self, disk: Disk, directory: str, snapshot_id: SnapshotId, tag: str) -> None:
        """``tag`` distinguishes part files of the same snapshot. Raises OSError."""
        self.snapshot_id = snapshot_id
        self._disk = disk
        self._directory = directory
        self._path = f"{directory}/{snapshot_file_name(snapshot_id)}"
        self._part_path = f"{self._path.removesuffix(CHECKPOINT_SUFFIX)}-{tag}{PART_SUFFIX}"
        self._has_name = False
        self.size = 0
        """Bytes written so far."""
        self._file: File | None = disk.open(self._part_path, create=True)
        try:
            # An earlier attempt may have left its bytes behind.
            self._file.truncate(0)
        except OSError:
            self.abort()
            raise

    def append(self, *data: Buffer) -> None:
        """Write more bytes. Raises OSError, after which only ``abort`` may be called."""
        assert self._file is not None, f"{self._part_path} was closed"
        self._file.append(data)
        self.size += sum(map(len, data))

    def sync(self) -> None:
        """Make what was written durable, so that ``freeze`` has less to do. Raises OSError, as ``append`` does."""
        assert self._file is not None, f"{self._part_path} was closed"
        self._file.sync()

    def check(self) -> None:
        """Raise CorruptFileError unless what was written is one whole snapshot: valid batches, header, footer."""
        assert self._file is not None, f"{self._part_path} was closed"
        try:
            # Before the rename: the bytes came over the network, and the log is emptied in favour
            # of this file. The values of metadata records are decoded later.
            for _ in records_of_snapshot(_batches(self._file), controls_only=True):
                pass
        except RemoteProtocolError as error:
            raise _no_snapshot(self._part_path, error) from error

    def freeze(self) -> None:
        """Complete the snapshot: it is durable and read-only on return. Raises OSError, after which only ``abort`` may
        be called.

        If the snapshot exists already, because this node fetched it and made it at the same time, the existing one
        stays.
        """
        assert self._file is not None, f"{self._part_path} was closed"
        # A rename would replace a file that other tasks may be serving to followers piece by piece.
        if self._disk.exists(self._path):
            self.abort()
            return
        self._file.sync()
        self._close()
        # Mode 0400, as Kafka's FileRawSnapshotWriter sets it, and before the rename: no reader ever
        # sees a snapshot that can be written to.
        self._disk.set_read_only(self._part_path)
        self._disk.rename(self._part_path, self._path)
        # From here on `abort` has to remove the final name: without a synced directory, nobody
        # knows under which name the file survives.
        self._has_name = True
        self._disk.sync_directory(self._directory)

    def abort(self) -> None:
        """Give up the snapshot and remove its file. If the disk refuses this, the next start removes the file, unless
        it is a whole snapshot by then."""
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            self._disk.remove(self._path if self._has_name else self._part_path)

    def _close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            file.close()


class SnapshotStore:
    """The snapshots of one metadata log directory.

    One thread handles the snapshot that is being fetched. All other methods may be used by several threads at once.
    """

    def __init__(self, disk: Disk, directory: str) -> None:
        self._disk = disk
        self._directory = directory
        self._fetched: SnapshotWriter | None = None

    def remove_leftovers(self) -> None:
        """Remove, at start, incomplete files and files marked as deleted. Raises OSError."""
        for name in self._disk.list_directory(self._directory):
            if name.endswith(PART_SUFFIX):
                self._disk.remove(f"{self._directory}/{name}")
        remove_deleted(self._disk, self._directory)

    def ids(self) -> tuple[SnapshotId, ...]:
        """Ids of all complete snapshots, oldest first."""
        names = self._disk.list_directory(self._directory)
        return tuple(sorted(found for name in names if (found := parse_snapshot_file_name(name)) is not None))

    def latest(self) -> SnapshotId | None:
        """Id of the newest snapshot; None if there is none."""
        ids = self.ids()
        return ids[-1] if ids else None

    def path(self, snapshot_id: SnapshotId) -> str:
        """The path of a snapshot's file, also if the file does not exist."""
        return f"{self._directory}/{snapshot_file_name(snapshot_id)}"

    def size(self, snapshot_id: SnapshotId) -> int:
        """Length of the file in bytes; raises FileNotFoundError."""
        file = self._disk.open_read_only(self.path(snapshot_id))
        try:
            return file.size()
        finally:
            file.close()

    def read_at(self, snapshot_id: SnapshotId, position: int, length: int) -> bytes:
        """Up to ``length`` bytes of the file, starting at ``position``; fewer only at its end. Raises
        FileNotFoundError."""
        file = self._disk.open_read_only(self.path(snapshot_id))
        try:
            return file.read_at(position, length)
        finally:
            file.close()

    def read(self, snapshot_id: SnapshotId) -> Generator[ControlRecord | bytes, None, None]:
        """All records: control records decoded, metadata records still framed.

        Raises CorruptFileError, possibly after some records, and FileNotFoundError.
        """
        return read_snapshot_file(self._disk, self.path(snapshot_id))

    def create(self, snapshot_id: SnapshotId, new_uuid: Callable[[], bytes]) -> SnapshotWriter:
        """Begin a snapshot that this node makes itself; ``new_uuid`` returns 16 random bytes. Raises OSError."""
        # A random tag, as in Kafka, keeps two attempts for the same id apart.
        tag = str(int.from_bytes(new_uuid()[8:]))
        return SnapshotWriter(self._disk, self._directory, snapshot_id, tag)

    def delete_before(self, end_offset: int) -> tuple[SnapshotId, ...]:
        """Delete the snapshots that end before ``end_offset``, at which a durable one ends. Returns their ids.

        They are gone on return, but a crash may bring them back; ``deletion.remove_deleted`` frees their space. Raises
        OSError.
        """
        gone = tuple(each for each in self.ids() if each.end_offset < end_offset)
        mark_deleted(self._disk, map(self.path, gone))
        return gone

    # -- the snapshot that is being fetched -----------------------------------------------------------------------

    def write_part(self, snapshot_id: SnapshotId, position: int, data: Buffer) -> None:
        """Write a piece of a snapshot that is being fetched. Position 0 begins a new part file; any other piece has to
        continue it. Raises OSError, after which the next piece has to be at position 0."""
        # The leader may offer a newer snapshot while an older one is being fetched. The core then
        # begins anew.
        if position == 0:
            if self._fetched is not None:
                self.drop_part(self._fetched.snapshot_id)
            self._fetched = SnapshotWriter(self._disk, self._directory, snapshot_id, FETCHED)
        part = self._part(snapshot_id)
        assert position == part.size, f"piece at {position} of a part of {part.size} bytes, {snapshot_id}"
        try:
            part.append(data)
        except OSError:
            self.drop_part(snapshot_id)
            raise

    def complete_part(self, snapshot_id: SnapshotId) -> int:
        """Check the part file and make it a snapshot, durably on return. Returns its size in bytes.

        Raises CorruptFileError if it is no whole snapshot, or OSError. The part file is removed in both cases.
        """
        part = self._part(snapshot_id)
        try:
            part.check()
            part.freeze()
        except (CorruptFileError, OSError):
            part.abort()
            raise
        finally:
            self._fetched = None
        return self.size(snapshot_id)

    def drop_part(self, snapshot_id: SnapshotId) -> None:
        """Give up the part file of this snapshot. Does nothing if there is none."""
        if self._fetched is not None and self._fetched.snapshot_id == snapshot_id:
            self._fetched.abort()
            self._fetched = None

    def _part(self, snapshot_id: SnapshotId) -> SnapshotWriter:
        part = self._fetched
        assert part is not None, f"no part of {snapshot_id} was written"
        assert part.snapshot_id == snapshot_id, f"part of {snapshot_id} while {part.snapshot_id} is fetched"
        return part


def read_snapshot_file(disk: Disk, path: str) -> Generator[ControlRecord | bytes, None, None]:
    """The records of any file in the form of a snapshot; raises as ``SnapshotStore.read`` does."""
    file = disk.open_read_only(path)
    try:
        yield from records_of_snapshot(_batches(file))
    except RemoteProtocolError as error:
        raise _no_snapshot(path, error) from error
    finally:
        file.close()


def take_header(records: Iterator[ControlRecord | bytes]) -> SnapshotHeaderRecord:
    """The header, which is the first of a snapshot's records. The others remain in ``records``."""
    header = next(records)
    assert isinstance(header, ControlRecord), "a snapshot begins with its header"
    assert isinstance(header.message, SnapshotHeaderRecord), "a snapshot begins with its header"
    return header.message


def _batches(file: File) -> Iterator[tuple[int, RecordBatchView]]:
    scan = FileScan(file)
    yield from scan
    if scan.fault is not None:
        raise scan.fault


def _no_snapshot(path: str, error: RemoteProtocolError) -> CorruptFileError:
    return CorruptFileError(path, f"this is no whole snapshot: {error}", position=error.offset)
