"""What a broker does with its logs from time to time, without being asked.

- Old records are removed every ``log.retention.check.interval.ms`` (UnifiedLog.deleteOldSegments in Apache Kafka).
- Logs are made durable that were not for ``flush.ms``, every ``log.flush.scheduler.interval.ms``.
- Producers that wrote nothing for ``producer.id.expiration.ms`` are forgotten, every
  ``producer.id.expiration.check.interval.ms``.
- The checkpoints of the log directories are written: recovery points, log starts and high watermarks, each at its own
  interval.

A broker may have 10,000 replicas, so each of these goes through them a part at a time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial

import msgspec
import trio

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings, SettingsTable
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.log_settings import LOG_SETTINGS
from kafkaproto_server.shell.storage.log.topic_log import Removed, TopicLog
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
)

REPLICAS_PER_TURN = 200
"""How many replicas are looked at in one turn of the event loop."""
MAX_INTERVAL_MS = 24 * 3600 * 1000
"""Longer intervals than a day are as good as none; timers have their limits."""


class MaintenanceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When each work is done. Kafka cannot change any of these while it runs."""

    initial_delay_ms: int
    """Before the first time."""
    retention_interval_ms: int
    flush_interval_ms: int
    expiration_interval_ms: int
    high_watermarks_interval_ms: int
    recovery_points_interval_ms: int
    log_starts_interval_ms: int


MAINTENANCE_SETTINGS = SettingsTable(
    MaintenanceSettings,
    {
        "initial_delay_ms": "log.initial.task.delay.ms",
        "retention_interval_ms": "log.retention.check.interval.ms",
        "flush_interval_ms": "log.flush.scheduler.interval.ms",
        "expiration_interval_ms": "producer.id.expiration.check.interval.ms",
        "high_watermarks_interval_ms": "replica.high.watermark.checkpoint.interval.ms",
        "recovery_points_interval_ms": "log.flush.offset.checkpoint.interval.ms",
        "log_starts_interval_ms": "log.flush.start.offset.checkpoint.interval.ms",
    },
)


class Maintenance:
    """The periodic work on the replicas of one broker."""

    def __init__(
        self,
        replicas: HostedReplicas,
        clock: Clock,
        node_configs: Callable[[], NodeConfigs],
        refresh: Callable[[Hosted], None],
    ) -> None:
        """``refresh`` gives a replica the newest settings of its topic."""
        self._replicas = replicas
        self._clock = clock
        self._node_configs = node_configs
        self._settings = CurrentSettings(LOG_SETTINGS, node_configs)
        self._refresh = refresh

    async def run(self) -> None:
        # Once: all of these are read-only configs in Kafka.
        every = MAINTENANCE_SETTINGS.read(self._node_configs())
        initial_ms = every.initial_delay_ms
        async with trio.open_nursery() as nursery:
            for interval_ms, first_ms, work in (
                (every.retention_interval_ms, initial_ms, self.remove_old_records),
                (every.flush_interval_ms, initial_ms, self.flush),
                (every.expiration_interval_ms, every.expiration_interval_ms, self.expire_producers),
            ):
                parts = partial(self._in_parts, work)
                nursery.start_soon(self._repeat, interval_ms, first_ms, parts, name=work.__name__)
            for interval_ms, first_ms, checkpoint in (
                (every.high_watermarks_interval_ms, every.high_watermarks_interval_ms, HIGH_WATERMARKS),
                (every.recovery_points_interval_ms, initial_ms, RECOVERY_POINTS),
                (every.log_starts_interval_ms, initial_ms, LOG_STARTS),
            ):
                write = partial(self._write_checkpoint, checkpoint)
                nursery.start_soon(self._repeat, interval_ms, first_ms, write, name=checkpoint)

    async def _repeat(self, interval_ms: int, first_ms: int, work: Callable[[], Awaitable[None]]) -> None:
        """Do something again and again, after an interval; for the first time after another one."""
        await trio.sleep(first_ms / 1000)
        # An interval of 0 would take all the time that there is.
        interval_ms = max(1, min(interval_ms, MAX_INTERVAL_MS))
        while True:
            # From the end of the work on: what takes longer than its interval is not done without a pause.
            await work()
            await trio.sleep(interval_ms / 1000)

    async def _in_parts(self, work: Callable[[], Iterator[None]]) -> None:
        for number, _ in enumerate(work()):
            if number % REPLICAS_PER_TURN == 0:
                await trio.lowlevel.checkpoint()

    async def _write_checkpoint(self, name: str) -> None:
        self._replicas.write_checkpoint(name)

    def _open_replicas(self) -> Iterator[tuple[Hosted, TopicLog]]:
        # A copy: replicas come and go between the parts. Whether one is open still is asked when its turn comes.
        for hosted in tuple(self._replicas):
            if hosted.log is not None and hosted.partition.role is not Role.OFFLINE:
                yield hosted, hosted.log

    def remove_old_records(self) -> Iterator[None]:
        """Remove the segments that retention does not keep, a replica a step."""
        for hosted, log in self._open_replicas():
            # Nothing else may have asked for this topic since its configs changed: it has no traffic, perhaps.
            self._refresh(hosted)
            settings = hosted.settings
            # What lies before the log start is gone already, whatever the policy.
            # With compaction only, the newest value of each key stays, whatever its age.
            if settings.deletes and not settings.retention.is_unlimited:
                # Decided by the lane when its turn comes: segments may roll or go until then.
                work = partial(
                    log.remove_old,
                    settings.retention,
                    # As in Kafka, nothing goes that is not committed.
                    high_watermark=hosted.partition.high_watermark,
                    wall_ms=self._clock.wall_ms(),
                )
                hosted.lane.put(
                    DiskJob(work, partial(self._removed, hosted, log), partial(self._replicas.failed, hosted))
                )
            yield

    def _removed(self, hosted: Hosted, log: TopicLog, removed: Removed | None) -> None:
        # A log that was closed or replaced meanwhile has another start.
        if removed is not None and hosted.log is log:
            # Retention by time may take the active segment as well: a new one was begun before it.
            if removed.has_rolled:
                self._replicas.changes.has_rolled(hosted)
            self._replicas.changes.start_moved(hosted, removed.log_start_offset)

    def flush(self) -> Iterator[None]:
        """Make logs durable that were not for ``flush.ms``, a replica a step."""
        now_ms = self._clock.now_ms()
        for hosted, _ in self._open_replicas():
            self._refresh(hosted)
            # A slow disk is not asked again before it is done.
            if not hosted.syncs and now_ms - hosted.flushed_ms >= hosted.settings.flush_ms:
                self._replicas.changes.make_durable(hosted, with_active=True)
            yield

    def expire_producers(self) -> Iterator[None]:
        """Forget producers that wrote nothing for long. A step is a replica, or a part of its producers."""
        expiration_ms = self._settings().producer_expiration_ms
        # Wall time: snapshots keep when producers wrote, and outlive the process.
        wall_ms = self._clock.wall_ms()
        for hosted, _ in self._open_replicas():
            hosted.partition.verifications.expire(wall_ms, expiration_ms)
            # A log may have a million producers: they are a part each turn as well.
            yield from hosted.partition.producers.expire(wall_ms, expiration_ms)
            yield
