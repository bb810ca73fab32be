"""The controller's states of the log: the committed state, and one state for each uncommitted append after it.

Returning to the committed state costs nothing, no matter how large the cluster is: images share what did not change.

Apache Kafka: ``OffsetControlManager`` and ``SnapshotRegistry``, which keep older states of timeline collections.
"""

from __future__ import annotations

from collections import deque

from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.values.events import BatchCommitted
from kafkaproto_server.metadata.image.loader import LoadState, load_control_batch, load_steps


def load_batch_steps(state: LoadState, batch: BatchCommitted) -> Steps[LoadState]:
    """The state after a committed batch, with at least one step per record; raises ReplayError."""
    # Control records belong to the quorum. They change no metadata, but the image has to reach
    # their offset, or the next batch would leave a gap.
    if batch.records is None:
        return load_control_batch(
            state, last_offset=batch.last_offset, epoch=batch.epoch, timestamp_ms=batch.timestamp_ms
        )
    return (
        yield from load_steps(
            state,
            base_offset=batch.base_offset,
            epoch=batch.epoch,
            timestamp_ms=batch.timestamp_ms,
            records=batch.records,
        )
    )


class LogStates:
    """The committed state and the states after it; the images' offsets are those of the log."""

    __slots__ = ("_appended", "committed", "high_watermark")

    def __init__(self) -> None:
        self.committed = LoadState()
        """The state after everything that is committed."""
        self.high_watermark = 0
        """Everything below this offset is committed."""
        self._appended: deque[LoadState] = deque()

    @property
    def newest(self) -> LoadState:
        """The state after everything that was appended."""
        return self._appended[-1] if self._appended else self.committed

    @property
    def next_offset(self) -> int:
        """Offset that the next record gets."""
        # Not counted apart: image and log cannot disagree about the end.
        return self.newest.latest.offset + 1

    def append(self, state: LoadState) -> None:
        """Add the state after one more batch, which is not committed yet."""
        assert state.latest.offset >= self.next_offset, (
            f"a batch to {state.latest.offset} before the log's end"
        )
        self._appended.append(state)

    def append_control_batch(self, next_offset: int, epoch: int) -> None:
        """Note that the quorum has appended control records up to ``next_offset``."""
        state = load_control_batch(
            self.newest,
            last_offset=next_offset - 1,
            epoch=epoch,
            # The time of the append is known when the driver has written the batch; `advance` sets it with the commit.
            timestamp_ms=self.newest.latest.timestamp_ms,
        )
        self._appended.append(state)

    def replace_committed(self, state: LoadState) -> None:
        """Replace the committed state by the one after batches of another leader."""
        assert not self._appended, "an active controller learns of commits by the high watermark"
        self.committed = state
        # A standby gets only what is committed, so the end of its image is what it knows of the high watermark.
        self.high_watermark = state.latest.offset + 1

    def advance(self, high_watermark: int, timestamp_ms: int) -> bool:
        """Count everything below ``high_watermark`` as committed; returns whether the committed state has changed.

        ``timestamp_ms`` is the append time of the last committed batch, which is known only now.
        """
        assert high_watermark <= self.next_offset, f"{high_watermark} is beyond the log's end"
        # After an activation the quorum may report a high watermark from before what was read
        # already. What is committed stays committed.
        self.high_watermark = max(self.high_watermark, high_watermark)
        committed = self.committed
        # A batch is committed as a whole. A high watermark within it commits nothing of it.
        while self._appended and self._appended[0].latest.offset < self.high_watermark:
            committed = self._appended.popleft()
        if committed is self.committed:
            return False
        latest = committed.latest.at(committed.latest.offset, committed.latest.epoch, timestamp_ms)
        # Identity says whether a transaction is open, so without one both must be the same object.
        stable = committed.stable if committed.in_transaction else latest
        self.committed = LoadState(latest=latest, stable=stable)
        assert self.committed.latest.offset < self.high_watermark, "a batch counts before it is committed"
        return True

    def forget_uncommitted(self) -> None:
        """Return to the committed state."""
        # Kafka's controllers revert timeline collections (SnapshotRegistry) to the last stable
        # offset. Images are persistent, so the old one is still there.
        self._appended.clear()
