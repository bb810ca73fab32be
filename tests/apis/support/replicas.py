"""The replicas of one broker on a disk in memory. They are the real ones; only threads, fetchers and time are not."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import trio

from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.broker.assignments import AssignmentQueue
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.broker.replica_directories import ReplicaDirectories
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.requests.data import MarkerItem
from kafkaproto_server.shell.coordinators.broker_requests import OtherBrokers
from kafkaproto_server.shell.coordinators.dead_letter_channels import DeadLetterChannels
from kafkaproto_server.shell.coordinators.groups.groups import GroupCoordinators
from kafkaproto_server.shell.coordinators.groups.latest_offsets import LatestOffsetFinder
from kafkaproto_server.shell.coordinators.groups.settings import current_group_configs
from kafkaproto_server.shell.coordinators.share_state.services import ShareServices
from kafkaproto_server.shell.coordinators.surroundings import NodeSurroundings
from kafkaproto_server.shell.coordinators.transactions.transaction_services import TransactionServices
from kafkaproto_server.shell.process.io_workers import IoWorkers, Work
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.survey import survey_directory, without_moved
from kafkaproto_server.shell.replicas.followers.fetcher_values import FetcherCounts
from kafkaproto_server.shell.replicas.followers.isr_sender import IsrSender
from kafkaproto_server.shell.replicas.local_node import (
    BrokerNetwork,
    CurrentMetadata,
    LocalBroker,
    LocalMachine,
)
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager
from kafkaproto_server.shell.replicas.requests.host_lane import fail
from kafkaproto_server.shell.share_partitions.service import share_service
from kafkaproto_server.shell.to_controller.channel import ControllerChannel
from tests.core.controller.support.harness import TIMESTAMP_MS, SeededRng
from tests.node.support.other_brokers import no_connection, other_brokers
from tests.sim.disk import MemoryDisk, MemoryFile

PATH = "/logs"
FIRST_PRODUCER_ID = 5000
COMMIT_TIMEOUT_MS = 5_000


class HandClock:
    """Stands still unless a test moves it."""

    def __init__(self) -> None:
        self.now = 1000

    def now_ms(self) -> int:
        return self.now

    def wall_ms(self) -> int:
        return TIMESTAMP_MS + self.now


class _Lane:
    """Does each job when it is put, unless jobs are held back."""

    def __init__(self, workers: ImmediateWorkers, work: Work[Any]) -> None:
        self._workers = workers
        self._work = work
        self._waiting: deque[Any] = deque()

    def put(self, job: Any) -> None:
        self._waiting.append(job)
        self.run()

    def run(self) -> None:
        while self._waiting and not self._workers.are_held:
            self._work(self._waiting, lambda function, *arguments: function(*arguments))

    @property
    def has_jobs(self) -> bool:
        return bool(self._waiting)

    def do_one(self) -> None:
        self._work(deque([self._waiting.popleft()]), lambda function, *arguments: function(*arguments))


class ImmediateWorkers:
    """``shell.process.threads.Workers`` without threads."""

    def __init__(self) -> None:
        self._lanes: list[_Lane] = []
        self.are_held = False

    @property
    def call_here(self) -> Callable[[Callable[[], Any]], Any] | None:
        """As `IoWorkers`, unless jobs are held back."""
        return None if self.are_held else IoWorkers.call_here

    def lane(self, work: Work[Any]) -> _Lane:
        self._lanes.append(_Lane(self, work))
        return self._lanes[-1]

    def hold(self) -> None:
        """Do no job until `release`, as if the disk were slow."""
        self.are_held = True

    def release(self) -> None:
        """Do what was held back."""
        self.are_held = False
        for lane in self._lanes:
            lane.run()

    def do_one(self, choose: Callable[[int], int]) -> bool:
        """Do the next job of one of the lanes. Returns whether there was any."""
        busy = [lane for lane in self._lanes if lane.has_jobs]
        if busy:
            busy[choose(len(busy))].do_one()
        return bool(busy)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        raise AssertionError("there are no threads to run")


class _NoFetchers:
    """In place of the tasks that copy from other leaders."""

    def follow(self, hosted: Hosted) -> None:
        """Copy nothing."""

    def unfollow(self, key: tuple[bytes, int]) -> None:
        """Nothing is copied."""

    def lag_of(self, key: tuple[bytes, int]) -> None:
        """Nobody copies it."""

    def counts(self) -> list[FetcherCounts]:
        """There is none."""
        return []


class ProducerIds:
    """One after the other, without a controller."""

    def __init__(self) -> None:
        self._ids = count(FIRST_PRODUCER_ID)

    def next(self, take: Callable[[int | None], None]) -> None:
        take(next(self._ids))


class BrokerReplicas:
    """The replicas that a broker has by the metadata that ``image`` returns. Implements `ReplicaEvents`."""

    def read_in_thread(self, done: Callable[[str], None]) -> None:
        """Something that reads of what is not in memory have a thread do; ``done`` is told "read"."""

        def steps() -> Steps[str]:
            yield from ()
            return "read"

        self.manager._readers.put("a-host", steps(), done, fail, is_over=lambda: False)

    def __init__(
        self,
        broker_id: int,
        image: Callable[[], ClusterImage],
        *,
        directory_ids: Mapping[str, bytes] | None = None,
        static_config: dict[str, str] | None = None,
        disk: MemoryDisk | None = None,
        is_clean: bool = True,
    ) -> None:
        """``directory_ids`` has the directories by their paths. ``disk`` is that of an earlier start, which ended in
        order if ``is_clean``."""
        self.clock = HandClock()
        self.workers = ImmediateWorkers()
        self.metrics = CoordinatorMetrics()
        self.disk = disk or MemoryDisk()
        self.is_session_over = False
        self._image = image
        directory_ids = directory_ids or {PATH: b"d" * 16}
        for path in directory_ids:
            self.disk.make_directory(path)
        self.log_directories = directories = LogDirectories(
            [LogDirectory(path=path, directory_id=each) for path, each in directory_ids.items()]
        )
        surveys = {
            each: survey_directory(self.disk, path, each, is_clean=is_clean)
            for path, each in directory_ids.items()
        }
        configs = NodeConfigs(static=static_config or {})
        channel = ControllerChannel(
            client_id="test", locate=lambda: None, news=trio.Event, rng=SeededRng(), connect=no_connection
        )
        self.manager = ReplicaManager(
            broker=LocalBroker(broker_id, lambda: None, lambda: self.is_session_over),
            machine=LocalMachine(self.disk, self.clock, SeededRng(), self.workers),
            network=BrokerNetwork(no_connection, "PLAINTEXT"),
            metadata=CurrentMetadata(image, lambda: configs),
            directories=directories,
            surveys=without_moved(surveys),
            isr_changes=IsrSender(broker_id, channel, lambda: None, self.clock),
            events=self,
        )
        self._producer_ids = ProducerIds()
        others = other_brokers(
            broker_id, endpoint=self.manager.brokers.endpoint, timeout_ms=COMMIT_TIMEOUT_MS
        )
        self._make_services(others, configs, channel)
        self.groups = self._group_coordinators(others, configs)
        # Fetchers are tasks, and no event loop runs here.
        self.manager._roles.fetchers = _NoFetchers()  # type: ignore[assignment]
        self.assignments = AssignmentQueue(broker_id)
        on_disk = [found for survey in surveys.values() for found in survey.found]
        emptied = [each for each, survey in surveys.items() if survey.is_emptied]
        self._directories = ReplicaDirectories(
            broker_id, directories, self.assignments, on_disk, self.manager, emptied=emptied
        )
        if disk is None:
            # A new broker looks at the metadata before it is given any replica.
            self._take(ClusterImage())

    def _make_services(self, others: OtherBrokers, configs: NodeConfigs, channel: ControllerChannel) -> None:
        self.transactions = TransactionServices(
            others,
            manager=self.manager,
            image=self._image,
            configs=lambda: configs,
            new_producer_id=self._producer_ids.next,
            metrics=self.metrics,
            clock=self.clock,
        )
        self.share = ShareServices(
            others,
            manager=self.manager,
            image=self._image,
            configs=lambda: configs,
            create_topic=lambda name: None,
            metrics=self.metrics,
            clock=self.clock,
        )
        self.dead_letter_channels = DeadLetterChannels(
            others,
            channel=channel,
            produce=lambda items, acks, timeout_ms, done: self.manager.produce(
                items, acks=acks, timeout_ms=timeout_ms, done=done
            ),
            call_later=lambda delay_ms, call: self.manager.call_at(self.clock.now_ms() + delay_ms, call),
        )
        self.share_partitions = share_service(
            self.manager,
            self._image,
            lambda: configs,
            self.clock,
            SeededRng(),
            self.share.persister,
            self.dead_letter_channels,
            self.metrics.share_partitions,
        )

    def _group_coordinators(self, others: OtherBrokers, configs: NodeConfigs) -> GroupCoordinators:
        manager = self.manager
        groups = GroupCoordinators(
            image=self._image,
            configs=current_group_configs(lambda: configs),
            surroundings=NodeSurroundings(
                self.clock, SeededRng(), manager.call_at, manager.for_coordinators.compute
            ),
            make_log=lambda hosted: manager.for_coordinators.log(
                hosted, lambda: COMMIT_TIMEOUT_MS, self.metrics.group_commits
            ),
            load=manager.for_coordinators.load,
            persister=self.share.persister,
            metrics=self.metrics,
            latest_offsets=LatestOffsetFinder(
                others,
                image=self._image,
                find_offset=manager.find_offset,
                call_later=lambda delay_ms, call: manager.call_at(self.clock.now_ms() + delay_ms, call),
            ).find,
        )
        manager.set_marker_written(self._marker_written)
        return groups

    def role_changed(self, hosted: Hosted) -> None:
        if hosted.partition.topic == GROUPS_TOPIC:
            self.groups.led.role_changed(hosted)
        elif hosted.partition.topic == TRANSACTIONS_TOPIC:
            self.transactions.coordinators.led.role_changed(hosted)
        elif hosted.partition.topic == SHARE_TOPIC:
            self.share.coordinators.led.role_changed(hosted)

    def _marker_written(self, partition: Partition, item: MarkerItem, offset: int) -> None:
        if partition.topic == GROUPS_TOPIC:
            self.groups.led.marker_written(partition.index, item.producer_id, not item.is_abort, offset)

    @property
    def ports(self) -> dict[str, Any]:
        """What handlers reach of them."""
        return {
            "replicas": self.manager,
            "fetches": self.manager.fetches,
            "questions": self.manager.questions,
            "producer_ids": self._producer_ids,
        }

    def share_sessions(self) -> tuple[tuple[str, int], ...]:
        """The epochs of share sessions, by member."""
        return tuple((each.key.member_id, each.epoch) for each in self.share_partitions.sessions)

    def call_due(self) -> None:
        """Do what is to be done a moment later."""
        self.manager._timers.call_due()

    def follow(self) -> None:
        """Take over the newest metadata."""
        self._take(self._image())

    def _take(self, image: ClusterImage) -> None:
        self._directories.apply(image)
        while self._directories.look():
            pass

    def report_failures(self) -> None:
        """Do what a task of the manager does with directories that failed."""
        waiting = self.manager.directory_failures.waiting
        failures = waiting.copy()
        waiting.clear()
        for path, problem in failures:
            self.directory_failed(path, problem)

    def directory_failed(self, path: str, problem: str) -> None:
        if self.log_directories.fail(path, problem):
            self.manager.directories_changed()

    def replica_lost(self, replica: tuple[bytes, int], is_lost: bool) -> None:
        if is_lost:
            self._directories.lost(replica)
        else:
            self._directories.found(replica)

    def stop(self) -> None:
        """Close all logs in order."""
        self.manager.replicas.clean_stop.begin(lambda: None)

    def pass_time(self, milliseconds: int) -> None:
        """Let time pass, and what waits for its end hear of it."""
        self.clock.now += milliseconds
        self.manager._timers.call_due()

    def partition(self, topic: str, index: int) -> Partition:
        """The replica of a partition of this broker."""
        hosted = self.manager.replicas.get(self._image().topic_ids[topic], index)
        assert hosted is not None, f"no replica of {topic}-{index}"
        return hosted.partition

    @property
    def written(self) -> int:
        """How many records all logs have, but for those of groups, whose sessions end when time passes."""
        return self._written(is_of_groups=False)

    @property
    def written_of_groups(self) -> int:
        """How many records the logs of groups have."""
        return self._written(is_of_groups=True)

    def _written(self, *, is_of_groups: bool) -> int:
        return sum(
            hosted.partition.log_end_offset
            for hosted in self.manager.replicas
            if (hosted.partition.topic == GROUPS_TOPIC) is is_of_groups
        )


def cold(file: MemoryFile, position: int, length: int) -> bytes:
    """In place of `MemoryFile.read_now`: nothing is in the page cache."""
    raise BlockingIOError
