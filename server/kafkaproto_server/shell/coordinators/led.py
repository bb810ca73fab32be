"""The partitions of an internal topic that this broker leads, each with its coordinator.

A coordinator begins when this broker leads its partition, in each leader epoch anew: it reads the partition, and serves
requests once it has read all. It ends with the leader epoch.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.coordinator_places import partition_of
from kafkaproto_server.shell.replicas.coordinators.coordinator_loading import LoadedRecord, Loading
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from kafkaproto_server.shell.replicas.files.hosted import Hosted

_log = logging.getLogger("kafkaproto.server.coordinators")


class Shard(Protocol):
    """The coordinator of one partition."""

    def replay(self, key: Message, value: Message | None, offset: int, producer_id: int) -> None:
        """Take a record over, while the partition is read. Raises RecordError if that cannot be."""

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """A marker at an offset has ended a producer's transaction."""

    def loaded(self) -> Sequence[str]:
        """Everything is read: requests are served from now on. Returns what made no sense, and was mended."""

    def unload(self) -> None:
        """Another broker coordinates now, or this one in a later epoch."""


class LedCounts(NamedTuple):
    """How many of these partitions are in each state."""

    loading: int
    active: int
    failed: int
    """Led, but without a coordinator: they could not be loaded."""


ShardT = TypeVar("ShardT", bound=Shard)


class _Led(Generic[ShardT]):
    """A partition that this broker leads."""

    def __init__(self, epoch: int, shard: ShardT, log: PartitionLog) -> None:
        self.epoch = epoch
        self.shard = shard
        self.log = log
        self.loading: Loading | None = None


class LedPartitions(Generic[ShardT]):
    def __init__(
        self,
        topic: str,
        names: Mapping[int, str],
        *,
        image: Callable[[], ClusterImage],
        make_log: Callable[[Hosted], PartitionLog],
        make_shard: Callable[[PartitionLog, int], ShardT],
        load: Callable[..., Loading],
        load_times: Histogram,
        waits_for_commit: bool = False,
    ) -> None:
        """``names`` are the types of the topic's records. ``make_shard`` gets the log and the leader epoch. ``load``
        makes a `Loading`, which gets ``waits_for_commit``. ``load_times`` gets how long each partition took."""
        self._topic = topic
        self._names = names
        self._image = image
        self._make_log = make_log
        self._make_shard = make_shard
        self._make_loading = load
        self._waits_for_commit = waits_for_commit
        self._load_times = load_times
        self._led: dict[int, _Led[ShardT]] = {}
        self._failed: set[int] = set()

    def role_changed(self, hosted: Hosted) -> None:
        """A replica of the topic leads, follows, or is no more."""
        partition = hosted.partition
        led = self._led.get(partition.index)
        leads = partition.role is Role.LEADER
        if led is not None and (not leads or led.epoch != partition.leader_epoch):
            self._unload(partition.index)
            led = None
        if not leads:
            self._failed.discard(partition.index)
        elif led is None:
            self._begin(hosted)

    def _begin(self, hosted: Hosted) -> None:
        partition = hosted.partition
        log = self._make_log(hosted)
        shard = self._make_shard(log, partition.leader_epoch)
        led = self._led[partition.index] = _Led(partition.leader_epoch, shard, log)
        led.loading = self._make_loading(
            hosted,
            self._names,
            take=partial(self._take, shard),
            done=partial(self._loaded, partition.index, led),
            waits_for_commit=self._waits_for_commit,
        )
        self._failed.discard(partition.index)
        led.loading.begin()

    @staticmethod
    def _take(shard: ShardT, record: LoadedRecord) -> None:
        if record.key is None:
            shard.marker(record.producer_id, record.is_commit, record.offset)
        else:
            shard.replay(record.key, record.value, record.offset, record.producer_id)

    def _loaded(self, index: int, led: _Led[ShardT], error: Exception | None) -> None:
        assert led.loading is not None, "it was loaded until now"
        took_ms, led.loading = led.loading.elapsed_ms, None
        if error is not None:
            # What it coordinates has no coordinator until another broker leads, or this one anew.
            _log.error("%s-%d cannot be loaded: %s", self._topic, index, error)
            self._unload(index)
            self._failed.add(index)
        else:
            self._load_times.add(took_ms / 1000)
            for problem in led.shard.loaded():
                _log.warning("%s-%d: %s", self._topic, index, problem)

    def _unload(self, index: int) -> None:
        led = self._led.pop(index, None)
        if led is not None:
            if led.loading is not None:
                led.loading.is_over = True
            led.shard.unload()
            led.log.close()

    def marker_written(self, index: int, producer_id: int, is_commit: bool, offset: int) -> None:
        """A marker was given an offset in a partition. One that is being loaded reads it."""
        led = self._led.get(index)
        if led is not None and led.loading is None:
            led.shard.marker(producer_id, is_commit, offset)

    def of(self, key: str) -> ShardT:
        """The coordinator for a group, a transactional id or the name of a share partition.

        Raises CoordinatorError unless it is on this broker, and loaded.
        """
        topic = self._image().topic_by_name(self._topic)
        led = None if topic is None else self._led.get(partition_of(key, len(topic.partitions)))
        if led is None:
            raise CoordinatorError(ErrorCode.NOT_COORDINATOR)
        if led.loading is not None:
            raise CoordinatorError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        return led.shard

    @property
    def counts(self) -> LedCounts:
        """How many of them there are."""
        loading = sum(each.loading is not None for each in self._led.values())
        return LedCounts(loading, len(self._led) - loading, len(self._failed))

    @property
    def is_any(self) -> bool:
        """Whether this broker leads any of them."""
        return bool(self._led)

    def all(self) -> Iterator[ShardT]:
        """The coordinators of all partitions. Raises CoordinatorError while one of them is being loaded."""
        if self.counts.loading:
            raise CoordinatorError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        return self.loaded()

    def loaded(self) -> Iterator[ShardT]:
        return (shard for _, shard in self.loaded_by_partition())

    def loaded_by_partition(self) -> Iterator[tuple[int, ShardT]]:
        """The same, with the partition of each."""
        return ((index, led.shard) for index, led in tuple(self._led.items()) if led.loading is None)
