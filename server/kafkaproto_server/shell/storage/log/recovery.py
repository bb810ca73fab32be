"""Recovers a segment at start, after a crash at any moment.

Every batch is read and checked. The bytes before the first invalid one are kept. What happens to the rest depends on
what it is:

- In the last segment, with no valid batch behind it: it is the torn tail of an append that was never synced, so no
  response depended on it. It is cut off.
- With a valid batch behind it, or in an older segment (which was synced as a whole before a newer one was begun): it is
  damage to durable data. This is never repaired by guessing. The error names the place and what the operator can do. A
  power loss during one unsynced append looks the same if the file system wrote the later pages before the earlier ones.
  It is treated in the same way: a question to the operator is better than a silent loss.
- If the files beside the log show that it reached further (``reached``), the rest is damage, too.
- A batch of a format that this release does not know is no damage. The file stays as it is, and the log is refused.
- A log of a topic (``cuts_damage``) is read from its recovery point on, and nothing there was ever synced. Whatever is
  not valid is cut off, with all that follows: this replica fetches it again from the leader. Apache Kafka does the
  same. Before the offset that the log reached it does not cut either: what was durable there may be nowhere else.

Indexes contain nothing that the batches do not. They are rewritten if they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from struct import Struct

from kafkaproto.log import MAX_OFFSET, StopReason, find_batch
from kafkaproto.records.batch import HEADER_SIZE, LENGTH_END, MAGIC, MAGIC_OFFSET, RecordBatchView
from kafkaproto_server.base.ports import File
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.index import MAX_RELATIVE_OFFSET
from kafkaproto_server.shell.storage.log.reached import TOPIC_REMEDY, Reached
from kafkaproto_server.shell.storage.log.scan import WINDOW_BYTES, FileScan, wrong_crc

EVERYTHING = MAX_OFFSET
"""As a recovery point: the log was closed in order, so all its records are durable."""

_HEAD: Callable[[bytes, int], tuple[int, ...]] = Struct(">qi11xi30xi").unpack_from
"""Base offset, length, last offset delta and record count of a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryPolicy:
    """What is known about a log before it is opened, and so how much of it has to be read.

    The metadata log is small and holds what a node promised: it is read as a whole. Logs of topics have checkpoints.
    """

    recovery_point: int = 0
    """Records below this offset are durable. Segments that end at or below it are opened by their indexes, and only
    their last batches are read."""
    log_start_offset: int = 0
    """The log starts here, or with its first segment if that starts later."""
    reached: Reached | None = None
    """How far the log is known to have reached: if it ends earlier, it is refused."""
    cuts_damage: bool = False
    """Whether the first invalid batch at or above the recovery point is cut off, with all batches behind it. If not,
    damage before the last batch is refused. Damage below `reached` is refused in any case."""
    is_kept: bool = False
    """Whether all that was appended has to be there, durable or not: the log was closed in order, or only the process
    died and the operating system has kept what it wrote."""
    keeps_behind: bool = False
    """Whether segments behind one that was cut stay, with a gap before them: an administrator accepts the loss."""
    has_no_gaps: bool = False
    """Whether each segment of a topic's log has to begin where the one before ends, as the log was never compacted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredSegment:
    size: int
    """Length of the valid prefix in bytes. The file now holds nothing else."""
    next_offset: int
    """Offset after the last record, or the segment's base offset if it holds none."""
    epoch: int
    """Leader epoch of the last record; the given one if there is no record."""
    cut_bytes: int
    """Length of the torn tail that was cut off; 0 after a clean stop."""


ProofOfLoss = Callable[[int, int], int | None]
"""Called with the offset and the position behind the last valid batch of a segment. Returns a later offset that the
segment held; None if nothing shows that there was one."""
Visitor = Callable[[int, RecordBatchView], None]
"""Called for every valid batch, in order, with its position in the file and its view."""


def recover_segment(
    file: File,
    path: str,
    *,
    base_offset: int,
    epoch: int,
    is_last: bool,
    visit: Visitor,
    policy: RecoveryPolicy,
    has_gaps: bool = False,
    proof_of_loss: ProofOfLoss | None = None,
) -> RecoveredSegment:
    """Check a segment's ``.log`` file from its start, call ``visit`` for every valid batch, and cut off a torn tail.

    Offsets must ascend from ``base_offset`` on, without gaps unless ``has_gaps``. Leader epochs must not be below
    ``epoch`` and must not decrease; batches without one (`kafkaproto.records.legacy`) may be anywhere in a topic.
    Raises CorruptFileError for damage that must not be cut off and for a format that is not known, StorageError if
    records are gone from the end of the segment, and OSError of the disk. The file is as it was then.
    """
    is_topic = policy.cuts_damage
    scan = FileScan(file, next_offset=base_offset, with_old_formats=is_topic)
    next_offset = base_offset
    size = scan.size
    for position, view in scan:
        problem = None
        # Offsets of the metadata log have no gaps, because it is never compacted. A missing batch
        # would otherwise go unnoticed, since every remaining batch is valid on its own.
        if view.base_offset != next_offset and not has_gaps:
            problem = f"a batch begins at {view.base_offset}"
        # Epochs of a log never go back: logs are compared by the epoch of their last record.
        elif view.partition_leader_epoch < epoch and not (is_topic and view.partition_leader_epoch < 0):
            problem = f"a batch of epoch {view.partition_leader_epoch} follows epoch {epoch}"
        # Its offset would not fit in an index. The crc does not cover the base offset.
        elif view.last_offset - base_offset > MAX_RELATIVE_OFFSET:
            problem = f"a batch ends at {view.last_offset}"
        if problem is not None:
            if not policy.cuts_damage:
                _refuse(path, position, next_offset, problem)
            _check_is_not_lost(path, position, next_offset, problem, policy, proof_of_loss)
            file.truncate(position)
            return RecoveredSegment(
                size=position, next_offset=next_offset, epoch=epoch, cut_bytes=size - position
            )
        # Only once all is checked: what is visited gets entries in the indexes.
        visit(position, view)
        # The larger one, since batches of old formats have no epoch.
        next_offset, epoch = view.next_offset, max(epoch, view.partition_leader_epoch)
    end = scan.valid_end
    if scan.fault is None:
        reached = _proven(path, size, next_offset, proof_of_loss)
        if reached is not None:
            raise reached.lost(path, next_offset)
        return RecoveredSegment(size=size, next_offset=next_offset, epoch=epoch, cut_bytes=0)
    # Before all else: whatever the policy is, this file is not cut.
    if scan.stop_reason is StopReason.UNKNOWN_FORMAT:
        raise unknown_format(file, path, end)
    if not policy.cuts_damage:
        _check_is_torn_tail(file, path, scan, next_offset, is_last=is_last, reached=policy.reached)
    _check_is_not_lost(path, end, next_offset, str(scan.fault), policy, proof_of_loss)
    file.truncate(end)
    return RecoveredSegment(size=end, next_offset=next_offset, epoch=epoch, cut_bytes=size - end)


