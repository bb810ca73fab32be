"""Commits a second and commit latency of a quorum of three, by number of writers: ours beside Apache Kafka's.

Three controllers of one implementation as processes on the loopback, the voters in their log, appends synced.
Writers keep one request each in flight to the active controller: CreateTopics (one partition on one broker) and
IncrementalAlterConfigs (one key of one topic). The two run one after the other, with the same load from the same
process. Of ours it is also told, from the leader's /metrics, where the time of a commit went.

    bin/bench quorum [--writers 1,16,64,256] [--seconds 10] [--warm-up 3] [--implementations stock,ours]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from bench._brokers import PlaceholderBrokers
from bench._implementations import HTTP_KEY, IMPLEMENTATIONS, end_in_order_when_told
from bench._scrape import CommitSplit, scrape
from bench._writers import Load, Template, Writer, alter_topic, create_topics, run_load
from compat.node import Node
from compat.quorum import Quorum

VOTERS = 3
JIT_WARM_UP_WRITERS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One stretch of load on one implementation."""

    api: str
    writers: int
    implementation: str
    load: Load
    split: CommitSplit | None
    """Where the time went; only ours tells."""

    def line(self, stock: Row | None) -> str:
        """One line of the table."""
        load = self.load
        text = (
            f"{self.api:24}{self.writers:>8} {self.implementation:6}{load.writes_per_second:>11.0f}"
            f"{load.percentile_ms(0.5):>9.2f}{load.percentile_ms(0.99):>9.2f}{load.busy:>7.0%}"
        )
        if stock is not None and stock is not self:
            text += (
                f"{load.writes_per_second / stock.load.writes_per_second:>9.2f}x"
                f"{load.percentile_ms(0.5) / stock.load.percentile_ms(0.5):>8.3f}x"
                f"{load.percentile_ms(0.99) / stock.load.percentile_ms(0.99):>8.3f}x"
            )
        if self.split is not None:
            text += f"   {self.split}"
        return text

    def as_json(self) -> dict[str, object]:
        """For results.jsonl."""
        load = self.load
        return {
            "writes/s": round(load.writes_per_second),
            "p50_ms": round(load.percentile_ms(0.5), 2),
            "p99_ms": round(load.percentile_ms(0.99), 2),
            **({"mean_ms": str(self.split)} if self.split is not None else {}),
        }


@contextmanager
def connected(address: str, templates: Sequence[Template]) -> Iterator[list[Writer]]:
    """A writer for each template, counting together."""
    numbers = count()
    writers: list[Writer] = []
    try:
        for template in templates:
            writers.append(Writer(address, template, partial(next, numbers)))
        yield writers
    finally:
        for writer in writers:
            writer.close()


class Bench:
    """The stretches of one implementation."""

    def __init__(self, implementation: str, leader: Node, *, warm_up_s: float, measured_s: float) -> None:
        self._implementation = implementation
        self._leader = leader
        self._warm_up_s = warm_up_s
        self._measured_s = measured_s
        self._runs = count()

    def topics(self, number: int) -> list[Template]:
        """Templates of writers that create topics, with names that no other run has."""
        prefix = f"bench-{next(self._runs)}"
        return [create_topics(prefix)] * number

    def prepare_configs(self, number: int) -> list[Template]:
        """Templates of writers that alter a topic each; the topics are made."""
        prefix = f"altered-{next(self._runs)}"
        made: list[str] = []

        def next_number() -> int:
            made.append(f"{prefix}-{10**9 + len(made)}")
            return len(made) - 1

        writer = Writer(self._leader.bootstrap_controller, create_topics(prefix), next_number)
        for _ in range(number):
            writer.write()
            while writer.answer() is None:
                pass
        writer.close()
        return [alter_topic(name) for name in made]

    def measure(self, api: str, templates: Sequence[Template]) -> Row:
        """One stretch."""
        scrapes: list[Mapping[str, float]] = []
        http = self._leader.properties.get(HTTP_KEY)

        def take() -> None:
            if http is not None:
                scrapes.append(scrape(http))

        with connected(self._leader.bootstrap_controller, templates) as writers:
            load = run_load(
                writers, warm_up_s=self._warm_up_s, measured_s=self._measured_s, at_start=take, at_end=take
            )
        split = CommitSplit.between(api, *scrapes) if scrapes else None
        return Row(
            api=api, writers=len(templates), implementation=self._implementation, load=load, split=split
        )

    def warm_up(self, seconds: float) -> None:
        """Load of both kinds that nobody counts: a JVM compiles what it runs often."""
        for templates in (self.topics(JIT_WARM_UP_WRITERS), self.prepare_configs(JIT_WARM_UP_WRITERS)):
            with connected(self._leader.bootstrap_controller, templates) as writers:
                run_load(writers, warm_up_s=0, measured_s=seconds / 2)


def run_implementation(implementation: str, folder: Path, arguments: argparse.Namespace) -> Iterator[Row]:
    """All stretches of one implementation, on a quorum that is started for them."""
    with ExitStack() as stack:
        quorum = stack.enter_context(Quorum(IMPLEMENTATIONS[implementation], folder, VOTERS))
        quorum.format()
        quorum.start()
        stack.enter_context(PlaceholderBrokers(quorum.leader))
        leader = quorum.leader()
        bench = Bench(implementation, leader, warm_up_s=arguments.warm_up, measured_s=arguments.seconds)
        bench.warm_up(arguments.first_warm_up)
        for writers in arguments.writers:
            yield bench.measure("CreateTopics", bench.topics(writers))
        for writers in arguments.writers:
            yield bench.measure("IncrementalAlterConfigs", bench.prepare_configs(writers))
        assert quorum.leader() is leader, "leadership moved during the benchmark"


def numbers(text: str) -> list[int]:
    """The integers of a list with commas."""
    return [int(each) for each in text.split(",")]


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="bin/bench quorum", description=__doc__.splitlines()[0])
    parser.add_argument("--writers", type=numbers, default=[1, 16, 64, 256], help="default: 1,16,64,256")
    parser.add_argument("--seconds", type=float, default=10.0, help="measured stretch of each row (10)")
    parser.add_argument("--warm-up", type=float, default=3.0, help="load before each stretch (3)")
    parser.add_argument("--first-warm-up", type=float, default=20.0, help="load before the first row (20)")
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(IMPLEMENTATIONS))
    return parser.parse_args()


def main() -> None:
    """Run both implementations and print the table, then one line of JSON."""
    end_in_order_when_told()
    arguments = parse_arguments()
    print(
        f"{'':24}{'writers':>8} {'':6}{'commits/s':>11}{'p50 ms':>9}{'p99 ms':>9}{'load':>7}"
        f"{'rate':>10}{'p50':>9}{'p99':>9}   of ours: mean ms of a commit"
    )
    rows: list[Row] = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for implementation in arguments.implementations:
            for row in run_implementation(implementation, Path(folder) / implementation, arguments):
                stock = next(
                    (each for each in rows if (each.api, each.writers) == (row.api, row.writers)), None
                )
                rows.append(row)
                print(row.line(stock), flush=True)
    print(
        f"ratios are ours/stock; load is the share of a core that the writers took; {time.monotonic() - begin:.0f} s"
    )
    print(json.dumps({f"{row.implementation} {row.api} {row.writers}": row.as_json() for row in rows}))


if __name__ == "__main__":
    main()
