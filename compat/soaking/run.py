"""The run: three nodes with both roles under all loads at once, watched by the minute, and held together at the end.

Nothing fails on purpose: what is watched is the memory of one life of each process. Retention, rolling and cleaning
happen every few minutes, and what nodes remember of names expires in five, so a long run is soon in a steady state.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from compat.agreement import check_agreement
from compat.cluster import CombinedCluster, wait_until_whole
from compat.node import Node
from compat.ours import OurNode
from compat.ports import free_port
from compat.quorum import connect
from compat.runs.disks import check_no_faults
from compat.runs.telling import Tell
from compat.soaking import held
from compat.soaking.broken import BrokenConnections
from compat.soaking.ending import End, check_replicas, check_transactions
from compat.soaking.held import Held, held_by
from compat.soaking.load import Ground, Load
from compat.soaking.passing import PassingGroups, PassingQuotas, PassingTopics, Scraping
from compat.soaking.reads import AdminReads
from compat.soaking.records import COPIED, KEPT, LATEST, PARTITIONS, Group, Reading, Writing
from compat.soaking.share import Sharing
from compat.soaking.streams import Streaming
from compat.soaking.tally import InOrder, SoakLossError, Written, check_ends
from compat.soaking.transactions import FINISHED, Copying, PassingTransactions
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse

NODES = 3
LOAD = "load"
"""The row of this process, in which the clients are."""
SAMPLE_S = 10.0
WAIT_S = 300.0
ORDERLY = 0
MINUTE_MS = 60_000
SETTINGS: Mapping[str, str] = {
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
    "offsets.topic.replication.factor": "3",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    "transaction.state.log.num.partitions": "3",
    "share.coordinator.state.topic.replication.factor": "3",
    "share.coordinator.state.topic.min.isr": "2",
    "share.coordinator.state.topic.num.partitions": "3",
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "group.share.delivery.count.limit": "10",
    "log.segment.bytes": str(1 << 20),
    "log.roll.ms": str(2 * MINUTE_MS),
    "log.retention.ms": str(10 * MINUTE_MS),
    "log.retention.bytes": str(32 << 20),
    "log.retention.check.interval.ms": "30000",
    "log.segment.delete.delay.ms": "10000",
    "log.cleaner.backoff.ms": "15000",
    "log.cleaner.min.cleanable.ratio": "0.2",
    "log.cleaner.delete.retention.ms": str(MINUTE_MS),
    "offsets.retention.minutes": "5",
    "offsets.retention.check.interval.ms": str(MINUTE_MS),
    "producer.id.expiration.ms": str(5 * MINUTE_MS),
    "producer.id.expiration.check.interval.ms": str(MINUTE_MS),
    "transactional.id.expiration.ms": str(5 * MINUTE_MS),
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "10000",
    "transaction.remove.expired.transaction.cleanup.interval.ms": str(MINUTE_MS),
    "metadata.log.max.record.bytes.between.snapshots": "50000",
    "metadata.log.max.snapshot.interval.ms": str(5 * MINUTE_MS),
    "metadata.log.segment.ms": str(5 * MINUTE_MS),
    "metadata.max.retention.ms": str(10 * MINUTE_MS),
}


class GrowthError(Exception):
    """A node's memory grows by more than the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long, how fast, and what is too much."""

    lasting_s: float
    seed: int = 1
    row_s: float = 180.0
    """Between two rows of each process in the table."""
    hurry: float = 1.0
    """By how much faster than usual all loads go."""
    growth_limit: float | None = None
    """MiB an hour of a node's RSS, in the second half of the run."""


@dataclass(slots=True, kw_only=True)
class SoakAccount:
    """What came of a run."""

    done: dict[str, int] = field(default_factory=dict)
    """What each load has done, in its own unit."""
    vain: dict[str, str] = field(default_factory=dict)
    """Steps that came to nothing, by load: how many of each kind of error, and what the last one says."""
    acknowledged: int = 0
    """Records of the topic that all groups read."""
    guests: int = 0
    """Members of groups that came and went."""
    again: int = 0
    """Records that groups read once more."""
    aborted: int = 0
    """Transactions of the one that copies."""
    released: int = 0
    """Records that members of the share group gave back the first time."""
    tasks_shared: int = 0
    """How often all tasks of the streams group had a member."""
    histories: dict[str, list[Held]] = field(default_factory=dict)
    """Of each node and of the load, by name."""

    def lines(self) -> list[str]:
        """The table of the end."""
        rows = [f"{'load':24}{'done':>12}  tried in vain"]
        for name, count in self.done.items():
            rows.append(f"  {name:22}{count:>12,}  {self.vain.get(name, '')}".rstrip())
        rows.append(
            f"acknowledged for all groups: {self.acknowledged:,}; guests of groups: {self.guests}; read again:"
            f" {self.again:,}; released by the share group: {self.released:,}; copies aborted: {self.aborted:,}"
        )
        rows.append(
            "growth in the second half, MiB an hour: RSS, anonymous; share of one core in the whole run"
        )
        total = 0.0
        for name, history in self.histories.items():
            grown, share = held.growth(history), _share(history)
            total += share
            rows.append(f"  {name:22}{grown.resident:>12.2f}{grown.anonymous:>12.2f}{share:>10.1f} %")
        rows.append(f"  {'in all':22}{'':24}{total:>10.1f} %")
        return rows

    def check_growth(self, limit: float | None) -> None:
        """Raises GrowthError if a node's memory grows faster than that, in MiB an hour."""
        for name, history in self.histories.items():
            grown = held.growth(history).resident
            if limit is not None and name != LOAD and grown > limit:
                raise GrowthError(f"{name}: RSS grows by {grown:.2f} MiB an hour, {limit:g} are allowed")


