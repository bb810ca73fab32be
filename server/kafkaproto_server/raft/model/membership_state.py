"""What a leader remembers of a change to the voters while it is under way.

Knows nothing of the core, so that ``states`` can hold it; ``membership`` works on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkaproto_server.types import Voter


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingNewVoter:
    """An AddRaftVoter whose new replica has been asked for the kraft.versions that it supports."""

    request_id: int
    """Of the AddRaftVoter, to be answered."""
    deadline_ms: int
    outbound_request_id: int
    """Of the ApiVersions."""
    voter: Voter
    """The new replica; its range of kraft.versions is not known yet."""
    ack_when_committed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitingCommit:
    """A change whose control records are in the log; its request is answered once they are committed."""

    request_id: int
    deadline_ms: int
    offset: int
    """Of the batch's last record: everything up to it has to be below the high watermark."""


PendingChange = AskingNewVoter | AwaitingCommit


@dataclass(slots=True, kw_only=True)
class MembershipState:
    """A leader's part in changes of the voters; a new leader starts with an empty one."""

    pending: PendingChange | None = None
    """The one change whose request is still to be answered."""
    reported: dict[int, Voter] = field(default_factory=dict)
    """By node id, what voters told of themselves by UpdateRaftVoter while kraft.version is 0, where no record
    can keep it."""
