"""Records through brokers: Apache Kafka, ours, and tansu, one after the other with the same client.

- throughput: one broker, one partition and twelve; kcat (librdkafka) writes a file of records and reads them back.
  1 KB records in batches of 128 KB, with acks=1 and acks=all, and 100 B records in batches of 16 KB. MB/s, and the
  processor time that the server took for a GB. Medians; a first round warms up.
- replicated: three brokers, replication 3, acks=all, the same.
- capacity: one broker, and a client that costs next to nothing: frames made once, five in flight, 1 MiB a fetch.
- latency: three brokers, replication 3, acks=all, 10,000 records a second of 100 B: from send to acknowledgement.
- connections: 500 connections to one broker, each of which writes a record and reads it back once a second.
- fan-out: 1, 5 and 20 consumers of the same records, beside a server that only sends pieces of a file (sendfile).
- partitions: one broker with many: memory, and restarts until all of them tell where they end.
- contents: the same of 1,000 partitions that hold much.
- loss: three brokers with many partitions; one gets SIGKILL: until each partition that it led takes a record again.
- combined: three nodes that are brokers and controllers, saturated by six clients: how soon the controllers respond.
- scaling: one broker and two on this machine, each with a client of its own.
- checks: one broker, and batches of records of several kinds in each compression: processor time for a batch.

tansu keeps records in memory here, and knows no replicas: it takes part in the first. All the others take time and
room on the disk; without --parts the first five are measured.

    bin/bench data [--parts throughput,replicated,latency] [--implementations stock,ours,tansu] [--megabytes 200]
        [--partitions 10000] [--gigabytes 10]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial

from bench._data_beside_quorum import combined
from bench._data_load import capacity, connections, fan_out, latency, throughput
from bench._data_partitions import contents, loss, partitions, scaling
from bench._data_servers import alone, three
from bench._implementations import end_in_order_when_told
from bench._parts import Part, run_parts
from bench._record_checks import record_checks

KINDS = ("stock", "ours", "tansu")
DEFAULT_PARTS = ("throughput", "replicated", "capacity", "latency", "connections")


def main() -> None:
    """Measure, and print a table for each part."""
    parser = argparse.ArgumentParser(prog="bin/bench data", description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=lambda text: text.split(","), default=list(DEFAULT_PARTS))
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(KINDS))
    parser.add_argument("--megabytes", type=int, default=200, help="for each measurement; default: 200")
    parser.add_argument("--partitions", type=int, default=10_000, help="of those parts; default: 10000")
    parser.add_argument("--gigabytes", type=int, default=10, help="of contents; default: 10")
    arguments = parser.parse_args()
    size = arguments.megabytes
    parts: Mapping[str, Part] = {
        "throughput": partial(alone, partial(throughput, megabytes=size)),
        "replicated": partial(three, partial(throughput, megabytes=size)),
        "capacity": partial(alone, partial(capacity, megabytes=size)),
        "latency": partial(three, latency),
        "connections": partial(alone, connections),
        "fan-out": partial(alone, fan_out),
        "partitions": partial(partitions, count=arguments.partitions),
        "contents": partial(contents, gigabytes=arguments.gigabytes),
        "loss": partial(loss, count=arguments.partitions),
        "combined": partial(combined, megabytes=size),
        "scaling": partial(scaling, megabytes=size),
        "checks": partial(alone, partial(record_checks, megabytes=size)),
    }
    unknown = [each for each in arguments.parts if each not in parts]
    unknown += [each for each in arguments.implementations if each not in KINDS]
    if unknown:
        parser.error(
            f"unknown: {', '.join(unknown)}; parts: {', '.join(parts)}; implementations: {', '.join(KINDS)}"
        )
    end_in_order_when_told()
    for part in arguments.parts:
        chosen = [each for each in arguments.implementations if part == "throughput" or each != "tansu"]
        run_parts(parts, [part], chosen)


if __name__ == "__main__":
    main()
