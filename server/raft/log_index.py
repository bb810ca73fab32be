"""The core's picture of its log: where it starts and ends, and at which offset each leader epoch began.

It reads no file. Recovery's findings open it and every batch that the core hands out for appending moves it
on, so it runs ahead of the disk by what is not yet persisted.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from server.types import OffsetAndEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochStart:
    """A leader epoch and the offset of its first record, as in ``leader-epoch-checkpoint``."""

    epoch: int
    start_offset: int


class LogIndex:
    """Offsets and epochs of one log; ``epoch_starts`` ascend in both epoch and offset."""

    def __init__(
        self,
        *,
        start_offset: int,
        end_offset: int,
        epoch_starts: Sequence[EpochStart],
        snapshot: OffsetAndEpoch | None,
    ) -> None:
        assert 0 <= start_offset <= end_offset, f"log starts at {start_offset} and ends at {end_offset}"
        self.start_offset = start_offset
        self.end_offset = end_offset
        self._epochs = [entry.epoch for entry in epoch_starts]
        self._starts = [entry.start_offset for entry in epoch_starts]
        self._snapshot = snapshot
        _check_ascending("epochs", self._epochs)
        _check_ascending("start offsets of epochs", self._starts)
        if self._starts:
            assert self._starts[-1] < end_offset, (
                f"epoch {self._epochs[-1]} starts at {self._starts[-1]}, but the log ends at {end_offset}"
            )

    @property
    def last_epoch(self) -> int:
        """Epoch of the last record; of the latest snapshot where the log holds no record, else 0."""
        if self._epochs:
            return self._epochs[-1]
        return self._snapshot.epoch if self._snapshot is not None else 0

    def append(self, *, epoch: int, base_offset: int, next_offset: int) -> None:
        """Note a batch at the log's end; asserts that it is continuous and of no older epoch."""
        assert base_offset == self.end_offset, (
            f"append at {base_offset} to a log that ends at {self.end_offset}"
        )
        assert next_offset > base_offset, f"append of no records at {base_offset}"
        assert epoch >= self.last_epoch, f"append in epoch {epoch} to a log in epoch {self.last_epoch}"
        if not self._epochs or epoch > self._epochs[-1]:
            self._epochs.append(epoch)
            self._starts.append(base_offset)
        self.end_offset = next_offset

    def end_offset_for_epoch(self, epoch: int) -> OffsetAndEpoch | None:
        """The largest epoch in the log that is not above ``epoch``, with the offset at which it ends.

        For the last epoch that is the log's end offset. None where the log knows no epoch so old.
        """
        position = bisect_right(self._epochs, epoch)
        if position == 0:
            return None
        end = self._starts[position] if position < len(self._starts) else self.end_offset
        return OffsetAndEpoch(epoch=self._epochs[position - 1], offset=end)


def _check_ascending(what: str, values: list[int]) -> None:
    assert all(low < high for low, high in itertools.pairwise(values)), f"{what} {values} do not ascend"
