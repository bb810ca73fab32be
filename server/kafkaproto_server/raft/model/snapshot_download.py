"""How far a snapshot is fetched. Held by the core across states; ``snapshot_fetch`` works on it."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.types import OffsetAndEpoch


@dataclass(slots=True, kw_only=True)
class SnapshotDownload:
    """A snapshot of which the first ``position`` bytes were handed to the disk."""

    snapshot: OffsetAndEpoch
    leader_id: int
    """Whose file it is: two nodes' snapshots of one offset hold the same records, but not the same bytes."""
    log_end: OffsetAndEpoch
    """End of the log for which the leader named the snapshot; a log that has moved on since has no need of it."""
    position: int = 0
    size: int | None = None
    """Of the whole file; None until the first piece told."""
