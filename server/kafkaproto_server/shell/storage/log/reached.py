"""How far a log once reached, as the files beside it show.

Two files are written only after the records to which they refer are durable, and shortened or removed before those
records are removed (``log``). So after any crash the log reaches at least as far as they say:

- ``leader-epoch-checkpoint``: the log held the offset at which the newest epoch starts. If the log ends exactly there,
  the file proves nothing unless the log is empty: Apache Kafka writes the file before the records, and shortens it
  late.
- ``<offset>.snapshot``, the producer state: the log ended there at a clean stop.

A log that ends earlier has lost records that this node may have acknowledged. If a controller continued, it would vote
as if it had never had them. (Apache Kafka continues.) Records that a snapshot holds are not lost.

A topic's log has other witnesses, the checkpoints of its log directory (`reached_by_checkpoints`): each says less than
the log held, since it is written after the records and lowered before they are cut
(`shell.replicas.files.checkpoints`).

- ``recovery-point-offset-checkpoint``: records before this offset are durable. No crash takes them.
- ``replication-offset-checkpoint``, the high watermark: records before it were written, and perhaps not durable. They
  are there after a clean stop, or if only the process died.
- ``log-start-offset-checkpoint``, where the log starts: it ended there or later, under the same conditions.

So had a ``<offset>.snapshot`` that is whole: the log ended there when a segment was rolled, or at a stop.

A topic's log that ends earlier is not served: as a leader it would have whole replicas cut to its own end. (Apache
Kafka serves it.)
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.producer_snapshot import decode_producer_snapshot
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from kafkaproto_server.shell.storage.log.epoch_file import EPOCH_FILE_NAME, read_epoch_file
from kafkaproto_server.shell.storage.log.producer_state_file import producer_state_offsets
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The log's end was at this offset or at a later one."""

    offset: int
    file: str
    """Path of the file that shows it."""
    statement: str
    """What the file says, in words."""
    remedy: str
    """What the operator can do, in words."""

    def lost(self, path: str, end_offset: int) -> StorageError:
        """The error for the operator if the log in a directory, or a segment of it, ends earlier."""
        held = f"the log ends at offset {end_offset}" if end_offset else "the log is empty"
        return StorageError(
            f"{path}: {held}, but {self.statement}: records that were there are gone. {self.remedy}"
        )

    def damaged(self, path: str, position: int, end_offset: int, problem: str) -> StorageError:
        """The error for the operator if the log is damaged earlier: in this file, at this byte."""
        return CorruptFileError(
            path,
            f"no valid batch for offset {end_offset}: {problem}. The log was left as it is, because {self.statement}: "
            f"records that were there are gone. {self.remedy}",
            position=position,
        )


TOPIC_REMEDY = (
    "If other replicas are in sync, this one is fetched again from the leader. Else restore the files, have another one"
    " lead with what it has (kafka-leader-election --election-type unclean), or accept the loss while the broker is"
    " stopped: kafka-storage accept-log"
)
"""What the operator of a broker can do."""
REACHED_BY_METADATA = Reached(
    offset=1,
    file="",
    statement="the log directory was emptied or replaced, and the metadata counts on records that this broker had",
    remedy=TOPIC_REMEDY,
)
"""Of a log of which nothing is left, also no checkpoint."""


def reached_by_checkpoints(recovery_point: int, high_watermark: int, *, is_kept: bool) -> Reached | None:
    """How far a topic's log reached, by what the checkpoints say of it. ``is_kept``: nothing that was written can be
    gone. None if they say nothing."""
    if is_kept and high_watermark > recovery_point:
        statement = f"{HIGH_WATERMARKS} says that it held all records before offset {high_watermark}"
        return Reached(offset=high_watermark, file=HIGH_WATERMARKS, statement=statement, remedy=TOPIC_REMEDY)
    if recovery_point <= 0:
        return None
    statement = f"{RECOVERY_POINTS} says that all records before offset {recovery_point} were durable"
    return Reached(offset=recovery_point, file=RECOVERY_POINTS, statement=statement, remedy=TOPIC_REMEDY)


def reached_by_start(log_start_offset: int, known: Reached | None) -> Reached | None:
    """How far a topic's log reached, of which nothing that was written can be gone: ``known``, or further if it starts
    behind that, by its checkpoint."""
    if log_start_offset <= (known.offset if known else 0):
        return known
    statement = f"{LOG_STARTS} says that it starts at offset {log_start_offset}"
    return Reached(offset=log_start_offset, file=LOG_STARTS, statement=statement, remedy=TOPIC_REMEDY)


def reached_by_producers(disk: Disk, directory: str, known: Reached | None) -> Reached | None:
    """How far a topic's log reached, of which nothing that was written can be gone: ``known``, or further if a state of
    its producers shows that. Raises OSError."""
    states = producer_state_offsets(disk.list_directory(directory)) if disk.is_directory(directory) else {}
    for offset in sorted(states, reverse=True):
        if offset <= (known.offset if known else 0):
            break
        name = states[offset]
        # Anybody can give a file such a name.
        with suppress(RemoteProtocolError):
            decode_producer_snapshot(disk.read_file(f"{directory}/{name}"))
            statement = f"{name} says that it ended at offset {offset} once"
            return Reached(offset=offset, file=name, statement=statement, remedy=TOPIC_REMEDY)
    return known


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
        found.append(_of_voter(max(start, 1), path, statement, directory))
    for offset, name in producer_state_offsets(names).items():
        statement = f"{name} says that it ended at offset {offset} when this node stopped"
        found.append(_of_voter(offset, f"{directory}/{name}", statement, directory))
    furthest = max(found, key=lambda each: each.offset, default=None)
    # A node that installed this snapshot emptied the log in its favour, so nothing is missing.
    return furthest if furthest is not None and furthest.offset > snapshot_end else None


def _of_voter(offset: int, file: str, statement: str, directory: str) -> Reached:
    remedy = (
        f"Restore the missing files. If other voters hold the log, move {directory} away and let this node fetch "
        f"it again. To give these records up instead, remove {file}"
    )
    return Reached(offset=offset, file=file, statement=statement, remedy=remedy)
