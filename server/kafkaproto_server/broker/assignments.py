"""The queue of what this broker has to tell the controllers about where its replicas lie (AssignReplicasToDirs, 73).

Pure: it says which request is to be sent next and when, and is told what came back. One request is under way at a time,
of at most `MAX_ASSIGNMENTS_PER_REQUEST` replicas. The newest assignment of a replica wins: an answer to an older one
does not take it from the queue. What was refused, or not answered, is sent again after a pause that doubles; whether it
still makes sense is decided elsewhere (`broker.replica_directories`), by what the metadata say.

What was accepted is sent again, too, if the metadata do not show it in time: a reassignment may have taken the replica
away and given it back since, without a directory. The broker need not have seen that, if it read both at once.
"""

from __future__ import annotations

from itertools import islice
from typing import TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from kafkaproto_server.backoff import Backoff

MAX_ASSIGNMENTS_PER_REQUEST = 2250
"""So that a request stays within 64 KiB even if each replica is of a topic of its own (KIP-858)."""
BACKOFF = Backoff(first_ms=100, longest_ms=10_000)
ACCEPTED_PAUSE_MS = 5_000
"""For so long the metadata may fail to show what was accepted; a broker reads them within a fraction of it."""

Replica: TypeAlias = tuple[bytes, int]
"""(topic id, partition index)"""


class AssignmentQueue:
    """Assignments that no controller has confirmed. Times are monotonic milliseconds."""

    def __init__(self, broker_id: int) -> None:
        self._broker_id = broker_id
        self._wanted: dict[Replica, bytes] = {}
        self._under_way: dict[Replica, bytes] = {}
        # With the time from which on it is wanted again; in the order of these times.
        self._accepted: dict[Replica, tuple[bytes, int]] = {}
        self._failures = 0
        self._not_before_ms = 0

    def __len__(self) -> int:
        """How many wait or are under way: the metric QueuedReplicaToDirAssignments."""
        dropped = sum(replica not in self._wanted for replica in self._under_way)
        return len(self._wanted) + dropped

    def assign(self, replica: Replica, directory_id: bytes) -> None:
        """A replica lies in this directory, whatever was said of it before."""
        self.drop(replica)
        self._wanted[replica] = directory_id

    def drop(self, replica: Replica) -> None:
        """There is nothing to be said of a replica any more."""
        self._wanted.pop(replica, None)
        self._accepted.pop(replica, None)

    @property
    def due_ms(self) -> int | None:
        """When the next request is to be sent; None while there is nothing to send, or an answer is awaited."""
        if self._under_way:
            return None
        if self._wanted:
            return self._not_before_ms
        return next((again_ms for _, again_ms in self._accepted.values()), None)

    def next_request(self, broker_epoch: int, now_ms: int) -> AssignReplicasToDirsRequest:
        """The request to send now."""
        assert not self._under_way, "one request at a time"
        self._want_again(now_ms)
        assert self._wanted, "there is nothing to send"
        chosen = list(islice(self._wanted.items(), MAX_ASSIGNMENTS_PER_REQUEST))
        self._under_way = dict(chosen)
        grouped: dict[bytes, dict[bytes, list[int]]] = {}
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
        """Take the answer to the request that is under way; error code by replica of what was refused.

        A replica that the answer does not name counts as refused with UNKNOWN_SERVER_ERROR.
        """
        told: dict[Replica, int] = {}
        if not response.error_code:
            told = {
                (topic.topic_id, partition.partition_index): partition.error_code
                for directory in response.directories
                for topic in directory.topics
                for partition in topic.partitions
            }
        default = response.error_code or int(ErrorCode.UNKNOWN_SERVER_ERROR)
        refused: dict[Replica, int] = {}
        for replica, directory_id in self._under_way.items():
            code = told.get(replica, default)
            if code:
                refused[replica] = code
            elif self._wanted.get(replica) == directory_id:
                del self._wanted[replica]
                self._accepted[replica] = (directory_id, now_ms + ACCEPTED_PAUSE_MS)
        self._finish(bool(refused), now_ms)
        return refused

    def _want_again(self, now_ms: int) -> None:
        # No more than a request holds: of a large broker very many come at once, and the rest is due as well then.
        first = islice(self._accepted.items(), MAX_ASSIGNMENTS_PER_REQUEST)
        for replica in [replica for replica, (_, again_ms) in first if again_ms <= now_ms]:
            self._wanted[replica] = self._accepted.pop(replica)[0]

    def handle_failure(self, now_ms: int) -> None:
        """Nobody answered the request that is under way."""
        self._finish(True, now_ms)

    def _finish(self, has_failed: bool, now_ms: int) -> None:
        # What was refused goes to the end, so that it does not keep others from being told.
        for replica in self._under_way:
            if replica in self._wanted:
                self._wanted[replica] = self._wanted.pop(replica)
        self._under_way = {}
        if not has_failed:
            self._failures, self._not_before_ms = 0, now_ms
            return
        self._failures += 1
        self._not_before_ms = now_ms + BACKOFF.delay_ms(self._failures)
