"""Everything that can happen to the controller: ``Controller.handle`` takes these and nothing else."""

from __future__ import annotations

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.image.loader import LoadState


class CommandContext(msgspec.Struct, frozen=True, kw_only=True):
    """Who sent a request, over what, and how long it may take."""

    listener_name: str = ""
    principal: str = "User:ANONYMOUS"
    """Type and name of the authenticated principal."""
    client_host: str = ""
    client_id: str | None = None
    deadline_ms: int | None = None
    """Monotonic time at which the sender gives up; None if the request names no time limit. The controller sets one
    then."""


class BecameActive(msgspec.Struct, frozen=True, kw_only=True):
    """This node leads the quorum, and all that the log held before it has been handed over as committed.

    Sent once the high watermark has passed the first batch of ``epoch``. What lies between the last committed
    batch and ``next_offset`` are the quorum's own control records.
    """

    epoch: int
    next_offset: int
    """Offset that the first record of the controller will get."""


class BecameInactive(msgspec.Struct, frozen=True, kw_only=True):
    """Another node leads, or none; also sent to a controller that was not active, when it learns of a leader.

    What was appended and not committed is forgotten. Parts of it may still come back as `BatchCommitted`,
    which go on at ``Controller.next_committed_offset``.
    """

    leader_id: int
    """Node id of the leader, -1 where none is known."""
    epoch: int


class BatchCommitted(msgspec.Struct, frozen=True, kw_only=True):
    """A committed batch that this controller did not append in its present activity; never while active."""

    base_offset: int
    last_offset: int
    epoch: int
    timestamp_ms: int
    """Append time of the batch."""
    records: tuple[Message, ...] | None
    """Metadata records; None for a batch of the quorum's own control records."""
    loaded: LoadState | None = None
    """What the log's content is with the batch, where `Controller.load_steps` has found that out beforehand."""


class SnapshotLoaded(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a snapshot, which replaces all that was replayed before; never while active.

    It reaches at least as far as what was replayed. `BatchCommitted` goes on after ``image.offset``.
    """

    image: ClusterImage


class HighWatermarkAdvanced(msgspec.Struct, frozen=True, kw_only=True):
    """Everything below the high watermark is committed. Sent only while active."""

    high_watermark: int
    timestamp_ms: int
    """Append time of the last committed batch."""


class ControlBatchAppended(msgspec.Struct, frozen=True, kw_only=True):
    """The quorum appended control records of its own while this controller is active."""

    next_offset: int
    """Offset after the batch's last record."""


class KRaftVersionChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The finalized level of kraft.version, which the quorum keeps and the image does not; 0 until told."""

    kraft_version: int


class KRaftVersionUpgraded(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an `effects.UpgradeKRaftVersion`; one that nobody waits for any more does no harm.

    Where the quorum appended something for it, the `ControlBatchAppended` comes first.
    """

    command_id: int
    error_code: ErrorCode
    """NONE where the level is upgraded, or (asked to validate only) could be."""
    message: str | None


class CommandReceived(msgspec.Struct, frozen=True, kw_only=True):
    """A request that only the active controller may carry out. Exactly one `effects.Respond` or `effects.Refuse` will
    follow."""

    command_id: int
    """Chosen by the sender; names the command in its answer."""
    request: Message
    version: int
    """Version of the request on the wire, and so of the response."""
    context: CommandContext


class BrokerFailed(msgspec.Struct, frozen=True, kw_only=True):
    """A broker's process is gone: the connection of its newest heartbeat ended, and nobody listens at any of its
    endpoints. It does no harm to a broker that was heard of meanwhile, nor to a controller that is not active."""

    broker_id: int
    broker_epoch: int
    """That of the registration whose endpoints were tried."""
    silent_since_ms: int
    """Monotonic time of the connection's end: a later heartbeat refutes the proof."""
    proof: str = ""
    """How that is known, in words."""


class NodePaused(msgspec.Struct, frozen=True, kw_only=True):
    """This node did not run for a while, and has not taken in what was sent to it meanwhile; sent before anything else
    is told of the time after. Nobody was silent for that long, as far as this controller can tell."""

    pause_ms: int


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    """Time has passed, or there is work left; sent when ``next_deadline_ms`` is reached. One that comes early or late
    does no harm."""


Event = (
    BecameActive
    | BecameInactive
    | BatchCommitted
    | SnapshotLoaded
    | HighWatermarkAdvanced
    | ControlBatchAppended
    | KRaftVersionChanged
    | KRaftVersionUpgraded
    | CommandReceived
    | BrokerFailed
    | NodePaused
    | Tick
)
