"""The rules of `docs/alerts.yml` on the metrics of a cluster, and a scenario in which each alert fires and ends.

A small part of Prometheus: an expression compares a metric, its sum or maximum over all nodes, or its increase since
the look before, with a number. How long a condition has to hold before Prometheus tells of it does not matter here.
"""

from __future__ import annotations

import operator
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compat.cluster import CombinedCluster, partitions
from compat.node import give_back, take_away
from compat.process import WaitedTooLongError, wait_until
from compat.quorum import connect
from kafkaproto import messages as kafka
from kafkaproto.message import Message
from kafkaproto.records.batch import NewRecord, build_batch

RULES: Final = Path(__file__).resolve().parents[1] / "docs" / "alerts.yml"
WAIT_S: Final = 90.0
_RULE: Final = re.compile(r"- alert: (\w+)\n\s+expr: (.*)\n")
_EXPRESSION: Final = re.compile(
    r"(?:(?P<function>sum|max|increase)\()?(?P<metric>\w+)(?P<labels>\{[^}]*\})?(?:\[\w+\])?\)?"
    r" (?P<comparison>[!=<>]=?) (?P<number>\d+)"
)
_LABEL: Final = re.compile(r'(\w+)="([^"]*)"')
_COMPARISONS: Final = {">": operator.gt, "<": operator.lt, "==": operator.eq, "!=": operator.ne}

Labels = tuple[tuple[str, str], ...]
Page = Mapping[tuple[str, Labels], float]
"""The metrics of a node, by name and labels."""
OVERRIDES: Final = {
    "auto.create.topics.enable": "false",
    "broker.heartbeat.interval.ms": "300",
    "broker.session.timeout.ms": "12000",
    "controller.quorum.fetch.timeout.ms": "1500",
    "controller.quorum.election.timeout.ms": "500",
    "leader.imbalance.check.interval.seconds": "3600",
    "replica.fetch.max.bytes": "20000",
    "replica.lag.time.max.ms": "1500",
    "unclean.leader.election.interval.ms": "500",
}
"""Properties of the nodes, which have to be noticed soon."""
LOG_DIRECTORIES: Final = {2: 2}
TOPIC, BROKER = 2, 4
"""Types of resources with configs."""
HANG_S: Final = 10.0
"""Longest time for which a node hangs: it is not to be fenced."""
RECORDS: Final = 20_000
"""More than an alert allows a follower to lack."""
SHRUNK: Final = ("whole", "strict", "also")
"""Topics that node 1 leads and all nodes have, whose ISRs shrink one after the other until a shrink is counted."""
COUNTED_S: Final = 30.0
"""Longest time until a shrink is counted, if it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One alert."""

    name: str
    function: str | None
    metric: str
    labels: Mapping[str, str]
    comparison: str
    number: float

    def matches(self, name: str, labels: Labels) -> bool:
        """Whether a sample is of the metric, with these labels. An empty label means that there is none."""
        found = dict(labels)
        return name == self.metric and all(
            found.get(label, "") == value for label, value in self.labels.items()
        )

    def fires(self, pages: Mapping[int, Page], before: Mapping[int, Page]) -> bool:
        """Whether the condition holds, for one series at least."""
        values = [
            value - before.get(node_id, page).get((name, labels), 0.0) * (self.function == "increase")
            for node_id, page in pages.items()
            for (name, labels), value in page.items()
            if self.matches(name, labels)
        ]
        if self.function == "sum":
            values = [sum(values)]
        return any(_COMPARISONS[self.comparison](value, self.number) for value in values)


def rules() -> list[Rule]:
    """All of the file. Raises ValueError for an expression that this module does not know."""
    found = []
    for name, expression in _RULE.findall(RULES.read_text()):
        parts = _EXPRESSION.fullmatch(expression)
        if parts is None:
            raise ValueError(f"{name}: {expression}")
        found.append(
            Rule(
                name=name,
                function=parts["function"],
                metric=parts["metric"],
                labels=dict(_LABEL.findall(parts["labels"] or "")),
                comparison=parts["comparison"],
                number=float(parts["number"]),
            )
        )
    return found


