"""Applies the effects of the Raft core.

The effects are taken from the core after every event. Immediate effects (`notify_now`) happen before the next event.
Writes are queued for the disk's thread (`shell.quorum.disk_worker`), so that the node serves peers and takes events
while a sync runs. Effects that depend on a write follow when the thread reports that it is durable.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from typing import assert_never

import trio

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.base.types import LeaderAndEpoch
from kafkaproto_server.core.controller.values import events as controller_events
from kafkaproto_server.core.raft.describe.core import (
    describe_effects,
    describe_event,
    describe_refusal,
    describe_state,
)
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values import effects as raft_effects
from kafkaproto_server.core.raft.values import events as raft_events
from kafkaproto_server.core.raft.values.messages import FetchedBatch, InboundRequest, OutboundResponse
from kafkaproto_server.core.raft.wire import encode_batch
from kafkaproto_server.shell.quorum.controller_runner import ControllerRunner
from kafkaproto_server.shell.quorum.disk_worker import DiskWrite, DurableRun, PersistJob
from kafkaproto_server.shell.quorum.image.committed_state import CommittedState
from kafkaproto_server.shell.quorum.log_tail import TailBatch
from kafkaproto_server.shell.quorum.metadata_log import MetadataLog
from kafkaproto_server.shell.quorum.metrics import QuorumMetrics
from kafkaproto_server.shell.quorum.raft_channel import RaftChannel

_log = logging.getLogger("kafkaproto.server.quorum")

_trace = logging.getLogger("kafkaproto.server.quorum.trace")
"""At DEBUG: one line for every event of the Raft core and for every effect. The lines contain no records."""


class RaftEffects:
    """Passes events to the Raft core and applies its effects. Synchronous; the quorum's task calls it."""

    def __init__(
        self,
        *,
        raft: RaftNode,
        controller: ControllerRunner | None,
        committed: CommittedState,
        log: MetadataLog,
        channel: RaftChannel,
        metrics: QuorumMetrics,
        clock: Clock,
        wake: Callable[[], None],
    ) -> None:
        """``wake`` makes a waiting loop check again its deadlines and what is committed."""
        self._node_id = raft.node_id
        self._raft = raft
        self._controller = controller
        self._committed = committed
        self._tail = log.tail
        self._worker = log.worker
        self._channel = channel
        self._published = committed.published
        self._metrics = metrics
        self._clock = clock
        self._wake = wake
        self._asked: dict[int, Callable[[OutboundResponse], None]] = {}
        self._next_request_id = 0
        self._unfinished: deque[raft_effects.Effects] = deque()
        # Number of each effects value that is not durable yet, and the time at which it was passed to the disk's
        # thread.
        self._unsynced: deque[tuple[int, float]] = deque()
        self._nursery: trio.Nursery | None = None
        self.handed_over = trio.Event()
        """Set once the Raft core has given up leadership for good."""

    # -- events --------------------------------------------------------------------------------------------------

    def begin(self, opened: raft_events.Opened, nursery: trio.Nursery) -> None:
        """Start with the state that was found on disk. Requests to peers are sent in ``nursery``."""
        self._nursery = nursery
        self.to_raft(opened)
        # The core tells of changes only, and the controller has to know the level that the log has.
        self._notify_kraft_version(self._raft.kraft_version)

    def to_raft(self, event: raft_events.Event) -> None:
        """Pass an event to the Raft core."""
        # Asked first, because a line of text for each event is not free.
        if _trace.isEnabledFor(logging.DEBUG):
            _trace.debug("< %s", describe_event(event))
        try:
            # Each event has the time at which it is handled, not that at which it came.
            self._raft.handle(event, self._clock.now_ms())
        except AssertionError:
            # This ends the process. The log has to show what led to it.
            _log.critical(
                "the Raft core failed: %s; its state: %s",
                describe_event(event),
                describe_state(self._raft),
            )
            raise
        self._take_effects()
        # The core's deadline may have changed, and something may be committed. A waiting loop has to check both.
        self._wake()

    @property
    def unanswered(self) -> int:
        """The number of requests that the Raft core has not answered."""
        return len(self._asked)

    def ask(
        self, listener_name: str, request: InboundRequest, answered: Callable[[OutboundResponse], None]
    ) -> None:
        """Pass a request to the Raft core; ``answered`` is called with its answer."""
        # The core answers each number once, and never sees it again.
        self._next_request_id += 1
        self._asked[self._next_request_id] = answered
        self.to_raft(
            raft_events.RequestReceived(
                request_id=self._next_request_id, request=request, listener_name=listener_name
            )
        )

    def persisted(self, report: DurableRun) -> None:
        """The disk's thread has made these effects durable, and all effects before them."""
        if report.sync_ms is not None:
            self._metrics.count_flush(report.sync_ms)
        now = time.perf_counter()
        # One report may stand for several jobs, which shared a sync.
        while self._unsynced and self._unsynced[0][0] <= report.number:
            self._metrics.count_persist((now - self._unsynced.popleft()[1]) * 1000)
        if not self._unsynced:
            # Only when nothing is under way: until then the tail may be the only place with these
            # batches.
            self._tail.all_are_durable()
        for event in report.events:
            # Before the core hears of it: its next effects may append behind the snapshot's end.
            if isinstance(event, raft_events.SnapshotInstalled):
                self._tail.restart_at(event.snapshot.id.offset)
                self._committed.feed.load_newest_snapshot()
            self.to_raft(event)
        # Before the next event of the core, whose effects have higher numbers and must not overtake
        # these.
        self._notify_persisted(report.number)
        self.to_raft(raft_events.Persisted(number=report.number))

    # -- effects -------------------------------------------------------------------------------------------------

    def _take_effects(self) -> None:
        """Take the effects of the Raft core and begin to apply them."""
        # After every event, so that the effects that hold now are applied before the next one: the
        # core counts on that order.
        effects = self._raft.take_effects()
        if effects is None:
            return
        if _trace.isEnabledFor(logging.DEBUG):
            _trace.debug("> %s", describe_effects(effects))
        if effects.must_persist:
            # Queue the writes before any other effect: an answer may need to read what is written here.
            self._unsynced.append((effects.number, time.perf_counter()))
            self._worker.persist(
                PersistJob(
                    number=effects.number,
                    writes=tuple(self._write(write) for write in effects.writes),
                    election_state=effects.election_state,
                    must_sync=effects.must_sync,
                )
            )
        # The controller has to know of control records before another effect makes it reserve offsets.
        for told in effects.notify_now:
            if isinstance(told, raft_effects.ControlBatchAppended):
                self._notify(told)
        for told in effects.notify_now:
            if not isinstance(told, raft_effects.ControlBatchAppended):
                self._notify(told)
        # Kept in order, so that an effect never leaves before one that was decided earlier.
        self._unfinished.append(effects)
        # If an earlier one still waits for the disk, this one waits behind it.
        if not self._unfinished[0].must_persist:
            self._notify_persisted(0)

    def _notify_persisted(self, number: int) -> None:
        """Apply the effects that waited for the writes up to a number, and for no later write."""
        while self._unfinished and (
            self._unfinished[0].number <= number or not self._unfinished[0].must_persist
        ):
            for told in self._unfinished.popleft().notify_after_persist:
                self._notify(told)

    def _write(self, write: raft_effects.LogWrite) -> DiskWrite:
        """The form of a change for the disk's thread. From here on, its batches are in memory."""
        match write:
            case raft_effects.PendingBatch():
                # One timestamp for the batch and for what the snapshot header says of it later.
                timestamp_ms = self._clock.wall_ms()
                # Encoded here and not in the thread: followers are served these bytes before the
                # disk has them.
                payload = encode_batch(write, timestamp_ms)
                self._append_to_tail(write.base_offset, write.next_offset, payload)
                self._committed.appended(
                    next_offset=write.next_offset, timestamp_ms=timestamp_ms, size_bytes=len(payload)
                )
                self._metrics.appended_records += write.next_offset - write.base_offset
                return payload
            case FetchedBatch(payload=payload):
                self._append_to_tail(write.base_offset, write.next_offset, payload)
                self._metrics.fetched_records += write.next_offset - write.base_offset
                return payload
            case raft_effects.TruncateLog(end_offset=end_offset):
                # At once, ahead of the disk: from now on nobody may be served what was cut.
                self._tail.truncate_to(end_offset)
        return write

    def _append_to_tail(self, base_offset: int, next_offset: int, payload: bytes) -> None:
        self._tail.append(TailBatch(base_offset=base_offset, next_offset=next_offset, payload=payload))

    def _notify(self, told: raft_effects.NoticeNow | raft_effects.NoticeAfterPersist) -> None:
        match told:
            case raft_effects.SendRequest():
                assert self._nursery is not None, "requests are sent once the quorum's task runs"
                self._channel.send(self._nursery, told)
            case raft_effects.SendResponse():
                # Popped, so that a second answer to one request fails here and not at a client.
                self._asked.pop(told.request_id)(told.response)
            case raft_effects.HighWatermarkAdvanced():
                self._committed.high_watermark_advanced(told.offset)
            case raft_effects.LeaderChanged():
                _log.info("leader %d, epoch %d", told.leader.leader_id, told.leader.epoch)
                # Published after quorum-state is synced: nobody acts on a leader that this node
                # could forget.
                self._published.leader = told.leader
                self._published.notify()
                if self._controller is not None:
                    self._controller.leader_changed(told.leader)
            case raft_effects.VotersChanged():
                self._notify_kraft_version(told.kraft_version)
            case raft_effects.ShutdownCompleted():
                self.handed_over.set()
            case raft_effects.ClaimRefused():
                _log.warning("refused a claim: %s", describe_refusal(told))
            case _:
                self._notify_leadership(told)

    def _notify_leadership(
        self,
        told: raft_effects.BecameLeader
        | raft_effects.LeadershipLost
        | raft_effects.ControlBatchAppended
        | raft_effects.AppendRefused,
    ) -> None:
        assert self._controller is not None, f"node {self._node_id} is no controller, and is told {told}"
        match told:
            case raft_effects.BecameLeader():
                # The effect waited for a write. If leadership was lost meanwhile, that was reported already.
                if self._raft.leader_and_epoch == LeaderAndEpoch(leader_id=self._node_id, epoch=told.epoch):
                    _log.info("leads the quorum in epoch %d", told.epoch)
                    self._controller.became_leader(told)
            case raft_effects.LeadershipLost():
                _log.info("no longer leads the quorum; its epoch was %d", told.epoch)
                self._committed.leadership_lost()
                self._controller.leadership_lost(told.epoch)
                self._published.show_active_epoch(self._controller.active_epoch)
            case raft_effects.ControlBatchAppended():
                self._controller.control_batch_appended(told)
            case raft_effects.AppendRefused():
                self._controller.append_refused(told)
            case _:
                assert_never(told)

    def _notify_kraft_version(self, kraft_version: int) -> None:
        if self._controller is not None:
            self._controller.handle(controller_events.KRaftVersionChanged(kraft_version=kraft_version))
