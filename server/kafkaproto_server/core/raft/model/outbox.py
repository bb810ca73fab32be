"""Collects the effects of the handlers until the driver takes them, and tracks which of them are not durable yet.

Two rules of order are here and nowhere else. First, no message overtakes an election state: while one is queued or not
durable, messages wait for it. Otherwise a node could break, after a crash, a vote that it gave. Second, a message waits
for the log writes before it if the caller asks for that, as a Fetch does whose offset promises that the log is durable.

Ours alone: a thread of Apache Kafka waits for the disk itself (``KafkaRaftClient``, ``QuorumState``).
"""

from __future__ import annotations

from collections import deque

from kafkaproto_server.base.types import LeaderAndEpoch
from kafkaproto_server.core.raft.values.effects import (
    Effects,
    LeaderChanged,
    LeadershipLost,
    LogWrite,
    NoticeAfterPersist,
    NoticeNow,
    PendingBatch,
    SendRequest,
    SendResponse,
    TruncateLog,
    WriteElectionState,
)
from kafkaproto_server.core.raft.values.messages import FetchedBatch


class RaftOutbox:
    """Effects that are being collected, and those taken but not durable yet; their numbers count up from 1."""

    def __init__(self, durable_end_offset: int, *, syncs_log: bool) -> None:
        self.durable_end_offset = durable_end_offset
        """Log end offset up to which the disk is known to hold everything."""
        self._syncs_log = syncs_log
        self._next_number = 1
        self._persisted_number = 0
        self._written_number = 0
        """Number of the newest effects that write anything."""
        self.election_number = 0
        """Number of the newest effects that write quorum-state; 0 before the first."""
        self._holds_request = False
        """Whether a queued request waits for the disk."""
        self._held_back_number = 0
        """Number of the newest effects for which a request that the driver has taken waits."""
        self._ends: deque[tuple[int, int]] = deque()
        """(number of the effects, log end offset after them) of log writes that are not known to be durable."""
        self._deferred: deque[tuple[int, LeadershipLost]] = deque()
        """(number, notice) of notices that must wait until the effects with this number are durable."""
        self._told_leader: LeaderAndEpoch | None = None
        self._notices_now: list[NoticeNow] = []
        self._writes: list[LogWrite] = []
        self._must_sync = False
        self._election_state: WriteElectionState | None = None
        self._notices_after_persist: list[NoticeAfterPersist] = []

    @property
    def has_unpersisted(self) -> bool:
        """Whether any write is queued, or taken and not durable yet."""
        return self._written_number > self._persisted_number

    @property
    def holds_request_back(self) -> bool:
        """Whether a request of this node waits for the disk."""
        return self._holds_request or self._held_back_number > self._persisted_number

    def notify_now(self, notice: NoticeNow) -> None:
        """Queue a notice that does not depend on any write."""
        self._notices_now.append(notice)

    def notify_after_persist(self, notice: NoticeAfterPersist) -> None:
        """Queue a notice that has to wait until everything queued so far is durable."""
        self._notices_after_persist.append(notice)

    def notify_lost(self, notice: LeadershipLost, leadership_number: int) -> None:
        """Queue the notice that leadership is lost. It never comes before the notice that leadership was won.

        ``leadership_number`` is the number of the effects that bring the latter once they are durable.
        """
        # The controller would otherwise be told first that it lost an epoch, and then that it leads
        # it (KAFKA-17333).
        if self.is_persisted(leadership_number):
            self._notices_now.append(notice)
        else:
            self._deferred.append((leadership_number, notice))

    def send(self, message: SendRequest | SendResponse, *, after_log: bool) -> None:
        """Queue a message. It leaves now, unless an election state is not durable yet, or ``after_log`` is set and a
        log write is not durable yet."""
        # ``_written_number`` counts every kind of write. So what waits for the log waits for
        # election states as well, and the first rule holds for it, too.
        assert self.election_number <= self._written_number, "an election state is among the writes"
        waits_for = self._written_number if after_log else self.election_number
        if waits_for > self._persisted_number:
            self._notices_after_persist.append(message)
            self._holds_request = self._holds_request or isinstance(message, SendRequest)
        else:
            self._notices_now.append(message)

    def append(self, batch: PendingBatch | FetchedBatch) -> None:
        """Queue a batch for the end of the log."""
        self._write(batch)
        # As in Kafka: a node that never votes promises nothing by what it fetched, and saves the
        # sync.
        self._must_sync = self._syncs_log
        self._note_end(batch.next_offset)

    def truncate(self, end_offset: int) -> None:
        """Queue a truncation of the log. What was durable above ``end_offset`` no longer counts."""
        self._write(TruncateLog(end_offset=end_offset))
        self._must_sync = self._syncs_log
        # Writes that are under way report the ends of before. What they make durable is cut off
        # behind them, so it must not count.
        self.durable_end_offset = min(self.durable_end_offset, end_offset)
        self._ends = deque((number, min(end, end_offset)) for number, end in self._ends)
        self._note_end(end_offset)

    def write(self, write: LogWrite) -> None:
        """Queue a write that does not change the log's end."""
        self._write(write)

    def log_replaced(self, end_offset: int) -> None:
        """Note that a snapshot has replaced the log, durably; nothing else was being written to the log."""
        # The snapshot is durable before the log is emptied (`InstallSnapshot`), and until then this
        # node appends nothing. So nothing of the new log is still to be written.
        self._ends.clear()
        self.durable_end_offset = end_offset

    def write_election_state(self, write: WriteElectionState) -> int:
        """Queue new content for quorum-state, in place of any queued before. Returns the number of the effects that
        make it durable."""
        # It keeps the promises of one that was queued before: within an epoch the vote stays
        # (`states.check_transition`), and in an earlier epoch this node votes no more.
        self._election_state = write
        self.election_number = self._written_number = self._next_number
        return self._next_number

    def take(self, leader: LeaderAndEpoch) -> Effects | None:
        """Everything that is queued, or None if nothing is. ``LeaderChanged`` comes with it if ``leader`` is new."""
        if leader != self._told_leader:
            self._told_leader = leader
            self._notices_after_persist.insert(0, LeaderChanged(leader=leader))
        if not (
            self._notices_now
            or self._writes
            or self._notices_after_persist
            or self._election_state is not None
        ):
            return None
        assert self._writes or not self._must_sync, "a sync of nothing"
        effects = Effects(
            number=self._next_number,
            notify_now=tuple(self._notices_now),
            writes=tuple(self._writes),
            election_state=self._election_state,
            must_sync=self._must_sync,
            notify_after_persist=tuple(self._notices_after_persist),
        )
        if self._holds_request:
            # It leaves once these effects are durable or, if they write nothing, once the earlier ones are.
            self._held_back_number = self._written_number
            self._holds_request = False
        self._next_number += 1
        self._notices_now = []
        self._writes = []
        self._must_sync = False
        self._election_state = None
        self._notices_after_persist = []
        return effects

    def is_persisted(self, number: int) -> bool:
        """Whether the effects with this number are durable."""
        return number <= self._persisted_number

    def mark_persisted(self, number: int) -> None:
        """Note that all effects up to this number are durable."""
        assert number < self._next_number, f"effects {number} were persisted before they were taken"
        assert number > self._persisted_number, f"effects {number} were persisted twice"
        self._persisted_number = number
        # In order, and the last one counts: a truncation may come behind an append, and the disk
        # has both by now.
        while self._ends and self._ends[0][0] <= number:
            self.durable_end_offset = self._ends.popleft()[1]
        while self._deferred and self._deferred[0][0] <= number:
            self._notices_now.append(self._deferred.popleft()[1])

    def _write(self, write: LogWrite) -> None:
        self._writes.append(write)
        self._written_number = self._next_number

    def _note_end(self, end_offset: int) -> None:
        if self._ends and self._ends[-1][0] == self._next_number:
            # Effects become durable as a whole, so only the end after their last write matters.
            self._ends.pop()
        self._ends.append((self._next_number, end_offset))
