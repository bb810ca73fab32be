"""A whole synthetic history: how often each thing happens, from the first leader's first record to the last record."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from kafkaproto import uuids
from kafkaproto.messages import (
    BeginTransactionRecord,
    ConfigRecord,
    EndTransactionRecord,
    FeatureLevelRecord,
    NoOpRecord,
)
from kafkaproto_pipeline.synthetic.brokers import BrokerLives
from kafkaproto_pipeline.synthetic.cluster import MIN_IN_SYNC, SyntheticCluster
from kafkaproto_pipeline.synthetic.files import MAX_LAG_BATCHES, SyntheticReplica
from kafkaproto_pipeline.synthetic.log import METADATA_VERSION, HistoryLog
from kafkaproto_pipeline.synthetic.quorum import QuorumLife, voters_record
from kafkaproto_pipeline.synthetic.settings import SettingChanges
from kafkaproto_pipeline.synthetic.topics import TopicLives
from kafkaproto_pipeline.synthetic.world import World
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE, METADATA_VERSION_FEATURE
from kafkaproto_server.metadata.image.image import ClusterImage

START_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z."""
HOUR_MS = 3_600_000
MS_PER_RECORD = 250
SHORTEST_HOURS = 6.0
RECORDS_PER_PARTITION = 100
"""A history has about as many records for each partition that the cluster has at a time, up to a limit."""
FEWEST_PARTITIONS = 20
MOST_PARTITIONS = 20_000
DIRECTORIES = 3
SNAPSHOTS = 8
BYTES_PER_RECORD = 95
"""Of a batch, its header's share included."""
NO_OP_AFTER_GAPS = 2.0
"""A gap this many times as long as the mean gets a NoOpRecord, as a controller writes when nothing else comes."""
FEATURES = {
    METADATA_VERSION_FEATURE: METADATA_VERSION,
    "eligible.leader.replicas.version": 1,
    "group.version": 1,
    "share.version": 1,
    "streams.version": 1,
    "transaction.version": 2,
}
RESTART_SHARE = 0.6
"""Share of the records that restarts and crashes of brokers make, however many partitions a broker has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryOptions:
    """What history to make. The same options make the same bytes."""

    seed: int = 1
    records: int = 100_000
    """At least so many, and no more than the last thing that happens adds."""
    controllers: int = 3
    replicas: int = 1
    """How many of the controllers' logs are written, ids from 1 on."""
    brokers: int = 9
    racks: int = 3
    directories: int = DIRECTORIES
    """Log directories of each broker."""
    partitions: int | None = None
    """About how many the cluster has at a time; None for a number that suits the number of records."""
    hours: float | None = None
    """How long the history is; None for what suits the number of records."""
    segment_bytes: int = 1 << 30
    snapshot_bytes: int | None = None
    """A snapshot is written after so many bytes of log; 0 for none, None for what gives about eight."""

    def __post_init__(self) -> None:
        """Raises ValueError naming the option, its value and what is allowed."""
        limits = {
            "records": (1, 1 << 40),
            "controllers": (1, 9),
            "replicas": (1, self.controllers),
            "brokers": (3, 1000),
            "racks": (0, 100),
            "directories": (1, 100),
            "segment_bytes": (1 << 16, (1 << 31) - 1),
        }
        if self.snapshot_bytes is not None:
            limits["snapshot_bytes"] = (0, 1 << 40)
        if self.partitions is not None:
            limits["partitions"] = (1, 1_000_000)
        for name, (lowest, highest) in limits.items():
            value = getattr(self, name)
            if not lowest <= value <= highest:
                raise ValueError(f"{name} is {value}, allowed are {lowest} to {highest}")
        if self.hours is not None and not 0 < self.hours <= 1_000_000:
            raise ValueError(f"hours is {self.hours}, allowed is more than 0, up to 1000000")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    nodes: tuple[Path, ...]
    """The data directory of each node, in order of their ids."""
    cluster_id: str
    records: int
    batches: int
    bytes: int
    """Of one replica's batches."""
    high_watermark: int | None
    """Below it a majority of the voters has everything; None if the logs of fewer voters were written."""
    image: ClusterImage
    """The cluster's metadata at the end of the log."""


def generate(
    directory: Path, options: HistoryOptions, progress: Callable[[int], None] = lambda records: None
) -> Made:
    """Write a history into ``directory``/node-1, node-2, ...; raises FileExistsError if there is one already.

    ``progress`` is called with the number of records now and then.
    """
    return _History(directory, options).run(progress)