def _vain(load: Load) -> str:
    kinds = ", ".join(f"{number} {kind}" for kind, number in load.tries.items())
    return f"{kinds}; last: {load.last_words}" if kinds else ""


def _share(history: list[Held]) -> float:
    if len(history) < 2 or history[-1].at_s <= history[0].at_s:
        return 0.0
    first, last = history[0], history[-1]
    return 100 * (last.processor_s - first.processor_s) / (last.at_s - first.at_s)


class Loads:
    """All loads of a run."""

    def __init__(self, ground: Ground, pages: list[str]) -> None:
        """None is started yet. The topics are there."""
        self.written = Written(PARTITIONS)
        self.writing = Writing(ground, self.written)
        self.reading = Reading(ground, KEPT, is_committed=False)
        self.copied = Reading(ground, COPIED, is_committed=True)
        self.groups = [Group(ground, "classic"), Group(ground, "consumer")]
        self.sharing = Sharing(ground)
        self.copying = Copying(ground)
        self.passing_transactions = PassingTransactions(ground)
        self.streaming = Streaming(ground)
        self.others: list[Load] = [
            self.streaming,
            PassingTopics(ground),
            PassingGroups(ground),
            PassingQuotas(ground),
            BrokenConnections(ground),
            AdminReads(ground),
            Scraping(ground, pages),
        ]

    @property
    def every(self) -> list[Load]:
        """All of them."""
        return [
            self.writing,
            self.reading,
            *self.groups,
            self.sharing,
            self.copying,
            self.copied,
            self.passing_transactions,
            *self.others,
        ]

    def start(self) -> None:
        """Starts all."""
        for each in self.every:
            each.start()

    def check(self) -> None:
        """Raises what one of them ended with."""
        for each in self.every:
            each.check()

    def finish(self) -> None:
        """Nothing new is written; all readers come to the end of what was acknowledged, and all loads end.

        Raises SoakLossError if one does not.
        """
        for each in (self.writing, self.passing_transactions, *self.others):
            each.ask_to_stop()
        for each in (self.writing, self.passing_transactions, *self.others):
            each.stop()
        ends: list[tuple[str, Callable[[], tuple[int, ...]]]] = [
            (self.reading.name, lambda: self.reading.seen.ends),
            (self.copied.name, lambda: self.copied.seen.ends),
            (self.sharing.name, lambda: self.sharing.taken.ends),
            *((each.name, _ends_of(each.seen)) for each in self.groups),
        ]

        def are_there() -> bool:
            self.check()
            return all(end() == self.written.ends for _, end in ends)

        deadline = time.monotonic() + WAIT_S
        while not are_there() and time.monotonic() < deadline:
            time.sleep(1.0)
        for name, end in ends:
            check_ends(name, end(), self.written.ends)
        for each in self.every:
            each.ask_to_stop()
        for each in self.every:
            each.stop()

    def count(self, account: SoakAccount) -> None:
        """Notes what the loads have done."""
        for each in self.every:
            account.done[each.name], account.vain[each.name] = each.done, _vain(each)
        account.acknowledged = sum(self.written.ends)
        account.guests = sum(each.guests for each in self.groups)
        account.again = sum(each.seen.again for each in self.groups)
        account.aborted = self.copying.aborted
        account.released = self.sharing.released
        account.tasks_shared = self.streaming.shared

    def close(self) -> None:
        """Ends all threads, whatever state they are in."""
        for each in self.every:
            each.ask_to_stop()
        for each in self.every:
            each.join(WAIT_S)


def _ends_of(seen: InOrder) -> Callable[[], tuple[int, ...]]:
    return lambda: seen.ends


