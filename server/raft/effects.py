"""Everything the Raft core asks for: an ``Effects`` object says what to write, and what to tell when.

The driver obeys one object at a time, in this order:

1. ``tell_now`` may be told at once, also while the rest is under way;
2. ``append``: write the batches at the end of the log;
3. ``election_state``: replace quorum-state, itself synced;
4. sync the log, if anything was appended;
5. ``tell_after_persist``: only now;
6. hand ``events.Persisted`` with the object's number back, if ``must_persist``.

A write or a sync that fails ends the node: ``Persisted`` is never sent for it, and it is never tried again as
if the failed attempt had not been.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from server.raft.control import ControlRecord
from server.raft.election_state import ElectionState
from server.types import LeaderAndEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingBatch:
    """A batch to append, of data or of control records. The driver stamps it with its wall clock."""

    base_offset: int
    epoch: int
    records: tuple[bytes, ...] = ()
    control: tuple[ControlRecord, ...] = ()

    def __post_init__(self) -> None:
        assert bool(self.records) != bool(self.control), "a batch holds data records or control records"

    @property
    def next_offset(self) -> int:
        """Offset after the batch's last record."""
        return self.base_offset + len(self.records) + len(self.control)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteElectionState:
    """New content of quorum-state."""

    state: ElectionState
    kraft_version: int
    """The kraft.version known now; it is the file's data_version too."""
    voter_ids: tuple[int, ...]
    """The voters known now, ascending; only data_version 0 records them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderChanged:
    """The quorum's leader or epoch, as this node knows them, are not what was told last. AFTER persisting."""

    leader: LeaderAndEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class BecameLeader:
    """This node leads. AFTER persisting.

    The controller becomes active once the high watermark has passed ``epoch_start_offset``, that is, when the
    epoch's first batch is committed; its first append starts at ``next_offset``.
    """

    epoch: int
    epoch_start_offset: int
    next_offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadershipLost:
    """This node no longer leads ``epoch``; uncommitted appends may be lost or not. AFTER persisting."""

    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HighWatermarkAdvanced:
    """Everything below ``offset`` is committed. NOW."""

    offset: int


class AppendRefusal(enum.Enum):
    """Why an append was refused."""

    NOT_LEADER = "not leader"
    """This node does not lead the append's epoch (any more)."""
    BATCH_TOO_LARGE = "batch too large"
    """The atomic unit, or one of the records, does not fit into the largest batch allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendRefused:
    """None of an append's records were taken; the core's next offset is what it was. NOW."""

    epoch: int
    base_offset: int
    reason: AppendRefusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ShutdownCompleted:
    """The core has nothing left to do; the driver may close the log. AFTER persisting."""


TellNow = HighWatermarkAdvanced | AppendRefused
TellAfterPersist = LeaderChanged | BecameLeader | LeadershipLost | ShutdownCompleted


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """All that came of the events handled since the last one was taken."""

    number: int
    """Counts up from 1; ``events.Persisted`` names it."""
    tell_now: tuple[TellNow, ...] = ()
    append: tuple[PendingBatch, ...] = ()
    """Consecutive, the first at the log's end."""
    election_state: WriteElectionState | None = None
    tell_after_persist: tuple[TellAfterPersist, ...] = ()

    @property
    def must_persist(self) -> bool:
        """Whether something has to become durable, and ``Persisted`` is expected."""
        return bool(self.append) or self.election_state is not None
