"""What writing a snapshot costs: how long it takes, and how long the leader's event loop stands still meanwhile.

Three controllers of one implementation get partitions. Then a writer changes a config without pause (one request
in flight), and the time limit of snapshots makes every node write one again and again. The leader is pinged every few
milliseconds until it has written two of them. The slowest answer shows how long its event loop did not turn, or
how long it did not get a processor: the three nodes share this machine's. Of ours the longest stall that the leader
itself measured is shown too, and the time that it reports for writing one.

    bin/bench snapshot [--partitions 200000] [--implementations stock,ours]
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench._brokers import PlaceholderBrokers
from bench._filling import BYTES_BETWEEN_SNAPSHOTS, Filled, newest_snapshot
from bench._implementations import HTTP_KEY, IMPLEMENTATIONS, end_in_order_when_told
from bench._repeated import pings, writes
from bench._scrape import longest_stall_ms, scrape
from compat.node import Node
from compat.process import wait_until
from compat.quorum import Quorum

VOTERS = 3
INTERVAL_MS = 10_000
"""Between two snapshots of a node, while they are written for their age."""
SNAPSHOTS = 2
"""That the leader writes while it is watched."""
GIVE_UP_S = 300.0
_WROTE = re.compile(r"wrote a snapshot to offset \d+: \d+ bytes in ([\d.]+) s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What it was like."""

    megabytes: float
    seconds: float | None
    """Time that the leader says it took; only ours tells."""
    ping_ms: tuple[float, float]
    """p99 and slowest answer of the leader."""
    write_ms: tuple[float, float]
    """The same of the writer's acknowledgements."""
    stall_ms: float | None
    """The longest time in which the leader's event loop did not turn, rounded up; only ours tells."""


def watch(leader: Node) -> Written:
    """Watch a leader until it has written its snapshots."""
    http = leader.properties.get(HTTP_KEY)
    with pings(leader) as pinger, writes(leader) as writer:
        wait_for_snapshots(leader, 1)
        at_begin = scrape(http) if http is not None else {}
        pinger.take()
        writer.take()
        wait_for_snapshots(leader, SNAPSHOTS)
        ping_ms, write_ms = pinger.take(), writer.take()
        stall_ms = None if http is None else longest_stall_ms(at_begin, scrape(http))
    return Written(
        megabytes=newest_snapshot(leader)[1] / 1e6,
        seconds=seconds_of_writing(leader),
        ping_ms=ping_ms,
        write_ms=write_ms,
        stall_ms=stall_ms,
    )


def wait_for_snapshots(leader: Node, number: int) -> None:
    """Return when a node has written so many more."""
    for _ in range(number):
        wait_for_snapshot(leader)


def wait_for_snapshot(leader: Node) -> None:
    """Return when a node has written one more."""
    before = newest_snapshot(leader)
    wait_until(lambda: newest_snapshot(leader) != before, GIVE_UP_S, "the next snapshot")


def seconds_of_writing(leader: Node) -> float | None:
    """The longest of the times that a node reports."""
    reported = [float(match[1]) for match in _WROTE.finditer(leader.process.err_path.read_text())]
    return max(reported[-SNAPSHOTS:], default=None)


def run(implementation: str, folder: Path, partitions: int) -> Written:
    """One quorum of one implementation."""
    properties = {
        "metadata.log.max.record.bytes.between.snapshots": str(BYTES_BETWEEN_SNAPSHOTS),
        "metadata.log.max.snapshot.interval.ms": str(INTERVAL_MS),
    }
    with ExitStack() as stack:
        quorum = stack.enter_context(Quorum(IMPLEMENTATIONS[implementation], folder, VOTERS, properties))
        quorum.format()
        quorum.start()
        stack.enter_context(PlaceholderBrokers(quorum.leader))
        leader = quorum.leader()
        Filled(leader).partitions(partitions)
        return watch(leader)


def main() -> None:
    """Run both implementations and print the table, then one line of JSON."""
    end_in_order_when_told()
    parser = argparse.ArgumentParser(prog="bin/bench snapshot", description=__doc__.splitlines()[0])
    parser.add_argument("--partitions", type=int, default=200_000, help="default: 200000")
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(IMPLEMENTATIONS))
    arguments = parser.parse_args()
    results: dict[str, dict[str, float | None]] = {}
    print(
        f"{'':7}{'partitions':>11}{'MB':>8}{'written in s':>14}{'ping ms':>16}{'write ms':>16}{'stall ms':>10}"
    )
    for implementation in arguments.implementations:
        with tempfile.TemporaryDirectory() as folder:
            written = run(implementation, Path(folder), arguments.partitions)
        seconds = "" if written.seconds is None else f"{written.seconds:.1f}"
        stall = "" if written.stall_ms is None else f"<={written.stall_ms:g}"
        ping, write = (f"{p99:.1f}/{slowest:.1f}" for p99, slowest in (written.ping_ms, written.write_ms))
        print(
            f"{implementation:7}{arguments.partitions:>11}{written.megabytes:>8.1f}{seconds:>14}{ping:>16}{write:>16}{stall:>10}",
            flush=True,
        )
        results[implementation] = {
            "MB": round(written.megabytes, 1),
            "written_s": written.seconds,
            "slowest_ping_ms": round(written.ping_ms[1], 1),
            "slowest_write_ms": round(written.write_ms[1], 1),
            "stall_ms": written.stall_ms,
        }
    print("ping and write: p99/slowest")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
