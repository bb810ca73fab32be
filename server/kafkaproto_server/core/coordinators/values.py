"""What all coordinators share: errors, the log that they write to, and what they need from outside.

Apache Kafka: CoordinatorRecord, and the PartitionWriter and CoordinatorTimer of CoordinatorRuntime.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message


class CoordinatorError(Exception):
    """A request is refused; the code and the message are for the client."""

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        super().__init__(f"{code.name}: {message}" if message else code.name)
        self.code = code
        self.message = message


class RecordError(Exception):
    """A record that was read makes no sense to the coordinator. Then its partition cannot be coordinated here."""


_TOLD = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.REQUEST_TIMED_OUT: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
    ErrorCode.MESSAGE_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.RECORD_LIST_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
}


def told_code(code: ErrorCode) -> ErrorCode:
    """What a client hears of its coordinator if the log of that one has failed with a code."""
    return _TOLD.get(code, code)


class Record(NamedTuple):
    """A record to be written."""

    key: Message
    value: Message | None
    """None to remove what the key names."""
    version: int = 0
    """Of the value."""


class CoordinatorLog(Protocol):
    """The partition in which a coordinator lives."""

    def append(self, records: Sequence[Record]) -> int:
        """Append records in one batch, now. Returns the offset behind them.

        Raises CoordinatorError with the code for the client, after which nothing was written: too few replicas are in
        sync, another broker leads, or the records are too large.
        """

    def when_committed(self, end_offset: int, call: Callable[[ErrorCode], None]) -> None:
        """Call ``call`` with NONE once all before ``end_offset`` is committed, or with the reason why that is not known
        in time."""


class Surroundings(Protocol):
    """What a coordinator knows of time and chance."""

    def now_ms(self) -> int:
        """The monotonic time."""

    def wall_ms(self) -> int:
        """The wall time."""

    def call_at(self, at_ms: int, call: Callable[[], None]) -> None:
        """Call ``call`` at a moment of the monotonic time."""

    def new_id(self) -> str:
        """A random UUID, as Java writes it."""


class ComputingSurroundings(Surroundings, Protocol):
    """The same with somebody who computes."""

    def compute(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Do work that takes long beside everything else, and call ``done`` with its result, in a later turn of the
        loop."""
