"""Random deaths at length, under load: what was acknowledged has to be there at the end, in replicas that agree.

`run`: controllers of ours under stock brokers, with stock producers. `run_mixed`: a mixed quorum, with quotas.
Of the controllers never more than one is away at a time, which of three is a minority, and of the brokers never more
than one. Who dies, how and for how long comes from the seed; who leads at that moment is chance.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from compat.agreement import check_agreement
from compat.cluster import Cluster, wait_until_whole
from compat.kafka.stock import small_stock_node
from compat.kafka.verifiable import (
    IDEMPOTENT,
    RETRYING,
    Account,
    Sent,
    VerifiableProducer,
    account,
    check_account,
    read_all,
)
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import Quorum, connect, describe_quorum
from compat.quota_load import QuotaLoad
from compat.runs.mixed import MixedQuorum, quorum_of_three
from compat.runs.telling import Tell

WAIT_S = 180.0
KILL, TERM, PAUSE = "kill -9", "SIGTERM", "SIGSTOP"
ORDERLY_EXITS = (0, 128 + signal.SIGTERM)
"""Of ours, and of a JVM, which says by what it was asked."""
LEADER_SHARE = 0.5
"""Of the deaths of controllers, those that are meant for whoever leads."""
WATCH_INTERVAL_S = 0.25
ASK_TIMEOUT_MS = 1000
PARTITIONS = 6
THROUGHPUT = 100
"""Records a second of each producer."""
PRODUCERS: Mapping[str, Mapping[str, str]] = {"idempotent": IDEMPOTENT, "retrying": RETRYING}
"""Settings by the producer's name, which its topic has too."""
BROKER_PROPERTIES = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "3",
}


class SoakError(Exception):
    """A node did what it must not do: ended by itself, or in disorder, or led beside another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long all goes on and how fast, in seconds; of two, anything between."""

    lasting: float
    between: tuple[float, float] = (10.0, 20.0)
    """From a node's return to the next death of its kind."""
    away: tuple[float, float] = (2.0, 6.0)
    paused: tuple[float, float] = (2.0, 14.0)
    """A broker's session is over after 9 s, a controller's followers wait 2 s."""
    deaths_each: int | None = None
    """So many of the controllers and so many of the brokers are enough."""


