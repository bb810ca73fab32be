"""All events of the controller core. ``Controller.handle`` takes these and nothing else.

Apache Kafka: the events of ``QuorumController`` and the callbacks of ``RaftClient.Listener``.
"""

from __future__ import annotations

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState


class CommandContext(msgspec.Struct, frozen=True, kw_only=True):
    """The sender of a request, its listener, and how long the request may take."""

    listener_name: str = ""
    principal: str = "User:ANONYMOUS"
    """Type and name of the authenticated principal."""
    client_host: str = ""
    client_id: str | None = None
    deadline_ms: int | None = None
    """Monotonic time at which the sender gives up. None if the request has no time limit; the controller then sets one.
    """


class BecameActive(msgspec.Struct, frozen=True, kw_only=True):
    """This node leads the quorum, and the controller has got everything that the log held before, as committed batches.

    It comes once the high watermark has passed the first batch of ``epoch``. Between the last committed batch and
    ``next_offset`` there are only control records of the quorum.
    """

    epoch: int
    next_offset: int
    """Offset of the first record that the controller will append."""


class BecameInactive(msgspec.Struct, frozen=True, kw_only=True):
    """Another node leads, or none. A controller that was not active gets it, too, when a leader becomes known.

    The controller drops what it appended and is not committed. Parts of that may still come as `BatchCommitted`, which
    continue at ``Controller.next_committed_offset``.
    """

    leader_id: int
    """Node id of the leader; -1 if none is known."""
    epoch: int


class BatchCommitted(msgspec.Struct, frozen=True, kw_only=True):
    """A committed batch, for a controller that is not active; an active one learns of commits by the high watermark."""

    base_offset: int
    last_offset: int
    epoch: int
    timestamp_ms: int
    """Append time of the batch."""
    records: tuple[Message, ...] | None
    """Metadata records; None for a batch of the quorum's own control records."""
    # A batch of many records would hold up the event loop. So the shell replays it in steps before
    # it hands it over.
    loaded: LoadState | None = None
    """The state after the batch, if `Controller.load_steps` has computed it before."""


class SnapshotLoaded(msgspec.Struct, frozen=True, kw_only=True):
    """The image of a snapshot, which replaces everything that was replayed before; never while active.

    It reaches at least as far as what was replayed. `BatchCommitted` continues after ``image.offset``.
    """

    image: ClusterImage


class RecordsCommitted(msgspec.Struct, frozen=True, kw_only=True):
    """Everything below the high watermark is committed. Sent only while active."""

    high_watermark: int
    timestamp_ms: int
    """Append time of the last committed batch."""


class QuorumAppended(msgspec.Struct, frozen=True, kw_only=True):
    """The quorum appended control records of its own while this controller is active."""

    next_offset: int
    """Offset after the batch's last record."""


class KRaftVersionChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The finalized level of kraft.version. The quorum keeps it, not the image; it is 0 before the first such event."""

    kraft_version: int


class KRaftVersionUpgraded(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an `effects.UpgradeKRaftVersion`; it is ignored if its command is over already.

    If the quorum appended records for it, `QuorumAppended` comes first.
    """

    command_id: int
    error_code: ErrorCode
    """NONE if the level is upgraded or, if only validation was asked for, could be."""
    message: str | None


class CommandReceived(msgspec.Struct, frozen=True, kw_only=True):
    """A request that only the active controller may carry out. Exactly one `effects.Respond` or `effects.Refuse`
    follows."""

    command_id: int
    """Chosen by the sender; the response names it."""
    request: Message
    version: int
    """Version of the request on the wire, and so of the response."""
    context: CommandContext


class BrokerFailed(msgspec.Struct, frozen=True, kw_only=True):
    """A broker's process is gone: the connection of its newest heartbeat ended, and nobody listens at any of its
    endpoints. The event has no effect if the broker has sent a heartbeat since, or if the controller is not active."""

    broker_id: int
    broker_epoch: int
    """Broker epoch of the registration whose endpoints were tried."""
    silent_since_ms: int
    """Monotonic time of the connection's end: a later heartbeat refutes the proof."""
    proof: str = ""
    """The proof in words."""


class NodePaused(msgspec.Struct, frozen=True, kw_only=True):
    """This node did not run for a while, and has not read what was sent to it meanwhile. It comes before any other
    event of the time after. The controller must not count that time as silence of the brokers."""

    pause_ms: int


class TimePassed(msgspec.Struct, frozen=True, kw_only=True):
    """Time has passed, or there is work left. It comes when ``next_deadline_ms`` is reached; early or late ones do no
    harm."""


Event = (
    BecameActive
    | BecameInactive
    | BatchCommitted
    | SnapshotLoaded
    | RecordsCommitted
    | QuorumAppended
    | KRaftVersionChanged
    | KRaftVersionUpgraded
    | CommandReceived
    | BrokerFailed
    | NodePaused
    | TimePassed
)
