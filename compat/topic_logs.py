"""The files of a topic's replicas: whether all brokers have the same bytes, and what Apache Kafka's dump tool finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from pathlib import Path

from compat.kafka.tools import run_tool
from compat.node import Node
from kafkaproto.records.batch import iterate_batches

COMPLAINTS = ("isvalid: false", "Found", "Mismatches in")
"""What kafka-dump-log says of a batch, an index or a log that is not as it should be."""

DUMP_TIMEOUT_S = 300.0


class LogsDifferError(Exception):
    """Two replicas differ, or one has a file that is wrong; the text says which."""


def replica_folders(node: Node, topic: str) -> list[Path]:
    """The folders of a broker's replicas of a topic, in all of its log directories; none that was moved aside."""
    found = (path for data in node.data_directories for path in data.glob(f"{topic}-*"))
    return sorted(
        (path for path in found if path.name.removeprefix(f"{topic}-").isdecimal()),
        key=lambda path: path.name,
    )


def has_checkpointed(node: Node, name: str, lines: Set[str]) -> bool:
    """Whether the checkpoint files of that name in a node's data directories have all of these lines."""
    found: set[str] = set()
    for data in node.data_directories:
        with suppress(FileNotFoundError):
            found.update((data / name).read_text().splitlines())
    return lines <= found


def compare_logs(nodes: Sequence[Node], topic: str) -> tuple[int, int]:
    """The numbers of replicas and of bytes, which are the same on all brokers; these must not run.

    Raises LogsDifferError.
    """
    logs = {node.node_id: _logs(node, topic) for node in nodes}
    first_id, first = next(iter(logs.items()))
    for node_id, found in logs.items():
        if found.keys() != first.keys():
            raise LogsDifferError(f"broker {node_id} has {sorted(found)}, broker {first_id} {sorted(first)}")
        for name, data in found.items():
            if data != first[name]:
                raise LogsDifferError(
                    f"{name} on broker {node_id} ({len(data):,} bytes) differs from that on broker {first_id}"
                    f" ({len(first[name]):,}) from byte {_first_difference(data, first[name]):,} on"
                )
    count = sum(len(found) for found in logs.values())
    return count, sum(len(data) for found in logs.values() for data in found.values())


def _logs(node: Node, topic: str) -> dict[str, bytes]:
    """The bytes of each partition's segments, by the name of its directory."""
    return {
        path.name: b"".join(segment.read_bytes() for segment in sorted(path.glob("*.log")))
        for path in replica_folders(node, topic)
    }


def producer_epochs(node: Node, topics: Iterable[str]) -> dict[tuple[str, int], dict[int, tuple[int, int]]]:
    """Producer id and epoch of each record in a broker's replicas, by partition and offset.

    Raises LookupError if it has no replica of one of the topics.
    """
    found: dict[tuple[str, int], dict[int, tuple[int, int]]] = {}
    for topic in topics:
        logs = _logs(node, topic)
        if not logs:
            raise LookupError(f"node {node.node_id} has no replica of {topic}")
        for name, data in logs.items():
            offsets = found[topic, int(name.removeprefix(f"{topic}-"))] = {}
            for batch in iterate_batches(data):
                header = batch.header()
                epoch = (header.producer_id, header.producer_epoch)
                offsets.update(dict.fromkeys(range(header.base_offset, header.next_offset), epoch))
    return found


def _first_difference(one: bytes, other: bytes) -> int:
    shorter = min(len(one), len(other))
    if one[:shorter] == other[:shorter]:
        return shorter
    low, high = 0, shorter
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle)
    return low


def check_files(node: Node, *topics: str, is_deep: bool = True) -> None:
    """Apache Kafka's dump tool finds nothing wrong with a broker's segments and indexes of topics, after a clean stop.

    `is_deep` looks at each record as well, not at the batches alone. Raises LogsDifferError with the first complaint,
    and ToolFailedError.
    """
    files = [
        str(path)
        for topic in topics
        for folder in replica_folders(node, topic)
        for pattern in ("*.log", "*.index", "*.timeindex")
        for path in sorted(folder.glob(pattern))
    ]
    deep = ("--deep-iteration",) if is_deep else ()
    printed = run_tool(
        "kafka-dump-log", *deep, "--index-sanity-check", "--files", ",".join(files), timeout_s=DUMP_TIMEOUT_S
    ).output()
    wrong = [line for line in printed.splitlines() if any(each in line for each in COMPLAINTS)]
    if wrong:
        raise LogsDifferError(f"broker {node.node_id}, {', '.join(topics)}: {wrong[0]}")
