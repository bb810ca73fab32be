"""Passes what is committed on to the node's image, to its controller, and into snapshots."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import trio

from kafkaproto_server.core.controller.values import events as controller_events
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values.events import LogStartMoved, SnapshotCreated
from kafkaproto_server.shell.quorum.controller_runner import ControllerRunner
from kafkaproto_server.shell.quorum.host import QuorumHost
from kafkaproto_server.shell.quorum.image.image_builder import ImageBuilder, ObserverImage
from kafkaproto_server.shell.quorum.image.log_cleaning import MetadataLogCleaner
from kafkaproto_server.shell.quorum.image.metadata_feed import MetadataFeed
from kafkaproto_server.shell.quorum.image.published import ImagePublisher
from kafkaproto_server.shell.quorum.metadata_log import MetadataLog
from kafkaproto_server.shell.quorum.metrics import QuorumMetrics
from kafkaproto_server.shell.quorum.snapshots.log_contents import newest_image
from kafkaproto_server.shell.quorum.snapshots.snapshotting import Snapshotter
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID


@dataclass(frozen=True, slots=True)
class _Appended:
    """A batch of this leader that is not committed yet."""

    next_offset: int
    timestamp_ms: int
    at: float
    """`time.perf_counter` when it was appended."""
    size_bytes: int


class CommittedState:
    """Follows the high watermark. It is synchronous, except for the tasks that `start` begins."""

    def __init__(
        self,
        *,
        log: MetadataLog,
        raft: RaftNode,
        controller: ControllerRunner | None,
        images: ImagePublisher,
        metrics: QuorumMetrics,
        host: QuorumHost,
        to_raft: Callable[[SnapshotCreated | LogStartMoved], None],
        wake: Callable[[], None],
    ) -> None:
        """``to_raft`` queues an event for the Raft core; ``wake`` is called when `step` has something to do."""
        storage = log.storage
        self._snapshots = storage.snapshots
        self._raft = raft
        self._controller = controller
        self._images = images
        self.published = images.published
        """What other tasks may read of what is committed."""
        self._metrics = metrics
        self._appended: deque[_Appended] = deque()
        self._timestamp_ms = -1
        self._committed_bytes = 0
        self._told_bytes = 0
        self._builder: ImageBuilder = controller or ObserverImage(images.take)
        self.snapshotter = Snapshotter(
            snapshots=storage.snapshots,
            max_bytes=storage.max_bytes_between_snapshots,
            max_interval_ms=storage.max_snapshot_interval_ms,
            voters_at=raft.voters_at,
            created=lambda snapshot: to_raft(SnapshotCreated(snapshot=snapshot)),
            clock=host.clock,
            rng=host.rng,
            threads=host.threads,
        )
        self.cleaner = MetadataLogCleaner(
            log=log,
            clock=host.clock,
            announcing=self.snapshotter.announcing,
            moved=to_raft,
            threads=host.threads,
        )
        self.feed = MetadataFeed(
            self._builder,
            log=storage.log,
            tail=log.tail,
            worker=log.worker,
            load_snapshot=partial(newest_image, storage.snapshots),
            loaded=self.snapshotter.loaded,
            wake=wake,
            threads=host.threads,
        )

    def start(self, nursery: trio.Nursery) -> None:
        """Load the newest snapshot, if there is one, and write new ones from now on."""
        # Even if the log still starts at 0: to load the snapshot is faster than to replay what it
        # covers.
        if self._snapshots.latest() not in (None, BOOTSTRAP_SNAPSHOT_ID):
            self.feed.load_newest_snapshot()
        nursery.start_soon(self.snapshotter.run)
        nursery.start_soon(self.cleaner.run)

    @property
    def can_step(self) -> bool:
        """Whether there are batches to replay. An active controller already has what it appended."""
        is_active = self._controller is not None and self._controller.active_epoch is not None
        return not is_active and self.feed.can_step

    @property
    def is_current(self) -> bool:
        """Whether this node has replayed everything that a leader has called committed.

        This node's own high watermark cannot decide that. It ends with the log, and a replica that lagged behind still
        has to fetch the rest; or it ends with a snapshot that was just installed.
        """
        told = self._raft.told_high_watermark
        return told is not None and 0 < told <= self.published.high_watermark and self.feed.is_at_end

    def step(self, nursery: trio.Nursery) -> None:
        """Replay batches for some milliseconds."""
        self.feed.step(nursery)

    def appended(self, *, next_offset: int, timestamp_ms: int, size_bytes: int) -> None:
        """This leader has appended a batch to its log."""
        self._appended.append(_Appended(next_offset, timestamp_ms, time.perf_counter(), size_bytes))

    def leadership_lost(self) -> None:
        """It is open whether the batches that this leader appended will be committed; the feed will show it."""
        self._appended.clear()

    def high_watermark_advanced(self, offset: int) -> None:
        """Everything below ``offset`` is committed."""
        self.published.high_watermark = offset
        now = time.perf_counter()
        while self._appended and self._appended[0].next_offset <= offset:
            appended = self._appended.popleft()
            self._timestamp_ms = appended.timestamp_ms
            # What this leader appended never comes through the feed while its controller is active.
            self._committed_bytes += appended.size_bytes
            self._metrics.count_commit((now - appended.at) * 1000)
        # Also while this controller is active: once it is not, the feed goes on from the right
        # offset.
        self.feed.advance(offset)
        if self._controller is not None and self._controller.active_epoch is not None:
            self._controller.handle(
                controller_events.RecordsCommitted(high_watermark=offset, timestamp_ms=self._timestamp_ms)
            )

    def notify_snapshotter(self) -> None:
        """Have a snapshot written if it is time."""
        committed_bytes = self._committed_bytes + self.feed.fed_bytes
        if committed_bytes != self._told_bytes:
            self.snapshotter.committed(
                self._images.newest,
                last_offset=self._builder.next_offset - 1,
                size_bytes=committed_bytes - self._told_bytes,
            )
            self._told_bytes = committed_bytes
