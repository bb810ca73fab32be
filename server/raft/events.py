"""Everything that can happen to the Raft core. ``node.RaftNode.handle`` takes these and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from server.raft.control import RecordedControl
from server.raft.election_state import ElectionState
from server.raft.log_index import EpochStart
from server.types import OffsetAndEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What recovery found on disk, all of it durable. The first event, and only the first."""

    log_start_offset: int
    log_end_offset: int
    epoch_starts: tuple[EpochStart, ...] = ()
    """Leader epochs with records in the log, ascending; none starts at or after the log's end."""
    snapshot: OffsetAndEpoch | None = None
    """The latest snapshot, or None; its end offset is exclusive."""
    election: ElectionState | None = None
    """Content of quorum-state; None where the file does not exist."""
    control_records: tuple[RecordedControl, ...] = ()
    """Every KRAFT_VERSION and KRAFT_VOTERS: those of the latest snapshot, then those of the log after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendRequested:
    """The active controller wants records in the log.

    Its offsets are already reserved, so ``base_offset`` has to be the core's own next offset. An epoch that
    this node does not lead any more is refused; so is what no batch can hold (see ``effects.AppendRefused``).
    """

    epoch: int
    base_offset: int
    records: tuple[bytes, ...]
    """Values of data records, at least one."""
    atomic: bool = True
    """Whether all records must share one batch; else they may be spread over consecutive ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Persisted:
    """The driver's answer to ``Effects`` that had to be made durable: they are, and all those before them."""

    number: int
    """``Effects.number`` of the newest one that is durable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Time has passed; sent when ``next_deadline_ms`` is reached. Early or late ones do no harm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShutdownRequested:
    """The node is about to stop: give up leadership. What is asked for afterwards is refused."""


Event = Opened | AppendRequested | Persisted | Tick | ShutdownRequested
