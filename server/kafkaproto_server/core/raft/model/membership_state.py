"""What a leader remembers of a change of the voters while it is under way.

It knows nothing of the core, so that ``states`` can hold it; ``membership`` works on it.

Apache Kafka: ``AddVoterHandlerState``, ``RemoveVoterHandlerState`` and ``KRaftVersionUpgrade``, in ``LeaderState``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkaproto_server.base.types import Voter


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingNewVoter:
    """An AddRaftVoter request. The leader has asked the new voter which kraft.versions it supports."""

    request_id: int
    """Id of the AddRaftVoter request, which still needs a response."""
    deadline_ms: int
    outbound_request_id: int
    """Id of the ApiVersions request to the new voter."""
    voter: Voter
    """The new voter; its range of kraft.versions is not known yet."""
    ack_when_committed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitingCommit:
    """A change whose control records are in the log. Its request gets the response once they are committed."""

    request_id: int
    deadline_ms: int
    offset: int
    """Offset of the batch's last record: the high watermark has to pass it."""


PendingChange = AskingNewVoter | AwaitingCommit


@dataclass(slots=True, kw_only=True)
class MembershipState:
    """A leader's memory of changes of the voters; a new leader starts with an empty one."""

    # One for all kinds of changes, because KIP-853 allows one at a time.
    pending: PendingChange | None = None
    """The one change whose request still needs a response; None if there is none."""
    # In memory only, as in Kafka. A new leader starts without it, and so each voter reports itself
    # to each new leader.
    reported: dict[int, Voter] = field(default_factory=dict)
    """By node id, how voters described themselves by UpdateRaftVoter while kraft.version is 0: no record can hold it
    then."""
