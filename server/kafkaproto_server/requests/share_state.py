"""The state of share groups' partitions (KIP-932): its values, and the port through which it is kept.

A share group has a state for each partition that it reads: from which offset on records are in flight, and what
became of each range of them. A share coordinator keeps it in ``__share_group_state``. The leader of the partition reads
and writes it, and the group's coordinator initializes and deletes it, both through a `Persister`. It finds the share
coordinator, on this broker or another, and tries again while there is hope, as Kafka's DefaultStatePersister does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from kafkaproto.error_codes import ErrorCode

AVAILABLE = 0
"""Delivery state: the records wait to be delivered, perhaps once more."""
ACKNOWLEDGED = 2
ARCHIVING = 3
"""Delivery state: the records are not delivered any more, and are being written to the group's dead-letter topic
(KIP-1191)."""
ARCHIVED = 4
"""Delivery state: the records are not delivered any more, and nobody has acknowledged them."""

DELIVERY_STATES = frozenset({AVAILABLE, ACKNOWLEDGED, ARCHIVING, ARCHIVED})
"""ACQUIRED, which is 1, is never kept: the lock of the member ends with its leader."""

MAX_BATCH_OFFSET = 2**63 - 2
"""Of the last record of a batch: the offset behind it has to be one, too."""
MAX_DELIVERY_COUNT = 2**15 - 1
MAX_DELIVERY_COMPLETE_COUNT = 2**31 - 1
"""Higher counts do not fit into requests and records. Whoever counts stops there."""

NO_START_OFFSET = -1
"""The state is not initialized, or the leader of the partition has to find its first offset."""
NO_DELIVERY_COMPLETE_COUNT = -1
NO_STATE_EPOCH = 0
NO_LEADER_EPOCH = -1
"""Of a reader that is not the partition's leader. It fences nobody."""

MAX_STATE_BATCHES = 4_000
"""The batches of a share partition and of a write to it, together. To combine more would hold up others for too long. A
share partition has 2,000 records in flight by default."""


class StateBatch(NamedTuple):
    """What became of consecutive records."""

    first_offset: int
    last_offset: int
    """Of the last record, not behind it."""
    delivery_state: int
    """`AVAILABLE`, `ACKNOWLEDGED`, `ARCHIVING` or `ARCHIVED`."""
    delivery_count: int
    """How often the records were delivered."""


class ShareState(NamedTuple):
    """The state of one partition for one share group; for a write, what is to be changed of it."""

    state_epoch: int
    """Rises each time the state is initialized. A write with another one is refused."""
    start_offset: int = NO_START_OFFSET
    """What lies before is done with. `NO_START_OFFSET` in a write leaves it as it is."""
    delivery_complete_count: int = NO_DELIVERY_COMPLETE_COUNT
    """The number of records from the start offset on that are done with (KIP-1226); -1 if it is not known."""
    batches: Sequence[StateBatch] = ()
    """Ascending. Empty in a summary."""


def problem_of_write(state: ShareState) -> str | None:
    """Why no leader can have written this; None if one can."""
    if state.start_offset < NO_START_OFFSET:
        return f"The start offset {state.start_offset} is negative."
    if state.delivery_complete_count < NO_DELIVERY_COMPLETE_COUNT:
        return f"The delivery complete count {state.delivery_complete_count} is negative."
    return problem_of_batches(state)


def problem_of_batches(state: ShareState) -> str | None:
    """Why the batches of a state are of no use, each for itself; None if they are as they have to be."""
    for first, last, delivery_state, count in state.batches:
        if not 0 <= first <= last <= MAX_BATCH_OFFSET:
            return f"A state batch cannot have the offsets {first} to {last}."
        if delivery_state not in DELIVERY_STATES:
            return f"The delivery state {delivery_state} of a state batch is unknown."
        if count < 0:
            return f"The delivery count {count} of a state batch is negative."
    return None


class ShareStateResult(NamedTuple):
    """What came of a request for one partition."""

    code: ErrorCode
    message: str | None = None
    state: ShareState | None = None
    """What `read` and `read_summary` have found; None for the others, and if there is an error."""
    leader_epoch: int = NO_LEADER_EPOCH
    """What `read_summary` has found: the highest leader epoch that the share coordinator has heard of."""


Done = Callable[[ShareStateResult], None]


class Persister(Protocol):
    """Keeps states. Each call returns at once and raises nothing.

    ``done`` is called exactly once, later, in the event loop. The code is NONE, or what the share coordinator said:
    FENCED_STATE_EPOCH if the state was initialized anew, FENCED_LEADER_EPOCH if a newer leader has read it,
    INVALID_REQUEST if there is no such state, UNKNOWN_SERVER_ERROR if it cannot be written. If five tries in a row have
    failed, which takes about a minute, it is COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
    NETWORK_EXCEPTION, or UNKNOWN_TOPIC_OR_PARTITION, which the share coordinator says of a partition that it does not
    know. Requests for one partition are carried out in order as long as none has to be repeated.
    """

    def initialize(
        self, group_id: str, topic_id: bytes, partition: int, state_epoch: int, start_offset: int, done: Done
    ) -> None:
        """Begin a state anew, without batches."""

    def read(self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int, done: Done) -> None:
        """Read all of a state. The share coordinator takes ``leader_epoch`` over if it is higher than what it knows,
        so that a former leader can write no more."""

    def read_summary(
        self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int, done: Done
    ) -> None:
        """Read a state without its batches. This fences nobody."""

    def write(
        self, group_id: str, topic_id: bytes, partition: int, state: ShareState, leader_epoch: int, done: Done
    ) -> None:
        """Put batches over those that are there, and move the start offset."""

    def delete(self, group_id: str, topic_id: bytes, partition: int, done: Done) -> None:
        """Remove a state. It is no error if there is none."""
