"""A quorum of both implementations: each leads and is killed, voters come and go, nodes catch up by snapshots.

All the while quotas are written; what was acknowledged has to be there at the end, in replicas that agree.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from compat.agreement import check_agreement, first_offset
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode, run_our_tool
from compat.process import wait_until
from compat.quorum import NodeClass, Quorum, connect, describe_quorum
from compat.quota_load import QuotaLoad
from compat.runs.telling import Tell

IMPLEMENTATIONS: Mapping[str, NodeClass] = {"stock": StockNode, "ours": OurNode}
WAIT_S = 90.0
FETCH_TIMEOUT_S = 2.0
"""Kafka's default of controller.quorum.fetch.timeout.ms."""
MAX_ROUNDS = 24
"""Leaders that resign or hang until the one that is wanted follows; on a busy machine others may come between."""
SMALL_LOG = {
    "metadata.log.max.record.bytes.between.snapshots": "4000",
    "metadata.log.segment.ms": "2000",
    "metadata.max.retention.bytes": "8000",
}
"""A log of which soon nothing is left but its snapshot and its end."""


class MixedRunError(Exception):
    """A run did not come to what it has to come to."""


@dataclass(slots=True, kw_only=True)
class MixedRunResult:
    """What happened in a run."""

    killed_while_leading: dict[str, int] = field(default_factory=lambda: {"stock": 0, "ours": 0})
    stopped_while_leading: dict[str, int] = field(default_factory=lambda: {"stock": 0, "ours": 0})
    caught_up_by_snapshot: list[str] = field(default_factory=list)
    """Make of the node, and of the leader that it fetched from."""
    voters_changed: list[str] = field(default_factory=list)
    """Which tool did what while which make led."""
    longest_gap_s: float = 0.0
    """Between two acknowledged writes."""
    writes: int = 0
    records: int = 0
    """That each replica holds in the end, at most."""


