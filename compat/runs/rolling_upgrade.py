"""A whole cluster of Apache Kafka becomes ours, node by node, under load, and its features go up then.

Three nodes with both roles, all of them voters. Each is stopped and started again as ours on the same directory. Once
two are ours, one of them becomes Apache Kafka's again for a while, and has to read what ours wrote. `steady_load` says
what is written meanwhile, and what must be there at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from compat.agreement import check_agreement
from compat.cluster import CombinedCluster, wait_until_whole
from compat.kafka.jvm import SMALL_HEAP
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import NodeClass, connect, describe_quorum
from compat.runs.disks import check_no_faults, taken_over
from compat.runs.steady_load import COPIED, KEPT, PARTITIONS, SteadyLoad
from compat.runs.telling import Tell

RELEASES = ("3.9.1", "4.0.0", "4.1.1", "4.2.0", "4.3.1", "4.4.0")
"""Of each line from 3.9 on, one that Maven has whole."""
NEWEST_LEVELS = (
    "metadata.version=33",
    "eligible.leader.replicas.version=1",
    "group.version=1",
    "share.version=2",
    "streams.version=1",
    "transaction.version=2",
)
"""The features of the newest metadata.version: kafka-features may be of a release that does not know its name."""
WAIT_S = 120.0
MAX_LAG = 100
"""Records by which a voter that keeps up may be behind at the moment of looking."""
PROPERTIES = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "min.insync.replicas": "2",
    "offsets.topic.num.partitions": "3",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.num.partitions": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
}


@dataclass(slots=True, kw_only=True)
class RollingUpgradeResult:
    """What happened in a run."""

    replaced: list[str] = field(default_factory=list)
    """Each as the node, and what it is since."""
    records: int = 0
    """Acknowledged with acks=all, and there, once and in order."""
    transactions: int = 0
    aborted: int = 0
    longest_gap_s: float = 0.0
    """Between two acknowledgements."""


class RollingUpgrade:
    """The cluster, and what is done to its nodes."""

    def __init__(self, folder: Path, *, release: str, tell: Tell) -> None:
        """Nothing runs yet."""
        self._notify = tell
        self._folder = folder
        self.release = release
        self.stock: NodeClass = partial(StockNode, jvm_options=SMALL_HEAP, release=release)
        self.cluster = CombinedCluster(self.stock, folder, overrides=PROPERTIES)
        self.result = RollingUpgradeResult()

    @property
    def nodes(self) -> dict[int, Node]:
        """All nodes by id."""
        return self.cluster.brokers

    def start(self) -> None:
        """Format and start everything, and create the topics."""
        self.cluster.format()
        self.cluster.start()
        for name in (KEPT, COPIED):
            self.cluster.create_topic(name, PARTITIONS)
        self._wait_until_whole()
        self._notify(f"three nodes of Apache Kafka {self.release}, both topics there")

    def replace(self, node: Node, node_class: NodeClass, name: str, load: SteadyLoad) -> None:
        """A node is stopped and started as another class of node; `name` says which."""
        node.stop()
        successor = taken_over(node, node_class)
        self.nodes[node.node_id] = successor
        successor.start()
        self._wait_until_whole()
        wait_until(
            lambda: self._is_followed_by(node.node_id), WAIT_S, f"node {node.node_id} to follow the quorum"
        )
        load.wait_for_more()
        self.result.replaced.append(f"node {node.node_id} is {name}")
        self._notify(
            f"node {node.node_id} is {name} now; {load.records} records, {load.committed_transactions} transactions,"
            f" longest gap {load.longest_gap_s:.2f} s"
        )

    def raise_features(self) -> None:
        """All features to those of the newest metadata.version. Raises ToolFailedError."""
        options = [word for level in NEWEST_LEVELS for word in ("--feature", level)]
        at = ("--bootstrap-server", self.cluster.servers)
        run_tool("kafka-features", *at, "upgrade", *options).output()
        self._notify(f"features: {', '.join(NEWEST_LEVELS)}")

    def check_end(self, load: SteadyLoad) -> RollingUpgradeResult:
        """End everything; what was acknowledged must be there, all metadata logs the same, and no node in trouble."""
        load.check()
        self._wait_until_whole()
        codes = [node.stop() for node in self.nodes.values()]
        check_agreement([node.metadata_log_directory for node in self.nodes.values()])
        check_no_faults(self._folder)
        result = self.result
        result.records, result.transactions = load.records, load.committed_transactions
        result.aborted, result.longest_gap_s = load.aborted_transactions, load.longest_gap_s
        self._notify(
            f"{result.records} records acknowledged, {result.transactions} transactions committed and {result.aborted}"
            f" aborted: all there, once and in order; longest gap {result.longest_gap_s:.2f} s; exit codes {codes}"
        )
        return result

    def leader_last(self) -> Sequence[Node]:
        """All nodes, the quorum's leader last."""
        leader = self.cluster.quorum.leader()
        return sorted(self.nodes.values(), key=lambda node: node is leader)

    def _wait_until_whole(self) -> None:
        wait_until_whole(self.nodes.values(), {KEPT: PARTITIONS, COPIED: PARTITIONS})

    def _is_followed_by(self, node_id: int) -> bool:
        try:
            with connect(self.cluster.quorum.leader().bootstrap_controller) as client:
                voters = {each.replica_id: each for each in describe_quorum(client).current_voters}
        except (OSError, LookupError):
            return False
        end = max(each.log_end_offset for each in voters.values())
        return node_id in voters and voters[node_id].log_end_offset >= end - MAX_LAG


def run(folder: Path, *, release: str, tell: Tell, with_return: bool = True) -> RollingUpgradeResult:
    """A cluster of `release` becomes ours; with a return, one node is Apache Kafka's again for a while.

    Raises SteadyLoadError, NodeFaultError, ReplicasDifferError, ToolFailedError or WaitedTooLongError.
    """
    with ExitStack() as stack:
        upgrade = RollingUpgrade(folder, release=release, tell=tell)
        stack.callback(upgrade.cluster.close)
        upgrade.start()
        load = stack.enter_context(SteadyLoad(upgrade.cluster.servers, folder / "copying"))
        load.wait_for_more()
        first, second, third = upgrade.leader_last()
        upgrade.replace(first, OurNode, "ours", load)
        upgrade.replace(second, OurNode, "ours", load)
        if with_return:
            upgrade.replace(upgrade.nodes[first.node_id], upgrade.stock, f"of {release} again", load)
            upgrade.replace(upgrade.nodes[first.node_id], OurNode, "ours", load)
        upgrade.replace(third, OurNode, "ours", load)
        upgrade.raise_features()
        load.wait_for_more()
        return upgrade.check_end(load)
