"""A new voter joins: how long it needs for a log of 1,000,000 records, and for a snapshot of 200,000 partitions.

Three controllers of one implementation get the log or the snapshot, then a fourth starts with an empty directory and
controller.quorum.auto.join.enable. Counted from the start of its process: when the leader first hears of it, when it
has all that the leader had, when it is a voter. Megabytes are those of the leader's files. Meanwhile the leader is
pinged every few milliseconds, and the slowest answer shows how long its event loop did not turn; the same before the
new replica came stands beside it. Of ours the longest stall that the leader itself measured meanwhile is shown too.

    bin/bench catchup [--records 1000000] [--partitions 200000] [--implementations stock,ours]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench._brokers import PlaceholderBrokers
from bench._filling import BYTES_BETWEEN_SNAPSHOTS, Filled, log_bytes, log_end, newest_snapshot
from bench._implementations import HTTP_KEY, IMPLEMENTATIONS, end_in_order_when_told
from bench._repeated import pings
from bench._scrape import longest_stall_ms, scrape
from compat.quorum import Quorum, describe_quorum
from kafkaproto.client import Client

VOTERS = 3
NEW_VOTER_ID = 4
NEVER = str(2**62)
"""Bytes of records between two snapshots that no log here has."""
QUIET_S = 3.0
GIVE_UP_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """How one new replica did."""

    filled_s: float
    """What it took to write the log, or the partitions and their snapshot."""
    megabytes: float
    heard_s: float
    """Until the leader knew of it: the start of its process."""
    caught_up_s: float
    voter_s: float
    ping_before_ms: tuple[float, float]
    """p99 and slowest answer of the leader while it had nothing to do."""
    ping_ms: tuple[float, float]
    """The same while the new replica caught up."""
    stall_ms: float | None
    """The longest time in which the leader's event loop did not turn, rounded up; only ours tells."""

    @property
    def megabytes_per_second(self) -> float:
        """From being heard of to having it all."""
        return self.megabytes / (self.caught_up_s - self.heard_s)


def join(
    quorum: Quorum, filled: Filled, properties: Mapping[str, str], *, size_bytes: int, filled_s: float
) -> Joined:
    """Have a new replica join, and watch it from the leader."""
    leader, client = filled.leader, filled.client
    new_voter = quorum.new_voter(NEW_VOTER_ID, {**properties, "controller.quorum.auto.join.enable": "true"})
    heard = caught_up = 0.0
    stall = None
    http = leader.properties.get(HTTP_KEY)
    with pings(leader) as pinger:
        pinger.take()
        time.sleep(QUIET_S)
        before = pinger.take()
        target = log_end(client)
        at_begin = scrape(http) if http is not None else {}
        begin = time.perf_counter()
        starting = threading.Thread(target=new_voter.start, kwargs={"timeout_s": GIVE_UP_S})
        starting.start()
        for is_voter, end_offset in watch(client):
            now = time.perf_counter() - begin
            heard = heard or now
            if end_offset >= target and not caught_up:
                caught_up = now
                during = pinger.take()
                if http is not None:
                    stall = longest_stall_ms(at_begin, scrape(http))
            if is_voter:
                break
        voter = time.perf_counter() - begin
        starting.join()
    return Joined(
        filled_s=filled_s,
        megabytes=size_bytes / 1e6,
        heard_s=heard,
        caught_up_s=caught_up,
        voter_s=voter,
        ping_before_ms=before,
        ping_ms=during,
        stall_ms=stall,
    )


def watch(client: Client) -> Iterator[tuple[bool, int]]:
    """Whether the new replica is a voter and how far it is, each time the leader tells of it."""
    end = time.monotonic() + GIVE_UP_S
    while time.monotonic() < end:
        response = describe_quorum(client)
        for replicas, are_voters in ((response.current_voters, True), (response.observers, False)):
            for replica in replicas:
                if replica.replica_id == NEW_VOTER_ID:
                    yield are_voters, replica.log_end_offset
        time.sleep(0.01)
    raise TimeoutError(f"node {NEW_VOTER_ID} did not join within {GIVE_UP_S} s")


def run(implementation: str, folder: Path, what: str, amount: int) -> Joined:
    """One new replica to a quorum of one implementation."""
    between = NEVER if what == "log" else str(BYTES_BETWEEN_SNAPSHOTS)
    properties = {
        "metadata.log.max.record.bytes.between.snapshots": between,
        "metadata.log.max.snapshot.interval.ms": "0",
    }
    with ExitStack() as stack:
        quorum = stack.enter_context(Quorum(IMPLEMENTATIONS[implementation], folder, VOTERS, properties))
        quorum.format()
        quorum.start()
        stack.enter_context(PlaceholderBrokers(quorum.leader))
        filled = Filled(quorum.leader())
        begin = time.perf_counter()
        if what == "log":
            filled.records(amount)
            size = log_bytes(filled.leader)
        else:
            filled.partitions(amount)
            size = newest_snapshot(filled.leader)[1]
        return join(quorum, filled, properties, size_bytes=size, filled_s=time.perf_counter() - begin)


def line(implementation: str, what: str, joined: Joined) -> str:
    """One line of the table."""
    stall = "" if joined.stall_ms is None else f"{f'<={joined.stall_ms:g}':>9}"
    return (
        f"{implementation:7}{what:10}{joined.filled_s:>9.1f}{joined.megabytes:>8.1f}{joined.heard_s:>9.2f}{joined.caught_up_s:>11.2f}"
        f"{joined.voter_s:>9.2f}{joined.megabytes_per_second:>8.1f}"
        f"{joined.ping_before_ms[0]:>9.1f}/{joined.ping_before_ms[1]:<7.1f}"
        f"{joined.ping_ms[0]:>8.1f}/{joined.ping_ms[1]:<7.1f}{stall}"
    )


def main() -> None:
    """Run both implementations and print the table, then one line of JSON."""
    end_in_order_when_told()
    parser = argparse.ArgumentParser(prog="bin/bench catchup", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--records", type=int, default=1_000_000, help="records of the log (1000000); 0: none"
    )
    parser.add_argument("--partitions", type=int, default=200_000, help="of the snapshot (200000); 0: none")
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(IMPLEMENTATIONS))
    arguments = parser.parse_args()
    results: dict[str, dict[str, float]] = {}
    print(
        f"{'':17}{'filled s':>9}{'MB':>8}{'heard s':>9}{'has all s':>11}{'voter s':>9}{'MB/s':>8}"
        f"{'ping ms quiet':>17}{'catching up':>16}{'stall ms':>9}   (ping: p99/slowest)"
    )
    for what, amount in (("log", arguments.records), ("snapshot", arguments.partitions)):
        for implementation in arguments.implementations if amount else ():
            with tempfile.TemporaryDirectory() as folder:
                joined = run(implementation, Path(folder), what, amount)
            print(line(implementation, what, joined), flush=True)
            results[f"{implementation} {what}"] = {
                "filled_s": round(joined.filled_s, 1),
                "MB": round(joined.megabytes, 1),
                "caught_up_s": round(joined.caught_up_s, 2),
                "voter_s": round(joined.voter_s, 2),
                "MB/s": round(joined.megabytes_per_second, 1),
                "slowest_ping_ms": round(joined.ping_ms[1], 1),
                **({} if joined.stall_ms is None else {"stall_ms": joined.stall_ms}),
            }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
