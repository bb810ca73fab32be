"""What one implementation left on disk the other goes on with: quorums under load and sole nodes, there and back.

Of a quorum all voters are handed over one by one; the first of them has to lead as soon as a second one is there,
because it alone holds everything. The last word have the tools of both implementations, on directories that both wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import islice
from pathlib import Path

from compat.agreement import check_agreement
from compat.cluster import partitions
from compat.kafka.shell import ask_shell
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node, combined_properties
from compat.ours import BIN, OurNode, run_command
from compat.process import wait_until
from compat.quorum import CLUSTER_ID, NodeClass, connect
from compat.quota_load import QuotaLoad
from compat.runs.mixed import IMPLEMENTATIONS, SMALL_LOG, WAIT_S, MixedQuorum, quorum_of_three
from compat.runs.telling import Tell
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse

WRITES = 20
"""That have to be acknowledged between two changes."""
ENDS: Mapping[str, Callable[[Node], object]] = {
    "SIGTERM": lambda node: node.stop(),
    "kill -9": lambda node: node.kill(),
}
SOLE = {
    **SMALL_LOG,
    "metadata.log.max.record.bytes.between.snapshots": "2000",
    # After a kill -9 a stock controller lets the broker in again when the session of its former life is over.
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "500",
}
SOLE_ENDS = {"stock": "kill -9", "ours": "SIGTERM"}
"""How every node is ended, by the make that formatted."""
CREATE_TIMEOUT_MS = 30_000
MAX_DIFFERENCES = 20
"""Lines of them that are shown."""
DUMPED = ("*.log", "*.checkpoint", "*.index", "*.timeindex", "*.snapshot", "leader-epoch-checkpoint")
EXPLAINED = (
    # The beginning of every segment but the first is no gap.
    re.compile(r"^Non-consecutive offsets in .*/0*(\d+)\.log\n  -1 is followed by \1\n", re.MULTILINE),
    # Our shell tells a snapshot's position in the log, Kafka's that of a batch in the file.
    re.compile(r"^  offset \d+, epoch \d+, time \S+\n", re.MULTILINE),
)
"""What only one tool prints, or each in its own way."""


FAULT = re.compile(r"Encountered .* fault|Traceback|\bFATAL\b")
"""What a node of either implementation says when it cannot go on as it should."""


class NodeFaultError(Exception):
    """A node speaks of a fault; the text has its log and the line."""


class DisksError(Exception):
    """A node did not find on a disk what was there, or two tools say different things of it."""


@dataclass(slots=True, kw_only=True)
class DisksResult:
    """What happened in a run."""

    taken_over: list[str] = field(default_factory=list)
    """Each as the make that was ended, how, and the make that went on."""
    led: list[str] = field(default_factory=list)
    """Makes that led a quorum with the other one's disk."""
    writes: int = 0
    longest_gap_s: float = 0.0
    """Between two acknowledged writes of a quorum."""
    lines_compared: int = 0
    """Of the tools of both implementations."""


def taken_over(node: Node, node_class: NodeClass) -> Node:
    """A node of that class, not started yet, in the place of one that has ended: same folder, same properties."""
    assert not node.process.is_running, "the node runs still"
    return node_class(node.directory, node.properties)