class MixedQuorum:
    """Voters, of which some may be stock and some ours, and what can be done to them."""

    def __init__(self, quorum: Quorum, tell: Tell) -> None:
        """Takes a quorum of which nothing runs yet."""
        self._notify = tell
        self.quorum = quorum
        self.outcome = MixedRunResult()

    def start(self, *options: str) -> None:
        """Formats each node by its own implementation's tool, with these options, and starts all."""
        self.quorum.format(*options)
        self.quorum.start()
        leader = self.leader()
        self._notify(f"{self._kinds()}: node {leader.node_id} ({leader.kind}) leads")

    @property
    def servers(self) -> list[str]:
        """HOST:PORT of every node."""
        return [node.bootstrap_controller for node in self.quorum.nodes.values()]

    def leader(self) -> Node:
        """Who leads now."""
        return self.quorum.leader(WAIT_S)

    def end_leaders(self, load: QuotaLoad, times_each: int) -> None:
        """Each implementation leads and is killed so often, and hands leadership over on SIGTERM. Raises MixedRunError.

        Who follows a killed leader is hardly a matter of chance: a stock node grants no pre-vote until its fetch
        timeout is over, and asks for votes itself at that moment. Who follows one that resigns is: it names the others
        in order.
        """
        killed, stopped = self.outcome.killed_while_leading, self.outcome.stopped_while_leading
        for kind in IMPLEMENTATIONS:
            for _ in range(times_each):
                self.have_lead(load, kind)
                self._end_leader(load, "kill -9", Node.kill, killed)
        for kind in IMPLEMENTATIONS:
            while stopped[kind] < times_each:
                self.have_lead(load, kind)
                self._end_leader(load, "SIGTERM", Node.stop, stopped)

    def have_lead(self, load: QuotaLoad, kind: str) -> Node:
        """A node of this implementation that leads; others hang or resign for it. Raises MixedRunError.

        Of three voters the one that is not wanted hangs before, and so lacks what it would need to be elected.
        """
        for _ in range(MAX_ROUNDS):
            leader = self.leader()
            if leader.kind == kind:
                return leader
            followers = [node for node in self.quorum.nodes.values() if node is not leader]
            unwanted = [node for node in followers if node.kind != kind]
            if len(followers) == 2 and len(unwanted) == 1:
                self._have_follow(load, leader, *unwanted)
            else:
                self._end_leader(load, "SIGTERM", Node.stop, self.outcome.stopped_while_leading)
        raise MixedRunError(f"{MAX_ROUNDS} leaders resigned, and no node of implementation {kind!r} followed")

    def have_node_lead(self, load: QuotaLoad, node: Node) -> None:
        """This one of three voters leads. Raises MixedRunError."""
        for _ in range(MAX_ROUNDS):
            leader = self.leader()
            if leader is node:
                return
            (unwanted,) = (each for each in self.quorum.nodes.values() if each not in (leader, node))
            self._have_follow(load, leader, unwanted)
        raise MixedRunError(f"{MAX_ROUNDS} leaders hung, and node {node.node_id} did not follow")

    def _have_follow(self, load: QuotaLoad, leader: Node, unwanted: Node) -> None:
        """The leader hangs once the follower that is not wanted has hung for some records."""
        with ExitStack() as stack:
            with unwanted.paused():
                load.wait_for_more(20)
                for node in self.quorum.nodes.values():
                    if node is not unwanted:
                        self.wait_until_followed(node)
                stack.enter_context(leader.paused())
                # It misses the leader by then, and so gives its vote at once.
                time.sleep(FETCH_TIMEOUT_S)
            successor = self.quorum.leader(WAIT_S, besides=leader)
        self._notify(
            f"SIGSTOP of node {leader.node_id} ({leader.kind}), which led, after one of node {unwanted.node_id}"
            f" ({unwanted.kind}): node {successor.node_id} ({successor.kind}) leads"
        )
        self.wait_until_followed(leader)
        self.wait_until_followed(unwanted)

    def _end_leader(
        self, load: QuotaLoad, how: str, end: Callable[[Node], object], counts: dict[str, int]
    ) -> None:
        load.wait_for_more(20)
        leader = self.leader()
        load.take_gap_s()
        end(leader)
        counts[leader.kind] += 1
        successor = self.leader()
        load.wait_for_more(20)
        gap_s = load.take_gap_s()
        self.outcome.longest_gap_s = max(self.outcome.longest_gap_s, gap_s)
        self._notify(
            f"{how} of node {leader.node_id} ({leader.kind}), which led: node {successor.node_id}"
            f" ({successor.kind}) leads, {gap_s:.2f} s without an acknowledged write"
        )
        leader.start()
        self.wait_until_followed(leader)

    def catch_up_by_snapshot(self, load: QuotaLoad, kinds: Sequence[str]) -> None:
        """A node of each of these implementations falls behind the start of the log of a leader of the other one."""
        for kind in kinds:
            leader = self.have_lead(load, "ours" if kind == "stock" else "stock")
            node = next(node for node in self.quorum.nodes.values() if node.kind == kind)
            node.kill()
            end = self.log_end(node)
            what = f"the log of node {leader.node_id} to start behind offset {end}"
            wait_until(partial(_starts_behind, leader, end), WAIT_S, what)
            node.start()
            self.wait_until_followed(node)
            # It may have lost its leadership meanwhile, but who has it has as little of the log's beginning.
            self.outcome.caught_up_by_snapshot.append(f"{kind} from {self.leader().kind}")
            self._notify(
                f"node {node.node_id} ({kind}) ended at offset {end}; node {leader.node_id} ({leader.kind}) has its log"
                f" from {first_offset(leader)} on; it came back by a snapshot, its log starts at {first_offset(node)}"
            )

    def change_voters(self, load: QuotaLoad) -> None:
        """While either implementation leads, a node of each joins by one's tool and leaves by the other's."""
        changes = [
            (leading, kind, adding, removing)
            for leading in IMPLEMENTATIONS
            for kind, adding, removing in (("stock", "ours", "stock"), ("ours", "stock", "ours"))
        ]
        for node_id, (leading, kind, adding, removing) in enumerate(changes, 4):
            self.have_lead(load, leading)
            new_voter = self.quorum.new_voter(node_id, SMALL_LOG, IMPLEMENTATIONS[kind])
            new_voter.start()
            self.wait_until_followed(new_voter)
            self._alter(load, adding, "add-controller", new_voter, {1, 2, 3, node_id}, leading)
            self._alter(load, removing, "remove-controller", new_voter, {1, 2, 3}, leading)
            # Without a vote it may be gone for good; what it holds is not compared.
            new_voter.kill()
            del self.quorum.nodes[node_id]

    def _alter(
        self, load: QuotaLoad, tool: str, action: str, node: Node, voters: set[int], leading: str
    ) -> None:
        leader = self.have_lead(load, leading)
        alter_voters(tool, leader, action, node)
        self._wait_for_voters(voters)
        load.wait_for_more(20)
        text = f"{tool} tool: {action} {node.node_id} ({node.kind}) while {leading} led"
        self.outcome.voters_changed.append(text)
        self._notify(text)

    def finish(self, load: QuotaLoad) -> MixedRunResult:
        """Ends the load and all nodes; what was acknowledged must be there. Raises what says that it is not."""
        load.stop()
        for node in self.quorum.nodes.values():
            self.wait_until_followed(node)
        self.quorum.close()
        logs = [node.metadata_log_directory for node in self.quorum.nodes.values()]
        replicas = check_agreement(logs)
        load.check(logs)
        self.outcome.writes = load.writes
        self.outcome.records = max(replica.records or 0 for replica in replicas.values())
        self._notify(f"{load.writes} writes acknowledged, all there; {len(replicas)} replicas agree")
        return self.outcome

    def wait_until_followed(self, node: Node) -> None:
        """Until the leader says that a node has what was there when this was asked for."""
        end = self._replicas()[self.leader().node_id]
        wait_until(
            lambda: self._replicas().get(node.node_id, -1) >= end,
            WAIT_S,
            f"node {node.node_id} to hold {end}",
        )

    def log_end(self, node: Node) -> int:
        """The end offset of a node's log, as the leader knows it."""
        return self._replicas()[node.node_id]

    def _replicas(self) -> dict[int, int]:
        """Log end offset by node id, from whoever leads."""
        deadline = time.monotonic() + WAIT_S
        while True:
            try:
                return self.quorum.log_ends()
            except (OSError, LookupError):
                if time.monotonic() > deadline:
                    raise

    def _wait_for_voters(self, expected: set[int]) -> None:
        def voters() -> set[int]:
            try:
                with connect(self.leader().bootstrap_controller) as client:
                    return {each.replica_id for each in describe_quorum(client).current_voters}
            except (OSError, LookupError):
                return set()

        wait_until(lambda: voters() == expected, WAIT_S, f"the voters to be {sorted(expected)}")

    def _kinds(self) -> str:
        return ", ".join(f"node {node.node_id} {node.kind}" for node in self.quorum.nodes.values())


