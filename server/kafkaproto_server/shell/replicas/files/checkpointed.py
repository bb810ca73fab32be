"""The offsets of replicas in the checkpoints of a log directory, from one start of the broker to the next.

A checkpoint is always written as a whole. So what it says of a replica has to be kept until the log of that replica is
open, and longer if the metadata does not know the replica yet: otherwise a crash in the first minute would make the
next start read all logs, and deleted records would come back.
"""

from __future__ import annotations

import msgspec

from kafkaproto_server.shell.storage.log.reached import (
    REACHED_BY_METADATA,
    Reached,
    reached_by_checkpoints,
    reached_by_start,
)
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
)

PartitionId = tuple[bytes, int]
"""(topic id, partition index)"""


class Checkpointed(msgspec.Struct, frozen=True, kw_only=True):
    """The offsets of one replica."""

    recovery_point: int = 0
    log_start_offset: int = 0
    high_watermark: int = 0
    is_emptied: bool = False
    """Whether nothing was left of the replica and of the checkpoints when the broker started, though the controllers
    count on its records."""

    def offset(self, checkpoint: str) -> int:
        """The offset in a checkpoint."""
        if checkpoint == RECOVERY_POINTS:
            return self.recovery_point
        return self.log_start_offset if checkpoint == LOG_STARTS else self.high_watermark

    def reached(self, *, is_kept: bool) -> Reached | None:
        """How far the log reached; see `reached_by_checkpoints`."""
        # The checkpoints are gone with the records. That the controllers count on the replica is the only witness.
        if self.is_emptied:
            return REACHED_BY_METADATA
        # The recovery point proves something after any crash, since it is of what is durable. The others count only if
        # nothing that was written can be gone.
        known = reached_by_checkpoints(self.recovery_point, self.high_watermark, is_kept=is_kept)
        return reached_by_start(self.log_start_offset, known) if is_kept else known


EMPTIED = Checkpointed(recovery_point=1, is_emptied=True)
"""What is known of a replica that has lost all. The next start, too, has to see that something is missing, so a
checkpoint says that there was a record."""


CHECKPOINTS = (RECOVERY_POINTS, LOG_STARTS, HIGH_WATERMARKS)
"""All checkpoints that the broker writes."""
