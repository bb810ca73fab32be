"""What becomes of records that stock tools send to a broker of ours, and want of it."""

from __future__ import annotations

import json

from compat.kafka.tools import run_tool
from compat.kafka.verifiable import Sent, sent
from compat.node import Node
from compat.runs.telling import Tell

COUNT = 20
"""Records of a producer."""


class WrongRecordsError(Exception):
    """A tool was not served as by a stock broker; the text says which, and what was printed."""


def check_records(broker: Node, topic: str, elsewhere: str, tell: Tell) -> list[str]:
    """The lines that the stock consumer read of `topic`, which a broker of ours leads, after stock producers wrote it.

    Records for `elsewhere`, which it does not lead, find their way by it. Raises WrongRecordsError.
    """
    written = [f"line {number}" for number in range(COUNT)]
    address = ("--bootstrap-server", broker.bootstrap_server)
    produced = run_tool("kafka-console-producer", *address, "--topic", topic, stdin="\n".join(written) + "\n")
    if produced.exit_code or "ERROR" in produced.stderr:
        raise WrongRecordsError(str(produced))
    for each in (topic, elsewhere):
        kept = _produced(broker, each)
        if len(kept.acknowledged) != COUNT:
            raise WrongRecordsError(f"kafka-verifiable-producer, {each}: {kept}")
    offsets = run_tool("kafka-get-offsets", *address, "--topic", topic).output()
    counts = {int(line.split(":")[1]): int(line.split(":")[2]) for line in offsets.splitlines()}
    if sum(counts.values()) != 2 * COUNT:
        raise WrongRecordsError(f"kafka-get-offsets: {offsets}")
    lines = []
    for partition, count in counts.items():
        if count:
            consumed = run_tool(
                "kafka-console-consumer",
                *address,
                *("--topic", topic, "--partition", str(partition), "--offset", "earliest"),
                *("--max-messages", str(count), "--timeout-ms", "20000"),
            )
            lines += consumed.stdout.splitlines()
    if sorted(lines) != sorted(written + [str(number) for number in range(COUNT)]):
        raise WrongRecordsError(f"kafka-console-consumer: {lines}")
    tell(
        f"stock tools wrote {2 * COUNT} records to ours and {COUNT} by ours to a stock broker, and read them back"
    )
    return lines


def _produced(broker: Node, topic: str) -> Sent:
    address = ("--bootstrap-server", broker.bootstrap_server)
    result = run_tool("kafka-verifiable-producer", *address, "--topic", topic, "--max-messages", str(COUNT))
    return sent(map(json.loads, result.stdout.splitlines()))
