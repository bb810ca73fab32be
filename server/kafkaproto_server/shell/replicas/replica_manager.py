"""All replicas of a broker, and what its clients and other brokers want of them (ReplicaManager in Apache Kafka).

It puts the parts together, and takes in what `core.broker.replica_directories` makes of the metadata, a part at a time.
It runs in the event loop; the work on disks is done in lanes (`hosted`), and the periodic work on logs in
`maintenance`. The roles of replicas are in `roles`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.core.broker.replica_directories import ReplicaMoves
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage
from kafkaproto_server.requests.data import (
    DeletionItem,
    MarkerItem,
    OffsetQuery,
    OffsetResult,
    Produced,
    ProduceItem,
    RecordsDeleted,
)
from kafkaproto_server.shell.replicas.coordinators.coordinator_partitions import CoordinatorPartitions
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.files.cleaning import CleanerStatistics, LogCleaner
from kafkaproto_server.shell.replicas.files.directory_failures import DirectoryFailures
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.hosted_settings import HostedSettings
from kafkaproto_server.shell.replicas.files.maintenance import Maintenance
from kafkaproto_server.shell.replicas.files.moves import Moves
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey
from kafkaproto_server.shell.replicas.files.working_directories import WorkingDirectories
from kafkaproto_server.shell.replicas.followers.fetcher_values import FETCHER_CONFIG
from kafkaproto_server.shell.replicas.followers.fetchers import Fetchers
from kafkaproto_server.shell.replicas.followers.isr_sender import IsrSender
from kafkaproto_server.shell.replicas.followers.leader_endpoint import ToLeaders
from kafkaproto_server.shell.replicas.followers.log_changes import LogChanges
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottles
from kafkaproto_server.shell.replicas.isr_checks import IsrChecks
from kafkaproto_server.shell.replicas.known_brokers import KnownBrokers
from kafkaproto_server.shell.replicas.local_node import (
    BrokerNetwork,
    CurrentMetadata,
    LocalBroker,
    LocalMachine,
)
from kafkaproto_server.shell.replicas.missing_replicas import MissingReplicas
from kafkaproto_server.shell.replicas.replica_settings import REPLICA_SETTINGS
from kafkaproto_server.shell.replicas.requests.appends import Appends
from kafkaproto_server.shell.replicas.requests.deletions import Deletions
from kafkaproto_server.shell.replicas.requests.fetches import FETCH_CONFIG, Fetches
from kafkaproto_server.shell.replicas.requests.host_lane import HostLane
from kafkaproto_server.shell.replicas.requests.offset_searches import OffsetSearches
from kafkaproto_server.shell.replicas.requests.questions import Questions
from kafkaproto_server.shell.replicas.roles import ReplicaEvents, ReplicaRoles
from kafkaproto_server.shell.replicas.timers import Timers

IO_THREADS = 4
"""Threads for the directories and for reads of what is not in memory."""


class ReplicaManager:
    """The replicas of one broker. Implements `core.broker.replica_directories.ReplicaListener` and
    `files.hosted_replicas.LogListener`."""

    def __init__(
        self,
        *,
        broker: LocalBroker,
        machine: LocalMachine,
        network: BrokerNetwork,
        metadata: CurrentMetadata,
        directories: LogDirectories,
        surveys: Mapping[bytes, DirectorySurvey],
        isr_changes: IsrSender,
        events: ReplicaEvents,
    ) -> None:
        """``surveys`` has what lies in each directory that works, by its id."""
        clock, workers = machine.clock, machine.workers
        self._broker_id, self._clock, self._workers = broker.broker_id, clock, workers
        self._metadata, self._image = metadata, metadata.image
        self.directories = directories
        self.isr_changes, self._events = isr_changes, events
        # Until a directory shows that, a start would take what is lost there for what never was.
        # The directories that do not show yet that a broker ran.
        self._unshown = {each for each, survey in surveys.items() if survey.is_emptied}
        self.directory_failures = DirectoryFailures(events.directory_failed)
        # Checks may compute for a second: reads wait for none of them.
        self._readers, self._checks = HostLane(workers), HostLane(workers)
        self.topic_metrics = TopicMetrics()
        timers = self._timers = Timers(clock)
        self.call_at = timers.add
        self._current_settings = CurrentSettings(REPLICA_SETTINGS, metadata.node_configs)
        self._max_lag_ms = self._current_settings().lag_time_max_ms
        working = WorkingDirectories(directories, surveys, workers, self.directory_failures.note)
        self.replicas = HostedReplicas(machine, working, metadata.node_configs, self, timers.add)
        self.missing = MissingReplicas(self.replicas, metadata.image)
        self._settings = HostedSettings(self.replicas, metadata)
        refresh = self._settings.refresh
        self._cleaner = LogCleaner(self.replicas, machine, metadata.node_configs, refresh)
        self.maintenance = Maintenance(self.replicas, clock, metadata.node_configs, refresh)
        self._deletions = Deletions(
            self.replicas, clock, timers, self.missing.reason, refresh, self.topic_metrics.deletions
        )
        self.throttles = ReplicationThrottles(broker.broker_id, clock, metadata.node_configs, refresh)
        self._appends = self._new_appends(broker)
        self.for_coordinators = CoordinatorPartitions(
            self.replicas, self._appends, machine, timers, self.missing.reason
        )
        self.fetches = self._new_fetches(machine)
        self.moves = Moves(
            self.replicas,
            machine,
            timers,
            broker_id=broker.broker_id,
            node_configs=metadata.node_configs,
            unknown=self.missing.reason_by_name,
            moved=self._cleaner.moved,
        )
        self.questions = Questions(self.replicas, metadata.image, self.moves.copies)
        self._searches = OffsetSearches(self.replicas, metadata.image, self.missing.reason, workers)
        self.brokers = KnownBrokers(metadata.image, network.listener_name)
        fetchers = self._new_fetchers(broker, machine, network)
        self._roles = ReplicaRoles(
            broker.broker_id,
            clock,
            self.replicas,
            self._settings,
            fetchers,
            self.moves,
            isr_changes,
            events,
        )
        self._isr_checks = IsrChecks(self.replicas, clock, self._current_settings, fetchers.use_count)

    def _new_appends(self, broker: LocalBroker) -> Appends:
        return Appends(
            self.replicas,
            self._timers,
            self.missing.reason,
            self._settings.refresh,
            self._checks,
            broker.is_session_over,
            self.topic_metrics,
        )

    def _new_fetches(self, machine: LocalMachine) -> Fetches:
        return Fetches(
            replicas=self.replicas,
            image=self._image,
            timers=self._timers,
            rng=machine.rng,
            config=FETCH_CONFIG.read(self._metadata.node_configs()),
            throttle=self.throttles.leader,
            readers=self._readers,
            metrics=self.topic_metrics,
        )

    def _new_fetchers(self, broker: LocalBroker, machine: LocalMachine, network: BrokerNetwork) -> Fetchers:
        leaders = ToLeaders(
            broker_id=broker.broker_id,
            rng=machine.rng,
            connect=network.connect,
            endpoint=self.brokers.endpoint,
            broker_epoch=broker.epoch,
            metadata_version=lambda: self._image().metadata_version,
        )
        throttle = self.throttles.follower
        return Fetchers(
            FETCHER_CONFIG.read(self._metadata.node_configs()),
            self._current_settings().fetchers,
            leaders=leaders,
            logs=LogChanges(self.replicas, machine.clock, throttle, self.topic_metrics, self._was_cut),
            clock=machine.clock,
            call_at=self._timers.add,
            throttle=throttle,
        )

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Work until cancelled; what was handed to the disks is done first."""
        async with trio.open_nursery() as nursery:
            # Threads first, and fetchers before whoever may have them copy something.
            await nursery.start(self._workers.run)
            nursery.start_soon(self._timers.run)
            await nursery.start(self.fetchers.run)
            nursery.start_soon(self._isr_checks.shrink)
            nursery.start_soon(self.maintenance.run)
            nursery.start_soon(self.replicas.removals.run)
            nursery.start_soon(self._cleaner.run)
            nursery.start_soon(self._isr_checks.expand)
            nursery.start_soon(self.directory_failures.run)
            task_status.started()

    async def stop(self) -> None:
        """Close all logs in order."""
        # Moves first: a switch that is under way holds jobs of its replica back, and would hold the close back, too.
        await self.moves.stop()
        closed = trio.Event()
        self.replicas.clean_stop.begin(closed.set)
        await closed.wait()

    @property
    def max_transaction_timeout_ms(self) -> int:
        """The longest timeout that a producer may ask for."""
        return self._current_settings().max_transaction_timeout_ms

    @property
    def fetchers(self) -> Fetchers:
        """What copies other brokers' leaders."""
        return self._roles.fetchers

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
        """The metadata has a new state of a replica, or it is known now in which directory that belongs."""
        hosted = self.replicas.get(topic.topic_id, index)
        if hosted is not None:
            # Also while the log is being opened or cut: the newest image counts at the end of that.
            hosted.image = image
            if hosted.log is not None:
                self.log_opened(hosted)
            else:
                # While its log is being opened there is nothing to do: `log_opened` takes the newest image then.
                self._roles.maybe_begin_anew(hosted)
        # Not opened anywhere: its records may be in the directory that is offline, and an empty log must not take their
        # place.
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
        # Sorted: a set has another order in each process, and runs of the simulator have to repeat.
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
        created = Partition(
            topic=topic.name,
            topic_id=topic.topic_id,
            index=index,
            broker_id=self._broker_id,
            brokers=self.brokers,
            ask_for_isr=self.isr_changes.add,
            max_lag_ms=self._max_lag_ms,
        )
        settings = self._settings.of(topic.name)
        self.replicas.add(created, image, directory_id, settings, has_lost_all=has_lost_all)

    def replica_removed(self, topic_id: bytes, index: int) -> None:
        """A replica is not on this broker any more."""
        self.replicas.offline.discard((topic_id, index))
        # Whoever writes to the log before it is deleted: fetchers append, and a move has jobs held back.
        self.fetchers.unfollow((topic_id, index))
        self.moves.removed((topic_id, index))
        code = self.missing.reason_in_metadata(topic_id, index) or ErrorCode.NOT_LEADER_OR_FOLLOWER
        hosted = self.replicas.remove(topic_id, index, code)
        if hosted is not None:
            self._events.role_changed(hosted)
            self.isr_changes.drop(hosted.partition)
            self._cleaner.forget(hosted)
            self._settings.forget(hosted.partition.topic)
            # The metrics of a topic are those of all its partitions here, and of requests for it: they stay while it
            # exists.
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
        self._roles.directories_changed()

    # -- logs --------------------------------------------------------------------------------------------------

    def log_opened(self, hosted: Hosted) -> None:
        self._roles.lead_or_follow(hosted)
        self.moves.follow(hosted)

    def log_closed(self, hosted: Hosted) -> None:
        self._roles.log_closed(hosted)

    def log_damaged(self, hosted: Hosted) -> None:
        self._roles.maybe_begin_anew(hosted)

    def replica_lost(self, replica: PartitionId, is_lost: bool) -> None:
        self._events.replica_lost(replica, is_lost)

    def _was_cut(self, hosted: Hosted) -> None:
        self._cleaner.was_cut(hosted)
        self.moves.was_cut(hosted)

    # -- who decides about transactions ------------------------------------------------------------------------

    def set_verifies_transactions(self, call: Callable[[], bool]) -> None:
        self._appends.verifies_transactions = call

    def set_marker_written(self, call: Callable[[Partition, MarkerItem, int], None]) -> None:
        self._appends.own.marker_written = call

    # -- clients and brokers -----------------------------------------------------------------------------------

    def produce(self, items: Sequence[ProduceItem], acks: int, timeout_ms: int, done: Produced) -> None:
        self._appends.produce(items, acks=acks, timeout_ms=timeout_ms, done=done)

    def write_markers(self, items: Sequence[MarkerItem], done: Produced) -> None:
        # Markers come with names (WriteTxnMarkers has no ids). Coordinators repeat them until their partition answers.
        ids = self._image().topic_ids
        self._appends.own.write_markers([(ids.get(each.topic, b""), each) for each in items], done)

    def delete_records(self, item: DeletionItem, timeout_ms: int, done: RecordsDeleted) -> None:
        self._deletions.delete(item, timeout_ms, done)

    def find_offset(self, query: OffsetQuery, done: Callable[[OffsetResult], None]) -> None:
        self._searches.find(query, done)

    def alter_directory(self, topic: str, index: int, path: str) -> ErrorCode:
        topic_id = self._image().topic_ids.get(topic)
        hosted = None if topic_id is None else self.replicas.get(topic_id, index)
        return self.moves.alter(topic, index, hosted, path)