def run(folder: Path, plan: Plan, tell: Tell) -> SoakAccount:
    """All loads for that long; returns what came of it.

    Raises SoakLossError, LoadFailedError or GrowthError; or, if a node is not as it should be, NodeFaultError,
    ReplicasDifferError, ProcessDiedError or WaitedTooLongError.
    """
    account = SoakAccount()
    with ExitStack() as stack:
        cluster = stack.enter_context(CombinedCluster(_make_node, folder, nodes=NODES, overrides=SETTINGS))
        cluster.format()
        cluster.start()
        nodes = list(cluster.brokers.values())
        _create_topics(nodes)
        ground = Ground(
            brokers=[each.bootstrap_server for each in nodes],
            controllers=[each.bootstrap_controller for each in nodes],
            seed=plan.seed,
            hurry=plan.hurry,
        )
        loads = Loads(ground, [f"http://{each.properties['http.listener']}/metrics" for each in nodes])
        stack.callback(loads.close)
        loads.start()
        tell(f"seed {plan.seed}: {len(loads.every)} loads are on {NODES} nodes")
        try:
            _watch(nodes, loads, plan, account, tell)
            loads.finish()
        finally:
            loads.count(account)
            for line in account.lines():
                tell(line)
        tell("all that was acknowledged was read to its end; logs, offsets and replicas are looked at")
        batches = _check_cluster(nodes, ground, loads, folder)
    tell(f"nothing is lost; {batches:,} batches are the same in all replicas")
    account.check_growth(plan.growth_limit)
    return account


def _make_node(folder: Path, properties: Mapping[str, str]) -> Node:
    return OurNode(folder, {**properties, "http.listener": f"127.0.0.1:{free_port()}"})


def _create_topics(nodes: list[Node]) -> None:
    request = CreateTopicsRequest
    configs = {LATEST: {"cleanup.policy": "compact"}, FINISHED: {"cleanup.policy": "delete"}}
    wanted = [
        request.CreatableTopic(
            name=name,
            num_partitions=count,
            replication_factor=NODES,
            configs=[
                request.CreatableTopicConfig(name=key, value=value)
                for key, value in configs.get(name, {}).items()
            ],
        )
        for name, count in ((KEPT, PARTITIONS), (LATEST, PARTITIONS), (COPIED, PARTITIONS), (FINISHED, 1))
    ]
    with connect(nodes[0].bootstrap_server, timeout_ms=MINUTE_MS) as client:
        response = client.send(request(topics=wanted, timeout_ms=MINUTE_MS))
    assert isinstance(response, CreateTopicsResponse)
    if any(each.error_code for each in response.topics):
        raise LookupError(f"the topics were not created: {response.topics}")
    wait_until_whole(nodes, dict.fromkeys((KEPT, LATEST, COPIED), PARTITIONS))


def _watch(nodes: list[Node], loads: Loads, plan: Plan, account: SoakAccount, tell: Tell) -> None:
    """Until the time is over: samples, and rows of the table. Raises what a load ended with, and ProcessDiedError."""
    pids = {f"node {each.node_id}": each.process.pid for each in nodes} | {LOAD: os.getpid()}
    shown: dict[str, Held] = {}
    began = time.monotonic()
    next_row_s = 0.0
    tell(held.HEAD)
    while (now_s := time.monotonic() - began) < plan.lasting_s:
        for node in nodes:
            node.assert_running()
        loads.check()
        for name, pid in pids.items():
            # A process that has just ended is told of in the next turn.
            with suppress(OSError):
                account.histories.setdefault(name, []).append(held_by(pid, now_s))
        if now_s >= next_row_s:
            next_row_s += plan.row_s
            for name, history in account.histories.items():
                tell(held.row(name, history[-1], shown.get(name)))
                shown[name] = history[-1]
        time.sleep(min(SAMPLE_S, max(0.1, plan.lasting_s - now_s)))


def _check_cluster(nodes: list[Node], ground: Ground, loads: Loads, folder: Path) -> int:
    """Logs, groups and replicas are as they have to be; the nodes end in order. Raises as `run` does.

    Returns how many batches are the same in all replicas.
    """
    check_transactions(loads.passing_transactions)
    end = End(ground)
    try:
        end.check_kept(loads.written.ends)
        end.check_latest(loads.written.latest)
        for group in loads.groups:
            end.check_offsets(group.group_id)
    finally:
        end.close()
    wait_until_whole(nodes, dict.fromkeys((KEPT, LATEST, COPIED), PARTITIONS))
    # The last node would have no quorum to tell that it goes.
    for node in nodes[:-1]:
        if (code := node.stop()) != ORDERLY:
            raise SoakLossError(f"node {node.node_id} ends with {code}: {node.process.last_words()}")
    nodes[-1].kill()
    check_agreement([each.metadata_log_directory for each in nodes])
    check_no_faults(folder)
    return check_replicas(nodes, (KEPT, COPIED, FINISHED))
