"""``leader-epoch-checkpoint``: the start offset of each leader epoch of a log (KIP-101).

It is a checkpoint (`kafkaproto.directory_files`) with one entry ``epoch startOffset`` for each epoch, both ascending. A
log derives the epochs from the batches that it reads when it is opened, and takes those of all other batches from the
file. The file has three more readers: tools, a node of Apache Kafka that takes over the directory, and ``reached``,
which uses it as a witness of how far the log once reached. So the file names only epochs whose first records are
durable.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from kafkaproto.directory_files import decode_checkpoint, encode_checkpoint
from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.atomic import replace_file
from kafkaproto_server.types import OffsetAndEpoch

EPOCH_FILE_NAME = "leader-epoch-checkpoint"


class LeaderEpochs:
    """The start offsets of the epochs of one log, in memory. Epochs and start offsets both ascend."""

    def __init__(self, entries: Iterable[tuple[int, int]] = ()) -> None:
        self._epochs: list[int] = []
        self._start_offsets: list[int] = []
        for epoch, start_offset in entries:
            self.assign(epoch, start_offset)

    @property
    def entries(self) -> tuple[tuple[int, int], ...]:
        """(epoch, start offset) of every epoch, ascending."""
        return tuple(zip(self._epochs, self._start_offsets, strict=True))

    @property
    def latest(self) -> int | None:
        """The newest epoch; None if there is none."""
        return self._epochs[-1] if self._epochs else None

    def assign(self, epoch: int, start_offset: int) -> bool:
        """Record that ``epoch`` starts at ``start_offset``. Returns False if it is the newest epoch already."""
        if self._epochs:
            if epoch == self._epochs[-1]:
                return False
            assert epoch > self._epochs[-1], f"epoch {epoch} comes after epoch {self._epochs[-1]}"
            assert start_offset > self._start_offsets[-1], f"epoch {epoch} starts before the one ahead of it"
        self._epochs.append(epoch)
        self._start_offsets.append(start_offset)
        return True

    def truncate_to(self, end_offset: int) -> bool:
        """Remove the epochs that start at or after ``end_offset``. Returns whether there were any."""
        kept = bisect_left(self._start_offsets, end_offset)
        changed = kept < len(self._epochs)
        del self._epochs[kept:]
        del self._start_offsets[kept:]
        return changed

    def move_start_to(self, start_offset: int, end_offset: int) -> bool:
        """Remove what lies below ``start_offset``. The epoch at that offset then starts there, unless the log ends
        there.

        Returns whether anything changed.
        """
        before = self.entries
        # The epoch that holds the new start stays, as in Kafka's LeaderEpochFileCache: without it,
        # a follower's LastFetchedEpoch could not be compared at the log start.
        gone = max(0, bisect_right(self._start_offsets, start_offset) - 1)
        if start_offset >= end_offset:
            gone = len(self._epochs)
        del self._epochs[:gone]
        del self._start_offsets[:gone]
        if self._start_offsets:
            self._start_offsets[0] = max(start_offset, self._start_offsets[0])
        return self.entries != before

    def epoch_at(self, offset: int) -> int | None:
        """The epoch of ``offset``; None before the first one."""
        index = bisect_right(self._start_offsets, offset)
        return self._epochs[index - 1] if index else None

    def end_offset_for(self, epoch: int, log_end_offset: int) -> OffsetAndEpoch | None:
        """The end of ``epoch``: the newest epoch that is not above it, and the offset after that epoch's last record.

        For an epoch older than all known ones: that epoch and the first known start offset. None for an epoch newer
        than all known ones, or if none is known.
        """
        if not self._epochs or epoch > self._epochs[-1]:
            return None
        index = bisect_right(self._epochs, epoch)
        end = log_end_offset if index == len(self._epochs) else self._start_offsets[index]
        # A leader answers with it when a follower's log diverges. The follower truncates to this
        # offset, so it must never lie beyond what the leader holds of that epoch.
        return OffsetAndEpoch(epoch=self._epochs[index - 1] if index else epoch, offset=end)


def encode_epoch_file(entries: tuple[tuple[int, int], ...]) -> bytes:
    """The file's bytes for (epoch, start offset) entries."""
    return encode_checkpoint(entries)


def write_epoch_file(disk: Disk, directory: str, epochs: LeaderEpochs) -> None:
    """Replace the file, durable on return. Raises OSError."""
    replace_file(disk, directory, EPOCH_FILE_NAME, encode_epoch_file(epochs.entries))


def read_epoch_file(disk: Disk, directory: str) -> tuple[tuple[int, int], ...]:
    """The (epoch, start offset) entries of the file; none if its content is not valid, or if there is no file. Raises
    OSError."""
    path = f"{directory}/{EPOCH_FILE_NAME}"
    # No file is no error: Kafka and this log both derive the epochs from the batches then.
    if not disk.exists(path):
        return ()
    try:
        entries = tuple((int(epoch), int(start)) for epoch, start in decode_checkpoint(disk.read_file(path)))
    except ValueError:
        # The epochs are derived from the batches instead.
        return ()
    ascends = all(
        before < after for pair in itertools.pairwise(entries) for before, after in zip(*pair, strict=True)
    )
    # An entry out of order would make a wrong witness of how far the log reached, and wrong epochs
    # for batches that nobody reads again.
    return entries if ascends else ()
