"""The replicas of this broker. Results come by callback, now or later; errors are among them.

The values that go in and out are in `requests.data` and `requests.fetch_requests`, because `core.replicas` knows them,
too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.data import (
    DeletionItem,
    EpochEnd,
    EpochQuery,
    Fetched,
    LogStatus,
    MarkerItem,
    OffsetQuery,
    OffsetResult,
    Produced,
    ProduceItem,
    ProducerStatus,
    RecordsDeleted,
)
from kafkaproto_server.requests.fetch_requests import FetchValues


class ReplicaPort(Protocol):
    """What clients have done to logs. Implemented by `shell.replicas.replica_manager.ReplicaManager`."""

    def produce(self, items: Sequence[ProduceItem], acks: int, timeout_ms: int, done: Produced) -> None:
        """Append items, with the acks and the timeout that a producer asks for."""

    def write_markers(self, items: Sequence[MarkerItem], done: Produced) -> None:
        """Append the ends of transactions."""

    def delete_records(self, item: DeletionItem, timeout_ms: int, done: RecordsDeleted) -> None:
        """Delete the oldest records of a partition. ``timeout_ms`` is how long the other replicas have time."""

    def alter_directory(self, topic: str, index: int, path: str) -> ErrorCode:
        """Move the replica of a partition to the log directory with a path; or have it begin there, if this broker has
        none yet. Returns what AlterReplicaLogDirs responds; the move takes its time."""

    def find_offset(self, query: OffsetQuery, done: Callable[[OffsetResult], None]) -> None:
        """Find an offset by its time, or one of the special ones."""


class FetchPort(Protocol):
    """Reads of consumers and followers. Implemented by `shell.replicas.requests.fetches.Fetches`."""

    def fetch(
        self,
        values: FetchValues,
        version: int,
        may_read: Callable[[str], bool],
        done: Fetched,
        throttle: Throttle | None,
    ) -> Callable[[], None]:
        """Serve a Fetch request of a version. ``may_read`` says whether the sender may read a topic, ``throttle``
        whether the response has to leave without records. Returns the function to call if nobody needs the response
        any more."""


class QuestionPort(Protocol):
    """What is known without a look at the disk. Implemented by `shell.replicas.requests.questions.Questions`."""

    def end_of_epoch(self, query: EpochQuery) -> EpochEnd:
        """Where an epoch ends in the log of a partition that this broker leads."""

    def producers_of(self, topic: str, index: int) -> ErrorCode | tuple[int, Iterator[ProducerStatus]]:
        """How many active producers a partition has, and which; or why there is no answer. They are looked at one by
        one, as the iterator is asked; with the first one it takes 8 bytes for each of them."""

    def logs(self) -> Iterator[LogStatus]:
        """All logs of this broker that are open, looked at one by one."""


class ProducerIdPort(Protocol):
    """Ids for producers. Implemented by `shell.replicas.producer_ids.ProducerIdBlocks`."""

    def next(self, take: Callable[[int | None], None]) -> None:
        """Hand out an id; None if there is none now."""
