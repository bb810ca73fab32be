"""A quorum of both implementations on a network that is cut: leaders, followers, one direction of a link, brokers.

A leader that is cut off resigns and acknowledges nothing; the others elect one that does, and when the network is
healed the old one follows, without the records that nobody else has. A follower that is cut off, or that is not heard,
comes back without having raised the epoch (pre-vote, KIP-996). Cuts at random end with a quorum that works. A broker
that is cut off is fenced, and let in again.

All the while quotas are written, by a client that reaches every node; what was acknowledged has to be there at the end,
in replicas that agree.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from compat.agreement import rows_of
from compat.cluster import FIRST_BROKER_ID, alive_brokers, broker_properties
from compat.kafka.stock import StockNode
from compat.network import Network
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import CLUSTER_ID, Quorum, connect, describe_quorum
from compat.quota_load import KEY, QuotaLoad
from compat.runs.mixed import FETCH_TIMEOUT_S, IMPLEMENTATIONS, WAIT_S, MixedQuorum
from compat.runs.telling import Tell
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.messages import AlterClientQuotasRequest, AlterClientQuotasResponse

CHECK_QUORUM = 1.5
"""So many fetch timeouts after a leader heard of no majority it resigns."""
TIMEOUTS_AWAY = 3
"""How many fetch timeouts a cut lasts at least, and so as many chances to do damage alone."""
SLACK_S = 15.0
"""For what a timer has to bring about, on a busy machine."""
FEWEST_BEHIND = 15
"""Records that a follower lacks after 20 writes that it must not hear of; a Fetch under way may bring it some."""
SETTLE_S = 0.5
"""After healing: what was held back, and what a node had in mind to do alone, has come to pass by then."""
SESSION_TIMEOUT_MS = 2000
STRANDED = "stranded"
"""The user whose quota is written to a leader that is cut off."""
STRANDED_TIMEOUT_MS = 60_000
"""For its answer, which comes when the leader resigns."""


class CutOffError(Exception):
    """What was cut off did what it must not, or did not do what it must."""


class View(NamedTuple):
    """What a node knows of the quorum."""

    leader_id: int
    epoch: int


@dataclass(slots=True, kw_only=True)
class CutOffResult:
    """What happened in a run."""

    leaders_cut: list[str] = field(default_factory=list)
    """Make of the leader, and how it was cut."""
    followers_cut: list[str] = field(default_factory=list)
    """Make of the follower, and how it was cut."""
    random_cuts: int = 0
    brokers_fenced: list[str] = field(default_factory=list)
    """Their makes, in the order in which they were cut off."""
    longest_to_resign_s: float = 0.0
    longest_gap_s: float = 0.0
    """Between two acknowledged writes."""
    writes: int = 0
    records: int = 0
    """That each replica holds in the end, at most."""


LEADER_CUTS: Mapping[str, Callable[[Network, int, Collection[int]], None]] = {
    "cut off": lambda network, leader, others: network.cut_off(leader),
    "not heard": lambda network, leader, others: network.cut_one_way([leader], others),
    "hearing nobody": lambda network, leader, others: network.cut_one_way(others, [leader]),
}
"""By what the leader is, to both others."""
TAIL_MAY_PASS = ("hearing nobody",)
"""Then a leader still answers the Fetch requests that it has."""

FOLLOWER_CUTS: Mapping[str, Callable[[Network, int, int], None]] = {
    "cut off": lambda network, follower, leader: network.cut_off(follower),
    "its requests to the leader lost": lambda network, follower, leader: network.cut_one_way(
        [follower], [leader]
    ),
    "the leader's answers lost": lambda network, follower, leader: network.cut_one_way([leader], [follower]),
}


class Partitions:
    """What can be cut in a quorum of three under load."""

    def __init__(self, mixed: MixedQuorum, network: Network, load: QuotaLoad, tell: Tell) -> None:
        """Takes what runs already."""
        self._mixed = mixed
        self._nodes = mixed.quorum.nodes
        self._network = network
        self._load = load
        self._notify = tell
        self.outcome = CutOffResult()

    def cut_leaders(self, cuts: Sequence[str]) -> None:
        """A node of each implementation leads and is cut in each of these ways. Raises CutOffError."""
        for how in cuts:
            now = self._mixed.leader().kind
            for kind in sorted(IMPLEMENTATIONS, key=lambda each: each != now):
                self._cut_leader(self.have_lead(kind), how)

    def _cut_leader(self, old: Node, how: str) -> None:
        before, committed = view(old), high_watermark(old)
        self._load.wait_for_more(20)
        self._load.take_gap_s()
        LEADER_CUTS[how](self._network, old.node_id, [each for each in self._nodes if each != old.node_id])
        since = time.monotonic()
        with ThreadPoolExecutor(3) as pool:
            refusal = pool.submit(write_stranded, old, before.epoch)
            resignation = pool.submit(self._wait_until_resigned, old, since)
            election = pool.submit(self._wait_until_elected, old, since)
            refused, resigned_s, (leader, elected_s) = (
                refusal.result(),
                resignation.result(),
                election.result(),
            )
        self._load.wait_for_more(20)
        gap_s = self._load.take_gap_s()
        if not has_stranded(old, committed, before.epoch):
            raise CutOffError(f"node {old.node_id} did not append what it was sent while it led")
        self._stay_cut(since)
        alone, new = view(old), view(leader)
        self._notify(
            f"leader {old.node_id} ({old.kind}), epoch {before.epoch}, {how}: leads no more after {resigned_s:.2f} s,"
            f" {refused} to a write, then in epoch {alone.epoch}; node {leader.node_id} ({leader.kind}) leads after"
            f" {elected_s:.2f} s in epoch {new.epoch}; {gap_s:.2f} s without an acknowledged write"
        )
        back_s = self._come_back(old, leader, new)
        if how not in TAIL_MAY_PASS and has_stranded(old, committed, before.epoch):
            raise CutOffError(f"node {old.node_id} still has what it appended while it was cut off")
        self._notify(
            f"node {old.node_id} ({old.kind}) followed {back_s:.2f} s after healing, epoch {new.epoch} stays"
        )
        self.outcome.leaders_cut.append(f"{old.kind}: {how}")
        self.outcome.longest_to_resign_s = max(self.outcome.longest_to_resign_s, resigned_s)
        self.outcome.longest_gap_s = max(self.outcome.longest_gap_s, gap_s)

    def cut_followers(self, cuts: Sequence[str]) -> None:
        """A follower of each implementation is cut, in each of these ways; the leader stays. Raises CutOffError."""
        kinds = [node.kind for node in self._nodes.values()]
        # Of this implementation there is another one, to follow it.
        leader = self.have_lead(max(IMPLEMENTATIONS, key=kinds.count))
        for kind in IMPLEMENTATIONS:
            follower = next(node for node in self._nodes.values() if node.kind == kind and node is not leader)
            for how in cuts:
                self._cut_follower(follower, leader, how)

    def _cut_follower(self, follower: Node, leader: Node, how: str) -> None:
        before = view(leader)
        self._load.take_gap_s()
        FOLLOWER_CUTS[how](self._network, follower.node_id, leader.node_id)
        since = time.monotonic()
        self._load.wait_for_more(20)
        self._stay_cut(since)
        alone = view(follower)
        behind = self._mixed.log_end(leader) - self._mixed.log_end(follower)
        if behind < FEWEST_BEHIND:
            raise CutOffError(f"follower {follower.node_id}, {how}, lacks {behind} records only")
        if alone.epoch != before.epoch:
            raise CutOffError(f"follower {follower.node_id}, {how}, went from {before} to {alone}")
        back_s = self._come_back(follower, leader, before)
        self.outcome.followers_cut.append(f"{follower.kind}: {how}")
        self._notify(
            f"follower {follower.node_id} ({follower.kind}), {how}: {behind} records behind, in epoch {alone.epoch}"
            f" still; node {leader.node_id} ({leader.kind}) leads on, followed {back_s:.2f} s after healing;"
            f" {self._load.take_gap_s():.2f} s without an acknowledged write"
        )

    def cut_at_random(self, count: int, seed: int) -> None:
        """So many cuts of nodes, links and directions, one or a few at a time; after healing writes have to go on."""
        rng = random.Random(seed)
        left = count
        while left:
            together = min(left, rng.randint(1, 4))
            for _ in range(together):
                one, other = rng.sample(sorted(self._nodes), 2)
                how = rng.choice(("node", "link", "direction"))
                if how == "node":
                    self._network.cut_off(one)
                elif how == "link":
                    self._network.cut(one, other)
                else:
                    self._network.cut_one_way([one], [other])
                time.sleep(rng.uniform(0, TIMEOUTS_AWAY) * FETCH_TIMEOUT_S)
            self._network.heal()
            self._load.wait_for_more(20)
            left -= together
        gap_s = self._load.take_gap_s()
        self.outcome.random_cuts += count
        self.outcome.longest_gap_s = max(self.outcome.longest_gap_s, gap_s)
        self._notify(
            f"{count} cuts at random, seed {seed}: epoch {view(self._mixed.leader()).epoch}, at most {gap_s:.2f} s"
            " without an acknowledged write"
        )

    def have_lead(self, kind: str) -> Node:
        """A node of this implementation that leads; if none does, the leader is cut off such that one has to follow.

        Raises CutOffError if the other one is elected, whose log lacks committed records.
        """
        old = self._mixed.leader()
        if old.kind == kind:
            return old
        others = [node for node in self._nodes.values() if node is not old]
        wanted = next(node for node in others if node.kind == kind)
        (behind,) = (node for node in others if node is not wanted)
        before = view(old)
        self._network.cut(old.node_id, behind.node_id)
        self._load.wait_for_more(20)
        # It looks for votes by now, and so will give its own.
        time.sleep(FETCH_TIMEOUT_S)
        self._network.cut_off(old.node_id)
        leader, elected_s = self._wait_until_elected(old, time.monotonic())
        if leader is not wanted:
            raise CutOffError(
                f"node {leader.node_id} leads, whose log was shorter than that of {wanted.node_id}"
            )
        # Its file need not say so yet when it says so itself; when it acknowledges writes, it does.
        self._load.wait_for_more(20)
        new = view(leader)
        self._come_back(old, leader, new)
        self._notify(
            f"leader {old.node_id} ({old.kind}), epoch {before.epoch}, cut off from node {behind.node_id}"
            f" ({behind.kind}), then from node {wanted.node_id} ({wanted.kind}), which leads after {elected_s:.2f} s in"
            f" epoch {new.epoch}"
        )
        return leader

    def _stay_cut(self, since: float) -> None:
        time.sleep(max(0.0, since + TIMEOUTS_AWAY * FETCH_TIMEOUT_S - time.monotonic()))

    def _come_back(self, node: Node, leader: Node, expected: View) -> float:
        """Heals; seconds until the node follows. Raises CutOffError if that changes who leads, or the epoch."""
        self._network.heal()
        since = time.monotonic()
        self._mixed.wait_until_followed(node)
        back_s = time.monotonic() - since
        time.sleep(SETTLE_S)
        for each in self._nodes.values():
            if view(each) != expected:
                raise CutOffError(f"healing made {expected} into {view(each)}, says node {each.node_id}")
        return back_s

    def _wait_until_resigned(self, node: Node, since: float) -> float:
        limit_s = CHECK_QUORUM * FETCH_TIMEOUT_S + SLACK_S
        wait_until(lambda: not leads(node), limit_s, f"node {node.node_id}, cut off, to resign")
        return time.monotonic() - since

    def _wait_until_elected(self, old: Node, since: float) -> tuple[Node, float]:
        leader = self._mixed.quorum.leader(WAIT_S, besides=old)
        return leader, time.monotonic() - since


def view(node: Node) -> View:
    """Whom the node takes for the leader, and the epoch it is in: its file says that, for DescribeQuorum does not."""
    state = json.loads((node.metadata_log_directory / "quorum-state").read_text())
    return View(state["leaderId"], state["leaderEpoch"])


def leads(node: Node) -> bool:
    """Whether the node says that it leads."""
    with connect(node.bootstrap_controller) as client:
        try:
            return describe_quorum(client).leader_id == node.node_id
        except LookupError:
            return False


def high_watermark(leader: Node) -> int:
    """Where the committed part of the log ends; raises LookupError if the node does not lead."""
    with connect(leader.bootstrap_controller) as client:
        return describe_quorum(client).high_watermark


def write_stranded(node: Node, value: int) -> str:
    """The error that a leader without followers answers a write with. Raises CutOffError if it acknowledges it.

    The value has to be another one every time: of a quota that is already as it should be there is no record.
    """
    entry = AlterClientQuotasRequest.EntryData(
        entity=[AlterClientQuotasRequest.EntityData(entity_type="user", entity_name=STRANDED)],
        ops=[AlterClientQuotasRequest.OpData(key=KEY, value=float(value), remove=False)],
    )
    with connect(node.bootstrap_controller, timeout_ms=STRANDED_TIMEOUT_MS) as client:
        response = client.send(AlterClientQuotasRequest(entries=[entry]))
    assert isinstance(response, AlterClientQuotasResponse)
    code = response.entries[0].error_code
    if code == ErrorCode.NONE:
        raise CutOffError(f"node {node.node_id} acknowledged a write while it was cut off")
    return describe(code).name


def has_stranded(node: Node, start: int, value: int) -> bool:
    """Whether the node's log has that write from this offset on."""
    rows = rows_of([node.metadata_log_directory], view="ClientQuotaRecord", startOffset=str(start))
    return any(
        entity["entityName"] == STRANDED and row["value"] == value
        for row in rows
        for entity in row["entity"] or ()
    )


