"""The queue of assignments of replicas to log directories that this broker reports to the controllers
(AssignReplicasToDirs, 73).

It is pure: it says which request to send next and when, and gets the responses. One request is in flight at a time,
with at most `MAX_ASSIGNMENTS_PER_REQUEST` replicas. The newest assignment of a replica wins: the response to an older
one does not remove it from the queue. Assignments that were refused or got no response are sent again after a pause
that doubles. Whether they still make sense is decided in `core.broker.replica_directories`, from the metadata.

Accepted assignments are also sent again if the metadata does not show them in time: a reassignment may have removed the
replica and added it again since, without a directory. The broker need not have seen that, if it read both at once.

Apache Kafka: ``AssignmentsManager``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from kafkaproto_server.base.backoff import Backoff

MAX_ASSIGNMENTS_PER_REQUEST = 2250
"""With this limit a request stays within 64 KiB even if each replica belongs to another topic (KIP-858)."""
BACKOFF = Backoff(first_ms=100, longest_ms=10_000)
ACCEPTED_PAUSE_MS = 5_000
"""How long the metadata may fail to show an accepted assignment. A broker reads it within a fraction of that."""

Replica: TypeAlias = tuple[bytes, int]
"""(topic id, partition index)"""


class AssignmentQueue:
    """Assignments that no controller has confirmed. Times are monotonic, in milliseconds."""

    def __init__(self, broker_id: int) -> None:
        self._broker_id = broker_id
        self.has_more: Callable[[], None] = lambda: None
        """Called when there is something new to send."""
        self._wanted: dict[Replica, bytes] = {}
        self._under_way: dict[Replica, bytes] = {}
        # With the time from which on each is to be sent again; ordered by this time.
        self._accepted: dict[Replica, tuple[bytes, int]] = {}
        self._failures = 0
        self._not_before_ms = 0

    def __len__(self) -> int:
        """The number of assignments that wait or are in flight: the metric QueuedReplicaToDirAssignments."""
        # What is in flight is counted once, even if nobody wants it any more: its response is still awaited.
        dropped = sum(replica not in self._wanted for replica in self._under_way)
        return len(self._wanted) + dropped

    def assign(self, replica: Replica, directory_id: bytes) -> None:
        """Report this directory for a replica, in place of any earlier assignment."""
        # An accepted assignment is dropped as well: it would be sent again later, and set the new one back.
        self.drop(replica)
        self._wanted[replica] = directory_id
        # After the change: the callback may ask at once what is due.
        self.has_more()

    def drop(self, replica: Replica) -> None:
        """Report nothing about a replica any more."""
        self._wanted.pop(replica, None)
        self._accepted.pop(replica, None)

    @property
    def due_ms(self) -> int | None:
        """When to send the next request; None if there is nothing to send, or if a response is awaited."""
        # One request at a time, as in Kafka: the order of two reports about one replica would otherwise be the
        # network's.
        if self._under_way:
            return None
        if self._wanted:
            return self._not_before_ms
        # They are in order of their times, because all wait equally long.
        return next((again_ms for _, again_ms in self._accepted.values()), None)

    def next_request(self, broker_epoch: int, now_ms: int) -> AssignReplicasToDirsRequest:
        """The request to send now."""
        assert not self._under_way, "one request at a time"
        self._want_again(now_ms)
        assert self._wanted, "there is nothing to send"
        chosen = list(islice(self._wanted.items(), MAX_ASSIGNMENTS_PER_REQUEST))
        assert len(chosen) <= MAX_ASSIGNMENTS_PER_REQUEST, f"{len(chosen)} assignments in one request"
        self._under_way = dict(chosen)
        grouped: dict[bytes, dict[bytes, list[int]]] = {}
        # Sorted: the request is the same for the same assignments, whatever order they came in.
        for (topic_id, index), directory_id in sorted(chosen):
            grouped.setdefault(directory_id, {}).setdefault(topic_id, []).append(index)
        request = AssignReplicasToDirsRequest
        return request(
            broker_id=self._broker_id,
            broker_epoch=broker_epoch,
            directories=[
                request.DirectoryData(
                    id=directory_id,
                    topics=[
                        request.TopicData(
                            topic_id=topic_id,
                            partitions=[request.PartitionData(partition_index=index) for index in indexes],
                        )
                        for topic_id, indexes in grouped[directory_id].items()
                    ],
                )
                for directory_id in sorted(grouped)
            ],
        )

    def handle_response(self, response: AssignReplicasToDirsResponse, now_ms: int) -> dict[Replica, int]:
        """Handle the response to the request in flight. Returns the error code of each refused replica.

        A replica that the response does not contain counts as refused with UNKNOWN_SERVER_ERROR.
        """
        told: dict[Replica, int] = {}
        # With an error at the top nothing was assigned, and what stands below does not count.
        if not response.error_code:
            told = {
                (topic.topic_id, partition.partition_index): partition.error_code
                for directory in response.directories
                for topic in directory.topics
                for partition in topic.partitions
            }
        # Silence about a replica is no success.
        default = response.error_code or int(ErrorCode.UNKNOWN_SERVER_ERROR)
        refused: dict[Replica, int] = {}
        for replica, directory_id in self._under_way.items():
            code = told.get(replica, default)
            if code:
                refused[replica] = code
            # If it wants another directory by now, the response was about an older wish.
            elif self._wanted.get(replica) == directory_id:
                del self._wanted[replica]
                self._accepted[replica] = (directory_id, now_ms + ACCEPTED_PAUSE_MS)
        assert len(refused) <= len(self._under_way), "only what was asked can be refused"
        self._finish(bool(refused), now_ms)
        return refused

    def _want_again(self, now_ms: int) -> None:
        # At most as many as fit a request: a large broker may have very many at once, and the rest stays due.
        first = islice(self._accepted.items(), MAX_ASSIGNMENTS_PER_REQUEST)
        for replica in [replica for replica, (_, again_ms) in first if again_ms <= now_ms]:
            self._wanted[replica] = self._accepted.pop(replica)[0]

    def handle_failure(self, now_ms: int) -> None:
        """The request in flight got no response."""
        # As after a refusal: the controller may have carried the request out, and reporting twice does no harm.
        self._finish(True, now_ms)

    def _finish(self, has_failed: bool, now_ms: int) -> None:
        # Refused assignments go to the end, so that they do not block others.
        for replica in self._under_way:
            if replica in self._wanted:
                self._wanted[replica] = self._wanted.pop(replica)
        self._under_way = {}
        if not has_failed:
            # The next request at once: a broker that starts may have many thousands to report.
            self._failures, self._not_before_ms = 0, now_ms
            return
        assert not self._under_way, "the request is over"
        self._failures += 1
        self._not_before_ms = now_ms + BACKOFF.delay_ms(self._failures)