class Watch:
    """Which alerts fire on a cluster, as looks at its metrics tell."""

    def __init__(self, node_ids: Iterable[int], scrape: Callable[[int], Page | None]) -> None:
        """``scrape`` returns the metrics of a node, None while it does not answer."""
        self._node_ids = tuple(node_ids)
        self._scrape = scrape
        self._rules = rules()
        self._before: dict[int, Page] = {}
        self.fired: set[str] = set()
        """All that ever fired."""

    def look(self) -> set[str]:
        """Those that fire now."""
        pages: dict[int, Page] = {}
        for node_id in self._node_ids:
            page = self._scrape(node_id)
            pages[node_id] = {("up", ()): 0.0} if page is None else {**page, ("up", ()): 1.0}
        firing = {rule.name for rule in self._rules if rule.fires(pages, self._before)}
        self._before |= {node_id: page for node_id, page in pages.items() if len(page) > 1}
        self.fired |= firing
        return firing

    def until(self, *names: str, timeout_s: float = WAIT_S) -> None:
        """Wait until each of them has fired since now. Raises WaitedTooLongError."""
        left, fire = set(names), set[str]()

        def have_fired() -> bool:
            fire.clear()
            fire.update(self.look())
            left.difference_update(fire)
            return not left

        try:
            wait_until(have_fired, timeout_s, f"the alerts {', '.join(names)}")
        except WaitedTooLongError as error:
            missed = f"not seen: {', '.join(sorted(left))}; fire now: {', '.join(sorted(fire))}"
            raise WaitedTooLongError(f"{error}; {missed}") from None

    def until_quiet(self) -> None:
        """Wait until none fires. Raises WaitedTooLongError."""
        firing: set[str] = {"any"}

        def is_quiet() -> bool:
            firing.clear()
            firing.update(self.look())
            return not firing

        wait_until(is_quiet, WAIT_S, "all alerts to end")


