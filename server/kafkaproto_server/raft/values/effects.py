"""Everything the Raft core asks for: an ``Effects`` object says what to write, and what to tell when.

The driver takes effects after every event, applies ``tell_now`` at once, and queues the rest. A queue entry is done, in
order of numbers:

1. ``writes``: change the log, one after the other;
2. ``election_state``: replace quorum-state, itself synced;
3. sync the log, if ``must_sync`` says so; entries that wait together may share one sync;
4. ``tell_after_persist``: only now, and only once all entries before are done;
5. hand ``events.Persisted`` with the object's number back, if ``must_persist``.

``tell_now`` may overtake writes that are under way. The core sees to it that no message overtakes an election state,
and that what a follower's fetch offset promises is durable.

A write or a sync that fails ends the node: ``Persisted`` is never sent for it, and it is never tried again as
if the failed attempt had not been.
"""

from __future__ import annotations

import enum

import msgspec

from kafkaproto_server.ports import Buffer
from kafkaproto_server.raft.values.control import ControlRecord
from kafkaproto_server.raft.values.election_state import ElectionState
from kafkaproto_server.raft.values.messages import (
    Answer,
    Destination,
    FetchedBatch,
    InboundRequest,
    OutboundRequest,
    Response,
)
from kafkaproto_server.raft.values.trust import Doubt
from kafkaproto_server.types import LeaderAndEpoch, OffsetAndEpoch

# -- what to write ---------------------------------------------------------------------------------------------------


class PendingBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch that this leader appends, of data or of control records. The driver stamps it with its wall clock."""

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


class TruncateLog(msgspec.Struct, frozen=True, kw_only=True):
    """Remove every record from ``end_offset`` on; it is a batch boundary, and not below the high watermark."""

    end_offset: int


class WriteSnapshotChunk(msgspec.Struct, frozen=True, kw_only=True):
    """Write a piece of a snapshot that is being fetched into its part file; position 0 begins a new one."""

    snapshot: OffsetAndEpoch
    position: int
    data: Buffer


class DropSnapshotPart(msgspec.Struct, frozen=True, kw_only=True):
    """Delete the part file: the snapshot will not be fetched to its end."""

    snapshot: OffsetAndEpoch


class InstallSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The part file is complete. Check it, make it durable and a snapshot, then empty the log to start at its end.

    Answered by ``events.SnapshotInstalled`` or ``events.SnapshotRejected``, before ``Persisted`` of the same effects.
    """

    snapshot: OffsetAndEpoch
    size: int


LogWrite = PendingBatch | FetchedBatch | TruncateLog | WriteSnapshotChunk | DropSnapshotPart | InstallSnapshot


class WriteElectionState(msgspec.Struct, frozen=True, kw_only=True):
    """New content of quorum-state."""

    state: ElectionState
    kraft_version: int
    """The kraft.version known now; it is the file's data_version too."""
    voter_ids: tuple[int, ...]
    """The voters known now, ascending; only data_version 0 records them."""


# -- what to tell ----------------------------------------------------------------------------------------------------


class SendRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Ask a peer. Exactly one ``ResponseReceived`` or ``RequestFailed`` has to follow. NOW or AFTER persisting.

    Fetch and FetchSnapshot to one destination may share a connection, which a long poll can hold for half a second;
    all other requests to it need one of their own.
    """

    request_id: int
    """Counts up from 1."""
    destination: Destination
    request: OutboundRequest


class SendAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer a ``RequestReceived``. NOW or AFTER persisting."""

    request_id: int
    answer: Answer


class LeaderChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The quorum's leader or epoch, as this node knows them, are not what was told last. AFTER persisting."""

    leader: LeaderAndEpoch


class BecameLeader(msgspec.Struct, frozen=True, kw_only=True):
    """This node leads. AFTER persisting.

    The controller becomes active once the high watermark has passed ``epoch_start_offset``, that is, when the
    epoch's first batch is committed; its first append starts at ``next_offset``, unless ``ControlBatchAppended``
    moved that on meanwhile.
    """

    epoch: int
    epoch_start_offset: int
    next_offset: int


class LeadershipLost(msgspec.Struct, frozen=True, kw_only=True):
    """This node no longer leads ``epoch``; uncommitted appends may be lost or not. NOW."""

    epoch: int


class ControlBatchAppended(msgspec.Struct, frozen=True, kw_only=True):
    """The leader put control records of its own into the log, after its first batch. NOW."""

    epoch: int
    next_offset: int
    """The core's next offset after them, which the controller's next append has to start at."""


class HighWatermarkAdvanced(msgspec.Struct, frozen=True, kw_only=True):
    """Everything below ``offset`` is committed. NOW at a leader; AFTER persisting at a follower."""

    offset: int


class VotersChanged(msgspec.Struct, frozen=True, kw_only=True):
    """Voter set or kraft.version in force are not what was told last: appended, truncated, or from a snapshot. NOW."""

    kraft_version: int


class AppendRefusal(enum.Enum):
    """Why an append was refused."""

    NOT_LEADER = "not leader"
    """This node does not lead the append's epoch (any more)."""
    BATCH_TOO_LARGE = "batch too large"
    """The atomic unit, or one of the records, does not fit into the largest batch allowed."""


class AppendRefused(msgspec.Struct, frozen=True, kw_only=True):
    """None of an append's records were taken; the core's next offset is what it was. NOW."""

    epoch: int
    base_offset: int
    reason: AppendRefusal


class ClaimRefused(msgspec.Struct, frozen=True, kw_only=True):
    """A peer claims an epoch or a leader that this node does not believe; for the log. NOW.

    The core reports each peer and doubt once in ten minutes, and no more than 100 in all.
    """

    peer_id: int
    """The node id that the peer gives itself, or that of the destination that responded."""
    claim: InboundRequest | Response
    doubt: Doubt


class ShutdownCompleted(msgspec.Struct, frozen=True, kw_only=True):
    """The core has nothing left to do; the driver may close the log. AFTER persisting."""


TellNow = (
    SendRequest
    | SendAnswer
    | HighWatermarkAdvanced
    | LeadershipLost
    | ControlBatchAppended
    | VotersChanged
    | AppendRefused
    | ClaimRefused
)
TellAfterPersist = (
    SendRequest | SendAnswer | HighWatermarkAdvanced | LeaderChanged | BecameLeader | ShutdownCompleted
)


class Effects(msgspec.Struct, frozen=True, kw_only=True):
    """All that came of the events handled since the last one was taken."""

    number: int
    """Counts up from 1; ``events.Persisted`` names it."""
    tell_now: tuple[TellNow, ...] = ()
    writes: tuple[LogWrite, ...] = ()
    election_state: WriteElectionState | None = None
    must_sync: bool = False
    """Whether the log has to be synced: always where batches or truncations are to become durable; a node that can
    never be a voter lets its operating system write what it only reads."""
    tell_after_persist: tuple[TellAfterPersist, ...] = ()

    @property
    def must_persist(self) -> bool:
        """Whether something has to be written, and ``Persisted`` is expected."""
        return bool(self.writes) or self.election_state is not None
