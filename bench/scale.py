"""What a broker with very many replicas costs the cluster when it goes and comes: nobody else may have to wait.

Three controllers and three brokers of ours, each a process, with so many partitions x 3 replicas: each broker has all
of them. There is no data in the topics, so that a replica that has left an ISR stays out of it: the brokers go one
after the other.

- silence: the process of the first is held (SIGSTOP), until the controllers fence it by its session;
- return: its process goes on, until the broker is unfenced;
- proof: the second gets SIGKILL, until it is fenced because its process is provably gone;
- restart: until its new process is unfenced;
- shutdown: the third, which leads everything now, gets SIGTERM, until its process has ended;
- start: until its new process is unfenced, and leads everything again.

For each: seconds until then; elections of the quorum meanwhile; the longest that the event loop of the leader, of a
follower and of a broker that stays kept the processor at a time (upper bound of the bucket of /metrics); and the
longest that another client waited for ApiVersions at the leader and for DescribeCluster at a broker.

    bin/bench scale [--partitions 300000] [--give-up 180]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from bench._filling import REQUEST_TIMEOUT_MS, create_topics
from bench._implementations import HTTP_KEY, IMPLEMENTATIONS, end_in_order_when_told
from bench._repeated import Repeated, pings
from bench._scrape import longest_turn_ms, scrape
from compat.cluster import Cluster
from compat.node import Node
from compat.process import WaitedTooLongError, wait_until
from compat.quorum import connect, describe_quorum
from kafkaproto.messages import DescribeClusterRequest

PARTITIONS_PER_TOPIC = 1_000
REPLICAS = 3
FENCED = "kafka_controller_kafkacontroller_fencedbrokercount"
STAYS_S = 2.0
"""A broker's last records have to be committed and applied everywhere before the next thing happens."""
PARTS = ("silence", "return", "proof", "restart", "shutdown", "start")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one thing that happened to the broker cost."""

    part: str
    seconds: float
    done: bool
    elections: int
    leader_ms: float
    follower_ms: float
    broker_ms: float
    api_versions_ms: float
    describe_cluster_ms: float

    def line(self) -> str:
        """One line of the table."""
        end = f"{self.seconds:>9.2f}" if self.done else f"{'not in':>6} {self.seconds:.0f}"
        return (
            f"{self.part:10}{end} s{self.elections:>11}{self.leader_ms:>10.0f}{self.follower_ms:>10.0f}"
            f"{self.broker_ms:>10.0f}{self.api_versions_ms:>15.1f}{self.describe_cluster_ms:>18.1f}"
        )


HEAD = (
    f"{'':10}{'until':>10} {'elections':>12}{'leader':>10}{'follower':>10}{'broker':>10}"
    f"{'ApiVersions':>15}{'DescribeCluster':>18}"
)


def describe_clusters(node: Node) -> Repeated:
    """Ask a broker for something small again and again."""
    client = connect(node.bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS)
    return Repeated(lambda: client.send(DescribeClusterRequest()), client.close, 0.005)


def samples(node: Node) -> Mapping[str, float]:
    """What the node's /metrics say."""
    return scrape(node.properties[HTTP_KEY])


def epoch(cluster: Cluster) -> int:
    """The epoch of the quorum's leader."""
    with connect(cluster.quorum.leader().bootstrap_controller) as client:
        return describe_quorum(client).leader_epoch


def fenced_brokers(cluster: Cluster) -> float:
    """How many brokers are fenced by what is committed, as any controller knows; -1 while nobody answers."""
    for node in cluster.quorum.nodes.values():
        try:
            found = samples(node)
        except OSError:
            continue
        if found.get("kafka_controller_kafkacontroller_activecontrollercount") == 1:
            return found[FENCED]
    return -1


class Scale:
    """A cluster of ours, full of partitions, and the broker that things happen to."""

    def __init__(self, cluster: Cluster, partitions: int, give_up_s: float) -> None:
        self.cluster = cluster
        self.give_up_s = give_up_s
        self.brokers = list(cluster.brokers.values())
        with connect(cluster.quorum.leader().bootstrap_controller, timeout_ms=REQUEST_TIMEOUT_MS) as client:
            for number in range(partitions // PARTITIONS_PER_TOPIC):
                create_topics(client, [f"topic-{number}"], PARTITIONS_PER_TOPIC, REPLICAS)

    def measure(self, part: str, stays: Node, do: Callable[[], object], is_done: Callable[[], bool]) -> Row:
        """Do it, and watch everybody else until it is done."""
        time.sleep(STAYS_S)
        leader = self.cluster.quorum.leader()
        follower = next(node for node in self.cluster.quorum.nodes.values() if node is not leader)
        watched = (leader, follower, stays)
        epoch_before, before = epoch(self.cluster), [samples(node) for node in watched]
        with pings(leader) as api_versions, describe_clusters(stays) as clusters:
            begin = time.perf_counter()
            do()
            try:
                wait_until(is_done, self.give_up_s, part)
                done = True
            except WaitedTooLongError:
                done = False
            seconds = time.perf_counter() - begin
            # What follows from it, where it is published and applied, counts too.
            time.sleep(STAYS_S)
        turns = [longest_turn_ms(old, samples(node)) for old, node in zip(before, watched, strict=True)]
        return Row(
            part=part,
            seconds=seconds,
            done=done,
            elections=epoch(self.cluster) - epoch_before,
            leader_ms=turns[0],
            follower_ms=turns[1],
            broker_ms=turns[2],
            api_versions_ms=api_versions.take()[1],
            describe_cluster_ms=clusters.take()[1],
        )

    def run(self, part: str) -> Row:
        """One of `PARTS`."""
        first, second, third = self.brokers
        match part:
            case "silence":
                stop = partial(os.kill, first.process.pid, signal.SIGSTOP)
                return self.measure(part, second, stop, self._is_fenced)
            case "return":
                go_on = partial(os.kill, first.process.pid, signal.SIGCONT)
                return self.measure(part, second, go_on, self._is_back)
            case "proof":
                return self.measure(part, first, second.kill, self._is_fenced)
            case "restart":
                return self.measure(part, first, partial(second.start, self.give_up_s), self._is_back)
            case "shutdown":
                end = partial(third.stop, self.give_up_s)
                return self.measure(part, first, end, lambda: not third.process.is_running)
            case _:
                return self.measure(part, first, partial(third.start, self.give_up_s), self._is_back)

    def _is_fenced(self) -> bool:
        return fenced_brokers(self.cluster) == 1

    def _is_back(self) -> bool:
        return fenced_brokers(self.cluster) == 0


def main() -> None:
    """Take a broker through all parts, print a table and one line of JSON."""
    end_in_order_when_told()
    parser = argparse.ArgumentParser(prog="bin/bench scale", description=__doc__.splitlines()[0])
    parser.add_argument("--partitions", type=int, default=300_000)
    parser.add_argument("--give-up", type=float, default=180.0, help="seconds for each part (180)")
    arguments = parser.parse_args()
    rows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Cluster(IMPLEMENTATIONS["ours"], IMPLEMENTATIONS["ours"], Path(folder)) as cluster,
    ):
        cluster.format()
        cluster.start()
        scale = Scale(cluster, arguments.partitions, arguments.give_up)
        print(f"{arguments.partitions:,} partitions x {REPLICAS} on {len(cluster.brokers)} brokers; ms")
        print(HEAD, flush=True)
        for part in PARTS:
            rows.append(scale.run(part))
            print(rows[-1].line(), flush=True)
    print(json.dumps([asdict(row) for row in rows]))


if __name__ == "__main__":
    main()