class _History:
    def __init__(self, directory: Path, options: HistoryOptions) -> None:
        self._options = options
        rng = Random(options.seed)
        self._rng = rng
        self._cluster_id = uuids.to_text(rng.randbytes(16))
        self._directory_ids = {node_id: rng.randbytes(16) for node_id in range(1, options.controllers + 1)}
        self._nodes = tuple(directory / f"node-{number}" for number in range(1, options.replicas + 1))
        self._replicas = [
            SyntheticReplica(
                node,
                cluster_id=self._cluster_id,
                node_id=node_id,
                directory_id=self._directory_ids[node_id],
                segment_bytes=options.segment_bytes,
            )
            for node_id, node in enumerate(self._nodes, 1)
        ]
        voters = voters_record(self._directory_ids)
        self._log = HistoryLog(self._replicas, START_MS, voters)
        self._cluster = SyntheticCluster()
        self._world = World(rng=rng, cluster=self._cluster, log=self._log)
        self._quorum = QuorumLife(self._world, self._directory_ids, voters)
        self._brokers = BrokerLives(self._world)
        wanted = options.partitions or max(
            FEWEST_PARTITIONS, min(MOST_PARTITIONS, options.records // RECORDS_PER_PARTITION)
        )
        self._topics = TopicLives(self._world, wanted)
        self._settings = SettingChanges(self._world, self._topics)
        hours = options.hours or max(SHORTEST_HOURS, options.records * MS_PER_RECORD / HOUR_MS)
        self._end_ms = START_MS + int(hours * HOUR_MS)
        self._snapshot_bytes = (
            options.records * BYTES_PER_RECORD // SNAPSHOTS
            if options.snapshot_bytes is None
            else options.snapshot_bytes
        )
        self._snapshot_size = 0

    def run(self, progress: Callable[[int], None]) -> Made:
        self._begin()
        things, weights = self._what_happens()
        cumulative = list(itertools.accumulate(weights))
        happened = 0
        begin_records = self._log.record_count
        while self._log.record_count < self._options.records:
            gap_ms = self._gap_ms(begin_records, happened)
            self._wait(gap_ms)
            self._rng.choices(things, cum_weights=cumulative)[0]()
            happened += 1
            self._maybe_snapshot()
            if happened % 1000 == 0:
                progress(self._log.record_count)
        progress(self._log.record_count)
        return self._finish()

    def _begin(self) -> None:
        self._quorum.begin()
        features = [FeatureLevelRecord(name=name, feature_level=level) for name, level in FEATURES.items()]
        self._cluster.features.update(FEATURES)
        in_sync = {"min.insync.replicas": str(MIN_IN_SYNC)}
        self._cluster.configs[BROKER_RESOURCE, ""] = dict(in_sync)
        configs = [
            ConfigRecord(resource_type=BROKER_RESOURCE, resource_name="", name=key, value=value)
            for key, value in in_sync.items()
        ]
        begin = BeginTransactionRecord(name="Bootstrap records")
        self._log.append([begin, *features, *configs, EndTransactionRecord()])
        self._quorum.register_all()
        self._brokers.start_all(self._options.brokers, self._options.racks, self._options.directories)
        self._topics.fill()

    def _what_happens(self) -> tuple[list[Callable[[], None]], list[float]]:
        """Things, and how often each happens relative to the others."""
        hosted = max(1, max(map(len, self._cluster.hosted.values())))
        # A restart makes about two changes of each partition of the broker, and each other thing three records.
        restarts = 100 * 3 * RESTART_SHARE / (2 * hosted)
        things: dict[Callable[[], None], float] = {
            self._brokers.fall_behind: 45,
            self._brokers.prefer: min(1.0, 3 * restarts),
            self._brokers.restart: restarts * 0.5,
            self._brokers.crash: restarts * 0.2,
            self._brokers.flap: restarts * 0.03,
            self._brokers.lose_directory: restarts * 0.1,
            self._topics.create: 3,
            self._topics.create_batch: 0.15,
            self._topics.create_in_transaction: 0.05,
            lambda: self._topics.abort_transaction(self._quorum.elect): 0.05,
            self._topics.grow: 1,
            self._topics.move: 2,
            self._topics.delete: 2,
            self._settings.configure: 8,
            self._settings.alter_acls: 4,
            self._settings.alter_quotas: 2,
            self._settings.alter_credentials: 2,
            self._settings.alter_tokens: 2,
            self._settings.hand_out_producer_ids: 10,
            self._settings.change_feature: 0.02,
            self._quorum.elect: 0.05,
            self._quorum.restart_leader: 0.05,
        }
        return list(things), list(things.values())

    def _gap_ms(self, begin_records: int, happened: int) -> float:
        """The mean time until something else happens that lets time and records end together."""
        made = self._log.record_count - begin_records
        records_each = made / happened if happened else 3.0
        left = max(1.0, (self._options.records - self._log.record_count) / max(1.0, records_each))
        return max(1.0, (self._end_ms - self._log.now_ms) / left)

    def _wait(self, mean_ms: float) -> None:
        """Let time pass, and what is due happen."""
        log = self._log
        gap_ms = self._rng.expovariate(1 / mean_ms)
        until_ms = log.now_ms + int(gap_ms)
        is_quiet = gap_ms > NO_OP_AFTER_GAPS * mean_ms
        while self._world.run_next_until(until_ms):
            self._maybe_snapshot()
            if log.record_count >= self._options.records:
                return
        if is_quiet:
            log.append([NoOpRecord()])

    def _maybe_snapshot(self) -> None:
        size = self._snapshot_bytes
        if size and self._log.size - self._snapshot_size >= size:
            self._snapshot_size = self._log.size
            self._log.snapshot(self._cluster.image())

    def _finish(self) -> Made:
        leader_first = sorted(self._replicas, key=lambda replica: replica.node_id != self._quorum.leader_id)
        for rank, replica in enumerate(leader_first):
            replica.finish(
                # The leader's log is the longest; each one after it ends a few batches earlier.
                lag_batches=min(rank * rank, MAX_LAG_BATCHES, self._log.batch_count),
                leader_id=self._quorum.leader_id,
                leader_directory_id=self._directory_ids[self._quorum.leader_id],
                epoch=self._log.epoch,
            )
        ends = sorted((replica.end_offset for replica in self._replicas), reverse=True)
        majority = self._options.controllers // 2 + 1
        last = self._log.next_offset - 1
        return Made(
            nodes=self._nodes,
            cluster_id=self._cluster_id,
            records=self._log.record_count,
            batches=self._log.batch_count,
            bytes=self._log.size,
            high_watermark=ends[majority - 1] if len(ends) >= majority else None,
            image=self._cluster.image().at(last, self._log.epoch, self._log.now_ms),
        )
