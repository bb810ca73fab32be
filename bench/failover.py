"""How long a quorum of three takes no writes when its leader is killed, and when it is asked to stop.

A writer writes to the active controller without pause (IncrementalAlterConfigs, one request in flight). Then the leader
gets SIGKILL, and the writer tries the other two nodes at once, again and again, until one of them acknowledges: the
time from the signal to that is the row "kill". The killed node is started again, and the next round begins once it
follows. For "stop" the leader gets SIGTERM while the writer tries all three; counted is the longest time between two
acknowledgements from the signal until another node has acknowledged. A client's own search for the new leader is no
part of either.

    bin/bench failover [--rounds 30] [--stops 10] [--stock-rounds N] [--implementations stock,ours]
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import signal
import statistics
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import count, pairwise
from pathlib import Path

from bench._implementations import IMPLEMENTATIONS, end_in_order_when_told
from bench._writers import Writer, alter_broker_default, percentile
from compat.node import Node
from compat.process import wait_until
from compat.quorum import Quorum, connect, describe_quorum

VOTERS = 3
STEADY_S = 1.0
"""The writer's time before the leader goes, with all three nodes up."""
RETRY_S = 0.002
"""Between two tries at a node that is not the active controller."""
GIVE_UP_S = 60.0


@dataclass(slots=True)
class Attempts:
    """A writer for each node: what the active controller acknowledges, and when."""

    writers: dict[int, Writer] = field(default_factory=dict)
    retry_at: dict[int, float] = field(default_factory=dict)
    numbers: Iterable[int] = field(default_factory=count)
    acknowledged: list[tuple[float, int]] = field(default_factory=list)
    """Time and node of each acknowledgement."""

    def connect(self, nodes: Iterable[Node]) -> None:
        """Connect to each node."""
        for node in nodes:
            next_number = partial(next, iter(self.numbers))
            self.writers[node.node_id] = Writer(
                node.bootstrap_controller, alter_broker_default(), next_number
            )
            self.retry_at[node.node_id] = 0.0

    def close(self) -> None:
        """Hang up everywhere."""
        for node_id in list(self.writers):
            self.drop(node_id)

    def drop(self, node_id: int) -> None:
        """Forget a node."""
        self.writers.pop(node_id).close()

    def run(self, seconds: float, *, until_other_than: int | None = None) -> None:
        """Write to every node that takes it; until the time is over or another than this node has acknowledged."""
        end = time.perf_counter() + seconds
        while (now := time.perf_counter()) < end:
            selector = selectors.DefaultSelector()
            for node_id, writer in list(self.writers.items()):
                if not writer.is_waiting and self.retry_at[node_id] <= now:
                    self._write(node_id, writer)
                if node_id in self.writers:
                    selector.register(writer.socket, selectors.EVENT_READ, node_id)
            for key, _ in selector.select(RETRY_S):
                self._take_response(key.data)
            selector.close()
            if until_other_than is not None and self.was_acknowledged_by_other_than(until_other_than):
                return

    def was_acknowledged_by_other_than(self, node_id: int) -> bool:
        """Whether the latest acknowledgement came from another node."""
        return bool(self.acknowledged) and self.acknowledged[-1][1] != node_id

    def _write(self, node_id: int, writer: Writer) -> None:
        try:
            writer.write()
        except OSError:
            self.drop(node_id)

    def _take_response(self, node_id: int) -> None:
        try:
            code = self.writers[node_id].answer()
        except OSError:
            self.drop(node_id)
            return
        if code == 0:
            self.acknowledged.append((time.perf_counter(), node_id))
        elif code is not None:
            self.retry_at[node_id] = time.perf_counter() + RETRY_S


@dataclass(slots=True)
class Measurements:
    """What the rounds of one implementation gave, in milliseconds."""

    kill: list[float] = field(default_factory=list)
    stop: list[float] = field(default_factory=list)
    comeback: list[float] = field(default_factory=list)
    """From the start of the killed process to its having all of the leader's log."""


