"""The effects of the controller core: what the shell has to do, in the order in which the core gives them out.

Ours alone: Apache Kafka's controllers do these things as they decide them.
"""

from __future__ import annotations

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.core.controller.values.election_counts import ElectionCounts
from kafkaproto_server.metadata.image.image import ClusterImage


class AppendRecords(msgspec.Struct, frozen=True, kw_only=True):
    """Append records to the metadata log, in one batch: all or none are committed.

    The quorum's next offset must be ``base_offset``.
    """

    epoch: int
    # The records were replayed under these offsets, and a broker epoch is an offset. At any other
    # place in the log they would mean something else.
    base_offset: int
    records: tuple[bytes, ...]
    """Framed metadata records."""
    elections: ElectionCounts = ElectionCounts()
    """The elections in these records; for metrics."""


class Respond(msgspec.Struct, frozen=True, kw_only=True):
    """Respond to a command. The core gives it out AFTER its records, and those before them, are committed."""

    command_id: int
    response: Message


class Refuse(msgspec.Struct, frozen=True, kw_only=True):
    """Respond to a command with one error for all that it asks for (`table.refusal_steps` makes the response).

    It comes AFTER the records that the refusal rests on are committed. NOT_CONTROLLER and REQUEST_TIMED_OUT leave open
    whether they ever will be. The response to a large request is as large, so the core does not make it: many commands
    may be refused at the same moment.
    """

    command_id: int
    request: Message
    version: int
    code: ErrorCode
    text: str | None
    """The error in words; None if there is nothing to add to the code."""
    void: Message | None = None
    """The response that the command would have had. Nothing else refers to it: the shell frees a large one in steps."""


class PublishImage(msgspec.Struct, frozen=True, kw_only=True):
    """Publish the newest committed image, without the records of an open metadata transaction. It comes BEFORE the
    responses that rest on it."""

    image: ClusterImage
    high_watermark: int
    """Everything below is committed; beyond ``image.offset + 1`` only while a transaction is open."""


class UpgradeKRaftVersion(msgspec.Struct, frozen=True, kw_only=True):
    """Have the quorum raise kraft.version, which the quorum keeps. `events.KRaftVersionUpgraded` follows.

    The core gives it out alone. The shell has to pass it to the Raft core before the controller's next event: the
    control records of the change come right behind the last record that the controller knows.
    """

    command_id: int
    epoch: int
    """Epoch in which this controller is active."""
    level: int
    validate_only: bool
    """Whether the quorum only has to say if it could raise the level."""


class ReportFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A command or a periodic task failed with an unforeseen error and changed nothing. A command gets
    UNKNOWN_SERVER_ERROR.

    It is for the node's log, so that somebody can repair the fault. The controller keeps its leadership: a command is a
    function, so nothing is half done.
    """

    request_name: str
    """Name of the request, or of the task."""
    error: Exception


class ReportSilence(msgspec.Struct, frozen=True, kw_only=True):
    """The controller has not heard from a broker for a whole session and fences it. It is for the node's log, which
    tells an operator why a broker no longer leads anything."""

    broker_id: int
    broker_epoch: int
    silent_ms: int


class ReportDeath(msgspec.Struct, frozen=True, kw_only=True):
    """A failed broker: its process is provably gone, and the controller fences it. For the node's log."""

    broker_id: int
    broker_epoch: int
    proof: str
    """The proof in words."""


class ReportShutdown(msgspec.Struct, frozen=True, kw_only=True):
    """A broker has asked to shut down, or its shutdown is taken back. For the node's log."""

    broker_id: int
    broker_epoch: int
    is_taken_back: bool
    """Whether the broker's own heartbeats do not ask for the shutdown, so that the shutdown is over."""


Report = ReportSilence | ReportDeath | ReportShutdown
"""Effects that only the node's log gets."""

Effect = AppendRecords | Respond | Refuse | PublishImage | UpgradeKRaftVersion | ReportFailure | Report