def cut_off_brokers(
    folder: Path, quorum: Quorum, network: Network, implementations: Sequence[str], tell: Tell
) -> list[str]:
    """Each of two brokers is fenced while it is cut off, as the other one sees it, and let in again. Their makes."""
    brokers: dict[int, Node] = {}
    with ExitStack() as stack:
        for broker_id, implementation in enumerate(implementations, FIRST_BROKER_ID):
            place = folder / f"node-{broker_id}"
            properties = broker_properties([place / "data"], broker_id, quorum)
            port = int(properties["listeners"].rsplit(":", 1)[1])
            address = network.add(broker_id, port, partial(_find_pid, brokers, broker_id))
            properties["advertised.listeners"] = f"PLAINTEXT://{address}"
            properties["broker.heartbeat.interval.ms"] = str(SESSION_TIMEOUT_MS // 6)
            brokers[broker_id] = IMPLEMENTATIONS[implementation](place, properties)
            stack.callback(_kill, brokers[broker_id])
        with ThreadPoolExecutor(len(brokers)) as pool:
            list(pool.map(_format_and_start, brokers.values()))
        for node in brokers.values():
            (witness,) = (other for other in brokers.values() if other is not node)
            _cut_off_broker(node, witness, network, tell)
    return [node.kind for node in brokers.values()]


def _format_and_start(node: Node) -> None:
    node.format(CLUSTER_ID, ())
    node.start()


def _kill(node: Node) -> None:
    if node.is_started:
        node.kill()


def _find_pid(nodes: Mapping[int, Node], node_id: int) -> int | None:
    node = nodes.get(node_id)
    return None if node is None else node.running_pid


def _cut_off_broker(node: Node, witness: Node, network: Network, tell: Tell) -> None:
    def is_alive() -> bool:
        return node.node_id in alive_brokers(witness)

    wait_until(is_alive, WAIT_S, f"broker {node.node_id} to be alive")
    network.cut_off(node.node_id)
    since = time.monotonic()
    wait_until(
        lambda: not is_alive(), SESSION_TIMEOUT_MS / 1000 + SLACK_S, f"broker {node.node_id} to be fenced"
    )
    fenced_s = time.monotonic() - since
    network.heal()
    since = time.monotonic()
    wait_until(is_alive, WAIT_S, f"broker {node.node_id} to be let in again")
    tell(
        f"broker {node.node_id} ({node.kind}) cut off: fenced after {fenced_s:.2f} s, alive again"
        f" {time.monotonic() - since:.2f} s after healing"
    )


def run(
    folder: Path,
    *,
    stock: int,
    tell: Tell,
    times_each: int,
    kraft_version: int = 1,
    leader_cuts: Sequence[str] = tuple(LEADER_CUTS),
    follower_cuts: Sequence[str] = tuple(FOLLOWER_CUTS),
    random_cuts: int = 40,
    seed: int = 1,
    brokers: Sequence[str] = tuple(IMPLEMENTATIONS),
) -> CutOffResult:
    """Everything in this module, for a quorum of three of which the first `stock` are stock.

    A leader and a follower of each implementation are cut `times_each` times in each of these ways; `random_cuts` more
    are drawn from the seed; then each of two brokers of these implementations is cut off.

    Raises CutOffError, WaitedTooLongError, ReplicasDifferError or LostWriteError where it does not come out right.
    """
    properties = {"broker.session.timeout.ms": str(SESSION_TIMEOUT_MS)}
    with ExitStack() as stack:
        network = stack.enter_context(Network())
        quorum = Quorum(
            OurNode,
            folder,
            3,
            properties,
            others=dict.fromkeys(range(1, stock + 1), StockNode),
            has_static_voters=kraft_version == 0,
            network=network,
        )
        mixed = MixedQuorum(stack.enter_context(quorum), tell)
        mixed.start()
        load = stack.enter_context(QuotaLoad(mixed.servers))
        partitions = Partitions(mixed, network, load, tell)
        for _ in range(times_each):
            partitions.cut_leaders(leader_cuts)
            partitions.cut_followers(follower_cuts)
        if random_cuts:
            partitions.cut_at_random(random_cuts, seed)
        outcome = partitions.outcome
        outcome.brokers_fenced = cut_off_brokers(folder, quorum, network, brokers, tell)
        end = mixed.finish(load)
        outcome.writes, outcome.records = end.writes, end.records
        return outcome
