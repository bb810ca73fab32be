"""What the Raft core asks its driver to do. An ``Effects`` object lists writes, notices and messages, and says when.

The driver takes the effects after every event, applies ``notify_now`` at once and queues the rest. It works through the
queue in order of numbers. For each entry it does the following:

1. ``writes``: change the log, one write after the other;
2. ``election_state``: replace quorum-state, and sync that file;
3. sync the log, if ``must_sync`` says so; entries that wait together may share one sync;
4. ``notify_after_persist``: only now, and only once all earlier entries are done;
5. pass ``events.Persisted`` with the object's number to the core, if ``must_persist``.

``notify_now`` may overtake writes that are under way. The core makes sure that no message overtakes an election state,
and that the Fetch of a node that can be a voter leaves only once the log before its offset is durable.

A failed write or sync ends the node. ``Persisted`` is never sent for it, and the driver never repeats it as if the
failed attempt had not happened.

Ours alone: Apache Kafka's thread does each of these itself as it decides it. The idea is ``Ready`` of etcd's raft.
"""

from __future__ import annotations

import enum

import msgspec

from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import LeaderAndEpoch, OffsetAndEpoch
from kafkaproto_server.core.raft.values.control import ControlRecord
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.messages import (
    Destination,
    FetchedBatch,
    InboundRequest,
    InboundResponse,
    OutboundRequest,
    OutboundResponse,
)
from kafkaproto_server.core.raft.values.trust import Doubt

# -- what to write ---------------------------------------------------------------------------------------------------


class PendingBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch of data or control records that this leader appends. The driver adds the timestamp of its wall clock."""

    base_offset: int
    epoch: int
    records: tuple[bytes, ...] = ()
    control: tuple[ControlRecord, ...] = ()

    def __post_init__(self) -> None:
        # In Kafka's format a whole batch is control or data, by one bit of its header.
        assert bool(self.records) != bool(self.control), "a batch holds data records or control records"

    @property
    def next_offset(self) -> int:
        """Offset after the batch's last record."""
        # Each record takes one offset: nothing compacts this log.
        return self.base_offset + len(self.records) + len(self.control)


class TruncateLog(msgspec.Struct, frozen=True, kw_only=True):
    """Remove every record from ``end_offset`` on. That is a batch boundary, and not below the high watermark."""

    end_offset: int


class WriteSnapshotChunk(msgspec.Struct, frozen=True, kw_only=True):
    """Write a chunk of a fetched snapshot into its part file; position 0 begins a new file."""

    snapshot: OffsetAndEpoch
    position: int
    data: Buffer


class DropSnapshotPart(msgspec.Struct, frozen=True, kw_only=True):
    """Delete the part file: the rest of the snapshot will not be fetched."""

    snapshot: OffsetAndEpoch


class InstallSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The part file is complete. Check it, make it a durable snapshot, then empty the log: it starts at the snapshot's
    end.

    ``events.SnapshotInstalled`` or ``events.SnapshotRejected`` follows, before ``Persisted`` of the same effects.
    """

    snapshot: OffsetAndEpoch
    size: int


LogWrite = PendingBatch | FetchedBatch | TruncateLog | WriteSnapshotChunk | DropSnapshotPart | InstallSnapshot


class WriteElectionState(msgspec.Struct, frozen=True, kw_only=True):
    state: ElectionState
    kraft_version: int
    """The kraft.version in force; it is the file's data_version too."""
    voter_ids: tuple[int, ...]
    """The voters in force, ascending; only data_version 0 records them."""


# -- what to tell ----------------------------------------------------------------------------------------------------
# NOW means in ``notify_now``, AFTER persisting means in ``notify_after_persist``.


class SendRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Send a request to a peer. Exactly one ``ResponseReceived`` or ``RequestFailed`` has to follow. NOW or AFTER
    persisting.

    Fetch and FetchSnapshot to one destination may share a connection, which a long poll can hold for half a second;
    all other requests to that destination need a connection of their own.
    """

    request_id: int
    """Counts up from 1."""
    destination: Destination
    request: OutboundRequest


class SendResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Send the response to a ``RequestReceived``. NOW or AFTER persisting."""

    request_id: int
    response: OutboundResponse


class LeaderChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The leader or the epoch that this node knows has changed since the last such notice. AFTER persisting."""

    leader: LeaderAndEpoch


class BecameLeader(msgspec.Struct, frozen=True, kw_only=True):
    """This node leads. AFTER persisting.

    The controller becomes active once the high watermark has passed ``epoch_start_offset``, that is, when the
    epoch's first batch is committed. Its first append starts at ``next_offset``, unless ``ControlBatchAppended`` has
    named a later offset meanwhile.
    """

    epoch: int
    epoch_start_offset: int
    next_offset: int


class LeadershipLost(msgspec.Struct, frozen=True, kw_only=True):
    """This node no longer leads ``epoch``; its uncommitted appends may or may not be lost. NOW."""

    epoch: int


class ControlBatchAppended(msgspec.Struct, frozen=True, kw_only=True):
    """The leader appended control records of its own, after its first batch. NOW."""

    epoch: int
    next_offset: int
    """The offset after them. The controller's next append has to start there."""


class HighWatermarkAdvanced(msgspec.Struct, frozen=True, kw_only=True):
    """Everything below ``offset`` is committed. NOW at a leader; AFTER persisting at a follower."""

    offset: int


class VotersChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The voter set or the kraft.version in force has changed since the last such notice, by an append, a truncation or
    a snapshot. NOW."""

    kraft_version: int


class AppendRefusal(enum.Enum):
    """Why an append was refused."""

    NOT_LEADER = "not leader"
    """This node does not lead the append's epoch (any more)."""
    BATCH_TOO_LARGE = "batch too large"
    """The atomic unit, or one of the records, is larger than the largest batch allowed."""


class AppendRefused(msgspec.Struct, frozen=True, kw_only=True):
    """None of an append's records were accepted; the core's next offset is unchanged. NOW."""

    epoch: int
    base_offset: int
    reason: AppendRefusal


class ClaimRefused(msgspec.Struct, frozen=True, kw_only=True):
    """A peer claims an epoch or a leader that this node does not believe. The notice is for the node's log. NOW.

    The core reports each pair of peer and doubt once in ten minutes, and at most 100 about unknown nodes in that time.
    """

    peer_id: int
    """The node id that the peer claims to have, or that of the destination that responded."""
    claim: InboundRequest | InboundResponse
    doubt: Doubt


class ShutdownCompleted(msgspec.Struct, frozen=True, kw_only=True):
    """The core has nothing left to do; the driver may close the log. AFTER persisting."""


NoticeNow = (
    SendRequest
    | SendResponse
    | HighWatermarkAdvanced
    | LeadershipLost
    | ControlBatchAppended
    | VotersChanged
    | AppendRefused
    | ClaimRefused
)
NoticeAfterPersist = (
    SendRequest | SendResponse | HighWatermarkAdvanced | LeaderChanged | BecameLeader | ShutdownCompleted
)


class Effects(msgspec.Struct, frozen=True, kw_only=True):
    """All effects of the events that were handled since effects were last taken."""

    number: int
    """Counts up from 1; ``events.Persisted`` names it."""
    notify_now: tuple[NoticeNow, ...] = ()
    writes: tuple[LogWrite, ...] = ()
    election_state: WriteElectionState | None = None
    must_sync: bool = False
    """Whether the log has to be synced: always if batches or truncations have to become durable. A node that can never
    be a voter does not sync: no vote and no commit relies on its copy."""
    notify_after_persist: tuple[NoticeAfterPersist, ...] = ()

    @property
    def must_persist(self) -> bool:
        """Whether anything has to be written, so that the core expects ``Persisted``."""
        # Messages alone need no disk, and the core expects no `Persisted` for them.
        return bool(self.writes) or self.election_state is not None
