"""The start offset of each leader epoch of one log (KIP-101), in memory.

With it a leader names the offset at which the log of a follower diverges from its own, and a follower finds how far to
truncate. Apache Kafka has it in LeaderEpochFileCache.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from kafkaproto_server.base.types import OffsetAndEpoch


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

    def begin(self, epoch: int, start_offset: int) -> bool:
        """Record that ``epoch`` begins at ``start_offset``, the end of the log: its leader begins there, or its first
        batch is there. Returns False if that is known, or if the epoch is negative: batches of the message formats 0
        and 1 have none.

        Epochs that start there as well have no records: they are forgotten. They may be newer ones, if this replica led
        for a moment, and the next leader had a batch of an older epoch there.
        """
        if epoch < 0:
            return False
        if self._epochs and epoch == self._epochs[-1]:
            return False
        # An epoch without a record would tell followers of an end that it never had.
        self.truncate_to(start_offset)
        if self._epochs and epoch <= self._epochs[-1]:
            return False
        assert not self._start_offsets or self._start_offsets[-1] < start_offset, "start offsets ascend"
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

    def move_start_to(self, start_offset: int, end_offset: int | None = None) -> bool:
        """Remove what lies below ``start_offset``. The epoch at that offset then starts there, unless the log ends
        there: ``end_offset``. Without it, the newest epoch stays in any case.

        Returns whether anything changed.
        """
        before = self.entries
        # The epoch that holds the new start stays, as in Kafka's LeaderEpochFileCache: without it,
        # a follower's LastFetchedEpoch could not be compared at the log start.
        gone = max(0, bisect_right(self._start_offsets, start_offset) - 1)
        # Nothing is left of the log, and so of no epoch.
        if end_offset is not None and start_offset >= end_offset:
            gone = len(self._epochs)
        del self._epochs[:gone]
        del self._start_offsets[:gone]
        if self._start_offsets:
            # What lies below is gone, and nobody may be told to truncate to it.
            self._start_offsets[0] = max(start_offset, self._start_offsets[0])
        assert len(self._epochs) == len(self._start_offsets), "each epoch has a start offset"
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
        # Undefined, as in Kafka: whoever asks knows of more than this log does.
        if not self._epochs or epoch > self._epochs[-1]:
            return None
        index = bisect_right(self._epochs, epoch)
        # Epochs without records have no entry. So the end is the start of the next entry, whatever its epoch.
        end = log_end_offset if index == len(self._epochs) else self._start_offsets[index]
        # A leader answers with it when a follower's log diverges. The follower truncates to this
        # offset, so it must never lie beyond what the leader holds of that epoch.
        return OffsetAndEpoch(epoch=self._epochs[index - 1] if index else epoch, offset=end)
