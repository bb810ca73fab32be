"""All replicas of a broker, and what its clients and other brokers want of them.

It follows the metadata as `broker.replica_directories` examines it, a part at a time. It runs in the event loop; the
work on disks is done in lanes (`hosted`), the periodic work here: high watermarks are written every five seconds,
recovery points every minute, followers that lag leave the ISR."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.broker.directories import LogDirectories
from kafkaproto_server.config_keys.node_configs import NodeConfigs
from kafkaproto_server.image.entries import PartitionImage, TopicImage
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.net.streams import Connect
from kafkaproto_server.node.replicas.appends import Appends
from kafkaproto_server.node.replicas.disk_jobs import DiskJob, do_jobs
from kafkaproto_server.node.replicas.fetchers import FetcherConfig, Fetchers
from kafkaproto_server.node.replicas.fetches import Fetches, MayRead
from kafkaproto_server.node.replicas.hosted import Hosted, HostedReplicas
from kafkaproto_server.node.replicas.isr_sender import IsrSender
from kafkaproto_server.node.replicas.offsets import find_offset
from kafkaproto_server.node.replicas.survey import DirectorySurvey
from kafkaproto_server.node.replicas.timers import Timers
from kafkaproto_server.node.replicas.topic_settings import KnownSettings
from kafkaproto_server.node.threads import Workers
from kafkaproto_server.ports import Clock, Disk, Rng
from kafkaproto_server.replica.partition import NO_EPOCH, Partition, PartitionError, Role
from kafkaproto_server.requests.data import (
    Fetched,
    MarkerItem,
    OffsetQuery,
    OffsetResult,
    Produced,
    ProduceItem,
)
from kafkaproto_server.requests.fetch_requests import FetchValues
from kafkaproto_server.types import NO_NODE, Endpoint

_log = logging.getLogger("kafkaproto.server.replicas")

IO_THREADS = 4
"""Threads for the directories and for reads of what is not in memory."""


class ReplicaManager:
    """The replicas of one broker."""

    def __init__(
        self,
        *,
        broker_id: int,
        disk: Disk,
        clock: Clock,
        rng: Rng,
        workers: Workers,
        directories: LogDirectories,
        surveys: dict[bytes, DirectorySurvey],
        image: Callable[[], ClusterImage],
        node_configs: Callable[[], NodeConfigs],
        isr_changes: IsrSender,
        directory_failed: Callable[[str, str], None],
        connect: Connect,
        inter_broker_listener: str,
        broker_epoch: Callable[[], int | None],
    ) -> None:
        """``node_configs`` returns the same object as long as it has the same values."""
        self._directory_failed = directory_failed
        # Directories that failed, with the problem, until that is reported.
        self._failures: list[tuple[str, str]] = []
        self._has_failed = trio.Event()
        self._broker_id = broker_id
        self._clock = clock
        self._image = image
        self._node_configs = node_configs
        self._isr_changes = isr_changes
        self._workers = workers
        self._readers = workers.lane(do_jobs)
        self._settings = KnownSettings()
        self._timers = Timers(clock)
        self._inter_broker_listener = inter_broker_listener
        configs = node_configs()
        self._max_lag_ms = _number(configs, "replica.lag.time.max.ms")
        self._max_wait_ms = _number(configs, "replica.fetch.wait.max.ms")
        self._checkpoint_interval_ms = _number(configs, "replica.high.watermark.checkpoint.interval.ms")
        self.replicas = HostedReplicas(
            disk=disk,
            clock=clock,
            rng=rng,
            workers=workers,
            directories=directories,
            surveys=surveys,
            producer_expiration_ms=_number(configs, "producer.id.expiration.ms"),
            applied=self._apply,
            directory_failed=self._note_failure,
        )
        self._appends = Appends(
            self.replicas, clock, self._timers, self._unknown, self._refresh, self._in_thread
        )
        self._fetches = Fetches(
            replicas=self.replicas,
            image=image,
            clock=clock,
            timers=self._timers,
            rng=rng,
            max_sessions=_number(configs, "max.incremental.fetch.session.cache.slots"),
            max_bytes=_number(configs, "fetch.max.bytes"),
            read_in_thread=self._in_thread,
        )
        self._fetchers = Fetchers(
            _fetcher_config(broker_id, configs),
            replicas=self.replicas,
            clock=clock,
            rng=rng,
            connect=connect,
            call_at=self._timers.add,
            endpoint=self._endpoint,
            broker_epoch=broker_epoch,
        )

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Work until cancelled; what was handed to the disks is done first."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self._workers.run)
            nursery.start_soon(self._timers.run)
            await nursery.start(self._fetchers.run)
            nursery.start_soon(self._shrink_isrs)
            nursery.start_soon(self._expand_isrs)
            nursery.start_soon(self._write_checkpoints)
            nursery.start_soon(self._report_failures)
            task_status.started()

    async def stop(self) -> None:
        """Close all logs in order."""
        closed = trio.Event()
        self.replicas.close_all(closed.set)
        await closed.wait()

    # -- the metadata ------------------------------------------------------------------------------------------

    @property
    def are_open(self) -> bool:
        """Whether all logs are open that the metadata places here."""
        return self.replicas.are_open

    def replica_changed(
        self, topic: TopicImage, index: int, image: PartitionImage, directory_id: bytes | None
    ) -> None:
        """The metadata has a new state of a replica of this broker, or it is known now in which directory it
        belongs."""
        hosted = self.replicas.get(topic.topic_id, index)
        if hosted is not None:
            hosted.image = image
            if hosted.log is not None:
                self._apply(hosted)
        elif directory_id is not None:
            settings = self._settings.of(topic.name, self._image(), self._node_configs())
            created = Partition(
                topic=topic.name,
                topic_id=topic.topic_id,
                index=index,
                broker_id=self._broker_id,
                brokers=self,
                ask_for_isr=self._isr_changes.add,
                max_lag_ms=self._max_lag_ms,
            )
            self.replicas.add(created, image, directory_id, settings)

    def replica_removed(self, topic_id: bytes, index: int) -> None:
        """A replica is not on this broker any more."""
        self._fetchers.unfollow((topic_id, index))
        hosted = self.replicas.remove(topic_id, index)
        if hosted is not None:
            self._isr_changes.drop(hosted.partition)
            self._settings.forget(hosted.partition.topic)

    def _apply(self, hosted: Hosted) -> None:
        partition, image = hosted.partition, hosted.image
        assert image is not None
        self._refresh(hosted)
        if hosted.is_being_cut:
            return
        if not partition.apply(image, now_ms=self._clock.now_ms()):
            return
        if partition.role is Role.FOLLOWER:
            self._fetchers.follow(hosted)
        else:
            self._fetchers.unfollow((partition.topic_id, partition.index))
        if partition.role is Role.LEADER:
            log = hosted.log
            assert log is not None, "a partition has a role once its log is open"
            hosted.lane.put(
                DiskJob(
                    partial(log.log.begin_epoch, partition.leader_epoch, partition.leader_epoch_start),
                    lambda _: None,
                    partial(self.replicas.failed, hosted),
                )
            )

    def _refresh(self, hosted: Hosted) -> None:
        """Give a replica the newest settings of its topic."""
        settings = self._settings.of(hosted.partition.topic, self._image(), self._node_configs())
        hosted.partition.min_insync_replicas = settings.min_insync_replicas
        if settings is hosted.settings:
            return
        before, hosted.settings = hosted.settings.log, settings
        if settings.log != before and hosted.log is not None:
            hosted.lane.put(
                DiskJob(
                    partial(hosted.log.log.configure, settings.log),
                    lambda _: None,
                    partial(self.replicas.failed, hosted),
                )
            )

    def _endpoint(self, broker_id: int) -> Endpoint | None:
        broker = self._image().brokers.get(broker_id)
        if broker is None or broker.fenced:
            return None
        return next((each for each in broker.endpoints if each.name == self._inter_broker_listener), None)

    def is_eligible(self, broker_id: int, broker_epoch: int) -> bool:
        """See `replica.partition.Brokers`."""
        broker = self._image().brokers.get(broker_id)
        return broker is not None and broker.is_active() and broker_epoch in (-1, broker.epoch)

    # -- clients and brokers -----------------------------------------------------------------------------------

    def produce(self, items: Sequence[ProduceItem], *, acks: int, timeout_ms: int, done: Produced) -> None:
        """See `Appends.produce`."""
        self._appends.produce(items, acks=acks, timeout_ms=timeout_ms, done=done)

    def write_markers(self, items: Sequence[MarkerItem], done: Produced) -> None:
        """See `Appends.write_markers`."""
        ids = self._image().topic_ids
        self._appends.write_markers([(ids.get(each.topic, b""), each) for each in items], done)

    def fetch(self, values: FetchValues, version: int, may_read: MayRead, done: Fetched) -> None:
        """See `Fetches.fetch`."""
        self._fetches.fetch(values, version, may_read, done)

    def find_offset(self, query: OffsetQuery, done: Callable[[OffsetResult], None]) -> None:
        """Find an offset by its time, or one of the special ones. ``done`` is called with it, now or later."""
        topic_id = self._image().topic_ids.get(query.topic)
        hosted = None if topic_id is None else self.replicas.get(topic_id, query.index)
        try:
            if hosted is None or hosted.log is None:
                raise PartitionError(self._unknown(topic_id or b"", query.index))
            found = find_offset(query, hosted.partition)
        except PartitionError as error:
            done(OffsetResult(code=error.code))
            return
        if isinstance(found, OffsetResult):
            done(found)
        else:
            self._readers.put(
                DiskJob(
                    partial(found, hosted.log),
                    done,
                    lambda error: done(OffsetResult(code=ErrorCode.KAFKA_STORAGE_ERROR)),
                )
            )

    def leader_of(self, topic_id: bytes, index: int) -> tuple[int, int]:
        """Broker id and epoch of the leader of a partition; -1 for what is not known."""
        topic = self._image().topics.get(topic_id)
        found = None if topic is None else topic.partitions.get(index)
        return (NO_NODE, NO_EPOCH) if found is None else (found.leader, found.leader_epoch)

    def _unknown(self, topic_id: bytes, index: int) -> ErrorCode:
        topic = self._image().topics.get(topic_id)
        if topic is None or index not in topic.partitions:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return ErrorCode.NOT_LEADER_OR_FOLLOWER

    def _in_thread(
        self,
        work: Callable[[], Any],
        done: Callable[[Any], None],
    ) -> None:
        def failed(error: Exception) -> None:
            raise error

        self._readers.put(DiskJob(work, done, failed))

    def _note_failure(self, path: str, problem: str) -> None:
        self._failures.append((path, problem))
        self._has_failed.set()

    # -- from time to time -------------------------------------------------------------------------------------

    async def _report_failures(self) -> None:
        """Report failed directories from a task: it ends the node if it cannot do without one."""
        while True:
            await self._has_failed.wait()
            self._has_failed = trio.Event()
            while self._failures:
                path, problem = self._failures.pop()
                self._directory_failed(path, problem)
                for hosted in tuple(self.replicas):
                    if self.replicas.path_of(hosted) == path:
                        hosted.partition.failed()

    async def _write_checkpoints(self) -> None:
        while True:
            await trio.sleep(self._checkpoint_interval_ms / 1000)
            self.replicas.write_checkpoints()

    async def _expand_isrs(self) -> None:
        # As often as each follower is heard of in Apache Kafka.
        while True:
            await trio.sleep(self._max_wait_ms / 1000)
            for hosted in tuple(self.replicas):
                hosted.partition.maybe_expand_isr()

    async def _shrink_isrs(self) -> None:
        while True:
            await trio.sleep(self._max_lag_ms / 2000)
            now_ms = self._clock.now_ms()
            for hosted in tuple(self.replicas):
                hosted.partition.maybe_shrink_isr(now_ms)


def _number(configs: NodeConfigs, key: str) -> int:
    value = configs.value_of(key)
    assert value is not None, f"{key} has a default"
    return int(value)


def _fetcher_config(broker_id: int, configs: NodeConfigs) -> FetcherConfig:
    return FetcherConfig(
        broker_id=broker_id,
        fetchers=_number(configs, "num.replica.fetchers"),
        max_wait_ms=_number(configs, "replica.fetch.wait.max.ms"),
        min_bytes=_number(configs, "replica.fetch.min.bytes"),
        partition_max_bytes=_number(configs, "replica.fetch.max.bytes"),
        response_max_bytes=_number(configs, "replica.fetch.response.max.bytes"),
        timeout_ms=_number(configs, "replica.socket.timeout.ms"),
        backoff_ms=_number(configs, "replica.fetch.backoff.ms"),
    )
