"""The offsets of replicas in the checkpoints of a log directory, from one start of the broker to the next.

A checkpoint is always written as a whole. So what it says of a replica has to be kept until the log of that replica is
open, and longer if the metadata does not know the replica yet: otherwise a crash in the first minute would make the
next start read all logs, and deleted records would come back.
"""

from __future__ import annotations

import msgspec

from kafkaproto_server.node.replicas.survey import DirectorySurvey
from kafkaproto_server.storage.directories.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    TopicPartition,
)

PartitionId = tuple[bytes, int]
"""(topic id, partition index)"""


class Checkpointed(msgspec.Struct, frozen=True, kw_only=True):
    """The offsets of one replica."""

    recovery_point: int = 0
    log_start_offset: int = 0
    high_watermark: int = 0

    def offset(self, checkpoint: str) -> int:
        """The offset in a checkpoint."""
        if checkpoint == RECOVERY_POINTS:
            return self.recovery_point
        return self.log_start_offset if checkpoint == LOG_STARTS else self.high_watermark


def checkpointed_at_start(survey: DirectorySurvey) -> dict[PartitionId, tuple[TopicPartition, Checkpointed]]:
    """What the checkpoints of a directory say of the replicas that lie in it.

    The entries have names, and the replicas topic ids: another topic may have had the name before.
    """
    found = {}
    for each in survey.found:
        if each.topic_id is None or each.is_future:
            continue
        key = (each.topic, each.index)
        found[each.topic_id, each.index] = (
            key,
            Checkpointed(
                recovery_point=survey.recovery_points.get(key, 0),
                log_start_offset=survey.log_starts.get(key, 0),
                high_watermark=survey.high_watermarks.get(key, 0),
            ),
        )
    return found


CHECKPOINTS = (RECOVERY_POINTS, LOG_STARTS, HIGH_WATERMARKS)
"""All checkpoints that the broker writes."""