def wait_until_follows(leader: Node, node_id: int) -> None:
    """Return once a node has all that the leader had when this was called."""
    with connect(leader.bootstrap_controller) as client:
        voters = describe_quorum(client).current_voters
        target = max(voter.log_end_offset for voter in voters)

        def follows() -> bool:
            voters = describe_quorum(client).current_voters
            return any(voter.replica_id == node_id and voter.log_end_offset >= target for voter in voters)

        wait_until(follows, GIVE_UP_S, f"node {node_id} to follow")


def gap_ms(begin: float, acknowledged: Iterable[tuple[float, int]]) -> float:
    """The longest time without an acknowledgement, from ``begin`` on."""
    times = [begin, *(when for when, _ in acknowledged if when > begin)]
    return max(after - before for before, after in pairwise(times)) * 1000


def one_round(quorum: Quorum, number: signal.Signals) -> tuple[float, float]:
    """Lose the leader by a signal: milliseconds without acknowledgement, and until it was back."""
    leader = quorum.leader()
    others = [node for node in quorum.nodes.values() if node is not leader]
    attempts = Attempts()
    is_kill = number is signal.SIGKILL
    attempts.connect([leader])
    attempts.run(STEADY_S)
    assert attempts.acknowledged, f"node {leader.node_id} leads and acknowledges nothing"
    attempts.connect(others)
    begin = time.perf_counter()
    os.kill(leader.process.pid, number)
    if is_kill:
        # An answer on its way when the process died would count as taken after its death.
        attempts.drop(leader.node_id)
    attempts.run(GIVE_UP_S, until_other_than=leader.node_id)
    attempts.close()
    assert attempts.was_acknowledged_by_other_than(leader.node_id), f"no new leader within {GIVE_UP_S} s"
    gap = gap_ms(begin, attempts.acknowledged)
    if is_kill:
        leader.kill()
    else:
        leader.stop()
    restarted = time.perf_counter()
    leader.start()
    wait_until_follows(quorum.leader(), leader.node_id)
    return gap, (time.perf_counter() - restarted) * 1000


def run_implementation(implementation: str, folder: Path, kills: int, stops: int) -> Measurements:
    """All rounds of one implementation."""
    measurements = Measurements()
    with Quorum(IMPLEMENTATIONS[implementation], folder, VOTERS) as quorum:
        quorum.format()
        quorum.start()
        for _ in range(kills):
            gap, comeback = one_round(quorum, signal.SIGKILL)
            measurements.kill.append(gap)
            measurements.comeback.append(comeback)
        for _ in range(stops):
            measurements.stop.append(one_round(quorum, signal.SIGTERM)[0])
    return measurements


def line(implementation: str, what: str, values: list[float]) -> str:
    """One line of the table."""
    values = sorted(values)
    return (
        f"{implementation:8}{what:10}{len(values):>7}{values[0]:>10.1f}{percentile(values, 0.5):>10.1f}"
        f"{percentile(values, 0.99):>10.1f}{values[-1]:>10.1f}"
    )


def main() -> None:
    """Run both implementations and print the table, then one line of JSON."""
    end_in_order_when_told()
    parser = argparse.ArgumentParser(prog="bin/bench failover", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30, help="kills of the leader (30)")
    parser.add_argument("--stops", type=int, default=10, help="graceful stops of the leader (10)")
    parser.add_argument("--stock-rounds", type=int, help="kills for stock Kafka, where that takes too long")
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(IMPLEMENTATIONS))
    arguments = parser.parse_args()
    print(f"{'ms':8}{'':10}{'rounds':>7}{'min':>10}{'p50':>10}{'p99':>10}{'max':>10}")
    results: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for implementation in arguments.implementations:
            kills = arguments.rounds
            if implementation == "stock" and arguments.stock_rounds is not None:
                kills = arguments.stock_rounds
            measurements = run_implementation(
                implementation, Path(folder) / implementation, kills, arguments.stops
            )
            results[implementation] = {}
            for what in ("kill", "stop", "comeback"):
                values = getattr(measurements, what)
                if values:
                    print(line(implementation, what, values), flush=True)
                    results[implementation][what] = [round(value, 1) for value in values]
    for what in ("kill", "stop", "comeback"):
        if all(what in results.get(implementation, {}) for implementation in IMPLEMENTATIONS):
            ratio = statistics.median(results["ours"][what]) / statistics.median(results["stock"][what])
            print(f"ours/stock of medians: {what} {ratio:.3f}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