def quorum_of_three(folder: Path, *, stock: int, kraft_version: int = 1) -> Quorum:
    """Three voters with little log, of which the first `stock` are Apache Kafka's; nothing runs yet."""
    return Quorum(
        OurNode,
        folder,
        3,
        SMALL_LOG,
        others=dict.fromkeys(range(1, stock + 1), StockNode),
        has_static_voters=kraft_version == 0,
    )


def alter_voters(tool: str, leader: Node, action: str, node: Node) -> None:
    """``kafka-metadata-quorum add-controller`` or ``remove-controller``, by one implementation's tool."""
    if action == "add-controller":
        arguments = ["--command-config", str(node.properties_path), "--bootstrap-controller"]
        arguments += [leader.bootstrap_controller, action]
    else:
        arguments = ["--bootstrap-controller", leader.bootstrap_controller, action]
        arguments += ["--controller-id", str(node.node_id)]
        arguments += ["--controller-directory-id", node.meta_properties["directory.id"]]
    if tool == "stock":
        run_tool("kafka-metadata-quorum", *arguments).output()
    else:
        run_our_tool("kafka-metadata-quorum", *arguments)


def _starts_behind(node: Node, offset: int) -> bool:
    return first_offset(node) > offset


def run(
    folder: Path,
    *,
    stock: int,
    kraft_version: int,
    tell: Tell,
    times_each: int,
    snapshots: Sequence[str] = tuple(IMPLEMENTATIONS),
) -> MixedRunResult:
    """Everything in this module once, for a quorum of three of which `stock` are stock.

    A leader of each implementation is killed `times_each` times, and stopped as often. A node of each
    implementation in `snapshots` catches up by one; a stock leader lets go of its log's beginning once a minute only.

    Raises MixedRunError, WaitedTooLongError, ReplicasDifferError or LostWriteError where it does not come out right.
    """
    with ExitStack() as stack:
        quorum = stack.enter_context(quorum_of_three(folder, stock=stock, kraft_version=kraft_version))
        mixed = MixedQuorum(quorum, tell)
        mixed.start()
        load = stack.enter_context(QuotaLoad(mixed.servers))
        mixed.end_leaders(load, times_each)
        if kraft_version:
            mixed.change_voters(load)
        mixed.catch_up_by_snapshot(load, snapshots)
        return mixed.finish(load)
