"""Groups and transactions: Apache Kafka, ours, and tansu, one after the other with the same clients.

- classic: a group of 1,000 members, a connection each. One joins: from the last request to join until all have their
  partitions. It leaves: until all have theirs again. With the longest turn of our event loop (processor time).
- consumer: the same with the consumer protocol (KIP-848); members send heartbeats without pause.
- offsets: 10,000 offsets a second, ten in each commit; 2,000 commits of one offset a second; and as many of those as
  50 committers get done, one after the other: p99, and the share of a core.
- loading: 50,000 groups in one partition of three replicas; its leader stops: until another broker has loaded them.
- transactions: one broker, and a record in each transaction. What one producer gets done, and fifty; and how long a
  commit takes at a fixed rate.
- replicated: the same on three brokers, replication 3.
- first-record: from the start of a consumer's process (kcat) to its first record, as the only member of a new group.

Both have group.initial.rebalance.delay.ms=0. tansu takes part in the last.

    bin/bench groups [--parts classic,consumer] [--implementations stock,ours,tansu] [--members 1000]
        [--offsets 10000] [--groups 50000]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial

from bench._first_record import first_record
from bench._group_load import classic, consumer
from bench._implementations import end_in_order_when_told
from bench._offset_load import loading, offsets
from bench._parts import Part, run_parts
from bench._transaction_load import transactions

KINDS = ("stock", "ours", "tansu")
PARTS = ("classic", "consumer", "offsets", "loading", "transactions", "replicated", "first-record")


def main() -> None:
    """Measure, and print a table for each part."""
    parser = argparse.ArgumentParser(prog="bin/bench groups", description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(KINDS))
    parser.add_argument("--members", type=int, default=1_000, help="of a group; default: 1000")
    parser.add_argument("--offsets", type=int, default=10_000, help="a second; default: 10000")
    parser.add_argument("--groups", type=int, default=50_000, help="in one partition; default: 50000")
    arguments = parser.parse_args()
    parts: Mapping[str, Part] = {
        "classic": partial(classic, members=arguments.members),
        "consumer": partial(consumer, members=arguments.members),
        "offsets": partial(offsets, rate=arguments.offsets),
        "loading": partial(loading, groups=arguments.groups),
        "transactions": partial(transactions, brokers=1),
        "replicated": partial(transactions, brokers=3),
        "first-record": first_record,
    }
    unknown = [each for each in arguments.parts if each not in parts]
    unknown += [each for each in arguments.implementations if each not in KINDS]
    if unknown:
        parser.error(
            f"unknown: {', '.join(unknown)}; parts: {', '.join(parts)}; implementations: {', '.join(KINDS)}"
        )
    end_in_order_when_told()
    for part in arguments.parts:
        chosen = [each for each in arguments.implementations if part == "first-record" or each != "tansu"]
        run_parts(parts, [part], chosen)


if __name__ == "__main__":
    main()
