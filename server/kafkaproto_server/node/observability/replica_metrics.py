"""Metrics of a broker's replicas: what its partitions lack, its log directories, what it copies, fetch sessions.

There is a series for each partition and name, so that a broker with ten thousand partitions has a hundred thousand.
These are written as text here: the objects of the Prometheus library would take seconds.

Apache Kafka: ``ReplicaManager``, ``Partition``, ``UnifiedLog``, ``LogManager``, ``AbstractFetcherManager``,
``FetchSessionCache``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from prometheus_client.core import Metric

from kafkaproto_server.base.types import METADATA_TOPIC
from kafkaproto_server.core.broker.directories import LogDirectory
from kafkaproto_server.core.replicas.isr_changes import IsrCounts
from kafkaproto_server.node.observability.families import counter, counters, gauge, gauges
from kafkaproto_server.node.observability.replica_counts import LogLook, ReplicaCounts, ReplicaLook
from kafkaproto_server.shell.replicas.followers.fetcher_values import FetcherCounts
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager
from kafkaproto_server.shell.storage.log.log import Log

REPLICAS = "kafka_server_replicamanager"
PARTITION = "kafka_cluster_partition"
LOG = "kafka_log_log"
LOGS = "kafka_log_logmanager"
FETCHER_LAG = "kafka_server_fetcherlagmetrics_consumerlag"
FETCH_SESSIONS = "kafka_server_fetchsessioncache"
_COPIES = "kafka_server_replicaalterlogdirsmanager"
_FETCHERS = "kafka_server_replicafetchermanager"
_FETCHER = "kafka_server_fetcherstats"

_OF_PARTITIONS: tuple[tuple[str, str, Callable[[ReplicaLook], int]], ...] = (
    (
        "underreplicated",
        "1 if replicas are missing in the ISR; told by the leader.",
        lambda each: each.leader.is_under_replicated,
    ),
    (
        "underminisr",
        "1 if the ISR is too small for acks=all; told by the leader.",
        lambda each: each.leader.is_under_min_isr,
    ),
    (
        "atminisr",
        "1 if the ISR is just large enough for acks=all; told by the leader.",
        lambda each: each.leader.is_at_min_isr,
    ),
    ("insyncreplicascount", "Members of the ISR; told by the leader.", lambda each: each.leader.in_sync),
    ("replicascount", "Replicas; told by the leader.", lambda each: each.leader.replicas),
    (
        "laststableoffsetlag",
        "Records from the last stable offset to the high watermark.",
        lambda each: each.last_stable_offset_lag,
    ),
)

_OF_LOGS: tuple[tuple[str, str, Callable[[LogLook], int]], ...] = (
    ("size", "Bytes of all segments.", lambda each: each.size),
    ("logendoffset", "Offset behind the last record.", lambda each: each.log_end_offset),
    ("logstartoffset", "Offset of the first record that can be read.", lambda each: each.log_start_offset),
    ("numlogsegments", "Segments.", lambda each: each.segments),
    (
        "retentionsizeinpercent",
        "Size as percents of retention.bytes; 0 without one.",
        lambda each: each.retention_percent,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaMoment:
    """The values that only the event loop may read, as of one moment."""

    isr: IsrCounts
    directories: Sequence[LogDirectory]
    fetchers: Sequence[FetcherCounts]
    failed_logs: int
    """Logs that failed in directories that work."""
    copy_lag: int
    """The most bytes that a copy in another directory of this broker lacks."""
    sessions: int
    session_partitions: int
    session_evictions: int


def replica_moment(manager: ReplicaManager) -> ReplicaMoment:
    """The values of this moment; for the event loop."""
    cache = manager.fetches.sessions.cache
    return ReplicaMoment(
        isr=replace(manager.isr_changes.counts),
        directories=manager.directories.all,
        fetchers=manager.fetchers.counts(),
        failed_logs=len(manager.replicas.failed_logs),
        copy_lag=max((each.offset_lag for each in manager.moves.copies()), default=0),
        sessions=len(cache),
        session_partitions=cache.partitions,
        session_evictions=cache.evictions,
    )


def fetcher_counters(manager: ReplicaManager) -> Iterator[tuple[str, float]]:
    """The counters from which the rates of fetchers are computed, by name."""
    for each in manager.fetchers.counts():
        yield each.name, each.requests


def replica_work(
    moment: ReplicaMoment, counts: ReplicaCounts, rate: Callable[[str], float]
) -> Iterator[Metric]:
    """All but the series of partitions. ``rate`` is that of a counter of `fetcher_counters`, in a second."""
    for name, text, value in (
        ("partitioncount", "Replicas of this broker.", counts.partitions),
        ("leadercount", "Partitions that this broker leads.", counts.leaders),
        ("offlinereplicacount", "Replicas whose log cannot be used.", counts.offline),
        (
            "underreplicatedpartitions",
            "Partitions led here that replicas are missing in the ISR of.",
            counts.under_replicated,
        ),
        (
            "underminisrpartitioncount",
            "Partitions led here whose ISR is too small for acks=all.",
            counts.under_min_isr,
        ),
        (
            "atminisrpartitioncount",
            "Partitions led here whose ISR is just large enough for acks=all.",
            counts.at_min_isr,
        ),
        ("reassigningpartitions", "Partitions led here that are reassigned.", counts.reassigning),
    ):
        yield gauge(f"{REPLICAS}_{name}", text, value)
    yield counter(f"{REPLICAS}_isrexpands", "ISRs that grew, of partitions led here.", moment.isr.expands)
    yield counter(f"{REPLICAS}_isrshrinks", "ISRs that shrank, of partitions led here.", moment.isr.shrinks)
    yield counter(
        f"{REPLICAS}_failedisrupdates", "Changes of ISRs that the controller refused.", moment.isr.failures
    )
    yield from _directories(moment.directories)
    yield from _fetchers(moment, counts, rate)
    yield gauge(f"{FETCH_SESSIONS}_numincrementalfetchsessions", "Fetch sessions.", moment.sessions)
    yield gauge(
        f"{FETCH_SESSIONS}_numincrementalfetchpartitionscached",
        "Partitions of all fetch sessions.",
        moment.session_partitions,
    )
    yield counter(
        f"{FETCH_SESSIONS}_incrementalfetchsessionevictions",
        "Fetch sessions that made room for others.",
        moment.session_evictions,
    )


def _directories(directories: Sequence[LogDirectory]) -> Iterator[Metric]:
    offline = [({"logDirectory": each.path}, int(each.problem is not None)) for each in directories]
    cordoned = [({"logDirectory": each.path}, int(each.is_cordoned)) for each in directories]
    yield gauge(
        f"{LOGS}_offlinelogdirectorycount", "Log directories that failed.", sum(one for _, one in offline)
    )
    yield gauges(f"{LOGS}_logdirectoryoffline", "1 if a log directory failed.", offline)
    yield gauge(
        f"{LOGS}_cordonedlogdirectorycount",
        "Log directories that take no new replicas.",
        sum(one for _, one in cordoned),
    )
    yield gauges(f"{LOGS}_logdirectorycordoned", "1 if a log directory takes no new replicas.", cordoned)


def _fetchers(moment: ReplicaMoment, counts: ReplicaCounts, rate: Callable[[str], float]) -> Iterator[Metric]:
    replica, copy = {"clientId": "Replica"}, {"clientId": "ReplicaAlterLogDirs"}
    slowest = min((rate(each.name) for each in moment.fetchers), default=0.0)
    yield gauge(
        f"{_FETCHERS}_maxlag", "The most records that a follower here lacks.", counts.max_lag, replica
    )
    yield gauge(f"{_FETCHERS}_minfetchrate", "Requests a second of the slowest fetcher.", slowest, replica)
    yield gauge(
        f"{_FETCHERS}_failedpartitionscount",
        "Logs that failed, and are not copied, in directories that work.",
        moment.failed_logs,
        replica,
    )
    # A task that fails ends the node.
    yield gauge(f"{_FETCHERS}_deadthreadcount", "Always 0.", 0, replica)
    yield gauge(
        f"{_COPIES}_maxlag",
        "The most bytes that a replica lacks in its new directory.",
        moment.copy_lag,
        copy,
    )
    yield gauge(f"{_COPIES}_deadthreadcount", "Always 0.", 0, copy)
    known = [
        (
            each,
            {
                "clientId": each.name,
                "brokerHost": each.endpoint.host,
                "brokerPort": str(each.endpoint.port),
            },
        )
        for each in moment.fetchers
        if each.endpoint is not None
    ]
    yield counters(
        f"{_FETCHER}_requests",
        "Fetch requests to a leader.",
        [(labels, each.requests) for each, labels in known],
    )
    yield counters(
        f"{_FETCHER}_bytes",
        "Bytes of records from a leader.",
        [(labels, each.bytes) for each, labels in known],
    )


def look_at_metadata_log(log: Log) -> LogLook:
    """The metadata log, which has a retention of its own."""
    segments = log.segments
    return LogLook(
        size=sum(each.size for each in segments),
        segments=len(segments),
        log_start_offset=log.log_start_offset,
        log_end_offset=log.log_end_offset,
        retention_percent=0,
    )


def metadata_log_text(log: LogLook) -> Iterator[str]:
    """The lines of the metadata log on a node that is no broker."""
    yield from _log_text([(_labels(METADATA_TOPIC, 0), log)])


def partition_text(looks: Sequence[ReplicaLook], metadata_log: LogLook) -> Iterator[str]:
    """The lines of all partitions, and of the metadata log."""
    labels = [_labels(each.topic, each.index) for each in looks]
    for name, text, value in _OF_PARTITIONS:
        yield from _heading(f"{PARTITION}_{name}", text)
        for each, label in zip(looks, labels, strict=True):
            yield f"{PARTITION}_{name}{label} {value(each):d}.0\n"
    logs = [(label, each.log) for each, label in zip(looks, labels, strict=True)]
    yield from _log_text([(_labels(METADATA_TOPIC, 0), metadata_log), *logs])
    yield from _heading(FETCHER_LAG, "Records of the leader that a follower lacks.")
    for each in looks:
        if each.fetcher:
            # The names of fetchers and topics need no escapes.
            label = f'{{clientId="{each.fetcher}",partition="{each.index}",topic="{each.topic}"}}'
            yield f"{FETCHER_LAG}{label} {each.lag}.0\n"


def _log_text(logs: Sequence[tuple[str, LogLook]]) -> Iterator[str]:
    for name, text, value in _OF_LOGS:
        yield from _heading(f"{LOG}_{name}", text)
        for label, log in logs:
            yield f"{LOG}_{name}{label} {value(log)}.0\n"


def _labels(topic: str, index: int) -> str:
    return f'{{partition="{index}",topic="{topic}"}}'


def _heading(name: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}\n", f"# TYPE {name} gauge\n"
