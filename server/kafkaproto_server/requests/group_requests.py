"""What requests of group members say, and what they get: between the handlers of their APIs and the coordinator."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kafkaproto.error_codes import ErrorCode

UNKNOWN_MEMBER = ""
"""The id of a member that has none yet."""
NO_GENERATION = -1


class JoinValues(msgspec.Struct, frozen=True, kw_only=True):
    """What a JoinGroup request says."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    session_timeout_ms: int
    rebalance_timeout_ms: int
    needs_known_id: bool
    """Whether a member without an id gets one first, and joins with that (KIP-394)."""
    knows_skipping: bool
    """Whether its client knows that a leader may be told to skip the assignment (KIP-814)."""


class SyncValues(msgspec.Struct, frozen=True, kw_only=True):
    """What a SyncGroup request says."""

    member_id: str
    group_instance_id: str | None
    generation: int
    protocol_type: str | None
    protocol: str | None
    assignments: tuple[tuple[str, bytes], ...]


class JoinOutcome(msgspec.Struct, frozen=True):
    """The response to a JoinGroup request."""

    code: ErrorCode
    member_id: str
    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol: str | None = None
    leader_id: str = ""
    skip_assignment: bool = False
    members: Sequence[tuple[str, str | None, bytes]] = ()
    """For the leader: id, instance id and metadata of each member."""


class SyncOutcome(msgspec.Struct, frozen=True):
    """The response to a SyncGroup request."""

    code: ErrorCode
    assignment: bytes = b""
    protocol_type: str | None = None
    protocol: str | None = None


class GroupListing(msgspec.Struct, frozen=True):
    """A group in a list of groups."""

    group_id: str
    protocol_type: str
    state: str
    """By the name that Kafka's tools print."""
    group_type: str
    """``Classic``, ``Consumer`` or ``share``."""


class DescribedMember(msgspec.Struct, frozen=True):
    """A member of a classic group, as it is described."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


class DescribedGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A classic group, as it is described."""

    code: ErrorCode = ErrorCode.NONE
    message: str | None = None
    state: str = ""
    protocol_type: str = ""
    protocol: str = ""
    members: Sequence[DescribedMember] = ()


Joined = Callable[[JoinOutcome], None]
Synced = Callable[[SyncOutcome], None]
