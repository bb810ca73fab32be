"""``/metrics`` of a node: Prometheus text, made for each request.

All counters are plain numbers elsewhere; nothing there waits for a scrape. What only the event loop may read is copied
in the loop, in some hundred microseconds; a thread makes the text. This module is imported only if ``http.listener`` is
set: importing the Prometheus library slows a node's start, which is not worth it if nobody reads the metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import trio
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.metrics.window import Window
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.raft.values.statistics import RaftStatistics
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.node.observability import families
from kafkaproto_server.node.observability.controller_metrics import (
    BrokerMetrics,
    broker_contacts,
    broker_work,
    controller_lag,
    controller_work,
)
from kafkaproto_server.node.observability.coordination import (
    Coordination,
    CoordinationMoment,
    coordination_moment,
)
from kafkaproto_server.node.observability.coordinator_metrics import (
    coordination_counters,
    coordination_work,
)
from kafkaproto_server.node.observability.data_metrics import (
    DataMetrics,
    data_metrics,
    data_work,
    quota_counters,
    quota_work,
)
from kafkaproto_server.node.observability.families import (
    RAFT,
    PeerRates,
    counters,
    gauge,
    gauges,
    histogram,
    summary,
)
from kafkaproto_server.node.observability.loop_watch import STALL_BOUNDS_MS, LoopWatch
from kafkaproto_server.node.observability.replica_counts import LogLook, ReplicaCounts, count_replicas
from kafkaproto_server.node.observability.replica_metrics import (
    fetcher_counters,
    look_at_metadata_log,
    metadata_log_text,
    partition_text,
)
from kafkaproto_server.shell.broker.lifecycle_manager import BrokerLifecycleManager
from kafkaproto_server.shell.net.http import HttpResponse
from kafkaproto_server.shell.net.listener import Listener, ListenerStatistics
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.quorum.metrics import QuorumMetrics, SnapshotMetrics
from kafkaproto_server.shell.quorum.raft_channel import PeerStatistics
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager
from kafkaproto_server.shell.serving.throttling import Throttling

LOOK_INTERVAL_S: Final = 10.0
"""Time between two readings of the counters, from which rates and averages are computed."""
IDLE_THREADS: Final = (
    "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent",
    "kafka_network_socketserver_networkprocessoravgidlepercent",
    "kafka_network_socketserver_networkprocessoravgidle_percent",
)
"""The share of their time, 0 to 1, that Kafka's threads wait. Boards have two spellings of the second one."""
WINDOW_LOOKS: Final = 6
"""The number of readings that rates and averages cover: a minute."""
ROTATE_LOOKS: Final = 6
"""After this many readings, the histograms begin a new half of their windows: quantiles cover one to two minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """The values that only the event loop may read, as of one moment."""

    raft: RaftStatistics
    peers: Mapping[int, PeerStatistics]
    image: ClusterImage
    leader_id: int
    is_active: bool
    high_watermark: int
    kraft_version: int
    waiting_events: int
    snapshots: SnapshotMetrics
    failed_brokers: int
    since_last_contacts_ms: Mapping[int, int]
    """By broker; empty if the controller is not the active one."""
    broker: BrokerMetrics | None
    data: DataMetrics | None
    coordination: CoordinationMoment | None
    replicas: ReplicaCounts
    flushes: Histogram
    """Syncs of all logs."""
    metadata_log: LogLook
    listeners: Mapping[str, ListenerStatistics]
    wall_ms: int
    at_s: float
    counters: Mapping[str, float]


class NodeMetrics:
    """The metrics of a node."""

    def __init__(
        self,
        *,
        quorum: QuorumDriver,
        requests: RequestMetrics,
        listeners: Sequence[Listener],
        is_controller: bool,
        is_broker: bool,
        has_static_voters: bool,
        broker: Callable[[], BrokerLifecycleManager | None],
        manager: Callable[[], ReplicaManager | None],
        coordination: Callable[[], Coordination | None],
        throttling: Throttling,
        clock: Clock,
    ) -> None:
        """``broker`` returns the node's broker, ``manager`` its replicas and ``coordination`` its coordinators, None if
        there are none yet."""
        self._manager = manager
        self._coordination = coordination
        self._throttling = throttling
        self._quorum = quorum
        self._requests = requests
        self._listeners = listeners
        self._is_controller = is_controller
        self._is_broker = is_broker
        self._has_static_voters = has_static_voters
        self._broker = broker
        self._clock = clock
        self._loop = LoopWatch()
        self._window = Window(WINDOW_LOOKS)
        self._look()
        self._one_at_a_time = trio.CapacityLimiter(1)

    async def run(self) -> None:
        """Watch the event loop, and read the counters periodically, until cancelled."""
        trio.lowlevel.add_instrument(self._loop)
        try:
            looks = 0
            while True:
                await trio.sleep(LOOK_INTERVAL_S)
                self._look()
                looks += 1
                if looks % ROTATE_LOOKS == 0:
                    self._loop.rotate()
                    self._requests.rotate()
                    self._throttling.rotate()
                    self._quorum.metrics.rotate()
                    manager = self._manager()
                    if manager is not None:
                        manager.replicas.changes.flushes.rotate()
                    coordination = self._coordination()
                    if coordination is not None:
                        coordination.metrics.rotate()
                    if self._quorum.controller_metrics is not None:
                        self._quorum.controller_metrics.rotate()
        finally:
            trio.lowlevel.remove_instrument(self._loop)

    async def page(self) -> HttpResponse:
        """The response to a scrape."""
        manager = self._manager()
        wall_ms = self._clock.wall_ms()
        replicas = ReplicaCounts() if manager is None else await count_replicas(manager, wall_ms)
        # One thread for all scrapes: several at once would compete with the loop for the
        # interpreter lock.
        text = await trio.to_thread.run_sync(
            partial(self._text, self._take_moment(replicas)), limiter=self._one_at_a_time
        )
        return HttpResponse(status=200, body=text, content_type=CONTENT_TYPE_PLAIN_0_0_4)

    # -- in the event loop ---------------------------------------------------------------------------------------

    def _look(self) -> None:
        self._window.look(trio.current_time(), self._counters(self._quorum.statistics()))

    def _counters(self, raft: RaftStatistics) -> Mapping[str, float]:
        """The counters from which rates and averages are computed."""
        quorum = self._quorum.metrics
        counted: dict[str, float] = {
            "appended": quorum.appended_records,
            "fetched": quorum.fetched_records,
            "commits": quorum.commits.count,
            "commit_ms": quorum.commits.sum_ms,
            "elections": raft.election_latency_count,
            "election_ms": raft.election_latency_sum_ms,
            "idle": quorum.idle_ms,
            "idle_or_busy": quorum.idle_ms + quorum.busy_ms,
            "loop_waited": self._loop.waited_s,
        }
        counted.update(quota_counters(self._throttling.statistics))
        manager, coordination = self._manager(), self._coordination()
        if manager is not None:
            counted.update(fetcher_counters(manager))
        if coordination is not None:
            counted.update(coordination_counters(coordination.metrics))
        for node_id, peer in self._quorum.peer_statistics().items():
            counted[f"requests to {node_id}"] = sum(peer.requests.values())
            counted[f"bytes to {node_id}"] = peer.sent_bytes
            counted[f"bytes from {node_id}"] = peer.received_bytes
        return counted

    def _take_moment(self, replicas: ReplicaCounts) -> _Moment:
        quorum, published = self._quorum, self._quorum.published
        manager, coordination = self._manager(), self._coordination()
        raft = quorum.statistics()
        return _Moment(
            raft=raft,
            # A copy: the loop adds and removes nodes while the thread makes the text.
            peers=dict(quorum.peer_statistics()),
            image=published.image,
            leader_id=published.leader.leader_id,
            is_active=published.active_epoch is not None,
            high_watermark=published.high_watermark,
            kraft_version=quorum.kraft_version,
            waiting_events=quorum.waiting_events,
            snapshots=quorum.snapshot_metrics(),
            failed_brokers=quorum.failed_brokers,
            since_last_contacts_ms=quorum.since_last_contacts_ms,
            broker=self._broker_metrics(),
            data=None if manager is None else data_metrics(manager),
            coordination=None if coordination is None else coordination_moment(coordination),
            replicas=replicas,
            flushes=Histogram.sum_of(self._flushes()),
            metadata_log=look_at_metadata_log(quorum.log),
            listeners={listener.config.name: listener.statistics() for listener in self._listeners},
            wall_ms=self._clock.wall_ms(),
            at_s=trio.current_time(),
            counters=self._counters(raft),
        )

    def _flushes(self) -> Iterator[Histogram]:
        yield self._quorum.metrics.flushes
        manager = self._manager()
        if manager is not None:
            yield manager.replicas.changes.flushes

    def _broker_metrics(self) -> BrokerMetrics | None:
        broker = self._broker()
        if broker is None:
            return None
        return BrokerMetrics(
            state=broker.state_code,
            apply_errors=broker.metadata_apply_errors,
            queued_assignments=broker.queued_replica_to_dir_assignments,
            is_session_over=broker.is_session_over,
        )

    # -- in a thread ---------------------------------------------------------------------------------------------

    def _text(self, moment: _Moment) -> str:
        registry = CollectorRegistry()
        registry.register(_Page(partial(self._families, moment)))
        text: bytes = generate_latest(registry)
        if moment.data is None:
            lines = metadata_log_text(moment.metadata_log)
        else:
            lines = partition_text(moment.replicas.replicas, moment.metadata_log)
        return "".join((text.decode(), *lines))

    def _families(self, moment: _Moment) -> Iterator[Metric]:
        yield from families.raft_state(moment.raft)
        yield from self._quorum_work(moment)
        yield from families.peers(
            moment.peers, {node_id: self._peer_rates(moment, node_id) for node_id in moment.peers}
        )
        yield from self._metadata(moment)
        yield from families.snapshots(moment.snapshots)
        yield from families.requests(self._requests)
        yield from self._rooms(moment)
        if moment.data is not None:
            yield from data_work(moment.data, moment.replicas, lambda name: self._rate(moment, name))
        if moment.coordination is not None:
            yield from coordination_work(
                moment.coordination,
                lambda name: self._rate(moment, name),
                lambda part, whole: self._window.ratio(part, whole, moment.counters),
            )
        yield from quota_work(self._throttling.statistics, lambda name: self._rate(moment, name))
        # Start time, processor time, memory and descriptors, by Prometheus' own names; nothing if there is no /proc.
        yield from ProcessCollector(registry=None).collect()

    def _metadata(self, moment: _Moment) -> Iterator[Metric]:
        image = moment.image
        lag_ms = 0 if moment.is_active or image.offset < 0 else max(0, moment.wall_ms - image.timestamp_ms)
        ignores_static_voters = self._has_static_voters and moment.kraft_version > 0
        if self._is_controller:
            yield from families.brokers_and_topics(image)
            yield from families.controller_progress(
                image,
                is_active=moment.is_active,
                high_watermark=moment.high_watermark,
                ignored_static_voters=ignores_static_voters,
                lag_ms=lag_ms,
            )
            yield from self._controller_work(moment)
        if self._is_broker:
            yield from families.broker_progress(image, lag_ms)
            yield from broker_work(image, moment.broker, high_watermark=moment.high_watermark)
            yield gauge(
                f"{families.BROKER}_ignored_static_voters",
                "1 if controller.quorum.voters is set, but the voters are those in the log.",
                int(ignores_static_voters),
            )
        yield from families.loader(image, leader_id=moment.leader_id, kraft_version=moment.kraft_version)

    def _controller_work(self, moment: _Moment) -> Iterator[Metric]:
        controller = self._quorum.controller_metrics
        assert controller is not None, "a controller counts what it does"
        idle_ratio = self._window.ratio("idle", "idle_or_busy", moment.counters)
        yield from controller_work(controller, failed_brokers=moment.failed_brokers, idle_ratio=idle_ratio)
        yield from broker_contacts(moment.since_last_contacts_ms)
        yield from controller_lag(
            moment.image,
            high_watermark=moment.high_watermark,
            snapshot_end_offset=self._quorum.latest_snapshot_end_offset(),
            commits=self._quorum.metrics.commits,
        )

    def _quorum_work(self, moment: _Moment) -> Iterator[Metric]:
        quorum: QuorumMetrics = self._quorum.metrics
        window, now = self._window, moment.counters
        yield gauge(
            f"{RAFT}_election_latency_avg",
            "Election of this node, ms.",
            window.ratio("election_ms", "elections", now),
        )
        yield gauge(
            f"{RAFT}_commit_latency_avg",
            "From append to commit, ms.",
            window.ratio("commit_ms", "commits", now),
        )
        yield gauge(f"{RAFT}_commit_latency_max", "From append to commit, ms.", quorum.commits.max_ms)
        yield summary(f"{RAFT}_commit_latency", "From append to commit, ms.", [({}, quorum.commits)])
        yield counters(
            f"{RAFT}_append_records", "Records appended as leader.", [({}, quorum.appended_records)]
        )
        yield gauge(
            f"{RAFT}_append_records_rate",
            "Records appended as leader a second.",
            self._rate(moment, "appended"),
        )
        yield counters(f"{RAFT}_fetch_records", "Records fetched.", [({}, quorum.fetched_records)])
        yield gauge(f"{RAFT}_fetch_records_rate", "Records fetched a second.", self._rate(moment, "fetched"))
        yield gauge(
            f"{RAFT}_poll_idle_ratio_avg",
            "Share of its time that the quorum's task waits.",
            window.ratio("idle", "idle_or_busy", now),
        )
        yield summary(
            "kafka_log_logflushstats_logflushrateandtimems",
            "Syncs of logs.",
            [({}, moment.flushes)],
        )
        yield summary(
            "kafkaproto_raft_persist_time_ms",
            "From append until it is durable here; a sync may have to end first.",
            [({}, quorum.persists)],
        )
        yield gauge(
            "kafka_network_requestchannel_requestqueuesize",
            "What waits for the quorum's task.",
            moment.waiting_events,
        )

    def _rooms(self, moment: _Moment) -> Iterator[Metric]:
        """The metrics of the listeners and the event loop."""
        listeners = sorted(moment.listeners.items())
        yield gauges(
            "kafka_server_socket_server_metrics_connection_count",
            "Open connections.",
            [({"listener": name}, each.open_connections) for name, each in listeners],
        )
        yield counters(
            "kafka_server_socket_server_metrics_connection_creation",
            "Connections accepted.",
            [({"listener": name}, each.accepted_connections) for name, each in listeners],
        )
        loop = self._loop
        yield histogram(
            "kafkaproto_event_loop_stall_ms",
            "How long the event loop was busy at a time.",
            STALL_BOUNDS_MS,
            loop.stalls,
            loop.stalled_s * 1000,
        )
        yield histogram(
            "kafkaproto_event_loop_cpu_ms",
            "Processor time that the event loop's thread took at a time.",
            STALL_BOUNDS_MS,
            loop.cpu_passes,
            loop.cpu_s * 1000,
        )
        yield gauge(
            "kafkaproto_event_loop_stall_ms_max", "The longest of the last minute or two.", loop.longest_ms
        )
        idle = self._rate(moment, "loop_waited")
        yield gauge("kafkaproto_event_loop_idle_ratio", "Share of its time that the event loop waits.", idle)
        for name in IDLE_THREADS:
            yield gauge(name, "The same: the event loop does the work of these threads of Kafka.", idle)

    def _peer_rates(self, moment: _Moment, node_id: int) -> PeerRates:
        return PeerRates(
            requests=self._rate(moment, f"requests to {node_id}"),
            sent_bytes=self._rate(moment, f"bytes to {node_id}"),
            received_bytes=self._rate(moment, f"bytes from {node_id}"),
        )

    def _rate(self, moment: _Moment, name: str) -> float:
        return self._window.rate(name, moment.at_s, moment.counters)


class _Page(Collector):
    """The families of one moment, in the form that the library expects."""

    def __init__(self, collect: Callable[[], Iterator[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterator[Metric]:
        return self._collect()

    def describe(self) -> Iterator[Metric]:
        """Nothing: the families depend on the moment."""
        return iter(())
