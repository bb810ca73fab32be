"""Everything that can happen to the Raft core. ``node.RaftNode.handle`` takes these and nothing else."""

from __future__ import annotations

import enum

import msgspec

from kafkaproto_server.raft.values.control import RecordedControl
from kafkaproto_server.raft.values.election_state import ElectionState
from kafkaproto_server.raft.values.epoch_start import EpochStart
from kafkaproto_server.raft.values.errors import RaftError
from kafkaproto_server.raft.values.messages import InboundRequest, Response
from kafkaproto_server.types import OffsetAndEpoch


class StoredSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot on this node's disk; the 0-0 one, which is nobody else's business, is never among them."""

    id: OffsetAndEpoch
    """Its offset is exclusive: the first one not contained."""
    size_bytes: int


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """What recovery found on disk, all of it durable. The first event, and only the first."""

    log_start_offset: int
    log_end_offset: int
    epoch_starts: tuple[EpochStart, ...] = ()
    """Leader epochs with records in the log, ascending; none starts at or after the log's end."""
    snapshots: tuple[StoredSnapshot, ...] = ()
    """Ascending. Where the log starts after 0, the latest one reaches at least to the log's start."""
    election: ElectionState | None = None
    """Content of quorum-state; None where the file does not exist."""
    control_records: tuple[RecordedControl, ...] = ()
    """Every KRAFT_VERSION and KRAFT_VOTERS: those of the latest snapshot, then those of the log after it."""


class AppendRequested(msgspec.Struct, frozen=True, kw_only=True):
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


class Persisted(msgspec.Struct, frozen=True, kw_only=True):
    """The driver's answer to ``Effects`` that had to be made durable: they are, and all those before them."""

    number: int
    """``Effects.number`` of the newest one that is durable."""


class RequestReceived(msgspec.Struct, frozen=True, kw_only=True):
    """A peer, a tool or this node's own controller asks. Answered by exactly one ``effects.SendAnswer``."""

    request_id: int
    """Chosen by the driver, never used again."""
    request: InboundRequest
    listener_name: str
    """Listener that it came in on; answers name the leader's endpoint for it."""


class ResponseReceived(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an ``effects.SendRequest``. One whose request is over already is ignored."""

    request_id: int
    response: Response


class RequestFailure(enum.Enum):
    """Why a request got no answer that could be used."""

    REFUSED = "refused"
    """Nobody listens at the destination: there is proof that the process is gone."""
    DISCONNECTED = "disconnected"
    """The connection broke or was closed."""
    UNREACHABLE = "unreachable"
    """No such host, no route, or connecting took too long."""
    TIMED_OUT = "timed out"
    """No answer within ``controller.quorum.request.timeout.ms``."""
    BAD_ANSWER = "bad answer"
    """What came is not Kafka's protocol, or a batch in it is corrupt."""
    TOP_LEVEL_ERROR = "top-level error"
    """The peer refused the whole request; ``RequestFailed.error`` says why."""
    UNSUPPORTED = "unsupported"
    """The peer serves no version of this request that the core can use."""


class RequestFailed(msgspec.Struct, frozen=True, kw_only=True):
    """An ``effects.SendRequest`` is over without an answer. The peer may have acted on it all the same."""

    request_id: int
    failure: RequestFailure
    error: RaftError = RaftError.NONE
    """Of TOP_LEVEL_ERROR; UNKNOWN_SERVER_ERROR for codes that the core does not know."""


class SnapshotCreated(msgspec.Struct, frozen=True, kw_only=True):
    """This node wrote a snapshot of its committed state; it is durable."""

    snapshot: StoredSnapshot


class SnapshotInstalled(msgspec.Struct, frozen=True, kw_only=True):
    """What ``effects.InstallSnapshot`` asked for is done: the log is empty and starts at the snapshot's end."""

    snapshot: StoredSnapshot
    control_records: tuple[RecordedControl, ...]
    """KRAFT_VERSION and KRAFT_VOTERS of the snapshot, at its end offset - 1."""


class SnapshotRejected(msgspec.Struct, frozen=True, kw_only=True):
    """The snapshot that was fetched is damaged or no snapshot; it is deleted, and the log is as it was."""

    snapshot: OffsetAndEpoch


class LogStartMoved(msgspec.Struct, frozen=True, kw_only=True):
    """Cleaning moved the log's start to a snapshot's end, and deleted all snapshots before that one."""

    log_start_offset: int


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    """Time has passed; sent when ``next_deadline_ms`` is reached. Early or late ones do no harm."""


class ResignRequested(msgspec.Struct, frozen=True, kw_only=True):
    """The active controller cannot go on in this epoch: give leadership up, if it is still this epoch's."""

    epoch: int


class ShutdownRequested(msgspec.Struct, frozen=True, kw_only=True):
    """The node is about to stop: hand leadership over. What is asked for afterwards is refused.

    ``effects.ShutdownCompleted`` follows: at once where this node does not lead, else once another leader or a newer
    epoch is known, or ``config.SHUTDOWN_TIMEOUT_MS`` have passed.
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