class Scenario:
    """What happens to a cluster of three nodes with both roles; node 2 has two log directories."""

    def __init__(self, cluster: CombinedCluster, watch: Watch, *, counts_each_shrink: bool = True) -> None:
        """``counts_each_shrink``: whether leaders count every shrink of an ISR. Those of Apache Kafka do not count one
        whose record reaches them before the response to their AlterPartition request does.
        """
        self._cluster = cluster
        self._watch = watch
        self._shrinks = 1 if counts_each_shrink else len(SHRUNK)

    def run(self) -> None:
        """All of it. Raises WaitedTooLongError if an alert does not fire, or does not end."""
        self._create()
        self._watch.until_quiet()
        for part in (self._reassign, self._hold_up_a_follower, self._lose_a_directory, self._lose_nodes):
            part()
            self._watch.until_quiet()

    # -- parts ---------------------------------------------------------------------------------------------------

    def _create(self) -> None:
        kind = kafka.CreateTopicsRequest
        wanted: dict[str, tuple[list[int], dict[str, str]]] = {
            "whole": ([1, 2, 3], {"min.insync.replicas": "2"}),
            "strict": ([1, 2, 3], {"min.insync.replicas": "2"}),
            "also": ([1, 2, 3], {"min.insync.replicas": "2"}),
            "careful": ([3, 2], {"min.insync.replicas": "1"}),
            "moved": ([1, 3], {"min.insync.replicas": "1"}),
            "risky": ([3, 2], {"min.insync.replicas": "1", "unclean.leader.election.enable": "true"}),
        }
        topics = [
            kind.CreatableTopic(
                name=name,
                num_partitions=-1,
                replication_factor=-1,
                assignments=[kind.CreatableReplicaAssignment(partition_index=0, broker_ids=replicas)],
                configs=[kind.CreatableTopicConfig(name=key, value=value) for key, value in configs.items()],
            )
            for name, (replicas, configs) in wanted.items()
        ]
        created = self._ask(1, kind(topics=topics, timeout_ms=30_000))
        assert isinstance(created, kafka.CreateTopicsResponse)
        assert {each.error_code for each in created.topics} == {0}, created

    def _reassign(self) -> None:
        """A throttled reassignment, whose new replica lags."""
        for _ in range(RECORDS // 1000):
            # A replica that has all below the high watermark is in sync, and what is in sync is not throttled.
            assert self._produce(1, "moved", *([b"v" * 20] * 1000)) == 0
        self._configure(TOPIC, "moved", {"leader.replication.throttled.replicas": "*"})
        self._configure(BROKER, "1", {"leader.replication.throttled.rate": "1"})
        self._move("moved", [1, 3, 2])
        self._watch.until("KafkaReassignmentRuns", "KafkaFollowerLag")
        self._configure(BROKER, "1", {"leader.replication.throttled.rate": None})
        self._configure(TOPIC, "moved", {"leader.replication.throttled.replicas": None})

    def _hold_up_a_follower(self) -> None:
        """A node that hangs for longer than a follower may lag, and is alive again before it would be fenced."""
        left = list(SHRUNK)
        for tries_left in reversed(range(self._shrinks)):
            self._shrink(left.pop(0))
            try:
                self._watch.until("KafkaIsrShrinks", timeout_s=COUNTED_S)
                break
            except WaitedTooLongError:
                if not tries_left:
                    raise
        # All clusters have the same records in the end.
        for topic in left:
            assert self._produce(1, topic, b"v", acks=1) == 0

    def _shrink(self, topic: str) -> None:
        node_id = next(each for each in (3, 2) if each != self._cluster.quorum.leader().node_id)
        with self._cluster.brokers[node_id].paused():
            # Without a record that it lacks, it does not lag.
            assert self._produce(1, topic, b"v", acks=1) == 0
            wait_until(lambda: node_id not in self._isr(topic), HANG_S, "a smaller ISR")

    def _lose_a_directory(self) -> None:
        node = self._cluster.brokers[2]
        directory = node.data_directories[1]
        take_away(directory)
        self._watch.until(
            "KafkaOfflineLogDirectory", "KafkaOfflineReplicas", "KafkaUnderReplicatedPartitions"
        )
        node.stop()
        give_back(directory)
        node.start()
        self._elect()

    def _lose_nodes(self) -> None:
        """Node 3 dies, then node 2; node 3 comes back without what node 2 has acknowledged meanwhile, then node 2."""
        one, two, three = (self._cluster.brokers[each] for each in (1, 2, 3))
        three.kill()
        self._watch.until(
            "KafkaNodeDown",
            "KafkaBrokerFenced",
            "KafkaUnderReplicatedPartitions",
            "KafkaAtMinIsrPartitions",
            "KafkaPreferredReplicaImbalance",
        )
        self._configure(TOPIC, "strict", {"min.insync.replicas": "3"})
        self._watch.until("KafkaUnderMinIsrPartitions")
        assert self._produce(1, "strict", b"v") != 0
        self._watch.until("KafkaFailedProduceRequests")
        for topic in ("risky", "careful"):
            assert self._produce(2, topic, b"v") == 0
        two.kill()
        self._watch.until("KafkaNoActiveController")
        three.start()
        self._watch.until("KafkaOfflinePartitions", "KafkaUncleanLeaderElection")
        two.start()
        self._configure(TOPIC, "strict", {"min.insync.replicas": "2"})
        self._elect()
        one.assert_running()

    # -- requests ------------------------------------------------------------------------------------------------

    def _ask(self, node_id: int, request: Message) -> Message:
        with connect(self._cluster.brokers[node_id].bootstrap_server, timeout_ms=60_000) as client:
            return client.send(request)

    def _isr(self, topic: str) -> list[int]:
        return partitions(self._cluster.brokers[1].bootstrap_server, [topic])[topic, 0].isr_nodes

    def _produce(self, node_id: int, topic: str, *values: bytes, acks: int = -1) -> int:
        described = self._ask(
            node_id, kafka.MetadataRequest(topics=[kafka.MetadataRequest.Topic(name=topic)])
        )
        assert isinstance(described, kafka.MetadataResponse)
        records = build_batch(
            [NewRecord(None, value) for value in values],
            base_offset=0,
            timestamp_ms=int(time.time() * 1000),
        )
        kind = kafka.ProduceRequest
        response = self._ask(
            node_id,
            kind(
                acks=acks,
                timeout_ms=10_000,
                topic_data=[
                    kind.TopicProduceData(
                        topic_id=described.topics[0].topic_id,
                        partition_data=[kind.PartitionProduceData(index=0, records=records)],
                    )
                ],
            ),
        )
        assert isinstance(response, kafka.ProduceResponse)
        return response.responses[0].partition_responses[0].error_code

    def _configure(self, resource_type: int, name: str, configs: Mapping[str, str | None]) -> None:
        kind = kafka.IncrementalAlterConfigsRequest
        resource = kind.AlterConfigsResource(
            resource_type=resource_type,
            resource_name=name,
            configs=[
                kind.AlterableConfig(name=key, config_operation=int(value is None), value=value)
                for key, value in configs.items()
            ],
        )
        self._until_done(lambda: self._ask(1, kind(resources=[resource])).responses[0].error_code)  # type: ignore[attr-defined]

    def _move(self, topic: str, replicas: list[int]) -> None:
        kind = kafka.AlterPartitionReassignmentsRequest
        partition = kind.ReassignablePartition(partition_index=0, replicas=replicas)
        request = kind(topics=[kind.ReassignableTopic(name=topic, partitions=[partition])], timeout_ms=30_000)
        response = self._ask(1, request)
        assert isinstance(response, kafka.AlterPartitionReassignmentsResponse)
        assert response.error_code == response.responses[0].partitions[0].error_code == 0

    def _elect(self) -> None:
        """Have all preferred replicas lead, once they can."""

        def codes() -> int:
            response = self._ask(
                1, kafka.ElectLeadersRequest(election_type=0, topic_partitions=None, timeout_ms=10_000)
            )
            assert isinstance(response, kafka.ElectLeadersResponse)
            found = {
                each.error_code
                for topic in response.replica_election_results
                for each in topic.partition_result
            }
            # 84: it leads already.
            return response.error_code or max(found - {84}, default=0)

        self._until_done(codes)

    def _until_done(self, ask: Callable[[], int]) -> None:
        def is_done() -> bool:
            try:
                return ask() == 0
            except OSError:
                return False

        wait_until(is_done, WAIT_S, "the cluster to take a request")
