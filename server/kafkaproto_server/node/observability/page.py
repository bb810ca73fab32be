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
from kafkaproto_server.config.node_config import Config
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
    CoordinationMoment,
    coordination_moment,
)
from kafkaproto_server.node.observability.coordinator_metrics import (
    coordination_work,
)
from kafkaproto_server.node.observability.data_metrics import (
    DataMetrics,
    data_metrics,
    data_work,
    quota_work,
)
from kafkaproto_server.node.observability.families import (
    gauge,
)
from kafkaproto_server.node.observability.loop_metrics import listener_work, loop_work
from kafkaproto_server.node.observability.loop_watch import LoopWatch
from kafkaproto_server.node.observability.observed import ObservedBroker
from kafkaproto_server.node.observability.quorum_metrics import quorum_work
from kafkaproto_server.node.observability.rates import Rates, counters_of
from kafkaproto_server.node.observability.replica_counts import LogLook, ReplicaCounts, count_replicas
from kafkaproto_server.node.observability.replica_metrics import (
    look_at_metadata_log,
    metadata_log_text,
    partition_text,
)
from kafkaproto_server.shell.net.http import HttpResponse
from kafkaproto_server.shell.net.listener import Listener, ListenerStatistics
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.quorum.metrics import SnapshotMetrics
from kafkaproto_server.shell.quorum.raft_channel import PeerStatistics
from kafkaproto_server.shell.serving.throttling import Throttling

LOOK_INTERVAL_S: Final = 10.0
"""Time between two readings of the counters, from which rates and averages are computed."""
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
    """Syncs of the metadata log and of all logs of topics."""
    metadata_log: LogLook
    listeners: Mapping[str, ListenerStatistics]
    wall_ms: int
    rates: Rates


class NodeMetrics:
    """The metrics of a node."""

    def __init__(
        self,
        config: Config,
        *,
        quorum: QuorumDriver,
        requests: RequestMetrics,
        listeners: Sequence[Listener],
        broker: Callable[[], ObservedBroker | None],
        throttling: Throttling,
        clock: Clock,
    ) -> None:
        """``broker`` returns the node's broker; None if there is none yet."""
        self._config = config
        self._quorum = quorum
        self._requests = requests
        self._listeners = listeners
        self._broker = broker
        self._throttling = throttling
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
                    broker = self._broker()
                    if broker is not None:
                        broker.manager.replicas.changes.flushes.rotate()
                        broker.coordination.metrics.rotate()
                    if self._quorum.controller_metrics is not None:
                        self._quorum.controller_metrics.rotate()
        finally:
            trio.lowlevel.remove_instrument(self._loop)

    async def page(self) -> HttpResponse:
        """The response to a scrape."""
        broker = self._broker()
        wall_ms = self._clock.wall_ms()
        replicas = ReplicaCounts() if broker is None else await count_replicas(broker.manager, wall_ms)
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
        return counters_of(self._quorum, raft, self._loop, self._throttling.statistics, self._broker())

    def _take_moment(self, replicas: ReplicaCounts) -> _Moment:
        quorum, published, broker = self._quorum, self._quorum.published, self._broker()
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
            broker=None if broker is None else _broker_metrics(broker),
            data=None if broker is None else data_metrics(broker.manager),
            coordination=None if broker is None else coordination_moment(broker.coordination),
            replicas=replicas,
            flushes=Histogram.sum_of(self._flushes(broker)),
            metadata_log=look_at_metadata_log(quorum.log),
            listeners={listener.config.name: listener.statistics() for listener in self._listeners},
            wall_ms=self._clock.wall_ms(),
            rates=Rates(self._window, trio.current_time(), self._counters(raft)),
        )

    def _flushes(self, broker: ObservedBroker | None) -> Iterator[Histogram]:
        yield self._quorum.metrics.flushes
        if broker is not None:
            yield broker.manager.replicas.changes.flushes

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
        rates = moment.rates
        yield from families.raft_state(moment.raft)
        yield from quorum_work(
            self._quorum.metrics, rates, flushes=moment.flushes, waiting_events=moment.waiting_events
        )
        yield from families.peers(moment.peers, {each: rates.of_peer(each) for each in moment.peers})
        yield from self._metadata(moment)
        yield from families.snapshots(moment.snapshots)
        yield from families.requests(self._requests)
        yield from listener_work(moment.listeners)
        yield from loop_work(self._loop, rates.of("loop_waited"))
        if moment.data is not None:
            yield from data_work(moment.data, moment.replicas, rates.of)
        if moment.coordination is not None:
            yield from coordination_work(moment.coordination, rates.of, rates.ratio)
        yield from quota_work(self._throttling.statistics, rates.of)
        # Start time, processor time, memory and descriptors, by Prometheus' own names; nothing if there is no /proc.
        yield from ProcessCollector(registry=None).collect()

    def _metadata(self, moment: _Moment) -> Iterator[Metric]:
        image = moment.image
        lag_ms = 0 if moment.is_active or image.offset < 0 else max(0, moment.wall_ms - image.timestamp_ms)
        ignores_static_voters = bool(self._config.controller_quorum_voters) and moment.kraft_version > 0
        if self._config.is_controller:
            yield from families.brokers_and_topics(image)
            yield from families.controller_progress(
                image,
                is_active=moment.is_active,
                high_watermark=moment.high_watermark,
                ignored_static_voters=ignores_static_voters,
                lag_ms=lag_ms,
            )
            yield from self._controller_work(moment)
        if self._config.is_broker:
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
        idle_ratio = moment.rates.ratio("idle", "idle_or_busy")
        yield from controller_work(controller, failed_brokers=moment.failed_brokers, idle_ratio=idle_ratio)
        yield from broker_contacts(moment.since_last_contacts_ms)
        yield from controller_lag(
            moment.image,
            high_watermark=moment.high_watermark,
            snapshot_end_offset=self._quorum.latest_snapshot_end_offset(),
            commits=self._quorum.metrics.commits,
        )


def _broker_metrics(broker: ObservedBroker) -> BrokerMetrics | None:
    lifecycle = broker.lifecycle
    if lifecycle is None:
        return None
    return BrokerMetrics(
        state=lifecycle.state_code,
        apply_errors=lifecycle.metadata_apply_errors,
        queued_assignments=lifecycle.queued_replica_to_dir_assignments,
        is_session_over=lifecycle.is_session_over,
    )


class _Page(Collector):
    """The families of one moment, in the form that the library expects."""

    def __init__(self, collect: Callable[[], Iterator[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterator[Metric]:
        return self._collect()

    def describe(self) -> Iterator[Metric]:
        """Nothing: the families depend on the moment."""
        return iter(())