@dataclass(slots=True, kw_only=True)
class SoakResult:
    """What happened in a run."""

    deaths: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By who and how."""
    elections: int = 0
    """How often another epoch had a leader."""
    sent: dict[str, Sent] = field(default_factory=dict)
    """By producer."""
    accounts: dict[str, Account] = field(default_factory=dict)
    """By producer."""
    quota_writes: int | None = None
    quota_gap_s: float = 0.0
    """Between two acknowledged quota writes."""
    replicas: int = 0
    records: int = 0
    """That each replica holds in the end, at most."""

    def lines(self) -> list[str]:
        """The figures as a table."""
        rows: list[tuple[str, ...]] = [("deaths", KILL, TERM, PAUSE)]
        for who in sorted({who for who, _ in self.deaths}):
            rows.append((f"  {who}", *(str(self.deaths[who, how]) for how in (KILL, TERM, PAUSE))))
        if self.accounts:
            rows.append(("records", *self.accounts))
            for name, of in _RECORD_ROWS.items():
                rows.append((f"  {name}", *(of(self.sent[one], self.accounts[one]) for one in self.accounts)))
        if self.quota_writes is not None:
            rows.append(("quota writes acknowledged", f"{self.quota_writes:,}"))
            rows.append(("  lost", "0"))
            rows.append(("  longest without one", f"{self.quota_gap_s:.2f} s"))
        rows.append(("elections", str(self.elections)))
        rows.append((f"replicas that agree: {self.replicas}", f"{self.records:,} records each"))
        return [f"{name:36}" + "".join(f"{value:>16}" for value in values) for name, *values in rows]


_RECORD_ROWS: Mapping[str, Callable[[Sent, Account], str]] = {
    "produced": lambda sent, _: f"{sent.produced:,}",
    "acknowledged": lambda _, found: f"{found.acknowledged:,}",
    "consumed": lambda _, found: f"{found.consumed:,}",
    "lost": lambda _, found: str(len(found.lost)),
    "not where acknowledged": lambda _, found: str(len(found.misplaced)),
    "duplicates": lambda _, found: str(found.duplicates),
    "there, never acknowledged": lambda _, found: str(found.unacknowledged),
    "longest without one": lambda sent, _: f"{sent.longest_gap_s:.2f} s",
}


# -- who leads ---------------------------------------------------------------------------------------------------------


class LeaderWatch:
    """Looks all the time who leads the quorum, from a thread of its own."""

    def __init__(self, quorum: Quorum) -> None:
        """Nobody is asked yet."""
        self._quorum = quorum
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._leaders: dict[int, int] = {}
        """By epoch."""
        self._failure: BaseException | None = None

    def __enter__(self) -> LeaderWatch:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def leader_id(self) -> int | None:
        """Who was seen to lead last."""
        return self._leaders[max(self._leaders)] if self._leaders else None

    def elections(self) -> int:
        """Changes of leadership seen so far. Raises SoakError if two led in one epoch."""
        if self._failure is not None:
            raise self._failure
        return max(0, len(self._leaders) - 1)

    def note(self, epoch: int, leader_id: int) -> None:
        """Somebody says that it leads. Raises SoakError if another did in that epoch."""
        other = self._leaders.setdefault(epoch, leader_id)
        if other != leader_id:
            raise SoakError(f"nodes {other} and {leader_id} both lead in epoch {epoch}")

    def _run(self) -> None:
        try:
            while not self._stop.wait(WATCH_INTERVAL_S):
                for node in list(self._quorum.nodes.values()):
                    self._ask(node)
        except BaseException as error:
            self._failure = error

    def _ask(self, node: Node) -> None:
        try:
            with connect(node.bootstrap_controller, timeout_ms=ASK_TIMEOUT_MS) as client:
                response = describe_quorum(client)
        except (OSError, LookupError):
            return
        if response.leader_id == node.node_id:
            self.note(response.leader_epoch, response.leader_id)


def is_in_step(quorum: Quorum, node: Node) -> bool:
    """Whether the leader says that a voter has all that is committed."""
    try:
        with connect(quorum.leader(WAIT_S).bootstrap_controller) as client:
            response = describe_quorum(client)
    except (OSError, LookupError):
        return False
    committed = response.high_watermark
    return committed >= 0 and any(
        voter.replica_id == node.node_id and voter.log_end_offset >= committed
        for voter in response.current_voters
    )


# -- deaths ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Deaths:
    """What befalls the nodes of one kind, one after the other: each is back before the next goes."""

    kind: str
    nodes: Mapping[int, Node]
    random: Random
    pace: Pace
    wait_until_back: Callable[[Node], None]
    leader_id: Callable[[], int | None]
    tell: Tell
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def run(self, stop: threading.Event) -> None:
        """Until told to stop, or there were enough.

        Raises SoakError, ProcessDiedError or WaitedTooLongError if a node does not end or come back as it should.
        """
        while not stop.wait(self.random.uniform(*self.pace.between)):
            self._one()
            if self.counts.total() == self.pace.deaths_each:
                return

    def _one(self) -> None:
        for node in self.nodes.values():
            node.assert_running()
        leader_id = self.leader_id()
        victim = self.nodes[self.random.choice(sorted(self.nodes))]
        if leader_id is not None and self.random.random() < LEADER_SHARE:
            victim = self.nodes[leader_id]
        how = self.random.choice((KILL, TERM, PAUSE))
        who = f"{'our' if victim.kind == 'ours' else victim.kind} {self.kind}" + (
            ", leading" if victim.node_id == leader_id else ""
        )
        away_s = self.random.uniform(*(self.pace.paused if how == PAUSE else self.pace.away))
        begin = time.monotonic()
        self._end(victim, how, away_s)
        self.wait_until_back(victim)
        self.counts[who, how] += 1
        self.tell(f"{how} of node {victim.node_id} ({who}): back after {time.monotonic() - begin:.1f} s")

    def _end(self, victim: Node, how: str, away_s: float) -> None:
        if how == PAUSE:
            os.kill(victim.process.pid, signal.SIGSTOP)
            try:
                time.sleep(away_s)
            finally:
                os.kill(victim.process.pid, signal.SIGCONT)
            return
        if how == KILL:
            victim.kill()
        elif (code := victim.stop()) not in ORDERLY_EXITS:
            raise SoakError(f"exit code {code} after SIGTERM: {victim.process.last_words()}")
        time.sleep(away_s)
        victim.start()


def let_die(groups: Sequence[Deaths], lasting_s: float) -> Counter[tuple[str, str]]:
    """All groups side by side; when the time is over, all nodes are back. Raises what the first of them raises."""
    stop = threading.Event()
    with ThreadPoolExecutor(len(groups)) as pool:
        futures = [pool.submit(group.run, stop) for group in groups]
        try:
            wait(futures, lasting_s, FIRST_EXCEPTION)
        finally:
            stop.set()
    for future in futures:
        future.result()
    return sum((group.counts for group in groups), Counter())


def controller_deaths(quorum: Quorum, watch: LeaderWatch, pace: Pace, seed: int, tell: Tell) -> Deaths:
    """For the voters of a quorum."""
    return Deaths(
        kind="controller",
        nodes=quorum.nodes,
        random=Random(f"controllers {seed}"),
        pace=pace,
        wait_until_back=lambda node: wait_until(
            lambda: is_in_step(quorum, node), WAIT_S, f"node {node.node_id} to follow"
        ),
        leader_id=lambda: watch.leader_id,
        tell=tell,
    )


def broker_deaths(cluster: Cluster, pace: Pace, seed: int, tell: Tell) -> Deaths:
    """For the brokers of a cluster."""
    return Deaths(
        kind="broker",
        nodes=cluster.brokers,
        random=Random(f"brokers {seed}"),
        pace=pace,
        wait_until_back=lambda node: cluster.wait_until_unfenced(node.node_id, WAIT_S),
        leader_id=lambda: None,
        tell=tell,
    )


# -- stock brokers on our controllers ----------------------------------------------------------------------------------


def run(
    folder: Path,
    *,
    seed: int,
    pace: Pace,
    tell: Tell,
    producers: Mapping[str, Mapping[str, str]] = PRODUCERS,
) -> SoakResult:
    """Three controllers of ours, three stock brokers, and these producers.

    Raises LostRecordError, ReplicasDifferError, SoakError, ReadShortError, ProcessDiedError or WaitedTooLongError.
    """
    with ExitStack() as stack:
        cluster = stack.enter_context(
            Cluster(OurNode, small_stock_node, folder, broker_overrides=BROKER_PROPERTIES)
        )
        cluster.format()
        cluster.start()
        for topic in producers:
            cluster.create_topic(topic, PARTITIONS)
        load = {name: _producer(cluster, folder, name, producers[name]) for name in producers}
        for producer in load.values():
            stack.callback(producer.close)
        for producer in load.values():
            producer.wait_for_first()
        outcome = SoakResult()
        with LeaderWatch(cluster.quorum) as watch:
            tell(f"seed {seed}: three brokers follow node {cluster.quorum.leader().node_id}; load is on")
            groups = (
                controller_deaths(cluster.quorum, watch, pace, seed, tell),
                broker_deaths(cluster, pace, seed, tell),
            )
            outcome.deaths = let_die(groups, pace.lasting)
            outcome.elections = watch.elections()
        wait_until_whole(cluster.brokers.values(), dict.fromkeys(producers, PARTITIONS))
        for name, producer in load.items():
            outcome.sent[name] = producer.stop()
            consumed = read_all(cluster.servers, name)
            outcome.accounts[name] = account(outcome.sent[name].acknowledged, consumed)
        cluster.close()
        nodes = (*cluster.quorum.nodes.values(), *cluster.brokers.values())
        _check_replicas(nodes, outcome)
    _publish_metrics(outcome, tell)
    for name, found in outcome.accounts.items():
        check_account(name, found, may_be_twice=producers[name] is not IDEMPOTENT)
    return outcome


def _publish_metrics(outcome: SoakResult, tell: Tell) -> None:
    for line in outcome.lines():
        tell(line)


def _producer(cluster: Cluster, folder: Path, topic: str, settings: Mapping[str, str]) -> VerifiableProducer:
    return VerifiableProducer(
        folder / f"producer-{topic}", cluster.servers, topic, throughput=THROUGHPUT, settings=settings
    )


def _check_replicas(nodes: Sequence[Node], outcome: SoakResult) -> None:
    found = check_agreement([node.metadata_log_directory for node in nodes])
    outcome.replicas = len(found)
    outcome.records = max(replica.records or 0 for replica in found.values())


# -- a quorum of both implementations ---------------------------------------------------------------------------------


def run_mixed(folder: Path, *, stock: int, seed: int, pace: Pace, tell: Tell) -> SoakResult:
    """A quorum of three of which `stock` are stock, while quotas are written.

    Raises LostWriteError, ReplicasDifferError, SoakError, ProcessDiedError or WaitedTooLongError.
    """
    outcome = SoakResult()
    with ExitStack() as stack:
        quorum = stack.enter_context(quorum_of_three(folder, stock=stock))
        mixed = MixedQuorum(quorum, tell)
        mixed.start()
        load = stack.enter_context(QuotaLoad(mixed.servers))
        with LeaderWatch(quorum) as watch:
            deaths = controller_deaths(quorum, watch, pace, seed, tell)
            outcome.deaths = let_die([deaths], pace.lasting)
            outcome.elections = watch.elections()
        outcome.quota_gap_s = load.longest_gap_s
        ended = mixed.finish(load)
    outcome.replicas, outcome.records = len(mixed.quorum.nodes), ended.records
    outcome.quota_writes = ended.writes
    _publish_metrics(outcome, tell)
    return outcome
