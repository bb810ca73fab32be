"""How much of a snapshot has been fetched. The core keeps it across states; ``snapshot_fetch`` works on it.

Apache Kafka: ``FollowerState``, which gives a download up when that state ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.types import OffsetAndEpoch


@dataclass(slots=True, kw_only=True)
class SnapshotDownload:
    """A snapshot of which the first ``position`` bytes were passed on to be written."""

    snapshot: OffsetAndEpoch
    leader_id: int
    """The node whose file it is: two nodes' snapshots of one offset have the same records, but not the same bytes."""
    log_end: OffsetAndEpoch
    """This node's log end when the leader named the snapshot. If the log has changed since, it is not needed."""
    position: int = 0
    size: int | None = None
    """Size of the whole file; None until the first chunk has come."""
