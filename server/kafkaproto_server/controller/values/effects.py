"""Everything the controller asks for, in the order in which it is to be done."""

from __future__ import annotations

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.controller.values.election_counts import ElectionCounts
from kafkaproto_server.image.image import ClusterImage


class AppendRecords(msgspec.Struct, frozen=True, kw_only=True):
    """Append records to the metadata log, in one batch: all or none are committed.

    The quorum's next offset must be ``base_offset``.
    """

    epoch: int
    base_offset: int
    records: tuple[bytes, ...]
    """Framed metadata records."""
    elections: ElectionCounts = ElectionCounts()
    """What the records elect; for metrics."""


class Respond(msgspec.Struct, frozen=True, kw_only=True):
    """Answer a command. AFTER the records it led to, and those before them, are committed."""

    command_id: int
    response: Message


class Refuse(msgspec.Struct, frozen=True, kw_only=True):
    """Answer a command with the same error for everything that it asks for (`table.refusal_steps` makes the response).

    AFTER the records that the refusal rests on are committed; one that says NOT_CONTROLLER or REQUEST_TIMED_OUT leaves
    open whether they ever will be. The response to a large request is as large, so it is not made here: many commands
    may be refused at the same moment.
    """

    command_id: int
    request: Message
    version: int
    code: ErrorCode
    text: str | None
    """In words; None if there is nothing to add."""
    void: Message | None = None
    """The response that the command would have had. Nobody else holds it: a large one is to be let go in steps."""


class PublishImage(msgspec.Struct, frozen=True, kw_only=True):
    """The newest committed state, records of an open metadata transaction left out. BEFORE the answers that
    rest on it."""

    image: ClusterImage
    high_watermark: int
    """Everything below is committed; beyond ``image.offset + 1`` only while a transaction is open."""


class UpgradeKRaftVersion(msgspec.Struct, frozen=True, kw_only=True):
    """Have the quorum raise kraft.version, which it keeps itself. Answered by `events.KRaftVersionUpgraded`.

    Handed out by itself. The Raft core has to be asked before the controller is given its next event: the control
    records of the change go behind the last record that the controller knows of.
    """

    command_id: int
    epoch: int
    """Epoch in which this controller is active."""
    level: int
    validate_only: bool
    """Whether the quorum is only to say if it could."""


class ReportFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A command, or a periodic task, failed in a way that nobody foresaw, and changed nothing; a command was
    answered UNKNOWN_SERVER_ERROR.

    For the log and for those who mend it. There is no reason to give up leadership: a command is a function, so
    nothing is half-done.
    """

    request_name: str
    """Name of the request, or of the task."""
    error: Exception


class ReportSilence(msgspec.Struct, frozen=True, kw_only=True):
    """A broker was not heard of for a whole session, and is fenced. For the log: whoever wonders why a broker leads
    nothing any more looks there."""

    broker_id: int
    broker_epoch: int
    silent_ms: int


class ReportDeath(msgspec.Struct, frozen=True, kw_only=True):
    """A broker's process is provably gone, and the broker is fenced for it. For the log."""

    broker_id: int
    broker_epoch: int
    proof: str
    """In words."""


class ReportShutdown(msgspec.Struct, frozen=True, kw_only=True):
    """A broker has asked to shut down, or goes on though it was asked for in its name. For the log."""

    broker_id: int
    broker_epoch: int
    is_taken_back: bool
    """Whether its own heartbeats do not ask for the shutdown, so that it is over."""


Report = ReportSilence | ReportDeath | ReportShutdown
"""What only the log is told."""

Effect = AppendRecords | Respond | Refuse | PublishImage | UpgradeKRaftVersion | ReportFailure | Report
