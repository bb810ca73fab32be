"""How far a log once reached, as the files beside it show.

Two files are written only after the records to which they refer are durable, and shortened or removed before those
records are removed (``log``). So after any crash the log reaches at least as far as they say:

- ``leader-epoch-checkpoint``: the log held the offset at which the newest epoch starts. If the log ends exactly there,
  the file proves nothing unless the log is empty: Apache Kafka writes the file before the records, and shortens it
  late.
- ``<offset>.snapshot``, the producer state: the log ended there at a clean stop.

A log that ends earlier has lost records that this node may have acknowledged. If a controller continued, it would vote
as if it had never had them. (Apache Kafka continues.) Records that a snapshot holds are not lost.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.errors import StorageError
from kafkaproto_server.storage.log.epoch_file import EPOCH_FILE_NAME, read_epoch_file
from kafkaproto_server.storage.log.producer_state_file import producer_state_offsets


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The log's end was at this offset or at a later one."""

    offset: int
    file: str
    """Path of the file that shows it."""
    statement: str
    """What the file says, in words."""

    def lost(self, directory: str, end_offset: int) -> StorageError:
        """The error for the operator if the log ends earlier."""
        held = f"the log ends at offset {end_offset}" if end_offset else "the log is empty"
        return StorageError(
            f"{directory}: {held}, but {self.statement}: records that were durable are gone. {self.remedy(directory)}"
        )

    def remedy(self, directory: str) -> str:
        """What the operator can do, in words."""
        return (
            f"Restore the missing files. If other voters hold the log, move {directory} away and let this node fetch "
            f"it again. To give these records up instead, remove {self.file}"
        )


def find_reached(disk: Disk, directory: str, snapshot_end: int) -> Reached | None:
    """How far the log in a directory reached. None if no file shows it, or if a snapshot that ends at ``snapshot_end``
    holds all of it. Raises OSError."""
    # The directory of a new node does not exist yet, which is no sign of a loss.
    if not disk.is_directory(directory):
        return None
    names = disk.list_directory(directory)
    found: list[Reached] = []
    entries = read_epoch_file(disk, directory)
    if entries:
        epoch, start = entries[-1]
        statement = f"{EPOCH_FILE_NAME} says that epoch {epoch} started at offset {start}"
        path = f"{directory}/{EPOCH_FILE_NAME}"
        # The file is a witness only of the offset where the epoch starts. An entry at offset 0
        # still says that the log had a record.
        found.append(Reached(offset=max(start, 1), file=path, statement=statement))
    for offset, name in producer_state_offsets(names).items():
        statement = f"{name} says that it ended at offset {offset} when this node stopped"
        found.append(Reached(offset=offset, file=f"{directory}/{name}", statement=statement))
    furthest = max(found, key=lambda each: each.offset, default=None)
    # A node that installed this snapshot emptied the log in its favour, so nothing is missing.
    return furthest if furthest is not None and furthest.offset > snapshot_end else None
