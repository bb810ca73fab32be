"""Notices, while a topic's log is loaded, that segments are gone from its beginning or from its middle.

`recovery` notices what is gone from the end of a segment, and `reached` what is gone from the end of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from kafkaproto_server.shell.storage.log.epoch_file import EPOCH_FILE_NAME
from kafkaproto_server.shell.storage.log.index import MAX_RELATIVE_OFFSET
from kafkaproto_server.shell.storage.log.old_formats import begins_with_newest
from kafkaproto_server.shell.storage.log.reached import TOPIC_REMEDY
from kafkaproto_server.shell.storage.log.recovery import EVERYTHING, RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.offset_checkpoints import LOG_STARTS


def check_beginning(
    disk: Disk,
    directory: str,
    bases: Sequence[int],
    epochs: Sequence[tuple[int, int]],
    policy: RecoveryPolicy,
) -> None:
    """Raise StorageError if the first segments of a log are gone, and all that was appended has to be there. ``bases``
    are the offsets at which its segments begin, ``epochs`` the entries of leader-epoch-checkpoint: the first of them
    begins with the first segment or later.

    A log that was closed in order has that file, if it has records that name their epoch. If both are gone, or the file
    is damaged, only the checkpoint says where the log starts. Raises OSError."""
    if not policy.cuts_damage or not policy.is_kept or not bases:
        return
    begins = f"{directory}: the first segment begins at offset {bases[0]}, but"
    if epochs:
        epoch, start = epochs[0]
        if max(start, policy.log_start_offset) < bases[0]:
            raise StorageError(
                f"{begins} {EPOCH_FILE_NAME} says that epoch {epoch} started at offset {start}: records that were"
                f" there are gone. {TOPIC_REMEDY}"
            )
        return
    # After a crash the file may rightly be missing: it is written when the log is flushed.
    was_closed = policy.recovery_point == EVERYTHING
    if was_closed and policy.log_start_offset < bases[0] and begins_with_newest(disk, directory, bases):
        raise StorageError(
            f"{begins} {EPOCH_FILE_NAME} is gone or damaged, and {LOG_STARTS} does not say that the log starts there:"
            f" records that were there may be gone. {TOPIC_REMEDY}"
        )


def check_no_gap(
    segments: Sequence[Segment], base: int, policy: RecoveryPolicy, is_old: Callable[[int], bool]
) -> None:
    """Raise StorageError if records are missing between the segments that are loaded and the one at ``base``, and no
    crash can have taken them. ``is_old``: whether a segment begins with a format of brokers that may have compacted it
    before anything was noted of that."""
    if not segments or not policy.has_no_gaps:
        return
    last = segments[-1]
    known = base if policy.is_kept else min(base, policy.reached.offset if policy.reached else 0)
    # So many offsets may be missing that no segment could hold both ends.
    is_far = base - last.base_offset > MAX_RELATIVE_OFFSET
    if last.next_offset < known and not is_far and not is_old(base):
        raise StorageError(
            f"{last.path}: ends at offset {last.next_offset}, and the next segment begins at {base}: records that were"
            f" there are gone. {TOPIC_REMEDY}"
        )


def check_continues(segments: Sequence[Segment], base: int, *, has_gaps: bool) -> None:
    """Raise CorruptFileError if the segment at ``base`` does not continue those that are loaded."""
    last = segments[-1] if segments else None
    if last is None or base == last.next_offset or (has_gaps and base > last.next_offset):
        return
    problem = f"ends at offset {last.next_offset} (exclusive), but the next segment begins at {base}"
    if has_gaps:
        raise CorruptFileError(last.path, f"{problem}: one of them does not belong here. {TOPIC_REMEDY}")
    raise CorruptFileError(
        last.path,
        f"{problem}. One is missing or does not belong here: restore it, or move {last.path.rpartition('/')[0]} away"
        " and let this node fetch the log from other voters",
    )
