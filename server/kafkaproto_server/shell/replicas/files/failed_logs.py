"""Logs that cannot be used, though their directories work.

- A log that lacked file descriptors or memory is opened again, after a pause that doubles. Meanwhile clients get
  KAFKA_STORAGE_ERROR, which makes them ask again. If the shortage lasts, the controllers are told that the replica is
  lost, so that another broker leads; they are told of it again once its log is open.
- A log whose files are damaged stays closed until the next start, and its replica is lost at once.

Apache Kafka takes the whole log directory offline for an IOException, whatever its reason (LogManager), and ends if a
log cannot be loaded for another reason.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.storage.errors import DiskError, StorageError, is_shortage

BACKOFF = Backoff(first_ms=100, longest_ms=10_000)
FAILURES_UNTIL_LOST = 6
"""Another broker should lead after a few seconds of shortage."""


class FailedLogs:
    """What became of the logs of one broker that failed."""

    def __init__(
        self,
        clock: Clock,
        call_at: Callable[[int, Callable[[], None]], None],
        reopen: Callable[[PartitionId], None],
        lost: Callable[[PartitionId, bool], None],
    ) -> None:
        """``call_at`` calls a function at a time of the clock. ``reopen`` opens a log again. ``lost`` is called when
        the controllers are to be told that a replica is lost, or is not lost any more."""
        self._clock = clock
        self._call_at = call_at
        self._reopen = reopen
        self._lost = lost
        # How often in a row each could not be opened, or written to.
        self._failures: dict[PartitionId, int] = {}
        self._waiting: set[PartitionId] = set()
        self._are_lost: set[PartitionId] = set()

    def __len__(self) -> int:
        """How many logs cannot be used now."""
        return len(self._waiting | self._are_lost)

    def ran_short(self, replica: PartitionId) -> None:
        """A log lacked file descriptors or memory. It is closed, and opened again later."""
        # All jobs of a log that are under way fail together. They are one failure.
        if replica in self._waiting:
            return
        self._waiting.add(replica)
        failures = self._failures[replica] = self._failures.get(replica, 0) + 1
        # Until then a leader keeps its place: most shortages pass. It is opened again after that as well, and then the
        # report is taken back.
        if failures >= FAILURES_UNTIL_LOST:
            self.damaged(replica)

        def again() -> None:
            # It may have been deleted meanwhile.
            if replica in self._waiting:
                self._waiting.remove(replica)
                self._reopen(replica)

        self._call_at(self._clock.now_ms() + BACKOFF.delay_ms(failures), again)

    def damaged(self, replica: PartitionId) -> None:
        """A log cannot be used."""
        # Once, and not for each of its jobs that fails.
        if replica not in self._are_lost:
            self._are_lost.add(replica)
            self._lost(replica, True)

    def opened(self, replica: PartitionId) -> None:
        # A log that was opened is one that works: the pause of its next failure is short again.
        self._failures.pop(replica, None)
        if replica in self._are_lost:
            self._are_lost.remove(replica)
            self._lost(replica, False)

    def forget(self, replica: PartitionId) -> None:
        self._failures.pop(replica, None)
        # Nobody has to take back that it is lost: the metadata does not have it any more.
        self._waiting.discard(replica)
        self._are_lost.discard(replica)


def is_of_log(error: Exception) -> bool:
    """Whether an error says nothing about the directory: files of a log are wrong, or descriptors or memory are short.
    After a sync that failed, nobody knows what the disk holds, whatever the reason."""
    if isinstance(error, StorageError):
        return True
    # The kernel drops what it could not write and takes its pages for clean, so a second sync would prove nothing.
    is_sync = isinstance(error, DiskError) and error.operation == "sync"
    return isinstance(error, OSError) and is_shortage(error) and not is_sync