class Disks:
    """A quorum of three stock voters, whose disks then change hands."""

    def __init__(self, folder: Path, tell: Tell, kraft_version: int) -> None:
        """Nothing runs yet."""
        self._notify = tell
        self.mixed = MixedQuorum(quorum_of_three(folder, stock=3, kraft_version=kraft_version), tell)
        self.outcome = DisksResult()

    def hand_over(self, load: QuotaLoad, to: str, ends: Sequence[str]) -> None:
        """Every node goes to the make `to`; the first one has to lead. `ends` are how the three nodes are ended.

        Raises DisksError and WaitedTooLongError.
        """
        leader = self.mixed.leader()
        first, behind = (node for node in self.mixed.quorum.nodes.values() if node is not leader)
        load.wait_for_more(WRITES)
        load.take_gap_s()
        first = self._take_over(first, ends[0], to)
        self.mixed.wait_until_followed(first)
        load.wait_for_more(WRITES)
        # What is written now the node that is down misses: when the leader goes, only the first can be elected.
        ENDS[ends[1]](behind)
        load.wait_for_more(WRITES)
        self.mixed.wait_until_followed(first)
        ENDS[ends[2]](leader)
        self._start(behind, ends[1], to)
        if self.mixed.leader() is not first:
            raise DisksError(f"node {first.node_id}, the only one with all of the log, does not lead")
        self.outcome.led.append(to)
        load.wait_for_more(WRITES)
        last = self._start(leader, ends[2], to)
        self.mixed.wait_until_followed(last)
        gap_s = load.take_gap_s()
        self.outcome.longest_gap_s = max(self.outcome.longest_gap_s, gap_s)
        self._notify(
            f"node {first.node_id} led as {to}; all nodes are {to}; {load.writes} writes so far, at most"
            f" {gap_s:.2f} s without one (while one of three ran, none could be)"
        )

    def finish(self, load: QuotaLoad) -> list[Path]:
        """Ends all; what was acknowledged must be there, in replicas that agree. Returns where they lie."""
        self.outcome.writes += self.mixed.finish(load).writes
        return [node.metadata_log_directory for node in self.mixed.quorum.nodes.values()]

    def _take_over(self, node: Node, how: str, to: str) -> Node:
        ENDS[how](node)
        return self._start(node, how, to)

    def _start(self, ended: Node, how: str, to: str) -> Node:
        successor = taken_over(ended, IMPLEMENTATIONS[to])
        successor.start()
        self.mixed.quorum.nodes[ended.node_id] = successor
        note = f"{ended.kind}, {how}, {to}"
        self.outcome.taken_over.append(note)
        self._notify(f"node {ended.node_id}: {note}")
        return successor


def run_sole(folder: Path, first: str, outcome: DisksResult, tell: Tell) -> Path:
    """A node with both roles, formatted by one implementation and started by the other, is the first one's again.

    Returns where its metadata log lies.

    Raises DisksError, LostWriteError, ReplicasDifferError and WaitedTooLongError.
    """
    (second,) = IMPLEMENTATIONS.keys() - {first}
    how = SOLE_ENDS[first]
    properties = {**combined_properties(folder / "data"), **SOLE}
    node = IMPLEMENTATIONS[first](folder, properties)
    node.format(CLUSTER_ID)
    identity = node.meta_properties
    topics: dict[str, int] = {}
    with ExitStack() as stack:
        load = stack.enter_context(QuotaLoad([node.bootstrap_controller]))
        for number, kind in enumerate((second, first, second)):
            node = IMPLEMENTATIONS[kind](folder, properties)
            stack.callback(node.close)
            node.start()
            _check_topics(node, topics)
            topic = f"made-by-{kind}-{number}"
            _create(node, topic)
            topics[topic] = node.node_id
            _check_topics(node, topics)
            load.wait_for_more(WRITES)
            ENDS[how](node)
            outcome.taken_over.append(f"{kind}, {how}")
        load.stop()
    if node.meta_properties != identity:
        raise DisksError(f"{node.data_directory}: {node.meta_properties} was {identity}")
    check_agreement([node.metadata_log_directory])
    load.check([node.metadata_log_directory])
    outcome.writes += load.writes
    tell(
        f"a sole node formatted by {first}, then {', '.join((second, first, second))}, each ended by {how}: all there"
    )
    return node.metadata_log_directory


def _create(node: Node, name: str) -> None:
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
    with connect(node.bootstrap_server, timeout_ms=CREATE_TIMEOUT_MS) as client:
        response = client.send(CreateTopicsRequest(topics=[topic], timeout_ms=CREATE_TIMEOUT_MS))
    assert isinstance(response, CreateTopicsResponse)
    if response.topics[0].error_code:
        raise DisksError(f"{name} was not created: {response}")


