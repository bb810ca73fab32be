"""All replicas of a broker, and what its clients and other brokers want of them.

It follows the metadata as `core.broker.replica_directories` examines it, a part at a time. It runs in the event loop;
the work on disks is done in lanes (`hosted`), and the periodic work on logs in `maintenance`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.base.types import NO_NODE, Endpoint
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.core.broker.replica_directories import ReplicaMoves
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.replicas.isr_changes import IsrCounts
from kafkaproto_server.core.replicas.partition import Partition, PartitionError, Role
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.data import (
    DeletionItem,
    MarkerItem,
    OffsetQuery,
    OffsetResult,
    Produced,
    ProduceItem,
    RecordsDeleted,
)
from kafkaproto_server.requests.sender import Sender
from kafkaproto_server.shell.net.streams import Connect
from kafkaproto_server.shell.process.threads import Workers
from kafkaproto_server.shell.replicas.coordinators.coordinator_loading import Loading
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.files.cleaning import CleanerStatistics, LogCleaner
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob, do_jobs
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.maintenance import Maintenance
from kafkaproto_server.shell.replicas.files.moves import Moves
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey
from kafkaproto_server.shell.replicas.files.topic_settings import KnownSettings, number_of
from kafkaproto_server.shell.replicas.followers.fetcher_values import FetcherConfig
from kafkaproto_server.shell.replicas.followers.fetchers import Fetchers
from kafkaproto_server.shell.replicas.followers.isr_sender import IsrSender
from kafkaproto_server.shell.replicas.followers.offsets import find_offset
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottles
from kafkaproto_server.shell.replicas.requests.appends import Appends
from kafkaproto_server.shell.replicas.requests.deletions import Deletions
from kafkaproto_server.shell.replicas.requests.fetches import Fetches
from kafkaproto_server.shell.replicas.requests.host_lane import HostLane
from kafkaproto_server.shell.replicas.requests.questions import Questions
from kafkaproto_server.shell.replicas.timers import Timers
from kafkaproto_server.shell.storage.errors import LogClosedError

T = TypeVar("T")

_log = logging.getLogger("kafkaproto.server.replicas")

MIN_EXPANSION_INTERVAL_MS = 100
"""Followers that wait to be eligible are not looked for more often, however short fetches may wait."""
FETCHERS_KEY = "num.replica.fetchers"
IO_THREADS = 4
"""Threads for the directories and for reads of what is not in memory."""


class ReplicaManager:
    """The replicas of one broker. Implements `core.broker.replica_directories.ReplicaListener` and
    `core.replicas.partition.Brokers`."""

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
        replica_lost: Callable[[PartitionId, bool], None],
        connect: Connect,
        inter_broker_listener: str,
        broker_epoch: Callable[[], int | None],
        is_session_over: Callable[[], bool],
    ) -> None:
        """``node_configs`` returns the same object as long as it has the same values. ``replica_lost`` is called with
        True if the controllers are to be told that a replica is lost in a directory that works, and with False once it
        is not."""
        self.role_changed: Callable[[Hosted], None] = lambda hosted: None
        """Called when a replica begins or ceases to lead, also if it leads in another epoch."""
        self._directory_failed = directory_failed
        self._directories = directories
        # The directories that do not show yet that a broker ran.
        self._unshown = {each for each, survey in surveys.items() if survey.is_emptied}
        # Directories that failed, with the problem, until that is reported.
        self._failures: list[tuple[str, str]] = []
        self._has_failed = trio.Event()
        self._disk, self._broker_id = disk, broker_id
        self._clock, self._image = clock, image
        self._node_configs = node_configs
        self._isr_changes, self._workers = isr_changes, workers
        # Checks, searches by time and coordinators may compute for a second: reads wait for none of them.
        self._readers, self._searches, self._checks = (HostLane(workers) for _ in range(3))
        self._coordinators_lane = workers.lane(do_jobs)
        self.topic_metrics = TopicMetrics()
        self._settings = KnownSettings()
        timers = self._timers = Timers(clock)
        self._inter_broker_listener = inter_broker_listener
        configs = node_configs()
        self._max_lag_ms = number_of(configs, "replica.lag.time.max.ms")
        self._max_wait_ms = number_of(configs, "replica.fetch.wait.max.ms")
        self.replicas = HostedReplicas(
            disk=disk,
            clock=clock,
            rng=rng,
            workers=workers,
            directories=directories,
            surveys=surveys,
            node_configs=node_configs,
            applied=self._apply,
            directory_failed=self._note_failure,
            closed=self._log_closed,
            damaged=self._maybe_begin_anew,
            lost=replica_lost,
            call_at=timers.add,
        )
        self._cleaner = self._make_cleaner(workers, surveys)
        self.maintenance = Maintenance(self.replicas, clock, node_configs, self._refresh)
        self._deletions = self._new_deletions()
        self.throttles = ReplicationThrottles(broker_id, clock, node_configs, self._refresh)
        self._appends = self._new_appends(is_session_over)
        self.fetches = self._new_fetches(configs, rng)
        self.moves = self._make_moves(workers, rng)
        self.questions = Questions(self.replicas, image, self.moves.copies)
        self._fetchers = self._new_fetchers(rng, connect, broker_epoch)

    def _make_cleaner(self, workers: Workers, surveys: dict[bytes, DirectorySurvey]) -> LogCleaner:
        return LogCleaner(
            replicas=self.replicas,
            disk=self._disk,
            clock=self._clock,
            workers=workers,
            surveys=surveys,
            node_configs=self._node_configs,
            refresh=self._refresh,
            removed=self._remove_files,
        )

    def _make_moves(self, workers: Workers, rng: Rng) -> Moves:
        return Moves(
            replicas=self.replicas,
            broker_id=self._broker_id,
            disk=self._disk,
            clock=self._clock,
            rng=rng,
            workers=workers,
            timers=self._timers,
            directories=self._directories,
            node_configs=self._node_configs,
            unknown=lambda topic, index: self._unknown(self._image().topic_ids.get(topic, b""), index),
            moved=self._cleaner.moved,
        )

    def _new_deletions(self) -> Deletions:
        waiting = self.topic_metrics.deletions
        return Deletions(self.replicas, self._clock, self._timers, self._unknown, self._refresh, waiting)

    def _new_appends(self, is_session_over: Callable[[], bool]) -> Appends:
        return Appends(
            self.replicas,
            self._clock,
            self._timers,
            self._unknown,
            self._refresh,
            self._checks,
            is_session_over,
            self.topic_metrics,
        )

    def _new_fetches(self, configs: NodeConfigs, rng: Rng) -> Fetches:
        return Fetches(
            replicas=self.replicas,
            image=self._image,
            clock=self._clock,
            timers=self._timers,
            rng=rng,
            max_sessions=number_of(configs, "max.incremental.fetch.session.cache.slots"),
            max_bytes=number_of(configs, "fetch.max.bytes"),
            selects_by_rack=bool(configs.value_of("replica.selector.class")),
            throttle=self.throttles.leader,
            readers=self._readers,
            metrics=self.topic_metrics,
        )

    def _new_fetchers(self, rng: Rng, connect: Connect, broker_epoch: Callable[[], int | None]) -> Fetchers:
        return Fetchers(
            _fetcher_config(self._broker_id, self._node_configs()),
            number_of(self._node_configs(), FETCHERS_KEY),
            replicas=self.replicas,
            clock=self._clock,
            rng=rng,
            connect=connect,
            call_at=self._timers.add,
            endpoint=self._endpoint,
            broker_epoch=broker_epoch,
            metadata_version=lambda: self._image().metadata_version,
            was_cut=self._was_cut,
            throttle=self.throttles.follower,
            metrics=self.topic_metrics,
        )

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Work until cancelled; what was handed to the disks is done first."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self._workers.run)
            nursery.start_soon(self._timers.run)
            await nursery.start(self._fetchers.run)
            nursery.start_soon(self._shrink_isrs)
            nursery.start_soon(self.maintenance.run)
            nursery.start_soon(self.replicas.removals.run)
            nursery.start_soon(self._cleaner.run)
            nursery.start_soon(self._expand_isrs)
            nursery.start_soon(self._report_failures)
            task_status.started()

    async def stop(self) -> None:
        """Close all logs in order."""
        await self.moves.stop()
        closed = trio.Event()
        self.replicas.close_all(closed.set)
        await closed.wait()

    @property
    def max_transaction_timeout_ms(self) -> int:
        """The longest timeout that a producer may ask for."""
        return number_of(self._node_configs(), "transaction.max.timeout.ms")

    @property
    def isr_counts(self) -> IsrCounts:
        """What has become of the changes of ISRs."""
        return self._isr_changes.counts

    @property
    def directories(self) -> LogDirectories:
        return self._directories

    @property
    def fetchers(self) -> Fetchers:
        """What copies other brokers' leaders."""
        return self._fetchers

    def cleaner_statistics(self) -> CleanerStatistics:
        """What the cleaner has done."""
        return self._cleaner.statistics()

    # -- the metadata ------------------------------------------------------------------------------------------

    @property
    def are_open(self) -> bool:
        """Whether all logs are open that the metadata places here, and each log directory shows that a broker ran."""
        return self.replicas.are_open and not self._unshown

    def attach(self, moves: ReplicaMoves) -> None:
        self.moves.attach(moves)

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
            else:
                self._maybe_begin_anew(hosted)
        elif directory_id is None:
            self.replicas.offline.add((topic.topic_id, index))
        else:
            self._add(topic, index, image, directory_id)

    def replica_lost_all(
        self, topic: TopicImage, index: int, image: PartitionImage, directory_id: bytes
    ) -> None:
        """Nothing is left of a replica on whose records the controllers count."""
        self._add(topic, index, image, directory_id, has_lost_all=True)

    def replicas_placed(self) -> None:
        """All replicas were told that the broker had when it started."""
        # If a directory has no checkpoint from now on, somebody has emptied it.
        for directory_id in sorted(self._unshown):
            self.replicas.write_checkpoints_of(directory_id, partial(self._unshown.remove, directory_id))

    def _add(
        self,
        topic: TopicImage,
        index: int,
        image: PartitionImage,
        directory_id: bytes,
        *,
        has_lost_all: bool = False,
    ) -> None:
        self.replicas.offline.discard((topic.topic_id, index))
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
        self.replicas.add(created, image, directory_id, settings, has_lost_all=has_lost_all)

    def _maybe_begin_anew(self, hosted: Hosted) -> None:
        """Fetch a replica anew whose log is damaged, unless the controllers count on what it has: then it stays closed,
        and an empty log must not take its place. They do not elect one that they know to be lost."""
        image, broker_id = hosted.image, self._broker_id
        assert image is not None, "a replica comes with its state in the metadata"
        if image.leader in (NO_NODE, broker_id) or broker_id in image.isr:
            return
        is_eligible = broker_id in (*image.elr, *image.last_known_elr)
        if not is_eligible or image.directory_of(broker_id) == LOST_DIRECTORY:
            self.replicas.begin_anew(hosted)

    def replica_removed(self, topic_id: bytes, index: int) -> None:
        """A replica is not on this broker any more."""
        self.replicas.offline.discard((topic_id, index))
        self._fetchers.unfollow((topic_id, index))
        self.moves.removed((topic_id, index))
        code = self._unknown_by_metadata(topic_id, index) or ErrorCode.NOT_LEADER_OR_FOLLOWER
        hosted = self.replicas.remove(topic_id, index, code)
        if hosted is not None:
            self.role_changed(hosted)
            self._isr_changes.drop(hosted.partition)
            self._cleaner.forget(hosted)
            self._settings.forget(hosted.partition.topic)
            if topic_id not in self._image().topics:
                self.topic_metrics.forget(hosted.partition.topic)

    def found_stray(self, found: FoundReplica) -> None:
        """What lies in a directory is no replica of this broker."""
        self.replicas.set_aside(found)

    def found_future(self, found: FoundReplica) -> None:
        """A replica of this broker was being moved when it stopped."""
        self.moves.found_future(found)

    def directories_changed(self) -> None:
        """A directory failed: its replicas are offline."""
        for hosted in tuple(self.replicas):
            partition = hosted.partition
            if not self._directories.is_online(hosted.directory_id):
                self._fetchers.unfollow((partition.topic_id, partition.index))
                self._isr_changes.drop(partition)
                partition.failed()
                self.role_changed(hosted)
        self.moves.directories_changed()

    def _was_cut(self, hosted: Hosted) -> None:
        self._cleaner.was_cut(hosted)
        self.moves.was_cut(hosted)

    def _log_closed(self, hosted: Hosted) -> None:
        self._fetchers.unfollow((hosted.partition.topic_id, hosted.partition.index))
        self.moves.log_closed(hosted)
        self.role_changed(hosted)

    def _apply(self, hosted: Hosted) -> None:
        self._lead_or_follow(hosted)
        self.moves.follow(hosted)

    def _lead_or_follow(self, hosted: Hosted) -> None:
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
                    partial(log.begin_epoch, partition.leader_epoch, partition.leader_epoch_start),
                    lambda _: None,
                    partial(self.replicas.failed, hosted),
                )
            )
        self.role_changed(hosted)

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
                    partial(hosted.log.configure, settings.log),
                    lambda _: None,
                    partial(self.replicas.failed, hosted),
                )
            )

    def _endpoint(self, broker_id: int) -> Endpoint | None:
        broker = self._image().brokers.get(broker_id)
        if broker is None or broker.fenced:
            return None
        return next((each for each in broker.endpoints if each.name == self._inter_broker_listener), None)

    def is_eligible(self, broker_id: int, broker_epoch: int, directory_id: bytes) -> bool:
        broker = self._image().brokers.get(broker_id)
        return (
            broker is not None
            and broker.is_active()
            and broker_epoch in (-1, broker.epoch)
            and broker.has_online_directory(directory_id)
        )

    def is_alive(self, broker_id: int) -> bool:
        broker = self._image().brokers.get(broker_id)
        return broker is not None and not broker.fenced

    # -- coordinators ------------------------------------------------------------------------------------------

    def coordinator_log(
        self,
        hosted: Hosted,
        timeout_ms: Callable[[], int],
        commit_times: Histogram,
        compression: Callable[[], int] = lambda: 0,
    ) -> PartitionLog:
        """The partition as its coordinator sees it: see `PartitionLog`."""
        return PartitionLog(
            hosted, self._appends, self._clock, self._timers, timeout_ms, commit_times, compression
        )

    def coordinator_loading(self, hosted: Hosted, names: Mapping[int, str], **calls: Any) -> Loading:
        return Loading(
            hosted,
            names,
            clock=self._clock,
            timers=self._timers,
            in_thread=self.compute,
            read_failed=self.replicas.read_failed,
            **calls,
        )

    def leading(self, topic_id: bytes, index: int) -> Partition:
        """A partition that this broker leads. Raises PartitionError."""
        hosted = self.replicas.get(topic_id, index)
        if hosted is None or hosted.log is None:
            raise PartitionError(self._unknown(topic_id, index))
        hosted.partition.check_leader()
        return hosted.partition

    def endpoint(self, broker_id: int) -> Endpoint | None:
        """That of another broker on the listener between brokers; None while it is fenced."""
        return self._endpoint(broker_id)

    def set_verifies_transactions(self, call: Callable[[], bool]) -> None:
        self._appends.verifies_transactions = call

    def set_marker_written(self, call: Callable[[Partition, MarkerItem, int], None]) -> None:
        self._appends.marker_written = call

    def call_at(self, at_ms: int, call: Callable[[], None]) -> None:
        self._timers.add(at_ms, call)

    # -- clients and brokers -----------------------------------------------------------------------------------

    def produce(self, items: Sequence[ProduceItem], acks: int, timeout_ms: int, done: Produced) -> None:
        self._appends.produce(items, acks=acks, timeout_ms=timeout_ms, done=done)

    def write_markers(self, items: Sequence[MarkerItem], done: Produced) -> None:
        ids = self._image().topic_ids
        self._appends.write_markers([(ids.get(each.topic, b""), each) for each in items], done)

    def delete_records(self, item: DeletionItem, timeout_ms: int, done: RecordsDeleted) -> None:
        self._deletions.delete(item, timeout_ms, done)

    def alter_directory(self, topic: str, index: int, path: str) -> ErrorCode:
        topic_id = self._image().topic_ids.get(topic)
        hosted = None if topic_id is None else self.replicas.get(topic_id, index)
        return self.moves.alter(topic, index, hosted, path)

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
            log = hosted.log

            def failed(error: Exception) -> None:
                is_gone = isinstance(error, LogClosedError)
                code = ErrorCode.NOT_LEADER_OR_FOLLOWER if is_gone else ErrorCode.KAFKA_STORAGE_ERROR
                done(OffsetResult(code=code))
                self.replicas.read_failed(hosted, log, error)

            sender = query.sender or Sender()
            steps = _one_step(partial(found, log))
            self._searches.put(sender.host, steps, done, failed, is_over=lambda: sender.is_gone)

    def _unknown(self, topic_id: bytes, index: int) -> ErrorCode:
        """Why there is no open log of a partition here."""
        if code := self._unknown_by_metadata(topic_id, index):
            return code
        hosted = self.replicas.get(topic_id, index)
        is_offline = hosted is not None and hosted.partition.role is Role.OFFLINE
        if is_offline or (topic_id, index) in self.replicas.offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        return ErrorCode.NOT_LEADER_OR_FOLLOWER

    def _unknown_by_metadata(self, topic_id: bytes, index: int) -> ErrorCode:
        topic = self._image().topics.get(topic_id)
        is_known = topic is not None and index in topic.partitions
        return ErrorCode.NONE if is_known else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    def compute(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Do a coordinator's work in a thread, and call ``done`` with the result in the event loop."""
        self._coordinators_lane.put(DiskJob(work, done, _raise))

    def _remove_files(self, hosted: Hosted, paths: Sequence[str]) -> None:
        """Have files removed that no log uses any more."""
        self.replicas.removals.later(hosted.directory_id, paths, hosted.settings.file_delete_delay_ms)

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

    async def _expand_isrs(self) -> None:
        # As often as each follower is heard of in Apache Kafka.
        interval_s = max(MIN_EXPANSION_INTERVAL_MS, self._max_wait_ms) / 1000
        configs = self._node_configs()
        while True:
            await trio.sleep(interval_s)
            if configs is not self._node_configs():
                configs = self._node_configs()
                self._fetchers.use_count(number_of(configs, FETCHERS_KEY))
            for hosted in tuple(self.replicas):
                hosted.partition.maybe_expand_isr()

    async def _shrink_isrs(self) -> None:
        while True:
            await trio.sleep(self._max_lag_ms / 2000)
            now_ms = self._clock.now_ms()
            for hosted in tuple(self.replicas):
                hosted.partition.maybe_shrink_isr(now_ms)


def _fetcher_config(broker_id: int, configs: NodeConfigs) -> FetcherConfig:
    return FetcherConfig(
        broker_id=broker_id,
        max_wait_ms=number_of(configs, "replica.fetch.wait.max.ms"),
        min_bytes=number_of(configs, "replica.fetch.min.bytes"),
        partition_max_bytes=number_of(configs, "replica.fetch.max.bytes"),
        response_max_bytes=number_of(configs, "replica.fetch.response.max.bytes"),
        timeout_ms=number_of(configs, "replica.socket.timeout.ms"),
        backoff_ms=number_of(configs, "replica.fetch.backoff.ms"),
    )


def _one_step(work: Callable[[], T]) -> Steps[T]:
    yield from ()
    return work()


def _raise(error: Exception) -> None:
    raise error