def _check_is_not_lost(
    path: str,
    position: int,
    next_offset: int,
    problem: str,
    policy: RecoveryPolicy,
    proof_of_loss: ProofOfLoss | None,
) -> None:
    """Raise CorruptFileError if a topic's log held more than what lies before the fault at ``position``, and no crash
    can have taken it."""
    reached = policy.reached
    if reached is None or next_offset >= reached.offset:
        reached = _proven(path, position, next_offset, proof_of_loss)
    if reached is not None:
        raise reached.damaged(path, position, next_offset, problem)


def _proven(path: str, size: int, next_offset: int, proof_of_loss: ProofOfLoss | None) -> Reached | None:
    """That a segment reached further, as its indexes show; None if they do not."""
    offset = None if proof_of_loss is None else proof_of_loss(next_offset, size)
    if offset is None:
        return None
    statement = f"the indexes beside it have an entry for offset {offset}"
    return Reached(offset=offset + 1, file=path, statement=statement, remedy=TOPIC_REMEDY)


def _check_is_torn_tail(
    file: File, path: str, scan: FileScan, next_offset: int, *, is_last: bool, reached: Reached | None
) -> None:
    """Raise CorruptFileError unless what follows the valid batches can only be an append that was never synced."""
    end, size = scan.valid_end, scan.size
    if not is_last:
        _refuse(path, end, next_offset, f"{scan.fault}, though a newer segment follows")
    # Any offset counts. A valid batch behind the fault shows that the bytes before it were written
    # once, so they are no torn append.
    survivor = _find_batch_from(file, end, size)
    if survivor is not None:
        _refuse(path, end, next_offset, f"{scan.fault}, though there is a valid batch at byte {survivor}")
    if reached is not None and next_offset < reached.offset:
        _refuse(path, end, next_offset, f"{scan.fault}, though {reached.statement}")


def unknown_format(file: File, path: str, position: int) -> CorruptFileError:
    """The error for a batch whose magic is not known: that byte is damaged, or another release has written the log.
    Neither may be cut off."""
    (magic,) = file.read_at(position + MAGIC_OFFSET, 1)
    known = "topics may have 0 to 2" if magic > MAGIC else "the metadata log has 2 only"
    return CorruptFileError(
        path,
        f"a record batch of message format {magic} (its magic) is there, which is not known here: {known}. The log was "
        "left as it is: start the release that wrote it, or restore the file",
        position=position,
    )


def _find_batch_from(file: File, start: int, size: int) -> int | None:
    """Position of a valid batch, of any offset, at or behind ``start``; None if there is none."""
    while size - start >= HEADER_SIZE:
        data = file.read_at(start, WINDOW_BYTES)
        found = find_batch(data, 0, 0)
        if found is not None:
            return start + found
        # A batch may lie across the end of the window, and a header as well.
        for position, length in _batches_across_end(data):
            if length <= size - start - position and wrong_crc(file, start + position, length) is None:
                return start + position
        start += len(data) - HEADER_SIZE + 1
    return None


def _batches_across_end(data: bytes) -> Iterator[tuple[int, int]]:
    """(position, length in bytes) of what looks like the header of a batch that ends behind these bytes."""
    at = data.find(MAGIC, MAGIC_OFFSET)
    while 0 <= at <= len(data) - HEADER_SIZE + MAGIC_OFFSET:
        position = at - MAGIC_OFFSET
        base_offset, length, last_delta, count = _HEAD(data, position)
        length += LENGTH_END
        # The metadata log is never compacted. Random bytes hardly ever look like that, and are not read for nothing.
        if base_offset >= 0 and length > len(data) - position and count == last_delta + 1 > 0:
            yield position, length
        at = data.find(MAGIC, at + 1)


def _refuse(path: str, position: int, offset: int, reason: str) -> None:
    directory = path.rpartition("/")[0]
    raise CorruptFileError(
        path,
        f"no valid batch for offset {offset}: {reason}. The log is damaged and was left as it is. If other voters "
        f"hold it, move {directory} away and let this node fetch it again, or restore it from a backup. To give up "
        f"offset {offset} and all after it instead: truncate --size={position} {path}, and remove newer segments",
        position=position,
    )
