"""The core's picture of its log: where it starts and ends, where each leader epoch began, which snapshots there are.

It reads no file. Recovery's findings open it, and every write that the core hands out moves it on, so it runs ahead of
the disk by what is not yet persisted.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from kafkaproto_server.raft.values.epoch_start import EpochStart
from kafkaproto_server.types import OffsetAndEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class Diverging:
    """A Fetch position that is not in this log: the answer names where the asking log may still agree."""

    end: OffsetAndEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsSnapshot:
    """A Fetch position that this log cannot serve any more: the answer names the latest snapshot."""

    snapshot: OffsetAndEpoch


class LogIndex:
    """Offsets and epochs of one log; ``epoch_starts`` ascend in both epoch and offset."""

    def __init__(
        self,
        *,
        start_offset: int,
        end_offset: int,
        epoch_starts: Sequence[EpochStart] = (),
        snapshots: Sequence[tuple[OffsetAndEpoch, int]] = (),
    ) -> None:
        assert 0 <= start_offset <= end_offset, f"log starts at {start_offset} and ends at {end_offset}"
        self.start_offset = start_offset
        self.end_offset = end_offset
        self._epochs = [entry.epoch for entry in epoch_starts]
        self._starts = [entry.start_offset for entry in epoch_starts]
        self._snapshots: dict[OffsetAndEpoch, int] = {
            snapshot: size_bytes for snapshot, size_bytes in snapshots if snapshot.offset >= start_offset
        }
        """Sizes in bytes by id, ascending. One that ends before the log starts leads nobody to it, and counts not."""
        _check_ascending("epochs", self._epochs)
        _check_ascending("start offsets of epochs", self._starts)
        _check_ascending("end offsets of snapshots", [snapshot.offset for snapshot in self._snapshots])
        if self._starts:
            assert self._starts[-1] < end_offset, (
                f"epoch {self._epochs[-1]} starts at {self._starts[-1]}, but the log ends at {end_offset}"
            )
        assert start_offset == 0 or self._snapshots, (
            f"log starts at {start_offset}, and no snapshot reaches that far"
        )

    @property
    def last_epoch(self) -> int:
        """Epoch of the last record; of the latest snapshot where the log holds no record, else 0."""
        if self._epochs:
            return self._epochs[-1]
        latest = self.latest_snapshot
        return latest.epoch if latest is not None else 0

    @property
    def end(self) -> OffsetAndEpoch:
        """End offset and last epoch; of two logs the greater one is more up to date (KIP-595)."""
        return OffsetAndEpoch(epoch=self.last_epoch, offset=self.end_offset)

    @property
    def earliest_snapshot(self) -> OffsetAndEpoch | None:
        """The oldest snapshot on disk."""
        return next(iter(self._snapshots), None)

    @property
    def latest_snapshot(self) -> OffsetAndEpoch | None:
        """The newest snapshot on disk."""
        return next(reversed(self._snapshots), None)

    def snapshot_size(self, snapshot: OffsetAndEpoch) -> int | None:
        """Size in bytes; None where there is no such snapshot."""
        return self._snapshots.get(snapshot)

    def end_offset_for_epoch(self, epoch: int) -> OffsetAndEpoch:
        """The largest epoch in the log that is not above ``epoch``, with the offset at which it ends.

        For the last epoch that is the log's end offset. An ``epoch`` older than all of them ends where the first of
        them starts; where the oldest snapshot ends there too, that snapshot's epoch is the one that ended.
        """
        position = bisect_right(self._epochs, epoch)
        if position == len(self._epochs):
            return OffsetAndEpoch(epoch=self.last_epoch, offset=self.end_offset)
        if position > 0:
            return OffsetAndEpoch(epoch=self._epochs[position - 1], offset=self._starts[position])
        earliest = self.earliest_snapshot
        if earliest is not None and earliest.offset == self._starts[0]:
            return earliest
        return OffsetAndEpoch(epoch=epoch, offset=self._starts[0])

    def validate(self, fetch_offset: int, last_fetched_epoch: int) -> Diverging | NeedsSnapshot | None:
        """What a leader with this log says to a Fetch position; None where it is in the log (KIP-595, KIP-630)."""
        latest, earliest = self.latest_snapshot, self.earliest_snapshot
        if fetch_offset == 0:
            if latest is not None:
                return NeedsSnapshot(snapshot=latest)
            return None
        if earliest is not None and (
            fetch_offset < self.start_offset
            or (fetch_offset == self.start_offset and last_fetched_epoch != earliest.epoch)
            or last_fetched_epoch < earliest.epoch
        ):
            assert latest is not None, "there is an earliest snapshot and no latest one"
            return NeedsSnapshot(snapshot=latest)
        end = self.end_offset_for_epoch(last_fetched_epoch)
        if end.epoch != last_fetched_epoch or end.offset < fetch_offset:
            return Diverging(end=end)
        return None

    def truncation_offset(self, diverging: OffsetAndEpoch) -> int:
        """Where to cut this log, given where the leader's says that it may still agree."""
        if diverging.epoch == 0:
            return min(diverging.offset, self.end_offset)
        own = self.end_offset_for_epoch(diverging.epoch)
        return min(own.offset, diverging.offset) if own.epoch == diverging.epoch else own.offset

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

    def truncate_to(self, end_offset: int) -> None:
        """Forget everything from ``end_offset`` on."""
        assert self.start_offset <= end_offset <= self.end_offset, (
            f"truncation to {end_offset} of a log from {self.start_offset} to {self.end_offset}"
        )
        while self._starts and self._starts[-1] >= end_offset:
            self._starts.pop()
            self._epochs.pop()
        self.end_offset = end_offset

    def install(self, snapshot: OffsetAndEpoch, size_bytes: int) -> None:
        """Forget everything: the log starts anew, empty, at the end of a snapshot that was fetched."""
        self._epochs = []
        self._starts = []
        self.start_offset = self.end_offset = snapshot.offset
        self._snapshots = {snapshot: size_bytes}

    def add_snapshot(self, snapshot: OffsetAndEpoch, size_bytes: int) -> None:
        """Note a snapshot that this node wrote of its own log.

        One that is not newer than all others is of no use: a later one was fetched while it was being written.
        """
        latest = self.latest_snapshot
        if latest is not None and snapshot.offset <= latest.offset:
            return
        assert snapshot.offset <= self.end_offset, (
            f"a snapshot to offset {snapshot.offset} of a log that ends at {self.end_offset}"
        )
        self._snapshots[snapshot] = size_bytes

    def move_start(self, start_offset: int) -> None:
        """Note that the log was cleaned up to the end of a snapshot; that one is the oldest there is now.

        Nothing is left to do where a snapshot that was fetched meanwhile has moved the start further.
        """
        if start_offset <= self.start_offset:
            return
        assert start_offset <= self.end_offset, (
            f"start moves to {start_offset} in a log that ends at {self.end_offset}"
        )
        self._snapshots = {
            snapshot: size for snapshot, size in self._snapshots.items() if snapshot.offset >= start_offset
        }
        earliest = self.earliest_snapshot
        assert earliest is not None, f"log starts at {start_offset}, and no snapshot reaches that far"
        self.start_offset = start_offset
        gone = bisect_right(self._starts, start_offset) - 1
        assert gone >= 0, f"records before {start_offset} are of no known epoch"
        # Of the epoch that the new start falls into, the rest stays; nothing of it where the log ends there.
        keep_from = gone if start_offset < self.end_offset else gone + 1
        self._epochs = self._epochs[keep_from:]
        self._starts = self._starts[keep_from:]
        if self._starts:
            self._starts[0] = start_offset


def _check_ascending(what: str, values: list[int]) -> None:
    assert all(low < high for low, high in itertools.pairwise(values)), f"{what} {values} do not ascend"
