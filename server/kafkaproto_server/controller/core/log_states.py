"""What the log holds, as the controller knows it: one state per append that is not committed, and the committed one.

Going back to the committed state costs nothing, however large the cluster: images share what did not change.
"""

from __future__ import annotations

from collections import deque

from kafkaproto_server.controller.values.events import BatchCommitted
from kafkaproto_server.image.loader import LoadState, load_control_batch, load_steps
from kafkaproto_server.types import Steps


def load_batch_steps(state: LoadState, batch: BatchCommitted) -> Steps[LoadState]:
    """The state after a committed batch, a step for each record at least; raises ReplayError."""
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
    """The states of the log's content from what is committed on; the images' offsets are the log's."""

    __slots__ = ("_appended", "committed", "high_watermark")

    def __init__(self) -> None:
        self.committed = LoadState()
        """With everything that is committed."""
        self.high_watermark = 0
        """Everything below is committed."""
        self._appended: deque[LoadState] = deque()

    @property
    def newest(self) -> LoadState:
        """With everything that was appended."""
        return self._appended[-1] if self._appended else self.committed

    @property
    def next_offset(self) -> int:
        """Offset that the next record gets."""
        return self.newest.latest.offset + 1

    def append(self, state: LoadState) -> None:
        """The log's content with one more batch, which is not committed."""
        self._appended.append(state)

    def append_control_batch(self, next_offset: int, epoch: int) -> None:
        """The quorum has put records of its own up to ``next_offset`` into the log."""
        state = load_control_batch(
            self.newest,
            last_offset=next_offset - 1,
            epoch=epoch,
            timestamp_ms=self.newest.latest.timestamp_ms,
        )
        self._appended.append(state)

    def replace_committed(self, state: LoadState) -> None:
        """The content up to the high watermark, as another leader appended it."""
        self.committed = state
        self.high_watermark = state.latest.offset + 1

    def advance(self, high_watermark: int, timestamp_ms: int) -> bool:
        """Count what is below ``high_watermark`` as committed; whether that is any content.

        ``timestamp_ms`` is the append time of the last committed batch, which is known only now.
        """
        assert high_watermark <= self.next_offset, f"{high_watermark} is beyond the log's end"
        self.high_watermark = max(self.high_watermark, high_watermark)
        committed = self.committed
        while self._appended and self._appended[0].latest.offset < self.high_watermark:
            committed = self._appended.popleft()
        if committed is self.committed:
            return False
        latest = committed.latest.at(committed.latest.offset, committed.latest.epoch, timestamp_ms)
        stable = committed.stable if committed.in_transaction else latest
        self.committed = LoadState(latest=latest, stable=stable)
        return True

    def forget_uncommitted(self) -> None:
        """Go back to what is committed."""
        self._appended.clear()
