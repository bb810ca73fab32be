"""What a heartbeat's response says of the group besides an error (KIP-1071)."""

from __future__ import annotations

import enum
from typing import NamedTuple


class StatusCode(enum.IntEnum):
    STALE_TOPOLOGY = 0
    """The member has an older topology than the group."""
    MISSING_SOURCE_TOPICS = 1
    INCORRECTLY_PARTITIONED_TOPICS = 2
    """Topics that are read together have different numbers of partitions, or an internal topic has a wrong one."""
    MISSING_INTERNAL_TOPICS = 3
    """They are about to be created."""
    SHUTDOWN_APPLICATION = 4
    """A member asked the whole application to end."""
    ASSIGNMENT_DELAYED = 5
    """The next assignment waits."""
    MISSING_CLIENT_TAGS = 6
    """The member lacks tags by which standby tasks are to be spread."""


class Status(NamedTuple):
    """A code and what is behind it, for people."""

    code: StatusCode
    detail: str
