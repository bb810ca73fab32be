"""All events of the Raft core. ``node.RaftNode.handle`` takes these and nothing else.

Ours alone: what Apache Kafka's ``KafkaRaftClient`` finds in its queue of messages, or does itself.
"""

from __future__ import annotations

import enum

import msgspec

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.control import RecordedControl
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.epoch_start import EpochStart
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import InboundRequest, InboundResponse


class StoredSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot on this node's disk. It is never the 0-0 snapshot, which is not sent to other nodes."""

    id: OffsetAndEpoch
    """Its offset is exclusive: the first offset that the snapshot does not contain."""
    size_bytes: int


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """What recovery found on disk; all of it is durable. This is the first event, and it comes once."""

    log_start_offset: int
    log_end_offset: int
    epoch_starts: tuple[EpochStart, ...] = ()
    """Leader epochs with records in the log, ascending; none starts at or after the log's end."""
    snapshots: tuple[StoredSnapshot, ...] = ()
    """Ascending. If the log starts after 0, the latest snapshot reaches at least to the log start."""
    election: ElectionState | None = None
    """Content of quorum-state; None if the file does not exist."""
    control_records: tuple[RecordedControl, ...] = ()
    """Every KRAFT_VERSION and KRAFT_VOTERS record: those of the latest snapshot, then those of the log after it."""


class AppendRequested(msgspec.Struct, frozen=True, kw_only=True):
    """The active controller wants to append records.

    It has reserved the offsets already, so ``base_offset`` has to be the core's own next offset. The append is refused
    if this node does not lead the epoch any more, or if no batch can hold the records (see ``effects.AppendRefused``).
    """

    epoch: int
    base_offset: int
    records: tuple[bytes, ...]
    """Values of data records, at least one."""
    atomic: bool = True
    """Whether all records must share one batch; if not, they may be spread over consecutive batches."""


class Persisted(msgspec.Struct, frozen=True, kw_only=True):
    """The driver has made these ``Effects``, and all earlier ones, durable."""

    number: int
    """``Effects.number`` of the newest durable effects."""


class RequestReceived(msgspec.Struct, frozen=True, kw_only=True):
    """A request of a peer, a tool or this node's own controller. Exactly one ``effects.SendResponse`` follows."""

    request_id: int
    """Chosen by the driver, never used again."""
    request: InboundRequest
    listener_name: str
    """Listener that the request came in on; the response names the leader's endpoint for it."""


class ResponseReceived(msgspec.Struct, frozen=True, kw_only=True):
    """The response to an ``effects.SendRequest``. It is ignored if its request has ended already."""

    request_id: int
    response: InboundResponse


class RequestFailure(enum.Enum):
    """Why a request got no usable response."""

    REFUSED = "refused"
    """Nobody listens at the destination, which proves that the process is gone."""
    DISCONNECTED = "disconnected"
    """The connection broke or was closed."""
    UNREACHABLE = "unreachable"
    """No such host, no route, or connecting took too long."""
    TIMED_OUT = "timed out"
    """No response within ``controller.quorum.request.timeout.ms``."""
    BAD_RESPONSE = "bad answer"
    """The response breaks Kafka's protocol, or a batch in it is corrupt."""
    TOP_LEVEL_ERROR = "top-level error"
    """The peer refused the whole request; ``RequestFailed.error`` says why."""
    UNSUPPORTED = "unsupported"
    """The peer serves no version of this request that the core can use."""


class RequestFailed(msgspec.Struct, frozen=True, kw_only=True):
    """An ``effects.SendRequest`` has ended without a response. The peer may have acted on it all the same."""

    request_id: int
    failure: RequestFailure
    error: RaftError = RaftError.NONE
    """The error of a TOP_LEVEL_ERROR; UNKNOWN_SERVER_ERROR for codes that the core does not know."""


class SnapshotCreated(msgspec.Struct, frozen=True, kw_only=True):
    """This node wrote a snapshot of its committed state; it is durable."""

    snapshot: StoredSnapshot


class SnapshotInstalled(msgspec.Struct, frozen=True, kw_only=True):
    """``effects.InstallSnapshot`` is done: the log is empty and starts at the snapshot's end."""

    snapshot: StoredSnapshot
    control_records: tuple[RecordedControl, ...]
    """KRAFT_VERSION and KRAFT_VOTERS records of the snapshot, at its end offset - 1."""


class SnapshotRejected(msgspec.Struct, frozen=True, kw_only=True):
    """The fetched snapshot is damaged or not a snapshot. It is deleted, and the log is unchanged."""

    snapshot: OffsetAndEpoch


class LogStartMoved(msgspec.Struct, frozen=True, kw_only=True):
    """The log cleaner moved the log start to the end of a snapshot and deleted all earlier snapshots."""

    log_start_offset: int


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    """Time has passed. The driver sends it when ``next_deadline_ms`` is reached; early or late ones do no harm."""


class ResignRequested(msgspec.Struct, frozen=True, kw_only=True):
    """The active controller cannot continue in this epoch: the node resigns if it still leads that epoch."""

    epoch: int


class ShutdownRequested(msgspec.Struct, frozen=True, kw_only=True):
    """The node is about to stop and hands leadership over. It does not lead again, so later appends are refused.

    ``effects.ShutdownCompleted`` follows: at once if this node does not lead, else once it knows another leader or a
    newer epoch, or after ``config.SHUTDOWN_TIMEOUT_MS``.
    """


Event = (
    Opened
    | AppendRequested
    | Persisted
    | RequestReceived
    | ResponseReceived
    | RequestFailed
    | SnapshotCreated
    | SnapshotInstalled
    | SnapshotRejected
    | LogStartMoved
    | Tick
    | ResignRequested
    | ShutdownRequested
)