def _check_topics(node: Node, leaders: Mapping[str, int]) -> None:
    """Waits until the node shows just these topics, with these leaders."""
    expected = {(name, 0): leader for name, leader in leaders.items()}

    def are_led() -> bool:
        try:
            shown = partitions(node.bootstrap_server)
        except OSError:
            return False
        return {place: partition.leader_id for place, partition in shown.items()} == expected

    wait_until(are_led, WAIT_S, f"{node.kind} to lead {sorted(leaders)}")


def check_no_faults(folder: Path) -> None:
    """Raises NodeFaultError with the lines in which nodes whose logs lie below a folder speak of faults."""
    found = [
        f"{path.relative_to(folder)}: {line}"
        for path in sorted(folder.rglob("*.err"))
        for line in path.read_text(errors="replace").splitlines()
        if FAULT.search(line)
    ]
    if found:
        raise NodeFaultError("\n".join(found))


def compare_tools(clusters: Sequence[Sequence[Path]], tell: Tell) -> int:
    """The number of lines that kafka-dump-log and kafka-metadata-shell of both implementations print alike.

    Raises DisksError with what differs, but for what is `EXPLAINED`. Left out are indexes without any entry, as a stock
    node that was killed leaves them: Kafka's tool takes their zeros for one.
    """
    logs = [log for cluster in clusters for log in cluster]
    found = sorted(path for log in logs for pattern in DUMPED for path in log.glob(pattern))
    files = [path for path in found if path.stat().st_size == 0 or any(path.read_bytes())]
    dump = ("kafka-dump-log", "--cluster-metadata-decoder", "--files", ",".join(map(str, files)))
    theirs = run_tool(*dump)
    lines = _compare(dump, theirs.output() + theirs.stderr)
    for cluster in clusters:
        # A log that begins behind its first record says nothing by itself, a snapshot says everything.
        snapshot = max(
            (path for log in cluster for path in log.glob("*.checkpoint")), key=lambda path: path.name
        )
        if snapshot.name.startswith(f"{0:020}"):
            raise DisksError(f"{snapshot.parent} has no snapshot yet")
        (tree,) = ask_shell(snapshot, ["tree /image"])
        lines += _compare(("kafka-metadata-shell", "--snapshot", str(snapshot), "tree", "/image"), tree)
    tell(f"the tools of both implementations print the same {lines} lines of {len(files)} files")
    return lines


def _compare(command: Sequence[str], theirs: str) -> int:
    """How many lines our tool prints, which have to be those that Kafka's printed."""
    tool, *arguments = command
    done = run_command([str(BIN / tool), "--secrets", *arguments])
    done.check_returncode()
    ours, stock = _without_explained(done.stdout + done.stderr), _without_explained(theirs)
    if stock != ours:
        differences = islice(unified_diff(stock, ours, "stock", "ours", n=0), MAX_DIFFERENCES)
        raise DisksError("\n".join([f"{' '.join(command)}:", *differences]))
    return len(ours)


def _without_explained(printed: str) -> list[str]:
    for pattern in EXPLAINED:
        printed = pattern.sub("", printed)
    return printed.splitlines()


def run(folder: Path, *, tell: Tell, rounds: int = 1, kraft_version: int = 1) -> DisksResult:
    """A quorum there and back that often, then sole nodes formatted by each implementation.

    Raises DisksError, NodeFaultError, MixedRunError, WaitedTooLongError, ReplicasDifferError or LostWriteError.
    """
    with ExitStack() as stack:
        disks = Disks(folder / "quorum", tell, kraft_version)
        stack.enter_context(disks.mixed.quorum)
        disks.mixed.start()
        load = stack.enter_context(QuotaLoad(disks.mixed.servers))
        for number in range(rounds):
            ends = ("SIGTERM", "kill -9", "SIGTERM") if number % 2 == 0 else ("kill -9", "SIGTERM", "kill -9")
            disks.hand_over(load, OurNode.kind, ends)
            disks.hand_over(load, StockNode.kind, ends)
        clusters = [disks.finish(load)]
    for kind in IMPLEMENTATIONS:
        clusters.append([run_sole(folder / f"sole-{kind}", kind, disks.outcome, tell)])
    check_no_faults(folder)
    disks.outcome.lines_compared = compare_tools(clusters, tell)
    return disks.outcome
